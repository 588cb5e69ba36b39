"""A process with a fake device: computes there, and saves the results.

`python -m tests.integrations.devices RANK STORE OUT`, for `test_torchmetrics_devices.py`.
"""

import sys
import warnings

import torch

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from omniou import boxes, detection, losses, pairwise
from tests import fake_device
from tests.integrations.metrics import EVERY, data
from tests.integrations.samples import pairs

SCORES = ("iou", "iof", "dice", "giou", "diou", "ciou")


def computed(a, b, targets, detections):
    """Name -> scores, losses and gradients of boxes (N, 4), and evaluations of columns; on their device."""
    out = {}
    for name in SCORES:
        score = getattr(boxes, name)
        out[name], out[f"{name} of all pairs"] = score(a, b), pairwise(score, a, b)
    for name in ("iou", "giou", "diou", "ciou"):
        pred = a.clone().requires_grad_()
        loss = getattr(losses, name)(pred, b, reduction="mean")
        loss.backward()
        out[f"{name} loss"], out[f"{name} gradient"] = loss.detach(), pred.grad
    for protocol in ("coco", "voc2007", "open_images"):
        table = detection.evaluate(detection.Targets(*targets), detection.Detections(*detections), protocol=protocol)
        out[protocol], out[f"{protocol}, scores"] = table.precision, table.scores
    return out


def run():
    results, (preds, target) = {}, data()
    moved = fake_device.moved(data())
    for name, case in EVERY.items():
        metric = case.make().to(fake_device.NAME)
        metric.update(*moved)
        result = metric.compute()
        results[name] = (
            fake_device.fetched(result),
            {key: x.device.type for key, x in result.items() if hasattr(x, "device")},
        )
        mixed = case.make()
        for k, images in enumerate(zip(preds, target, strict=True)):
            mixed.update(*([x if k % 2 else fake_device.moved(x)] for x in images))
        results["mixed", name] = mixed.compute()
    result = computed(*fake_device.moved(pairs()))
    results["devices"] = {name: x.device.type for name, x in result.items()}
    results["computed"] = fake_device.fetched(result)
    try:
        boxes.iou(moved[0][0]["boxes"], preds[0]["boxes"])
    except TypeError as error:
        results["error"] = str(error)
    return results


def main(out):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    with fake_device.device():
        results = run()
    torch.save(results, out)


if __name__ == "__main__":
    main(sys.argv[3])
