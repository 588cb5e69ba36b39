"""Matching inside transformations of JAX and of torch, and on a device."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

from omniou import matching
from tests import places
from tests.matching.reference import check

INF, NAN = math.inf, math.nan


def test_greedy_under_jit_and_vmap_of_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    overlap = np.array([[[0.9, 0.8], [0.8, 0.1]], [[0.1, np.nan], [0.2, 0.3]]], np.float32)

    matched = jax.jit(jax.vmap(lambda x: matching.greedy(x, threshold=0.1)))(overlap)

    assert matched.tolist() == [[0, 1], [0, 1]]


def test_greedy_under_compile_and_vmap_of_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    overlap = torch.tensor([[[0.9, 0.8], [0.8, 0.1]], [[0.1, torch.nan], [0.2, 0.3]]])

    compiled = torch.compile(matching.greedy, fullgraph=True, backend="eager")
    assert compiled(overlap, threshold=0.1).tolist() == [[0, 1], [0, 1]]
    assert torch.func.vmap(lambda x: matching.greedy(x, threshold=0.1))(overlap).tolist() == [[0, 1], [0, 1]]


def test_hungarian_of_16_bits_in_torch():
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    cost = torch.tensor([[0.5, 0.25], [0.25, 0.5]], dtype=torch.bfloat16)

    assert matching.hungarian(cost).tolist() == [1, 0]
    assert matching.hungarian(cost.requires_grad_(), maximize=True).tolist() == [0, 1]


def test_hungarian_under_jit_of_jax_is_best_of_all_permutations():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    rng = np.random.default_rng(0)
    solve = jax.jit(lambda cost, where: matching.hungarian(cost, where=where))
    for shape in ((30, 4, 5), (30, 5, 4)):
        cost = rng.integers(-9, 10, shape).astype(np.float32)
        allowed = rng.random(shape) < 0.6
        allowed[:10] = np.sort(allowed[:10], axis=1)
        allowed[10:20] = True
        for matched, one, may in zip(solve(cost, allowed).tolist(), cost, allowed, strict=True):
            check(matched, one, may)


@pytest.mark.parametrize("shape", [(40, 60), (60, 40)])
def test_hungarian_under_jit_of_jax_is_within_its_gap_of_scipy(shape):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")
    rng = np.random.default_rng(sum(shape))
    cost = np.stack([rng.integers(0, 6, shape), rng.integers(0, 2**12, shape), rng.normal(0, 100, shape)])
    cost = cost.astype(np.float32)

    for number, matched in enumerate(np.asarray(jax.jit(matching.hungarian)(cost))):
        rows, one = np.flatnonzero(matched >= 0), cost[number].astype(float)
        assert len(rows) == len(set(matched[rows])) == min(shape)
        excess = one[rows, matched[rows]].sum() - one[optimize.linear_sum_assignment(one)].sum()
        assert excess <= (0 if number < 2 else 1e-6 * min(shape) * np.ptp(one))


def test_hungarian_under_vmap_of_jax_leaves_out_nan_and_infinity():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    cost = np.array([[[-1, NAN], [INF, -INF]], [[3, 1], [1, 3]]], np.float32)

    assert jax.vmap(matching.hungarian)(cost).tolist() == [[0, -1], [1, 0]]
    assert jax.jit(matching.hungarian)(np.zeros((2, 3, 0))).tolist() == [[-1] * 3] * 2
    sizes = jax.jit(lambda x: matching.hungarian(x, sizes=[1, 2], maximize=True))
    assert sizes(np.array([[1, 5, 2], [2, 6, 8]])).tolist() == [[-1, 0], [1, 2]]


def test_hungarian_traced_by_torch_raises():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    with pytest.raises(TypeError, match="`cost` is traced by torch"):
        torch.func.vmap(matching.hungarian)(torch.ones(2, 2, 2))
    with pytest.raises(Exception, match="traced by torch"):
        torch.compile(matching.hungarian, fullgraph=True, backend="eager")(torch.ones(2, 2))


def test_detr_cost_and_assignment_of_padded_images_under_jit_of_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    rng = np.random.default_rng(0)
    given = rng.normal(size=(2, 5, 4)), rng.uniform(0.2, 0.6, (2, 5, 4)), np.array([[0, 2, 1], [3, 0, 0]])
    boxes, where = rng.uniform(0.2, 0.6, (2, 3, 4)), np.array([[[True, True, True]], [[True, False, False]]])

    def step(logits, predicted, labels, targets, real):
        return matching.hungarian(matching.detr_cost(logits, predicted, labels, targets), where=real)

    matched = jax.jit(step)(*given, boxes, where)

    assert matched.tolist() == step(*given, boxes, where).tolist()
    assert (np.asarray(matched) >= 0).sum(1).tolist() == [3, 1]


def test_detr_cost_under_compile_of_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    generator = torch.Generator().manual_seed(0)
    given = torch.randn(2, 5, 4, generator=generator), torch.rand(2, 5, 4, generator=generator) + 0.1
    objects = torch.tensor([0, 3, 1]), torch.rand(3, 4, generator=generator) + 0.1
    compiled = torch.compile(matching.detr_cost, fullgraph=True, backend="eager")

    for kind in ("softmax", "focal"):
        expected = matching.detr_cost(*given, *objects, sizes=[1, 2], kind=kind)
        torch.testing.assert_close(compiled(*given, *objects, sizes=[1, 2], kind=kind), expected)


def test_matching_on_a_device_of_torch_copies_once():
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    command = [sys.executable, "-m", "tests.matching.devices"]

    done = subprocess.run(command, cwd=places.ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    waits = json.loads(done.stdout)
    assert {name: count for name, count in waits.items() if name != "greedy"} == {
        "coco": 1,
        "coco of shapes": 1,
        "hungarian": 1,
        "task_aligned": 1,  # all values are checked at once
        "simota": 1,
        "detr_cost": 1,  # labels are checked
    }
