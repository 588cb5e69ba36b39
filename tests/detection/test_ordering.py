"""Argsort by one packed key equals stable sorts by each key."""

import numpy as np
import pytest

from omniou._lib import ordering
from tests.helpers import numbers

pytestmark = pytest.mark.computes("values are sorted")


@pytest.fixture
def xp(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")
    return xp


SCORES = {
    "none": [],
    "one": [0.5],
    "equal": [0.5] * 6,
    "usual": [0.1, 0.9, 0.5, 0.9, 0.1, 0.3],
    # Closer to each other than the step to which scores are quantised in the packed key.
    "close": [0.0, 0.5, 0.5 + 1e-16, 0.5 + 2e-16, 1.0, 0.5 + 1e-16],
    "tiny": [5e-324, 1e-323, 0.0, 5e-324, 1e-323, 0.0],
    "huge": [-1.7e308, 1.7e308, 0.0, 1.7e308, 1.0, -1.7e308],
    "infinite": [float("inf"), 1.0, float("-inf"), 2.0, float("inf"), 1.0],
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("scale", [1, 2**20, 2**50])
def test_falling_equals_lexsort(xp, name, scale):
    scores = np.asarray(SCORES[name])
    major = np.asarray([1, 0, 1, 0, 1, 1][: scores.size], dtype=np.int64) * scale
    expected = np.lexsort((np.arange(scores.size), -scores, major))

    out = ordering.falling(xp.asarray(major), 2 * scale, xp.asarray(scores), xp=xp)

    assert numbers(out).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [3000, 200_000])  # in one block, and in several
def test_falling_of_random_scores(xp, size):
    rng = np.random.default_rng(0)
    scores = rng.random(size).astype("float32").astype(float).round(rng.integers(2, 9))
    scores[::7] += 1e-15 * rng.integers(0, 3, scores[::7].size)
    major = rng.integers(0, 20, scores.size)
    expected = np.lexsort((np.arange(scores.size), -scores, major))

    out = ordering.falling(xp.asarray(major), 20, xp.asarray(scores), xp=xp)

    assert numbers(out).tolist() == expected.tolist()


def test_falling_of_scores_one_packing_step_apart(xp):
    scores = np.random.default_rng(0).permutation(2**12).astype(float)  # one score for each step
    major = xp.asarray(np.zeros(scores.size, dtype=np.int64))

    out = ordering.falling(major, 2**20, xp.asarray(scores), xp=xp)

    assert numbers(out).tolist() == np.argsort(-scores).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_falling_never_rounds_into_the_major_key(xp, dtype):
    scores = xp.asarray([0.26086956, 0.25, 0.41379312, 0.2857143], dtype=getattr(xp, dtype))
    out = ordering.falling(xp.asarray([2, 2, 3, 3]), 4, scores, xp=xp)
    assert numbers(out).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("bound", [500, 2**16, 2**17, 2**40])
def test_rising_of_random_keys(xp, bound):
    keys = np.random.default_rng(0).integers(0, bound, 200_000)

    out = ordering.rising(xp.asarray(keys), bound, xp=xp)

    assert np.array_equal(numbers(out), np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("bound", [3, 2**62])
def test_rising_is_stable(xp, bound):
    keys = xp.asarray([2, 0, 2, 1, 0], dtype=xp.int64)

    assert numbers(ordering.rising(keys, bound, xp=xp)).tolist() == [1, 4, 3, 0, 2]
