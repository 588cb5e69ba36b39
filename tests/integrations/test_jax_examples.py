import subprocess
import sys

import pytest

from tests import places

EXAMPLES = places.DOCS / "examples"


def lines_of(name):
    """What an example prints; its own process, which has JAX's rules of promotion."""
    command = [sys.executable, "-W", "error", EXAMPLES / name / "train.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(("name", "needs"), [("jax_boxes", "optax"), ("flax_shapes", "flax")])
def test_examples_train_with_giou_but_not_with_iou(name, needs):
    pytest.importorskip(needs)
    reached = {line.partition(":")[0]: line.split()[-3::2] for line in lines_of(name)}

    assert float(reached["giou_loss"][0]) == 0
    assert float(reached["giou_loss"][1]) > 0.9
    assert [float(x) for x in reached["iou_loss"]] == [0, 0]


def test_detector_that_assigns_and_suppresses_inside_jit_learns():
    pytest.importorskip("flax")
    (line,) = lines_of("flax_detector")
    result = {name: float(value) for name, value in map(str.split, line.split(", "))}

    assert result["AP"] > 0.6
    assert result["AP50"] > 0.85
