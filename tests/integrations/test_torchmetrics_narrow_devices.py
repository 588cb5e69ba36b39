"""On a device without float64, results equal those on the CPU, and no more is waited for than is declared here."""

import pytest
import torch

from tests.integrations.narrow_devices import batch_of, cases, functions, given
from tests.integrations.processes import results_of

# Host waits and copies of a call. A device that computes ahead stands still for each.
FUNCTIONS = {
    "panoptic.count": 2,  # the runs of equal labels, and one copy of these
    "panoptic.count_instances": 2,
    "panoptic.count_tracks": 2,
    "panoptic.count_video": 2,
    "detection.evaluate": 1,  # one copy of all columns
}
UPDATES = {
    "jaccard": 1,  # one check of labels, off with `validate_args=False`
    "labels": 2,  # and one of how predictions are read
    "binary": 2,
    "segmentation score": 1,
    "index": 1,
    "mixed": 2,  # and one of whether channels are masks
    "scores": 2,
    ", scores": 3,  # and one of whether classes are independent
    "mean iou": 1,
    "dice": 1,
    "mask score": 1,
    "panoptic": 2,
    "boxes: ": 1,  # one copy of all boxes, masks and labels
    "boxes: iou, classes": 2,  # and the labels that were seen
    "boxes: giou": 2,
    "boxes: ciou": 2,
}
# Sums are divided on the host.
COMPUTES = {"mean iou": 1, "MeanIoU": 1, "DiceScore": 1, "dice": 1, "panoptic": 2, "boxes: ": 2}
# One copy, with the check of how batches were read.
COMPUTES |= {"labels": 1, "binary": 1, "mask score": 1}
COMPUTES |= {"boxes: iou, classes": 3, "boxes: giou": 3, "boxes: ciou": 3}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    (results,) = results_of("tests.integrations.narrow_devices", [0], tmp_path_factory.mktemp("devices"))
    return results


def bound(table, name):
    """Of the longest key that a name contains."""
    return max(((len(key), waits) for key, waits in table.items() if key in name), default=(0, 0))[1]


@pytest.mark.proves("no float64", library="torch")
@pytest.mark.parametrize("name", functions())
def test_functions_without_float64_equal_cpu(saved, name):
    function, kind = functions()[name]
    result, waits = saved[name]
    torch.testing.assert_close(
        result, function(*given()[kind]), rtol=1e-4, atol=1e-5, equal_nan=True, check_dtype=False
    )
    assert waits <= FUNCTIONS.get(name, 0)


@pytest.mark.parametrize("name", cases())
def test_metrics_without_float64_equal_cpu(saved, name):
    make, kind = cases()[name]
    metric = make()
    metric.update(*batch_of(kind))
    assert saved[f"update of {name}"][1] in range(bound(UPDATES, name) + 1), saved[f"update of {name}"][0]
    result, waits = saved[f"compute of {name}"]
    torch.testing.assert_close(result, metric.compute(), rtol=1e-5, atol=1e-6, equal_nan=True, check_dtype=False)
    assert waits in range(bound(COMPUTES, name) + 1)
