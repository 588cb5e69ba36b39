"""`omniou eval`: numbers of detections, and what they are made of."""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from omniou.cli import GATE, SUSPICIOUS
from omniou.cli import _config as config
from omniou.cli import _doctor as doctor
from omniou.cli import _engine as engine
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _kept as kept
from omniou.cli import _label_maps as label_maps
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _rules as rules
from omniou.cli import _stdin as stdin
from omniou.cli._commands import Command
from omniou.cli._engine import EngineOptions
from omniou.cli._gates import GateOptions
from omniou.cli._kept import StateOptions
from omniou.cli._label_maps import LabelMapOptions
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import flags, option, option_group, option_names, takes
from omniou.cli._rules import RuleOptions
from omniou.data import InputError
from omniou.detection import Protocol, Result, compute
from omniou.detection.curves._state import State
from omniou.report import ANALYSES, Counts, Input, Record, digest, record
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
class EvalOptions:
    """What `omniou eval` is told, in the order of its help."""

    style: str | None = output.style_option(_STYLES)
    output: Path | None = output.output_option()
    html: Path | None = pages.html_option()
    per_class: bool = option("All classes, not only the weakest ones.", is_flag=True)
    analyses: frozenset[str] = flags({name: analysis.help for name, analysis in ANALYSES.items()})
    intervals: bool | None = option(
        "Bootstrap intervals of all numbers, or none. Default: of the first ones.",
        names=("--intervals/--no-intervals",),
        default=None,
    )
    samples: int = option("How often the bootstrap draws the images.", click.IntRange(min=10), default=200)
    quick: bool = option("The numbers alone: no intervals, and no analyses that are not asked for.", is_flag=True)
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
    files for each image, YOLO, Open Images, Parquet, KITTI and DOTA; '-' is the standard input. The numbers are those
    of each challenge's own tools.

    With --kind semantic both are directories of PNG files of labels, with --kind panoptic COCO's panoptic JSON files
    beside folders of PNG files. The result is mean IoU, or panoptic quality.

    With --engine dask both may also be directories or patterns of shards of one name each, such as 'truth/*.parquet'.
    With --from-state the arguments are states that --state kept.
    """
    paths = _arguments(inputs, states=options.states.from_state)
    kind = options.reading.kind
    label_maps.check(kind)
    if kind == "semantic" or kind == "panoptic":  # noqa: PLR1714  (mypy narrows the type by `==`, not by `in`)
        label_maps.evaluate(
            paths[0],
            paths[1],
            options.label_maps,
            kind=kind,
            classes=options.reading.classes,
            style=options.style,
            path=options.output,
            per_class=options.per_class,
        )
        return
    engine.check(options.engine)
    from_state = options.states.from_state
    protocol = kept.protocol_of(ctx, paths) if from_state else rules.check(options.rules, options.reading)
    wanted = gates.conditions(options.gates.fail_under, protocol)
    drops = gates.drops(options.gates.max_drop, options.gates.baseline, protocol)
    output.check_output(options.output)
    pages.check(options.html, options.reading.images)
    baseline = None if options.gates.baseline is None else gates.load(options.gates.baseline)
    style = output.style_of(options.style, options.output, _STYLES)
    on_screen = style == "table" and options.output is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    if options.states.state is not None:
        kept.check(options.states.state)
    sampling = _sampling(options, baseline, drops)
    made = evaluated(ctx, paths, log, options, protocol=protocol, sampling=sampling)
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
                click.echo(f"Gate failed: {gate.condition}: {_got(gate.value)} {gate.detail}".rstrip(), err=True)
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


class Sampling(NamedTuple):
    """How the bootstrap draws, and the numbers that get an interval in any case."""

    samples: int
    seed: int = 0
    numbers: Sequence[str] = ()


def _sampling(options: EvalOptions, baseline: Record | None, drops: Sequence[gates.Drop]) -> Sampling:
    """That of the options; with a baseline that has intervals, its own.

    The interval of a change is computed from pairs of samples, one of each record, which must hold the same images: so
    the number of samples and the seed are the baseline's, and the numbers are those that may not drop.
    """
    known = None if baseline is None else baseline.intervals
    if known is None:
        return Sampling(options.samples)
    return Sampling(known.samples, known.seed, [x.number for x in drops if x.number in known.numbers])


class Evaluated(NamedTuple):
    """What a record is made of, and the state to keep."""

    state: State
    result: Result[Any]
    counts: Counts | None
    names: Mapping[int, str]
    images: Mapping[int, str]
    sizes: dict[int, Any]
    inputs: list[Input]


def evaluated(
    ctx: click.Context,
    files_given: list[Path],
    log: Log,
    options: EvalOptions,
    *,
    protocol: Protocol,
    sampling: Sampling,
) -> Record:
    """Read both and make the record."""
    way = _of_states if options.states.from_state else _on_cluster if options.engine.engine == "dask" else _here
    with stdin.kept(files_given, log, allowed=way is _here) as paths:
        done = way(ctx, paths, log, options)
        if options.states.state is not None:
            kept.write(done.state, options.states.state)
        result, counts = done.result, done.counts
        names = [] if options.quick or options.intervals is False else list(result.summary)
        if names and options.intervals is None:
            suffixes = [area.suffix for area in protocol.area_ranges]
            few = len(result.state.scores) <= _MANY if counts is None else counts.detections <= _MANY
            names = headline_of(result.summary, protocol.max_detections, suffixes) if few else []
            if not names:
                log.assume(f"Of more than {_MANY:,} detections, intervals are drawn only with --intervals.")
        names += [name for name in sampling.numbers if name not in names and name in result.summary]
        made = record(
            result,
            names=done.names,
            images=done.images,
            sizes=done.sizes,
            counts=counts,
            analyses=_analyses(options, has_boxes=result.has_boxes),
            intervals=names,
            samples=sampling.samples,
            seed=sampling.seed,
            inputs=done.inputs,
            options=given(ctx),
            warnings=log.findings,
            assumptions=log.assumptions,
            preset=options.rules.protocol,
            track=lambda numbers: shown(list(numbers), "bootstrap"),
        )
    for finding in made.warnings[len(log.findings) :]:
        log.add(finding)
    return made


def _analyses(options: EvalOptions, *, has_boxes: bool) -> list[str]:
    """Names of those to compute: unasked only those that the result has what it takes for."""
    unasked = {name for name, x in ANALYSES.items() if options.html or (x.default and not options.quick)}
    return [
        name
        for name, x in ANALYSES.items()
        if name in options.analyses or (name in unasked and (has_boxes or not x.boxes))
    ]


def _here(ctx: click.Context, paths: list[Path], log: Log, options: EvalOptions) -> Evaluated:
    """Of files, in this process."""
    read = files.read(paths[0], paths[1:], log, options.reading)
    done = _of_rows(ctx, read, paths, log, options)
    roles = ("ground truth", "detections")
    inputs = [digested(path, role, name, log) for path, role, name in zip(paths, roles, read.formats, strict=True)]
    return done._replace(inputs=inputs)


def _on_cluster(ctx: click.Context, paths: list[Path], log: Log, options: EvalOptions) -> Evaluated:
    """Of shards, on the workers of a cluster."""
    state, counts, part, read = engine.run(paths, log, options.engine, options.reading, options.rules)
    inputs = engine.inputs(paths, part)
    for path, name, given_format in zip(paths, part.formats, options.reading.formats, strict=False):
        if given_format is None:
            log.assume(files.recognised(path, name))
    if read is not None:
        return _of_rows(ctx, read, paths, log, options, state=state)._replace(inputs=inputs)
    rules.warn_of_state(paths, state, counts, log)
    note_rules(ctx, log, options.rules)
    return Evaluated(state, compute([state]), counts, state.names.classes, state.names.images, {}, inputs)


def _of_rows(
    ctx: click.Context,
    read: files.Read,
    paths: list[Path],
    log: Log,
    options: EvalOptions,
    *,
    state: State | None = None,
) -> Evaluated:
    """Of what was read; where there is a state already, only what it does not tell."""
    reading, scoring = options.reading, options.rules
    for finding in doctor.findings(read, paths[1:], log, reading, class_agnostic=scoring.class_agnostic):
        log.add(finding)
    ((result, counts),) = rules.evaluated(read, paths[1:], log, scoring, kind=reading.kind, state=state)
    note_rules(ctx, log, scoring)
    truth = read.truth
    named = rules.named(result.state, truth, scoring)
    return Evaluated(named, result, counts, rules.names(truth, scoring), truth.image_names, pages.sizes(truth), [])


def _of_states(_: click.Context, paths: list[Path], log: Log, __: EvalOptions) -> Evaluated:
    """Of states that were kept."""
    state = kept.merged(paths)
    inputs = [digested(path, "state", "state", log) for path in paths]
    return Evaluated(state, compute([state]), None, state.names.classes, state.names.images, {}, inputs)


def digested(path: Path, role: str, format: str, log: Log) -> Input:
    """An input with its checksum, by the name that the caller knows."""
    try:
        read = digest(path, role, format)
    except InputError as error:
        raise files.Unusable(log.told(str(error))) from None
    return dataclasses.replace(read, path=log.told(read.path))


def given(ctx: click.Context) -> dict[str, Any]:
    """Options that were given, by name: on the command line or in a file."""
    from click.core import ParameterSource

    names = [x.name for x in ctx.command.params if isinstance(x, click.Option)]
    sources = {name: ctx.get_parameter_source(str(name)) for name in names if name}
    kept = {x for x, source in sources.items() if source not in (ParameterSource.DEFAULT, None)}
    hidden = {"output", "style", "config", "html", "state", *option_names(EngineOptions)}
    return {name: _plain(ctx.params[name]) for name in sorted(kept - hidden) if name in ctx.params}


def _plain(x: Any) -> Any:
    if isinstance(x, Path):
        return str(x)
    if isinstance(x, tuple | list):
        return [_plain(y) for y in x]
    return x if isinstance(x, str | int | float | bool | type(None)) else str(x)


def note_rules(ctx: click.Context, log: Log, options: RuleOptions) -> None:
    """What nothing said otherwise."""
    source = ctx.meta.get("omniou.config")
    if source:
        log.assume(f"Options of {source[0]}: {', '.join(source[1]) or 'none'}.")
    told = given(ctx)
    if "protocol" not in told:
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
