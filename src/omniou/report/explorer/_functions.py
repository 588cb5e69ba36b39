"""Record omniou's public functions and print them as JavaScript for the explorer.

Upright boxes are boxes of `omniou.boxes`, as x1, y1, x2, y2. Turned boxes are boxes of `omniou.rotated`, as centre,
sides and angle in radians.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from omniou import boxes, losses, rotated
from omniou._kernels.scores import power
from omniou._lib.arrays import namespace_of
from omniou.report.explorer import _javascript as javascript
from omniou.report.explorer._backward import gradient
from omniou.report.explorer._graph import Value
from omniou.report.explorer._namespace import inputs


class Family(NamedTuple):
    """The functions of one kind of box: each takes arrays (..., K) of two boxes, from any array library."""

    numbers: Sequence[str]  # names of the K numbers of a box
    scores: Mapping[str, Callable[[Any, Any], Any]]
    losses: Mapping[str, Callable[[Any, Any], Any]]  # differentiated by the first box


def l2(a: Any, b: Any) -> Any:
    """Compute the Euclidean distance of the coordinates (..., K), with derivative 0 at 0."""
    xp, d = namespace_of("a", a), a - b
    return power(xp.sum(d * d, axis=-1), 0.5, xp=xp)


def _terms(geometry: Any, name: str) -> Callable[[Any, Any], Any]:
    """Return a function of two boxes that computes a term of the geometry, such as "hull"."""

    def term(a: Any, b: Any) -> Any:
        xp = namespace_of("a", a)
        columns = [xp.permute_dims(x, (x.ndim - 1, *range(x.ndim - 1))) for x in (a, b)]
        shapes = [geometry.canonical(x, None, layout=geometry.layout({}), xp=xp) for x in columns]
        return getattr(geometry.terms(*shapes, xp=xp), name)()

    return term


def _corners(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the function for rotated boxes, applied to the eight coordinates of their corners."""

    def of_corners(a: Any, b: Any) -> Any:
        return function(*(rotated.convert(x, "cxcywhr", "xyxyxyxy") for x in (a, b)))

    return of_corners


def _turned_intersection(a: Any, b: Any) -> Any:
    return _terms(rotated.GEOMETRY, "intersection")(a, b)


def _turned_union(a: Any, b: Any) -> Any:
    return (rotated.area(a) - _turned_intersection(a, b)) + rotated.area(b)


# A choice of `omniou.scores`: a page with all of them would be too long.
_SCORES = ("iou", "giou", "diou", "ciou", "probiou", "bhattacharyya")
_LOSSES = ("iou", "giou", "diou", "ciou", "probiou")


def _family(numbers: Sequence[str], module: Any, its_losses: Any, **own: Any) -> Family:
    """Collect the functions of a family; `own` has "intersection", "union", "l1" and "l2"."""
    terms = ("hull", "centre_distance_squared", "hull_diagonal_squared", "aspect_difference")
    scores = {
        "area_a": lambda a, b: module.area(a),  # noqa: ARG005
        "area_b": lambda a, b: module.area(b),  # noqa: ARG005
        "intersection": own["intersection"],
        "union": own["union"],
        **{name: _terms(module.GEOMETRY, name) for name in terms},
        **{name: getattr(module, name) for name in _SCORES},
        "l1": own["l1"],
        "l2": own["l2"],
    }
    of_scores = {name: getattr(its_losses, name) for name in _LOSSES}
    return Family(numbers, scores, {"l1": own["l1"], "l2": own["l2"], **of_scores})


FAMILIES = {
    "upright": _family(
        ("x1", "y1", "x2", "y2"),
        boxes,
        losses,
        intersection=boxes.intersection,
        union=boxes.union,
        l1=losses.l1,
        l2=l2,
    ),
    "turned": _family(
        ("x", "y", "w", "h", "r"),
        rotated,
        losses.rotated,
        intersection=_turned_intersection,
        union=_turned_union,
        l1=_corners(losses.l1),
        l2=_corners(l2),
    ),
}


def parameters(family: Family) -> tuple[list[str], list[str]]:
    """Return names of the numbers of both boxes: p0, p1, ... and q0, q1, ..."""
    first, second = ([f"{box}{k}" for k in range(len(family.numbers))] for box in "pq")
    return first, second


def scores_graph(family: Family) -> list[Value]:
    """Record all scores of two boxes."""
    a, b = (inputs(*names) for names in parameters(family))
    return [score(a, b).values.item() for score in family.scores.values()]


def loss_graph(family: Family, name: str) -> list[Value]:
    """Record a loss, and its derivatives by the numbers of the first box."""
    a, b = (inputs(*names) for names in parameters(family))
    loss = family.losses[name](a, b).values.item()
    return [loss, *gradient(loss, list(a.values))]


def code() -> str:
    """Return scores and losses as JavaScript, recorded from the public functions.

    The code declares the constant `kernels` with two members: `upright`, whose boxes are x1, y1, x2, y2, and `turned`,
    whose boxes are centre, sides and angle in radians. In each, `scores` takes the numbers of both boxes and returns a
    number for each of `names`. Each function in `losses` returns the loss and its derivatives by the numbers of the
    first box.

    Returns
    -------
    str

    Examples
    --------
    >>> from omniou.report import explorer
    >>> "const kernels=" in explorer.code()
    True
    """
    families: dict[str, javascript.Members] = {}
    for label, family in FAMILIES.items():
        first, second = parameters(family)
        of_losses = {x: javascript.function(x, first + second, loss_graph(family, x)) for x in family.losses}
        scores = javascript.function("scores", first + second, scores_graph(family))
        families[label] = {"names": f"names:{list(family.scores)}", "scores": scores, "losses": of_losses}
    return javascript.module(families)
