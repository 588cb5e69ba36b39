"""Base classes of the metrics of torchmetrics: a failed call changes nothing, and no state changes in place."""

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities.distributed import gather_all_tensors

from omniou._lib import checks
from omniou._lib.arrays import namespace_of, widest_floating

Method = TypeVar("Method", bound=Callable[..., Any])


class WholeMetric(Metric):
    """A metric whose calls are atomic: a call that fails changes nothing.

    torchmetrics' base class counts a failed update, stays synchronised after a failed `compute`, loses its state in a
    failed `forward`, and keeps the cached result after a merge. No state changes in place: Lightning may hold the
    states of a finished `validate()` in inference mode.
    """

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = False
    _not_scores: tuple[str, ...] = ()  # how names of results end that a plot leaves out

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add the samples, and give the result for these alone."""
        before = self.__dict__ | self._copy_state_dict()
        try:
            return super().forward(*args, **kwargs)
        except Exception:
            self.__dict__.update(before)
            raise

    def merge_state(self, incoming_state: Any) -> None:
        """Add what another metric of the same kind and options saw, or its states by name."""
        super().merge_state(incoming_state)
        self._computed = None
        self._update_count += incoming_state.update_count if isinstance(incoming_state, Metric) else 1

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Figure and axes of the scores of one result, or of a list of them; of the present one if none is given."""
        val = self.compute() if val is None else val
        return self._plot([self._scores(x) for x in val] if isinstance(val, list) else self._scores(val), ax)

    def _scores(self, result: Any) -> Any:
        """What can be drawn of a result."""
        if not isinstance(result, Mapping):
            return result
        return {name: x for name, x in result.items() if not name.endswith(self._not_scores)}

    def _copy_state_dict(self) -> dict[str, Any]:
        """The states; tensors are not copied, as none changes in place."""
        states = {name: getattr(self, name) for name in self._defaults}
        return {name: list(x) if isinstance(x, list) else x for name, x in states.items()}

    def _wrap_update(self, update: Callable[..., Any]) -> Callable[..., Any]:
        wrapped = super()._wrap_update(update)

        @functools.wraps(update)
        def whole(*args: Any, **kwargs: Any) -> None:
            before = self._update_count, self._computed
            try:
                wrapped(*args, **kwargs)
            except Exception:
                self._update_count, self._computed = before
                raise

        return whole

    def _wrap_compute(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        wrapped = super()._wrap_compute(compute)

        @functools.wraps(compute)
        def whole(*args: Any, **kwargs: Any) -> Any:
            was_synced = self._is_synced
            try:
                return wrapped(*args, **kwargs)
            except Exception:
                if self._is_synced and not was_synced:
                    self.unsync()
                raise

        return whole

    def _apply(self, fn: Callable[[Tensor], Tensor], exclude_state: Sequence[str] = "") -> Any:
        def moved(x: Tensor) -> Tensor:
            # Neither `set_dtype` nor `module.to(torch.bfloat16)`, Lightning's "bf16-true", casts a state.
            y = fn(x)
            return y if y.dtype == x.dtype else x.to(y.device)

        dtype = fn(torch.zeros(1, device=self.device)).dtype if self._dtype_convert else self._dtype
        this = super()._apply(moved, exclude_state)
        self._dtype, self._computed = dtype, None if self._dtype_convert else self._computed
        return this


class PackedMetric(WholeMetric):
    """A metric whose state is a list of tables, each packed into one tensor of bytes on the CPU.

    The tensor is never empty and always of bytes, so that processes exchange one tensor of one dtype, whatever each
    has seen.
    """

    def _add_table(self, *options: Any) -> None:
        # A MetricCollection lets metrics share one state from the second batch on, if the names and values of their
        # states were equal after the first: so what decides the state decides its name.
        digest = hashlib.blake2b(repr(options).encode(), digest_size=6)
        self._table = f"table_{digest.hexdigest()}"
        self.add_state(self._table, [], dist_reduce_fx="cat")

    def _add(self, packed: Tensor) -> None:
        setattr(self, self._table, [*getattr(self, self._table), packed])

    def _packed(self) -> Tensor:
        """Pack the whole state into one tensor."""
        raise NotImplementedError

    def _interleaved(self, packed: Sequence[Tensor]) -> Tensor:
        """Merge the packed states of several processes, with their images interleaved."""
        raise NotImplementedError

    def merge_state(self, incoming_state: Any) -> None:
        """Add what another metric of the same kind and options saw, or its states by name: its images come later."""
        mine = getattr(self, self._table)
        super().merge_state(incoming_state)
        every = getattr(self, self._table)
        setattr(self, self._table, [*mine, *every[: len(every) - len(mine)]])

    def _sync_dist(self, dist_sync_fn: Callable[..., Any] | None = None, process_group: Any = None) -> None:
        gather, group = dist_sync_fn or gather_all_tensors, process_group or self.process_group
        packed = gather(self._packed().to(self.device), group=group)
        setattr(self, self._table, [self._interleaved(packed)])

    def _apply(self, fn: Callable[[Tensor], Tensor], exclude_state: Sequence[str] = "") -> Any:
        # The table stays on the host, where it is read, and packed bytes must not be cast.
        return super()._apply(fn, (*exclude_state, self._table))


def eager(method: Method) -> Method:
    """Exclude a method from `torch.compile`, which would trace shapes that depend on values, and NumPy's functions."""
    kept: Method = torch.compiler.disable(method)  # type: ignore[no-untyped-call]
    return kept


def flag(name: str, value: Any) -> None:
    """Raise unless an option is a bool."""
    if not isinstance(value, bool):
        msg = f"`{name}` must be a bool, got {type(value).__name__}"
        raise TypeError(msg)


def class_count(num_classes: Any) -> None:
    """Raise unless this is a positive integer, or None."""
    if num_classes is not None:
        checks.count("num_classes", num_classes)


def widened(x: Tensor, /) -> Tensor:
    """Numbers in float64, or in float32 on a device without it."""
    dtype: torch.dtype = widest_floating(namespace_of("x", x), x.device)
    return x.to(dtype)
