"""Losses of upright boxes in eager torch as one node of the graph, with the gradient in closed form.

Everything else, such as torch.func, torch.compile, second derivatives and broadcast boxes, goes by automatic
differentiation of the formulas. Tensors on the CPU are computed as zero-copy views by NumPy, whose calls cost half.
"""

import sys
from typing import Any

from omniou._kernels import gradients, losses
from omniou._lib import backends

# Numbers in a tensor from which on torch's threads pay.
MANY = 2**16


def loss(pred: Any, target: Any, weight: Any, where: Any, plan: losses.LossPlan, xp: Any) -> Any:
    """The loss, or None where automatic differentiation is to do it."""
    if not _fits(pred, target, weight, where, plan):
        return None
    return _function().apply(pred, target, weight, where, plan, xp)


def _fits(pred: Any, target: Any, weight: Any, where: Any, plan: losses.LossPlan) -> bool:
    torch = sys.modules["torch"]
    if not torch.is_grad_enabled() or plan.partials is None or plan.inverted == "sort":
        return False
    given = [x for x in (pred, target, weight, where) if x is not None]
    if any(type(x) not in (torch.Tensor, torch.nn.Parameter) or backends.is_transformed(x, torch) for x in given):
        return False
    same = pred.shape == target.shape and pred.dtype == target.dtype and pred.device.type != "meta"
    return same and pred.requires_grad and not (weight is not None and weight.requires_grad)


def _function() -> Any:
    torch = sys.modules["torch"]

    class ClosedForm(torch.autograd.Function):
        """The loss; its derivative by each coordinate is computed with it."""

        @staticmethod
        def forward(ctx: Any, pred: Any, target: Any, weight: Any, where: Any, plan: Any, xp: Any) -> Any:
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
                again = losses.loss(pred, target, None, weight, where, plan=ctx.plan, xp=ctx.xp)
                out = list(torch.autograd.grad(again, inputs, gradient, create_graph=True))
                return out.pop(0), (out.pop(0) if out else None), None, None, None, None
            # Narrow dtypes are multiplied in the dtype they were computed in.
            gradient = gradient.to(by[0].dtype)[..., None]
            out = [(gradient * x).to(pred.dtype) for x in by]
            return out[0], (out[1] if len(out) > 1 else None), None, None, None, None

    globals()["_function"] = lambda: ClosedForm
    return ClosedForm


def _computed(given: tuple[Any, ...], plan: losses.LossPlan, both: bool, xp: Any) -> list[Any]:  # noqa: FBT001
    """Value, derivative by predictions and, if asked for, by targets."""
    torch = sys.modules["torch"]
    pred, numpy = given[0], sys.modules.get("numpy")
    known = pred.dtype in (torch.float32, torch.float64)
    if numpy is None or not (known and pred.device.type == "cpu" and pred.numel() <= MANY):
        return [x for x in losses.value_and_gradient(*given, plan=plan, both=both, xp=xp) if x is not None]
    import array_api_compat.numpy as np

    arrays = [None if x is None else x.numpy() for x in given]
    dtype = np.float32 if pred.dtype == torch.float32 else np.float64
    score = plan.score._replace(compute=dtype, result=dtype)
    with numpy.errstate(all="ignore"):
        found = losses.value_and_gradient(*arrays, plan=plan._replace(score=score), both=both, xp=np)
    return [torch.from_numpy(numpy.asarray(x)) for x in found if x is not None]


