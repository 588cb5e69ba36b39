"""What makes the numbers of an evaluation by centres doubtful."""

from typing import Any

from omniou._lib import backends
from omniou._lib.findings import Finding
from omniou.centres import _matching as matching
from omniou.centres._rules import ERRORS

_NAMES = tuple(ERRORS)


def find(result: Any) -> list[Finding]:
    """Those of a `CentreResult`, in the order of what they cost."""
    return [x for x in (_absent(result), _score_zero(result), *_unknown(result)) if x is not None]


def _absent(result: Any) -> Finding | None:
    """Classes without ground truth, as mini sets have them."""
    absent = [name for name, many in zip(result.rules.names, result.objects.tolist(), strict=True) if not many]
    if not absent or result.rules.absent != "zero":
        return None
    return Finding(
        code="classes-without-objects",
        text=f"{len(absent)} of {len(result.rules.classes)} classes have no objects, and count with AP 0 and errors 1",
        evidence=", ".join(absent),
        hint='in Python, `absent="exclude"` takes the means over the other classes',
    )


def _score_zero(result: Any) -> Finding | None:
    """A score of 0 passes for the end of the curve."""
    hits = result.matches[result.rules.distances.index(result.rules.error_distance)] >= 0
    many = int((hits & (result.scores == 0)).sum())
    if not many:
        return None
    return Finding(
        code="true-positives-of-score-0",
        text=f"{many} true positives have a score of 0, which nuScenes takes for the end of the curve: errors leave "
        "them out, and are 1 where nothing is left",
        hint="add a small number to all scores",
    )


def _unknown(result: Any) -> list[Finding]:
    """Errors that are better than they should be, since some true positives have none.

    An object of unknown velocity is common in nuScenes, and passed over by its rules. That is not a finding.
    """
    xp = backends.numpy_namespace()
    hits = result.matches[result.rules.distances.index(result.rules.error_distance)] >= 0
    best_first = matching.ranking(result.scores)
    out = []
    for name, what in (("AVE", "velocity"), ("AAE", "attribute")):
        has = xp.asarray([name in x.errors for x in result.rules.classes])[result.labels]
        unknown = xp.isnan(result.errors[_NAMES.index(name)])
        rows = best_first[(hits & has)[best_first]]
        _, first = xp.unique(result.labels[rows], return_index=True)
        leading, lacking = int(unknown[rows[first]].sum()), result.counts[f"detections without {what}"]
        if leading or (lacking and name == "AVE"):
            out.append(
                Finding(
                    code=f"unknown-{what}",
                    text=f"{int(unknown[rows].sum())} of {rows.shape[0]} true positives have no {what} error, since "
                    f"the {what} of one box is unknown: {name} passes over them, is 0 before the first known one by "
                    "falling score, and 1 where none is known",
                    evidence=f"detections without {what}: {lacking}; classes whose best true positive has no error: "
                    f"{leading}",
                )
            )
    return out
