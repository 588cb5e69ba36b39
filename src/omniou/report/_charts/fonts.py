"""Find fonts for names in any script; names that no installed font has are written as code points, with a warning."""

import contextlib
import contextvars
import functools
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from omniou._lib.brief import shortened
from omniou._lib.findings import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KEPT = contextvars.ContextVar("_KEPT", default=False)
# Names that a picture shows as code points, with the letters that no font has: `told` warns of them.
_CHANGED: "contextvars.ContextVar[dict[str, frozenset[str]] | None]" = contextvars.ContextVar("_CHANGED", default=None)
# Fonts of several scripts that systems have; Pillow finds them by these names.
_FILES = (
    *("DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", "NotoSans-Regular.ttf", "NotoSansDevanagari-Regular.ttf"),
    *("NotoSansArabic-Regular.ttf", "NotoSansThai-Regular.ttf", "msyh.ttc", "msgothic.ttc", "malgun.ttf"),
    *("Nirmala.ttf", "arial.ttf", "Arial Unicode.ttf", "PingFang.ttc", "Hiragino Sans GB.ttc"),
)
# The first word of the name of a letter, for scripts that share a font.
_SHARED = dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "FULLWIDTH"), "CJK JP")


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Keep all names as they are: an SVG file with text is drawn with the fonts of the browser that shows it."""
    token = _KEPT.set(True)
    try:
        yield
    finally:
        _KEPT.reset(token)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Warn once of all names that the pictures of a call show as code points, and of the fonts that they need."""
    if _CHANGED.get() is not None:  # a picture of several
        yield
        return
    changed: dict[str, frozenset[str]] = {}
    token = _CHANGED.set(changed)
    try:
        yield
    finally:
        _CHANGED.reset(token)
    if changed:
        from omniou.data import InputWarning

        scripts = sorted({_font_of(x) for letters in changed.values() for x in letters})
        text = f"no installed font has the letters of {shortened(list(changed))}: the picture shows their code points"
        hint = f"install {' and '.join(scripts)}; or write a page, or --plots-format svg: a browser draws their text"
        warnings.warn(InputWarning(Finding(code="font-missing", text=text, hint=hint)), stacklevel=4)


def _drawable(names: Sequence[str], letters: Iterable[frozenset[str]]) -> list[str]:
    """Return names with code points in place of letters that no font has: "猫 1" becomes "U+732B 1".

    `letters` has the letters that each font has.
    """
    known = frozenset[str]().union(*letters)
    out = [_with_code_points(name, known) for name in names]
    changed = _CHANGED.get()
    if changed is not None:
        changed.update({a: _beyond_ascii([a]) - known for a, b in zip(names, out, strict=True) if a != b})
    return out


def _beyond_ascii(names: Iterable[str]) -> frozenset[str]:
    return frozenset(x for name in names for x in name if not x.isascii())


def _with_code_points(name: str, known: frozenset[str]) -> str:
    """Write each run of unknown letters as code points: "U+0915+094D"."""
    out, run = "", False
    for letter in name:
        is_known = letter.isascii() or letter in known
        out += letter if is_known else f"{'+' if run else 'U+'}{ord(letter):04X}"
        run = not is_known
    return out


def _font_of(letter: str) -> str:
    """Return the name of a free font of a letter, by its script."""
    if unicodedata.category(letter) == "So" or ord(letter) >= 0x1F000:
        return "Noto Emoji"
    script = unicodedata.name(letter, "").partition(" ")[0]
    return f"Noto Sans {_SHARED.get(script, script.capitalize())}".strip()


def words(names: Sequence[str]) -> list[str]:
    """Return names that matplotlib can draw."""
    needed = _beyond_ascii(names)
    if not needed or _KEPT.get():
        return list(names)
    return _drawable(names, [_letters(path, needed) for path in (*_default_paths(), *_others(needed))])


def families(names: Iterable[str]) -> list[str] | None:
    """Return the families of fonts for names: the default ones, and others that have letters which these lack."""
    from matplotlib import font_manager, rcParams

    needed = _beyond_ascii(names)
    if not needed or not (paths := _others(needed)):
        return None
    for path in paths:
        font_manager.fontManager.addfont(path)
    return [*rcParams["font.family"], *(font_manager.FontProperties(fname=path).get_name() for path in paths)]


def complete(ax: "Axes") -> None:
    """Let the texts of axes fall back on other fonts for letters that the default fonts lack."""
    from matplotlib.text import Text

    texts = [x for x in ax.findobj(Text) if not x.get_text().isascii()]
    if chosen := families(x.get_text() for x in texts):
        for x in texts:
            x.set_fontfamily(chosen)


def lacks(figure: "Figure") -> bool:
    """Return whether a figure has letters that no installed font has."""
    from matplotlib.text import Text

    needed = _beyond_ascii(text.get_text() for text in figure.findobj(Text))
    return bool(needed.difference(*(_letters(path, needed) for path in (*_default_paths(), *_others(needed)))))


def _default_paths() -> list[str]:
    """Return the files of matplotlib's default fonts."""
    from matplotlib import font_manager

    return [font_manager.findfont(font_manager.FontProperties())]


@functools.lru_cache(maxsize=64)
def _others(needed: frozenset[str]) -> tuple[str, ...]:
    """Return installed fonts that have the letters which the default fonts lack; few fonts with many letters first."""
    from matplotlib import font_manager

    left = needed.difference(*(_letters(path, needed) for path in _default_paths()))
    if not left:
        return ()
    found = {path: _letters(path, left) for path in sorted(font_manager.findSystemFonts())}
    chosen: list[str] = []
    while left and (best := max(found, key=lambda path: len(left & found[path]), default="")):
        if not left & found[best]:
            break
        chosen.append(best)
        left = left - found[best]
    return tuple(chosen)


def _letters(path: str, needed: frozenset[str]) -> frozenset[str]:
    """Return the letters that a font file has; none if it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        known = FT2Font(path).get_charmap()
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(x for x in needed if ord(x) in known)


def of_pillow(names: Sequence[str], default: Any, size: int) -> tuple[list[str], Any]:
    """Return names that Pillow can draw, and the font: the default, or the installed one with most of their letters."""
    from PIL import ImageFont

    needed = _beyond_ascii(names)
    if not needed or needed == _drawn(default, needed):
        return list(names), default
    best, most = default, _drawn(default, needed)
    for file in _FILES:
        with contextlib.suppress(OSError):
            font = ImageFont.truetype(file, size)
            if len(found := _drawn(font, needed)) > len(most):
                best, most = font, found
        if most == needed:
            break
    return _drawable(names, [most]), best


def _drawn(font: Any, letters: frozenset[str]) -> frozenset[str]:
    """Return the letters that a font of Pillow draws otherwise than one that no font has."""
    try:
        missing = bytes(font.getmask("\uffff"))
        return frozenset(x for x in letters if bytes(font.getmask(x)) != missing)
    except (UnicodeEncodeError, OSError):  # the bitmap font of a Pillow without FreeType has Latin letters only
        return frozenset(x for x in letters if ord(x) < 256)
