"""The operations of `omniou.gaussian`: scores of boxes and of rotated rectangles under one name."""

from collections.abc import Callable
from typing import Annotated, Any

from omniou._catalogue import operations
from omniou._catalogue.calls import Deferred
from omniou._catalogue.geometries import boxes, rotated
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import READING, Option
from omniou._catalogue.score import Declaration
from omniou._catalogue.scores import scores
from omniou._catalogue.shape_options import BOX_FORMATS, ROTATED_FORMATS, InnerOption, ShapeOptions
from omniou._lib import carried, checks, tracers
from omniou._lib.outer import Outer

_BY_NUMBERS = {4: "xyxy", 5: "cxcywhr", 8: "xyxyxyxy"}
_GEOMETRIES = (boxes.GEOMETRY, rotated.GEOMETRY)


class GaussianOptions(ShapeOptions, InnerOption, total=False):
    """Options of every score of Gaussians."""

    format: Annotated[
        str | None,
        Option(
            None,
            f'By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: {BOX_FORMATS[0].lower()}'
            f"{BOX_FORMATS[1:]} Of rotated rectangles: {ROTATED_FORMATS}",
            READING,
        ),
    ]
    image_size: Annotated[Any, Option(None, "(height, width), needed by the relative formats of boxes.", READING)]


def _read(x: Any, format: Any, /) -> tuple[Geometry, str]:
    """The geometry of an array, and its format."""
    if format is None:
        array = x.array if isinstance(x, Outer) else x
        if (known := carried.boxes_of(array)) is not None:
            geometry = next((y for y in _GEOMETRIES if known.format in y.carried), boxes.GEOMETRY)
            return geometry, geometry.default_format
        while not hasattr(array, "shape") and isinstance(array, list | tuple) and array and isinstance(array[0], list):
            array = array[0]
        if not hasattr(array, "shape") and not isinstance(array, list | tuple):
            raise TypeError(f"`a` must be an array or nested lists of numbers of one shape, got {array!r:.60}")
        shape = tuple(tracers.shape(array)) if hasattr(array, "shape") else (len(array),)
        # A symbolic size of torch has no hash.
        if not any(shape[-1:] == (numbers,) for numbers in _BY_NUMBERS):
            raise ValueError(
                f"`a` must have shape (..., 4), (..., 5) or (..., 8), got {tuple(shape)}: `format` names others"
            )
        format = _BY_NUMBERS[int(shape[-1])]
    format = checks.choice("format", format, [name for geometry in _GEOMETRIES for name in geometry.formats])
    return next(x for x in _GEOMETRIES if format in x.formats), format


def score(name: str, /) -> Deferred:
    """A score of Gaussians, of the shapes that `format` or the last axis names."""

    def make() -> Callable[..., Any]:
        # By the name of the geometry: torch.compile follows no dict with keys of one's own.
        of = {x.name: operations.score(name, x) for x in _GEOMETRIES}
        options_of = {x.name: operations.score_options(scores[name], x) for x in _GEOMETRIES}
        defaults = {x: {key: option.default for key, (_, option) in y.items()} for x, y in options_of.items()}

        def run(given: dict[str, Any], a: Any, b: Any) -> Any:
            geometry, format = _read(a, given["format"])
            options = {**defaults[geometry.name], **given, "format": format}
            if geometry is rotated.GEOMETRY:
                del options["image_size"]
            return of[geometry.name](a, b, **options)

        return run

    return Deferred(make, declaration=Declaration(name not in scores or scores[name].higher_is_better))
