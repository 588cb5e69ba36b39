import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize(("name", "needs"), [("jax_boxes", "optax"), ("flax_shapes", "flax")])
def test_examples_train_with_giou_but_not_with_iou(name, needs):
    pytest.importorskip(needs)
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name / "train.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    reached = {line.partition(":")[0]: line.split()[-3::2] for line in done.stdout.splitlines()}

    assert float(reached["giou_loss"][0]) == 0
    assert float(reached["giou_loss"][1]) > 0.9
    assert [float(x) for x in reached["iou_loss"]] == [0, 0]
