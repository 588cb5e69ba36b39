"""torchvision's Python, whose compiled operators have no build for every torch, and are not needed here."""

import torch

# Importing torchvision asks for their schemas. In a name of the module: they are gone when the library is.
LIBRARY = torch.library.Library("torchvision", "FRAGMENT")
for operator in ("nms", "qnms"):
    LIBRARY.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from torchvision import ops  # noqa: E402

__all__ = ["ops"]
