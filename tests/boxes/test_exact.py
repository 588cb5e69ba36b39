"""Agreement with exact rational arithmetic, on random and on adversarial boxes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import boxes
from tests import exact
from tests.helpers import array, numbers

COUNT = 300


def sets(dims, rng):
    """Kind -> two sets of boxes."""
    shape = (2, COUNT, dims)
    low = rng.uniform(0, 100, shape)
    side = rng.uniform(0, 60, shape)
    corners = np.concatenate([low, low + side], axis=-1)
    near = np.concatenate([low[:1], low[:1] + side[:1] + 1], axis=-1)
    distant = np.floor(low) % 4 + 1e6
    return {
        "random": corners,
        "far from the origin": np.concatenate([distant, distant + side / 15], axis=-1),
        "nearly the same": near * (1 + rng.normal(0, 1e-6, (2, COUNT, 2 * dims))),
        "thin": np.concatenate([low, low + 10.0 ** rng.uniform(-6, 3, shape)], axis=-1),
        "tiny": corners * (1e-10 if dims == 3 else 1e-17),
        "huge": corners * (1e9 if dims == 3 else 1e16),
        "on a grid": np.concatenate([low // 25, low // 25 + side // 20 - 1], axis=-1),
    }


@pytest.mark.parametrize("name", exact.SCORES)
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_equal_exact_arithmetic_within_a_few_ulp(xp, name, dims, dtype):
    """IoU, IoF and Dice relative to the result; GIoU and DIoU, differences, relative to 1. Cuboids: five."""
    rng = np.random.default_rng(dims)
    eps = Fraction(float(np.finfo(dtype).eps))
    for kind, pairs in sets(dims, rng).items():
        a, b = pairs.astype(dtype)
        out = numbers(getattr(boxes, name)(array(xp, a, dtype), array(xp, b, dtype)))
        for p, q, actual in zip(a.tolist(), b.tolist(), out.tolist(), strict=True):
            expected = exact.score(name, p, q)
            scale = 1 if name in ("giou", "diou") else abs(expected)
            error = abs(Fraction(actual) - expected)
            assert error <= (5 if dims == 3 else 4) * eps * scale, f"{kind}: {p} and {q}"


ANY = st.floats(-1e6, 1e6, width=32)
ADVERSARIAL = st.lists(ANY, min_size=8, max_size=8)


@settings(max_examples=300, deadline=None)
@given(ADVERSARIAL)
@pytest.mark.parametrize("name", exact.SCORES)
def test_scores_of_any_boxes_equal_exact_arithmetic(name, corners):
    """Adversarial pairs found by hypothesis: the bound is the sum of all roundings, 8 units."""
    a, b = corners[:4], corners[4:]
    expected = exact.score(name, a, b)
    out = float(getattr(boxes, name)(a, b))
    # An area below the range of a float underflows to 0.
    assert abs(Fraction(out) - expected) <= 8 * Fraction(np.finfo(float).eps) or _underflows(a, b)


def _underflows(*rows):
    return any(0 < abs(p - q) < 1e-150 for row in rows for other in rows for p in row for q in other)


@settings(max_examples=200, deadline=None)
@given(ADVERSARIAL, st.integers(-20, 20))
def test_score_bounds_symmetry_and_invariance(corners, power):
    a, b = np.asarray(corners[:4]), np.asarray(corners[4:])
    iou, giou, diou, ciou = (float(getattr(boxes, name)(a, b)) for name in ("iou", "giou", "diou", "ciou"))
    slack = 1e-14
    assert 0 <= iou <= 1
    assert -1 - slack <= giou <= iou + slack
    assert -1 - slack <= diou <= iou + slack
    assert -2 - slack <= ciou <= diou + slack
    assert float(boxes.iou(b, a)) == pytest.approx(iou, abs=slack)
    assert float(boxes.giou(b, a)) == pytest.approx(giou, abs=slack)
    # Invariance to scale, exact for a power of two, and to mirroring.
    if not _underflows(a.tolist(), b.tolist()):
        assert float(boxes.giou(a * 2.0**power, b * 2.0**power)) == giou
    if np.all(a[:2] <= a[2:]) and np.all(b[:2] <= b[2:]):
        mirrored = [np.concatenate([-x[2:], -x[:2]]) for x in (a, b)]
        assert float(boxes.diou(*mirrored)) == pytest.approx(diou, abs=slack)
        if boxes.area(a) > 0 and math.isfinite(1 / float(boxes.area(a))):
            assert float(boxes.iou(a, a)) == 1
