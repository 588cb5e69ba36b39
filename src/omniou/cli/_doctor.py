"""What the doctor says of the files of a command."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omniou.cli._files import Read, order_of
from omniou.cli._log import Log
from omniou.data import Finding, diagnose


def findings(read: Read, paths: Sequence[Path], log: Log, how: dict[str, Any]) -> list[Finding]:
    """Of the ground truth and each model's detections, none twice."""
    orders = [order_of(name, side, how) for name, side in zip(read.formats, ("gt", *["dt"] * len(paths)), strict=True)]
    if not paths:
        found = diagnose(read.truth, formats=(orders[0], None))
    else:
        each = zip(paths, read.detections, orders[1:], strict=True)
        found = [
            x for path, table, order in each for x in diagnose(read.truth, table, formats=(orders[0], order), path=path)
        ]
    if how.get("class_agnostic"):
        found = [x for x in found if not x.code.startswith("classes-")]
    # Readers warn of boxes that end before they begin.
    told = {x.path for x in log.findings if x.code == "doubtful-shapes"}
    return [x for x in dict.fromkeys(found) if x.code != "boxes-inverted" or log.told(x.path) not in told]
