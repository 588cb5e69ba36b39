"""A process with a device that is not the CPU: computes there, and saves what came out.

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


def computed(a, b, targets, found):
    """Name -> what omniou makes of boxes (N, 4), and of columns; on the device that they are on."""
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
        table = detection.evaluate(detection.Targets(*targets), detection.Detections(*found), protocol=protocol)
        out[protocol], out[f"{protocol}, scores"] = table.precision, table.scores
    return out


def run():
    found, (preds, target) = {}, data()
    there = fake_device.moved(data())
    for name, case in EVERY.items():
        metric = case.make().to(fake_device.NAME)
        metric.update(*there)
        result = metric.compute()
        found[name] = (
            fake_device.fetched(result),
            {key: x.device.type for key, x in result.items() if hasattr(x, "device")},
        )
        mixed = case.make()
        for k, images in enumerate(zip(preds, target, strict=True)):
            mixed.update(*([x if k % 2 else fake_device.moved(x)] for x in images))
        found["mixed", name] = mixed.compute()
    result = computed(*fake_device.moved(pairs()))
    found["devices"] = {name: x.device.type for name, x in result.items()}
    found["computed"] = fake_device.fetched(result)
    try:
        boxes.iou(there[0][0]["boxes"], preds[0]["boxes"])
    except TypeError as error:
        found["error"] = str(error)
    return found


def main(out):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    with fake_device.device():
        found = run()
    torch.save(found, out)


if __name__ == "__main__":
    main(sys.argv[3])
