"""Sets of keypoints: their names, how far annotators differ, and what is drawn between them."""

import dataclasses
import functools
import math
import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from omniou._lib import checks, near

Edge = tuple[int, int]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Skeleton:
    """A set of keypoints: names, edges, sigmas and the rules of its data set.

    Attributes
    ----------
    name : str
        As it is named in options and in results.
    sigmas : tuple of float
        How far annotations of each point differ, as a share of the root of the object's area: COCO's k is twice as
        large. Empty for a set that is scored by distances only.
    points : tuple of str
        Names of the points, in their order; empty where they have none.
    edges : tuple of (int, int)
        Pairs of points, counted from 0, between which a line is drawn.
    box_area : float, optional
        The share of an object's box that stands for its area, as CrowdPose has it. None: the area is given.
    least_visible : int
        An object counts if some point has a v above the number before: 1 for v above 0 (labelled, also by a confidence
        such as 0.9), or CrowdPose's 2 for v above 1 (not occluded).

    Raises
    ------
    TypeError, ValueError
        If a sigma is not positive, the numbers of points and sigmas differ, or an edge names a point that is not there.

    Examples
    --------
    >>> from omniou import keypoints
    >>> keypoints.COCO.points[0], keypoints.COCO.sigmas[1], len(keypoints.COCO.sigmas)
    ('nose', 0.025, 17)
    >>> pencil = keypoints.Skeleton(name="pencil", sigmas=(0.03, 0.05), points=("tip", "end"), edges=((0, 1),))
    """

    name: str
    sigmas: tuple[float, ...]
    points: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    box_area: float | None = None
    least_visible: int = 1

    def __post_init__(self) -> None:
        """Check the numbers, and make tuples of lists."""
        checks.instance("name", self.name, str, "a string")
        object.__setattr__(self, "sigmas", numbers_of(self.sigmas))
        object.__setattr__(self, "points", checks.items("points", self.points, "names of points"))
        edges = checks.items("edges", self.edges, "pairs of numbers of points")
        if not all(len(checks.items("edges", edge, "pairs of numbers of points")) == 2 for edge in edges):
            raise ValueError(f"`edges` must be pairs of numbers of points, got {edges}")
        edges = tuple((checks.integer("edges", i), checks.integer("edges", j)) for i, j in edges)
        checks.fields(self, edges=edges, least_visible=checks.integer("least_visible", self.least_visible))
        if self.points and self.sigmas and len(self.points) != len(self.sigmas):
            raise ValueError(f"`sigmas` must be as many as `points`, {len(self.points)}, got {len(self.sigmas)}")
        for edge in self.edges:
            if not all(0 <= k < self.number for k in edge):
                raise ValueError(f"`edges` must name points 0 to {self.number - 1}, got {edge}")
        if self.box_area is not None:
            checks.fields(self, box_area=checks.number("box_area", self.box_area, above=0.0))

    @property
    def number(self) -> int:
        """How many points there are."""
        return len(self.sigmas) or len(self.points)

    def counts(self, v: Any, /) -> Any:
        """Return which points, by their v, make an object count."""
        return v > self.least_visible - 1


def numbers_of(sigmas: Any, /) -> tuple[float, ...]:
    """A user's own sigmas, checked."""
    listed = checks.several(sigmas)
    if listed is None:
        raise TypeError(f"`sigmas` must be positive numbers, one for each point, got {sigmas!r}")
    for number, sigma in enumerate(listed):
        if isinstance(sigma, bool) or not isinstance(sigma, int | float) or not 0 < sigma < math.inf:
            raise ValueError(f"`sigmas[{number}]` must be a positive number, got {sigma!r}")
    return tuple(map(float, listed))


_LIMBS = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")
_BODY = ("nose", *(f"{side}_{part}" for part in ("eye", "ear", *_LIMBS) for side in ("left", "right")))
# Divided by 10 as in the reference implementation, which gives its bits: 0.26 / 10 is not 0.026.
_OF_LIMBS = tuple(x / 10 for x in (0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89))
_OF_BODY = (*(x / 10 for x in (0.26, 0.25, 0.25, 0.35, 0.35)), *_OF_LIMBS)
# Eyes and ears to the shoulders, the trunk, arms and legs.
_BODY_EDGES = (
    *((0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6)),
    *((5, 6), (5, 11), (6, 12), (11, 12)),
    *((5, 7), (7, 9), (6, 8), (8, 10), (11, 13), (13, 15), (12, 14), (14, 16)),
)

COCO = Skeleton(name="coco", sigmas=_OF_BODY, points=_BODY, edges=_BODY_EDGES)
"""The 17 points of COCO's persons, with the sigmas of its reference implementation."""

CROWDPOSE = Skeleton(
    name="crowdpose",
    sigmas=(*_OF_LIMBS, *_OF_LIMBS[:2]),
    points=(*_BODY[5:], "head", "neck"),
    edges=(
        *((12, 13), (13, 0), (13, 1), (0, 1), (0, 6), (1, 7), (6, 7)),
        *((0, 2), (2, 4), (1, 3), (3, 5), (6, 8), (8, 10), (7, 9), (9, 11)),
    ),
    box_area=0.53,
    least_visible=2,
)
"""The 14 points of CrowdPose, whose objects have 0.53 of their box for an area."""

_FOOT = tuple(f"{side}_{part}" for side in ("left", "right") for part in ("big_toe", "small_toe", "heel"))
_FINGERS = ("thumb", "forefinger", "middle_finger", "ring_finger", "pinky_finger")
_HANDS = tuple(
    f"{side}_{part}"
    for side in ("left", "right")
    for part in ("hand_root", *(f"{finger}{k}" for finger in _FINGERS for k in range(1, 5)))
)
# Thousandths.
_OF_FOOT = (68, 66, 66, 92, 94, 94)
_OF_FACE = (
    *(42, 43, 44, 43, 40, 35, 31, 25, 20, 23, 29, 32, 37, 38, 43, 41, 45),
    *(13, 12, 11, 11, 12, 12, 11, 11, 13, 15),
    *(9, 7, 7, 7, 12, 9, 8, 16, 10),
    *(17, 11, 9, 11, 9, 7, 13, 8, 11, 12, 10, 34),
    *(8, 8, 9, 8, 8, 7, 10, 8, 9, 9, 9, 7, 7, 8, 11, 8, 8, 8, 10, 8),
)
_OF_HAND = (29, 22, 35, 37, 47, 26, 25, 24, 35, 18, 24, 22, 26, 17, 21, 21, 32, 20, 19, 22, 31)


def _chain(*points: int, closed: bool = False) -> tuple[Edge, ...]:
    return tuple(zip(points, (*points[1:], *points[:1]) if closed else points[1:], strict=False))


def _wholebody_edges() -> tuple[Edge, ...]:
    face, open_parts = 23, ((0, 17), (17, 22), (22, 27), (27, 31), (31, 36))
    edges = [*_BODY_EDGES, (15, 17), (15, 18), (15, 19), (16, 20), (16, 21), (16, 22)]
    for start, stop in open_parts:
        edges += _chain(*range(face + start, face + stop))
    for start, stop in ((36, 42), (42, 48), (48, 60), (60, 68)):
        edges += _chain(*range(face + start, face + stop), closed=True)
    for root, wrist in ((91, 9), (112, 10)):
        edges.append((wrist, root))
        for first in range(root + 1, root + 21, 4):
            edges += _chain(root, *range(first, first + 4))
    return tuple(edges)


WHOLEBODY = Skeleton(
    name="wholebody",
    sigmas=(*(round(x, 3) for x in _OF_BODY), *(x / 1000 for x in (*_OF_FOOT, *_OF_FACE, *_OF_HAND, *_OF_HAND))),
    points=(*_BODY, *_FOOT, *(f"face-{k}" for k in range(68)), *_HANDS),
    edges=_wholebody_edges(),
)
"""The 133 points of COCO-WholeBody: body, feet, face, left and right hand."""

MPII = Skeleton(
    name="mpii",
    sigmas=(),
    points=(
        *("right_ankle", "right_knee", "right_hip", "left_hip", "left_knee", "left_ankle", "pelvis", "thorax"),
        *("upper_neck", "head_top", "right_wrist", "right_elbow", "right_shoulder", "left_shoulder", "left_elbow"),
        "left_wrist",
    ),
    edges=(
        *((0, 1), (1, 2), (2, 6), (3, 6), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9)),
        *((10, 11), (11, 12), (12, 7), (13, 7), (13, 14), (14, 15)),
    ),
)
"""The 16 points of MPII Human Pose, which is scored by `pckh`: it has no sigmas."""

SKELETONS: Mapping[str, Skeleton] = MappingProxyType({x.name: x for x in (COCO, CROWDPOSE, WHOLEBODY, MPII)})
"""Skeletons by name."""


def skeleton_of(given: Any, /, *, argument: str = "sigmas") -> Skeleton:
    """A skeleton, the one of a name, or one of a user's own sigmas."""
    if isinstance(given, Skeleton):
        found = given
    elif isinstance(given, str):
        if given not in SKELETONS:
            listed = ", ".join(map(repr, SKELETONS))
            raise ValueError(
                f"`{argument}` must be one of {listed}, or numbers, got {given!r}{near.hint(given, list(SKELETONS))}"
            )
        found = SKELETONS[given]
    else:
        return _ofnumbers_of(numbers_of(given))
    if not found.sigmas:
        raise ValueError(
            f"`{argument}` {found.name!r} has no sigmas: its points are scored by distances, see `keypoints.pckh`"
        )
    return found


@functools.lru_cache(256)
def _ofnumbers_of(sigmas: tuple[float, ...], /) -> Skeleton:
    same = next((x for x in SKELETONS.values() if x.sigmas == sigmas and x.box_area is None), None)
    # The checksum tells sets apart in states, of which only those of one name are merged.
    number = zlib.crc32(repr(sigmas).encode())
    name = f"{len(sigmas)} points, sigmas {min(sigmas, default=0):g} to {max(sigmas, default=0):g} ({number:08x})"
    return same or Skeleton(name=name, sigmas=sigmas)
