"""The kinds of shapes that the evaluator compares, by name; any geometry is one more."""

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from omniou._catalogue.geometries import boxes
from omniou._catalogue.geometry import Geometry, Words
from omniou._catalogue.options import declared
from omniou._catalogue.scores import scores
from omniou._catalogue.shape_calls import numbers_of
from omniou._inputs.shapes import GeometricShapes, ShapeReading, Shapes
from omniou._kernels.scores import combined
from omniou._lib import checks
from omniou._lib.types import Namespace

if TYPE_CHECKING:
    from omniou._inputs.masks import MaskShapes
    from omniou.keypoints import Skeleton

KindName: TypeAlias = Literal[
    "bbox", "segm", "boundary", "rotated", "polygons", "boxes3d", "bev", "intervals", "keypoints"
]
# Kinds that compare by numbers of the caller's, of the higher or of the lower is better.
MEASURES = ("similarity", "distance")
# A score of `omniou.scores` by its name, or a function of rows of detections and of targets, (P, K) each -> (P,).
ScoreLike: TypeAlias = str | Callable[[Any, Any], Any]


class ShapeRows(NamedTuple):
    """How the numbers of shapes are read."""

    geometry: Geometry = boxes.GEOMETRY
    format: str | None = None  # the geometry's first by default
    offset: float = 0.0

    def numbers(self, name: str, x: Any, /) -> Any:
        """Shapes that know their format, such as torchvision's boxes, in this one; any others unchanged."""
        return numbers_of(self.geometry, name, x, {"format": self.format, "offset": self.offset}, wide=True)


ROWS = ShapeRows()


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Kind:
    """What a call of the evaluator compares, its options settled.

    Attributes
    ----------
    name : str
        What a state says it was compared by: only states of one name can be merged.
    column : str
        The column of both tables, and the key of dictionaries, that holds the shapes.
    lengths : sequence of int
        Lengths that a row of numbers may have; empty where the column holds no array.
    read : callable
        ``read(name, column, xp=)`` -> `Shapes`, of rows that are finite, or of masks.
    geometry : Geometry
        Of rows of numbers.
    format : str, optional
        Of rows of numbers; None where masks are compared.
    offset : float
        Of maximum corners.
    uses : mapping of str to sequence of str
        Further columns of each table that its shapes are made of, where they are given: `read` gets them by name.
    flat : callable, optional
        ``flat(name, x, xp=)`` -> the rows of a column that has more axes.
    skeleton : Skeleton, optional
        Of keypoints.
    threads : bool
        Whether blocks of images may be matched by several threads at once: they are, where NumPy does all the work.
    """

    name: str
    column: Literal["boxes", "masks", "keypoints", "payload"]
    read: Callable[..., Shapes]
    lengths: Sequence[int] = ()
    geometry: Geometry = boxes.GEOMETRY
    format: str | None = None
    offset: float = 0.0
    uses: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    flat: Callable[..., Any] | None = None
    skeleton: "Skeleton | None" = None
    threads: bool = False

    @property
    def rows(self) -> ShapeRows:
        """How rows of numbers are read."""
        return ShapeRows(self.geometry, self.format, self.offset)

    def of_nothing(self) -> Any:
        """The column of an empty table."""
        if self.column != "masks":
            return []
        from omniou.rle import Masks

        return Masks.from_coco([])


def _geometric(name: str, geometry: Geometry, format: str | None, offset: float, score: Any, /) -> Kind:
    format = geometry.default_format if format is None else format
    geometry.check_format(format)
    if offset and "offset" not in declared(geometry.options):
        raise ValueError(f"`offset` is for upright boxes, {geometry.name} have none: got {offset!r}")
    layout = geometry.layout({"format": format, "offset": offset})
    if offset and getattr(layout, "kind", "corners") != "corners":
        raise ValueError(f"`offset` is for maximum corners, but the format {format!r} has sides: got {offset!r}")
    if geometry.is_relative(format):
        raise ValueError(
            f"`format` must not be relative, for images differ in size, got {format!r}: convert the boxes first"
        )
    formula = None
    if isinstance(score, str):
        formula = _formula(score, geometry)
    elif not (score is None or callable(score)):
        raise TypeError(f"`score` must be a function of two arrays of boxes, such as omniou.boxes.giou, got {score!r}")
    reading = ShapeReading(geometry, format, layout, formula, None if formula else score)
    compared_by = score if isinstance(score, str) else getattr(score, "__name__", "score")
    return Kind(
        name=name if score is None else f"{name}: {compared_by}",
        column="boxes",
        read=functools.partial(_read_rows, reading),
        lengths=geometry.formats[format],
        geometry=geometry,
        format=format,
        offset=offset,
        threads=score is None,
    )


def _formula(name: str, geometry: Geometry, /) -> Callable[..., Any]:
    name = checks.choice("score", name, scores)
    score = scores[name]
    geometry.check_terms(name, score.terms)
    if score.of_image or not score.higher_is_better:
        why = "needs the size of an image" if score.of_image else "is a distance: the lower, the better"
        raise ValueError(f"`score` {name!r} {why}; pass a function of two arrays of shapes, higher for a better match")
    return functools.partial(combined, score.formula, options=score.defaults)


def _of_masks(name: str, shapes: "type[MaskShapes]", offset: float, score: Any, /) -> Kind:
    if offset:
        raise ValueError(f"`offset` is for kinds that compare boxes, and {name!r} compares masks, got {offset!r}")
    if score is not None:
        having = ", ".join(repr(each) for each, x in _TABLE.items() if x.column == "boxes")
        raise ValueError(f"`score` compares numbers: `kind` must then be one of {having}, got {name!r}")
    from omniou._inputs.masks import read

    return Kind(name=name, column="masks", read=functools.partial(read, name, shapes))


def _of_keypoints(skeleton: "Skeleton", format: str | None, offset: float, score: Any, /) -> Kind:
    if score is not None or offset:
        name, given = ("score", score) if score is not None else ("offset", offset)
        raise ValueError(f"`{name}` is for kinds that compare boxes, and keypoints are compared by OKS, got {given!r}")
    from omniou._inputs import keypoints as of_keypoints
    from omniou.keypoints._skeletons import skeleton_of

    reading = of_keypoints.KeypointReading(
        skeleton_of(skeleton, argument="kind"), format or boxes.GEOMETRY.default_format
    )
    boxes.GEOMETRY.check_format(reading.format)
    return Kind(
        name=f"keypoints: {skeleton.name}",
        column="keypoints",
        read=functools.partial(of_keypoints.read, reading),
        lengths=(3 * skeleton.number,),
        format=reading.format,
        uses={"targets": ("boxes", "area"), "detections": ("boxes",)},
        flat=functools.partial(of_keypoints.flat, reading.skeleton),
        skeleton=reading.skeleton,
        threads=True,
    )


# A function of this module, not of a call, which could not be pickled.
def _read_rows(reading: ShapeReading, _: str, rows: Any, *, xp: Namespace) -> Shapes:
    return GeometricShapes.read(rows, reading, xp=xp)


class _Declared(NamedTuple):
    """What docs say that a kind compares, the column that has it, and where that is declared."""

    about: str
    column: Literal["boxes", "masks", "keypoints"]
    module: str
    name: str = "GEOMETRY"


_GEOMETRIES = "omniou._catalogue.geometries"
# The table of kinds. `KindName` has the same names for type checkers; choices, docstrings and help of the command line
# come from here. A kind's module is imported when the kind is asked for.
_TABLE: Mapping[str, _Declared] = {
    "bbox": _Declared("upright boxes", "boxes", f"{_GEOMETRIES}.boxes"),
    "segm": _Declared("masks", "masks", "omniou._inputs.masks", "MaskShapes"),
    "boundary": _Declared(
        "masks and their boundaries, whichever overlap less", "masks", "omniou._inputs.masks", "BoundaryShapes"
    ),
    "rotated": _Declared("rotated boxes", "boxes", f"{_GEOMETRIES}.rotated"),
    "polygons": _Declared("convex polygons", "boxes", f"{_GEOMETRIES}.polygons"),
    "boxes3d": _Declared("3-D boxes", "boxes", f"{_GEOMETRIES}.boxes3d"),
    "bev": _Declared("3-D boxes in bird's eye view", "boxes", f"{_GEOMETRIES}.boxes3d", "BEV"),
    "intervals": _Declared("intervals in time", "boxes", f"{_GEOMETRIES}.boxes", "INTERVALS"),
    "keypoints": _Declared("keypoints, by OKS", "keypoints", "omniou.keypoints", "COCO"),
}


class _Kinds(Mapping[str, "Geometry | type[MaskShapes] | Skeleton"]):
    def __getitem__(self, name: str, /) -> "Geometry | type[MaskShapes] | Skeleton":
        known = _TABLE[name]
        compared: Geometry | type[MaskShapes] | Skeleton = getattr(importlib.import_module(known.module), known.name)
        return compared

    def __iter__(self) -> Iterator[str]:
        return iter(_TABLE)

    def __len__(self) -> int:
        return len(_TABLE)


KINDS: Mapping[str, "Geometry | type[MaskShapes] | Skeleton"] = _Kinds()
"""Kinds by name: the geometry of the rows, the shapes that masks are compared as, or the skeleton."""

# Kinds whose shapes overlap: keypoints are compared by OKS, and adapters have a class of their own for them.
SHAPE_KINDS = tuple(name for name, x in _TABLE.items() if x.column != "keypoints")


def described(names: Iterable[str] = tuple(KINDS), /) -> str:
    """Kinds with what they compare, for docstrings and help: "bbox" (upright boxes), "segm" (masks)."""
    return ", ".join(f'"{name}" ({_TABLE[name].about})' for name in names)


def settled(kind: Any, format: str | None, offset: float, score: Any, /) -> Kind:
    """What to compare, from the options of a call; `kind` is a name, a geometry or a skeleton."""
    if isinstance(kind, Geometry):
        name = next((name for name, x in _TABLE.items() if x.column == "boxes" and KINDS[name] is kind), kind.name)
        return _geometric(name, kind, format, offset, score)
    if not isinstance(kind, str) and _is_skeleton(kind):
        return _of_keypoints(kind, format, offset, score)
    kind = checks.choice("kind", kind, KINDS)
    compared: Any = KINDS[kind]
    if _TABLE[kind].column == "boxes":
        return _geometric(kind, compared, format, offset, score)
    if _TABLE[kind].column == "keypoints":
        return _of_keypoints(compared, format, offset, score)
    if format is not None:
        boxes.GEOMETRY.check_format(format)
    return _of_masks(kind, compared, offset, score)


def words_of(compared: str, /) -> Words:
    """Words for output, of what a state says it was compared by: "intervals", or "intervals: giou"."""
    name, _, score = compared.partition(": ")
    if name in MEASURES:
        return Words(overlap=name)
    if with_keypoints(name):
        return Words(overlap="OKS")
    known = KINDS[name] if name in _TABLE and not with_masks(name) else None
    words = known.words if isinstance(known, Geometry) else boxes.GEOMETRY.words
    return words._replace(overlap=scores[score].label if score in scores else score) if score else words


def with_masks(kind: str, /) -> bool:
    """Whether a kind, by the name that a state has, compares masks."""
    return kind in _TABLE and _TABLE[kind].column == "masks"


def with_keypoints(kind: Any, /) -> bool:
    """Whether a kind, by its name or as a skeleton, compares keypoints."""
    if isinstance(kind, str):
        return kind in _TABLE and _TABLE[kind].column == "keypoints"
    return _is_skeleton(kind)


def _is_skeleton(kind: Any, /) -> bool:
    from omniou.keypoints import Skeleton

    return isinstance(kind, Skeleton)
