"""A fake device of torch, for machines without a GPU: `with fake_device.device(): x.to("fake")`.

Its tensors are computed on the CPU, but an operation on them and on tensors of the CPU is refused, as with a GPU. Use
it in a process of its own, which keeps the device from then on. A backward pass on it fails inside torch if the
process has done one before: torch lists the devices then. `tests/contract/test_devices.py` counts what losses dispatch
on the CPU.
"""

import contextlib

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as trees
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode

NAME = "fake"
# Operations for which a program waits until a device has computed everything before.
WAITS = {"aten::_local_scalar_dense", "aten::nonzero", "aten::_unique2", "aten::unique_dim", "aten::equal"}
MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)


class FakeTensor(torch.Tensor):
    """A tensor of the fake device; `on_cpu` holds its values."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, on_cpu):
        layout = {"strides": on_cpu.stride(), "storage_offset": on_cpu.storage_offset(), "dtype": on_cpu.dtype}
        return torch.Tensor._make_wrapper_subclass(cls, on_cpu.shape, **layout, device=torch.device(NAME, 0))

    def __init__(self, on_cpu):
        self.on_cpu = on_cpu

    def __repr__(self, *, tensor_contents=None):
        return f"FakeTensor({self.on_cpu})"

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return call(function, args, kwargs or {})


def call(function, args, kwargs):
    """Run an operation of the fake device on the CPU."""
    tensors = [x for x in trees.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    is_fake_call = any(isinstance(x, FakeTensor) for x in tensors)
    if is_fake_call and function not in MOVES and any(x.ndim and not isinstance(x, FakeTensor) for x in tensors):
        raise RuntimeError(f"Expected all tensors to be on the same device, in {function}")
    if (device := kwargs.get("device")) is not None:
        is_fake_call, kwargs = is_fake(device), kwargs | {"device": torch.device("cpu")}
    args_on_cpu, kwargs = trees.tree_map(lambda x: x.on_cpu if isinstance(x, FakeTensor) else x, (args, kwargs))
    out = function(*args_on_cpu, **kwargs)
    name = function._schema.name
    if any(isinstance(x, torch.Tensor) and is_fake_call for x in trees.tree_leaves(out)):
        _refuse_float64(out)
    _count(name, args, is_fake_call)
    if name.endswith("_") and not name.endswith("__"):  # in place
        return args[0]
    return trees.tree_map(lambda x: FakeTensor(x) if is_fake_call and isinstance(x, torch.Tensor) else x, out)


class _Settings:
    float64 = True
    waits = 0
    copies = 0


def _refuse_float64(out):
    if not _Settings.float64 and any(x.dtype == torch.float64 for x in trees.tree_leaves(out) if hasattr(x, "dtype")):
        raise TypeError(
            "Cannot convert a tensor to float64: the fake device does not support it, as Apple's MPS does not"
        )


def _count(name, args, is_fake_call):
    given = any(isinstance(x, FakeTensor) for x in trees.tree_leaves(args))
    if given and (name in WAITS or (name in {"aten::index", "aten::index_put_"} and _has_booleans(args))):
        _Settings.waits += 1
    elif name == "aten::_to_copy" and given and not is_fake_call:
        _Settings.copies += 1


def _has_booleans(args):
    # An index of booleans is found as `nonzero` does.
    return any(isinstance(x, torch.Tensor) and x.dtype == torch.bool for x in trees.tree_leaves(args[1]))


def counted(function):
    """Result of a function, and how often it waited for the device; copies, also of lists to it, count as waits."""
    _Settings.waits = _Settings.copies = 0
    out = function()
    return out, _Settings.waits + _Settings.copies


def is_fake(device):
    return device is not None and torch.device(device).type == NAME


class _Calls(TorchDispatchMode):
    """Intercepts operations that take no tensor, such as `torch.zeros`."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return call(function, args, kwargs or {})


class _Functions(TorchFunctionMode):
    """Intercepts what is not dispatched: tensors made of lists, and `tolist`."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in (torch.tensor, torch.asarray, torch.as_tensor) and is_fake(kwargs.get("device")):
            del kwargs["device"]
            _Settings.copies += not isinstance(args[0], torch.Tensor)  # numbers of the host, which CUDA graphs refuse
            return function(*args, **kwargs).to(NAME)
        if function is torch.Tensor.tolist:
            return args[0].cpu().tolist()
        return function(*args, **kwargs)


@contextlib.contextmanager
def device(*, float64=True):
    """Register the fake device, and use it inside; `float64`: whether it has 64-bit floats."""
    _Settings.float64 = float64
    if torch._C._get_privateuse1_backend_name() != NAME:
        backend_registration._setup_privateuseone_for_python_backend(NAME)
    with _Calls(), _Functions():
        yield


def moved(x):
    """Move all tensors of dictionaries and lists to the fake device."""
    return trees.tree_map(lambda v: v.to(NAME) if isinstance(v, torch.Tensor) else v, x)


def fetched(x):
    """Move all tensors back to the CPU."""
    return trees.tree_map(lambda v: v.cpu() if isinstance(v, torch.Tensor) else v, x)
