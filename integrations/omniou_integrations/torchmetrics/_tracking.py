"""HOTA, CLEAR MOT and IDF1 of multi-object trackers, as metrics."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor

from omniou import tracking
from omniou._inputs.kinds import KINDS, KindName, settled
from omniou._lib import checks
from omniou._lib.docs import described
from omniou.tracking import Result
from omniou_integrations._shared.scores import format_of
from omniou_integrations.torchmetrics import _tracked as tracked
from omniou_integrations.torchmetrics._base import PackedMetric, eager, flag
from omniou_integrations.torchmetrics._images import geometry_of

FrameSample: TypeAlias = dict[str, Any]


@described(tracking.evaluate)
class TrackingMetric(PackedMetric):
    """Base class of `HOTA`, `ClearMOT` and `IDF1`.

    Parameters
    ----------
    box_format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Format of the boxes of both sides; for other kinds one of the kind, by default its first.
    iou_type : str
        Shapes to compare: a kind of `omniou.tracking.evaluate`, such as "bbox", "segm" or "rotated".
    threshold, average, ignore_empty_classes, as_trackeval
    output : {"dict", "tensor"}
        "dict": all numbers by name. "tensor": the first one only, which ``self.log("val_hota", metric)`` of Lightning
        asks for.
    **kwargs
        Options of `torchmetrics.Metric`, such as `sync_on_compute`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit, an id occurs twice in a frame,
        or a box has no area. `compute` raises if one frame came twice with different content.
    """

    plot_lower_bound: float | None = 0.0
    plot_upper_bound: float | None = 1.0
    _numbers: tuple[str, ...] = ()

    def __init__(
        self,
        box_format: str = "xyxy",
        iou_type: KindName = "bbox",
        *,
        threshold: float = 0.5,
        average: Literal["classes", "detections"] = "classes",
        ignore_empty_classes: bool = True,
        as_trackeval: bool = True,
        output: Literal["dict", "tensor"] = "dict",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        checks.choice("iou_type", iou_type, KINDS)
        checks.choice("output", output, ("dict", "tensor"))
        flag("ignore_empty_classes", ignore_empty_classes)
        self.box_format = format_of(geometry_of([iou_type]), box_format)
        self.iou_type, self.output = iou_type, output
        self._options: dict[str, Any] = {
            "threshold": threshold,
            "average": average,
            "ignore_empty_classes": ignore_empty_classes,
            "as_trackeval": as_trackeval,
        }
        tracking.Evaluator(**self._options)  # checks the options
        self._add_table("tracked", iou_type, self.box_format)

    @eager
    def update(self, preds: Sequence[FrameSample], target: Sequence[FrameSample]) -> None:
        """Add some frames: see the notes of the class."""
        self._add(tracked.pack_frames(self._read(preds, target)))

    @eager
    def compute(self) -> Any:
        """Compute the numbers of all frames since the last reset."""
        summary = self._result().summary
        # One copy to the device for all numbers.
        values = torch.tensor([summary[name] for name in self._numbers], dtype=self.dtype).to(self.device)
        numbers = dict(zip(self._numbers, values.unbind(), strict=True))
        return numbers if self.output == "dict" else numbers[self._numbers[0]]

    @eager
    def result(self) -> Result:
        """Evaluate all frames since the last reset, of all processes: call it on each."""
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn, should_sync=self._to_sync, should_unsync=self._should_unsync
        ):
            return self._result()

    def _result(self) -> Result:
        evaluator = tracking.Evaluator(**self._options)
        for x in tracked.in_order(self._joined()):
            evaluator.update(x.target, x.preds, sequence=x.sequence, frame=x.number, similarity=x.similarity)
        return evaluator.compute()

    def _read(self, preds: Any, target: Any) -> tracked.TrackedFrames:
        is_mask = settled(self.iou_type, None, 0.0, None).column == "masks"
        kind = settled(self.iou_type, None if is_mask else self.box_format, 0.0, None)
        return tracked.read(preds, target, kind)

    def _joined(self) -> tracked.TrackedFrames:
        parts = [tracked.unpack_frames(x) for x in getattr(self, self._table)]
        return tracked.joined_frames(parts or [self._read([], [])])

    def _packed(self) -> Tensor:
        return tracked.pack_frames(self._joined())

    def _interleaved(self, packed: Sequence[Tensor]) -> Tensor:
        return tracked.pack_frames(tracked.joined_frames([tracked.unpack_frames(x) for x in packed]))


@described(TrackingMetric)
class HOTA(TrackingMetric):
    """Higher order tracking accuracy: HOTA and its parts DetA, AssA, LocA, as means over 19 thresholds.

    Parameters
    ----------
    box_format, iou_type, average, ignore_empty_classes, as_trackeval, output, threshold, **kwargs

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit, an id occurs twice in a frame,
        or a box has no area. `compute` raises if one frame came twice with different content.

    Notes
    -----
    ``update(preds, target)`` takes two lists of equal length, one dict for each frame, of any sequences:

    - ``boxes`` of shape (N, 4) for "bbox", or ``masks`` of booleans or integers (N, height, width) for "segm";
    - ``ids`` of integers (N,);
    - ``labels`` of integers (N,), if classes are evaluated separately;
    - ``frame``, in `target` only: the number of the frame in its sequence, an integer or a tensor of one;
    - ``sequence``, in `target` only and if there are several: a name or an integer.

    Frames may come in any order, and from any process: `compute` sorts the frames of a sequence by number. A frame that
    comes twice with the same content counts once, so samples that a ``DistributedSampler`` repeats change nothing. The
    state has the ids and the similarities of overlapping pairs, on the CPU; processes exchange one tensor. NumPy
    computes in float64, and the result is float32.

    ``compute()`` gives ``HOTA``, ``DetA``, ``AssA``, ``DetRe``, ``DetPr``, ``AssRe``, ``AssPr``, ``LocA``, ``OWTA``,
    ``HOTA(0)``, ``LocA(0)`` and ``HOTALocA(0)``.

    References
    ----------
    Luiten et al., HOTA: a higher order metric for evaluating multi-object tracking, IJCV 2021.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import HOTA
    >>> box = torch.tensor([[0., 0, 10, 10]])
    >>> target = [{"boxes": box, "ids": torch.tensor([1]), "frame": k} for k in range(3)]
    >>> preds = [{"boxes": box, "ids": torch.tensor([k])} for k in (7, 7, 8)]
    >>> metric = HOTA()
    >>> metric.update(preds, target)
    >>> metric.compute()["HOTA"]
    tensor(0.7454)
    """

    _numbers = (
        *("HOTA", "DetA", "AssA", "DetRe", "DetPr", "AssRe", "AssPr", "LocA", "OWTA"),
        *("HOTA(0)", "LocA(0)", "HOTALocA(0)"),
    )


@described(TrackingMetric)
class ClearMOT(TrackingMetric):
    """CLEAR MOT metrics: MOTA, MOTP, identity switches, fragments, mostly tracked and mostly lost objects.

    Parameters
    ----------
    box_format, iou_type, threshold, average, ignore_empty_classes, as_trackeval, output, **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as `HOTA`.

    Notes
    -----
    Inputs are the same as for `HOTA`. ``compute()`` gives ``MOTA``, ``MOTP`` (the mean similarity of matches),
    ``MODA``, ``sMOTA``, ``MOTAL``, ``CLR_Re``, ``CLR_Pr``, ``CLR_F1``, ``FP_per_frame``, ``MTR``, ``PTR``, ``MLR`` and
    the counts ``CLR_TP``, ``CLR_FN``, ``CLR_FP``, ``IDSW``, ``Frag``, ``MT``, ``PT``, ``ML``.

    References
    ----------
    Bernardin and Stiefelhagen, Evaluating multiple object tracking performance, EURASIP 2008.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import ClearMOT
    >>> box = torch.tensor([[0., 0, 10, 10]])
    >>> target = [{"boxes": box, "ids": torch.tensor([1]), "frame": k} for k in range(3)]
    >>> preds = [{"boxes": box, "ids": torch.tensor([k])} for k in (7, 7, 8)]
    >>> result = ClearMOT()(preds, target)
    >>> result["MOTA"], result["IDSW"]
    (tensor(0.6667), tensor(1.))
    """

    plot_lower_bound = None
    plot_upper_bound = None
    _not_scores = ("CLR_TP", "CLR_FN", "CLR_FP", "IDSW", "Frag", "MT", "PT", "ML", "FP_per_frame")
    _numbers = (
        *("MOTA", "MOTP", "MODA", "sMOTA", "MOTAL", "CLR_Re", "CLR_Pr", "CLR_F1", "FP_per_frame", "MTR", "PTR", "MLR"),
        *("CLR_TP", "CLR_FN", "CLR_FP", "IDSW", "Frag", "MT", "PT", "ML"),
    )


@described(TrackingMetric)
class IDF1(TrackingMetric):
    """Identity metrics: IDF1, identity precision and recall, from one matching of whole tracks to objects.

    Parameters
    ----------
    box_format, iou_type, threshold, average, ignore_empty_classes, as_trackeval, output, **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as `HOTA`.

    Notes
    -----
    Inputs are the same as for `HOTA`. ``compute()`` gives ``IDF1``, ``IDP``, ``IDR`` and the counts ``IDTP``, ``IDFN``,
    ``IDFP``.

    References
    ----------
    Ristani et al., Performance measures and a data set for multi-target, multi-camera tracking, ECCVW 2016.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import IDF1
    >>> box = torch.tensor([[0., 0, 10, 10]])
    >>> target = [{"boxes": box, "ids": torch.tensor([1]), "frame": k} for k in range(3)]
    >>> preds = [{"boxes": box, "ids": torch.tensor([k])} for k in (7, 7, 8)]
    >>> IDF1(output="tensor")(preds, target)
    tensor(0.6667)
    """

    _not_scores = ("IDTP", "IDFN", "IDFP")
    _numbers = ("IDF1", "IDP", "IDR", "IDTP", "IDFN", "IDFP")
