"""Mean Hausdorff distance of segmentation."""

from collections.abc import Sequence
from typing import Any, Literal

from torch import Tensor

from omniou import masks
from omniou._catalogue.pixel_options import Labels
from omniou._lib import checks
from omniou._lib.docs import described
from omniou.masks._surface import percentage
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics._base import eager, flag, widened
from omniou_integrations.torchmetrics._label_maps import InputFormat
from omniou_integrations.torchmetrics._mask_scores import OfMasks
from omniou_integrations.torchmetrics._segmentation import MeanIoU, sums_of


@described(MeanIoU)
class HausdorffDistance(OfMasks):
    """Mean Hausdorff distance of the outlines of each image and class.

    Parameters
    ----------
    num_classes : int
        Number of classes.
    include_background : bool
        Whether class 0 counts.
    distance_metric : {"euclidean", "chessboard", "taxicab"}
        How distances along the axes combine.
    spacing : list of float or tensor, optional
        Distance of pixels along each spatial axis: height and width; of volumes depth, height and width. Default: 1.
    directed : bool
        Whether only distances from predictions to targets count.
    input_format, ignore_index, threshold
    spatial_axes : {1, 2, 3}, optional
        How many axes an image has: 2, or 3 for volumes. Default: as many as `spacing` has numbers, or else as the
        inputs have.
    percentile : float
        In (0, 100]: of the distances of each direction. 95 is HD95.
    **kwargs

    Raises
    ------
    TypeError, ValueError
        The same as in `MeanIoU`.
    ModuleNotFoundError
        From `update`, without SciPy.

    Notes
    -----
    A class that is in neither map of an image is excluded. One that only one side has is infinitely far from nothing,
    so that the mean is infinite. Pixels that are excluded are off on both sides. Sums are exact: neither the order of
    images nor the number of processes matters.

    Inputs (N, C, depth, height, width), or (N, depth, height, width) of classes, are volumes: their outlines and
    distances have three axes. torchmetrics 1.9 takes the mean over slices. Of images that are not square it computes
    another distance, which is wrong.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import HausdorffDistance
    >>> metric = HausdorffDistance(num_classes=2, input_format="index")
    >>> metric(torch.tensor([[[0, 0, 0, 0, 1]]]), torch.tensor([[[0, 0, 1, 0, 1]]]))
    tensor(2.)
    """

    higher_is_better = False
    plot_upper_bound: float | None = None  # type: ignore[assignment]

    def __init__(  # noqa: PLR0917
        self,
        num_classes: int,
        include_background: bool = False,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        distance_metric: Literal["euclidean", "chessboard", "taxicab"] = "euclidean",
        spacing: Sequence[float] | Tensor | None = None,
        directed: bool = False,  # noqa: FBT001, FBT002
        input_format: InputFormat = "one-hot",
        *,
        ignore_index: Labels = None,
        threshold: float | None = None,
        spatial_axes: Literal[1, 2, 3] | None = None,
        percentile: float = 100.0,
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        own: dict[str, Any] = {"ignore_index": ignore_index, "threshold": threshold, **kwargs}
        super().__init__(num_classes, input_format, include_background=include_background, **own)
        self._set_axes(spacing, spatial_axes)
        checks.choice("distance_metric", distance_metric, ("euclidean", "chessboard", "taxicab"))
        flag("directed", directed)
        self.percentile = percentage(percentile)
        self.distance_metric = distance_metric
        self.directed = directed
        options = (self.spacing or (1.0, 1.0), distance_metric, directed)
        self._add_images(1, 1, 1, *options, *([] if percentile == 100 else [self.percentile]))

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        maps = self._maps(preds, target)
        preds, target = self._masks(maps)
        each = masks.hausdorff(
            preds,
            target,
            percentile=self.percentile,
            directed=self.directed,
            spacing=self.spacing or 1.0,
            spatial_axes=preds.ndim - 2,
            distance_metric=self.distance_metric,
        )
        flat = widened(each).reshape(-1, 1)
        self._add(*sums_of(flat, ~flat.isnan()), readings=maps.readings)

    def compute(self) -> Tensor:
        """Mean distance of everything since the last reset."""
        counts, total = self._fetched()
        return self._result(exact.mean(total, counts[:, 0])[0])
