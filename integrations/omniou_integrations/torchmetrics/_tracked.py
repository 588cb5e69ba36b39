"""The state of tracking metrics: frames as columns of ids, and similarities of the pairs that overlap."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from omniou._inputs import dicts
from omniou._inputs.kinds import Kind
from omniou._lib import checks
from omniou.tracking import Tracks
from omniou.tracking import _similarity as similarities
from omniou.tracking._frames import ONE_SEQUENCE, Name
from omniou.tracking._frames import read as read_frames
from omniou.tracking._lists import keys
from omniou_integrations._shared.parts import numpy, pack_columns, unpack_columns
from omniou_integrations.torchmetrics._samples import fetched
from omniou_integrations.torchmetrics._samples import read as read_samples


class SideRows(NamedTuple):
    """The objects or tracks of all frames, frame after frame."""

    counts: Any  # (F,) rows of each frame
    ids: Any  # (N,)
    labels: Any  # (N,), or None

    @property
    def starts(self) -> Any:
        """(F + 1,) where the rows of each frame start."""
        return np.concatenate([[0], np.cumsum(self.counts)])


class TrackedFrames(NamedTuple):
    """Frames in any order, in NumPy."""

    names: tuple[Name, ...]  # of the sequences
    sequences: Any  # (F,) places in `names`
    numbers: Any  # (F,)
    target: SideRows
    preds: SideRows
    rows: Any  # (P, 2) rows of target and preds that overlap
    similarity: Any  # (P,) in (0, 1]


class OneFrame(NamedTuple):
    """A frame as `omniou.tracking.Evaluator.update` takes it."""

    sequence: Name
    number: int
    target: Mapping[str, Any]
    preds: Mapping[str, Any]
    similarity: Any  # (objects, tracks)


def read(preds: Any, target: Any, kind: Kind) -> TrackedFrames:
    """Check the dictionaries of frames, and compare their shapes."""
    dicts.check_lists(preds=preds, target=target)
    declared = tuple(key._replace(names=key.names[:1]) for key in keys(kind))
    near = fetched({"target": target, "preds": preds}, {*(key.names[0] for key in declared), "frame", "sequence"})
    rows = {side: read_samples(side, near[side], declared, None) for side in ("target", "preds")}
    named = [_sequence(i, x) for i, x in enumerate(near["target"])]
    numbers = [_whole(f"target[{i}]['frame']", x.get("frame")) for i, x in enumerate(near["target"])]
    # A frame that occurs twice, for example because a sampler repeats it, is compared twice.
    entries: list[Name] = [f"{name}, entry {i}" for i, name in enumerate(named)]
    tables, sides = {}, {}
    for side, samples in rows.items():
        counts = dicts.lengths_of(samples, declared)
        columns = dicts.concatenated(side, samples, declared, counts)
        columns = {name: numpy(x) if isinstance(x, Tensor) else x for name, x in columns.items()}
        ids, labels = np.asarray(columns.get("ids", []), dtype=np.int64), columns.get("labels")
        _check_ids(side, ids, labels, counts)
        tables[side] = Tracks(
            boxes=columns.get("boxes"),
            masks=columns.get("masks"),
            frames=np.repeat(np.asarray(numbers, dtype=np.int64), counts),
            ids=ids,
            labels=labels,
            sequences=[entries[i] for i, n in enumerate(counts) for _ in range(n)],
        )
        sides[side] = SideRows(np.asarray(counts, dtype=np.int64), ids, labels)
    ordered = read_frames(tables["target"], tables["preds"], sequences=dict.fromkeys(entries, 1))
    pairs = similarities.of_shapes(tables["target"], tables["preds"], ordered, kind, prune=True)
    names = tuple(dict.fromkeys(named))
    return TrackedFrames(
        names=names,
        sequences=np.asarray([names.index(x) for x in named], dtype=np.int64),
        numbers=np.asarray(numbers, dtype=np.int64),
        target=sides["target"],
        preds=sides["preds"],
        rows=np.stack([ordered.truth.rows[pairs.truth], ordered.tracks.rows[pairs.tracks]], axis=1).astype(np.int64),
        similarity=pairs.similarity,
    )


def pack_frames(x: TrackedFrames) -> Tensor:
    """Pack into one flat tensor of bytes."""
    columns = {"names": np.frombuffer(json.dumps(x.names).encode(), dtype=np.uint8)}
    columns |= {name: getattr(x, name) for name in ("sequences", "numbers", "rows", "similarity")}
    for side in ("target", "preds"):
        own = getattr(x, side)._asdict()
        columns |= {f"{side}/{name}": value for name, value in own.items() if value is not None}
    return pack_columns(columns)


def unpack_frames(packed: Tensor) -> TrackedFrames:
    """Restore what `pack_frames` packed."""
    columns = unpack_columns(packed)
    names = tuple(json.loads(columns.pop("names").astype(np.uint8).tobytes()))
    sides = {
        side: SideRows(*(columns.pop(f"{side}/{name}", None) for name in SideRows._fields))
        for side in ("target", "preds")
    }
    return TrackedFrames(names=names, **columns, **sides)


def joined_frames(parts: Sequence[TrackedFrames]) -> TrackedFrames:
    """Concatenate the frames of all parts."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    renumbered = [np.asarray([names.index(x) for x in part.names], dtype=np.int64)[part.sequences] for part in parts]
    sizes = np.asarray([[len(part.target.ids), len(part.preds.ids)] for part in parts]).reshape(-1, 2)
    # Rows of a part move behind those of the parts before it: parts of 3 and 2 objects have the offsets 0 and 3.
    offsets = np.cumsum(sizes, axis=0) - sizes
    return TrackedFrames(
        names=names,
        sequences=np.concatenate(renumbered),
        numbers=np.concatenate([part.numbers for part in parts]),
        target=_joined("target", [part.target for part in parts]),
        preds=_joined("preds", [part.preds for part in parts]),
        rows=np.concatenate([part.rows + offset for part, offset in zip(parts, offsets, strict=True)]),
        similarity=np.concatenate([part.similarity for part in parts]),
    )


def in_order(x: TrackedFrames) -> list[OneFrame]:
    """Return each frame once, sorted by sequence and number.

    Raises
    ------
    ValueError
        If two entries of one frame differ.
    """
    order = np.lexsort([x.numbers, x.sequences])
    starts = x.target.starts, x.preds.starts
    # Pairs by row of the target, whose rows are frame after frame: those of frame k lie between two edges.
    by_row = np.argsort(x.rows[:, 0], kind="stable")
    edges = np.searchsorted(x.rows[by_row, 0], starts[0])
    out: list[OneFrame] = []
    for k in order.tolist():
        sides = [_rows(side, start[k], start[k + 1]) for side, start in zip((x.target, x.preds), starts, strict=True)]
        matrix = np.zeros([len(side["ids"]) for side in sides])
        pairs = by_row[edges[k] : edges[k + 1]]
        i, j = (x.rows[pairs, side] - starts[side][k] for side in (0, 1))
        matrix[i, j] = x.similarity[pairs]
        frame = OneFrame(x.names[x.sequences[k]], int(x.numbers[k]), sides[0], sides[1], matrix)
        if out and (out[-1].sequence, out[-1].number) == (frame.sequence, frame.number):
            _check_same(out[-1], frame)
        else:
            out.append(frame)
    return out


def _rows(side: SideRows, start: int, stop: int) -> dict[str, Any]:
    columns = {"ids": side.ids, "labels": side.labels}
    return {name: value[start:stop] for name, value in columns.items() if value is not None}


def _joined(side: str, parts: Sequence[SideRows]) -> SideRows:
    labels = [part.labels for part in parts if len(part.ids)]
    if any(x is None for x in labels) and any(x is not None for x in labels):
        raise ValueError(f"`{side}` must have the key 'labels' in all batches, or in none")
    return SideRows(
        counts=np.concatenate([part.counts for part in parts]),
        ids=np.concatenate([part.ids for part in parts]),
        labels=np.concatenate(labels) if labels and labels[0] is not None else None,
    )


def _check_same(one: OneFrame, other: OneFrame) -> None:
    sides = [(a[name], b[name]) for a, b in ((one.target, other.target), (one.preds, other.preds)) for name in a]
    if not all(np.array_equal(a, b) for a, b in [*sides, (one.similarity, other.similarity)]):
        raise ValueError(
            f"frame {one.number} of sequence {one.sequence!r} came twice, with different objects or tracks: give each "
            "frame of a sequence its own number, target['frame'], and call `reset` between epochs"
        )


def _check_ids(side: str, ids: Any, labels: Any, counts: Sequence[int]) -> None:
    entries = np.repeat(np.arange(len(counts)), counts)
    keys = np.stack([entries, np.zeros_like(ids) if labels is None else labels, ids], axis=1)
    every, times = np.unique(keys, axis=0, return_counts=True)
    if (times > 1).any():
        entry, _, twice = every[np.argmax(times > 1)].tolist()
        raise ValueError(f"`{side}[{entry}]['ids']` must differ within a frame, but id {twice} occurs twice")


def _sequence(i: int, sample: Mapping[str, Any]) -> Name:
    given = sample.get("sequence", ONE_SEQUENCE)
    return given if isinstance(given, str) else _whole(f"target[{i}]['sequence']", given, "a name or an integer")


def _whole(name: str, given: Any, what: str = "the number of the frame in its sequence") -> int:
    x = given.item() if isinstance(given, (Tensor, np.generic)) and np.ndim(given) == 0 else given
    if type(x) is not int:
        raise TypeError(f"`{name}` must be {what}, got {'nothing' if x is None else repr(x)}")
    return checks.integer(name, x)
