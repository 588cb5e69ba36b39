"""Every score of every geometry and every loss, by name, with random shapes that they take."""

import functools
import inspect
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes, boxes3d, gaussian, losses, masks, polygons, rotated
from tests.hand_worked import NEEDED

# What of the modules takes two arrays of shapes, and is no score.
OTHERS = {"enclosing", "pairwise_iou"}
# Those of masks that count pixels; the others measure outlines.
MASKS = {"dice", "graded", "intersection", "iof", "iou", "soft_dice", "soft_iou", "tversky"}


class Case(NamedTuple):
    """A function, and the geometry of its two arguments."""

    function: Any
    geometry: str
    loss: bool = False


def shapes(geometry: str, seed: int, count: int) -> Any:
    """Rows of shapes, float64; masks are probabilities (count, height, width)."""
    rng = np.random.default_rng(seed)
    if geometry == "masks":
        x = rng.random((count, 240, 240))
        return np.where(rng.random((count, 12, 12)).repeat(20, 1).repeat(20, 2) < 0.3, x, 0.0)
    if geometry == "maps":  # probabilities, or masks, of images and classes
        x = rng.random((max(1, count // 64), 3, 8, 8))
        return x / x.sum(axis=1, keepdims=True) if seed % 2 else np.eye(3)[x.argmax(axis=1)].transpose(0, 3, 1, 2)
    low, sides = rng.uniform(0, 20, (count, 3)), rng.uniform(1, 10, (count, 3))
    angle = rng.uniform(-4, 4, (count, 1))
    match geometry:
        case "boxes":
            return np.concatenate([low[:, :2], (low + sides)[:, :2]], axis=1)
        case "boxes3d":
            return np.concatenate([low, sides, angle], axis=1)
    rows = np.concatenate([low[:, :2], sides[:, :2], angle], axis=1)
    return rows if geometry == "rotated" else rotated.corners(rows)


def named(module: Any, first: str, second: str) -> dict[str, Any]:
    """Functions of a module whose first parameters are these, with what they need beside the shapes."""
    found = {}
    for name in module.__all__:
        function = getattr(module, name)
        words = list(inspect.signature(function).parameters) if inspect.isfunction(function) else []
        if words[:2] == [first, second] and name not in OTHERS:
            found[name] = functools.partial(function, **NEEDED.get(name, {}))
    return found


def cases() -> dict[str, Case]:
    """All of them."""
    many = {}
    modules = {"boxes": boxes, "rotated": rotated, "boxes3d": boxes3d, "polygons": polygons, "gaussian": gaussian}
    for geometry, module in modules.items():
        kind = "rotated" if geometry == "gaussian" else geometry
        many |= {f"{geometry}.{name}": Case(x, kind) for name, x in named(module, "a", "b").items()}
        if geometry != "gaussian":
            own = losses if geometry == "boxes" else getattr(losses, geometry)
            many |= {
                f"losses.{geometry}.{name}": Case(x, kind, True) for name, x in named(own, "pred", "target").items()
            }
    scores = {name: x for name, x in named(masks, "a", "b").items() if name in MASKS}
    soft = {"soft_dice", "soft_iou"}
    for name, x in scores.items():
        many[f"masks.{name}"] = Case(x if name in soft else functools.partial(x, threshold=0.5), "masks")
    of_maps = {name: getattr(losses.masks, name) for name in losses.masks.__all__ if name != "check"}
    return many | {f"losses.masks.{name}": Case(x, "maps", True) for name, x in of_maps.items()}
