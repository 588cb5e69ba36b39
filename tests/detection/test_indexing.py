"""Scatter, segment reductions and lookup, which the array API standard lacks: native and fallback."""

import numpy as np
import pytest

from omniou._lib import indexing
from tests.helpers import numbers

pytestmark = pytest.mark.computes("values are written in place, or sorted")


@pytest.fixture(autouse=True)
def _skip_jax(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")


def test_put_scatters_values(xp):
    x = xp.asarray([10, 11, 12, 13, 14])

    out = indexing.put(x, xp.asarray([4, 0, 2]), xp.asarray([1, 2, 3]), xp=xp)

    assert numbers(out).tolist() == [2, 11, 3, 13, 1]


def test_put_without_indices(xp):
    nothing = xp.zeros(0, dtype=xp.int64)

    assert numbers(indexing.put(xp.asarray([1, 2]), nothing, nothing, xp=xp)).tolist() == [1, 2]


def test_segment_maximum_by_hand(xp):
    values = xp.asarray([0.5, 0.25, 0.75, 0.0, 1.0, 0.125, 0.0])

    out = indexing.segment_maximum(values, xp.asarray([1, 1, 3, 3, 3, 5, 6, 6]), xp=xp)

    # An empty segment has the value at its offset; values before the first offset are left out.
    assert numbers(out).tolist() == [0.25, 0.75, 0, 0, 1, 0.125, 0, 0]


def test_segment_maximum_without_segments(xp):
    out = indexing.segment_maximum(xp.zeros(1), xp.zeros(0, dtype=xp.int64), xp=xp)

    assert numbers(out).tolist() == []


def test_segment_sum_by_hand(xp):
    out = indexing.segment_sum(xp.asarray([0.5, 0.25, 1.0]), xp.asarray([0, 2, 2, 3]), xp=xp)

    assert numbers(out).tolist() == [0.75, 0, 1]


def test_quotient_equals_integer_division(xp):
    by = [1, 2, 3, 480, 2**26 - 5, 2**34]
    pairs = [(x, b) for b in by for m in (0, 1, 7, (2**53 - 1) // b) for x in (m * b, m * b + b - 1, m * b - 1)]
    pairs = [(x, b) for x, b in pairs if 0 <= x < 2**53]

    out = indexing.quotient(*(xp.asarray(x, dtype=xp.int64) for x in zip(*pairs, strict=True)), xp=xp)

    assert numbers(out).tolist() == [x // b for x, b in pairs]


def test_counts_with_absent_values(xp):
    assert numbers(indexing.counts(xp.asarray([3, 1, 3]), 5, xp=xp)).tolist() == [0, 1, 0, 2, 0]
    assert numbers(indexing.counts(xp.zeros(0, dtype=xp.int64), 2, xp=xp)).tolist() == [0, 0]


@pytest.mark.parametrize("values", [[], [7], [9, 4, 9, 5], [2**40, -3, 2**40]])
def test_distinct_is_sorted_and_unique(xp, values):
    assert numbers(indexing.distinct(xp.asarray(values, dtype=xp.int64), xp=xp)).tolist() == sorted(set(values))


@pytest.mark.parametrize("size", [0, 1, 2, 5, 8])
@pytest.mark.parametrize("from_end", [False, True])
def test_cumulative_maximum_from_either_end(xp, size, from_end):
    row = [3, 1, 4, 1, 5, 9, 2, 6][:size]
    expected = [max(row[k:] if from_end else row[: k + 1]) for k in range(size)]

    out = indexing.cumulative_maximum(xp.asarray([row, row], dtype=xp.int64), xp=xp, from_end=from_end)

    assert numbers(out).tolist() == [expected, expected]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cumulative_maximum_of_floats(xp, dtype):
    row = [0.0, 5e-324, 0.25, 0.1, 1.0, 0.5, 3e38, float("inf"), 1.0]
    row = [float(x) for x in np.asarray(row, dtype=dtype)]

    out = indexing.cumulative_maximum(xp.flip(xp.asarray([row[::-1]] * 2, dtype=getattr(xp, dtype)), axis=-1), xp=xp)

    assert numbers(out).tolist() == [[max(row[: k + 1]) for k in range(len(row))]] * 2


def test_segments_of_selected_rows(xp):
    first = xp.asarray([0, 2, 2, 5, 6])

    moved, places = indexing.segments(first, xp.asarray([3, 1, 2, 3]), xp=xp)
    assert (numbers(moved).tolist(), numbers(places).tolist()) == ([0, 1, 1, 4, 5], [5, 2, 3, 4, 5])

    moved, places = indexing.segments(first, xp.asarray([], dtype=xp.int64), xp=xp)
    assert (numbers(moved).tolist(), numbers(places).tolist()) == ([0], [])


@pytest.mark.parametrize("bound", [8, 10**9])  # by a table of counts, and by sorting
def test_sizes_by_table_and_by_sorting(xp, bound):
    x = xp.asarray([5, 2, 5, 7, 5])

    counts, which = indexing.sizes(x, bound, xp=xp)

    counts = numbers(counts).tolist()
    assert [counts[int(k)] for k in numbers(which)] == [3, 1, 3, 1, 3]
    assert counts == ([0, 0, 1, 0, 0, 3, 0, 1] if bound == 8 else [1, 3, 1])


def test_run_starts_of_sorted_values(xp):
    assert numbers(indexing.run_starts(xp.asarray([4, 4, 5, 9, 9]), xp=xp)).tolist() == [0, 2, 3]
    assert numbers(indexing.run_starts(xp.zeros(0, dtype=xp.int64), xp=xp)).tolist() == []


@pytest.mark.parametrize("sizes", [[], [3], [1, 1, 1], [2, 1, 4]])
def test_segment_ids_equal_repeat(xp, sizes):
    first = xp.asarray(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    assert numbers(indexing.segment_ids(first, xp=xp)).tolist() == np.repeat(np.arange(len(sizes)), sizes).tolist()


@pytest.mark.parametrize(
    ("ids", "values"),
    [
        ([], [1, 2]),
        ([4, 5, 6], []),
        ([4, 5, 6], [6, 4, 4, 5]),  # consecutive ids, all values known
        ([4, 5, 6], [6, 3, 7, 5]),
        ([4, 5, 6], [5, -(2**63), 2**63 - 1]),
        ([-3, 0, 9], [9, 1, -3, -4, 10]),
        ([0, 2**62], [2**62, 1, 0, -(2**62)]),  # range too wide for a lookup table
    ],
)
def test_place_of_known_and_unknown_ids(xp, ids, values):
    at, there = indexing.place(*(xp.asarray(np.array(x, dtype=np.int64)) for x in (ids, values)), xp=xp)

    assert numbers(there).tolist() == [value in ids for value in values]
    known_at = [place for place, known in zip(numbers(at).tolist(), numbers(there).tolist(), strict=True) if known]
    assert known_at == [ids.index(value) for value in values if value in ids]
