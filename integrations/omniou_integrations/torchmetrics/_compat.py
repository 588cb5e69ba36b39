"""Make errors that callers of torchmetrics expect: with both libraries' types, and both messages, omniou's first."""

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

# Where torchmetrics 1.9 keeps the classes that have our names.
_MODULES = {
    "MeanAveragePrecision": "detection.mean_ap",
    "IntersectionOverUnion": "detection.iou",
    "GeneralizedIntersectionOverUnion": "detection.giou",
    "DistanceIntersectionOverUnion": "detection.diou",
    "CompleteIntersectionOverUnion": "detection.ciou",
    "PanopticQuality": "detection.panoptic_qualities",
    "ModifiedPanopticQuality": "detection.panoptic_qualities",
    "MeanIoU": "segmentation.mean_iou",
    "DiceScore": "segmentation.dice",
    "GeneralizedDiceScore": "segmentation.generalized_dice",
    "HausdorffDistance": "segmentation.hausdorff_distance",
    "JaccardIndex": "classification.jaccard",
    "BinaryJaccardIndex": "classification.jaccard",
    "MulticlassJaccardIndex": "classification.jaccard",
    "MultilabelJaccardIndex": "classification.jaccard",
}
_LONGEST = 300
_OURS = __name__.rpartition(".")[0]


def follows(cls: type, named: Mapping[str, Any]) -> bool:
    """Return whether a metric also raises torchmetrics' errors; metrics of detections do so with `compat` only."""
    if (name := _name(cls)) is None or named.get("compat") is True:
        return name is not None
    inits = [x.__init__ for x in cls.__mro__ if "__init__" in vars(x)]  # type: ignore[misc]
    has_option = any("compat" in inspect.signature(x).parameters for x in inits)
    return _MODULES[name].startswith("segmentation") or not has_option


def of_options(cls: type, error: Exception, args: tuple[Any, ...], named: Mapping[str, Any]) -> Exception:
    """Return the error of a constructor, which also has the type that torchmetrics raises for these options."""
    try:
        make = _maker(cls, args, named)
    except Exception:  # noqa: BLE001  (torchvision, which a module imports, may be missing or broken)
        return _both(error, ValueError())
    return _both(error, _raised(make))


def of_update(metric: Any, error: Exception, args: tuple[Any, ...], named: Mapping[str, Any]) -> Exception:
    """Return the error of an update, which also has the type that torchmetrics raises for these arguments."""
    if (check := getattr(metric, "_check_as_torchmetrics", None)) is not None:
        return _both(error, _raised(lambda: check(*args, **named)))
    try:
        peer = _maker(type(metric), *metric.given)()
    except Exception:  # noqa: BLE001  (options that torchmetrics does not have)
        return error
    return _both(error, _raised(lambda: peer.update(*args, **named)))


def check_samples(preds: Any, target: Any, kinds: tuple[str, ...], *, scored: bool) -> None:
    """Raise what torchmetrics' metrics of detections raise for samples. They need torchvision; this check does not."""
    from torchmetrics.detection.helpers import _input_validator

    _input_validator(preds, target, iou_type=kinds, ignore_score=not scored)  # type: ignore[arg-type]


def _name(cls: type) -> str | None:
    """Return the name of the torchmetrics class that a metric of omniou, or its subclass, replaces."""
    names = (x.__name__ for x in cls.__mro__ if x.__module__.startswith(_OURS))
    return next((name for name in names if name in _MODULES), None)


def _maker(cls: type, args: tuple[Any, ...], named: Mapping[str, Any]) -> Callable[[], Any]:
    """Return a function that makes torchmetrics' own metric with the options that it has."""
    name = _name(cls) or ""
    peer = getattr(importlib.import_module(f"torchmetrics.{_MODULES[name]}"), name)
    known = inspect.signature(peer).parameters
    return functools.partial(peer, *args, **{key: x for key, x in named.items() if key in known})


def _raised(call: Callable[[], Any]) -> Exception | None:
    try:
        call()
    except ImportError:
        return ValueError()  # what its constructors raise otherwise
    except Exception as raised:  # noqa: BLE001  (any error that its callers may expect)
        return raised
    return None


def _both(error: Exception, peers: Exception | None) -> Exception:
    """Return an error with both types and messages; `error` itself if torchmetrics raises none."""
    if peers is None:
        return error
    words = " ".join(str(peers).split())[:_LONGEST]
    return _made(type(error), type(peers), f"{error} (torchmetrics: {words})" if words else str(error))


def _made(own: type[Exception], peers: type[Exception], message: str) -> Exception:
    kind: type[Exception] = _type(own, peers)  # type: ignore[arg-type]  # typeshed: types are no `Hashable`
    return kind(message)


@functools.cache
def _type(own: type[Exception], peers: type[Exception]) -> type[Exception]:
    if issubclass(own, peers):
        return own
    methods: dict[str, Any] = {
        "__str__": Exception.__str__,  # not `KeyError`'s, which quotes the message
        "__reduce__": lambda self: (_made, (own, peers, str(self))),
    }
    return type(f"{own.__name__}And{peers.__name__}", (own, peers), methods)
