"""Random samples of nuScenes-like boxes, as dictionaries, and the tables made of them."""

import math

import numpy as np

from omniou import centres
from tests.centres.reference import CLASSES

ATTRIBUTES = {"pedestrian": ["pedestrian.moving", "pedestrian.standing"]}
ATTRIBUTES |= {name: ["cycle.with_rider", "cycle.without_rider"] for name in ("motorcycle", "bicycle")}
ATTRIBUTES |= {name: [""] for name in ("traffic_cone", "barrier")}
# Where the ego vehicle is: some boxes of each class are out of range.
EGO = (-30.0, 8.0)
VEHICLE = ["vehicle.moving", "vehicle.parked", ""]


def scene(seed, samples=6, names=CLASSES, steps=20):
    """Objects and detections: scores tie and may be 0, places are on a grid so that distances tie, too."""
    rng = np.random.default_rng(seed)
    rows = ([], [])
    for sample in range(samples):
        for _ in range(int(rng.integers(0, 25))):
            name = str(rng.choice(names))
            x, y = rng.integers(-30, 31, 2) / 2
            target = box(rng, name, float(x), float(y), sample)
            if rng.random() < 0.9:
                rows[0].append(target | {"points": int(rng.integers(0, 4))})
            for _ in range(int(rng.integers(0, 4))):
                dx, dy = rng.integers(-6, 7, 2) / 2 * rng.choice([0.2, 1.0])
                other = name if rng.random() < 0.9 else str(rng.choice(names))
                found = box(rng, other, float(x + dx), float(y + dy), sample)
                rows[1].append(found | {"score": float(rng.integers(0, steps) / steps)})
    return rows


def box(rng, name, x, y, sample):
    unknown = rng.random() < 0.1
    return {
        "name": name,
        "x": x,
        "y": y,
        "size": rng.uniform(0.5, 4, 3).round(2).tolist(),
        "yaw": float(rng.uniform(-math.pi, math.pi)),
        "velocity": [math.nan, math.nan] if unknown else rng.normal(0, 3, 2).tolist(),
        "attribute": str(rng.choice(ATTRIBUTES.get(name, VEHICLE))),
        "sample": sample,
        "ego": (x - EGO[0], y - EGO[1]),
    }


def tables(targets, detections):
    """The same as flat columns."""
    return (
        centres.CentreTargets(**columns(targets), points=[x["points"] for x in targets]),
        centres.CentreDetections(**columns(detections), scores=[x["score"] for x in detections]),
    )


def columns(rows):
    return {
        "boxes": [[x["x"], x["y"], 0, x["size"][1], x["size"][0], x["size"][2], x["yaw"]] for x in rows],
        "labels": [x["name"] for x in rows],
        "samples": [x["sample"] for x in rows],
        "velocities": [x["velocity"] for x in rows],
        "attributes": [x["attribute"] for x in rows],
        "from_ego": [x["ego"] for x in rows],
    }


def record(row):
    """A row as a box of nuScenes' JSON."""
    out = {
        "sample_token": token(row["sample"]),
        "translation": [row["x"], row["y"], 0.5],
        "size": row["size"],
        "rotation": [math.cos(row["yaw"] / 2), 0.0, 0.0, math.sin(row["yaw"] / 2)],
        "velocity": row["velocity"],
        "detection_name": row["name"],
        "attribute_name": row["attribute"],
    }
    return out | ({"num_pts": row["points"]} if "points" in row else {"detection_score": row["score"]})


def token(sample):
    return f"sample-{sample}"


def content(rows, samples):
    """A file of results."""
    listed = {token(k): [record(x) for x in rows if x["sample"] == k] for k in range(samples)}
    return {"meta": {"use_lidar": True}, "results": listed}
