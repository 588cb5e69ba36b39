"""A process with a fake device: counts of label maps there, saved.

`python -m tests.integrations.segmentation_devices RANK STORE OUT`, for `test_torchmetrics_segmentation.py`.
"""

import sys
import warnings

import torch

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from omniou import panoptic, segmentation
from omniou_integrations.torchmetrics import HausdorffDistance
from tests import fake_device
from tests.integrations.segmentation_metrics import EVERY, inputs


def computed(labels, segments):
    """Name -> counts and scores of (predictions, targets), on their device."""
    pred, target = labels
    weight = torch.ones_like(target, dtype=torch.float64) / 3
    counts = segmentation.confusion(target, pred, 5, ignore_index=255, per_image=True, outside="column")
    options = {"things": {1, 2}, "stuff": {8, 9}, "unknown": "void"}
    of_segments = panoptic.count(segments[1], segments[0], **options)
    tracks = panoptic.count_tracks(segments[1], segments[0], **options)
    video = panoptic.count_video(segments[1], segments[0], **options, windows=(2,)).windows[2]
    return {
        "counts": counts,
        "weighted": segmentation.confusion(target, pred, 5, ignore_index=255, weight=weight),
        "iou": segmentation.iou(counts, images="mean"),
        "fwIoU": segmentation.frequency_weighted_iou(counts, images="pool"),
        "iou of segments": of_segments.iou,
        "true": of_segments.true_positives,
        "false": of_segments.false_positives,
        "missed": of_segments.false_negatives,
        "quality": of_segments.quality,
        "association": tracks.association,
        "confusion": tracks.confusion,
        "video": video.iou,
    }


def main(out):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    results = {}
    with fake_device.device():
        for name, case in EVERY.items():
            if case.ours is HausdorffDistance:  # SciPy computes it, and a fake device has no way to NumPy
                continue
            metric = case.make().to(fake_device.NAME)
            metric.update(*fake_device.moved(inputs(case.kind)))
            result = metric.compute()
            results[name] = fake_device.fetched(result), result.device.type
        result = computed(*fake_device.moved([inputs("labels"), inputs("panoptic")]))
        results["devices"] = {name: x.device.type for name, x in result.items()}
        results["computed"] = fake_device.fetched(result)
    torch.save(results, out)


if __name__ == "__main__":
    main(sys.argv[3])
