"""Greedy matching by overlap against one pair after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omniou import matching
from tests.helpers import array, integers

pytestmark = pytest.mark.computes("rounds stop when no pair is left")


def one_by_one(overlap, allowed):
    """Reference: the best pair that is left, one at a time; of equal overlaps the first row, then the first column."""
    n, m = overlap.shape
    pairs = sorted((-overlap[i, j], i, j) for i in range(n) for j in range(m) if allowed[i, j])
    matched, taken = [-1] * n, set()
    for _, i, j in pairs:
        if matched[i] < 0 and j not in taken:
            matched[i] = j
            taken.add(j)
    return matched


@pytest.mark.parametrize("seed", range(3))
def test_greedy_equals_one_pair_after_the_other(xp, seed):
    rng = np.random.default_rng(seed)
    overlap = rng.integers(0, 5, (2, 3, 6, 4)) / 4  # many ties
    where = rng.random((2, 3, 6, 4)) < 0.8

    matched = matching.greedy(array(xp, overlap), threshold=0.25, where=xp.asarray(where))

    for image in np.ndindex(2, 3):
        assert integers(matched[(*image, ...)]) == one_by_one(overlap[image], where[image] & (overlap[image] >= 0.25))


@given(st.data())
def test_greedy_of_any_shape_equals_one_pair_after_the_other(data):
    n, m = data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7)))
    overlap = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=n * m, max_size=n * m))).reshape(n, m) / 2.0
    inclusive = data.draw(st.booleans())

    matched = matching.greedy(overlap, threshold=0.0, inclusive=inclusive)

    assert matched.tolist() == one_by_one(overlap, overlap >= 0 if inclusive else overlap > 0)


def test_greedy_of_chain_takes_one_pair_a_round(xp):
    # Row k overlaps columns k and k + 1, the next one more: each pair waits for the pair after it.
    overlap = np.zeros((20, 20))
    for k in range(20):
        overlap[k, k : k + 2] = [2 * k + 1, 2 * k + 2][: 20 - k]

    assert integers(matching.greedy(array(xp, overlap / 64), threshold=0.01)) == one_by_one(overlap, overlap > 0)


@pytest.mark.proves("eager", "matching.greedy")
def test_greedy_with_17_ties_takes_first_row_and_column(xp):
    matched = matching.greedy(xp.ones((17, 18), dtype=xp.float32))

    assert integers(matched) == list(range(17))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("inclusive", "expected"), [(True, [0]), (False, [-1])])
def test_greedy_rounds_threshold_to_dtype_of_overlap(xp, dtype, inclusive, expected):
    overlap = array(xp, [[60.0]], dtype) / array(xp, [[100.0]], dtype)

    assert integers(matching.greedy(overlap, threshold=0.6, inclusive=inclusive)) == expected


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 0), (0, 2, 2)])
def test_greedy_of_empty_is_empty(xp, shape):
    matched = matching.greedy(xp.zeros(shape, dtype=xp.float32))

    assert tuple(matched.shape) == shape[:-1]
    assert matched.dtype == xp.int64
    assert bool(xp.all(matched == -1))


def test_greedy_takes_integers_and_lists():
    assert matching.greedy([[3, 1], [4, 1]]).tolist() == [1, 0]
    assert matching.greedy(np.array([[3, 1], [4, 1]], np.uint8), threshold=1, inclusive=False).tolist() == [-1, 0]


def test_greedy_of_nan_raises_and_names_the_cell(xp):
    overlap = array(xp, [[[0.5, 0.2]], [[0.1, float("nan")]]])

    with pytest.raises(ValueError, match=r"`overlap\[1, 0, 1\]` must be a number, got nan"):
        matching.greedy(overlap)
    where = xp.asarray([[True, False]])
    assert integers(matching.greedy(overlap, where=where)) == [[0], [0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 50}, "`threshold` must be from -1 to 1, got 50"),
        ({"threshold": "0.5"}, "`threshold` must be a number, got str"),
        ({"inclusive": 1}, "`inclusive` must be True or False, got int"),
        ({"where": np.ones((3, 2), bool)}, r"axes must broadcast"),
        ({"where": np.ones((4, 2, 2), bool)}, r"`where` must broadcast to shape \(2, 2\), got \(4, 2, 2\)"),
        ({"where": np.ones((2, 2))}, "`where` must hold booleans, got dtype float64"),
    ],
)
def test_greedy_of_bad_option_raises(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        matching.greedy(np.ones((2, 2)), **options)


def test_greedy_of_vector_raises():
    with pytest.raises(ValueError, match=r"`overlap` must have shape \(..., N, M\), got \(3,\)"):
        matching.greedy(np.ones(3))
