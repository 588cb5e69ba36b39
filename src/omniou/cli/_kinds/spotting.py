"""Kind `spotting`: moments in time with a tolerance, in SoccerNet's files."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.cli import _files as files
from omniou.cli._kinds import Evaluated
from omniou.cli._log import Log
from omniou.cli._rules import check_classes
from omniou.report import Group, Record

if TYPE_CHECKING:
    from omniou.cli._check import CheckOptions
    from omniou.cli._eval_options import EvalOptions
    from omniou.data.spotting import Games
    from omniou.spotting import Spotting

_LEFT_OUT = {
    "unknown": "actions and predictions are excluded: they have other classes",
    "same_frame": "actions and predictions are excluded: another one of their class is in their frame",
}
_WORDS = {
    "tight": "mAP averaged over tolerances of 1 to 5 s",
    "loose": "mAP averaged over tolerances of 5 to 60 s",
    "tight_visible": "tight, of actions that are shown",
    "tight_unshown": "tight, of actions that are not shown, times 17/13",
    "loose_visible": "loose, of actions that are shown",
    "loose_unshown": "loose, of actions that are not shown, times 17/13",
}


def evaluate(paths: list[Path], options: "EvalOptions", log: Log) -> Evaluated:
    """Read the games of both files, and compute their mean AP over tolerances."""
    result = _result(paths, options.rules.only_classes, log)
    rows = [
        {"name": name, **{f"AP@{x:g}s": float(ap) for x, ap in zip(result.tolerances, column, strict=True)}}
        for name, column in zip(result.classes, result.ap.T, strict=True)
    ]
    record = Record(
        kind="spotting",
        units="videos",
        summary=result.summary,
        words={name: _WORDS[name] for name in result.summary},
        counts={name: result.counts[name] for name in ("videos", "classes", "events", "predictions")},
        groups=[Group(key="per_class", title="AP of each class by tolerance", rows=rows, printed=False)],
        details={"left_out": {name: result.counts[name] for name in _LEFT_OUT}},
    )
    if options.draws:
        from omniou.report._charts.actions import timelines

        record = dataclasses.replace(record, charts=timelines(result))
    return Evaluated(record, result)


def check(paths: list[Path], options: "CheckOptions", log: Log) -> list[Finding]:
    """Read the files, and add to the log what is doubtful; readers raise for faults."""
    if len(paths) == 1:
        from omniou.data import spotting as reader

        reader.read_ground_truth(paths[0])
    else:
        _result(paths, options.only_classes, log)
    return []


def _result(paths: list[Path], classes: Sequence[str] | None, log: Log) -> "Spotting":
    """Read and evaluate both files, and add to the log what is doubtful about them."""
    from omniou import spotting
    from omniou.data import spotting as reader

    truth, found = reader.read_ground_truth(paths[0]), reader.read_predictions(paths[1])
    if not len(truth.events.times):
        raise files.Unusable(f"{paths[0]}: nothing to score: no actions")
    found = _of_games(found, truth, paths[1], log)
    known = {*truth.events.labels, *found.events.labels}
    check_classes("--only-classes", classes or (), known, f"classes of {paths[0]} and {paths[1]}")
    for finding in reader.diagnose(truth, found):
        log.add(dataclasses.replace(finding, path=str(paths[1])))
    # If all actions are shown, the numbers of shown actions equal the others and are dropped.
    actions = dataclasses.replace(truth.events, shown=None) if all(truth.events.shown) else truth.events
    result = spotting.evaluate(actions, found.events, classes=classes)
    _warn_of_counts(result, truth, found, paths[1], log)
    return result


def _warn_of_counts(result: "Spotting", truth: "Games", found: "Games", path: Path, log: Log) -> None:
    """Add findings for predictions that do not count, or that are not there."""
    if not len(found.events.times):
        log.add(Finding(code="no-detections", text="no predictions: mAP is 0", path=str(path)))
    others = [sorted({*a.events.labels} - {*b.events.labels}) for a, b in ((found, truth), (truth, found))]
    evidence = f"the predictions have {shortened(others[0])}"
    if others[1]:
        evidence += f", and lack {shortened(others[1])}"
    for name, words in _LEFT_OUT.items():
        if count := result.counts[name]:
            is_unknown = name == "unknown" and bool(others[0])
            text, more = f"{count} {words}", evidence if is_unknown else ""
            log.add(Finding(code=name.replace("_", "-"), text=text, evidence=more, path=str(path)))


def _of_games(found: "Games", truth: "Games", path: Path, log: Log) -> "Games":
    """Return the predictions of games in the ground truth; add findings for games that one side lacks."""
    missing, surplus = ([x for x in a.names if x not in b.names] for a, b in ((truth, found), (found, truth)))
    if len(missing) == len(truth.names):
        raise files.Unusable(f"{path}: none of the games of the ground truth has predictions, such as {missing[0]!r}")
    if missing:
        text = f"{len(missing)} games have no predictions, so all their actions are missed: {shortened(missing)}"
        log.add(Finding(code="games-missing", text=text, path=str(path)))
    if not surplus:
        return found
    text = f"predictions of {len(surplus)} games are excluded: the ground truth lacks these games: {shortened(surplus)}"
    log.add(Finding(code="games-unknown", text=text, path=str(path)))
    return found.only(truth.names)
