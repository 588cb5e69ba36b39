"""Matching on a device beside the CPU, in a process of its own: prints how often each function waits for the device."""

import json
import sys

import torch

from omniou import matching
from tests import fake_device

generator = torch.Generator().manual_seed(0)
overlap, scores = torch.rand(3, 6, 4, generator=generator), torch.rand(3, 6, generator=generator)
crowd, where = (torch.rand(shape, generator=generator) < 0.6 for shape in ((3, 4), (3, 6, 4)))
boxes = torch.rand(8, 4, generator=generator).cumsum(1)
predictions, classes = boxes.repeat(3, 1) + 0.1, torch.rand(24, 3, generator=generator)
logits, labels = torch.randn(2, 5, 3, generator=generator), torch.tensor([0, 1, 2])

CALLS = {
    "coco": lambda to: matching.coco(to(overlap), scores=to(scores), crowd=to(crowd), where=to(where)),
    "coco of shapes": lambda to: matching.coco(to(boxes), to(boxes[:5]), crowd=to(crowd.flatten()[:5])),
    "greedy": lambda to: matching.greedy(to(overlap), threshold=0.3, where=to(where)),
    "hungarian": lambda to: matching.hungarian(to(overlap), where=to(where), partial=True),
    "task_aligned": lambda to: matching.task_aligned(
        to(predictions), to(classes), to(predictions[:, :2]), to(boxes), to(labels.repeat(3)[:8]), topk=2
    ),
    "simota": lambda to: matching.simota(
        *(to(predictions), to(classes), to(predictions[:, :2]), to(boxes[:, 2] + 1).repeat(3)),
        *(to(boxes), to(labels.repeat(3)[:8])),
    ),
    "detr_cost": lambda to: matching.detr_cost(
        to(logits), to(boxes[None, :5].repeat(2, 1, 1)), to(labels), to(boxes[5:]), sizes=[1, 2]
    ),
}


def main() -> None:
    expected = {name: call(lambda x: x) for name, call in CALLS.items()}
    waits = {}
    with fake_device.device(float64=False):
        for name, call in CALLS.items():
            result, waits[name] = fake_device.counted(lambda: call(lambda x: x.to(fake_device.NAME)))  # noqa: B023
            parts = [(result, expected[name])] if hasattr(result, "cpu") else zip(result, expected[name], strict=True)
            for one, other in parts:
                assert one.device.type == fake_device.NAME
                torch.testing.assert_close(one.cpu(), other)
    sys.stdout.write(json.dumps(waits))


if __name__ == "__main__":
    main()
