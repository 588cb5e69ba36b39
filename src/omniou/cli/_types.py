"""Parse values of options; errors say what is wrong, and suggest the nearest word."""

import itertools
import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from omniou._lib.near import nearest
from omniou.detection import AreaRange

if TYPE_CHECKING:
    Words = click.Choice[str]
else:
    Words = click.Choice  # no generic type before click 8.2


class Choice(Words):
    """A choice of words; the error for an unknown word names the nearest, and `why` there are no others."""

    def __init__(self, choices: Sequence[str], why: str = "", others: Collection[str] = ()) -> None:
        """Keep the reason, and the words that other commands take: they are not misspelt."""
        super().__init__(choices)
        self.why, self.others = why, others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or fail with the nearest one."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = None if value in self.others else nearest(str(value), self.choices)
            hint = f" Did you mean {near!r}?" if near else f" {self.why}" if self.why else ""
            self.fail(f"{error.message}{hint}", param, ctx)


def checked(parse: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make a click callback of a parser; its ValueError becomes the error of the option."""

    def callback(_: click.Context, __: click.Parameter, value: Any) -> Any:
        if value is None:
            return None
        try:
            return parse(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return callback


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT -> (height, width)."""
    match = re.fullmatch(r"([1-9]\d{0,8})x([1-9]\d{0,8})", text)
    if not match:
        raise ValueError(f"{text[:80]!r} is not like 640x480")
    return int(match[2]), int(match[1])


Y_FIRST = "y1x1y2x2"


class Scale(NamedTuple):
    """What coordinates count to, and their order; None for what the option does not say."""

    number: float | None
    order: str | None


def scale(texts: Sequence[str]) -> Scale | None:
    """Parse ``1000``, ``y1x1y2x2`` or both."""
    words = [x.strip() for text in texts for x in text.split(",")]
    numbers = [positive(x) for x in words if x != Y_FIRST and _is_number(x)]
    if unknown := [x for x in words if x != Y_FIRST and not _is_number(x)]:
        raise ValueError(f"{unknown[0][:80]!r} is not a number above 0, nor {Y_FIRST}; --dt-boxes has other orders")
    if len(numbers) > 1:
        raise ValueError(f"{numbers[0]:g} and {numbers[1]:g} are two scales: the files have one")
    return Scale(numbers[0] if numbers else None, "yxyx" if Y_FIRST in words else None) if words else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def number(text: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text[:80]!r} is not a finite number")
    return value


def sigmas(text: str) -> str | tuple[float, ...]:
    """The name of a set of keypoints, or a positive number for each point."""
    from omniou.keypoints import SKELETONS

    words = [word.strip() for word in text.split(",")]
    if len(words) == 1 and not re.match(r"[\d.]", words[0]):
        named = [name for name, x in SKELETONS.items() if x.sigmas]
        if text not in named:
            near = nearest(text, named)
            hint = f": did you mean {near!r}?" if near else ""
            raise ValueError(f"{text[:80]!r} is not one of {', '.join(named)}, nor a number for each point{hint}")
        return text
    return tuple(map(positive, words))


def share(text: str) -> float:
    """A number in [0, 1]."""
    value = number(text)
    if not 0 <= value <= 1:
        raise ValueError(f"{text[:80]!r} is not a number from 0 to 1")
    return value


def names(text: str) -> tuple[str, ...]:
    """Names between commas."""
    found = tuple(name for x in text.split(",") if (name := x.strip()))
    if not found:
        raise ValueError(f"{text[:80]!r} has no names")
    return found


def positive(text: str) -> float:
    """A finite number above 0."""
    value = number(text)
    if value <= 0:
        raise ValueError(f"{text[:80]!r} is not a number above 0")
    return value


def weights(text: str) -> tuple[float, ...]:
    """Parse ``2,1``: numbers of at least 0, one of them above 0."""
    values = tuple(number(x) for x in text.split(","))
    if min(values) < 0 or max(values) == 0:
        raise ValueError(f"{text[:80]!r} is not made of numbers from 0 on, with one above 0")
    return values


def rising(text: str) -> tuple[float, ...]:
    """Parse ``0,20,50``: two rising numbers or more, from 0 on."""
    values = tuple(number(x) for x in text.split(","))
    if len(values) < 2 or values[0] < 0 or any(a >= b for a, b in itertools.pairwise(values)):
        raise ValueError(f"{text[:80]!r} is not like 0,20,50: rising numbers from 0 on")
    return values


def thresholds(text: str) -> tuple[float, ...]:
    """Parse ``0.5,0.75``, or ``0.5:0.95:0.05`` with both ends: rising, in (0, 1]."""
    if ":" in text:
        parts = [number(x) for x in text.split(":")]
        if len(parts) != 3 or parts[2] <= 0 or parts[1] < parts[0] or (parts[1] - parts[0]) / parts[2] > 1000:
            raise ValueError(f"{text[:80]!r} is not like 0.5:0.95:0.05: first, last and step")
        from omniou.matching._coco_greedy import spaced

        steps = round((parts[1] - parts[0]) / parts[2])
        values = spaced(parts[0], parts[1], steps + 1) if steps else (parts[0],)
    else:
        values = tuple(number(x) for x in text.split(","))
    if any(not 0 < x <= 1 for x in values) or any(a >= b for a, b in itertools.pairwise(values)):
        raise ValueError(f"{text[:80]!r} is not made of rising numbers above 0 and at most 1")
    return values


def limits(text: str) -> tuple[int | None, ...]:
    """Parse ``1,10,100``: rising; the last may be ``any``."""
    words = [x.strip() for x in text.split(",")]
    try:
        values = [None if x == "any" and k == len(words) - 1 else int(x) for k, x in enumerate(words)]
    except ValueError:
        values = []
    known = [x for x in values if x is not None]
    if not values or any(not 1 <= x < 2**31 for x in known) or any(a >= b for a, b in itertools.pairwise(known)):
        raise ValueError(f"{text[:80]!r} is not like 1,10,100: rising, the last one perhaps 'any'")
    return tuple(values)


# Suffixes of numbers of COCO's area ranges: "small" gives APs. Another range, such as "tiny", gives AP_tiny.
_SUFFIXES = {"small": "s", "medium": "m", "large": "l"}


def areas(text: str) -> tuple[AreaRange, ...]:
    """Parse ``tiny:0:256,large:256:inf``; the range of all areas comes first."""
    ranges = [AreaRange("all", 0.0, math.inf, "")]
    for part in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z]\w*):([^:]+):([^:]+)\s*", part)
        try:
            low, high = (float(x) for x in match.groups()[1:]) if match else (math.nan, math.nan)
        except ValueError:
            low = high = math.nan
        if match is None or not 0 <= low <= high:
            raise ValueError(f"{part[:80]!r} is not like small:0:1024: a name and the areas from and to, in pixels")
        ranges.append(AreaRange(match[1], low, high, _SUFFIXES.get(match[1], f"_{match[1]}")))
    if len({x.name for x in ranges}) < len(ranges):
        raise ValueError(f"{text[:80]!r} has a name twice, or the name 'all'")
    return tuple(ranges)


def labels(text: str) -> tuple[int, ...]:
    """Parse ``255`` or ``0,255``."""
    try:
        return tuple(int(x) for x in text.split(","))
    except ValueError:
        raise ValueError(f"{text[:80]!r} is not like 255 or 0,255: integers") from None
