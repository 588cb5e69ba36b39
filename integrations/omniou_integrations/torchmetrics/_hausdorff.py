"""Mean Hausdorff distance of segmentation."""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from omniou import masks
from omniou._lib import checks
from omniou._lib.docs import described
from omniou.masks._surface import percentage, spacing_of
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics._base import eager, flag
from omniou_integrations.torchmetrics._segmentation import InputFormat, MeanIoU, OfImages, apart_of, sums_of


@described(MeanIoU)
class HausdorffDistance(OfImages):
    """Mean Hausdorff distance of the outlines of each image and class.

    Parameters
    ----------
    num_classes : int
        How many classes there are.
    include_background : bool
        Whether class 0 counts.
    distance_metric : {"euclidean", "chessboard", "taxicab"}
        How distances along the axes combine.
    spacing : list of float or tensor, optional
        Distance of pixels along each spatial axis: height and width; of volumes depth, height and width. Default: 1.
    directed : bool
        Whether only distances from predictions to targets count.
    input_format
    spatial_axes : {1, 2, 3}, optional
        How many axes an image has: 2, or 3 for volumes. Default: as many as `spacing` has numbers, or else as the
        inputs have.
    percentile : float
        In (0, 100]: of the distances of each direction. 95 is HD95.
    **kwargs

    Raises
    ------
    TypeError, ValueError
        As of `MeanIoU`.
    ModuleNotFoundError
        From `update`, without SciPy.

    Notes
    -----
    A class that is in neither map of an image is left out. One that only one side has is infinitely far from nothing,
    so that the mean is infinite. Sums are exact: neither the order of images nor the number of processes matters.

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
        spatial_axes: Literal[1, 2, 3] | None = None,
        percentile: float = 100.0,
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        super().__init__(num_classes, input_format, include_background=include_background, **kwargs)
        checks.choice("distance_metric", distance_metric, ("euclidean", "chessboard", "taxicab"))
        flag("directed", directed)
        self.spacing = None if spacing is None else tuple(float(x) for x in spacing)
        self.spatial_axes: int | None = spatial_axes
        if self.spacing is not None or spatial_axes is not None:
            self.spatial_axes = len(spacing_of(1.0 if self.spacing is None else self.spacing, spatial_axes))
        self.percentile = percentage(percentile)
        self.distance_metric = distance_metric
        self.directed = directed
        options = (num_classes, include_background, self.spacing or (1.0, 1.0), distance_metric, directed, input_format)
        self._add_sums(1, 1, 1, *options, *([] if percentile == 100 else [self.percentile]))

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        sides = apart_of(preds, target, self.num_classes, self.input_format)
        if not self.include_background and sides[0].shape[1] > 1:
            sides = sides[0][:, 1:], sides[1][:, 1:]
        size = image_size(sides[0].shape[2:], self.spatial_axes, channels=self.input_format == "index")
        ours, theirs = (x.reshape(*x.shape[:2], *size) for x in sides)
        each = masks.hausdorff(
            ours,
            theirs,
            percentile=self.percentile,
            directed=self.directed,
            spacing=self.spacing or 1.0,
            spatial_axes=len(size),
            distance_metric=self.distance_metric,
        )
        flat = each.to(torch.float64).reshape(-1, 1)
        self._add(*sums_of(flat, ~flat.isnan()))

    def compute(self) -> Tensor:
        """Mean distance of everything since the last reset."""
        return self._result(exact.mean(self._total(0), self.counts[:, 0])[0])


def image_size(size: Sequence[int], axes: int | None, *, channels: bool) -> tuple[int, ...]:
    """Size of one image, from the last axes of the inputs and, if that is known, how many of them are spatial.

    `channels`: whether inputs may have a channel axis of length 1, as MONAI's label maps have.
    """
    size = tuple(size)
    if channels and len(size) == (axes or 2) + 1 and 1 in {size[0], size[-1]}:
        if axes is None:
            msg = (
                f"inputs of size {size} are either volumes or images with a channel axis of length 1: "
                "pass `spatial_axes=3` for volumes, `spatial_axes=2` for images"
            )
            raise ValueError(msg)
        return size[1:] if size[0] == 1 else size[:-1]
    if axes is None and len(size) == 1:
        msg = (
            f"inputs of size {size} are either one image without a batch axis or signals of one axis: "
            "pass `x[None]` for an image, `spatial_axes=1` for signals"
        )
        raise ValueError(msg)
    if len(size) not in ({2, 3} if axes is None else {axes}):
        wanted = "2 or 3 spatial axes" if axes is None else f"{axes} spatial axes, as `spatial_axes` or `spacing` says"
        msg = f"inputs must have {wanted}, got size {size}"
        raise ValueError(msg)
    return size
