"""Boxes as Weights & Biases and FiftyOne take them."""

import pytest

report = pytest.importorskip("omniou.report", reason="the extra cli is not installed")

TRUTH = {"boxes": [[20, 10, 40, 20]], "labels": [3]}
FOUND = {"boxes": [[20, 10, 60, 30]], "labels": [7], "scores": [0.5]}
NOTHING = {"boxes": [], "labels": [], "scores": []}


def test_wandb_boxes_of_both_tables():
    position = {"minX": 20.0, "minY": 10.0, "maxX": 60.0, "maxY": 30.0}
    truth = {"position": position, "domain": "pixel", "class_id": 3, "box_caption": "cat"}
    found = {"position": position, "domain": "pixel", "class_id": 7, "box_caption": "7 0.50", "scores": {"score": 0.5}}
    assert report.wandb_boxes(targets=TRUTH, names={3: "cat"}, format="xywh") == {
        "ground_truth": {"box_data": [truth], "class_labels": {3: "cat"}}
    }
    assert report.wandb_boxes(detections=FOUND, names={3: "cat"}) == {
        "predictions": {"box_data": [found], "class_labels": {3: "cat", 7: "7"}}
    }


def test_wandb_boxes_of_nothing():
    assert report.wandb_boxes() == {}
    assert report.wandb_boxes(detections=NOTHING) == {"predictions": {"box_data": [], "class_labels": {}}}


def test_wandb_boxes_are_accepted_by_wandb():
    wandb = pytest.importorskip("wandb", reason="wandb is not installed")
    np = pytest.importorskip("numpy")
    boxes = report.wandb_boxes(targets=TRUTH, detections=FOUND, names={3: "cat"})
    wandb.Image(np.zeros((100, 200, 3), np.uint8), boxes=boxes)
    with pytest.raises(TypeError):
        wandb.Image(np.zeros((100, 200, 3), np.uint8), boxes={"predictions": {"box_data": [{"class_id": 1}]}})


def test_fiftyone_detections_are_shares_of_the_image():
    assert report.fiftyone_detections(FOUND, size=(100, 200), names={7: "cat"}) == [
        {"label": "cat", "bounding_box": [0.1, 0.1, 0.2, 0.2], "confidence": 0.5}
    ]
    assert report.fiftyone_detections(TRUTH, size=(100, 200), format="xywh") == [
        {"label": "3", "bounding_box": [0.1, 0.1, 0.2, 0.2]}
    ]
    assert report.fiftyone_detections(NOTHING, size=(1, 1)) == []


def test_bad_rows_and_sizes_raise():
    with pytest.raises(ValueError, match="`size` must be height and width above 0"):
        report.fiftyone_detections(FOUND, size=(0, 200))
    with pytest.raises(ValueError, match="`detections` must have the key 'scores'"):
        report.wandb_boxes(detections=TRUTH)
    with pytest.raises(ValueError, match=r"`targets\['boxes'\]` must have shape \(N, 4\), got \(1, 3\)"):
        report.wandb_boxes(targets={"boxes": [[1, 2, 3]], "labels": [1]})


@pytest.mark.parametrize("labels", [["cat"], [1.5]])
def test_labels_that_are_no_integers_are_refused(labels):
    row = {"boxes": [[0, 0, 4, 4]], "labels": labels, "scores": [0.5]}
    with pytest.raises(TypeError, match=r"`detections\['labels'\]` must hold integers"):
        report.wandb_boxes(detections=row)
    with pytest.raises(TypeError, match=r"`detections\['labels'\]` must hold integers"):
        report.fiftyone_detections(row, size=(9, 9))
