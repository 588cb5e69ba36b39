"""Records of JSON files. Fields that are not listed are passed over.

Those that come in hundreds of thousands are kept from the garbage collector, which would look at each again and again.
"""

from typing import Annotated, Any, NamedTuple, TypedDict, get_args

import msgspec

Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Box = tuple[float, float, float, float]
# A centre, two sides and an angle.
RotatedBox = tuple[float, float, float, float, float]
Flag = int | bool | str | None


class Image(msgspec.Struct):
    """What was looked at."""

    id: Id | str
    file_name: str | None = None
    width: float | None = None
    height: float | None = None


class CocoCategory(msgspec.Struct):
    """A class."""

    id: Id
    name: str | None = None


class Object(msgspec.Struct, gc=False):
    """The fields of an object without its shape."""

    image_id: Id | str
    category_id: Id
    id: Any = None  # of any type: only messages use it
    area: float | None = None
    iscrowd: Flag = 0
    ignore: Flag = 0


class BoxAnnotation(Object, kw_only=True, gc=False):
    """An object with its box."""

    bbox: Box


class RotatedAnnotation(Object, kw_only=True, gc=False):
    """A rotated object."""

    bbox: RotatedBox


class Lengths(TypedDict):
    """A mask as run lengths, compressed or not: a dictionary, as `Masks.from_coco` takes them."""

    size: tuple[int, int]
    counts: str | list[int]


# Or polygons, each as x and y in turns.
Segmentation = list[list[float]] | Lengths


class MaskedAnnotation(Object, kw_only=True, gc=False):
    """An object with its mask, undecoded: a `Segmentation`, as numbers of Python's many times as large."""

    bbox: Box | None = None  # by default the one around the mask
    segmentation: msgspec.Raw


class KeypointAnnotation(Object, kw_only=True, gc=False):
    """An object with its keypoints, each as x, y and v; COCO-WholeBody has more lists of them next to the body's.

    An object without any is one whose points are unlabelled.
    """

    keypoints: list[float] | None = None
    foot_kpts: list[float] | None = None
    face_kpts: list[float] | None = None
    lefthand_kpts: list[float] | None = None
    righthand_kpts: list[float] | None = None
    bbox: Box
    num_keypoints: int | None = None


class KeypointCategory(CocoCategory):
    """A class with the names of its points, and pairs of them, counted from 1."""

    keypoints: list[str] | None = None
    skeleton: list[tuple[int, int]] | None = None


class KeypointImage(Image):
    """An image with CrowdPose's measure of how crowded it is."""

    crowd_index: float | None = msgspec.field(default=None, name="crowdIndex")


class Truth(msgspec.Struct):
    """A file of objects."""

    images: list[Image]
    annotations: list[BoxAnnotation]
    categories: list[CocoCategory]


class Found(msgspec.Struct, kw_only=True, gc=False):
    """The fields of a detection without its shape. Some tools add the file of the image."""

    image_id: Id | str | None = None  # with `file_name` only
    category_id: Id | str
    score: float
    file_name: str | None = None


def with_optional_score(record: type[Found]) -> type[msgspec.Struct]:
    """Return the records of a detection, whose score may be missing."""
    fields: list[Any] = [("score", float | None, None)]
    return msgspec.defstruct(record.__name__, fields, bases=(record,), kw_only=True, gc=False)


class Detection(Found, kw_only=True, gc=False):
    """A detected object."""

    bbox: Box


class KeypointTruth(msgspec.Struct):
    """A file of objects with their keypoints."""

    images: list[KeypointImage]
    annotations: list[KeypointAnnotation]
    categories: list[KeypointCategory]


class KeypointDetection(Found, kw_only=True, gc=False):  # msgspec has no second base to share these fields
    """A detected object as keypoints; some tools add its box."""

    keypoints: list[float] | None = None
    foot_kpts: list[float] | None = None
    face_kpts: list[float] | None = None
    lefthand_kpts: list[float] | None = None
    righthand_kpts: list[float] | None = None
    bbox: list[float] | None = None


class MaskedTruth(msgspec.Struct):
    """A file of objects with their masks."""

    images: list[Image]
    annotations: list[MaskedAnnotation]
    categories: list[CocoCategory]


class MaskedDetection(Found, kw_only=True, gc=False):
    """A detected object as a mask; a box is passed over."""

    segmentation: Segmentation


class RotatedTruth(msgspec.Struct):
    """A file of rotated objects."""

    images: list[Image]
    annotations: list[RotatedAnnotation]
    categories: list[CocoCategory]


class RotatedDetection(Found, kw_only=True, gc=False):
    """A detected object that is rotated."""

    bbox: RotatedBox


class OrientedDetection(Found, kw_only=True, gc=False):
    """A detected object that is rotated, as Ultralytics writes it: also with its corners, which are passed over."""

    rbox: RotatedBox

    @property
    def bbox(self) -> RotatedBox:
        """The box, by its other name."""
        return self.rbox


class FederatedImage(Image, kw_only=True):
    """An image for which only some categories were looked for, or not all of their objects annotated."""

    neg_category_ids: list[Id]
    not_exhaustive_category_ids: list[Id]


class RatedCategory(CocoCategory):
    """A category with its frequency in the training set."""

    frequency: str | None = None


class FederatedTruth(msgspec.Struct):
    """A file of LVIS's annotations."""

    images: list[FederatedImage]
    annotations: list[BoxAnnotation]
    categories: list[RatedCategory]


class FederatedMaskedTruth(msgspec.Struct):
    """A file of LVIS's annotations with their masks."""

    images: list[FederatedImage]
    annotations: list[MaskedAnnotation]
    categories: list[RatedCategory]


class FederatedRotatedTruth(msgspec.Struct):
    """A file of LVIS's annotations of rotated objects."""

    images: list[FederatedImage]
    annotations: list[RotatedAnnotation]
    categories: list[RatedCategory]


class Records(NamedTuple):
    """What holds the objects and detections of a kind, and how their boxes are read."""

    truth: type[Truth | MaskedTruth | RotatedTruth | KeypointTruth]
    federated: type[FederatedTruth | FederatedMaskedTruth | FederatedRotatedTruth]
    detection: type[Detection | MaskedDetection | RotatedDetection | KeypointDetection]
    format: str
    numbers: int


_UPRIGHT = Records(Truth, FederatedTruth, Detection, "xywh", len(get_args(Box)))
_MASKED = _UPRIGHT._replace(truth=MaskedTruth, federated=FederatedMaskedTruth, detection=MaskedDetection)
_ROTATED = Records(RotatedTruth, FederatedRotatedTruth, RotatedDetection, "cxcywhr", len(get_args(RotatedBox)))

_KEYPOINTS = _UPRIGHT._replace(truth=KeypointTruth, detection=KeypointDetection)

OF_KIND = {"bbox": _UPRIGHT, "segm": _MASKED, "boundary": _MASKED, "rotated": _ROTATED, "keypoints": _KEYPOINTS}


class HierarchyNode(msgspec.Struct):
    """A class of Open Images' hierarchy with its subclasses. Classes that are only parts of it are skipped."""

    LabelName: str
    Subcategory: list["HierarchyNode"] = []
