"""Torch's tracers: whether torch records, transforms or watches the operations of a call.

Every function answers without importing torch: where nobody has imported it, there is nothing to ask. Public torch
cannot say which of its tracers is at work, so its private functions are asked, here only.
"""
# ruff: noqa: SLF001

import contextlib
import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def compiling() -> bool:
    """Whether torch.compile or torch.export traces."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def not_traced(method: F) -> F:
    """Let torch.compile call a method while it traces, in place of tracing it: it takes no arguments, returns None."""
    cast("Any", method)._dynamo_marked_constant = True  # what `torch.compiler.assume_constant_result` does
    return method


def constant(function: F) -> F:
    """Keep the results of a function of Python numbers, which torch.compile calls too, in place of tracing it."""
    remembered = functools.lru_cache(function)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return remembered(*args)

    return not_traced(cast("F", call))


def scripting() -> bool:
    """Whether torch.jit.trace traces: sizes are then tensors."""
    torch = sys.modules.get("torch")
    return torch is not None and not torch.compiler.is_compiling() and torch._C._get_tracing_state() is not None


def recording() -> bool:
    """Whether operations are recorded, or carry tangents along: a plan must not depend on values, nor leave torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    # First, because torch.compile traces what follows.
    return torch.compiler.is_compiling() or _recording(torch)


def _recording(torch: Any) -> bool:
    return torch.autograd.forward_ad._current_level >= 0 or _traces(torch)


def _traces(torch: Any) -> bool:
    core = torch._C
    if core._get_tracing_state() is not None:
        return True
    if core._len_torch_dispatch_stack() and any(core._get_dispatch_mode(key) is not None for key in _keys(core)):
        return True
    # make_fx(pre_dispatch=True) has a stack of its own.
    return bool(core._len_torch_function_stack() and torch._ops._len_torch_dispatch_stack_pre_dispatch())


@functools.cache
def _keys(core: Any) -> tuple[Any, ...]:
    """Return the keys of the modes by which torch traces: make_fx, FakeTensorMode and functionalisation."""
    return tuple(core._TorchDispatchModeKey.__members__.values())


def watched() -> bool:
    """Whether operations are recorded, or a mode of the user sees each, such as a count of operations."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    core = torch._C
    return recording() or bool(core._len_torch_dispatch_stack() or core._len_torch_function_stack())


def is_transformed(x: Any, torch: Any) -> bool:
    """Whether a transform of torch.func holds a tensor, which public torch has no way to ask."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(x))


def is_fake(x: Any) -> bool:
    """Whether a tensor has no values: on the meta device, or one of FakeTensorMode."""
    fakes = sys.modules.get("torch._subclasses.fake_tensor")
    return x.device.type == "meta" or (fakes is not None and isinstance(x, fakes.FakeTensor))


def is_meta(x: Any) -> bool:
    """Whether a tensor has a shape only."""
    return bool(x.device.type == "meta")


def is_any(x: Any, /, *, xp: Any) -> bool:
    """Whether any element is true, also inside transforms of torch.func, which have no Python booleans."""
    torch = sys.modules.get("torch")
    while torch is not None and isinstance(x, torch.Tensor) and is_transformed(x, torch):
        x = torch._C._functorch.get_unwrapped(x)
    return bool(xp.any(x))


def has_values(x: Any) -> bool:
    """Whether the values of an array may be read, and are not recorded as constants of a graph."""
    kind = type(x)
    if kind.__module__.startswith("jax") and (jax := sys.modules.get("jax")) is not None:
        return not isinstance(x, jax.core.Tracer)
    torch = sys.modules.get("torch")
    # torch.compile leaves its graph here by itself.
    if torch is None or torch.compiler.is_compiling() or not isinstance(x, torch.Tensor):
        return True
    return not (is_fake(x) or is_transformed(x, torch) or _traces(torch))


@contextlib.contextmanager
def static_axes() -> Iterator[None]:
    """Silence torch.jit.trace's warnings: only numbers of axes and coordinates are read from sizes."""
    torch = sys.modules["torch"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", torch.jit.TracerWarning)
        yield


def shape(x: Any) -> tuple[Any, ...]:
    """The shape of an array, in Python's integers where torch.jit.trace traces; other unknown sizes as they are."""
    if not scripting():
        return x.shape
    with static_axes():
        return tuple(map(int, x.shape))


def symbolic(*arguments: Any) -> bool:
    """Whether `torch.fx.symbolic_trace` calls with placeholders."""
    fx = sys.modules.get("torch.fx.proxy")
    return fx is not None and any(isinstance(x, fx.Proxy) for x in arguments)


def leaf(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """A call of a public function as one node of the graph of `torch.fx`: placeholders have no shapes to check."""
    fx = sys.modules["torch.fx.proxy"]
    return fx.Proxy.__torch_function__(function, (fx.Proxy,), args, options)
