"""Kinds of detections: average precision and recall of boxes, masks, keypoints and intervals in time."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import omniou
from omniou.cli import _config as config
from omniou.cli import _doctor as doctor
from omniou.cli import _files as files
from omniou.cli import _kept as kept
from omniou.cli import _pages as pages
from omniou.cli import _plots as plots
from omniou.cli import _rules as rules
from omniou.cli import _stdin as stdin
from omniou.cli._engine_options import check as check_engine
from omniou.cli._eval_options import EvalOptions
from omniou.cli._kinds import Evaluated
from omniou.cli._log import Log
from omniou.cli._rules import RuleOptions
from omniou.data import GroundTruth
from omniou.data._formats import OWN_RULES
from omniou.detection import Result, compute
from omniou.detection.curves._state import State
from omniou.detection.curves._summary import numbers as numbers_of
from omniou.report import ANALYSES, Input, Record, digest, record
from omniou.report._record.analyses import unasked
from omniou.report._record.make import without_areas
from omniou.report._record.sections import headline_of

if TYPE_CHECKING:
    from omniou.data import Slices

_SLICES_WITHOUT_TRUTH = (
    "--slices needs the ground truth: it is not for --from-state, or for shards that stay on a cluster"
)
# With more detections, the bootstrap takes so long that omniou computes intervals only on request.
_MANY = 100_000


def prepare(ctx: click.Context, paths: list[Path], options: EvalOptions) -> list[list[str]]:
    """Check options before any work starts, and name the numbers of each protocol that the files may have."""
    check_engine(options.engine)
    _check_score(options)
    from_state = options.states.from_state
    if options.slices is not None and from_state:
        raise click.UsageError(_SLICES_WITHOUT_TRUTH)
    protocols = [kept.protocol_of(ctx, paths) if from_state else rules.check(options.rules, options.reading)]
    if options.states.state is not None:
        kept.check(options.states.state)
    if not from_state and options.rules.protocol is None:  # the files may have rules of their own
        protocols += [options.rules.settled_protocol(name, options.reading) for name in OWN_RULES.values()]
    groups = rules.group_names(options.rules, protocols)
    return [[number.name for number in numbers_of(protocol, groups)] for protocol in protocols]


def _check_score(options: EvalOptions) -> None:
    """Raise a usage error if no output uses --at-score."""
    users = [name for name, x in ANALYSES.items() if x.scored]
    if options.at_score is not None and not options.draws and not options.analyses.intersection(users):
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in users)
        raise click.UsageError(f"--at-score has no effect without one of --html, --plots, --log, {listed}")


class _Matched(NamedTuple):
    """The inputs of a record, and the state to save. `truth` is None if only states were read."""

    state: State
    result: Result[Any]
    inputs: list[Input]
    counts: dict[str, int] | None = None
    truth: GroundTruth | None = None
    preset: str = ""


def evaluate(given_paths: list[Path], options: EvalOptions, log: Log) -> Evaluated:
    """Read both files, evaluate, and make the record."""
    way = _of_states if options.states.from_state else _on_cluster if options.engine.engine == "dask" else _here
    with stdin.kept(given_paths, log, allowed=way is _here) as paths:
        done = way(paths, log, options)
        result, truth, names = done.result, done.truth, done.state.names
        if options.draws and options.html is None and not result.has_boxes:
            plots.note_without_boxes(log)
        if "referring" in options.analyses:
            result.names, result.image_names = names.classes, names.images if truth is None else truth.image_names
            _check_phrases(result, given_paths)
        unasked_numbers = options.full or options.html is not None
        shown = _first_numbers(result, done.counts, log) if unasked_numbers and not options.intervals else []
        made = record(
            result,
            names=names.classes,
            images=names.images if truth is None else truth.image_names,
            sizes={} if truth is None else pages.sizes(truth),
            counts=done.counts,
            analyses=_analyses(options, result),
            score=pages.checked_score(options.at_score, result),
            slices=_slices(options.slices, truth, log),
            inputs=done.inputs,
            preset=done.preset,
        )
    made = without_areas(made) if truth is not None and truth.relative else made
    if truth is not None and (way_out := rules.of_benchmark(done.inputs[0].format)):
        made = dataclasses.replace(made, title=f"{made.title}; {way_out}")
    return Evaluated(made, result, shown, _next(made, options), done.state)


def _check_phrases(result: Result[Any], paths: list[Path]) -> None:
    """Raise if an image has several boxes of a phrase."""
    try:
        result.referring()
    except ValueError as error:
        raise files.Unusable(f"{' or '.join(map(str, paths))}: --referring: {error}") from None


def _slices(path: Path | None, truth: GroundTruth | None, log: Log) -> "Slices":
    """Read the groups of images of --slices."""
    if path is None:
        return {}
    if truth is None:
        raise click.UsageError(_SLICES_WITHOUT_TRUTH)
    from omniou.data import read_slices

    with files.reported(log), log.catching():
        return read_slices(path, truth)


def _first_numbers(result: Result[Any], counts: dict[str, int] | None, log: Log) -> list[str]:
    """Return the numbers that get an interval by default; none if the samples would take long."""
    detections = len(result.state.scores) if counts is None else counts["detections"]
    if detections > _MANY:
        log.note(f"With more than {_MANY:,} detections, omniou computes intervals only with --intervals.")
        return []
    suffixes = [area.suffix for area in result.protocol.area_ranges]
    # Groups of images have no intervals.
    every = [number.name for number in numbers_of(result.protocol, result.groups)]
    return headline_of(every, result.protocol.max_detections, suffixes)


def _analyses(options: EvalOptions, result: Result[Any]) -> list[str]:
    """Return the analyses to compute: the requested ones, and by default only what the result allows."""
    if others := [name for name in options.analyses if not ANALYSES[name].fits(result.state.kind)]:
        raise click.UsageError(f"--{others[0]} is for --kind {ANALYSES[others[0]].kind}, got {result.state.kind}")
    if ranked := [name for name in options.analyses if not ANALYSES[name].is_for(result.protocol)]:
        raise click.UsageError(f"--{ranked[0].replace('_', '-')} is for detections with scores: remove it")
    known = {
        name
        for name in unasked(result)
        if options.html is not None
        or ANALYSES[name].at_once
        or (options.draws and ANALYSES[name].chart)
        or (options.full and ANALYSES[name].default)
    }
    return [name for name in ANALYSES if name in options.analyses or name in known]


def _here(paths: list[Path], log: Log, options: EvalOptions) -> _Matched:
    """Evaluate files in this process."""
    reading, scoring = files.of_its_kind(paths, options.reading, log), options.rules
    read = files.read(paths[0], paths[1:], log, reading, only=scoring.only_classes, but=scoring.except_classes)
    ((result, counts),) = scored(read, paths, log, options.rules)
    roles = ("ground truth", "detections")
    inputs = [digested(path, role, name, log) for path, role, name in zip(paths, roles, read.formats, strict=True)]
    return _of_files(read, options.rules, result, inputs, counts)


def _of_files(
    read: files.FilesRead, options: RuleOptions, result: Result[Any], inputs: list[Input], counts: dict[str, int]
) -> _Matched:
    state, preset = rules.named(result.state, read.truth, options), options.named_protocol(read.options, read.truth)
    return _Matched(state, result, inputs, counts, read.truth, preset)


def _on_cluster(paths: list[Path], log: Log, options: EvalOptions) -> _Matched:
    """Evaluate shards on the workers of a cluster."""
    from omniou.cli import _engine as engine

    places = [path if path.exists() else path.parent for path in paths]  # of a pattern, the folder
    reading = files.of_its_kind(places, options.reading, log)
    state, counts, part, read = engine.run(paths, log, options.engine, reading, options.rules)
    inputs = engine.inputs(paths, part)
    for path, name, given_format in zip(paths, part.formats, options.reading.formats, strict=False):
        if given_format is None:
            log.assume(files.recognised(path, name), routine=True)
    if read is not None:  # rows have more than the state, such as the sizes of images
        ((result, counts),) = scored(read, paths, log, options.rules, state)
        return _of_files(read, options.rules, result, inputs, counts)
    rules.warn_of_state(paths, state, counts, log)
    note_rules(log, options.rules.named_protocol(reading), None)
    return _Matched(state, compute([state]), inputs, counts)


def _of_states(paths: list[Path], log: Log, _: EvalOptions) -> _Matched:
    """Evaluate saved states."""
    state = kept.merged(paths)
    return _Matched(state, compute([state]), [digested(path, "state", "state", log) for path in paths])


def scored(
    read: files.FilesRead, paths: list[Path], log: Log, options: RuleOptions, state: State | None = None
) -> list[tuple[Result[Any], dict[str, int]]]:
    """Evaluate each model; return its result and what was counted, and log findings of the doctor and assumptions."""
    agnostic, policy = options.class_agnostic, options.tie_policy
    for finding in doctor.findings(read, paths[1:], log, class_agnostic=agnostic, tie_policy=policy):
        log.add(finding)
    try:
        results = rules.evaluated(read, paths[1:], log, options, state=state)
    except omniou.rle.MaskError as error:
        named = " or ".join(map(str, paths))
        raise files.Unusable(log.told(f"{named}: {error.fault}: --kind segm compares whole masks")) from None
    note_rules(log, options.named_protocol(read.options, read.truth), paths[0] if read.truth.protocol else None)
    return results


def digested(path: Path, role: str, format: str, log: Log) -> Input:
    """Return an input with its checksum, under the name that the caller gave."""
    with files.reported(log):
        read = digest(path, role, format)
    return dataclasses.replace(read, path=log.told(read.path))


def note_rules(log: Log, protocol: str, of_file: Path | None) -> None:
    """Note the options from a file, and assume the default protocol: that of the ground truth `of_file`, if given."""
    source = click.get_current_context().meta.get("omniou.config")
    if source:
        log.note(f"Options of {source[0]}: {', '.join(source[1]) or 'none'}.")
    if "protocol" not in config.given() and of_file is not None:
        log.assume(f"The protocol is {protocol}, by the format of {of_file}; --protocol coco chooses COCO's rules.")
    elif "protocol" not in config.given():
        log.assume(f"The protocol is {protocol}; --protocol chooses another.", routine=True)


def _next(made: Record, options: EvalOptions) -> list[str]:
    """Return suggestions of what to run next."""
    hints = ["--full adds intervals, area ranges, the weakest classes and what errors cost."]
    if options.html is None:
        hints.append(f"--html report.html writes a page with curves, confusion and the worst {made.units}.")
    paths = [f'"{x.path}"' if " " in x.path else x.path for x in made.inputs if x.path != "-"]
    if [x.role for x in made.inputs] == ["ground truth", "detections"] and len(paths) == 2:
        hints.append(f"omniou check {' '.join(paths)} looks for common mistakes.")
    return hints
