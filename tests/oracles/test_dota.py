"""AP of oriented boxes as the evaluation of DOTA's devkit (Task 1) computes it, on the labels of its example."""

import numpy as np
import pytest

from omniou import data, detection
from tests import places

shapely = pytest.importorskip("shapely")


def devkit_ap(objects, detections):
    """AP at IoU 0.5 by 11 points of recall, of one class.

    `objects`: by image, quadrilaterals and flags of difficult ones; `detections`: (image, score, quadrilateral).
    """
    count = sum(not difficult for rows in objects.values() for _, difficult in rows)
    taken, true, false = set(), [], []
    for image, _, quadrilateral in sorted(detections, key=lambda x: -x[1]):
        shapes = [shapely.Polygon(x.reshape(4, 2)) for x, _ in objects.get(image, [])]
        one = shapely.Polygon(quadrilateral.reshape(4, 2))
        shared = [shapely.area(shapely.intersection(one, x)) for x in shapes]
        overlaps = [s / (one.area + x.area - s) for s, x in zip(shared, shapes, strict=True)]
        best = int(np.argmax(overlaps)) if overlaps else -1
        hit = best >= 0 and overlaps[best] > 0.5
        difficult = hit and objects[image][best][1]
        true.append(hit and not difficult and (image, best) not in taken)
        false.append(not hit or (not difficult and (image, best) in taken))
        taken |= {(image, best)} if true[-1] else set()
    tp, fp = np.cumsum(true), np.cumsum(false)
    recall, precision = tp / count, tp / np.maximum(tp + fp, np.finfo(float).eps)
    return np.mean([max(precision[recall >= at], default=0) for at in np.arange(0, 1.1, 0.1)])


def test_ap_of_quadrilaterals_equals_devkit(tmp_path):
    options = data.Options(kind="polygons")
    truth = data.read_ground_truth(places.shared("dota-devkit-example", "example", "labelTxt"), options=options)
    targets, rng = truth.targets, np.random.default_rng(7)
    rows = np.repeat(np.flatnonzero(rng.random(len(targets.labels)) < 0.9), 2)[:-100]
    # An affine map of each keeps quadrilaterals from crossing themselves.
    corners = targets.boxes[rows].reshape(-1, 4, 2)
    centre = corners.mean(axis=1, keepdims=True)
    skewed = np.eye(2) + rng.normal(0, 0.15, (len(rows), 2, 2))
    shift = rng.normal(0, 0.1, (len(rows), 1, 2)) * np.ptp(corners, axis=1, keepdims=True)
    moved = (centre + shift + (corners - centre) @ skewed).reshape(-1, 8)
    scores = rng.permutation(len(rows)) / len(rows)
    for label, name in truth.categories.items():
        lines = [
            f"{truth.image_names[int(targets.images[row])]} {score!r} {' '.join(map(repr, box.tolist()))}"
            for row, score, box in zip(rows, scores.tolist(), moved, strict=True)
            if targets.labels[row] == label
        ]
        (tmp_path / f"Task1_{name}.txt").write_text("\n".join(lines))

    detections = data.read_detections(tmp_path, truth, options=options)
    result = detection.evaluate(targets, detections, kind="polygons", format=truth.format, protocol="voc2007")

    expected = []
    for label in result.classes.tolist():
        objects = {}
        for row in np.flatnonzero(targets.labels == label):
            objects.setdefault(targets.images[row], []).append((targets.boxes[row], bool(targets.ignore[row])))
        ours = np.flatnonzero(targets.labels[rows] == label)
        expected.append(devkit_ap(objects, [(targets.images[rows[k]], scores[k], moved[k]) for k in ours]))
    assert 0.2 < result.summary["AP"] < 0.9
    np.testing.assert_allclose(result.per_class["AP"], expected, rtol=0, atol=1e-12)
