"""Formats that are not read, by their names, and the way out."""

from collections.abc import Callable

from omniou.data._peek import Peek

_VIA = "are annotations of the VGG Image Annotator (VIA), which are not read"
_VIA_WAY = "export COCO's format there (Annotation > Export annotations)"
_CREATE_ML = (
    "is JSON of Apple's CreateML, which is not read: convert it to COCO's format, or to text files with lines "
    "`class cx cy w h` in pixels, which --gt-format text --gt-boxes cxcywh reads"
)


def _is_via(peek: Peek) -> bool:
    return "_via_img_metadata" in peek.keys or any(
        key.endswith((".shape_attributes", ".region_attributes")) for key in peek.keys
    )


# Whether a file is one, and what to do.
_FOREIGN: tuple[tuple[Callable[[Peek], bool], str], ...] = (
    (_is_via, f"{_VIA}: {_VIA_WAY}"),
    (lambda peek: {"project", "view", "metadata"} <= peek.keys, f"{_VIA} (version 3): {_VIA_WAY} with VIA 2"),
    (lambda peek: {"region_shape_attributes", "region_attributes"} <= set(peek.header), f"{_VIA} (CSV): {_VIA_WAY}"),
    (lambda peek: {"[].annotations[].coordinates", "[].annotations[].label"} <= peek.keys, _CREATE_ML),
    (lambda peek: "[].image" in peek.keys and "[].annotations" in peek.keys, _CREATE_ML),
    (
        lambda peek: "annotations[].segments_info" in peek.keys,
        "is a panoptic segmentation of COCO: --kind panoptic reads it",
    ),
    (
        lambda peek: "annotations" in peek.tags and "track" in peek.tags and "image" not in peek.tags,
        'is XML of CVAT for videos, which is not read: export the task as "CVAT for images 1.1"',
    ),
)


def named(peek: Peek) -> str:
    """What a file is that no reader reads, and the way out; empty for all others."""
    return next((what for fits, what in _FOREIGN if fits(peek)), "")
