"""nuScenes' rules written anew, box by box: what omniou computes over all samples at once."""

import math

import numpy as np

CLASSES = ["car", "truck", "bus", "trailer", "construction_vehicle", "pedestrian", "motorcycle", "bicycle"]
CLASSES += ["traffic_cone", "barrier"]
RANGES = dict.fromkeys(CLASSES[:5], 50) | dict.fromkeys(CLASSES[5:8], 40) | dict.fromkeys(CLASSES[8:], 30)
LACKING = {"traffic_cone": {"AOE", "AVE", "AAE"}, "barrier": {"AVE", "AAE"}}
ERRORS = ["ATE", "ASE", "AOE", "AVE", "AAE"]
DISTANCES = [0.5, 1.0, 2.0, 4.0]


def evaluate(targets, detections):
    """Lists of dictionaries with x, y, size, yaw, velocity, name, attribute, sample, ego and points or score."""
    targets = [x for x in targets if math.hypot(*x["ego"]) < RANGES[x["name"]] and x["points"] != 0]
    detections = [x for x in detections if math.hypot(*x["ego"]) < RANGES[x["name"]]]
    out = {"ap": {}, "errors": {}}
    for name in CLASSES:
        there, found = ([x for x in rows if x["name"] == name] for rows in (targets, detections))
        curves = {d: curve(there, found, d, name) for d in DISTANCES}
        out["ap"][name] = [average_precision(curves[d]) for d in DISTANCES]
        out["errors"][name] = [
            math.nan if error in LACKING.get(name, ()) else mean_error(curves[2.0], error) for error in ERRORS
        ]
    out["mAP"] = sum(sum(x) / 4 for x in out["ap"].values()) / len(CLASSES)
    means = [np.nanmean([out["errors"][name][k] for name in CLASSES]) for k in range(5)]
    out["NDS"] = (5 * out["mAP"] + sum(max(0, 1 - x) for x in means)) / 10
    return out


def curve(there, found, distance, name):
    """Precision, confidence and errors at 101 recalls."""
    order = sorted(range(len(found)), key=lambda i: (found[i]["score"], i))[::-1]
    taken, hits, errors = set(), [], []
    for row in order:
        best, nearest = math.inf, None
        for k, target in enumerate(there):
            if target["sample"] != found[row]["sample"] or k in taken:
                continue
            away = math.sqrt((target["x"] - found[row]["x"]) ** 2 + (target["y"] - found[row]["y"]) ** 2)
            if away < best:
                best, nearest = away, k
        hits.append(best < distance)
        if best < distance:
            taken.add(nearest)
            errors.append(errors_of(there[nearest], found[row], best, name))
    if not errors:
        return [0] * 101, [0] * 101, {error: [1] * 101 for error in ERRORS}
    scores = [found[row]["score"] for row in order]
    right = np.cumsum(hits)
    recall, points = right / len(there), np.linspace(0, 1, 101)
    precision = np.interp(points, recall, right / np.arange(1, len(hits) + 1), right=0)
    confidence = np.interp(points, recall, scores, right=0)
    own = [score for score, hit in zip(scores, hits, strict=True) if hit]
    means = {}
    for error in ERRORS:
        running = running_mean([x[error] for x in errors])
        means[error] = np.interp(confidence[::-1], own[::-1], running[::-1])[::-1]
    return precision, confidence, means


def errors_of(target, detection, away, name):
    shared = math.prod(map(min, target["size"], detection["size"]))
    union = math.prod(target["size"]) + math.prod(detection["size"]) - shared
    period = math.pi if name == "barrier" else 2 * math.pi
    turn = (target["yaw"] - detection["yaw"]) % period
    right = math.nan if not target["attribute"] else float(target["attribute"] != detection["attribute"])
    speed = math.sqrt(sum((a - b) ** 2 for a, b in zip(target["velocity"], detection["velocity"], strict=True)))
    return dict(zip(ERRORS, [away, 1 - shared / union, min(turn, period - turn), speed, right], strict=True))


def running_mean(values):
    if all(map(math.isnan, values)):
        return [1.0] * len(values)
    out, total, many = [], 0.0, 0
    for value in values:
        if not math.isnan(value):
            total, many = total + value, many + 1
        out.append(total / many if many else 0.0)
    return out


def average_precision(of):
    return float(np.mean([max(0.0, x - 0.1) for x in of[0][11:]])) / 0.9


def mean_error(of, error):
    reached = [k for k, x in enumerate(of[1]) if x != 0]
    last = reached[-1] if reached else 0
    return 1.0 if last < 11 else float(np.mean(of[2][error][11 : last + 1]))
