"""`omniou check`: look for mistakes in files; exit code 4 if there are any."""

import dataclasses
import json
import sys
from pathlib import Path

import click
import numpy as np

from omniou._lib.brief import counted
from omniou._lib.visible import all_visible
from omniou.boxes import GEOMETRY
from omniou.cli import INPUT, SUSPICIOUS
from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _output as output
from omniou.cli import _stdin as stdin
from omniou.cli import _types as types
from omniou.cli._commands import Command
from omniou.cli._doctor import findings, notes
from omniou.cli._files import FilesRead, ReadOptions
from omniou.cli._kinds import KINDS, OTHER_KINDS, PROTOCOLS
from omniou.cli._kinds import options as kind_options
from omniou.cli._kinds.options import KindReadOptions
from omniou.cli._log import Log, colour
from omniou.cli._option_groups import option, option_group, takes
from omniou.cli._rules import unscored
from omniou.data import Finding, InputError
from omniou.data._faults import Faults, collecting
from omniou.detection import PRESETS


@option_group
class CheckOptions(output.OutputOptions):
    """Options of `omniou check`."""

    reading: ReadOptions
    kinds: KindReadOptions
    protocol: str | None = option(
        "With --kind tracks: rules of the data set. Default: as the files tell.", types.Choice([*PRESETS, *PROTOCOLS])
    )
    only_classes: tuple[str, ...] | None = option(
        "With --kind keypoints or spotting: read only these classes: person,car.",
        metavar="NAMES",
        callback=types.checked(types.names),
    )
    except_classes: tuple[str, ...] | None = option(
        "With --kind keypoints: exclude these classes: cat.", metavar="NAMES", callback=types.checked(types.names)
    )
    class_agnostic: bool = option("Treat all classes as one: look for no mistakes in classes.", is_flag=True)


@click.command(
    "check",
    cls=Command,
    taken=kind_options.allowed,
    kinds=[name for name, kind in KINDS.items() if kind.of_detections or kind.checked],
    why="omniou eval names the mistakes in files of other kinds.",
    epilog="""\b
    Examples:
      omniou check instances_val2017.json detections.json
      omniou check instances_val2017.json

    \b
    Exit codes: 0 nothing found, 2 wrong usage, 3 input unreadable or output
      not written, 4 something found, 70 a bug in omniou.""",
)
@click.argument("ground_truth", type=files.PATH)
@click.argument("detections", type=files.PATH, required=False)
@takes(CheckOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, ground_truth: Path, detections: Path | None, options: CheckOptions) -> None:
    """Look for common mistakes in GROUND_TRUTH and DETECTIONS, or only in GROUND_TRUTH.

    omniou tries each box format and order of coordinates, looks for classes or images with shifted ids, for duplicates
    and more. It changes no file. For each mistake it prints the evidence and how to fix it.
    """
    output.check_output(options.output)
    style = options.style_among(("table", "json"))
    kind_options.check(ctx, options.reading.kind)
    _check_used(ctx, options.reading.kind)
    if (kind := OTHER_KINDS.get(options.reading.kind)) is not None and kind.checked:
        _of_other_kind(ctx, [ground_truth, *([] if detections is None else [detections])], options, style)
        return
    log = Log(quiet=True)
    with stdin.kept([ground_truth, *([] if detections is None else [detections])], log) as paths:
        faults = Faults(paths)
        read = _read(paths, log, options, faults)
        if read is None or faults.found:
            _report(log, faults, style, options)
            ctx.exit(INPUT)
        upright = read.truth.geometry is GEOMETRY  # the doctor says more about inverted upright boxes than the readers
        of_readers = [x for x in log.findings if not upright or x.code != "doubtful-shapes"]
        log.findings.clear()
        if why := unscored(read.truth):
            log.add(Finding(code="nothing-to-score", text=why, path=str(read.truth.path)))
        for finding in findings(read, paths[1:], log, class_agnostic=options.class_agnostic):
            log.add(finding)
    found = [*of_readers, *log.findings]
    output.write(_json(read, found) if style == "json" else _listed(found, _counted(read)), options.output)
    for note in notes(read, found) if style == "table" else ():
        click.echo(f"Note: {note}.", err=True)
    if found:
        ctx.exit(SUSPICIOUS)


def _check_used(ctx: click.Context, kind: str) -> None:
    """Raise a usage error for options of rules that `eval` uses for this kind, but `check` does not."""
    if not KINDS[kind].of_detections:
        return
    if kind_options.is_in_command(ctx, "protocol"):
        raise click.UsageError("--protocol is not for detections, whose check has no rules: it is for --kind tracks")
    for name in () if kind == "keypoints" else ("only_classes", "except_classes"):
        if kind_options.is_in_command(ctx, name):
            raise click.UsageError(f"--{name.replace('_', '-')} is not for --kind {kind}: it checks all classes")


def _of_other_kind(ctx: click.Context, paths: list[Path], options: CheckOptions, style: str) -> None:
    """Print what the `check` of a kind finds."""
    log = Log(quiet=True)
    with files.reported(log), log.catching():
        found = OTHER_KINDS[options.reading.kind].load().check(paths, options, log)
    found = [*log.findings, *(x for x in found if x not in log.findings)]
    if style == "json":
        text = json.dumps({"findings": [dataclasses.asdict(x) for x in found]}, indent=2) + "\n"
    else:
        text = _listed(found, ", ".join(map(str, paths)))
    output.write(text, options.output)
    if found:
        ctx.exit(SUSPICIOUS)


def _read(paths: list[Path], log: Log, options: CheckOptions, faults: Faults) -> FilesRead | None:
    """Read the files; after a fault, read them again without the faulty line, to collect all faults.

    None if a fault prevents further reading.
    """
    while True:
        log.findings.clear()
        try:
            with collecting(faults):
                reading = files.of_its_kind(paths, options.reading, log)
                only, but = options.only_classes, options.except_classes
                return files.read(paths[0], paths[1:], log, reading, only=only, but=but)
        except files.Unusable as error:
            if not isinstance(error.__cause__, InputError):
                raise
            if not faults.add(error.__cause__):
                return None


def _report(log: Log, faults: Faults, style: str, options: CheckOptions) -> None:
    """Print each kind of fault and the warnings of the readers, to standard error or as JSON."""
    if style == "json":
        kinds = faults.found.values()
        each = [{"path": str(x.first.path), "place": x.first.place, "fault": x.first.fault} for x in kinds]
        told = [{name: log.told(value) for name, value in x.items()} for x in each]
        listed = [x | {"count": kind.count} for x, kind in zip(told, kinds, strict=True)]
        record = {"faults": listed, "findings": [dataclasses.asdict(x) for x in log.findings]}
        output.write(json.dumps(record, indent=2) + "\n", options.output)
    for fault in faults.found.values():
        click.echo(f"Error: {log.told(str(fault))}", err=True)
    for finding in log.findings:
        click.echo(f"Warning: {finding}", err=True)
    if faults.count > 1:
        more = ", and there may be more" if faults.is_full or faults.is_cut else ""
        click.echo(f"{counted(faults.count, 'faults')}{more}.", err=True)


def _counted(read: FilesRead) -> str:
    parts = [(len(read.truth.images), read.truth.geometry.words.holders), (len(read.truth.flagged), "objects")]
    parts += [(np.asarray(x.labels).size, "detections") for x in read.detections]
    return ", ".join(counted(many, what) for many, what in parts)


def _listed(found: list[Finding], where: str) -> str:
    """Return a paragraph for each finding."""
    lines, bold = [], colour(sys.stdout)
    for x in map(all_visible, found):
        lines.append(click.style(f"[{x.code}] {x.text}", bold=True) if bold else f"[{x.code}] {x.text}")
        lines += [
            f"  {name}: {words}"
            for name, words in (("file", x.path), ("evidence", x.evidence), ("try", x.hint))
            if words
        ]
    ending = counted(len(found), "findings") if found else "No mistakes found"
    return "\n".join([*lines, f"{ending} in {where}.", ""])


def _json(read: FilesRead, found: list[Finding]) -> str:
    record = {
        "images": len(read.truth.images),
        "objects": len(read.truth.flagged),
        "detections": np.asarray(read.detections[0].labels).size if read.detections else None,
        "findings": [dataclasses.asdict(x) for x in found],
        "notes": notes(read, found),
    }
    return json.dumps(record, indent=2) + "\n"
