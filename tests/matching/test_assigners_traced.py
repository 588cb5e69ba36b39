"""The assigners inside compilers: fixed sizes, and numbers that are not finite are never chosen."""

from typing import Any

import numpy as np
import pytest

from omniou import matching
from tests.helpers import numbers
from tests.matching.assigner_cases import ASSIGNERS, PER_IMAGE, assert_same, assign, batch

NAMES = list(ASSIGNERS)


# With little memory, images become turns of a loop, and objects tiles.
@pytest.mark.parametrize(("name", "memory"), [*((name, None) for name in NAMES), ("max_iou", 2**12), ("simota", 2**12)])
def test_jit_equals_eager(name: str, memory: int | None) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = batch(jax.numpy)
    compiled = jax.jit(lambda x: assign(name, x, where=x["where"], memory=memory))
    eager = assign(name, batch(np), where=batch(np)["where"])
    assert_same(compiled(x), eager)


@pytest.mark.parametrize("name", ["max_iou", "task_aligned"])
def test_vmap_equals_a_batch(name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = batch(jax.numpy)
    mapped = {n: 0 if n in PER_IMAGE else None for n in x}
    out = jax.jit(jax.vmap(lambda x: assign(name, x, where=x["where"]), in_axes=(mapped,)))(x)
    assert_same(out, assign(name, batch(np), where=batch(np)["where"]))


@pytest.mark.parametrize("name", NAMES)
def test_torch_compile_in_one_graph_equals_eager(name: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    xp = pytest.importorskip("array_api_compat.torch", reason="torch is not installed")
    x = batch(xp)
    compiled = torch.compile(lambda x: assign(name, x, where=x["where"]), fullgraph=True, backend="eager")
    assert_same(compiled(x), assign(name, x, where=x["where"]))


@pytest.mark.parametrize("name", ["simota", "task_aligned"])
def test_what_is_not_finite_is_never_chosen_under_jit(name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = batch(jax.numpy)
    own = assign(name, batch(np), where=batch(np)["where"])
    image, anchor = (int(k) for k in np.argwhere(own.states == 1)[0])
    x["predictions"] = x["predictions"].at[image, anchor].set(float("nan"))
    out = jax.jit(lambda x: assign(name, x, where=x["where"]))(x)
    assert int(out.objects[image, anchor]) == -1
    assert np.all(np.isfinite(numbers(out.scores)))
    with pytest.raises(ValueError, match=rf"`predictions\[{image}, {anchor}\]` is not finite"):
        assign(name, x, where=x["where"])


def test_jit_of_anchors_of_each_image_and_regions_to_ignore() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    here, there = batch(np), batch(jax.numpy)
    for x in (here, there):
        x["anchors"] = x["anchors"][None] + x["predictions"] * 0.05
    options = {"ignore": here["objects"][:, 3:], "ignore_where": np.asarray([[True, False]] * 3), "ignore_above": 0.3}
    options["ignore"] = np.where(np.isnan(options["ignore"]), 0.0, options["ignore"]).astype(np.float32)
    assert_same(
        jax.jit(lambda x: assign("atss", x, where=x["where"]))(there), assign("atss", here, where=here["where"])
    )
    own = assign("max_iou", here, where=here["where"], **options)
    assert (own.states == -1).any()
    given = {name: jax.numpy.asarray(x) if hasattr(x, "dtype") else x for name, x in options.items()}
    assert_same(jax.jit(lambda x: assign("max_iou", x, where=x["where"], **given))(there), own)


def test_groups_are_refused_under_jit() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    boxes = jax.numpy.ones((2, 4))
    with pytest.raises(TypeError, match="`groups` must not be traced"):
        jax.jit(lambda g: matching.max_iou(boxes, boxes, groups=g, images=1))(jax.numpy.zeros(2, dtype=int))


def test_predictions_with_gradients_are_assigned_without() -> None:
    xp = pytest.importorskip("array_api_compat.torch", reason="torch is not installed")
    x = batch(xp)
    x["predictions"].requires_grad_()
    assert not assign("task_aligned", x, where=x["where"]).scores.requires_grad


@pytest.mark.parametrize(("name", "library"), [*((name, "torch") for name in NAMES), ("atss", "jax")])
def test_arrays_of_a_device_stay_there(monkeypatch: pytest.MonkeyPatch, library: str, name: str) -> None:
    xp = pytest.importorskip({"torch": "array_api_compat.torch", "jax": "jax.numpy"}[library], reason="not installed")
    x = batch(xp)
    own = assign(name, x, where=x["where"])

    def refused(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("omniou._lib.values.visible", lambda *_: False)
    monkeypatch.setattr("omniou._lib.host.to_host", refused)
    assert_same(assign(name, x, where=x["where"], memory=2**16), own)
