"""Gradients by torch and by JAX are the same numbers, for scores of each kind of every geometry."""

import functools

import numpy as np
import pytest

from omniou import boxes, boxes3d, polygons, rotated
from tests.contract.test_gradients import jax_gradient, torch_gradient
from tests.hand_worked import NEEDED


def shapes(name, rng, n=100):
    """Random shapes, of which many overlap."""
    sides, turn = rng.uniform(0.5, 6, (n, 3)), rng.uniform(-4, 4, (n, 1))
    place = rng.normal(0, 2, (n, 3))
    match name:
        case "boxes":
            return np.concatenate([place[:, :2], place[:, :2] + sides[:, :2]], axis=1)
        case "rotated":
            return np.concatenate([place[:, :2], sides[:, :2], turn], axis=1)
        case "boxes3d":
            return np.concatenate([place, sides, turn], axis=1)
    angle = np.sort(rng.uniform(0, 2 * np.pi, (n, 5)), axis=1)
    around = sides[:, :1, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return place[:, None, :2] + around


GEOMETRIES = {"boxes": boxes, "rotated": rotated, "boxes3d": boxes3d, "polygons": polygons}
# An overlap, and with each kind of penalty; Gaussians. JAX takes seconds to compile each.
SOME = ("iou", "giou", "diou", "ciou", "kld", "probiou")
CASES = [(geometry, name) for geometry, module in GEOMETRIES.items() for name in SOME if name in module.__all__]


@pytest.mark.parametrize(("geometry", "name"), CASES)
def test_gradients_of_torch_and_jax_are_equal(geometry, name):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    a, b = shapes(geometry, rng), shapes(geometry, rng)
    score = functools.partial(getattr(GEOMETRIES[geometry], name), **NEEDED.get(name, {}))
    by_torch, by_jax = (gradient(score, a, b, "float64") for gradient in (torch_gradient, jax_gradient))
    np.testing.assert_allclose(by_torch, by_jax, rtol=1e-9, atol=1e-9)
