"""`omniou compare`: test which of several models is better."""

import dataclasses
import string
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from omniou._lib.near import hint
from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _rules as rules
from omniou.cli import _stdin as stdin
from omniou.cli._commands import Command
from omniou.cli._eval import EXIT_CODES
from omniou.cli._kinds import KINDS, detections
from omniou.cli._kinds import options as kind_options
from omniou.cli._kinds.options import KindOptions
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import option, option_group, takes
from omniou.cli._rules import RuleOptions
from omniou.data import Finding
from omniou.report import record
from omniou.report._comparison.compare import ANALYSES_OF_PAGE, of_records, of_results
from omniou.report._comparison.contrast import RENDERERS, Contrast
from omniou.report._record.make import identified, without_areas


@option_group
class CompareOptions(output.OutputOptions):
    """Options of `omniou compare`, in the order of its help."""

    style: str | None = output.style_option(RENDERERS)
    html: Path | None = pages.html_option()
    at_score: float | None = pages.score_option()
    per_class: bool = option("Add all numbers and classes, not only the largest differences.", is_flag=True)
    against: str | None = option(
        "Compare the others with this model: its name in the table, or its number. Default: 1.", metavar="MODEL"
    )
    samples: int = option(
        "Number of random permutations of two models. Default: 400.", click.IntRange(min=10), default=400
    )
    reading: files.ReadOptions
    kinds: KindOptions
    rules: RuleOptions

    @property
    def draws(self) -> bool:
        """Whether pictures of single models are wanted."""
        return False


@click.command(
    "compare",
    cls=Command,
    taken=kind_options.allowed,
    epilog=f"""\b
    Examples:
      omniou compare instances_val2017.json before.json after.json
      omniou compare instances_val2017.json yolo.json detr.json rtmdet.json
      omniou compare before-record.json after-record.json

    {EXIT_CODES}""",
)
@click.argument("paths", type=files.PATH, nargs=-1, required=True, metavar="[GROUND_TRUTH] A B ...")
@takes(CompareOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[Path, ...], options: CompareOptions) -> None:
    """Compare models: test whether B and others are better than A.

    A paired permutation test: each sample swaps two models in random images, so hard images do not blur the
    difference. With --kind, these may be sequences, videos or samples. p-values are adjusted for the number of models,
    and p-values of classes also for the number of classes. Without GROUND_TRUTH, all files must be records of the same
    images, written by `omniou eval --format json`.
    """
    path, images = options.output, options.reading.images
    output.check_output(path)
    pages.check(options.html, images)
    style = options.style_among(RENDERERS)
    on_screen = style == "table" and path is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    with stdin.kept(paths, log) as kept:
        saved = _are_records(ctx, kept, log)
        if options.at_score is not None and (options.html is None or saved):
            raise click.UsageError(
                "--at-score is for --html of files of detections: tables compare no single detections", ctx
            )
        names = _ordered(_names(paths if saved else paths[1:]), options.against)
        if saved:
            contrast = _saved(kept, names, log)
            _check_saved(ctx, contrast.reference.kind)
        else:
            kind_options.check(ctx, options.reading.kind)
            way = _of_detections if KINDS[options.reading.kind].of_detections else _of_kind
            contrast = way(kept, names, log, options)
    output.write(_rendered(contrast, style, log, options), path)
    if options.html is not None:
        pages.write(options.html, contrast, images, log=log if saved else Log(quiet=True))


def _are_records(ctx: click.Context, paths: Sequence[Path], log: Log) -> bool:
    """Return whether the files are records; raise a usage error if they are neither records nor enough files."""
    records = [path for path in paths if gates.is_record(path)]
    usage = "expected GROUND_TRUTH and two or more files of detections, or two or more records"
    if len(records) == len(paths) > 1:
        return True
    if records and len(paths) > 1:
        other = next(path for path in paths if path not in records)
        raise click.UsageError(log.told(f"{usage}: {records[0]} is a record of `omniou eval`, and {other} is not"), ctx)
    if len(paths) < 3:
        for path in paths:
            if not path.is_dir() and not path.is_file():
                gates.load(path)  # says what is wrong with it
        got = "one file" if len(paths) == 1 else f"{paths[0]} and {paths[1]}, which are not records of `omniou eval`"
        raise click.UsageError(log.told(f"{usage}, got {got}"), ctx)
    return False


# Options that comparisons of records take: what is computed anew needs the files.
_OF_RECORDS = {"paths", "style", "output", "html", "per_class", "against", "config", "images", "max_unpacked"}


def _check_saved(ctx: click.Context, kind: str) -> None:
    """Raise a usage error for an option that does nothing, since records were evaluated before."""
    allowed = _OF_RECORDS | ({"kind"} if ctx.params["kind"] == kind else set())
    for parameter in ctx.command.params:
        name = str(parameter.name)
        if name not in allowed and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.opts[0]} is for files: records were evaluated with options of their own"
            )


def _saved(paths: Sequence[Path], names: Mapping[str, int], log: Log) -> Contrast:
    try:
        records = {name: gates.load(paths[place]) for name, place in names.items()}
        contrast = of_records(records)
    except files.Unusable as error:
        raise files.Unusable(log.told(error.message)) from None
    except ValueError as error:
        raise files.Unusable(str(error)) from None
    for remark in contrast.remarks:
        log.add(Finding(code="records-differ", text=remark))
    first, *others = records.items()
    for name, other in others:
        if rules := gates.other_rules(first[1], other):
            text = f"{name} was made with other rules than {first[0]}: {', '.join(rules)}"
            log.add(Finding(code="records-differ", text=text))
    return contrast


def _of_kind(paths: list[Path], names: Mapping[str, int], log: Log, options: CompareOptions) -> Contrast:
    """Compare files of a kind outside the detection evaluator: the kind's module evaluates each model by itself."""
    kind, models = KINDS[options.reading.kind], {}
    for name, place in names.items():
        both = [paths[0], paths[1 + place]]
        with files.reported(log), log.catching():
            done = kind.load().evaluate(both, options, log)
        made = identified(done.record, done.result)
        given = made.inputs or kind_options.inputs(both, made.kind, log)
        models[name] = done._replace(record=dataclasses.replace(made, inputs=given, options=config.given()))
    records = {name: x.record for name, x in models.items()}
    results = [x.result for x in models.values()]
    if any(getattr(x, "units", None) is None for x in results):
        return of_records(records)
    try:
        return of_results(
            records, results, samples=options.samples, track=lambda numbers: shown(list(numbers), "permutations")
        )
    except ValueError as error:  # units or classes differ
        raise files.Unusable(log.told(str(error))) from None


def _of_detections(paths: list[Path], names: Mapping[str, int], log: Log, options: CompareOptions) -> Contrast:
    reading, scoring = options.reading, options.rules
    rules.group_names(scoring, [rules.check(scoring, reading)])
    reading = files.of_its_kind(paths, reading, log)
    read = files.read(paths[0], paths[1:], log, reading, only=scoring.only_classes, but=scoring.except_classes)
    evaluated = detections.scored(read, paths, log, scoring)
    truth = detections.digested(paths[0], "ground truth", read.formats[0], log)
    images, sizes = read.truth.image_names, pages.sizes(read.truth)
    if way_out := rules.of_benchmark(read.formats[0]):
        log.assume(f"The protocol is {scoring.named_protocol(read.options, read.truth)}; {way_out}.")
    records = {}
    for name, place in names.items():
        result, counts = evaluated[place]
        inputs = [truth, detections.digested(paths[1 + place], "detections", read.formats[1 + place], log)]
        made = record(
            result,
            names=rules.names(read.truth, scoring),
            images=images,
            sizes=sizes,
            counts=counts,
            analyses=ANALYSES_OF_PAGE if options.html else (),
            score=pages.checked_score(options.at_score, result),
            inputs=inputs,
            options=config.given(),
            warnings=log.findings,
            assumptions=log.assumptions,
            preset=scoring.named_protocol(read.options, read.truth),
        )
        made = dataclasses.replace(made, notes=log.notes)
        records[name] = without_areas(made) if read.truth.relative else made
    return of_results(
        records,
        [evaluated[place][0] for place in names.values()],
        pictured=options.html is not None,
        score=options.at_score,
        samples=options.samples,
        images=images,
        sizes=sizes,
        track=lambda numbers: shown(list(numbers), "permutations"),
    )


def _names(paths: Sequence[Path]) -> list[str]:
    """Name models by the last parts of their paths, as many as make names unique; equal paths get letters.

    "a/x.json" and "b/x.json" keep these names; "a/x.json" and "a/y.json" become "x.json" and "y.json".
    """
    out = []
    for place, path in enumerate(paths):
        others = [other for other in paths if other != path]
        parts = path.parts or (str(path),)
        ends = (Path(*parts[-many:]) for many in range(1, len(parts) + 1))
        end = next((x for x in ends if not any(other.parts[-len(x.parts) :] == x.parts for other in others)), path)
        # Of a/x.json and x.json, the second has no end of its own.
        out.append(str(end) if paths.count(path) == 1 else f"{end} ({_letter(place)})")
    return out


def _letter(place: int) -> str:
    letters = string.ascii_uppercase
    return letters[place] if place < len(letters) else str(place + 1)


def _ordered(names: Sequence[str], against: str | None) -> dict[str, int]:
    """Return the places of the models by name, the reference first."""
    places = {name: place for place, name in enumerate(names)}
    if against is None:
        return places
    is_place = against not in places and against.isdecimal() and 0 < int(against) <= len(names)
    chosen = names[int(against) - 1] if is_place else against
    if chosen not in places:
        listed = ", ".join(names)
        raise click.UsageError(f"--against: {against!r} is not among the models {listed}{hint(against, names)}")
    return {chosen: places[chosen]} | places


def _rendered(contrast: Contrast, style: str, log: Log, options: CompareOptions) -> str:
    if style != "table":
        return RENDERERS[style](contrast, per_class=options.per_class)
    more = {"Notes": log.notes, "Warnings": list(map(str, log.findings)), "Assumed": log.notable}
    width, look = output.width(), output.style(options.output)
    return RENDERERS["table"](contrast, per_class=options.per_class, width=width, style=look, more=more)
