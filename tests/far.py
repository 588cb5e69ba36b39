"""A device of torch that is not the CPU, for machines without one: `with far.device(): x.to("far")`.

Its tensors are computed on the CPU, but are refused beside tensors of the CPU, as those of a GPU are. To be used in a
process of its own, which has that device from then on.
"""

import contextlib

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as trees
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode

NAME = "far"
MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)


class Far(torch.Tensor):
    """A tensor there: what it holds is `here`, on the CPU."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, here):
        layout = {"strides": here.stride(), "storage_offset": here.storage_offset(), "dtype": here.dtype}
        return torch.Tensor._make_wrapper_subclass(cls, here.shape, **layout, device=torch.device(NAME, 0))

    def __init__(self, here):
        self.here = here

    def __repr__(self, *, tensor_contents=None):
        return f"Far({self.here})"

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return call(function, args, kwargs or {})


def call(function, args, kwargs):
    """Do on the CPU what is to be done there."""
    tensors = [x for x in trees.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    is_there = any(isinstance(x, Far) for x in tensors)
    if is_there and function not in MOVES and any(x.ndim and not isinstance(x, Far) for x in tensors):
        msg = f"Expected all tensors to be on the same device, in {function}"
        raise RuntimeError(msg)
    if (device := kwargs.get("device")) is not None:
        is_there, kwargs = is_far(device), kwargs | {"device": torch.device("cpu")}
    args_here, kwargs = trees.tree_map(lambda x: x.here if isinstance(x, Far) else x, (args, kwargs))
    out = function(*args_here, **kwargs)
    name = function._schema.name
    if name.endswith("_") and not name.endswith("__"):  # in place
        return args[0]
    return trees.tree_map(lambda x: Far(x) if is_there and isinstance(x, torch.Tensor) else x, out)


def is_far(device):
    return device is not None and torch.device(device).type == NAME


class _Calls(TorchDispatchMode):
    """Also of what makes a tensor of none."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return call(function, args, kwargs or {})


class _Functions(TorchFunctionMode):
    """What does not come as a call: tensors of lists, and lists of tensors."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in (torch.tensor, torch.asarray, torch.as_tensor) and is_far(kwargs.get("device")):
            del kwargs["device"]
            return function(*args, **kwargs).to(NAME)
        if function is torch.Tensor.tolist:
            return args[0].cpu().tolist()
        return function(*args, **kwargs)


@contextlib.contextmanager
def device():
    """Have it."""
    if torch._C._get_privateuse1_backend_name() != NAME:
        backend_registration._setup_privateuseone_for_python_backend(NAME)
    with _Calls(), _Functions():
        yield


def moved(x):
    """All tensors of dictionaries and lists, there."""
    return trees.tree_map(lambda v: v.to(NAME) if isinstance(v, torch.Tensor) else v, x)


def fetched(x):
    """All tensors, back on the CPU."""
    return trees.tree_map(lambda v: v.cpu() if isinstance(v, torch.Tensor) else v, x)
