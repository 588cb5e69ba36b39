"""Mean scores and average precision of a validation set, from its batches. In NumPy."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import omniou
from omniou import boxes
from omniou.detection import Detections, Evaluator, Protocol, Result, Targets
from omniou_integrations._shared import columns
from omniou_integrations._shared.columns import BoxTable, Reading
from omniou_integrations._shared.pairing import paired

HEADLINES = ("map", "map_50", "map_75")

# Pending predictions that are scored in one call: many small batches then cost little more than one large one.
PENDING = 2**15


def result_names(protocol: Protocol | str) -> dict[str, str]:
    """Names of results as in torchmetrics -> those of `omniou.detection`: "map_50" -> "AP50", "mar_small" -> "ARs"."""
    evaluator: Evaluator[Any] = Evaluator(protocol)
    areas = {area.suffix: area.name for area in evaluator.protocol.area_ranges if area.suffix}
    results = {}
    for name in evaluator.compute().summary:
        kind, rest = {"AP": "map", "AR": "mar"}[name[:2]], name[2:]
        results["_".join([kind, areas.get(rest, rest)] if rest else [kind])] = name
    return results


class Summary:
    """Add batches, then ask for the results.

    Parameters
    ----------
    scores : sequence of str
        Whose means to give.
    results : dict
        Names of further results in the form of `result_names`, given where the batches hold detections.
    reading : Reading
        How boxes are given; `scored` where there are results.
    class_names : dict
        Label -> name of classes whose AP is a result of its own.
    protocol : Protocol or str
    insists : bool
        Whether arrays, which have no such results, are an error.
    """

    def __init__(
        self,
        scores: Sequence[str],
        results: Mapping[str, str],
        reading: Reading,
        class_names: Mapping[int, str],
        *,
        protocol: Protocol | str,
        insists: bool,
    ) -> None:
        self._results, self._class_names = results, class_names
        self._reading, self._insists = reading, insists
        self._evaluator: Evaluator[Any] = Evaluator(
            protocol, kind=reading.geometry, format=reading.absolute, offset=reading.offset
        )
        self._scores: dict[str, Callable[..., Any]] = {name: getattr(boxes, name) for name in scores}
        self._total = dict.fromkeys(scores, 0.0)
        self._count = 0.0
        self._images = 0
        self._pending: list[tuple[BoxTable, BoxTable]] = []
        self._detects = self._diverged = False

    def add(self, predictions: Any, targets: Any, weight: Any = None) -> None:
        """Predictions and targets of a batch, both arrays or both dicts, and weights of arrays."""
        if columns.is_dicts(predictions) and columns.is_dicts(targets):
            if weight is not None:
                raise ValueError("sample weights must be left out where there are dicts: give padding the label -1")
            self._detects = True
            self._add_detections(*columns.read(predictions, targets, self._reading))
        elif isinstance(predictions, np.ndarray) and isinstance(targets, np.ndarray):
            self._check_aligned(predictions, targets)
            self._add_aligned(predictions, targets, _weights(weight, predictions.shape[:-1]))
        else:
            kinds = f"{type(predictions).__name__} and {type(targets).__name__}"
            raise TypeError(
                f"predictions and targets must both be arrays, or both dicts with 'boxes' and 'labels', got {kinds}"
            )

    def results(self) -> dict[str, float]:
        """Results of all batches; NaN without any, or where a prediction was not finite."""
        self._score_pending()
        values = {name: total / self._count if self._count else math.nan for name, total in self._total.items()}
        if self._detects and (self._results or self._class_names):
            values |= self._average_precision()
        # A NaN in predictions must not end the training.
        return dict.fromkeys(values, math.nan) if self._diverged else values

    def _check_aligned(self, predictions: Any, targets: Any) -> None:
        if self._insists:
            raise TypeError("predictions and targets must be dicts to have `results` and `class_names`, got arrays")
        if isinstance(self._reading.image_size, str):
            raise TypeError("predictions and targets must be dicts where `image_size` is a key, got arrays")
        for name, x in (("predictions", predictions), ("targets", targets)):
            if x.dtype.kind not in "iuf":
                raise TypeError(f"{name} must hold numbers, got dtype {x.dtype}")
        if predictions.shape != targets.shape:
            raise ValueError(
                f"predictions and targets must have one shape, got {predictions.shape} and {targets.shape}"
            )

    def _add_aligned(self, predictions: Any, targets: Any, weight: Any) -> None:
        counted = weight != 0
        predictions, targets, weight = (
            x[counted] for x in (predictions.astype(np.float64), targets.astype(np.float64), weight)
        )
        if not np.isfinite(targets).all():
            raise ValueError("targets must be finite: leave padding out with a sample weight of 0")
        if not np.isfinite(predictions).all():
            self._diverged = True
            return
        format, offset, size, *_ = self._reading
        for name, score in self._scores.items():
            values = score(predictions, targets, format=format, offset=offset, image_size=size)
            self._total[name] += float((values * weight).sum())
        self._count += float(weight.sum())

    def _add_detections(self, predictions: BoxTable, targets: BoxTable, images: int) -> None:
        self._diverged = self._diverged or columns.has_diverged(predictions)
        if self._diverged:
            self._pending = []
            return
        predictions, targets = (x._replace(images=x.images + self._images) for x in (predictions, targets))
        self._images += images
        if self._pending and not _fit(self._pending[-1][1], targets):
            self._score_pending()
        self._pending.append((predictions, targets))
        if sum(len(x.labels) for x, _ in self._pending) >= PENDING:
            self._score_pending()

    def _score_pending(self) -> None:
        if not self._pending:
            return
        predictions, targets = (_joined(parts) for parts in zip(*self._pending, strict=True))
        self._pending = []
        if self._scores:
            self._add_means(predictions, targets)
        if self._reading.scored:
            columns = predictions._asdict()
            detections = Detections(**{name: columns[name] for name in ("boxes", "scores", "labels", "images")})
            columns = targets._asdict()
            del columns["scores"]
            self._evaluator.update(Targets(**columns), detections)

    def _add_means(self, predictions: BoxTable, targets: BoxTable) -> None:
        format, offset = self._reading.absolute, self._reading.offset
        size = self._reading.image_size
        given = {"format": format, "offset": offset, "image_size": None if isinstance(size, str) else size}
        scores = {name: functools.partial(score, **given) for name, score in self._scores.items()}
        distances = [name for name in scores if not omniou.scores[name].higher_is_better]
        count = 0
        for name, (values, misses) in paired(predictions, targets, scores, distances=distances).items():
            # A miss may be infinite.
            self._total[name] += float(values.sum()) + (misses * omniou.scores[name].miss if misses else 0.0)
            count = len(values) + misses  # the same for every score
        self._count += count

    def _average_precision(self) -> dict[str, float]:
        result: Result[Any] = self._evaluator.compute()
        results = {name: float(result.summary[key]) for name, key in self._results.items()}
        if self._class_names:
            each = dict(zip(result.classes.tolist(), result.per_class["AP"].tolist(), strict=True))
            results |= {f"map/{name}": each.get(label, math.nan) for label, name in self._class_names.items()}
        return results


def _fit(first: BoxTable, second: BoxTable) -> bool:
    """Whether both have the same columns."""
    return all((x is None) == (y is None) for x, y in zip(first, second, strict=True))


def _joined(parts: Sequence[BoxTable]) -> BoxTable:
    return BoxTable(*(None if some[0] is None else np.concatenate(some) for some in zip(*parts, strict=True)))


def _weights(weight: Any, lead: tuple[int, ...]) -> Any:
    """Sample weights of boxes (...), given with all of these axes or the first of them."""
    weight = np.ones(lead) if weight is None else np.asarray(weight, np.float64)
    if weight.ndim == len(lead) + 1 and weight.shape[-1] == 1:
        weight = weight[..., 0]
    try:
        return np.broadcast_to(weight.reshape(*weight.shape, *[1] * (len(lead) - weight.ndim)), lead)
    except ValueError:
        raise ValueError(f"sample weights must have shape {lead}, or its first axes, got {weight.shape}") from None
