"""Coordinates that count from 0 to a number in each image, such as 0 to 1000 of language models, as fractions."""

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from omniou._catalogue import shape_calls as calls
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _faults
from omniou.data._errors import OptionError
from omniou.data._formats import STATED, Layout
from omniou.data._options import Options

if TYPE_CHECKING:
    from omniou.data._formats.file_rows import FileRows

Column = npt.NDArray[Any]

# How far a box may reach beyond its image, as a share of the scale. Language models write 1001 or 1023 of 1000; boxes
# of 0 to 1 that a detector did not clip reach further, and numbers of any other unit are above 1.5.
_BEYOND, _BEYOND_FRACTIONS = 0.05, 0.5
# Scales from which on all numbers of a box below 1 are fractions; where others have decimals, so large a share of them.
_LARGE, _SHARE = 100, 0.02
# The way out where a format states a scale.
_FREE = "rename the field to bbox_2d, which --dt-scale reads"


def as_fractions(rows: "FileRows", options: Options) -> "FileRows":
    """Rows as fractions of the sides of their images, if the option or the format names a scale."""
    scale = _scale(rows, options)
    if scale is None:
        return rows
    absolute = rows.geometry.absolute(rows.format)
    if rows.scale is not None and (layouts := STATED.get()) is not None:
        layouts.append(Layout(absolute, scale))
    _check(rows, absolute, scale, stated=rows.scale is not None)
    upright = rows.geometry is UPRIGHT
    format = f"rel_{absolute}" if upright else rows.format
    return dataclasses.replace(rows, boxes=rows.boxes / scale, format=format, fractions=not upright)


def _scale(rows: "FileRows", options: Options) -> float | None:
    given, own = options.scale, rows.scale
    if given is not None and own is not None and given != own:
        raise OptionError(f"`scale` is {own:g} by the format of the file, got {given:g}: remove it, or {_FREE}")
    return own if given is None else given


def _check(rows: "FileRows", absolute: str, scale: float, *, stated: bool) -> None:
    """Keep a fault for each box that another scale was meant for."""
    corners = calls.converted(rows.geometry, rows.boxes, absolute, "xyxy") if rows.geometry is UPRIGHT else rows.boxes
    slack = scale * (_BEYOND_FRACTIONS if scale == 1 else _BEYOND)
    way = f"{'the format' if stated else '--dt-scale'} says that coordinates count to {scale:g}; "
    way += _FREE if stated else "write all boxes in one scale"
    for row in np.flatnonzero(_reach(corners, scale) > slack).tolist():
        numbers, reach = rows.boxes[row], _furthest(corners[row], scale)
        field = rows.fields[2 + int(np.abs(numbers - scale / 2).argmax())]
        if _reach(numbers[None], scale)[0] > slack:
            what = f"{_furthest(numbers, scale):g} is beyond the image: {way}"
        else:
            orders = f"--dt-boxes xyxy reads corners, --dt-scale {scale:g},y1x1y2x2 those with y first"
            what = f"read as {absolute}, the box ends at {reach:g}, beyond the image: {orders}"
        _faults.keep(rows.fault(row, field, what))
    for row in np.flatnonzero(_are_fractions(rows.boxes, scale)).tolist():
        values = ", ".join(f"{x:g}" for x in rows.boxes[row].tolist())
        _faults.keep(rows.fault(row, rows.fields[2], f"{values} seem to be fractions: {way}"))


def _reach(numbers: Column, scale: float) -> Column:
    """How far numbers (N, K) are beyond 0 and the scale, (N,)."""
    return np.maximum(numbers.max(axis=1, initial=0) - scale, -numbers.min(axis=1, initial=0))


def _furthest(numbers: Column, scale: float) -> float:
    return float(numbers[np.abs(numbers - scale / 2).argmax()])


def _are_fractions(numbers: Column, scale: float) -> Column:
    """Which boxes have the scale 1 in a file of a large one: a whole box in the first thousandth of its image."""
    decimals = (numbers != np.round(numbers)).any(axis=1)
    small = decimals & (np.abs(numbers).max(axis=1, initial=0) <= 1)
    others = decimals & ~small
    if scale < _LARGE or (others.any() and small.sum() < _SHARE * len(small)):
        return np.zeros(len(numbers), dtype=bool)
    return small
