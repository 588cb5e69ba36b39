"""The rules by which benchmarks of single-object tracking count frames, as plain values."""

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from omniou._lib import checks

FirstFrame = Literal["given", "count", "exclude"]
Absent = Literal["exclude", "miss"]
Empty = Literal["miss", "previous"]
Clip = Literal["none", "image", "got10k"]
Mean = Literal["sequences", "frames"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SingleProtocol:
    """Rules of a benchmark. ``dataclasses.replace(single.OTB, points=101)`` changes one of them.

    Attributes
    ----------
    name : str
        Its name in results.
    first_frame : {"given", "count", "exclude"}
        The frame that starts the tracker: it counts with the ground truth instead of the prediction, counts as
        predicted, or does not count.
    absent : {"exclude", "miss"}
        Treatment of frames without the object: they do not count, or count as missed (IoU 0, an infinite error),
        regardless of the prediction.
    empty : {"miss", "previous"}
        Treatment of a predicted box of width or height 0: a miss, or the box of the frame before.
    clip : {"none", "image", "got10k"}
        Whether boxes are cut at the image: not, exactly, or as GOT-10k's toolkit does it. That moves the corner into
        the image and keeps the side: a box 30 wide that starts at -10 still is 30 wide.
    points : int
        Number of IoU thresholds of the success curve, from 0 to 1.
    mean : {"sequences", "frames"}
        Whether numbers are means over sequences, each with equal weight, or over all frames.
    """

    name: str
    first_frame: FirstFrame = "given"
    absent: Absent = "exclude"
    empty: Empty = "miss"
    clip: Clip = "none"
    points: int = 21
    mean: Mean = "sequences"

    def __post_init__(self) -> None:
        """Raise for unknown choices."""
        checks.choice("first_frame", self.first_frame, ("given", "count", "exclude"))
        checks.choice("absent", self.absent, ("exclude", "miss"))
        checks.choice("empty", self.empty, ("miss", "previous"))
        checks.choice("clip", self.clip, ("none", "image", "got10k"))
        checks.choice("mean", self.mean, ("sequences", "frames"))
        checks.fields(self, points=checks.count("points", self.points))
        if self.points < 2:
            raise ValueError(f"`points` must be at least 2, got {self.points}")


OTB = SingleProtocol(name="otb")
"""OTB's one-pass evaluation, as the toolkit of GOT-10k has it."""

LASOT = SingleProtocol(name="lasot", absent="miss", empty="previous")
"""LaSOT: frames without the object count as missed."""

GOT10K = SingleProtocol(name="got10k", first_frame="exclude", clip="got10k", points=101, mean="frames")
"""GOT-10k: without first frames, over the frames of all sequences."""

PROTOCOLS: Mapping[str, SingleProtocol] = MappingProxyType({x.name: x for x in (OTB, LASOT, GOT10K)})
"""Protocols by name."""
