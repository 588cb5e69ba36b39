"""Images and crops of the page: names at their shapes, links to them, pictures below them."""

import base64
import html
import io
import json
import re
import types

import numpy as np
import pytest

from omniou import detection, report

pytest.importorskip("msgspec", reason="the extra cli is not installed")
pytest.importorskip("jinja2", reason="the extra cli is not installed")

from omniou.keypoints import Skeleton
from omniou.report._record.analyses import ANALYSES
from tests.report.pages import evaluated, recorded
from tests.report.test_html import Elements

NAMES = {1: "<img src=x onerror=alert(1)>", 2: 'a"b', 3: "", 4: "x" * 500}
# Image 0: class 1 taken for 2, class 3 missed, class 4 where nothing is. Image 1: class 2 found, 3 missed.
TARGETS = detection.Targets(
    boxes=[[10, 10, 60, 60], [100, 100, 140, 140], [10, 10, 60, 60], [100, 100, 140, 140]],
    labels=[1, 3, 2, 3],
    images=[0, 0, 1, 1],
)
DETECTIONS = detection.Detections(
    boxes=[[10, 10, 60, 60], [200, 20, 240, 60], [10, 10, 60, 60]],
    scores=[0.9, 0.8, 0.7],
    labels=[2, 4, 2],
    images=[0, 0, 1],
)


def made(targets=TARGETS, detections=DETECTIONS, *, sizes=((200.0, 300.0), (200.0, 300.0)), names=NAMES, **options):
    result = detection.evaluate(targets, detections, **options)
    return report.record(
        result,
        names=names,
        images={0: "a.png", 1: "b.png"},
        sizes=dict(enumerate(sizes)),
        analyses=report.ANALYSES,
    )


@pytest.fixture(scope="module")
def page():
    return report.html(made())


def part(page, name):
    """A section of the page."""
    return re.search(rf'<details class="part[^>]* id="{name}".*?(?=<details class="part|</main>)', page, re.DOTALL)[0]


def pictures(page, name="images"):
    return re.findall(r'<figure class="image">.*?</figure>', part(page, name), re.DOTALL)


def texts(picture):
    """What is written in a picture, by style."""
    groups = re.findall(r'<g class="(\w+)">((?:<text.*?</text>)+)</g>', picture)
    return {style: [html.unescape(x) for x in re.findall(r"<text[^>]*>(.*?)</text>", body)] for style, body in groups}


def test_every_shape_has_its_class_and_score(page):
    first, second = pictures(page)
    assert texts(first) == {"missed": [NAMES[1], "(no name)"], "false": ['a"b 0.90', "x" * 23 + "… 0.80"]}
    assert texts(second) == {"missed": ["(no name)"], "hit": ['a"b 0.70']}


def links(page):
    """Keys of the images that links lead to."""
    return set(re.findall(r'href="#images/([^"]*)"', page.rpartition("<script>")[0]))


def test_names_are_escaped_in_labels_and_links(page):
    tags = Elements(page).tags
    assert "img" not in {tag for tag, _ in tags}
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on") or name in {"style", 'b"'}]
    assert NAMES[1] not in page
    assert '<a href="#images/c0">&lt;img src=x onerror=alert(1)&gt;</a>' in page
    assert '<a href="#images/c1">a&#34;b</a>' in page
    assert '<a href="#images/c2">(no name)</a>' in page


def test_captions_cut_long_names(page):
    first = html.unescape(pictures(page)[0].partition("<figcaption>")[2])
    assert f"{'x' * 54}… 0.80</span>" in first
    assert "x" * 55 not in first
    alone = html.unescape(pictures(page, "label_errors")[0].partition("<figcaption>")[2])
    assert alone == f"<strong>{'x' * 54}… 0.80</strong><br>a.png</figcaption></figure>"


def test_titles_tell_the_reason(page):
    first = pictures(page)[0]
    told = [html.unescape(x) for x in re.findall(r"<title>(.*?)</title>", first)]
    assert told[0] == f"{NAMES[1]}: missed (classification)"
    assert told[1:3] == ["(no name): missed", f'a"b 0.90: classification, on {NAMES[1]}']
    assert told[3].endswith(" 0.80: background")


def test_links_lead_to_images_that_have_it(page):
    has = {key for keys in re.findall(r'data-of="([^"]*)"', part(page, "images")) for key in keys.split()}
    # Classes 1 to 4 are at places 0 to 3; 1 was taken for 2, 3 was not found, 4 found nothing.
    assert links(page) == {"c0", "c1", "c2", "c3", "e-classification", "e-missed", "e-background", "p0-1", "p2-", "p-3"}
    assert links(page) <= has
    errors, confusion = part(page, "errors"), part(page, "confusion")
    assert links(f"{errors}<script>") == {"e-classification", "e-missed", "e-background"}
    assert links(f"{confusion}<script>") == {"p0-1", "p2-", "p-3"}


def test_links_are_left_out_where_no_image_is_drawn():
    record = made()
    del record.analyses["worst_images"]
    page = report.html(record)
    assert links(page) == set()
    assert 'id="chosen"' not in page


def test_label_errors_are_crops(page):
    alone, other, first, _second = pictures(page, "label_errors")
    # A box of 40 pixels in a window of 80; it is below the edge of the image at 0.
    assert '<svg viewBox="180 0 80 80"' in alone
    assert '<svg viewBox="0 0 85 85"' in other
    assert texts(other) == {"false": ['a"b 0.90'], "found": ["<img src=x onerror=ale…"]}
    assert '<svg viewBox="80 80 80 80"' in first
    assert '<g class="shape missed"><path d="M100 100H140V140H100Z"/>' in first


@pytest.mark.filterwarnings("ignore:.*that are drawn have no picture:omniou.data.InputWarning")
def test_crops_hold_the_right_part_of_the_picture(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    # The file is twice as large as the image of the annotations, and red where class 4 was detected.
    pixels = np.zeros((400, 600, 3), dtype=np.uint8)
    pixels[40:120, 400:480] = 255, 0, 0
    image.fromarray(pixels).save(tmp_path / "a.png")
    page = report.html(made(), pictures=tmp_path)
    alone, other, first, second = pictures(page, "label_errors")
    assert "<image" not in second  # of b.png there is no picture
    assert all('class="halo"' in x for x in (alone, other, first))
    where = r'<image href="data:image/jpeg;base64,([^"]*)" x="180" y="0" width="80" height="80"'
    crop = np.asarray(image.open(io.BytesIO(base64.b64decode(re.search(where, alone)[1]))))
    assert crop.shape == (160, 160, 3)
    red = (crop[..., 0] > 128).nonzero()
    assert [(x.min(), x.max()) for x in red] == [(40, 119), (40, 119)]
    assert not image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]*)", other)[1]))).getextrema()[0][1] > 60


def test_relative_boxes_are_drawn_over_a_picture(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    image.new("RGB", (300, 200)).save(tmp_path / "a.png")
    targets = detection.Targets(boxes=[[0.1, 0.1, 0.5, 0.5]], labels=[1], images=[0])
    none = detection.Detections(boxes=np.zeros((0, 4)), scores=[], labels=[], images=[])
    page = report.html(made(targets, none, sizes=()), pictures=tmp_path)
    (only,) = pictures(page)
    assert 'd="M30 20H150V100H30Z"' in only
    (crop,) = pictures(page, "label_errors")
    assert 'd="M30 20H150V100H30Z"' in crop
    assert '<svg viewBox="0 0 210 180"' in crop
    without = report.html(made(targets, none, sizes=()))
    assert 'd="M0.1 0.1H0.5V0.5H0.1Z"' in pictures(without)[0]


def test_kinds_are_drawn():
    skeleton = Skeleton(name="pen", sigmas=(0.1, 0.1), edges=((0, 1),))
    points = np.array([[[10.0, 10, 2], [20, 12, 2]]])
    targets = detection.Targets(None, [1], [0], area=[900.0], keypoints=points)
    far = detection.Detections(None, [0.9], [1], [0], keypoints=points[..., :2] + 100)
    page = report.html(made(targets, far, kind=skeleton))
    for name, many in (("images", 1), ("label_errors", 2)):
        assert len(pictures(page, name)) == many
        assert all("M10 10L20 12" in x or "M110 110L120 112" in x for x in pictures(page, name))

    targets = detection.Targets(boxes=[[0, 5]], labels=[1], images=[0])
    found = detection.Detections(boxes=[[7, 9]], labels=[1], scores=[0.9], images=[0])
    page = report.html(made(targets, found, kind="intervals", sizes=()))
    assert pictures(page) == []  # but timelines
    # A window of 4 around 7 to 9 has bars of a tenth of it; predictions are on the third.
    assert '<svg viewBox="6 0 4 2"' in pictures(page, "label_errors")[0]
    assert 'd="M7 1.2H9V1.6H7Z"' in pictures(page, "label_errors")[0]

    solid = detection.Targets(boxes=[[0, 0, 0, 2, 2, 2]], labels=[1], images=[0])
    none = detection.Detections(boxes=np.zeros((0, 6)), scores=[], labels=[], images=[])
    page = report.html(made(solid, none))
    assert pictures(page, "label_errors") == []  # of bodies nothing is drawn
    assert "1 missed" in pictures(page)[0]


def test_headline_is_large_and_warnings_are_shown_where_there_are_any(page):
    assert page.index('<div class="headline"><ul class="tiles"><li><span>AP</span>') < page.index('id="curves"')
    assert "Warnings" not in page.partition("<script")[0]
    warned = report.html(recorded(evaluated()))
    assert warned.index('id="warnings"') < warned.index('id="numbers"') < warned.index('id="curves"')


def test_classes_have_bars_and_areas_a_table(page):
    classes = part(page, "classes")
    assert "AP of each class" in classes
    assert classes.count('<rect x="') == 3  # class 4 has no objects
    assert "By area, in pixels" in classes
    many = detection.Targets(boxes=[[0, 0, 9, 9]] * 90, labels=list(range(90)), images=list(range(90)))
    found = detection.Detections(many.boxes, [0.5] * 90, many.labels, many.images)
    classes = part(report.html(report.record(detection.evaluate(many, found))), "classes")
    assert "AP of the 40 weakest classes" in classes
    assert "AP of the 40 strongest classes" in classes
    assert "10 classes are in the table only" in classes


def test_page_of_any_record_has_no_style_attribute_and_one_script():
    for record in (made(), made(names={})):
        page = report.html(record)
        assert " style=" not in page
        assert page.count("<script") == 2
        json.loads(re.search(r'<script type="application/json" id="records">(.*?)</script>', page, re.DOTALL)[1])


def test_slices_follow_the_classes():
    slices = {"time": {"day": [0], "night": [1]}}
    result = detection.evaluate(TARGETS, DETECTIONS)
    page = report.html(report.record(result, names=NAMES, slices=slices, analyses=["slices", "errors"]))
    assert page.index('id="classes"') < page.index('id="slices"') < page.index('id="errors"')
    assert "Slices by time" in part(page, "slices")
    assert '<details class="part" id="slices" open>' in page


def confusion_tables(cells, **analyses):
    names = ["cat", "dog", "cow"]
    value = {"score": 0.5, "iou_threshold": 0.5, "classes": [{"name": x} for x in names], "cells": cells}
    return ANALYSES["confusion"].tables(
        value, types.SimpleNamespace(analyses=analyses, shapes=types.SimpleNamespace(overlap="IoU"), is_scored=True)
    )


def test_confusion_counts_outcomes_and_says_why_errors_counts_otherwise():
    # Classes 0 to 2, and 3 for nothing: 9 right cats, 2 cats taken for dogs, 1 for a cow, 4 on background, 5 missed.
    cells = [[0, 0, 9], [0, 1, 2], [0, 2, 1], [3, 0, 4], [1, 3, 5]]
    outcomes, pairs = confusion_tables(cells, errors={})
    assert outcomes.rows == [("right class", 9), ("another class", 3), ("background", 4), ("missed", 5)]
    assert outcomes.note.startswith("Errors counts otherwise")
    assert confusion_tables(cells)[0].note == ""
    assert pairs.rows == [("cat", "dog", 2, 2 / 12)]
    assert pairs.note == "Not among them: 1 pair seen once."


def test_pairs_of_classes_seen_once_are_no_table():
    _, pairs = confusion_tables([[0, 0, 20], [0, 1, 1], [1, 0, 1], [2, 0, 1]])
    assert pairs.rows == []


def test_cards_are_in_two_rows_that_are_full(page):
    headline = page.partition('<div class="headline">')[2].partition("</div></div>")[0]
    rows = headline.split('<ul class="tiles">')[1:]
    # AP is large; the other eleven numbers are six and five, which a style sheet stretches.
    assert [row.count("<li>") for row in rows] == [1, 6, 5]


def test_tables_are_cut_by_a_button_and_not_by_a_scroll_area(page):
    assert "max-height: 32rem" not in page
    assert "overflow-y" not in page.partition("</style>")[0]
