"""Greedy and Hungarian pairing against reference implementations."""

import itertools
import math
import sys

import array_api_compat.torch
import numpy as np
import pytest
import torch

from omniou_integrations._shared.pairing import greedy, hungarian
from omniou_integrations.torchmetrics import IntersectionOverUnion
from tests.integrations.samples import sample


def scores(seed):
    """Scores of few values, so that some are equal, and a mask of eligible pairs."""
    generator = torch.Generator().manual_seed(seed)
    shape = (3, *torch.randint(1, 6, (2,), generator=generator).tolist())
    score = torch.randint(-2, 4, shape, generator=generator) / 3
    score[torch.rand(shape, generator=generator) < 0.1] = math.nan
    return score, torch.rand(shape, generator=generator) < 0.7


def one_by_one(score, allowed):
    """Reference: the best remaining pair, one at a time; of equal scores the first, NaN last."""
    rows, columns = score.shape
    pairs = [(i, j) for i in range(rows) for j in range(columns) if allowed[i, j]]
    taken = []
    for i, j in sorted(pairs, key=lambda pair: -math.inf if math.isnan(x := float(score[pair])) else x, reverse=True):
        if all(i != row and j != column for row, column in taken):
            taken.append((i, j))
    return sorted(taken)


@pytest.mark.parametrize("seed", range(20))
def test_greedy_equals_best_pair_one_by_one(seed):
    score, allowed = scores(seed)

    paired = greedy(score, allowed, xp=array_api_compat.torch)

    assert [x.nonzero().tolist() for x in paired] == [
        [list(pair) for pair in one_by_one(*image)] for image in zip(score, allowed, strict=True)
    ]


def best_of_all(score, allowed):
    """Best of all assignments: most pairs, then fewest NaN, then the highest sum."""
    rows, columns = score.shape
    if rows > columns:
        return best_of_all(score.T, allowed.T)
    best = (0, 0, 0.0)
    for choice in itertools.permutations(range(columns), rows):
        values = [float(score[i, j]) for i, j in enumerate(choice) if allowed[i, j]]
        known = [x for x in values if not math.isnan(x)]
        best = max(best, (len(values), len(known) - len(values), round(sum(known), 9)))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_hungarian_is_best_of_all_assignments(seed):
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    score, allowed = (x.numpy() for x in scores(seed))

    for paired, values, may in zip(hungarian(score, allowed), score, allowed, strict=True):
        assert paired.sum(0).max(initial=0) <= 1 >= paired.sum(1).max(initial=0)
        assert not (paired & ~may).any()
        known = values[paired][~np.isnan(values[paired])]
        assert (paired.sum(), len(known) - paired.sum(), round(float(known.sum()), 6)) == pytest.approx(
            best_of_all(values, may), abs=1e-5
        )


def test_hungarian_without_scipy_raises(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    metric = IntersectionOverUnion(pairing="hungarian")

    with pytest.raises(ModuleNotFoundError, match="needs SciPy: pip install scipy"):
        metric.update([sample([[0, 0, 1, 1]])], [sample([[0, 0, 1, 1]])])
    assert metric.count.item() == 0
