"""Numbers of video object segmentation, from J and F of each object in each frame."""

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any, Literal

from omniou._lib import backends
from omniou.tracking import _sequences as sequences

Task = Literal["semi-supervised", "unsupervised"]
Decay = Literal["exact", "uint8"]

_OF_BOTH = ("Mean", "Recall", "Decay")
NUMBERS = ("J&F", *(f"{name}-{x}" for name in "JF" for x in _OF_BOTH))
# Parts of a sequence: the decay is the mean of the first minus the mean of the last.
_PARTS = 4
# Of recall: F of one half may come out one unit in the last place larger, and TrackEval adds as much.
_HALF = 0.5 + 2**-52


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class ObjectTracks:
    """J and F of the objects of a sequence, as NumPy arrays.

    Attributes
    ----------
    objects : array of integers, shape (G,)
        Labels of the ground truth.
    predicted : array of integers, shape (G,)
        Label of the prediction that each object is compared with; 0 if there is none.
    J, F : array, shape (G, T)
        J and F of each object, in each frame that counts.
    """

    objects: Any
    predicted: Any
    J: Any
    F: Any


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class VideoObjectResult:
    """J and F of video object segmentation. "No data" is NaN.

    Attributes
    ----------
    task : str
    tracks : dict of str to ObjectTracks
        J and F of each frame, by sequence.
    counts : dict of str to int
        "sequences", "objects", "frames" that count; "unpredicted" objects, which no prediction was compared with;
        "unassigned" predictions of the unsupervised task, which do not lower the numbers.
    decay : str
        How parts of sequences are numbered, as `evaluate` has it.
    """

    task: Task
    tracks: Mapping[str, ObjectTracks]
    counts: Mapping[str, int]
    decay: Decay = "exact"

    def __repr__(self) -> str:
        """The numbers, in lines that fit a screen."""
        head = f"Result of {self.counts['objects']} objects, {self.counts['sequences']} sequences, {self.task}"
        return sequences.as_text(head, self.summary)

    @functools.cached_property
    def summary(self) -> dict[str, float]:
        """Means over the objects of all sequences.

        "J-Mean" and "F-Mean" are means over frames, "J-Recall" and "F-Recall" shares of frames above 0.5, "J-Decay" and
        "F-Decay" what the last quarter of the frames loses to the first one. "J&F" is the mean of "J-Mean" and
        "F-Mean".
        """
        return _mean(list(self.per_object.values()))

    @functools.cached_property
    def per_object(self) -> dict[str, dict[str, float]]:
        """The numbers of each object, by sequence and label: "bike-packing_1"."""
        return {
            f"{name}_{label}": _numbers(x.J[k], x.F[k], self.decay)
            for name, x in self.tracks.items()
            for k, label in enumerate(x.objects.tolist())
        }

    @functools.cached_property
    def per_sequence(self) -> dict[str, dict[str, float]]:
        """Means over the objects of each sequence."""
        return {
            name: _mean([self.per_object[f"{name}_{label}"] for label in x.objects.tolist()])
            for name, x in self.tracks.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Python's own values: "task", "summary", "counts", "per_sequence", "per_object"; None for no data."""
        return {
            "task": self.task,
            "summary": sequences.plain(self.summary),
            "counts": dict(self.counts),
            "per_sequence": {name: sequences.plain(x) for name, x in self.per_sequence.items()},
            "per_object": {name: sequences.plain(x) for name, x in self.per_object.items()},
        }


def _mean(rows: list[dict[str, float]], /) -> dict[str, float]:
    found = sequences.means(rows, NUMBERS)
    return {**found, "J&F": (found["J-Mean"] + found["F-Mean"]) / 2}


def _numbers(j: Any, f: Any, decay: Decay, /) -> dict[str, float]:
    out: dict[str, float] = {}
    for name, x in (("J", j), ("F", f)):
        out |= {f"{name}-Mean": _average(x), f"{name}-Recall": _average(x > _HALF), f"{name}-Decay": _decay(x, decay)}
    return {"J&F": (out["J-Mean"] + out["F-Mean"]) / 2, **out}


def _average(x: Any, /) -> float:
    return float(x.mean()) if x.shape[0] else math.nan


def _decay(x: Any, rule: Decay, /) -> float:
    """Mean of the first part of the frames minus the mean of the last; parts share the frame between them."""
    xp = backends.numpy_namespace()
    edges = (xp.round(xp.linspace(1, x.shape[0], _PARTS + 1) + 1e-10) - 1).astype(xp.int64)
    stops = edges + 1
    if rule == "uint8":  # beyond 255 the frames of DAVIS's code start from 0 again
        edges, stops = edges % 256, (edges % 256 + 1) % 256
    return _average(x[edges[0] : stops[1]]) - _average(x[edges[-2] : stops[-1]])
