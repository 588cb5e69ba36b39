"""Assignment of the lowest total cost: brute force over permutations, and the inputs of users' reports."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omniou import matching
from tests.helpers import array, integers
from tests.matching.reference import check, total

pytestmark = pytest.mark.computes("SciPy solves it")

pytest.importorskip("scipy", reason="assignment is SciPy's")

INF, NAN = math.inf, math.nan


@given(st.integers(0, 10**6), st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.3, 0.7]))
def test_hungarian_is_best_of_all_permutations(seed, n, m, share):
    rng = np.random.default_rng(seed)
    cost, allowed = rng.integers(-9, 10, (n, m)), rng.random((n, m)) >= share

    check(matching.hungarian(cost, where=allowed, partial=True).tolist(), cost, allowed)
    check(matching.hungarian(np.where(allowed, cost, np.inf), partial=True).tolist(), cost, allowed)
    check(matching.hungarian(-cost / 4, where=allowed, maximize=True, partial=True).tolist(), cost, allowed)


@pytest.mark.parametrize("where", [False, True])
def test_hungarian_of_batch_equals_each_image(xp, where):
    rng = np.random.default_rng(1)
    cost = rng.integers(0, 9, (2, 3, 4, 5))
    rows, columns = (np.arange(size) < rng.integers(1, size + 1, (2, 3, 1)) for size in (4, 5))
    allowed = rows[..., None] & columns[..., None, :] if where else np.ones(cost.shape, bool)
    options = {"where": xp.asarray(allowed)} if where else {}

    matched = matching.hungarian(array(xp, cost, "float32"), **options)

    assert matched.dtype == xp.int64
    for image in np.ndindex(2, 3):
        check(integers(matched[(*image, ...)]), cost[image], allowed[image])


@pytest.mark.proves("eager", "matching.hungarian")
def test_hungarian_of_sizes_numbers_columns_through_all_images(xp):
    cost = np.array([[4, 1, 7, 0, 2], [2, 0, 9, 5, 1], [9, 9, 9, 9, 9]])

    matched = matching.hungarian(array(xp, cost), sizes=[2, 0, 3])

    assert integers(matched) == [[1, 0, -1], [-1, -1, -1], [3, 4, 2]]
    assert tuple(matching.hungarian(array(xp, cost[:, :0]), sizes=[]).shape) == (0, 3)
    where = xp.asarray(cost != 0)
    assert integers(matching.hungarian(array(xp, cost), where=where, sizes=[2, 0, 3])[2, ...]) == [4, 3, 2]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 0), (0, 2, 2), (0, 0)])
def test_hungarian_of_empty_is_empty(xp, shape):
    matched = matching.hungarian(xp.zeros(shape, dtype=xp.float32))

    assert tuple(matched.shape) == shape[:-1]
    assert bool(xp.all(matched == -1))


# ---- users' reports


def test_row_without_partner_raises_or_is_left_unmatched():
    cost = np.array([[1, INF], [2, INF]])

    with pytest.raises(ValueError, match=r"`cost` has rows or columns that cannot all get a partner.*partial=True"):
        matching.hungarian(cost)
    with pytest.raises(ValueError, match=r"`cost\[1, 0\]` has rows"):
        matching.hungarian(np.stack([np.ones((2, 2)), cost])[:, None])
    with pytest.raises(ValueError, match=r"`cost\[:, 2:4\]` has rows"):
        matching.hungarian(np.concatenate([np.ones((2, 2)), cost], axis=1), sizes=[2, 2])
    assert matching.hungarian(cost, partial=True).tolist() == [0, -1]


def test_partial_leaves_the_row_that_costs_most():
    cost = [[1, INF], [2, INF], [INF, INF]]

    assert matching.hungarian(cost, partial=True).tolist() == [0, -1, -1]
    assert matching.hungarian(np.negative(cost), partial=True, maximize=True).tolist() == [0, -1, -1]
    assert matching.hungarian([[2, INF], [1, INF]], partial=True).tolist() == [-1, 0]


def test_forbidden_pairs_are_not_taken():
    cost = np.array([[INF, 11, 8], [8, INF, 7]])

    assert total(cost, matching.hungarian(cost).tolist()) == 16


def test_nan_raises_and_where_leaves_it_out():
    cost = np.array([[-1, NAN]])

    with pytest.raises(
        ValueError, match=r"`cost\[0, 1\]` must be a number, got nan.*`where=~isnan\(cost\), partial=True`"
    ):
        matching.hungarian(cost)
    assert matching.hungarian(cost, where=~np.isnan(cost)).tolist() == [0]


@pytest.mark.parametrize(
    ("cost", "options", "message"),
    [
        ([[NAN, 1], [2, 3]], {}, r"`cost\[0, 0\]` must be a number, got nan"),
        ([[1, 1], [-INF, 3]], {}, r"`cost\[1, 0\]` must be finite, got -inf, and inf forbids a pair"),
        ([[1, 1], [INF, 3]], {"maximize": True}, r"`cost\[1, 0\]` must be finite, got inf, and -inf forbids a pair"),
        ([1, 2], {}, r"`cost` must have shape \(..., N, M\), got \(2,\)"),
        ([[1, 2]], {"sizes": [1, 2]}, "`sizes` must add up to the 2 columns of `cost`, got 3"),
        ([[1, 2]], {"sizes": [1.0, 1]}, "`sizes` must be a list of integers of at least 0"),
        ([[[1, 2]]], {"sizes": [2]}, r"`cost` must have shape \(N, sum of `sizes`\), got \(1, 1, 2\)"),
        ([[1, 2]], {"where": [[1, 0]]}, "`where` must hold booleans"),
        ([[1, 2]], {"where": [[True, True, True]]}, "axes must broadcast"),
        ([[1, 2]], {"maximize": 1}, "`maximize` must be True or False, got int"),
        ([[True, False]], {}, "`cost` must hold integers or real floating numbers"),
    ],
)
def test_hungarian_of_bad_argument_raises(cost, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        matching.hungarian(np.array(cost), **options)


@pytest.mark.parametrize("base", [0, 2**24, 2**53, 2**62, -(2**63)])
@pytest.mark.parametrize("maximize", [False, True])
def test_integers_are_exact(xp, base, maximize):
    cost = [[base + 1, base], [base, base + 1]]

    matched = matching.hungarian(xp.asarray(cost, dtype=xp.int64), maximize=maximize)

    assert integers(matched) == ([0, 1] if maximize else [1, 0])


def test_unsigned_integers_are_exact():
    top = 2**64 - 1

    assert matching.hungarian(np.array([[top, top - 1], [top - 1, top]], np.uint64)).tolist() == [1, 0]
    assert matching.hungarian(np.array([[255, 254], [254, 255]], np.uint8), maximize=True).tolist() == [0, 1]


@pytest.mark.parametrize("cost", [[[0, 2**53]], [[-(2**63), 2**63 - 1], [0, 0]]])
def test_integers_that_float64_would_round_raise(cost):
    with pytest.raises(ValueError, match=r"`cost` holds integers that differ by up to \d+: .*convert them to float64"):
        matching.hungarian(np.array(cost))


def test_partial_of_wide_integers_raises():
    cost = np.array([[0, 2**46, 5], [1, 2, 3], [4, 5, 6]])
    where = np.array([[True, True, True], [True, False, False], [True, False, False]])

    with pytest.raises(ValueError, match="`cost` holds integers that differ by up to"):
        matching.hungarian(cost * 4, where=where, partial=True)
    assert matching.hungarian(cost, where=where, partial=True).tolist() == [2, 0, -1]


def test_hungarian_without_scipy_raises(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)

    with pytest.raises(ModuleNotFoundError, match=r"`matching\.hungarian` needs SciPy: pip install scipy"):
        matching.hungarian([[1]])
