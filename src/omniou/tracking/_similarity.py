"""Similarities of the rows of each frame: overlaps of shapes, or the caller's matrices."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from omniou import boxes
from omniou._inputs import inputs, mask_sizes, shapes
from omniou._inputs.kinds import Kind
from omniou._inputs.shapes import GeometricShapes, Shapes
from omniou._lib import host, overlapping
from omniou._lib.overlapping import Extents
from omniou._lib.types import Namespace
from omniou.tracking._frames import TABLES, FrameRows, Frames
from omniou.tracking._tables import Tracks

# How far rounding may take a similarity out of [0, 1]: float32 has seven digits.
_SLACK = 1e-6


class SimilarPairs(NamedTuple):
    """Pairs of one frame with a similarity above 0, by row of the ground truth, then of the tracks.

    Rows are places in the sides of `Frames`: by frame, and in a frame as they came.
    """

    truth: Any  # (P,)
    tracks: Any  # (P,)
    similarity: Any  # (P,) in (0, 1]

    def take(self, some: Any, /) -> "SimilarPairs":
        """Some of the pairs."""
        return SimilarPairs(*(x[some] for x in self))


def of_shapes(
    ground_truth: Tracks[Any], tracks: Tracks[Any], frames: Frames, kind: Kind, /, *, prune: bool
) -> SimilarPairs:
    """Compare the shapes of both tables.

    `prune`: whether shapes with disjoint bounds have the similarity 0, so only the others are compared.
    """
    xp, truth, found = _read(ground_truth, tracks, kind)
    bounds = [x.bounds(side.rows) for x, side in ((truth, frames.truth), (found, frames.tracks))]
    for name, side, shape, around in zip(TABLES, (frames.truth, frames.tracks), (truth, found), bounds, strict=True):
        if kind.lengths:
            _check_sides(name, side, frames, xp.any(around.high <= around.low, axis=0) | (shape.area[side.rows] <= 0))
    if kind.column == "masks":
        sides = frames.truth, frames.tracks
        masks: list[Any] = [truth, found]
        sizes = [x.masks.sizes[side.rows] for x, side in zip(masks, sides, strict=True)]

        def where(table: int, row: int) -> str:
            return f"`{TABLES[table]}.masks` ({frames.where(sides[table], row)})"

        mask_sizes.check(sizes, [x.frames for x in sides], where, xp=xp)
    if prune:
        a, b = (
            Extents(x.low, x.high, side.frames, x.area)
            for x, side in zip(bounds, (frames.truth, frames.tracks), strict=True)
        )
        sweep = overlapping.sweep(a, b, max(1, frames.units.size), ratio=0.0, xp=xp)
        blocks = ((sweep.order_a[x.a], sweep.order_b[x.b]) for x in sweep.blocks)
    else:
        of_one = overlapping.of_one_group(
            frames.truth.frames, frames.tracks.frames, max(1, frames.units.size), xp=host.namespace_of(frames.numbers)
        )
        blocks = ((x.a, x.b) for x in of_one)
    return _above_zero(_compared(blocks, truth, found, frames, xp=xp), frames)


def _read(ground_truth: Tracks[Any], tracks: Tracks[Any], kind: Kind, /) -> tuple[Namespace, Shapes, Shapes]:
    given = {
        f"{name}.{kind.column}": getattr(table, kind.column, None)
        for name, table in zip(TABLES, (ground_truth, tracks), strict=True)
    }
    columns = {name: host.column(name, kind.rows.numbers(name, x)) for name, x in given.items()}
    for name, x in columns.items():
        if x is None:
            raise TypeError(
                f"`{name}` must be given for kind {kind.name!r}, got None: tables of tracks have boxes and masks, and "
                "`similarity` takes a matrix for each frame of anything else"
            )
    # Masks hold no array that tells the library.
    columns |= {f"{name}.frames": [] for name in TABLES if not kind.lengths}
    xp, ready, _ = inputs.checked(columns, kind)
    both = [_with_corner_areas(ready[f"{name}.{kind.column}"], xp=xp) for name in TABLES]
    for name, table, x in zip(TABLES, (ground_truth, tracks), both, strict=True):
        count = len(host.column("frames", table.frames))
        if x.area.shape[0] != count:
            raise ValueError(
                f"columns of `{name}` must have one length, got {x.area.shape[0]} in `{kind.column}` and {count} in "
                "`frames`"
            )
    return xp, *both


def _with_corner_areas(x: Shapes, /, *, xp: Namespace) -> Shapes:
    """Upright boxes with the areas between their corners, as TrackEval computes them.

    The area of stated sides differs in the last bit: 0.1 + 0.2 - 0.1 is not 0.2.
    """
    if not (isinstance(x, GeometricShapes) and x.reading.geometry is boxes.GEOMETRY):
        return x
    return dataclasses.replace(x, area=x.bounds(xp.arange(x.area.shape[0])).area)


def _compared(
    blocks: Iterable[tuple[Any, Any]], truth: Shapes, found: Shapes, frames: Frames, /, *, xp: Namespace
) -> Iterator[SimilarPairs]:
    for i, j in blocks:
        pairs = shapes.Pairs(frames.tracks.rows[j], frames.truth.rows[i], xp.zeros(i.shape[0], dtype=bool))
        yield SimilarPairs(i, j, xp.asarray(found.overlap(truth, pairs, 0.0), dtype=xp.float64))


def of_matrices(
    matrices: Sequence[Any], starts: tuple[Sequence[int], Sequence[int]], frames: Frames, /
) -> SimilarPairs:
    """Pairs of a matrix for each list of rows. Rows of the k-th list count from ``starts[0][k]``."""
    xp = frames.xp
    parts = []
    for k, matrix in enumerate(matrices):
        x = xp.asarray(host.column(f"similarity[{k}]", matrix), dtype=xp.float64)
        sizes = tuple(start[k + 1] - start[k] for start in starts)
        if x.shape != sizes and not (x.size == 0 and 0 in sizes):
            raise ValueError(f"`similarity[{k}]` must have shape {sizes}, objects by tracks, got {x.shape}")
        # Not only what is above 0: what is out of bounds is an error.
        i, j = xp.nonzero(xp.reshape(x, sizes))
        parts.append((i + starts[0][k], j + starts[1][k], x[i, j]))
    rows = [xp.concatenate([x[k] for x in parts]) if parts else xp.zeros(0) for k in range(3)]
    places = [
        _places(side, start[-1], xp=xp) for side, start in zip((frames.truth, frames.tracks), starts, strict=True)
    ]
    i, j = (place[x.astype(xp.int64)] for place, x in zip(places, rows[:2], strict=True))
    # A row of a class that is not evaluated has no place, and rows of two classes have no common frame.
    kept = (i >= 0) & (j >= 0)
    i, j, values = i[kept], j[kept], rows[2][kept]
    same = frames.truth.frames[i] == frames.tracks.frames[j]
    return _above_zero([SimilarPairs(i[same], j[same], values[same])], frames)


def _places(side: FrameRows, size: int, /, *, xp: Namespace) -> Any:
    """Row of the table (N,) -> place in the side, -1 where it has none."""
    out = xp.full(size, -1)
    out[side.rows] = xp.arange(side.rows.size)
    return out


def _above_zero(parts: Iterable[SimilarPairs], frames: Frames, /) -> SimilarPairs:
    """The pairs above 0 in order; an error where one is out of [0, 1]."""
    xp, kept = frames.xp, []
    for pairs in parts:
        x = pairs.similarity
        # Also false for NaN.
        bad = ~((x >= -_SLACK) & (x <= 1.0 + _SLACK))
        if xp.any(bad):
            _raise_outside(pairs, int(xp.argmax(bad)), frames)
        kept.append(pairs.take(x > 0))
    if not kept:
        none = xp.zeros(0, dtype=xp.int64)
        return SimilarPairs(none, none, xp.zeros(0))
    every = SimilarPairs(*(xp.concatenate(x) for x in zip(*kept, strict=True)))
    return every.take(xp.argsort(every.truth * max(1, frames.tracks.rows.size) + every.tracks))


def _raise_outside(pairs: SimilarPairs, number: int, frames: Frames, /) -> NoReturn:
    truth = frames.where(frames.truth, int(pairs.truth[number]))
    track = frames.where(frames.tracks, int(pairs.tracks[number])).rpartition("id ")[2]
    raise ValueError(
        f"similarities must be in [0, 1], got {float(pairs.similarity[number])!r} in {truth} of the ground truth and "
        f"id {track} of the tracks: pass a `score` of that range"
    )


def _check_sides(name: str, side: FrameRows, frames: Frames, empty: Any, /) -> None:
    if frames.xp.any(empty):
        place = int(frames.xp.argmax(empty))
        raise ValueError(
            f"`{name}.boxes` must have an area above 0, but row {side.rows[place]} is empty or inverted "
            f"({frames.where(side, place)}): is `format` right? Remove the row if the tracker did not return a box"
        )
