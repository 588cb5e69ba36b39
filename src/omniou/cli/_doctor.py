"""Run the doctor, `omniou.data.diagnose`, on the files of a command."""

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from omniou.cli._files import FilesRead
from omniou.cli._log import Log
from omniou.data import Finding, GroundTruth, diagnose
from omniou.data._formats import Layout
from omniou.detection import Detections
from omniou.detection.doctor._scores import cut

# With fewer objects, the AP of a class says little.
_FEW = 10


def notes(read: FilesRead, found: Sequence[Finding]) -> list[str]:
    """Return facts about the files that are not mistakes: few objects, and scores that end above 0."""
    told = () if any(x.code == "scores-cut" for x in found) else read.detections
    return [*_of_truth(read.truth), *(note for detections in told for note in _of_scores(detections))]


def _of_truth(truth: GroundTruth) -> list[str]:
    """Note that no class has more than a few objects."""
    counts = np.bincount(np.unique(np.asarray(truth.targets.labels), return_inverse=True)[1])
    if not len(counts) or counts.max() >= _FEW:
        return []
    return [f"no class has {_FEW} objects or more: AP is uncertain"]


def _of_scores(detections: Detections[Any]) -> list[str]:
    """Note the score below which there are no detections."""
    found = None if detections.scores is None else cut(np.asarray(detections.scores))
    if found is None:
        return []
    return [f"no score is below {found.score:g}, and many are just above: AP lacks the recall of lower scores"]


def findings(
    read: FilesRead, paths: Sequence[Path], log: Log, *, class_agnostic: bool = False, tie_policy: str | None = None
) -> list[Finding]:
    """Return the findings in the ground truth and in each model's detections, each once."""
    of_truth = read.options.order_of_truth(read.formats[0])
    if not paths:
        found = diagnose(read.truth, formats=(of_truth, None))
    else:
        scale = read.options.dt_scale and read.options.dt_scale.number
        orders = map(read.options.order_of_detections, read.formats[1:])
        layouts = itertools.zip_longest(orders, read.layouts)
        models = paths, read.detections, read.formats[1:]
        found = []
        for path, detections, name, (order, stated) in zip(*models, layouts, strict=True):
            read_as, counted = stated or (order, scale)
            of_model = diagnose(read.truth, detections, formats=(of_truth, read_as), path=path, scale=counted)
            found += _of_answers(of_model, stated) if name == "language-model" else of_model
    # Where all equal scores count at once, they need no rank.
    found = [x for x in found if tie_policy != "invariant" or x.code != "scores-equal"]
    return _untold(_counted(found, class_agnostic=class_agnostic), log)


def _of_answers(found: Sequence[Finding], stated: Layout | None) -> list[Finding]:
    """Return findings in answers of a language model, which writes whole numbers, and perhaps in a stated scale."""
    found = [x for x in found if x.code != "boxes-rounded"]
    return found if stated is None else [_without_scale(x, stated) for x in found]


def _without_scale(finding: Finding, stated: Layout) -> Finding:
    """Return a finding that does not change the scale of a format by --dt-scale, which is refused."""
    if finding.code != "boxes-scale":
        return finding
    hint = finding.hint
    if hint.startswith("leave"):
        hint = hint.partition(", with ")[2] or f"--dt-boxes {stated.order}"
    return dataclasses.replace(finding, hint=f"rename box_2d to bbox_2d, and give {hint}")


def _counted(found: Sequence[Finding], *, class_agnostic: bool) -> list[Finding]:
    """Return findings without those of classes if classes do not count."""
    return [x for x in found if not (class_agnostic and x.code.startswith("classes-"))]


def _untold(found: Sequence[Finding], log: Log) -> list[Finding]:
    """Return findings once, without the inverted boxes that readers warned of."""
    told = {x.path for x in log.findings if x.code == "doubtful-shapes"}
    return [x for x in dict.fromkeys(found) if x.code != "boxes-inverted" or log.told(x.path) not in told]


def between(
    truth: GroundTruth, models: Sequence[Detections[Any]], paths: Sequence[Path], log: Log, *, class_agnostic: bool
) -> None:
    """Warn of doubtful boxes and scores of models that are suppressed or fused, without a look at objects."""
    # Loaded by the commands that need it.
    from omniou.detection.doctor import _models

    each = [_models.Model(str(path), detections) for path, detections in zip(paths, models, strict=True)]
    for finding in _untold(_counted(_models.examine(truth, each), class_agnostic=class_agnostic), log):
        log.add(finding)
