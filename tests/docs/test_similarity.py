"""The code of docs/similarity.md gives the numbers of the published scripts, whose rules are written here again."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path("docs/similarity.md")
SEEDS = pytest.mark.parametrize("seed", range(20))


def sections():
    """The blocks of functions under each heading of the page."""
    _, *parts = re.split(r"^## (\w+).*$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    blocks = dict(zip(parts[::2], parts[1::2], strict=True))
    block = re.compile(r"^```python\n((?!>>>).*?)^```$", re.MULTILINE | re.DOTALL)
    return {name: block.search(text)[1] for name, text in blocks.items()}


def names_of(section):
    """What the block of a section defines."""
    names = {}
    exec(compile(sections()[section], str(PAGE), "exec"), names)  # noqa: S102  (code of our own page)
    return names


@pytest.mark.parametrize("code", sections().values(), ids=sections())
def test_blocks_have_at_most_forty_lines_of_code(code):
    assert 5 < sum(bool(line.strip()) for line in code.splitlines()) <= 40


# Map elements


def walked(line, count=100):
    """Points at equal distances, by walking along the pieces."""
    pieces = [(np.array(a), np.array(b), float(np.hypot(*np.subtract(b, a)))) for a, b in itertools.pairwise(line)]
    total, out = sum(length for *_, length in pieces), []
    for k in range(count):
        left = total * k / (count - 1)
        for a, b, length in pieces:
            if left <= length or b is pieces[-1][1]:
                out.append(a + (b - a) * min(left / length, 1))
                break
            left -= length
    return out


def chamfer_distance(one, other):
    a, b = np.array(walked(one)), np.array(walked(other))
    nearest = [np.mean([np.sqrt(((p - y) ** 2).sum(axis=1)).min() for p in x]) for x, y in ((a, b), (b, a))]
    return sum(nearest) / 2


def distances_of(targets, detections):
    return [
        [[chamfer_distance(line, object_) for object_ in target["payload"]] for line in found["payload"]]
        for target, found in zip(targets, detections, strict=True)
    ]


def maptr(targets, detections, distances, label, threshold):
    """AP of a class: the nearest object only, in the order of scores, then the area under the envelope."""
    ranked, objects = [], 0
    for target, found, far in zip(targets, detections, distances, strict=True):
        mine, rows = ([k for k, y in enumerate(x["labels"]) if y == label] for x in (target, found))
        objects += len(mine)
        taken = set()
        for row in sorted(rows, key=lambda k: -found["scores"][k]):
            nearest = min(mine, key=far[row].__getitem__, default=None)
            true = nearest is not None and far[row][nearest] <= threshold and nearest not in taken
            taken |= {nearest} if true else set()
            ranked.append((found["scores"][row], true))
    hits = np.cumsum([true for _, true in sorted(ranked, key=lambda x: -x[0])])
    recall = [0.0, *(hits / objects), 1.0]
    precision = [0.0, *(hits / np.arange(1, len(hits) + 1)), 0.0]
    return sum((recall[k] - recall[k - 1]) * max(precision[k:]) for k in range(1, len(recall)))


def polylines(rng, count):
    return [
        rng.uniform(-8, 8, 2) + np.cumsum(rng.uniform(0.5, 3, (int(rng.integers(2, 5)), 2)), axis=0)
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_map_elements_equal_maptr(seed):
    rng = np.random.default_rng(seed)
    targets, detections = [], []
    for _ in range(3):
        lines = polylines(rng, 2)
        lines += [x + np.array([0, 1]) for x in lines]  # a detection is close to two objects
        moved = [x + rng.normal(0, 0.8, 2) for x in lines for _ in range(int(rng.integers(0, 3)))] + polylines(rng, 1)
        targets.append({"labels": [1, 2, 1, 2], "payload": lines})
        scores = rng.permutation(40)[: len(moved)] / 40 + rng.uniform(0, 0.01)
        detections.append({"labels": rng.choice([1, 1, 2], len(moved)).tolist(), "scores": scores, "payload": moved})
    names, distances = names_of("Map"), distances_of(targets, detections)
    for target, found, far in zip(targets, detections, distances, strict=True):
        matrix = names["chamfer"](target["payload"], found["payload"])
        np.testing.assert_allclose(matrix, np.transpose(far), rtol=0, atol=1e-12)
    result = names["maptr"](targets, detections)
    assert result.protocol.iou_thresholds == (1.5, 1.0, 0.5)
    for k, label in enumerate((1, 2)):
        expected = [maptr(targets, detections, distances, label, x) for x in (1.5, 1.0, 0.5)]
        found = [result.summary[f"AP@{x}"] for x in ("1.5", "1", "0.5")]
        assert result.per_class["AP"][k] == pytest.approx(np.mean(expected), abs=1e-12)
    whole = [np.mean([maptr(targets, detections, distances, label, x) for label in (1, 2)]) for x in (1.5, 1.0, 0.5)]
    assert found == pytest.approx(whole, abs=1e-12)


# Points


def ocelot(targets, detections, label, radius):
    true = objects = predictions = 0
    for target, found in zip(targets, detections, strict=True):
        free = [p for p, y in zip(target["payload"], target["labels"], strict=True) if y == label]
        rows = [k for k, y in enumerate(found["labels"]) if y == label]
        objects, predictions = objects + len(free), predictions + len(rows)
        for row in sorted(rows, key=lambda k: -found["scores"][k]):
            near = [(np.hypot(*(p - found["payload"][row])), k) for k, p in enumerate(free)]
            if near and min(near)[0] <= radius:
                free.pop(min(near)[1])
                true += 1
    return 2 * true / (objects + predictions)


@SEEDS
def test_points_equal_ocelot(seed):
    rng = np.random.default_rng(seed)
    targets, detections = [], []
    for many in (140, 30, 0):
        n, m = (int(x) for x in rng.integers(many, many + 10, 2))
        targets.append({"labels": rng.integers(1, 3, n), "payload": rng.uniform(0, 300, (n, 2))})
        detections.append(
            {
                "labels": rng.integers(1, 3, m),
                "scores": rng.permutation(m) / (m + 1),
                "payload": rng.uniform(0, 300, (m, 2)),
            }
        )
    names = names_of("Points")
    found = names["f1"](names["cells"](targets, detections))
    assert found == pytest.approx({x: ocelot(targets, detections, x, 15.0) for x in (1, 2)}, abs=1e-12)


# Lanes


def spline(lane):
    """A natural cubic spline by its second derivatives, over the length along the points: 50 steps a piece."""
    lane = np.asarray(lane, dtype=float)
    h = np.sqrt((np.diff(lane, axis=0) ** 2).sum(axis=1))
    n = len(lane)
    system, right = np.eye(n), np.zeros((n, 2))
    for k in range(1, n - 1):
        system[k, k - 1 : k + 2] = h[k - 1], 2 * (h[k - 1] + h[k]), h[k]
        right[k] = 6 * ((lane[k + 1] - lane[k]) / h[k] - (lane[k] - lane[k - 1]) / h[k - 1])
    m = np.linalg.solve(system, right)
    points = []
    for k in range(n - 1):
        for step in range(50):
            t = h[k] * step / 50
            slope = (lane[k + 1] - lane[k]) / h[k] - h[k] * m[k] / 2 - h[k] * (m[k + 1] - m[k]) / 6
            points.append(lane[k] + slope * t + m[k] / 2 * t**2 + (m[k + 1] - m[k]) / (6 * h[k]) * t**3)
    return np.array([*points, lane[-1]])


def thick(lane):
    import cv2

    mask = np.zeros((590, 1640), np.uint8)
    points = spline(lane) if len(lane) > 2 else np.asarray(lane)
    for one, other in itertools.pairwise(np.rint(points).astype(int).tolist()):
        cv2.line(mask, one, other, 1, 30)
    return mask.astype(bool)


def lanes(rng, count):
    y = np.linspace(590, 300, int(rng.integers(2, 6)))
    return [np.stack([rng.uniform(300, 1300) + rng.normal(0, 60, y.size), y], axis=1) for _ in range(count)]


def culane(images, level):
    true = total = 0
    for targets, predictions in images:
        total += len(targets) + len(predictions)
        drawn = [[thick(lane) for lane in side] for side in (targets, predictions)]
        iou = np.array([[(a & b).sum() / (a | b).sum() for b in drawn[1]] for a in drawn[0]])
        iou = iou.reshape(len(targets), len(predictions))
        if len(targets) > len(predictions):
            iou = iou.T
        ways = itertools.permutations(range(iou.shape[1]), iou.shape[0])
        best = max(ways, key=lambda columns: sum(iou[row, column] for row, column in enumerate(columns)))
        true += sum(iou[row, column] > level for row, column in enumerate(best))
    return 2 * true / total


@pytest.mark.parametrize("seed", range(4))
def test_lanes_equal_culane(seed):
    pytest.importorskip("cv2", reason="needs OpenCV")
    pytest.importorskip("scipy", reason="needs SciPy")
    rng = np.random.default_rng(seed)
    images = []
    for _ in range(2):
        truth = lanes(rng, int(rng.integers(0, 4)))
        found = [lane + rng.normal(0, 6, lane.shape) for lane in truth[int(rng.integers(0, 2)) :]]
        images.append((truth, [*found, *lanes(rng, 1)]))
    images[0][1].append(np.array([[700.0, 400.0]]))  # overlaps nothing, and counts
    names = names_of("Lanes")
    assert all((names["lane_mask"](x) == thick(x)).all() for _, side in images for x in side)
    found = names["culane_f1"](images, thresholds=(0.3, 0.5, 0.7))
    assert found.tolist() == pytest.approx([culane(images, x) for x in (0.3, 0.5, 0.7)], abs=1e-12)


# Point clouds


def outcomes_of(instances, predictions, void, level, least):
    """Sets of points of a class in a scene -> (score, 1 or 0) of what counts, and how many instances are missed."""
    outcomes, missed, visited = [], 0, set()
    for points in instances:
        if len(points) < least:
            continue
        best = None
        for k, (mask, score) in enumerate(predictions):
            if k in visited or not len(mask & points) / len(mask | points) > level:
                continue
            if best is None:
                best = score
                visited.add(k)
            else:
                outcomes.append((min(best, score), 0))
                best = max(best, score)
        missed += best is None
        outcomes += [] if best is None else [(best, 1)]
    for mask, score in predictions:
        ignored = len(mask & void) + sum(len(mask & x) for x in instances if len(x) < least)
        alone = all(len(mask & points) / len(mask | points) <= level for points in instances)
        outcomes += [(score, 0)] if alone and ignored / len(mask) <= level else []
    return outcomes, missed


def scannet(scenes, label, level, valid, least):
    """Points as sets of Python."""
    outcomes, missed, objects = [], 0, 0
    for ids, found, labels, confidence in scenes:
        names = ids.tolist()
        mine = [{k for k, name in enumerate(names) if name == x} for x in sorted(set(names)) if x // 1000 == label]
        void = {k for k, name in enumerate(names) if name // 1000 not in valid}
        rows = [k for k, mask in enumerate(found) if labels[k] == label and mask.sum() >= least]
        predictions = [(set(np.flatnonzero(found[k]).tolist()), float(confidence[k])) for k in rows]
        of_scene = outcomes_of(mine, predictions, void, level, least)
        outcomes, missed = outcomes + of_scene[0], missed + of_scene[1]
        objects += sum(len(x) >= least for x in mine)
    if not objects or not outcomes:
        return 0.0 if objects else float("nan")
    total, curve = sum(hit for _, hit in outcomes), []
    for least_score in sorted({score for score, _ in outcomes}):
        hits = [hit for score, hit in outcomes if score >= least_score]
        curve.append((sum(hits) / (total + missed), sum(hits) / len(hits)))
    curve.append((0.0, 1.0))
    return sum((r - s) * (p + q) / 2 for (r, p), (s, q) in itertools.pairwise(curve))


def scene(rng, points=120, size=8):
    """Ids of runs of points, some of no class, and detections that cover parts of them."""
    names = np.concatenate([[0, 1001], 3000 + np.arange(1, 6), 4000 + np.arange(1, 4)])
    ids = np.repeat(rng.choice(names, points // size), size)
    found = []
    for _ in range(int(rng.integers(0, 12))):
        mask = np.isin(ids, rng.choice(names, int(rng.choice([1, 2, 2]))))
        found.append(mask & (rng.random(points) < 0.8) | (rng.random(points) < 0.05))
    labels = rng.choice([3, 4], len(found))
    return ids, np.array(found, bool).reshape(-1, points), labels, rng.integers(1, 6, len(found)) / 5


@SEEDS
def test_point_clouds_equal_scannet(seed):
    rng = np.random.default_rng(seed)
    scenes = [scene(rng) for _ in range(3)]
    ap = names_of("Point")["scannet_ap"]
    for label, level in itertools.product((3, 4, 5), (0.25, 0.5, 0.75)):
        expected = scannet(scenes, label, level, {3, 4}, 10)
        np.testing.assert_allclose(ap(scenes, label, level, valid=[3, 4], least=10), expected, rtol=0, atol=1e-12)


def test_detection_of_two_instances_counts_twice_in_scannet():
    # Both detections have an IoU of 1/2 with both instances. The first instance takes both, and marks one as taken.
    ids, both = np.repeat([3001, 3002], 100), np.ones((2, 200), dtype=bool)
    scenes = [(ids, both, np.array([3, 3]), np.array([0.9, 0.8]))]
    assert scannet(scenes, 3, 0.25, {3}, 100) == pytest.approx(11 / 12)
    assert names_of("Point")["scannet_ap"](scenes, 3, 0.25, valid=[3]) == pytest.approx(11 / 12)


# Text lines


def clipped(subject, window):
    """The part of a convex polygon inside another one, by Sutherland and Hodgman."""
    for (x0, y0), (x1, y1) in zip(window, [*window[1:], window[0]], strict=True):
        sides = [(x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for x, y in subject]
        out = []
        for k, point in enumerate(subject):
            after, side, next_side = subject[(k + 1) % len(subject)], sides[k], sides[(k + 1) % len(subject)]
            if side >= 0:
                out.append(point)
            if side * next_side < 0:
                share = side / (side - next_side)
                out.append(tuple(p + share * (q - p) for p, q in zip(point, after, strict=True)))
        subject = out
    return subject


def area(polygon):
    rolled = [*polygon[1:], *polygon[:1]]
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(polygon, rolled, strict=True))) / 2


def icdar(images):
    true = objects = detections = 0
    for target, ignored, found in images:
        shared = [[area(clipped(a, b)) for b in found] for a in target]
        areas = [area(a) for a in target], [area(b) for b in found]
        out = {
            c
            for c, row in itertools.product(range(len(found)), range(len(target)))
            if ignored[row] and shared[row][c] / areas[1][c] > 0.5
        }
        pairs = set()
        for row, column in itertools.product(range(len(target)), range(len(found))):
            used = {x for x, _ in pairs}, {x for _, x in pairs}
            if ignored[row] or column in out or row in used[0] or column in used[1]:
                continue
            if shared[row][column] / (areas[0][row] + areas[1][column] - shared[row][column]) > 0.5:
                pairs.add((row, column))
        true += len(pairs)
        objects += len(target) - sum(ignored)
        detections += len(found) - len(out)
    precision, recall = true / detections if detections else 0, true / objects if objects else 0
    return precision, recall, 2 * precision * recall / (precision + recall) if true else 0


def quadrangles(rng, count):
    """Rectangles turned and moved a little: x and y of the corners, counterclockwise on paper."""
    out = []
    for _ in range(count):
        angle, (w, h), (x, y) = rng.normal(0, 0.2), rng.uniform([20, 8], [40, 14]), rng.uniform(0, [90, 40])
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]]) @ [
            [np.cos(angle), np.sin(angle)],
            [-np.sin(angle), np.cos(angle)],
        ]
        out.append([tuple(corner) for corner in (corners + np.array([x, y])).tolist()])
    return out


@SEEDS
def test_text_lines_equal_icdar(seed):
    rng = np.random.default_rng(seed)
    images = []
    for _ in range(4):
        target = quadrangles(rng, int(rng.integers(1, 7)))
        moved = [
            [(x + dx, y + dy) for x, y in p] for p in target for dx, dy in rng.normal(0, 2.5, (int(rng.integers(3)), 2))
        ]
        images.append((target, (rng.random(len(target)) < 0.3).tolist(), [*moved, *quadrangles(rng, 1)]))
    assert names_of("Text")["icdar_f1"](images) == pytest.approx(icdar(images), abs=1e-12)


def test_text_lines_of_images_without_lines():
    line = [[0, 0], [40, 0], [40, 10], [0, 10]]
    images = [([line], [False], [line]), ([line], [False], []), ([], [], [line, line]), ([], [], [])]
    assert names_of("Text")["icdar_f1"](images) == pytest.approx((1 / 3, 1 / 2, 2 / 5))
