"""The operations of public functions of shapes, each made at its first call: what the written functions call.

Functions of the user's own geometries call the same operations, see `omniou.geometry`.
"""

import functools
from collections.abc import Callable
from typing import Any

from omniou._catalogue import shape_calls as calls
from omniou._catalogue.calls import Deferred, Operation
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import READING, Declared, checks_of, declared
from omniou._catalogue.score import Declaration, Score
from omniou._catalogue.scores import scores
from omniou._catalogue.shape_options import FocalOption, ImageOption, ReductionOptions
from omniou._lib.outer import Columns, Rows


def score_names(geometry: Geometry, /) -> list[str]:
    """Names of the scores whose terms a geometry has."""
    return [name for name, score in scores.items() if geometry.has_terms(score.terms)]


def score(name: str, geometry: Geometry, /) -> Deferred:
    """A score of a geometry's shapes, element by element."""
    # A written module is imported before the tool removes the function of a score that is no longer declared.
    higher = name not in scores or scores[name].higher_is_better
    operation = Deferred(functools.partial(_score, name, geometry))
    operation.declaration = Declaration(higher, scores.get(name), geometry, operation.prepared)
    return operation


def _score(name: str, geometry: Geometry, /) -> Operation:
    return calls.score_of(scores[name], geometry, score_options(scores[name], geometry))


def score_options(of: Score, geometry: Geometry, /) -> Declared:
    """Options of a score by name, with their types and defaults."""
    return declared(geometry.options, *([of.options] if of.options else []))


def loss(name: str, geometry: Geometry, /) -> Deferred:
    """A score of a geometry's shapes as a loss."""

    def make() -> Operation:
        return calls.loss_of(scores[name], geometry, loss_options(scores[name], geometry))

    return Deferred(make, ("pred", "target"))


def loss_options(of: Score, geometry: Geometry, /) -> Declared:
    """Options of a loss by name, with their types and defaults."""
    own = [x for x in (geometry.loss_options, of.options, of.loss_options) if x]
    return declared(geometry.options, ReductionOptions, FocalOption, *own)


def measure(name: str, geometry: Geometry, /) -> Deferred:
    """A function of one or two arrays of shapes, such as their area."""
    of = next(x for x in geometry.measures if x.name == name)
    return Deferred(lambda: calls.measure_of(of, geometry, reading_options(geometry)), of.shapes)


def reading_options(geometry: Geometry, /) -> Declared:
    """Options that say how the numbers of a shape are read."""
    return {name: x for name, x in declared(geometry.options).items() if x[1].role is READING}


def pairwise_iou(geometry: Geometry, /) -> Deferred:
    """IoU of all pairs of two sets."""

    def make() -> Callable[..., Any]:
        operation = _score("iou", geometry)
        return lambda options, a, b: operation(options, a=Rows(a), b=Columns(b))

    return Deferred(make)


def convert(geometry: Geometry, /) -> Deferred:
    """Shapes in another format."""

    def make() -> Callable[..., Any]:
        checks = checks_of(conversion_options(geometry))

        def run(given: dict[str, Any], x: Any, source: str, target: str) -> Any:
            values = {name: checks[name](value) for name, value in given.items() if name in checks}
            size = given.get("image_size")
            return calls.conversion(geometry, x, source, target, image_size=size, options=values)

        return run

    return Deferred(make, ("x", "source", "target"))


def conversion_options(geometry: Geometry, /) -> Declared:
    """Options of `convert`, in addition to both formats."""
    relative = any(map(geometry.is_relative, geometry.formats))
    own = geometry.conversion.options if geometry.conversion else None
    return declared(*[x for x in (own, ImageOption if relative else None) if x])
