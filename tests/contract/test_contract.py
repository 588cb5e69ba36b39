"""Error messages, and library, device and dtype of results."""

import sys

import numpy as np
import pytest

from omniou import boxes, losses, pairwise
from omniou._lib import backends, checks
from tests.helpers import array

A = [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda a: boxes.iou(a[..., :3], a),
            ValueError,
            r"`a` must have shape \(..., 2 or 4 or 6\) for format 'xyxy', got \(2, 3\)",
        ),
        (lambda a: boxes.iou(a, a[..., :2]), ValueError, r"equal last axes, got \(2, 4\) for `a` and \(2, 2\) for `b`"),
        (
            lambda a: boxes.area(a, format="xx"),
            ValueError,
            r"`x` must have shape \(..., 2\) for format 'xx', got \(2, 4\)",
        ),
        (lambda a: boxes.iou(a, a, format="xyx"), ValueError, "`format` must be one of 'xyxy', .* got 'xyx'"),
        (lambda a: boxes.iou(a, a, format=None), ValueError, "`format` must be one of 'xyxy', .* got None"),
        (
            lambda a: boxes.iou(a, a, format="rel_xyxy"),
            ValueError,
            r"`image_size` must be given as \(height, width\) for a relative `format`",
        ),
        (
            lambda a: boxes.iou(a, a, format="rel_xyxy", image_size=(1, 2, 3)),
            ValueError,
            r"`image_size` must be \(height, width\).* got shape \(3,\)",
        ),
        (
            lambda a: boxes.iou(a, a, format="rel_xyxy", image_size=5),
            ValueError,
            r"`image_size` must be \(height, width\).* got shape \(\)",
        ),
        (lambda a: boxes.iou(a, a, eps=-1), ValueError, "`eps` must be finite and at least 0, got -1"),
        (lambda a: boxes.iou(a, a, eps="1"), TypeError, "`eps` must be a number, got str"),
        (lambda a: boxes.iou(a, a, offset=float("nan")), ValueError, "`offset` must be finite, got nan"),
        (
            lambda a: boxes.iou(a, "box"),
            TypeError,
            "`b` must be an array or nested lists of numbers of one shape, got 'box'",
        ),
        (lambda a: boxes.iou(a, None), TypeError, "`b` must be an array or nested lists of numbers .* got None"),
        (lambda a: boxes.iou(a, [[0, 0, 1, None]]), TypeError, r"`b` must be .* got \[\[0, 0, 1, None\]\]"),
        (lambda a: losses.ciou(a, None), TypeError, "`target` must be an array or nested .* got None"),
        (lambda a: pairwise(boxes.iou, None, a), TypeError, "`a` must be an array or nested .* got None"),
        (
            lambda a: boxes.iou(a, [[0, 0, 1, 1], [0]]),
            TypeError,
            r"`b` must be .*one shape, got \[\[0, 0, 1, 1\], \[0\]\]",
        ),
        (lambda a: boxes.convert(a, "xyxy", "xy"), ValueError, "`target` must be one of .* got 'xy'"),
        (lambda a: boxes.convert(a, "yx", "xyxy"), ValueError, "`source` must be one of .* got 'yx'"),
        (lambda a: boxes.convert(a, "rel_xyxy", "xyxy"), ValueError, "`image_size` must be given"),
        (lambda _: boxes.from_masks([["x"]]), TypeError, "`masks` must be an array or nested lists"),
        (
            lambda a: boxes.from_masks(a[0, :] > 0),
            ValueError,
            r"`masks` must have shape \(..., height, width\), got \(4,\)",
        ),
        (lambda a: boxes.iou(a, a > 0), TypeError, "`b` must hold integers or real floating numbers, got dtype .*bool"),
        (lambda a: pairwise(boxes.iou, a, a, formats="xyxy"), TypeError, "formats"),
    ],
)
def test_invalid_arguments_raise_with_message(xp, call, error, message):
    a = array(xp, [A, A])
    with pytest.raises(error, match=message):
        call(a)


def test_iou_of_lists_is_a_float64_numpy_array():
    out = boxes.iou([0, 0, 1, 1], A)
    assert isinstance(out, (np.ndarray, np.floating))
    assert out.dtype == np.float64


def test_iou_of_lists_without_numpy_raises(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    backends.numpy_namespace.cache_clear()
    with pytest.raises(TypeError, match="NumPy is not installed"):
        boxes.iou(A, A)


def test_iou_of_two_libraries_raises(xp):
    a = array(xp, A)
    other = np.asarray(A)
    if isinstance(a, np.ndarray):
        other = pytest.importorskip("array_api_strict").asarray(A)
    for call in (boxes.iou, losses.giou):
        with pytest.raises(
            TypeError, match=r"must be arrays of one library, got .* for `(a|pred)`, .* for `(b|target)`"
        ):
            call(a, other)


def test_iou_of_two_torch_devices_raises():
    torch = pytest.importorskip("torch")
    a = torch.tensor(A)
    with pytest.raises(TypeError, match="`a` and `b` must be arrays of one device, got cpu for `a`, meta for `b`"):
        boxes.iou(a, a.to("meta"))


def test_iou_of_two_strict_devices_raises():
    strict = pytest.importorskip("array_api_strict")
    a = strict.asarray(A)
    with pytest.raises(TypeError, match=r"one device, got .*CPU_DEVICE.* for `a`, .*device1.* for `b`"):
        boxes.iou(a, a.to_device(strict.Device("device1")))


def test_results_have_device_of_input():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    a = strict.asarray([A, A], device=device)
    results = [boxes.ciou(a, a), pairwise(boxes.giou, a, a), losses.diou(a, a, reduction="mean")]
    results += [boxes.convert(a, "xyxy", "cxcywh"), boxes.from_masks(a > 0), boxes.iou(a, A)]
    assert all(x.device == device for x in results)


@pytest.mark.parametrize("x", ["box", {"a": 1}, {1, 2}, object(), None])
def test_area_of_non_array_raises(x):
    with pytest.raises(TypeError, match="`x` must be an array or nested lists of numbers"):
        boxes.area(x)


def test_area_of_object_with_dtype_and_shape_raises():
    class Lookalike:
        dtype, shape = "float32", (4,)

    with pytest.raises(TypeError, match="`x` must be an array of a library that follows the array API"):
        boxes.area(Lookalike())


def test_broadcast_of_unknown_lengths():
    """TensorFlow's length of a batch is None in a graph."""
    assert checks.broadcast(a=(None,), b=(8,)) == (8,)
    assert checks.broadcast(a=(None, 1), b=(None, 3)) == (None, 3)
    with pytest.raises(ValueError, match="leading axes must broadcast"):
        checks.broadcast(a=(2,), b=(None,), c=(3,))
