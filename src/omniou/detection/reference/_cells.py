"""Evaluate annotations as COCO's dictionaries, all at once, and give what pycocotools keeps of each image and class."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._inputs.inputs import Detections, Targets
from omniou._lib import backends
from omniou.detection.reference import _outcomes
from omniou.detection.reference._matched import Matched, Rules
from omniou.matching import coco
from omniou.rle import MaskError, Masks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from omniou.detection.matching._matches import Compared

np: Any = backends.numpy_namespace()

Records = list[dict[str, Any]]
_SHAPES = {"bbox": "bbox", "segm": "segmentation", "keypoints": "keypoints"}
_SIDES = {"targets": "cocoGt", "detections": "cocoDt"}


class Listed(NamedTuple):
    """Annotations of one side with the places of their images and categories."""

    records: Records
    images: Any  # (N,)
    labels: Any  # (N,)


class Cell(NamedTuple):
    """One image, class and area range: D detections by falling score, G objects; T thresholds."""

    detections: list[Any]  # ids
    scores: list[Any]
    targets: list[Any]  # ids
    objects: Any  # (T, D) place of the object, -1 without a match
    takers: Any  # (T, G) place of the detection that took it last, -1 without
    outside: Any  # (D,)
    excluded: Any  # (G,)


class Cells(Matched):
    """Annotations by image and category, and their matches.

    Parameters
    ----------
    rules : Rules
    objects, detections : mapping of (image, category) to list of dict
    """

    def __init__(self, rules: Rules, objects: Mapping[Any, Records], detections: Mapping[Any, Records], /) -> None:
        super().__init__(rules)
        self._given = objects, detections
        self._images = {id: place for place, id in enumerate(rules.images)}
        self._categories = {id: place for place, id in enumerate(rules.categories if rules.with_categories else (-1,))}
        self._sides = [self._listed(x) for x in self._given]

    def pair(self, image: Any, category: Any, /) -> tuple[Records, Records]:
        """Return objects and detections of a cell; without categories, of all of them in their order."""
        keys = [(image, category)]
        if not self.rules.with_categories:
            keys = [(image, x) for x in self.rules.categories]
        objects, detections = ([ann for key in keys for ann in table.get(key, ())] for table in self._given)
        return objects, detections

    def overlaps(self, image: Any, category: Any, /) -> Any:
        """Return the overlaps (D, G) of a cell, detections by falling score; an empty list without any."""
        return self._overlaps.get(self._number(image, category), [])

    @property
    def is_exact(self) -> bool:  # type: ignore[override]
        """Whether `tables` gives pycocotools' numbers: no id is read as "unmatched", and the house matches all."""
        return not self._unusual and not self._apart and not self._has_zero

    def match(self) -> None:
        """Read the annotations, which may change later, and match them."""
        self._read  # noqa: B018
        super().match()

    @property
    def reads_ids(self) -> bool:  # type: ignore[override]
        """Whether pycocotools reads an id of these annotations as "unmatched"."""
        return self._has_zero or bool(self._apart)

    def matches(self, image: Any, category: Any, area: Sequence[float], limit: int, overlaps: Any = None, /) -> Any:
        """Return pycocotools' entries of a cell in one area range; None where there is nothing.

        `overlaps` are matched instead of those of `overlaps`, if they are another object.
        """
        objects, detections = self.pair(image, category)
        if not objects and not detections:
            return None
        number, place = self._number(image, category), self._areas.get((area[0], area[1]))
        own = overlaps is None or not len(overlaps) or overlaps is self._overlaps.get(number)
        usual = not self._unusual and number not in self._apart
        if own and usual and place is not None and limit == self.rules.limits[-1]:
            return self._entries(self._cut(number, place))
        given = self.overlaps(image, category) if overlaps is None else overlaps
        return self._entries(self._alone(objects, detections, given, area, limit))

    def _listed(self, table: Mapping[Any, Records], /) -> Listed:
        if self.rules.with_categories:
            keys = [(self._images.get(x), self._categories.get(c), records) for (x, c), records in table.items()]
            cells = [key for key in keys if key[0] is not None and key[1] is not None]
        else:
            categories = self.rules.categories
            cells = [(place, 0, table.get((x, c), [])) for x, place in self._images.items() for c in categories]
        records = list(itertools.chain.from_iterable(x for _, _, x in cells))
        sizes = np.asarray([len(x) for _, _, x in cells], dtype=np.int64)
        images, labels = (np.repeat(np.asarray([x[k] for x in cells], dtype=np.int64), sizes) for k in (0, 1))
        return Listed(records, images, labels)

    def _has(self, key: tuple[Any, Any], /) -> bool:
        return key[0] in self._images and key[1] in self._categories

    def _number(self, image: Any, category: Any, /) -> int:
        """Return the number of a cell; -1 for one that is not among the rules'."""
        if not self._has((image, category)):
            return -1
        return self._images[image] * len(self._categories) + self._categories[category]

    @functools.cached_property
    def _compared(self) -> Compared:
        try:
            return super()._compared
        except ValueError as error:
            raise ValueError(re.sub(r"`(targets|detections)\.(\w+)\[(\d+)\]", self._named, str(error))) from None

    @functools.cached_property
    def _outcomes(self) -> _outcomes.Outcomes:
        return _outcomes.outcomes(self._compared)

    @functools.cached_property
    def _overlaps(self) -> dict[int, Any]:
        # pycocotools looks for keypoints of the category -1 where categories do not count.
        if self._without_overlaps:
            return {}
        return _outcomes.overlaps(self._compared)

    @functools.cached_property
    def _without_overlaps(self) -> bool:
        return self.rules.kind == "keypoints" and not self.rules.with_categories and not self.rules.corrected

    @functools.cached_property
    def _unusual(self) -> bool:
        """Whether cells must be matched one by one, since the evaluator's rules are others."""
        if self._without_overlaps or any(low > high for low, high in self._areas):
            return True
        # An object without labelled points is ignored by the evaluator, and by pycocotools if `num_keypoints` says so.
        return self.rules.kind == "keypoints" and any(
            not x["ignore"] and not any(v > 0 for v in x["keypoints"][2::3]) for x in self._sides[0].records
        )

    @functools.cached_property
    def _has_zero(self) -> bool:
        return not self.rules.corrected and any(x["id"] == 0 for x in self._sides[0].records)

    @functools.cached_property
    def _apart(self) -> set[int]:
        """Return the cells with a detection whose id is not above 0: pycocotools leaves its object free."""
        if self.rules.corrected:
            return set()
        records, images, labels = self._sides[1]
        rows = [row for row, x in enumerate(records) if _leaves(x["id"])]
        return set((images[rows] * len(self._categories) + labels[rows]).tolist()) if rows else set()

    def _columns(self) -> tuple[Targets[Any], Detections[Any]]:
        targets, detections = self._sides
        shapes = [self._shapes(side, x.records) for side, x in zip(_SIDES, self._sides, strict=True)]
        crowd = _numbers("cocoGt", targets.records, "iscrowd").astype(np.int64) != 0
        scores, *areas = (
            _numbers(side, x.records, name)
            for side, x, name in (
                ("cocoDt", detections, "score"),
                ("cocoGt", targets, "area"),
                ("cocoDt", detections, "area"),
            )
        )
        ignore = [bool(x["ignore"]) for x in targets.records]
        places = [{"images": x.images, "labels": x.labels} for x in self._sides]
        return (
            Targets(**shapes[0], **places[0], area=areas[0], crowd=crowd, ignore=np.asarray(ignore, bool)),
            Detections(**shapes[1], **places[1], area=areas[1], scores=scores),
        )

    def _shapes(self, side: str, records: Records, /) -> dict[str, Any]:
        kind, name = self.rules.kind, _SIDES[side]
        shapes = _column(name, records, _SHAPES[kind])
        if kind == "segm":
            return {"boxes": None, "masks": _masks(name, records, shapes)}
        if kind == "bbox":
            return {"boxes": _rows(name, "bbox", records, shapes, 4)}
        points = _rows(name, "keypoints", records, shapes, 3 * len(self.rules.sigmas))
        boxes = _rows(name, "bbox", records, _column(name, records, "bbox"), 4) if side == "targets" else None
        return {"boxes": boxes, "keypoints": points}

    def _named(self, found: re.Match[str], /) -> str:
        table, column, row = found.groups()
        record = self._sides[list(_SIDES).index(table)].records[int(row)]
        field = {"boxes": "bbox", "masks": "segmentation", "scores": "score"}.get(column, column)
        return f"`{_SIDES[table]}.anns[{record.get('id')!r}][{field!r}]"

    @functools.cached_property
    def _read(self) -> list[list[Any]]:
        """Return ids of detections, their scores, and ids of objects."""
        objects, detections = (x.records for x in self._sides)
        return [[x["id"] for x in detections], [x["score"] for x in detections], [x["id"] for x in objects]]

    @functools.cached_property
    def _spans(self) -> tuple[dict[int, slice], dict[int, slice]]:
        """Return where the detections and the objects of each cell are among the outcomes."""
        found = self._outcomes
        both = (_slices(x) for x in (found.detection_groups, found.target_groups))
        return next(both), next(both)

    def _cut(self, number: int, place: int, /) -> Cell:
        """Return a cell of the outcomes of all."""
        found, (of_detections, of_targets) = self._outcomes, self._spans
        d, g = of_detections.get(number, slice(0, 0)), of_targets.get(number, slice(0, 0))
        objects, takers = found.objects[place, :, d], found.takers[place, :, g]
        ids, scores, targets = self._read
        rows = found.detections[d].tolist()
        return Cell(
            [ids[row] for row in rows],
            [scores[row] for row in rows],
            [targets[row] for row in found.targets[g].tolist()],
            np.where(objects < 0, -1, objects - g.start)[self._levels],
            np.where(takers < 0, -1, takers - d.start)[self._levels],
            found.outside[place, d],
            found.excluded[place, g],
        )

    def _alone(
        self, objects: Records, detections: Records, overlaps: Any, area: Sequence[float], limit: int, /
    ) -> Cell:
        """Match one cell by given overlaps."""
        order = np.argsort([-x["score"] for x in detections], kind="stable")[:limit]
        ordered = [detections[row] for row in order.tolist()]
        sizes = np.asarray([x["area"] for x in objects]), np.asarray([x["area"] for x in ordered])
        beyond, outside = ((x < area[0]) | (x > area[1]) for x in sizes)
        excluded = beyond | np.asarray([bool(x["ignore"]) for x in objects], dtype=bool)
        found = np.full((len(self._rising), len(ordered)), -1)
        if len(overlaps) and objects and ordered:
            crowd = np.asarray([int(x["iscrowd"]) != 0 for x in objects])
            leaves = [not self.rules.corrected and _leaves(x["id"]) for x in ordered]
            usual = [row for row, free in enumerate(leaves) if not free]
            # A detection that leaves its object free matches as if no other did.
            turns = [(usual, usual)] + [(sorted([*usual, row]), [row]) for row, free in enumerate(leaves) if free]
            for rows, kept in turns:
                given = np.asarray(overlaps, dtype=np.float64)[rows]
                own = coco(given, thresholds=self._rising, crowd=crowd, ignore=excluded)
                found[:, kept] = own.objects[:, [rows.index(row) for row in kept]]
        takers = np.full((len(self._rising), len(objects)), -1)
        for row in range(len(ordered)):
            level = np.flatnonzero(found[:, row] >= 0)
            takers[level, found[level, row]] = row
        levels = self._levels
        ids, scores, targets = (
            [x[name] for x in records] for records, name in ((ordered, "id"), (ordered, "score"), (objects, "id"))
        )
        return Cell(ids, scores, targets, found[levels], takers[levels], outside, excluded)

    def _entries(self, cell: Cell, /) -> dict[str, Any]:
        ids = [self._numbers(x) for x in (cell.detections, cell.targets)]
        order = np.argsort(cell.excluded, kind="stable")
        matched = cell.objects >= 0
        # The place -1 is the 0 behind the ids.
        of_detections, of_targets = np.append(ids[1], 0.0)[cell.objects], np.append(ids[0], 0.0)[cell.takers]
        unmatched = ~matched if self.rules.corrected else of_detections == 0
        return {
            "dtIds": cell.detections,
            "gtIds": [cell.targets[row] for row in order.tolist()],
            "dtMatches": of_detections,
            "gtMatches": of_targets[:, order],
            "dtScores": cell.scores,
            "gtIgnore": cell.excluded[order].astype(int) if cell.targets else np.asarray([]),
            "dtIgnore": (matched & np.append(cell.excluded, False)[cell.objects]) | (unmatched & cell.outside),
        }

    def _numbers(self, ids: list[Any], /) -> Any:
        """Return ids as pycocotools writes them. If its faults are corrected, -1 stands for 0, which is "unmatched"."""
        try:
            numbers = np.asarray([float(x) for x in ids], dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"`evalImgs` must have ids that are numbers, got {next(x for x in ids if _is_string(x))!r}: "
                "`accumulate` needs no `evalImgs`"
            ) from None
        return np.where(numbers == 0, -1.0, numbers) if self.rules.corrected else numbers


def _leaves(id: Any, /) -> bool:
    """Whether pycocotools takes an object for free that a detection of this id took."""
    return not isinstance(id, str) and id <= 0


def _is_string(id: Any, /) -> bool:
    return not hasattr(id, "__float__")


def _column(side: str, records: Records, field: str, /) -> list[Any]:
    try:
        return [x[field] for x in records]
    except KeyError:
        record = next(x for x in records if field not in x)
        raise KeyError(f"`{side}`: the annotation {record.get('id')!r} must have the field `{field}`") from None


def _numbers(side: str, records: Records, field: str, /) -> Any:
    column = _column(side, records, field)
    for record, value in zip(records, column, strict=True):
        if value is None:
            raise TypeError(f"`{side}.anns[{record.get('id')!r}][{field!r}]` must be a number, got None")
    return np.asarray(column, dtype=np.float64)


def _rows(side: str, field: str, records: Records, rows: list[Any], length: int, /) -> Any:
    if not rows:
        return np.zeros((0, length))
    try:
        if (out := np.asarray(rows, dtype=np.float64)).shape == (len(rows), length):
            return out
    except (TypeError, ValueError):
        pass
    bad = next((k for k, x in enumerate(rows) if not hasattr(x, "__len__") or len(x) != length), 0)
    kind = ValueError if hasattr(rows[bad], "__len__") else TypeError
    points = "" if length == 4 else ", 3 for each of `params.kpt_oks_sigmas`"
    raise kind(
        f"`{side}.anns[{records[bad].get('id')!r}][{field!r}]` must be {length} numbers{points}, got {rows[bad]!r:.80}"
    )


def _masks(side: str, records: Records, shapes: list[Any], /) -> Masks:
    try:
        return Masks.from_coco(shapes)
    except MaskError as error:
        place, field = f"{side}.anns[{records[error.row].get('id')!r}]['segmentation']", error.field
        raise ValueError(f"`{place}`{f', {field}' if field else ''}: {error.fault}") from None


def _slices(numbers: Any, /) -> dict[int, slice]:
    """Rising numbers (N,) -> where each is."""
    each, first = np.unique(numbers, return_index=True)
    ends = itertools.pairwise([*first.tolist(), len(numbers)])
    return {number: slice(*span) for number, span in zip(each.tolist(), ends, strict=True)}
