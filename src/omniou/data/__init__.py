"""Readers of files: one module for each format, columns out. They need the extra `omniou[cli]`."""

from omniou.data.errors import InputError

__all__ = ["InputError"]
