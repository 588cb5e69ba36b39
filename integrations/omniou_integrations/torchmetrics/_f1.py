"""Precision, recall and F1 of detections at a threshold of scores, or at the best one, from counts that add."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from omniou import detection
from omniou._inputs.kinds import SHAPE_KINDS, KindName
from omniou._lib import checks
from omniou._lib.docs import described
from omniou_integrations._shared.scores import format_of
from omniou_integrations.torchmetrics._base import class_count, eager, flag, widened
from omniou_integrations.torchmetrics._images import Settings, geometry_of, read, result_of
from omniou_integrations.torchmetrics._map import MeanAveragePrecision
from omniou_integrations.torchmetrics._sums import SummedMetric

Sample = Mapping[str, Tensor]

# Number of thresholds among which the best one is chosen.
STEPS = 1000
# The most rows of the state: larger labels are probably not classes.
_MOST_CLASSES = 10_000


@described(MeanAveragePrecision)
class PrecisionRecallF1(SummedMetric):
    """Precision, recall and F1 of detections, at a threshold of scores or at the best one.

    The state has counts only, which do not grow with the data, so logging it at each step is cheap.

    Parameters
    ----------
    score_threshold : float or list of float, optional
        Detections that score less are excluded. Of a list, the threshold of the highest F1 is taken. Default: the best
        of 0, 0.001, ..., 1, for scores in [0, 1].
    iou_threshold : float
        Overlap from which on a detection is a true positive.
    box_format
    iou_type : str
        Shapes to compare: a kind of `MeanAveragePrecision`.
    average : {"macro", "micro"}
        The mean of the classes that have objects, or of all detections as if they were of one class.
    class_metrics : bool
        Also give the numbers of each class, as ``f1/cl_0``, at the same threshold.
    num_classes : int, optional
        Labels are 0 ... ``num_classes - 1``. By default all labels below 10,000 are taken.
    output : {"dict", "tensor"}
        "dict": all numbers. "tensor": only ``f1``, which ``self.log("val_f1", metric)`` of Lightning asks for.
    **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as `MeanAveragePrecision`; from `update`, if scores are not in [0, 1] and no threshold is given.

    Notes
    -----
    ``update(preds, target)`` takes what `MeanAveragePrecision` takes. ``compute()`` gives scalars: ``precision``, NaN
    where nothing is shown, ``recall`` and ``f1``, NaN without objects, and ``score_threshold``: of several thresholds
    with the highest F1, the highest. Detections are matched by COCO's rules, without a limit of detections; what takes
    a crowd does not count. `omniou.detection.Result.operating_points` gives the same numbers.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import PrecisionRecallF1
    >>> boxes = torch.tensor([[0., 0, 10, 10], [20, 20, 30, 30]])
    >>> preds = [{"boxes": boxes, "scores": torch.tensor([0.9, 0.4]), "labels": torch.tensor([0, 0])}]
    >>> target = [{"boxes": boxes[:1], "labels": torch.tensor([0])}]
    >>> metric = PrecisionRecallF1(score_threshold=0.25)
    >>> {name: x.item() for name, x in metric(preds, target).items()}
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666865348816, 'score_threshold': 0.25}
    >>> PrecisionRecallF1()(preds, target)["f1"]
    tensor(1.)
    """

    _takes_tensors = False
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    def __init__(
        self,
        score_threshold: float | Sequence[float] | None = None,
        iou_threshold: float = 0.5,
        *,
        box_format: str = "xyxy",
        iou_type: KindName = "bbox",
        average: Literal["macro", "micro"] = "macro",
        class_metrics: bool = False,
        num_classes: int | None = None,
        output: Literal["dict", "tensor"] = "dict",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        checks.choice("iou_type", iou_type, SHAPE_KINDS)
        checks.choice("average", average, ("macro", "micro"))
        checks.choice("output", output, ("dict", "tensor"))
        flag("class_metrics", class_metrics)
        class_count(num_classes)
        self.score_threshold = score_threshold
        self._thresholds = _thresholds(score_threshold)
        self.iou_threshold = checks.number("iou_threshold", iou_threshold)
        self.average = average
        self.class_metrics = class_metrics
        self.num_classes = num_classes
        self.output = output
        box_format = format_of(geometry_of([iou_type]), box_format)
        rules = dataclasses.replace(
            detection.COCO,
            iou_thresholds=(self.iou_threshold,),
            area_ranges=detection.COCO.area_ranges[:1],
            max_detections=(None,),
            tie_policy="invariant",
        )
        self._settings = Settings(
            protocol=rules,
            kinds=(iou_type,),
            box_format=box_format,
            averages=(),
            overlaps=False,
            num_classes=num_classes,
            compat=False,
        )
        options = (iou_threshold, box_format, iou_type, num_classes, self._thresholds)
        self._add_sums(num_classes or 0, 2 * len(self._thresholds) + 1, 0, *options)

    @eager
    def update(self, preds: Sequence[Sample], target: Sequence[Sample]) -> None:
        """Add some images: see the notes of the class."""
        images = read(preds, target, self._settings)
        labels = np.concatenate([images.targets.labels, images.detections.labels])
        if len(labels) and not 0 <= labels.min() <= labels.max() < (self.num_classes or _MOST_CLASSES):
            raise ValueError(f"labels must lie in 0 ... {_MOST_CLASSES - 1}, got {labels.min()} ... {labels.max()}")
        scores = images.detections.scores
        if self.score_threshold is None and len(scores) and not 0 <= scores.min() <= scores.max() <= 1:
            raise ValueError(
                f"scores must lie in [0, 1] for the best of {STEPS} thresholds, got {scores.min()} ... {scores.max()}: "
                "pass a list of thresholds as `score_threshold`"
            )
        rows = self.num_classes or int(labels.max(initial=-1)) + 1
        curves = result_of(images, self._settings, range(rows))._curves  # noqa: SLF001
        # Compared in the dtype of the scores, as torch does: 0.9 in float32 is less than 0.9 in float64.
        thresholds = np.asarray(self._thresholds).astype(scores.dtype if scores.dtype.kind == "f" else np.float64)
        outcomes = curves.outcomes(0)
        passed = np.searchsorted(thresholds, outcomes.scores, side="right")
        columns = [_at_least(outcomes, x, passed, (rows, len(thresholds))) for x in (outcomes.hit, outcomes.counts)]
        objects = np.asarray(curves.ranking.objects[:, :1], dtype=np.int64)
        self._add(torch.from_numpy(np.concatenate([*columns, objects], axis=1)).to(self.device))

    def compute(self) -> Any:
        """Compute the numbers of everything since the last reset."""
        size = len(self._thresholds)
        table = widened(self.counts.cpu())
        each = _Ratios(table[:, :size], table[:, size:-1], table[:, -1:])
        if self.average == "macro":
            mean = {name: x[each.objects[:, 0] > 0].nanmean(0) for name, x in each.all().items()}
        else:
            pooled = _Ratios(*(x.sum(0, keepdim=True) for x in (each.hits, each.shown, each.objects)))
            mean = {name: x[0] for name, x in pooled.all().items()}
        # Of equal maxima, the last.
        best = size - 1 - int(mean["f1"].nan_to_num(-1.0).flip(0).argmax())
        result = {name: self._number(x[best]) for name, x in mean.items()}
        if self.output == "tensor":
            return result["f1"]
        threshold = math.nan if mean["f1"][best].isnan() and size > 1 else self._thresholds[best]
        result["score_threshold"] = self._number(torch.tensor(threshold, dtype=torch.float64))
        if self.class_metrics:
            for k in range(len(table)) if self.num_classes else table.any(1).nonzero()[:, 0].tolist():
                result |= {f"{name}/cl_{k}": self._number(x[k, best]) for name, x in each.all().items()}
        return result

    def _number(self, x: Tensor) -> Tensor:
        return x.to(self.dtype).to(self.device)


@dataclasses.dataclass(frozen=True, eq=False)
class _Ratios:
    """Precision, recall and F1 of classes (K, S) by threshold."""

    hits: Tensor  # (K, S)
    shown: Tensor  # (K, S)
    objects: Tensor  # (K, 1)

    def all(self) -> dict[str, Tensor]:
        present, nan = self.objects > 0, torch.full_like(self.hits, math.nan)
        return {
            "precision": self.hits / self.shown,  # 0 / 0 is NaN
            "recall": torch.where(present, self.hits / self.objects, nan),
            "f1": torch.where(present, 2 * self.hits / (self.shown + self.objects), nan),
        }


def _at_least(outcomes: Any, which: Any, passed: Any, size: tuple[int, int]) -> Any:
    """Count the detections of each class that reach each threshold (K, S); a detection reaches the lowest `passed`."""
    classes, thresholds = size
    # Counts by class and number of thresholds passed, summed from the right: detections that pass 0, 2 and 2 of 3
    # thresholds have the counts 1 0 2 0, and 2 2 0 of them reach the thresholds.
    cells = outcomes.labels[which] * (thresholds + 1) + passed[which]
    table = np.bincount(cells, minlength=classes * (thresholds + 1)).reshape(classes, thresholds + 1)
    return table[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


def _thresholds(given: Any) -> tuple[float, ...]:
    if given is None:
        return tuple(k / STEPS for k in range(STEPS + 1))
    listed = checks.several(given)
    values = [checks.number("score_threshold", x) for x in ((given,) if listed is None else listed)]
    if not values:
        raise ValueError(f"`score_threshold` must be a number or a list of numbers, got {given!r}")
    return tuple(sorted(set(values)))
