"""`omniou check`, and what it finds as warnings of `omniou eval`."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from omniou.cli._commands import omniou
from tests.cli.test_eval import APART
from tests.places import EXAMPLE

TRUTH, DETECTIONS = EXAMPLE / "ground_truth.json", EXAMPLE / "detections.json"


def run(*args):
    return CliRunner(**APART).invoke(omniou, [str(x) for x in args])


def corners(box):
    x, y, w, h = box
    return [x, y, x + w, y + h]


def centre(box):
    x, y, w, h = box
    return [x + w / 2, y + h / 2, w, h]


def swapped(box):
    return [box[1], box[0], box[3], box[2]]


SIZES = {x["id"]: (x["width"], x["height"]) for x in json.loads(TRUTH.read_bytes())["images"]}
CLASSES = sorted(x["id"] for x in json.loads(TRUTH.read_bytes())["categories"])
IDS = sorted(SIZES)
PERMUTED = dict(zip(IDS, np.random.default_rng(0).permutation(IDS).tolist(), strict=True))


def of_box(change):
    return lambda found: [x | {"bbox": change(x["bbox"])} for x in found]


def normalised(found):
    return [x | {"bbox": [v / SIZES[x["image_id"]][k % 2] for k, v in enumerate(x["bbox"])]} for x in found]


def of_truth(change):
    def damage(truth):
        return truth | {"annotations": [x | {"bbox": change(x["bbox"])} for x in truth["annotations"]]}

    return damage


SAME = list
# Of the issue: what is done to the detections and to the ground truth -> what is found.
DAMAGES = {
    "detections xyxy": (of_box(corners), dict, "boxes-order"),
    "truth xyxy": (SAME, of_truth(corners), "boxes-order"),
    "both xyxy": (of_box(corners), of_truth(corners), "boxes-order"),
    "cxcywh": (of_box(centre), dict, "boxes-order"),
    "swapped axes": (of_box(swapped), dict, "boxes-axes"),
    "normalised": (normalised, dict, "boxes-unit"),
    "another scale": (of_box(lambda box: [v * 0.4 for v in box]), dict, "boxes-scale"),
    "labels shifted": (
        lambda found: [x | {"category_id": CLASSES[CLASSES.index(x["category_id"]) - 1]} for x in found],
        dict,
        "classes-shifted",
    ),
    "one class": (lambda found: [x | {"category_id": 1} for x in found], dict, "classes-one"),
    "images permuted": (lambda found: [x | {"image_id": PERMUTED[x["image_id"]]} for x in found], dict, "images-mixed"),
    "three times": (lambda found: found * 3, dict, "duplicates"),
    "half of the images": (
        lambda found: [x for x in found if x["image_id"] in IDS[::2]],
        dict,
        "images-without-detections",
    ),
    "scores times 100": (lambda found: [x | {"score": 100 * x["score"]} for x in found], dict, "scores-range"),
    "negative sides": (of_box(lambda box: [*box[:2], -box[2], box[3]]), dict, "boxes-inverted"),
    "crowds absent": (
        SAME,
        lambda truth: truth | {"annotations": [x | {"iscrowd": 0} for x in truth["annotations"]]},
        "crowds-absent",
    ),
}


@pytest.fixture(params=DAMAGES)
def damaged(request, tmp_path):
    of_found, of_truth, code = DAMAGES[request.param]
    paths = tmp_path / "truth.json", tmp_path / "found.json"
    paths[0].write_text(json.dumps(of_truth(json.loads(TRUTH.read_bytes()))), "utf-8")
    paths[1].write_text(json.dumps(of_found(json.loads(DETECTIONS.read_bytes()))), "utf-8")
    return *paths, code


def test_check_of_damaged_files_exits_with_4(damaged):
    *paths, code = damaged
    done = run("check", *paths, "--format", "json")
    assert done.exit_code == 4
    assert code in {x["code"] for x in json.loads(done.stdout)["findings"]}
    assert done.stderr == ""


def test_eval_of_damaged_files_warns(damaged):
    *paths, code = damaged
    done = run("eval", *paths, "--format", "json")
    assert done.exit_code == 0
    assert code in {x["code"] for x in json.loads(done.stdout)["warnings"]}
    assert "Warning: " in done.stderr
    assert run("eval", *paths, "--strict").exit_code == 4


@pytest.mark.parametrize("files", [(TRUTH, DETECTIONS), (TRUTH,)])
def test_check_of_the_example_finds_nothing(files):
    done = run("check", *files)
    assert done.exit_code == 0
    assert done.stdout.startswith("No mistakes found in 100 images, 839 objects")
    assert done.stderr == ""


def test_eval_of_the_example_does_not_warn():
    done = run("eval", TRUTH, DETECTIONS, "--strict")
    assert (done.exit_code, done.stderr) == (0, "")


def test_check_with_fractions_of_pixels():
    done = run("check", TRUTH, DETECTIONS, "--boxes", "rel_xywh")
    assert done.exit_code == 4
    assert "[boxes-unit]" in done.stdout
    assert "try: --gt-boxes xywh\n" in done.stdout


def test_check_prints_evidence_and_option():
    done = run("check", TRUTH, DETECTIONS, "--dt-boxes", "xyxy")
    assert done.exit_code == 4
    assert done.stdout.splitlines() == [
        "[boxes-order] boxes of the detections seem to be xywh, not xyxy",
        f"  file: {DETECTIONS}",
        "  evidence: IoU >= 0.5 with an object of the image: 5.3% of detections as read, 99.9% as xywh",
        "  try: --dt-boxes xywh",
        "1 finding in 100 images, 839 objects, 734 detections.",
    ]


def test_check_of_text_for_a_truth_in_another_order(tmp_path):
    """Text detections in xywh, which are read as corners by custom."""
    for name in ("truth", "found"):
        (tmp_path / name).mkdir()
    rng = np.random.default_rng(0)
    for k in range(20):
        low, side = rng.uniform(0, 300, (6, 2)).round(), rng.uniform(30, 200, (6, 2)).round()
        objects = np.concatenate([low, low + side], axis=1)
        lines = [" ".join(map(str, ["dog", *x])) for x in objects]
        Path(tmp_path, "truth", f"{k}.txt").write_text("\n".join(lines), "utf-8")
        lines = [" ".join(map(str, ["dog", 0.9 - n / 10, *low[n], *side[n]])) for n in range(6)]
        Path(tmp_path, "found", f"{k}.txt").write_text("\n".join(lines), "utf-8")
    done = run("check", tmp_path / "truth", tmp_path / "found")
    assert done.exit_code == 4
    assert "try: --dt-boxes xywh\n" in done.stdout
    assert run("check", tmp_path / "truth", tmp_path / "found", "--dt-boxes", "xywh").exit_code == 0


def test_check_of_a_missing_file_exits_with_3(tmp_path):
    done = run("check", TRUTH, tmp_path / "nothing.json")
    assert done.exit_code == 3
    assert "no such file" in done.stderr


def test_check_of_a_damaged_hierarchy_exits_with_3(tmp_path):
    (tmp_path / "tree.json").write_text('{"LabelName": ["no text"]}')
    done = run("check", TRUTH, DETECTIONS, "--hierarchy", tmp_path / "tree.json")
    assert done.exit_code == 3
    assert "tree.json: LabelName: expected string, got list" in done.stderr


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        # Records that are no lists of the whole file cannot be passed over.
        ('{"version": "5", "flags": {}, "shapes": [null, null], "imagePath": "1.jpg"}', ["shapes[0]: expected object"]),
        ('{"images": [{"id": 1}], "categories": ["x"], "annotations": []}', ["categories[0]: expected object"]),
        (
            '{"images": [{"id": 1, "neg_category_ids": [], "not_exhaustive_category_ids": []}], "categories": ["x"]}',
            ["categories[0]: expected object"],
        ),
        # An image that occurs twice is one of the ground truth.
        (
            (
                '{"images": [{"id": 1, "neg_category_ids": [], "not_exhaustive_category_ids": []}, {"id": 1, '
                '"neg_category_ids": [], "not_exhaustive_category_ids": []}], "categories": [], "annotations": []}'
            ),
            ["images[1].id"],
        ),
    ],
)
def test_check_of_faults_that_end_a_reader_twice(tmp_path, text, faults):
    (tmp_path / "truth.json").write_text(text)
    done = run("check", tmp_path / "truth.json")
    assert (done.exit_code, done.stdout) == (3, "")
    assert all(fault in done.stderr for fault in faults), done.stderr


def test_check_writes_its_findings_into_a_file(tmp_path):
    done = run("check", TRUTH, DETECTIONS, "--boxes", "rel_xywh", "-o", tmp_path / "found.json")
    assert done.exit_code == 4
    assert done.stdout == ""
    record = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert (record["images"], record["objects"], record["detections"]) == (100, 839, 734)
    assert [x["code"] for x in record["findings"]] == ["boxes-unit", "boxes-unit"]


def test_check_of_classes_that_readers_left_out(tmp_path):
    for name, line in (("truth", "tv 1 2 30 40"), ("found", "tvmonitor 0.5 1 2 30 40\ntv 0.5 1 2 30 40")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(line, "utf-8")
    done = run("check", tmp_path / "truth", tmp_path / "found")
    assert done.exit_code == 4
    assert "[unknown-categories]" in done.stdout


def test_class_agnostic_eval_is_not_told_of_classes(tmp_path):
    found = [x | {"category_id": 1} for x in json.loads(DETECTIONS.read_bytes())]
    (tmp_path / "one.json").write_text(json.dumps(found), "utf-8")
    assert run("eval", TRUTH, tmp_path / "one.json", "--strict", "--class-agnostic").exit_code == 0


def test_compare_warns_of_the_model_that_is_damaged(tmp_path):
    found = [x | {"bbox": corners(x["bbox"])} for x in json.loads(DETECTIONS.read_bytes())]
    (tmp_path / "b.json").write_text(json.dumps(found), "utf-8")
    done = run("compare", TRUTH, DETECTIONS, tmp_path / "b.json", "--samples", "20")
    assert done.exit_code == 0
    assert f"Warning: {tmp_path / 'b.json'}: boxes of the detections seem to be xyxy, not xywh" in done.stderr
    assert done.stderr.count("Warning: ") == 1


def test_kind_without_a_check_is_not_taken_for_a_misspelt_one():
    done = run("check", "a", "b", "--kind", "panoptic")
    assert done.exit_code == 2
    assert "omniou eval names the mistakes in files of other kinds." in done.stderr
    assert "Did you mean" not in done.stderr


def test_equal_scores_are_no_finding_where_they_count_at_once(tmp_path):
    rows = [x | {"score": 1} for x in json.loads(DETECTIONS.read_bytes())]
    runs = []
    for name, order in (("found", rows), ("reversed", rows[::-1])):
        (tmp_path / f"{name}.json").write_text(json.dumps(order), "utf-8")
        runs.append(run("eval", TRUTH, tmp_path / f"{name}.json", "--tie-policy", "invariant", "--format", "json"))
    assert json.loads(runs[0].stdout)["summary"] == json.loads(runs[1].stdout)["summary"]
    assert runs[0].stderr == ""
    done = run("eval", TRUTH, tmp_path / "found.json", "--format", "json")
    (warning,) = json.loads(done.stdout)["warnings"]
    assert warning["code"] == "scores-equal"
    assert warning["hint"].startswith("--tie-policy invariant ")
