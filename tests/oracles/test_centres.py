"""nuScenes' detection task against its devkit: matching, curves, AP, errors and NDS, and the files that it exports."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from nuscenes.eval.common import data_classes as classes
from nuscenes.eval.common import loaders
from nuscenes.eval.detection import algo
from nuscenes.eval.detection import data_classes as config

from omniou import centres
from omniou.data import nuscenes
from tests.centres import scenes

RULES = centres.NUSCENES


def boxes_of(rows, samples):
    """The devkit's boxes of dictionaries."""
    out = classes.EvalBoxes()
    for sample in range(samples):
        out.add_boxes(str(sample), [detection_box(x) for x in rows if x["sample"] == sample])
    return out


def detection_box(row):
    return config.DetectionBox(
        sample_token=str(row["sample"]),
        translation=(row["x"], row["y"], 0.0),
        size=tuple(row["size"]),
        rotation=(math.cos(row["yaw"] / 2), 0.0, 0.0, math.sin(row["yaw"] / 2)),
        velocity=tuple(row["velocity"]),
        ego_translation=(*row["ego"], 0.0),
        num_pts=row.get("points", -1),
        detection_name=row["name"],
        detection_score=row.get("score", -1.0),
        attribute_name=row["attribute"],
    )


def in_range(boxes):
    """What the devkit's own filter keeps, which asks a database for bicycle racks."""
    limits = {x.name: x.range for x in RULES.classes}
    for token in boxes.sample_tokens:
        kept = [x for x in boxes[token] if x.ego_dist < limits[x.detection_name] and x.num_pts != 0]
        boxes.boxes[token] = kept
    return boxes


def metrics_of(truth, found):
    """The numbers of the devkit's `DetectionEval.evaluate`."""
    settings = config.DetectionConfig(
        {x.name: x.range for x in RULES.classes}, "center_distance", list(RULES.distances), 2.0, 0.1, 0.1, 500, 5
    )
    metrics = config.DetectionMetrics(settings)
    for own in RULES.classes:
        for distance in RULES.distances:
            data = algo.accumulate(truth, found, own.name, settings.dist_fcn_callable, distance)
            metrics.add_label_ap(own.name, distance, algo.calc_ap(data, 0.1, 0.1))
            if distance == settings.dist_th_tp:
                for error, name in zip(centres.CentreClass(name="").errors, config.TP_METRICS, strict=True):
                    value = algo.calc_tp(data, 0.1, name) if error in own.errors else math.nan
                    metrics.add_label_tp(own.name, name, value)
    return metrics


def assert_equal(result, metrics):
    for k, own in enumerate(RULES.classes):
        aps = [metrics.get_label_ap(own.name, x) for x in RULES.distances]
        errors = [metrics.get_label_tp(own.name, x) for x in config.TP_METRICS]
        np.testing.assert_allclose(result.ap[k], aps, rtol=0, atol=1e-12)
        np.testing.assert_allclose(result.mean_errors[k], errors, rtol=0, atol=1e-12)
    expected = [metrics.nd_score, metrics.mean_ap, *metrics.tp_errors.values()]
    np.testing.assert_allclose(list(result.summary.values())[:7], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("seed", "names"), [(k, None) for k in range(8)] + [(k, ["car", "barrier"]) for k in range(4)])
def test_nuscenes_equals_devkit(seed, names):
    """Ties of score and distance, scores of 0, unknown velocities, and classes that one side lacks."""
    rows = scenes.scene(seed, **({} if names is None else {"names": names}), samples=8)
    result = centres.evaluate(*scenes.tables(*rows))
    assert_equal(result, metrics_of(*(in_range(boxes_of(x, 8)) for x in rows)))
