"""Convert images of any library to RGB bytes. Axes and value range are found from shapes and values, or given."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from omniou._lib import checks
from omniou.data._pictures import opened
from omniou.report._record.series import Numbers
from omniou.report._record.values import array

_CHANNELS = (1, 3, 4)
# Resampling overshoots [0, 1] by less than 0.1. Floats up to 16 above that are ambiguous: a dark image of bytes, or
# another scale.
_OVERSHOOT, _DARK = 0.1, 16


def colours(images: Sequence[Any], layout: str | None, values: tuple[float, float] | None, /) -> list[Numbers]:
    """Arrays or paths -> (height, width, 3) arrays of uint8, scaled alike."""
    if layout is not None:
        layout = checks.choice("layout", layout, ("CHW", "HWC"))
    known = [_pixels(f"images[{k}]", x, layout) for k, x in enumerate(images)]
    low, high = _span(known) if values is None else values
    if not low < high:
        raise ValueError(f"`values` must be two rising numbers, for black and for white, got {values!r}")
    return [_bytes(x, low, high) for x in known]


def _pixels(name: str, image: Any, layout: str | None) -> Numbers:
    """Return an image as (height, width, 3), with its own values."""
    if isinstance(image, str | os.PathLike):
        with opened(Path(image)) as picture:
            return np.asarray(picture.convert("RGB"))
    x = array(image) if hasattr(image, "dtype") else np.asarray(image)
    if x.dtype.kind not in "buif":
        raise TypeError(f"`{name}` must be numbers, got {x.dtype}")
    if x.ndim == 2:
        x = x[:, :, None]
    elif x.ndim != 3:
        raise ValueError(f"`{name}` must have 2 or 3 axes, got shape {x.shape}")
    elif _layout(name, x.shape, layout) == "CHW":
        x = np.moveaxis(x, 0, 2)
    return np.repeat(x, 3, axis=2) if x.shape[2] == 1 else x[:, :, :3]


def _layout(name: str, shape: tuple[int, ...], given: str | None) -> str:
    fits = [way for way, axis in (("CHW", 0), ("HWC", 2)) if shape[axis] in _CHANNELS]
    if given is not None:
        if given in fits:
            return given
        raise ValueError(f"`{name}` must have 1, 3 or 4 channels in the layout {given!r}, got shape {shape}")
    if len(fits) == 1:
        return fits[0]
    told = "has channels on neither end" if not fits else "may be both"
    raise ValueError(f"`{name}` {told}, with shape {shape}: give `layout`, 'CHW' or 'HWC'")


def _span(images: Sequence[Numbers]) -> tuple[float, float]:
    """Return the values of black and white, from all images together, since one may be dark."""
    filled = [x for x in images if x.size]
    if all(x.dtype in (np.uint8, np.bool_) for x in filled):
        return (0.0, 1.0) if filled and all(x.dtype == np.bool_ for x in filled) else (0.0, 255.0)
    low, high = min(float(x.min()) for x in filled), max(float(x.max()) for x in filled)
    whole = all(x.dtype.kind in "buif" and x.dtype.kind != "f" for x in filled)
    if low >= 0 and high <= 255 and (whole or high > _DARK):
        return 0.0, 255.0
    if not whole and low >= -_OVERSHOOT and high <= 1 + _OVERSHOOT:
        return 0.0, 1.0
    raise ValueError(
        f"`images` have values from {low:.4g} to {high:.4g}, neither in [0, 1] nor in [0, 255]: undo their "
        "normalisation, or give `values`, what black and white are, such as (-1, 1)"
    )


def _bytes(x: Numbers, low: float, high: float) -> Numbers:
    if x.dtype == np.uint8 and (low, high) == (0.0, 255.0):
        return np.ascontiguousarray(x)
    scaled = np.subtract(x, low, dtype=np.float32)
    scaled *= 255.0 / (high - low)
    scaled += 0.5  # to round
    np.fmin(np.fmax(scaled, 0.0, out=scaled), 255.0, out=scaled)  # NaN becomes 0
    return np.ascontiguousarray(scaled.astype(np.uint8))
