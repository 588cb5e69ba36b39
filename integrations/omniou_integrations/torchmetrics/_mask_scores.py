"""Mean of any score of masks: scores of pixels, of boundaries, or distances between outlines."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import array_api_compat.torch as xp
import numpy as np
import torch
from torch import Tensor

from omniou import masks, pairwise
from omniou._catalogue.pixel_options import Labels
from omniou._catalogue.pixel_score import pixel_scores
from omniou._inputs import dicts
from omniou._lib import checks
from omniou._lib.docs import described
from omniou._lib.values import check_two_values
from omniou.masks._surface import spacing_of
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations._shared.pairing import greedy
from omniou_integrations.torchmetrics._base import eager, flag, widened
from omniou_integrations.torchmetrics._images import check_sizes
from omniou_integrations.torchmetrics._label_maps import ClassMaps, InputFormat
from omniou_integrations.torchmetrics._samples import keys, read
from omniou_integrations.torchmetrics._segmentation import MeanIoU, OfImages, sums_of


class OfMasks(OfImages):
    """A metric of the masks of each image and class.

    Attributes
    ----------
    spacing : tuple of float, or None
        Distance of pixels along each spatial axis; None if it is not given.
    spatial_axes : int or None
        Number of axes of an image; None if neither it nor a spacing for each axis is given.
    """

    spacing: tuple[float, ...] | None
    spatial_axes: int | None

    def _set_axes(self, spacing: Sequence[float] | Tensor | None, spatial_axes: int | None) -> None:
        self.spacing = None if spacing is None else tuple(float(x) for x in spacing)
        self.spatial_axes = spatial_axes
        if self.spacing is not None or spatial_axes is not None:
            self.spatial_axes = len(spacing_of(1.0 if self.spacing is None else self.spacing, spatial_axes))

    def _masks(self, maps: ClassMaps, *, shaped: bool = True) -> tuple[Tensor, Tensor]:
        """Return booleans (N, C, ...) of both sides for the classes that count; `shaped`: whether their axes matter."""
        sides = self._sides(maps)
        if not shaped:
            return sides
        size = image_size(sides[0].shape[2:], self.spatial_axes, channels=self.input_format == "index")
        preds, target = (x.reshape(*x.shape[:2], *size) for x in sides)
        return preds, target


def image_size(size: Sequence[int], axes: int | None, *, channels: bool) -> tuple[int, ...]:
    """Return the size of one image, from the last axes of the inputs and the number of spatial axes, if known.

    `channels`: whether inputs may have a channel axis of length 1, as MONAI's label maps have.
    """
    size = tuple(size)
    if channels and len(size) == (axes or 2) + 1 and 1 in {size[0], size[-1]}:
        if axes is None:
            raise ValueError(
                f"inputs of size {size} are either volumes or images with a channel axis of length 1: "
                "pass `spatial_axes=3` for volumes, `spatial_axes=2` for images"
            )
        return size[1:] if size[0] == 1 else size[:-1]
    if axes is None and len(size) == 1:
        raise ValueError(
            f"inputs of size {size} are either one image without a batch axis or signals of one axis: "
            "pass `x[None]` for an image, `spatial_axes=1` for signals"
        )
    if len(size) not in ({2, 3} if axes is None else {axes}):
        wanted = "2 or 3 spatial axes" if axes is None else f"{axes} spatial axes, as `spatial_axes` or `spacing` says"
        raise ValueError(f"inputs must have {wanted}, got size {size}")
    return size


class _MaskFunction(NamedTuple):
    """A score by name."""

    function: Callable[..., Any]
    options: Mapping[str, Any] = MappingProxyType({})
    distance: bool = False  # lower is better, and infinite if one mask is empty
    shape: bool = True  # whether it depends on the places of pixels, not only on their number


_KNOWN = {name: _MaskFunction(getattr(masks, name), shape=False) for name in pixel_scores if hasattr(masks, name)}
_KNOWN |= {name: _MaskFunction(getattr(masks, name)) for name in ("boundary_iou", "boundary_f", "trimap_iou")}
_KNOWN |= {
    "hausdorff": _MaskFunction(masks.hausdorff, distance=True),
    "hd95": _MaskFunction(masks.hausdorff, {"percentile": 95.0}, distance=True),
    "average_surface_distance": _MaskFunction(masks.average_surface_distance, distance=True),
}


@described(MeanIoU)
class MaskScore(OfMasks):
    """Mean of any score of masks over images and classes: Dice, boundary IoU, HD95, surface distance.

    Parameters
    ----------
    score : str or callable
        A score of pixels, such as "dice"; "boundary_iou", "boundary_f" or "trimap_iou"; "hausdorff", "hd95" or
        "average_surface_distance", which need SciPy. Or a function of two arrays of booleans (..., height, width) ->
        scores (...), the higher the better.
    num_classes : int, optional
        Number of classes; needed for "index".
    include_background : bool
        Whether class 0 counts.
    per_class : bool
        Give the mean of each class, NaN for one that was never there.
    input_format, ignore_index, threshold
    spatial_axes : {1, 2, 3}, optional
        How many axes an image has: 2, or 3 for volumes. Default: as many as the inputs have.
    miss : float, optional
        Score of a mask that only one side has. Default: what the score gives, 0 or, for distances, infinity. For
        distances of instances it must be given.
    score_options : mapping, optional
        Options of the score, such as ``{"spacing": (5.0, 1.0, 1.0)}`` for distances.
    **kwargs

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit.
    ModuleNotFoundError
        From `update`, for distances without SciPy.

    Notes
    -----
    `update` takes the tensors of `MeanIoU`, and (N, height, width) for masks of one class. A mask that neither side has
    is excluded, unless `score_options` has ``zero_division``. ``compute()`` gives a number, which ``self.log`` takes.

    Or `update` takes two lists with a dict of ``masks`` (K, height, width) and ``labels`` (K,) for each image. Masks of
    one label are then paired one by one, the best score first, and each mask without a partner counts as a `miss`.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import MaskScore
    >>> preds, target = torch.tensor([[[0, 0, 0, 0, 1]]]), torch.tensor([[[0, 0, 1, 0, 1]]])
    >>> MaskScore("dice")(preds, target), MaskScore("hausdorff")(preds, target)
    (tensor(0.6667), tensor(2.))
    >>> label = torch.tensor([3])
    >>> MaskScore("iou")([{"masks": preds, "labels": label}], [{"masks": target, "labels": label}])
    tensor(0.5000)
    """

    _takes_tensors = False  # but both

    def __init__(
        self,
        score: str | Callable[..., Any] = "iou",
        num_classes: int | None = None,
        include_background: bool = True,  # noqa: FBT001, FBT002  (as `MeanIoU`)
        per_class: bool = False,  # noqa: FBT001, FBT002
        input_format: InputFormat = "one-hot",
        *,
        ignore_index: Labels = None,
        threshold: float | None = None,
        spatial_axes: int | None = None,
        miss: float | None = None,
        score_options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        known, name = _known(score), score if isinstance(score, str) else getattr(score, "__name__", "score")
        options = {**known.options, **(score_options or {})}
        # torch refuses modules before its constructor, and a plot has no place for an infinite bound.
        self.__dict__.update(higher_is_better=not known.distance, plot_upper_bound=None if known.distance else 1.0)
        own: dict[str, Any] = {"ignore_index": ignore_index, "threshold": threshold, **kwargs}
        super().__init__(num_classes, input_format, include_background=include_background, **own)
        flag("per_class", per_class)
        if isinstance(score, str):
            nothing = np.zeros(
                (1,) * max(2, spatial_axes or len(np.atleast_1d(options.get("spacing", 1.0)))), dtype=bool
            )
            known.function(nothing, nothing, **options)  # raises for wrong options now, not after an epoch
        spacing = options.get("spacing", 1.0)
        self._set_axes(None if isinstance(spacing, (int, float)) else spacing, spatial_axes)
        self.score, self.score_options = score, options
        self.miss = None if miss is None else float(miss)
        self.per_class = per_class
        choices = (name, sorted(options.items()), per_class, spatial_axes, miss)
        self._add_images(self._rows if per_class else 1, 1, 1, *choices)

    @eager
    def update(self, preds: Any, target: Any) -> None:
        """Add a batch of images: see the notes of the class."""
        if isinstance(preds, Tensor) or isinstance(target, Tensor):
            self._add_maps(preds, target)
        else:
            self._add_instances(preds, target)

    def compute(self) -> Tensor:
        """Mean of everything since the last reset."""
        counts, total = self._fetched()
        each = exact.mean(total, counts[:, 0])
        return self._result(each if self.per_class else each[0])

    def _add_maps(self, preds: Tensor, target: Tensor) -> None:
        if self.input_format == "one-hot" and preds.ndim == target.ndim == 3 and (self.num_classes or 1) == 1:
            preds, target = preds[:, None], target[:, None]
        maps = self._maps(preds, target)
        preds, target = self._masks(maps, shaped=_known(self.score).shape)
        each = widened(self._scores_of(preds, target, pairs=False))
        one, other = (x.flatten(2).any(2) for x in (preds, target))
        if self.miss is not None:
            each = torch.where(one ^ other, self.miss, each)
        counted = one | other | ("zero_division" in self.score_options)
        if not self.per_class:
            each, counted = each.reshape(-1, 1), counted.reshape(-1, 1)
        self._add(*sums_of(each, counted), readings=maps.readings)

    def _add_instances(self, preds: Sequence[Any], target: Sequence[Any]) -> None:
        known = _known(self.score)
        miss = self.miss if self.miss is not None else math.inf if known.distance else 0.0
        if math.isinf(miss):
            raise ValueError(
                f"`miss` must be given for score {self.score!r} of instances: without a partner it is infinite"
            )
        if self.per_class and self.num_classes is None:
            raise ValueError("`num_classes` must be given where `per_class` is true, got None")
        dicts.check_lists(preds=preds, target=target)
        declared = [key for key in keys("targets", "masks") if key.column in {"masks", "labels"}]
        predictions, targets = (
            read(name, rows, declared, self.num_classes) for name, rows in (("preds", preds), ("target", target))
        )
        check_sizes(predictions, targets)
        values, labels = [], []
        for one, other in zip(predictions, targets, strict=True):
            own, label = self._paired(one, other, miss)
            values.append(own)
            labels.append(label)
        if values:
            each, place = torch.cat(values), torch.cat(labels)
            rows = self._rows if self.per_class else 1
            place = place if self.per_class else torch.zeros_like(place)
            self._add(torch.bincount(place, minlength=rows)[:, None], exact.sums(each, place, rows))

    def _paired(self, one: dicts.Values, other: dicts.Values, miss: float) -> tuple[Tensor, Tensor]:
        """Scores and classes of the pairs of an image, and of the masks without a partner."""
        for name, x in (("preds", one), ("target", other)):
            check_two_values(name, x["masks"])
        p, q = (x["masks"].to(self.device) != 0 for x in (one, other))
        pred_labels, target_labels = (x["labels"].to(self.device, torch.int64) for x in (one, other))
        if not (len(p) and len(q)):
            label = torch.cat([pred_labels, target_labels])
            return widened(torch.full(label.shape, miss, device=label.device)), label
        score = widened(self._scores_of(p, q, pairs=True))
        chosen = greedy(
            score if self.higher_is_better else -score, pred_labels[:, None] == target_labels[None, :], xp=xp
        )
        left, missed = pred_labels[~chosen.any(1)], target_labels[~chosen.any(0)]
        label = torch.cat([target_labels[chosen.nonzero(as_tuple=True)[1]], left, missed])
        pairs = score[chosen]
        return torch.cat([pairs, pairs.new_full((len(label) - len(pairs),), miss)]), label

    def _scores_of(self, preds: Tensor, target: Tensor, *, pairs: bool) -> Tensor:
        """Compute scores of masks (..., *size), element by element or of all pairs."""
        known, options = _known(self.score), dict(self.score_options)
        axes = preds.ndim - 1 if pairs else preds.ndim - 2
        if known.distance:
            options["spatial_axes"] = axes
        elif not known.shape:  # how pixels are arranged does not matter
            preds, target = (x.flatten(-axes)[..., None, :] for x in (preds, target))
        elif axes != 2 and isinstance(self.score, str):
            raise ValueError(f"score {self.score!r} is of images with 2 spatial axes, got {axes}")
        out: Tensor = (pairwise if pairs else _call)(known.function, preds, target, **options)
        return out


def _call(function: Callable[..., Any], *given: Any, **options: Any) -> Any:
    return function(*given, **options)


def _known(score: Any) -> _MaskFunction:
    if isinstance(score, str):
        checks.choice("score", score, _KNOWN)
        return _KNOWN[score]
    if not callable(score):
        raise TypeError(f"`score` must be a name or a function of two arrays of masks, got {type(score).__name__}")
    return _MaskFunction(score)
