"""`DetectionCallback`: its results by protocol, its epochs, logs and other callbacks."""

import csv
import dataclasses
import math
import tracemalloc
import warnings

import keras
import numpy as np
import pytest

from omniou import detection
from omniou_integrations._shared import summary
from omniou_integrations._shared.pairing import candidates, greedy_listed
from omniou_integrations.keras import DetectionCallback, GIoULoss
from tests.hand_worked import PRED, TARGET
from tests.integrations.keras_cases import (
    DETECTIONS,
    EXPECTED,
    MEANS,
    TRUTH,
    Echo,
    X,
    Y,
    echoing,
    random_boxes,
    scored,
    tiny_model,
)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")


@pytest.mark.parametrize("batch_size", [1, 2])
def test_results_by_hand(batch_size):
    assert scored(DETECTIONS, TRUTH, batch_size=batch_size) == pytest.approx(EXPECTED)


def test_class_agnostic_matches_across_classes():
    targets = {"boxes": TRUTH["boxes"], "labels": np.where(np.asarray(TRUTH["labels"]) < 0, -1, 5)}
    names = ["mar_100"]
    with_classes = scored(DETECTIONS, TRUTH, scores=(), results=names, class_agnostic=True)

    assert scored(DETECTIONS, targets, scores=(), results=names) == {"val_mar_100": 0}
    assert scored(DETECTIONS, targets, scores=(), results=names, class_agnostic=True) == with_classes
    assert with_classes["val_mar_100"] > 0
    with pytest.raises(ValueError, match="`class_names` ask for an AP of each class, and `class_agnostic`"):
        echoing((DETECTIONS, TRUTH), class_names=["a"], class_agnostic=True)


def test_results_are_python_floats_in_logs():
    logs = {"loss": 0.5}
    echoing((DETECTIONS, TRUTH)).on_epoch_end(0, logs)

    assert logs == pytest.approx({"loss": 0.5} | EXPECTED)
    assert {type(value) for value in logs.values()} == {float}
    empty = {}
    echoing((DETECTIONS, TRUTH)).on_epoch_end(0, empty)
    assert empty == pytest.approx(EXPECTED)


def test_every_score_by_hand():
    # The pairs of `EXPECTED`: one perfect; boxes of area 4 and 2, intersection 2, one hull, centres 1/2 apart, its
    # diagonal squared 8. CIoU: v = 4 / pi^2 (atan 1 - atan 2)^2 and v^2 / (1 - 1/2 + v) for the second.
    v = 4 / math.pi**2 * (math.atan(1) - math.atan(2)) ** 2
    second = {"iou": 0.5, "iof": 0.5, "dice": 4 / 6, "giou": 0.5, "diou": 0.5 - 0.25 / 8}
    second["ciou"] = second["diou"] - v * v / (0.5 + v)
    missed = {"iou": 0, "iof": 0, "dice": 0, "giou": -1, "diou": -1, "ciou": -1}

    results = scored(DETECTIONS, TRUTH, scores=list(second), results=())
    assert results == pytest.approx({f"val_{name}": (1 + second[name] + 2 * missed[name]) / 4 for name in second})


def test_every_result_by_hand():
    # Boxes of area 16 and 9 (class 0) and 2 (class 2) are small. Recall of class 0: 1 of 2 at each threshold, of class
    # 2: at one threshold of ten. One detection an image reaches it.
    recall, ap = (0.5 + 0.1) / 2, EXPECTED["val_map"]
    names = ["map_small", "map_large", "mar_1", "mar_10", "mar_100", "mar_small", "mar_medium"]

    results = scored(DETECTIONS, TRUTH, scores=(), results=names)
    expected = dict(zip(names, [ap, math.nan, recall, recall, recall, recall, math.nan], strict=True))
    assert results == pytest.approx({f"val_{name}": value for name, value in expected.items()}, nan_ok=True)


@pytest.mark.parametrize("names", [["zero", "one", "two"], {0: "zero", 2: "two", 1: "one"}])
def test_results_of_named_classes(names):
    results = scored(DETECTIONS, TRUTH, scores=(), results=(), class_names=names)

    expected = {"val_map/zero": 51 / 101, "val_map/one": math.nan, "val_map/two": 0.1}
    assert results == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        # At IoU 0.5, recall 1/2 with precision 1: 6 of 11 points, half of the area; AP of class 2 is 1.
        ("voc2007", {"val_map": (6 / 11 + 1) / 2}),
        ("voc2010", {"val_map": (1 / 2 + 1) / 2}),
        (dataclasses.replace(detection.COCO, iou_thresholds=(0.5, 0.6)), {"val_map": (51 / 101 + 1 / 2) / 2}),
    ],
)
def test_results_by_protocol(protocol, expected):
    results = scored(DETECTIONS, TRUTH, scores=(), protocol=protocol)

    assert {name: results[name] for name in expected} == pytest.approx(expected)


def test_result_names_of_protocols():
    assert list(summary.result_names("coco")) == [
        *("map", "map_50", "map_75", "map_small", "map_medium", "map_large"),
        *("mar_1", "mar_10", "mar_100", "mar_small", "mar_medium", "mar_large"),
    ]
    assert summary.result_names("voc2010") == {"map": "AP", "mar": "AR"}
    assert summary.result_names("lvis")["mar_300"] == "AR300"


@pytest.mark.parametrize("waiting", [1, 50, 2**15])
def test_results_equal_detection_evaluate(monkeypatch, waiting):
    monkeypatch.setattr(summary, "PENDING", waiting)
    random = np.random.default_rng(0)
    truth = {"boxes": random_boxes(20, 6, seed=1), "labels": random.integers(-1, 3, (20, 6))}
    detections = {"boxes": random_boxes(20, 9, seed=2), "labels": random.integers(-1, 3, (20, 9))}
    detections["boxes"][:, :6] = truth["boxes"] + random.normal(0, 3, (20, 6, 4))
    detections["labels"][:, :6] = truth["labels"]
    detections["scores"] = random.uniform(size=(20, 9)).astype(np.float32)
    # The same images as dictionaries without padding.
    images = [
        [{key: x[i][side["labels"][i] >= 0] for key, x in side.items()} for i in range(20)]
        for side in (truth, detections)
    ]
    expected = detection.evaluate(*images).summary

    results = scored(detections, truth, results=["map", "map_75", "mar_10", "map_medium"], batch_size=7)
    keys = {"val_map": "AP", "val_map_75": "AP75", "val_mar_10": "AR10", "val_map_medium": "APm"}
    assert {name: results[name] for name in keys} == {name: expected[key] for name, key in keys.items()}
    assert 0 < results["val_map"] < 1


def test_crowds_ignored_objects_and_areas():
    truth = {"boxes": np.asarray([[[0, 0, 4, 4], [0, 0, 9, 9]]]), "labels": np.asarray([[1, 1]])}
    detections = {"boxes": np.asarray([[[0, 0, 4, 4], [5, 5, 8, 8]]]), "labels": np.asarray([[1, 1]])}
    detections["scores"] = np.asarray([[0.8, 0.9]])

    # The detection of higher score lies in the crowd and is ignored; without a crowd it is a false positive.
    assert scored(detections, truth | {"iscrowd": np.asarray([[0, 1]])})["val_map"] == pytest.approx(1)
    assert scored(detections, truth | {"iscrowd": np.asarray([[0, 0]])})["val_map"] < 0.5
    # Means exclude the ignored object: a pair of IoU 1, and an unpaired detection.
    assert scored(detections, truth | {"ignore": np.asarray([[False, True]])})["val_iou"] == 0.5
    # The area column decides the area range.
    small = scored(
        detections, truth | {"area": np.asarray([[5000.0, 5000]])}, scores=(), results=["map_small", "map_medium"]
    )
    assert math.isnan(small["val_map_small"])
    assert small["val_map_medium"] > 0


def test_results_of_kerascv_keys():
    detections = {
        "boxes": DETECTIONS["boxes"],
        "classes": np.asarray([[0, 1], [2, 0]]),
        "confidence": DETECTIONS["scores"],
    }
    detections["num_detections"] = np.asarray([1, 2])
    truth = {"boxes": TRUTH["boxes"], "classes": TRUTH["labels"].astype(np.float32)}

    assert scored(detections, truth) == pytest.approx(EXPECTED)


def test_empty_results_option_needs_no_scores():
    detections = {key: DETECTIONS[key] for key in ("boxes", "labels")}

    assert scored(detections, TRUTH, scores=["giou"], results=(), prefix="") == pytest.approx({"giou": -0.125})


@pytest.mark.parametrize("key", ["boxes", "scores"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_results_of_nan_predictions_are_nan(key, value):
    broken = DETECTIONS | {key: DETECTIONS[key].copy()}
    broken[key][1, 0] = value  # after a valid batch

    results = scored(broken, TRUTH, batch_size=1)
    assert results == pytest.approx(dict.fromkeys(EXPECTED, math.nan), nan_ok=True)


def test_training_with_nan_predictions_continues():
    model = tiny_model(GIoULoss(), keras.optimizers.SGD(1.0))
    model.set_weights([model.get_weights()[0], np.full(4, np.nan)])
    history = model.fit(X, Y, epochs=2, verbose=0, callbacks=[DetectionCallback((X, Y))]).history

    assert history["val_giou"] == pytest.approx([math.nan] * 2, nan_ok=True)


def test_results_without_boxes_are_nan():
    nothing = {key: x[:, :0] for key, x in DETECTIONS.items()}

    results = scored(nothing, {key: nothing[key] for key in ("boxes", "labels")})

    assert results == pytest.approx(dict.fromkeys(EXPECTED, math.nan), nan_ok=True)


def test_objects_of_images_without_detections_are_missed():
    none = DETECTIONS | {"labels": np.asarray([[0, -1], [-1, -1]])}

    results = scored(none, TRUTH)
    assert results["val_map"] == pytest.approx((51 / 101 + 0) / 2)
    assert results["val_iou"] == pytest.approx((1 + 0 + 0) / 3)


def test_mean_scores_with_sample_weights():
    pred, target = np.asarray([PRED[:3], PRED[:3]]), np.asarray([TARGET[:3], TARGET[:3]])
    pred[1, 2] = target[1, 2] = np.nan
    weight = np.asarray([[1.0, 0, 0], [2, 1, 0]])

    callback = echoing((pred, target, weight), scores=["iou"], batch_size=1)
    callback.on_epoch_end(0)
    assert callback.results == pytest.approx({"val_iou": (0.4 + 2 * 0.4 + 0) / 4})


def test_decode_with_relative_format():
    relative = np.asarray([[[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]]], np.float32)
    truth = {"boxes": relative, "labels": np.asarray([[0, 1]])}

    def decode(raw):
        return {"boxes": raw[..., :4], "labels": raw[..., 4], "scores": np.ones(raw.shape[:2])}

    raw = np.concatenate([relative, np.asarray([[[0.0], [1.0]]], np.float32)], -1)
    options = {"format": "rel_xywh", "image_size": (200, 100), "decode": decode}
    assert scored(raw, truth, **options) == pytest.approx(dict.fromkeys(EXPECTED, 1))


def test_image_size_of_each_image():
    # The same box of the upper half of two images: 10 x 50 pixels are small, 100 x 200 are large.
    boxes = np.tile([[[0.0, 0.0, 1.0, 0.5]]], (2, 1, 1))
    truth = {"boxes": boxes, "labels": np.asarray([[0], [1]]), "size": np.asarray([[100, 10], [400, 100]])}
    detections = {"boxes": boxes, "labels": np.asarray([[0], [1]]), "scores": np.ones((2, 1))}
    options = {"format": "rel_xyxy", "image_size": "size", "results": ["map", "map_small", "map_large"]}

    sized = scored(detections, truth, class_names=["a", "b"], **options)
    assert sized["val_map_small"] == sized["val_map_large"] == pytest.approx(1)
    # DIoU depends on pixels. The left half of the box: distance 1/4 of the width, IoU 1/2, one hull.
    detections["boxes"] = boxes * [1, 1, 0.5, 1]
    diou = scored(detections, truth, scores=["diou"], **options)["val_diou"]
    each = [0.5 - (w / 4) ** 2 / (w**2 + (h / 2) ** 2) for h, w in ((100, 10), (400, 100))]
    assert diou == pytest.approx(sum(each) / 2)


def test_offset_of_scores_and_results():
    # With inclusive pixels 3 x 3 and 3 x 2 share 6 of 9; without, 4 and 2 share 2 of 4.
    detections = {"boxes": np.asarray([[[0, 0, 2, 2]]]), "labels": np.asarray([[0]]), "scores": np.asarray([[1.0]])}
    truth = {"boxes": np.asarray([[[0, 0, 2, 1]]]), "labels": np.asarray([[0]])}

    for offset, iou, thresholds in ((0, 2 / 4, 1), (1, 6 / 9, 4)):
        result = scored(detections, truth, scores=["iou"], results=["map"], offset=offset)
        assert result == pytest.approx({"val_iou": iou, "val_map": thresholds / 10})


class Epochs(keras.callbacks.Callback):
    """Records the logs of each epoch."""

    def __init__(self):
        super().__init__()
        self.logs = []

    def on_epoch_end(self, epoch, logs=None):
        del epoch
        self.logs.append(dict(logs))


@pytest.mark.parametrize(
    ("every", "epochs", "evaluated"), [(1, 3, [0, 1, 2]), (2, 5, [0, 2, 4]), (3, 6, [0, 3, 5]), (10, 2, [0, 1])]
)
def test_every_option_evaluates_every_nth_epoch(tmp_path, every, epochs, evaluated):
    passes = []

    def data():
        passes.append(len(seen.logs))
        return [(X, Y)]

    seen = Epochs()
    callbacks = [
        DetectionCallback(data, every=every),
        seen,
        keras.callbacks.EarlyStopping("val_giou", mode="max", patience=epochs),
        keras.callbacks.ModelCheckpoint(tmp_path / "best.keras", "val_giou", mode="max", save_best_only=True),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
    ]
    # A warning of a missing key would be an error.
    tiny_model(GIoULoss()).fit(X, Y, epochs=epochs, verbose=0, callbacks=callbacks)

    assert passes == evaluated
    values = [logs["val_giou"] for logs in seen.logs]
    for epoch in range(epochs):
        assert (values[epoch] != values[epoch - 1]) == (epoch in evaluated)
    with (tmp_path / "log.csv").open() as file:
        assert [float(row["val_giou"]) for row in csv.DictReader(file)] == pytest.approx(values)


def test_second_fit_restarts_count_of_epochs():
    callback = DetectionCallback((X, Y), every=4)
    model = tiny_model(GIoULoss())
    first = model.fit(X, Y, epochs=1, verbose=0, callbacks=[callback]).history["val_giou"]
    model.fit(X, Y, epochs=1, verbose=0)
    second = model.fit(X, Y, initial_epoch=2, epochs=7, verbose=0, callbacks=[callback]).history["val_giou"]

    assert second[0] > first[0]
    # Epochs 2 (the first), 4 and 6 (the last) are evaluated.
    assert [a == b for a, b in zip(second[1:], second, strict=False)] == [True, False, True, False]


def test_callbacks_listed_before_warn():
    stop, csv_logger = keras.callbacks.EarlyStopping("loss"), keras.callbacks.CSVLogger("never-opened.csv")
    callback = DetectionCallback((X, Y))
    model = keras.Sequential([Echo()])

    with pytest.warns(UserWarning, match="stands after EarlyStopping, CSVLogger, which will not see its numbers"):
        keras.callbacks.CallbackList([stop, csv_logger, callback], add_history=True, model=model)
    with warnings.catch_warnings(action="error"):
        keras.callbacks.CallbackList([keras.callbacks.TerminateOnNaN(), callback, stop], add_history=True, model=model)


def test_memory_per_detection_is_bounded(monkeypatch):
    # 64 batches of 1,600 boxes are 5 MB in float32, and more as 64-bit columns; a few bytes of each box are kept.
    monkeypatch.setattr(summary, "PENDING", 2**11)
    monkeypatch.setattr("omniou.detection._evaluator.TOGETHER", 2**11)
    boxes = random_boxes(16, 100)
    detections = {
        "boxes": boxes,
        "labels": np.zeros((16, 100), int),
        "scores": np.random.default_rng(0).random((16, 100)),
    }
    truth = {"boxes": boxes[:, :3], "labels": np.zeros((16, 3), int)}
    held = summary.Summary(
        [], {"map": "AP"}, summary.Reading("xyxy", 0.0, None, scored=True), {}, protocol="coco", insists=False
    )
    held.add(detections, truth)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(64):
        held.add(detections, truth)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()

    assert kept < 30 * 64 * 1600


def test_greedy_listed_equals_greedy_pairing_one_by_one():
    random = np.random.default_rng(0)
    for n, m in [(0, 3), (1, 1), (7, 4), (12, 30)]:
        score = random.integers(0, 4, (n, m)) / 4  # many ties
        images, labels = (tuple(random.integers(0, 2, k) for k in (n, m)) for _ in range(2))
        rows, columns = candidates((images[0], labels[0]), (images[1], labels[1]))
        same = (images[0][:, None] == images[1]) & (labels[0][:, None] == labels[1])
        assert list(zip(rows, columns, strict=True)) == list(zip(*np.nonzero(same), strict=True))
        score[0:1, 0:1] = np.nan
        # Reference: the pair of highest score first, of equal scores the first, NaN last.
        left, expected = [*zip(rows.tolist(), columns.tolist(), strict=True)], set()
        while left:
            best = min(left, key=lambda pair: (math.isnan(score[pair]), -np.nan_to_num(score[pair]), pair))
            expected.add(best)
            left = [pair for pair in left if pair[0] != best[0] and pair[1] != best[1]]
        taken = greedy_listed(score[rows, columns], rows, columns)
        assert set(zip(rows[taken].tolist(), columns[taken].tolist(), strict=True)) == expected


def test_means_of_labelled_boxes_equal_means_of_arrays():
    # The same boxes, once with a label for each pair and once as aligned arrays.
    pred, target = np.asarray(PRED)[None], np.asarray(TARGET)[None]
    labels = np.arange(4)[None]
    detections = {"boxes": pred, "labels": labels, "scores": np.ones((1, 4))}

    paired = scored(detections, {"boxes": target, "labels": labels}, results=())
    assert paired == pytest.approx(scored(pred, target))
    assert MEANS.keys() == paired.keys()
