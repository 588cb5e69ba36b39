"""The ground truth, and the detections, of several shards as one: what one reader would have read of all files."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._inputs.inputs import columns_of
from omniou.data._formats import file_rows
from omniou.data._truth import GroundTruth
from omniou.detection import Detections
from omniou.rle import Masks

Column = npt.NDArray[Any]


def truths(parts: Sequence[GroundTruth]) -> GroundTruth:
    """Concatenate the parts, images by id. If ids count the names of a part, they are counted anew through all parts.

    Classes must be alike.
    """
    parts = _with_areas(_renumbered(parts))
    first = parts[0]
    images = np.concatenate([x.images for x in parts])
    order = np.argsort(images, kind="stable")
    names = {id: name for x in parts for id, name in x.image_names.items()}
    sizes = _column([x.sizes for x in parts], lambda k: np.full((len(parts[k].images), 2), np.nan))
    frequency: dict[int, str] = {}
    for part in parts:
        frequency |= part.frequency or {}
    return dataclasses.replace(
        first,
        targets=_table([x.targets for x in parts]),
        images=images[order],
        categories={id: name for x in parts for id, name in x.categories.items()},
        flagged=np.concatenate([x.flagged for x in parts]),
        image_names=dict(sorted(names.items())),
        sizes=None if sizes is None else sizes[order],
        present=_column([x.present for x in parts], lambda _: np.zeros(0, dtype=bool)),
        frequency=frequency or None,
    )


def detections(parts: Sequence[Detections[Column]], before: Sequence[GroundTruth]) -> Detections[Column]:
    """Concatenate the parts, with the ids of images that `truths` gives their ground truths."""
    moved = []
    for part, old, new in zip(parts, before, _renumbered(before), strict=True):
        images = part.images if new is old else new.images[np.searchsorted(old.images, part.images)]
        moved.append(dataclasses.replace(part, images=images))
    whole: Detections[Column] = _table(moved)
    return whole


def _renumbered(parts: Sequence[GroundTruth]) -> list[GroundTruth]:
    if all(x.image_naming.own for x in parts):
        return list(parts)
    every = sorted({name for x in parts for name in x.image_names.values()})
    place = {name: id for id, name in enumerate(every)}
    out = []
    for part in parts:
        new = np.array([place[part.image_names[int(id)]] for id in part.images], dtype=np.int64)
        rows = new[np.searchsorted(part.images, part.targets.images)] if len(new) else new
        names = {int(id): every[int(id)] for id in new}
        targets = dataclasses.replace(part.targets, images=rows)
        out.append(dataclasses.replace(part, targets=targets, images=new, image_names=names))
    return out


def _with_areas(parts: list[GroundTruth]) -> list[GroundTruth]:
    """Add the area of each shape if some parts state areas and others do not."""
    if len({x.targets.area is None for x in parts}) == 1:
        return parts
    stated = [
        file_rows.areas(np.asarray(x.targets.boxes), x) if x.targets.area is None else x.targets.area for x in parts
    ]
    return [
        dataclasses.replace(x, targets=dataclasses.replace(x.targets, area=area))
        for x, area in zip(parts, stated, strict=True)
    ]


def _table(parts: Sequence[Any]) -> Any:
    """Concatenate tables. A column that some of them lack is filled."""
    sizes = [len(x.labels) for x in parts]
    columns: dict[str, Any] = {}
    for name in columns_of(parts[0]):
        given = [getattr(x, name) for x in parts]
        if name == "masks":
            some = [x for x in given if x is not None]
            columns[name] = Masks.concat(some) if some else None
        elif name in {"negative", "not_exhaustive"}:
            columns[name] = _column(given, lambda _: np.zeros((0, 2), dtype=np.int64))
        else:
            columns[name] = _column(given, lambda k: np.zeros(sizes[k], dtype=bool))
    return dataclasses.replace(parts[0], **columns)


def _column(parts: Sequence[Any], missing: Callable[[int], Column]) -> Any:
    if all(x is None for x in parts):
        return None
    return np.concatenate([missing(k) if x is None else np.asarray(x) for k, x in enumerate(parts)])
