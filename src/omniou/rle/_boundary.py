"""Boundaries of masks: what an erosion takes away."""

from typing import Any

from omniou.rle._coco import Table


def boundary(table: Table, ratio: float) -> Table:
    raise NotImplementedError
