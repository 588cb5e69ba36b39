"""`omniou check`: what is doubtful about files, with exit code 4 where there is something."""

import dataclasses
import json
import sys
from pathlib import Path

import click
import numpy as np

from omniou._lib.visible import all_visible
from omniou.cli import SUSPICIOUS
from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _output as output
from omniou.cli import _stdin as stdin
from omniou.cli._commands import Command
from omniou.cli._doctor import findings
from omniou.cli._files import FilesRead, ReadOptions
from omniou.cli._log import Log, colour
from omniou.cli._option_groups import option_group, takes
from omniou.data import Finding


@option_group
class CheckOptions(output.OutputOptions):
    """What `omniou check` is told."""

    reading: ReadOptions


@click.command(
    "check",
    cls=Command,
    epilog="""\b
    Examples:
      omniou check instances_val2017.json detections.json
      omniou check instances_val2017.json

    \b
    Exit codes: 0 nothing found, 2 wrong usage, 3 input unreadable or output not written,
      4 something found. 70 is a fault of omniou.""",
)
@click.argument("ground_truth", type=files.PATH)
@click.argument("detections", type=files.PATH, required=False)
@takes(CheckOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, ground_truth: Path, detections: Path | None, options: CheckOptions) -> None:
    """Look for common mistakes in GROUND_TRUTH and DETECTIONS, or in GROUND_TRUTH alone.

    Boxes in another order of coordinates, classes or images with other numbers, duplicates and the like: the files are
    read in each plausible way. Nothing is changed. What is found is printed with its evidence and what mends it.
    """
    output.check_output(options.output)
    style = options.style_among(("table", "json"))
    log = Log(quiet=True)
    with stdin.kept([ground_truth, *([] if detections is None else [detections])], log) as paths:
        read = files.read(paths[0], paths[1:], log, options.reading)
        of_readers = [x for x in log.findings if x.code != "doubtful-shapes"]  # of which the doctor says more
        log.findings.clear()
        for finding in findings(read, paths[1:], log):
            log.add(finding)
    found = [*of_readers, *log.findings]
    write = _json if style == "json" else _text
    output.write(write(read, found), options.output)
    if found:
        ctx.exit(SUSPICIOUS)


def _counted(read: FilesRead) -> str:
    parts = [f"{len(read.truth.images)} images", f"{len(read.truth.flagged)} objects"]
    parts += [f"{np.asarray(x.scores).size} detections" for x in read.detections]
    return ", ".join(parts)


def _text(read: FilesRead, found: list[Finding]) -> str:
    """A paragraph for each finding."""
    lines, bold = [], colour(sys.stdout)
    for x in map(all_visible, found):
        lines.append(click.style(f"[{x.code}] {x.text}", bold=True) if bold else f"[{x.code}] {x.text}")
        lines += [
            f"  {name}: {words}"
            for name, words in (("file", x.path), ("evidence", x.evidence), ("try", x.hint))
            if words
        ]
    ending = {0: "Nothing found", 1: "1 finding"}.get(len(found), f"{len(found)} findings")
    return "\n".join([*lines, f"{ending} in {_counted(read)}.", ""])


def _json(read: FilesRead, found: list[Finding]) -> str:
    record = {
        "images": len(read.truth.images),
        "objects": len(read.truth.flagged),
        "detections": np.asarray(read.detections[0].scores).size if read.detections else None,
        "findings": [dataclasses.asdict(x) for x in found],
    }
    return json.dumps(record, indent=2) + "\n"
