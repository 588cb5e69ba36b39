"""`omniou eval`: check options, evaluate, and write all outputs, in the same order for every kind."""

import dataclasses
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _kept as kept
from omniou.cli import _lab_books as lab_books
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _plots as plots
from omniou.cli._commands import Command
from omniou.cli._eval_options import STYLES, EvalOptions
from omniou.cli._kinds import KINDS
from omniou.cli._kinds import options as kind_options
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import given_on_line, takes
from omniou.report import ANALYSES, Record
from omniou.report._record.make import identified
from omniou.report._record.sections import Shown
from omniou.report._text.render import OF_DETECTIONS, RENDERERS, text

if TYPE_CHECKING:
    from omniou.cli._kinds import Evaluated

EXIT_CODES = """\b
    Exit codes: 0 done, 1 a gate failed, 2 wrong usage,
      3 input unreadable, nothing to score, or output not written,
      4 suspicious input (with --strict), or unreadable shards skipped,
      70 a bug in omniou."""


@click.command(
    "eval",
    cls=Command,
    taken=kind_options.allowed,
    epilog=f"""\b
    Example:
      omniou eval instances_val2017.json detections.json --per-class

    {EXIT_CODES}""",
)
@click.argument("inputs", nargs=-1, type=files.PATH, metavar="GROUND_TRUTH DETECTIONS")
@takes(EvalOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[Path, ...], options: EvalOptions) -> None:
    """Evaluate DETECTIONS against GROUND_TRUTH: average precision and recall.

    Both are files or directories; "-" is the standard input. omniou recognises the format by the content: COCO and LVIS
    JSON, Pascal VOC, text files for each image, YOLO, CSV, LabelMe, CVAT, Label Studio, Scalabel, Open Images, Parquet,
    KITTI and DOTA. "omniou formats" lists all formats.

    --kind chooses what to compare. With keypoints, both are COCO's or CrowdPose's keypoint files. With intervals, both
    are ActivityNet's JSON or CSV. With tracks, both are files of sequences, or directories of such files, from
    MOTChallenge, KITTI, MOTS or Scalabel; the result is HOTA, MOTA and IDF1. With semantic, components and vos, both
    are directories of PNG files. With panoptic, both are COCO's JSON files next to such directories. With centres, both
    are nuScenes' JSON. With spotting, both are SoccerNet's files.

    With --engine dask, both may also be directories or patterns of shards with equal names, such as "truth/*.parquet".
    With --from-state, the arguments are states that --state wrote.
    """
    kind, paths = KINDS[options.reading.kind], _arguments(inputs, states=options.states.from_state)
    kind_options.check(ctx, options.reading.kind)
    module = kind.load()
    possible: list[list[str]] = module.prepare(ctx, paths, options) if kind.prepares else []
    known = list(dict.fromkeys(itertools.chain(*possible))) or None
    wanted = gates.conditions(options.gates.fail_under, known)
    drops = gates.drops(options.gates.max_drop, options.gates.baseline, known)
    if given_on_line("samples") and not (options.intervals or options.full or options.html or drops):
        raise click.UsageError("--samples is for --intervals, --full, --html and --max-drop")
    output.check_output(options.output)
    pages.check(options.html, options.reading.images)
    plots.check(options.pictures)
    lab_books.check(options.books, [x for x in known or () if all(x in names for names in possible)])
    baseline = None if options.gates.baseline is None else gates.load(options.gates.baseline)
    style = options.style_among(STYLES)
    if style in OF_DETECTIONS and not kind.of_detections:
        raise click.UsageError(f"--format {style} is not for --kind {options.reading.kind}: use {', '.join(RENDERERS)}")
    on_screen = style == "table" and options.output is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    with files.reported(log), log.catching():
        evaluated = module.evaluate(paths, options, log)
    made = recorded(evaluated, paths, log, options, drops=drops, baseline=baseline)
    passed = gates.outcomes(wanted, made, known)
    if baseline is not None and options.gates.baseline is not None:
        passed += gates.compared(drops, options.gates.baseline, baseline, made)
    made.gates.extend(passed)
    output.write(rendered(made, style, options, log.notable, evaluated.hints), options.output)
    _write_others(made, evaluated, options)
    unreadable = any(x.code == "unreadable" for x in made.warnings)
    strict = (options.gates.strict and bool(made.warnings)) or unreadable
    gates.leave(ctx, passed, strict=strict, quiet=on_screen)


def _write_others(made: Record, evaluated: "Evaluated", options: EvalOptions) -> None:
    """Write all outputs but the result, which is written before: none of them can cost a user the result."""
    if options.states.state is not None and evaluated.state is not None:
        kept.write(evaluated.state, options.states.state)
    if options.html is not None:
        pages.write(options.html, made, options.reading.images, log=Log(quiet=True))
    plots.write(options.pictures, made)
    lab_books.write(options.books, made)


def _arguments(inputs: tuple[Path, ...], *, states: bool) -> list[Path]:
    """Return the files; raise a usage error for too few or too many."""
    if states:
        if not inputs:
            raise click.UsageError("--from-state: Missing argument 'STATE...'")
        return list(inputs)
    for place, name in enumerate(("GROUND_TRUTH", "DETECTIONS")):
        if len(inputs) <= place:
            raise click.UsageError(f"Missing argument {name!r}.")
    if len(inputs) > 2:
        raise click.UsageError(f"Got unexpected extra argument ({inputs[2]})")
    return list(inputs)


def recorded(
    evaluated: "Evaluated",
    paths: list[Path],
    log: Log,
    options: EvalOptions,
    *,
    drops: Sequence[gates.Drop],
    baseline: Record | None,
) -> Record:
    """Add to the record what the command knows: inputs, options, warnings, and intervals.

    The interval of a change comes from pairs of samples, one of each record, and both must draw the same images. The
    seed and the number of samples are therefore the baseline's, and numbers that may not drop always get an interval.
    """
    made = identified(evaluated.record, evaluated.result)
    for finding in made.warnings:
        if finding not in log.findings:
            log.add(finding)
    made = dataclasses.replace(
        made,
        inputs=made.inputs or kind_options.inputs(paths, made.kind, log),
        options=config.given(),
        warnings=log.findings,
        assumptions=log.assumptions,
        notes=log.notes,
    )
    # Detections say themselves which numbers get an interval without --intervals.
    every = options.intervals or (options.full and not KINDS[options.reading.kind].of_detections)
    units = getattr(evaluated.result, "units", None) if every or evaluated.numbers or drops else None
    if units is None:
        if options.intervals:
            raise click.UsageError(f"--intervals is not for --kind {made.kind}: nothing of it can be drawn again")
        return made
    intervals = None if baseline is None or not gates.has_samples(baseline) else baseline.intervals
    falling = [] if intervals is None else [x.number or made.head for x in drops]
    paired = [name for name in falling if intervals is not None and name in intervals.numbers]
    asked = units.known if every else ()
    names = list(dict.fromkeys([*(x for x in made.words if x in asked), *evaluated.numbers, *paired]))
    if not names:
        return made
    samples, seed = (options.samples, 0) if intervals is None else (intervals.samples, intervals.seed)
    from omniou.report._record import intervals as bootstrap

    return bootstrap.added(
        made,
        evaluated.result,
        names,
        samples=samples,
        seed=seed,
        always=options.intervals or bool(paired),
        track=lambda numbers: shown(list(numbers), "bootstrap"),
    )


def rendered(made: Record, style: str, options: EvalOptions, notable: list[str], hints: Sequence[str]) -> str:
    """Return the output in a style of `--format`."""
    analyses = [
        name
        for name, x in ANALYSES.items()
        if name in made.analyses and (name in options.analyses or x.needs or x.at_once or (options.full and x.default))
    ]
    what = Shown(
        full=options.full,
        per_class=options.per_class,
        weakest=options.weakest,
        intervals=options.intervals,
        analyses=analyses,
    )
    if style != "table":
        return {**RENDERERS, **OF_DETECTIONS}[style](made, what)
    more = {"Assumed": notable, "Next": [] if options.output is not None else hints}
    width, look = output.width(), output.style(options.output)
    return text(made, what, width=width, style=look, more={} if options.full else more)
