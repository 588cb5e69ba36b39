"""A call finds what an earlier call settled only if all that was checked is the same."""

import sys

import numpy as np
import pytest

from omniou import boxes, losses, pairwise
from tests.helpers import random_boxes

KERNELS = ("omniou._kernels", "omniou._lib.arrays", "omniou._lib.backends", "omniou._accel")
A, B = random_boxes(np.random.default_rng(0), 2, 3)


def calls_of(function, without=KERNELS):
    """Functions of omniou that are called, without those in kernels."""
    calls = 0

    def count(frame, event, _):
        nonlocal calls
        name = frame.f_globals.get("__name__", "")
        calls += event == "call" and name.startswith("omniou.") and not name.startswith(without)

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("options", [{"power": True}, {"power": "1"}, {"eps": False}, {"offset": [0]}, {"format": 1}])
def test_wrong_option_that_equals_a_right_one_raises(options):
    for _ in range(2):
        boxes.iou(A, B, power=1, eps=0, offset=0)
        pairwise(boxes.iou, A, B, power=1, eps=0, offset=0)
        with pytest.raises((TypeError, ValueError), match=f"`{next(iter(options))}`"):
            boxes.iou(A, B, **options)
        with pytest.raises((TypeError, ValueError), match=f"`{next(iter(options))}`"):
            pairwise(boxes.iou, A, B, **options)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (A, B[:2]),  # other rows
        (A[:, :3], B[:, :3]),  # other columns
        (A, B[:, :2]),
        (A > 0, B),  # booleans
        (A, B.astype(str)),
        (np.zeros((3, 0)), np.zeros((3, 0))),
    ],
)
def test_wrong_arrays_raise_after_right_ones(a, b):
    boxes.iou(A, B)
    with pytest.raises((TypeError, ValueError), match=r"`a`|`b`|broadcast"):
        boxes.iou(a, b)


def test_single_boxes_raise_as_sets_after_sets():
    pairwise(boxes.iou, A, B)
    with pytest.raises(ValueError, match=r"`a` must have shape \(\.\.\., boxes, 2 or 4 or 6\)"):
        pairwise(boxes.iou, A[0], B[0])


def test_rows_and_dtypes_may_change_between_calls():
    for n in (3, 1, 2, 0):
        for dtype in (np.float64, np.float32, np.float16, np.int64):
            a, b = A[:n].astype(dtype), B[:n].astype(dtype)
            wide = np.float64 if dtype is np.int64 else dtype
            out, single = pairwise(boxes.iou, a, B[:1].astype(dtype)), boxes.iou(a, b)
            assert out.dtype == single.dtype == wide
            assert (out.shape, single.shape) == ((n, 1), (n,))
            np.testing.assert_array_equal(
                boxes.iou(a, b[:1] if n else b), np.diagonal(pairwise(boxes.iou, a, b[:1].repeat(n, 0)))
            )


def test_call_that_was_settled_looks_at_little():
    """How many rows there are decides on nothing: a new number of boxes is no new call."""
    x, y = A[:1], B[:1]
    boxes.iou(x, y), pairwise(boxes.iou, A, B), losses.giou(x, y)
    assert calls_of(lambda: boxes.iou(A, B)) <= 14
    assert calls_of(lambda: losses.giou(A, B)) <= 14
    assert calls_of(lambda: pairwise(boxes.iou, x, B)) <= 28  # three more once torch is loaded


def test_few_boxes_take_few_calls_in_kernels():
    """A call of Python costs as much as arithmetic with ten numbers."""
    boxes.iou(A, B), losses.giou(A, B)
    assert calls_of(lambda: boxes.iou(A, B), ()) <= 90
    assert calls_of(lambda: losses.giou(A, B), ()) <= 160
