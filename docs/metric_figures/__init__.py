"""The figures of docs/metrics: each function computes by omniou what it draws, and returns the panels of one figure."""

import functools

import matplotlib as mpl

from metric_figures import boxes, centres, detection, keypoints, pixels, style, temporal, tracking, videos

FIGURES = {
    "iou": boxes.iou,
    "giou": boxes.giou,
    "diou": boxes.diou,
    "ciou": boxes.ciou,
    "variants": boxes.variants,
    "rotated": boxes.rotated_iou,
    "gaussian": boxes.gaussians,
    "mask": pixels.mask_iou,
    "hausdorff": pixels.hausdorff,
    "segmentation": pixels.mean_iou,
    "panoptic": pixels.panoptic_quality,
    "oks": keypoints.oks,
    "ap": detection.average_precision,
    "temporal": temporal.temporal_ap,
    "tide": detection.tide,
    "lrp": detection.lrp,
    "calibration": detection.calibration,
    "froc": detection.froc,
    "nds": centres.nds,
    "hota": tracking.hota,
    "mota": tracking.mota,
    "idf1": tracking.idf1,
    "success": videos.success,
    "j_and_f": videos.j_and_f,
}


@functools.cache  # the index shows the first panel of each
def draw(name):
    """The panels of a figure as SVG."""
    with mpl.rc_context(style.RC):
        return [panel.svg(f"{name}-{k}") for k, panel in enumerate(FIGURES[name]())]
