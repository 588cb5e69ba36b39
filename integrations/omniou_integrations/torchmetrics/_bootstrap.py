"""Bootstrap a metric over images: torchmetrics' `BootStrapper` for lists of dictionaries."""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor
from torchmetrics import Metric, wrappers
from torchmetrics.utilities import rank_zero_warn

# If one of several batches has fewer images, its samples have less than 0.9 of the spread.
_SMALL = 5
_Batch: TypeAlias = tuple[list[Any], dict[str, Any]]


class BootStrapper(wrappers.BootStrapper):
    """Mean and spread of a metric over samples of the images, which are drawn with replacement.

    Torchmetrics' wrapper of this name draws rows of tensors, and so cannot take the lists of dictionaries that metrics
    of detection take, its own included. This one draws what `update` is given a list of: images. Its `forward` keeps
    what was seen before, which that one's forgets.

    Parameters
    ----------
    base_metric : torchmetrics.Metric
        Its copies see a sample each.
    num_bootstraps : int
        How many.
    mean, std, raw : bool
        What `compute` returns: mean, standard deviation, and the results of all copies.
    quantile : float or Tensor, optional
        Quantiles to give too.
    sampling_strategy : {"poisson", "multinomial"}
        "poisson": each image of a batch is seen a number of times that has the Poisson distribution of mean 1, as it
        is in a sample of a large data set. "multinomial": each batch is drawn from as often as it has images: right
        where one batch has all images. Samples of several small batches vary too little, and not at all where each
        batch is one image; a warning says so.
    **kwargs
        Options of `torchmetrics.Metric`.

    Raises
    ------
    ValueError
        If an option is unknown; from `update` and `forward`, if the arguments are not of as many images each. What the
        metric itself refuses, it refuses before any copy has seen it.

    Notes
    -----
    ``compute()`` gives ``{"mean": ..., "std": ...}`` where the metric gives a tensor; where it gives a dictionary,
    ``{"map_mean": ..., "map_std": ..., "map_50_mean": ...}``, only of its numbers: results by class are excluded.
    All are of the dtype and in the units of the metric; of a result of shape (...), "mean" and "std" have that shape,
    "quantile" has that of the quantiles before it, and "raw" is (num_bootstraps, ...).
    Every copy works as long as the metric does; `omniou.detection.bootstrap` matches boxes once for all samples.
    Lists, tuples and tensors are drawn from; other arguments, such as a weight of all, are passed on as they are.

    References
    ----------
    Efron, Bootstrap methods, Annals of Statistics 1979; Hanley and MacGibbon, Creating non-parametric bootstrap samples
    using Poisson frequencies, 2006.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import BootStrapper, IntersectionOverUnion
    >>> truth = [{"boxes": torch.tensor([[0.0, 0.0, 10.0, 10.0]]), "labels": torch.tensor([0])}] * 8
    >>> preds = [{"boxes": x["boxes"] * k / 8, "labels": x["labels"]} for k, x in enumerate(truth, 1)]
    >>> metric = BootStrapper(IntersectionOverUnion(), num_bootstraps=20)
    >>> metric.update(preds, truth)
    >>> sorted(metric.compute())
    ['iou_mean', 'iou_std']
    """

    def __init__(self, base_metric: Metric, *args: Any, **kwargs: Any) -> None:
        super().__init__(base_metric, *args, **kwargs)
        # A copy reads each batch as it was given first, so that errors number images as the caller does.
        self._first = copy.deepcopy(base_metric)
        self._batches, self._warned = 0, False

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add a batch: each copy gets the images that it draws."""
        for metric, (drawn, named) in self._draws(args, kwargs):
            metric.update(*drawn, **named)

    @torch.jit.unused
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add the images of a batch, and give the result only for these."""
        results = [metric(*drawn, **named) for metric, (drawn, named) in self._draws(args, kwargs)]
        self._computed, self._update_count = None, self._update_count + 1
        return self._statistics(results)

    def reset(self) -> None:
        """Forget all images."""
        super().reset()
        self._batches = 0

    def compute(self) -> dict[str, Tensor]:
        """Statistics over the copies."""
        return self._statistics([cast("Metric", metric).compute() for metric in self.metrics])

    def _draws(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[tuple[Any, _Batch]]:
        """Yield each copy with its sample of a batch."""
        self._first.update(*args, **kwargs)
        self._first.reset()
        sizes = [len(x) for x in (*args, *kwargs.values()) if _is_drawn_from(x)]
        if not sizes or min(sizes) < max(sizes):
            raise ValueError(f"all arguments must be of as many images, got {sizes or 'none'}")
        self._warn_of_small(sizes[0])
        for metric in self.metrics:
            rows = self._sample(sizes[0])
            yield metric, ([_taken(x, rows) for x in args], {name: _taken(x, rows) for name, x in kwargs.items()})

    def _warn_of_small(self, size: int) -> None:
        self._batches += 1
        several = self._batches > 1
        if self._warned or self.sampling_strategy != "multinomial" or size >= (_SMALL if several else 2):
            return
        self._warned = True
        spread = "no spread at all" if size == 1 else f"{math.sqrt(1 - 1 / max(1, size)):.0%} of the spread"
        rank_zero_warn(
            f'`sampling_strategy="multinomial"` draws from each batch by itself: batches of {size} have {spread}. '
            'Use "poisson", which is right for batches of any size, or give all images in one `update`.',
            UserWarning,
        )

    def _sample(self, size: int) -> Tensor:
        if self.sampling_strategy == "multinomial":
            return torch.randint(max(1, size), (size,))
        return torch.arange(size).repeat_interleave(torch.poisson(torch.ones(size)).long())

    def _statistics(self, results: Sequence[Any]) -> dict[str, Tensor]:
        if not isinstance(results[0], Mapping):
            return self._spread(torch.stack(list(results)))
        every = {name: [one.get(name) for one in results] for name in results[0]}
        numbers = {name: torch.stack(list(x)) for name, x in every.items() if all(_is_number(value) for value in x)}
        return {f"{name}_{key}": x for name, values in numbers.items() for key, x in self._spread(values).items()}

    def _spread(self, values: Tensor) -> dict[str, Tensor]:
        """Compute the statistics of values (num_bootstraps, ...) by name."""
        statistics = {}
        if self.mean:
            statistics["mean"] = values.mean(0)
        if self.std:
            statistics["std"] = values.std(0)
        if self.quantile is not None:
            statistics["quantile"] = torch.quantile(values, self.quantile, dim=0)
        if self.raw:
            statistics["raw"] = values
        return statistics


def _is_drawn_from(x: Any) -> bool:
    return x.ndim > 0 if isinstance(x, Tensor) else isinstance(x, list | tuple)


def _taken(images: Any, rows: Tensor) -> Any:
    if not _is_drawn_from(images):
        return images
    return images[rows] if isinstance(images, Tensor) else [images[k] for k in rows.tolist()]


def _is_number(x: Any) -> bool:
    return isinstance(x, Tensor) and x.ndim == 0 and x.is_floating_point()
