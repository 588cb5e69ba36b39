"""The doctor of moments: other units, rates, shifts and halves are found, and poor predictions are not accused."""

import pytest

from omniou.data import spotting
from omniou.spotting import Events
from tests.benchmarks.temporal import MOMENTS, moments


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.parametrize("poor", [{}, {"noise": 1.5, "recall": 0.7, "false": 2}])
def test_damages_are_found(name, poor):
    code, words, change = MOMENTS[name]
    truth, found = moments(**poor)
    (finding,) = spotting.diagnose(truth, found._replace(events=change(found.events)))
    assert finding.code == code
    assert words in f"{finding.text}; {finding.hint}"


@pytest.mark.parametrize("noise", [0.3, 3, 8, 40])
@pytest.mark.parametrize("recall", [0, 0.3, 1])
def test_poor_predictions_are_not_accused(noise, recall):
    for seed in range(8):
        sides = moments(seed, noise=noise, recall=recall, false=seed, actions=4 + 9 * (seed % 3))
        assert spotting.diagnose(*sides) == []


# Seeds of sets in which as many actions are found by chance, with some shift or frame rate.
@pytest.mark.parametrize(
    ("seed", "scene"),
    [
        *[(seed, {"games": 1, "actions": 22, "noise": 20, "recall": 0.3, "false": 6}) for seed in (12, 19)],
        *[(seed, {"games": 3, "actions": 60, "noise": 40, "recall": 0.1, "false": 3}) for seed in (42, 97)],
    ],
)
def test_matches_by_chance_are_not_accused(seed, scene):
    assert spotting.diagnose(*moments(seed, **scene)) == []


def test_nothing_on_one_side_is_not_accused():
    truth, found = moments()
    none = found._replace(events=Events([], [], [], scores=[]))
    assert spotting.diagnose(truth, none) == spotting.diagnose(none, found) == []
