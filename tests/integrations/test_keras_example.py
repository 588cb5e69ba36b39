"""The example `keras_shapes` trains within a minute."""

import runpy

import numpy as np
import pytest

from tests import places

# Keras converts torch tensors and its variables by `__array__`, which lacks NumPy's argument `copy`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")

EXAMPLE = places.DOCS / "examples" / "keras_shapes" / "train.py"


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLE))


def test_example_training_reduces_loss(example):
    history = example["main"](epochs=16).history

    assert history["loss"][-1] < 0.5 * history["loss"][0]
    assert history["val_map"][0] < 0.1
    assert max(history["val_map"]) > 0.4
    each = [history[f"val_map/{name}"] for name in ("square", "disc")]
    assert history["val_map"] == pytest.approx(np.mean(each, axis=0).tolist())


def test_example_stops_early(example):
    history = example["main"](images=8, epochs=30, rate=0.0).history  # only the statistics of layers change

    assert len(history["val_map"]) < 30


def test_decode_inverts_to_cells(example):
    _, boxes, labels = example["draw"](50, seed=3)
    cells, counts = example["to_cells"](boxes, labels)
    predicted = {"boxes": cells["boxes"], "classes": 9.0 * np.eye(3)[cells["classes"]]}
    decoded = example["decode"](predicted)
    sure = decoded["scores"] > 0.5

    # Several cells learn from a shape, and one of them is kept.
    assert counts["boxes"].sum() > (labels >= 0).sum() == sure.sum()
    for i in range(50):
        drawn = {(*box, label) for box, label in zip(boxes[i].tolist(), labels[i].tolist(), strict=True) if label >= 0}
        sides = (decoded[name][i, sure[i]].tolist() for name in ("boxes", "labels"))
        decoded_boxes = {(*box, label) for box, label in zip(*sides, strict=True)}
        assert decoded_boxes == drawn
