"""Keypoints in COCO's JSON: which set of points a file has, and their numbers as columns."""

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._lib.findings import Finding
from omniou.data import _faults
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats.coco_records import KeypointCategory, KeypointImage, KeypointTruth
from omniou.data._formats.file_rows import Place
from omniou.data._names import Coded, Listed, matched, packed
from omniou.data._options import Options
from omniou.data._truth import GroundTruth
from omniou.keypoints import COCO, CROWDPOSE, SKELETONS, WHOLEBODY, Skeleton
from omniou.keypoints._skeletons import skeleton_of

Column = npt.NDArray[Any]
PlaceOf = Callable[[int, str], Place]

# The lists of COCO-WholeBody, in the order of its points.
_PARTS = ("keypoints", "foot_kpts", "face_kpts", "lefthand_kpts", "righthand_kpts")
# mmpose's name of a point of CrowdPose.
_OTHER_NAMES = {"top_head": "head"}
# CrowdPose's levels: an image is of the first whose bound is above its crowd index.
_LEVELS = {"easy": 0.2, "medium": 0.8, "hard": float("inf")}
_HUGE = 1e150


class TruthPoints(NamedTuple):
    """The keypoints of a ground truth."""

    rows: Column  # (N, 3K)
    skeleton: Skeleton


def flat(records: Sequence[Any], skeleton: Skeleton) -> tuple[Column, Column]:
    """All numbers of all points of some records, and how many each of them has."""
    each = [x.keypoints or () for x in records]
    if skeleton.name == WHOLEBODY.name:
        each = [[number for part in _PARTS for number in getattr(x, part) or ()] for x in records]
    numbers: list[float] = []
    for x in each:
        numbers.extend(x)
    return packed(numbers, np.float64), packed([len(x) for x in each], np.int64)


def of_truth(path: Path, truth: KeypointTruth, place: PlaceOf, options: Options) -> TruthPoints:
    """The points of the objects, and the set of points that they belong to."""
    records = truth.annotations
    if records and all(x.keypoints is None for x in records):
        raise InputError(path, "missing: --kind bbox reads boxes", place="annotations[0].keypoints")
    chosen = options.chosen({x.id: str(x.id) if x.name is None else x.name for x in truth.categories}, path)
    skeleton = _skeleton(path, truth, chosen, options)
    points, lengths = flat(records, skeleton)
    pointed = (lengths > 0) & np.array([x.category_id in chosen for x in records], dtype=bool)
    rows = _rows(points, lengths, skeleton, place, read=pointed)
    unseen = rows.reshape(len(rows), rows.shape[1] // 3, 3)[:, :, 2] <= 0
    # Coordinates of unlabelled points may be any numbers.
    rows.reshape(len(rows), rows.shape[1] // 3, 3)[unseen, :2] = 0
    _check_finite(rows, place)
    for row, x in enumerate(records):
        if x.area is None and skeleton.box_area is None and pointed[row]:
            at = place(row, "area")
            fault = "missing: OKS divides by the area of the object; --sigmas crowdpose takes 0.53 of its box"
            _faults.keep(InputError(at.path, fault + at.record, place=at.place))
    if (lengths[pointed] == rows.shape[1]).all():  # otherwise rows are missing, which is said
        _warn_of_counts(path, truth, rows, skeleton, chosen)
    return TruthPoints(rows, skeleton)


def of_detections(
    points: Column, lengths: Column, labels: Coded, truth: GroundTruth, options: Options, *, place: PlaceOf
) -> Column:
    """The points of detections in the set of the ground truth, (M, 3K): 0 for classes that are not read."""
    skeleton = truth.skeleton or COCO
    ids, known, _ = matched(labels.keys, Listed(truth.categories, truth.category_naming))
    read = ~known | np.isin(ids, list(options.chosen(truth.categories, truth.path)))
    rows = _rows(points, lengths, skeleton, place, read=read[labels.codes])
    _check_finite(rows, place)
    return rows


def around(rows: Column) -> Column:
    """Points (M, 3K) -> the boxes around them (M, 4): x, y, width and height."""
    points = rows.reshape(len(rows), rows.shape[1] // 3, 3)[:, :, :2]
    low = points.min(axis=1)
    return np.concatenate([low, points.max(axis=1) - low], axis=1)


def crowded(path: Path, images: Sequence[KeypointImage], ids: Sequence[int]) -> dict[str, list[int]]:
    """CrowdPose's groups of images, where they have an index."""
    given = [x.crowd_index for x in images]
    if all(x is None for x in given):
        return {}
    groups: dict[str, list[int]] = {name: [] for name in _LEVELS}
    for row, (id, index) in enumerate(zip(ids, given, strict=True)):
        if index is None or index != index:  # noqa: PLR0124  (NaN)
            _faults.keep(InputError(path, "missing: other images have it", place=f"images[{row}].crowdIndex"))
            continue
        groups[next(name for name, bound in _LEVELS.items() if index < bound)].append(id)
    return groups


def _rows(points: Column, lengths: Column, skeleton: Skeleton, place: PlaceOf, *, read: Column) -> Column:
    """All numbers, and how many each record has -> (N, 3K), 0 for records that are not read."""
    expected = 3 * skeleton.number
    for row in np.flatnonzero((lengths != expected) & read).tolist():
        length, at = int(lengths[row]), place(row, "keypoints")
        given = f"{length // 3} points" if length % 3 == 0 else f"{length} numbers, not x, y and v of each point"
        fault = f"expected {skeleton.number} points, as {skeleton.name} has sigmas, got {given}"
        fault += ": --sigmas names another set, or lists a number for each point"
        fault = fault if length else "missing: --kind bbox reads boxes"
        _faults.keep(InputError(at.path, fault + at.record, place=at.place))
    rows, fitting = np.zeros((len(lengths), expected)), (lengths == expected) & read
    rows[fitting] = points[np.repeat(fitting, lengths)].reshape(-1, expected)
    return rows


def _check_finite(rows: Column, place: PlaceOf) -> None:
    bad = ~(np.abs(rows) <= _HUGE)
    for row, k in np.argwhere(bad).tolist():
        at = place(row, f"keypoints[{k}]")
        fault = f"expected finite number, got {rows[row, k]:g}"
        _faults.keep(InputError(at.path, fault + at.record, place=at.place))
    rows[bad] = 0


def _skeleton(path: Path, truth: KeypointTruth, chosen: set[int], options: Options) -> Skeleton:
    """The set of points of some classes, by the option or by the names in the file."""
    named = [x for x in truth.categories if x.keypoints and x.id in chosen]
    given = None if options.sigmas is None else skeleton_of(options.sigmas)
    for x in named:
        if x.keypoints != named[0].keypoints:
            one = named[0].name or named[0].id
            fault = f"differs from the points of {one!r}: `omniou eval --only-classes {one}` evaluates it by itself"
            raise InputError(path, fault, place=f"categories[{truth.categories.index(x)}].keypoints")
    lengths = {len(x.keypoints) for x in truth.annotations if x.keypoints and x.category_id in chosen}
    number = next(iter(lengths)) // 3 if len(lengths) == 1 else None
    category = named[0] if named else None
    if given is not None:
        return _with_names(given, category)
    if category is not None and (known := _of_names(path, category)) is not None:
        return known
    if category is None and number == COCO.number:
        text = f"{number} points without names are taken for COCO's"
        finding = Finding(code="keypoints-unnamed", text=text, hint="--sigmas names the set", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)
        return COCO
    if category is None and number == CROWDPOSE.number and any(x.crowd_index is not None for x in truth.images):
        return CROWDPOSE
    if not truth.annotations and category is None:
        return COCO
    names = "" if category is None else f" ({', '.join(map(repr, (category.keypoints or [])[:3]))}, ...)"
    known_names = ", ".join(name for name, x in SKELETONS.items() if x.sigmas)
    count = "points" if number is None else f"{number} points"
    fault = f"the sigmas of {count}{names} are not known: --sigmas {known_names}, or a number for each point"
    raise InputError(path, fault, place="annotations[0].keypoints" if category is None else "categories")


def _of_names(path: Path, category: KeypointCategory) -> Skeleton | None:
    """The known set with these names of points, with its sigmas in the order of the file."""
    names = tuple(map(_plain, category.keypoints or ()))
    for known in SKELETONS.values():
        if not known.sigmas or len(names) != known.number or set(names) != set(known.points):
            continue
        if names == known.points:
            return known
        order = [known.points.index(name) for name in names]
        at = {old: new for new, old in enumerate(order)}
        text = f"the points are {known.name}'s in another order, and so are the sigmas"
        finding = Finding(code="keypoints-names", text=text, evidence=f"the first is {names[0]}", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)
        return dataclasses.replace(
            known,
            name=f"{known.name}, points reordered",
            sigmas=tuple(known.sigmas[k] for k in order),
            points=names,
            edges=tuple((at[i], at[j]) for i, j in known.edges),
        )
    return None


def _plain(name: str) -> str:
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    plain = plain.replace("face_", "face-") if plain.startswith("face_") else plain
    return _OTHER_NAMES.get(plain, plain)


def _with_names(skeleton: Skeleton, category: KeypointCategory | None) -> Skeleton:
    """A user's own sigmas with the names and the lines of the file."""
    names = () if category is None else tuple(category.keypoints or ())
    if skeleton.points or len(names) != skeleton.number:
        return skeleton
    pairs = () if category is None else tuple((i - 1, j - 1) for i, j in category.skeleton or ())
    edges = tuple((i, j) for i, j in pairs if 0 <= i < len(names) and 0 <= j < len(names))
    return dataclasses.replace(skeleton, points=names, edges=edges)


def _warn_of_counts(path: Path, truth: KeypointTruth, rows: Column, skeleton: Skeleton, chosen: set[int]) -> None:
    """`num_keypoints` decides in COCO's reference whether an object counts; here the points themselves do."""
    counts = skeleton.counts(rows[:, 2::3]).sum(axis=1).tolist()
    stated = [x.num_keypoints if x.category_id in chosen else None for x in truth.annotations]
    wrong = [k for k, x in enumerate(stated) if x is not None and (x == 0) != (counts[k] == 0)]
    if not wrong:
        return
    first = truth.annotations[wrong[0]]
    objects = f"{len(wrong)} object{'s' * (len(wrong) > 1)}"
    text = f"num_keypoints contradicts the points of {objects}: the points decide whether they count"
    labelled = f"points with v above {skeleton.least_visible - 1}" if skeleton.least_visible > 1 else "labelled points"
    evidence = f"annotation {first.id}: num_keypoints {stated[wrong[0]]}, {counts[wrong[0]]} {labelled}"
    hint = "correct num_keypoints: pycocotools goes by it"
    finding = Finding(code="keypoints-counts", text=text, evidence=evidence, hint=hint, path=str(path))
    warnings.warn(InputWarning(finding), stacklevel=2)
