"""Functions and metrics on two devices, on the mesh that `jax.make_mesh` makes: its axes are explicit."""

import os
import subprocess
import sys

import pytest

from tests.places import ROOT

pytest.importorskip("jax")

PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
from omniou import boxes, losses, masks, segmentation
from omniou_integrations.jax import BoxScore, DetectionAP, MeanIoU, giou_loss, mean
from tests.places import ROOT

mesh = jax.make_mesh((2,), ("data",))
target = np.asarray([[[0, 0, 1, 1]] * 2] * 2, dtype=np.int32)
labels = np.asarray([[[0, 1, 1, 2]] * 2] * 2, dtype=np.int32)
logits = np.log(np.where(np.arange(3)[None, :, None, None] == labels[:, None], 0.8, 0.1)).astype(np.float32)
a = np.asarray([[0.0, 0, 2, 2], [0, 0, 1, 1]], dtype=np.float32)
b = np.asarray([[0.0, 0, 2, 1], [3, 3, 4, 4]], dtype=np.float32)
# In each image one object is matched by one of two detections.
objects = {"boxes": np.stack([a[:1]] * 2), "labels": np.zeros((2, 1), dtype=np.int32)}
found = {"boxes": np.stack([a] * 2), "labels": np.zeros((2, 2), dtype=np.int32)}
found["scores"] = np.asarray([[0.9, 0.1]] * 2, dtype=np.float32)

def every(a, b, target, labels, logits, objects, found):
    where = target == target
    return {
        "giou": giou_loss(a, b, reduction="mean"),  # (0.5 + 1 + 14 / 16) / 2
        "box score": BoxScore.empty(boxes.iou).update(a, b).compute(),
        "mean": mean(boxes.iou(a, b)),
        "confusion": segmentation.confusion(target, labels, 3),
        "of each image": segmentation.iou(segmentation.confusion(target, labels, 3, per_image=True), images="pool"),
        "mean iou": MeanIoU.empty(3).update(logits, target, class_axis=1, where=where).compute(),
        "dice": losses.masks.dice(logits, labels, activation="softmax"),
        "lovasz": losses.masks.lovasz_softmax(logits, labels, per="batch"),
        "hinge": losses.masks.lovasz_hinge(10.0 * logits[:, 0] + 5.0, labels == 0),
        "boundary": masks.boundary_iou(target == 1, labels >= 1),
        **DetectionAP.empty(1, bins=8).update(objects, found).compute(),
    }

given = (a, b, target, labels, logits, objects, found)
alone = every(*jax.tree.map(jnp.asarray, given))
for name, expected in {"giou": 1.1875, "box score": 0.25, "mean iou": 5 / 18, "AP": 1, "AR": 1}.items():
    np.testing.assert_allclose(alone[name], expected, rtol=1e-5, err_msg=name)
with jax.set_mesh(mesh):
    placed = jax.device_put(given, NamedSharding(mesh, P("data")))
    gradient = jax.grad(lambda x: losses.masks.dice(x, placed[3], activation="softmax"))(placed[4])
    for actual in (every(*placed), jax.jit(every)(*placed)):
        for name, expected in alone.items():
            jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-6, err_msg=name), actual[name], expected)
assert bool(jnp.isfinite(gradient).all())
print(jax.device_count(), mesh.axis_types)
"""


def test_results_on_an_explicit_mesh_equal_those_of_one_device():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    env = os.environ | flags | {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "JAX_ENABLE_X64": "0"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("2 (")
    assert "Explicit" in done.stdout
