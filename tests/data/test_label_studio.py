"""Label Studio: boxes, polygons, rotated boxes, brushes and scores."""

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, Options

MASKS, ROTATED = Options(kind="segm"), Options(kind="rotated")


def value(**more):
    return {"x": 10, "y": 20, "width": 50, "height": 30, "rotation": 0, "rectanglelabels": ["cat"]} | more


def region(value, kind="rectanglelabels", **more):
    return {"id": "r", "type": kind, "original_width": 200, "original_height": 100, "value": value} | more


def task(*regions, image="/data/upload/1/0a1b2c3d-a.jpg", **more):
    return {"id": 1, "data": {"image": image}, "annotations": [{"id": 7, "result": list(regions)}]} | more


def test_label_studio_boxes(write):
    # Percents of 200 x 100 pixels. Turned by 90 degrees about the first corner, the box goes down and to the left.
    ellipse = {"x": 50, "y": 50, "radiusX": 5, "radiusY": 20, "rotation": 90, "ellipselabels": ["dog"]}
    polygon = {"points": [[0, 0], [10, 0], [10, 10]], "closed": True, "polygonlabels": ["dog"]}
    regions = [
        region(value(), id="a"),
        region(value(rotation=90), id="b"),
        region(ellipse, "ellipselabels", id="c"),
        region(polygon, "polygonlabels", id="d"),
    ]
    truth = data.read_ground_truth(write("ls.json", [task(*regions)]))

    expected = [[20, 20, 120, 50], [-10, 20, 20, 120], [80, 40, 120, 60], [0, 0, 20, 10]]
    np.testing.assert_allclose(truth.targets.boxes, expected, atol=1e-12)
    assert (truth.image_names, truth.categories) == ({0: "a.jpg"}, {0: "cat", 1: "dog"})
    assert truth.sizes.tolist() == [[100, 200]]


def test_label_studio_rotated_boxes_and_masks(write):
    path = write("ls.json", [task(region(value(rotation=90)))])

    truth = data.read_ground_truth(path, options=ROTATED)
    np.testing.assert_allclose(truth.targets.boxes, [[20, 20, 20, 120, -10, 120, -10, 20]], atol=1e-12)
    # The mask ends with the image: 20 columns, rows 20 to 100.
    assert data.read_ground_truth(path, options=MASKS).targets.masks.area().tolist() == [1600]


def test_label_studio_json_min(write):
    row = {
        "image": "s3://bucket/b%20c.jpg",
        "id": 1,
        "label": [value(original_width=200, original_height=100)],
        "annotator": 1,
        "annotation_id": 7,
        "lead_time": 2.5,
    }
    empty = {"image": "/data/local-files/?d=sub/e.jpg", "id": 2, "annotator": 1, "annotation_id": 8}
    truth = data.read_ground_truth(write("min.json", [row, empty]))

    assert truth.targets.boxes.tolist() == [[20, 20, 120, 50]]
    assert truth.image_names == {0: "b c.jpg", 1: "e.jpg"}


def test_label_studio_class_of_a_region_by_its_id(write):
    bare = {key: x for key, x in value().items() if key != "rectanglelabels"}
    parts = [region(bare, "rectangle"), region(bare | {"choices": ["cow"]}, "choices")]
    truth = data.read_ground_truth(write("ls.json", [task(*parts)]))

    assert (truth.categories, len(truth.targets.labels)) == ({0: "cow"}, 1)


def test_label_studio_predictions(write):
    predicted = {"model_version": "m", "score": 0.25, "result": [region(value()), region(value(), id="s", score=0.75)]}
    path = write("ls.json", [task(region(value()), predictions=[predicted])])
    truth = data.read_ground_truth(path)

    assert data.read_detections(path, truth).scores.tolist() == [0.25, 0.75]
    with pytest.raises(InputError, match="annotations, and no predictions with a score: is this the ground truth"):
        data.read_detections(write("gt.json", [task(region(value()))]), truth)
    with pytest.raises(InputError, match="predictions and no annotations: are these the detections"):
        data.read_ground_truth(write("dt.json", [task() | {"annotations": [], "predictions": [predicted]}]))


RESULT = {"id": 7, "result": [region(value())]}
BRUSH = {"format": "rle", "rle": [1, 2], "brushlabels": ["cat"]}
FAULTS_OF_LABEL_STUDIO = {
    "annotators": (task() | {"annotations": [RESULT, RESULT]}, r"\[0\]\.annotations: has 2 annotations: keep one"),
    "labels": (task(region(value(rectanglelabels=["cat", "dog"]))), r"value: expected one class, got \['cat', 'dog'\]"),
    "number": (task(region(value(x="1"))), r"\[0\]\.annotations\[0\]\.result\[0\]\.value\.x: expected number, got '1'"),
    "size": (
        task(region(value(), original_width=None)),
        r"result\[0\]\.original_width: missing: the size of the image",
    ),
    "turned": (task(region(value(), image_rotation=90)), "image_rotation: the image is turned by 90 degrees"),
    "brush": (task(region(BRUSH, "brushlabels")), "has no boxes, polygons or masks, only 1 regions of the type"),
    "image": (task(region(value())) | {"data": {"text": "hello"}}, r"\[0\]: no image in the data of the task"),
}


@pytest.mark.parametrize(("given", "fault"), FAULTS_OF_LABEL_STUDIO.values(), ids=FAULTS_OF_LABEL_STUDIO)
def test_label_studio_faults(write, given, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("ls.json", [given]))


def test_label_studio_annotation_marked_as_ground_truth_is_read(write):
    other = {"id": 8, "result": [region(value(x=0))]}
    given = task() | {"annotations": [RESULT | {"ground_truth": True}, other, RESULT | {"was_cancelled": True}]}
    assert data.read_ground_truth(write("ls.json", [given])).targets.boxes.tolist() == [[20, 20, 120, 50]]


def test_label_studio_image_that_occurs_twice_raises(write):
    path = write("ls.json", [task(region(value())), task()])
    with pytest.raises(InputError, match=r"\[1\]: 'a\.jpg' is already the image of \[0\], by another annotator"):
        data.read_ground_truth(path, "label-studio")
