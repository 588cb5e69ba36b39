"""Open the loggers that omniou knows, and give them numbers and figures."""

import csv
import io
import math
import secrets
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from omniou._lib import outputs

Pictures = Mapping[str, Any]


class LogError(ValueError):
    """Raised if a log cannot take the numbers."""


class Logger(NamedTuple):
    """A logger that omniou opens by itself.

    Attributes
    ----------
    where : str
        The kind of its address, as help shows it: ``"DIR"``.
    library : str
        The library that it needs; empty for none.
    write : callable
        Takes the address, the numbers, the figures by name, and the step.
    pictures : bool
        Whether it takes figures.
    check : callable, optional
        Takes the address and names of numbers that will come; raises LogError if they do not fit.
    """

    where: str
    library: str
    write: Callable[[str, dict[str, float], Pictures, int], None]
    pictures: bool = True
    check: Callable[[str, Sequence[str]], None] = lambda *_: None


def _tensorboard(where: str, numbers: dict[str, float], pictures: Pictures, step: int) -> None:
    from tensorboardX import SummaryWriter

    # The name of its file has the second and the host: runs of one second would write over each other.
    with SummaryWriter(where, filename_suffix=f".{secrets.token_hex(8)}") as writer:
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
    """Append a line to a CSV file, which must have the same columns; other runs may append at the same time."""
    columns, values = (_line([first, *rest]) for first, rest in (("step", numbers), (step, numbers.values())))

    def lines(start: bytes, end: bytes) -> bytes:
        if not start:
            return columns + values
        if _columns(start) != _columns(columns):
            raise _misfit(_columns(start), _columns(columns))
        return (b"" if end == b"\n" else b"\n") + values

    try:
        outputs.append(Path(where), lines)
    except OSError as error:
        raise LogError(f"cannot be written: {error.strerror or error}") from None


def _csv_takes(where: str, names: Sequence[str]) -> None:
    """Raise LogError if a CSV file lacks a column of these names."""
    try:
        start = outputs.start(Path(where))
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror or error}") from None
    known = _columns(start) if start else ["step", *names]
    if lacking := [x for x in ("step", *names) if x not in known]:
        raise _misfit(known, [*known, *lacking])


def _line(values: Iterable[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode()


def _columns(start: bytes) -> list[str]:
    """Return the columns of the first line of a CSV file, which editors may save with a byte order mark."""
    try:
        return next(csv.reader(io.StringIO(start.decode("utf-8-sig", "replace"))), [])
    except csv.Error:
        return []


def _misfit(known: list[str], wanted: list[str]) -> LogError:
    other = sorted({*known} ^ {*wanted})
    return LogError(f"has other columns than this evaluation, such as {(other or wanted)[0]!r}")


LOGGERS: Mapping[str, Logger] = MappingProxyType(
    {
        "tensorboard": Logger("DIR", "tensorboardX", _tensorboard),
        "mlflow": Logger("URI", "mlflow", _mlflow),
        "wandb": Logger("PROJECT", "wandb", _wandb),
        "csv": Logger("FILE", "", _csv, pictures=False, check=_csv_takes),
    }
)
"""Loggers by the word before the colon of ``--log``."""


def log_figure(logger: Any, name: str, figure: Any, step: int | None) -> None:
    """Give a figure to a logger of Lightning; for an unknown logger, save it as PNG in its directory.

    The type of a logger is found by its methods: `experiment` of TensorBoard and of Comet takes figures under different
    names, `experiment` of MLflow needs the run, and Weights & Biases takes pixels.
    """
    experiment: Any = getattr(logger, "experiment", None)
    if hasattr(experiment, "add_figure"):  # TensorBoard
        experiment.add_figure(name, figure, global_step=step, close=False)
    elif hasattr(logger, "log_image"):  # Weights & Biases
        logger.log_image(name, [_pixels(figure)], step=step)
    elif hasattr(experiment, "log_figure") and hasattr(logger, "run_id"):  # MLflow
        experiment.log_figure(logger.run_id, figure, _file_name(name, step))
    elif hasattr(experiment, "log_figure"):  # Comet
        experiment.log_figure(figure_name=name, figure=figure, step=step)
    elif folder := getattr(logger, "log_dir", None) or getattr(logger, "save_dir", None):
        path = Path(folder, "figures", _file_name(name, step))
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, bbox_inches="tight")
    else:
        msg = f"{type(logger).__name__} takes no figures and has no directory: {name!r} is not logged"
        warnings.warn(msg, UserWarning, stacklevel=3)


def _file_name(name: str, step: int | None) -> str:
    return f"{name.replace('/', '_')}{'' if step is None else f'-{step}'}.png"


def _pixels(figure: Any) -> Any:
    """Return a figure as an array of bytes (height, width, 4)."""
    import matplotlib.image
    import numpy as np

    with io.BytesIO() as buffer:
        figure.savefig(buffer, format="png", bbox_inches="tight")
        buffer.seek(0)
        return (np.asarray(matplotlib.image.imread(buffer)) * 255).round().astype(np.uint8)
