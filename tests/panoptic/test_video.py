"""Video panoptic quality (VPQ), and segmentation and tracking quality (STQ), in every library."""

import math

import numpy as np
import pytest

from omniou import panoptic
from tests.helpers import array, numbers
from tests.panoptic import reference
from tests.panoptic.cases import STUFF, THINGS, assert_tables, by_reference, random_maps, table

pytestmark = pytest.mark.computes("segments are found by values")


def tubes(target, prediction, length):
    """Windows of a video, each as one image."""
    starts = range(len(target) - length + 1)
    return [[x[k : k + length].reshape(-1, 2) for k in starts] for x in (target, prediction)]


@pytest.mark.proves("eager", "panoptic.count_video")
@pytest.mark.parametrize("seed", range(3))
def test_video_counts_equal_reference(xp, seed):
    target, prediction = random_maps(np.random.default_rng(seed), images=5, pixels=20, runs=4)
    maps = (xp.asarray(x) for x in (target, prediction))
    counts = panoptic.count_video(*maps, things=THINGS, stuff=STUFF, unknown="void", windows=(1, 2, 4, 6))
    expected = {k: by_reference(*tubes(target, prediction, k)) for k in (1, 2, 4, 6)}
    for k, rows in expected.items():
        assert_tables(table(counts.windows[k]), rows)
    assert counts.windows[6].summary["n"] == 0  # the video has five frames


def test_vpq_is_the_mean_over_windows(xp):
    target, prediction = random_maps(np.random.default_rng(5), images=6)
    options = {"things": THINGS, "stuff": STUFF, "unknown": "void", "windows": (1, 3)}
    halves = [
        panoptic.count_video(*(xp.asarray(x[part]) for x in (target, prediction)), **options)
        for part in (slice(0, 3), slice(3, 6))
    ]
    summary = sum(halves).summary
    for suffix in ("", "_th", "_st"):
        each = [sum(x.windows[k] for x in halves).summary[f"PQ{suffix}"] for k in (1, 3)]
        assert summary[f"VPQ{suffix}"] == pytest.approx(np.mean(each))
    assert summary["VPQ@3"] == pytest.approx(each_of(halves, 3))
    with pytest.raises(ValueError, match=r"must have the same windows, got \[1, 3\] and \[1\]"):
        halves[0] + panoptic.count_video(xp.asarray(target), xp.asarray(prediction), **{**options, "windows": (1,)})


def each_of(halves, length):
    return sum(x.windows[length] for x in halves).summary["PQ"]


@pytest.mark.parametrize("seed", range(4))
def test_tracking_counts_equal_reference(xp, seed):
    target, prediction = random_maps(np.random.default_rng(seed), images=4, pixels=25)
    crowd = (target[..., 1] == 2) & (seed % 2 == 0)
    maps = (xp.asarray(x) for x in (target, prediction))
    counts = panoptic.count_tracks(*maps, things=THINGS, stuff=STUFF, unknown="void", crowd=xp.asarray(crowd))
    flat = [[tuple(x) for x in maps.reshape(-1, 2).tolist()] for maps in (target, prediction)]
    association, tracks = reference.tracking(*flat, THINGS, crowd.ravel().tolist())
    assert float(counts.association) == pytest.approx(association)
    assert int(counts.tubes) == tracks
    classes = [1, 2, 8, 9]
    expected = [
        [sum(t[0] == a and p[0] == b for t, p in zip(*flat, strict=True)) for b in (*classes, 0)] for a in classes
    ]
    assert numbers(counts.confusion).tolist() == expected


@pytest.mark.proves("eager", "panoptic.count_tracks")
def test_stq_by_hand(xp):
    # A thing of 4 pixels in two frames, whose id changes, and stuff that is found but for a pixel.
    target = [[[1, 1], [1, 1], [8, 0], [8, 0]]] * 2
    prediction = [[[1, 1], [1, 1], [8, 0], [8, 0]], [[1, 2], [1, 2], [8, 0], [2, 0]]]
    maps = [array(xp, x, "int64") for x in (target, prediction)]
    counts = panoptic.count_tracks(*maps, things=THINGS, stuff=STUFF)
    summary = counts.summary
    assert summary["AQ"] == pytest.approx((2 * 2 / 4 + 2 * 2 / 4) / 4)
    assert summary["SQ"] == pytest.approx((1 + 0 + 3 / 4) / 3)
    assert summary["STQ"] == pytest.approx(math.sqrt(0.5 * 1.75 / 3))
    twice = (counts + counts).summary
    assert twice == pytest.approx(summary)
    with pytest.raises(ValueError, match="must be of the same classes"):
        counts + panoptic.count_tracks(*maps, things=THINGS, stuff={8})


def test_stq_of_nothing_is_nan(xp):
    none = xp.zeros((0, 3, 2), dtype=xp.int64)
    summary = panoptic.count_tracks(none, none, things={1}, stuff={2}).summary
    assert all(math.isnan(x) for x in summary.values())
