"""Intervals and p-values of tracks and label maps, against simulations whose truth is known."""

import pytest

from tests.results import simulated

SETS = 40


@pytest.mark.parametrize(
    ("kind", "classes", "population", "size"),
    [("tracks", 2, 300, 30), ("semantic", 3, 1000, 60)],
    ids=["tracks", "maps"],
)
def test_intervals_hold_the_truth_and_p_values_are_uniform(kind, classes, population, size):
    truth = simulated.truth(kind, classes, population)
    done = [simulated.trial(kind, classes, population, size, 100, 60, seed, confidence=0.8) for seed in range(SETS)]

    # To be expected are 32 of 40 intervals, and p-values below 0.2 in 8. A share of 80 % is known to 6 %, thrice that
    # is allowed: intervals of half the width would hold 48 %, of twice the width 99 %.
    assert 24 <= sum(x.interval.low <= truth <= x.interval.high for x in done) <= 38
    assert 2 <= sum(x.alike < 0.2 for x in done) <= 16
    assert 12 <= sum(x.alike < 0.5 for x in done) <= 28
    # The better model is found in more than half of the sets: with 5 %, in 2 of 40.
    assert sum(x.better < 0.05 for x in done) > 15
