"""The record of an evaluation: what it holds, and its way through JSON."""

import hashlib
import json
import math
import random
import re

import pytest

from omniou import detection, report, tracking
from omniou.report._record.sections import Shown, headline

pytest.importorskip("msgspec", reason="the extra cli is not installed")

TRUTH = [
    {"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]},
    {"boxes": [[0, 0, 10, 10]], "labels": [1]},
]
FOUND = [
    {"boxes": [[0, 0, 10, 10], [20, 0, 30, 6]], "labels": [1, 1], "scores": [0.9, 0.6]},
    {"boxes": [], "labels": [], "scores": []},
]
# Analyses of these detections, which have scores. A class with detections and without objects is no phrase.
OF_ANY = sorted(
    name for name, x in report.ANALYSES.items() if not (x.needs or x.is_own or x.at_once or name == "referring")
)


@pytest.fixture
def result():
    return detection.evaluate(TRUTH, FOUND, classes=[1, 2, 3])


def test_record_of_result(result):
    record = report.record(result, names={1: "cat", 2: "dog"})

    assert record.counts == {"images": 2, "categories": 3, "annotations": 3, "crowds": 0, "detections": 2}
    assert [(x["id"], x["name"], x["objects"]) for x in record.per_class] == [(1, "cat", 2), (2, "dog", 1), (3, "3", 0)]
    assert record.per_class[2]["AP"] is None
    # Half of the cats are found, at full precision for 51 of the 101 points of recall; no dog.
    assert record.summary["AP"] == pytest.approx(51 / 101 / 2)
    assert (record.protocol["name"], record.kind, record.inputs) == ("coco", "bbox", [])
    assert record.images == hashlib.sha256(b"0\n1\n").hexdigest()


def test_record_names_the_preset_that_was_meant():
    result = detection.evaluate(TRUTH, FOUND, protocol="open_images")

    assert report.record(result).protocol["name"] == "voc2010"  # the same rules
    assert report.record(result, preset="open_images").protocol["name"] == "open_images"
    assert report.record(result, preset="coco").protocol["name"] == "voc2010"


def test_record_through_json_is_equal(result):
    record = report.record(result, analyses=report.ANALYSES, intervals=["AP", "AP50"], samples=20)

    again = report.Record.from_json(record.to_json())

    assert again == record
    assert sorted(again.analyses) == OF_ANY
    assert "no-referring" in {x.code for x in again.warnings}
    assert list(json.loads(record.to_json()))[:3] == ["schema", "omniou", "summary"]
    assert "NaN" not in record.to_json()


def test_record_intervals_are_those_of_bootstrap(result):
    measured = report.record(result, intervals=["AP"], samples=30, seed=4).intervals.numbers["AP"]

    interval = detection.bootstrap(result, samples=30, seed=4)

    assert (measured.low, measured.high, measured.corrected) == (interval.low, interval.high, interval.corrected)
    assert [x for x in measured.samples if x is not None] == pytest.approx(interval.samples, abs=1e-7)
    assert len(measured.samples) == 30


def test_record_of_few_images_doubts_its_intervals(result):
    doubt = report.record(result, intervals=["AP"], samples=3).intervals.doubt

    assert doubt == "2 images are fewer than 30, too few for a bootstrap"


def test_record_of_few_objects_doubts_its_intervals():
    # Twenty classes with two objects each, and false positives that score as high.
    generator = random.Random(0)  # noqa: S311
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [k % 20]} for k in range(40)]
    boxes = [[0, 0, 10, 10], [40, 0, 50, 10]]
    found = [
        {"boxes": boxes, "labels": [k % 20] * 2, "scores": [generator.random(), generator.random()]} for k in range(40)
    ]

    intervals = report.record(detection.evaluate(truth, found), intervals=["AP"], samples=100).intervals

    assert "20 of 20 classes with objects have fewer than 30" in intervals.doubt
    assert intervals.numbers["AP"].bias > 0.3 * intervals.numbers["AP"].error


def test_record_has_words_of_the_groups_of_lvis():
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
    found, groups = [{"boxes": [], "labels": [], "scores": []}], {"r": [1], "c": [2], "f": [3]}

    words = report.record(detection.evaluate(truth, found, protocol="lvis", groups=groups)).words
    others = report.record(detection.evaluate(truth, found, groups=groups)).words

    assert words["APr"] == "rare classes (in 1 to 10 training images)"
    assert words["APc"] == "common classes (in 11 to 100 training images)"
    assert words["APf"] == "frequent classes (in more than 100 training images)"
    assert others["APr"] == ""  # a user's own group of this name


def with_groups():
    """Class 1 in 40 images, always found; class 2 in one of them, never; the second is a group of its own."""
    truth = [
        {"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]][: 1 + (k == 0)], "labels": [1, 2][: 1 + (k == 0)]}
        for k in range(40)
    ]
    found = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.5 + k / 100]} for k in range(40)]
    return detection.evaluate(truth, found, groups={"f": [1], "r": [2]})


def test_record_doubts_the_intervals_of_rare_classes_only():
    intervals = report.record(with_groups(), intervals=["APf", "APr"], samples=10).intervals

    assert {name: x.doubtful for name, x in intervals.numbers.items()} == {"APf": False, "APr": True}
    assert {name: x.images_per_class for name, x in intervals.numbers.items()} == {"APf": 40, "APr": 1}
    assert intervals.doubt.startswith("APr: objects of a class are in 1.0 images (harmonic mean over the classes)")


def test_headline_shows_the_intervals_that_are_not_doubtful():
    record = report.record(with_groups(), intervals=["APf", "APr"], samples=10)

    unasked, asked = (headline(record, Shown(intervals=x)) for x in (False, True))

    assert list(unasked.headings) == ["", "value", "95 % interval", ""]
    rows = {row[0]: list(row[1:]) for row in unasked.rows}
    assert (rows["APf"], rows["APr"]) == ([1, "1.000 to 1.000", ""], [0, None, ""])
    assert unasked.note.startswith("No interval of APr: ")
    assert list(asked.headings) == ["", "value", "95 % interval", "bias-corrected", ""]


def test_calibration_table_has_the_error_by_chance():
    record = report.record(with_groups(), analyses=["calibration"])

    # All 40 are right: each is 1 - s off, where s is its score.
    (table,) = report.ANALYSES["calibration"].tables(record.analyses["calibration"], record)
    assert re.match(r"Expected calibration error 0\.305 \(0\.1\d\d by chance\); largest", table.note)
    assert "For scores of at least 0.05: 0.305 (" in table.note


def test_record_of_many_objects_does_not_doubt_its_intervals():
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 80
    nothing = {"boxes": [], "labels": [], "scores": []}
    hit = {"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.5]}
    found = [hit if k % 4 else nothing for k in range(80)]

    assert report.record(detection.evaluate(truth, found), intervals=["AP"], samples=100).intervals.doubt == ""


def test_record_of_state_has_counts_without_boxes(result):
    record = report.record(detection.compute([result.state]))

    assert record.counts == {"images": 2, "categories": 3, "annotations": 3, "crowds": 0, "detections": 2}


def test_record_leaves_out_an_analysis_that_the_data_does_not_allow():
    found = [{**x, "scores": [100 * score for score in x["scores"]]} for x in FOUND]

    record = report.record(detection.evaluate(TRUTH, found), analyses=["calibration"])

    assert record.analyses == {}
    assert [x.code for x in record.warnings] == ["no-calibration"]
    assert "scores must be in [0, 1]" in record.warnings[0].evidence


def test_record_of_unknown_analysis_raises(result):
    with pytest.raises(ValueError, match=r"`analyses` must be among 'errors', .*, got 'errros'"):
        report.record(result, analyses=["errros"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "must be the JSON of a record"),
        ("[]", "must be the JSON of a record"),
        ("{}", "is no record that `omniou eval --format json` wrote"),
        ('{"schema": 7}', "must be a record of schema 1, got one of schema 7"),
        ('{"schema": 1}', "missing required field `kind`"),
        (b"\xff", "must be the JSON of a record"),
    ],
)
def test_from_json_of_other_text_raises(text, message):
    with pytest.raises(ValueError, match=message):
        report.Record.from_json(text)


def test_digest_of_file_and_directory(tmp_path):
    (tmp_path / "b.txt").write_bytes(b"two")
    (tmp_path / "a.txt").write_bytes(b"1")
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in (("a.txt", b"1"), ("b.txt", b"two"))}

    one = report.digest(tmp_path / "b.txt", "detections", "text")
    all_files = report.digest(tmp_path, "detections", "text")

    assert (one.sha256, one.files, one.bytes) == (sums["b.txt"], 1, 3)
    lines = "".join(f"{sha}  {name}\n" for name, sha in sums.items())
    assert (all_files.sha256, all_files.files, all_files.bytes) == (hashlib.sha256(lines.encode()).hexdigest(), 2, 4)


@pytest.mark.parametrize("name", OF_ANY)
def test_tables_of_analysis_have_a_cell_for_each_heading(result, name):
    record = report.record(result, analyses=[name])

    tables = report.ANALYSES[name].tables(record.analyses[name], record)

    assert tables
    for table in tables:
        assert all(len(row) == len(table.headings) for row in table.rows)
        assert not any(isinstance(x, float) and math.isnan(x) for row in table.rows for x in row)


def test_errors_table_begins_with_what_costs_most(result):
    record = report.record(result, analyses=["errors"])
    (table,) = report.ANALYSES["errors"].tables(record.analyses["errors"], record)

    assert table.rows[0][0] in {"classification (wrong class)", "missed"}
    assert [row[1] for row in table.rows] == sorted((row[1] for row in table.rows), reverse=True)


def test_records_of_other_results_are_compared_and_shown():
    frames = [{"ids": [1], "boxes": [[0, 0, 9, 9]]}] * 4
    late = [{"ids": [1 + (k > 1)], "boxes": [[0, 0, 9, 8]]} for k in range(4)]
    truth = {f"s{k}": frames for k in range(32)}
    results = {
        "a": tracking.evaluate(truth, truth),
        "b": tracking.evaluate(truth, dict.fromkeys(truth, late)),
    }
    record = report.record(results["b"], intervals=["HOTA", "IDSW"], samples=10, assumptions=["x"])

    assert (record.kind, record.units, record.size) == ("tracking", "sequences", 32)
    assert [group.key for group in record.groups] == list(results["b"].rows)
    assert record.intervals.numbers["IDSW"].value == 32
    assert report.Record.from_json(record.to_json()) == record
    assert "<b>0." in report.html(record)
    contrast = report.compare(results, samples=40)
    assert contrast.verdict == "first"
    assert str(contrast).startswith("b against a: 32 sequences\n")
    with pytest.raises(TypeError, match=r"`names` is for results of `detection\.evaluate`, got Result"):
        report.record(results["a"], names={1: "cat"})
    with pytest.raises(TypeError, match="`result` must be a result"):
        report.record({"AP": 1.0})
    with pytest.raises(TypeError, match="results of one kind, got Record, Result"):
        report.compare({"a": results["a"], "b": record})
