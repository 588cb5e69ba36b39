"""Every function of arrays with tensors: gradients, 16 bits, vmap and, of some, torch.compile."""

import functools

import numpy as np
import pytest

from omniou import scores
from tests.contract.modes import CALLS, EAGER, compare, every, expected, given, leaves, of_floats, only_in, rows, twice

torch = pytest.importorskip("torch", reason="torch is not installed")
# What is counted, cut at a threshold or chosen has no slope.
FLAT = ("masks.", "segmentation.", "panoptic.", "matching.", "boxes.from_masks", "keypoints.pck", "pairwise_count")
FLAT_TOO = {"nms.merge", "nms.weighted_fusion", "nms.hard", "detection.average_precision"}
SMOOTH = [x for x in CALLS if (not x.startswith(FLAT) and x not in FLAT_TOO) or x.startswith("masks.soft")]
SMOOTH += ["masks.mean", "matching.detr_cost"]
# Whose gradient holds a factor constant, as their papers do: it is not that of the value.
HELD = {name for name, score in scores.items() if score.holds} | {"wiou"}
# What torch.compile takes up to a second each for: the losses that nets are trained with, and one of each other family.
COMPILED = [x for x in CALLS if x.startswith("losses.") and x.count(".") == 1 and x.rpartition(".")[2] in scores]
COMPILED += ["boxes.iou", "boxes.ciou", "boxes.area", "boxes.convert", "pairwise", "gaussian.kld", "keypoints.oks"]
COMPILED += ["masks.iou", "losses.masks.dice", "losses.l1", "nms.soft", "matching.greedy", "segmentation.confusion"]
COMPILED += ["detection.average_precision", "detection.pr_curve"]


@pytest.fixture(scope="module", autouse=True)
def _once(request):
    only_in(request, "torch")


@pytest.mark.proves("gradient", library="torch")
@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_equals_finite_differences(name):
    arrays, named = given(name, torch.tensor)
    arrays[0] = x = arrays[0].requires_grad_()
    function = functools.partial(CALLS[name].function, **named)
    (slope,) = torch.autograd.grad(total(function(*arrays)), x)
    assert slope.isfinite().all()
    assert slope.abs().max() > 0
    if name.rpartition(".")[2] in HELD:
        return
    along, step = torch.tensor(np.random.default_rng(0).normal(size=x.shape)), 1e-6
    with torch.no_grad():
        high, low = (total(function(x + sign * step * along, *arrays[1:])) for sign in (1, -1))
    assert float((slope * along).sum()) == pytest.approx(float(high - low) / (2 * step), rel=1e-4, abs=1e-6)


@pytest.mark.proves("gradient", library="torch", value="none")
@pytest.mark.parametrize("name", [x for x in CALLS if x not in SMOOTH])
def test_result_has_no_gradient(name):
    arrays, named = given(name, torch.tensor)
    if arrays[0].is_floating_point():
        arrays[0].requires_grad_()
    assert not any(getattr(x, "requires_grad", False) for x in leaves(CALLS[name].function(*arrays, **named)))


@pytest.mark.proves("16 bits", library="torch")
@every
def test_bfloat16_as_its_numbers_in_float64(name):
    def narrow(x):
        return torch.tensor(x).bfloat16()

    arrays, named = given(name, lambda x: narrow(x) if x.dtype.kind == "f" else torch.tensor(x))
    wanted = expected(name, of_floats(lambda x: narrow(x).double().numpy()))
    compare(CALLS[name].function(*arrays, **named), wanted, arrays[0], tolerance=3e-2)


@pytest.mark.filterwarnings("ignore:torch.searchsorted")  # of what is mapped it makes a copy
@pytest.mark.proves("vmap", library="torch")
@pytest.mark.parametrize("name", [x for x in CALLS if x not in EAGER])
def test_vmap_equals_the_whole(name):
    arrays, named = given(name, torch.tensor)
    result = torch.func.vmap(functools.partial(CALLS[name].function, **named))(*twice(torch.stack, arrays))
    compare(rows(result, 1), expected(name))


@pytest.mark.proves("vmap", library="torch", value="refused")
@pytest.mark.parametrize("name", EAGER)
def test_vmap_is_refused(name):
    arrays, named = given(name, torch.tensor)
    with pytest.raises(TypeError, match="is traced"):
        torch.func.vmap(functools.partial(CALLS[name].function, **named))(*twice(torch.stack, arrays))


@pytest.mark.proves("compile", library="torch")
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_equals_numpy(name):
    arrays, named = given(name, torch.tensor)
    torch.compiler.reset()
    compiled = torch.compile(lambda *x: CALLS[name].function(*x, **named), fullgraph=True, backend="aot_eager")
    compare(compiled(*arrays), expected(name), arrays[0])


def total(result):
    """The sum of all floats of a result; what pads it does not count."""
    return sum(x[x.isfinite()].sum() for x in leaves(result) if x.is_floating_point())
