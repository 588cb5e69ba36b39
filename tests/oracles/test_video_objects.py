"""J and F beside TrackEval, whose J&F is that of DAVIS's unsupervised task."""

import sys
import types
import warnings

import numpy as np
import pytest
from pycocotools import mask as run_lengths

from omniou.tracking import video_objects
from tests.tracking.test_video_objects import NUMBERS, random_maps

# pycocotools, which TrackEval decodes masks by, beside a newer NumPy.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")
trackeval = pytest.importorskip("trackeval", reason="trackeval is not installed")


@pytest.fixture(autouse=True)
def _disk(monkeypatch):
    """The one function of scikit-image that TrackEval needs."""

    def disk(radius):
        steps = np.arange(-radius, radius + 1)
        return (steps[:, None] ** 2 + steps**2 <= radius**2).astype(np.uint8)

    morphology = types.SimpleNamespace(disk=disk)
    monkeypatch.setitem(sys.modules, "skimage", types.SimpleNamespace(morphology=morphology))
    monkeypatch.setitem(sys.modules, "skimage.morphology", morphology)


def data_of(truth, found):
    """Label maps as TrackEval's data: ids from 0, and masks of run lengths."""
    data = {"num_timesteps": len(truth), "gt_ids": [], "gt_dets": [], "tracker_ids": [], "tracker_dets": []}
    for side, maps in (("gt", truth), ("tracker", found)):
        labels = [x for x in np.unique(maps).tolist() if x]
        data[f"num_{side}_ids"] = len(labels)
        for image in maps:
            there = [k for k, x in enumerate(labels) if (image == x).any()]
            data[f"{side}_ids"].append(np.array(there, dtype=int))
            masks = [np.asfortranarray(image == labels[k], dtype=np.uint8) for k in there]
            data[f"{side}_dets"].append([run_lengths.encode(x) for x in masks])
    return data


@pytest.mark.parametrize("assign", ["J", "J&F"])
@pytest.mark.parametrize(("objects", "proposals"), [(2, 2), (3, 2), (2, 4), (3, 0)])
def test_unsupervised_equals_trackeval(objects, proposals, assign):
    metric = trackeval.metrics.JAndF()
    metric.optim_type = assign
    expected, truth, found = {}, {}, {}
    for seed in range(3):
        name = f"s{seed}"
        truth[name] = random_maps(seed, objects, 9 + seed)[0]
        found[name] = random_maps(seed, proposals, 9 + seed)[1] * 5
        expected[name] = metric.eval_sequence(data_of(truth[name], found[name]))
    result = video_objects.evaluate(truth, found, task="unsupervised", assign=assign)
    for name, own in result.per_sequence.items():
        assert {x: own[x] for x in NUMBERS} == pytest.approx({x: expected[name][x] for x in NUMBERS}, abs=1e-12)
    total = metric.combine_sequences(expected)
    assert {x: result.summary[x] for x in ("J&F", *NUMBERS)} == pytest.approx(
        {x: total[x] for x in ("J&F", *NUMBERS)}, abs=1e-12
    )


@pytest.mark.parametrize("frames", [256, 300, 400, 600])
def test_decay_of_uint8_equals_trackeval(frames):
    random = np.random.default_rng(frames)
    truth = np.ones((frames, 4, 4), dtype=int)
    found = (random.uniform(size=(frames, 4, 4)) < np.linspace(1, 0.2, frames)[:, None, None]).astype(int)
    with warnings.catch_warnings():  # means of nothing, and numbers of 8 bits that overflow
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = trackeval.metrics.JAndF().eval_sequence(data_of(truth, found))
    result = video_objects.evaluate({"a": truth}, {"a": found}, task="unsupervised", decay="uint8")
    assert result.summary["J-Decay"] == pytest.approx(expected["J-Decay"], abs=1e-12, nan_ok=True)
    exact = video_objects.evaluate({"a": truth}, {"a": found}, task="unsupervised")
    assert 0.3 < exact.summary["J-Decay"] < 0.8
