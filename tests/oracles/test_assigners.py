"""Max-IoU assignment against torchvision's matcher, whose code is Python."""

import pytest
import torch

from omniou import matching
from tests.benchmarks.assigners import scene
from tests.torchvision_ops import ops

from torchvision.models.detection._utils import Matcher  # isort: skip  (after the schemas of its operators)


@pytest.mark.parametrize("low_quality", [True, False])
@pytest.mark.parametrize(("positive", "negative"), [(0.7, 0.3), (0.5, 0.4), (0.5, 0.5)])
def test_max_iou_equals_torchvisions_matcher(low_quality, positive, negative):
    for size in (1, 10, 60):
        x = scene(size)
        half = 2.0 * x["strides"][:, None]
        anchors = torch.cat([x["points"] - half, x["points"] + half], dim=1)
        matcher = Matcher(positive, negative, allow_low_quality_matches=low_quality)
        theirs = matcher(ops.box_iou(x["objects"], anchors))

        assigned = matching.max_iou(
            anchors,
            x["objects"],
            positive=positive,
            negative=negative,
            low_quality="best" if low_quality else None,
        )

        assert assigned.objects.tolist() == theirs.clamp(-1).tolist()
        # torchvision marks background as -1, and what is in between as -2.
        states = torch.where(theirs >= 0, 1, torch.where(theirs == -1, 0, -1))
        assert assigned.states.tolist() == states.tolist()
