"""Counts from which panoptic quality is computed, as results that add."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Generic, Self

from omniou import segmentation
from omniou._kernels.pixels import PixelCounts, dice
from omniou._lib import backends
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named
from omniou._results.units import CountedUnits, Name, UnitNumbers, joined_units

_ADDED = ("iou", "true_positives", "false_positives", "false_negatives")


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class PanopticCounts(EvaluationResult, Generic[ArrayT]):
    """True positives, false positives and missed segments of each class. Counts of two shards add.

    Attributes
    ----------
    classes : tuple of int
        Category ids: things first, then stuff, each rising.
    things : tuple of bool
        Whether each class is a thing.
    iou : array of float, shape (classes,)
        Sum of IoU over the true positives.
    true_positives, false_positives, false_negatives : array of int, shape (classes,)
        Segments that match, predictions without a match, and targets without one. In modified counts of stuff, all
        segments of the target are true positives, and the others are 0.
    modified : bool
        Whether stuff is scored by the mean IoU of its segments (PQ dagger; Porzi et al., CVPR 2019).
    by_image : mapping of int or str to PanopticCounts, optional
        The counts of each image by its id, as `omniou.data.panoptic.count` gives them. Intervals draw them again.
        None if they are not known.
    """

    classes: tuple[int, ...]
    things: tuple[bool, ...]
    iou: ArrayT
    true_positives: ArrayT
    false_positives: ArrayT
    false_negatives: ArrayT
    modified: bool = False
    by_image: Mapping[Name, Self] | None = dataclasses.field(default=None, repr=False)

    def __add__(self, other: Any) -> Self:
        """The counts of both."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, PanopticCounts):
            return NotImplemented
        for name in ("classes", "things", "modified"):
            one, two = getattr(self, name), getattr(other, name)
            if one != two:
                raise ValueError(f"counts to add must have the same `{name}`, got {one} and {two}")
        added = {name: getattr(self, name) + getattr(other, name) for name in _ADDED}
        return dataclasses.replace(self, **added, by_image=joined_units(self.by_image, other.by_image))

    def __radd__(self, other: Any) -> Self:
        """The counts of both: `sum` starts with 0."""
        return self + other

    @property
    def segmentation_quality(self) -> ArrayT:
        """SQ: mean IoU of the true positives, (classes,); 0 without true positives, NaN without any segment."""
        return divided(self.iou, self.true_positives, self._whole())

    @property
    def recognition_quality(self) -> ArrayT:
        """RQ: F1 (Dice) of segments, (classes,); NaN without any segment."""
        right: Any = self.true_positives
        predicted, there = right + self.false_positives, right + self.false_negatives
        whole = self._whole()
        segments = PixelCounts(right, predicted, there, lambda: predicted + there - right, whole.dtype)
        return divided(*dice(segments, xp=backends.array_namespace(right)), whole)

    @property
    def quality(self) -> ArrayT:
        """PQ: the sum of IoU, divided by true positives and half of the errors, (classes,); NaN without any segment."""
        whole = self._whole()
        return divided(self.iou, whole, whole)

    @property
    def summary(self) -> Named[str, float]:
        """Means over classes that occur: PQ, SQ and RQ of all classes, things (``PQ_th``) and stuff (``PQ_st``).

        NaN if no class occurs. ``n``, ``n_th`` and ``n_st`` are the numbers of classes.
        """
        columns = {"PQ": self.quality, "SQ": self.segmentation_quality, "RQ": self.recognition_quality}
        lists = {name: to_list(x) for name, x in columns.items()}
        out: Named[str, float] = Named()
        for suffix, kind in (("", None), ("_th", True), ("_st", False)):
            rows = [k for k, thing in enumerate(self.things) if kind is None or thing is kind]
            rows = [k for k in rows if not math.isnan(lists["PQ"][k])]
            for name, values in lists.items():
                out[f"{name}{suffix}"] = math.fsum(values[k] for k in rows) / len(rows) if rows else math.nan
            out[f"n{suffix}"] = len(rows)
        return out

    @property
    def counts(self) -> dict[str, int]:
        """Classes that occur, and segments: true positives, false positives and false negatives of all classes."""
        names = ("true_positives", "false_positives", "false_negatives")
        occurring = sum(x > 0 for x in to_list(self._whole()))
        return {"classes": occurring, **{name: sum(to_list(getattr(self, name))) for name in names}}

    @property
    def per_class(self) -> Named[int, Named[str, float]]:
        """PQ, SQ, RQ and the counts of each class, by its id."""
        columns = {
            "PQ": self.quality,
            "SQ": self.segmentation_quality,
            "RQ": self.recognition_quality,
            "true_positives": self.true_positives,
            "false_positives": self.false_positives,
            "false_negatives": self.false_negatives,
        }
        lists = {name: to_list(x) for name, x in columns.items()}
        return Named({label: Named({name: x[k] for name, x in lists.items()}) for k, label in enumerate(self.classes)})

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        columns = shown.columns_of(self.per_class)
        return {"per_class": {"id": list(self.classes), **columns, "name": list(map(str, self.classes))}}

    @property
    def units(self) -> CountedUnits | None:
        """The images: the units of bootstrap and permutation test; None if they are unknown."""
        if self.by_image is None:
            return None
        xp, size = backends.numpy_namespace(), (len(self.by_image), len(self.classes), len(_ADDED))
        rows = [xp.stack([getattr(x, name) for name in _ADDED], axis=1) for x in self.by_image.values()]
        counts = xp.reshape(xp.asarray(rows, dtype=xp.float64), size)
        places = {"": list(range(size[1])), "_th": [], "_st": []}
        for k, thing in enumerate(self.things):
            places["_th" if thing else "_st"].append(k)
        return CountedUnits.of(
            self.by_image,
            counts,
            (counts[..., 1] + counts[..., 3]) > 0,
            word="images",
            labels=self.classes,
            rules=("panoptic", self.things, self.modified),
            means={f"{name}{part}": of_part for name in ("PQ", "SQ", "RQ") for part, of_part in places.items()},
            measure=self._measured,
        )

    def _measured(self, sums: Any, /) -> UnitNumbers:
        """Sums of the counts (K, 4) -> the numbers of means over classes."""
        found = dataclasses.replace(self, **dict(zip(_ADDED, sums.T, strict=True)), by_image=None)
        summary = {name: x for name, x in found.summary.items() if not name.startswith("n")}
        each = {"PQ": found.quality, "SQ": found.segmentation_quality, "RQ": found.recognition_quality}
        return UnitNumbers(summary, {name: to_list(x) for name, x in each.items()})

    def _whole(self) -> Any:
        xp = backends.array_namespace(self.iou)
        numbers = (self.true_positives, self.false_positives, self.false_negatives)
        true, false, missed = (xp.astype(x, self.iou.dtype) for x in numbers)
        return true + 0.5 * false + 0.5 * missed


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class VideoCounts(EvaluationResult, Generic[ArrayT]):
    """True positives, false positives and missed tubes in windows of several lengths, for video panoptic quality.

    Attributes
    ----------
    windows : mapping of int to PanopticCounts
        Frames of a window -> counts of all such windows.
    """

    windows: Mapping[int, PanopticCounts[ArrayT]]

    def __add__(self, other: Any) -> Self:
        """The counts of both."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, VideoCounts):
            return NotImplemented
        if self.windows.keys() != other.windows.keys():
            raise ValueError(
                f"counts to add must have the same windows, got {list(self.windows)} and {list(other.windows)}"
            )
        others: Mapping[int, Any] = other.windows
        return dataclasses.replace(self, windows={k: x + others[k] for k, x in self.windows.items()})

    def __radd__(self, other: Any) -> Self:
        """The counts of both: `sum` starts with 0."""
        return self + other

    @property
    def summary(self) -> Named[str, float]:
        """VPQ of all, things and stuff: the mean of PQ over the windows; and PQ of each, as ``VPQ@2``."""
        each = self.per_window
        out = {f"VPQ{x}": math.fsum(s[f"PQ{x}"] for s in each.values()) / len(each) for x in ("", "_th", "_st")}
        return Named(out | {f"VPQ@{k}": s["PQ"] for k, s in each.items()})

    @property
    def per_window(self) -> Named[int, Named[str, float]]:
        """`PanopticCounts.summary` of each window, by its number of frames."""
        return Named({k: counts.summary for k, counts in self.windows.items()})

    @property
    def counts(self) -> dict[str, int]:
        """The number of lengths of windows."""
        return {"windows": len(self.windows)}

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        return {"per_window": shown.columns_of(self.per_window)}


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class TrackingCounts(EvaluationResult, Generic[ArrayT]):
    """The counts for segmentation and tracking quality (STQ). Counts of several videos add.

    Attributes
    ----------
    association : array of float, shape ()
        Sum of the association quality over the tubes of the target.
    tubes : array of int, shape ()
        Number of tubes of the target.
    confusion : array of int, shape (classes, classes + 1)
        Confusion counts of classes, as in `omniou.segmentation`.
    """

    association: ArrayT
    tubes: ArrayT
    confusion: ArrayT

    def __add__(self, other: Any) -> Self:
        """The counts of both."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, TrackingCounts):
            return NotImplemented
        if tuple(self.confusion.shape) != tuple(other.confusion.shape):
            raise ValueError(
                f"counts to add must be of the same classes, got {self.confusion.shape} and {other.confusion.shape}"
            )
        names = ("association", "tubes", "confusion")
        return dataclasses.replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})

    def __radd__(self, other: Any) -> Self:
        """The counts of both: `sum` starts with 0."""
        return self + other

    @property
    def summary(self) -> Named[str, float]:
        """STQ, the root of AQ times SQ; AQ, the association quality; SQ, the mean IoU of classes. NaN without any."""
        tubes = int(self.tubes)  # type: ignore[call-overload]
        association = float(self.association) / tubes if tubes else math.nan  # type: ignore[arg-type]
        classes = float(segmentation.iou(self.confusion, average="macro"))  # type: ignore[arg-type]
        return Named({"STQ": math.sqrt(association * classes), "AQ": association, "SQ": classes})

    @property
    def counts(self) -> dict[str, int]:
        """Tubes of the target, and classes."""
        return {"tubes": int(self.tubes), "classes": int(self.confusion.shape[0])}  # type: ignore[call-overload]


def divided(over: Any, under: Any, whole: Any) -> Any:
    """Return quotients: 0 for 0 / 0, NaN where `whole` is 0."""
    xp = backends.array_namespace(over)
    under = xp.astype(under, whole.dtype)
    out = xp.astype(over, whole.dtype) / xp.where(under == 0, xp.ones_like(under), under)
    return xp.where(whole == 0, xp.full_like(out, math.nan), out)
