"""Tiles, zero-copy views and threads change no bit of the result."""

import concurrent.futures
import dataclasses
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from omniou import boxes, geometry, pairwise, rotated
from omniou._lib import accel, threads
from tests.helpers import array, assert_close, random_boxes

pytestmark = pytest.mark.skipif(accel.SWITCH == "off", reason="OMNIOU_ACCEL=off: there are no tiles")
SCORES = ["iou", "iof", "dice", "giou", "diou", "ciou", "intersection", "union"]


@pytest.mark.parametrize(
    ("batch", "n", "m"), [((), 40, 30), ((), 1, 900), ((), 900, 1), ((3, 1), 17, 23), ((60,), 2, 3), ((5,), 0, 40)]
)
@pytest.mark.parametrize("tile", [8, 64, 1000])
@pytest.mark.parametrize("views", [True, False])
@pytest.mark.computes("they have no tiles")
def test_pairwise_in_tiles_equals_the_score_of_each_pair(xp, monkeypatch, batch, n, m, tile, views):
    if "jax" in xp.__name__:
        pytest.skip("JAX has no tiles: XLA sees one expression")
    for name, size in {"TORCH": tile, "NUMPY_BYTES": 8 * tile}.items():
        monkeypatch.setattr(accel.module("tiles"), name, size)
    if not views:
        monkeypatch.setattr(accel.module("views"), "of_tensors", lambda *_, **__: None)
    rng = np.random.default_rng(2)
    a, b = random_boxes(rng, *batch, n), random_boxes(rng, m)
    for name in SCORES:
        score = getattr(boxes, name)
        expected = score(a[..., :, None, :], b[None, :, :])
        assert_close(pairwise(score, array(xp, a), array(xp, b)), expected, like=array(xp, [1.0]))


@pytest.mark.parametrize(("n", "m"), [(3, 40), (40, 3)])
def test_pairwise_in_tiles_keeps_nan_and_infinity(monkeypatch, n, m):
    monkeypatch.setattr(accel.module("tiles"), "NUMPY_BYTES", 256)
    rng = np.random.default_rng(4)
    a, b = random_boxes(rng, n), random_boxes(rng, m)
    a[0, 2], a[1, 0], b[0, 1], b[1, 3], b[2] = np.inf, np.nan, -np.inf, np.nan, [-np.inf, -np.inf, np.inf, np.inf]
    for name in SCORES:
        score = getattr(boxes, name)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(pairwise(score, a, b), score(a[:, None], b), strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairs_of_a_few_thousand_rectangles_have_the_bits_of_the_score(dtype):
    # Those of a gather and a sweep have not.
    rng = np.random.default_rng(5)
    a, b = (rng.uniform(1, 20, (n, 5)).astype(dtype) for n in (3, 1500))
    np.testing.assert_array_equal(pairwise(rotated.iou, a, b), rotated.iou(a[:, None], b), strict=True)


def test_pairwise_in_threads_equals_one_thread(monkeypatch):
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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [1, 600])
def test_views_of_tensors_overflow_without_warnings(n):
    torch = pytest.importorskip("torch")
    huge = torch.asarray([[-torch.inf, 0.0, torch.inf, 1.0], [0.0, 0.0, 3e38, 3e38]]).repeat(n, 1)
    assert pairwise(boxes.iou, huge, huge).isnan().any()


@pytest.mark.parametrize("switch", ["off", "on"])
def test_accel_switch_follows_environment_variable(switch):
    program = "from omniou._lib import accel; print(accel.SWITCH, accel.module('tiles') is not None)"
    env = os.environ | {"OMNIOU_ACCEL": switch}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [switch, str(switch == "on")]


def test_unknown_accel_switch_raises():
    env = os.environ | {"OMNIOU_ACCEL": "fast"}
    program = "import omniou; omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1])"
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
    assert "the environment variable OMNIOU_ACCEL must be one of off, on, numba, got 'fast'" in done.stderr


COUNTED = """
import resource, numpy as np
from omniou import boxes, pairwise
low = np.random.default_rng(0).uniform(0, 100, (2500, 2)).astype(np.float32)
x = np.concatenate([low, low + 10], axis=1)
pairwise(boxes.giou, x[:10], x[:10])
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
out = pairwise(boxes.iou, x, x)
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * resource.getpagesize() / out.nbytes)
"""


@pytest.mark.parametrize("trim", ["65536", "131072"])  # of Dask's workers, and of the C library
def test_temporaries_are_no_new_pages_in_each_tile(trim):
    pytest.importorskip("resource", reason="this system does not count the pages of a process")
    env = os.environ | {"MALLOC_TRIM_THRESHOLD_": trim, "OMNIOU_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", COUNTED], env=env, capture_output=True, text=True, check=True)
    # The result's own pages, and a few MiB; six times as much where each temporary is mapped anew.
    assert float(done.stdout) < 1.6


REPEATED = """
import resource, numpy as np
from omniou import boxes, nms, pairwise
low = np.random.default_rng(0).uniform(0, 100, (300, 2))
for n, m, dtype in ((100, 100, "f8"), (150, 150, "f4"), (200, 300, "f4")):
    x = np.concatenate([low, low + 10], axis=1).astype(dtype)
    calls = lambda: pairwise(boxes.iou, x[:n], x[:m]), lambda: nms.hard(x[:n], x[:n, 0], 0.5)
    for call in calls:
        call()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(20):
            call()
        print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20)
"""


def test_small_calls_take_no_new_pages():
    pytest.importorskip("resource", reason="this system does not count the pages of a process")
    done = subprocess.run([sys.executable, "-c", REPEATED], capture_output=True, text=True, check=True)
    assert max(map(float, done.stdout.split())) < 10, done.stdout  # 120 to 500 where temporaries are mapped anew


def traced(a, b):
    """GIoU of all pairs, and the most memory that it took meanwhile."""
    tracemalloc.start()
    try:
        return pairwise(boxes.giou, a, b), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_pairs_take_no_memory_beyond_the_result():
    """maskrcnn-benchmark 18, supervision 938: torchvision takes about nine times N x M x 2 numbers."""
    rng = np.random.default_rng(0)
    a, b = (random_boxes(rng, n).astype(np.float32) for n in (20_000, 500))
    pairwise(boxes.giou, a[:10], b)
    out, peak = traced(a, b)
    assert out.nbytes == 4 * 20_000 * 500
    assert peak < 1.2 * out.nbytes


@pytest.fixture
def pairs():
    a, b = random_boxes(np.random.default_rng(7), 2, 300).astype(np.float32)
    return a, b, pairwise(boxes.giou, a, b)


def test_scratch_memory_is_kept_for_the_next_call(pairs):
    a, b, expected = pairs
    out, peak = traced(a, b)
    # One tile. The score and its conversion are new; 13 of 15 arrays are not.
    assert peak < 3 * out.nbytes
    np.testing.assert_array_equal(out, expected)


def test_scratch_memory_that_is_kept_has_a_limit(monkeypatch, pairs):
    in_place = accel.module("in_place")
    monkeypatch.setattr(in_place, "KEPT", 10**6)
    np.testing.assert_array_equal(pairwise(boxes.giou, *pairs[:2]), pairs[2])
    with in_place.tile(np) as inside:
        assert 0 < sum(x.nbytes for x in inside.arithmetic._buffers) <= 10**6


def own_giou(inside):
    """GIoU of a caller's geometry that calls `inside` between the intersection and the hull of each tile."""

    class Terms(boxes.GEOMETRY.terms):
        def hull(self):
            inside()
            return super().hull()

    return geometry.functions(dataclasses.replace(boxes.GEOMETRY, terms=Terms))["giou"]


def test_pairs_inside_a_tile_leave_its_memory_alone(pairs):
    a, b, expected = pairs
    other = pairwise(boxes.ciou, b, a)
    own = own_giou(lambda: np.testing.assert_array_equal(pairwise(boxes.ciou, b, a), other))
    for _ in range(2):
        np.testing.assert_array_equal(pairwise(own, a, b), expected)


def test_error_inside_a_tile_leaves_the_next_call_right(pairs):
    a, b, expected = pairs
    with pytest.raises(ZeroDivisionError):
        pairwise(own_giou(lambda: 1 / 0), a, b)
    np.testing.assert_array_equal(pairwise(boxes.giou, a, b), expected)


def test_each_thread_has_scratch_memory_of_its_own():
    sets = [random_boxes(np.random.default_rng(k), 2, 300) for k in range(4)]
    expected = [pairwise(boxes.giou, *x) for x in sets]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for out, right in zip(
            pool.map(lambda x: [pairwise(boxes.giou, *x) for _ in range(5)], sets), expected, strict=True
        ):
            for x in out:
                np.testing.assert_array_equal(x, right)


def test_result_keeps_its_values_in_the_next_call(pairs):
    a, b, expected = pairs
    pairwise(boxes.ciou, b, a)
    np.testing.assert_array_equal(expected, boxes.giou(a[:, None], b))
