"""Names in scripts that no installed font has: a warning that names them, and code points in place of equal boxes."""

import warnings

import numpy as np
import pytest

from omniou import detection

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("msgspec", reason="the extra cli is not installed")
pytest.importorskip("PIL", reason="Pillow is not installed")

from matplotlib import font_manager
from matplotlib import pyplot as plt

from omniou import report
from omniou.data import InputWarning
from omniou.report._charts import fonts
from omniou.report._logging.figures import encoded

TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
FOUND = [{"boxes": [[0, 0, 10, 9], [20, 0, 30, 9]], "labels": [1, 2], "scores": [0.9, 0.8]}]
NAMES = {1: "\u732b", 2: "\u0915\u094d\u0937"}
POINTS = ["U+732B", "U+0915+094D+0937"]
MESSAGE = f"no installed font has the letters of '{NAMES[1]}', '{NAMES[2]}'.* install Noto Sans CJK JP and Noto"
PICTURE = np.full((40, 60, 3), 90, dtype=np.uint8)


@pytest.fixture(autouse=True)
def few_fonts(monkeypatch):
    """A machine with matplotlib's own fonts and Pillow's only."""
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    monkeypatch.setattr(fonts, "_FILES", ())
    plt.switch_backend("agg")
    fonts._others.cache_clear()
    yield
    fonts._others.cache_clear()
    plt.close("all")


@pytest.fixture(scope="module")
def result():
    return detection.evaluate(TRUTH, FOUND)


@pytest.mark.parametrize("kind", ["confusion", "per_class"])
def test_plot_names_the_missing_letters_once(result, kind):
    with pytest.warns(InputWarning, match=MESSAGE) as told:
        ax = report.plot(result, kind, names=NAMES)
    assert len(told) == 1
    assert [x.get_text() for x in ax.get_yticklabels()][:2] == POINTS
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib's own warnings of glyphs
        ax.figure.canvas.draw()


def test_legend_of_models_draw_and_figures(result):
    with pytest.warns(InputWarning, match="install Noto Sans CJK JP;"):
        legend = report.plot({NAMES[1]: result}, "pr").get_legend()
    assert legend.get_texts()[0].get_text().startswith("U+732B (AP")
    with pytest.warns(InputWarning, match=MESSAGE):
        ax = report.draw(PICTURE, TRUTH, FOUND, result.matches, names=NAMES)
    assert [x.get_text() for x in ax.texts] == [f"{POINTS[0]} 0.90", f"{POINTS[1]} 0.80"]
    with pytest.warns(InputWarning, match=MESSAGE) as told:
        report.figures(result, names=NAMES)
    assert len(told) == 1


def test_mosaic_names_the_missing_letters_of_classes_and_titles():
    with pytest.warns(InputWarning, match=rf"'{NAMES[1]}', '{NAMES[2]}', '{NAMES[1]}.jpg'") as told:
        made = report.mosaic(PICTURE[None], TRUTH, FOUND, names=NAMES | {3: "\u72ac"}, titles=[f"{NAMES[1]}.jpg"])
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = report.mosaic(
            PICTURE[None], TRUTH, FOUND, names=dict(zip(NAMES, POINTS, strict=True)), titles=["U+732B.jpg"]
        )
    assert np.array_equal(made.pixels, plain.pixels)


def test_svg_keeps_the_text(result):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with fonts.kept():
            figure = report.figures(result, kinds=["per_class"], names=NAMES)["per_class"]
        text = encoded(figure, "svg").decode()
    assert NAMES[1] in text
    assert NAMES[2] in text


def test_letters_that_the_fonts_have_stay(result):
    names = {1: "\u0436\u0443\u043a", 2: "caf\u00e9"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = report.plot(result, "per_class", names=names)
    assert sorted(x.get_text() for x in ax.get_yticklabels()) == sorted(names.values())


def test_installed_font_with_the_letters_is_used(result, monkeypatch):
    path = font_manager.findfont("DejaVu Sans Mono")
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [path])
    monkeypatch.setattr(fonts, "_letters", lambda file, needed: needed if file == path else frozenset())
    ax = report.plot(result, "per_class", names=NAMES)
    assert [x.get_text() for x in ax.get_yticklabels()] == list(NAMES.values())
    assert ax.get_yticklabels()[0].get_fontfamily()[-1] == "DejaVu Sans Mono"
