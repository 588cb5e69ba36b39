"""Means of a score over pairs of boxes: IoU, GIoU, DIoU, CIoU, or any other."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from omniou import scores
from omniou._catalogue.scores import Score
from omniou._lib import checks
from omniou._lib.docs import described
from omniou_integrations._shared.scores import KIND, attempt, miss_of, score_by_name, shapes_of
from omniou_integrations.torchmetrics._pairs import BoxPairs, Format


class IntersectionOverUnion(BoxPairs):
    """Mean IoU of predicted boxes and their targets.

    Parameters
    ----------
    box_format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Format of both sides.
    iou_threshold : float, optional
        Boxes with a lower score are not paired.
    class_metrics : bool
        Also give the mean of each class that was seen, as ``iou/cl_0``, ``iou/cl_1``, ...
    respect_labels : bool
        Pair only boxes of one label. Otherwise a pair counts for the class of its target.
    num_classes : int, optional
        Labels are 0 ... ``num_classes - 1``, and `class_metrics` gives the mean of each, NaN for one not seen.
    pairing : {"matched", "hungarian", "aligned", "all"}
        Which prediction answers which target, within an image, and a label. "matched", the default: pairs are formed
        one by one, the best score first, until one side runs out. "hungarian": as many pairs as can be, of the highest
        sum; needs SciPy. "aligned": row i of the one answers row i of the other. With these, each box left over, on
        either side, counts as one more pair with the score of a miss: 0 for IoU, and -1 for GIoU, DIoU and CIoU, which
        is what boxes infinitely far apart score. So leaving a box out is never better than a poor one. "all": the mean
        over all pairs; only a box in an image whose other side has none is a miss.
    output : {"dict", "tensor"}
        "dict": the keys of torchmetrics. "tensor": only the mean, which ``self.log("val_iou", metric)`` of Lightning
        asks for; or with `class_metrics` the means of all `num_classes`, which torchmetrics' `ClasswiseWrapper` names.
    compat : bool
        The numbers of torchmetrics 1.9: all pairs, 0 where there is no data, each miss is 0, and a score of -1 is taken
        for none. (Boxes without an area score 0 here, NaN there.) Errors are of the types that torchmetrics raises,
        too.
    **kwargs
        Options of `torchmetrics.Metric`, such as `sync_on_compute`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown; from `update` and `forward`, if the inputs do not fit. The message names the sample and
        the key, such as ``preds[3]['boxes']``, and the state is as it was before.
    ModuleNotFoundError
        From `update`, for "hungarian" without SciPy.

    Notes
    -----
    ``update(preds, target)`` takes two lists of equal length, one dict for each image: ``boxes`` of shape (N, 4) and
    of any real dtype, ``labels`` of shape (N,) and an integer dtype, which may be missing where no option asks for
    them; a negative label marks padding. Other keys, such as ``scores``, are ignored. Gradients are not followed: see
    `omniou.losses`.

    ``compute()`` gives ``{"iou": ...}``, in the metric's dtype: float32 unless ``set_dtype`` says otherwise. NaN where
    nothing was seen; a box with a NaN coordinate makes it NaN too.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import IntersectionOverUnion
    >>> preds = [{"boxes": torch.tensor([[0., 0, 2, 2], [5, 5, 6, 6]]), "labels": torch.tensor([0, 1])}]
    >>> target = [{"boxes": torch.tensor([[0., 0, 2, 1], [5, 5, 6, 6]]), "labels": torch.tensor([0, 1])}]
    >>> IntersectionOverUnion()(preds, target)
    {'iou': tensor(0.7500)}
    >>> IntersectionOverUnion(class_metrics=True, num_classes=3)(preds, target)
    {'iou': tensor(0.7500), 'iou/cl_0': tensor(0.5000), 'iou/cl_1': tensor(1.), 'iou/cl_2': tensor(nan)}
    """

    _declared = scores["iou"]


class GeneralizedIntersectionOverUnion(IntersectionOverUnion):
    """Mean GIoU of predicted boxes and the targets they answer: as `IntersectionOverUnion`, with the key ``giou``.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import GeneralizedIntersectionOverUnion
    >>> preds = [{"boxes": torch.tensor([[0., 0, 1, 1]]), "labels": torch.tensor([0])}]
    >>> target = [{"boxes": torch.tensor([[1., 1, 2, 2]]), "labels": torch.tensor([0])}]
    >>> GeneralizedIntersectionOverUnion()(preds, target)
    {'giou': tensor(-0.5000)}
    """

    _declared = scores["giou"]


class DistanceIntersectionOverUnion(IntersectionOverUnion):
    """Mean DIoU of predicted boxes and the targets they answer: as `IntersectionOverUnion`, with the key ``diou``.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import DistanceIntersectionOverUnion
    >>> preds = [{"boxes": torch.tensor([[0., 0, 2, 2]]), "labels": torch.tensor([0])}]
    >>> target = [{"boxes": torch.tensor([[2., 0, 4, 2]]), "labels": torch.tensor([0])}]
    >>> DistanceIntersectionOverUnion()(preds, target)
    {'diou': tensor(-0.2000)}
    """

    _declared = scores["diou"]


class CompleteIntersectionOverUnion(IntersectionOverUnion):
    """Mean CIoU of predicted boxes and the targets they answer: as `IntersectionOverUnion`, with the key ``ciou``.

    Examples
    --------
    >>> import torch
    >>> from omniou_integrations.torchmetrics import CompleteIntersectionOverUnion
    >>> preds = [{"boxes": torch.tensor([[0., 0, 4, 2]]), "labels": torch.tensor([0])}]
    >>> target = [{"boxes": torch.tensor([[1., 0, 3, 3]]), "labels": torch.tensor([0])}]
    >>> CompleteIntersectionOverUnion()(preds, target)
    {'ciou': tensor(0.3732)}
    """

    _declared = scores["ciou"]


@described(IntersectionOverUnion, KIND)
class BoxScore(BoxPairs):
    """Mean of any score of predicted boxes and the targets they answer: as `IntersectionOverUnion`, with any key.

    Of distances, such as "kld", the lowest is the best.

    Parameters
    ----------
    score : str or callable
        A name of `omniou.scores`, such as "eiou"; or boxes (..., K) and boxes (..., K), whose leading axes broadcast ->
        scores (...), the higher the better, such as a function of your own. It is called with ``format=box_format``
        unless that is "xyxy". For the metric to be pickled, as spawned processes ask for, a function of a module.
    box_format, iou_threshold, class_metrics, respect_labels
    miss : float, optional
        Score of a box that no other answers; by default the miss of the named score, or 0. Must be given for distances
        that have no bound.
    key : str, optional
        Key of the result; by default the name of the score, or "score".
    numbers : int, optional
        How many describe a box: K; by default as many as the kind has.
    kind : str
    score_options : mapping, optional
        Options of the score, such as ``{"image_size": (480, 640)}`` for "mpdiou".
    num_classes, pairing, output, compat, **kwargs

    Examples
    --------
    >>> import torch
    >>> from omniou import boxes
    >>> from omniou_integrations.torchmetrics import BoxScore
    >>> preds = [{"boxes": torch.tensor([[0., 0, 2, 2]]), "labels": torch.tensor([0])}]
    >>> target = [{"boxes": torch.tensor([[0., 0, 2, 1]]), "labels": torch.tensor([0])}]
    >>> BoxScore("dice", pairing="aligned")(preds, target)
    {'dice': tensor(0.6667)}
    >>> BoxScore(boxes.iof, key="share", pairing="aligned")(preds, target)
    {'share': tensor(0.5000)}

    Rotated rectangles, as center, sides and angle in radians:

    >>> preds = [{"boxes": torch.tensor([[1., 1, 2, 2, 0]]), "labels": torch.tensor([0])}]
    >>> target = [{"boxes": torch.tensor([[1., 1, 2, 2, 0.7854]]), "labels": torch.tensor([0])}]
    >>> BoxScore("iou", kind="rotated")(preds, target)
    {'iou': tensor(0.7071)}
    """

    def __init__(
        self,
        score: str | Callable[..., Tensor],
        box_format: Format = "xyxy",
        iou_threshold: float | None = None,
        class_metrics: bool = False,  # noqa: FBT001, FBT002
        respect_labels: bool = True,  # noqa: FBT001, FBT002
        *,
        miss: float | None = None,
        key: str | None = None,
        numbers: int | None = None,
        kind: str = "bbox",
        score_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        declared, geometry = _declaration(score), shapes_of(kind)
        function: Any = score if declared is None else score_by_name("score", declared.name, geometry)
        given = dict(score_options or {})
        if declared is not None:
            attempt(function, given, geometry)
        bounds = (None, None) if declared is None else declared.bounds
        # A plot has no place for an infinite bound.
        low, high = (None if x is None or math.isinf(x) else x for x in bounds)
        # In `__dict__`, since the names of states depend on these and torch refuses modules before its constructor.
        self.__dict__.update(
            _score=function,
            _score_options=given,
            _kind=kind,
            _miss=miss_of(score, miss),
            _key=key or ("score" if declared is None else declared.name),
            _numbers=numbers or geometry.length(geometry.default_format),
            plot_lower_bound=low,
            plot_upper_bound=high,
            higher_is_better=declared is None or declared.higher_is_better,
        )
        super().__init__(box_format, iou_threshold, class_metrics, respect_labels, **options)

    def _all_pairs(self, preds: Tensor, truth: Tensor) -> Tensor:
        options = {**self._score_options, **({} if self.box_format == "xyxy" else {"format": self.box_format})}
        return self._score(preds[:, :, None, :], truth[:, None, :, :], **options)


def _declaration(score: Any) -> Score | None:
    """The declaration that a score names; None for a function."""
    if isinstance(score, str):
        checks.choice("score", score, scores)
        return scores[score]
    if not callable(score):
        raise TypeError(
            f"`score` must be a name of `omniou.scores` or a function of two arrays, got {type(score).__name__}"
        )
    return None
