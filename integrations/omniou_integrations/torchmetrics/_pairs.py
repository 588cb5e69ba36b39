"""Mean of a score over pairs of boxes: state, pairing and result, regardless of the score."""

import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import array_api_compat.torch as xp
import torch
from torch import Tensor
from torchmetrics.utilities.distributed import gather_all_tensors

from omniou import boxes, pairwise
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.scores import Score
from omniou._inputs import dicts
from omniou._inputs.dicts import Values
from omniou._inputs.kinds import ShapeRows
from omniou._lib import checks
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations._shared.pairing import greedy, hungarian
from omniou_integrations._shared.scores import SHAPES, format_of
from omniou_integrations.torchmetrics._base import WholeMetric, class_count, eager, flag, widened
from omniou_integrations.torchmetrics._compat import check_samples
from omniou_integrations.torchmetrics._samples import COUNTS, NUMBERS, fetched, keys, read

Sample: TypeAlias = dict[str, Tensor]
Pairing: TypeAlias = Literal["matched", "hungarian", "aligned", "all"]
Format: TypeAlias = Literal["xyxy", "yxyx", "xywh", "cxcywh"]
_PAIRINGS = ("matched", "hungarian", "aligned", "all")
# What to do about padding where boxes are pairs by their place.
_PADDED_PAIRS = "leave these pairs out on both sides"


class Padded(NamedTuple):
    """Boxes of B images, N in the fullest."""

    boxes: Tensor  # (B, N, K)
    labels: Tensor  # (B, N)
    real: Tensor  # (B, N)

    def one_by_one(self) -> "Padded":
        """Reshape so that each box is an image of its own."""
        return Padded(self.boxes.flatten(0, 1)[:, None], self.labels.reshape(-1, 1), self.real.reshape(-1, 1))


class BoxPairs(WholeMetric):
    """Base class, see `IntersectionOverUnion`; a subclass names its key, its score, and the score of a miss."""

    plot_lower_bound: float | None
    plot_upper_bound: float | None

    _declared: ClassVar[Score]
    _key: str
    _score: ClassVar[Callable[..., Tensor]]
    _miss: float
    _numbers: int = NUMBERS  # of a box
    _score_options: Mapping[str, Any] = MappingProxyType({})
    _kind: str = "bbox"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if (declared := vars(cls).get("_declared")) is None:
            return
        cls._key, cls._miss, cls._score = declared.name, declared.miss, staticmethod(getattr(boxes, declared.name))
        cls.plot_lower_bound, cls.plot_upper_bound = declared.bounds

    def __init__(
        self,
        box_format: Format = "xyxy",
        iou_threshold: float | None = None,
        class_metrics: bool = False,  # noqa: FBT001, FBT002  (the signature of torchmetrics)
        respect_labels: bool = True,  # noqa: FBT001, FBT002
        *,
        num_classes: int | None = None,
        pairing: Pairing | None = None,
        output: Literal["dict", "tensor"] = "dict",
        compat: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        box_format = cast("Format", format_of(self._geometry, box_format))
        checks.choice("output", output, ("dict", "tensor"))
        for name, value in (("class_metrics", class_metrics), ("respect_labels", respect_labels), ("compat", compat)):
            flag(name, value)
        pairing = pairing or ("all" if compat else "matched")
        checks.choice("pairing", pairing, ("all",) if compat else _PAIRINGS)
        class_count(num_classes)
        if class_metrics and output == "tensor" and num_classes is None:
            raise ValueError(
                "`num_classes` must be given where `class_metrics` is true and `output` is 'tensor', got None"
            )
        self.box_format = box_format
        self.iou_threshold = iou_threshold
        self.class_metrics = class_metrics
        self.respect_labels = respect_labels
        self.num_classes = num_classes if class_metrics else None
        self.pairing = pairing
        self.output = output
        self.compat = compat
        # A MetricCollection lets metrics share one state from the second batch on, if the names and values of their
        # states were equal after the first, as those of GIoU and DIoU are without detections. So the names of states
        # contain the score and all options that decide the sums.
        score = f"{self._key}_{getattr(self._score, '__name__', type(self._score).__name__)}_{self._miss}"
        score += f"{sorted(self._score_options.items())}_{self._kind}_{box_format}"
        choices = f"{score}_{pairing}_{respect_labels}_{iou_threshold}_{self.num_classes}_{class_metrics}"
        choices = "".join(c if c.isalnum() else "_" for c in f"{choices}{'_compat' if compat else ''}")
        self._labels, self._total, self._count = (f"{name}_{choices}" for name in ("labels", "total", "count"))
        size = 1 if not class_metrics else num_classes or 0
        self._add_tensor(self._total, functools.partial(exact.nothing, size), "sum")
        self._add_tensor(self._count, functools.partial(torch.zeros, size, dtype=torch.int64), "sum")
        self._add_tensor(self._labels, functools.partial(torch.arange, size))

    @property
    def _geometry(self) -> Geometry:
        """The geometry of the rows. The metric keeps its name, since declarations cannot be pickled."""
        return SHAPES[self._kind]

    @property
    def labels(self) -> Tensor:
        """Labels (K,) of the rows of `total` and `count`, rising; (1,) if classes are not distinguished."""
        return getattr(self, self._labels)

    @property
    def total(self) -> Tensor:
        """Sum of scores, exactly, (K, columns): see `_exact_sums`."""
        return getattr(self, self._total)

    @property
    def count(self) -> Tensor:
        """Number of pairs and misses, (K,)."""
        return getattr(self, self._count)

    @eager
    def update(self, preds: Sequence[Sample], target: Sequence[Sample]) -> None:
        """Add the boxes of some images: see the notes of the class."""
        rows = self._read(preds, target)
        if not preds:
            return
        predictions, targets = (self._padded(x) for x in rows)
        if self.pairing == "aligned":
            predictions, targets = predictions.one_by_one(), targets.one_by_one()
        score = self._all_pairs(predictions.boxes, targets.boxes)
        pairs = self._chosen(score, self._allowed(score, predictions, targets))
        unmatched, missed = self._left_over(pairs, predictions.real, targets.real)
        image, _, column = pairs.nonzero(as_tuple=True)
        count = torch.cat([torch.ones_like(image), unmatched[unmatched > 0], missed[missed > 0]])
        values = widened(count) * (0.0 if self.compat else self._miss)
        values[: len(image)] = widened(score[pairs])
        labels = [targets.labels[image, column], predictions.labels[unmatched > 0], targets.labels[missed > 0]]
        # A class that occurs has a result, even without a pair.
        seen = [x.labels[x.real] for x in (predictions, targets)] if self.class_metrics else []
        labels, place = torch.unique(torch.cat([*labels, *seen]) * int(self.class_metrics), return_inverse=True)
        place = place[: len(count)]
        total = exact.sums(values, place, len(labels))
        batch = [x.to(self.device) for x in (labels, total, _counts(count, place, len(labels)))]
        self._join([(self.labels, self.total, self.count), (batch[0], batch[1], batch[2])])

    def _check_as_torchmetrics(self, preds: Any, target: Any) -> None:
        check_samples(preds, target, ("bbox",), scored=False)

    def compute(self) -> Any:
        """Compute the means over everything since the last reset."""
        mean = exact.mean(self.total.sum(0, keepdim=True), self.count.sum(0, keepdim=True))[0]
        each = exact.mean(self.total, self.count)
        if self.compat:
            mean = mean.nan_to_num(0.0)
            each = torch.where(self.count.cpu() == 0, 0.0, each)
        mean, each = (x.to(self.dtype).to(self.device) for x in (mean, each))
        if self.output == "tensor":
            return each if self.class_metrics else mean
        result = {self._key: mean}
        if self.class_metrics:
            result |= {f"{self._key}/cl_{k}": x for k, x in zip(self.labels.tolist(), each.unbind(), strict=True)}
        return result

    def _all_pairs(self, predictions: Tensor, targets: Tensor) -> Tensor:
        """(B, N, K), (B, M, K) -> (B, N, M)."""
        return pairwise(self._score, predictions, targets, format=self.box_format)

    def _allowed(self, score: Tensor, predictions: Padded, targets: Padded) -> Tensor:
        """Candidate pairs, (B, N, M)."""
        allowed = predictions.real[:, :, None] & targets.real[:, None, :]
        if self.respect_labels:
            allowed = allowed & (predictions.labels[:, :, None] == targets.labels[:, None, :])
        if self.iou_threshold is not None:
            # Comparisons with NaN are false, so NaN is never worse than the threshold.
            worse = score < self.iou_threshold if self.higher_is_better else score > self.iou_threshold
            allowed = allowed & ~worse
        # torchmetrics marks pairs that are no candidates by -1, and so drops a GIoU of -1.
        return allowed & (score != -1.0) if self.compat else allowed

    def _chosen(self, score: Tensor, allowed: Tensor) -> Tensor:
        """Matched pairs, (B, N, M)."""
        score = score if self.higher_is_better else -score
        if self.pairing == "matched":
            return greedy(score, allowed, xp=xp)
        if self.pairing == "hungarian":
            pairs = hungarian(score.cpu().to(torch.float64).numpy(), allowed.cpu().numpy())
            return torch.from_numpy(pairs).to(score.device)
        return allowed

    def _left_over(self, pairs: Tensor, predictions: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return how many misses each box counts as, (B, N) and (B, M); arguments are False for padding."""
        if self.pairing != "all":
            return (predictions & ~pairs.any(2)).to(torch.int64), (targets & ~pairs.any(1)).to(torch.int64)
        lists = []
        for real, other in ((predictions, targets), (targets, predictions)):
            alone = (real & ~other.any(1, keepdim=True)).to(torch.int64)
            # torchmetrics adds a square of zeros for n such boxes: n misses each. If labels are respected, it keeps
            # only the diagonal: 1 miss each.
            lists.append(alone * alone.sum(1, keepdim=True) if self.compat and not self.respect_labels else alone)
        return lists[0], lists[1]

    def _join(self, parts: Sequence[tuple[Tensor, Tensor, Tensor]]) -> None:
        """Set the state to the sum of states: labels (K,), totals (K, columns) and counts (K,) of each."""
        labels, total, count = (torch.cat(column) for column in zip(*parts, strict=True))
        if self.class_metrics:
            labels, place = torch.unique(labels, return_inverse=True)
        else:  # all rows have one label
            labels, place = labels[:1], torch.zeros_like(labels)
        setattr(self, self._labels, labels)
        setattr(self, self._total, exact.joined(total, place, len(labels)))
        setattr(self, self._count, _counts(count, place, len(labels)))

    def _reduce_states(self, incoming_state: dict[str, Any]) -> None:
        names = (self._labels, self._total, self._count)
        if missing := [name for name in names if name not in incoming_state]:
            raise ValueError(
                f"a state to merge must be of a metric with the same options, got one without {missing[0]!r}"
            )
        labels, total, count = (incoming_state[name] for name in names)
        self._join([(labels, total, count), (self.labels, self.total, self.count)])

    def _sync_dist(self, dist_sync_fn: Callable[..., Any] | None = None, process_group: Any = None) -> None:
        gather, group = dist_sync_fn or gather_all_tensors, process_group or self.process_group
        # Processes exchange one tensor.
        packed = torch.cat([self.labels[:, None], self.count[:, None], self.total], dim=1)
        self._join([(x[:, 0], x[:, 2:], x[:, 1]) for x in gather(packed, group=group)])

    def _padded(self, samples: Sequence[Values]) -> Padded:
        given = [sample["boxes"].detach().reshape(-1, self._numbers) for sample in samples]
        sizes = torch.tensor([len(x) for x in given])
        real = torch.arange(max(map(len, given)), device=sizes.device) < sizes[:, None]
        # Empty tensors are often float32 next to other dtypes, so they do not decide the dtype.
        flat = torch.cat([x for x in given if len(x)] or given)
        padded = flat.new_zeros((*real.shape, self._numbers))
        padded[real] = flat
        labels = torch.zeros_like(real, dtype=torch.int64)
        if self._uses_labels:
            every = [sample["labels"].reshape(-1).to(torch.int64) for sample in samples]
            labels[real] = torch.cat(every)
        return Padded(padded, labels, real)

    @property
    def _uses_labels(self) -> bool:
        return self.respect_labels or self.class_metrics

    def _read(self, preds: Any, target: Any) -> list[list[Values]]:
        """Check the samples: predictions and targets of each image by column."""
        dicts.check_lists(preds=preds, target=target)
        used = {"boxes", "labels"}  # which mark padding where nothing else needs them
        every = keys("targets", "boxes", numbers=self._numbers, rows=ShapeRows(self._geometry, self.box_format))
        declared = [
            key._replace(optional=key.column == "labels" and not self._uses_labels)
            for key in every
            if key.column in used
        ]
        # Matching decides the shapes of later arrays, so it runs on the CPU, after one copy from a device.
        lists = fetched({"preds": preds, "target": target}, used)
        instead = COUNTS if self.compat else _PADDED_PAIRS if self.pairing == "aligned" else ""
        rows = [read(name, x, declared, self.num_classes, instead=instead) for name, x in lists.items()]
        for i, (predictions, targets) in enumerate(zip(*rows, strict=True)):
            if self.pairing == "aligned" and len(predictions["boxes"]) != len(targets["boxes"]):
                counts = f"{len(predictions['boxes'])} and {len(targets['boxes'])}"
                raise ValueError(
                    f"`preds[{i}]['boxes']` and `target[{i}]['boxes']` must be aligned: of one length, got {counts}"
                )
        return rows


def _counts(count: Tensor, place: Tensor, size: int) -> Tensor:
    """Sum integers (N,) by their places (N,) in [0, K) -> (K,)."""
    return count.new_zeros(size).index_add(0, place, count)
