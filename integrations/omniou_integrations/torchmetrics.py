"""Mean overlap of boxes as metrics of torchmetrics, for Lightning and for loops of your own.

The inputs and the result keys are those of torchmetrics' classes of the same names, so changing the import is all a
user does. Neither torchvision nor pycocotools is needed. Three things differ, because there the originals give
numbers that mislead:

- *Which prediction answers which target is decided.* With ``pairing="matched"``, the default, each box has at most one
  partner, so perfect predictions score 1. ``pairing="all"`` is the mean over all pairs of equal label, as in
  torchmetrics, in which two perfect boxes of one class in one image score 0.5.
- *No data is NaN*, never 0 or -1, which are legal scores.
- *The state is a sum and a count* of fixed size: synchronising processes takes two collectives, however many images
  there were. Sums are kept in float64, also in a module that is moved to half precision.

Across processes the result is that of all boxes together, with uneven shards and processes without a batch too; then
call ``compute()`` on every process, as in ``on_validation_epoch_end``. Mind that a ``DistributedSampler`` repeats
samples until all shards are equal, and they count as often as they are seen.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import array_api_compat.torch as xp
import torch
from torch import Tensor
from torchmetrics import Metric

from omniou import boxes, pairwise
from omniou_integrations._pairing import greedy

__all__ = [
    "CompleteIntersectionOverUnion",
    "DistanceIntersectionOverUnion",
    "GeneralizedIntersectionOverUnion",
    "IntersectionOverUnion",
]

Sample: TypeAlias = dict[str, Tensor]
Pairing: TypeAlias = Literal["matched", "all"]
Format: TypeAlias = Literal["xyxy", "yxyx", "xywh", "cxcywh"]


class IntersectionOverUnion(Metric):
    """Mean IoU of predicted boxes and the targets they answer.

    Parameters
    ----------
    box_format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Of both sides.
    iou_threshold : float, optional
        Two boxes that score lower are no pair.
    class_metrics : bool
        Also give the mean of each class, as ``iou/cl_0``, ``iou/cl_1``, ...; needs `num_classes`.
    respect_labels : bool
        Pair only boxes of one label. Otherwise a pair counts for the class of its target.
    num_classes : int, optional
        Labels are 0 ... ``num_classes - 1``; looked at only with `class_metrics`.
    pairing : {"matched", "all"}
        "matched": within an image, and a label, pairs are formed one by one, the best score first, until one side runs
        out. Each box left over, on either side, counts as one more pair with the score of a miss: 0 for IoU, and -1
        for GIoU, DIoU and CIoU, which is what boxes infinitely far apart score. So leaving a box out is never better
        than a poor one. "all": the mean over all pairs; only a box in an image whose other side has none is a miss.
    output : {"dict", "tensor"}
        "dict": the keys of torchmetrics. "tensor": the mean alone, which ``self.log("val_iou", metric)`` of Lightning
        asks for.
    **kwargs
        Of `torchmetrics.Metric`, such as `sync_on_compute`.

    Raises
    ------
    TypeError, ValueError
        From `update` and `forward`, if the inputs do not fit; the message names the sample and the key, such as
        ``preds[3]['boxes']``, and the state is as it was before.

    Notes
    -----
    ``update(preds, target)`` takes two lists of equal length, one dict for each image: ``boxes`` of shape (N, 4) and
    of any real dtype, ``labels`` of shape (N,) and an integer dtype, which may be missing where no option asks for
    them. Other keys, such as ``scores``, are ignored. Gradients are not followed: see `omniou.losses`.

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

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = False
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    _key: ClassVar[str] = "iou"
    _score: ClassVar[Callable[..., Tensor]] = staticmethod(boxes.iou)
    _miss: ClassVar[float] = 0.0

    def __init__(
        self,
        box_format: Format = "xyxy",
        iou_threshold: float | None = None,
        class_metrics: bool = False,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        respect_labels: bool = True,  # noqa: FBT001, FBT002
        *,
        num_classes: int | None = None,
        pairing: Pairing = "matched",
        output: Literal["dict", "tensor"] = "dict",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        _choice("box_format", box_format, ("xyxy", "yxyx", "xywh", "cxcywh"))
        _choice("pairing", pairing, ("matched", "all"))
        _choice("output", output, ("dict", "tensor"))
        _flag("class_metrics", class_metrics)
        _flag("respect_labels", respect_labels)
        if class_metrics and (not isinstance(num_classes, int) or isinstance(num_classes, bool) or num_classes < 1):
            msg = f"`num_classes` must be a positive integer where `class_metrics` is true, got {num_classes!r}"
            raise ValueError(msg)
        if class_metrics and output == "tensor":
            msg = "`output` must be 'dict' where `class_metrics` is true, got 'tensor'"
            raise ValueError(msg)
        self.box_format = box_format
        self.iou_threshold = iou_threshold
        self.class_metrics = class_metrics
        self.respect_labels = respect_labels
        self.num_classes = num_classes
        self.pairing = pairing
        self.output = output
        size = num_classes if class_metrics and num_classes else 1
        # A MetricCollection lets metrics share one state from the second batch on, if the names and values of their
        # states were equal after the first, as those of GIoU and DIoU are where nothing was found. So each score and
        # each choice that decides the sums has names of its own.
        choices = f"{self._key}_{box_format}_{pairing}_{respect_labels}_{iou_threshold}_{size}".replace(".", "p")
        self._total, self._count = f"total_{choices}", f"count_{choices}"
        self.add_state(self._total, torch.zeros(size, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state(self._count, torch.zeros(size, dtype=torch.int64), dist_reduce_fx="sum")

    @property
    def total(self) -> Tensor:
        """Sum of scores, for each class or (1,)."""
        return getattr(self, self._total)

    @property
    def count(self) -> Tensor:
        """Number of pairs and misses, for each class or (1,)."""
        return getattr(self, self._count)

    def update(self, preds: Sequence[Sample], target: Sequence[Sample]) -> None:
        """Add the boxes of some images: see the notes of the class."""
        self._check(preds, target)
        if not preds:
            return
        found, found_label, is_found = self._padded(preds)
        truth, truth_label, is_truth = self._padded(target)
        score = pairwise(self._score, found, truth, format=self.box_format)
        pairs = is_found[:, :, None] & is_truth[:, None, :]
        if self.respect_labels:
            pairs = pairs & (found_label[:, :, None] == truth_label[:, None, :])
        if self.iou_threshold is not None:
            pairs = pairs & ~(score < self.iou_threshold)  # written this way round, a NaN is not hidden
        if self.pairing == "matched":
            pairs = greedy(score, pairs, xp=xp)
            lost, missed = is_found & ~pairs.any(2), is_truth & ~pairs.any(1)
        else:
            lost, missed = is_found & ~is_truth.any(1, keepdim=True), is_truth & ~is_found.any(1, keepdim=True)
        image, _, column = pairs.nonzero(as_tuple=True)
        labels = torch.cat([truth_label[image, column], found_label[lost], truth_label[missed]])
        values = torch.full(labels.shape, self._miss, dtype=self.total.dtype, device=labels.device)
        values[: len(image)] = score[pairs].to(values.dtype)
        if not self.class_metrics:
            labels = torch.zeros_like(labels)
        # Out of place: Lightning may hold the states of a finished `validate()` in inference mode.
        total = self.total.index_add(0, labels, values)
        count = self.count.index_add(0, labels, torch.ones_like(labels, dtype=self.count.dtype))
        setattr(self, self._total, total)
        setattr(self, self._count, count)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add the boxes of some images, and give the result for these alone."""
        before = dict(self.__dict__)
        try:
            return super().forward(*args, **kwargs)
        except Exception:
            # The base class empties the state first. No state changes in place, so a shallow copy brings it back.
            self.__dict__.update(before)
            raise

    def compute(self) -> Any:
        """Means over everything since the last reset."""
        mean = (self.total.sum() / self.count.sum()).to(self.dtype)
        if self.output == "tensor":
            return mean
        result = {self._key: mean}
        if self.class_metrics:
            each = (self.total / self.count).to(self.dtype)
            result |= {f"{self._key}/cl_{k}": value for k, value in enumerate(each.unbind())}
        return result

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Figure and axes of one result, or of a list of them; of the present one if none is given."""
        return self._plot(val, ax)

    def _apply(self, fn: Callable[[Tensor], Tensor], exclude_state: Sequence[str] = "") -> Any:
        def moved(x: Tensor) -> Tensor:
            try:
                # Also `module.to(torch.bfloat16)`, Lightning's "bf16-true", must leave the sums their digits.
                return fn(x).to(x.dtype)
            except TypeError:
                return fn(x.to(torch.float32))  # Apple's devices have no float64

        return super()._apply(fn if self._dtype_convert else moved, exclude_state)

    def _padded(self, samples: Sequence[Sample]) -> tuple[Tensor, Tensor, Tensor]:
        """B images -> boxes (B, N, 4), labels (B, N) and which of them are real (B, N), N boxes in the fullest."""
        given = [sample["boxes"].detach().reshape(-1, 4) for sample in samples]
        sizes = torch.tensor([len(x) for x in given], device=given[0].device)
        real = torch.arange(max(map(len, given)), device=sizes.device) < sizes[:, None]
        # An empty tensor is often a float one, whatever the others are: it has no say.
        flat = torch.cat([x for x in given if len(x)] or given)
        padded = flat.new_zeros((*real.shape, 4))
        padded[real] = flat
        labels = torch.zeros_like(real, dtype=torch.int64)
        if self._uses_labels:
            labels[real] = torch.cat([sample["labels"].reshape(-1).to(torch.int64) for sample in samples])
        return padded, labels, real

    @property
    def _uses_labels(self) -> bool:
        return self.respect_labels or self.class_metrics

    def _check(self, preds: Any, target: Any) -> None:
        sides = {"preds": preds, "target": target}
        for side, samples in sides.items():
            if not isinstance(samples, Sequence) or isinstance(samples, str):
                msg = f"`{side}` must be a list with a dict for each image, got {type(samples).__name__}"
                raise TypeError(msg)
        if len(preds) != len(target):
            msg = f"`preds` and `target` must have one length, got {len(preds)} and {len(target)}"
            raise ValueError(msg)
        keys = ("boxes", "labels") if self._uses_labels else ("boxes",)
        for side, samples in sides.items():
            for i, sample in enumerate(samples):
                _check_sample(f"{side}[{i}]", sample, keys)
                if self.class_metrics:
                    _check_classes(f"{side}[{i}]['labels']", sample["labels"], self.num_classes)


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

    plot_lower_bound: float = -1.0
    _key = "giou"
    _score = staticmethod(boxes.giou)
    _miss = -1.0


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

    plot_lower_bound: float = -1.0
    _key = "diou"
    _score = staticmethod(boxes.diou)
    _miss = -1.0


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

    plot_lower_bound: float = -2.0
    _key = "ciou"
    _score = staticmethod(boxes.ciou)
    _miss = -1.0


def _choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        msg = f"`{name}` must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        raise ValueError(msg)


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        msg = f"`{name}` must be a bool, got {type(value).__name__}"
        raise TypeError(msg)


def _check_sample(name: str, sample: Any, keys: tuple[str, ...]) -> None:
    if not isinstance(sample, dict):
        msg = f"`{name}` must be a dict, got {type(sample).__name__}"
        raise TypeError(msg)
    for key in keys:
        if key not in sample:
            msg = f"`{name}` must have the key {key!r}, got {sorted(map(str, sample))}"
            raise ValueError(msg)
        if not isinstance(sample[key], Tensor):
            msg = f"`{name}[{key!r}]` must be a tensor, got {type(sample[key]).__name__}"
            raise TypeError(msg)
    found = sample["boxes"]
    if found.dtype == torch.bool or found.is_complex():
        msg = f"`{name}['boxes']` must hold integers or real floating numbers, got {found.dtype}"
        raise TypeError(msg)
    # `torch.tensor([])` is how many write that there is no box.
    if found.shape != (0,) and (found.ndim != 2 or found.shape[1] != 4):
        msg = f"`{name}['boxes']` must have shape (N, 4), got {tuple(found.shape)}"
        raise ValueError(msg)
    if "labels" not in keys:
        return
    labels = sample["labels"]
    if labels.shape != found.shape[:1]:
        msg = f"`{name}['labels']` must have shape ({len(found)},) as there are boxes, got {tuple(labels.shape)}"
        raise ValueError(msg)
    if len(labels) and (labels.is_floating_point() or labels.is_complex() or labels.dtype == torch.bool):
        msg = f"`{name}['labels']` must hold integers, got {labels.dtype}"
        raise TypeError(msg)


def _check_classes(name: str, labels: Tensor, num_classes: int | None) -> None:
    # A wait for the device, but an index out of range would end the process there.
    if num_classes and len(labels) and (int(labels.min()) < 0 or int(labels.max()) >= num_classes):
        msg = f"`{name}` must lie in 0 ... {num_classes - 1}, got {int(labels.min())} ... {int(labels.max())}"
        raise ValueError(msg)
