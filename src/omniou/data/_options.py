"""Options of readers."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from omniou._catalogue.geometry import Geometry
from omniou._inputs.class_ids import CLASS_IDS, ClassIds
from omniou._inputs.kinds import KINDS, KindName, described, with_masks
from omniou._lib import checks, docs, near
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data._errors import OptionError

if TYPE_CHECKING:
    from omniou.keypoints import Skeleton

# Units of the angles of rotated boxes.
ANGLE_UNITS = ("radians", "degrees")
# Levels of KITTI's benchmark: `_formats/kitti_rows.py` has their limits.
DIFFICULTIES = ("easy", "moderate", "hard")


def _plain(files: Sequence[Path], _: str) -> Iterable[Path]:
    return files


@docs.described(
    docs.texts(
        kind="Kind of shapes to read, if the format has it, as in `omniou.detection.evaluate`: "
        f"{described()}. With masks, boxes are read too. Default: of a ground truth the kind that its format is made "
        'for, else "bbox"; of detections the kind of the ground truth.'
    )
)
@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to read a file that does not say it itself.

    Attributes
    ----------
    kind : str, optional
    boxes : str, optional
        Order of the numbers of a box, where the file deviates from its format: "xyxy", "yxyx", "xywh", "cxcywh", or one
        of these with ``rel_`` in front, for fractions of the image's sides; of rotated boxes "cxcywhr" or "xywhr".
    scale : float, optional
        For detections whose coordinates count from 0 to this number in each image, such as language models' from 0 to
        1000; 1 for fractions. Sizes of images come from the ground truth, or from `image_size` and `images`.
    angle_unit : {"radians", "degrees"}
        Unit of the angles of rotated boxes, as in `omniou.rotated.convert`.
    clockwise : bool
        Whether positive angles turn x towards y, clockwise on a screen.
    sigmas : str, Skeleton or tuple of float, optional
        For keypoints: "coco", "crowdpose", "wholebody", or a number for each point. Default: the sigmas of the set that
        has the same names of points as the file.
    only_classes, except_classes : sequence of str, optional
        For keypoints: the classes whose points are read, or all others, where classes have different points. Objects of
        other classes count as unlabelled.
    image_size : (height, width), optional
        Size of images whose size the ground truth does not state, for relative boxes.
    images : path, optional
        Directory of the images, where such sizes are looked up otherwise (by Pillow).
    classes : path, optional
        Text file with the name of a class in each line; numbers of classes count these lines from 0. For detections in
        COCO's JSON, too: if their class numbers follow another list than the ground truth's.
    class_ids : {"from-0", "from-1", "coco"}, optional
        Numbers of classes that are not the ids of the categories: they count these in the order of their ids, from 0 or
        from 1, or they are COCO's ids, 1 to 90, of 80 categories. For detections whose classes are numbers, and for
        COCO's and LVIS's ground truth.
    synonyms : path, or mapping of str to str, optional
        Names that are not classes of the ground truth -> its classes, for detections with free names of language
        models. A file is an object of JSON, or has ``name: class`` or ``name,class`` in each line.
    image_set : path, or tuple of str, optional
        Text file whose lines begin with the images to read, such as ``ImageSets/Main/val.txt``, or their names. A name
        stands for the image with which it shares the longest tail of its path; flags of a class may follow. In files of
        all images, ids stand for names, too. For detections, of formats that have a file for each image.
    difficulty : {"easy", "moderate", "hard"}, optional
        KITTI's level: harder objects need not be found.
    subset : str, optional
        For ActivityNet's JSON: the videos to read, such as "validation". Default: the only subset with annotations, or
        "validation" next to "training".
    blocked : path, optional
        For ActivityNet's JSON: file with the names of videos to exclude, a JSON list or a name in each line.
    missing_scores : bool
        For detections without scores, which are then read as ``scores=None``: see `omniou.detection.evaluate`.
    max_unpacked : int, optional
        Most bytes that a file compressed by gzip may unpack to. Default: 100 times its size, and at least 64 MiB.
    track : callable
        Wraps a list of files that are read one by one, and a word for them: shows progress.
    """

    kind: KindName | None = None
    boxes: str | None = None
    scale: float | None = None
    angle_unit: Literal["radians", "degrees"] = "radians"
    clockwise: bool = True
    sigmas: "str | Skeleton | tuple[float, ...] | None" = None
    only_classes: Sequence[str] | None = None
    except_classes: Sequence[str] | None = None
    image_size: tuple[float, float] | None = None
    images: Path | None = None
    classes: Path | None = None
    class_ids: ClassIds | None = None
    synonyms: Path | str | Mapping[str, str] | None = None
    image_set: Path | tuple[str, ...] | None = None
    difficulty: Literal["easy", "moderate", "hard"] | None = None
    subset: str | None = None
    blocked: Path | None = None
    missing_scores: bool = False
    max_unpacked: int | None = None
    track: Callable[[Sequence[Path], str], Iterable[Path]] = _plain

    def __post_init__(self) -> None:
        """Check the words, and name the one that was meant."""
        for name, choices in (
            ("kind", KINDS),
            ("boxes", () if self.boxes is None else _orders()),
            ("angle_unit", ANGLE_UNITS),
            ("class_ids", CLASS_IDS),
            ("difficulty", DIFFICULTIES),
        ):
            given = getattr(self, name)
            if given is not None and given not in choices:
                listed = ", ".join(map(repr, choices))
                raise OptionError(f"`{name}` must be one of {listed}, got {given!r}{near.hint(given, choices)}")
        try:
            for name in ("clockwise", "missing_scores"):
                checks.fields(self, **{name: checks.flag(name, getattr(self, name))})
            if self.sigmas is not None:
                from omniou.keypoints._skeletons import skeleton_of

                checks.fields(self, sigmas=checks.plain_option(self.sigmas))
                skeleton_of(self.sigmas)
            if self.scale is not None:
                checks.fields(self, scale=checks.number("scale", self.scale, above=0.0))
            if self.image_size is not None:
                checks.fields(self, image_size=checks.sides("image_size", self.image_size))
            if self.synonyms is not None and not isinstance(self.synonyms, str | Path):
                checks.instance("synonyms", self.synonyms, Mapping, "a path or a mapping of names to classes")
            if self.max_unpacked is not None:
                checks.fields(self, max_unpacked=checks.count("max_unpacked", self.max_unpacked))
        except (TypeError, ValueError) as error:
            raise OptionError(str(error)) from None

    def chosen(self, categories: Mapping[int, str], path: Path) -> set[int]:
        """Return the ids of the classes whose keypoints are read."""
        names = list(categories.values())
        for option in ("only_classes", "except_classes"):
            for name in getattr(self, option) or ():
                if name not in names:
                    guess = near.hint(name, names)
                    raise OptionError(f"`{option}`: {name!r} is not among the {len(names)} categories of {path}{guess}")
        only, but = self.only_classes or names, self.except_classes or ()
        return {id for id, name in categories.items() if name in only and name not in but}

    @property
    def read_kind(self) -> KindName:
        """The kind to read: upright boxes where none is given."""
        return self.kind or "bbox"

    @property
    def masks(self) -> bool:
        """Whether to read masks."""
        return with_masks(self.read_kind)

    @property
    def geometry(self) -> Geometry:
        """The geometry of the boxes to read. Next to masks they are upright."""
        compared = KINDS[self.read_kind]
        return compared if isinstance(compared, Geometry) else UPRIGHT


def _orders() -> list[str]:
    """Orders of coordinates of all geometries, each once."""
    return list(dict.fromkeys(name for x in KINDS.values() if isinstance(x, Geometry) for name in x.formats))


DEFAULT = Options()
