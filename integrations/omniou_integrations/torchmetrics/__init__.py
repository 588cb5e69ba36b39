"""Metrics for torchmetrics: mean average precision, means of scores such as IoU, segmentation, panoptic quality, HOTA.

Constructors, inputs and result keys equal torchmetrics' classes of the same names, so you
only change the import. Neither torchvision nor pycocotools is needed. The results differ where torchmetrics' numbers
mislead; ``compat=True`` reproduces those:

- *No data is NaN*, never 0 or -1, which are legal scores.
- *Predictions are matched to targets* where scores such as IoU are averaged. With ``pairing="matched"``, the
  default, each box has at most one partner, so perfect predictions score 1. ``pairing="all"`` is the mean over all
  pairs of equal label, as in torchmetrics, in which two perfect boxes of one class in one image score 0.5.
- *Thresholds are exact*: an IoU of 0.6 reaches the threshold 0.6, and the last limit of detections may be any number.
- *The order of ties does not matter*: detections of equal score count all at once.

The state has few bytes for each detection, or for each class, and processes synchronise in a fixed number of
collectives for any number of images. Across processes the result is the result of all images together, with uneven
shards and processes without a batch too; then call ``compute()`` on every process, as in ``on_validation_epoch_end``.
Mind that a ``DistributedSampler`` repeats samples until all shards are equal, and they count as often as they are seen:
the page on Lightning shows how to exclude them.
"""

from omniou._lib import extras

extras.check_adapter(__name__, "torchmetrics", "torch")

from omniou_integrations.torchmetrics._bootstrap import BootStrapper
from omniou_integrations.torchmetrics._evaluation import DetectionEvaluation
from omniou_integrations.torchmetrics._f1 import PrecisionRecallF1
from omniou_integrations.torchmetrics._hausdorff import HausdorffDistance
from omniou_integrations.torchmetrics._jaccard import (
    BinaryJaccardIndex,
    JaccardIndex,
    MulticlassJaccardIndex,
    MultilabelJaccardIndex,
    SegmentationScore,
)
from omniou_integrations.torchmetrics._keypoints import KeypointAveragePrecision
from omniou_integrations.torchmetrics._logging import log_figures, scalars
from omniou_integrations.torchmetrics._map import MeanAveragePrecision
from omniou_integrations.torchmetrics._mask_scores import MaskScore
from omniou_integrations.torchmetrics._panoptic import ModifiedPanopticQuality, PanopticQuality
from omniou_integrations.torchmetrics._scores import (
    BoxScore,
    CompleteIntersectionOverUnion,
    DistanceIntersectionOverUnion,
    GeneralizedIntersectionOverUnion,
    IntersectionOverUnion,
)
from omniou_integrations.torchmetrics._segmentation import DiceScore, GeneralizedDiceScore, MeanIoU
from omniou_integrations.torchmetrics._tracking import HOTA, IDF1, ClearMOT

__all__ = [
    "HOTA",
    "IDF1",
    "BinaryJaccardIndex",
    "BootStrapper",
    "BoxScore",
    "ClearMOT",
    "CompleteIntersectionOverUnion",
    "DetectionEvaluation",
    "DiceScore",
    "DistanceIntersectionOverUnion",
    "GeneralizedDiceScore",
    "GeneralizedIntersectionOverUnion",
    "HausdorffDistance",
    "IntersectionOverUnion",
    "JaccardIndex",
    "KeypointAveragePrecision",
    "MaskScore",
    "MeanAveragePrecision",
    "MeanIoU",
    "ModifiedPanopticQuality",
    "MulticlassJaccardIndex",
    "MultilabelJaccardIndex",
    "PanopticQuality",
    "PrecisionRecallF1",
    "SegmentationScore",
    "log_figures",
    "scalars",
]


def __dir__() -> list[str]:
    return __all__
