"""Every function of arrays with those of Dask: nothing is computed, or it is refused."""

import numpy as np
import pytest

from tests.contract.modes import CALLS, EAGER, compare, expected, given, only_in

SORTED = ["losses.masks.lovasz_hinge", "losses.masks.lovasz_softmax"]
NOT_LAZY = [*SORTED, *EAGER, "pairwise_count", "pairwise_max", "pairwise_sparse", "pairwise_topk", "matching.greedy"]
NOT_LAZY += ["matching.max_iou", "matching.atss", "matching.task_aligned", "matching.simota"]
NOT_LAZY += ["nms.hard", "nms.soft", "nms.matrix", "detection.average_precision", "detection.pr_curve"]


@pytest.fixture
def lazy(request):
    """What makes a lazy array, and a list that grows when one is computed."""
    only_in(request, "dask")
    da = pytest.importorskip("dask.array")
    computed = []

    def load(x):
        computed.append(x.shape)
        return x

    def make(x):
        return da.from_array(x).map_blocks(load, dtype=x.dtype, meta=np.zeros((0,) * x.ndim, x.dtype))

    return make, computed


@pytest.mark.proves("lazy", library="dask")
@pytest.mark.parametrize("name", [x for x in CALLS if x not in NOT_LAZY])
def test_stays_lazy(lazy, name):
    make, computed = lazy
    arrays, named = given(name, make)
    result = CALLS[name].function(*arrays, **named)
    assert not computed
    compare(result, expected(name), arrays[0])
    assert computed


@pytest.mark.proves("lazy", library="dask", value="refused")
@pytest.mark.parametrize("name", NOT_LAZY)
def test_is_refused_and_not_computed(lazy, name):
    make, computed = lazy
    arrays, named = given(name, make)
    with pytest.raises(TypeError, match="` must be an array that is computed at once, got one of dask"):
        CALLS[name].function(*arrays, **named)
    assert not computed
