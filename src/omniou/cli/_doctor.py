"""What the doctor says of the files of a command."""

from collections.abc import Sequence
from pathlib import Path

from omniou.cli._files import FilesRead
from omniou.cli._log import Log
from omniou.data import Finding, diagnose
from omniou.detection.doctor import _notes


def notes(read: FilesRead, found: Sequence[Finding]) -> list[str]:
    """What is worth knowing, and not found already."""
    told = () if any(x.code == "scores-cut" for x in found) else read.detections
    return [*_notes.of_truth(read.truth), *(x for detections in told for x in _notes.of_detections(detections))]


def findings(read: FilesRead, paths: Sequence[Path], log: Log, *, class_agnostic: bool = False) -> list[Finding]:
    """Of the ground truth and each model's detections, none twice."""
    of_truth = read.options.order_of_truth(read.formats[0])
    if not paths:
        found = diagnose(read.truth, formats=(of_truth, None))
    else:
        orders = map(read.options.order_of_detections, read.formats[1:])
        found = [
            finding
            for path, detections, order in zip(paths, read.detections, orders, strict=True)
            for finding in diagnose(read.truth, detections, formats=(of_truth, order), path=path)
        ]
    if class_agnostic:
        found = [x for x in found if not x.code.startswith("classes-")]
    # Readers warn of boxes that end before they begin.
    told = {x.path for x in log.findings if x.code == "doubtful-shapes"}
    return [x for x in dict.fromkeys(found) if x.code != "boxes-inverted" or log.told(x.path) not in told]
