"""Average precision of detections and mean IoU of segmentation for Hugging Face's `evaluate`, without a download.

>>> import tempfile
>>> from omniou_integrations.evaluate import DetectionAP
>>> truth = {"boxes": [[0, 0, 10, 10]], "labels": [1]}
>>> with tempfile.TemporaryDirectory() as folder:
...     metric = DetectionAP(cache_dir=folder)
...     metric.add(prediction={"boxes": [[0, 0, 10, 9]], "labels": [1], "scores": [0.5]}, reference=truth)
...     round(metric.compute()["AP"], 4)
0.9
"""

from omniou._lib import extras

extras.check_adapter(__name__, "evaluate", "datasets")

from collections.abc import Mapping, Sequence
from typing import Any

import evaluate  # type: ignore[import-not-found, import-untyped, unused-ignore]
import numpy as np
from datasets import Features, List, Value  # type: ignore[import-not-found, import-untyped, unused-ignore]

from omniou import detection, segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._inputs import dicts
from omniou._inputs.dicts import Key
from omniou._lib.formats import BoxFormat
from omniou.boxes import GEOMETRY
from omniou.detection import Protocol, Result
from omniou_integrations._shared.columns import check_whole, keys

__all__ = ["DetectionAP", "MeanIoU"]


def __dir__() -> list[str]:
    return __all__


_NUMBERS = GEOMETRY.length("xyxy")

_INPUTS = """
Inputs:
    predictions: one dict for each image, with `boxes` (N, 4), `labels` (N,) and `scores` (N,).
    references: one dict for each image, with `boxes` and `labels`; `iscrowd`, `area` and `ignore` if wanted.
    protocol, format, offset, classes, groups: as of `omniou.detection.evaluate`.
Returns:
    A dict of floats: AP, AP50, AP75, APs, APm, APl, AR1, AR10, AR100, ARs, ARm and ARl where the protocol is COCO's.
"""


class DetectionAP(evaluate.Metric):  # type: ignore[misc, unused-ignore]
    """Average precision and recall of detections, by the rules of COCO or any others.

    Parameters
    ----------
    cache_dir, keep_in_memory, num_process, process_id, experiment_id
        The same as in `evaluate.EvaluationModule`: where samples wait for `compute`, and how processes share them.

    Raises
    ------
    TypeError, ValueError
        From `add`, `add_batch` and `compute`, if a sample does not fit; it is not added. From `compute` alone, as of
        `omniou.detection.evaluate`, of which the references are the `targets` and the predictions the `detections`.

    Notes
    -----
    ``add(prediction=, reference=)`` takes an image, ``add_batch(predictions=, references=)`` a list of them, one dict
    for each, of lists, arrays or tensors: ``boxes`` (N, 4), ``labels`` (N,), in predictions ``scores`` (N,), which is
    what the detectors of transformers give after ``post_process_object_detection``; references may have ``iscrowd``,
    ``ignore`` and ``area``, the last one in all images or in none. Other keys are ignored.

    ``compute(predictions=None, references=None, *, protocol="coco", format="xyxy", offset=0.0, classes=None,
    groups=None, class_agnostic=False)`` takes the last samples if there are some, and gives `Result.summary`: a dict of
    floats, NaN where there is no data, of everything since the last call. The options are the same as in
    `omniou.detection.evaluate`.

    Examples
    --------
    >>> from omniou_integrations.evaluate import DetectionAP
    >>> metric = DetectionAP(keep_in_memory=True)
    >>> metric.compute(
    ...     predictions=[{"boxes": [[0, 0, 10, 10], [2, 2, 5, 5]], "labels": [1, 1], "scores": [0.3, 0.4]}],
    ...     references=[{"boxes": [[0, 0, 10, 10]], "labels": [1]}],
    ...     protocol="voc2010",
    ... )
    {'AP': 0.5, 'AR': 1.0}
    """

    def add(self, *, prediction: Any = None, reference: Any = None) -> None:
        """Add the boxes of an image: see the notes of the class."""
        super().add(prediction=_prediction("prediction", prediction), reference=_reference("reference", reference))

    def add_batch(self, *, predictions: Any = None, references: Any = None) -> None:
        """Add the boxes of some images: see the notes of the class."""
        dicts.check_lists(predictions=predictions, references=references)
        super().add_batch(
            predictions=[_prediction(f"predictions[{i}]", x) for i, x in enumerate(predictions)],
            references=[_reference(f"references[{i}]", x) for i, x in enumerate(references)],
        )

    def _info(self) -> Any:
        numbers, booleans = List(Value("float64")), List(Value("bool"))
        both = {"boxes": List(List(Value("float64"), length=_NUMBERS)), "labels": List(Value("int64"))}
        predictions = both | {"scores": numbers}
        references = both | {"crowd": booleans, "ignore": booleans, "area": numbers}
        return evaluate.MetricInfo(
            description=(DetectionAP.__doc__ or "").partition("\n")[0],
            citation="",
            inputs_description=_INPUTS,
            features=Features(predictions=predictions, references=references),
        )

    def _compute(
        self,
        *,
        predictions: Sequence[Mapping[str, Any]],
        references: Sequence[Mapping[str, Any]],
        protocol: Protocol | str = "coco",
        format: BoxFormat = "xyxy",
        offset: float = 0.0,
        classes: Any = None,
        groups: Mapping[str, Any] | None = None,
        class_agnostic: bool = False,
    ) -> dict[str, float]:
        result: Result[Any] = detection.evaluate(
            [{name: x for name, x in sample.items() if x is not None} for sample in references],
            predictions,
            protocol=protocol,
            format=format,
            offset=offset,
            classes=classes,
            groups=groups,
            class_agnostic=class_agnostic,
        )
        return result.summary


class MeanIoU(evaluate.Metric):  # type: ignore[misc, unused-ignore]
    """Mean IoU of segmentation, with the results of Hugging Face's ``mean_iou``.

    Parameters
    ----------
    cache_dir, keep_in_memory, num_process, process_id, experiment_id
        The same as in `evaluate.EvaluationModule`.

    Raises
    ------
    TypeError, ValueError
        From `compute`, if a label is not a class, or maps differ in size.

    Notes
    -----
    Predictions and references are label maps (height, width), one for each image. ``compute(predictions=None,
    references=None, *, num_labels, ignore_index=None)`` gives ``mean_iou``, ``mean_accuracy``, ``overall_accuracy``,
    and the lists ``per_category_iou`` and ``per_category_accuracy``, NaN for a class that is in neither map. Accuracy
    is the share of the pixels of a class that are found. `ignore_index` is a label, or a list of labels, of pixels that
    are excluded.

    Examples
    --------
    >>> from omniou_integrations.evaluate import MeanIoU
    >>> metric = MeanIoU(keep_in_memory=True)
    >>> metric.add(prediction=[[0, 1], [1, 0]], reference=[[0, 0], [1, 255]])
    >>> result = metric.compute(num_labels=2, ignore_index=255)
    >>> result["mean_iou"], result["per_category_accuracy"]
    (0.5, [0.5, 1.0])
    """

    def add(self, *, prediction: Any = None, reference: Any = None) -> None:
        """Add an image: see the notes of the class."""
        super().add(prediction=_map("prediction", prediction), reference=_map("reference", reference))

    def add_batch(self, *, predictions: Any = None, references: Any = None) -> None:
        """Add some images: see the notes of the class."""
        super().add_batch(
            predictions=[_map(f"predictions[{i}]", x) for i, x in enumerate(predictions)],
            references=[_map(f"references[{i}]", x) for i, x in enumerate(references)],
        )

    def _info(self) -> Any:
        maps = List(List(Value("int32")))
        return evaluate.MetricInfo(
            description=(MeanIoU.__doc__ or "").partition("\n")[0],
            citation="",
            inputs_description="predictions, references: label maps (height, width); num_labels, ignore_index.",
            features=Features(predictions=maps, references=maps),
        )

    def _compute(
        self,
        *,
        predictions: Sequence[Any],
        references: Sequence[Any],
        num_labels: int,
        ignore_index: Labels = None,
    ) -> dict[str, Any]:
        counts: Any = 0
        for i, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
            target, found = (np.asarray(x, dtype=np.int64) for x in (reference, prediction))
            if target.shape != found.shape:
                raise ValueError(
                    f"`predictions[{i}]` must have the size of its reference, {target.shape}, got {found.shape}"
                )
            segmentation.check(target, found, num_labels, ignore_index=ignore_index)
            counts = counts + segmentation.confusion(target, found, num_labels, ignore_index=ignore_index)
        accuracy = segmentation.recall(counts, zero_division=np.nan)
        return {
            "mean_iou": float(segmentation.iou(counts, average="macro")),
            "mean_accuracy": float(np.nanmean(accuracy)) if not np.isnan(accuracy).all() else float("nan"),
            "overall_accuracy": float(segmentation.accuracy(counts)),
            "per_category_iou": segmentation.iou(counts).tolist(),
            "per_category_accuracy": accuracy.tolist(),
        }


def _map(name: str, given: Any) -> Any:
    """A label map as NumPy's integers."""
    # `tolist` is what arrays of all libraries have, on any device.
    labels = np.asarray(given.tolist() if hasattr(given, "tolist") else given)
    if labels.ndim != 2 or labels.dtype.kind not in "biu":
        raise ValueError(
            f"`{name}` must be a label map (height, width) of integers, got {labels.dtype} of shape {labels.shape}"
        )
    return labels.astype(np.int32)


def _prediction(name: str, given: Any) -> dict[str, Any]:
    return _sample(name, given, keys("detections"))


def _reference(name: str, given: Any) -> dict[str, Any]:
    columns = _sample(name, given, keys("targets"))
    none = np.zeros(len(columns["labels"]), dtype=bool)
    flags = {key: columns[key] != 0 if key in columns else none for key in ("crowd", "ignore")}
    return columns | flags | {"area": columns.get("area")}


def _sample(name: str, given: Any, declared: Sequence[Key]) -> dict[str, Any]:
    """The columns of an image, by the names of the features."""
    if isinstance(given, Mapping):
        names = dicts.names(*declared)
        # `tolist` is what arrays of all libraries have, on whatever device.
        lists = {key: x.tolist() if hasattr(x, "tolist") else x for key, x in given.items() if key in names}
        given = {key: x if x is None else np.asarray(x) for key, x in lists.items()}
    columns = dicts.row(name, given, declared)
    check_whole(name, columns["labels"])
    return columns | {"boxes": columns["boxes"].reshape(-1, _NUMBERS), "labels": columns["labels"].astype(np.int64)}
