"""Base classes of the metrics of torchmetrics: a failed call changes nothing, and no state changes in place."""

import abc
import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar, cast

import torch
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities.distributed import gather_all_tensors

from omniou._lib import checks
from omniou._lib.arrays import namespace_of, widest_floating
from omniou_integrations.torchmetrics import _compat as compat
from omniou_integrations.torchmetrics._plots import Words, draw

Method = TypeVar("Method", bound=Callable[..., Any])

# In the metadata of a module's `state_dict`, next to torch's own "version".
KEY = "omniou"


class Given(abc.ABCMeta):
    """The metaclass of metrics: it keeps their arguments, and converts errors of constructors to torchmetrics'."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make a metric. NumPy numbers become Python's, so equal options have one name of a state and one text."""
        args, kwargs = checks.plain_option(args), checks.plain_option(kwargs)
        try:
            made: Any = abc.ABCMeta.__call__(cls, *args, **kwargs)
        except (TypeError, ValueError) as error:
            if type(error) not in {TypeError, ValueError} or not compat.follows(cls, kwargs):
                raise
            raise compat.of_options(cls, error, args, kwargs).with_traceback(error.__traceback__) from None
        if issubclass(type(made), cls):  # and not what `JaccardIndex` makes
            made.given = args, kwargs
        return made


def described(metric: Any) -> dict[str, str]:
    """Return class and options by name, as text, which any reader of a checkpoint can load."""
    if "given" not in vars(metric):
        return {}
    args, kwargs = metric.given
    bound = inspect.signature(type(metric).__init__).bind(metric, *args, **kwargs)
    bound.apply_defaults()
    (_, *options), more = bound.arguments.items(), bound.arguments.get("kwargs", {})
    listed = {name: x for name, x in options if name not in {"kwargs", "options"}} | dict(more)
    return {"class": type(metric).__name__} | {name: repr(x) for name, x in listed.items()}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Describe the difference: "`num_classes` is 3 here and 4 there"."""
    names = [name for name in here if name in there and here[name] != there[name]]
    names = ["class"] if "class" in names else names
    return ", ".join(f"`{name}` is {here[name]} here and {there[name]} there" for name in names)


class WholeMetric(Metric, metaclass=Given):
    """A metric whose calls are atomic: a call that fails changes nothing.

    torchmetrics' base class counts a failed update, stays synchronised after a failed `compute`, loses its state in a
    failed `forward`, and keeps the cached result after a merge. No state changes in place: Lightning may hold the
    states of a finished `validate()` in inference mode.
    """

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = False
    given: tuple[tuple[Any, ...], dict[str, Any]] = (), {}  # the arguments of the constructor
    _fresh: Mapping[str, Callable[..., Tensor]] = MappingProxyType({})  # what makes the default of a state
    _not_scores: tuple[str, ...] = ()  # endings of the names of results that a plot skips

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _leave_to_python(cls)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if self._dtype.itemsize < 4:  # torch's default dtype, which is no choice of this metric's precision
            self._dtype = torch.float32

    def _add_tensor(self, name: str, make: Callable[..., Tensor], dist_reduce_fx: str | None = None) -> None:
        """Declare a state by what makes its default, since a tensor on the meta device has no values."""
        self._fresh = {**self._fresh, name: make}
        self.add_state(name, make(), dist_reduce_fx=dist_reduce_fx)

    def reset(self) -> None:
        """Forget everything. What others hold of the states does not change."""
        for name, default in self._defaults.items():
            if name in self._fresh:  # the default itself may have been through `to_empty`
                self._defaults[name] = self._fresh[name](device=cast("Tensor", default).device)
            elif isinstance(default, list):
                setattr(self, name, [])
        super().reset()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add the samples, and give the result only for these."""
        before = self.__dict__ | self._copy_state_dict()
        try:
            return super().forward(*args, **kwargs)
        except Exception:
            self.__dict__.update(before)
            raise

    def merge_state(self, incoming_state: Any) -> None:
        """Add what another metric of the same kind and options saw, or its states by name."""
        others = set(incoming_state._defaults) if isinstance(incoming_state, WholeMetric) else set(self._defaults)  # noqa: SLF001
        if others != set(self._defaults):
            what = difference(described(self), described(incoming_state))
            raise ValueError(f"a state to merge must be of a metric with the same options: {what}")
        super().merge_state(incoming_state)
        self._computed = None
        self._update_count += incoming_state.update_count if isinstance(incoming_state, Metric) else 1

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw the scores of a result as bars, or of a list of results as lines over steps; default: the current one.

        Return the figure, which is None if `ax` is given, and the axes.
        """
        val = self.compute() if val is None else val
        shown = [self._scores(x) for x in val] if isinstance(val, (list, tuple)) else self._scores(val)
        bounds = self.plot_lower_bound, self.plot_upper_bound
        axes = draw(shown, Words(type(self).__name__, self.higher_is_better, *bounds), ax)
        return (axes.figure if ax is None else None), axes  # as torchmetrics does

    def state_dict(  # type: ignore[override]
        self,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,  # noqa: FBT001, FBT002
    ) -> dict[str, Any]:
        """Return the persistent states, with the options in the metadata, for errors when another metric loads them."""
        states = super().state_dict(destination=destination, prefix=prefix, keep_vars=keep_vars)
        if prefix + next(iter(self._defaults)) in states and hasattr(states, "_metadata"):
            states._metadata[prefix[:-1]][KEY] = described(self)  # noqa: SLF001  (torch's own)
        return states

    def _load_from_state_dict(  # noqa: PLR0917  (torch's signature)
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,  # noqa: FBT001
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the states; raise for a state with other options, also with `strict=False`."""
        names = {key.removeprefix(prefix) for key in state_dict if key.startswith(prefix)}
        others = sorted(name for name in names if "." not in name and not hasattr(self, name))
        if others and not names.issuperset(self._defaults):
            there = local_metadata.get(KEY, {})
            what = difference(described(self), there) or f"it has {', '.join(others)}"
            error_msgs.append(f"the state is of another class or of other options: {what}")
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _scores(self, result: Any) -> Any:
        """Return the part of a result that can be drawn."""
        if not isinstance(result, Mapping):
            return result
        return {name: x for name, x in result.items() if not name.endswith(self._not_scores)}

    def _copy_state_dict(self) -> dict[str, Any]:
        """Return the states without copies: no tensor changes in place."""
        states = {name: getattr(self, name) for name in self._defaults}
        return {name: list(x) if isinstance(x, list) else x for name, x in states.items()}

    def _wrap_update(self, update: Callable[..., Any]) -> Callable[..., Any]:
        returned: list[Any] = []

        @functools.wraps(update)
        def kept(*args: Any, **kwargs: Any) -> None:
            returned[:] = [update(*args, **kwargs)]

        wrapped = super()._wrap_update(kept)  # which drops what an update returns

        @functools.wraps(update)
        def whole(*args: Any, **kwargs: Any) -> Any:
            before = self._update_count, self._computed
            try:
                wrapped(*args, **kwargs)
                return returned.pop()
            except Exception as error:
                self._update_count, self._computed = before
                if type(error) in {TypeError, ValueError} and compat.follows(type(self), self.given[1]):
                    raise compat.of_update(self, error, args, kwargs).with_traceback(error.__traceback__) from None
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

    # torchmetrics' signature, and the argument that torch passes.
    def _apply(  # type: ignore[override]
        self,
        fn: Callable[[Tensor], Tensor],
        exclude_state: Sequence[str] = "",
        recurse: bool = True,  # noqa: ARG002, FBT001, FBT002  (of torch's `to_empty`; a metric has no modules)
    ) -> Any:
        def moved(x: Tensor) -> Tensor:
            # Neither `set_dtype` nor `module.to(torch.bfloat16)`, Lightning's "bf16-true", casts a state.
            y = fn(x)
            return y if y.dtype == x.dtype else x.to(y.device)

        dtype = fn(torch.zeros(1, device=self.device)).dtype if self._dtype_convert else self._dtype
        without_values = self.device.type == "meta"
        this = super()._apply(moved, exclude_state)
        self._dtype, self._computed = dtype, None if self._dtype_convert else self._computed
        if without_values and self.device.type != "meta":
            self.reset()
        return this


def _leave_to_python(kind: type[Metric]) -> None:
    """Keep TorchScript from `forward`, properties and annotations, so a module with a metric can be scripted."""
    members = {name: x for base in kind.__mro__ for name, x in vars(base).items()}
    properties = [name for name, x in members.items() if isinstance(x, property)]
    kind.__jit_unused_properties__ = [*dict.fromkeys([*Metric.__jit_unused_properties__, *properties])]
    own = (base for base in kind.__mro__ if issubclass(base, WholeMetric))
    kind.__jit_ignored_attributes__ = [name for base in own for name in inspect.get_annotations(base)]
    if "forward" in vars(kind):
        torch.jit.unused(kind.forward)


_leave_to_python(WholeMetric)  # type: ignore[type-abstract]


class PackedMetric(WholeMetric):
    """A metric whose state is a list of tables, each packed into one tensor of bytes on the CPU.

    The tensor is never empty and always of bytes, so processes exchange one tensor of one dtype, regardless of
    what each has seen.
    """

    def _add_table(self, *options: Any) -> None:
        # A MetricCollection lets metrics share one state from the second batch on, if the names and values of their
        # states were equal after the first: so what decides the state decides its name.
        digest = hashlib.blake2b(repr(options).encode(), digest_size=6)
        self._table = f"table_{digest.hexdigest()}"
        self.add_state(self._table, [], dist_reduce_fx="cat")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add the samples, and give the result only for these."""
        if kwargs.get("batch_summary"):
            raise TypeError("`batch_summary` is for `update`: `forward` gives all numbers of the batch")
        return super().forward(*args, **kwargs)

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

    # torchmetrics' signature, and the argument that torch passes.
    def _apply(  # type: ignore[override]
        self,
        fn: Callable[[Tensor], Tensor],
        exclude_state: Sequence[str] = "",
        recurse: bool = True,  # noqa: FBT001, FBT002
    ) -> Any:
        # The table stays on the host, where it is read, and packed bytes must not be cast.
        return super()._apply(fn, (*exclude_state, self._table), recurse)


def eager(method: Method) -> Method:
    """Exclude a method from `torch.compile`, which would trace shapes that depend on values, and NumPy's functions.

    Only a program that compiles loads the compiler: its import takes longer than those of all our metrics.
    """
    kept: list[Method] = []

    @functools.wraps(method)
    def called(*args: Any, **options: Any) -> Any:
        # While the compiler traces these lines it answers the first question, and does not read the second.
        if not torch.compiler.is_compiling() and "torch._dynamo" not in sys.modules:
            return method(*args, **options)
        if not kept:
            kept.append(torch.compiler.disable(method))  # type: ignore[no-untyped-call]
        return kept[0](*args, **options)

    return cast("Method", called)


def flag(name: str, value: Any) -> None:
    """Raise unless an option is a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"`{name}` must be a bool, got {type(value).__name__}")


def class_ids(labels: Any) -> Tensor:
    """Ids of classes as torchmetrics has them, in int32; in int64 if one does not fit."""
    ids = torch.from_numpy(labels)
    narrow = ids.to(torch.int32)
    return narrow if torch.equal(narrow.to(ids.dtype), ids) else ids


def class_count(num_classes: Any) -> None:
    """Raise unless this is a positive integer, or None."""
    if num_classes is not None:
        checks.count("num_classes", num_classes)


def widened(x: Tensor, /) -> Tensor:
    """Numbers in float64, or in float32 on a device without it."""
    dtype: torch.dtype = widest_floating(namespace_of("x", x), x.device)
    return x.to(dtype)
