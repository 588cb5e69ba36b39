"""Mean IoU and Dice scores of segmentation, image by image."""

from typing import Any, Literal

import torch
from torch import Tensor

from omniou._catalogue.pixel_options import Labels
from omniou._catalogue.pixel_score import pixel_scores
from omniou._kernels.pixels import PixelCounts
from omniou._lib import checks
from omniou._lib.arrays import namespace_of
from omniou._lib.docs import described
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics import _label_maps as label_maps
from omniou_integrations.torchmetrics._base import eager, flag, widened
from omniou_integrations.torchmetrics._label_maps import Areas, ClassMaps, InputFormat, MapOptions
from omniou_integrations.torchmetrics._sums import Guess, SummedMetric


class OfImages(SummedMetric):
    """Base class of metrics of images."""

    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0
    _guesses = Guess("floats of several channels", label_maps.READINGS, label_maps.READING_HINT)

    def __init__(
        self,
        num_classes: int | None,
        input_format: InputFormat,
        *,
        include_background: bool,
        ignore_index: Labels = None,
        threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        flag("include_background", include_background)
        checks.choice("input_format", input_format, ("one-hot", "index", "mixed"))
        if num_classes is not None or input_format == "index":
            checks.count("num_classes", num_classes)
        self.num_classes = num_classes
        self.include_background = include_background
        self.input_format = input_format
        self.ignore_index = ignore_index
        self.threshold = None if threshold is None else checks.number("threshold", threshold)
        self._ignored = checks.labels("ignore_index", ignore_index)

    def _add_images(self, rows: int, counts: int, sums: int, *options: Any) -> None:
        """Add the state; its name depends on these options and on the options of all metrics."""
        shared = (self.num_classes, self.include_background, self.input_format, self._ignored, self.threshold)
        self._add_sums(rows, counts, sums, *options, *shared)

    @property
    def _rows(self) -> int:
        """Number of classes that count; before the first batch it may be unknown."""
        classes = self.num_classes or 0
        return classes if self.include_background or classes < 2 else classes - 1

    def _maps(self, preds: Tensor, target: Tensor) -> ClassMaps:
        options = MapOptions(self.num_classes, self.input_format, self.threshold, self._ignored)
        return label_maps.read(preds, target, options)

    def _areas(self, maps: ClassMaps) -> Areas:
        """Areas of the classes that count."""
        return Areas(*map(self._foreground, label_maps.areas_of(maps, self._ignored)))

    def _sides(self, maps: ClassMaps) -> tuple[Tensor, Tensor]:
        """Masks (N, C, ...) of both sides, of the classes that count; off where pixels do not."""
        preds, target = map(self._foreground, label_maps.apart_of(maps, self._ignored))
        if not self._ignored:
            return preds, target
        counted = self._foreground(label_maps.counted_classes(maps, self._ignored)[None])[0]
        return preds[:, counted], target[:, counted]

    def _foreground(self, x: Tensor) -> Tensor:
        """Remove the background from (N, C, ...) if it does not count."""
        return x if self.include_background or x.shape[1] < 2 else x[:, 1:]

    def _result(self, x: Tensor) -> Tensor:
        return x.to(self.dtype).to(self.device)


class MeanIoU(OfImages):
    """Mean IoU of segmentation: of each image and class, and then over these.

    For the mean IoU of a data set, from its confusion counts, see `MulticlassJaccardIndex`.

    Parameters
    ----------
    num_classes : int, optional
        Number of classes; needed for "index".
    include_background : bool
        Whether class 0 counts.
    per_class : bool
        Give the mean over images of each class, -1 for one that was never there.
    input_format : {"one-hot", "index", "mixed"}
        "one-hot": (N, C, ...) on both sides, booleans, or 0 and 1, or scores, the highest of which wins. "index":
        classes (N, ...). "mixed": one of the one, one of the other; next to one channel, labels are 0 and 1.
    ignore_index : int or list of int, optional
        Pixels whose target has this label, or one of these, are excluded. A class among them has no score; predictions
        of it on other pixels count as wrong. In one-hot targets it is the number of a channel.
    threshold : float, optional
        Floats are on above it, channel by channel. By default floats of 0 and 1 are masks, one channel of other floats
        raises, and of several the highest score wins. If this guess changes between batches, it raises.
    **kwargs
        Options of `torchmetrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit, or a label is not a class.

    Notes
    -----
    A class counts in the images whose target or prediction has it. Sums are exact, so neither the order of images
    nor the number of processes matters; a process without a batch need not know the number of classes.

    torchmetrics takes the highest score of one channel as well: every float mask of one channel scores 1 there.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import MeanIoU
    >>> metric = MeanIoU(num_classes=3, per_class=True, input_format="index")
    >>> metric(torch.tensor([[[0, 0, 1, 1]]]), torch.tensor([[[0, 1, 1, 1]]]))
    tensor([ 0.5000,  0.6667, -1.0000])
    """

    def __init__(
        self,
        num_classes: int | None = None,
        include_background: bool = True,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        per_class: bool = False,  # noqa: FBT001, FBT002
        input_format: InputFormat = "one-hot",
        *,
        ignore_index: Labels = None,
        threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        own: dict[str, Any] = {"ignore_index": ignore_index, "threshold": threshold, **kwargs}
        super().__init__(num_classes, input_format, include_background=include_background, **own)
        flag("per_class", per_class)
        self.per_class = per_class
        self._add_images(self._rows, 1, 1)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        if self.input_format == "index":  # one image, or one row of it
            preds, target = (x.reshape((1,) * (3 - x.ndim) + x.shape) if x.ndim < 3 else x for x in (preds, target))
        maps = self._maps(preds, target)
        each = _score("iou", self._areas(maps))
        self._add(*sums_of(each, ~each.isnan()), readings=maps.readings)

    def compute(self) -> Tensor:
        """Mean IoU of everything since the last reset."""
        counts, total = self._fetched()
        counts = counts[:, 0]
        if self.per_class:
            return self._result(exact.mean(total, counts).nan_to_num(-1.0))
        return self._result(exact.mean(total.sum(0, keepdim=True), counts.sum(0, keepdim=True))[0])


@described(MeanIoU)
class DiceScore(OfImages):
    """Dice score of segmentation.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    include_background : bool
        Whether class 0 counts.
    average : {"macro", "micro", "weighted", "none"}, optional
        Of classes. "macro": the mean over those in target or prediction. "weighted": by the pixels of the target.
        "micro": of all classes as one. "none" or None: each class.
    aggregation_level : {"samplewise", "global"}
        "samplewise": the mean of the scores of the images. "global": the score of all images together.
    input_format, ignore_index, threshold, **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as in `MeanIoU`.

    Notes
    -----
    A class that is in neither map of an image has no score there, and no images give NaN. The state does not grow,
    unlike that of torchmetrics.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import DiceScore
    >>> metric = DiceScore(num_classes=2, average="none", input_format="index")
    >>> metric(torch.tensor([[[0, 0, 1, 1]]]), torch.tensor([[[0, 1, 1, 1]]]))
    tensor([0.6667, 0.8000])
    """

    def __init__(
        self,
        num_classes: int,
        include_background: bool = True,  # noqa: FBT001, FBT002
        average: Literal["micro", "macro", "weighted", "none"] | None = "macro",
        aggregation_level: Literal["samplewise", "global"] = "samplewise",
        input_format: InputFormat = "one-hot",
        *,
        ignore_index: Labels = None,
        threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        own: dict[str, Any] = {"ignore_index": ignore_index, "threshold": threshold, **kwargs}
        super().__init__(num_classes, input_format, include_background=include_background, **own)
        checks.choice("average", average or "none", ("micro", "macro", "weighted", "none"))
        checks.choice("aggregation_level", aggregation_level, ("samplewise", "global"))
        self.average = average or "none"
        self.aggregation_level = aggregation_level
        if aggregation_level == "global":
            self._add_images(self._rows, 3, 0, average, aggregation_level)
        else:
            self._add_images(self._rows if self.average == "none" else 1, 1, 1, average, aggregation_level)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        maps = self._maps(preds, target)
        areas = self._areas(maps)
        if self.aggregation_level == "global":
            self._add(torch.stack([x.sum(0) for x in areas], dim=1), readings=maps.readings)
            return
        each = self._averaged(areas)
        each = each if self.average == "none" else each[:, None]
        self._add(*sums_of(each, ~each.isnan()), readings=maps.readings)

    def compute(self) -> Tensor:
        """Dice score of everything since the last reset."""
        counts, total = self._fetched()
        if self.aggregation_level == "global":
            return self._result(self._averaged(Areas(*(x[None] for x in counts.unbind(dim=1))))[0])
        each = exact.mean(total, counts[:, 0])
        return self._result(each if self.average == "none" else each[0])

    def _averaged(self, areas: Areas) -> Tensor:
        """Scores (N, C), or (N,)."""
        if self.average == "micro":
            return _score("dice", Areas(*(x.sum(1) for x in areas)))
        each = _score("dice", areas)
        if self.average == "macro":
            return each.nanmean(dim=1)
        if self.average == "weighted":
            share = _divided(areas.target, areas.target.sum(1, keepdim=True))
            return torch.where(each.isnan().all(dim=1), torch.nan, (each * share).nansum(dim=1))
        return each


@described(MeanIoU)
class GeneralizedDiceScore(OfImages):
    """Generalised Dice score: classes weighted by their size in the target, image by image.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    include_background : bool
        Whether class 0 counts.
    per_class : bool
        Give the mean over images of each class, in which weights cancel.
    weight_type : {"square", "simple", "linear"}
        The weight of a class: one over the square of its pixels in the target, one over these, or 1.
    input_format, ignore_index, threshold
    compat : bool
        Give the numbers of torchmetrics, which depend on the batches: see the notes.
    **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as in `MeanIoU`.

    Notes
    -----
    A class that the target does not have takes the largest weight of its image, and a class that is neither there nor
    predicted scores 1, as in MONAI: perfect predictions have 1. With ``compat=True`` 0 / 0 is 0, and a class that is
    absent takes a weight from another class and image of the batch, as in torchmetrics.

    References
    ----------
    Sudre et al., Generalised Dice overlap as a deep learning loss function, DLMIA 2017.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import GeneralizedDiceScore
    >>> metric = GeneralizedDiceScore(num_classes=2, input_format="index")
    >>> metric(torch.tensor([[[0, 0, 1, 1]]]), torch.tensor([[[0, 1, 1, 1]]]))
    tensor(0.6875)
    """

    def __init__(
        self,
        num_classes: int,
        include_background: bool = True,  # noqa: FBT001, FBT002
        per_class: bool = False,  # noqa: FBT001, FBT002
        weight_type: Literal["square", "simple", "linear"] = "square",
        input_format: InputFormat = "one-hot",
        *,
        ignore_index: Labels = None,
        threshold: float | None = None,
        compat: bool = False,
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        own: dict[str, Any] = {"ignore_index": ignore_index, "threshold": threshold, **kwargs}
        super().__init__(num_classes, input_format, include_background=include_background, **own)
        flag("per_class", per_class)
        flag("compat", compat)
        checks.choice("weight_type", weight_type, ("square", "simple", "linear"))
        self.per_class = per_class
        self.weight_type = weight_type
        self.compat = compat
        self._add_images(self._rows if per_class else 1, 1, 1, per_class, weight_type, compat)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        maps = self._maps(preds, target)
        areas, counted = self._areas(maps), torch.ones((), dtype=torch.bool, device=maps.preds.device)
        if self.per_class:  # weights cancel
            each = _score("dice", areas)
            counted = self._foreground(label_maps.counted_classes(maps, self._ignored)[None])
        elif self.compat:
            each = _batch_weighted_dice(areas, self.weight_type)[:, None]
        else:
            weighting = {"linear": "uniform"}.get(self.weight_type, self.weight_type)
            each = _score("generalised_dice", areas, weighting=weighting)[:, None]
        each = each.nan_to_num(0.0 if self.compat else 1.0)
        self._add(*sums_of(each, counted.expand_as(each)), readings=maps.readings)

    def compute(self) -> Tensor:
        """Score of everything since the last reset."""
        counts, total = self._fetched()
        each = exact.mean(total, counts[:, 0])
        return self._result(each if self.per_class else each[:1])


def _divided(over: Tensor, under: Tensor) -> Tensor:
    """Quotients in float64 where the device has it, NaN for 0 / 0."""
    return widened(over) / widened(under)


def _score(name: str, areas: Areas, **options: Any) -> Tensor:
    """A score of pixels in float64, NaN for 0 / 0."""
    counts = PixelCounts(*areas, lambda: 0, widened(areas.shared).dtype)
    return _divided(*pixel_scores[name].formula(counts, **options, xp=namespace_of("areas", areas.shared)))


def _batch_weighted_dice(areas: Areas, weight_type: str) -> Tensor:
    """torchmetrics' generalised Dice (N,), in which absent classes take a weight from the batch."""
    shared, preds, target = (x.to(torch.float64) for x in areas)
    power = {"square": 2, "simple": 1, "linear": 0}[weight_type]
    weight = target**-power
    largest = torch.where(weight.isinf(), 0.0, weight).amax(0) if len(weight) else weight.sum(0)
    # torchmetrics repeats the largest weights (C,) N times each and reads them as (N, C). Flat element k, of image
    # k // C and class k % C, thus gets the largest weight of class k // N.
    weight = torch.where(weight.isinf(), largest.repeat_interleave(len(weight)).reshape(weight.shape), weight)
    return _divided((2 * shared * weight).sum(1), ((preds + target) * weight).sum(1))


def sums_of(each: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
    """Sum the scores (N, C) that count: their numbers (C, 1), and exact sums (C, COLUMNS)."""
    place = torch.arange(each.shape[1], device=each.device).expand_as(each)
    # Zeros add nothing to an exact sum, so scores that do not count become 0.
    values = torch.where(counted, each, 0.0).reshape(-1)
    return counted.sum(0)[:, None], exact.sums(values, place.reshape(-1), each.shape[1])
