"""Any number of `omniou.detection.evaluate` as a metric."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from omniou import detection
from omniou._inputs.kinds import SHAPE_KINDS, KindName
from omniou._lib import checks
from omniou._lib.docs import described
from omniou.detection import Protocol, Result
from omniou_integrations._shared.images import Images, interleaved_images, joined_images, pack_images, unpack_images
from omniou_integrations._shared.parts import invariant
from omniou_integrations._shared.scores import format_of
from omniou_integrations.torchmetrics._base import PackedMetric, class_count, eager
from omniou_integrations.torchmetrics._images import Settings, geometry_of, read, result_of

Sample: TypeAlias = dict[str, Tensor]


def _errors(result: Result[Any]) -> dict[str, Any]:
    errors = result.errors()
    costs = {f"{name}_cost": x for name, x in errors.cost.items()}
    return {"ap": errors.ap} | costs | {f"{name}_count": x for name, x in errors.counts.items()}


def _confusion(result: Result[Any]) -> dict[str, Any]:
    table = result.confusion()
    return {"confusion": table.counts, "score": table.score}


def _best_scores(result: Result[Any]) -> dict[str, Any]:
    points = result.operating_points()
    common = {"f1": points.common_f1, "score": points.common_score}
    return common | {"f1_per_class": points.best_f1, "score_per_class": points.best_score}


NUMBERS: dict[str, Callable[[Result[Any]], Any]] = {
    "summary": lambda result: result.summary,
    "lrp": lambda result: result.lrp().summary,
    "errors": _errors,
    "confusion": _confusion,
    "calibration": lambda result: {"calibration_error": result.calibration().error},
    "operating_points": _best_scores,
}


# The picture of `omniou.report.plot` for each part of the numbers; other parts are drawn as values.
PICTURES = {
    "summary": "pr",
    "errors": "errors",
    "confusion": "confusion",
    "calibration": "calibration",
    "operating_points": "f1",
}


@described(detection.evaluate)
class DetectionEvaluation(PackedMetric):
    """Any result of `omniou.detection.evaluate`: AP by other rules, LRP, error types, confusion, calibration.

    Parameters
    ----------
    numbers : str or callable
        Parts to compute. "summary": `Result.summary`. "lrp": optimal LRP and its parts. "errors": AP at the first IoU
        threshold, and the number and the cost of each error type. "confusion": the matrix of classes, and the score
        from which detections count, `Result.least_score`. "calibration": the expected calibration error.
        "operating_points": the highest F1 and the threshold of scores that gives it, common to all classes and of each.
        Or a function of the `Result` that gives a number, an array, or a dict of these, such as ``lambda result:
        result.errors().cost``; a metric that is to be pickled needs one that can be.
    protocol : str or Protocol, optional
        The rules, as in `omniou.detection.evaluate`. Those by name are taken with ``tie_policy="invariant"``, so
        the result is the same to the last bit however images are shared among processes.
    box_format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Format of both sides; for other kinds one of the kind, by default its first.
    iou_type : str
        Shapes to compare: a kind of `MeanAveragePrecision`.
    num_classes : int, optional
        Labels are 0 ... ``num_classes - 1``. By default the classes are those that were seen.
    class_agnostic
    **kwargs
        Options of `torchmetrics.Metric`, such as `sync_on_compute`.

    Raises
    ------
    TypeError, ValueError
        The same as in `MeanAveragePrecision`.

    Notes
    -----
    ``update(preds, target)`` takes what `MeanAveragePrecision` takes. Boxes or masks are kept, on the CPU, about 60
    bytes for each box, for most of these numbers look at all of them again. Processes exchange one tensor.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import DetectionEvaluation
    >>> boxes = torch.tensor([[0., 0, 10, 10], [20, 20, 30, 30]])
    >>> preds = [{"boxes": boxes, "scores": torch.tensor([0.9, 0.8]), "labels": torch.tensor([0, 1])}]
    >>> target = [{"boxes": boxes, "labels": torch.tensor([0, 0])}]
    >>> DetectionEvaluation("confusion")(preds, target)["confusion"].int().tolist()
    [[1, 0, 1], [0, 0, 0], [0, 0, 0]]
    >>> DetectionEvaluation(protocol="voc2010")(preds, target)["AP"]
    tensor(0.5000)
    """

    _not_scores = ("_count",)

    def __init__(
        self,
        numbers: str | Callable[[Result[Any]], Any] = "summary",
        *,
        protocol: str | Protocol | None = None,
        box_format: str = "xyxy",
        iou_type: KindName = "bbox",
        num_classes: int | None = None,
        class_agnostic: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(numbers):
            checks.choice("numbers", numbers, tuple(NUMBERS))
        checks.choice("iou_type", iou_type, SHAPE_KINDS)
        box_format = format_of(geometry_of([iou_type]), box_format)
        class_count(num_classes)
        self.numbers = numbers
        rules = invariant(protocol, kind=iou_type, class_agnostic=class_agnostic)
        self._settings = Settings(
            protocol=rules,
            kinds=(iou_type,),
            box_format=box_format,
            averages=(),
            overlaps=False,
            num_classes=num_classes,
            compat=False,
        )
        self._add_table(iou_type, box_format)

    @eager
    def update(self, preds: Sequence[Sample], target: Sequence[Sample]) -> None:
        """Add some images: see the notes of the class."""
        self._add(pack_images(read(preds, target, self._settings)))

    @eager
    def compute(self) -> Any:
        """Compute the numbers of everything since the last reset."""
        numbers = self.numbers if callable(self.numbers) else NUMBERS[self.numbers]
        return self._tensors(numbers(self._result()))

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw the picture of the numbers by `omniou.report.plot`; return figure and axes.

        "summary" is drawn as precision over recall, "operating_points" as F1 over scores; "errors", "confusion" and
        "calibration" have pictures of their own. Other numbers, and results that are given, are drawn as values.
        """
        kind = PICTURES.get(self.numbers) if isinstance(self.numbers, str) else None
        if val is not None or kind is None:
            return super().plot(val, ax)
        axes = self.result().plot(kind, ax=ax)
        return (axes.figure if ax is None else None), axes  # as torchmetrics does

    @eager
    def result(self) -> Result[Any]:
        """Evaluate everything since the last reset, of all processes: call it on each."""
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn, should_sync=self._to_sync, should_unsync=self._should_unsync
        ):
            return self._result()

    def _result(self) -> Result[Any]:
        classes = self._settings.num_classes
        return result_of(self._joined(), self._settings, None if classes is None else range(classes))

    def _tensors(self, x: Any) -> Any:
        if isinstance(x, Mapping):
            return {name: self._tensors(value) for name, value in x.items()}
        return torch.from_numpy(np.asarray(x, dtype=np.float64)).to(self.device, self.dtype)

    def _joined(self) -> Images:
        """Concatenate the images of all parts."""
        parts = [unpack_images(x) for x in getattr(self, self._table)]
        return joined_images(parts or [read([], [], self._settings)])

    def _packed(self) -> Tensor:
        return pack_images(self._joined(), narrow=True)

    def _interleaved(self, packed: Sequence[Tensor]) -> Tensor:
        return pack_images(interleaved_images([unpack_images(x) for x in packed]), narrow=True)
