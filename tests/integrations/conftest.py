"""Lets torchmetrics be imported where torchvision was installed beside another build of torch."""

import importlib.util

if importlib.util.find_spec("torchvision") and importlib.util.find_spec("torch"):
    import torch

    # torchmetrics imports torchvision wherever it is installed, which fails without the schemas of its compiled
    # operators. In a name of the module, for they are gone when the library is.
    library = torch.library.Library("torchvision", "DEF")
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
