"""Lets torchmetrics be imported where torchvision was installed beside another build of torch."""

import importlib.util

if importlib.util.find_spec("torchvision") and importlib.util.find_spec("torch"):
    # torchmetrics imports torchvision wherever it is installed.
    import tests.torchvision_ops  # noqa: F401
