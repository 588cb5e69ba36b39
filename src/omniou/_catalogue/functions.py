"""Public functions from declarations: the scores, losses, measures and conversions of a geometry."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from omniou._catalogue import shape_calls as calls
from omniou._catalogue.geometry import Geometry, Measure
from omniou._catalogue.options import READING, Declared, checks_of, declared, described, documented, named, takes
from omniou._catalogue.score import Declaration, Score
from omniou._catalogue.scores import scores
from omniou._catalogue.shape_options import FocalOption, ImageOption, ReductionOptions
from omniou._lib import near
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT


def functions_of(geometry: Geometry, /) -> dict[str, Any]:
    """The public functions of a geometry by name: scores, `pairwise_iou`, measures, and `convert`."""
    functions = {name: score_function(scores[name], geometry) for name in score_names(geometry)}
    functions["pairwise_iou"] = _pairwise_iou(geometry)
    functions |= {measure.name: measure_function(measure, geometry) for measure in geometry.measures}
    return functions if geometry.conversion is None else functions | {"convert": _convert(geometry)}


def attributes_of(geometry: Geometry, names: Sequence[str], /) -> tuple[Any, Any]:
    """`__getattr__` and `__dir__` of the module of a geometry, with a hint for `boxes.pairwise_giou`."""
    module = geometry.module.rpartition(".")[2]
    hints = {f"pairwise_{x}": f"; write pairwise({module}.{x}, ...)" for x in score_names(geometry)}
    return near.attributes(geometry.module, names, hints=hints)


def score_names(geometry: Geometry, /) -> list[str]:
    """Names of the scores whose terms a geometry has."""
    return [name for name, score in scores.items() if geometry.has_terms(score.terms)]


def loss_functions(geometry: Geometry, /, *, module: str) -> dict[str, Any]:
    """The losses of all scores whose terms a geometry has, by name."""
    return {name: loss_function(scores[name], geometry, module=module) for name in score_names(geometry)}


def score_function(score: Score, geometry: Geometry, /, *, name: str = "") -> Any:
    """The score of a geometry's shapes, element by element, under its own name or another.

    Examples
    --------
    >>> import omniou
    >>> from omniou._catalogue.functions import score_function
    >>> iou = score_function(omniou.scores["iou"], omniou.boxes.GEOMETRY)
    >>> float(iou([0, 0, 2, 2], [0, 0, 2, 1]))
    0.5
    """
    options = declared(geometry.options, *([score.options] if score.options else []))
    operation = calls.score_of(score, geometry, options)

    @takes(options)
    def function(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, a=a, b=b)

    @takes(options)
    def prepared(a: Any, b: Any, /, **given: Any) -> Any:
        return operation.prepared(given, {"a": a, "b": b}, pairs=True)

    name = name or score.name
    prepared.__name__ = name  # in errors
    cast("Any", function).declaration = Declaration(score.higher_is_better, score, geometry, prepared)
    return named(function, name, geometry.module, _score_text(score, geometry, documented(options), name))


def loss_function(score: Score, geometry: Geometry, /, *, module: str = "omniou.losses") -> Any:
    """The loss of a score."""
    options = loss_options(score, geometry)
    operation = calls.loss_of(score, geometry, options)

    @takes(options)
    def function(pred: ArrayT, target: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, pred=pred, target=target)

    return named(function, score.name, module, _loss_text(score, geometry, module, documented(options)))


def loss_options(score: Score, geometry: Geometry, /) -> dict[str, Any]:
    """Options of a loss by name, with their types and defaults."""
    own = [x for x in (geometry.loss_options, score.options, score.loss_options) if x]
    return declared(geometry.options, ReductionOptions, FocalOption, *own)


def measure_function(measure: Measure, geometry: Geometry, /) -> Any:
    """A function of one or two arrays of shapes, such as their area."""
    options = {name: x for name, x in declared(geometry.options).items() if x[1].role is READING}
    operation = calls.measure_of(measure, geometry, options)
    doc = _measure_text(measure, geometry, documented(options))

    @takes(options)
    def of_one(x: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, x=x)

    @takes(options)
    def of_two(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, a=a, b=b)

    @takes(options)
    def check(x: ArrayT | ArrayLike, /, **given: Any) -> None:
        operation(given, x=x)

    function = check if measure.raises else of_one if len(measure.shapes) == 1 else of_two
    return named(function, measure.name, geometry.module, doc)


def _pairwise_iou(geometry: Geometry, /) -> Any:
    options = declared(geometry.options)
    operation = calls.score_of(scores["iou"], geometry, options)

    @takes(options)
    def function(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, a=Rows(a), b=Columns(b))

    name = geometry.module.rpartition(".")[2]
    doc = f"""IoU of all pairs: short for ``pairwise({name}.iou, a, b)``.

Parameters
----------
a, b : array, shape (..., N, {geometry.numbers}) and (..., M, {geometry.numbers})
    Two sets; leading axes broadcast. {geometry.text}
{documented(options)}

Returns
-------
array, shape (..., N, M)

Raises
------
TypeError, ValueError
    The same as `iou`.
"""
    return named(function, "pairwise_iou", geometry.module, doc)


def _convert(geometry: Geometry, /) -> Any:
    """`convert` of a geometry: its conversion and formats say what it takes."""
    conversion, format = geometry.conversion, declared(geometry.options)["format"]
    relative = any(map(geometry.is_relative, geometry.formats))
    groups = [x for x in (conversion.options if conversion else None, ImageOption if relative else None) if x]
    options: Declared = declared(*groups)
    checks = checks_of(options)

    @takes(options)
    def function(x: ArrayT | ArrayLike, source: str, target: str, /, **given: Any) -> ArrayT:
        size = given.pop("image_size", None)
        values = {name: checks[name](value) for name, value in given.items()}
        return calls.conversion(geometry, x, source, target, image_size=size, options=values)

    formats = described({"source, target": format})
    return named(function, "convert", geometry.module, _convert_text(geometry, formats, options))


def _convert_text(geometry: Geometry, formats: Mapping[str, Any], options: Declared, /) -> str:
    conversion = geometry.conversion
    shape, about = conversion.returns if conversion else ("", "")
    example = f"\n\nExamples\n--------{conversion.example}" if conversion and conversion.example else ""
    return f"""The same {geometry.name} in another format. {conversion.about if conversion else ""}

Parameters
----------
x : array, shape {geometry.shape}
    {geometry.text}
{next(iter(formats.values()))}
{documented(options)}

Returns
-------
array, shape {shape}
    {about}

Raises
------
TypeError, ValueError
    If the array holds no real numbers, its shape does not fit, or a format or another option is unknown.{example}
"""


_WAITS = "Scores do not check values, because that would wait for the device: call this function where you load data."


def _measure_text(measure: Measure, geometry: Geometry, options: str, /) -> str:
    shape, about = measure.returns
    broadcast = " Leading axes broadcast." if len(measure.shapes) > 1 else ""
    returns = "" if measure.raises else f"\nReturns\n-------\narray, shape {shape}\n    {about}\n"
    raises = "The first invalid row, the reason, and its numbers." if measure.raises else "The same as `iou`."
    waits = f"\n{_WAITS}\n" if measure.raises else ""
    return f"""{measure.title}
{waits}{measure.about and f"{chr(10)}{measure.about}{chr(10)}"}
Parameters
----------
{", ".join(measure.shapes)} : array, shape {geometry.shape}
    {geometry.text}{broadcast}
{options}
{returns}
Raises
------
{"ValueError" if measure.raises else "TypeError, ValueError"}
    {raises}

Examples
--------{measure.example}
"""


def _score_text(score: Score, geometry: Geometry, options: str, name: str, /) -> str:
    low, high = score.bounds
    numbers, text = _of_score(score, geometry)
    about = f"\n{score.about}\n" if score.about else ""
    return f"""{score.title}, element by element.
{about}
Parameters
----------
a, b : array, shape (..., {numbers})
    {text} Leading axes broadcast.
{options}

Returns
-------
array, shape (...)
    In [{low:g}, {high:g}]; {score.empty}.

Raises
------
TypeError
    If the arrays come from two libraries or devices, or hold no numbers.
ValueError
    If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

Notes
-----
{_notes(score)}

References
----------
{score.paper}
{_example(score, geometry, geometry.module, name)}"""


def _loss_text(score: Score, geometry: Geometry, module: str, options: str, /) -> str:
    numbers, text = _of_score(score, geometry)
    low, high = score.loss_bounds or (0.0, 1.0)
    return f"""{score.label} loss: {score.loss_title}.

{score.title}. {score.loss_about}

Parameters
----------
pred : array, shape (..., {numbers})
    Predictions, of a floating dtype. {text}
target : array, shape (..., {numbers})
    Ground truth. Leading axes broadcast.
{options}

Returns
-------
array, shape (...) or ()
    In [{low:g}, {high:g}], and above for inverted predictions with a penalty. Values and gradients are finite,
    also for empty, inverted, identical and disjoint shapes.

Raises
------
TypeError
    If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
ValueError
    If shapes do not fit or an option is unknown.

Notes
-----
{_notes(score)}

References
----------
{score.paper}
{_example(score, geometry, module, score.name, loss=True)}"""


def _example(score: Score, geometry: Geometry, module: str, function: str, /, *, loss: bool = False) -> str:
    # Scores of other terms may differ: the hull of two boxes is a box, that of two rotated rectangles is convex.
    if geometry.of_box is None or (score.terms and geometry.name != "boxes"):
        return ""
    a, b, value = (*map(geometry.of_box, score.example[:2]), score.example[2])
    first, result = (f"np.array({a}, dtype=float)", score.loss_example) if loss else (list(a), value)
    package, _, name = module.rpartition(".")
    size = ", image_size=(6, 8)" if score.of_image else ""
    return f"""
Examples
--------
{">>> import numpy as np" if loss else ""}
>>> from {package} import {name}
>>> round(float({name}.{function}({first}, {list(b)}{size})), 6)
{result}
""".replace("\n\n>>>", "\n>>>")


def _of_score(score: Score, geometry: Geometry, /) -> tuple[str, str]:
    """The length of the last axis, and what it holds, of a score that has a meaning in some dimensions only."""
    if not score.dimensions or geometry.dimensions is None:
        return geometry.numbers, geometry.text
    lengths = [x for x in geometry.formats[geometry.default_format] if geometry.dimensions(x) in score.dimensions]
    dimensions = " or ".join(map(str, score.dimensions))
    return " or ".join(map(str, lengths)), f"{geometry.name.capitalize()} in {dimensions} dimensions."


def _notes(score: Score, /) -> str:
    better = "Higher" if score.higher_is_better else "Lower"
    what, comma, unless = score.holds.partition(", ")
    holds = f" Its gradient holds {what} constant{comma}{unless}." if score.holds else ""
    return f"{better} is better; a shape without a partner scores {score.miss:g}.{holds}"
