"""The rules of suppression, written out, and boxes to try them on."""

import numpy as np

from tests.helpers import numbers


def listed(x):
    return numbers(x).astype(int).tolist()


def by_hand(overlap, scores, threshold, *, groups=None, inclusive=False):
    """The rule, written out."""
    kept = []
    for k in sorted(range(len(scores)), key=lambda k: (-scores[k], k)):
        limit = np.asarray(threshold, dtype=overlap.dtype)
        for i in kept:
            if groups is not None and groups[i] != groups[k]:
                continue
            if overlap[i, k] > limit or (inclusive and overlap[i, k] == limit):
                break
        else:
            kept.append(k)
    return kept


def crowd(seed, n, side=40.0):
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, side, (n, 2))
    # Few different scores: many ties.
    return np.concatenate([low, low + rng.uniform(2, 15, (n, 2))], axis=1), rng.integers(0, 9, n) / 8


def softly(overlap, scores, factor, groups):
    """The rule of soft suppression, written out."""
    now, left = list(map(float, scores)), set(range(len(scores)))
    while left:
        best = min(left, key=lambda k: (-now[k], k))
        left.remove(best)
        for k in left:
            if groups[k] == groups[best]:
                now[k] *= factor(overlap[best, k])
    return now


def at_once(overlap, scores, f, groups):
    """The rule of matrix suppression, written out."""
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    before = {j: [i for i in order[:p] if groups[i] == groups[j]] for p, j in enumerate(order)}
    worst = {i: max([overlap[k, i] for k in before[i]], default=0.0) for i in order}
    out = [0.0] * len(scores)
    for j in order:
        decays = [f(overlap[i, j]) / f(worst[i]) for i in before[j] if f(worst[i]) > 0]
        out[j] = scores[j] * min([1.0, *decays])
    return out
