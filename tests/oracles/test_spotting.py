"""Average mAP of action spotting equals SoccerNet's own evaluation."""

import itertools

import numpy as np
import pytest

from omniou import spotting

official = pytest.importorskip(
    "SoccerNet.Evaluation.ActionSpotting", reason="SoccerNet is not installed: pip install --no-deps SoccerNet==0.2.0"
)

# Frames of a video.
_FRAMES = 400


def _official(truth, found, classes, videos, tolerances, monkeypatch):
    monkeypatch.setattr(official, "tqdm", lambda x: x)
    targets = [np.zeros((_FRAMES, classes)) for _ in range(videos)]
    scores = [np.zeros((_FRAMES, classes)) - 1 for _ in range(videos)]
    for time, label, video, shown in truth:
        targets[video][int(2 * time)][label] = 1 if shown else -1
    for time, label, video, score in found:
        scores[video][int(2 * time)][label] = score
    closest = [_closest(x) for x in targets]
    return official.average_mAP(targets, scores, closest, 2, deltas=np.asarray(tolerances, dtype=int))


def _closest(target):
    """As the script fills it: from the middle before an event to the middle behind it."""
    out = np.zeros(target.shape) - 1
    for label in range(target.shape[1]):
        frames = np.flatnonzero(target[:, label]).tolist()
        edges = [0, *((a + b) // 2 for a, b in itertools.pairwise(frames)), _FRAMES]
        for k, frame in enumerate(frames):
            out[edges[k] : edges[k + 1], label] = target[frame, label]
    return out


@pytest.mark.parametrize("seed", range(2))
def test_tight_and_loose_equal_soccernet(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    classes, videos, events, predictions = 3, 4, int(rng.integers(1, 40)), int(rng.integers(1, 200))
    truth = [
        (rng.uniform(0, 150), int(rng.integers(classes)), int(rng.integers(videos)), bool(rng.random() < 0.7))
        for _ in range(events)
    ]
    found = [
        (
            float(np.clip(truth[rng.integers(events)][0] + rng.normal() * 3, 0, 195)),
            int(rng.integers(classes)),
            int(rng.integers(videos)),
            float(rng.choice([rng.random(), 0.5])),
        )
        for _ in range(predictions)
    ]
    times, labels, at, shown = (list(x) for x in zip(*truth, strict=True))
    result = spotting.evaluate(
        spotting.Events(times, labels, at, shown=shown),
        spotting.Events(*(list(x) for x in zip(*found, strict=True))),
        classes=list(range(classes)),
    )

    for name, tolerances in (("tight", spotting.TIGHT), ("loose", spotting.LOOSE)):
        mean, per_class, visible, _, unshown, _ = _official(truth, found, classes, videos, tolerances, monkeypatch)
        expected = [mean, visible, unshown]
        mine = [result.summary[name + part] for part in ("", "_visible", "_unshown")]
        np.testing.assert_allclose(mine, expected, rtol=0, atol=1e-12)
        rows = [result.tolerances.index(x) for x in tolerances]
        table = result.ap[rows]
        np.testing.assert_allclose(((table[1:] + table[:-1]) / 2).mean(axis=0), per_class, rtol=0, atol=1e-12)
