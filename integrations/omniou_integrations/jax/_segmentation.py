"""Mean IoU of segmentation as a pytree of counts."""

import dataclasses
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from omniou import segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._catalogue.pixel_score import pixel_scores
from omniou._lib import checks
from omniou.segmentation import SplitCounts
from omniou_integrations.jax._metrics import STATIC, Sums, check_alike
from omniou_integrations.jax._sums import AxisName, array, one_of


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
            num_classes,
            ignored,
        )

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
        """The state of one batch, of a subclass whose `empty` needs no arguments.

        Parameters
        ----------
        pred, target, where
            The same as in `update`.
        mask : array of booleans, optional
            clu's word for `where`.
        **_
            Other outputs of the model, which have no effect.
        """
        return cls.empty().update(pred, target, where=one_of(where, mask))  # type: ignore[call-arg]  # of a subclass

    def update(
        self,
        pred: ArrayLike,
        target: ArrayLike,
        *,
        where: ArrayLike | None = None,
        class_axis: int | None = None,
    ) -> Self:
        """The state with another batch.

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

    def merge(self, other: Self) -> Self:
        """The state of what both saw.

        Raises
        ------
        TypeError
            If `other` is a state of another metric.
        ValueError
            If the two differ in their options.
        """
        check_alike(self, other)
        return dataclasses.replace(self, counts=self.counts + other.counts)

    def reduce(self, axis_name: AxisName | None = None) -> Self:
        """The state of what all devices saw: see `BoxScore.reduce`."""
        reduced = super().reduce(axis_name)
        counts = reduced.counts
        if isinstance(counts, SplitCounts):  # whose parts were added, and are to be carried
            counts = counts + SplitCounts.of(jnp.zeros_like(counts.low))
        return dataclasses.replace(reduced, counts=counts)

    def compute(self) -> jax.Array:
        """The mean (), over classes in target or prediction; NaN where nothing counted."""
        return segmentation.iou(self.counts, average="macro")

    def per_class(self, *, score: str = "iou") -> jax.Array:
        """A score of each class, (C,), by its name in `omniou.pixel_scores`; NaN for a class in neither map."""
        checks.choice("score", score, [name for name, x in pixel_scores.items() if not x.joins and name != "accuracy"])
        each: jax.Array = getattr(segmentation, score)(self.counts)
        return each
