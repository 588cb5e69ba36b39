"""The segments that each pixel of an image belongs to, and whether they match, for pictures."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou.panoptic import _maps, _match
from omniou.panoptic._match import MatchRules

Array: TypeAlias = npt.NDArray[Any]

IGNORED, MATCHED, WRONG = 0, 1, 2
"""Outcomes of a segment: void or a crowd, or excluded by them; matched; missed, or predicted falsely."""


class SegmentPixels(NamedTuple):
    """Of each pixel of one map (H, W): number of the class, -1 for void; row and outcome of its segment."""

    label: Array
    row: Array
    outcome: Array


class PixelOutcomes(NamedTuple):
    """Both maps, and whether a pixel is in the target and in the prediction of one match (H, W)."""

    target: SegmentPixels
    prediction: SegmentPixels
    shared: Array


def outcomes(
    target: Array,
    prediction: Array,
    target_segments: Iterable[Mapping[str, Any]],
    prediction_segments: Iterable[Mapping[str, Any]],
    /,
    *,
    things: Iterable[int],
    stuff: Iterable[int],
) -> PixelOutcomes:
    """Match the segments of one image, as `count_ids` does, and return the outcomes by pixel."""
    classes = _maps.categories(things, stuff)
    maps = _maps.ids(target, prediction, target_segments, prediction_segments, classes)
    xp, length = maps.xp, np.asarray(maps.runs.length)
    tables = _match.tables(maps.runs.image, maps.columns, maps.runs.length, xp=xp)
    strict = xp.zeros(len(classes.labels), dtype=xp.bool)
    found = _match.match(tables, MatchRules(ignore_unlabelled=True, ignore_unpredicted=False, modified=strict), xp=xp)
    hits = tuple(np.asarray(x) for x in found.pairs)
    sides = []
    for segments, columns, matched, wrong in (
        (tables.target, maps.columns[0], hits[0], found.missed_rows),
        (tables.prediction, maps.columns[1], hits[1], found.false_rows),
    ):
        rows = np.asarray(_match.segments(maps.runs.image, *columns, maps.runs.length, xp=xp)[1])
        outcome = np.full(segments.label.shape[0], IGNORED)
        outcome[matched], outcome[np.asarray(wrong)] = MATCHED, WRONG
        sides.append((np.asarray(segments.label)[rows], rows, outcome[rows]))
    partner = np.full(tables.target.label.shape[0], -1)
    partner[hits[0]] = hits[1]
    of_runs = [*sides[0], *sides[1], partner[sides[0][1]] == sides[1][1]]
    pixels = [np.repeat(x, length).reshape(target.shape) for x in of_runs]
    return PixelOutcomes(SegmentPixels(*pixels[:3]), SegmentPixels(*pixels[3:6]), pixels[6])
