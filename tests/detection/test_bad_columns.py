"""Invalid columns, options and protocols raise with the name of the argument."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO, AreaRange, Detections, Protocol, Targets

NAN, INF = float("nan"), float("inf")
TRUTH = {"boxes": [[0.0, 0, 1, 1], [2, 2, 3, 3]], "labels": [1, 1], "images": [0, 0]}
DETECTIONS = {"boxes": [[0.0, 0, 1, 1]], "scores": [0.5], "labels": [1], "images": [0]}


def evaluate(targets=(), detections=(), **options):
    targets = Targets(**{k: np.asarray(v) for k, v in (TRUTH | dict(targets)).items()})
    detections = Detections(**{k: np.asarray(v) for k, v in (DETECTIONS | dict(detections)).items()})
    return detection.evaluate(targets, detections, **options)


def test_evaluate_of_valid_columns():
    assert evaluate().summary["AR100"] == 0.5


@pytest.mark.parametrize(
    ("targets", "detections", "error", "message"),
    [
        ({}, {"scores": [NAN]}, ValueError, r"`detections.scores\[0\]` must be a number, got nan"),
        ({}, {"boxes": [[0, 0, 1, INF]]}, ValueError, r"`detections.boxes\[0\]` must be finite, got \[.*inf"),
        ({"boxes": [[0, 0, 1, 1], [0, NAN, 1, 1]]}, {}, ValueError, r"`targets.boxes\[1\]` must be finite, got \[0.0"),
        ({"area": [1.0, NAN]}, {}, ValueError, r"`targets.area\[1\]` must be finite, got nan"),
        ({}, {"boxes": [[0.0, 0, 1]]}, ValueError, r"`detections.boxes` must have shape \(N, 4\), got \(1, 3\)"),
        ({}, {"boxes": [0.0, 0, 1, 1]}, ValueError, r"`detections.boxes` must have shape \(N, 4\), got \(4,\)"),
        ({}, {"scores": [[0.5]]}, ValueError, r"`detections.scores` must have shape \(N,\), got \(1, 1\)"),
        ({}, {"labels": [1, 1]}, ValueError, r"`detections` must have one length, got 1 in `detections.boxes`"),
        ({"crowd": [True]}, {}, ValueError, r"columns of `targets` must have one length, .*1 in `targets.crowd`"),
        ({"labels": [1.0, 1.5]}, {}, TypeError, r"`targets.labels` must hold integers, got dtype float64"),
        ({"crowd": [0.0, 1.0]}, {}, TypeError, r"`targets.crowd` must hold integers or booleans, got dtype float64"),
        ({}, {"labels": ["cat"]}, TypeError, r"`detections.labels` must hold integers"),
    ],
)  # fmt: skip
def test_invalid_columns_raise(targets, detections, error, message):
    with pytest.raises(error, match=message):
        evaluate(targets, detections)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"format": "xywhd"}, ValueError, "`format` must be one of"),
        ({"format": "rel_xyxy"}, ValueError, "`format` must not be relative, .* got 'rel_xyxy'"),
        ({"format": "xyzxyz"}, ValueError, r"`targets.boxes` must have shape \(N, 6\), got"),
        ({"classes": ["cat"]}, TypeError, r"`classes` must be integers, got \['cat'\]"),
        ({"images": 5}, TypeError, "`images` must be integers, got 5"),
        ({"classes": np.asarray([0.5])}, ValueError, r"`classes` must be integers of shape \(K,\)"),
        ({"images": np.asarray([[1]])}, ValueError, r"`images` must be integers of shape \(K,\), got shape \(1, 1\)"),
        ({"classes": [1, 2**63]}, ValueError, r"`classes` must fit 64 bits, got 1 to 9223372036854775808"),
        ({"images": np.asarray([2**63], dtype=np.uint64)}, ValueError, r"`images` must fit 64 bits"),
        ({"groups": [1]}, TypeError, "`groups` must be a mapping of names to labels, got list"),
        ({"groups": {"rare": ["a"]}}, TypeError, "`groups` must be integers"),
    ],
)  # fmt: skip
def test_invalid_options_raise(options, error, message):
    with pytest.raises(error, match=message):
        evaluate(**options)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("format", ["xyxy", "xywh", "cxcywh"])
def test_areas_too_large_for_float64_raise(format):
    huge, finite = [0.0, 0, 1e160, 1e160], [0.0, 0, 1e150, 1e150]

    with pytest.raises(ValueError, match=r"`targets.boxes\[1\]` must be of an area up to 4e\+307, got \[0.0, .*160"):
        evaluate({"boxes": [finite, huge], "area": [5, 5]}, format=format)
    # Each area is finite in float64, their sum is not.
    result = evaluate({"boxes": [[0, 0, 1e150, 4e157]] * 2, "area": [5, 5]}, {"boxes": [finite]}, format="xywh")
    assert result.summary["AR1"] == 0


def test_required_column_of_none_raises():
    for name in ("scores", "labels", "images"):
        with pytest.raises(TypeError, match=f"`detections.{name}` must be given, got None"):
            detection.evaluate(Targets(**TRUTH), Detections(**DETECTIONS | {name: None}))
    with pytest.raises(TypeError, match=r"`targets.boxes` must be given, got None"):
        detection.evaluate(Targets(**TRUTH | {"boxes": None}), Detections(**DETECTIONS))


def test_ragged_list_raises():
    with pytest.raises(TypeError, match=r"`targets.boxes` must be an array or nested lists of numbers of one shape"):
        detection.evaluate(Targets([[1, 2], [3]], [1], [1]), Detections([], [], [], []))


def test_columns_of_two_libraries_raise():
    strict = pytest.importorskip("array_api_strict", reason="needs array-api-strict")
    targets = Targets(**{k: strict.asarray(v) for k, v in TRUTH.items()})
    detections = Detections(**{k: np.asarray(v) for k, v in DETECTIONS.items()})

    with pytest.raises(TypeError, match="must be arrays of one library"):
        detection.evaluate(targets, detections)


def test_dask_columns_raise():
    da = pytest.importorskip("dask.array", reason="needs Dask")

    with pytest.raises(TypeError, match=r"Dask arrays do not have yet: pass `x.compute\(\)`"):
        detection.evaluate(
            Targets(**{k: da.asarray(v) for k, v in TRUTH.items()}),
            Detections(**{k: da.asarray(v) for k, v in DETECTIONS.items()}),
        )


def test_coco_thresholds_equal_numpy_linspace():
    # pycocotools takes the thresholds from `linspace`, and compares in float64.
    assert np.linspace(0.5, 0.95, 10).tolist() == list(COCO.iou_thresholds)
    assert np.linspace(0, 1, 101).tolist() == list(COCO.recall_points)
    assert COCO.max_detections == (1, 10, 100)
    assert [(a.low, a.high) for a in COCO.area_ranges] == [(0, 1e10), (0, 1024), (1024, 9216), (9216, 1e10)]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"iou_thresholds": ()}, ValueError, "`iou_thresholds` must be rising"),
        ({"iou_thresholds": (0.5, 0.5)}, ValueError, "`iou_thresholds` must be rising"),
        ({"iou_thresholds": (0.5, 1.5)}, ValueError, r"must be rising numbers in \[0, 1\], got \(0.5, 1.5\)"),
        ({"iou_thresholds": (NAN,)}, ValueError, "`iou_thresholds` must be finite"),
        ({"recall_points": (-0.1, 1.0)}, ValueError, "`recall_points` must be finite and at least 0"),
        ({"recall_points": ("a",)}, TypeError, "`recall_points` must be a number"),
        ({"max_detections": (0, 1)}, ValueError, "`max_detections` must be finite and at least 1"),
        ({"max_detections": (10, 1)}, ValueError, "`max_detections` must be rising"),
        ({"max_detections": (1, 10.5)}, TypeError, "`max_detections` must be an integer, got 10.5"),
        ({"max_detections": (None, 10)}, TypeError, "`max_detections` must be a number, got NoneType"),
        ({"max_detections": 100}, TypeError, "`max_detections` must be a tuple, got int"),
        ({"iou_thresholds": np.asarray(0.5)}, TypeError, r"`iou_thresholds` must be a tuple, got ndarray"),
        ({"recall_points": "01"}, TypeError, "`recall_points` must be a tuple, got str"),
        ({"area_ranges": ((0, 1),)}, TypeError, "`area_ranges` must be made of `AreaRange`s, got tuple"),
        ({"area_ranges": ()}, ValueError, "`area_ranges` must not be empty"),
        ({"area_ranges": (AreaRange("a", 5, 1, ""),)}, ValueError, "`area_ranges` must have low <= high"),
        ({"area_ranges": (AreaRange("a", 0, 1, ""), AreaRange("b", 0, 2, ""))}, ValueError, "suffixes that differ"),
    ],
)
def test_invalid_protocol_raises(changes, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(COCO, **changes)


def test_protocol_converts_lists_and_arrays_to_tuples():
    changes = {"iou_thresholds": np.linspace(0.5, 0.95, 10), "max_detections": [1, np.int64(10), 100]}
    protocol = dataclasses.replace(
        COCO, **changes, area_ranges=list(COCO.area_ranges), recall_points=COCO.recall_points
    )

    assert protocol == COCO
    assert hash(protocol) == hash(COCO)
    assert [type(x) for x in protocol.max_detections] == [int] * 3


def test_summary_of_protocol_without_50_and_75():
    s = evaluate(protocol=Protocol((0.3, 0.4), (0.0, 1.0), COCO.area_ranges[:1], (5,))).summary

    assert s.keys() == {"AP", "AP50", "AP75", "AR5"}
    assert s["AP"] == pytest.approx(0.5)
    assert np.isnan([s["AP50"], s["AP75"]]).all()


ONE = {"boxes": np.zeros((1, 4)), "labels": np.ones(1, dtype=np.int64)}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"boxes": 5}, TypeError, r"`targets\[1\]\['boxes'\]` must be an array or a list, got 5"),
        ({"boxes": np.asarray(1.0)}, TypeError, r"`targets\[1\]\['boxes'\]` must be an array or a list, got array\(1"),
        ({"labels": None}, ValueError, r"`targets\[1\]` must have the key 'labels' or 'classes', got 'boxes'"),
        ({"labels": [1, 1]}, ValueError, r"`targets\[1\]\['labels'\]` must have shape \(1,\) as there are boxes"),
        ({"area": [1]}, ValueError, r"`targets\[0\]` must have the key 'area', as others have: give it"),
        ({"boxes": np.zeros((1, 1, 4))}, ValueError, r"must have shape \(N, 2 \* D\), got \(1, 1, 4\)"),
        ({"boxes": np.zeros((1, 6))}, ValueError, r"must be as `targets\[0\]\['boxes'\]` is, of shape \(N, 4\), got"),
    ],
)  # fmt: skip
def test_invalid_dictionaries_raise(changes, error, message):
    with pytest.raises(error, match=message):
        detection.evaluate([ONE, ONE | changes], [ONE | {"scores": [0.5]}] * 2)


def test_dictionaries_of_two_libraries_raise():
    torch = pytest.importorskip("torch", reason="needs torch")
    other = {name: torch.asarray(x) for name, x in ONE.items()}
    with pytest.raises(TypeError, match=r"must be as .* is, numpy\.ndarray on cpu, got torch\.Tensor on cpu"):
        detection.evaluate([ONE, other], [ONE | {"scores": [0.5]}] * 2)
