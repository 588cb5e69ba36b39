"""States of metrics as pytrees of sums: adding two states merges their data."""

import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from omniou import boxes, segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._catalogue.pixel_score import pixel_scores
from omniou._lib import checks
from omniou.segmentation import SplitCounts
from omniou_integrations.jax._sums import AxisName, array, one_of, sum_and_count

# Options of dataclass fields that are static under jit.
STATIC = {"static": True}

State = TypeVar("State", bound="Sums")


class Sums:
    """Base of all states. Arrays add; the other fields are static, and `jit` compiles once for each set of them."""

    _rank: ClassVar[int]  # axes of the first field, in a state that is not stacked
    inputs: ClassVar[tuple[str, ...]] = ("pred", "target")  # what `update` takes first

    if TYPE_CHECKING:  # each state has its own

        @classmethod
        def empty(cls, *given: Any, **options: Any) -> Self:
            """The state without data."""

        def update(self, *given: Any, **options: Any) -> Self:
            """Return the state with another batch."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make the state, and let flax's `to_bytes` know its class, where flax is imported."""
        flax = sys.modules.get("flax.serialization")
        if flax is not None and not flax.is_serializable(cls):
            flax.register_serialization_state(cls, _arrays_of, _restored)
        return super().__new__(cls)

    @classmethod
    def from_model_output(
        cls, *, where: ArrayLike | None = None, mask: ArrayLike | None = None, **outputs: Any
    ) -> Self:
        """Return the state of one batch: `update` of `empty`, which a subclass may give its options.

        Parameters
        ----------
        where : array of booleans, optional
            The same as in `update`.
        mask : array of booleans, optional
            clu's word for `where`.
        **outputs
            The other arguments of `update`. More outputs of the model have no effect.
        """
        return updated(cls.empty(), outputs, where=one_of(where, mask))

    def merge(self, other: Self) -> Self:
        """Return the state of the data of both.

        Raises
        ------
        TypeError
            If `other` is a state of another metric.
        ValueError
            If the two differ in their options or shapes.
        """
        _check_alike(self, other)
        return jax.tree.map(_added, self, other, is_leaf=_is_split)

    def reduce(self, axis_name: AxisName | None = None) -> Self:
        """Return the state of the data of all devices.

        Parameters
        ----------
        axis_name : str or sequence of str, optional
            Inside `shard_map`, `vmap` or `pmap`: the axis whose states are added. Default: add states that are stacked
            along a first axis, as `all_gather`, `vmap` and `scan` return them.

        Raises
        ------
        ValueError
            If no axis is named, and the state is not stacked.
        """
        if axis_name is not None:
            reduced: Self = jax.lax.psum(self, axis_name)  # type: ignore[no-untyped-call]
        elif jax.tree.leaves(self)[0].ndim == self._rank:
            raise ValueError("`axis_name` must be given where states are not stacked along a first axis, got None")
        else:
            reduced = jax.tree.map(lambda x: jnp.sum(x, axis=0, dtype=x.dtype), self)
        return jax.tree.map(_carried, reduced, is_leaf=_is_split)


def updated(state: State, outputs: Mapping[str, Any], /, **options: Any) -> State:
    """Return the state with another batch: its `update`, with inputs by name from the outputs of a model."""
    return state.update(**{name: outputs[name] for name in state.inputs if name in outputs}, **options)


def _arrays_of(state: Any) -> dict[str, Any]:
    """Return the arrays of a state by name, for flax; a static field stays in the state that they are read into."""
    fields = [field.name for field in dataclasses.fields(state) if not field.metadata]
    return {name: x._asdict() if _is_split(x := getattr(state, name)) else x for name in fields}


def _restored(state: Any, arrays: Mapping[str, Any]) -> Any:
    """Return a state with other arrays, which flax has read, in its own dtypes."""
    expected = _arrays_of(state)
    flat, ours = (dict(jax.tree_util.tree_leaves_with_path(x)) for x in (arrays, expected))
    if flat.keys() != ours.keys():
        listed = [", ".join(map(jax.tree_util.keystr, x)) or "nothing" for x in (ours, flat)]
        raise ValueError(f"a saved {type(state).__name__} must have the arrays {listed[0]}, got {listed[1]}")
    for path, x in flat.items():
        if jnp.shape(x) != ours[path].shape:
            raise ValueError(
                f"`{jax.tree_util.keystr(path)}` of a saved {type(state).__name__} must have shape "
                f"{ours[path].shape}, as in the state to read into, got {jnp.shape(x)}: was it of other options?"
            )
    read = {name: _as(x, expected[name]) for name, x in arrays.items()}
    return dataclasses.replace(state, **read)


def _as(x: Any, like: Any) -> Any:
    """Arrays in the dtype of others; raise if a count does not fit."""
    if isinstance(like, Mapping):
        return SplitCounts(**{name: _as(x[name], y) for name, y in like.items()})
    cast = np.asarray(x).astype(like.dtype)
    if cast.dtype.kind == "i" and (cast != x).any():
        raise ValueError(f"the saved counts must fit {like.dtype}, got {np.max(x)}: enable jax_enable_x64")
    return jnp.asarray(cast)


def _is_split(x: Any) -> bool:
    return isinstance(x, SplitCounts)


def _added(x: Any, y: Any) -> Any:
    return x + y if _is_split(x) else jnp.add(x, y)


def _carried(x: Any) -> Any:
    """Carry from the lower to the upper part of counts whose parts were added; return other arrays unchanged."""
    return x + SplitCounts.of(jnp.zeros_like(x.low)) if _is_split(x) else x


def _check_alike(state: Sums, other: Any) -> None:
    if type(other) is not type(state):
        raise TypeError(f"`other` must be a {type(state).__name__}, got {type(other).__name__}")
    for field in dataclasses.fields(state):  # type: ignore[arg-type]
        here, there = (getattr(x, field.name) for x in (state, other))
        what = f"`{field.name}`"
        if not field.metadata:
            here, there, what = here.shape, there.shape, f"shape of {what}"
        if here != there:
            raise ValueError(f"`other` must have the {what} of this state, {here}, got {there}")


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class BoxScore(Sums):
    """Mean of a score of pairs of boxes, over all batches and devices.

    A pytree, which nothing changes: every method gives a new state. Start with `empty`.

    Attributes
    ----------
    total : jax.Array, shape ()
        Sum of scores: float32, or float64 with ``jax_enable_x64``.
    count : jax.Array, shape ()
        Pairs that counted: int32, which ends at 2,147,483,647, or int64 with ``jax_enable_x64``.
    score : callable
        Static, as `options`.
    options : tuple of (name, value)
        Options of the score.

    Notes
    -----
    The methods are those that clu's collections look for, and clu need not be there. A collection knows a metric by its
    class alone, so a subclass says what it is the mean of:

    >>> import jax
    >>> from omniou import boxes
    >>> from omniou_integrations.jax import BoxScore
    >>> @jax.tree_util.register_dataclass
    ... class MeanGIoU(BoxScore):
    ...     @classmethod
    ...     def empty(cls):
    ...         return super().empty(boxes.giou, format="cxcywh")
    >>> outputs = {"pred": [[1.0, 1.0, 2.0, 2.0]], "target": [[1.0, 1.0, 2.0, 1.0]], "loss": 0.1}
    >>> float(MeanGIoU.empty().merge(MeanGIoU.from_model_output(**outputs)).compute())
    0.5

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> @jax.jit
    ... def step(state, pred, target, where):
    ...     return state.update(pred, target, where=where)
    >>> state = BoxScore.empty(boxes.giou)
    >>> pred, target = jnp.asarray([[0.0, 0, 1, 1], [jnp.nan] * 4]), jnp.asarray([[1.0, 1, 2, 2], [0, 0, 0, 0]])
    >>> state = step(state, pred, target, jnp.asarray([True, False]))
    >>> state = step(state, target, target, jnp.asarray([True, False]))
    >>> float(state.compute()), int(state.count)
    (0.25, 2)
    """

    total: jax.Array
    count: jax.Array
    score: Callable[..., Any] = dataclasses.field(metadata=STATIC)
    options: tuple[tuple[str, Any], ...] = dataclasses.field(metadata=STATIC)

    _rank: ClassVar[int] = 0

    @classmethod
    def empty(cls, score: Callable[..., Any] = boxes.iou, **options: Any) -> Self:
        """The state of nothing.

        Parameters
        ----------
        score : callable
            `omniou.boxes.iou`, `giou`, `diou`, `ciou`, `iof`, `dice` or another that takes two arrays of boxes.
        **options
            Options of the score, such as ``format="cxcywh"``; hashable.

        Raises
        ------
        TypeError
            If `score` is not a function, or an option cannot be hashed.
        """
        options = {name: checks.plain(x) for name, x in options.items()}
        _check_static(score, options)
        return cls(jnp.zeros((), float), jnp.zeros((), int), score, tuple(sorted(options.items())))

    def update(self, pred: ArrayLike, target: ArrayLike, *, where: ArrayLike | None = None) -> Self:
        """Return the state with another batch.

        Parameters
        ----------
        pred, target : array, shape (..., 2 * D)
            Boxes. Leading axes broadcast.
        where : array of booleans, optional
            Which pairs count; broadcasts to (...). What is excluded has no effect, regardless of its value.

        Raises
        ------
        TypeError
            If `where` holds no booleans, or the boxes no numbers.
        ValueError
            If shapes do not fit, or the score does not know an option.
        """
        a, b, counted = (array(x) for x in (pred, target, where))
        if counted is not None:
            _check_where(a, b, counted)
            # Scores and their gradients are finite for empty boxes.
            a, b = (jnp.where(counted[..., None], x, jnp.zeros((), x.dtype)) for x in (a, b))
        total, count = sum_and_count(self.score(a, b, **dict(self.options)), where=counted)
        return dataclasses.replace(
            self,
            total=self.total + total.astype(self.total.dtype),
            count=self.count + count.astype(self.count.dtype),
        )

    def compute(self) -> jax.Array:
        """The mean (), NaN where nothing counted."""
        return self.total / self.count.astype(self.total.dtype)


def _check_static(score: Any, options: dict[str, Any]) -> None:
    if not callable(score):
        raise TypeError(f"`score` must be a function such as `omniou.boxes.giou`, got {score!r}")
    for name, value in options.items():
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"`{name}` must be hashable, such as a number or a tuple, got {type(value).__name__}"
            ) from None


def _check_where(pred: Any, target: Any, where: Any) -> None:
    if where.dtype != bool:
        raise TypeError(f"`where` must hold booleans, got dtype {where.dtype}")
    shape = checks.broadcast(pred=pred.shape[:-1], target=target.shape[:-1])
    if checks.broadcast(scores=shape, where=where.shape) != shape:
        raise ValueError(f"`where` must broadcast to the scores of shape {shape}, got {where.shape}")


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class MeanIoU(Sums):
    """Mean IoU of classes over all batches and devices, from their confusion counts.

    A pytree, which nothing changes: every method gives a new state. Start with `empty`.

    Attributes
    ----------
    counts : jax.Array or SplitCounts, shape (C, C + 1)
        Pixels of each class by what was predicted; the last column is predictions that are not classes. int64 with
        ``jax_enable_x64``, else an `omniou.segmentation.SplitCounts`: neither wraps at 2**31 pixels.
    num_classes, ignore_index
        Static, as in `empty`.

    Notes
    -----
    The methods are those that clu's collections look for, as in `BoxScore`. `counts` goes into all functions of
    `omniou.segmentation`, such as ``segmentation.dice(state.counts)``.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> from omniou_integrations.jax import MeanIoU
    >>> @jax.jit
    ... def step(state, pred, target):
    ...     return state.update(pred, target)
    >>> state = MeanIoU.empty(num_classes=3, ignore_index=255)
    >>> for _ in range(2):
    ...     state = step(state, jnp.asarray([[0, 1, 1, 1, 0]]), jnp.asarray([[0, 0, 1, 1, 255]]))
    >>> round(float(state.compute()), 3), [round(x, 3) for x in state.per_class().tolist()]
    (0.583, [0.5, 0.667, nan])
    """

    counts: Any
    num_classes: int = dataclasses.field(metadata=STATIC)
    ignore_index: int | tuple[int, ...] | None = dataclasses.field(metadata=STATIC)

    _rank: ClassVar[int] = 2

    @classmethod
    def empty(cls, num_classes: int, *, ignore_index: Labels = None) -> Self:
        """The state of nothing.

        Parameters
        ----------
        num_classes : int
            Number of classes.
        ignore_index : int or list of int, optional
            A label, or several: pixels whose target has one of them are excluded.

        Raises
        ------
        TypeError, ValueError
            If a number is not an integer, or there are no classes.
        """
        labels = checks.labels("ignore_index", ignore_index)
        ignored = labels if len(labels) > 1 else labels[0] if labels else None
        none = jnp.zeros((0,), dtype=jnp.int32)
        return cls(
            segmentation.confusion(none, none, num_classes, ignore_index=ignored, outside="column"),
            checks.count("num_classes", num_classes),
            ignored,
        )

    def update(
        self,
        pred: ArrayLike,
        target: ArrayLike,
        *,
        where: ArrayLike | None = None,
        class_axis: int | None = None,
    ) -> Self:
        """Return the state with another batch.

        Parameters
        ----------
        pred : array of integers, shape (...)
            Predicted classes; or scores of classes along `class_axis`.
        target : array of integers, shape (...)
            The class of each pixel.
        where : array of booleans, optional
            Which pixels count; broadcasts to (...).
        class_axis : int, optional
            The axis of scores in `pred`, the highest of which wins; for one score pass ``pred > threshold``.

        Raises
        ------
        TypeError, ValueError
            The same as in `omniou.segmentation.confusion`.
        """
        counts = segmentation.confusion(
            array(target),
            array(pred),
            self.num_classes,
            ignore_index=self.ignore_index,
            outside="column",
            where=array(where),
            class_axis=class_axis,
        )
        return dataclasses.replace(self, counts=self.counts + counts)

    def compute(self) -> jax.Array:
        """The mean (), over classes in target or prediction; NaN where nothing counted."""
        return segmentation.iou(self.counts, average="macro")

    def per_class(self, *, score: str = "iou") -> jax.Array:
        """A score of each class, (C,), by its name in `omniou.pixel_scores`; NaN for a class in neither map."""
        known = [name for name, x in pixel_scores.items() if not x.joins and name != "accuracy"]
        score = checks.choice("score", score, known)
        each: jax.Array = getattr(segmentation, score)(self.counts)
        return each
