"""Precision, confidence and errors of one class at 101 recalls, and the numbers read off them."""

from typing import Any, NamedTuple

from omniou._lib import backends
from omniou.centres._rules import ERRORS, RECALLS, CentreRules


class CentreCurve(NamedTuple):
    """The curve of one class and distance, at recalls 0, .01, ..., 1."""

    precision: Any  # (101,) 0 beyond the highest recall
    confidence: Any  # (101,) 0 beyond the highest recall
    errors: Any  # (E, 101) mean error of the true positives of at least that confidence


def recalls() -> Any:
    """(101,)."""
    return backends.numpy_namespace().linspace(0, 1, RECALLS)


def none() -> CentreCurve:
    """The curve of a class without objects, or of one that matches none."""
    xp = backends.numpy_namespace()
    return CentreCurve(xp.zeros(RECALLS), xp.zeros(RECALLS), xp.ones((len(ERRORS), RECALLS)))


def curve(scores: Any, hits: Any, errors: Any, objects: int) -> CentreCurve:
    """The curve of detections by rank. `hits` (M,) says which are true positives; `errors` has shape (E, M)."""
    xp = backends.numpy_namespace()
    if not objects or not hits.any():
        return none()
    right = xp.cumsum(hits).astype(xp.float64)
    recall, at = right / objects, recalls()
    # Between detections the curve is a straight line: precision is not made monotone.
    precision = xp.interp(at, recall, right / xp.arange(1, hits.shape[0] + 1), right=0)
    confidence = xp.interp(at, recall, scores, right=0)
    # `interp` needs rising points, so both ends are turned round.
    rising, known = confidence[::-1], scores[hits][::-1]
    means = [xp.interp(rising, known, _running_mean(x)[::-1])[::-1] for x in errors[:, hits]]
    return CentreCurve(precision, confidence, xp.stack(means))


def _running_mean(x: Any) -> Any:
    """Errors (H,) -> the mean of each and those before it, NaN passed over.

    0 before the first number, and 1 where all are NaN: both as nuScenes' devkit.
    """
    xp = backends.numpy_namespace()
    known = ~xp.isnan(x)
    if not known.any():
        return xp.ones(x.shape[0])
    total, many = xp.cumsum(xp.where(known, x, 0.0)), xp.cumsum(known)
    return xp.divide(total, many, out=xp.zeros(x.shape[0]), where=many != 0)


def average_precision(precision: Any, rules: CentreRules) -> float:
    """The mean of (precision - min_precision), 0 where it is less, over the recalls that count; scaled to [0, 1]."""
    xp = backends.numpy_namespace()
    above = precision[rules.first_recall :] - rules.min_precision
    return float(xp.mean(xp.maximum(above, 0.0))) / (1.0 - rules.min_precision)


def mean_errors(of: CentreCurve, rules: CentreRules) -> Any:
    """(E,) mean of each error over the recalls that count and are reached; 1 where none is."""
    xp = backends.numpy_namespace()
    # A confidence of 0 stands for a recall that is not reached.
    reached = xp.nonzero(of.confidence)[0]
    last = int(reached[-1]) if reached.shape[0] else 0
    if last < rules.first_recall:
        return xp.ones(len(ERRORS))
    return xp.mean(of.errors[:, rules.first_recall : last + 1], axis=1)
