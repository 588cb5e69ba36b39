"""The parts of the matching against their definitions."""

import numpy as np
import pytest

from omniou.matching import _coco_bits as coco_bits
from tests.helpers import numbers

pytestmark = pytest.mark.computes("matching looks at values")


@pytest.fixture(autouse=True)
def _skip_jax(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")


@pytest.mark.parametrize("count", [1, 10, 20, 21, 60])
def test_levels_count_thresholds_up_to_overlap(xp, count):
    """Few thresholds are compared one by one, many by binary search."""
    thresholds = tuple(np.linspace(0.05, 1, count).tolist())
    overlap = np.concatenate([np.random.default_rng(0).random(500), thresholds, [0, 1, 1 - 1e-12, 1 - 1e-9]])
    expected = [sum(x >= min(threshold, 1 - 1e-10) for threshold in thresholds) for x in overlap]

    assert (
        numbers(coco_bits.levels(xp.asarray(overlap), tuple(map(coco_bits.least, thresholds)), xp=xp)).tolist()
        == expected
    )
