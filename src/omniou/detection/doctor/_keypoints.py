"""What is doubtful about keypoints: axes, order and unit of the points, areas, sigmas, points that were not found."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from omniou._doctor.columns import Column, distinct, median, np
from omniou._doctor.engine import MATCH, Reading, Trial
from omniou._kernels import keypoints as kernels
from omniou._lib.brief import counted
from omniou._lib.findings import Finding
from omniou.detection.doctor._scale import agreed
from omniou.keypoints import Skeleton

# Images that are looked at, evenly spaced, and detections of each, the best ones.
_IMAGES, _MOST = 200, 20
# A sigma above this makes OKS near 1 for a third of the object's size: COCO's largest is 0.107.
_LARGE_SIGMA = 0.15
# The share of areas that equal the areas of the boxes, and the least number of areas.
_SAME_AREAS, _FEW_AREAS = 0.95, 2
# Fractions of an image's sides are not above this; objects in pixels are larger.
_FRACTION, _PIXELS = 1.5, 8.0
# Points that must lie at a place where the ground truth has another one, to speak of an order.
_MOVED = 2


class Points(NamedTuple):
    """A table of keypoints, in NumPy."""

    points: Column  # (N, K, 3)
    boxes: Column  # (N, 4), x, y, width and height
    area: Column  # (N,)
    images: Column  # (N,)
    path: str = ""
    scores: Column | None = None
    sides: Column | None = None  # (N, 2) width and height of their images, NaN where unknown

    @property
    def seen(self) -> Column:
        """(N, K) which points are labelled."""
        labelled: Column = self.points[:, :, 2] > 0
        return labelled


def check(skeleton: Skeleton, objects: Points, detections: Points | None) -> list[Finding]:
    """What is doubtful about a ground truth, and about detections."""
    found = [*_sigmas(skeleton, objects.path), *_visible(objects), *_areas(skeleton, objects)]
    if detections is None or not len(detections.points):
        return found
    found += _zeros(detections)
    return found + _readings(skeleton, objects, detections)


def _sigmas(skeleton: Skeleton, path: str) -> Iterator[Finding]:
    largest = max(skeleton.sigmas)
    number = len(skeleton.sigmas)
    if largest > _LARGE_SIGMA:
        text = f"sigmas of {skeleton.name} reach {largest:g}: OKS is near 1 for almost any point"
        hint = f"COCO's are 0.025 to 0.107; write {largest / 10:g} if they were multiplied by 10"
        yield Finding(code="keypoints-sigmas", text=text, hint=hint, path=path)
    elif number > 1 and np.allclose(skeleton.sigmas, 1 / number):
        text = f"all {number} sigmas are 1/{number}, the default of some tools for unknown sigmas"
        hint = "measure them from repeated annotations: omniou.keypoints.estimate_sigmas"
        yield Finding(code="keypoints-sigmas", text=text, hint=hint, path=path)


def _visible(objects: Points) -> Iterator[Finding]:
    if not len(objects.points):
        return
    if not objects.seen.any():
        text = f"none of {len(objects.points)} objects has a labelled point: v is above 0 nowhere, and all are ignored"
        hint = "write v as 2 for visible points and 1 for hidden ones"
        yield Finding(code="keypoints-invisible", text=text, hint=hint, path=objects.path)
    zeros = (objects.points[:, :, :2] == 0).all(axis=2) & objects.seen
    if count := int(zeros.sum()):
        text = f"{counted(count, 'labelled points')} of the ground truth at 0, 0"
        hint = "write v as 0 where a point is not labelled"
        yield Finding(code="keypoints-zeros", text=text, hint=hint, path=objects.path)


def _areas(skeleton: Skeleton, objects: Points) -> Iterator[Finding]:
    if skeleton.box_area is not None:
        return
    labelled = objects.seen.any(axis=1)
    of_boxes = objects.boxes[:, 2] * objects.boxes[:, 3]
    area = objects.area
    if count := int((labelled & (area <= 0)).sum()):
        text = f"{count} of {int(labelled.sum())} objects have an area of 0: only points at the same place match"
        hint = "write the area of the mask, or 0.53 of the box"
        yield Finding(code="keypoints-area-zero", text=text, hint=hint, path=objects.path)
    known = labelled & (area > 0)
    same = known & (np.abs(area - of_boxes) <= 1e-6 * of_boxes)
    if known.sum() >= _FEW_AREAS and same.sum() >= _SAME_AREAS * known.sum():
        text = f"{int(same.sum())} of {int(known.sum())} areas are width times height of the box: OKS is too high"
        hint = "write the area of the mask, or 0.53 of the box"
        yield Finding(code="keypoints-area", text=text, hint=hint, path=objects.path)


def _zeros(detections: Points) -> Iterator[Finding]:
    zeros = (detections.points[:, :, :2] == 0).all(axis=2)
    some = zeros.any(axis=1) & ~zeros.all(axis=1)
    if count := int(some.sum()):
        text = f"{count} of {len(zeros)} detections have points at 0, 0, which enlarge the detection's area"
        hint = "write each point at its most likely place: v of detections has no effect"
        yield Finding(code="keypoints-zeros", text=text, hint=hint, path=detections.path)


class _Pairs(NamedTuple):
    """Rows of both tables, (P,) each."""

    objects: Column
    detections: Column


def _readings(skeleton: Skeleton, objects: Points, detections: Points) -> list[Finding]:
    """A reading in which far more objects have a detection on them."""
    own, other = (_pairs(objects, detections, elsewhere=x) for x in (False, True))
    best = functools.partial(_best, skeleton, objects)
    trial = Trial(
        given=detections.points,
        total=len(distinct(own.objects)),
        matches=functools.partial(best, own),
        by_chance=lambda points: int((best(other, points) >= MATCH).sum()),
        measure=f"OKS >= {MATCH:g} with a detection of the image",
        of="objects",
    )
    return trial.findings(_others(skeleton, objects, detections, own), _scales(objects, detections, own))


def _pairs(objects: Points, detections: Points, *, elsewhere: bool = False) -> _Pairs:
    """Each labelled object of some images with each of the best detections there, or in another one of the images."""
    labelled = np.flatnonzero(objects.seen.any(axis=1))
    scores = np.zeros(len(detections.points)) if detections.scores is None else detections.scores
    images = distinct(objects.images[labelled])
    images = images[:: -(-len(images) // _IMAGES) or 1]
    rows, columns = [], []
    for image, other in zip(images, np.roll(images, len(images) // 2) if elsewhere else images, strict=True):
        there = labelled[objects.images[labelled] == image]
        found = np.flatnonzero(detections.images == other)
        found = found[np.argsort(-scores[found], kind="stable")][:_MOST]
        rows.append(np.repeat(there, len(found)))
        columns.append(np.tile(found, len(there)))
    return _Pairs(np.concatenate([*rows, labelled[:0]]), np.concatenate([*columns, labelled[:0]]))


def _others(skeleton: Skeleton, objects: Points, sample: Points, pairs: _Pairs) -> Iterator[Reading]:
    def reading(code: str, text: str, hint: str, read: Callable[[Column], Column]) -> Reading:
        return Reading(f"keypoints-{code}", text, hint, read, path=sample.path)

    text = "x and y of the detections are swapped"
    yield reading("axes", text, "write x first", lambda points: points[:, :, [1, 0, 2]])
    if float(np.abs(sample.points[:, :, :2]).max()) <= _FRACTION and median(objects.boxes[:, 2:].reshape(-1)) > _PIXELS:
        # Where sides of images are not known, each axis is brought to the extent of the objects.
        reach = (objects.boxes[:, :2] + objects.boxes[:, 2:]).max(axis=0)
        scale = reach / np.maximum(sample.points[:, :, :2].max(axis=(0, 1)), 1e-9)
        if sample.sides is not None and not np.isnan(sample.sides).any():
            scale = sample.sides[:, None, :]
        text = "points of the detections are fractions, and the ground truth is in pixels"
        yield reading("unit", text, "multiply them by the sides of their images", lambda points: _scaled(points, scale))
    sides = _mirrored(skeleton)
    if sides is not None:
        text = "left and right of the detections are swapped"
        yield reading("sides", text, "swap the points of each pair", lambda points: points[:, sides])
    order = _order(objects, sample, pairs)
    if order is not None:
        moved = [k for k, other in enumerate(order) if k != other]
        which = ", ".join(f"{_named(skeleton, k)} from place {order[k]}" for k in moved[:3])
        more = ", ..." if len(moved) > 3 else ""
        text = "the points of the detections are in another order than the ground truth's"
        yield reading("order", text, f"take {which}{more}", lambda points: points[:, order])


def _scales(objects: Points, sample: Points, pairs: _Pairs) -> Iterator[Reading]:
    """The factor that the places and extents of most pairs agree on: points of resized images."""
    seen = objects.seen[pairs.objects][:, :, None]
    some = seen.sum(axis=(1, 2)) > 1
    measures = []
    for points in (sample.points[pairs.detections], objects.points[pairs.objects]):
        low = np.where(seen, points[:, :, :2], np.inf)[some].min(axis=1)
        high = np.where(seen, points[:, :, :2], -np.inf)[some].max(axis=1)
        measures.append(np.concatenate([(low + high) / 2, high - low], axis=1))
    if measured := agreed(*measures):
        factor, _ = measured
        text = "points of the detections and of the ground truth have different scales: of resized images"
        hint = f"multiply the points of the detections by {factor:.4g}"
        read = functools.partial(_scaled, scale=factor)
        yield Reading("keypoints-scale", text, hint, read, "after scaling", sample.path)


def _scaled(points: Column, scale: Column | float) -> Column:
    return np.concatenate([points[:, :, :2] * scale, points[:, :, 2:]], axis=2)


def _named(skeleton: Skeleton, k: int) -> str:
    return skeleton.points[k] if skeleton.points else f"point {k}"


def _mirrored(skeleton: Skeleton) -> list[int] | None:
    """The order of points with left and right swapped, by their names."""
    swap = {"left": "right", "right": "left"}
    places = {name: k for k, name in enumerate(skeleton.points)}
    order = []
    for k, name in enumerate(skeleton.points):
        side, _, part = name.partition("_")
        order.append(places.get(f"{swap[side]}_{part}", k) if side in swap else k)
    return order if order != list(range(len(order))) and sorted(order) == list(range(len(order))) else None


def _order(objects: Points, sample: Points, pairs: _Pairs) -> Sequence[int] | None:
    """The nearest place in detections for each point, each place once; None where nothing moves.

    Points of a face lie too near to each other to be told apart with certainty: what speaks for an order is the OKS.
    """
    row, column = _nearest(objects, sample, pairs)
    a, b, seen = sample.points[column], objects.points[row], objects.seen[row]
    size = np.sqrt(np.maximum(objects.area[row], 1.0))[:, None, None]
    apart = np.hypot(*(b[:, :, None, axis] - a[:, None, :, axis] for axis in (0, 1))) / size
    apart = np.where(seen[:, :, None], apart, np.nan)
    known = seen.any(axis=0)
    cost = np.full(apart.shape[1:], np.inf)
    cost[known] = np.nanmedian(apart[:, known], axis=0)
    order = [-1] * len(cost)
    # The nearest two first, then the nearest of the rest: points that no object has come last.
    for place in np.argsort(cost, axis=None, kind="stable").tolist():
        point, other = divmod(place, len(cost))
        if order[point] < 0 and other not in order:
            order[point] = other
    return order if sum(k != other for k, other in enumerate(order)) >= _MOVED else None


def _nearest(objects: Points, sample: Points, pairs: _Pairs) -> tuple[Column, Column]:
    """Rows of objects and detections whose middles are nearest, regardless of the order of their points."""
    weights = objects.seen[pairs.objects][:, :, None]
    middles = (objects.points[pairs.objects][:, :, :2] * weights).sum(axis=1) / weights.sum(axis=1)
    apart = np.square(middles - sample.points[pairs.detections][:, :, :2].mean(axis=1)).sum(axis=1)
    order = np.lexsort((apart, pairs.objects))
    first = order[np.flatnonzero(np.diff(pairs.objects[order], prepend=-1))]
    return pairs.objects[first], pairs.detections[first]


def _best(skeleton: Skeleton, objects: Points, pairs: _Pairs, points: Column) -> Column:
    """The highest OKS of each object of the pairs with a detection."""
    own = kernels.Objects(objects.points[pairs.objects], None, np.maximum(objects.area[pairs.objects], 1e-12))
    plan = kernels.OksPlan(skeleton.sigmas, 0.0, np.float64, np.float64)
    similar, counted = kernels.similarities(points[pairs.detections], own, plan=plan, xp=np)
    known = distinct(pairs.objects)
    best = np.zeros(len(known))
    np.maximum.at(best, np.searchsorted(known, pairs.objects), kernels.mean_visible(similar, counted, xp=np))
    return best
