"""Exact sums of scores, which do not depend on order or grouping."""

import math
import random
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from omniou_integrations._shared import exact_sums as exact

floats = st.floats(allow_nan=False, allow_infinity=False)
LEAST, GREATEST = math.ulp(0.0), math.nextafter(math.inf, 0)


def total(values, dtype=torch.float64):
    values = torch.tensor(values, dtype=dtype)
    return exact.sums(values, torch.zeros(len(values), dtype=torch.int64), 1)


def mean(sums, count):
    return exact.mean(sums, torch.tensor([count])).item()


@given(st.lists(floats, min_size=1, max_size=30))
def test_mean_equals_fractions(values):
    assert mean(total(values), len(values)) == float(sum(map(Fraction, values)) / len(values))


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_sums_of_float32_equal_float64(values):
    assert torch.equal(total(values, torch.float32), total(values))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 1e100, 1.0, -1e100], 0.5),
        ([0.1] * 10, 0.1),
        ([LEAST], LEAST),
        ([-LEAST, LEAST], 0.0),
        ([GREATEST] * 3, GREATEST),
        ([-GREATEST, 1.0, GREATEST], 1 / 3),
        ([1.0, math.inf], math.inf),
        ([-math.inf, 1.0], -math.inf),
    ],
)
def test_mean_by_hand(values, expected):
    assert mean(total(values), len(values)) == expected


@pytest.mark.parametrize("values", [[math.nan, 1.0], [math.inf, -math.inf], [math.nan, math.inf], []])
def test_mean_of_nan_or_nothing_is_nan(values):
    assert math.isnan(mean(total(values), len(values)))


@given(st.lists(st.tuples(floats, st.integers(0, 2)), max_size=30), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_order_or_grouping(rows, rng: random.Random):
    values, places = (torch.tensor([row[k] for row in rows], dtype=torch.float64) for k in range(2))
    places = places.to(torch.int64)
    together = exact.sums(values, places, 3)

    order = torch.tensor(rng.sample(range(len(rows)), len(rows)), dtype=torch.int64)
    cut = rng.randint(0, len(rows))
    parts = [exact.sums(values[i], places[i], 3) for i in (order[:cut], order[cut:])]
    other = exact.joined(torch.cat(parts), torch.arange(3).repeat(2), 3)
    counts = torch.bincount(places, minlength=3).clamp(min=1)
    assert exact.mean(other, counts).tolist() == exact.mean(together, counts).tolist()


def test_sum_of_a_million_numbers():
    """A million numbers at once, and a sum that is joined to itself until a limb would overflow without a carry."""
    assert mean(total([-0.3] * 2**20), 2**20) == -0.3

    sums = total([0.7, -0.7 + 2**-40])
    for _ in range(50):
        sums = exact.joined(sums.repeat(2, 1), torch.zeros(2, dtype=torch.int64), 1)
    assert mean(sums, 2**51) == float((Fraction(0.7) + Fraction(-0.7 + 2**-40)) / 2)
