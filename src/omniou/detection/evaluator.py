"""From columns to the numbers."""

from collections.abc import Mapping
from typing import Any

from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._lib.formats import BoxFormat
from omniou._lib.types import ArrayT, Namespace
from omniou.detection import columns as doors
from omniou.detection import state as states
from omniou.detection import tables
from omniou.detection.columns import Columns, Detections, Targets
from omniou.detection.curves import Curves
from omniou.detection.protocol import COCO, Protocol
from omniou.detection.result import Result
from omniou.detection.state import State
from omniou.detection.tables import Ids


def evaluate(
    targets: Targets[ArrayT],
    detections: Detections[ArrayT],
    *,
    protocol: Protocol = COCO,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    classes: Any = None,
    images: Any = None,
    groups: Mapping[str, Any] | None = None,
) -> Result[ArrayT]:
    """Average precision and recall of box detections, by the rules of COCO.

    Equal to pycocotools in every cell of its tables, with two exceptions where that is plainly wrong: an object's
    own number plays no part (there, annotation id 0 reads as "unmatched"), and the limits of detections may be
    any numbers (there, AP is -1 unless 100 is among them). "No data" is NaN, not -1.

    Parameters
    ----------
    targets : Targets
        All objects of all images, as columns.
    detections : Detections
        All detections. Their library, and device, must be those of the targets.
    protocol : Protocol
        Thresholds and ranges; `COCO` with any field replaced.
    format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Of both box columns. With stated sides, width times height is the area to the last bit, as in pycocotools.
    offset : float
        1 where high corners name the last pixel inside.
    classes, images : sequence or array of integers, optional
        What to evaluate; rows of other classes and images are left out. Default: all that occur.
    groups : mapping of str to sequence or array of integers, optional
        Labels of classes by name, such as LVIS's rare, common and frequent ones: each adds a number to the summary.

    Returns
    -------
    Result
        The twelve numbers, the same for each class, and the curves, in arrays of the given library.

    Raises
    ------
    TypeError
        If the columns come from two libraries or devices, or hold something else than numbers.
    ValueError
        If shapes do not fit, an option is unknown, a score is NaN, or a box or an area is not finite.

    Notes
    -----
    Computed in float64 where the library has it, whatever the dtype of the columns. Values decide the shapes on the
    way: not for use under `jax.jit` or `torch.compile`, nor on Dask arrays. JAX would compile each step anew for each
    shape, so that its arrays are evaluated by NumPy, and the results put on their device; where JAX has 64-bit numbers
    switched off, the tables are rounded to float32 there, but not the numbers of the summary.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014; the rules are those of ``COCOeval`` in cocodataset/cocoapi.

    Examples
    --------
    Three objects in one image, two of them found: the third lowers recall, and with it the 101 points of AP.

    >>> from omniou import detection
    >>> truth = [[0, 0, 10, 10], [20, 20, 30, 30], [50, 50, 60, 60]]
    >>> result = detection.evaluate(
    ...     detection.Targets(boxes=truth, labels=[1, 1, 1], images=[0, 0, 0]),
    ...     detection.Detections(boxes=truth[:2], scores=[0.9, 0.8], labels=[1, 1], images=[0, 0]),
    ... )
    >>> round(result.summary["AP"], 4), round(result.summary["AR100"], 4)
    (0.6634, 0.6667)
    """
    columns = doors.columns(targets, detections, format=format, offset=offset)
    state = matched(columns, protocol, classes, images)
    return Result(Curves(state, xp=columns.xp), columns.home, _named(groups, state, xp=columns.xp))


def _named(groups: Mapping[str, Any] | None, state: State, /, *, xp: Namespace) -> dict[str, Any]:
    return {name: tables.rising_ids(x, state.classes, name="groups", xp=xp) for name, x in (groups or {}).items()}


def matched(columns: Columns, protocol: Protocol, classes: Any, images: Any, /) -> State:
    """The state of the images in checked columns."""
    xp, truth, found, _ = columns
    ids = Ids(
        tables.rising_ids(classes, truth.labels, found.labels, name="classes", xp=xp),
        tables.rising_ids(images, truth.images, found.images, name="images", xp=xp),
    )

    def overlap(ours: Any, theirs: Any, crowd: Any) -> Any:
        return kernels.overlap(_take(found.boxes, ours, xp=xp), _take(truth.boxes, theirs, xp=xp), crowd, xp=xp)

    return states.build(truth, found, ids, protocol, overlap, xp=xp)


def _take(boxes: Boxes, rows: Any, /, *, xp: Namespace) -> Boxes:
    low, high = (xp.take(x, rows, axis=1) for x in (boxes.low, boxes.high))
    return Boxes(low, high, xp.take(boxes.area, rows))
