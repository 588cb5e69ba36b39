"""Match the names or ids of a file's images and classes with the images and categories of a ground truth."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from omniou._catalogue.geometry import Geometry
from omniou._lib.brief import counted, shortened
from omniou._lib.findings import Finding
from omniou.data import _faults
from omniou.data._errors import InputError, InputWarning, UnknownImageError
from omniou.data._names import Listed, check_are_numbers, hint_of_count, matched
from omniou.data._truth import GroundTruth

if TYPE_CHECKING:
    from omniou.data._formats.file_rows import FileRows

Column = npt.NDArray[Any]


def known_ids(rows: "FileRows", k: int, listed: Listed, path: Path, *, side: str = "dt") -> Column:
    """The ids of the images (k = 0) or the categories (k = 1) of rows. Raise if one is unknown."""
    column = (rows.images, rows.labels)[k]
    check_are_numbers(column, listed, path)
    ids, known, unclear = matched(column.keys, listed, paths=k == 0)
    _check_clear(rows, k, unclear)
    bad = column.rows_of(~known)
    if k and bad.size and (hint := hint_of_count(column, listed, side)):
        key = column.keys[column.codes[bad[0]]]
        _faults.keep(rows.fault(int(bad[0]), rows.fields[1], f"{_shown(key)} is not among the categories: {hint}"))
        return np.where(known, ids, next(iter(listed.names)))[column.codes]
    for row in bad.tolist():
        if column.codes[row] in unclear:
            continue
        where = "" if rows.place(row, "").path == path else f" of {path}"
        if k and listed.naming.class_ids:
            where += f" by --{side}-class-ids {listed.naming.class_ids}"
            where += ", which is for all files: `omniou convert` renumbers one" if side == "dt" else ""
        key = column.keys[column.codes[row]]
        fault = rows.fault(row, rows.fields[k], f"{_shown(key)} is not among the {_kinds(rows.geometry)[k]}{where}")
        if not listed.names:
            raise fault
        _faults.keep(fault if k else UnknownImageError(fault.path, fault.fault, place=fault.place))
    if bad.size:  # whose faults are kept: any id serves to read on
        ids = np.where(known, ids, next(iter(listed.names)))
    return ids[column.codes]


def known_or_left_out(
    path: Path, rows: "FileRows", k: int, listed: Listed, truth: GroundTruth
) -> tuple[Column, Column]:
    """The ids of the images (k = 0) or categories (k = 1) of detections, and which the ground truth knows."""
    column = (rows.images, rows.labels)[k]
    if listed.naming.complete:
        return known_ids(rows, k, listed, truth.path), np.ones(len(column.codes), dtype=bool)
    ids, known, unclear = matched(column.keys, listed, paths=k == 0)
    _check_clear(rows, k, unclear)
    # Files without lines have keys that do not occur.
    occurring = np.unique(column.codes)
    keys = [column.keys[code] for code in occurring if not known[code]]
    which_kind = _kinds(rows.geometry)[k]
    if keys:
        which = shortened(keys)
        if not known[occurring].any():
            fault = f"none of the {which_kind} ({which}) is in {truth.path}"
            if k == 1 and (hint := hint_of_count(column, listed, "dt")):
                fault += f": {hint}"
            elif k == 1 and all(str(key).isdecimal() for key in keys):
                fault += "; --dt-classes FILE names the classes that numbers count"
            if k == 0 and truth.subset:
                fault += f", subset {truth.subset!r}; --subset names another"
            raise InputError(path, fault)
        count = int((~known[column.codes]).sum())
        what = f"{counted(count, 'detections')} excluded: {which} not among the {which_kind} of {truth.path}"
        finding = Finding(code=f"unknown-{('images', 'categories')[k]}", text=what, path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)
    return ids[column.codes], known[column.codes]


def _check_clear(rows: "FileRows", k: int, unclear: Mapping[int, str]) -> None:
    """Raise for the first row whose image, or category, may be one or another."""
    column = (rows.images, rows.labels)[k]
    if unclear and (bad := np.flatnonzero(np.isin(column.codes, list(unclear)))).size:
        row = int(bad[0])
        _faults.keep(rows.fault(row, rows.fields[k], unclear[int(column.codes[row])]))


def _kinds(geometry: Geometry) -> tuple[str, str]:
    """What images and categories are called."""
    return geometry.words.holders, "categories"


def _shown(key: int | str) -> str:
    return repr(key) if isinstance(key, str) else str(key)
