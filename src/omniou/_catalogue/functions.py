"""Public functions from declarations: every score, and its loss, of every geometry."""

from typing import Any

from omniou._catalogue import calls
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import FocalOption, ReductionOptions, declared, documented, named, takes
from omniou._catalogue.scores import Score, scores
from omniou._lib.types import ArrayLike, ArrayT


def score_functions(geometry: Geometry, /) -> dict[str, Any]:
    """All scores whose terms a geometry has, by name."""
    return {name: score_function(score, geometry) for name, score in scores.items() if geometry.has_terms(score.terms)}


def loss_functions(geometry: Geometry, /, *, module: str) -> dict[str, Any]:
    """The losses of these scores, by name."""
    return {
        name: loss_function(score, geometry, module=module)
        for name, score in scores.items()
        if geometry.has_terms(score.terms)
    }


def score_function(score: Score, geometry: Geometry, /) -> Any:
    """The score of a geometry's shapes, element by element.

    Examples
    --------
    >>> import omniou
    >>> from omniou._catalogue.functions import score_function
    >>> iou = score_function(omniou.scores["iou"], omniou.boxes.GEOMETRY)
    >>> float(iou([0, 0, 2, 2], [0, 0, 2, 1]))
    0.5
    """
    options = declared(geometry.options, *([score.options] if score.options else []))

    @takes(options)
    def function(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return calls.score(score, geometry, a, b, given)

    return named(function, score.name, geometry.module, _score_text(score, geometry, documented(options)))


def loss_function(score: Score, geometry: Geometry, /, *, module: str = "omniou.losses") -> Any:
    """The loss of a score."""
    options = loss_options(score, geometry)

    @takes(options)
    def function(pred: ArrayT, target: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return calls.loss(score, geometry, pred, target, given)

    return named(function, score.name, module, _loss_text(score, geometry, module, documented(options)))


def loss_options(score: Score, geometry: Geometry, /) -> dict[str, Any]:
    """Options of a loss by name, with their types and defaults."""
    own = [x for x in (geometry.loss_options, score.options, score.loss_options) if x]
    return declared(geometry.options, ReductionOptions, FocalOption, *own)


def _score_text(score: Score, geometry: Geometry, options: str, /) -> str:
    low, high = score.bounds
    about = f"\n{score.about}\n" if score.about else ""
    return f"""{score.title}, element by element.
{about}
Parameters
----------
a, b : array, shape (..., {geometry.numbers})
    {geometry.text} Leading axes broadcast.
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
{_example(score, geometry, geometry.module)}"""


def _loss_text(score: Score, geometry: Geometry, module: str, options: str, /) -> str:
    low, high = score.loss_bounds or (0.0, 1.0)
    return f"""{score.label} loss: {score.loss_title}.

{score.title}. {score.loss_about}

Parameters
----------
pred : array, shape (..., {geometry.numbers})
    Predictions, of a floating dtype. {geometry.text}
target : array, shape (..., {geometry.numbers})
    Ground truth. Leading axes broadcast.
{options}

Returns
-------
array, shape (...) or ()
    In [{low:g}, {high:g}], and more for inverted predictions that are penalised. Values and gradients are
    finite also for shapes that are empty, inverted, identical or apart.

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
{_example(score, geometry, module, loss=True)}"""


def _example(score: Score, geometry: Geometry, module: str, /, *, loss: bool = False) -> str:
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
>>> round(float({name}.{score.name}({first}, {list(b)}{size})), 6)
{result}
""".replace("\n\n>>>", "\n>>>")


def _notes(score: Score, /) -> str:
    better = "Higher" if score.higher_is_better else "Lower"
    holds = f" Its gradient holds {score.holds} constant." if score.holds else ""
    return f"{better} is better; a shape without a partner scores {score.miss:g}.{holds}"
