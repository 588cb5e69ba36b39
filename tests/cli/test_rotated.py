"""`omniou eval` of rotated boxes and polygons."""

import json

import pytest

from omniou.cli import _backends as backends
from tests import places
from tests.cli.test_eval import run


def summary(*args):
    done = run(*args, "--format", "json")
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return json.loads(done.stdout)["summary"]


@pytest.fixture
def dota(tmp_path):
    """Labels of a square on its corner, and of a difficult one; detections of both, and of one beside the first."""
    for name, text in {
        "labelTxt/P1.txt": "imagesource:x\ngsd:1\n5 0 10 5 5 10 0 5 plane 0\n25 0 30 5 25 10 20 5 plane 1\n",
        "Task1/Task1_plane.txt": "P1 0.9 25 0 30 5 25 10 20 5\nP1 0.8 10 0 10 5 5 5 5 0\nP1 0.7 5 0 10 5 5 10 0 5\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "labelTxt", tmp_path / "Task1"


@pytest.fixture
def coco(tmp_path):
    """Two rotated boxes in degrees, and the detection of one."""

    def write(*boxes, detections=(5, 5, 8, 2, 60)):
        objects = [{"id": k, "image_id": 1, "category_id": 1, "bbox": box} for k, box in enumerate(boxes)]
        truth = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": objects}
        detection = {"image_id": 1, "category_id": 1, "bbox": detections, "score": 0.5}
        paths = tmp_path / "truth.json", tmp_path / "found.json"
        for path, content in zip(paths, (truth, [detection]), strict=True):
            path.write_text(json.dumps(content), "utf-8")
        return paths

    return write


@pytest.mark.parametrize("backend", list(backends.INSTALL))
@pytest.mark.parametrize("kind", ["polygons", "rotated"])
def test_eval_dota_by_the_rules_of_its_devkit(dota, kind, backend):
    pytest.importorskip(backend, reason=f"needs {backend}")
    # The difficult object does not count; of the other two detections the second finds its object.
    assert summary(*dota, "--kind", kind, "--protocol", "voc2007", "--backend", backend) == {"AP": 0.5, "AR": 1}


def test_eval_dota_by_upright_boxes(dota):
    assert summary(*dota, "--kind", "bbox") == {"AP": 0.5, "AR": 1}


def test_eval_dota_upright_boxes_overlap_more(dota):
    # A square of 121 around a diamond of 50, whose own upright box has 100.
    (dota[1] / "Task1_plane.txt").write_text("P1 0.8 0 0 11 0 11 11 0 11\n", "utf-8")
    values = {kind: summary(*dota, "--kind", kind)["AP"] for kind in ("bbox", "rotated", "polygons")}
    assert values == pytest.approx({"bbox": 1, "rotated": 0, "polygons": 0})


def test_eval_devkit_example_against_itself(tmp_path):
    folder, lines = places.shared("dota-devkit-example", "example", "labelTxt"), {}
    for path in folder.glob("*.txt"):
        for fields in map(str.split, path.read_text("utf-8").splitlines()):
            if len(fields) > 8:
                of_class = lines.setdefault(fields[8], [])
                of_class.append(" ".join([path.stem, str(1 - len(of_class) / 1000), *fields[:8]]))
    for name, texts in lines.items():
        (tmp_path / f"Task1_{name}.txt").write_text("\n".join(texts), "utf-8")
    for kind in ("polygons", "rotated"):
        assert summary(folder, tmp_path, "--kind", kind, "--protocol", "voc2007") == {"AP": 1, "AR": 1}


def test_eval_coco_of_degrees(coco):
    paths = coco([5, 5, 8, 2, 60], [50, 50, 9, 3, -30])
    options = "--kind", "rotated", "--angle-unit", "degrees"

    assert summary(*paths, *options)["AP50"] == pytest.approx(51 / 101)
    assert summary(*paths, *options, "--counterclockwise")["AP50"] == pytest.approx(51 / 101)


def test_eval_coco_of_degrees_read_as_radians_warns(coco):
    truth, detections = coco([5, 5, 8, 2, 60])
    done = run(truth, detections, "--kind", "rotated")

    assert done.exit_code == 0
    words = "1 of 1 rotated rectangles have an angle beyond two turns: are they in degrees?"
    assert done.stderr == f"Warning: {truth}: {words}\nWarning: {detections}: {words}\n"


@pytest.mark.parametrize(
    ("boxes", "options", "place", "fault"),
    [
        ([[5, 5, 8, 2, 0.1]], [], 0, "expected 4 numbers, got 5 (id 0): --kind rotated reads boxes with an angle"),
        (
            [[5, 5, 8, 2, 0.1], [5, 5, 8, 2]],
            ["--kind", "rotated"],
            1,
            "expected 5 numbers, got 4 (id 1): --kind rotated reads boxes with an angle, of files where all have one",
        ),
    ],
)
def test_eval_coco_of_boxes_of_another_length_fails(coco, boxes, options, place, fault):
    truth, detections = coco(*boxes)
    done = run(truth, detections, *options)

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == f"Error: {truth}: annotations[{place}].bbox: {fault}\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "polygons"], "--kind 'polygons' is for formats that have it, 'parquet', 'labelme', 'cvat', "),
        (
            ["--kind", "rotated", "--offset", "1"],
            "`offset` is for upright boxes, rotated rectangles have none",
        ),
        (["--angle-unit", "degrees"], "--angle-unit and --counterclockwise are for kind 'rotated', got kind 'bbox'"),
        (["--kind", "rotated", "--boxes", "xywh"], "--boxes must be one of 'cxcywhr', 'xywhr', 'xyxyxyxy' for kind"),
        (["--kind", "rotated", "--gt-format", "voc"], "'yolo', 'dota': 'voc' has not"),
    ],
)
def test_eval_of_rotated_with_wrong_options_fails(coco, options, message):
    done = run(*coco([5, 5, 8, 2, 0.1]), *options)

    assert done.exit_code == 2
    assert message in done.stderr
