"""Confusion counts of two folders of label maps, with the counts of each picture."""

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou import segmentation
from omniou._kernels import pixels
from omniou._kernels.pixels import PixelCounts, divided
from omniou._lib.backends import array_namespace
from omniou._lib.brief import counted, shortened
from omniou._lib.findings import Finding
from omniou._lib.indexing import mean_of_numbers
from omniou._results.base import EvaluationResult, Named
from omniou._results.units import CountedUnits, UnitNumbers
from omniou.data import _label_readings

Column: TypeAlias = npt.NDArray[Any]

_SCORES = {
    "IoU": segmentation.iou,
    "Dice": segmentation.dice,
    "precision": segmentation.precision,
    "recall": segmentation.recall,
}
# The same from three numbers a class.
_RATIOS = {"IoU": pixels.iou, "Dice": pixels.dice, "recall": pixels.recall}
# What marks pixels without a class in most data sets.
_VOIDS = (255, 0)


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class LabelCounts(EvaluationResult):
    """Confusion counts of a data set.

    Attributes
    ----------
    classes : dict
        Label -> name, in the order of the rows.
    confusion : array of int64, shape (C, C + 1)
        Pixels of each class by what was predicted; the last column is labels that are not classes: the ignored one.
    by_image : dict of str to array of int64, shape (C, 3)
        Of each picture, by its path without the ending: intersection, target and prediction of each class in pixels.
    listed : bool
        Whether a table said which classes there are; else they are the labels that occur.
    files : dict of str to pair of Path
        Files of the ground truth and of the prediction of each picture, if known.
    """

    classes: Mapping[int, str]
    confusion: Column
    by_image: Mapping[str, Column]
    listed: bool = False
    files: Mapping[str, tuple[Path, Path]] = dataclasses.field(default_factory=dict)

    @property
    def images(self) -> int:
        """How many pairs of pictures were compared."""
        return len(self.by_image)

    @property
    def summary(self) -> Named[str, float]:
        """The mean IoU, Dice and accuracy of classes (mIoU, mDice, mAcc), aAcc of pixels and fwIoU."""
        counts = self.confusion
        return Named(
            mIoU=float(segmentation.iou(counts, average="macro")),
            mDice=float(segmentation.dice(counts, average="macro")),
            mAcc=float(segmentation.recall(counts, average="macro", present="target")),
            aAcc=float(segmentation.accuracy(counts)),
            fwIoU=float(segmentation.frequency_weighted_iou(counts)),
        )

    @property
    def per_class(self) -> Named[str, list[float]]:
        """IoU, Dice, precision and recall of each class; NaN where there is nothing to divide by."""
        return Named({name: score(self.confusion, zero_division=math.nan).tolist() for name, score in _SCORES.items()})

    @property
    def counts(self) -> dict[str, int]:
        """Images, classes, and pixels of the ground truth that count."""
        return {"images": self.images, "classes": len(self.classes), "pixels": int(self.confusion.sum())}

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        each = {"id": list(self.classes), "name": list(self.classes.values())}
        return {"per_class": {**each, "pixels": self.confusion.sum(axis=1).tolist(), **self.per_class}}

    @property
    def units(self) -> CountedUnits:
        """The pictures: the units of bootstrap and permutation test."""
        size = (len(self.by_image), len(self.classes), 3)
        counts = np.reshape(np.asarray(list(self.by_image.values()), dtype=np.int64), size)
        return CountedUnits.of(
            self.by_image,
            counts,
            counts[..., 1] > 0,
            word="images",
            labels=tuple(self.classes),
            rules="semantic",
            means=dict.fromkeys(("mIoU", "mDice", "mAcc"), range(len(self.classes))),
            measure=_measured,
        )

    @property
    def findings(self) -> list[Finding]:
        """Labels that are shifted by one, or exchanged; else those that only one side has, unless a table lists them.

        The IoU of a class that one side lacks is 0, and lowers the mean.
        """
        labels = np.array(list(self.classes), dtype=np.int64)
        if found := _label_readings.findings(labels, self.confusion[:, :-1]):
            return found
        if self.listed:
            return []
        of_truth, predicted = self.confusion.sum(axis=1), self.confusion[:, :-1].sum(axis=0)
        missing, surplus = labels[predicted == 0].tolist(), labels[of_truth == 0].tolist()
        sides = {"the ground truth": missing, "the predictions": surplus}
        told = [f"{_listed(x)} only in {side}" for side, x in sides.items() if x]
        if not told:
            return []
        text = f"{' and '.join(told)}: its IoU is 0, which lowers the mean"
        pixels = int(of_truth[predicted == 0].sum()), int(predicted[of_truth == 0].sum())
        evidence = f"{counted(pixels[0], 'pixels')} of the ground truth, {pixels[1]} of the predictions"
        hint = ", or ".join(_cures(missing, surplus))
        return [Finding(code="classes-one-sided", text=text, evidence=evidence, hint=hint)]


def _measured(sums: Column) -> UnitNumbers:
    """Intersection, target and prediction of each class (C, 3) -> the numbers of `summary` and `per_class`."""
    shared, target, predicted = sums.T
    counts, xp = PixelCounts(shared, predicted, target, target.sum, target.dtype), array_namespace(sums)
    each = {
        name: divided(ratio(counts, xp=xp), compute=sums.dtype, smooth=0.0, zero_division=math.nan, xp=xp)
        for name, ratio in _RATIOS.items()
    }
    whole = target.sum()
    weighted = (target * np.nan_to_num(each["IoU"])).sum()
    summary = {
        "mIoU": mean_of_numbers(each["IoU"]),
        "mDice": mean_of_numbers(each["Dice"]),
        "mAcc": mean_of_numbers(each["recall"]),
        "aAcc": float(shared.sum() / whole) if whole else math.nan,
        "fwIoU": float(weighted / whole) if whole else math.nan,
    }
    per_class = {"mIoU": each["IoU"], "mDice": each["Dice"], "mAcc": each["recall"]}
    return UnitNumbers(summary, {name: x.tolist() for name, x in per_class.items()})


def _listed(labels: list[int]) -> str:
    shown = shortened(labels)
    return f"labels {shown} are" if len(labels) > 1 else f"label {shown} is"


def _cures(missing: list[int], surplus: list[int]) -> list[str]:
    """What to do about labels that only the ground truth, or only the predictions, have."""
    cures = [f"--ignore-label {x}, if it marks pixels that do not count" for x in _VOIDS if x in missing]
    if len(missing) == len(surplus) == 1:
        return [*cures, f"write one label for {missing[0]} and {surplus[0]}, if they are one class"]
    return [*cures, "write the labels of the ground truth"] if surplus else cures
