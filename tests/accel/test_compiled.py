"""What XLA makes of scores and losses of boxes, which no load of the machine changes."""

import re

import pytest

from omniou import boxes, losses

jax = pytest.importorskip("jax")

ROWS = 100_000
# Bytes of a row, and fusions. Ten lines by hand, without guards: 300 and 10 for the loss of IoU and its gradient.
COUNTS = {
    "iou": (boxes.iou, 36, 1),
    "losses.iou": (losses.iou, 236, 11),
    "losses.giou": (losses.giou, 336, 14),
    "losses.diou": (losses.diou, 336, 14),
    "losses.ciou": (losses.ciou, 400, 17),
}


@pytest.mark.parametrize("name", COUNTS)
def test_compiled_boxes_touch_few_bytes_in_few_fusions(name, request):
    if request.config.getoption("--xp") not in {None, "jax"}:
        pytest.skip(f"--xp is {request.config.getoption('--xp')}")
    function, bytes_a_row, fusions = COUNTS[name]
    if name.startswith("losses"):
        function = jax.value_and_grad(lambda a, b, loss=function: loss(a, b, reduction="mean"))
    rows = jax.ShapeDtypeStruct((ROWS, 4), "float32")
    compiled = jax.jit(function).lower(rows, rows).compile()
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost  # before JAX 0.5
    text = compiled.as_text()
    # Stacked columns took twice to three times as many of both. A tenth more is left to other versions of XLA.
    assert cost["bytes accessed"] / ROWS <= 1.1 * bytes_a_row
    assert len(re.findall(r" fusion\(", text[text.index("ENTRY") :])) <= 1.1 * fusions + 1
