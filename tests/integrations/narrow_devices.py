"""A process with a fake device without float64: every entry point there, and how often each waits, saved.

`python -m tests.integrations.narrow_devices RANK STORE OUT`, for `test_narrow_devices.py`.
"""

import sys
import warnings

import torch

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from omniou import boxes, detection, losses, masks, pairwise, panoptic, pixel_scores, segmentation
from omniou import scores as omniou_scores
from omniou_integrations.torchmetrics import HausdorffDistance
from tests import fake_device
from tests.integrations import metrics, segmentation_metrics
from tests.integrations.samples import pairs

# Corners of upright boxes (N, 4) -> other kinds of shapes.
SHAPES = {
    "rotated": lambda x: torch.cat([(x[:, :2] + x[:, 2:]) / 2, x[:, 2:] - x[:, :2], 0.3 + 0 * x[:, :1]], dim=1),
    "polygons": lambda x: x[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2),
    "boxes3d": lambda x: torch.cat([x[:, :2], 0 * x[:, :1], x[:, 2:], 1 + 0 * x[:, :2]], dim=1),
}
THINGS = {"things": {1, 2}, "stuff": {8, 9}, "unknown": "void"}


def given():
    """Inputs by name, on the CPU."""
    a, b, targets, detections = pairs()
    preds, target = segmentation_metrics.inputs("whole labels")
    probabilities, _ = segmentation_metrics.inputs("logits")
    found, truth = segmentation_metrics.inputs("panoptic")
    return {
        "boxes": (a.float(), b.float()),
        **{kind: tuple(shape(x.float()) for x in (a, b)) for kind, shape in SHAPES.items()},
        "whole boxes": (a.int(), b.int()),
        "masks": (preds > 1, target > 1),
        "labels": (preds, target),
        "probabilities": (probabilities.softmax(1), target),
        "segments": (truth, found),
        "detections": (*targets, *detections),
    }


def functions():
    """Name -> a function of inputs, and their name."""
    scores = [name for name in omniou_scores if not omniou_scores[name].of_image]
    out = {f"boxes.{name}": (getattr(boxes, name), "boxes") for name in scores}
    out |= {f"losses.{name}": (gradient_of(getattr(losses, name)), "boxes") for name in scores}
    out["losses.giou, where"] = (leaving_out(losses.giou), "boxes")
    out |= {f"losses.{kind}, where": (leaving_out(getattr(losses, kind).iou), kind) for kind in SHAPES}
    out |= {f"{x}, whole": (getattr(boxes, x), "whole boxes") for x in ("iou", "giou", "gwd")}
    out["pairwise"] = (lambda a, b: pairwise(boxes.iou, a, b), "whole boxes")
    names = [x for x in masks.__all__ if x.endswith(("iou", "dice", "recall", "accuracy", "graded", "tversky"))]
    out |= {f"masks.{name}": (getattr(masks, name), "masks") for name in names if not name.startswith("trimap")}
    out["masks.boundary_f"] = (masks.boundary_f, "masks")
    out["masks.area"] = (lambda a, _: masks.area(a), "masks")
    out["masks.mean"] = (lambda a, b: masks.mean(masks.iou(a, b)), "masks")
    out["pairs of masks"] = (lambda a, b: pairwise(masks.iou, a, b), "masks")
    out["boxes.from_masks"] = (lambda a, _: boxes.from_masks(a), "masks")
    out |= {
        f"losses.masks.{name}": (gradient_of(getattr(losses.masks, name)), "probabilities")
        for name in losses.masks.__all__
        if name not in {"check", "boundary", "lovasz_hinge"}
    }
    for name in segmentation.__all__:
        if name in {"accuracy", "frequency_weighted_iou", *pixel_scores}:
            out[f"segmentation.{name}"] = (of_counts(getattr(segmentation, name)), "labels")
    out["weighted"] = (lambda p, t: segmentation.confusion(t, p, 5, weight=torch.ones_like(t).float()), "labels")
    out["panoptic.count"] = (lambda t, p: panoptic.count(t, p, **THINGS).quality, "segments")
    out["panoptic.count_tracks"] = (lambda t, p: panoptic.count_tracks(t, p, **THINGS).association, "segments")
    out["panoptic.count_video"] = (
        lambda t, p: panoptic.count_video(t, p, **THINGS, windows=(2,)).windows[2].iou,
        "segments",
    )
    out["detection.evaluate"] = (evaluated, "detections")
    return out


def evaluated(*columns):
    targets, detections = detection.Targets(*columns[:3]), detection.Detections(*columns[3:])
    return detection.evaluate(targets, detections).precision


def gradient_of(loss):
    def function(pred, target):
        x = pred.detach().clone().requires_grad_()
        loss(x, target, reduction="mean").backward()
        return x.grad

    return function


def leaving_out(loss):
    """The gradient of a loss without every second pair."""

    def function(pred, target):
        kept = torch.arange(len(pred), device=pred.device) % 2 == 0
        return gradient_of(lambda *args, **options: loss(*args, where=kept, **options))(pred, target)

    return function


def of_counts(score):
    return lambda pred, target: score(segmentation.confusion(target, pred, 5))


def cases():
    """Name -> a metric and its inputs."""
    out = {name: (x.make, x.kind) for name, x in segmentation_metrics.EVERY.items() if x.ours is not HausdorffDistance}
    return out | {f"boxes: {name}": (x.make, "boxes") for name, x in metrics.EVERY.items()}


def run():
    """Name -> the result or the error, and how often it waited for the device."""
    results = {}
    values = {name: fake_device.moved(x) for name, x in given().items()}
    for name, (function, kind) in functions().items():
        results[name] = attempted(function, *values[kind])
    for name, (make, kind) in cases().items():
        batch, metric = fake_device.moved(batch_of(kind)), make().to(fake_device.NAME)
        results[f"update of {name}"] = attempted(metric.update, *batch)
        results[f"compute of {name}"] = attempted(metric.compute)
    return results


def batch_of(kind):
    return metrics.data() if kind == "boxes" else segmentation_metrics.inputs(kind)


def attempted(function, *args):
    try:
        out, waits = fake_device.counted(lambda: function(*args))
    except (TypeError, RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {error}", -1
    return fake_device.fetched(out), waits


def main(out):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    with fake_device.device(float64=False):
        results = run()
    torch.save(results, out)


if __name__ == "__main__":
    main(sys.argv[3])
