"""Hugging Face's `evaluate`: samples one by one or in batches, in one process or two, without downloads."""

import math
import subprocess
import sys

import evaluate
import numpy as np
import pytest
import torch

import omniou_integrations.evaluate
from omniou import detection
from omniou_integrations.evaluate import DetectionAP, MeanIoU

BOX, DISJOINT = [0, 0, 10, 10], [50, 50, 60, 60]
PREDICTION = {"boxes": [DISJOINT, BOX], "labels": [1, 1], "scores": [0.9, 0.5]}
REFERENCE = {"boxes": [BOX, [20, 20, 30, 30]], "labels": [1, 1]}
# One of two objects is matched, below a false positive: precision 1/2 up to recall 1/2, at 51 of 101 points.
AP = pytest.approx(51 / 101 / 2)
NOTHING = {"boxes": [], "labels": [], "scores": []}


@pytest.fixture
def metric(tmp_path):
    return DetectionAP(cache_dir=str(tmp_path))


def test_class_agnostic_matches_across_classes(metric):
    found = PREDICTION | {"labels": [3, 3]}
    assert metric.compute(predictions=[found], references=[REFERENCE])["AP"] == 0
    assert metric.compute(predictions=[found], references=[REFERENCE], class_agnostic=True)["AP"] == AP


def data_set(images=30, seed=0):
    random = np.random.default_rng(seed)
    predictions, references = [], []
    for _ in range(images):
        n, more = random.integers(0, 6, 2)
        corner = random.integers(0, 60, (n + more, 2))
        boxes = np.concatenate([corner, corner + random.integers(5, 50, (n + more, 2))], 1)
        labels = random.integers(0, 3, n + more)
        references.append(
            {
                "boxes": boxes[:n],
                "labels": labels[:n],
                "iscrowd": random.integers(0, 5, n) == 0,
                "ignore": random.integers(0, 5, n) == 0,
                "area": random.uniform(10, 4000, n),
            }
        )
        near = boxes + random.normal(0, 2, boxes.shape)
        predictions.append({"boxes": near, "labels": labels, "scores": random.integers(1, 9, n + more) / 8})
    return predictions, references


def test_compute_by_hand(metric):
    metric.add(prediction=PREDICTION, reference=REFERENCE)
    assert metric.compute()["AP"] == AP
    # `compute` empties the metric.
    result = metric.compute(predictions=[NOTHING, PREDICTION], references=[REFERENCE, NOTHING])
    assert result["AP"] == 0.0
    assert list(result) == ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"]
    assert math.isnan(result["APl"])


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"protocol": "voc2010", "offset": 1.0}, {"classes": [0, 2], "groups": {"some": [2]}}, {"format": "xywh"}],
)
def test_compute_equals_detection_evaluate(tmp_path, options, in_memory):
    predictions, references = data_set()
    metric = DetectionAP(cache_dir=str(tmp_path), keep_in_memory=in_memory)
    for k in range(10):
        metric.add(prediction=predictions[k], reference=references[k])
    metric.add_batch(predictions=predictions[10:20], references=references[10:20])
    ours = metric.compute(predictions=predictions[20:], references=references[20:], **options)

    expected = detection.evaluate(references, predictions, **options).summary
    assert ours.keys() == expected.keys()
    np.testing.assert_array_equal(list(ours.values()), list(expected.values()))
    assert 0.1 < ours["AP"] < 0.9


@pytest.mark.parametrize(
    "tensor",
    [
        np.asarray,
        torch.tensor,
        lambda x: torch.tensor(x, dtype=torch.bfloat16),
        lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True),
    ],
)
def test_compute_of_arrays_and_tensors(metric, tensor):
    # Output of `post_process_object_detection`, an image without boxes, and additional keys of data sets.
    prediction, reference, nothing = (
        {k: tensor(x) for k, x in sample.items()} for sample in (PREDICTION, REFERENCE, NOTHING)
    )
    reference = reference | {"image_id": tensor(7), "masks": None}

    assert metric.compute(predictions=[prediction, nothing], references=[reference, nothing])["AP"] == AP


def test_compute_in_two_processes_equals_one(tmp_path):
    """Each process adds its own samples; process 0 returns the result."""
    code = f"""
import sys
from omniou_integrations.evaluate import DetectionAP, MeanIoU
from tests.integrations.test_evaluate import data_set
rank = int(sys.argv[1])
metric = DetectionAP(cache_dir={str(tmp_path)!r}, num_process=2, process_id=rank, experiment_id="two")
predictions, references = data_set()
some = slice(0, 21) if rank == 0 else slice(21, 30)
print(metric.compute(predictions=predictions[some], references=references[some]))
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(rank)], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    try:
        first, second = (process.communicate(timeout=120)[0] for process in running)
    finally:
        for process in running:
            process.kill()

    predictions, references = data_set()
    assert first.splitlines()[-1] == str(detection.evaluate(references, predictions).summary)
    assert second.splitlines()[-1] == "None"


def test_load_by_path_of_module(tmp_path, monkeypatch):
    """Scripts load a metric by a path on their command line."""
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path])
    metric = evaluate.load(omniou_integrations.evaluate.__file__, cache_dir=str(tmp_path))

    assert metric.name == "detection_ap"
    assert metric.compute(predictions=[PREDICTION], references=[REFERENCE])["AP"] == AP
    both = evaluate.combine([metric, DetectionAP(cache_dir=str(tmp_path))])
    assert set(both.compute(predictions=[PREDICTION], references=[REFERENCE])) >= {
        "detection_ap_0_AP",
        "detection_ap_1_AP",
    }


@pytest.mark.parametrize(
    ("prediction", "reference", "kind", "message"),
    [
        (None, REFERENCE, TypeError, "must be a dictionary with 'boxes', 'scores', 'labels', got NoneType"),
        (REFERENCE, REFERENCE, ValueError, "must have the key 'scores' or 'confidence', got 'boxes', 'labels'"),
        (PREDICTION, {"boxes": [BOX]}, ValueError, "must have the key 'labels' or 'classes', got 'boxes'"),
        (
            PREDICTION | {"boxes": [[1, 2, 3]] * 2},
            REFERENCE,
            ValueError,
            "['boxes']` must have shape (N, 4), got (2, 3)",
        ),
        (PREDICTION | {"scores": [0.5]}, REFERENCE, ValueError, "['scores']` must have shape (2,) as there are boxes"),
        (
            PREDICTION,
            REFERENCE | {"labels": [1, 1.5]},
            TypeError,
            "['labels']` must hold integers, got 1.5 of dtype float64",
        ),
        (PREDICTION, REFERENCE | {"labels": ["cat", "cat"]}, TypeError, "['labels']` must hold numbers, got dtype <U3"),
        (PREDICTION, REFERENCE | {"iscrowd": [0]}, ValueError, "['iscrowd']` must have shape (2,) as there are boxes"),
    ],
)
def test_add_of_invalid_samples_raises(metric, prediction, reference, kind, message):
    metric.add(prediction=PREDICTION, reference=REFERENCE)
    with pytest.raises(kind) as one:
        metric.add(prediction=prediction, reference=reference)
    with pytest.raises(kind) as second:
        metric.add_batch(predictions=[PREDICTION, prediction], references=[REFERENCE, reference])

    side = "reference" if prediction is PREDICTION else "prediction"
    assert str(one.value).startswith(f"`{side}")
    assert str(second.value).startswith(f"`{side}s[1]")
    assert message in str(one.value)
    assert message in str(second.value)
    assert metric.compute()["AP"] == AP


@pytest.mark.parametrize(
    ("predictions", "references", "options", "kind", "message"),
    [
        (
            PREDICTION,
            [REFERENCE],
            {},
            TypeError,
            "`predictions` must be a list of dictionaries, one for each image, got dict",
        ),
        (
            [PREDICTION],
            None,
            {},
            TypeError,
            "`references` must be a list of dictionaries, one for each image, got NoneType",
        ),
        (
            [PREDICTION],
            [],
            {},
            ValueError,
            "`predictions` and `references` must have one entry for each image, got 1 and 0",
        ),
        ([PREDICTION], [REFERENCE], {"protocol": "coca"}, ValueError, "`protocol` must be one of 'coco'"),
        ([PREDICTION], [REFERENCE], {"average": "micro"}, TypeError, "unexpected keyword argument 'average'"),
        (
            [PREDICTION] * 2,
            [REFERENCE, REFERENCE | {"area": [1, 2]}],
            {},
            ValueError,
            "`targets[0]` must have the key 'area'",
        ),
    ],
)
def test_compute_of_invalid_arguments_raises(metric, predictions, references, options, kind, message):
    with pytest.raises(kind) as raised:
        metric.compute(predictions=predictions, references=references, **options)

    assert message in str(raised.value)
    assert metric.compute(predictions=[PREDICTION], references=[REFERENCE])["AP"] == AP


def test_metric_description(metric):
    assert metric.description == "Average precision and recall of detections, by the rules of COCO or any others."
    assert set(metric.features) == {"predictions", "references"}
    assert "`boxes` (N, 4)" in metric.inputs_description
    assert metric.module_type == "metric"


def test_mean_iou_by_hand(tmp_path):
    """Class 0 has 1 of 2 pixels, class 1 has 2 of 3, class 2 is nowhere."""
    metric = MeanIoU(cache_dir=str(tmp_path))
    metric.add(prediction=torch.tensor([[0, 1]]), reference=np.asarray([[0, 0]], dtype=np.uint8))
    metric.add_batch(predictions=[[[1, 1, 0]]], references=[[[1, 1, 255]]])
    result = metric.compute(num_labels=3, ignore_index=255)
    assert result["mean_iou"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert (result["mean_accuracy"], result["overall_accuracy"]) == (0.75, 0.75)
    assert result["per_category_iou"] == pytest.approx([1 / 2, 2 / 3, math.nan], nan_ok=True)
    assert result["per_category_accuracy"] == pytest.approx([0.5, 1.0, math.nan], nan_ok=True)
    maps = {"predictions": [[[0, 1, 1]]], "references": [[[0, 255, 2]]]}
    assert metric.compute(**maps, num_labels=3, ignore_index=[255, 2])["mean_iou"] == 1.0
    with pytest.raises(ValueError, match=r"`prediction` must be a label map \(height, width\) of integers"):
        metric.add(prediction=[[0.5]], reference=[[0]])
    with pytest.raises(ValueError, match=r"`predictions\[0\]` must have the size of its reference"):
        metric.compute(predictions=[[[0]]], references=[[[0, 1]]], num_labels=2)
    with pytest.raises(ValueError, match="must be a class from 0 to 1"):
        metric.compute(predictions=[[[7]]], references=[[[0]]], num_labels=2)
