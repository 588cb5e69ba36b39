"""The images of detections: whether their ids are the ground truth's, and which images have none."""

import functools
from collections.abc import Iterator

from omniou._doctor.columns import Column, np
from omniou._doctor.engine import Reading, Trial
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes import MATCHED, Fit
from omniou.detection.doctor._examined import Examined
from omniou.detection.doctor._sample import THRESHOLD, Sample, matched, places

# Ranges in brackets as in `_doctor.engine`.

# Images whose detections are compared with others (18 to 40; with 16 a set is accused), and, to bound the time, those
# that they are compared with.
_TRIED, _OTHERS = 20, 5000
# Detections of an image that say where they belong: at the least (2 to 6), and those that are looked at (3 to 12).
_ENOUGH, _ENOUGH_AT_MOST = 3, 6
# By how much the share of them that match is higher in another image that fits far better (0.25 to 1).
_FAR_BETTER = 0.5
# The share of tried images that fit another one (0.25 to 1), and how many times as many as by chance (1 to 4).
_MIXED, _TIMES = 0.5, 2
# Images of which the order by name is tried: sorting more takes seconds.
_SORTED = 100_000
# Standard deviations beyond which a difference is not by chance, which exceeds two in 2.3 % of all cases (1 to 2; with
# 3 a set is accused).
_DEVIATIONS = 2
# Detections that are needed to say that they have nothing to do with their images (50 to 200).
_FEW = 100
# A share of detections that match objects of other images, above which nothing can be said (0.125 to 0.5).
_CHANCE = 0.25
# Parts of all images by which detections are moved to other images, to measure chance.
_PARTS = (2, 3, 4, 5)
# Images whose detections fit better in another order of images: so many (2 to 10), and a share of all (0.1 to 0.4).
_SPREAD_IMAGES, _SPREAD = 5, 0.2
# Images without detections: more than this share (0.05 to 0.2), and than this many (2 to 8).
_SHARE, _MISSING = 0.1, 4
# How many times as many of them as chance explains (2 to 4; with 1, 2 sets are accused).
_UNEXPECTED = 2
# A share of them that follow one another (0.72 to 1; at 0.6 a set is accused).
_TOGETHER = 0.9
# Detections for each object at the most, and halvings of that, in search of their rate: to 5e-11.
_RATE, _HALVINGS = 50.0, 40


def check(truth: Examined, sample: Sample, fit: Fit, path: str) -> list[Finding]:
    """Ids of images in another order, where few detections meet the objects of their images."""
    if not fit.is_poor:
        return []
    hint = "write the ids, or the names, that the images have in the ground truth"
    own = sample.best(fit.detections, fit.objects)
    chance = sample.best(fit.detections, fit.objects, sample.elsewhere())
    trial = Trial(given=own, total=len(own), matches=matched, by_chance=lambda _: matched(chance), measure=MATCHED)
    readings = (
        Reading(
            code="images-shifted",
            text=f"ids of images of the detections seem to be {words}",
            hint=hint,
            read=functools.partial(_moved, sample, fit, there),
            words="with these ids",
            path=path,
        )
        for words, there in _orders(truth)
    )
    if (other := trial.best(readings)) and _in_many(sample, own, other.value):
        return [other.finding]
    if _belong(sample, own, chance):
        return []
    tried, elsewhere, by_chance = _better_elsewhere(sample, fit, own)
    if elsewhere > _MIXED * tried and elsewhere >= _TIMES * by_chance + _ENOUGH:
        text = "ids of images of the detections seem to be mixed up"
        evidence = f"in {elsewhere} of {tried} images, the detections fit another image much better than their own"
        return [Finding(code="images-mixed", text=text, evidence=evidence, hint=hint, path=path)]
    return []


def _moved(sample: Sample, fit: Fit, there: Column, _: Column) -> Column:
    """The highest IoU of each detection with an object of another image, `there` in place of its own."""
    return sample.best(fit.detections, fit.objects, there[sample.detections.images])


def _in_many(sample: Sample, own: Column, moved: Column) -> bool:
    """Whether more detections match in other images in many images, and not only in a few by chance.

    Twice as many images must gain as lose: with ids shifted by one, nearly all gain, while a crowded image that happens
    to match gains by itself.
    """
    at = np.searchsorted(sample.places, sample.detections.images)
    gain = np.bincount(at, (moved >= THRESHOLD) * 1.0 - (own >= THRESHOLD), len(sample.places))
    better, worse = int((gain > 0).sum()), int((gain < 0).sum())
    return better >= _SPREAD_IMAGES + _TIMES * worse and better >= _SPREAD * len(sample.places)


def unrelated(sample: Sample, fit: Fit, path: str) -> list[Finding]:
    """Detections that overlap objects of their own images no more than objects of others, in a large sample.

    Where many match objects of other images, too, or there are few images, nothing can be said.
    """
    if len(fit.detections) < _FEW or len(sample.places) < _TRIED:
        return []
    own = sample.best(fit.detections, fit.objects)
    others = [sample.best(fit.detections, fit.objects, sample.elsewhere(part)) for part in _PARTS]
    by_chance = float(np.mean([matched(x) for x in others]))
    gain = own - np.mean(others, axis=0)
    if by_chance > _CHANCE * len(own) or gain.mean() >= _DEVIATIONS * gain.std() / np.sqrt(len(gain)):
        return []
    text = "detections seem to have nothing to do with the objects of their images"
    evidence = (
        f"{MATCHED}: {matched(own) / len(own):.1%} of detections, and {by_chance / len(own):.1%} with one of another"
    )
    return [Finding(code="unrelated", text=text, evidence=evidence, hint="are these files of one data set?", path=path)]


def _belong(sample: Sample, own: Column, chance: Column) -> bool:
    """Whether overlaps with the own image are higher than with another one, by more than chance explains.

    In how many images, or by how much: few good detections among many bad ones are told by the latter. Images are
    counted, since the detections of one depend on each other.
    """
    at = np.searchsorted(sample.places, sample.detections.images)
    sums = np.bincount(at, own - chance, len(sample.places))
    counts = np.bincount(at, minlength=len(sample.places))
    gain = sums[counts > 0] / counts[counts > 0]
    often = np.sign(gain).sum() >= _DEVIATIONS * np.sqrt((gain != 0).sum())
    much = gain.mean() >= _DEVIATIONS * gain.std() / np.sqrt(len(gain))
    return bool(gain.any() and (often or much))


def _orders(truth: Examined) -> Iterator[tuple[str, Column]]:
    """Ways in which ids go wrong: for each place in the rising ids the place that is meant."""
    size = len(truth.images)
    every = np.arange(size)
    yield "one too low", np.minimum(every + 1, size - 1)
    yield "one too high", np.maximum(every - 1, 0)
    if size > _SORTED:
        return
    ids = np.sort(truth.images)
    names = [truth.image_names.get(int(i), str(i)) for i in ids]
    orders = {
        "rising ids": every,
        "the file": places(ids, truth.images),
        "names": np.array(sorted(range(size), key=names.__getitem__), dtype=np.int64),
        "ids as text": np.array(sorted(range(size), key=lambda k: str(ids[k])), dtype=np.int64),
    }
    for said, taken in orders.items():
        for meant, there in orders.items():
            if not np.array_equal(taken, there):
                moved = np.empty(size, dtype=np.int64)
                moved[taken] = there
                yield f"counted in the order of {meant}, but read in the order of {said}", moved


def _better_elsewhere(sample: Sample, fit: Fit, own: Column) -> tuple[int, int, int]:
    """Images with enough detections, some of them, and how many fit another image far better than their own.

    And how many do if each of their detections is from another image: as many fit by chance, of dense or large objects.
    """
    images, counts = np.unique(sample.detections.images, return_counts=True)
    tried = images[np.argsort(-counts, kind="stable")][:_TRIED]
    others = np.flatnonzero(np.diff(sample.first))
    others = others[:: -(-len(others) // _OTHERS)]
    rows = [_different(fit.detections, np.flatnonzero(sample.detections.images == image)) for image in tried]
    rows = [x for x in rows if len(x) >= _ENOUGH]

    def fitting(groups: list[Column]) -> int:
        count = 0
        for group in groups:
            repeated, there = np.tile(group, len(others)), np.repeat(others, len(group))
            best = sample.best(fit.detections[repeated], fit.objects, there).reshape(len(others), -1)
            count += (best >= THRESHOLD).mean(axis=1).max() >= (own[group] >= THRESHOLD).mean() + _FAR_BETTER
        return int(count)

    mixed = [
        np.array([rows[(k + j) % len(rows)][j % len(rows[(k + j) % len(rows)])] for j in range(len(x))])
        for k, x in enumerate(rows)
    ]
    return len(rows), fitting(rows), fitting(mixed)


def _different(boxes: Column, rows: Column) -> Column:
    """Some rows, of boxes that differ."""
    return rows[np.unique(boxes[rows], axis=0, return_index=True)[1]][:_ENOUGH_AT_MOST]


def without_detections(objects: Column, detections: Column, path: str, holder: str = "image") -> list[Finding]:
    """Images with objects and without detections, if the counts of the other images make that unlikely."""
    there = objects > 0
    missing = there & (detections == 0)
    count, total = int(missing.sum()), int(there.sum())
    if count <= max(_MISSING, _SHARE * total) or count == total:
        return []
    where = _stretch(missing[there])
    if not where and count < _UNEXPECTED * _expected_empty(objects[there], detections[there]) + _SHARE * total:
        return []
    text = f"{count} of {total} {holder}s with objects have no detections"
    evidence = f"{where}the others have {detections[there & ~missing].mean():.1f} each"
    hint = f"are detections of all {holder}s in the file? objects in {holder}s without detections count as missed"
    return [Finding(code="images-without-detections", text=text, evidence=evidence, hint=hint, path=path)]


def _expected_empty(objects: Column, detections: Column) -> float:
    """How many images are empty by chance, if detections come at one rate for each object.

    An image of n objects has Poisson's number of detections, of mean rate * n. Images without any are what is asked
    about, so the rate is that at which the others have as many as they do: mean / (1 - exp(-mean)) each, Poisson's
    number given that it is not 0. That rises with the rate, so halving an interval finds it.
    """
    some = detections > 0
    low, high = 0.0, _RATE
    for _ in range(_HALVINGS):
        rate = (low + high) / 2
        mean = rate * objects[some]
        low, high = (rate, high) if (mean / -np.expm1(-mean)).sum() < detections[some].sum() else (low, rate)
    return float(np.exp(-high * objects).sum())


def _stretch(missing: Column) -> str:
    """Where most of those that are missing follow one another, at the beginning or the end."""
    count = int(missing.sum())
    ends = {"first": missing[:count], "last": missing[-count:]}
    where = next((name for name, part in ends.items() if part.mean() >= _TOGETHER), "")
    return f"they are the {where} ones by id; " if where and count < _TOGETHER * len(missing) else ""
