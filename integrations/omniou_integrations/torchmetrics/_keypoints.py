"""Average precision of keypoints, as a metric."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from omniou import detection
from omniou._inputs import dicts
from omniou._inputs.dicts import Key
from omniou._lib import checks
from omniou.detection import PRESETS, Protocol
from omniou.detection._presets import of_kind
from omniou.detection.curves._batch import batch_point
from omniou.keypoints import Skeleton
from omniou.keypoints._skeletons import skeleton_of
from omniou_integrations._shared.parts import (
    MetricPart,
    interleaved,
    invariant,
    joined,
    numpy,
    pack,
    summary_numbers,
    unpack,
)
from omniou_integrations.torchmetrics._base import PackedMetric, class_count, class_ids, eager
from omniou_integrations.torchmetrics._samples import fetched, keys
from omniou_integrations.torchmetrics._samples import read as read_samples

Sample: TypeAlias = dict[str, Tensor]

# The kind of the evaluator, and the name of its state.
_KIND = "keypoints"
_WORDS = {"AP": "map", "AR": "mar"}
_ENDS = {"": "", "s": "_small", "m": "_medium", "l": "_large"}


class KeypointAveragePrecision(PackedMetric):
    """Mean average precision and recall of keypoints by object keypoint similarity (OKS), by the rules of COCO.

    Parameters
    ----------
    sigmas : str, Skeleton or sequence of float
        How far annotators differ at each point: "coco", "crowdpose", "wholebody", or a number for each point.
    protocol : str or Protocol, optional
        The rules: by default "coco_keypoints", or "crowdpose" for its points. Those by name are taken with
        ``tie_policy="invariant"``, so the result is the same to the last bit however images are shared among
        processes.
    num_classes : int, optional
        Labels are 0 ... ``num_classes - 1``. By default the classes are those that were seen.
    **kwargs
        Options of `torchmetrics.Metric`, such as `sync_on_compute`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit. The message names the sample
        and the key; where the numbers of points and of sigmas differ, it names both. The state is as it was before.

    Notes
    -----
    ``update(preds, target)`` takes two lists of equal length, one dict of tensors for each image:

    - ``keypoints`` of shape (N, K, 2) or (N, K, 3), with COCO's v in `target`, 0 where a point is not labelled;
    - ``labels`` of integers (N,);
    - ``scores`` (N,), only in `preds`;
    - ``area`` (N,), in `target`: OKS divides by it;
    - ``boxes`` of shape (N, 4), as corners: in `target` where an object may have no labelled point, in `preds` if the
      area of a detection should be the area of its box; and ``iscrowd`` of booleans or integers (N,), in `target`.

    ``compute()`` gives float32 numbers, NaN where there is no data: ``map``, ``map_50``, ``map_75``, ``map_medium``,
    ``map_large``, ``mar``, ``mar_50``, ``mar_75``, ``mar_medium``, ``mar_large`` and ``classes``. Images are matched as
    they come, and about 10 bytes are kept of each detection, on the CPU. Processes exchange one tensor.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import KeypointAveragePrecision
    >>> points = torch.rand(2, 17, 2) * 100
    >>> target = [{"keypoints": points[:1], "labels": torch.tensor([0]), "area": torch.tensor([5000.])}]
    >>> preds = [{"keypoints": points, "scores": torch.tensor([0.9, 0.8]), "labels": torch.tensor([0, 0])}]
    >>> metric = KeypointAveragePrecision()
    >>> metric.update(preds, target)
    >>> metric.compute()["map"]
    tensor(1.)
    """

    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    def __init__(
        self,
        sigmas: str | Skeleton | Sequence[float] = "coco",
        *,
        protocol: str | Protocol | None = None,
        num_classes: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        class_count(num_classes)
        self.skeleton = skeleton_of(sigmas)
        if isinstance(protocol, str):
            checks.choice("protocol", protocol, PRESETS)
        self.protocol = invariant(of_kind(self.skeleton) if protocol is None else protocol)
        self.num_classes = num_classes
        empty: detection.Evaluator[Any] = detection.Evaluator(self.protocol, kind=self.skeleton)
        self._rules = {_KIND: (self.protocol, empty.state.kind)}
        self._add_table(self.protocol, self.skeleton, num_classes)

    @eager
    def update(
        self,
        preds: Sequence[Sample],
        target: Sequence[Sample],
        *,
        batch_summary: bool = False,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
    ) -> Any:
        """Add some images: see the notes of the class.

        Parameters
        ----------
        preds, target : list of dict
        batch_summary : bool
            Return ``precision``, ``recall`` and ``f1`` of these images, which ``self.log_dict`` of Lightning takes; NaN
            where there is no data. The images are matched only once.
        score_threshold : float, optional
            Score from which a detection counts in the summary, by default 0.5.
        iou_threshold : float, optional
            Threshold of OKS in the summary, one of the protocol's: by default 0.5, or the lowest if there is no 0.5.
        """
        point = batch_point(batch_summary, score_threshold, iou_threshold, self.protocol)
        part = self._part(preds, target)
        summary = None if point is None else summary_numbers(part.states[_KIND], point)
        self._add(pack(part))
        return summary

    def _part(self, preds: Any, target: Any) -> MetricPart:
        dicts.check_lists(preds=preds, target=target)
        declared = {"target": _keys("targets"), "preds": _keys("detections")}
        near = fetched({"target": target, "preds": preds}, {key.names[0] for some in declared.values() for key in some})
        of_target, of_preds = (
            [
                {name: numpy(x) for name, x in row.items()}
                for row in read_samples(side, near[side], keys, self.num_classes)
            ]
            for side, keys in declared.items()
        )
        if any("crowd" in row for row in of_target):  # none where an image lacks it
            of_target = [{"crowd": np.zeros_like(x["labels"])} | x if "labels" in x else x for x in of_target]
        evaluator: detection.Evaluator[Any] = detection.Evaluator(
            self.protocol, kind=self.skeleton, classes=None if self.num_classes is None else range(self.num_classes)
        )
        evaluator.update(of_target, of_preds)
        state = evaluator.state
        sizes = [len(of_target), *(sum(len(x.get("labels", ())) for x in rows) for rows in (of_target, of_preds))]
        return MetricPart(np.asarray(sizes), np.asarray(state.classes), {_KIND: state}, {})

    @eager
    def compute(self) -> dict[str, Tensor]:
        """Compute the numbers of everything since the last reset."""
        part = self._joined()
        result = detection.compute([part.states[_KIND]])
        numbers = {_called(name): value for name, value in result.summary.items()}
        # One copy to the device for all numbers.
        values = torch.tensor(list(numbers.values()), dtype=self.dtype).to(self.device)
        tensors = dict(zip(numbers, values.unbind(), strict=True))
        return tensors | {"classes": class_ids(part.labels).to(self.device)}

    def _joined(self) -> MetricPart:
        parts = [unpack(x, self._rules) for x in getattr(self, self._table)]
        return joined(parts or [self._part([], [])])

    def _packed(self) -> Tensor:
        return pack(self._joined())

    def _interleaved(self, packed: Sequence[Tensor]) -> Tensor:
        return pack(interleaved([unpack(x, self._rules) for x in packed]))


def _keys(table: Any) -> tuple[Key, ...]:
    return (*keys(table, "keypoints"), Key("boxes", ("boxes",), rest=(4,), optional=True))


def _called(name: str) -> str:
    """AP50 -> map_50, ARm -> mar_medium."""
    word, end = _WORDS[name[:2]], name[2:]
    return f"{word}{_ENDS[end]}" if end in _ENDS else f"{word}_{end}"
