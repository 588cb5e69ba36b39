"""Every form against the matrix, on random sets of coarse coordinates, whose scores tie often; in NumPy and torch."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from omniou import boxes, gaussian, pairwise, pairwise_count, pairwise_max, pairwise_sparse, pairwise_topk
from omniou.pairs import _reduce
from tests.pairs.brute import best, expected, listed

SCORES = {name: getattr(boxes, name) for name in ("iou", "iof", "iomin", "dice", "giou", "ciou")}
SCORES |= {"gwd": gaussian.gwd}


@st.composite
def sets(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    wide, scale, shift = (
        draw(st.sampled_from([3, 12, 60])),
        draw(st.sampled_from([1.0, 1e-5, 1e6])),
        rng.integers(-50, 50),
    )
    dtype = draw(st.sampled_from(["float32", "float64"]))
    a, b = (rng.integers(0, wide, (k, 4)) for k in (n, m))
    for x in (a, b):
        x[:, 2:] = x[:, :2] + rng.integers(-1, 9, (len(x), 2))
    a, b = ((scale * (x + shift)).astype(dtype) for x in (a, b))
    if draw(st.booleans()):
        for x in (a, b):
            x[rng.random(len(x)) < 0.2, rng.integers(0, 4)] = np.nan
    groups = [rng.integers(0, 4, n) - 2, rng.integers(1, 5, m) - 2] if draw(st.booleans()) else None
    return a, b, groups


def as_torch(x):
    return pytest.importorskip("torch").from_numpy(x)


@pytest.mark.parametrize("library", [np.asarray, as_torch])
@settings(max_examples=150)
@given(sets(), st.sampled_from(sorted(SCORES)), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, -0.25]), st.booleans())
@example((np.zeros((1, 4)), np.zeros((2, 4)), None), "iou", 0.0, True)
def test_every_form_equals_the_matrix(library, both, name, threshold, inclusive):
    a, b, groups = both
    score, higher = SCORES[name], name != "gwd"
    matrix = pairwise(score, a, b)
    same = np.ones(matrix.shape, bool) if groups is None else groups[0][:, None] == groups[1]
    options = {} if groups is None else {"groups_a": library(groups[0]), "groups_b": library(groups[1])}
    a, b, threshold = library(a), library(b), threshold if higher else 3 * abs(threshold)
    if name in {"giou", "ciou"}:
        threshold += 1e-5  # the penalty of boxes that touch is 0 up to rounding
    every = expected(matrix, float(matrix.dtype.type(threshold)), groups, inclusive=inclusive, higher=higher)
    pairs = pairwise_sparse(score, a, b, threshold, inclusive=inclusive, **options)
    assert listed(pairs) == every
    assert np.array_equal(pairs.values, matrix[tuple(np.array(every, int).reshape(-1, 2).T)])
    counts = np.bincount([i for i, _ in every], minlength=len(matrix))
    for small in (2**16, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_reduce, "_SMALL", small)
            assert np.array_equal(pairwise_count(score, a, b, threshold, inclusive=inclusive, **options), counts)
            for k in (1, 4):
                values, columns = best(matrix, same, k, higher=higher)
                out = pairwise_topk(score, a, b, k, **options)
                assert np.array_equal(out.indices, columns)
                assert np.array_equal(out.values, values.astype(matrix.dtype), equal_nan=True)
            assert np.array_equal(
                pairwise_max(score, a, b, **options).indices, best(matrix, same, 1, higher=higher)[1][:, 0]
            )
