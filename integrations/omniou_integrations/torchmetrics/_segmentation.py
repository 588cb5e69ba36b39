"""Mean IoU and Dice scores of segmentation, image by image."""

from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from omniou import segmentation
from omniou._catalogue.pixel_score import pixel_scores
from omniou._kernels.pixels import PixelCounts
from omniou._lib import checks
from omniou._lib.arrays import namespace_of
from omniou._lib.docs import described
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics._base import eager, flag, widened
from omniou_integrations.torchmetrics._sums import SummedMetric

InputFormat = Literal["one-hot", "index", "mixed"]


class Areas(NamedTuple):
    """Pixels of each image and class, (N, C)."""

    shared: Tensor
    preds: Tensor
    target: Tensor


class OfImages(SummedMetric):
    """A metric of images, and what their maps are."""

    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    def __init__(
        self, num_classes: int | None, input_format: InputFormat, *, include_background: bool, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        flag("include_background", include_background)
        checks.choice("input_format", input_format, ("one-hot", "index", "mixed"))
        if num_classes is not None or input_format == "index":
            checks.count("num_classes", num_classes)
        self.num_classes = num_classes
        self.include_background = include_background
        self.input_format = input_format

    @property
    def _rows(self) -> int:
        """Classes that count, as far as is known."""
        classes = self.num_classes or 0
        return classes if self.include_background or classes < 2 else classes - 1

    def _areas(self, preds: Tensor, target: Tensor) -> Areas:
        """Areas of the classes that count."""
        areas = areas_of(preds, target, self.num_classes, self.input_format)
        if self.include_background or areas.shared.shape[1] < 2:
            return areas
        return Areas(*(x[:, 1:] for x in areas))

    def _result(self, x: Tensor) -> Tensor:
        return x.to(self.dtype).to(self.device)


class MeanIoU(OfImages):
    """Mean IoU of segmentation: of each image and class, and then over these.

    It is not the mean IoU of a data set, which is that of its confusion counts: see `MulticlassJaccardIndex`.

    Parameters
    ----------
    num_classes : int, optional
        How many classes there are; needed for "index".
    include_background : bool
        Whether class 0 counts.
    per_class : bool
        Give the mean over images of each class, -1 for one that was never there.
    input_format : {"one-hot", "index", "mixed"}
        "one-hot": (N, C, ...) on both sides, booleans or integers, or scores, the highest of which wins. "index":
        classes (N, ...). "mixed": one of the one, one of the other.
    **kwargs
        Of `torchmetrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit, or a label is no class.

    Notes
    -----
    A class counts in the images whose target or prediction has it. Sums are exact, so that neither the order of images
    nor the number of processes matters; a process without a batch need not know the number of classes.

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
        **kwargs: Any,
    ) -> None:
        super().__init__(num_classes, input_format, include_background=include_background, **kwargs)
        flag("per_class", per_class)
        self.per_class = per_class
        self._add_sums(self._rows, 1, 1, num_classes, include_background, input_format)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        if self.input_format == "index":  # one image, or one row of it
            preds, target = (x.reshape((1,) * (3 - x.ndim) + x.shape) if x.ndim < 3 else x for x in (preds, target))
        each = _score("iou", self._areas(preds, target))
        self._add(*sums_of(each, ~each.isnan()))

    def compute(self) -> Tensor:
        """Mean IoU of everything since the last reset."""
        counts, total = self.counts[:, 0], self._total(0)
        if self.per_class:
            return self._result(exact.mean(total, counts).nan_to_num(-1.0))
        return self._result(exact.mean(total.sum(0, keepdim=True), counts.sum(0, keepdim=True))[0])


@described(MeanIoU)
class DiceScore(OfImages):
    """Dice score of segmentation.

    Parameters
    ----------
    num_classes : int
        How many classes there are.
    include_background : bool
        Whether class 0 counts.
    average : {"macro", "micro", "weighted", "none"}, optional
        Of classes. "macro": the mean over those in target or prediction. "weighted": by the pixels of the target.
        "micro": of all classes as one. "none" or None: each class.
    aggregation_level : {"samplewise", "global"}
        "samplewise": the score of each image, and the mean of these. "global": that of all images together.
    input_format, **kwargs

    Raises
    ------
    TypeError, ValueError
        As of `MeanIoU`.

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
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        super().__init__(num_classes, input_format, include_background=include_background, **kwargs)
        checks.choice("average", average or "none", ("micro", "macro", "weighted", "none"))
        checks.choice("aggregation_level", aggregation_level, ("samplewise", "global"))
        self.average = average or "none"
        self.aggregation_level = aggregation_level
        options = (num_classes, include_background, average, aggregation_level, input_format)
        if aggregation_level == "global":
            self._add_sums(self._rows, 3, 0, *options)
        else:
            self._add_sums(self._rows if self.average == "none" else 1, 1, 1, *options)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        areas = self._areas(preds, target)
        if self.aggregation_level == "global":
            self._add(torch.stack([x.sum(0) for x in areas], dim=1))
            return
        each = self._averaged(areas)
        each = each if self.average == "none" else each[:, None]
        self._add(*sums_of(each, ~each.isnan()))

    def compute(self) -> Tensor:
        """Dice score of everything since the last reset."""
        if self.aggregation_level == "global":
            return self._result(self._averaged(Areas(*(x[None] for x in self.counts.unbind(dim=1))))[0])
        each = exact.mean(self._total(0), self.counts[:, 0])
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
        How many classes there are.
    include_background : bool
        Whether class 0 counts.
    per_class : bool
        Give the mean over images of each class, in which weights cancel.
    weight_type : {"square", "simple", "linear"}
        The weight of a class: one over the square of its pixels in the target, one over these, or 1.
    input_format, **kwargs

    Raises
    ------
    TypeError, ValueError
        As of `MeanIoU`.

    Notes
    -----
    A class that the target does not have takes the largest weight of its image, as in MONAI. torchmetrics takes one
    from another class and image of the batch, so that its value depends on what else is in the batch. 0 / 0 is 0, and
    counts.

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
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        super().__init__(num_classes, input_format, include_background=include_background, **kwargs)
        flag("per_class", per_class)
        checks.choice("weight_type", weight_type, ("square", "simple", "linear"))
        self.per_class = per_class
        self.weight_type = weight_type
        options = (num_classes, include_background, per_class, weight_type, input_format)
        self._add_sums(self._rows if per_class else 1, 1, 1, *options)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        areas = self._areas(preds, target)
        if self.per_class:  # weights cancel
            each = _score("dice", areas).nan_to_num(0.0)
        else:
            weighting = {"linear": "uniform"}.get(self.weight_type, self.weight_type)
            each = _score("generalised_dice", areas, weighting=weighting).nan_to_num(0.0)[:, None]
        self._add(*sums_of(each, torch.ones_like(each, dtype=torch.bool)))

    def compute(self) -> Tensor:
        """Score of everything since the last reset."""
        each = exact.mean(self._total(0), self.counts[:, 0])
        return self._result(each if self.per_class else each[:1])


def areas_of(preds: Tensor, target: Tensor, num_classes: int | None, input_format: InputFormat) -> Areas:
    """Maps of classes, or of all classes apart -> areas."""
    maps, classes, images = _maps(preds, target, num_classes, input_format)
    if all(x.ndim == images for x in maps):
        segmentation.check(maps[1], maps[0], classes)
        counts = segmentation.confusion(maps[1], maps[0], classes, per_image=True)
        return Areas(counts.diagonal(dim1=1, dim2=2), counts.sum(1), counts.sum(2))
    ours, theirs = _classes_apart(maps, classes, images)
    axes = tuple(range(2, ours.ndim))
    return Areas(*(x.sum(axes) for x in (ours & theirs, ours, theirs)))


def apart_of(
    preds: Tensor, target: Tensor, num_classes: int | None, input_format: InputFormat
) -> tuple[Tensor, Tensor]:
    """Maps of classes, or of all classes apart -> masks of each class (N, C, ...) of both sides."""
    return _classes_apart(*_maps(preds, target, num_classes, input_format))


def _maps(
    preds: Tensor, target: Tensor, num_classes: int | None, input_format: InputFormat
) -> tuple[list[Tensor], int, int]:
    """Both sides, of scores the classes that win; the number of classes; and the rank of a map of classes."""
    dense = {"one-hot": (True, True), "index": (False, False)}.get(input_format)
    if dense is None:
        dense = preds.ndim > target.ndim, target.ndim > preds.ndim
    _check_shapes(preds, target, dense, input_format)
    channels = [x.shape[1] for x, wide in zip((preds, target), dense, strict=True) if wide]
    classes = num_classes or channels[0]
    if any(number != classes for number in channels):
        msg = f"`preds` and `target` must have {classes} classes along axis 1, got {channels[0]}"
        raise ValueError(msg)
    maps = [
        x.argmax(dim=1) if x.is_floating_point() and wide else x for x, wide in zip((preds, target), dense, strict=True)
    ]
    return maps, classes, target.ndim - dense[1]


def _classes_apart(maps: list[Tensor], classes: int, images: int) -> tuple[Tensor, Tensor]:
    for x in maps:
        if x.ndim == images:
            segmentation.check(x, x, classes)
    ours, theirs = (x != 0 if x.ndim == images + 1 else _apart(x, classes) for x in maps)
    return ours, theirs


def _apart(labels: Tensor, classes: int) -> Tensor:
    """(N, ...) -> booleans (N, C, ...)."""
    every = torch.arange(classes, device=labels.device).reshape(-1, *[1] * (labels.ndim - 1))
    return labels[:, None] == every


def _check_shapes(preds: Tensor, target: Tensor, dense: tuple[bool, bool], input_format: str) -> None:
    shapes = [x.shape[:1] + x.shape[2:] if wide else x.shape for x, wide in zip((preds, target), dense, strict=True)]
    needed = 3 if any(dense) else 2
    fits = shapes[0] == shapes[1] and (preds.shape == target.shape) == (dense[0] == dense[1])
    if not fits or (input_format == "mixed" and not any(dense)) or max(preds.ndim, target.ndim) < needed:
        msg = (
            f"`preds` and `target` must fit `input_format` {input_format!r}: (N, C, ...) where classes are apart, "
            f"(N, ...) where not, got {tuple(preds.shape)} and {tuple(target.shape)}"
        )
        raise ValueError(msg)


def _divided(over: Tensor, under: Tensor) -> Tensor:
    """Quotients in float64 where the device has it, NaN for 0 / 0."""
    return widened(over) / widened(under)


def _score(name: str, areas: Areas, **options: Any) -> Tensor:
    """A score of pixels in float64, NaN for 0 / 0."""
    counts = PixelCounts(*areas, lambda: 0, widened(areas.shared).dtype)
    return _divided(*pixel_scores[name].formula(counts, **options, xp=namespace_of("areas", areas.shared)))


def sums_of(each: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
    """Scores (N, C), and which of them count -> their numbers (C, 1), and exact sums (C, COLUMNS)."""
    place = torch.arange(each.shape[1], device=each.device).expand_as(each)
    # Zeros add nothing to an exact sum, and need not be looked for.
    values = torch.where(counted, each, 0.0).reshape(-1)
    return counted.sum(0)[:, None], exact.sums(values, place.reshape(-1), each.shape[1])
