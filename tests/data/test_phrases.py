"""Phrases of referring expressions: a record of an image, a phrase, and a box or an answer."""

import dataclasses
import json

import pytest

from omniou import data, detection
from omniou.data import InputError, Options
from tests.cli.cases import run

TRUTH = [
    {"image": "a.jpg", "expression": "left cup", "bbox": [0, 0, 10, 10]},
    {"image": "a.jpg", "expression": "red cup", "bbox": [20, 20, 10, 10]},
    {"image": "b.jpg", "expression": "left cup", "bbox": [50, 0, 10, 10]},
]
LEFT, RED = "[0, 0, 10, 10]", '```json\n[{"bbox_2d": [20, 20, 30, 28], "label": "cup"}]\n```'
UNSCORED = Options(missing_scores=True)


def answers(*texts):
    return [
        {"image": x["image"], "expression": x["expression"], "response": text}
        for x, text in zip(TRUTH, texts, strict=False)
    ]


@pytest.fixture
def overlaps(write):
    """IoU of each phrase, of the contents of two files."""

    def overlaps(objects, found, **options):
        truth = data.read_ground_truth(write("gt.json", objects), options=Options(boxes="xywh"))
        dt = data.read_detections(write("dt.json", found), truth, options=dataclasses.replace(UNSCORED, **options))
        return detection.evaluate(truth, dt, missing_scores=True).referring().overlaps.tolist()

    return overlaps


def test_files_of_phrases_are_read_without_a_converter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gt.json").write_text(json.dumps(TRUTH))
    (tmp_path / "dt.json").write_text(json.dumps(answers(LEFT, RED, "There is none.")))
    line = ("eval", "gt.json", "dt.json", "--missing-scores", "--referring", "--format", "json")
    refused = run(*line)
    assert "gt.json: [0].bbox: may be corners, or a corner and sides: --gt-boxes and --dt-boxes" in refused.stderr
    numbers = json.loads(run(*line, "--gt-boxes", "xywh").stdout)["analyses"]["referring"]["summary"]
    assert [numbers[x] for x in ("Acc50", "mean_iou", "answered")] == pytest.approx([2 / 3, 1.8 / 3, 2 / 3])


@pytest.mark.parametrize(
    "text",
    [
        *("[0, 0, 10, 5]", "(0,0),(10,5)", "<box>[[0, 0, 10, 5]]</box>", "It is at (0.0, 0.0, 10.0, 5.0).", "0 0 10 5"),
        *('{"bbox_2d": [0, 0, 10, 5]}', [0, 0, 10, 5], [[0, 0, 10, 5]], "[0,0,10,5], so [0,0,10,5]"),
        {"<CAPTION_TO_PHRASE_GROUNDING>": {"bboxes": [[0, 0, 10, 5]], "labels": ["a cup"]}},
        "<think>[1, 1, 2, 2]</think>[0, 0, 10, 5]",
    ],
)
def test_box_of_an_answer(overlaps, text):
    assert overlaps(TRUTH[:1], answers(text)) == [0.5]


def test_box_is_the_ground_truth_and_the_answer_the_detection_of_one_record(overlaps):
    both = [x | {"response": text} for x, text in zip(TRUTH, (LEFT, RED, "[50, 0, 60, 5]"), strict=True)]
    assert overlaps(both, both) == [1.0, 0.8, 0.5]


def test_phrase_twice_in_an_image_counts_twice_in_the_order_of_the_records(overlaps):
    again = {"image": "a.jpg", "expression": "left cup", "bbox": [40, 40, 10, 10]}
    said = [*answers(LEFT), {"image": "a.jpg", "expression": "left cup", "response": "[40, 40, 50, 45]"}]
    assert overlaps([TRUTH[0], again], said) == [1.0, 0.5]


def test_sizes_of_images_are_those_of_the_records(overlaps):
    truth = [x | {"width": 100, "height": 200} for x in TRUTH[:1]]
    assert overlaps(truth, answers("[0, 0, 100, 25]"), scale=1000) == [0.5]


def test_image_ids_are_not_results_of_coco(overlaps):
    sides = [
        [{"image_id": 7, "sentence": "left cup", name: x}] for name, x in (("bbox", [0, 0, 10, 10]), ("answer", LEFT))
    ]
    assert overlaps(*sides) == [1.0]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (answers("[0, 0, 9, 9] or [1, 1, 9, 9]"), r"\[0\].response: has 2 boxes of one phrase: keep the one"),
        (
            [{"image": "b.jpg", "expression": "red cup", "response": LEFT}],
            r"\[0\].response: 'red cup' is not a phrase of 'b.jpg' in .*gt.json: remove the record",
        ),
        ([{"image": "a.jpg", "expression": " ", "response": LEFT}], "expected the text of a phrase in expression"),
        ([{"image": "a.jpg", "response": LEFT}] * 2, "keep one answer, or name the phrase of each in the field expr"),
    ],
)
def test_bad_answers_raise(overlaps, found, words):
    with pytest.raises(InputError, match=words):
        overlaps(TRUTH, found)
