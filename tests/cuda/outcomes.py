"""Writes what comes of a step, line by line as it comes, so that a step that is stopped has said what it knew."""

import json
import os
import sys
from pathlib import Path
from typing import Any


def write(**found: Any) -> None:
    """Add a line to the file that the step was given."""
    line = json.dumps(found)
    if path := os.environ.get("OMNIOU_LINES"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def pytest_runtest_logreport(report: Any) -> None:
    """Write the outcome of each test: pytest loads this module as a plugin."""
    path = os.environ.get("OMNIOU_LINES")
    if path and (report.when == "call" or report.outcome != "passed"):
        found = {"outcome": report.outcome} | ({"test": report.nodeid} if report.outcome != "passed" else {})
        if report.outcome == "failed":
            found["reason"] = report.longreprtext[-1500:]
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
