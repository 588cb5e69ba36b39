"""Precision, recall and F1 of the images of one update, cheap enough to log at each step."""

from typing import Any, NamedTuple

from omniou._lib import backends, checks
from omniou.detection._protocol import Protocol, threshold_of
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from omniou.detection.curves._state import State


class BatchSummary(NamedTuple):
    """Precision, recall and F1 of the detections of some images, of all classes together, at one threshold of scores.

    Attributes
    ----------
    precision : float
        Share of true positives among the detections that score enough; NaN without any.
    recall, f1 : float
        NaN without objects.
    true_positives, false_positives, false_negatives : int
        Crowds, ignored objects and what is matched to them do not count. The counts of several batches add up.
    iou_threshold, score_threshold : float
        Where they were counted.
    """

    precision: float
    recall: float
    f1: float
    true_positives: int
    false_positives: int
    false_negatives: int
    iou_threshold: float
    score_threshold: float


class BatchPoint(NamedTuple):
    """Where a batch is summarised."""

    iou_threshold: float
    score_threshold: float


def batch_point(
    batch_summary: Any, score_threshold: Any, iou_threshold: Any, protocol: Protocol, /
) -> BatchPoint | None:
    """Check the options of `update`; None if no summary is asked for."""
    if not checks.flag("batch_summary", batch_summary):
        for name, given in (("score_threshold", score_threshold), ("iou_threshold", iou_threshold)):
            if given is not None:
                raise ValueError(f"`{name}` is for a summary: give `batch_summary=True` too, or remove it")
        return None
    score = 0.5 if score_threshold is None else checks.number("score_threshold", score_threshold)
    return BatchPoint(threshold_of(protocol, iou_threshold, 0.5), score)


def summarised(state: State, point: BatchPoint, /) -> BatchSummary:
    """Return the summary of the images of a state."""
    from omniou.detection.curves._operating import check_scale, least_met

    xp, least = backends.array_namespace(state.scores), point.score_threshold
    if least < 1:
        # Few and low scores of a model that starts to learn are no sign of shares next to percents.
        check_scale("score_threshold", [least], state.scores, xp=xp)
    curves = Curves(Ranking(state, xp=xp))
    outcomes = curves.outcomes(state.protocol.iou_thresholds.index(point.iou_threshold))
    enough = outcomes.scores >= least_met(least, outcomes.scores, xp=xp)
    hits, shown = (int(xp.count_nonzero(x & enough)) for x in (outcomes.hit, outcomes.counts))
    objects = int(xp.sum(curves.ranking.objects[:, 0]))
    return BatchSummary(
        precision=hits / shown if shown else float("nan"),
        recall=hits / objects if objects else float("nan"),
        f1=2 * hits / (shown + objects) if objects else float("nan"),
        true_positives=hits,
        false_positives=shown - hits,
        false_negatives=objects - hits,
        iou_threshold=point.iou_threshold,
        score_threshold=least,
    )
