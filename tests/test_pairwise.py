"""All pairs: the same numbers as element by element, whatever the tile."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from omniou import boxes, pairwise
from omniou._lib import lending, replay, threads, tiles
from tests.helpers import array, assert_close, numbers

SCORES = ["iou", "iof", "dice", "giou", "diou", "ciou", "intersection", "union"]


def random_boxes(rng, *shape, dims=2):
    low = rng.uniform(-10, 10, (*shape, dims))
    # Some are inverted, and some empty.
    return np.concatenate([low, low + rng.integers(-1, 8, (*shape, dims))], axis=-1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quarter_overlap(xp, dtype):
    a = array(xp, [[0, 0, 2, 2]], dtype)
    b = array(xp, [[0, 0, 1, 1], [5, 5, 6, 6]], dtype)
    assert_close(pairwise(boxes.iou, a, b), [[0.25, 0.0]], like=a)
    assert_close(boxes.pairwise_iou(a, b), [[0.25, 0.0]], like=a)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_is_the_score_of_each_pair(xp, name, dims):
    rng = np.random.default_rng(dims)
    score = getattr(boxes, name)
    a, b = (array(xp, random_boxes(rng, n, dims=dims)) for n in (7, 5))
    expected = np.stack([numbers(score(a[i, :], b)) for i in range(7)])
    assert_close(pairwise(score, a, b), expected, like=a)


@pytest.mark.parametrize(("batch_a", "batch_b"), [((3,), (3,)), ((3,), ()), ((2, 1), (3,)), ((1,), (4,))])
def test_leading_axes_broadcast(xp, batch_a, batch_b):
    rng = np.random.default_rng(1)
    a, b = random_boxes(rng, *batch_a, 6), random_boxes(rng, *batch_b, 4)
    shape = np.broadcast_shapes(batch_a, batch_b)
    wide_a, wide_b = np.broadcast_to(a, (*shape, 6, 4)), np.broadcast_to(b, (*shape, 4, 4))
    expected = [pairwise(boxes.giou, wide_a[i], wide_b[i]) for i in np.ndindex(shape)]
    out = pairwise(boxes.giou, array(xp, a), array(xp, b))
    assert_close(out, np.reshape(expected, (*shape, 6, 4)))


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("batch", [(), (0,), (2,)])
def test_empty(xp, n, m, batch):
    a, b = array(xp, np.zeros((*batch, n, 4))), array(xp, np.zeros((*batch, m, 4)))
    out = pairwise(boxes.ciou, a, b)
    assert out.shape == (*batch, n, m)
    assert out.dtype == a.dtype


@pytest.mark.parametrize(
    ("batch", "n", "m"), [((), 40, 30), ((), 1, 900), ((), 900, 1), ((3, 1), 17, 23), ((60,), 2, 3), ((5,), 0, 40)]
)
@pytest.mark.parametrize("tile", [8, 64, 1000])
@pytest.mark.parametrize("lends", [True, False])
@pytest.mark.computes("they have no tiles")
def test_tiles_do_not_show(xp, monkeypatch, batch, n, m, tile, lends):
    if "jax" in xp.__name__:
        pytest.skip("JAX has no tiles: XLA sees one expression")
    sizes = {"TILE_EAGER": tile, "TILE_BYTES": 8 * tile, "LONG": 16, "ROW": 16}
    for name, size in sizes.items():
        monkeypatch.setattr(tiles, name, size)
    monkeypatch.setattr(replay, "FEW", 0)  # what is replayed is not cut
    if not lends:
        monkeypatch.setattr(lending, "lend", lambda *_, **__: None)
    rng = np.random.default_rng(2)
    a, b = random_boxes(rng, *batch, n), random_boxes(rng, m)
    for name in SCORES:
        score = getattr(boxes, name)
        expected = score(a[..., :, None, :], b[None, :, :])
        assert_close(pairwise(score, array(xp, a), array(xp, b)), expected, like=array(xp, [1.0]))


@pytest.mark.parametrize(("n", "m"), [(3, 40), (40, 3)])
def test_long_rows_hide_nothing(monkeypatch, n, m):
    for name, size in {"TILE_BYTES": 256, "LONG": 16, "ROW": 16}.items():
        monkeypatch.setattr(tiles, name, size)
    monkeypatch.setattr(replay, "FEW", 0)
    rng = np.random.default_rng(4)
    a, b = random_boxes(rng, n), random_boxes(rng, m)
    a[0, 2], a[1, 0], b[0, 1], b[1, 3], b[2] = np.inf, np.nan, -np.inf, np.nan, [-np.inf, -np.inf, np.inf, np.inf]
    usual = np.getbufsize()
    for name in SCORES:
        score = getattr(boxes, name)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(pairwise(score, a, b), score(a[:, None], b), strict=True)
    assert np.getbufsize() == usual


def test_threads_find_what_one_finds(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(threads, "FEW", 1)
    rng = np.random.default_rng(3)
    a, b = random_boxes(rng, 900), random_boxes(rng, 700)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        out = pairwise(boxes.giou, torch.asarray(a), torch.asarray(b))
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(out.numpy(), pairwise(boxes.giou, a, b))


@pytest.mark.parametrize("by_caller", [True, False])
def test_what_one_thread_raises_is_raised(monkeypatch, by_caller):
    monkeypatch.setattr(threads, "FEW", 1)
    both_work = threading.Barrier(2)

    def work(_):
        both_work.wait(timeout=60)
        if (threading.current_thread() is threading.main_thread()) == by_caller:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        threads.each(work, [(0,), (1,)], threads=2)


NESTED = """
import os, threading
from omniou._lib import threads

os.cpu_count = lambda: 2
both_work, done = threading.Barrier(2), []

def work(number):
    both_work.wait(timeout=30)
    threads.each(lambda k: done.append((number, k)), [(k,) for k in range(4)], threads=4, few=1)
    both_work.wait(timeout=30)

threads.each(work, [(0,), (1,)], threads=2, few=1)
assert sorted(done) == [(number, k) for number in range(2) for k in range(4)]
"""


def test_threads_may_ask_for_threads():
    """Where all are at work already, nobody waits for who is waiting himself."""
    subprocess.run([sys.executable, "-c", NESTED], check=True, timeout=120)


FORKED = """
import os, sys, threading
from omniou._lib import threads

def both_work():
    barrier = threading.Barrier(2)
    threads.each(lambda _: barrier.wait(timeout=30), [(0,), (1,)], threads=2, few=1)

both_work()
child = os.fork()
if child == 0:
    both_work()
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_has_threads_of_its_own():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [1, 600])
def test_tensors_overflow_in_silence(n):
    torch = pytest.importorskip("torch")
    huge = torch.asarray([[-torch.inf, 0.0, torch.inf, 1.0], [0.0, 0.0, 3e38, 3e38]]).repeat(n, 1)
    assert pairwise(boxes.iou, huge, huge).isnan().any()


def test_nan_stays_in_its_row_and_column(xp):
    a = array(xp, [[0, 0, 1, 1], [np.nan, 0, 1, 1]])
    b = array(xp, [[0, 0, 1, 1], [0, 0, 1, np.nan], [2, 2, 3, 3]])
    assert np.isnan(numbers(pairwise(boxes.giou, a, b))).tolist() == [[False, True, False], [True] * 3]


def test_options_reach_the_score(xp):
    a, b = array(xp, [[0, 0, 9, 9]]), array(xp, [[5, 5, 5, 5]])
    assert_close(pairwise(boxes.iou, a, b, format="xywh"), [[16 / 90]])
    assert_close(pairwise(boxes.iou, a, b, offset=1), [[1 / 100]])
    relative = {"format": "rel_xyxy", "image_size": (10, 20)}
    assert_close(pairwise(boxes.union, a / 10, b / 10, **relative), [[162]])


def test_takes_functions_made_of_scores(xp):
    a, b = array(xp, [[0, 0, 1, 1]]), array(xp, [[0, 0, 1, 1], [1, 1, 2, 2]])
    cost = pairwise(lambda p, q: 2 * (1 - boxes.giou(p, q)), a, b)
    assert_close(cost, [[0, 3]], like=a)


def test_takes_functions_that_swap_their_arguments(xp):
    a, b = array(xp, [[0, 0, 4, 4], [0, 0, 2, 2]]), array(xp, [[0, 0, 1, 1], [0, 0, 2, 4], [9, 9, 10, 10]])
    share = pairwise(lambda p, q: boxes.iof(q, p), a, b)
    assert_close(share, [[1, 1, 0], [1, 0.5, 0]], like=a)


def test_refuses_functions_that_do_not_score_both(xp):
    a = array(xp, [[0, 0, 1, 1]])
    for function in (lambda p, _: boxes.iou(p, p), lambda p, _: boxes.iou(p, a)):
        with pytest.raises(TypeError, match="must score its two arguments against each other"):
            pairwise(function, a, a)
    with pytest.raises(TypeError, match="`x` must be an array"):
        pairwise(lambda p, _: boxes.area(p), a, a)


def test_half_precision(xp):
    if not hasattr(xp, "float16"):
        pytest.skip("this library has no float16")
    a = xp.astype(array(xp, [[0, 0, 300, 300]] * 300), xp.float16)
    out = pairwise(boxes.iou, a, a)
    assert out.dtype == xp.float16
    assert float(xp.min(out)) == 1.0


def test_nan_and_empty_boxes_where_values_are_looked_at(xp):
    """Whether to mask is decided by the second set, of which each union and hull holds a box."""
    proper, empty, nan = [0, 0, 2, 2], [1, 1, 1, 1], [0, 0, np.nan, 2]
    a, b = array(xp, [proper, empty, nan]), array(xp, [proper, empty])
    for name in ("iou", "dice", "giou"):
        score = getattr(boxes, name)
        np.testing.assert_allclose(numbers(pairwise(score, a, b)), [[1, 0], [0, 0], [np.nan, np.nan]])
        np.testing.assert_allclose(numbers(pairwise(score, a, b[:1, :])), [[1], [0], [np.nan]])


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0, 0, 1, 1], [[0, 0, 1, 1]], r"`a` must have shape \(..., boxes, 2 or 4 or 6\)"),
        ([[0, 0, 1, 1]], [[0, 0, 1]], r"`b` must have shape .* got \(1, 3\)"),
        ([[0, 0, 1, 1]], [[0, 1]], r"equal last axes, got \(1, 4\) for `a` and \(1, 2\) for `b`"),
        ([[[0, 0, 1, 1]]] * 2, [[[0, 0, 1, 1]]] * 3, r"must broadcast, got \(2,\) for `a` and \(3,\)"),
    ],
)
def test_errors(xp, a, b, message):
    with pytest.raises(ValueError, match=message):
        pairwise(boxes.iou, array(xp, a), array(xp, b))
