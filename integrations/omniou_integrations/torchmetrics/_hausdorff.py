"""Mean Hausdorff distance of segmentation."""

from collections.abc import Sequence
from typing import Any, Literal

from torch import Tensor

from omniou import masks
from omniou._lib import checks
from omniou._lib.docs import described
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics._base import eager, flag, widened
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
        How distances along the height and along the width combine.
    spacing : list of float or tensor, optional
        Distance of pixels along the height and along the width; by default 1.
    directed : bool
        Whether only distances from predictions to targets count.
    input_format, **kwargs

    Raises
    ------
    TypeError, ValueError
        As of `MeanIoU`.
    ModuleNotFoundError
        From `update`, without SciPy.

    Notes
    -----
    A class that is in neither map of an image is left out. One that only one side has is infinitely far from nothing,
    so that the mean is infinite. Sums are exact: neither the order of images nor the number of processes matters. Of
    images that are not square torchmetrics 1.9 computes another distance, which is wrong.

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
        **kwargs: Any,
    ) -> None:
        checks.count("num_classes", num_classes)
        super().__init__(num_classes, input_format, include_background=include_background, **kwargs)
        checks.choice("distance_metric", distance_metric, ("euclidean", "chessboard", "taxicab"))
        flag("directed", directed)
        self.spacing = (1.0, 1.0) if spacing is None else tuple(float(x) for x in spacing)
        if len(self.spacing) != 2:
            msg = f"`spacing` must be the distances along height and width, got {spacing!r}"
            raise ValueError(msg)
        self.distance_metric = distance_metric
        self.directed = directed
        self._add_sums(1, 1, 1, num_classes, include_background, self.spacing, distance_metric, directed, input_format)

    @eager
    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of images."""
        sides = apart_of(preds, target, self.num_classes, self.input_format)
        if not self.include_background and sides[0].shape[1] > 1:
            sides = sides[0][:, 1:], sides[1][:, 1:]
        height, width = self.spacing
        options: dict[str, Any] = {"directed": self.directed, "distance_metric": self.distance_metric}
        each = widened(masks.hausdorff(*sides, spacing=(height, width), **options))
        flat = each.reshape(-1, 1)
        self._add(*sums_of(flat, ~flat.isnan()))

    def compute(self) -> Tensor:
        """Mean distance of everything since the last reset."""
        return self._result(exact.mean(self._total(0), self.counts[:, 0])[0])
