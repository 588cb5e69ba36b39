"""The metrics work without torchvision, pycocotools and other extras, with masks too, and load no compiler."""

import subprocess
import sys

PROGRAM = """
import importlib.metadata, sys

missing = ("torchvision", "pycocotools", "faster_coco_eval", "scipy", "msgspec", "lightning")
version = importlib.metadata.version

def hidden(name):
    if name.replace("-", "_") in missing:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)

importlib.metadata.version = hidden
for name in missing:
    sys.modules[name] = None

import torch, torchmetrics

before = set(sys.modules)
from omniou import losses
from omniou_integrations.torchmetrics import IntersectionOverUnion, MeanAveragePrecision

one = {"boxes": torch.tensor([[0, 0, 4, 4.0]]), "labels": torch.tensor([0]), "scores": torch.tensor([0.5])}
one["masks"] = torch.ones(1, 4, 4, dtype=torch.bool)
result = MeanAveragePrecision(iou_type=("bbox", "segm"), extended_summary=True)([one], [one])
print(result["bbox_map"].item(), result["segm_map"].item(), IntersectionOverUnion()([one], [one])["iou"].item())
losses.giou(one["boxes"].requires_grad_(), one["boxes"], reduction="sum").backward()
unused = {"torch._dynamo", "torch.onnx", "sympy"} - before
print([name for name in (*missing, *unused) if sys.modules.get(name)])
"""


def test_import_without_extras():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["1.0 1.0 1.0", "[]"]
