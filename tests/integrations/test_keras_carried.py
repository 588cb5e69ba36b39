"""Losses and metrics refuse masked arrays by name."""

import numpy as np
import pytest

from omniou_integrations.keras import BoxIoU, GIoULoss, MaskDiceLoss, SegmentationScore

ROWS = np.array([[0.0, 0, 2, 2]], np.float32)
MASKED = np.ma.masked_array(ROWS, [[False, True, False, False]])
LABELS = np.ma.masked_array([[0]], [[True]])
CASES = {
    "loss": (lambda: GIoULoss()(MASKED, ROWS), "`y_true` is a masked array"),
    "weight": (lambda: GIoULoss()(ROWS, ROWS, sample_weight=LABELS[0]), "`sample_weight` is a masked array"),
    "score": (lambda: BoxIoU().update_state(ROWS, MASKED), "`y_pred` is a masked array"),
    "labels": (lambda: SegmentationScore(2).update_state(LABELS, [[0]]), "`y_true` is a masked array"),
    "masks": (lambda: MaskDiceLoss()(LABELS[..., None, None], LABELS.data), "`y_true` is a masked array"),
}


@pytest.mark.parametrize("case", CASES)
def test_masked_arrays_are_refused_by_name(case):
    call, message = CASES[case]
    with pytest.raises(TypeError, match=message):
        call()
