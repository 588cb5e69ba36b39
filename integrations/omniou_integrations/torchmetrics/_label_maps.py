"""Read the inputs of segmentation metrics: label maps, masks of each class, or scores; and the pixels that count."""

from typing import Literal, NamedTuple

import torch
from torch import Tensor

from omniou import segmentation

InputFormat = Literal["one-hot", "index", "mixed"]
# Readings of floats with several channels. The state counts them, since the reading must not change between batches.
READINGS = ("masks of 0 and 1", "scores, the highest of which wins")
# By how much softmax's probabilities of 16 bits may miss a sum of 1.
_ROUNDING = 0.02
READING_HINT = (
    "pass booleans for masks, or `threshold` if classes are independent; or keep scores from being exactly 0 and 1"
)


class MapOptions(NamedTuple):
    """How inputs are read."""

    num_classes: int | None
    input_format: InputFormat
    threshold: float | None
    ignored: tuple[int, ...]


class Areas(NamedTuple):
    """Pixels of each image and class, (N, C)."""

    shared: Tensor
    preds: Tensor
    target: Tensor


class ClassMaps(NamedTuple):
    """Predictions and target: each label maps (N, ...), or booleans (N, C, ...)."""

    preds: Tensor
    target: Tensor
    labels: tuple[bool, bool]  # which of them are label maps
    numbers: tuple[int, ...]  # the label of each class
    readings: tuple[int, int]  # how many of them are floats of several channels, read as `READINGS`

    @property
    def classes(self) -> int:
        """How many labels there may be."""
        return self.numbers[-1] + 1


def read(preds: Tensor, target: Tensor, options: MapOptions) -> ClassMaps:
    """Check the inputs and convert them to `ClassMaps`."""
    dense = {"one-hot": (True, True), "index": (False, False)}.get(options.input_format)
    if dense is None:
        dense = preds.ndim > target.ndim, target.ndim > preds.ndim
    _check_shapes(preds, target, dense, options.input_format)
    sides = {"preds": preds, "target": target}
    channels = [x.shape[1] for x, wide in zip(sides.values(), dense, strict=True) if wide]
    classes = options.num_classes or channels[0]
    if any(number != classes for number in channels):
        raise ValueError(f"`preds` and `target` must have {classes} classes along axis 1, got {channels[0]}")
    readings = [0, 0]
    maps, labels = [], []
    masks = _masks_among({name: x for (name, x), wide in zip(sides.items(), dense, strict=True) if wide}, options)
    for (name, x), wide in zip(sides.items(), dense, strict=True):
        is_mask = masks.get(name, True)
        # A label map on the other side says that a pixel has one class.
        given = {"is_mask": is_mask, "exclusive": not all(dense)}
        out, reading = _channels(name, x, options.threshold, **given) if wide else (x, None)
        maps.append(out)
        labels.append(not wide or reading == READINGS[1])
        if reading is not None:
            readings[READINGS.index(reading)] += 1
    # Next to a mask of one channel, label maps have 0 and 1.
    numbers = (1,) if classes == 1 and any(dense) else tuple(range(classes))
    return ClassMaps(maps[0], maps[1], (labels[0], labels[1]), numbers, (readings[0], readings[1]))


def areas_of(maps: ClassMaps, ignored: tuple[int, ...]) -> Areas:
    """Count the pixels of each image and class."""
    if all(maps.labels):
        _check_labels(maps, ignored)
        counts = segmentation.confusion(
            maps.target, maps.preds, maps.classes, ignore_index=ignored, per_image=True, outside="column"
        )
        areas = Areas(counts.diagonal(dim1=1, dim2=2), counts.sum(1)[:, :-1], counts.sum(2))
    else:
        preds, target = apart_of(maps, ignored)
        axes = tuple(range(2, preds.ndim))
        areas = Areas(*(x.sum(axes) for x in (preds & target, preds, target)))
    if not ignored:
        return areas
    counted = counted_classes(maps, ignored)
    return Areas(*(torch.where(counted, x, 0) for x in areas))


def apart_of(maps: ClassMaps, ignored: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Masks of each class (N, C, ...) of both sides, off where pixels do not count."""
    _check_labels(maps, ignored)
    sides = zip((maps.preds, maps.target), maps.labels, strict=True)
    preds, target = (_apart(x, _every(maps)) if labels else x for x, labels in sides)
    if not ignored:
        return preds, target
    kept = _kept(maps, ignored)[:, None]
    return preds & kept, target & kept


def counted_classes(maps: ClassMaps, ignored: tuple[int, ...]) -> Tensor:
    """Booleans (C,): classes that are not ignored."""
    numbers = _every(maps)
    counted = torch.ones_like(numbers, dtype=torch.bool)
    for label in ignored:
        counted = counted & (numbers != label)
    return counted


def _every(maps: ClassMaps) -> Tensor:
    """The labels of the classes (C,), which are consecutive."""
    return torch.arange(maps.numbers[0], maps.numbers[-1] + 1, device=maps.preds.device)


def _masks_among(sides: dict[str, Tensor], options: MapOptions) -> dict[str, bool]:
    """Return which sides hold only 0 and 1, if this decides their reading; a device is waited for once."""
    asked = {
        name: x
        for name, x in sides.items()
        if x.dtype != torch.bool and not (options.threshold is not None and x.is_floating_point())
    }
    are = [((x == 0) | (x == 1)).all() for x in asked.values()]
    return dict(zip(asked, torch.stack(are).tolist(), strict=True)) if are else {}


def _channels(
    name: str, x: Tensor, threshold: float | None, *, is_mask: bool, exclusive: bool
) -> tuple[Tensor, str | None]:
    """Read channels (N, C, ...) as a mask of each, or as the classes (N, ...) with the highest score.

    The second value is the reading, if it is a guess. `exclusive`: a pixel is known to have one class.
    """
    if x.dtype == torch.bool:
        return x, None
    if threshold is not None and x.is_floating_point():
        return x > threshold, None
    if not x.is_floating_point():
        if not is_mask:
            wrong = x[(x != 0) & (x != 1)][0].item()
            raise ValueError(
                f"`{name}` with classes along axis 1 must hold 0 and 1, got {wrong}: pass `{name} > 0` if all but 0 is "
                'on, or label maps (N, ...) with `input_format="index"`, where `ignore_index` excludes pixels'
            )
        return x != 0, None
    if is_mask:
        on = x != 0
        # Where each pixel has one class, masks and scores mean the same.
        return on, None if x.shape[1] == 1 or bool((on.sum(1) == 1).all()) else READINGS[0]
    if x.shape[1] == 1:
        raise ValueError(
            f"`{name}` has one channel of scores, which are neither 0 nor 1: pass `threshold`, such as 0.5 for "
            "probabilities and 0.0 for logits"
        )
    if not exclusive:
        _check_exclusive(name, x)
    return x.detach().max(dim=1).indices, READINGS[1]  # the places of `argmax`, in a third of its time


def _check_exclusive(name: str, x: Tensor) -> None:
    """Raise for probabilities of independent classes, where the highest one is not the same as all above 0.5."""
    differ = ((x.sum(1) - 1).abs() > _ROUNDING) & ((x > 0.5).sum(1) != 1)
    # Numbers outside [0, 1] are logits.
    if bool(((x >= 0) & (x <= 1)).all() & differ.any()):
        raise ValueError(
            f"`{name}` has probabilities that do not sum to 1 along axis 1, and pixels without exactly one class above "
            f"0.5: pass `threshold=0.5` if classes are independent, as of a sigmoid, or if the highest one wins, as of "
            f"a softmax, `torch.nn.functional.one_hot({name}.argmax(1), num_classes).movedim(-1, 1)`"
        )


def _kept(maps: ClassMaps, ignored: tuple[int, ...]) -> Tensor:
    """Booleans (N, ...): pixels that count, where labels are ignored."""
    if maps.labels[1]:
        return _kept_labels(maps.target, ignored)
    if strange := [label for label in ignored if label not in maps.numbers]:
        raise ValueError(
            f"`ignore_index` {strange[0]} is none of the {len(maps.numbers)} channels of `target`: pass label maps"
        )
    return ~torch.stack([maps.target[:, maps.numbers.index(label)] for label in ignored]).any(0)


def _kept_labels(target: Tensor, ignored: tuple[int, ...]) -> Tensor:
    return torch.stack([target != label for label in ignored]).all(0)


def _check_labels(maps: ClassMaps, ignored: tuple[int, ...]) -> None:
    """Raise for labels that are not classes; predictions may hold an ignored one."""
    preds, target = (x if labels else None for x, labels in zip((maps.preds, maps.target), maps.labels, strict=True))
    if preds is not None:
        for label in ignored:
            preds = torch.where(preds == label, 0, preds)
    if target is None:
        target = torch.zeros_like(preds) if preds is not None else None
    if target is not None:
        labels = torch.zeros_like(target) if preds is None else preds
        segmentation.check(target, labels, maps.classes, ignore_index=ignored)


def _apart(labels: Tensor, numbers: Tensor) -> Tensor:
    """(N, ...) -> booleans (N, C, ...)."""
    return labels[:, None] == numbers.reshape(-1, *[1] * (labels.ndim - 1))


def _check_shapes(preds: Tensor, target: Tensor, dense: tuple[bool, bool], input_format: str) -> None:
    shapes = [x.shape[:1] + x.shape[2:] if wide else x.shape for x, wide in zip((preds, target), dense, strict=True)]
    needed = 3 if any(dense) else 2
    fits = shapes[0] == shapes[1] and (preds.shape == target.shape) == (dense[0] == dense[1])
    if not fits or (input_format == "mixed" and not any(dense)) or max(preds.ndim, target.ndim) < needed:
        raise ValueError(
            f"`preds` and `target` must fit `input_format` {input_format!r}: (N, C, ...) where classes are apart, "
            f"(N, ...) where not, got {tuple(preds.shape)} and {tuple(target.shape)}"
        )
