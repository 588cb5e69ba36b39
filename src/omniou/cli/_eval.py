"""`omniou eval`: numbers of detections, and what they are made of."""

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from omniou.cli import _config as config
from omniou.cli import _doctor as doctor
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _kept as kept
from omniou.cli import _lab_books as lab_books
from omniou.cli import _other_kinds as other_kinds
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _plots as plots
from omniou.cli import _rules as rules
from omniou.cli import _stdin as stdin
from omniou.cli._commands import Command
from omniou.cli._engine_options import check as check_engine
from omniou.cli._eval_options import STYLES, EvalOptions
from omniou.cli._kinds import OTHER_KINDS
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import takes
from omniou.cli._rules import RuleOptions
from omniou.data import GroundTruth, Slices
from omniou.detection import Protocol, Result, compute
from omniou.detection.curves._state import State
from omniou.detection.curves._summary import numbers as numbers_of
from omniou.report import ANALYSES, Counts, Input, Record, digest, record
from omniou.report._record.analyses import unasked
from omniou.report._record.make import withheld, without_areas
from omniou.report._record.sections import Shown, headline_of
from omniou.report._text.render import RENDERERS, text

EXIT_CODES = """\b
    Exit codes: 0 done, 1 a gate failed, 2 wrong usage,
      3 input unreadable, nothing to score, or output not written,
      4 suspicious input (with --strict), or unreadable shards skipped,
      70 a bug in omniou."""

_SLICES_WITHOUT_TRUTH = (
    "--slices needs the ground truth: it is not for --from-state, or for shards that stay on a cluster"
)
# With more detections, the bootstrap takes so long that omniou computes intervals only on request.
_MANY = 100_000


@click.command(
    "eval",
    cls=Command,
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
    paths = _arguments(inputs, states=options.states.from_state)
    kind = options.reading.kind
    other_kinds.check(kind)
    if kind in OTHER_KINDS:
        other_kinds.run(ctx, paths, options)
        return
    check_engine(options.engine)
    _check_score(options)
    if options.slices is not None and options.states.from_state:
        raise click.UsageError(_SLICES_WITHOUT_TRUTH)
    from_state = options.states.from_state
    protocol = kept.protocol_of(ctx, paths) if from_state else rules.check(options.rules, options.reading)
    wanted = gates.conditions(options.gates.fail_under, protocol)
    drops = gates.drops(options.gates.max_drop, options.gates.baseline, protocol)
    output.check_output(options.output)
    pages.check(options.html, options.reading.images)
    plots.check(options.pictures)
    lab_books.check(options.books)
    baseline = None if options.gates.baseline is None else gates.load(options.gates.baseline)
    style = options.style_among(STYLES)
    on_screen = style == "table" and options.output is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    if options.states.state is not None:
        kept.check(options.states.state)
    made = evaluated(paths, log, options, drops, baseline)
    passed = gates.outcomes(wanted, made)
    if baseline is not None and options.gates.baseline is not None:
        passed += gates.compared(drops, options.gates.baseline, baseline, made)
    made.gates.extend(passed)
    if options.html is not None:
        pages.write(options.html, made, options.reading.images)
    plots.write(options.pictures, made)
    lab_books.write(options.books, made)
    output.write(rendered(made, style, protocol, options, log.notable), options.output)
    unreadable = any(x.code == "unreadable" for x in made.warnings)
    strict = (options.gates.strict and bool(made.warnings)) or unreadable
    gates.leave(ctx, passed, strict=strict, quiet=on_screen)


def _check_score(options: EvalOptions) -> None:
    """A usage error where nothing would be counted from the score on."""
    users = [name for name, x in ANALYSES.items() if x.scored]
    if options.at_score is not None and not options.draws and not options.analyses.intersection(users):
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in users)
        raise click.UsageError(f"--at-score has no effect without one of --html, --plots, --log, {listed}")


def _arguments(inputs: tuple[Path, ...], *, states: bool) -> list[Path]:
    """The files, as many as there must be."""
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


class Evaluated(NamedTuple):
    """What a record is made of, and the state to keep. Without a ground truth, the state is all there is."""

    state: State
    result: Result[Any]
    inputs: list[Input]
    counts: Counts | None = None
    truth: GroundTruth | None = None


def evaluated(
    given_paths: list[Path],
    log: Log,
    options: EvalOptions,
    drops: Sequence[gates.Drop],
    baseline: Record | None,
) -> Record:
    """Read both and make the record.

    The interval of a change comes from pairs of samples, one of each record, and both must draw the same images. The
    seed and the number of samples are therefore the baseline's, and numbers that may not drop always get an interval.
    """
    known = None if baseline is None or not gates.has_samples(baseline) else baseline.intervals
    samples, seed = (options.samples, 0) if known is None else (known.samples, known.seed)
    way = _of_states if options.states.from_state else _on_cluster if options.engine.engine == "dask" else _here
    with stdin.kept(given_paths, log, allowed=way is _here) as paths:
        done = way(paths, log, options)
        if options.states.state is not None:
            kept.write(done.state, options.states.state)
        result, counts, truth, names = done.result, done.counts, done.truth, done.state.names
        if options.draws and options.html is None and not result.has_boxes:
            plots.note_without_boxes(log)
        # Numbers of groups of images have none.
        every = [x.name for x in numbers_of(result.protocol, result.groups)]
        numbers = every if options.intervals else []
        if not options.intervals and (options.full or options.html is not None):
            numbers = _first_numbers(every, result, counts, log)
        paired = [] if known is None else [x.number for x in drops if x.number in known.numbers]
        # Where it is known before that no interval would be shown, none is drawn.
        no_intervals = None if options.intervals or paired else withheld(result, numbers, samples, seed)
        numbers += [name for name in paired if name not in numbers and name in every]
        made = record(
            result,
            names=names.classes,
            images=names.images if truth is None else truth.image_names,
            sizes={} if truth is None else pages.sizes(truth),
            counts=counts,
            analyses=_analyses(options, result),
            score=pages.checked_score(options.at_score, result),
            slices=_slices(options.slices, truth, log),
            intervals=[] if no_intervals else numbers,
            samples=samples,
            seed=seed,
            inputs=done.inputs,
            options=config.given(),
            warnings=log.findings,
            assumptions=log.assumptions,
            preset=options.rules.protocol,
            track=lambda numbers: shown(list(numbers), "bootstrap"),
        )
    for finding in made.warnings[len(log.findings) :]:
        log.add(finding)
    if truth is not None and truth.relative:
        made = without_areas(made)
    return dataclasses.replace(made, intervals=no_intervals) if no_intervals else made


def _slices(path: Path | None, truth: GroundTruth | None, log: Log) -> Slices:
    """Groups of images, by the ways to slice."""
    if path is None:
        return {}
    if truth is None:
        raise click.UsageError(_SLICES_WITHOUT_TRUTH)
    from omniou.data import read_slices

    with files.reported(log), log.catching():
        return read_slices(path, truth)


def _first_numbers(every: list[str], result: Result[Any], counts: Counts | None, log: Log) -> list[str]:
    """Names of the numbers that get an interval unasked; none where the samples would take long."""
    detections = len(result.state.scores) if counts is None else counts.detections
    if detections > _MANY:
        log.assume(f"With more than {_MANY:,} detections, omniou computes intervals only with --intervals.")
        return []
    suffixes = [area.suffix for area in result.protocol.area_ranges]
    return headline_of(every, result.protocol.max_detections, suffixes)


def _analyses(options: EvalOptions, result: Result[Any]) -> list[str]:
    """Names of those to compute: unasked only those that the result has what it takes for."""
    known = {
        name
        for name in unasked(result)
        if options.html is not None
        or (options.draws and ANALYSES[name].chart)
        or (options.full and ANALYSES[name].default)
    }
    return [name for name in ANALYSES if name in options.analyses or name in known]


def _here(paths: list[Path], log: Log, options: EvalOptions) -> Evaluated:
    """Of files, in this process."""
    read = files.read(paths[0], paths[1:], log, files.of_its_kind(paths, options.reading, log))
    files.note_official(read, log, protocol=options.rules.protocol)
    ((result, counts),) = scored(read, paths, log, options.rules)
    roles = ("ground truth", "detections")
    inputs = [digested(path, role, name, log) for path, role, name in zip(paths, roles, read.formats, strict=True)]
    return Evaluated(rules.named(result.state, read.truth, options.rules), result, inputs, counts, read.truth)


def _on_cluster(paths: list[Path], log: Log, options: EvalOptions) -> Evaluated:
    """Of shards, on the workers of a cluster."""
    from omniou.cli import _engine as engine

    places = [path if path.exists() else path.parent for path in paths]  # of a pattern, the folder
    reading = files.of_its_kind(places, options.reading, log)
    state, counts, part, read = engine.run(paths, log, options.engine, reading, options.rules)
    inputs = engine.inputs(paths, part)
    for path, name, given_format in zip(paths, part.formats, options.reading.formats, strict=False):
        if given_format is None:
            log.assume(files.recognised(path, name), routine=True)
    if read is not None:  # the rows tell what the state does not, such as the sizes of images
        ((result, counts),) = scored(read, paths, log, options.rules, state)
        return Evaluated(rules.named(result.state, read.truth, options.rules), result, inputs, counts, read.truth)
    rules.warn_of_state(paths, state, counts, log)
    note_rules(log, options.rules)
    return Evaluated(state, compute([state]), inputs, counts)


def _of_states(paths: list[Path], log: Log, _: EvalOptions) -> Evaluated:
    """Of states that were kept."""
    state = kept.merged(paths)
    return Evaluated(state, compute([state]), [digested(path, "state", "state", log) for path in paths])


def scored(
    read: files.FilesRead, paths: list[Path], log: Log, options: RuleOptions, state: State | None = None
) -> list[tuple[Result[Any], Counts]]:
    """The result of each model and what was counted; the log gets what the doctor finds and what was assumed."""
    for finding in doctor.findings(read, paths[1:], log, class_agnostic=options.class_agnostic):
        log.add(finding)
    results = rules.evaluated(read, paths[1:], log, options, state=state)
    note_rules(log, options)
    return results


def digested(path: Path, role: str, format: str, log: Log) -> Input:
    """An input with its checksum, by the name that the caller knows."""
    with files.reported(log):
        read = digest(path, role, format)
    return dataclasses.replace(read, path=log.told(read.path))


def note_rules(log: Log, options: RuleOptions) -> None:
    """What nothing said otherwise."""
    source = click.get_current_context().meta.get("omniou.config")
    if source:
        log.assume(f"Options of {source[0]}: {', '.join(source[1]) or 'none'}.")
    if "protocol" not in config.given():
        log.assume(f"The protocol is {options.protocol}; --protocol chooses another.", routine=True)


def rendered(made: Record, style: str, protocol: Protocol, options: EvalOptions, notable: list[str]) -> str:
    """The output."""
    analyses = [
        name
        for name, x in ANALYSES.items()
        if name in made.analyses and (name in options.analyses or x.needs or (options.full and x.default))
    ]
    what = Shown(
        full=options.full,
        per_class=options.per_class,
        weakest=options.weakest,
        intervals=options.intervals,
        analyses=analyses,
    )
    if style == "coco":
        from omniou.cli._coco import lines

        return lines(made, protocol)
    if style == "table":
        more = (
            {} if options.full else {"Assumed": notable} | ({} if options.output is not None else {"Next": _next(made)})
        )
        return text(made, what, width=output.width(), style=output.style(options.output), more=more)
    return RENDERERS[style](made, what)


def _next(made: Record) -> list[str]:
    """What is useful next."""
    hints = [
        "--full adds intervals, area ranges, the weakest classes and what errors cost.",
        f"--html report.html writes a page with curves, confusion and the worst {made.words.holders}.",
    ]
    paths = [f'"{x.path}"' if " " in x.path else x.path for x in made.inputs if x.path != "-"]
    if [x.role for x in made.inputs] == ["ground truth", "detections"] and len(paths) == 2:
        hints.append(f"omniou check {' '.join(paths)} looks for common mistakes.")
    return hints
