"""What GPUs refuse, without one: waits inside losses, and arrays that NumPy cannot read."""

import contextlib
import sys
from types import ModuleType

import numpy as np
import pytest

from omniou import losses, masks, pairwise, scores
from omniou._lib import carried, host

# Operations for which a program waits for a GPU.
WAITS = {"aten::_local_scalar_dense", "aten::nonzero", "aten::_unique2", "aten::unique_dim", "aten::equal"}
A = [[0.0, 0, 4, 4], [5, 5, 9, 9], [0, 0, 0, 0], [8, 8, 4, 4]]
B = [[1.0, 0, 4, 5], [5, 5, 9, 9], [0, 0, 1, 1], [4, 4, 8, 8]]


@pytest.mark.parametrize("name", [x for x in scores if not scores[x].of_image])
def test_losses_dispatch_no_operation_that_waits(name):
    """On tensors of the CPU: a backward pass on the fake device needs a process of its own."""
    torch = pytest.importorskip("torch")
    from torch.utils._python_dispatch import TorchDispatchMode

    called = []

    class Calls(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            called.append(function._schema.name)
            if "aten::index" in called[-1] and any(x is not None and x.dtype == torch.bool for x in args[1]):
                # It is found like `nonzero`, except where one number is put there.
                called.append("put" if len(args) > 2 and args[2].ndim == 0 else "nonzero")
            return function(*args, **(kwargs or {}))

    pred, target = torch.tensor(A, requires_grad=True), torch.tensor(B)
    where = torch.tensor([True, True, False, True])
    with Calls():
        getattr(losses, name)(pred, target, reduction="mean", where=where).backward()
    assert called
    assert not {*WAITS, "nonzero"} & {*called}


def test_second_call_of_a_compiled_loss_compiles_nothing(monkeypatch):
    torch = pytest.importorskip("torch")
    from torch._dynamo.testing import CompileCounter

    monkeypatch.setattr(carried, "_READERS", {})
    counter = CompileCounter()
    loss = torch.compile(lambda a, b: losses.giou(a, b, reduction="mean"), backend=counter)
    for _ in range(3):
        loss(torch.tensor(A), torch.tensor(B))
    assert counter.frame_count == 1


def test_pairs_of_soft_masks_are_not_rounded_to_tf32_by_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.zeros((2, 4, 4), dtype="float32")
    lowered = jax.jit(lambda a, b: pairwise(masks.soft_iou, a, b)).lower(x, x).as_text()
    products = [line for line in lowered.splitlines() if "dot_general" in line]
    assert products
    assert all("HIGHEST" in line for line in products)


class FakeCupyArray:
    """An array of CuPy: NumPy gets its values from `get` only."""

    ndim, dtype = 1, np.dtype("float64")

    def __init__(self, values):
        self.values, self.shape, self.device = values, values.shape, ModuleType("device")
        self.device.id = 1

    def get(self):
        return self.values

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __dlpack__(self, **_):
        raise BufferError("the memory is on a GPU")


def test_arrays_of_cupy_reach_numpy_by_get_and_go_home_to_their_device(monkeypatch):
    cupy, devices = ModuleType("cupy"), []
    cupy.ndarray, cupy.asarray, cupy.cuda = FakeCupyArray, FakeCupyArray, ModuleType("cupy.cuda")
    cupy.cuda.Device = lambda number: devices.append(number) or contextlib.nullcontext()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "array_api_compat.cupy", ModuleType("array_api_compat.cupy"))
    x = FakeCupyArray(np.asarray([1.0, 2.0]))

    for convert in (host.to_numpy, lambda given: host.to_host(given, always=True)):
        _, arrays, home = convert({"x": x})
        assert arrays["x"].tolist() == [1.0, 2.0]
        assert isinstance(home(arrays["x"]), FakeCupyArray)
    assert devices == [1, 1]
