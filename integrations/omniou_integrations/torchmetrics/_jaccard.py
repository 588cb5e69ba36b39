"""Jaccard index (IoU) of binary, multi-class and multi-label predictions, and other scores of classes."""

from typing import Any, Literal

import torch
from torch import Tensor

from omniou import pixel_scores, segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._lib import checks
from omniou._lib.docs import described
from omniou_integrations.torchmetrics._base import WholeMetric, eager
from omniou_integrations.torchmetrics._labels import OfLabels, OfScores, ScoreActivation

Average = Literal["micro", "macro", "weighted", "none"]
_AVERAGES = ("micro", "macro", "weighted", "none")


class _OfClasses(OfLabels):
    """A score of classes, from the confusion counts of a whole data set."""

    def _start(self, num_classes: int, score: str, average: Average | None) -> None:
        self.num_classes = checks.count("num_classes", num_classes)
        self.score = checks.choice("score", score, pixel_scores)
        self.average = _average(average)
        self._add_sums(num_classes, num_classes + 1, 0, num_classes, self._ignored)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch: predictions (N, ...) or scores (N, C, ...), and a target (N, ...)."""
        scored = preds.is_floating_point()
        self._check(target, preds, self.num_classes)
        self._add(self._confusion(target, preds, self.num_classes, class_axis=1 if scored else None))

    def compute(self) -> Tensor:
        """The score of everything since the last reset."""
        classes = [k for k in range(self.num_classes) if k not in self._ignored or self.average == "none"]
        present = "all" if self.average == "none" else "either"
        options: dict[str, Any] = {"average": self.average, "classes": classes, "present": present}
        if self.score == "accuracy":
            options = {}  # of all classes together
        elif pixel_scores[self.score].joins:
            options = {"classes": classes}
        function = getattr(segmentation, self.score)
        return self._result(function(self.counts, zero_division=self.zero_division, **options))


class SegmentationScore(_OfClasses):
    """A score of segmentation, such as Dice, from the confusion counts of a whole data set.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    score : str
        A name of `omniou.pixel_scores`.
    average : {"macro", "micro", "weighted", "none"}, optional
        Of classes, as `omniou.segmentation.iou` has it; "none" or None: each class.
    ignore_index : int or list of int, optional
        Pixels whose target has this label, or one of these, are excluded.
    validate_args : bool
        Whether each update looks for labels that are not classes, which waits for a GPU.
    zero_division : float
        The value of 0 / 0.
    **kwargs
        Options of `torchmetrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import SegmentationScore
    >>> metric = SegmentationScore(num_classes=2, score="dice", average="none")
    >>> metric(torch.tensor([[1, 1], [1, 0]]), torch.tensor([[1, 0], [0, 0]]))
    tensor([0.5000, 0.5000])
    """

    def __init__(
        self,
        num_classes: int,
        score: str = "iou",
        *,
        average: Average | None = "macro",
        ignore_index: Labels = None,
        validate_args: bool = True,
        zero_division: float = 0.0,
        **kwargs: Any,
    ) -> None:
        common: dict[str, Any] = {"ignore_index": ignore_index, "validate_args": validate_args}
        super().__init__(**common, zero_division=zero_division, **kwargs)
        self._start(num_classes, score, average)


@described(SegmentationScore)
class BinaryJaccardIndex(OfScores):
    """Jaccard index (IoU) of one class against the rest: of masks, say.

    Parameters
    ----------
    threshold : float
        Predictions of a floating dtype are positive above it.
    ignore_index
    validate_args : bool
        Whether each update looks for labels other than 0, 1 and `ignore_index`, which waits for a GPU.
    zero_division
    activation : {"none", "sigmoid"}, optional
        What predictions of a floating dtype are: probabilities ("none"), or logits, whose sigmoid is compared. By
        default a batch with a value outside [0, 1] has logits, as in torchmetrics. If that guess changes between
        batches, it raises: in `update`, and in `compute` without `validate_args`.
    **kwargs
        Options of `torchmetrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit.

    Notes
    -----
    The input is a tensor of any shape, and a target of the same shape. Counts are integers of 64 bits, and divided in
    float64; torchmetrics divides in float32, which cannot count beyond 2**24 pixels.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import BinaryJaccardIndex
    >>> BinaryJaccardIndex()(torch.tensor([0.35, 0.85, 0.48, 0.01]), torch.tensor([1, 1, 0, 0]))
    tensor(0.5000)
    """

    def __init__(
        self,
        threshold: float = 0.5,
        ignore_index: Labels = None,
        validate_args: bool = True,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        zero_division: float = 0.0,
        *,
        activation: ScoreActivation | None = None,
        **kwargs: Any,
    ) -> None:
        common: dict[str, Any] = {"ignore_index": ignore_index, "validate_args": validate_args}
        super().__init__(**common, zero_division=zero_division, **kwargs)
        self._start_scores(threshold, activation)
        self._add_sums(2, 3, 0, threshold, self._ignored, activation)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of any shape."""
        _check_shapes(preds, target)
        self._check(target, preds, 2)
        known = torch.ones_like(target, dtype=torch.bool)
        for label in self._ignored:
            known &= target != label
        labels, readings = self._positive(preds, known)
        self._add(self._confusion(target, labels, 2), readings=readings)

    def compute(self) -> Tensor:
        """IoU of the positive class over everything since the last reset."""
        counts, _ = self._fetched()
        score: Tensor = segmentation.iou(counts, classes=[1], present="all", zero_division=self.zero_division)[0]
        return self._result(score)


@described(BinaryJaccardIndex)
class MulticlassJaccardIndex(_OfClasses):
    """Jaccard index (IoU) of classes, from the confusion counts of a whole data set: mean IoU.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    average : {"macro", "micro", "weighted", "none"}, optional
        "macro": the mean over classes that occur in target or prediction, except for `ignore_index`. "weighted": by the
        pixels of the target. "micro": of all classes as one. "none" or None: each class.
    ignore_index, validate_args, zero_division, **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as in `BinaryJaccardIndex`.

    Notes
    -----
    The target has shape (N, ...). Predictions have the same shape and are classes, or (N, C, ...), of a floating dtype,
    and are scores of classes, the highest of which wins. With ``validate_args=False`` a prediction that is not a class
    is a false negative of the class of its target, and false for none.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import MulticlassJaccardIndex
    >>> MulticlassJaccardIndex(num_classes=3)(torch.tensor([2, 1, 0, 1]), torch.tensor([2, 1, 0, 0]))
    tensor(0.6667)
    """

    def __init__(
        self,
        num_classes: int,
        average: Average | None = "macro",
        ignore_index: Labels = None,
        validate_args: bool = True,  # noqa: FBT001, FBT002
        zero_division: float = 0.0,
        **kwargs: Any,
    ) -> None:
        common: dict[str, Any] = {"ignore_index": ignore_index, "validate_args": validate_args}
        super().__init__(**common, zero_division=zero_division, **kwargs)
        self._start(num_classes, "iou", average)


@described(BinaryJaccardIndex)
class MultilabelJaccardIndex(OfScores):
    """Jaccard index (IoU) of labels, any number of which a pixel or sample may have.

    Parameters
    ----------
    num_labels : int
        How many labels there are.
    threshold, ignore_index, validate_args, zero_division, activation, **kwargs
    average : {"macro", "micro", "weighted", "none"}, optional
        "macro": the mean over all labels. "weighted": by how often the target has them. "micro": of all labels as one.
        "none" or None: each label.

    Raises
    ------
    TypeError, ValueError
        The same as in `BinaryJaccardIndex`.

    Notes
    -----
    Predictions and targets have shape (N, L, ...).

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import MultilabelJaccardIndex
    >>> preds, target = torch.tensor([[0, 0, 1], [1, 0, 1]]), torch.tensor([[0, 1, 0], [1, 0, 1]])
    >>> MultilabelJaccardIndex(num_labels=3)(preds, target)
    tensor(0.5000)
    """

    def __init__(  # noqa: PLR0917  (the signature of torchmetrics)
        self,
        num_labels: int,
        threshold: float = 0.5,
        average: Average | None = "macro",
        ignore_index: Labels = None,
        validate_args: bool = True,  # noqa: FBT001, FBT002
        zero_division: float = 0.0,
        *,
        activation: ScoreActivation | None = None,
        **kwargs: Any,
    ) -> None:
        common: dict[str, Any] = {"ignore_index": ignore_index, "validate_args": validate_args}
        super().__init__(**common, zero_division=zero_division, **kwargs)
        self.num_labels = checks.count("num_labels", num_labels)
        self._start_scores(threshold, activation)
        self.average = _average(average)
        self._add_sums(num_labels, 6, 0, num_labels, threshold, self._ignored, activation)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch: predictions and a target (N, L, ...)."""
        _check_shapes(preds, target)
        if preds.ndim < 2 or preds.shape[1] != self.num_labels:
            raise ValueError(f"`preds` must have shape (N, {self.num_labels}, ...), got {tuple(preds.shape)}")
        self._check(target, preds, 2)
        labels, readings = self._positive(preds, None)
        counts = self._confusion(target.movedim(1, 0), labels.movedim(1, 0), 2, per_image=True)
        self._add(counts.reshape(self.num_labels, 6), readings=readings)

    def compute(self) -> Tensor:
        """IoU over everything since the last reset."""
        counts, _ = self._fetched()
        options: dict[str, Any] = {"classes": [1], "present": "all", "zero_division": self.zero_division}
        counts = counts.reshape(self.num_labels, 2, 3)
        if self.average == "micro":
            return self._result(segmentation.iou(counts, images="pool", **options)[0])
        each = segmentation.iou(counts, **options)[:, 0]
        if self.average == "none":
            return self._result(each)
        weight = counts[:, 1].sum(-1).to(each.dtype) if self.average == "weighted" else torch.ones_like(each)
        return self._result((each * weight / weight.sum()).sum())


class JaccardIndex(WholeMetric):
    """Jaccard index (IoU) for a task.

    It makes a `BinaryJaccardIndex`, a `MulticlassJaccardIndex` or a `MultilabelJaccardIndex`.

    Parameters
    ----------
    task : {"binary", "multiclass", "multilabel"}
        Which of them.
    threshold, num_classes, num_labels, average, ignore_index, validate_args, **kwargs
        Of that metric.

    Raises
    ------
    TypeError, ValueError
        If the task is unknown, or an option does not fit.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import JaccardIndex
    >>> JaccardIndex(task="binary")(torch.tensor([0, 1, 0, 0]), torch.tensor([1, 1, 0, 0]))
    tensor(0.5000)
    """

    def __new__(  # type: ignore[misc]  # noqa: PLR0917  (as in torchmetrics, whose class makes one of these three)
        cls,
        task: Literal["binary", "multiclass", "multilabel"],
        threshold: float = 0.5,
        num_classes: int | None = None,
        num_labels: int | None = None,
        average: Average | None = "macro",
        ignore_index: Labels = None,
        validate_args: bool = True,  # noqa: FBT001, FBT002
        **kwargs: Any,
    ) -> BinaryJaccardIndex | MulticlassJaccardIndex | MultilabelJaccardIndex:
        """The metric for a task."""
        checks.choice("task", task, ("binary", "multiclass", "multilabel"))
        kwargs |= {"ignore_index": ignore_index, "validate_args": validate_args}
        if task == "binary":
            return BinaryJaccardIndex(threshold, **kwargs)
        if task == "multiclass":
            return MulticlassJaccardIndex(checks.count("num_classes", num_classes), average, **kwargs)
        return MultilabelJaccardIndex(checks.count("num_labels", num_labels), threshold, average, **kwargs)

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Of the metric that it makes. An abstract class would not be taken from a configuration file."""
        raise NotImplementedError

    def compute(self) -> Tensor:
        """Of the metric that it makes."""
        raise NotImplementedError


def _check_shapes(preds: Tensor, target: Tensor) -> None:
    if preds.shape != target.shape:
        raise ValueError(f"`preds` must have the shape of `target`, {tuple(target.shape)}, got {tuple(preds.shape)}")


def _average(average: Any) -> Average:
    checks.choice("average", average or "none", _AVERAGES)
    return average or "none"
