"""Whether the columns of a state go together: a checksum also fits columns that no evaluation makes."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.detection._protocol import Protocol
from omniou.detection.curves._state import State
from omniou.detection.matching._matching import words

Column = npt.NDArray[Any]

_PER_IMAGE = ("images", "objects_of", "detections_of")
_PER_OBJECT = ("target_labels", "ranges")
_PER_DETECTION = ("scores", "labels", "outside")
_PER_MATCH = ("rows", "rank")


def fault_of_columns(columns: Mapping[str, Column], protocol: Protocol) -> str:
    """What is wrong with the names, types and shapes of the columns; empty if nothing."""
    flat = ("classes", *_PER_IMAGE, *_PER_OBJECT, *_PER_DETECTION, *_PER_MATCH)
    wide = [f"{name}_{number}" for name in ("matched", "ignored") for number in range(len(words(protocol)))]
    for name in (*flat, *wide):
        if name not in columns:
            return f"the column {name!r} is missing"
        x, (kinds, dimensions) = (
            columns[name],
            ("f", 1) if name == "scores" else ("iu", 1) if name in flat else ("u", 2),
        )
        if x.dtype.kind not in kinds or x.ndim != dimensions or (dimensions == 2 and not 1 <= x.shape[1] <= 8):
            return f"the column {name!r} has {x.dtype} of shape {x.shape}"
        if name in {"outside", "ranges"} and x.dtype == np.int8:  # bytes of bits, which are never signed
            return f"the column {name!r} has {x.dtype}"
    for names in (_PER_IMAGE, _PER_OBJECT, _PER_DETECTION, (*_PER_MATCH, *wide)):
        sizes = {name: len(columns[name]) for name in names}
        if len(set(sizes.values())) > 1:
            return f"the columns {', '.join(names)} have {', '.join(map(str, sizes.values()))} rows"
    return ""


def fault_of_values(state: State) -> str:
    """What is wrong with the values; empty if nothing."""
    return next((words for words, wrong in _checks(state) if wrong), "")


def _checks(state: State) -> Iterator[tuple[str, bool]]:
    classes, images, matches = len(state.classes), len(state.images), len(state.rows)
    every = (1 << len(state.protocol.area_ranges)) - 1
    yield "`classes` or `images` do not rise", _falls(state.classes) or _falls(state.images)
    for name, rows in (("objects_of", state.target_labels), ("detections_of", state.scores)):
        counts = getattr(state, name)
        yield f"`{name}` does not add up to {len(rows)}", bool((counts < 0).any()) or int(counts.sum()) != len(rows)
    for name, most in (("target_labels", classes - 1), ("labels", classes - 1), ("ranges", every), ("outside", every)):
        yield f"`{name}` is out of its range", _leaves(getattr(state, name), most)
    yield "`scores` are not numbers", bool(np.isnan(state.scores).any())
    yield (
        "`rows` do not rise, or are out of their range",
        _falls(state.rows) or _leaves(state.rows, len(state.scores) - 1),
    )
    most_in_image = state.detections_of[np.repeat(np.arange(images), state.detections_of)[state.rows]]
    yield "`rank` is out of its range", matches > 0 and bool(((state.rank < 0) | (state.rank >= most_in_image)).any())
    yield "`surplus` is negative", state.surplus < 0
    yield from _checks_of_bits(state)


def _checks_of_bits(state: State) -> Iterator[tuple[str, bool]]:
    objects, labels = np.asarray(state.objects), state.labels[state.rows]
    for word, matched, ignored in zip(words(state.protocol), state.matched, state.ignored, strict=True):
        thresholds = word.thresholds.stop - word.thresholds.start
        bits = thresholds * (word.areas.stop - word.areas.start)
        yield "`matched` has bits of no threshold", _leaves(matched, (1 << bits) - 1)
        yield "`ignored` has bits that `matched` has not", bool((ignored & ~matched).any())
        for area in range(word.areas.start, word.areas.stop):
            hit = ((matched & ~ignored) >> ((area - word.areas.start) * thresholds)) & 1
            hits = np.bincount(labels[hit != 0], minlength=len(state.classes))
            yield "more detections match than there are objects", bool((hits > objects[:, area]).any())


def _falls(x: Column) -> bool:
    return bool((x[1:] <= x[:-1]).any())


def _leaves(x: Column, most: int) -> bool:
    """Whether some are below 0 or above `most`."""
    return x.size > 0 and (int(x.min()) < 0 or int(x.max()) > most)
