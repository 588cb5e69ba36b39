"""Losses of upright boxes in eager torch as one node of the graph, with the gradient in closed form.

Everything else, such as torch.func, torch.compile, second derivatives and broadcast boxes, goes by automatic
differentiation of the formulas. Tensors on the CPU are computed as zero-copy views by NumPy, whose calls cost half.
"""

import functools
import sys
from typing import Any

from omniou._accel import in_place
from omniou._kernels import losses
from omniou._lib import backends, tracers

# Numbers in a block of rows, so that some forty temporaries of half as many numbers fit the cache.
BLOCK = 2**16


def loss(pred: Any, target: Any, weight: Any, where: Any, /, *, plan: losses.LossPlan, xp: Any) -> Any:
    """The loss, or None where automatic differentiation is to do it."""
    if not _fits(pred, target, weight, where, plan):
        return None
    return _function().apply(pred, target, weight, where, plan, xp)


def _fits(pred: Any, target: Any, weight: Any, where: Any, plan: losses.LossPlan) -> bool:
    torch = sys.modules["torch"]
    if not torch.is_grad_enabled() or plan.partials is None or plan.inverted == "sort":
        return False
    given = [x for x in (pred, target, weight, where) if x is not None]
    if any(type(x) not in (torch.Tensor, torch.nn.Parameter) or tracers.is_transformed(x, torch) for x in given):
        return False
    if any(x.is_neg() or x.layout is not torch.strided for x in given):
        return False
    same = pred.shape == target.shape and pred.dtype == target.dtype and pred.device.type != "meta"
    return same and pred.requires_grad and not (weight is not None and weight.requires_grad)


@functools.cache
def _function() -> Any:
    torch: Any = sys.modules["torch"]

    class ClosedForm(torch.autograd.Function):  # type: ignore[misc]
        """The loss; its derivative by each coordinate is computed with it."""

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            pred, target, weight, where, plan, xp = args
            both = ctx.needs_input_grad[1]
            given = tuple(None if x is None else x.detach() for x in (pred, target, weight, where))
            value, *by = _computed(given, plan, both, xp)
            ctx.save_for_backward(pred, target, weight, where, *by)
            ctx.plan, ctx.xp = plan, xp
            return value

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> tuple[Any, ...]:
            pred, target, weight, where, *by = ctx.saved_tensors
            if torch.is_grad_enabled():  # a second derivative is asked for
                inputs = [x for x, needed in zip((pred, target), ctx.needs_input_grad, strict=False) if needed]
                shares = losses.Shares(weight, where)
                again = losses.loss(pred, target, None, shares, plan=ctx.plan, xp=ctx.xp)
                out = list(torch.autograd.grad(again, inputs, gradient, create_graph=True))
                return out.pop(0), (out.pop(0) if out else None), None, None, None, None
            # Narrow dtypes are multiplied in the dtype they were computed in.
            gradient = gradient.to(by[0].dtype)[..., None]
            out = [(gradient * x).to(pred.dtype) for x in by]
            return out[0], (out[1] if len(out) > 1 else None), None, None, None, None

    return ClosedForm


def _computed(given: tuple[Any, ...], plan: losses.LossPlan, both: bool, xp: Any) -> tuple[Any, ...]:  # noqa: FBT001
    """Value, derivative by predictions and, if asked for, by targets."""
    torch = sys.modules["torch"]
    pred = given[0]
    plain = pred.device.type == "cpu" and "numpy" in sys.modules and not tracers.watched()
    if not plain or pred.dtype not in (torch.float32, torch.float64):
        return _whole(given, plan, both, xp)
    numpy = sys.modules["numpy"]
    dtype = numpy.float32 if pred.dtype == torch.float32 else numpy.float64
    plan = plan._replace(score=plan.score._replace(compute=dtype, result=dtype))
    with numpy.errstate(all="ignore"):
        arrays = tuple(None if x is None else x.numpy() for x in given)
        gradients = _whole(arrays, plan, both, in_place.at_hand(backends.numpy_namespace()))
    return tuple(torch.from_numpy(numpy.asarray(x)) for x in gradients)


def _whole(given: tuple[Any, ...], plan: losses.LossPlan, both: bool, xp: Any) -> tuple[Any, ...]:  # noqa: FBT001
    pred, target, weight, where = given
    if where is not None:
        pred, target = losses.harmless_where_false(pred, target, where, plan.geometry, xp=xp)
    work = _in_blocks if backends.library(xp) == "numpy" else _each
    value, *by = work(pred, target, plan, both, xp)
    return losses.reduced_with_gradient(value, tuple(by), weight, where, plan=plan, xp=xp)


def _each(pred: Any, target: Any, plan: losses.LossPlan, both: bool, xp: Any) -> tuple[Any, ...]:  # noqa: FBT001
    stated = [losses.stated_corners(x, plan=plan, xp=xp) for x in (pred, target)]
    if backends.library(xp) == "numpy" and not any((low > high).any() for low, high in zip(*stated[0], strict=True)):
        plan = plan._replace(inverted="empty")  # no prediction is inverted: nothing to add
    return losses.each_with_gradient(stated, plan=plan, both=both, xp=xp)


def _in_blocks(pred: Any, target: Any, plan: losses.LossPlan, both: bool, xp: Any) -> tuple[Any, ...]:  # noqa: FBT001
    """Rows in blocks whose temporaries stay in the cache."""
    if pred.size <= 2 * BLOCK:
        return _each(pred, target, plan, both, xp)
    numbers = pred.shape[-1]
    rows = [x.reshape(-1, numbers) for x in (pred, target)]
    out = [xp.empty(shape, dtype=plan.score.compute) for shape in [rows[0].shape[:1], *[rows[0].shape] * (1 + both)]]
    step = BLOCK // numbers
    for start in range(0, rows[0].shape[0], step):
        part = slice(start, start + step)
        for whole, x in zip(out, _each(rows[0][part], rows[1][part], plan, both, xp), strict=True):
            whole[part] = x
    return out[0].reshape(pred.shape[:-1]), *(x.reshape(pred.shape) for x in out[1:])
