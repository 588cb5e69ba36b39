"""Describe a kind of shape as a value: formats, terms of scores, bounds, conversions and words.

Scores, losses, `pairwise`, the evaluator and the adapters use a `Geometry`; none of them knows how many numbers a shape
has. Upright boxes are `omniou.boxes.GEOMETRY`. Its public name is `omniou.geometry.Geometry`.
"""

import dataclasses
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from omniou._catalogue.shape_options import ShapeOptions
from omniou._lib import checks
from omniou._lib.arrays import columns_of, stacked_columns_of
from omniou._lib.types import Namespace


class Words(NamedTuple):
    """What output calls things.

    Attributes
    ----------
    holder : str
        What shapes are in, in the singular.
    area, unit : str
        What area ranges look at, and the unit of coordinates.
    overlap : str
        What thresholds of a match are about.
    view : str
        How pictures show shapes in three dimensions.
    """

    holder: str = "image"
    area: str = "area"
    unit: str = "pixels"
    overlap: str = "IoU"
    view: str = ""

    @property
    def holders(self) -> str:
        """The name of the holder in the plural."""
        return f"{self.holder}s"


_WORDS = Words()


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A public function of shapes that is not a score, such as their area.

    Attributes
    ----------
    name, title : str
        As it is called, and the first line of its documentation.
    kernel : callable
        ``kernel(x, image_sides, *, layout, dtypes, xp)``, or with two arrays of shapes of one rank in front.
    shapes : tuple of str
        Names of its arguments.
    about : str
        Further documentation.
    returns : tuple of str
        Shape of the result, and what it holds.
    example : str
        Lines of its documentation, which run as a test.
    raises : bool
        Whether it returns nothing and raises for the first row that is wrong. The kernel then takes ``dtype`` in place
        of ``dtypes``, and gives what can be wrong, by words, as booleans (...).
    of_image : bool
        Whether `image_size` is used where it is given, also for absolute formats.
    numbers : int, optional
        The one length of the last axis that it has a meaning for.
    """

    name: str
    title: str
    kernel: Callable[..., Any]
    shapes: tuple[str, ...] = ("x",)
    about: str = ""
    returns: tuple[str, str] = ("(...)", "")
    example: str = ""
    raises: bool = False
    of_image: bool = False
    numbers: int | None = None


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Conversion:
    """The public function `convert` of a geometry.

    Attributes
    ----------
    about, returns, example : str
        Of its documentation.
    options : type
        Declared options that both formats are read by, in addition to ``image_size``.
    layouts : callable, optional
        ``layouts(source, target, options)``: how both last axes read. Default: `Geometry.layout` of each format.
    """

    returns: tuple[str, str]
    example: str
    about: str = ""
    options: Any = None
    layouts: Callable[..., tuple[Any, Any]] | None = None


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)  # hashed by identity: plans are cached by it
class Geometry:
    """One kind of shape.

    Attributes
    ----------
    name : str
        In the plural, for errors: "boxes".
    formats : mapping of str to tuple of int
        Names of formats, and the lengths of the last axis (K) that each may have. The first is the default.
    carried : mapping of str to (str, mapping)
        Formats that arrays of other libraries name, such as torchvision's "XYWH" -> the format here, and the options of
        `convert` that its numbers need.
    canonical : callable
        ``canonical(columns, image_sides, *, layout, xp)``: columns (K, ...), image sides (..., D) or None -> a named
        tuple of arrays whose last axes are (...), in the one form that the terms are computed from.
    terms : callable
        ``terms(a, b, *, xp)``: two of those, which broadcast -> an object with the terms that the geometry has:
        `area_a` and `area_b` (...), and as methods `intersection()`, `hull()` and others of `_kernels.scores.Terms`.
    bounds : callable
        ``bounds(canonical, *, xp)`` -> `Bounds`, boxes around the shapes with the areas of the shapes: a named tuple of
        `low` (D, ...), `high` (D, ...) and `area` (...). Only pairs whose bounds overlap are compared.
    area : callable, optional
        ``area(columns, *, layout, xp)``: columns (K, ...) -> the areas (...) that the format states, for the area
        ranges of the evaluator. Default: the areas of the bounds.
    rows : callable, optional
        ``rows(canonical, *, xp)`` -> (..., K) in the first format: what the evaluator hands to a score that is a
        function of the caller's. Default: rows as they were given.
    convert : callable, optional
        ``convert(x, image_sides, *, layouts, dtypes, xp)``: shapes (..., K) in the first of two layouts -> (..., L) in
        the second. Of shapes with one format there is nothing to convert.
    conversion : Conversion, optional
        What the public function `convert` takes in addition to formats, and what its documentation says.
    measures : tuple of Measure
        Its public functions in addition to scores, `pairwise_iou` and `convert`.
    doubts : callable, optional
        ``doubts(columns, *, layout, xp)``: columns (K, ...) -> marks of numbers that were most often meant otherwise,
        (...) booleans, by what follows "3 of 5 boxes" in a warning; ``{format}`` there is the name of the format.
    faults : callable, optional
        The same as `doubts`, but of rows that the evaluator and the readers of files refuse, by what a row must do:
        "must end after it begins". Default: any finite numbers are a shape.
    harmless : callable
        K -> the numbers of a proper shape, in any format: it takes the place of one that is masked.
    axes : int
        How many axes at the end an array of a shape has: 1, or 2 for vertices (V, 2), which become columns (2V, ...).
    layout : callable
        Options of a call, by name -> how the last axis reads: hashable, and `relative` where `image_sides` are needed.
    dimensions : callable
        K -> number of sides of an image, for relative formats.
    inversion : callable, optional
        ``inversion(pred, target, image_sides, *, layout, xp)``: columns (K, ...) -> what a loss adds for an inverted
        prediction (...), 0 for a proper one.
    sorted : callable, optional
        The same as `canonical`, with an inverted shape turned round.
    outline : callable, optional
        ``outline(canonical, *, xp)`` -> vertices in order, a list of x (...) and y (...), for pictures. Default: the
        corners of the bounds.
    prunes : bool
        Whether an intersection costs so much more than a comparison of bounds that all pairs are pruned by these.
    slab : int
        p of a bound: the part of a shape that lies within a share f of a side of its bounds has at most the share
        1 - (1 - f)^p of its area. 1 for shapes that are their bounds, 2 for convex ones in the plane; 0 for unknown.
    unstacked : bool
        Whether its functions take columns as K arrays (...), in place of an array (K, ...): XLA copies less.
    pulls : bool
        Whether `_kernels.gradients` has the derivatives of its terms by its coordinates.
    of_box : callable, optional
        Corners (x, y, x, y) of an upright box -> the same as a shape, in the first format. Scores of areas and
        intersection are equal: the examples of the documentation come from it.
    options, loss_options : type
        Declared options of its scores, and beyond those of its losses.
    words : Words
        For output.
    module, numbers, shape, text : str
        For documentation: where its functions are, the length of the last axis of its arrays, the shape of an argument,
        and what it holds.
    """

    name: str
    formats: Mapping[str, Sequence[int]]
    canonical: Callable[..., Any]
    terms: Callable[..., Any]
    bounds: Callable[..., Any]
    harmless: Callable[[int], tuple[float, ...]]
    carried: Mapping[str, tuple[str, Mapping[str, Any]]] = dataclasses.field(default_factory=dict)
    area: Callable[..., Any] | None = None
    rows: Callable[..., Any] | None = None
    convert: Callable[..., Any] | None = None
    conversion: Conversion | None = None
    measures: tuple[Measure, ...] = ()
    doubts: Callable[..., Mapping[str, Any]] | None = None
    faults: Callable[..., Mapping[str, Any]] | None = None
    axes: int = 1
    layout: Callable[[Mapping[str, Any]], Any] = lambda options: options.get("format")
    dimensions: Callable[[int], int] | None = None
    inversion: Callable[..., Any] | None = None
    sorted: Callable[..., Any] | None = None
    outline: Callable[..., Any] | None = None
    prunes: bool = False
    slab: int = 0
    unstacked: bool = False
    pulls: bool = False
    of_box: Callable[[Sequence[float]], Any] | None = None
    options: Any = ShapeOptions
    loss_options: Any = None
    words: Words = _WORDS
    module: str = "omniou.geometry"
    numbers: str = "K"
    shape: str = ""
    text: str = ""

    def __copy__(self) -> "Geometry":
        """Itself: geometries are compared by identity."""
        return self

    def __deepcopy__(self, _: Any) -> "Geometry":
        """Itself, likewise."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """By reference, as functions are pickled, where it is the value of a name in the module of its functions."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        homes = dict.fromkeys([self.module, *(getattr(x, "__module__", None) for x in fields.values())])
        for module in (sys.modules[home] for home in homes if home in sys.modules):
            for name, x in vars(module).items():
                if x is self:
                    return _named, (module.__name__, name)
        fields["formats"] = dict(self.formats)
        return _of_fields, (type(self), fields)

    @property
    def default_format(self) -> str:
        """The first of its formats."""
        return next(iter(self.formats))

    @property
    def columns(self) -> Callable[..., Any]:
        """A function of shapes (..., K) that returns columns as `canonical` takes them."""
        return columns_of if self.unstacked else stacked_columns_of

    def is_relative(self, format: str) -> bool:
        """Whether the numbers of a format are fractions of the image's sides."""
        return bool(getattr(self.layout({"format": format}), "relative", False))

    def layouts(self, source: str, target: str, options: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return the last axes of two formats, for `convert`."""
        if self.conversion is not None and self.conversion.layouts is not None:
            return self.conversion.layouts(source, target, options)
        old, new = (self.layout({"format": format, **options}) for format in (source, target))
        return old, new

    def absolute(self, format: str) -> str:
        """Return the pixel format of a relative format, and any other format unchanged."""
        return format.removeprefix("rel_") if self.is_relative(format) else format

    def length(self, format: str) -> int:
        """Return how many numbers a shape in an image has in a format."""
        lengths = self.formats[format]
        sides = self.dimensions or (lambda _: 2)
        return next((length for length in lengths if sides(length) == 2), lengths[0])

    def stated_area(self, columns: Any, *, layout: Any, xp: Namespace) -> Any:
        """Return the areas (...) of columns (K, ...), if the format states them."""
        if self.area is not None:
            return self.area(columns, layout=layout, xp=xp)
        return self.bounds(self.canonical(columns, None, layout=layout, xp=xp), xp=xp).area

    def check_format(self, format: Any, name: str = "format") -> None:
        """Raise unless `format` names a format."""
        checks.choice(name, format, self.formats)

    def has_terms(self, terms: tuple[str, ...]) -> bool:
        """Whether the geometry has the terms that a score is computed from."""
        return all(hasattr(self.terms, term) for term in terms)

    def check_terms(self, score: str, terms: tuple[str, ...]) -> None:
        """Raise unless the geometry has the terms that a score is computed from."""
        for term in terms:
            if not hasattr(self.terms, term):
                raise TypeError(f"score {score!r} needs the term {term!r}, which {self.name} do not have")


def _named(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _of_fields(kind: type[Geometry], fields: dict[str, Any]) -> Geometry:
    return kind(**fields)
