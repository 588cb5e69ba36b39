"""States of metrics as pytrees of sums: adding two of them merges what they saw."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from omniou import boxes
from omniou._lib import checks
from omniou_integrations.jax._sums import AxisName, array, one_of, sum_and_count

# Options of dataclass fields that are static under jit.
STATIC = {"static": True}


class Sums:
    """What all states share. Arrays add; the other fields are static, and `jit` compiles once for each set of them."""

    _rank: ClassVar[int]  # of the first field, in a state that is not stacked

    def merge(self, other: Self) -> Self:
        """The state of what both saw.

        Raises
        ------
        TypeError
            If `other` is a state of another metric.
        ValueError
            If the two differ in their options or shapes.
        """
        check_alike(self, other)
        return jax.tree.map(jnp.add, self, other)

    def reduce(self, axis_name: AxisName | None = None) -> Self:
        """The state of what all devices saw.

        Parameters
        ----------
        axis_name : str or sequence of str, optional
            Inside `shard_map`, `vmap` or `pmap`: the axis whose states are added. Without it, states that lie stacked
            along a first axis are, as `all_gather`, `vmap` and `scan` leave them.

        Raises
        ------
        ValueError
            If no axis is named, and the state is not stacked.
        """
        if axis_name is not None:
            reduced: Self = jax.lax.psum(self, axis_name)  # type: ignore[no-untyped-call]
            return reduced
        if jax.tree.leaves(self)[0].ndim == self._rank:
            raise ValueError("`axis_name` must be given where states are not stacked along a first axis, got None")
        return jax.tree.map(lambda x: jnp.sum(x, axis=0, dtype=x.dtype), self)


def check_alike(state: Sums, other: Any) -> None:
    if type(other) is not type(state):
        raise TypeError(f"`other` must be a {type(state).__name__}, got {type(other).__name__}")
    for field in dataclasses.fields(state):  # type: ignore[arg-type]
        mine, theirs = (getattr(x, field.name) for x in (state, other))
        what = f"`{field.name}`"
        if not field.metadata:
            mine, theirs, what = mine.shape, theirs.shape, f"shape of {what}"
        if mine != theirs:
            raise ValueError(f"`other` must have the {what} of this state, {mine}, got {theirs}")


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
        _check_static(score, options)
        return cls(jnp.zeros((), float), jnp.zeros((), int), score, tuple(sorted(options.items())))

    @classmethod
    def from_model_output(
        cls,
        *,
        pred: ArrayLike,
        target: ArrayLike,
        where: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        **_: Any,
    ) -> Self:
        """The state of one batch: what `update` makes of `empty`.

        Parameters
        ----------
        pred, target, where
            The same as in `update`.
        mask : array of booleans, optional
            clu's word for `where`.
        **_
            Other outputs of the model, which have no effect.
        """
        return cls.empty().update(pred, target, where=one_of(where, mask))

    def update(self, pred: ArrayLike, target: ArrayLike, *, where: ArrayLike | None = None) -> Self:
        """The state with another batch.

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
