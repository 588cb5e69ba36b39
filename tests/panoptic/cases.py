"""Random label maps of things and stuff, and their counts by the reference."""

import numpy as np
import pytest

from tests.helpers import numbers
from tests.panoptic import reference

THINGS, STUFF = {1, 2}, {8, 9}


def table(counts):
    """[sum of IoU, true positives, false positives, false negatives] of each class that is there."""
    columns = [numbers(x).tolist() for x in columns_of(counts)]
    rows = {k: list(row) for k, *row in zip(counts.classes, *columns, strict=True)}
    return {k: row for k, row in rows.items() if any(row)}


def assert_tables(actual, expected):
    assert actual.keys() == {k for k, row in expected.items() if any(row)}
    for k, row in actual.items():
        assert row == pytest.approx(expected[k], abs=1e-13)


def columns_of(counts):
    return counts.iou, counts.true_positives, counts.false_positives, counts.false_negatives


def as_ids(maps):
    """Flat pairs of one image -> flat ids of segments, and their records; category 0 is void."""
    pairs = [(c, i if c in THINGS else 0) if c in THINGS | STUFF else None for c, i in maps]
    known = {pair: k + 1 for k, pair in enumerate(sorted(set(pairs) - {None}))}
    return [known.get(x, 0) for x in pairs], [{"id": k, "category_id": c} for (c, _), k in known.items()]


def by_reference(target, prediction, crowd=None):
    images = []
    for k, (a, b) in enumerate(zip(target, prediction, strict=True)):
        # A crowd is a segment of its own.
        flags = np.zeros(len(a), dtype=bool) if crowd is None else np.asarray(crowd[k])
        marked = [
            (c, i + 1000 * f if c in THINGS else 0) for (c, i), f in zip(np.asarray(a).tolist(), flags, strict=True)
        ]
        ids, records = as_ids(marked)
        for record in records:
            record["iscrowd"] = int(any(f for x, f in zip(ids, flags, strict=True) if x == record["id"]))
        images.append((ids, as_ids(np.asarray(b).tolist())[0], records, as_ids(np.asarray(b).tolist())[1]))
    return reference.quality(images)


def random_maps(rng, images=3, pixels=40, *, runs=8):
    """Maps with runs of labels, some of them void."""
    labels = np.array([[1, 1], [1, 2], [2, 1], [8, 0], [8, 3], [9, 0], [0, 0]])
    starts = np.sort(rng.integers(0, pixels, (images, runs)), axis=1)
    target = labels[rng.integers(0, len(labels), (images, runs + 1))]
    where = (np.arange(pixels)[None, :, None] >= starts[:, None, :]).sum(-1)
    maps = np.take_along_axis(target, where[..., None], axis=1)
    noise = rng.random((images, pixels, 1)) < 0.2
    return maps, np.where(noise, labels[rng.integers(0, len(labels), (images, pixels))], maps)
