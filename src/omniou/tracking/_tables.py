"""The table of a tracker or of the ground truth: one row for each object in each frame."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Generic

from omniou._lib.brief import Brief
from omniou._lib.types import ArrayLike, ArrayT
from omniou.rle import Masks


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Tracks(Brief, Generic[ArrayT]):
    """The objects, or a tracker's output, in all frames of all sequences: one row for each object in each frame.

    Rows of a frame keep their order: where similarities tie, the order is part of HOTA, as in TrackEval. The order of
    frames does not matter.

    Attributes
    ----------
    boxes : array, shape (N, K), optional
        Boxes in the `format` of `evaluate`, or the rows of another geometry. None where masks are compared.
    frames : array of integers, shape (N,)
        Number of the frame.
    ids : array of integers, or list of str, shape (N,)
        Identity of the object or of the track. An id occurs at most once in a frame of a class.
    labels : array of integers, or list of str, shape (N,), optional
        Class of each row. Each class is evaluated separately. Default: all rows are of one class.
    scores : array, shape (N,), optional
        Confidence of a detection. The metrics do not use it.
    masks : omniou.rle.Masks, optional
        N masks, for the kinds that compare masks.
    sequences : array of integers, or list of str, shape (N,), optional
        Name of the sequence (the video). Default: all rows are of one sequence.
    columns : mapping of str to array, shape (N,)
        Further columns, which the rules of a data set use: "confidence", "visibility", "occluded", "truncated",
        "crowd". `evaluate` does not use them.
    """

    boxes: ArrayT | ArrayLike | None
    frames: ArrayT | ArrayLike
    ids: ArrayT | ArrayLike
    labels: ArrayT | ArrayLike | None = None
    scores: ArrayT | ArrayLike | None = None
    masks: Masks | None = None
    sequences: ArrayT | ArrayLike | None = None
    columns: Mapping[str, Any] = dataclasses.field(default_factory=dict)
