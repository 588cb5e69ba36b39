"""`pairwise_sparse` on each library: thresholds, groups, sizes, bad input and special numbers."""

import functools

import numpy as np
import pytest

from omniou import boxes, gaussian, matching, nms, pairwise, pairwise_max, pairwise_sparse, pairwise_topk
from tests.helpers import array, assert_close, numbers, random_boxes
from tests.pairs.brute import best as of_rows
from tests.pairs.brute import expected, listed

pytestmark = pytest.mark.computes("pairs are found by their values")

U = [0, 0, 10, 10]


def test_touching_boxes_are_not_above_zero(xp):
    a, b = array(xp, [U]), array(xp, [[10, 0, 20, 10], [9, 0, 19, 10], [10, 10, 20, 20]])
    pairs = pairwise_sparse(boxes.iou, a, b, 0)
    assert listed(pairs) == [(0, 1)]
    assert_close(pairs.values, [10 / 190], like=a)
    assert listed(pairwise_sparse(boxes.iou, a, b, 0.0, inclusive=True)) == [(0, 0), (0, 1), (0, 2)]


@pytest.mark.proves("eager", "pairwise_sparse")
def test_pairs_are_sorted_and_counted(xp):
    a = array(xp, [[5, 0, 6, 1], [0, 0, 2, 2]])
    b = array(xp, [[0, 0, 2, 1], [5, 0, 6, 1], [0, 0, 1, 1], [5, 0, 6, 2]])
    pairs = pairwise_sparse(boxes.iou, a, b, 0.2)
    assert listed(pairs) == [(0, 1), (0, 3), (1, 0), (1, 2)]
    assert_close(pairs.values, [1, 0.5, 0.5, 0.25], like=a)
    assert int(pairs.count) == 4
    assert pairs.a.dtype == pairs.b.dtype == xp.int64


def test_threshold_is_compared_in_the_dtype_of_the_scores(xp):
    a, b = array(xp, [U], "float32"), array(xp, [[0, 0, 10, 6], [0, 0, 10, 7]], "float32")
    assert listed(pairwise_sparse(boxes.iou, a, b, 0.6)) == [(0, 1)]
    assert listed(pairwise_sparse(boxes.iou, a, b, 0.7)) == []
    assert listed(pairwise_sparse(boxes.iou, a, b, 0.6, inclusive=True)) == [(0, 0), (0, 1)]


@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_only_pairs_of_a_group_are_compared(xp, dtype):
    a, b = array(xp, [U, U, U]), array(xp, [U, U, U])
    groups_a, groups_b = array(xp, [16777216, 16777217, -5], dtype), array(xp, [16777217, 3, 16777216], dtype)
    pairs = pairwise_sparse(boxes.iou, a, b, 0.5, groups_a=groups_a, groups_b=groups_b)
    assert listed(pairs) == [(0, 2), (1, 0)]


def test_groups_may_be_lists(xp):
    pairs = pairwise_sparse(boxes.iou, array(xp, [U]), array(xp, [U, U]), 0.5, groups_a=[7], groups_b=[2**62, 7])
    assert listed(pairs) == [(0, 1)]


def test_distances_are_above_a_threshold_where_they_are_less(xp):
    a = array(xp, [[0, 0, 2, 2]])
    b = array(xp, [[2, 0, 4, 2], [9, 0, 11, 2]])
    pairs = pairwise_sparse(gaussian.gwd, a, b, 3.0)
    assert listed(pairs) == [(0, 0)]
    assert_close(pairs.values, [2.0], like=a)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (2, 0)])
@pytest.mark.parametrize("grouped", [False, True])
def test_nothing_to_compare_gives_no_pairs(xp, n, m, grouped):
    a, b = array(xp, np.zeros((n, 4)), "float32"), array(xp, np.zeros((m, 4)), "float32")
    groups = {"groups_a": xp.zeros(n, dtype=xp.int64), "groups_b": xp.zeros(m, dtype=xp.int64)} if grouped else {}
    for threshold in (-0.5, 0.5):
        pairs = pairwise_sparse(boxes.giou, a, b, threshold, **groups)
        assert pairs.a.shape == pairs.values.shape == (0,)
        assert pairs.values.dtype == xp.float32


def test_size_pads_and_too_small_a_size_raises(xp):
    a, b = array(xp, [U, U]), array(xp, [U, [20, 20, 30, 30]])
    pairs = pairwise_sparse(boxes.iou, a, b, 0.5, size=4)
    assert listed(pairs) == [(0, 0), (1, 0), (-1, -1), (-1, -1)]
    assert np.isnan(numbers(pairs.values)).tolist() == [False, False, True, True]
    assert int(pairs.count) == 2
    with pytest.raises(ValueError, match=r"`size` must be at least 2, .* got 1"):
        pairwise_sparse(boxes.iou, a, b, 0.5, size=1)


def test_result_above_the_limit_of_memory_raises_with_an_estimate():
    a = np.tile(np.array([U], float), (1000, 1))
    with pytest.raises(ValueError, match=r"`memory` must be at least about 2.4e\+07 bytes"):
        pairwise_sparse(boxes.iou, a, a, 0.5, memory=10**6)
    assert int(pairwise_sparse(boxes.iou, a, a, 0.5, memory=24 * 10**6).count) == 10**6


def test_functions_made_of_scores_have_the_direction_that_is_given(xp):
    def loss(a, b):
        return 1 - boxes.iou(a, b)

    a, b = array(xp, [U]), array(xp, [U, [0, 0, 10, 4]])
    assert listed(pairwise_sparse(loss, a, b, 0.5, higher_is_better=False)) == [(0, 0)]
    assert listed(pairwise_sparse(loss, a, b, 0.5, higher_is_better=True)) == [(0, 1)]
    with pytest.raises(ValueError, match="`higher_is_better` must be given"):
        pairwise_sparse(loss, a, b, 0.5)


def test_options_of_a_partial_score_are_its_own(xp):
    a, b = array(xp, [[0, 0, 9, 9]]), array(xp, [[0, 0, 4, 9]])
    score = functools.partial(boxes.iou, format="xywh", offset=0.0)
    assert_close(pairwise_sparse(score, a, b, 0.1).values, [4 / 9])


BAD = [
    ({"groups_a": [0]}, ValueError, "`groups_b` must be given with `groups_a`"),
    ({"groups_a": [0, 1], "groups_b": [0]}, ValueError, r"`groups_a` must have shape \(1,\)"),
    ({"groups_a": [0], "groups_b": [[0]]}, ValueError, r"`groups_b` must have shape \(1,\)"),
    ({"groups_a": [0.0], "groups_b": [0.0]}, TypeError, "`groups_a` must hold integers"),
    ({"groups_a": [True], "groups_b": [True]}, TypeError, "`groups_a` must hold integers"),
    ({"groups_a": [2**63], "groups_b": [0]}, ValueError, "`groups_a` must be below"),
    ({"size": 0}, ValueError, "`size` must be a positive integer"),
    ({"memory": 0}, ValueError, "`memory` must be a positive integer"),
    ({"inclusive": 1}, TypeError, "`inclusive` must be True or False"),
    ({"higher_is_better": "yes"}, TypeError, "`higher_is_better` must be True or False"),
    ({"formt": "xywh"}, TypeError, r"iou\(\) got an unexpected keyword argument 'formt'"),
    ({"format": "xyhw"}, ValueError, "`format` must be one of"),
    ({"power": 0.0}, ValueError, "`power` must be"),
]


@pytest.mark.parametrize(("options", "error", "text"), BAD)
def test_bad_options_raise(options, error, text):
    with pytest.raises(error, match=text):
        pairwise_sparse(boxes.iou, [U], np.array([U], float), 0.5, **options)


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), "0.5", None])
def test_bad_thresholds_raise(threshold):
    with pytest.raises((TypeError, ValueError), match="`threshold` must be"):
        pairwise_sparse(boxes.iou, [U], [U], threshold)


def test_leading_axes_raise():
    for score in (boxes.iou, lambda a, b: 1 - boxes.iou(a, b)):
        with pytest.raises(ValueError, match="use `groups_a` and `groups_b`"):
            pairwise_sparse(score, np.zeros((2, 3, 4)), np.zeros((3, 4)), 0.5, higher_is_better=True)


SPECIAL = [0.0, 1.0, -1.0, 1e-18, 1e18, -1e18, float("inf"), float("-inf"), float("nan"), 3.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["iou", "iof", "iomin"])
def test_pairs_of_huge_tiny_infinite_inverted_and_nan_boxes(xp, name, dtype):
    rng = np.random.default_rng(7)
    special = SPECIAL if dtype != "float16" else [x for x in SPECIAL if abs(x) != 1e18]
    if dtype == "float16" and not hasattr(xp, "float16"):
        pytest.skip("the library has no float16")
    a, b = (array(xp, rng.choice(special, (60, 4)), dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        matrix = numbers(pairwise(getattr(boxes, name), a, b))
        for threshold in (0.0, 0.5):
            assert listed(pairwise_sparse(getattr(boxes, name), a, b, threshold)) == expected(matrix, threshold)


def test_an_outlier_does_not_hide_pairs():
    rng = np.random.default_rng(8)
    a, b = random_boxes(rng, 300), random_boxes(rng, 300)
    a[0], b[5], b[9] = [-1e9, -1e9, 1e9, 1e9], [1e12, 1e12, 2e12, 2e12], [-np.inf, -np.inf, 0, 0]
    with np.errstate(all="ignore"):
        assert listed(pairwise_sparse(boxes.iof, a, b, 0.0)) == expected(pairwise(boxes.iof, a, b), 0.0)


def test_gradient_of_values_is_that_of_the_scores():
    torch = pytest.importorskip("torch")
    a = torch.tensor([[0.0, 0, 4, 4], [9, 9, 12, 12]], requires_grad=True)
    b = torch.tensor([[1.0, 0, 5, 4], [0, 0, 4, 4]])
    pairwise_sparse(boxes.giou, a, b, 0.3).values.sum().backward()
    sparse, a.grad = a.grad.clone(), None
    boxes.giou(a[:1], b).sum().backward()
    assert torch.allclose(sparse, a.grad, rtol=1e-6)


def test_fixed_size_inside_jit():
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(9)
    a, b, groups = random_boxes(rng, 9), random_boxes(rng, 8), rng.integers(0, 2, 9)

    def find(a, b, groups, size):
        return pairwise_sparse(boxes.giou, a, b, -0.6, groups_a=groups, groups_b=groups[:8], size=size)

    matrix = pairwise(boxes.giou, a, b)
    every = expected(matrix, -0.6, (groups, groups))
    arrays = [jax.numpy.asarray(x) for x in (a, b, groups)]
    pairs = jax.jit(find, static_argnums=3)(*arrays, 40)
    assert listed(pairs) == every + [(-1, -1)] * (40 - len(every))
    assert int(pairs.count) == len(every)
    few = jax.jit(find, static_argnums=3)(*arrays, 2)
    assert (listed(few), int(few.count)) == (every[:2], len(every))
    with pytest.raises(ValueError, match="`size` must be given"):
        jax.jit(find, static_argnums=3)(*arrays, None)


def test_fixed_size_inside_torch_compile():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(10)
    a, b = (torch.from_numpy(random_boxes(rng, n)) for n in (9, 8))

    def find(a, b):
        return tuple(pairwise_sparse(boxes.iou, a, b, 0.1, size=30))

    compiled = torch.compile(find, fullgraph=True, backend="eager")(a, b)
    assert all(torch.equal(torch.nan_to_num(x), torch.nan_to_num(y)) for x, y in zip(compiled, find(a, b), strict=True))


def test_lazy_arrays_raise():
    dask = pytest.importorskip("dask.array")
    x = dask.from_array(np.array([U], float))
    for call in (lambda: pairwise_sparse(boxes.iou, x, x, 0.5), lambda: pairwise_max(boxes.iou, x, x)):
        with pytest.raises(TypeError, match="`a` must be an array that is computed at once, got one of dask"):
            call()


@pytest.mark.parametrize("threshold", [0.0, 0.3, -0.3])
def test_search_in_torch_itself_as_on_its_devices(monkeypatch, threshold):
    torch = pytest.importorskip("torch")
    from omniou._lib import host

    monkeypatch.setattr(host, "to_host", lambda x: (host.namespace_of(next(iter(x.values()))), x, host.as_it_is))
    rng = np.random.default_rng(11)
    a, b, groups = random_boxes(rng, 300), random_boxes(rng, 300), rng.integers(0, 4, 300)
    same = groups[:, None] == groups
    for dtype in (torch.float64, torch.bfloat16):
        p, q = (torch.tensor(x).to(dtype) for x in (a, b))
        numbers = torch.from_numpy(groups)
        matrix = pairwise(boxes.giou, p, q).double().numpy()
        limit = float(torch.tensor(threshold, dtype=dtype))
        pairs = pairwise_sparse(boxes.giou, p, q, threshold, groups_a=numbers, groups_b=numbers)
        assert listed(pairs) == expected(matrix, limit, (groups, groups))
        for score in (boxes.iou, boxes.giou):
            best = pairwise_topk(score, p, q, 3, groups_a=numbers, groups_b=numbers)
            values, columns = of_rows(pairwise(score, p, q).double().numpy(), same, 3)
            assert np.array_equal(best.indices, columns)
            assert np.array_equal(best.values.double(), values, equal_nan=True)


def test_lazy_arrays_raise_in_matching_and_suppression():
    dask = pytest.importorskip("dask.array")
    x, s = dask.ones((3, 4)), dask.ones(3)
    for call in (
        lambda: matching.greedy(x),
        lambda: matching.coco(x, thresholds=[0.5]),
        lambda: nms.hard(x, s, 0.5),
        lambda: nms.hard(x, s, 0.5, output="mask"),
        lambda: nms.soft(x, s),
        lambda: nms.merge(x, s, 0.5),
    ):
        with pytest.raises(TypeError, match="must be an array that is computed at once, got one of dask"):
            call()
