"""Open the loggers that omniou knows, and give them numbers and figures."""

import csv
import io
import math
import warnings
from collections.abc import Callable, Mapping
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
    """Append a line to a CSV file, which must have the same columns."""
    path, columns = Path(where), ["step", *numbers]
    before = path.read_text("utf-8") if path.exists() else ""
    known = next(csv.reader(io.StringIO(before)), columns)
    if known != columns:
        other = sorted({*known} ^ {*columns})
        raise LogError(f"has other columns than this evaluation, such as {(other or columns)[0]!r}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([*([] if before else [columns]), [step, *numbers.values()]])
    ended = before if before.endswith("\n") or not before else f"{before}\n"
    try:
        outputs.write(path, (ended + text.getvalue()).encode())
    except OSError as error:
        raise LogError(f"cannot be written: {error.strerror or error}") from None


LOGGERS: Mapping[str, Logger] = MappingProxyType(
    {
        "tensorboard": Logger("DIR", "tensorboardX", _tensorboard),
        "mlflow": Logger("URI", "mlflow", _mlflow),
        "wandb": Logger("PROJECT", "wandb", _wandb),
        "csv": Logger("FILE", "", _csv, pictures=False),
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
