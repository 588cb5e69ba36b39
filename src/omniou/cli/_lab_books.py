"""Log the numbers and pictures of an evaluation: `--log KIND:WHERE`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from omniou._lib import extras
from omniou._lib.near import nearest
from omniou.cli import _output as output
from omniou.cli._files import Unusable, reported
from omniou.cli._log import Log
from omniou.cli._option_groups import given_on_line, option, option_group
from omniou.cli._places import Address

if TYPE_CHECKING:
    from omniou.report import Record


def _local(text: str) -> list[Path]:
    """Return the file or the directory that a log is written to; none for an address of a server."""
    where = text.partition(":")[2]
    return [Path(where.removeprefix("file://"))] if where and "://" not in where.removeprefix("file://") else []


# The loggers and the kinds of their addresses, as `LOGGERS` declares them, which is imported for --log only.
KNOWN = {"tensorboard": "DIR", "mlflow": "URI", "wandb": "PROJECT", "csv": "FILE"}
_LISTED = ", ".join(f"{name}:{where}" for name, where in KNOWN.items())


@option_group
class LabBookOptions:
    """Loggers that get the numbers."""

    SECTION = "Pictures, logs and gates"

    logs: tuple[str, ...] = option(
        f"Log numbers and pictures: {_LISTED}.",
        Address(_local),
        names=("--log",),
        multiple=True,
        metavar="KIND:WHERE",
    )
    log_step: int = option("Step, such as the epoch, that --log writes.", click.IntRange(min=0), default=0)

    @property
    def draws(self) -> bool:
        """Whether any of the loggers takes pictures."""
        if not self.logs:
            return False
        from omniou.report._logging.loggers import LOGGERS

        return any(LOGGERS[kind].pictures for kind, _ in map(_parsed, self.logs))


def _parsed(text: str) -> tuple[str, str]:
    kind, _, where = text.partition(":")
    if kind not in KNOWN or not where:
        near = nearest(kind, KNOWN)
        known = f"did you mean {near}?" if near and near != kind else f"use {_LISTED}"
        raise click.UsageError(f"--log {text}: {known}")
    return kind, where


def check(options: LabBookOptions, numbers: Sequence[str] | None) -> None:
    """Raise if a library is missing or a log cannot be written or lacks numbers, before any work starts."""
    if not options.logs and given_on_line("log_step"):
        raise click.UsageError("--log-step needs --log KIND:WHERE")
    if not options.logs:
        return
    from omniou.report import scalars
    from omniou.report._logging.loggers import LOGGERS, LogError

    for text in options.logs:
        kind, where = _parsed(text)
        book = LOGGERS[kind]
        with reported(Log()):
            if book.library:
                extras.check(book.library, f"--log {kind}")
            if book.pictures:
                extras.check("matplotlib", f"--log {kind}")
        if book.where == "FILE":
            output.check_output(Path(where), f"--log {kind}")
            output.check_named(Path(where), f"--log {kind}", ".csv", ".txt")
        if book.where == "DIR":
            _check_folder(Path(where), text)
        try:
            book.check(where, () if numbers is None else list(scalars(dict.fromkeys(numbers, 0.0))))
        except LogError as error:
            raise Unusable(f"--log {text}: {error}") from None


def _check_folder(path: Path, text: str) -> None:
    """Raise if a directory can neither be written to nor be made."""
    there = next(x for x in (path, *path.parents, Path(os.curdir)) if x.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise Unusable(f"--log {text}: {there} is not a directory that can be written to")


def write(options: LabBookOptions, made: "Record") -> None:
    """Log to all loggers."""
    if not options.logs:
        return
    from omniou.report import scalars
    from omniou.report._logging.loggers import LOGGERS, LogError

    numbers, pictures = scalars(made), {}
    if options.draws:
        from omniou.report._logging.figures import figures

        pictures = figures(made)
    for text in options.logs:
        kind, where = _parsed(text)
        try:
            LOGGERS[kind].write(where, numbers, pictures, options.log_step)
        except LogError as error:
            raise Unusable(f"--log {text}: {error}") from None
        except Exception as error:  # a logger may raise anything, such as without a network
            raise Unusable(f"--log {text}: {type(error).__name__}: {error}") from error
