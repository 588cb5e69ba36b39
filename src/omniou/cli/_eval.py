"""`omniou eval`: numbers of detections, and what they are made of."""

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from omniou._lib.visible import visible
from omniou.cli import GATE, SUSPICIOUS
from omniou.cli import _config as config
from omniou.cli import _doctor as doctor
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _kept as kept
from omniou.cli import _label_maps as label_maps
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _rules as rules
from omniou.cli import _stdin as stdin
from omniou.cli._commands import Command
from omniou.cli._engine_options import EngineOptions
from omniou.cli._engine_options import check as check_engine
from omniou.cli._gates import GateOptions
from omniou.cli._kept import StateOptions
from omniou.cli._label_maps import LabelMapOptions
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import flags, option, option_group, option_names, takes
from omniou.cli._rules import RuleOptions
from omniou.data import GroundTruth
from omniou.detection import Protocol, Result, compute
from omniou.detection.curves._state import State
from omniou.report import ANALYSES, Counts, Input, Record, digest, record
from omniou.report._make import withheld
from omniou.report._render import RENDERERS, text
from omniou.report._sections import Shown, headline_of

EXIT_CODES = """\b
    Exit codes: 0 done, 1 a gate failed, 2 wrong usage,
      3 input unreadable, nothing to score, or output not written,
      4 suspicious input (with --strict), or shards left out,
      70 a fault of omniou."""

# Of more detections, samples take so long that intervals are drawn only if they are asked for.
_MANY = 100_000
_STYLES = (*RENDERERS, "coco")


@option_group
class EvalOptions(output.OutputOptions):
    """What `omniou eval` is told, in the order of its help."""

    style: str | None = output.style_option(_STYLES)
    html: Path | None = pages.html_option()
    per_class: bool = option("All classes, not only the weakest ones.", is_flag=True)
    analyses: frozenset[str] = flags({name: analysis.help for name, analysis in ANALYSES.items()})
    intervals: bool | None = option(
        "Bootstrap intervals of all numbers, or none. Default: of the first ones.",
        names=("--intervals/--no-intervals",),
        default=None,
    )
    samples: int = option("How often the bootstrap draws the images.", click.IntRange(min=10), default=200)
    quick: bool = option("Numbers only: no intervals, and no analyses that are not asked for.", is_flag=True)
    gates: GateOptions
    states: StateOptions
    engine: EngineOptions
    reading: files.ReadOptions
    label_maps: LabelMapOptions
    rules: RuleOptions


@click.command(
    "eval",
    cls=Command,
    epilog=f"""\\b
    Example:
      omniou eval instances_val2017.json detections.json --per-class

    {EXIT_CODES}""",
)
@click.argument("inputs", nargs=-1, type=files.PATH, metavar="GROUND_TRUTH DETECTIONS")
@takes(EvalOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[Path, ...], options: EvalOptions) -> None:
    """Average precision and recall of DETECTIONS against GROUND_TRUTH.

    Both are files or directories, of formats that are recognised by their content: COCO and LVIS JSON, Pascal VOC, text
    files for each image, YOLO, CSV, LabelMe, CVAT, Label Studio, Scalabel, Open Images, Parquet, KITTI and DOTA; '-' is
    the standard input. The numbers are those of each challenge's own tools.

    With --kind semantic both are directories of PNG files of labels, with --kind panoptic COCO's panoptic JSON files
    next to folders of PNG files. The result is mean IoU, or panoptic quality. With --kind components both are
    directories of PNG files of masks, whose connected components are matched: lesion by lesion.

    With --engine dask both may also be directories or patterns of shards of one name each, such as 'truth/*.parquet'.
    With --from-state the arguments are states that --state kept.
    """
    paths = _arguments(inputs, states=options.states.from_state)
    kind = options.reading.kind
    label_maps.check(kind)
    if kind == "semantic" or kind == "panoptic" or kind == "components":  # noqa: PLR1714  (mypy narrows by `==`)
        classes, per_class = options.reading.classes, options.per_class
        label_maps.evaluate(paths, options.label_maps, options, kind=kind, classes=classes, per_class=per_class)
        return
    check_engine(options.engine)
    from_state = options.states.from_state
    protocol = kept.protocol_of(ctx, paths) if from_state else rules.check(options.rules, options.reading)
    wanted = gates.conditions(options.gates.fail_under, protocol)
    drops = gates.drops(options.gates.max_drop, options.gates.baseline, protocol)
    output.check_output(options.output)
    pages.check(options.html, options.reading.images)
    baseline = None if options.gates.baseline is None else gates.load(options.gates.baseline)
    style = options.style_among(_STYLES)
    on_screen = style == "table" and options.output is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    if options.states.state is not None:
        kept.check(options.states.state)
    text_only = style == "table" and options.html is None
    made = evaluated(paths, log, options, drops, baseline, text_only=text_only)
    passed = gates.outcomes(wanted, made)
    if baseline is not None and options.gates.baseline is not None:
        passed += gates.compared(drops, options.gates.baseline, baseline, made)
    made.gates.extend(passed)
    if options.html is not None:
        pages.write(options.html, made, options.reading.images)
    output.write(rendered(made, style, protocol, options), options.output)
    if not all(x.passed for x in passed):
        for gate in passed:
            if not gate.passed and not on_screen:
                told = f"Gate failed: {gate.condition}: {_got(gate.value)} {gate.detail}".rstrip()
                click.echo(visible(told), err=True)
        ctx.exit(GATE)
    if (options.gates.strict and made.warnings) or any(x.code == "unreadable" for x in made.warnings):
        ctx.exit(SUSPICIOUS)


def _got(value: float | None) -> str:
    return "no data" if value is None else f"got {value:.6f}"


def _arguments(inputs: tuple[Path, ...], *, states: bool) -> list[Path]:
    """The files, as many as there must be."""
    if states:
        if not inputs:
            msg = "--from-state: Missing argument 'STATE...'"
            raise click.UsageError(msg)
        return list(inputs)
    for place, name in enumerate(("GROUND_TRUTH", "DETECTIONS")):
        if len(inputs) <= place:
            msg = f"Missing argument {name!r}."
            raise click.UsageError(msg)
    if len(inputs) > 2:
        msg = f"Got unexpected extra argument ({inputs[2]})"
        raise click.UsageError(msg)
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
    *,
    text_only: bool,
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
        numbers = [] if options.quick or options.intervals is False else list(result.summary)
        if numbers and options.intervals is None:
            suffixes = [area.suffix for area in result.protocol.area_ranges]
            few = len(result.state.scores) <= _MANY if counts is None else counts.detections <= _MANY
            numbers = headline_of(result.summary, result.protocol.max_detections, suffixes) if few else []
            if not numbers:
                log.assume(f"Of more than {_MANY:,} detections, intervals are drawn only with --intervals.")
        paired = [] if known is None else [x.number for x in drops if x.number in known.numbers]
        unasked = text_only and options.intervals is None and not paired and bool(numbers)
        no_intervals = withheld(result, numbers, samples, seed) if unasked else None
        numbers += [name for name in paired if name not in numbers and name in result.summary]
        made = record(
            result,
            names=names.classes,
            images=names.images if truth is None else truth.image_names,
            sizes={} if truth is None else pages.sizes(truth),
            counts=counts,
            analyses=_analyses(options, has_boxes=result.has_boxes),
            intervals=[] if no_intervals else numbers,
            samples=samples,
            seed=seed,
            inputs=done.inputs,
            options=given(),
            warnings=log.findings,
            assumptions=log.assumptions,
            preset=options.rules.protocol,
            track=lambda numbers: shown(list(numbers), "bootstrap"),
        )
    for finding in made.warnings[len(log.findings) :]:
        log.add(finding)
    return dataclasses.replace(made, intervals=no_intervals) if no_intervals else made


def _analyses(options: EvalOptions, *, has_boxes: bool) -> list[str]:
    """Names of those to compute: unasked only those that the result has what it takes for."""
    unasked = {name for name, x in ANALYSES.items() if options.html or (x.default and not options.quick)}
    return [
        name
        for name, x in ANALYSES.items()
        if name in options.analyses or (name in unasked and (has_boxes or not x.boxes))
    ]


def _here(paths: list[Path], log: Log, options: EvalOptions) -> Evaluated:
    """Of files, in this process."""
    read = files.read(paths[0], paths[1:], log, options.reading)
    ((result, counts),) = scored(read, paths, log, options.rules)
    roles = ("ground truth", "detections")
    inputs = [digested(path, role, name, log) for path, role, name in zip(paths, roles, read.formats, strict=True)]
    return Evaluated(rules.named(result.state, read.truth, options.rules), result, inputs, counts, read.truth)


def _on_cluster(paths: list[Path], log: Log, options: EvalOptions) -> Evaluated:
    """Of shards, on the workers of a cluster."""
    from omniou.cli import _engine as engine

    state, counts, part, read = engine.run(paths, log, options.engine, options.reading, options.rules)
    inputs = engine.inputs(paths, part)
    for path, name, given_format in zip(paths, part.formats, options.reading.formats, strict=False):
        if given_format is None:
            log.assume(files.recognised(path, name))
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


def given() -> dict[str, Any]:
    """Options that were given, by name: on the command line or in a file."""
    from click.core import ParameterSource

    ctx = click.get_current_context()
    hidden = {"output", "style", "config", "html", "state", *option_names(EngineOptions)}
    names = {str(x.name) for x in ctx.command.params if isinstance(x, click.Option)} - hidden
    sources = {name: ctx.get_parameter_source(name) for name in sorted(names & ctx.params.keys())}
    unset = (ParameterSource.DEFAULT, None)
    return {name: _plain(ctx.params[name]) for name, source in sources.items() if source not in unset}


def _plain(x: Any) -> Any:
    if isinstance(x, Path):
        return str(x)
    if isinstance(x, tuple | list):
        return [_plain(y) for y in x]
    return x if isinstance(x, str | int | float | bool | type(None)) else str(x)


def note_rules(log: Log, options: RuleOptions) -> None:
    """What nothing said otherwise."""
    source = click.get_current_context().meta.get("omniou.config")
    if source:
        log.assume(f"Options of {source[0]}: {', '.join(source[1]) or 'none'}.")
    if "protocol" not in given():
        log.assume(f"The protocol is {options.protocol}; --protocol chooses another.")


def rendered(made: Record, style: str, protocol: Protocol, options: EvalOptions) -> str:
    """The output."""
    analyses = [name for name in made.analyses if name in options.analyses or ANALYSES[name].default]
    what = Shown(per_class=options.per_class, intervals=bool(options.intervals), analyses=analyses)
    if style == "coco":
        from omniou.cli._coco import lines

        return lines(made, protocol)
    if style == "table":
        return text(made, what, width=output.width(), style=output.style(options.output))
    return RENDERERS[style](made, what)
