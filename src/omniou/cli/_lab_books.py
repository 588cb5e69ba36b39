"""Where the numbers of an evaluation are kept: `--log KIND:WHERE`."""

import csv
import io
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from omniou._lib import extras
from omniou._lib.near import nearest
from omniou.cli import _output as output
from omniou.cli._files import Unusable, reported
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group

if TYPE_CHECKING:
    from omniou.report import Record

Pictures = Mapping[str, Any]


class LabBook(NamedTuple):
    """A kind of logger.

    Attributes
    ----------
    where : str
        What follows the colon.
    library : str
        The library that it needs; empty for none.
    write : callable
        Where, the numbers, the figures by name, and the step.
    pictures : bool
        Whether it takes figures.
    """

    where: str
    library: str
    write: Callable[[str, dict[str, float], Pictures, int], None]
    pictures: bool = True


def _tensorboard(where: str, numbers: dict[str, float], pictures: Pictures, step: int) -> None:
    from tensorboardX import SummaryWriter

    with SummaryWriter(where) as writer:
        for name, value in numbers.items():
            if not math.isnan(value):  # tensorboardX warns of each
                writer.add_scalar(name, value, step)
        for name, figure in pictures.items():
            writer.add_figure(name, figure, step)


def _mlflow(where: str, numbers: dict[str, float], pictures: Pictures, step: int) -> None:
    import mlflow

    mlflow.set_tracking_uri(where)
    with mlflow.start_run():
        mlflow.log_metrics(numbers, step=step)
        for name, figure in pictures.items():
            mlflow.log_figure(figure, f"{name}.png")


def _wandb(where: str, numbers: dict[str, float], pictures: Pictures, step: int) -> None:
    import wandb
    from matplotlib import pyplot as plt  # noqa: F401  (wandb.Image asks for it by name)

    with wandb.init(project=where) as run:
        run.log(numbers | {name: wandb.Image(figure) for name, figure in pictures.items()}, step=step)


def _csv(where: str, numbers: dict[str, float], _: Pictures, step: int) -> None:
    """Another line of a file, which has the same columns."""
    path, columns = Path(where), ["step", *numbers]
    before = path.read_text("utf-8") if path.exists() else ""
    known = next(csv.reader(io.StringIO(before)), columns)
    if known != columns:
        other = sorted({*known} ^ {*columns})
        raise Unusable(f"--log csv:{path}: has other columns than this evaluation, such as {(other or columns)[0]!r}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([*([] if before else [columns]), [step, *numbers.values()]])
    ended = before if before.endswith("\n") or not before else f"{before}\n"
    output.write_file(path, (ended + text.getvalue()).encode())


LAB_BOOKS: Mapping[str, LabBook] = MappingProxyType(
    {
        "tensorboard": LabBook("DIR", "tensorboardX", _tensorboard),
        "mlflow": LabBook("URI", "mlflow", _mlflow),
        "wandb": LabBook("PROJECT", "wandb", _wandb),
        "csv": LabBook("FILE", "", _csv, pictures=False),
    }
)
"""Kinds by the word before the colon."""


def _listed() -> str:
    return ", ".join(f"{name}:{x.where}" for name, x in LAB_BOOKS.items())


@option_group
class LabBookOptions:
    """Where numbers are kept."""

    logs: tuple[str, ...] = option(
        f"Log numbers and pictures: {_listed()}.",
        names=("--log",),
        multiple=True,
        metavar="KIND:WHERE",
    )
    log_step: int = option("Step, such as the epoch, that --log writes.", click.IntRange(min=0), default=0)

    @property
    def draws(self) -> bool:
        """Whether one of them takes pictures."""
        return any(LAB_BOOKS[kind].pictures for kind, _ in map(_parsed, self.logs))


def _parsed(text: str) -> tuple[str, str]:
    kind, _, where = text.partition(":")
    if kind not in LAB_BOOKS or not where:
        near = nearest(kind, list(LAB_BOOKS))
        known = f"did you mean {near}?" if near and near != kind else f"use {_listed()}"
        raise click.UsageError(f"--log {text}: {known}")
    return kind, where


def check(options: LabBookOptions) -> None:
    """Fail before any work starts, where a library is missing or a file cannot be written."""
    for text in options.logs:
        kind, where = _parsed(text)
        book = LAB_BOOKS[kind]
        with reported(Log()):
            if book.library:
                extras.check(book.library, f"--log {kind}")
            if book.pictures:
                extras.check("matplotlib", f"--log {kind}")
        if kind == "csv":
            output.check_output(Path(where), "--log csv")


def write(options: LabBookOptions, made: "Record") -> None:
    """Log to all of them."""
    if not options.logs:
        return
    from omniou.report import scalars

    numbers, pictures = scalars(made), {}
    if options.draws:
        from omniou.report._logging.figures import figures

        pictures = figures(made)
    for text in options.logs:
        kind, where = _parsed(text)
        try:
            LAB_BOOKS[kind].write(where, numbers, pictures, options.log_step)
        except Unusable:
            raise
        except Exception as error:  # a logger may raise anything, such as without a network
            raise Unusable(f"--log {text}: {type(error).__name__}: {error}") from error
