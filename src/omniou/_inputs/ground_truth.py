"""A ground truth that was read, taken as a whole: it knows how its boxes are written, its images and its classes."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from omniou import boxes
from omniou._catalogue.geometry import Geometry
from omniou._inputs.inputs import Detections, Targets, check_as_read
from omniou._inputs.names import Names

_NAMINGS = ("image_naming", "category_naming")


@runtime_checkable
class GroundTruthLike(Protocol):
    """What `omniou.data.GroundTruth` has, of which no module of this layer may know."""

    @property
    def targets(self) -> Targets[Any]:
        """The objects."""
        ...

    @property
    def format(self) -> str:
        """Format of the boxes, and of detections that were read for it."""
        ...

    @property
    def geometry(self) -> Geometry:
        """Geometry of the boxes."""
        ...

    @property
    def images(self) -> Any:
        """Ids of all images."""
        ...

    @property
    def categories(self) -> Mapping[int, str]:
        """Names of all classes."""
        ...

    @property
    def frequency(self) -> Mapping[int, str] | None:
        """LVIS's letters of classes."""
        ...


class WholeTruth(NamedTuple):
    """The arguments of an evaluation, filled in."""

    targets: Any
    kind: Any
    format: str | None
    classes: Any
    images: Any
    groups: Any
    named: Names | None


def as_read(name: str, given: Any, targets: Any, detections: Any, /) -> Any:
    """The `kind`, `format` or `protocol` of a call: as given, or else as the tables were read; None if none says.

    A kind or a format must be that of the tables; other rules than theirs may be asked for.
    """
    named = {"targets": targets, "detections": detections}
    tables = {which: x for which, x in named.items() if isinstance(x, Targets | Detections | GroundTruthLike)}
    if given is None:
        return next((x for table in tables.values() if (x := getattr(table, name, None)) is not None), None)
    if isinstance(given, str) and name != "protocol":
        for which, table in tables.items():
            check_as_read(name, given, which, table)
    return given


def unpacked(targets: Any, *, kind: Any, format: str | None, classes: Any, images: Any, groups: Any) -> WholeTruth:
    """Fill in arguments that were not given from a ground truth. Other targets stay as they are."""
    if not isinstance(targets, GroundTruthLike):
        return WholeTruth(
            targets=targets, kind=kind, format=format, classes=classes, images=images, groups=groups, named=None
        )
    skeleton = getattr(targets, "skeleton", None)
    if kind == "bbox" and targets.geometry is not boxes.GEOMETRY:
        kind = targets.geometry
    elif kind == "keypoints" and skeleton is not None:
        kind = skeleton
    rated = targets.frequency or {}
    letters = {letter: [id for id, x in rated.items() if x == letter] for letter in "rcf" if letter in rated.values()}
    return WholeTruth(
        targets=targets.targets,
        kind=kind,
        format=targets.format,
        classes=list(targets.categories) if classes is None else classes,
        images=targets.images if images is None else images,
        groups=(letters or None) if groups is None else groups,
        named=_names(targets),
    )


def _names(truth: GroundTruthLike) -> Names:
    """What states of other ground truths must know of the ids, as far as this one says whether they count names."""
    counts = {name: not getattr(truth, name).own if hasattr(truth, name) else False for name in _NAMINGS}
    images: Mapping[int, str] = getattr(truth, "image_names", {})
    groups = getattr(truth, "image_groups", {})
    named = dict(images) if counts["image_naming"] else {}
    return Names(dict(truth.categories), named, counts["category_naming"], image_groups=groups)
