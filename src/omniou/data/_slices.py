"""Slices: groups of images, such as day and night, whose numbers are shown next to the numbers of all images."""

import csv
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np

from omniou._lib import checks
from omniou._lib.brief import counted, shortened
from omniou._lib.findings import Finding
from omniou.data import _files
from omniou.data._errors import InputError, InputWarning
from omniou.data._names import Listed, matched
from omniou.data._peek import columns
from omniou.data._truth import GroundTruth

__all__ = ["Slices", "read_slices"]

Slices: TypeAlias = dict[str, dict[str, list[int]]]
"""Ids of images by the names of columns and of slices."""


def read_slices(path: Path | str, truth: GroundTruth) -> Slices:
    r"""Read a table of the slices that each image belongs to.

    Parameters
    ----------
    path : path
        A CSV file with a header: a column of the image, known by its name as in CSV files of boxes ("image",
        "file_name", ...), and a column for each way to slice, such as ``image,time,camera``. A row for each image, or
        several rows for an image in several slices of one column. An empty field stands for no slice.
    truth : GroundTruth
        The ground truth with the images. They are found by name, with or without folder and ending, or by id.

    Returns
    -------
    dict of str to dict of str to list of int
        For each column, its slices in alphabetical order and the rising ids of their images.

    Raises
    ------
    InputError
        If the file is not such a table, has no image of the ground truth, or has a name that fits several images. The
        message names the file, the line and the column.

    Warns
    -----
    InputWarning
        For rows whose image is not in the ground truth, and images that are in no slice of a column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou import data
    >>> truth = data.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> names = list(truth.image_names.values())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "slices.csv")
    ...     rows = [f"{name},{'day' if k % 2 else 'night'}" for k, name in enumerate(names)]
    ...     _ = path.write_text("\n".join(["image,time", *rows]), encoding="utf-8")
    ...     slices = data.read_slices(path, truth)
    >>> {name: len(ids) for name, ids in slices["time"].items()}
    {'day': 50, 'night': 50}
    """
    checks.instance("truth", truth, GroundTruth, "a GroundTruth, such as `read_ground_truth` returns it")
    path = Path(path)
    header, image, rows = _table(path)
    names = [row[image] for _, row in rows]
    found = matched(names, Listed(truth.image_names, truth.image_naming), paths=True)
    for k, why in found.unclear.items():
        raise InputError(path, why, place=f"line {rows[k][0]}, {header[image]}")
    if not found.known.any():
        raise InputError(path, f"none of the images ({shortened(names)}) is in {truth.path}")
    slices: Slices = {header[k]: {} for k in range(len(header)) if k != image}
    members: dict[str, dict[str, set[int]]] = {name: {} for name in slices}
    for (_, row), id, known in zip(rows, found.ids.tolist(), found.known.tolist(), strict=True):
        for k, word in enumerate(row):
            if k != image and known and word:
                members[header[k]].setdefault(word, set()).add(id)
    for name, groups in members.items():
        if not groups:
            raise InputError(path, "no image has a value", place=f"column {name!r}")
        slices[name] = {word: sorted(groups[word]) for word in sorted(groups)}
    _warn(path, truth, slices, [x for x, known in zip(names, found.known.tolist(), strict=True) if not known])
    return slices


def _table(path: Path) -> tuple[list[str], int, list[tuple[int, list[str]]]]:
    """The header, which column the image is, and the rows with the numbers of their lines."""
    text = _files.read_text(path, expected="CSV file").decode()
    words, separator = columns(text.partition("\n")[0])
    header = list(words)
    from omniou.data._formats.column_words import known_columns

    name = known_columns(header).get("image")
    if name is None or len(header) < 2:
        fault = f"no column of the image and of slices among {', '.join(map(repr, header)) or 'the fields'}"
        raise InputError(path, f"{fault}: begin with a header such as image,time,camera", place="line 1")
    if twice := sorted({x for x in header if header.count(x) > 1 or not x}):
        raise InputError(path, f"columns must have names of their own, got {twice[0]!r} twice or empty", place="line 1")
    rows = []
    lines = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        next(lines)
        for fields in lines:
            row = [x.strip() for x in fields]
            if not any(row):
                continue
            place = f"line {lines.line_num}"
            if len(row) != len(header):
                raise InputError(path, f"{len(row)} fields, and the header has {len(header)}", place=place)
            if not row[header.index(name)]:
                raise InputError(path, "missing", place=f"{place}, {name}")
            rows.append((lines.line_num, row))
    except csv.Error as error:
        raise InputError(path, f"not valid CSV: {error}", place=f"line {lines.line_num}") from None
    if not rows:
        raise InputError(path, "no rows below the header")
    return header, header.index(name), rows


def _warn(path: Path, truth: GroundTruth, slices: Mapping[str, Mapping[str, list[int]]], unknown: list[str]) -> None:
    """What is left out of the slices."""
    told = []
    if unknown:
        text = f"{counted(len(unknown), 'rows')} excluded: {shortened(unknown)} not among the images of {truth.path}"
        told.append(("slices-unknown", text))
    for name, groups in slices.items():
        inside = np.unique(np.concatenate([np.asarray(ids, dtype=np.int64) for ids in groups.values()]))
        if left := len(truth.images) - len(inside):
            text = f"{left} of {len(truth.images)} images are in no slice of the column {name!r}"
            told.append(("slices-incomplete", text))
    for code, text in told:
        warnings.warn(InputWarning(Finding(code=code, text=text, path=str(path))), stacklevel=3)
