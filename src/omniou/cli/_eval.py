"""`omniou eval`: numbers of detections, and what they are made of."""

import dataclasses
import sys
from collections.abc import Callable, Mapping
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
from omniou.cli._log import Log, shown
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


def analysis_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """A flag for each analysis of the table."""
    for name, analysis in reversed(list(ANALYSES.items())):
        command = click.option(f"--{name.replace('_', '-')}", is_flag=True, help=analysis.help)(command)
    return command


@click.command(
    "eval",
    cls=Command,
    epilog=f"""\\b
    Example:
      omniou eval instances_val2017.json detections.json --per-class

    {EXIT_CODES}""",
)
@click.argument("inputs", nargs=-1, type=files.PATH, metavar="GROUND_TRUTH DETECTIONS")
@output.format_option(_STYLES)
@output.output_option
@pages.option
@click.option("--per-class", is_flag=True, help="All classes, not only the weakest ones.")
@analysis_options
@click.option(
    "--intervals/--no-intervals",
    default=None,
    help="Bootstrap intervals of all numbers, or none. Default: of the first ones.",
)
@click.option("--samples", type=click.IntRange(min=10), default=200, help="How often the bootstrap draws the images.")
@click.option("--quick", is_flag=True, help="The numbers alone: no intervals, and no analyses that are not asked for.")
@click.option("--fail-under", multiple=True, metavar="CONDITION", help="Gate, such as 'AP50>=0.6' or 'person.AP>=0.5'.")
@click.option("--baseline", type=files.PATH, help="Gate: the JSON of an earlier evaluation.")
@click.option("--max-drop", multiple=True, metavar="NUMBER", help="How much AP may fall from it: 0.005 or AP50=0.005.")
@click.option("--strict", is_flag=True, help="Exit with 4 if there is a warning.")
@click.option("--state", type=files.PATH, metavar="FILE", help="Keep the merged state there: .npz, or .arrow.")
@click.option("--from-state", is_flag=True, help="The arguments are states that were kept, of one run or of several.")
@engine.options
@files.options
@label_maps.options
@rules.options
@config.option
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[Path, ...], **how: Any) -> None:
    """Average precision and recall of DETECTIONS against GROUND_TRUTH.

    Both are files or directories, of formats that are recognised by their content: COCO and LVIS JSON, Pascal VOC, text
    files for each image, YOLO, Open Images, Parquet, KITTI and DOTA; '-' is the standard input. The numbers are those
    of each challenge's own tools.

    With --kind semantic both are directories of PNG files of labels, with --kind panoptic COCO's panoptic JSON files
    beside folders of PNG files. The result is mean IoU, or panoptic quality.

    With --engine dask both may also be directories or patterns of shards of one name each, such as 'truth/*.parquet'.
    With --from-state the arguments are states that --state kept.
    """
    paths = _arguments(inputs, how)
    label_maps.check(how["kind"])
    if how["kind"] in label_maps.KINDS:
        label_maps.evaluate(*paths, **how)
        return
    engine.check(how)
    protocol = kept.protocol_of(ctx, paths) if how["from_state"] else rules.check(how)
    wanted = gates.conditions(how["fail_under"], protocol)
    drops = gates.drops(how["max_drop"], how["baseline"], protocol)
    output.check_output(how["output"])
    pages.check(how["html"], how["images"])
    baseline = gates.load(how["baseline"]) if drops else None
    known = baseline.intervals if baseline is not None else None
    if known is not None:  # samples of the same images, for the intervals of changes
        paired = [x.number for x in drops if x.number in known.numbers]
        how |= {"samples": known.samples, "seed": known.seed, "drops": paired}
    style = output.style_of(how["style"], how["output"], _STYLES)
    on_screen = style == "table" and how["output"] is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    if how["state"] is not None:
        kept.check(how["state"])
    made = evaluated(ctx, paths, protocol, log, how)
    passed = gates.outcomes(wanted, made)
    if baseline is not None:
        passed += gates.compared(drops, how["baseline"], baseline, made)
    made.gates.extend(passed)
    if how["html"] is not None:
        pages.write(how["html"], made, how["images"])
    output.write(rendered(made, style, protocol, how), how["output"])
    if not all(x.passed for x in passed):
        for gate in passed:
            if not gate.passed and not on_screen:
                click.echo(f"Gate failed: {gate.condition}: {_got(gate.value)} {gate.detail}".rstrip(), err=True)
        ctx.exit(GATE)
    if (how["strict"] and made.warnings) or any(x.code == "unreadable" for x in made.warnings):
        ctx.exit(SUSPICIOUS)


def _got(value: float | None) -> str:
    return "no data" if value is None else f"got {value:.6f}"


def _arguments(inputs: tuple[Path, ...], how: dict[str, Any]) -> list[Path]:
    """The files, as many as there must be."""
    if how["from_state"]:
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
    """What a record is made of, and the state to keep."""

    state: State
    result: Result[Any]
    counts: Counts | None
    names: Mapping[int, str]
    images: Mapping[int, str]
    sizes: dict[int, Any]
    inputs: list[Input]


def evaluated(ctx: click.Context, files_given: list[Path], protocol: Protocol, log: Log, how: dict[str, Any]) -> Record:
    """Read both and make the record."""
    way = _of_states if how["from_state"] else _on_cluster if how["engine"] == "dask" else _here
    with stdin.kept(files_given, log, allowed=way is _here) as paths:
        done = way(ctx, paths, protocol, log, how)
        if how["state"] is not None:
            kept.write(done.state, how["state"])
        result, counts = done.result, done.counts
        names = [] if how["quick"] or how["intervals"] is False else list(result.summary)
        if names and how["intervals"] is None:
            suffixes = [area.suffix for area in protocol.area_ranges]
            few = len(result.state.scores) <= _MANY if counts is None else counts.detections <= _MANY
            names = headline_of(result.summary, protocol.max_detections, suffixes) if few else []
            if not names:
                log.assume(f"Of more than {_MANY:,} detections, intervals are drawn only with --intervals.")
        names += [name for name in how.get("drops", []) if name not in names and name in result.summary]
        made = record(
            result,
            names=done.names,
            images=done.images,
            sizes=done.sizes,
            counts=counts,
            analyses=_analyses(how, has_boxes=result.has_boxes),
            intervals=names,
            samples=how["samples"],
            seed=how.get("seed", 0),
            inputs=done.inputs,
            options=given(ctx),
            warnings=log.findings,
            assumptions=log.assumptions,
            preset=how["protocol"],
            track=lambda numbers: shown(list(numbers), "bootstrap"),
        )
    for finding in made.warnings[len(log.findings) :]:
        log.add(finding)
    return made


def _analyses(how: dict[str, Any], *, has_boxes: bool) -> list[str]:
    """Names of those to compute: unasked only those that the result has what it takes for."""
    return [
        name
        for name, x in ANALYSES.items()
        if how[name] or ((how["html"] or (x.default and not how["quick"])) and (has_boxes or not x.boxes))
    ]


def _here(ctx: click.Context, paths: list[Path], protocol: Protocol, log: Log, how: dict[str, Any]) -> Evaluated:
    """Of files, in this process."""
    read = files.read(paths[0], paths[1:], log, **how)
    done = _of_rows(ctx, read, paths, protocol=protocol, log=log, how=how)
    roles = ("ground truth", "detections")
    inputs = [digested(path, role, name, log) for path, role, name in zip(paths, roles, read.formats, strict=True)]
    return done._replace(inputs=inputs)


def _on_cluster(ctx: click.Context, paths: list[Path], protocol: Protocol, log: Log, how: dict[str, Any]) -> Evaluated:
    """Of shards, on the workers of a cluster."""
    state, counts, part, read = engine.run(paths, protocol, log, how)
    inputs = engine.inputs(paths, part)
    for path, name, option in zip(paths, part.formats, ("gt_format", "dt_format"), strict=False):
        if how[option] is None:
            log.assume(files.recognised(path, name))
    if read is not None:
        return _of_rows(ctx, read, paths, protocol=protocol, log=log, how=how, state=state)._replace(inputs=inputs)
    rules.warn_of_state(paths, state, counts, log)
    note_rules(ctx, log, how)
    return Evaluated(state, compute([state]), counts, state.names.classes, state.names.images, {}, inputs)


def _of_rows(
    ctx: click.Context,
    read: files.Read,
    paths: list[Path],
    *,
    protocol: Protocol,
    log: Log,
    how: dict[str, Any],
    state: State | None = None,
) -> Evaluated:
    """Of what was read; where there is a state already, only what it does not tell."""
    for finding in doctor.findings(read, paths[1:], log, how):
        log.add(finding)
    ((result, counts),) = rules.evaluated(read, paths[1:], log, protocol, how, state=state)
    note_rules(ctx, log, how)
    truth = read.truth
    named = rules.named(result.state, truth, how)
    return Evaluated(named, result, counts, rules.names(truth, how), truth.image_names, pages.sizes(truth), [])


def _of_states(_: click.Context, paths: list[Path], __: Protocol, log: Log, ___: dict[str, Any]) -> Evaluated:
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
    hidden = {"output", "style", "config", "html", "state", *engine.NAMES}
    return {name: _plain(ctx.params[name]) for name in sorted(kept - hidden) if name in ctx.params}


def _plain(x: Any) -> Any:
    if isinstance(x, Path):
        return str(x)
    if isinstance(x, tuple | list):
        return [_plain(y) for y in x]
    return x if isinstance(x, str | int | float | bool | type(None)) else str(x)


def note_rules(ctx: click.Context, log: Log, how: dict[str, Any]) -> None:
    """What nothing said otherwise."""
    source = ctx.meta.get("omniou.config")
    if source:
        log.assume(f"Options of {source[0]}: {', '.join(source[1]) or 'none'}.")
    told = given(ctx)
    if "protocol" not in told:
        log.assume(f"The protocol is {how['protocol']}; --protocol chooses another.")


def rendered(made: Record, style: str, protocol: Protocol, how: dict[str, Any]) -> str:
    """The output."""
    analyses = [name for name in made.analyses if how[name] or ANALYSES[name].default]
    what = Shown(per_class=how["per_class"], intervals=bool(how["intervals"]), analyses=analyses)
    if style == "coco":
        from omniou.cli._coco import lines

        return lines(made, protocol)
    if style == "table":
        return text(made, what, width=output.width(), style=output.style(how["output"]))
    return RENDERERS[style](made, what)
