"""Comparisons of models: numbers, verdicts, and the text of their page."""

import base64
import dataclasses
import hashlib
import json
import re

import pytest

from omniou import detection, report

pytest.importorskip("msgspec", reason="the extra cli is not installed")
pytest.importorskip("jinja2", reason="the extra cli is not installed")

from omniou.report._comparison.charts import (
    DifferenceBars,
    DifferenceRow,
    _chosen,
    confusions,
    curves,
    differences,
)
from omniou.report._comparison.contrast import Delta, as_markdown, importance, signed, text, verdict
from omniou.report._pages.assets import cell
from omniou.report._pages.comparison import _difference_bars
from omniou.report._record.parts import marked
from omniou.report._record.tables import Best, BestCount
from tests.report.pages import IMAGES, SCRIPT, evaluated, recorded
from tests.report.test_html import Elements

IMAGES_OF = 40


def found(height):
    """Detections of the 40 objects of `results`, as high as `height` says; None: there is none."""
    rows = [height(k) for k in range(IMAGES_OF)]
    return [
        {"boxes": [], "labels": [], "scores": []}
        if row is None
        else {"boxes": [[0, 0, 10, row]], "labels": [1], "scores": [0.5]}
        for row in rows
    ]


def results(**heights):
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * IMAGES_OF
    return {name: detection.evaluate(truth, found(height)) for name, height in heights.items()}


@pytest.fixture(scope="module")
def three():
    return report.compare({"<i>a</i>": evaluated(), "b": evaluated(shift=4.0), "c": evaluated(shift=2.0)}, samples=20)


@pytest.fixture(scope="module")
def page(three):
    return report.html(three)


def test_differences_are_from_the_first_model():
    # IoU of 0.6 and of 0.9: true positives at 3 and at 9 of the 10 thresholds.
    contrast = report.compare(results(a=lambda _: 6, b=lambda _: 9, c=lambda _: 6), samples=50)
    ap = contrast.numbers[:2]

    assert [(x.name, x.model) for x in ap] == [("AP", "b"), ("AP", "c")]
    assert (ap[0].first, ap[0].second, ap[0].difference) == (
        pytest.approx(0.3),
        pytest.approx(0.9),
        pytest.approx(0.6),
    )
    assert ap[1].difference == 0
    assert (ap[0].is_certain, ap[1].p_value) == (True, 1)
    assert (contrast.best, contrast.verdict) == ("b", "best")
    assert [x.model for x in contrast.against_best] == ["a", "c"]
    assert [x.difference for x in contrast.against_best] == [pytest.approx(-0.6)] * 2


def test_against_chooses_the_reference():
    contrast = report.compare(results(a=lambda _: 6, b=lambda _: 9, c=lambda _: 7), against="b", samples=50)

    assert contrast.names == ["b", "a", "c"]
    assert [x.difference for x in contrast.numbers[:2]] == [pytest.approx(-0.6), pytest.approx(-0.4)]
    assert verdict(contrast) == "b is better by AP than all others."


def test_two_models_have_the_numbers_of_detection_compare():
    models = results(a=lambda k: 6 + k % 3, b=lambda k: 9 - k % 2)
    contrast = report.compare(models, samples=60)
    known = detection.compare_number(*models.values(), samples=60)
    ap = contrast.numbers[0]

    assert (ap.low, ap.high, ap.p_value) == (known.difference.low, known.difference.high, known.p_value)
    values = json.loads(contrast.to_json())
    assert {"schema", "comparison", "first", "second", "numbers", "per_class", "verdict"} <= values.keys()
    assert values["numbers"][0].keys() == {
        *("name", "first", "second", "difference", "low", "high", "p_value", "objects"),
    }
    assert values["verdict"] == "second"


@pytest.mark.parametrize(
    ("heights", "words"),
    [
        ({"a": 6, "b": 9, "c": 7}, "b is better by AP than all others."),
        ({"a": 6, "b": 9, "c": 9}, "b has the highest AP. It is better than a. c differs from it by no more than the"),
        ({"a": 9, "b": 9, "c": 9}, "No verdict: the numbers of all models are the same."),
        ({"a": 6, "b": 7}, "b is better than a by AP."),
        ({"a": 6, "b": 6}, "No verdict: the numbers of both models are the same."),
    ],
)
def test_verdict_in_words(heights, words):
    models = results(**{name: lambda _, height=height: height for name, height in heights.items()})

    assert verdict(report.compare(models, samples=60)).startswith(words)


def test_verdict_of_few_images():
    contrast = report.compare({"a": evaluated(), "b": evaluated(shift=4.0), "c": evaluated()}, samples=20)

    assert verdict(contrast) == "No verdict: 12 images are fewer than 30."
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    one = {name: [{"boxes": [[0, 0, 10, high]], "labels": [1], "scores": [0.5]}] for name, high in (("a", 6), ("b", 9))}
    models = {name: detection.evaluate(truth, found) for name, found in one.items()}
    assert verdict(report.compare(models, samples=20)) == "No verdict: 1 image is fewer than 30."


def test_best_of_many_models_allows_for_all_pairs():
    heights = {"a": lambda _: 6, "b": lambda k: 8 + k % 2, "c": lambda k: 9 - k % 2, "d": lambda _: 9}
    contrast = report.compare(results(**heights), samples=20)
    rows = {x.model: x for x in contrast.against_best}

    assert contrast.best == "d"
    # Of four models there are six pairs, and 40 permutations for each of them; none differs as much.
    assert rows["a"].p_value == rows["b"].p_value == pytest.approx(6 / 241)
    # Those of the table allow for the three differences from a.
    assert contrast.numbers[2].p_value == pytest.approx(1 / 21)


@pytest.mark.parametrize(
    ("models", "error", "words"),
    [
        ({}, ValueError, "at least two models, got 0"),
        ({"a": evaluated(images=2)}, ValueError, "at least two models, got 1"),
        ([1, 2], TypeError, "`models` must be a mapping"),
        ({"a": 1, "b": 2}, TypeError, "must be records, or results of one kind, got int"),
        (
            {"a": evaluated(images=2), "b": evaluated(images=3)},
            ValueError,
            "the models 'a' and 'b' must be of the same",
        ),
        ({"a": evaluated(images=2), "b": report.record(evaluated(images=2))}, TypeError, "got Record, Result"),
    ],
)
def test_compare_of_wrong_models_raises(models, error, words):
    with pytest.raises(error, match=words):
        report.compare(models, samples=20)


def test_compare_against_an_unknown_model_raises():
    with pytest.raises(ValueError, match=r"`against` must be one of 'first', 'b', got 'frist'; did you mean 'first'"):
        report.compare({"first": evaluated(images=2), "b": evaluated(images=2)}, against="frist")


def test_str_of_contrast_is_its_tables(three):
    assert str(three).splitlines()[0] == "3 models: 12 images, 36 objects (bbox, the rules of coco)"


def test_records_without_samples_have_differences_and_no_verdict():
    first, second = (report.record(evaluated(shift=shift)) for shift in (1.0, 4.0))
    contrast = report.compare({"a": first, "b": second, "c": first})

    assert contrast.samples == 0
    assert contrast.numbers[0].difference == second.summary["AP"] - first.summary["AP"]
    assert contrast.numbers[0].p_value is None
    assert verdict(dataclasses.replace(contrast, verdict="no samples")) == (
        "No verdict: there are no samples of the same images and seed in all."
    )
    assert "Curves" not in report.html(contrast)


def test_records_of_other_ground_truth_are_told():
    first, second = (report.record(evaluated()) for _ in range(2))
    other = dataclasses.replace(second, counts={**second.counts, "annotations": 35})
    (remark,) = report.compare({"a": first, "b": other}).remarks

    assert remark == "The records are of different ground truths: numbers of objects are 36 in a, 35 in b."


def test_images_that_one_model_fixes_and_another_breaks():
    # b finds the objects of images 0 and 1, which a misses, and misses that of image 2.
    contrast = report.compare(results(a=lambda k: None if k < 2 else 9, b=lambda k: None if k == 2 else 9), samples=20)
    (section,) = contrast.images

    assert (section["model"], section["fewer"], section["more"], section["alike"]) == ("b", 2, 1, 37)
    assert [x["id"] for x in section["images"]] == [0, 1, 2]
    first, last = section["images"][0], section["images"][-1]
    assert (first["first"]["missed"], first["second"]["missed"]) == (1, 0)
    assert list(first["second"]["shapes"]) == ["hit", "found"]
    assert (last["first"]["missed"], last["second"]["missed"]) == (0, 1)
    page = report.html(contrast)
    assert "b has fewer errors than a in 2 images, more in 1, and as many in 37." in page
    assert page.count("1 missed, 0 false, 0 right</p>") == 0  # followed by the class that is missed
    assert page.count("<br>missed: 1") == 3


def test_images_of_records_are_those_that_both_know():
    heights = {"a": lambda k: None if k < 2 else 9, "b": lambda k: None if k == 2 else 9}
    records = {name: report.record(x, analyses=["worst_images"]) for name, x in results(**heights).items()}
    (section,) = report.compare(records).images

    # Both draw all of their errors: the others are known to have none.
    assert (section["fewer"], section["more"], section["alike"], section["unknown"]) == (2, 1, 37, 0)
    assert [x["id"] for x in section["images"]] == [0, 1, 2]
    assert section["images"][0]["second"] is None
    # Of 24 images with errors only some are drawn.
    many = {"a": lambda k: None if k < 30 else 9, "b": lambda k: None if k >= 10 else 9}
    records = {name: report.record(x, analyses=["worst_images"]) for name, x in results(**many).items()}
    (section,) = report.compare(records).images
    assert section["fewer"] + section["more"] + section["alike"] + section["unknown"] == IMAGES_OF
    assert section["unknown"] > 0
    assert "images are unknown" in report.html(report.compare(records))


def test_confusions_have_the_same_rows_and_columns(three):
    maps = list(confusions(three).values())

    assert len(maps) == 3
    assert len({tuple(x.classes) for x in maps}) == 1
    for name, x in zip(three.names, maps, strict=True):
        assert x.title.startswith(name)
        assert sum(n for _, _, n in x.cells) == sum(n for *_, n in three.records[name].analyses["confusion"]["cells"])


def test_confusion_of_many_classes_sums_up_the_others():
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [k]} for k in range(1, 21)]
    shifted = [x | {"labels": [x["labels"][0] % 20 + 1], "scores": [0.9]} for x in truth]
    right = [x | {"scores": [0.9]} for x in truth]
    contrast = report.compare(
        {"a": detection.evaluate(truth, shifted), "b": detection.evaluate(truth, right)}, samples=20
    )
    first, second = confusions(contrast).values()

    assert first.classes == second.classes
    assert len(first.classes) == 15
    assert first.classes[-1] == "6 others"
    # Objects of class k are detected as class k + 1: rows are true classes.
    assert [[k, k + 1, 1] in first.cells for k in range(13)] == [True] * 13
    # Each object of b is on the diagonal, 6 of them in one cell.
    assert sorted(second.cells) == [[k, k, 1] for k in range(14)] + [[14, 14, 6]]


def test_more_than_six_models_are_drawn_in_part():
    models = results(**{f"m{k}": lambda _, k=k: 10 - k / 2 for k in range(8)})
    contrast = report.compare(models, samples=10)

    assert len(curves(contrast)["pr"].marks) == 6
    assert len(differences(contrast)) == 7
    assert "2 models are not in these charts" in report.html(contrast)


def test_differences_are_ordered_and_cut_off(three):
    for chart in differences(three).values():
        gaps = [row.difference for row in chart.rows]
        assert gaps == sorted(gaps, reverse=True)
        assert max(map(abs, gaps)) <= chart.reach <= 1


def test_page_escapes_every_name():
    given = {SCRIPT: evaluated(), '"><img src=x onerror=alert(2)>': evaluated(shift=4.0)}
    records = {name: recorded(x, images=IMAGES) for name, x in given.items()}
    for made in (report.compare(given, samples=20), report.compare(records)):
        page = report.html(made)
        elements = Elements(page)
        assert sum(tag == "script" for tag, _ in elements.tags) == 3
        assert not {tag for tag, _ in elements.tags} & {"img", "link", "iframe", "object", "form", "i"}
        assert not [x for _, attrs in elements.tags for x in attrs if x.startswith("on") or x == "style"]
        assert SCRIPT not in page


def test_policy_of_page_names_its_scripts_and_style(page):
    elements = Elements(page)
    (policy,) = [x["content"] for tag, x in elements.tags if x.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        texts = [data for name, attrs, data in elements.raw if name == tag and not attrs]
        digests = [base64.b64encode(hashlib.sha256(x.encode()).digest()).decode() for x in texts]
        assert rules[rule].split() == [f"'sha256-{x}'" for x in digests]


def test_page_is_well_formed_and_loads_nothing(page):
    tags = Elements(page).tags
    ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    named = [x for _, attrs in tags for x in attrs.get("aria-labelledby", "").split()]
    assert set(named) <= set(ids)
    assert {attrs["for"] for tag, attrs in tags if tag == "label" and "for" in attrs} <= set(ids)
    assert all(attrs["href"][1:] in ids for tag, attrs in tags if tag == "a")
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", page)
    assert "NaN" not in page.partition("<script>")[0]


def test_page_has_every_section(page):
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", page) == [
        *("Verdict", "Numbers", "Curves", "Classes", "Errors", "Images that differ", "Confusion", "Provenance"),
    ]
    assert "<h1>&lt;i&gt;a&lt;/i&gt;, b and c</h1>" in page


def test_page_embeds_the_comparison_without_samples_and_shapes(three, page):
    (text,) = [data for _, attrs, data in Elements(page).raw if attrs.get("id") == "records"]
    values, expected = json.loads(text), json.loads(three.to_json())
    assert values["numbers"] == expected["numbers"]
    assert [x["summary"] for x in values["records"]] == [x.summary for x in three.records.values()]
    assert not any(
        "shapes" in (x[side] or {})
        for part in values["images"]
        for x in part["images"]
        for side in x
        if side in {"first", "second"}
    )


@pytest.mark.parametrize("kind", ["rotated", "keypoints", "intervals"])
def test_page_of_other_kinds(kind):
    name, shape = {
        "rotated": ("boxes", [50, 50, 40, 20, 0.5]),
        "intervals": ("boxes", [10, 30]),
        "keypoints": ("keypoints", [[5 * k, 7 * k, 2] for k in range(17)]),
    }[kind]
    truth = [{name: [shape], "labels": [1]} | ({"area": [5000.0]} if kind == "keypoints" else {})]
    models = {
        label: detection.evaluate(
            truth, [{name: [shape], "labels": [given], "scores": [0.9]}], kind=kind, classes=[1, 2]
        )
        for label, given in (("a", 1), ("b", 2))
    }
    page = report.html(report.compare(models, samples=10))
    assert ("Videos that differ" if kind == "intervals" else "Images that differ") in page
    assert page.count('class="shape missed"') == 1 + 1  # one of them is the legend's


def test_classes_of_records_may_have_one_name():
    names = {1: "cat", 2: "cat", 3: "dog", 4: "emu"}
    records = {label: report.record(evaluated(shift=shift), names=names) for label, shift in (("a", 1.0), ("b", 4.0))}
    rows = report.compare(records).per_class

    assert [row.name for row in rows] == ["cat", "cat", "dog", "emu"]
    assert [row.first for row in rows] == [row["AP"] for row in records["a"].per_class]


@pytest.mark.parametrize("reach", [0.055, 0.3, 0.47, 0.6, 1.0])
def test_axis_of_differences_has_numbers_on_both_sides(reach):
    chart = DifferenceBars(
        title="",
        rows=[DifferenceRow("a", None, -reach / 2, -2.0, reach, is_certain=False, is_better=False)],
        reach=reach,
    )
    _, body = _difference_bars(chart)
    numbers = [float(x) for x in re.findall(r'class="middle">([-+.0-9]+)<', body)]

    assert len(numbers) >= 3
    assert min(numbers) == -max(numbers) < 0
    # A bar from the middle to the left, and an interval that is cut off there.
    (left, width) = re.search(r'<rect x="([0-9.]+)" y="4" width="([0-9.]+)"', body).groups()
    assert float(left) + float(width) == pytest.approx((90 + 416) / 2, abs=0.2)
    assert '<path d="M90.0 12H416.0" class="whisker"/>' in body


def test_table_of_a_comparison_has_its_models():
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 2
    found = [[x | {"boxes": [[0, 0, 10, high]], "scores": [0.5]} for x in truth] for high in (8, 9)]
    results = {name: detection.evaluate(truth, x) for name, x in zip("AB", found, strict=True)}
    made = report.table(report.compare(results, samples=10))
    assert made.models == ("A", "B")
    assert str(made) == str(report.table(results))


def test_difference_chart_is_led_by_certainty_and_leaves_out_classes_of_few_objects():
    def row(name, objects, gap, p):
        return Delta(name=name, model="b", first=0.5, second=0.5 + gap, difference=gap, p_value=p, objects=objects)

    rows = [
        row("rare", 1, -0.5, 1.0),
        row("often", 40, -0.1, 0.6),
        row("sure", 3, 0.2, 0.01),
        row("half", 10, 0.3, 0.6),
    ]
    drawn, many, few = _chosen(rows, lower=False)

    assert [x.called for x in drawn] == ["half (10)", "sure (3)", "often (40)"]  # the highest difference first
    assert (many, few) == (3, 1)
    assert [x.style for x in drawn] == ["better", "better", "worse"]
    assert [x.style for x in _chosen(rows, lower=True)[0]] == ["worse", "worse", "better"]  # of an error
    assert [x.name for x in sorted(rows, key=importance)] == ["sure", "half", "often", "rare"]
    assert [x.name for x in _chosen(rows[:1], lower=False)[0]] == ["rare"]  # there is no other


@pytest.mark.parametrize(
    ("name", "values", "best"),
    [
        ("AP", [0.5, 0.7, None], [1]),
        ("AP", [0.7001, 0.7004, 0.6], [0, 1]),  # both are 0.700
        ("AP", [0.7, 0.7], []),
        ("AP", [0.7, None], []),
        ("mATE", [0.5, 0.7], [0]),
        ("IDSW", [7, 3], [1]),
        ("n", [7, 3], []),
    ],
)
def test_best_value_of_models_is_marked(name, values, best):
    cells = marked(name, values)
    assert cells == values
    assert [k for k, x in enumerate(cells) if isinstance(x, Best | BestCount)] == best


def test_markdown_and_page_have_the_best_in_bold(three, page):
    assert re.search(r"\| AP \|.*\*\*0\.\d{3}\*\*", as_markdown(three))
    numbers = page.partition('id="numbers"')[2].partition("</section>")[0]
    assert re.search(r"<b>0\.\d{3}</b>", numbers)
    assert "**" not in text(three)


def test_images_that_differ_say_how_errors_are_counted(page):
    assert "An object that was taken for another class is missed, and its detection is false." in page


def test_counts_have_no_decimals():
    """The best of several counts is bold as it is, and so are the signs of its differences."""
    assert [cell(x) for x in marked("IDSW", [7, 12, None])] == ["<b>7</b>", "12", "–"]  # noqa: RUF001
    assert [cell(x) for x in marked("MOTA", [0.7, 0.25])] == ["<b>0.700</b>", "0.250"]
    row = {"name": "IDSW", "model": "b", "first": 7, "low": None, "high": None, "p_value": None, "objects": None}
    assert signed(Delta(**row, second=12, difference=5)) == "+5"
    assert signed(Delta(**row, second=7, difference=0.25)) == "+0.250"
