"""What a ground truth is, regardless of the format that it was read from."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from omniou import boxes
from omniou._catalogue.geometry import Geometry
from omniou._inputs.kinds import KindName
from omniou._lib.brief import Brief
from omniou.detection import Targets

if TYPE_CHECKING:
    from omniou.keypoints import Skeleton

Column = npt.NDArray[Any]


class Naming(NamedTuple):
    """How the images, or the categories, of a ground truth are identified."""

    own: bool = True
    """The ids are the file's; otherwise they count the names, in order."""
    complete: bool = True
    """The file lists all of them: a detection of another one is a fault. Otherwise it is left out, with a warning."""
    others: tuple[str, ...] = ()
    """Names of images that were not asked for: a detection in one of them is not in one that is called alike."""
    class_ids: str = ""
    """How numbers of classes count the names, where the option `class_ids` says so: the ids are these numbers."""


ALL_LISTED = Naming()


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class GroundTruth(Brief):
    """The objects of a data set, from one file or one directory of files.

    Attributes
    ----------
    path : Path
        The file or the directory.
    targets : Targets
        Its objects as columns, in the file's order. Where the file says so, `crowd` has regions of many objects,
        `ignore` objects that are not counted ("difficult" ones), and `negative` and `not_exhaustive` the pairs of
        image and class of a federated annotation.
    images : array of int64, shape (I,)
        Ids of all images, those without objects included.
    categories : dict
        Id -> name of all categories, in the file's order; the id where a name is missing.
    flagged : array of bool, shape (N,)
        COCO's annotations with ``"ignore": 1``. COCO's evaluator overwrites that field by `iscrowd`, so it has no
        effect; to give it one, pass it as the column `ignore` of the targets. False in other formats.
    format : str
        The `format` for `omniou.detection.evaluate`, of the boxes and of detections that are read for this truth.
    kind : str, optional
        What was read, `Options.kind`: `omniou.detection.evaluate` compares it.
    protocol : str, optional
        Name of the rules by which `omniou.detection.evaluate` evaluates it unasked: of formats whose ground truth has a
        meaning under their own rules only, LVIS's ("lvis") and DOTA's ("voc2007").
    geometry : Geometry
        Of the boxes: upright boxes, also next to masks, or for instance ``omniou.rotated.GEOMETRY``.
    relative : bool
        Whether coordinates are fractions of the sides of their image, because its size is not known. Scores of pairs
        are the same as in pixels; areas, and with them area ranges, mean nothing.
    image_names : dict
        Id -> name of all images: a file name, or the name that the format knows them by; with a file for each image,
        its path from the directory, without ending and folders called "images" and "labels".
    sizes : array of float64, shape (I, 2), optional
        Height and width of each image, NaN where unknown.
    durations : array of float64, shape (I,), optional
        Lengths of videos in seconds, NaN where unknown.
    subset : str
        Which videos of a file were read, where it has several sets of them; empty where it has one.
    present : array of bool, shape (P,), optional
        Which pairs of `targets.negative` are of classes that an image-level label says are there, and that have no box:
        a detection of them counts as much as one of an absent class, but their ancestors are there, too.
    frequency : dict, optional
        Id -> "r", "c" or "f" of LVIS's rare, common and frequent categories.
    skeleton : Skeleton, optional
        Sigmas, names and edges of keypoints.
    image_groups : dict
        Name -> ids of images, each group of which adds its AP to the summary: CrowdPose's easy, medium and hard ones.
    least_height : float
        Detections that are lower have no effect: KITTI's levels of difficulty.
    image_naming, category_naming : Naming
        Whether ids are the file's own, and whether it lists all.
    """

    path: Path
    targets: Targets[Column]
    images: Column
    categories: dict[int, str]
    flagged: Column
    format: str = "xywh"
    kind: KindName | None = None
    protocol: str | None = None
    geometry: Geometry = dataclasses.field(default_factory=lambda: boxes.GEOMETRY)  # whose `repr` fills a screen
    relative: bool = False
    image_names: dict[int, str] = dataclasses.field(default_factory=dict)
    sizes: Column | None = None
    durations: Column | None = None
    subset: str = ""
    present: Column | None = None
    frequency: dict[int, str] | None = None
    skeleton: "Skeleton | None" = None
    image_groups: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    least_height: float = 0.0
    image_naming: Naming = ALL_LISTED
    category_naming: Naming = ALL_LISTED


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class UnknownTruth(GroundTruth):
    """The place of a ground truth that was not given: the rows of detections say which images and classes there are.

    Attributes
    ----------
    listed : callable
        Rows of detections, as they were read -> a ground truth without objects that lists what occurs in them.
    """

    listed: Callable[[Any], GroundTruth] = dataclasses.field(kw_only=True)
