"""Metrics for PyTorch Ignite: average precision of detections, mean scores of boxes, and scores of segmentation.

Attach the metrics of detection to an evaluator whose output is two lists with a dict for each image,
``(predictions, targets)``, as torchvision's detectors and torchmetrics have them; `output_transform` brings other
outputs into this form.

Across processes the result is the result of all images together, to the last bit, with uneven shards and with processes
without a batch too. Mind that a ``DistributedSampler`` repeats samples until all shards are equal, and they count as
often as they are seen.

>>> import torch
>>> from ignite.engine import Engine
>>> from omniou_integrations.ignite import DetectionAP
>>> box, label = torch.tensor([[0.0, 0, 10, 10]]), torch.tensor([1])
>>> truth = {"boxes": box, "labels": label}
>>> evaluator = Engine(lambda engine, batch: ([truth | {"scores": torch.tensor([0.9])}], [truth]))
>>> DetectionAP("voc2010").attach(evaluator, "map")
>>> evaluator.run([None]).metrics
{'AP': 1.0, 'AR': 1.0, 'map': {'AP': 1.0, 'AR': 1.0}}
"""

from omniou._lib import extras

extras.check_adapter(__name__, "ignite", "torch")

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import ignite.distributed as idist  # type: ignore[import-not-found, unused-ignore]
import numpy as np
import torch
from ignite.metrics import Metric  # type: ignore[import-not-found, unused-ignore]
from torch import Tensor

from omniou import detection, pixel_scores, scores, segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._inputs import dicts
from omniou._inputs.kinds import KindName, with_masks
from omniou._lib import checks
from omniou._lib.docs import described
from omniou._lib.formats import BoxFormat
from omniou.detection import Evaluator, Protocol
from omniou_integrations._shared import columns
from omniou_integrations._shared.pairing import paired
from omniou_integrations._shared.parts import (
    MetricPart,
    interleaved,
    invariant,
    numpy,
    pack,
    pack_columns,
    unpack,
    unpack_columns,
)
from omniou_integrations._shared.scores import KIND, attempt, format_of, miss_of, score_by_name, shapes_of

__all__ = ["BoxScore", "DetectionAP", "SegmentationScore"]


def __dir__() -> list[str]:
    return __all__


@described(detection.evaluate)
class DetectionAP(Metric):  # type: ignore[misc, unused-ignore]
    """Average precision and recall of detections, by the rules of COCO or any others.

    Parameters
    ----------
    protocol : str or Protocol, optional
        The rules, as in `omniou.detection.evaluate`. Those by name are taken with ``tie_policy="invariant"``, so
        the result is the same to the last bit however images are shared among processes.
    kind, format, offset, classes, groups, class_agnostic
    **kwargs
        Options of `ignite.metrics.Metric`: `output_transform`, `skip_unrolling`, `metrics_result_mode`, and `device`,
        which changes nothing: tensors may be on any device, the arithmetic is NumPy's.

    Raises
    ------
    TypeError, ValueError
        The same as in `omniou.detection.evaluate`; the predictions are its `detections`. The state stays unchanged.

    Notes
    -----
    The dicts have ``boxes`` or ``masks``, and ``labels``; predictions ``scores``; targets ``iscrowd``, ``area`` and
    ``ignore`` if wanted. ``compute()`` gives `Result.summary`, a dict of floats, NaN where there is no data. Attached
    as "map", ``engine.state.metrics["AP50"]`` is one of them and ``engine.state.metrics["map"]`` all.

    Images are matched as they come, and about ten bytes are kept for each detection.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.ignite import DetectionAP
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [20, 20, 30, 30]])
    >>> predictions = [{"boxes": boxes, "scores": torch.tensor([0.9, 0.8]), "labels": torch.tensor([0, 0])}]
    >>> targets = [{"boxes": boxes[1:], "labels": torch.tensor([0])}]
    >>> metric = DetectionAP()
    >>> metric.update((predictions, targets))
    >>> metric.compute()["AP50"]
    0.5
    """

    def __init__(
        self,
        protocol: Protocol | str | None = None,
        *,
        kind: KindName = "bbox",
        format: BoxFormat = "xyxy",
        offset: float = 0.0,
        classes: Any = None,
        groups: Mapping[str, Any] | None = None,
        class_agnostic: bool = False,
        **kwargs: Any,
    ) -> None:
        self._groups = groups
        shape = "masks" if with_masks(kind) else "boxes"
        self._names = dicts.names(*dicts.keys("targets", shape), *dicts.keys("detections", shape))
        self._evaluator: Evaluator[Any] = Evaluator(
            invariant(protocol, kind=kind, class_agnostic=class_agnostic),
            kind=kind,
            format=format,
            offset=offset,
            classes=classes,
            groups=groups,
        )
        super().__init__(**kwargs)

    def reset(self) -> None:
        """Reset the state."""
        self._evaluator.reset()

    def update(self, output: Any) -> None:
        """Add the images of a batch, ``(predictions, targets)``."""
        predictions, targets = _in_numpy(output, self._names)
        self._evaluator.update(targets, predictions)

    def compute(self) -> dict[str, float]:
        """Compute the numbers of everything since the last reset, on all processes."""
        state = self._evaluator.state
        rules = {"": (state.protocol, state.kind)}
        mine = MetricPart(np.asarray([len(state.images)]), state.classes, {"": state}, {})
        parts = [unpack(x, rules) for x in _gathered(pack(mine))]
        return detection.compute([interleaved(parts).states[""]], groups=self._groups).summary


@described(DetectionAP, KIND)
class BoxScore(Metric):  # type: ignore[misc, unused-ignore]
    """Mean of a score of predicted boxes and their targets.

    In an image, boxes of one label are paired one by one, the best score first. Each prediction and each target left
    over counts as one more pair that scores `miss`, so leaving a box out is never better than a poor one. Targets
    that are crowds or ignored are excluded.

    Parameters
    ----------
    score : str or callable
        A name of `omniou.scores`, such as "giou"; or a function of two arrays of NumPy, boxes (P, 4) and
        boxes (P, 4) -> scores (P,), the higher the better. It gets ``format=format`` unless this is "xyxy".
    score_options : mapping, optional
        Options of the score, such as ``{"image_size": (480, 640)}`` for "mpdiou".
    format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Format of predicted and target boxes; for other kinds one of the kind, by default its first.
    kind : str
    miss : float, optional
        Score of an unpaired box. Default: what boxes infinitely far apart score,
        `omniou.scores[score].miss`; 0 for a function. Must be given for distances that have no bound, such as "kld".
    **kwargs

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update`, if the inputs do not fit. The state stays unchanged.

    Notes
    -----
    The dicts have ``boxes`` and ``labels``, targets ``iscrowd`` and ``ignore`` if wanted; a negative label marks
    padding. ``compute()`` gives a float: NaN where nothing was seen, or a predicted box was not finite. Eight bytes are
    kept for each pair, so their order has no effect on the sum.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.ignite import BoxScore
    >>> predictions = [{"boxes": torch.tensor([[0.0, 0, 2, 2], [5, 5, 6, 6]]), "labels": torch.tensor([0, 1])}]
    >>> targets = [{"boxes": torch.tensor([[0.0, 0, 2, 1]]), "labels": torch.tensor([0])}]
    >>> metric = BoxScore("iou")
    >>> metric.update((predictions, targets))
    >>> metric.compute()  # one pair, and a box that has no partner
    0.25
    """

    def __init__(
        self,
        score: str | Callable[..., Any] = "iou",
        *,
        format: str = "xyxy",
        kind: str = "bbox",
        miss: float | None = None,
        score_options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        geometry = shapes_of(kind)
        format = format_of(geometry, format, "format")
        function = score if callable(score) else score_by_name("score", score, geometry)
        given = dict(score_options or {})
        if isinstance(score, str):
            attempt(function, {"format": format, **given}, geometry)
        # A function of the user's need not know formats.
        self._score = functools.partial(function, **given, **({} if format == "xyxy" else {"format": format}))
        self._miss = miss_of(score, miss)
        self._distances = [""] if isinstance(score, str) and not scores[score].higher_is_better else []
        self._reading = columns.Reading(format, 0.0, None, scored=False, geometry=geometry)
        super().__init__(**kwargs)

    def reset(self) -> None:
        """Reset the state."""
        self._values: list[Any] = []
        self._misses = 0

    def update(self, output: Any) -> None:
        """Add the boxes of a batch, ``(predictions, targets)``."""
        given = _in_numpy(output, columns.NAMES)
        if not given[0]:
            return
        predictions, targets, _ = columns.read(given[0], given[1], self._reading)
        if columns.has_diverged(predictions):
            self._values.append(np.asarray([math.nan]))
            return
        values, misses = paired(predictions, targets, {"": self._score}, distances=self._distances)[""]
        self._values.append(np.asarray(values, np.float64))
        self._misses += misses

    def compute(self) -> float:
        """Mean of everything since the last reset, on all processes."""
        mine = {"values": np.concatenate([np.zeros(0), *self._values]), "misses": np.asarray(self._misses)}
        parts = [unpack_columns(x) for x in _gathered(pack_columns(mine))]
        values = np.concatenate([part["values"] for part in parts])
        misses = sum(int(part["misses"]) for part in parts)
        count = len(values) + misses
        # Rounded once, so that the order of the pairs plays no part.
        return math.fsum([*values.tolist(), misses * self._miss]) / count if count else math.nan


class SegmentationScore(Metric):  # type: ignore[misc, unused-ignore]
    """A score of segmentation, such as mean IoU or Dice, from the confusion counts of a data set.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    score : str
        A name of `omniou.pixel_scores`.
    average : {"macro", "micro", "weighted", "none"}
        Of classes, as in `omniou.segmentation.iou`. "none": each class.
    ignore_index : int or list of int, optional
        Pixels whose target has this label, or one of these, are excluded.
    zero_division : float
        The value of 0 / 0.
    **kwargs
        Options of `ignite.metrics.Metric`: `output_transform`, `skip_unrolling`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update`, if shapes do not fit or a label is not a class.

    Notes
    -----
    The output of the engine is ``(predictions, targets)``: classes (N, ...) on both sides, or scores of classes
    (N, C, ...) of a floating dtype as predictions, the highest of which wins. ``compute()`` gives a float, NaN where
    nothing was seen; with ``average="none"`` a list of a float for each class.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.ignite import SegmentationScore
    >>> metric = SegmentationScore(num_classes=2, score="dice", ignore_index=255)
    >>> metric.update((torch.tensor([[0, 1, 1, 0]]), torch.tensor([[0, 0, 1, 255]])))
    >>> round(metric.compute(), 4)
    0.6667
    """

    def __init__(
        self,
        num_classes: int,
        score: str = "iou",
        *,
        average: str = "macro",
        ignore_index: Labels = None,
        zero_division: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self._num_classes = checks.count("num_classes", num_classes)
        score = checks.choice("score", score, [name for name, x in pixel_scores.items() if hasattr(segmentation, name)])
        average = checks.choice("average", average, ("macro", "micro", "weighted", "none"))
        self._ignored = checks.labels("ignore_index", ignore_index)
        pooled = pixel_scores[score].joins or score == "accuracy"
        options = {} if pooled else {"average": average}
        self._score = functools.partial(getattr(segmentation, score), zero_division=zero_division, **options)
        super().__init__(**kwargs)

    def reset(self) -> None:
        """Reset the state."""
        self._counts = torch.zeros((self._num_classes, self._num_classes + 1), dtype=torch.int64)

    def update(self, output: Any) -> None:
        """Add the maps of a batch, ``(predictions, targets)``."""
        predictions, targets = (x.detach() for x in output)
        scored = predictions.is_floating_point()
        labels = torch.zeros_like(targets) if scored else predictions
        segmentation.check(targets, labels, self._num_classes, ignore_index=self._ignored)
        options: dict[str, Any] = {
            "ignore_index": self._ignored,
            "outside": "column",
            "class_axis": 1 if scored else None,
        }
        counts = segmentation.confusion(targets, predictions, self._num_classes, **options)
        self._counts = self._counts + counts.cpu()

    def compute(self) -> float | list[float]:
        """The score of everything since the last reset, on all processes."""
        total = sum(_gathered(self._counts.reshape(-1)), torch.zeros_like(self._counts.reshape(-1)))
        value: Any = self._score(total.reshape(self._counts.shape).numpy())
        number: float | list[float] = value.tolist()
        return number


def _gathered(packed: Tensor) -> list[Tensor]:
    """A flat tensor of each process, of any length."""
    lengths: Any = idist.all_gather(len(packed))
    rows: Any = idist.all_gather(torch.nn.functional.pad(packed, (0, max(lengths) - len(packed)))[None])
    return [row[:length] for row, length in zip(rows, lengths, strict=True)]


def _in_numpy(output: Any, names: AbstractSet[str]) -> list[list[Any]]:
    """Predictions and targets, dicts of arrays instead of tensors, with these keys alone: others may be large."""
    if not isinstance(output, Sequence) or len(output) != 2:
        raise TypeError(
            f"`output` must be (predictions, targets), as `output_transform` may make it, got {type(output).__name__}"
        )
    dicts.check_lists(predictions=output[0], targets=output[1])
    return [[_arrays(sample, names) for sample in samples] for samples in output]


def _arrays(sample: Any, names: AbstractSet[str]) -> Any:
    if not isinstance(sample, Mapping):
        return sample  # which the reader refuses
    return {key: numpy(x) if isinstance(x, Tensor) else x for key, x in sample.items() if key in names}
