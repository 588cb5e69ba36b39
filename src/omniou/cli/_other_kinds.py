"""`omniou eval` of kinds that are not the detection evaluator's: options, gates, and where the numbers go."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from omniou._lib.near import nearest
from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _lab_books as lab_books
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _plots as plots
from omniou.cli._kinds import OTHER_KINDS, PROTOCOLS
from omniou.cli._kinds.options import KindOptions
from omniou.cli._log import Log
from omniou.cli._option_groups import option_names
from omniou.detection import PRESETS
from omniou.report import Gate, Scores, digest
from omniou.report._text.render import RENDERERS, scores_as

if TYPE_CHECKING:
    from omniou.cli._eval_options import EvalOptions

_COMMON = {
    *("inputs", "kind", "style", "output", "config", "max_unpacked", "html", "plots", "plots_format", "per_class"),
    *("fail_under", "log_step", "logs", "strict"),
}


def check(kind: str) -> None:
    """Usage error for an option or a protocol that is not of this kind."""
    context = click.get_current_context()
    every = {str(parameter.name): parameter.opts[0] for parameter in context.command.params}
    other = OTHER_KINDS.get(kind)
    protocols = list(PRESETS) if other is None else other.protocols
    allowed = every.keys() - option_names(KindOptions) if other is None else _COMMON | other.options
    allowed = allowed | {"protocol"} if protocols else allowed
    for name, spelled in every.items():
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name not in allowed:
            raise click.UsageError(f"{spelled} is not for --kind {kind}")
    protocol = given_protocol()
    if protocol is not None and protocol not in protocols:
        way = f": it is for --kind {' or '.join(PROTOCOLS[protocol])}" if protocol in PROTOCOLS else ""
        raise click.UsageError(
            f"--protocol {protocol} is not for --kind {kind}, whose protocols are {', '.join(protocols)}{way}"
        )


def given_protocol() -> str | None:
    """The protocol on the command line or in a file of options; None where a kind is to choose."""
    context = click.get_current_context()
    if context.get_parameter_source("protocol") in {None, click.core.ParameterSource.DEFAULT}:
        return None
    protocol: str = context.params["protocol"]
    return protocol


def evaluated(paths: list[Path], options: "EvalOptions") -> Scores:
    """Read, evaluate, and ask the gates."""
    log, module = Log(quiet=False), OTHER_KINDS[options.reading.kind].load()
    with files.reported(log), log.catching():
        scores: Scores = module.evaluate(paths, options, log)
        inputs = scores.inputs or [
            digest(path, role, scores.kind) for path, role in zip(paths, ("ground truth", "predictions"), strict=True)
        ]
    return dataclasses.replace(
        scores,
        inputs=inputs,
        options=config.given(),
        warnings=[*scores.warnings, *(x for x in log.findings if x not in scores.warnings)],
        assumptions=[*scores.assumptions, *log.assumptions],
        gates=_outcomes(options.gates.fail_under, scores),
    )


def run(ctx: click.Context, paths: list[Path], options: "EvalOptions") -> None:
    """All that the command does with such a kind."""
    output.check_output(options.output)
    pages.check(options.html, None)
    plots.check(options.pictures)
    lab_books.check(options.books)
    style = options.style_among(RENDERERS)
    if style not in RENDERERS:
        raise click.UsageError(
            f"--format {style} is not for --kind {options.reading.kind}: it has {', '.join(RENDERERS)}"
        )
    gates.parsed(options.gates.fail_under)  # before any work starts
    scores = evaluated(paths, options)
    if options.html is not None:
        pages.write(options.html, scores, None)
    plots.write(options.pictures, scores)
    lab_books.write(options.books, scores)
    look = output.style(options.output)
    output.write(scores_as(style, scores, every=options.per_class, width=output.width(), style=look), options.output)
    gates.leave(ctx, scores.gates, strict=options.gates.strict and bool(scores.warnings))


def _outcomes(texts: Sequence[str], scores: Scores) -> list[Gate]:
    """Each condition with what came; a usage error for a number or a row that is not there."""
    rows = {str(row["name"]): row for group in scores.groups for row in group.rows}
    outcomes = []
    for condition in gates.parsed(texts):
        if condition.name is not None and condition.name not in rows:
            raise click.UsageError(f"--fail-under: there is no {condition.name!r}{_hint(condition.name, list(rows))}")
        numbers = scores.summary if condition.name is None else rows[condition.name]
        if condition.number not in numbers:
            raise click.UsageError(
                f"--fail-under: there is no number {condition.number!r}{_hint(condition.number, list(numbers))}"
            )
        outcomes.append(condition.outcome(scores.number(condition.number, condition.name)))
    return outcomes


def _hint(name: str, known: list[str]) -> str:
    near = nearest(name, known)
    return f": did you mean {near!r}?" if near else f": there are {', '.join(known[:20])}"
