"""The doctor of moments: other units, rates, shifts and halves are found, and poor predictions are not accused."""

import dataclasses

import numpy as np
import pytest

from omniou.data import spotting
from omniou.spotting import Events


def scene(seed=0, *, games=2, actions=30, noise=0.6, recall=1.0, false=0):
    """Actions of both halves of some games, and predictions that are `noise` seconds off."""
    rng = np.random.default_rng(seed)
    truth, found = [], []
    for video in (f"game {k}, half {half}" for k in range(games) for half in (1, 2)):
        for time in rng.uniform(60, 2640, actions):
            label = str(rng.choice(["Goal", "Foul", "Corner"]))
            truth.append((time, label, video, 1))
            if rng.random() < recall:
                found.append((time + rng.normal(0, noise), label, video, rng.uniform(0.4, 1)))
            found += [(rng.uniform(60, 2640), label, video, rng.random()) for _ in range(false)]
    sides = []
    for rows in (truth, found):
        times, labels, videos, scores = ([row[k] for row in rows] for k in range(4))
        sides.append(spotting.Games(Events(times, labels, videos, scores=scores), [f"game {k}" for k in range(games)]))
    return sides


def changed(found, times=lambda x, _: x, videos=lambda x: x):
    """Predictions with other times, which also depend on the half, and other names of videos."""
    events = found.events
    halves = [x[-1] for x in events.videos]
    moved = [times(*x) for x in zip(events.times, halves, strict=True)]
    named = [x[:-1] + videos(x[-1]) for x in events.videos]
    return found._replace(events=dataclasses.replace(events, times=moved, videos=named))


DAMAGES = {
    "seconds": ({"times": lambda x, _: x / 1000}, "times-unit", "seconds, not milliseconds; multiply them by 1000"),
    "frames": ({"times": lambda x, _: x * 25 / 1000}, "times-unit", "frames, 25 a second, not milliseconds"),
    "features": ({"times": lambda x, _: x * 2 / 1000}, "times-unit", "frames, 2 a second"),
    "rate": ({"times": lambda x, _: x * 25 / 30}, "times-rate", "divided by another frame rate; multiply them by 1.2"),
    "film": ({"times": lambda x, _: x * 25 / 24}, "times-rate", "multiply them by 0.96"),
    "late": ({"times": lambda x, _: x + 12}, "times-shifted", " s too late; subtract 1"),
    "early": ({"times": lambda x, _: x - 12}, "times-shifted", " s too early; add 1"),
    "whole game": ({"times": lambda x, half: x + 2700 * (half == "2")}, "halves-cumulative", "subtract 2700 s"),
    "exchanged": ({"videos": {"1": "2", "2": "1"}.get}, "halves-other", "seem to be exchanged"),
    "from 0": ({"videos": {"1": "0", "2": "1"}.get}, "halves-other", "counted from 0"),
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("poor", [{}, {"noise": 1.5, "recall": 0.7, "false": 2}])
def test_damages_are_found(name, poor):
    change, code, words = DAMAGES[name]
    truth, found = scene(**poor)
    (finding,) = spotting.diagnose(truth, changed(found, **change))
    assert finding.code == code
    assert words in f"{finding.text}; {finding.hint}"


@pytest.mark.parametrize("noise", [0.3, 3, 8, 40])
@pytest.mark.parametrize("recall", [0, 0.3, 1])
def test_poor_predictions_are_not_accused(noise, recall):
    for seed in range(8):
        assert spotting.diagnose(*scene(seed, noise=noise, recall=recall, false=seed, actions=4 + 9 * (seed % 3))) == []


def test_nothing_on_one_side_is_not_accused():
    truth, found = scene()
    none = found._replace(events=Events([], [], [], scores=[]))
    assert spotting.diagnose(truth, none) == spotting.diagnose(none, found) == []
