"""The doctor of tracks: find common mistakes in files that can be read, by trying other ways to read them."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou import boxes
from omniou._lib import checks
from omniou._lib.brief import counted
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY, convert
from omniou.data._tracks import class_readings
from omniou.data._tracks.files import TrackFiles
from omniou.detection import Detections, Targets
from omniou.detection.doctor._examine import examine
from omniou.detection.doctor._examined import Cures, ExaminedArrays
from omniou.pairs import pairwise_sparse
from omniou.tracking import benchmarks

__all__ = ["diagnose"]

Column = npt.NDArray[Any]

# Findings of the doctor of detections that also hold for tracks.
_OF_BOXES = frozenset({"boxes-axes", "boxes-order", "boxes-scale", "boxes-unit"})
_CURES = Cures(
    order="write the boxes of the {what} as {given}{relative}",
    both="write the boxes of both as {given}",
    other_order="write the boxes in the order of the format",
    sizes="",
    relative=", in pixels",
    classes="",
)
# Frames whose tracks are compared with other frames, and offsets that are tried.
_FRAMES, _OFFSETS = 100, (-10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10)
# If frames are shifted, this share of the rows that match in one of two readings overlaps more in another frame, by
# this much on average. A tracker that lags behind stays below.
_SHIFTED, _GAIN = 0.75, 0.02
# Fewer rows say nothing.
_FEW = 20
# A share of rows whose id lives in one frame only, while objects live longer on average.
_ONCE, _LONGER = 0.95, 2.0
# A share of rows that equal a row of the other side.
_EQUAL = 0.99
# MOTS' class of ignored regions.
_REGION = 10


def diagnose(truth: TrackFiles, tracks: TrackFiles | None = None) -> list[Finding]:
    """Find usual faults of files of tracks: other boxes, frames, classes or sides, and ids that do not last.

    Parameters
    ----------
    truth : TrackFiles
        The result of `read_ground_truth_tracks`.
    tracks : TrackFiles, optional
        The result of `read_tracks`. Default: check only the ground truth.

    Returns
    -------
    list of Finding
        Empty where nothing is doubtful.

    Examples
    --------
    Boxes that are corners, in a file that has sizes:

    >>> import pathlib, tempfile
    >>> from omniou import data
    >>> boxes = [(frame, id, 100 * id, 60 + frame, 40, 80) for frame in range(1, 21) for id in (1, 2, 3)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gt, found = (pathlib.Path(folder, name) for name in ("gt.txt", "found.txt"))
    ...     end = chr(10)
    ...     _ = gt.write_text(end.join(f"{f},{i},{x},{y},{w},{h},1" for f, i, x, y, w, h in boxes))
    ...     _ = found.write_text(end.join(f"{f},{i},{x},{y},{x + w},{y + h},1" for f, i, x, y, w, h in boxes))
    ...     truth = data.read_ground_truth_tracks(gt, protocol="plain")
    ...     findings = data.tracks.diagnose(truth, data.read_tracks(found, truth))
    >>> for finding in findings:
    ...     print(finding.code, "|", finding.hint)
    boxes-order | write the boxes of the tracks as xywh
    """
    checks.instance("truth", truth, TrackFiles, "TrackFiles, as `read_ground_truth_tracks` returns them")
    checks.instance("tracks", tracks, TrackFiles | None, "TrackFiles, as `read_tracks` returns them")
    found = [*_ids("ground truth", truth, truth), *_confidences(truth)]
    if tracks is None:
        return found
    found += [*_ids("tracks", tracks, truth), *_empty(truth, tracks)]
    if not min(len(np.asarray(x.tracks.frames)) for x in (truth, tracks)):
        return found
    frames = _frames(truth, tracks)
    if apart := _apart(truth, tracks, frames):
        return found + apart
    found += [*_exchanged(truth, tracks), *_same(truth, tracks, frames)]
    of_boxes = [] if truth.tracks.boxes is None else _boxes(truth, tracks, frames)
    return [*found, *(of_boxes or [*_offset(truth, tracks, frames), *_classes(truth, tracks, frames)])]


class _FrameKeys(NamedTuple):
    """One number for each frame of each sequence, of both tables."""

    truth: Column
    tracks: Column


def _frames(truth: TrackFiles, tracks: TrackFiles) -> _FrameKeys:
    code = {name: k for k, name in enumerate(truth.ranges)}
    numbers = [np.asarray(x.tracks.frames) for x in (truth, tracks)]
    span = max(int(x.max()) for x in numbers) + 2 * max(map(abs, _OFFSETS)) + 1
    keys = [
        np.array([code[name] for name in x.tracks.sequences], dtype=np.int64) * span + frame  # type: ignore[union-attr]
        for x, frame in zip((truth, tracks), numbers, strict=True)
    ]
    return _FrameKeys(*keys)


def _apart(truth: TrackFiles, tracks: TrackFiles, frames: _FrameKeys) -> list[Finding]:
    """No frame with objects and tracks, as where a part of a sequence is numbered from its own start."""
    if np.isin(frames.tracks, frames.truth).any():
        return []
    starts = [_starts(x) for x in (truth, tracks)]
    offsets = {name: starts[1][name] - first for name, first in starts[0].items() if name in starts[1]}
    if not offsets:
        return []
    name, offset = next(iter(offsets.items()))
    first = tracks.first_frame + offset
    own = starts[1][name] + tracks.first_frame - truth.first_frame
    evidence = f"in {name!r}, the first object is in frame {starts[0][name]}, and the first track in frame {own}"
    hint = "number the frames as the ground truth does"
    if len(set(offsets.values())) == 1:
        hint = f"--first-frame {first} (`first_frame={first}`)"
    text = "no frame has both objects and tracks"
    return [Finding(code="frames-apart", text=text, evidence=evidence, hint=hint, path=str(tracks.path))]


def _starts(files: TrackFiles) -> dict[str, int]:
    """The first frame with a row in each sequence."""
    names, at = np.unique(np.asarray(files.tracks.sequences), return_inverse=True)
    first = np.full(len(names), np.iinfo(np.int64).max)
    np.minimum.at(first, at, np.asarray(files.tracks.frames))
    return dict(zip(names.tolist(), first.tolist(), strict=True))


def _corners(files: TrackFiles) -> Column:
    """The boxes, or the boxes around masks."""
    if files.tracks.masks is not None:
        return np.asarray(files.tracks.masks.boxes("xyxy"))
    return np.asarray(files.tracks.boxes, dtype=np.float64).reshape(-1, 4)


def _boxes(truth: TrackFiles, tracks: TrackFiles, frames: _FrameKeys) -> list[Finding]:
    """What the doctor of detections says, to whom each frame is an image."""
    order = tracks.order or "xyxy"
    sides = [convert(_corners(x), "xyxy", order) for x in (truth, tracks)]
    images = np.unique(np.concatenate(frames))
    targets = Targets(boxes=sides[0], labels=np.zeros(len(sides[0]), dtype=np.int64), images=frames.truth)
    examined = ExaminedArrays(targets, images, {0: "object"}, order, GEOMETRY, path=str(truth.path))
    detections = Detections(
        boxes=sides[1],
        scores=np.ones(len(sides[1])),
        labels=np.zeros(len(sides[1]), dtype=np.int64),
        images=frames.tracks,
    )
    found = examine(examined, detections, (order, order), str(tracks.path), _CURES, only_readings=True)
    return [
        Finding(code=x.code, text=_words(x.text), evidence=_words(x.evidence), hint=_words(x.hint), path=x.path)
        for x in found
        if x.code in _OF_BOXES
    ]


def _words(text: str) -> str:
    return text.replace("detections", "tracks").replace("of the image", "of the frame")


def _some(frames: Column) -> Column:
    """Some of the frames of tracks, evenly spaced."""
    every = np.unique(frames)
    return every[np.unique(np.linspace(0, len(every) - 1, _FRAMES).astype(np.int64))]


def _offset(truth: TrackFiles, tracks: TrackFiles, frames: _FrameKeys) -> list[Finding]:
    """Shifted frames: most tracks overlap the objects of another frame more than the objects of their own."""
    rows = np.flatnonzero(np.isin(frames.tracks, _some(frames.tracks)))
    found, objects = _corners(tracks)[rows], _corners(truth)
    keys = _FrameKeys(frames.truth, frames.tracks[rows])
    own = _best(found, objects, keys, 0)
    best, words = 0.0, 0
    shares = {}
    for offset in _OFFSETS:
        other = _best(found, objects, keys, offset)
        differ = (np.maximum(own, other) > 0) & (own != other)
        gain = float((other - own).mean())
        shares[offset] = float((other > own)[differ].mean()) if differ.sum() >= _FEW else 0.0
        if shares[offset] >= _SHIFTED and gain >= _GAIN and gain > best:
            best, words = gain, offset
    if not words:
        return []
    first = tracks.first_frame - words
    evidence = f"{shares[words]:.0%} of the tracks overlap objects of frame n{words:+d} more than objects of frame n"
    text = f"frames of the tracks seem to be shifted by {-words}"
    hint = f"--first-frame {first} (`first_frame={first}`)"
    return [Finding(code="frames-shifted", text=text, evidence=evidence, hint=hint, path=str(tracks.path))]


def _classes(truth: TrackFiles, tracks: TrackFiles, frames: _FrameKeys) -> list[Finding]:
    """Classes that are shifted, renamed, or unknown."""
    given = [x.tracks.labels for x in (truth, tracks)]
    if any(x is None for x in given):
        return []
    of_truth, of_tracks = map(np.asarray, given)
    if of_truth.dtype.kind != of_tracks.dtype.kind:
        return []
    if of_truth.dtype.kind == "U":  # the rules ignore case
        of_truth, of_tracks = np.strings.lower(of_truth), np.strings.lower(of_tracks)
    objects, rows = (np.flatnonzero(np.isin(x, _some(frames.tracks))) for x in frames)
    pairs = pairwise_sparse(
        boxes.iou,
        _corners(tracks)[rows],
        _corners(truth)[objects],
        0.5,
        groups_a=frames.tracks[rows],
        groups_b=frames.truth[objects],
    )
    found = class_readings.TrackPairs(pairs.a, of_tracks[rows][pairs.a], of_truth[objects][pairs.b])
    doubts = class_readings.findings(found, of_truth, of_tracks, str(tracks.path))
    if not doubts:
        return []
    counts = ~np.isin(objects[pairs.b], _uncounted(truth, tracks))
    found = class_readings.TrackPairs(*(x[counts] for x in found))
    return class_readings.findings(found, of_truth, of_tracks, str(tracks.path))


def _uncounted(truth: TrackFiles, tracks: TrackFiles) -> Column:
    """Objects that the rules exclude, such as vans, which trackers of cars follow as cars."""
    try:
        kept = benchmarks.apply(truth.protocol, truth.tracks, tracks.tracks)
    except benchmarks.RuleError:  # which `prepared` raises with its place
        return np.empty(0, dtype=np.int64)
    rows = [x.rows for x in kept.dropped if x.side == "ground_truth"]
    return np.concatenate([np.empty(0, dtype=np.int64), *rows])


def _exchanged(truth: TrackFiles, tracks: TrackFiles) -> list[Finding]:
    """Tracks with what only a ground truth has, and the reverse."""
    labels, scores = (truth.tracks.labels, tracks.tracks.labels), tracks.tracks.scores
    confidence, evidence = truth.tracks.columns.get("confidence"), ""
    if truth.format == "mots":
        regions = [int((np.asarray(x) == _REGION).sum()) for x in labels]
        if regions[1] and not regions[0]:
            evidence = f"{counted(regions[1], 'tracks')} with class {_REGION}, ignored regions, and no object with it"
    elif confidence is not None and scores is not None:
        has_classes = labels[1] is not None and labels[0] is None
        if has_classes and ((confidence > 0) & (confidence < 1)).all() and np.isin(scores, (0, 1)).all():
            evidence = "objects have confidences and no classes, and tracks have flags of 0 or 1 and classes"
    if not evidence:
        return []
    text = "ground truth and tracks seem to be exchanged"
    return [Finding(code="sides-exchanged", text=text, evidence=evidence, hint="name the ground truth first")]


def _best(found: Column, objects: Column, frames: _FrameKeys, offset: int) -> Column:
    """The highest IoU of each track with an object of its frame, moved by an offset."""
    rows = np.flatnonzero(np.isin(frames.truth, frames.tracks + offset))
    groups = frames.tracks + offset, frames.truth[rows]
    pairs = pairwise_sparse(boxes.iou, found, objects[rows], 0.0, groups_a=groups[0], groups_b=groups[1])
    best = np.zeros(len(found))
    np.maximum.at(best, pairs.a, pairs.values)
    return best


def _ids(what: str, files: TrackFiles, truth: TrackFiles) -> list[Finding]:
    """Ids that are made of frame numbers, or of nothing that lasts."""
    once, rows = _once(files)
    if rows < _FEW or once < _ONCE * rows or (files is not truth and _length(truth) < _LONGER):
        return []
    if files is truth and max((x.length for x in truth.ranges.values()), default=0) < _FEW:
        return []
    text = f"nearly every id of the {what} is in one frame only"
    evidence = f"{once} of {rows} rows have an id that occurs once"
    hint = "give an object the same id in all frames, not one made from the frame number"
    return [Finding(code="ids-once", text=text, evidence=evidence, hint=hint, path=str(files.path))]


def _confidences(truth: TrackFiles) -> list[Finding]:
    """Objects of MOTChallenge with a confidence between 0 and 1, which rules cut to 0."""
    given = np.asarray(truth.tracks.columns.get("confidence", ()))
    cut = given[(given > 0) & (given < 1)]
    if truth.protocol == "plain" or not len(cut):
        return []
    text = f"{len(cut)} of {len(given)} objects have a confidence between 0 and 1 and do not count"
    evidence = f"{cut.min():g} to {cut.max():g}, cut to 0 by the rules of {truth.protocol}"
    hint = "write 1 for objects that count, or evaluate with --protocol plain"
    return [Finding(code="tracks-confidence", text=text, evidence=evidence, hint=hint, path=str(truth.path))]


def _counts(files: TrackFiles) -> Column:
    """How many rows each id of a sequence has."""
    code = {name: k for k, name in enumerate(files.ranges)}
    sequence = np.array([code[name] for name in np.asarray(files.tracks.sequences).tolist()], dtype=np.int64)
    ids = np.unique(np.asarray(files.tracks.ids), return_inverse=True)[1].reshape(-1)
    return np.unique(sequence * (ids.max(initial=0) + 1) + ids, return_counts=True)[1]


def _once(files: TrackFiles) -> tuple[int, int]:
    counts = _counts(files)
    return int((counts == 1).sum()), int(counts.sum())


def _length(files: TrackFiles) -> float:
    """How many rows an id has on average."""
    counts = _counts(files)
    return float(counts.mean()) if len(counts) else 0.0


def _empty(truth: TrackFiles, tracks: TrackFiles) -> list[Finding]:
    """Sequences in which the tracker found nothing, though there are objects."""
    sides = [set(np.asarray(x.tracks.sequences).tolist()) for x in (truth, tracks)]
    empty = sorted(sides[0] - sides[1])
    if not empty:
        return []
    text = f"no tracks in {len(empty)} of {len(sides[0])} sequences, though there are objects: {', '.join(empty[:5])}"
    hint = "the files of these sequences are empty: did the tracker run?"
    return [Finding(code="sequences-empty", text=text, hint=hint, path=str(tracks.path))]


def _same(truth: TrackFiles, tracks: TrackFiles, frames: _FrameKeys) -> list[Finding]:
    """The ground truth itself as tracks, which rules do not call perfect; looked for in some frames."""
    chosen = _some(frames.tracks)
    objects, found = (
        _rows(files, np.flatnonzero(np.isin(keys, chosen))) for files, keys in zip((truth, tracks), frames, strict=True)
    )
    shared = len(objects & found)
    if len(found) < _FEW or shared < _EQUAL * len(found):
        return []
    text, shape = "the tracks seem to be the ground truth itself", "box" if truth.tracks.masks is None else "mask"
    own = f"{shared} of {len(found)} rows have the frame, the id and the {shape} of an object"
    evidence = f"in {counted(len(chosen), 'frames')}, {own}"
    hint = "write the tracks of a tracker"
    if _has_more_tracks(truth, tracks):
        hint = (
            "rows that the rules ignore, such as other classes and confidence 0, are false positives here, so the "
            "numbers are below 100 %: to test a set-up, write only rows that count"
        )
    return [Finding(code="tracks-are-truth", text=text, evidence=evidence, hint=hint, path=str(tracks.path))]


def _has_more_tracks(truth: TrackFiles, tracks: TrackFiles) -> bool:
    """Whether the rules keep more rows of the tracks than of the ground truth."""
    try:
        kept = benchmarks.apply(truth.protocol, truth.tracks, tracks.tracks)
    except benchmarks.RuleError:  # which `prepared` raises with its place
        return True
    rows = [len(np.asarray(x.frames)) for x in (kept.tracks, kept.ground_truth)]
    return rows[0] > rows[1]


def _rows(files: TrackFiles, some: Column) -> set[tuple[Any, ...]]:
    table = files.tracks
    columns = [np.asarray(x)[some].tolist() for x in (table.sequences, table.frames, table.ids)]
    if table.boxes is not None:
        columns += np.asarray(table.boxes)[some].T.tolist()
    elif table.masks is not None:
        columns.append([x["counts"] for x in table.masks.take(some).to_coco()])
    return set(zip(*columns, strict=True))
