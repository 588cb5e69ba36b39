"""Numbers and curves of single-object tracking, from the IoU and the errors of frames."""

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from omniou._lib import backends
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named, pictures
from omniou._results.units import CountedUnits
from omniou.tracking import _sequences as sequences
from omniou.tracking._single_protocol import SingleProtocol
from omniou.tracking._units import units_of_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERS = ("AUC", "precision", "normalised_precision", "normalised_precision_auc", "AO", "SR50", "SR75")
# The error thresholds of precision in pixels, and of normalised precision in hundredths.
_ERRORS, _AT = 51, 20


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class FrameErrors:
    """The frames of a sequence, as NumPy arrays (T,); NaN where a frame does not count.

    Attributes
    ----------
    overlap
        IoU.
    error
        Distance of the centres, in pixels.
    normalised_error
        Distance of the centres, with x divided by the width and y by the height of the ground truth.
    """

    overlap: Any
    error: Any
    normalised_error: Any


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SuccessCurves:
    """Shares of frames by threshold, as NumPy arrays.

    Attributes
    ----------
    overlap_thresholds, success
        Share of frames whose IoU exceeds each threshold.
    error_thresholds, precision
        Share of frames whose centres are at most so many pixels apart.
    normalised_error_thresholds, normalised_precision
        Share of frames whose normalised error is at most each threshold.
    """

    overlap_thresholds: Any
    success: Any
    error_thresholds: Any
    precision: Any
    normalised_error_thresholds: Any
    normalised_precision: Any


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class SingleResult(EvaluationResult):
    """Numbers and curves of a tracker. "No data" is NaN.

    Attributes
    ----------
    protocol : SingleProtocol
    frames : dict of str to FrameErrors
        IoU and errors of each frame, by sequence.
    counts : dict of str to int
        "sequences"; "frames" that count; of these "given" (first frames that count with the ground truth) and "missed"
        (without the object); "excluded" frames, "first" or "absent"; "empty" predicted boxes.
    """

    protocol: SingleProtocol
    frames: Mapping[str, FrameErrors]
    counts: Mapping[str, int]

    @functools.cached_property
    def summary(self) -> Named[str, float]:
        """The numbers of all sequences.

        "AUC": mean of the success curve. "precision": share of errors of at most 20 pixels.
        "normalised_precision": share of normalised errors of at most 0.2. "normalised_precision_auc": mean of that
        curve, from 0 to 0.5. "AO": mean IoU. "SR50", "SR75": shares of frames whose IoU exceeds 0.5 and 0.75.
        """
        if self.protocol.mean == "frames":
            return Named(_numbers(self._pooled, self.protocol))
        return Named(sequences.means(list(self.per_sequence.values()), _NUMBERS))

    @functools.cached_property
    def per_sequence(self) -> Named[str, Named[str, float]]:
        """The numbers of `summary` for each sequence; NaN for a sequence without frames that count."""
        return Named({name: Named(_numbers(x, self.protocol)) for name, x in self.frames.items()})

    @functools.cached_property
    def curves(self) -> SuccessCurves:
        """Curves of all sequences: the mean over sequences, or over all frames, as the protocol says."""
        if self.protocol.mean == "frames":
            return _curves(self._pooled, self.protocol.points)
        each = [_curves(x, self.protocol.points) for x in self.frames.values() if _counted(x)]
        if not each:
            return _curves(self._pooled, self.protocol.points)
        xp = backends.numpy_namespace()
        shares = {
            name: xp.mean(xp.stack([getattr(x, name) for x in each]), axis=0)
            for name in ("success", "precision", "normalised_precision")
        }
        return dataclasses.replace(each[0], **shares)

    @property
    def units(self) -> CountedUnits:
        """The sequences: the units of bootstrap and permutation test."""
        frames = {name: int((~backends.numpy_namespace().isnan(x.overlap)).sum()) for name, x in self.frames.items()}
        by_frame = self.protocol.mean == "frames"
        rows = {name: [(frames[name] if by_frame else 1, row)] for name, row in self.per_sequence.items()}
        return units_of_means(rows, _NUMBERS, self.protocol)

    def plot(self, kind: str = "success", /, *, ax: "Axes | None" = None) -> "Axes":
        """Draw a curve by matplotlib: "success", "precision" or "normalised_precision"; or bars of "per_sequence"."""
        axes: Axes = pictures().plot(self, kind, ax=ax)
        return axes

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        return {"per_sequence": shown.columns_of(self.per_sequence)}

    def _rules(self) -> dict[str, Any]:
        return {"protocol": dataclasses.asdict(self.protocol)}

    def _title(self) -> str:
        head = {name: self.counts[name] for name in ("frames", "sequences")}
        return f"{shown.title(head)}, by {self.protocol.name}"

    @functools.cached_property
    def _pooled(self) -> FrameErrors:
        xp = backends.numpy_namespace()
        columns = (
            xp.concat([xp.zeros(0), *(getattr(x, field.name) for x in self.frames.values())])
            for field in dataclasses.fields(FrameErrors)
        )
        return FrameErrors(*columns)


def _counted(x: FrameErrors, /) -> bool:
    return not bool(backends.numpy_namespace().isnan(x.overlap).all())


def _curves(x: FrameErrors, points: int, /) -> SuccessCurves:
    """Return the curves over the frames that count."""
    xp = backends.numpy_namespace()
    kept = ~xp.isnan(x.overlap)
    overlaps, pixels = xp.linspace(0, 1, points), xp.arange(_ERRORS, dtype=xp.float64)
    total = int(kept.sum())

    def shares(hits: Any) -> Any:
        return hits.sum(axis=0) / total if total else xp.full(hits.shape[1], math.nan)

    error, normalised = (y[kept][:, None] for y in (x.error, x.normalised_error))
    return SuccessCurves(
        *(overlaps, shares(x.overlap[kept][:, None] > overlaps)),
        *(pixels, shares(error <= pixels)),
        *(pixels / 100, shares(normalised <= pixels / 100)),
    )


def _numbers(x: FrameErrors, rules: SingleProtocol, /) -> dict[str, float]:
    if not _counted(x):
        return dict.fromkeys(_NUMBERS, math.nan)
    curves = _curves(x, rules.points)
    kept = x.overlap[~backends.numpy_namespace().isnan(x.overlap)]
    values = (
        *(curves.success.mean(), curves.precision[_AT]),
        *(curves.normalised_precision[_AT], curves.normalised_precision.mean()),
        *(kept.mean(), (kept > 0.5).mean(), (kept > 0.75).mean()),
    )
    return dict(zip(_NUMBERS, map(float, values), strict=True))
