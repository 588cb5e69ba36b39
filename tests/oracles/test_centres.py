"""nuScenes' detection task against its devkit: matching, curves, AP, errors and NDS, and the files that it exports."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from nuscenes.eval.common import data_classes as classes
from nuscenes.eval.detection import algo
from nuscenes.eval.detection import data_classes as config
from nuscenes.eval.detection.config import config_factory
from nuscenes.eval.detection.evaluate import DetectionEval

from omniou import centres
from omniou.data import nuscenes
from tests import places
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


DOCS = places.DOCS / "nuscenes.md"
SCENES = ["scene-0103", "scene-0916"]  # of the devkit's split mini_val
CATEGORIES = {"car": "vehicle.car", "bicycle": "vehicle.bicycle", "barrier": "movable_object.barrier"}
CATEGORIES |= {"pedestrian": "human.pedestrian.adult", "traffic_cone": "movable_object.trafficcone"}
SAMPLES = 6


class Database:
    """What the devkit asks its database for, made of dictionaries."""

    version = "v1.0-mini"

    def __init__(self, rows, racks):
        tokens = [scenes.token(k) for k in range(SAMPLES)]
        self.attribute = [{"token": f"token of {x}", "name": x} for x in RULES.attributes]
        self.tables = {"scene": {name: {"name": name} for name in SCENES}, "sample": {}, "sample_annotation": {}}
        self.tables["sample_data"] = {token: {"ego_pose_token": token} for token in tokens}
        self.tables["ego_pose"] = {token: {"translation": [*scenes.EGO, 0.0]} for token in tokens}
        self.velocities = {}
        for number, token in enumerate(tokens):
            own = [annotation(x) for x in rows if x["sample"] == number] + [x for x in racks if x["sample"] == number]
            names = [f"{token} {k}" for k in range(len(own))]
            self.tables["sample_annotation"] |= {x: y | {"token": x} for x, y in zip(names, own, strict=True)}
            self.velocities |= {name: x.get("velocity") for name, x in zip(names, own, strict=True)}
            scene = SCENES[number % 2]
            self.tables["sample"][token] = {
                "token": token,
                "scene_token": scene,
                "data": {"LIDAR_TOP": token},
                "anns": names,
            }
        self.sample = list(self.tables["sample"].values())

    def get(self, table, token):
        return self.tables[table][token]

    def box_velocity(self, token):
        return np.array([*self.velocities[token], 0.0])


def annotation(row):
    attribute = row["attribute"]
    return {
        "category_name": CATEGORIES[row["name"]],
        "attribute_tokens": [f"token of {attribute}"] if attribute else [],
        "translation": [row["x"], row["y"], 0.5],
        "size": row["size"],
        "rotation": scenes.record(row)["rotation"],
        "velocity": row["velocity"],
        "num_lidar_pts": row["points"],
        "num_radar_pts": 0,
    }


def rack(sample):
    turned = [math.cos(0.3), 0.0, 0.0, math.sin(0.3)]
    own = {"category_name": "static_object.bicycle_rack", "sample": sample, "size": [10.0, 14.0, 4.0]}
    return own | {"translation": [-12.5, -9.5, 1.0], "rotation": turned, "num_lidar_pts": 3}


@pytest.fixture
def database(tmp_path):
    """The devkit's evaluation of detections in a file, from a database with bicycle racks."""
    targets, found = scenes.scene(11, samples=SAMPLES, names=list(CATEGORIES))
    path = tmp_path / "detections.json"
    path.write_text(json.dumps(scenes.content(found, SAMPLES)))
    nusc = Database(targets, [rack(k) for k in range(SAMPLES)])
    settings = config_factory("detection_cvpr_2019")
    return nusc, DetectionEval(nusc, settings, str(path), "mini_val", str(tmp_path / "out"), verbose=False), path


def snippets():
    """The blocks of the page that need the devkit's database."""
    return re.findall(r"```py\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)


def test_ground_truth_exported_by_the_page_gives_the_numbers_of_the_devkit(database, tmp_path):
    nusc, evaluation, detections = database
    names = {}
    exec(snippets()[0].rpartition("\n\n\n")[0], names)  # noqa: S102  (without the call, which opens a database)
    names["export"](nusc, "mini_val", tmp_path / "truth.json")
    truth = nuscenes.read_ground_truth(tmp_path / "truth.json")
    result = nuscenes.evaluate(truth, nuscenes.read_detections(detections, truth))
    assert result.counts["detections in racks"] > 0
    assert_equal(result, evaluation.evaluate()[0])


def test_boxes_of_an_evaluation_serialised_give_the_numbers_of_the_devkit(database, tmp_path, monkeypatch):
    _, evaluation, _ = database
    monkeypatch.chdir(tmp_path)
    for line in snippets()[1].splitlines():
        exec(line, {"json": json, "Path": Path, "evaluation": evaluation})  # noqa: S102
    truth = nuscenes.read_ground_truth("ground_truth.json")
    result = nuscenes.evaluate(truth, nuscenes.read_detections("detections.json", truth))
    assert_equal(result, evaluation.evaluate()[0])
