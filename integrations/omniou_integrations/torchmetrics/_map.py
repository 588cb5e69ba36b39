"""Mean average precision of detections, as a metric."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torchmetrics.utilities import rank_zero_warn

from omniou import detection
from omniou._inputs.kinds import SHAPE_KINDS, KindName
from omniou._lib import checks
from omniou._lib.brief import counted
from omniou._lib.host import to_torch
from omniou.detection import Protocol, Result
from omniou.detection.curves._batch import BatchPoint, batch_point
from omniou_integrations._shared.images import Images, interleaved_images, joined_images, pack_images, unpack_images
from omniou_integrations._shared.parts import (
    MetricPart,
    Overlaps,
    interleaved,
    joined,
    pack,
    summary_numbers,
    unpack,
)
from omniou_integrations._shared.scores import FORMATS, format_of
from omniou_integrations.torchmetrics import _files as files
from omniou_integrations.torchmetrics import _similarities as similarities
from omniou_integrations.torchmetrics._base import PackedMetric, class_count, class_ids, eager, flag
from omniou_integrations.torchmetrics._compat import check_samples
from omniou_integrations.torchmetrics._images import (
    Coco,
    Settings,
    evaluated,
    geometry_of,
    kinds,
    limits,
    read,
    rounded,
    shares,
    surplus,
)

Sample: TypeAlias = dict[str, Tensor]

# Pending images are matched when they reach this many bytes, about 20,000 boxes.
PENDING_BYTES = 2**20
# Dtype of the tensors that hold pending images; states of matched images are uint8.
PENDING = torch.int8


class MeanAveragePrecision(PackedMetric):
    """Mean average precision and recall of detections, by the rules of COCO.

    Parameters
    ----------
    box_format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Format of predicted and target boxes; for other kinds one of the kind, by default its first.
    iou_type : str, or a tuple of str
        Shapes to compare: "bbox" (upright boxes), "segm" (masks), or any other `kind` of `omniou.detection.evaluate`,
        such as "rotated". Of several kinds all keys but "classes" begin with the kind, such as ``bbox_`` and ``segm_``.
    iou_thresholds : list of float, optional
        By default 0.5, 0.55, ..., 0.95.
    rec_thresholds : list of float, optional
        Recall thresholds, by default 0, 0.01, ..., 1.
    max_detection_thresholds : list of int, optional
        Limits of detections in an image and class, by default 1, 10 and 100. The last is for all numbers except
        ``mar_1`` and ``mar_10``, which are named after the others.
    class_metrics : bool
        Also give ``map_per_class`` and ``mar_100_per_class``, in the order of ``classes``. Lightning takes no vectors:
        use ``self.log_dict(scalars(metric.compute(), per_class=True))``.
    extended_summary : bool
        Also give the tables ``precision``, ``recall`` and ``scores``, and ``ious``: for each (image, class) the IoU of
        its detections, by falling score, and its objects. Images are numbered as they came, those of several processes
        interleaved. Memory then grows with the number of such pairs.
    average : {"macro", "micro"}
        The mean of all classes; or of all boxes as if they were of one class.
    backend : {"pycocotools", "faster_coco_eval"}
        Accepted for compatibility: omniou needs neither of them, nor torchvision. See `compat`.
    num_classes : int, optional
        Labels are 0 ... ``num_classes - 1``, and all of them are in ``classes``. By default those that were seen.
    tie_policy : {"invariant", "file"}, optional
        Detections of equal score, as in `omniou.detection.Protocol`: all at once, so the result is the same to the
        last bit however the images are ordered and shared among processes; or one after the other, as pycocotools has
        it, where the result of several processes depends on how they share the images. By default "invariant", with
        `compat` "file".
    output : {"dict", "tensor"}
        "dict": the keys of torchmetrics. "tensor": only ``map``, which ``self.log("val_map", metric)`` of Lightning
        asks for; with `class_metrics` ``map_per_class``, which torchmetrics' `ClasswiseWrapper` names.
    compat : bool
        Reproduce the numbers of torchmetrics 1.9, for comparison with earlier runs: -1 where there is no data; an error
        for padding; thresholds that are rounded to float32, so an IoU of exactly 0.6 does not meet 0.6; boxes that are
        converted in their own dtype; no ``map`` where 100 is not among the limits, unless `backend` is
        "faster_coco_eval"; three limits, no more and no fewer; a warning for each image with more detections than the
        last, of any classes; and detections that do not count in images without objects, where only masks are compared.
        Errors are of the types that torchmetrics raises, too.
    keep_boxes : bool
        Keep boxes and masks, as run lengths, for `tm_to_coco`, which writes "bbox" and "segm". Memory and the exchange
        between processes then grow with them, and each `compute` matches all images again.
    similarity : callable, optional
        A function of the "payload" of the objects and of the detections of an image, as in
        `omniou.detection.evaluate`: it takes the place of shapes. For matrices or pairs, say ``iou_type="similarity"``
        and give them to `update`. Samples then need only labels, and scores; `iou_thresholds` are of any range, and
        results of single thresholds are named ``map@2``, unless thresholds are whole percents.
    higher_is_better : bool
        False for distances.
    **kwargs
        Options of `torchmetrics.Metric`, such as `sync_on_compute`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit, a box is not finite or a score
        is NaN. The message names the sample and the key, such as ``preds[3]['boxes']``, and the state is as it was
        before.

    Notes
    -----
    ``update(preds, target)`` takes two lists of equal length, one dict of tensors for each image:

    - ``boxes`` of shape (N, 4), for "bbox", (N, 5) for "rotated", (N, V, 2) for "polygons", (N, 7) for 3-D boxes; and
      ``masks`` of booleans or integers (N, height, width), for "segm" and "boundary";
    - ``labels`` of integers (N,), negative for padding, which is excluded;
    - ``scores`` (N,), only in `preds`;
    - ``iscrowd`` of booleans or integers and ``area``, (N,), in `target` and if wanted. An area that is missing, or 0,
      is the area of the mask, or else of the box.

    ``compute()`` gives float32 numbers, NaN where there is no data: ``map``, ``map_50``, ``map_75``, ``map_small``,
    ``map_medium``, ``map_large``, ``mar_1``, ``mar_10``, ``mar_100``, ``mar_small``, ``mar_medium``, ``mar_large``,
    ``map_per_class``, ``mar_100_per_class`` and ``classes``. Arithmetic is in float64, on the CPU. ``classes`` is a
    vector, which Lightning does not take: use ``self.log_dict(scalars(metric.compute()))``.

    Images are matched as they come, some megabyte of them together, and a flat table of some 10 bytes for each
    detection is kept of them, on the CPU; masks are not. Processes exchange one tensor, however many images there were.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import MeanAveragePrecision
    >>> boxes = torch.tensor([[0., 0, 10, 10], [20, 20, 30, 30]])
    >>> preds = [{"boxes": boxes, "scores": torch.tensor([0.9, 0.8]), "labels": torch.tensor([0, 1])}]
    >>> target = [{"boxes": boxes[:1], "labels": torch.tensor([0])}]
    >>> metric = MeanAveragePrecision(class_metrics=True)
    >>> metric.update(preds, target)
    >>> result = metric.compute()
    >>> result["map"], result["map_large"], result["map_per_class"]
    (tensor(1.), tensor(nan), tensor([1., nan]))
    """

    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0
    _not_scores = ("ious", "precision", "recall", "scores")

    warn_on_many_detections: bool = True

    def __init__(  # noqa: PLR0917
        self,
        box_format: str = "xyxy",
        iou_type: KindName | Literal["similarity"] | tuple[KindName, ...] = "bbox",
        iou_thresholds: Sequence[float] | None = None,
        rec_thresholds: Sequence[float] | None = None,
        max_detection_thresholds: Sequence[int] | None = None,
        class_metrics: bool = False,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        extended_summary: bool = False,  # noqa: FBT001, FBT002
        average: Literal["macro", "micro"] = "macro",
        backend: Literal["pycocotools", "faster_coco_eval"] = "pycocotools",
        *,
        num_classes: int | None = None,
        tie_policy: Literal["invariant", "file"] | None = None,
        output: Literal["dict", "tensor"] = "dict",
        compat: bool = False,
        keep_boxes: bool = False,
        similarity: Callable[[Any, Any], Any] | None = None,
        higher_is_better: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        checks.choice("average", average, ("macro", "micro"))
        checks.choice("backend", backend, ("pycocotools", "faster_coco_eval"))
        checks.choice("output", output, ("dict", "tensor"))
        flags = {"class_metrics": class_metrics, "extended_summary": extended_summary}
        for name, value in (flags | {"compat": compat, "keep_boxes": keep_boxes}).items():
            flag(name, value)
        class_count(num_classes)
        by_shapes = {"extended_summary": extended_summary, "compat": compat, "keep_boxes": keep_boxes}
        self.similarity = similarity
        own = similarities.rules(iou_type, similarity, iou_thresholds, higher_is_better, by_shapes)
        known: Sequence[str] = ("bbox", "segm") if compat or keep_boxes else SHAPE_KINDS
        self.iou_type = kinds(iou_type, known) if own is None else (own.measure,)
        formats = [x for x in FORMATS if not compat or x != "yxyx"]
        self.box_format = box_format = format_of(geometry_of(self.iou_type), box_format, "box_format", formats)
        if output == "tensor" and len(self.iou_type) > 1:
            raise ValueError(f"`iou_type` must be one where `output` is 'tensor', got {iou_type!r}")
        coco = rounded(detection.COCO) if compat else detection.COCO
        self.iou_thresholds = (
            shares("iou_thresholds", iou_thresholds, coco.iou_thresholds) if own is None else list(own.iou_thresholds)
        )
        self.rec_thresholds = shares("rec_thresholds", rec_thresholds, coco.recall_points)
        self.max_detection_thresholds = limits(max_detection_thresholds, compat=compat)
        self.class_metrics = class_metrics
        self.extended_summary = extended_summary
        self.average = average
        self.backend = backend
        self.num_classes = num_classes
        self.output = output
        self.compat = compat
        self.keep_boxes = keep_boxes
        protocol = self._protocol(own or detection.COCO, tie_policy or ("file" if compat else "invariant"))
        averages = tuple(dict.fromkeys([average, "macro"] if class_metrics else [average]))
        self._settings = Settings(
            protocol=protocol,
            kinds=self.iou_type,
            box_format=box_format,
            averages=averages,
            overlaps=extended_summary,
            num_classes=num_classes,
            compat=compat,
        )
        self._add_table(self._settings, keep_boxes)

    def _protocol(self, rules: Protocol, tie_policy: Literal["invariant", "file"]) -> Protocol:
        return dataclasses.replace(
            rules,
            iou_thresholds=tuple(sorted(self.iou_thresholds)),
            recall_points=tuple(sorted(self.rec_thresholds)),
            max_detections=tuple(self.max_detection_thresholds),
            tie_policy=tie_policy,
        )

    @eager
    def update(
        self,
        preds: Sequence[Sample],
        target: Sequence[Sample],
        *,
        similarity: Any = None,
        batch_summary: bool = False,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
    ) -> Any:
        """Add some images: see the notes of the class.

        Parameters
        ----------
        preds, target : list of dict
        similarity : optional
            Matrices or pairs of these images, or a function, as in `omniou.detection.evaluate`.
        batch_summary : bool
            Return ``precision``, ``recall`` and ``f1`` of these images, which ``self.log_dict`` of Lightning takes: of
            the detections of all classes, NaN where there is no data. The images are matched at once, and only once
            unless `keep_boxes`. Of several kinds the keys begin with the kind.
        score_threshold : float, optional
            Score from which a detection counts in the summary, by default 0.5.
        iou_threshold : float, optional
            One of `iou_thresholds` for the summary: by default 0.5, or the lowest if 0.5 is not among them.
        """
        point = batch_point(batch_summary, score_threshold, iou_threshold, self._settings.protocol)
        if self._settings.protocol.measure != "iou":
            given = self.similarity if similarity is None else similarity
            part = similarities.evaluated(preds, target, given, self._settings)
            self._add(pack(part))
            return None if point is None else self._summary_of(part, point)
        if similarity is not None:
            raise ValueError('`similarity` is for `iou_type="similarity"`, and this metric compares shapes')
        images = read(preds, target, self._settings)
        matched = None if point is None else evaluated(images, self._settings)
        summary = None if point is None or matched is None else self._summary_of(matched, point)
        if self.warn_on_many_detections and (beyond := surplus(images, self._settings)):
            self._warn(beyond)
        if matched is None or self.keep_boxes:
            self._add(pack_images(images).view(PENDING))
            self._match_pending()
        else:
            self._add(pack(matched))
        return summary

    def _summary_of(self, part: MetricPart, point: BatchPoint) -> dict[str, float]:
        out: dict[str, float] = {}
        for kind in self.iou_type:
            prefix = f"{kind}_" if len(self.iou_type) > 1 else ""
            out |= summary_numbers(part.states[f"{self.average}.{kind}"], point, prefix)
        return out

    def _check_as_torchmetrics(self, preds: Any, target: Any, **_: Any) -> None:
        check_samples(preds, target, self.iou_type, scored=True)

    def _warn(self, beyond: int) -> None:
        limit = self.max_detection_thresholds[-1]
        what = f"{counted(beyond, 'detections')} excluded: beyond the limit of {limit} for an image and class."
        if self.compat:  # the first words of torchmetrics' warning, for filters that look for them
            what = f"Encountered more than {limit} detections in a single image: {beyond} of them may be left out."
        hint = "`max_detection_thresholds` raises the limit, `warn_on_many_detections = False` is silent."
        rank_zero_warn(f"{what} {hint}", UserWarning)

    @eager
    def tm_to_coco(self, name: str = "tm_map_input") -> None:
        """Write everything since the last reset as COCO's JSON files.

        Parameters
        ----------
        name : str
            Path of the files, except for their ends: ``{name}_target.json`` has images, annotations and categories, and
            ``{name}_preds.json`` the list of detections. Images are numbered from 0 in the order of the calls. Boxes
            are (x, y, width, height), masks compressed run lengths.

        Raises
        ------
        ValueError
            If the metric was not made with ``keep_boxes=True``.
        """
        if not self.keep_boxes:
            raise ValueError("`keep_boxes` must be True for `tm_to_coco`, got False: boxes are not kept otherwise")
        files.write(self._images(), name, self._settings)

    @staticmethod
    def coco_to_tm(
        coco_preds: str,
        coco_target: str,
        iou_type: Coco | tuple[Coco, ...] = ("bbox",),
        backend: Literal["pycocotools", "faster_coco_eval"] = "pycocotools",
    ) -> tuple[list[Sample], list[Sample]]:
        """Read COCO's JSON files as inputs of `update`.

        Parameters
        ----------
        coco_preds, coco_target : str
            Paths of COCO's results, and of ground truth.
        iou_type : {"bbox", "segm"}, or a tuple of both
            Shapes to read: boxes, as (x, y, width, height), for ``box_format="xywh"``; masks.
        backend : {"pycocotools", "faster_coco_eval"}
            Accepted for compatibility. omniou needs only msgspec, from the extra ``cli``.

        Returns
        -------
        preds, target : list of dict
            One dict of tensors for each image, in the order of the file. Images without objects are there too, unlike
            in torchmetrics: what was detected there is a false positive.

        Raises
        ------
        ValueError
            If an option is unknown, or a file cannot be read; naming the file, the record and the field.
        """
        checks.choice("backend", backend, ("pycocotools", "faster_coco_eval"))
        return files.read(coco_preds, coco_target, kinds(iou_type, ("bbox", "segm")))

    @eager
    def compute(self) -> Any:
        """Compute the numbers of everything since the last reset."""
        part = self._joined()
        results = {name: detection.compute([state]) for name, state in part.states.items()}
        out: dict[str, Any] = {}
        for kind in self.iou_type:
            prefix = f"{kind}_" if len(self.iou_type) > 1 else ""
            numbers = self._numbers(part, kind, results)
            out |= {f"{prefix}{name}": x for name, x in numbers.items()}
        if self.output == "tensor":
            return out["map_per_class" if self.class_metrics else "map"]
        return out | {"classes": class_ids(part.labels).to(self.device)}

    def _numbers(self, part: MetricPart, kind: str, results: dict[str, Result[Any]]) -> dict[str, Any]:
        """Return the results of one `iou_type`, by torchmetrics' names."""
        name = f"{self.average}.{kind}"
        if self.compat and self.class_metrics and kind != self.iou_type[0]:
            name = f"macro.{kind}"  # torchmetrics ignores `average` in the results of classes
        result, each = results[name], results.get(f"macro.{kind}")
        last = self.max_detection_thresholds[-1]
        numbers = _summary(result, self.max_detection_thresholds)
        none = np.asarray([math.nan])
        of_classes = {
            "map_per_class": each.per_class["AP"] if each and self.class_metrics else none,
            f"mar_{last}_per_class": each.per_class[f"AR{last}"] if each and self.class_metrics else none,
        }
        if self.compat and self.backend == "pycocotools" and 100 not in self.max_detection_thresholds:
            numbers["map"], of_classes["map_per_class"] = math.nan, np.full_like(of_classes["map_per_class"], math.nan)
        tables = self._tables(part.overlaps[name], result) if self.extended_summary else {}
        scalars = {name: np.asarray([x]) for name, x in numbers.items()}
        if self.compat and self._is_nothing(part):
            tables, of_classes = {}, {}
            scalars = dict.fromkeys(scalars, none)
        return (
            {name: self._tensor(x) for name, x in scalars.items()}
            | tables
            | {name: self._tensor(x) for name, x in of_classes.items()}
        )

    def _is_nothing(self, part: MetricPart) -> bool:
        """Return whether torchmetrics has no results: no images or, with masks only, no objects or detections."""
        counted = part.sizes if self.iou_type == ("segm",) else part.sizes[:1]
        return bool((counted == 0).any())

    def _tables(self, overlaps: Overlaps, result: Result[Any]) -> dict[str, Any]:
        thresholds, points = (np.searchsorted(np.sort(x), x) for x in (self.iou_thresholds, self.rec_thresholds))
        tables = {
            "precision": result.precision[thresholds][:, points],
            "recall": result.recall[thresholds],
            "scores": result.scores[thresholds][:, points],
        }
        ious = _matrices(overlaps, result.state.images, result.state.classes)
        return {"ious": ious} | {name: to_torch(self._values(x), device=self.device) for name, x in tables.items()}

    def _tensor(self, x: Any) -> Tensor:
        return torch.from_numpy(self._values(x)).to(self.dtype).to(self.device)

    def _values(self, x: Any) -> Any:
        return np.where(np.isnan(x), -1.0, x) if self.compat else x

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add the samples, and give the result only for these."""
        result = super().forward(*args, **kwargs)
        self._match_pending()
        return result

    def _match_pending(self) -> None:
        """Match the pending images once they are many: one call for all is several times faster than one for each."""
        if self.keep_boxes:
            return
        pending = itertools.takewhile(_is_pending, reversed(getattr(self, self._table)))
        if sum(x.shape[0] for x in pending) >= PENDING_BYTES:
            setattr(self, self._table, self._matched())

    def _matched(self) -> list[Tensor]:
        """Match all pending images, and return the table."""
        table: list[Tensor] = []
        for pending, group in itertools.groupby(getattr(self, self._table), key=_is_pending):
            if pending:
                images = joined_images([unpack_images(x) for x in group])
                table.append(pack(evaluated(images, self._settings)))
            else:
                table += group
        return table

    def _joined(self) -> MetricPart:
        """Merge the states of all images."""
        rules = self._settings.rules()
        parts = [unpack(x, rules) for x in self._matched()]
        if not parts and self._settings.protocol.measure != "iou":
            parts = [similarities.evaluated([], [], None, self._settings)]
        return joined(parts or [evaluated(read([], [], self._settings), self._settings)])

    def _images(self) -> Images:
        """Return all images, if boxes are kept."""
        parts = [unpack_images(x) for x in getattr(self, self._table)]
        return joined_images(parts or [read([], [], self._settings)])

    def _packed(self) -> Tensor:
        return pack_images(self._images(), narrow=True) if self.keep_boxes else pack(self._joined())

    def _interleaved(self, packed: Sequence[Tensor]) -> Tensor:
        if self.keep_boxes:
            return pack_images(interleaved_images([unpack_images(x) for x in packed]), narrow=True).view(PENDING)
        return pack(interleaved([unpack(x, self._settings.rules()) for x in packed]))


def _is_pending(packed: Tensor) -> bool:
    return packed.dtype == PENDING


def _summary(result: Result[Any], limits: Sequence[int]) -> dict[str, float]:
    summary, thresholds = result.summary, result.protocol.iou_thresholds
    names = {"map": "AP", "map_50": "AP50", "map_75": "AP75"}
    names |= {"map_small": "APs", "map_medium": "APm", "map_large": "APl"}
    names |= {f"mar_{most}": f"AR{most}" for most in limits}
    names |= {"mar_small": "ARs", "mar_medium": "ARm", "mar_large": "ARl"}
    names |= {f"map{name[2:]}": name for name in summary if name.startswith("AP@")}
    # With a single threshold the summary has only `AP`, no `AP50`.
    alone = {f"AP{100 * thresholds[0]:g}": summary["AP"]} if len(thresholds) == 1 else {}
    alone = {} if result.protocol.measure == "distance" else alone
    return {name: summary.get(key, alone.get(key, math.nan)) for name, key in names.items()}


def _matrices(overlaps: Overlaps, images: Any, classes: Any) -> dict[tuple[int, int], Any]:
    """Return the IoU matrix of each image and class; [] without detections or objects."""
    results: dict[tuple[int, int], Any] = {(i, k): [] for i in images.tolist() for k in classes.tolist()}
    keys = zip(overlaps.image.tolist(), overlaps.label.tolist(), strict=True)
    sizes = zip(overlaps.detections.tolist(), overlaps.objects.tolist(), strict=True)
    pieces = np.split(overlaps.values, np.cumsum(overlaps.detections * overlaps.objects)[:-1])
    for key, size, piece in zip(keys, sizes, pieces, strict=False):
        results[key] = torch.from_numpy(piece.reshape(size).copy())
    return results
