"""Scores of segmentation from confusion counts."""

from typing import Any

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.backend import get_keras_mask  # type: ignore[import-untyped]  # no public name

from omniou import segmentation
from omniou._catalogue.pixel_score import pixel_scores
from omniou._lib import checks
from omniou_integrations.keras._tensors import cell_counts, cell_sums, known, per_box

# Where weights cannot be summed in float64, they are in this many parts, none of which is long enough to lose digits;
# in fewer, where the cells of all parts together would be more than that.
_PARTS, _CELLS = 1024, 2**22
# Lower bits of a count, split off so that float32 holds both parts.
_LOW = 2**12


@keras.saving.register_keras_serializable(package="omniou")
class SegmentationScore(keras.metrics.Metric):  # type: ignore[misc]
    """A score of segmentation, such as Dice, from the confusion counts of all batches.

    Parameters
    ----------
    num_classes : int
        How many classes there are.
    score : str
        A name of `omniou.pixel_scores`.
    average : {"macro", "micro", "weighted"}
        Of classes, as `omniou.segmentation.iou` has it.
    name : str, optional
        By default the score.
    dtype
        Of the result, as in `keras.metrics.Metric`; counts are exact in every dtype.
    ignore_class : int, optional
        A label: pixels whose target has it are left out.
    sparse_y_true, sparse_y_pred : bool
        Whether targets, and predictions, are classes. Otherwise they are scores of classes along `axis`.
    axis : int
        Of these scores.

    Raises
    ------
    ValueError
        If `num_classes` is no positive integer, or the score is unknown.

    Notes
    -----
    ``sample_weight`` has the axes of the target or the first of them. Counts are exact up to 2**48 pixels. A prediction
    that is no class is missed by the class of its target.

    Examples
    --------
    >>> from omniou_integrations.keras import SegmentationScore
    >>> metric = SegmentationScore(num_classes=2, score="dice")
    >>> metric.update_state([0, 0, 1, 1], [0, 1, 1, 1])
    >>> round(float(metric.result()), 4)
    0.7333
    """

    def __init__(
        self,
        num_classes: int,
        score: str = "iou",
        *,
        average: str = "macro",
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        checks.count("num_classes", num_classes)
        checks.choice("score", score, pixel_scores)
        checks.choice("average", average, ("macro", "micro", "weighted"))
        super().__init__(name=name or score, dtype=dtype)
        self._direction = "up"  # which Keras' callbacks with mode "auto" read
        self.num_classes = num_classes
        self.score = score
        self.average = average
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        # The sum of two floats, of which the second is what the first has no digits for.
        shape = (num_classes, num_classes + 1)
        self.counts = self.add_variable(shape, "zeros", dtype="float32", name="counts")
        self.rest = self.add_variable(shape, "zeros", dtype="float32", name="rest")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the pixels of a batch."""
        mask = get_keras_mask(y_pred)
        sides = ((y_true, self.sparse_y_true), (y_pred, self.sparse_y_pred))
        target, pred = (ops.convert_to_tensor(y) if sparse else ops.argmax(y, axis=self.axis) for y, sparse in sides)
        weight = None
        for given in (mask, sample_weight):
            if given is not None:
                each = per_box(given, target, dtype="float32")
                weight = each if weight is None else weight * each
        side = self.num_classes + 2
        cell = (self._clamped(target) + 1) * side + self._clamped(pred) + 1
        parts = (
            _split(cell_counts(cell, side**2)) if weight is None else _sums(cell, ops.reshape(weight, (-1,)), side**2)
        )
        for part in parts:
            self._add(self._without_border(ops.reshape(part, (side, side))))

    def result(self) -> Any:
        """The score of everything since the last reset."""
        counts = known(ops.convert_to_tensor(self.counts + self.rest))
        joins = pixel_scores[self.score].joins or self.score == "accuracy"  # of all classes as they are
        options = {} if joins else {"average": self.average}
        return ops.cast(getattr(segmentation, self.score)(counts, **options), self.dtype)

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        names = ("num_classes", "score", "average", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}

    def _clamped(self, labels: Any) -> Any:
        """Labels (...) -> (N,) from -1 to C: labels that are no class are counted in a border."""
        dtype = keras.backend.standardize_dtype(labels.dtype)
        if dtype != "int64":
            labels = ops.cast(labels, "int64" if dtype in {"uint32", "uint64"} else "int32")
        return ops.cast(ops.reshape(ops.clip(labels, -1, self.num_classes), (-1,)), "int32")

    def _without_border(self, cells: Any) -> Any:
        """(C + 2, C + 2) -> (C, C + 1), of which the last column is predictions that are no class."""
        rows = cells[1:-1]
        counts = ops.concatenate([rows[:, 1:-1], rows[:, :1] + rows[:, -1:]], axis=1)
        if self.ignore_class is None:
            return counts
        ignored = ops.arange(self.num_classes) == self.ignore_class
        return ops.where(ops.expand_dims(ignored, -1), ops.zeros_like(counts), counts)

    def _add(self, part: Any) -> None:
        """Add to the sum of two floats, without a loss: `error` is what the rounded sum lacks."""
        total = self.counts + part
        back = total - self.counts
        error = (self.counts - (total - back)) + (part - back)
        rest = self.rest + error
        whole = total + rest
        self.rest.assign(rest - (whole - total))
        self.counts.assign(whole)


@keras.saving.register_keras_serializable(package="omniou")
class MeanIoU(SegmentationScore):
    """Mean IoU of segmentation, from the confusion counts of all batches.

    Parameters
    ----------
    num_classes : int
        How many classes there are.
    name : str, optional
        By default ``mean_iou``.
    dtype
        Of the result, as in `keras.metrics.Metric`; counts are exact in every dtype.
    ignore_class : int, optional
        A label: pixels whose target has it are left out.
    sparse_y_true, sparse_y_pred : bool
        Whether targets, and predictions, are classes. Otherwise they are scores of classes along `axis`.
    axis : int
        Of these scores.

    Raises
    ------
    ValueError
        If `num_classes` is no positive integer.

    Notes
    -----
    Arguments are as in `keras.metrics.MeanIoU`. ``sample_weight`` has the axes of the target or the first of
    them. Its floats count as they are, where Keras truncates them to integers; counts are exact up to 2**48 pixels,
    where Keras' wrap at 2**31. A prediction that is no class is missed by the class of its target. The mean is over
    classes that are in a target or a prediction: 1 for a perfect one, NaN without any, where Keras has 0.9999998 and 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MeanIoU
    >>> metric = MeanIoU(num_classes=2)
    >>> metric.update_state([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[0.3, 0.3, 0.3, 0.1])
    >>> round(float(metric.result()), 4)
    0.2381
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        *,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            name=name or "mean_iou",
            dtype=dtype,
            ignore_class=ignore_class,
            sparse_y_true=sparse_y_true,
            sparse_y_pred=sparse_y_pred,
            axis=axis,
        )

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {name: x for name, x in super().get_config().items() if name not in {"score", "average"}}


def _split(whole: Any) -> list[Any]:
    """Integers as floats that add up to them."""
    low = whole % _LOW
    return [ops.cast(whole - low, "float32"), ops.cast(low, "float32")]


def _sums(cell: Any, weight: Any, size: int) -> list[Any]:
    """The weights of each cell, (size,), as floats that add up to it."""
    if _has_float64():
        total = cell_sums(cell, ops.cast(weight, "float64"), size)
        high = ops.cast(total, "float32")
        return [high, ops.cast(total - ops.cast(high, "float64"), "float32")]
    parts = max(1, min(_PARTS, _CELLS // size))
    part = ops.arange(cell.shape[0], dtype="int32") % parts
    sums = cell_sums(part * size + cell, weight, parts * size)
    return [ops.sum(ops.reshape(sums, (parts, size)), axis=0)]


def _has_float64() -> bool:
    if keras.backend.backend() != "jax":
        return True
    import jax

    return bool(jax.config.jax_enable_x64)  # type: ignore[attr-defined]
