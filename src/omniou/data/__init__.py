"""Readers of files: one module for each format, columns out. They need the extra `omniou[cli]`."""

from omniou.data.errors import InputError, InputWarning
from omniou.data.options import Options
from omniou.data.truth import GroundTruth, Naming

__all__ = ["GroundTruth", "InputError", "InputWarning", "Naming", "Options"]
