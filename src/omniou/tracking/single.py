"""Single-object tracking: success and precision curves (OTB, LaSOT), average overlap and success rates (GOT-10k).

Arrays of any library are taken; NumPy does the work, and results are Python numbers and NumPy arrays.
"""

import math
from collections.abc import Mapping
from typing import Any

from omniou import boxes
from omniou._lib import checks
from omniou._lib.types import Namespace
from omniou._lib.values import raise_first
from omniou.tracking import _sequences as sequences
from omniou.tracking._single_protocol import GOT10K, LASOT, OTB, PROTOCOLS, SingleProtocol
from omniou.tracking._single_result import FrameErrors, SingleResult, SuccessCurves

__all__ = [
    "GOT10K",
    "LASOT",
    "OTB",
    "PROTOCOLS",
    "FrameErrors",
    "SingleProtocol",
    "SingleResult",
    "SuccessCurves",
    "evaluate",
]

_COUNTS = ("frames", "given", "missed", "first", "absent", "empty")


def evaluate(
    ground_truth: Mapping[str, Any],
    predictions: Mapping[str, Any],
    /,
    *,
    protocol: str | SingleProtocol = "otb",
    format: str = "xywh",
    absent: Mapping[str, Any] | None = None,
    cover: Mapping[str, Any] | None = None,
    image_sizes: Mapping[str, tuple[float, float]] | tuple[float, float] | None = None,
) -> SingleResult:
    """Evaluate a single-object tracker: success, precision, average overlap, success rates.

    Parameters
    ----------
    ground_truth, predictions : mapping of str to array, shape (T, 4)
        Box of each frame, by sequence. The first frame is the one that starts the tracker.
    protocol : {"otb", "lasot", "got10k"} or SingleProtocol
        Rules of the benchmark, `SingleProtocol`.
    format : str
        Format of the boxes, as in `omniou.boxes`; benchmarks have "xywh".
    absent : mapping of str to array of booleans or integers, shape (T,), optional
        Frames without the object, as LaSOT's flags: 1 where it is absent. In a sequence that is not in the mapping, the
        object is in every frame. Boxes of the ground truth in frames without the object have no effect.
    cover : mapping of str to array of numbers, shape (T,), optional
        GOT-10k's visible share of the object, instead of `absent`: it is absent where it is 0.
    image_sizes : tuple, or mapping of str to tuple, optional
        (width, height), which protocols that clip boxes need.

    Returns
    -------
    SingleResult

    Raises
    ------
    TypeError
        If arrays or options have a wrong type.
    ValueError
        If only one side has a sequence, lengths differ, or `image_sizes` is missing; if a box is not finite, has a
        negative side, or is empty in the ground truth of a frame that has the object. The message names the sequence
        and the frame, counted from 0.

    Notes
    -----
    A frame succeeds if its IoU exceeds the threshold; at equality it does not. The ground truth as prediction has an
    AUC of 20 / 21, since no IoU exceeds 1.

    References
    ----------
    Wu et al., Online object tracking: a benchmark, CVPR 2013; Fan et al., LaSOT, CVPR 2019; Huang et al., GOT-10k,
    PAMI 2021. Normalised precision: Müller et al., TrackingNet, ECCV 2018.

    Examples
    --------
    >>> from omniou.tracking import single
    >>> truth = {"car": [[0, 0, 10, 10], [5, 0, 10, 10], [10, 0, 10, 10]]}
    >>> found = {"car": [[0, 0, 10, 10], [5, 0, 10, 10], [15, 0, 10, 10]]}
    >>> result = single.evaluate(truth, found)
    >>> round(result.summary["AUC"], 3), round(result.summary["AO"], 3)
    (0.746, 0.778)
    >>> single.evaluate(truth, found, protocol="got10k", image_sizes=(100, 100)).summary["SR50"]
    0.5
    """
    rules = (
        protocol if isinstance(protocol, SingleProtocol) else PROTOCOLS[checks.choice("protocol", protocol, PROTOCOLS)]
    )
    boxes.GEOMETRY.check_format(format)
    names = sequences.check_names(ground_truth, predictions)
    if absent is not None and cover is not None:
        raise ValueError("`absent` and `cover` say the same: pass one of them")
    shown = {"absent": absent, "cover": cover}
    shown |= {"image_sizes": image_sizes} if isinstance(image_sizes, Mapping) else {}
    for option, given in shown.items():
        if given is not None:
            sequences.check_known(option, checks.instance(option, given, Mapping, "a mapping by sequence"), names)
    counts = dict.fromkeys(_COUNTS, 0)
    frames = {}
    for name in names:
        hidden, size = _hidden(name, absent, cover), _size(name, image_sizes, rules)
        frames[name], own = _compared(
            name, ground_truth[name], predictions[name], hidden=hidden, size=size, rules=rules, layout=format
        )
        counts = {key: counts[key] + own.get(key, 0) for key in counts}
    return SingleResult(rules, frames, {"sequences": len(names)} | counts)


def _compared(
    name: str, truth: Any, predicted: Any, /, *, hidden: Any, size: Any, rules: SingleProtocol, layout: str
) -> tuple[FrameErrors, dict[str, int]]:
    """IoU and errors of each frame of a sequence, and how many frames count in which way."""
    a, b, hidden, xp = _read(name, truth, predicted, hidden, layout)
    empty = (b[:, 2:] == 0).any(axis=1)
    if rules.empty == "previous":
        b = b[_last_kept(empty, xp=xp)]
    if rules.first_frame == "given":
        b = xp.concat([a[:1], b[1:]])
    first = xp.arange(a.shape[0]) == 0
    out = first if rules.first_frame == "exclude" else xp.zeros_like(first)
    gone = hidden & ~out
    missed = gone if rules.absent == "miss" else xp.zeros_like(gone)
    out = out | (gone & ~missed)
    columns = [
        xp.where(out, math.nan, xp.where(missed, worst, x))
        for worst, x in zip((0.0, math.inf, math.inf), _measured(a, b, size, rules.clip, xp=xp), strict=True)
    ]
    which = {
        "frames": ~out,
        "given": first & ~gone & (rules.first_frame == "given"),
        "missed": missed,
        "first": first & (rules.first_frame == "exclude"),
        "absent": gone & ~missed,
        "empty": empty & ~first,
    }
    return FrameErrors(*columns), {key: int(x.sum()) for key, x in which.items()}


def _read(name: str, truth: Any, predicted: Any, hidden: Any, layout: str, /) -> tuple[Any, Any, Any, Namespace]:
    """Boxes of both sides as xywh, and which frames lack the object, checked."""
    (xp, a), (_, b) = (
        sequences.on_host(f"{side}[{name!r}]", x) for side, x in (("ground_truth", truth), ("predictions", predicted))
    )
    _check_shapes(name, a.shape, b.shape)
    a, b = (x.astype(xp.float64).reshape(-1, 4) for x in (a, b))
    hidden = xp.zeros(a.shape[0], dtype=bool) if hidden is None else hidden
    if hidden.shape != a.shape[:1]:
        raise ValueError(
            f"`absent` or `cover` of {name!r} must have a number for each of {a.shape[0]} frames, got {hidden.shape}"
        )
    a, b = (boxes.convert(x, layout, "xywh") for x in (xp.where(hidden[:, None], 0.0, a), b))
    _check_values(name, a, b, hidden, xp=xp)
    return a, b, hidden, xp


def _measured(a: Any, b: Any, size: Any, clip: str, /, *, xp: Namespace) -> list[Any]:
    """IoU, distance of the centres, and that over the sides of the first boxes; all as xywh."""
    # The toolkits' centres: a pixel less changes no distance, but the rounding.
    centre_a, centre_b = (x[:, :2] + (x[:, 2:] - 1) / 2 for x in (a, b))
    shift = centre_b - centre_a
    sides = xp.where(a[:, 2:] > 0, a[:, 2:], 1.0)  # 0 in frames without the object
    a, b = (_clipped(x, size, clip, xp=xp) for x in (a, b))
    return [boxes.iou(a, b, format="xywh"), *(xp.sqrt((x**2).sum(axis=1)) for x in (shift, shift / sides))]


def _clipped(x: Any, size: Any, clip: str, /, *, xp: Namespace) -> Any:
    """Boxes (T, 4), as xywh, inside the image."""
    if clip == "none":
        return x
    limit = xp.asarray(size, dtype=x.dtype)
    corner, side = x[:, :2], x[:, 2:]
    low = xp.clip(corner, 0.0, limit)
    # GOT-10k keeps the side of a box that starts outside on the left or above.
    side = side if clip == "got10k" else corner + side - low
    return xp.concat([low, xp.clip(side, 0.0, limit - low)], axis=1)


def _last_kept(empty: Any, /, *, xp: Namespace) -> Any:
    """Number of the last frame up to each one whose box is not empty; the first frame is kept anyway."""
    places = xp.where(empty, 0, xp.arange(empty.shape[0]))
    return xp.maximum.accumulate(places)


def _hidden(name: str, absent: Mapping[str, Any] | None, cover: Mapping[str, Any] | None, /) -> Any:
    """Which frames of a sequence lack the object, booleans (T,), or None if all have it."""
    option, given = ("absent", absent) if cover is None else ("cover", cover)
    if given is None or name not in given:
        return None
    label = f"{option}[{name!r}]"
    xp, x = sequences.on_host(label, given[name], sequences.FLAGS)
    bad = ~xp.isfinite(x) if cover is not None else ~xp.isin(x, xp.asarray([0, 1]))
    if bad.any():
        holds = "finite numbers" if cover is not None else "booleans, or 0 and 1"
        place = int(bad.argmax())
        raise ValueError(f"`{label}[{place}]` must be among {holds}, got {x[place]}")
    return x <= 0 if cover is not None else x.astype(bool)


def _size(name: str, sizes: Any, rules: SingleProtocol, /) -> tuple[float, float] | None:
    missing = sizes is None or (isinstance(sizes, Mapping) and name not in sizes)
    if missing and rules.clip == "none":
        return None
    if missing:
        raise ValueError(
            f"`image_sizes` must have the (width, height) of {name!r}: {rules.name} cuts boxes at the image. Without "
            'it: protocol=dataclasses.replace(single.GOT10K, clip="none")'
        )
    sides = checks.items("image_sizes", sizes[name] if isinstance(sizes, Mapping) else sizes, "a (width, height)")
    if len(sides) != 2:
        raise ValueError(f"`image_sizes` must be a (width, height), got {sides}")
    width, height = (checks.number("image_sizes", x, above=0.0) for x in sides)
    return None if rules.clip == "none" else (width, height)


def _check_shapes(name: str, truth: tuple[int, ...], predicted: tuple[int, ...], /) -> None:
    for side, shape in (("ground_truth", truth), ("predictions", predicted)):
        if shape != (0,) and (len(shape) != 2 or shape[1] != 4):
            raise ValueError(f"`{side}[{name!r}]` must have shape (frames, 4), got {tuple(shape)}")
    if truth[0] != predicted[0]:
        raise ValueError(
            f"`predictions[{name!r}]` must have a box for each of the {truth[0]} frames of the ground truth, "
            f"got {predicted[0]}"
        )


def _check_values(name: str, a: Any, b: Any, hidden: Any, /, *, xp: Namespace) -> None:
    """Raise for the first box that is not finite, inverted or, in the ground truth, empty."""
    for side, x in (("ground_truth", a), ("predictions", b)):
        raise_first(f"{side}[{name!r}]", x, {"is not finite": ~xp.isfinite(x).all(axis=1)}, xp=xp)
        hint = " (xywh); benchmarks have xywh: is `format` right?"
        raise_first(f"{side}[{name!r}]", x, {"has a negative side": (x[:, 2:] < 0).any(axis=1)}, hint=hint, xp=xp)
    missing = (a[:, 2:] == 0).any(axis=1) & ~hidden
    hint = " (xywh): if the object is not in this frame, say so by `absent=`"
    raise_first(f"ground_truth[{name!r}]", a, {"is empty": missing}, hint=hint, xp=xp)


def __dir__() -> list[str]:
    return __all__
