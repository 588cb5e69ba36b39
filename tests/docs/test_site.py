"""The built documentation in headless Chromium (`nox -s docs`): it opens without a network, fits, and is found."""

import functools
import os
import re
import shutil
from pathlib import Path
from urllib.parse import quote_plus

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ROOT = Path(os.environ.get("OMNIOU_HTML", "docs/_build/html")).resolve()
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
    pytest.mark.skipif(not ROOT.is_dir(), reason=f"no built pages in {ROOT}: OMNIOU_HTML names them"),
]

WIDTHS = [400, 1000, 1600]
# Pages without a sidebar.
ALONE = {"index", "search", "genindex", "py-modindex"}
# What readers search for, and pages that answer it: one of these is among the first three results.
SEARCHES = {
    "mAP COCO": {"quickstart", "evaluate", "detection"},
    "plot": {"plots"},
    "panoptic": {"panoptic", "metrics/panoptic-quality"},
    "why differs": {"why-differs"},
    "rotated": {"rotated", "metrics/rotated-iou"},
    "Dask": {"dask"},
    "AP is 0": {"low-ap"},
    "install": {"install"},
    "torchmetrics": {"lightning", "moving", "why-differs", "reference/torchmetrics"},
    "pandas": {"pandas"},
    "Spark": {"engines"},
    "explorer": {"explorer"},
    "nuScenes": {"nuscenes", "metrics/nds"},
    "CULane": {"similarity"},
    "instance AP": {"panoptic", "glossary", "similarity"},
}
# The same, of which one is the first.
FIRST = {
    "LaTeX": {"paper"},
    "TensorBoard": {"logging"},
    "MLflow": {"logging"},
    "notebook": {"first-hour"},
    "cheat sheet": {"cheat-sheet"},
    "NMS": {"nms"},
    "HOTA": {"metrics/hota", "tracking"},
    "keypoints": {"keypoints"},
    "draw boxes": {"plots", "gallery"},
    "gallery": {"gallery"},
    "table for my paper": {"paper"},
    "compare three models": {"compare"},
    # These words are on no page, or on many: search_pages.py has them.
    "colab": {"first-hour"},
    "significance": {"compare"},
    "VLM": {"language-models"},
    "no scores": {"evaluate"},
    "Chamfer": {"similarity"},
    "StarDist": {"panoptic"},
    "miss rate": {"metrics/froc"},
    "P-values": {"intervals"},
    "visualize": {"plots"},
    "batched nms": {"nms"},
    "segmentation loss": {"losses"},
    "GPU": {"arrays"},
    "csv": {"files"},
    "boxes.giou": {"reference/generated/omniou.boxes.giou"},
}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        # Where tests run as root, as in containers, Chromium has no sandbox.
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@functools.cache
def pages():
    """All that people write, and one in twenty of the pages that are made for a function or class."""
    found = {path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.html")}
    found = sorted(name for name in found if not name.startswith("_"))
    made = [name for name in found if "/generated/" in name]
    return sorted({*found} - {*made} | {*made[::20], *sorted(made, key=len)[-2:]})


def faults(page, name, width):
    """What is wrong with an open page at a width."""
    page.set_viewport_size({"width": width, "height": 900})
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        yield "scrolls sideways"
    if name.startswith("omniou-"):  # the report and the explorer have styles of their own
        return
    if page.locator("header.bd-header").bounding_box()["height"] > 80:
        yield "header of several rows"
    if width >= 1000 and name not in ALONE and not page.locator(".bd-docs-nav a").first.is_visible():
        yield "no sidebar"


def test_pages_fit_in_silence(browser):
    page = browser.new_page()
    told, requests = [], []
    page.on("pageerror", lambda x: told.append(str(x)))
    page.on("request", lambda x: requests.append(x.url))
    assert len(pages()) > 40
    wrong = []
    for name in pages():
        page.goto((ROOT / f"{name}.html").as_uri())
        wrong += [(name, width, fault) for width in WIDTHS for fault in faults(page, name, width)]
    page.close()
    assert wrong == []
    assert told == []
    assert {url.partition(":")[0] for url in requests} <= {"file", "data"}


def results(browser, words, most):
    """The pages of the first results of a search."""
    page = browser.new_page()
    page.goto(f"{(ROOT / 'search.html').as_uri()}?q={quote_plus(words)}")
    links = page.locator("#search-results li > a")
    links.nth(0).wait_for()
    page.locator("#search-results .search-summary").wait_for()
    page.wait_for_function("document.title && !document.querySelector('#search-progress')?.offsetParent")
    first = [links.nth(k).get_attribute("href") for k in range(min(most, links.count()))]
    page.close()
    return [re.sub(r"\.html.*", "", href) for href in first]


@pytest.mark.parametrize("words", SEARCHES)
def test_search_finds_the_page_among_the_first(browser, words):
    found = results(browser, words, 3)
    assert {*found} & SEARCHES[words], found


@pytest.mark.parametrize("words", FIRST)
def test_search_finds_the_page_first(browser, words):
    found = results(browser, words, 3)
    assert found[0] in FIRST[words], found
