"""The functions of a geometry: scores, losses, measures and conversions, with their documentation."""

from collections.abc import Iterator, Mapping
from typing import Any

from omniou._catalogue import operations
from omniou._catalogue.geometry import Geometry, Measure
from omniou._catalogue.options import Declared, declared, described, documented
from omniou._catalogue.score import Score
from omniou._catalogue.scores import scores
from omniou._catalogue.sources.function import SETS, FunctionSource
from omniou._lib.types import ArrayLike, ArrayT


def functions_of(geometry: Geometry, /) -> dict[str, Any]:
    """The public functions of a geometry by name, made at run time."""
    return {source.name: source.made(geometry.module) for source in function_sources(geometry)}


def loss_functions(geometry: Geometry, /) -> dict[str, Any]:
    """The losses of a geometry by name, made at run time."""
    return {source.name: source.made(geometry.module) for source in loss_sources(geometry, geometry.module)}


def score_function(score: Score, geometry: Geometry, /) -> Any:
    """The score of a geometry's shapes, made at run time.

    Examples
    --------
    >>> import omniou
    >>> from omniou._catalogue.sources.shapes import score_function
    >>> iou = score_function(omniou.scores["iou"], omniou.boxes.GEOMETRY)
    >>> float(iou([0, 0, 2, 2], [0, 0, 2, 1]))
    0.5
    """
    return score_source(score, geometry).made(geometry.module)


def function_sources(geometry: Geometry, /) -> Iterator[FunctionSource]:
    """The public functions of a geometry: scores, `pairwise_iou`, measures, and `convert`."""
    for name in operations.score_names(geometry):
        yield score_source(scores[name], geometry)
    yield _pairwise_iou(geometry)
    for measure in geometry.measures:
        yield _measure(measure, geometry)
    if geometry.conversion is not None:
        yield _convert(geometry)


def loss_sources(geometry: Geometry, module: str, /) -> Iterator[FunctionSource]:
    """The losses of all scores whose terms a geometry has."""
    for name in operations.score_names(geometry):
        options = operations.loss_options(scores[name], geometry)
        yield FunctionSource(
            name=name,
            operation=operations.loss(name, geometry),
            expression=f'operations.loss("{name}", GEOMETRY)',
            arguments={"pred": ArrayT, "target": ArrayT | ArrayLike},
            options=options,
            doc=_loss_text(scores[name], geometry, module, documented(options)),
        )


def score_source(score: Score, geometry: Geometry, /, *, name: str = "", variable: str = "GEOMETRY") -> FunctionSource:
    """A score, under its own name or another; `variable`: name of the geometry in its module."""
    options = operations.score_options(score, geometry)
    return FunctionSource(
        name=name or score.name,
        operation=operations.score(score.name, geometry),
        expression=f'operations.score("{score.name}", {variable})',
        arguments=SETS,
        options=options,
        doc=_score_text(score, geometry, documented(options), name or score.name),
    )


def _measure(measure: Measure, geometry: Geometry, /) -> FunctionSource:
    options = operations.reading_options(geometry)
    return FunctionSource(
        name=measure.name,
        operation=operations.measure(measure.name, geometry),
        expression=f'operations.measure("{measure.name}", GEOMETRY)',
        arguments=dict.fromkeys(measure.shapes, ArrayT | ArrayLike),
        options=options,
        doc=_measure_text(measure, geometry, documented(options)),
        returns=None if measure.raises else ArrayT,
    )


def _pairwise_iou(geometry: Geometry, /) -> FunctionSource:
    options = declared(geometry.options)
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
    return FunctionSource(
        name="pairwise_iou",
        operation=operations.pairwise_iou(geometry),
        expression="operations.pairwise_iou(GEOMETRY)",
        arguments=SETS,
        options=options,
        doc=doc,
    )


def _convert(geometry: Geometry, /) -> FunctionSource:
    """`convert` of a geometry: its conversion and formats say what it takes."""
    options = operations.conversion_options(geometry)
    formats = described({"source, target": declared(geometry.options)["format"]})
    return FunctionSource(
        name="convert",
        operation=operations.convert(geometry),
        expression="operations.convert(GEOMETRY)",
        arguments={"x": ArrayT | ArrayLike, "source": str, "target": str},
        options=options,
        doc=_convert_text(geometry, formats, options),
    )


def _convert_text(geometry: Geometry, formats: Mapping[str, Any], options: Declared, /) -> str:
    conversion = geometry.conversion
    shape, about = conversion.returns if conversion else ("", "")
    example = f"\n\nExamples\n--------{conversion.example}" if conversion and conversion.example else ""
    return f"""Convert {geometry.name} to another format. {conversion.about if conversion else ""}

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
