"""Scores of segmentation from confusion counts."""

import math
from collections.abc import Sequence
from typing import Any

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.backend import get_keras_mask  # type: ignore[import-untyped]  # no public name

from omniou import segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._catalogue.pixel_score import pixel_scores
from omniou._lib import checks
from omniou._lib.docs import described
from omniou_integrations.keras._tensors import cell_counts, cell_sums, is_visible, known, per_box, tensor

# Without float64, weights are summed in this many parts, each short enough to lose no digits. There are fewer parts if
# all their cells together would exceed the second number.
_PARTS, _CELLS = 1024, 2**22
# Lower bits of a count, split off so that float32 holds both parts.
_LOW = 2**12


@keras.saving.register_keras_serializable(package="omniou")
class SegmentationScore(keras.metrics.Metric):  # type: ignore[misc]
    """A score of segmentation, such as Dice, from the confusion counts of all batches.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    score : str
        A name of `omniou.pixel_scores`.
    average : {"macro", "micro", "weighted"}
        Of classes, as `omniou.segmentation.iou` has it.
    name : str, optional
        By default the score.
    dtype
        Dtype of the result, as in `keras.metrics.Metric`; counts are exact in every dtype.
    ignore_class : int or list of int, optional
        A label, or several: pixels whose target has one of them are excluded.
    sparse_y_true, sparse_y_pred : bool
        Whether targets, and predictions, are classes. Otherwise they are scores of two classes or more along `axis`.
    axis : int
        Axis of the classes in scores.

    Raises
    ------
    TypeError
        If `ignore_class` is neither an integer nor several.
    ValueError
        If `num_classes` is not a positive integer, or the score is unknown; from `update_state`, for one score along
        `axis`, and for labels that are not whole numbers, or targets that are neither classes nor ignored.

    Notes
    -----
    ``sample_weight`` has the axes of the target or the first of them. Counts are exact up to 2**48 pixels. A prediction
    that is not a class is a false negative of the class of its target. In a compiled step, where values cannot be
    checked, labels that raise an error elsewhere make the result NaN. For one sigmoid channel see `BinaryIoU`.

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
        ignore_class: Labels = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        num_classes = checks.count("num_classes", num_classes)
        score = checks.choice("score", score, pixel_scores)
        average = checks.choice("average", average, ("macro", "micro", "weighted"))
        super().__init__(name=name or score, dtype=dtype)
        self._direction = "up"  # which Keras' callbacks with mode "auto" read
        self.num_classes = num_classes
        self.score = score
        self.average = average
        self.ignore_class = checks.plain_option(ignore_class)
        self._ignored = checks.labels("ignore_class", ignore_class)
        self.sparse_y_true = checks.flag("sparse_y_true", sparse_y_true)
        self.sparse_y_pred = checks.flag("sparse_y_pred", sparse_y_pred)
        self.axis = checks.integer("axis", axis)
        # The state is the sum of two floats; the second holds the digits that the first has no room for.
        shape = (num_classes, num_classes + 1)
        self.counts = self.add_variable(shape, "zeros", dtype="float32", name="counts")
        self.rest = self.add_variable(shape, "zeros", dtype="float32", name="rest")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the pixels of a batch."""
        mask = get_keras_mask(y_pred)
        target, pred = self._labels("y_true", y_true), self._labels("y_pred", y_pred)
        weight = None
        for given in (mask, sample_weight):
            if given is not None:
                each = per_box(given, target, dtype="float32")
                weight = each if weight is None else weight * each
        self._check(weight, y_true=target, y_pred=pred)
        side = self.num_classes + 2
        rows = self._clamped(target)
        for label in self._ignored:  # others than classes are left out anyway
            rows = ops.where(rows == label, -1, rows)
        # Cells of a table with a border for labels that are not classes: with 2 classes and side 4, target 1 and
        # prediction 0 are cell (1 + 1) * 4 + 0 + 1 = 9, and an ignored target (-1) is in the first row.
        cell = (rows + 1) * side + self._clamped(pred) + 1
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
        """Return the arguments of `from_config`."""
        names = ("num_classes", "score", "average", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}

    def _labels(self, name: str, y: Any) -> Any:
        """Return class labels; scores of classes become the class with the highest score."""
        y = tensor(name, y)
        if getattr(self, f"sparse_{name}"):
            return y
        if y.shape[self.axis] == 1:
            raise ValueError(
                f"`{name}` has one score along axis {self.axis}, which is always the highest: use `BinaryIoU`, or pass "
                "`y > threshold`"
            )
        return ops.argmax(y, axis=self.axis)

    def _faults(self, name: str, labels: Any) -> dict[str, Any]:
        """Booleans for labels that cannot be classes, by the text of the error."""
        faults = {}
        if _is_float(labels):
            faults[
                "must have whole numbers, the classes, got {}: use `BinaryIoU` for one score of each pixel, and "
                f"`sparse_{name}=False` for scores of classes along an axis"
            ] = labels != ops.round(labels)
        if name == "y_true":
            faults[
                f"must be a class from 0 to {self.num_classes - 1} or ignored, got {{0}}: subtract 1 from labels that "
                "count from 1, or pass `ignore_class={0}` if it marks pixels that do not count"
            ] = self._unless_ignored(ops.logical_or(labels < 0, labels >= self.num_classes), labels)
        return faults

    def _unless_ignored(self, wrong: Any, labels: Any) -> Any:
        for label in self._ignored:
            wrong = ops.logical_and(wrong, labels != label)
        return wrong

    def _check(self, weight: Any, **sides: Any) -> None:
        """Raise for labels that count and cannot be classes; where values cannot be checked, make the result NaN."""
        for name, given in sides.items():
            labels = given if _is_float(given) else _signed(given)
            for fault, found in self._faults(name, labels).items():
                wrong = found if weight is None else ops.logical_and(found, ops.reshape(weight, ops.shape(found)) != 0)
                if not is_visible(wrong):
                    self._add(ops.where(ops.any(wrong), math.nan, ops.zeros(self.counts.shape)))
                elif bool(ops.any(wrong)):
                    first = ops.argmax(ops.cast(ops.reshape(wrong, (-1,)), "int32"))
                    got = float(ops.reshape(labels, (-1,))[int(first)])
                    raise ValueError(f"`{name}` {fault.format(f'{got:.10g}')}")

    def _clamped(self, labels: Any) -> Any:
        """Labels (...) -> (N,) from -1 to C: labels that are not classes are counted in a border."""
        return ops.cast(ops.reshape(ops.clip(_signed(labels), -1, self.num_classes), (-1,)), "int32")

    def _without_border(self, cells: Any) -> Any:
        """Cut (C + 2, C + 2) to (C, C + 1); the last column counts predictions outside the classes."""
        rows = cells[1:-1]
        return ops.concatenate([rows[:, 1:-1], rows[:, :1] + rows[:, -1:]], axis=1)

    def _add(self, part: Any) -> None:
        """Add to the sum of two floats without a loss."""
        # Two-sum (Knuth): `error` is exactly what the rounded total lacks. In float32, 2**24 + 1 rounds to 2**24, and
        # the 1 goes to `rest`.
        total = self.counts + part
        back = total - self.counts
        error = (self.counts - (total - back)) + (part - back)
        rest = self.rest + error
        whole = total + rest
        self.rest.assign(rest - (whole - total))
        self.counts.assign(whole)


@keras.saving.register_keras_serializable(package="omniou")
@described(SegmentationScore)
class MeanIoU(SegmentationScore):
    """Mean IoU of segmentation, from the confusion counts of all batches.

    Parameters
    ----------
    num_classes
    name : str, optional
        By default ``mean_iou``.
    dtype, ignore_class, sparse_y_true, sparse_y_pred, axis

    Raises
    ------
    ValueError
        If `num_classes` is not a positive integer.

    Notes
    -----
    Arguments are as in `keras.metrics.MeanIoU`. ``sample_weight`` has the axes of the target or the first of
    them. Its floats count as they are, where Keras truncates them to integers; counts are exact up to 2**48 pixels,
    where Keras' wrap at 2**31. A prediction that is not a class is a false negative of the class of its target. The
    mean is over classes that are in a target or a prediction: 1 for a perfect one, NaN without any, where Keras has
    0.9999998 and 0.

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
        ignore_class: Labels = None,
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
        """Return the arguments of `from_config`."""
        return {name: x for name, x in super().get_config().items() if name not in {"score", "average"}}


@keras.saving.register_keras_serializable(package="omniou")
class BinaryIoU(SegmentationScore):
    """IoU of binary masks, from one probability or logit of each pixel.

    Parameters
    ----------
    target_class_ids : sequence of int
        Whose IoU is averaged: ``[1]`` is the mask's, ``[0]`` the background's, ``[0, 1]`` both.
    threshold : float
        A prediction of at least this is 1: 0.5 for probabilities, 0.0 for logits.
    name : str, optional
        By default ``binary_iou``.
    dtype
        Dtype of the result, as in `keras.metrics.Metric`; counts are exact in every dtype.
    ignore_class : int or list of int, optional
        A label, or several: pixels whose target has one of them are excluded.

    Raises
    ------
    TypeError
        If `ignore_class` is neither an integer nor several.
    ValueError
        If `target_class_ids` has others than 0 and 1; from `update_state`, for targets that are neither 0, 1 nor
        ignored.

    Notes
    -----
    Arguments are as in `keras.metrics.BinaryIoU`, with `ignore_class`. Targets and predictions may have a last axis of
    one channel. In a compiled step, where values cannot be checked, a wrong target makes the result NaN. For sums,
    weights and classes that are absent see `MeanIoU`.

    Examples
    --------
    >>> from omniou_integrations.keras import BinaryIoU
    >>> metric = BinaryIoU(target_class_ids=[1], threshold=0.5)
    >>> metric.update_state([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])
    >>> float(metric.result())
    0.5
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
        *,
        ignore_class: Labels = None,
    ) -> None:
        super().__init__(2, name=name or "binary_iou", dtype=dtype, ignore_class=ignore_class)
        self.target_class_ids = checks.labels("target_class_ids", target_class_ids)
        if not self.target_class_ids or not {0, 1}.issuperset(self.target_class_ids):
            raise ValueError(f"`target_class_ids` must be [0], [1] or [0, 1], got {target_class_ids!r}")
        self.threshold = checks.number("threshold", threshold)

    def result(self) -> Any:
        """The mean IoU of the chosen classes over everything since the last reset."""
        counts = known(ops.convert_to_tensor(self.counts + self.rest))
        return ops.cast(segmentation.iou(counts, average="macro", classes=self.target_class_ids), self.dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of `from_config`."""
        names = ("target_class_ids", "threshold", "ignore_class")
        return {**keras.metrics.Metric.get_config(self), **{name: getattr(self, name) for name in names}}

    def _labels(self, name: str, y: Any) -> Any:
        y = tensor(name, y)
        return ops.cast(ops.cast(y, "float32") >= self.threshold, "int32") if name == "y_pred" else y

    def _faults(self, name: str, labels: Any) -> dict[str, Any]:
        if name == "y_pred":
            return {}
        fault = (
            "must be 0, 1 or ignored, got {}: pass `y > 0` for a mask of 0 and 255, or `ignore_class=255` if 255 marks "
            "pixels that do not count"
        )
        return {fault: self._unless_ignored(ops.logical_and(labels != 0, labels != 1), labels)}


def _is_float(x: Any) -> bool:
    return bool(keras.backend.is_float_dtype(keras.backend.standardize_dtype(x.dtype)))


def _signed(labels: Any) -> Any:
    """Labels in a dtype that has -1, and numbers of classes that 8 bits lack."""
    dtype = keras.backend.standardize_dtype(labels.dtype)
    return labels if dtype == "int64" else ops.cast(labels, "int64" if dtype in {"uint32", "uint64"} else "int32")


def _split(whole: Any) -> list[Any]:
    """Split integers into floats that add up to them exactly."""
    low = whole % _LOW
    return [ops.cast(whole - low, "float32"), ops.cast(low, "float32")]


def _sums(cell: Any, weight: Any, size: int) -> list[Any]:
    """Sum the weights of each cell, (size,), as floats that add up to the sum exactly."""
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
