"""What the doctor looks at: a ground truth and its detections, of files or of arrays, and how a caller fixes each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from omniou._catalogue.geometry import Geometry
from omniou._doctor.columns import Column
from omniou._inputs.inputs import Targets


class Examined(Protocol):
    """What `omniou.data.GroundTruth` has, of which no module of this layer may know; columns are NumPy's."""

    @property
    def path(self) -> Path | str:
        """The file; empty for arrays."""
        ...

    @property
    def targets(self) -> Targets[Any]:
        """The objects."""
        ...

    @property
    def images(self) -> Column:
        """Ids of all images."""
        ...

    @property
    def categories(self) -> Mapping[int, str]:
        """Names of all classes."""
        ...

    @property
    def format(self) -> str:
        """Format of the boxes of both."""
        ...

    @property
    def geometry(self) -> Geometry:
        """Geometry of the boxes."""
        ...

    @property
    def relative(self) -> bool:
        """Whether boxes are fractions of the sides of their image."""
        ...

    @property
    def image_names(self) -> Mapping[int, str]:
        """Names of images, as far as they are known."""
        ...

    @property
    def durations(self) -> Column | None:
        """Seconds of each video, NaN where unknown."""
        ...

    @property
    def sizes(self) -> Column | None:
        """Height and width of each image, NaN where unknown."""
        ...


class ExaminedArrays(NamedTuple):
    """Arrays to examine, which have no file."""

    targets: Targets[Any]
    images: Column
    categories: Mapping[int, str]
    format: str
    geometry: Geometry
    relative: bool = False
    image_names: Mapping[int, str] = {}
    sizes: Column | None = None
    path: str = ""
    durations: Column | None = None


class Cures(NamedTuple):
    """How a caller fixes what was found: templates, whose fields are filled by name."""

    order: str  # of `what`, to be read in the `order`, not the `given` one; its `option`
    both: str  # of both files
    other_order: str
    sizes: str  # where sizes of images are needed
    relative: str  # added to `order` where fractions need the size of an image
    classes: str  # `sign` 1 to the number of a class, or by another list
    scale: str = ""  # coordinates of detections that count to a `number`, in an `order`; empty: no option reads them
    ties: str = "write the scores"  # without scores
    counted: str = ""  # numbers of the `what` that count the categories in some `way`


FILES = Cures(
    order="{option} {order}",
    both="--boxes {order}",
    other_order="{option} chooses another order",
    sizes=", with --images or --image-size",
    relative="",
    classes="--dt-classes FILE has the names of the classes of the detections, --gt-classes FILE of the ground truth",
    scale="--dt-scale {number:.4g}{order}",
    ties="--tie-policy invariant counts all detections at once, in any order of the file; or write the scores",
    counted="--{side}-class-ids {way}",
)
ARRAYS = Cures(
    order='omniou.boxes.convert(x, "{order}", "{given}"{relative}) for the boxes of the {what}',
    both='format="{order}"',
    other_order="`format` chooses another order",
    sizes="",
    relative=", image_size=...",
    classes="{sign}renumber the labels of the detections by the list of the targets",
    ties='`protocol` with tie_policy="invariant" counts all detections at once, in any order; or pass the scores',
    scale='omniou.boxes.convert(x / {number:.4g}, "rel_{order}", "{given}", image_size=...) for the detections',
    counted="renumber the labels of the {what} by the sorted ids of the categories",
)
