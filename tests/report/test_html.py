"""The text of a page: what is in it, and what never is. What a browser makes of it is in `test_browser.py`."""

import base64
import dataclasses
import hashlib
import html.parser
import json
import re

import pytest

from omniou import data, detection, report

pytest.importorskip("msgspec", reason="the extra cli is not installed")
pytest.importorskip("jinja2", reason="the extra cli is not installed")

from tests.places import EXAMPLE
from tests.report.pages import IMAGES, SCRIPT, evaluated, recorded


class Elements(html.parser.HTMLParser):
    """Start tags with their attributes, and the text of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.raw, self._open = [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = (tag, dict(attrs)) if tag in {"script", "style"} else None

    def handle_data(self, data):
        if self._open:
            self.raw.append((*self._open, data))

    def handle_endtag(self, _):
        self._open = None


@pytest.fixture(scope="module")
def page():
    return report.html(recorded(evaluated()))


@pytest.fixture(scope="module")
def example():

    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json")
    found = data.read_detections(EXAMPLE / "detections.json", truth)
    result = detection.evaluate(
        truth.targets, found, format=truth.format, classes=list(truth.categories), images=truth.images.tolist()
    )
    sizes = dict(zip(truth.images.tolist(), truth.sizes.tolist(), strict=True))
    return report.record(
        result,
        names=truth.categories,
        images=truth.image_names,
        sizes=sizes,
        analyses=[name for name, x in report.ANALYSES.items() if not x.asked_only],
        intervals=list(result.summary),
        samples=50,
    )


def embedded(page):
    (text,) = [data for tag, attrs, data in Elements(page).raw if attrs.get("id") == "records"]
    return json.loads(text)


def test_html_escapes_every_name(page):
    elements = Elements(page)
    assert sum(tag == "script" for tag, _ in elements.tags) == 2
    assert not {tag for tag, _ in elements.tags} & {"img", "link", "iframe", "object", "form", "i"}
    assert not [name for _, attrs in elements.tags for name in attrs if name.startswith("on") or name == "style"]
    # Markup of a name is nowhere as it is; as text it is in the table, in the select and in the pictures.
    body = page[page.index("<body>") :]
    assert SCRIPT not in page
    assert "onerror=alert(2)>" not in page
    assert body.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 5


def test_html_policy_names_its_own_script_and_style(page):
    elements = Elements(page)
    (policy,) = [x["content"] for tag, x in elements.tags if x.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    (style,) = [data for tag, _, data in elements.raw if tag == "style"]
    (script,) = [data for tag, attrs, data in elements.raw if tag == "script" and not attrs]
    for name, text in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_html_loads_nothing(page):
    for _, attrs in Elements(page).tags:
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert attrs.get(name, "#").startswith("#")
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", page)


def test_html_embeds_the_record_without_samples(page):
    record = recorded(evaluated())
    (data,) = embedded(page)
    expected = json.loads(record.to_json())
    for measured in expected["intervals"]["numbers"].values():
        measured["samples"] = []
    # Curves of classes are runs of a value and its number.
    runs = data["analyses"]["pr"]["per_class"]["runs"]
    unrolled = [[x for k in range(0, len(run), 2) for x in [run[k]] * run[k + 1]] for run in runs]
    data["analyses"]["pr"]["per_class"] = unrolled
    assert data == expected
    assert report.Record.from_json(json.dumps(data)).per_class[0]["name"] == SCRIPT


def test_html_shows_every_section(page):
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert headings == [
        "Warnings",
        "Numbers",
        "Precision and recall",
        "Classes",
        "Confusion",
        "Errors",
        "Images with most errors",
        "Likely label errors",
        "Scores, IoU and calibration",
        "LRP",
        "Proposals",
        "FROC",
        "Miss rate",
        "Best detections",
        "Images with and without objects",
        "Provenance",
    ]
    targets = re.findall(r"<nav.*?</nav>", page, re.DOTALL)[0]
    assert all(f'id="{name}"' in page for name in re.findall(r'href="#(\w+)"', targets))


def test_html_is_well_formed(page):
    ids = [attrs["id"] for _, attrs in Elements(page).tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    named = [x for _, attrs in Elements(page).tags for x in attrs.get("aria-labelledby", "").split()]
    assert set(named) <= set(ids)
    labels = [attrs["for"] for tag, attrs in Elements(page).tags if tag == "label" and "for" in attrs]
    assert labels
    assert set(labels) <= set(ids)
    # Every chart and picture says what it is.
    charts = [attrs for tag, attrs in Elements(page).tags if tag == "svg"]
    assert all(x.get("aria-hidden") or x.get("aria-label") or x.get("aria-labelledby") for x in charts)


def test_html_draws_worst_images_first(page):
    pictures = re.findall(r'<svg viewBox="0 0 300 200" role="img" aria-label="([^"]*)"', page)
    missed = [int(re.search(r": (\d+) missed", x)[1]) for x in pictures]
    assert len(pictures) == 12
    false = [int(re.search(r"(\d+) false", x)[1]) for x in pictures]
    errors = [a + b for a, b in zip(missed, false, strict=True)]
    assert errors == sorted(errors, reverse=True)


def test_html_of_record_without_analyses():
    page = report.html(report.record(evaluated()))
    assert '<h2 id="h-classes">' in page
    assert "Images with most errors" not in page


def test_html_shows_a_new_analysis_with_its_chart(monkeypatch):
    from omniou.report._charts.plots import CHARTS, PlotKind
    from omniou.report._pages import html as _html
    from omniou.report._record import analyses as _analyses

    new = dataclasses.replace(report.ANALYSES["errors"], title="New one")
    table = dict(report.ANALYSES) | {"new": new}
    monkeypatch.setattr(_html, "ANALYSES", table)
    monkeypatch.setattr(_html, "CHARTS", dict(CHARTS) | {"new": PlotKind("new", new.compute, new.chart)})
    record = recorded(evaluated())
    record.analyses["new"] = new.compute(_analyses.Source(evaluated(), {}, {}))
    page = report.html(record)
    assert '<h2 id="h-new">New one</h2>' in page
    assert 'id="new-0-f"' in page
    assert page.index("h-new") < page.index("h-provenance")


def test_html_of_nothing():
    empty = detection.evaluate([{"boxes": [], "labels": []}], [{"boxes": [], "labels": [], "scores": []}])
    page = report.html(recorded(empty, names={}, images={}))
    assert "NaN" not in page.rpartition("<script>")[0]
    assert "No warnings" not in page


@pytest.mark.parametrize("kind", ["rotated", "polygons"])
def test_html_draws_outlines_of_other_shapes(kind):
    boxes = {"rotated": [[50, 50, 40, 20, 0.5]], "polygons": [[0, 0, 40, 10, 30, 40]]}[kind]
    truth = detection.Targets(boxes=boxes, labels=[1], images=[0])
    found = detection.Detections(boxes=boxes, labels=[2], scores=[0.9], images=[0])
    result = detection.evaluate(truth, found, kind=kind)
    page = report.html(report.record(result, analyses=["worst_images"]))
    outline = re.search(r'<g class="shape missed"><path data-of="[^"]*" d="M([^"]*)z"', page)[1]
    # Each number follows a blank, a sign or a letter.
    assert len(re.findall(r"[\d.]+", outline)) == {"rotated": 8, "polygons": 6}[kind]


def test_html_of_boxes_in_one_dimension_draws_predictions_below_objects():
    truth = detection.Targets(boxes=[[0, 5]], labels=[1], images=[0])
    found = detection.Detections(boxes=[[7, 9]], labels=[1], scores=[0.9], images=[0])
    page = report.html(report.record(detection.evaluate(truth, found), analyses=report.ANALYSES))
    # A bar is as high as a 24th of the line of time, which ends at 9.
    missed, false = re.findall(r'<g class="shape (?:missed|false)"><path data-of="[^"]*" d="([^"]*)"', page)[:2]
    assert (missed, false) == ("M0 0.375H5V0.75H0Z", "M7 1.125H9V1.5H7Z")
    assert "1 missed, 1 false" in page


def test_html_of_example_is_small(example):
    page = report.html(example)
    assert len(page.encode()) < 300_000
    assert page.count('<figure class="image">') == 14 + 2 * 8
    assert "NaN" not in page.rpartition("<script>")[0]
    assert "65 of 100 images have errors" in page


def test_html_hides_doubtful_intervals_unless_asked_for(example):
    measured = example.intervals.numbers["AP"]
    interval = f"{measured.low:.3f} to {measured.high:.3f} (95%)"
    assert example.intervals.doubt
    assert interval not in report.html(example)
    example.options["intervals"] = True
    page = report.html(example)
    del example.options["intervals"]
    assert interval in page
    assert f"without bias {measured.corrected:.3f}" in page


@pytest.mark.filterwarnings("ignore:.*that are drawn have no picture:omniou.data.InputWarning")
def test_html_over_pictures(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    folder = tmp_path / "pictures"
    folder.mkdir()
    names = {0: "a.png", 1: "../outside.png", 2: "missing.png", 3: "broken.png", 4: "b.png"} | {
        k: IMAGES[k] for k in range(5, 12)
    }
    for path in (folder / "a.png", tmp_path / "outside.png", folder / "b.png"):
        image.new("RGB", (900, 600), "red").save(path)
    (folder / "broken.png").write_bytes(b"no picture")
    with pytest.warns(data.InputWarning, match="of the 12 images that are drawn have no picture there"):
        page = report.html(recorded(evaluated(), images=names, sizes={}, analyses=["worst_images"]), pictures=folder)
    drawn = [attrs for tag, attrs in Elements(page).tags if tag == "image"]
    assert len(drawn) == 2
    assert all(x["href"].startswith("data:image/jpeg;base64,") for x in drawn)
    # Without a size in the record, that of the file is the frame.
    assert {(x["width"], x["height"]) for x in drawn} == {("900", "600")}
    turned = image.Exif()
    turned[0x0112] = 6  # on its side
    image.new("RGB", (900, 600), "red").save(folder / "a.png", exif=turned)
    page = report.html(recorded(evaluated(), images=names, sizes={}, analyses=["worst_images"]), pictures=folder)
    frames = {(x["width"], x["height"]) for tag, x in Elements(page).tags if tag == "image"}
    assert frames == {("900", "600"), ("600", "900")}
    assert len(base64.b64decode(drawn[0]["href"].partition(",")[2])) < 20_000


def test_html_refuses_other_objects():
    with pytest.raises(TypeError, match="`record`"):
        report.html({})
