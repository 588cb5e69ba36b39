"""Tables of files remember the kind and the format that they were read as."""

import dataclasses
import json

import pytest

from omniou import data, detection

np = pytest.importorskip("numpy")
pytest.importorskip("msgspec", reason="the extra cli is not installed")

BOX = [10, 10, 20, 20]
# A triangle, half of the box; the detection is the other half: boxes equal, masks have no overlap.
HALVES = [[10, 10, 30, 10, 10, 30]], [[30, 30, 10, 30, 30, 10]]


@pytest.fixture
def paths(tmp_path):
    image = {"id": 1, "file_name": "a.jpg", "width": 64, "height": 64}
    record = {"image_id": 1, "category_id": 1, "bbox": BOX}
    truth = {
        "images": [image],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "area": 200, "segmentation": HALVES[0], **record}],
    }
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "found.json").write_text(json.dumps([{"score": 0.9, "segmentation": HALVES[1], **record}]))
    return tmp_path / "truth.json", tmp_path / "found.json"


def read(paths, kind, of_detections=None):
    truth = data.read_ground_truth(paths[0], options=data.Options(kind=kind))
    return truth, data.read_detections(paths[1], truth, options=data.Options(kind=of_detections or kind))


def test_evaluation_compares_what_was_read(paths):
    masks, boxes = read(paths, "segm"), read(paths, "bbox")
    assert detection.evaluate(*boxes).summary["AP50"] == pytest.approx(1)
    assert detection.evaluate(*masks).summary["AP50"] == 0
    assert detection.evaluate(masks[0].targets, masks[1]).summary["AP50"] == 0
    # (x, y, width, height), which nobody has to repeat.
    assert detection.evaluate(boxes[0].targets, boxes[1]).summary["AP50"] == pytest.approx(1)
    assert "kind='segm'" in repr(masks[0])
    assert "kind='segm'" in repr(masks[1])


def test_another_kind_or_format_than_was_read_raises(paths):
    truth, found = read(paths, "segm")
    boxes = read(paths, "bbox")
    for targets in (truth, truth.targets):
        with pytest.raises(ValueError, match="`kind` must be 'segm', as `targets` was read, got 'bbox'"):
            detection.evaluate(targets, found, kind="bbox")
    with pytest.raises(ValueError, match="`kind` must be 'bbox', as `detections` was read, got 'segm'"):
        detection.evaluate(truth, boxes[1])
    with pytest.raises(ValueError, match="`kind` must be 'segm'"):
        detection.Evaluator().update(truth.targets, found)
    with pytest.raises(ValueError, match="`format` must be 'xywh', as `targets` was read, got 'xyxy'"):
        detection.evaluate(boxes[0].targets, boxes[1], format="xyxy")
    with pytest.raises(ValueError, match="`kind` must be 'segm'"):
        detection.check(truth, found, kind="bbox")
    corners = dataclasses.replace(boxes[0].targets, boxes=np.array([[10.0, 10, 30, 30]]), format=None)
    assert detection.evaluate(corners, dataclasses.replace(boxes[1], format=None)).summary["AP50"] < 1


@pytest.mark.parametrize("call", [detection.evaluate, detection.check])
def test_kind_of_another_geometry_than_was_read_raises_by_its_name(call, tmp_path):
    (tmp_path / "a.txt").write_text("0 0 10 5 10 15 0 10 ship 0\n")
    truth = data.read_ground_truth(tmp_path)
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "Task1_ship.txt").write_text("a 0.5 0 0 10 5 10 15 0 10\n")
    found = data.read_detections(tmp_path / "found", truth)
    # A ground truth of polygons was compared as polygons with kind="bbox", and "rotated" was an error of `format`.
    for targets in (truth, truth.targets):
        for kind in ("bbox", "rotated"):
            with pytest.raises(ValueError, match=f"`kind` must be 'polygons', as `targets` was read, got '{kind}'"):
                call(targets, found, kind=kind)
    call(truth, found, kind="polygons")


def test_images_of_dictionaries_are_refused():
    targets = [{"boxes": [[0, 0, 9, 9]], "labels": [1]}] * 2
    found = [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.5]}] * 2
    for call in (detection.evaluate, detection.check, detection.Evaluator().update):
        for images in ([0], [], [5, 3]):
            with pytest.raises(ValueError, match="`images` is for tables"):
                call(targets, found, images=images)


def test_check_takes_the_classes_that_are_evaluated():
    """Boxes of class 1 are shifted by their own width, those of class 2 are right."""
    corners = np.array([[60 * k, 5 * k, 60 * k + 40, 5 * k + 30] for k in range(40)])
    labels, images = np.repeat([1, 2], 20), np.arange(40)
    as_sides = corners - np.where(labels[:, None] == 1, np.tile(corners[:, :2], 2) * [0, 0, 1, 1], 0)
    tables = (
        detection.Targets(corners, labels, images),
        detection.Detections(as_sides, np.linspace(0, 1, 40), labels, images),
    )
    found = [{x.code for x in detection.check(*tables, classes=[label])} for label in (1, 2)]
    assert ["boxes-order" in codes for codes in found] == [True, False]


@pytest.mark.parametrize(
    ("there", "told"), [((), "no picture fits any of the 3 images: "), (("a.jpg",), "2 of 3 images")]
)
def test_folder_without_the_pictures_is_refused_or_counted(paths, tmp_path, there, told):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (tmp_path / "pictures").mkdir()
    for name in (*there, "unknown.png"):
        image.new("RGB", (64, 64)).save(tmp_path / "pictures" / name)
    truth = json.loads(paths[0].read_text())
    truth["images"] += [{"id": k, "file_name": f"{k}.jpg", "width": 64, "height": 64} for k in (2, 3)]
    paths[0].write_text(json.dumps(truth))
    options = data.Options(images=tmp_path / "pictures")
    with pytest.warns(data.InputWarning, match=told) if there else pytest.raises(data.InputError, match=told):
        data.read_ground_truth(paths[0], options=options)
