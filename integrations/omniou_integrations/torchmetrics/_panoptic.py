"""Panoptic quality."""

from collections.abc import Collection
from typing import Any, Literal

import torch
from torch import Tensor

from omniou._lib import checks
from omniou._lib.docs import described
from omniou._lib.host import to_torch
from omniou.panoptic import _count, _maps
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics._base import eager, flag
from omniou_integrations.torchmetrics._sums import SummedMetric


class PanopticQuality(SummedMetric):
    """Panoptic quality (PQ) of things and stuff.

    Parameters
    ----------
    things, stuffs : collection of int
        Category ids of countable things, and of stuff, whose instance ids have no effect.
    allow_unknown_preds_category : bool
        Whether predicted categories that are neither are void; otherwise they raise.
    return_sq_and_rq : bool
        Also give the segmentation and the recognition quality.
    return_per_class : bool
        Give each class, things first, then stuff, each rising.
    unpredicted : {"ignore", "count"}
        Treatment of pixels whose predicted category is void. "ignore", as in torchmetrics: they are excluded from the
        area of target segments, and segments with more than half of their pixels there are not missed. "count", as
        in panopticapi: they are missed.
    **kwargs
        Options of `torchmetrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or a category is both; from `update` and `forward`, if the inputs do not fit.

    Notes
    -----
    Predictions and targets have shape (N, ..., 2): category and instance id of each pixel. What is most likely (height,
    width, 2), one image without its axis of images, raises; torchmetrics takes each row for an image. The result has
    shape (), (3,) for PQ, SQ and RQ, (1, classes), or (classes, 3); float64. Means are over classes that are there; a
    class that is not has 0, as in torchmetrics. IoU is in float64 here, and in float32 in torchmetrics.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import PanopticQuality
    >>> preds = torch.tensor([[[1, 5], [1, 5], [1, 5], [7, 0]]])
    >>> target = torch.tensor([[[1, 0], [1, 0], [1, 1], [7, 0]]])
    >>> PanopticQuality(things={1}, stuffs={7})(preds, target)
    tensor(0.7222, dtype=torch.float64)
    """

    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0
    _modified = False

    def __init__(
        self,
        things: Collection[int],
        stuffs: Collection[int],
        allow_unknown_preds_category: bool = False,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        return_sq_and_rq: bool = False,  # noqa: FBT001, FBT002
        return_per_class: bool = False,  # noqa: FBT001, FBT002
        *,
        unpredicted: Literal["ignore", "count"] = "ignore",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        options = {
            "allow_unknown_preds_category": allow_unknown_preds_category,
            "return_sq_and_rq": return_sq_and_rq,
            "return_per_class": return_per_class,
        }
        for name, value in options.items():
            flag(name, value)
        checks.choice("unpredicted", unpredicted, ("ignore", "count"))
        self._classes = _maps.categories(things, stuffs, names=("things", "stuffs"))
        self.things, self.stuffs = set(things), set(stuffs)
        self.allow_unknown_preds_category = allow_unknown_preds_category
        self.return_sq_and_rq = return_sq_and_rq
        self.return_per_class = return_per_class
        self.unpredicted = unpredicted
        self._add_sums(len(self._classes.labels), 3, 1, self._classes, unpredicted, self._modified)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of pairs (category, instance), (N, ..., 2) each."""
        unknown: Any = "void" if self.allow_unknown_preds_category else "error"
        maps = _maps.pairs(target.detach(), preds.detach(), None, self._classes, unknown)
        found = _count.outcome_of(maps, self._classes, "ignore", self.unpredicted, modified=self._modified)
        size = len(self._classes.labels)
        numbers = (torch.as_tensor(x) for x in (found.true, found.false, found.missed))
        counts = [torch.bincount(x, minlength=size) for x in numbers]
        total = exact.sums(torch.as_tensor(found.iou), torch.as_tensor(found.label), size)
        self._add(torch.stack(counts, dim=1).to(self.device), total.to(self.device))

    def compute(self) -> Tensor:
        """Qualities over everything since the last reset, float64; float32 on a device without it."""
        counts, total = self._fetched()
        true, false, missed = counts.unbind(dim=1)
        whole = 2 * true + false + missed
        # Of classes without segments these are NaN.
        pq, sq = 2 * exact.mean(total, whole), exact.mean(total, true)
        rq = 2 * true.to(pq.dtype) / whole.to(pq.dtype)
        every = torch.stack([pq, sq, rq], dim=1)
        there = whole > 0
        chosen = every if self.return_sq_and_rq else every[:, :1]
        if self.return_per_class:
            each = chosen.nan_to_num(0.0)
            return self._home(each if self.return_sq_and_rq else each.T)
        mean = chosen.nan_to_num(0.0)[there].mean(dim=0)
        return self._home(mean if self.return_sq_and_rq else mean[0])

    def _home(self, x: Tensor) -> Tensor:
        return to_torch(x, device=self.device)


@described(PanopticQuality)
class ModifiedPanopticQuality(PanopticQuality):
    """Modified panoptic quality (PQ dagger): stuff is scored by the mean IoU of its segments.

    Parameters
    ----------
    things, stuffs, allow_unknown_preds_category, unpredicted, **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as in `PanopticQuality`.

    References
    ----------
    Porzi et al., Seamless scene segmentation, CVPR 2019.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import ModifiedPanopticQuality
    >>> preds = torch.tensor([[[0, 0], [0, 1], [6, 0], [7, 0], [0, 2], [1, 0]]])
    >>> target = torch.tensor([[[0, 1], [0, 0], [6, 0], [7, 0], [6, 0], [255, 0]]])
    >>> ModifiedPanopticQuality(things={0, 1}, stuffs={6, 7})(preds, target)
    tensor(0.7667, dtype=torch.float64)
    """

    _modified = True

    def __init__(
        self,
        things: Collection[int],
        stuffs: Collection[int],
        allow_unknown_preds_category: bool = False,  # noqa: FBT001, FBT002
        *,
        unpredicted: Literal["ignore", "count"] = "ignore",
        **kwargs: Any,
    ) -> None:
        super().__init__(things, stuffs, allow_unknown_preds_category, unpredicted=unpredicted, **kwargs)
