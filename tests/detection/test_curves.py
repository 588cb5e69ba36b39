"""What curves are made of, beside what is meant."""

import numpy as np
import pytest

from omniou._kernels import curves
from tests.helpers import numbers

pytestmark = pytest.mark.computes("shapes depend on values")


@pytest.fixture(autouse=True)
def _skip_jax(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")


@pytest.mark.parametrize("size", [0, 1, 2**14, 40_000])  # less than a part, one of them, several
@pytest.mark.parametrize("ranges", [1, 4, 9])
@pytest.mark.parametrize("limited", [False, True])
def test_inside(xp, size, ranges, limited):
    rng = np.random.default_rng(0)
    outside = rng.integers(0, 2**ranges, size).astype("uint8" if ranges <= 8 else "int64")
    listed = rng.random(size) < 0.7 if limited else np.ones(size, dtype=bool)
    edges = [x for x in (0, 2**14 - 1, 2**14, 2**14 + 1, 2**15) if x <= size]
    queries = [np.sort(np.concatenate([rng.integers(0, size + 1, 300), edges, [size, size]])), np.asarray([size])]
    before = np.concatenate([np.zeros((1, ranges)), np.cumsum(held(outside, ranges) & listed[:, None], axis=0)])

    out = curves.inside(
        xp.asarray(outside), xp.asarray(listed) if limited else None, [xp.asarray(x) for x in queries], ranges, xp=xp
    )

    for found, places in zip(out, queries, strict=True):
        assert np.array_equal(numbers(found), before[places].T)


def held(outside, ranges):
    return (outside[:, None] >> np.arange(ranges)) & 1 == 0
