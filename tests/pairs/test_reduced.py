"""`pairwise_max`, `pairwise_topk` and `pairwise_count` equal the sorted rows of the matrix."""

import numpy as np
import pytest

from omniou import boxes, gaussian, masks, pairwise, pairwise_count, pairwise_max, pairwise_topk, rle, rotated
from omniou.pairs import _reduce
from tests.helpers import array, assert_close, numbers, random_boxes
from tests.pairs.brute import best

pytestmark = pytest.mark.computes("the best are found by their values")

U = [0, 0, 10, 10]
NAN = float("nan")


@pytest.fixture(params=["dense", "parts"])
def path(request, monkeypatch):
    """Small sets as one matrix, and in parts as large ones."""
    if request.param == "parts":
        monkeypatch.setattr(_reduce, "_SMALL", -1)
    return request.param


def integers(x):
    return numbers(x).astype(int).tolist()


@pytest.mark.proves("eager", "pairwise_max", "pairwise_topk", "pairwise_count")
@pytest.mark.usefixtures("path")
def test_first_of_equal_scores_is_the_best(xp):
    a, b = array(xp, [U, [50, 50, 60, 60]], "float32"), array(xp, [[20, 20, 30, 30], U, U, [0, 0, 10, 5]], "float32")
    out = pairwise_max(boxes.iou, a, b)
    assert integers(out.indices) == [1, 0]
    assert_close(out.values, [1, 0], like=a)
    assert out.indices.dtype == xp.int64
    top = pairwise_topk(boxes.iou, a, b, 5)
    assert integers(top.indices) == [[1, 2, 3, 0, -1], [0, 1, 2, 3, -1]]
    assert_close(top.values, [[1, 1, 0.5, 0, NAN], [0, 0, 0, 0, NAN]], like=a)
    count = pairwise_count(boxes.iou, a, b, 0.5)
    assert integers(count) == [2, 0]
    assert count.dtype == xp.int64
    assert integers(pairwise_count(boxes.iou, a, b, 0.5, inclusive=True)) == [3, 0]


@pytest.mark.usefixtures("path")
def test_groups_without_a_partner_have_no_best(xp):
    a, b = array(xp, [U, U, U]), array(xp, [U, [0, 0, 5, 10]])
    groups = {"groups_a": array(xp, [3, 16777217, 16777216], "int64"), "groups_b": array(xp, [16777216, 3], "int64")}
    out = pairwise_max(boxes.iou, a, b, **groups)
    assert integers(out.indices) == [1, -1, 0]
    assert_close(out.values, [0.5, NAN, 1.0])
    assert integers(pairwise_topk(boxes.iou, a, b, 2, **groups).indices) == [[1, -1], [-1, -1], [0, -1]]
    assert integers(pairwise_count(boxes.iou, a, b, 0.1, **groups)) == [1, 0, 1]


@pytest.mark.usefixtures("path")
def test_nan_is_the_best_only_of_nan(xp):
    a, b = array(xp, [U, [NAN, 0, 1, 1]]), array(xp, [[0, NAN, 1, 1], [30, 30, 40, 40], U])
    for score in (boxes.iou, boxes.diou):
        out = pairwise_topk(score, a, b, 3)
        assert integers(out.indices) == [[2, 1, 0], [0, 1, 2]]
        assert np.isnan(numbers(out.values)).tolist() == [[False, False, True], [True] * 3]
        assert integers(pairwise_max(score, a, b).indices) == [2, 0]
        assert integers(pairwise_count(score, a, b, 0.0)) == [1, 0]


@pytest.mark.usefixtures("path")
def test_lowest_distance_is_the_best(xp):
    a, b = array(xp, [[0, 0, 2, 2]]), array(xp, [[9, 0, 11, 2], [2, 0, 4, 2], [0, 0, 2, 2]])
    out = pairwise_topk(gaussian.gwd, a, b, 2)
    assert integers(out.indices) == [[2, 1]]
    assert_close(out.values, [[0, 2]])
    assert integers(pairwise_count(gaussian.gwd, a, b, 3)) == [2]
    with pytest.raises(ValueError, match="`higher_is_better` must be given"):
        pairwise_max(lambda a, b: 1 - boxes.iou(a, b), a, b)
    out = pairwise_max(lambda a, b: 1 - boxes.iou(a, b), a, b, higher_is_better=False)
    assert integers(out.indices) == [2]


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (2, 0)])
def test_nothing_to_compare_with(xp, n, m):
    a, b = array(xp, np.zeros((n, 4)), "float32"), array(xp, np.zeros((m, 4)), "float32")
    out = pairwise_max(boxes.iou, a, b)
    assert integers(out.indices) == [-1] * n
    assert_close(out.values, [NAN] * n, like=a)
    top = pairwise_topk(boxes.giou, a, b, 2)
    assert top.values.shape == top.indices.shape == (n, 2)
    assert integers(pairwise_count(boxes.iou, a, b, 0.5)) == [0] * n


@pytest.mark.usefixtures("path")
def test_leading_axes_broadcast(xp):
    rng = np.random.default_rng(1)
    a, b, groups = random_boxes(rng, 2, 3, 7), random_boxes(rng, 3, 6), rng.integers(0, 2, (3, 7))
    options = {"groups_a": array(xp, groups, "int64"), "groups_b": array(xp, groups[0, :6], "int64")}
    out = pairwise_topk(boxes.giou, array(xp, a), array(xp, b), 2, **options)
    counts = pairwise_count(boxes.giou, array(xp, a), array(xp, b), -0.5, **options)
    assert out.values.shape == out.indices.shape == (2, 3, 7, 2)
    for i, j in np.ndindex(2, 3):
        same = groups[j][:, None] == groups[0, :6]
        matrix = pairwise(boxes.giou, a[i, j], b[j])
        values, indices = best(matrix, same, 2)
        assert integers(out.indices[i, j, ...]) == indices.tolist()
        np.testing.assert_allclose(numbers(out.values[i, j, ...]), values, rtol=1e-12)
        assert integers(counts[i, j, ...]) == ((matrix > -0.5) & same).sum(axis=1).tolist()


@pytest.mark.usefixtures("path")
def test_masks_runs_and_polygons():
    rng = np.random.default_rng(2)
    dense = rng.random((9, 6, 6)) > 0.6
    table, groups = rle.Masks.from_dense(dense), rng.integers(0, 3, 9)
    same = groups[:, None] == groups
    values, indices = best(pairwise(masks.dice, dense, dense), same, 3)
    for score, x in ((masks.dice, dense), (rle.dice, table)):
        out = pairwise_topk(score, x, x, 3, groups_a=groups, groups_b=groups)
        assert out.indices.tolist() == indices.tolist()
        np.testing.assert_allclose(out.values, values, rtol=1e-12)


def test_columns_in_parts_keep_the_order_of_ties(monkeypatch):
    from omniou.pairs import _search

    monkeypatch.setattr(_reduce, "_SMALL", -1)
    monkeypatch.setattr(_search, "_AT_ONCE", 4)
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, (11, 4)).astype(float), rng.integers(0, 4, (13, 4)).astype(float)
    matrix = pairwise(boxes.giou, a, b)
    values, indices = best(matrix, np.ones(matrix.shape, bool), 3)
    out = pairwise_topk(boxes.giou, a, b, 3)
    assert out.indices.tolist() == indices.tolist()
    assert out.values.tolist() == values.tolist()


@pytest.mark.parametrize("k", [0, -1, 1.0, True])
def test_bad_k_raises(k):
    with pytest.raises(ValueError, match="`k` must be a positive integer"):
        pairwise_topk(boxes.iou, [U], [U], k)


def test_bad_groups_and_options_raise():
    with pytest.raises(ValueError, match=r"`groups_b` must have shape \(2,\)"):
        pairwise_max(boxes.iou, np.zeros((3, 4)), np.zeros((2, 4)), groups_a=[0, 0, 0], groups_b=[0])
    with pytest.raises(TypeError, match="`groups_a` must hold integers"):
        pairwise_count(boxes.iou, [U], [U], 0.5, groups_a=[0.5], groups_b=[1])
    with pytest.raises(TypeError, match=r"iou\(\) got an unexpected keyword argument 'treshold'"):
        pairwise_max(boxes.iou, [U], [U], treshold=0.5)
    torch = pytest.importorskip("torch")
    table = rle.Masks.from_dense(np.ones((1, 2, 2), bool))
    with pytest.raises(TypeError, match="run lengths must be lists or NumPy arrays"):
        pairwise_max(rle.iou, table, table, groups_a=torch.tensor([0]), groups_b=torch.tensor([0]))


@pytest.mark.usefixtures("path")
def test_gradient_of_the_best():
    torch = pytest.importorskip("torch")
    a = torch.tensor([[0.0, 0, 4, 4], [9, 9, 12, 12]], requires_grad=True)
    b = torch.tensor([[1.0, 0, 5, 4], [0, 0, 4, 3.5], [9, 9, 12, 11]])
    out = pairwise_max(boxes.giou, a, b)
    assert out.indices.tolist() == [1, 2]
    out.values.sum().backward()
    reduced, a.grad = a.grad.clone(), None
    boxes.giou(a, b[1:]).sum().backward()
    assert torch.allclose(reduced, a.grad, rtol=1e-6)


def traced(a, b, groups):
    options = {"groups_a": groups, "groups_b": groups[:6]}
    return (
        *pairwise_max(boxes.giou, a, b, **options),
        *pairwise_topk(boxes.iou, a, b, 3, **options),
        pairwise_count(rotated.iou, a, b, 0.1, format="cxcywhr", **options) if a.shape[-1] == 5 else groups,
        pairwise_count(boxes.iou, a, b, 0.1, **options),
    )


def test_inside_jit_and_vmap():
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(4)
    arrays = [random_boxes(rng, 2, n) for n in (7, 6)] + [rng.integers(0, 2, (2, 7))]
    expected = traced(*(x[0] for x in arrays))
    out = jax.jit(jax.vmap(traced))(*map(jax.numpy.asarray, arrays))
    for x, y in zip(out, expected, strict=True):
        np.testing.assert_allclose(numbers(x[0]), y, rtol=1e-5)


def test_inside_torch_compile_and_vmap():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    arrays = [
        torch.from_numpy(x) for x in (random_boxes(rng, 2, 7), random_boxes(rng, 2, 6), rng.integers(0, 2, (2, 7)))
    ]
    expected = traced(*(x[0].numpy() for x in arrays))
    compiled = torch.compile(traced, fullgraph=True, backend="eager")(*(x[0] for x in arrays))
    mapped = torch.func.vmap(traced)(*arrays)
    for x, y, z in zip(compiled, mapped, expected, strict=True):
        np.testing.assert_allclose(x.numpy(), z, rtol=1e-12)
        np.testing.assert_allclose(y[0].numpy(), z, rtol=1e-12)
