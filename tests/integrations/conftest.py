"""Imports torchvision before torchmetrics does, where torchvision was built for another torch."""

import importlib.util

if importlib.util.find_spec("torchvision") and importlib.util.find_spec("torch"):
    # torchmetrics imports torchvision wherever it is installed.
    import tests.torchvision_ops  # noqa: F401
