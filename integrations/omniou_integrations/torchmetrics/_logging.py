"""Results for the loggers of Lightning: scalars for `log_dict`, and figures for any logger."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from omniou._lib import checks
from omniou._results import by_class
from omniou.detection import Result
from omniou_integrations.torchmetrics._evaluation import DetectionEvaluation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = ("pr", "f1", "confusion")


def scalars(result: Any, prefix: str = "", *, per_class: bool = False) -> dict[str, Tensor]:
    """Return the scalars of a result, which ``self.log_dict`` of Lightning takes: it refuses vectors.

    Parameters
    ----------
    result : dict
        The result of ``compute()`` of a metric or of a `MetricCollection`.
    prefix : str
        Put in front of each name, such as ``"val_"``.
    per_class : bool
        Also give vectors of classes: ``map_per_class`` as ``map/cl_3`` by the labels in ``classes``, other vectors with
        the classes 0, 1, .... By default vectors are excluded, tables with more axes always.

    Returns
    -------
    dict of str to Tensor
        NaN where there is no data, as in `omniou.report.scalars`, so that the keys are the same at each step.

    Raises
    ------
    TypeError
        If `result` is not a dictionary.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import MeanAveragePrecision, scalars
    >>> box, label = torch.tensor([[0., 0, 10, 10]]), torch.tensor([3])
    >>> metric = MeanAveragePrecision(class_metrics=True)
    >>> truth = {"boxes": box, "labels": label}
    >>> metric.update([truth | {"scores": torch.tensor([0.9])}], [truth])
    >>> numbers = scalars(metric.compute(), "val_", per_class=True)
    >>> numbers["val_map"], numbers["val_map/cl_3"], numbers["val_map_large"]
    (tensor(1.), tensor(1.), tensor(nan))
    """
    checks.instance("result", result, Mapping, "a dictionary of results")
    return {
        f"{prefix}{name}" if label is None else f"{prefix}{name}/cl_{label}": torch.as_tensor(
            math.nan if number is None else number
        )
        for name, label, number in by_class.numbers(result)
        if label is None or per_class
    }


def log_figures(
    loggers: Any,
    source: DetectionEvaluation | Result[Any] | Mapping[str, "Figure"],
    *,
    kinds: Sequence[str] = FIGURES,
    prefix: str = "",
    step: int | None = None,
) -> None:
    """Give curves and the confusion matrix as figures to loggers of Lightning.

    TensorBoard, Weights & Biases, Comet and MLflow get figures. Other loggers, such as `CSVLogger`, get PNG files in
    the folder ``figures`` of their directory.

    Parameters
    ----------
    loggers : logger, or list of loggers
        Such as ``self.loggers`` in a module.
    source : DetectionEvaluation, Result or dict
        What to draw. Call it on all processes, as they exchange what a metric has seen; the first one writes. A
        dictionary has figures of matplotlib by name.
    kinds : sequence of str
        Kinds of `omniou.report.plot`: by default precision over recall, F1 over scores, and confusion.
    prefix : str
        Put in front of each name, such as ``"val_"``.
    step : int, optional
        Such as ``self.global_step``.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If a kind is unknown.

    Warns
    -----
    UserWarning
        If a logger takes no figures and has no directory.

    Examples
    --------
    >>> import tempfile, torch
    >>> from pathlib import Path
    >>> from types import SimpleNamespace
    >>> from omniou_integrations.torchmetrics import DetectionEvaluation, log_figures
    >>> box, label = torch.tensor([[0., 0, 10, 10]]), torch.tensor([3])
    >>> metric = DetectionEvaluation()
    >>> truth = {"boxes": box, "labels": label}
    >>> metric.update([truth | {"scores": torch.tensor([0.9])}], [truth])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log_figures(SimpleNamespace(log_dir=folder), metric, kinds=["confusion"], step=5)
    ...     [path.name for path in Path(folder, "figures").iterdir()]
    ['confusion-5.png']
    """
    import matplotlib.pyplot as plt

    from omniou.report._charts.plots import CHARTS
    from omniou.report._logging.loggers import log_figure

    figures: dict[str, Any]
    if isinstance(source, Mapping):
        figures, own = dict(source), False
    else:
        for kind in kinds:
            checks.choice("kinds", kind, CHARTS)
        # This runs on all processes, since metrics exchange their states.
        result = source if isinstance(source, Result) else source.result()
        figures, own = {kind: result.plot(kind).figure for kind in kinds}, True
    if _is_first_process():
        for logger in loggers if isinstance(loggers, Iterable) else [loggers]:
            for name, figure in figures.items():
                log_figure(logger, f"{prefix}{name}", figure, step)
    if own:
        for figure in figures.values():
            plt.close(figure)


def _is_first_process() -> bool:
    return (
        not (torch.distributed.is_available() and torch.distributed.is_initialized())
        or torch.distributed.get_rank() == 0
    )
