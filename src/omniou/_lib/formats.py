"""The names of box formats, and what each says of the last axis."""

from typing import Literal, NamedTuple, TypeAlias

from omniou._lib import checks

Kind: TypeAlias = Literal["corners", "corner_sides", "centre_sides"]

BoxFormat: TypeAlias = Literal[
    "xyxy", "yxyx", "xywh", "cxcywh", "xx", "xw", "cxw", "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd",
    "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_cxcywh", "rel_xx", "rel_xw", "rel_cxw",
    "rel_xyzxyz", "rel_zyxzyx", "rel_xyzwhd", "rel_cxcyczwhd",
]  # fmt: skip


class Layout(NamedTuple):
    """How the last axis of a box array reads. Hashable, so compiled kernels are kept per layout."""

    kind: Kind
    reverse: bool  # y before x
    relative: bool  # fractions of the image's sides
    offset: float  # added to high corners: 1 where they name the last pixel inside


# Name -> (kind, y before x, number of dimensions, or None: the same reading in 1, 2 and 3).
_FORMATS: dict[str, tuple[Kind, bool, int | None]] = {
    "xyxy": ("corners", False, None),
    "yxyx": ("corners", True, None),
    "xywh": ("corner_sides", False, None),
    "cxcywh": ("centre_sides", False, None),
    "xx": ("corners", False, 1),
    "xw": ("corner_sides", False, 1),
    "cxw": ("centre_sides", False, 1),
    "xyzxyz": ("corners", False, 3),
    "zyxzyx": ("corners", True, 3),
    "xyzwhd": ("corner_sides", False, 3),
    "cxcyczwhd": ("centre_sides", False, 3),
}
NAMES = (*_FORMATS, *(f"rel_{name}" for name in _FORMATS))


def layout(format: str, offset: float = 0.0) -> tuple[Layout, int | None]:
    """A format's name -> its layout, and the number of dimensions it is for, if it says so."""
    format = checks.choice("format", format, NAMES)
    plain = format.removeprefix("rel_")
    kind, reverse, ndim = _FORMATS[plain]
    return Layout(kind, reverse, plain != format, checks.number("offset", offset)), ndim
