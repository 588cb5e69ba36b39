"""Ids may be any 64 bits: renaming images, classes, tracks, sequences, segments or groups to hashes changes no bit."""

import dataclasses

import numpy as np
import pytest

from omniou import boxes, detection, matching, nms, pairs, panoptic, tracking
from tests.results import kinds

# Both ends of int64, and hashes of both signs.
IDS = np.asarray([-(2**63), -(2**62) - 5, -7, -1, 0, 2**61 + 3, 2**62 + 11, 2**63 - 2, 2**63 - 1], dtype=np.int64)
HASHES = IDS[[7, 2, 0, 8, 5, 1, 6, 3, 4]]
UNSIGNED = np.asarray([2**63 - 1, 0, 2**62, 7, 2**61, 1, 2**40, 2**33, 5], dtype=np.uint64)
IMAGES, CLASSES, TIED = 8, 4, 4


def equal(first, second):
    np.testing.assert_array_equal(np.asarray(first), np.asarray(second))


def detected(model, images, classes, xp, *, tied=False):
    """Boxes of several classes; ids of images break ties of scores, so only ids that rise keep them."""
    truth, own = np.random.default_rng(0), np.random.default_rng(model)
    image, label = np.repeat(np.arange(IMAGES), 3), truth.integers(0, CLASSES, 3 * IMAGES)
    corners = np.tile([[0.0, 0, 20, 20], [50, 0, 70, 20], [100, 0, 120, 20]], (IMAGES, 1))
    found, scores = corners + own.integers(-4, 5, corners.shape), own.random(3 * IMAGES)
    other = np.where(own.random(3 * IMAGES) < 0.2, (label + 1) % CLASSES, label)
    scores = np.round(scores * TIED) / TIED if tied else scores
    pair = np.stack([images, classes[np.arange(IMAGES) % CLASSES]], axis=1)
    columns = [xp.asarray(x) for x in (corners, classes[label], images[image], found, scores, classes[other], pair)]
    targets = detection.Targets(*columns[:3], negative=columns[6], not_exhaustive=columns[6][::2, :])
    detections = detection.Detections(columns[3], columns[4], columns[5], columns[2])
    plain = dataclasses.replace(targets, negative=None, not_exhaustive=None)
    chosen = {"images": images.tolist(), "classes": classes.tolist()}
    return [detection.evaluate(x, detections, **chosen) for x in (plain, targets)]


@pytest.mark.computes("an evaluation counts")
@pytest.mark.parametrize("rising", [True, False])
def test_detections(xp, rising):
    ids = IDS if rising else HASHES
    names = [(np.arange(IMAGES), np.arange(CLASSES)), (ids[:IMAGES], ids[2 : 2 + CLASSES])]
    plain, renamed = ([detected(model, *x, xp, tied=rising) for model in (1, 2)] for x in names)
    order = np.argsort(names[1][1])
    for before, after in zip([*plain[0], *plain[1]], [*renamed[0], *renamed[1]], strict=True):
        assert after.summary == before.summary
        for name, values in before.per_class.items():
            equal(np.asarray(values)[order], after.per_class[name])
        assert after.operating_points().common_f1 == before.operating_points().common_f1
        equal(after.calibration().confidence, before.calibration().confidence)
    (a, _), (b, _) = plain
    (c, _), (d, _) = renamed
    equal(c.of_images(names[1][0][:3].tolist()).summary["AP"], a.of_images([0, 1, 2]).summary["AP"])
    if not rising:  # samples draw images in the order of their ids
        return
    assert detection.compare_number(c, d, samples=20) == detection.compare_number(a, b, samples=20)
    assert detection.bootstrap(c, samples=20) == detection.bootstrap(a, samples=20)
    by_class = [detection.compare_classes(*x, samples=20) for x in ((c, d), (a, b))]
    equal(by_class[0].p_values, by_class[1].p_values)


def tracked(ids, classes, sequences, frames):
    truth, own = [], np.random.default_rng(3)
    tracks = []
    for sequence, frame, k in np.ndindex(3, 6, 4):
        box = [20 * k + frame, 0, 20 * k + frame + 10, 10]
        truth.append((sequence, frame, k, k % 3, box))
        if own.random() < 0.8:
            other = k if own.random() < 0.7 else k + 4
            tracks.append((sequence, frame, other, k % 3, [x + own.integers(-2, 3) for x in box[:2]] + box[2:]))
    tables = []
    for rows in (truth, tracks):
        s, f, i, c, box = (np.asarray(x) for x in zip(*rows, strict=True))
        tables.append(tracking.Tracks(box.astype(float), frames[f], ids[i], labels=classes[c], sequences=sequences[s]))
    return tracking.evaluate(*tables, classes=classes.tolist())  # named, or negative ones would be padding


@pytest.mark.parametrize(
    ("ids", "classes", "sequences", "frames"),
    [
        (HASHES, np.arange(3), np.arange(3), np.arange(6)),
        (UNSIGNED, np.arange(3), np.arange(3), np.arange(6)),
        (np.arange(9), HASHES[:3], HASHES[3:6], IDS[1:7]),
        (HASHES, np.asarray(["b", "c", "a"]), HASHES[:3], IDS[3:]),
    ],
)
def test_tracks(ids, classes, sequences, frames):
    before = tracked(np.arange(9), np.arange(3), np.arange(3), np.arange(6))
    after = tracked(ids, classes, sequences, frames)
    assert after.summary == before.summary
    assert after.detection_averaged == before.detection_averaged
    assert after.switches.count == before.switches.count
    assert [x["HOTA"] for x in after.per_sequence.values()] == [
        before.per_sequence[int(k)]["HOTA"] for k in np.argsort(sequences)
    ]


@pytest.mark.parametrize("kind", [x for x in kinds.KINDS if x != "boxes"])
def test_units_of_every_kind(kind):
    own = kinds.KINDS[kind]
    units = kinds.model(own, 5, 1).values()
    before, *after = (
        own.evaluate(dict(zip(names, units, strict=True)))
        for names in ("abcde", "edcba", HASHES[:5].tolist())
        if kind not in {"semantic", "components"} or isinstance(names, str)  # whose units are files
    )
    for result in after:
        np.testing.assert_equal(dict(result.summary), dict(before.summary))


def test_segments():
    ids = np.asarray([[1, 1, 2, 2, 3, 3], [4, 4, 2, 2, 3, 0]])
    other = np.asarray([[1, 1, 1, 2, 3, 3], [4, 4, 2, 2, 3, 0]])
    category = {1: 0, 2: 1, 3: 1, 4: 2}

    def counted(names, categories):
        records = [{"id": int(names[k]), "category_id": int(categories[c])} for k, c in category.items()]
        maps = (np.where(x == 0, 0, names[x]) for x in (ids, other))
        things, stuff = categories[:2].tolist(), categories[2:3].tolist()
        return panoptic.count_ids(*maps, records, records, things=things, stuff=stuff).summary

    nonzero = HASHES[HASHES != 0]
    assert counted(nonzero, HASHES) == counted(np.arange(9), np.arange(9))

    def of_pairs(categories, instances):
        maps = [np.stack([categories[x % 3], instances[x]], axis=-1)[None] for x in (ids, other)]
        return panoptic.count(*maps, things=categories[:2].tolist(), stuff=categories[2:3].tolist()).summary

    assert of_pairs(HASHES[:3], HASHES) == of_pairs(np.arange(3), np.arange(9))


@pytest.mark.parametrize("names", [HASHES, IDS, UNSIGNED])
def test_groups(names):
    rng = np.random.default_rng(5)
    corners, scores, group = rng.random((30, 2)) * 20, rng.random(30), rng.integers(0, 4, 30)
    corners = np.concatenate([corners, corners + 10], axis=1)
    for suppress in (lambda x: nms.hard(corners, scores, 0.3, groups=x), lambda x: nms.soft(corners, scores, groups=x)):
        np.testing.assert_equal(suppress(names[group]), suppress(group))
    sides = corners[:15], corners[15:]
    groups, renamed = ({"groups_a": x[:15], "groups_b": x[15:]} for x in (group, names[group]))
    for compute in (
        lambda x: pairs.pairwise_sparse(boxes.iou, *sides, 0.1, **x).values,
        lambda x: pairs.pairwise_max(boxes.iou, *sides, **x)[0],
        lambda x: matching.coco(*sides, scores=scores[:15], **x).objects,
    ):
        equal(compute(renamed), compute(groups))
