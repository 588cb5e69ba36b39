"""`omniou compare`: whether one model is better than another."""

import sys
from pathlib import Path

import click

from omniou.cli import _config as config
from omniou.cli import _eval as evaluation
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _rules as rules
from omniou.cli import _stdin as stdin
from omniou.cli._commands import Command
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import option, option_group, takes
from omniou.cli._rules import RuleOptions
from omniou.report import ANALYSES, record
from omniou.report._contrast import Contrast, of_records, of_results, tables
from omniou.report._make import without_areas
from omniou.report._render import csv_table, joined, markdown_table
from omniou.report._text import paragraph, render

_STYLES = ("table", "json", "csv", "md")


@option_group
class CompareOptions(output.OutputOptions):
    """Options of `omniou compare`, in the order of its help."""

    style: str | None = output.style_option(_STYLES)
    html: Path | None = pages.html_option()
    at_score: float | None = pages.score_option()
    per_class: bool = option("Add all numbers and classes, not only the largest differences.", is_flag=True)
    samples: int = option(
        "Number of random permutations of the models. Default: 400.", click.IntRange(min=10), default=400
    )
    reading: files.ReadOptions
    rules: RuleOptions


@click.command(
    "compare",
    cls=Command,
    epilog=f"""\b
    Examples:
      omniou compare instances_val2017.json before.json after.json
      omniou compare before-record.json after-record.json

    {evaluation.EXIT_CODES}""",
)
@click.argument("paths", type=files.PATH, nargs=-1, required=True, metavar="[GROUND_TRUTH] A B")
@takes(CompareOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[Path, ...], options: CompareOptions) -> None:
    """Test whether the detections B are better than the detections A.

    A paired permutation test: each sample swaps the two models in random images, so hard images do not blur the
    difference. p-values of classes are adjusted for the number of classes. Two files without GROUND_TRUTH must be
    records of the same images, written by `omniou eval --format json`.
    """
    if len(paths) not in {2, 3}:
        msg = "expected GROUND_TRUTH A B, or two records"
        raise click.UsageError(msg, ctx)
    path, images = options.output, options.reading.images
    output.check_output(path)
    pages.check(options.html, images)
    style = options.style_among(_STYLES)
    on_screen = style == "table" and path is None and sys.stdout.isatty() and sys.stderr.isatty()
    log = Log(quiet=on_screen)
    if options.at_score is not None and (options.html is None or len(paths) == 2):
        msg = "--at-score is for --html of files of detections: tables compare no single detections"
        raise click.UsageError(msg, ctx)
    contrast = _saved(*paths) if len(paths) == 2 else _evaluated(list(paths), log, options)
    names = _names(*paths[-2:])
    if options.html is not None:
        pages.write(options.html, contrast, images, names)
    output.write(_rendered(contrast, style, names, log, options), path)


def _saved(first: Path, second: Path) -> Contrast:
    before, after = gates.load(first), gates.load(second)
    for what in ("images", "protocol", "kind"):
        if getattr(before, what) != getattr(after, what):
            other = "other images" if what == "images" else f"another {what}"
            msg = f"{second}: has {other} than {first}"
            raise files.Unusable(msg)
    pairs = {name: pair for name in before.summary if (pair := gates.paired(name, before, after)) is not None}
    return of_records(before, after, pairs)


def _evaluated(paths: list[Path], log: Log, options: CompareOptions) -> Contrast:
    reading, scoring = options.reading, options.rules
    rules.check(scoring, reading)
    with stdin.kept(paths, log) as kept:
        read = files.read(kept[0], kept[1:], log, files.of_its_kind(kept, reading, log))
        evaluated = evaluation.scored(read, kept, log, scoring)
        truth = evaluation.digested(kept[0], "ground truth", read.formats[0], log)
        records = []
        for path, format, (result, counts) in zip(kept[1:], read.formats[1:], evaluated, strict=True):
            inputs = [truth, evaluation.digested(path, "detections", format, log)]
            made = record(
                result,
                names=rules.names(read.truth, scoring),
                images=read.truth.image_names,
                sizes=pages.sizes(read.truth),
                counts=counts,
                analyses=ANALYSES if options.html else (),
                score=pages.checked_score(options.at_score, result),
                inputs=inputs,
                options=config.given(),
                warnings=log.findings,
                assumptions=log.assumptions,
                preset=scoring.protocol,
            )
            records.append(without_areas(made) if read.truth.relative else made)
    results = [result for result, _ in evaluated]
    return of_results(
        (records[0], records[1]),
        (results[0], results[1]),
        samples=options.samples,
        track=lambda numbers: shown(list(numbers), "permutations"),
    )


def _names(first: Path, second: Path) -> tuple[str, str]:
    """What to call both: their names, as far as these tell them apart."""
    if first.name != second.name:
        return first.name or str(first), second.name or str(second)
    return (str(first), str(second)) if first != second else (f"{first.name} (A)", f"{second.name} (B)")


def _rendered(contrast: Contrast, style: str, names: tuple[str, str], log: Log, options: CompareOptions) -> str:
    per_class = options.per_class
    if style == "json":
        return contrast.to_json() + "\n"
    if style == "csv":
        return _csv(contrast, per_class=per_class)
    made = tables(contrast, names, per_class=per_class)
    if style == "md":
        return joined([markdown_table(table) for table in made])
    width, emphasis = output.width(), output.style(options.output)
    parts = [render(table, width, emphasis) for table in made]
    remarks = {"Warnings": list(map(str, log.findings)), "Assumed": log.assumptions}
    parts += [paragraph(heading, lines, width, emphasis) for heading, lines in remarks.items() if lines]
    return joined(parts)


def _csv(contrast: Contrast, *, per_class: bool) -> str:
    """The numbers, or the classes, in full precision."""
    chosen = contrast.per_class if per_class else contrast.numbers
    rows = [(x.name, x.objects, x.first, x.second, x.difference, x.low, x.high, x.p_value) for x in chosen]
    return csv_table(("name", "objects", "first", "second", "difference", "low", "high", "p_value"), rows)
