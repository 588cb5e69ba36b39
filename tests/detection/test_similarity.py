"""Evaluation by similarities and distances of the caller's: against plain Python, against shapes, and bad arguments."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

from omniou import detection
from omniou.detection import AreaRange, Detections, Targets

RANGES = (AreaRange("all", 0.0, 1e10, ""), AreaRange("small", 0.0, 5.0, "s"), AreaRange("large", 5.0, 1e10, "l"))


def in_turn(scores, values, loosest, better, policy):
    """Detections by falling score. Of equal scores the first, the last, or the one with the best value comes first."""
    if policy == "last":
        return sorted(range(len(scores)), key=lambda d: (-scores[d], -d))
    turn = list(range(len(scores)))
    if policy == "invariant":
        lower = better(0, 1)
        near = [[x if lower else -x for x in row if x is not None and better(x, loosest)] for row in values]
        turn.sort(key=lambda d: min(near[d], default=math.inf))
    return sorted(turn, key=lambda d: -scores[d])


def greedy(objects, scores, areas, values, threshold, limits, better, turn):
    """One image and class by COCO's rules: (score, matched, ignored) of each detection, and how many objects count.

    `objects`: (area, crowd, ignore); `values[d][g]`; `better(a, b)`: whether a is at least as good as b.
    """
    inside = [low <= area <= high for (area, _, _), (low, high) in zip(objects, [limits] * len(objects), strict=True)]
    ignored = [crowd or ignore or not fits for (_, crowd, ignore), fits in zip(objects, inside, strict=True)]
    order, taken, rows = sorted(range(len(objects)), key=lambda g: ignored[g]), {}, []
    for d in turn:
        best, at = None, threshold
        for g in order:
            if g in taken and not objects[g][1]:
                continue
            if best is not None and not ignored[best] and ignored[g]:
                break
            if values[d][g] is not None and better(values[d][g], at):
                best, at = g, values[d][g]
        if best is not None:
            taken[best] = d
        outside = not limits[0] <= areas[d] <= limits[1]
        rows.append((scores[d], best is not None, ignored[best] if best is not None else outside))
    return rows, ignored.count(False)


def average_precision(rows, objects, policy):
    """101 points of recall; of the policy "invariant" precision is read off after all of equal score."""
    if not objects:
        return math.nan
    rows = sorted((x for x in rows if not x[2]), key=lambda x: -x[0])
    points, hits = [], 0
    for k, (score, hit, _) in enumerate(rows):
        hits += hit
        if policy != "invariant" or k + 1 == len(rows) or rows[k + 1][0] != score:
            points.append((hits / objects, hits / (k + 1)))
    recall = np.asarray([x for x, _ in points])
    precision = np.maximum.accumulate(np.asarray([x for _, x in points])[::-1])[::-1]
    at = np.searchsorted(recall, detection.COCO.recall_points)
    return np.mean([precision[k] if k < len(points) else 0.0 for k in at])


def random_set(seed):
    """Images with ties of scores and of values, crowds, ignored objects, areas, and values of any range."""
    rng = np.random.default_rng(seed)
    lower, scale = bool(seed % 2), float(rng.choice([0.1, 1, 50]))
    images = int(rng.integers(1, 5))
    targets, detections, matrices = [], [], []
    for _ in range(images):
        n, m = rng.integers(0, 5, 2)
        targets.append({
            "labels": rng.integers(0, 2, n), "area": rng.integers(1, 10, n).astype(float),
            "iscrowd": rng.random(n) < 0.2, "ignore": rng.random(n) < 0.2,
        })  # fmt: skip
        detections.append({
            "labels": rng.integers(0, 2, m), "area": rng.integers(1, 10, m).astype(float),
            "scores": rng.integers(0, 4, m) / 4 if seed % 3 else rng.random(m),
        })  # fmt: skip
        values = rng.integers(-8, 9, (n, m)) / 8 if seed % 5 else rng.normal(size=(n, m))
        matrices.append(np.where(rng.random((n, m)) < 0.2, math.inf if lower else -math.inf, scale * values))
    thresholds = sorted({float(scale * x) for x in rng.integers(-8, 9, 3) / 8}, reverse=lower)
    return targets, detections, matrices, thresholds, lower


def expected_table(targets, detections, matrices, thresholds, lower, *, one_class, policy):
    """AP of each threshold, class and area range, by loops."""
    better = (lambda a, b: a <= b) if lower else (lambda a, b: a >= b)
    out = {}
    for t, threshold in enumerate(thresholds):
        for label in (0,) if one_class else (0, 1):
            for a, limits in enumerate(RANGES):
                rows, count = [], 0
                for truth, found, matrix in zip(targets, detections, matrices, strict=True):
                    objects = [g for g in range(len(truth["labels"])) if one_class or truth["labels"][g] == label]
                    own = [d for d in range(len(found["labels"])) if one_class or found["labels"][d] == label]
                    if one_class:  # pycocotools: class after class
                        objects, own = (
                            sorted(x, key=lambda k, side=side: side["labels"][k])
                            for x, side in ((objects, truth), (own, found))
                        )
                    values = [[matrix[g, d] if np.isfinite(matrix[g, d]) else None for g in objects] for d in own]
                    scores = [found["scores"][d] for d in own]
                    turn = in_turn(scores, values, thresholds[0], better, policy)
                    more, countable = greedy(
                        [(truth["area"][g], truth["iscrowd"][g], truth["ignore"][g]) for g in objects],
                        scores, [found["area"][d] for d in own],
                        values, threshold, (limits.low, limits.high), better, turn,
                    )  # fmt: skip
                    rows, count = more + rows if policy == "last" else rows + more, count + countable
                out[t, label, a] = average_precision(rows, count, policy)
    return out


def cells_of(result):
    table = result.precision[:, :, :, :, -1].mean(axis=1)  # (T, K, A)
    labels = result.state.classes.tolist()
    cells = np.ndindex(table.shape)
    return {(t, labels[k], a): table[t, k, a] for t, k, a in cells}


def rules(**fields):
    return dataclasses.replace(detection.COCO, area_ranges=RANGES, max_detections=(100,), **fields)


@pytest.mark.parametrize("one_class", [False, True])
@pytest.mark.parametrize("policy", ["file", "last", "invariant"])
def test_any_range_equals_brute_force(policy, one_class):
    # Equal values of equal scores have no order that a few lines could tell: every fifth set has none.
    for seed in range(0, 415, 5) if policy == "invariant" else range(83):
        targets, detections, matrices, thresholds, lower = random_set(seed)
        result = detection.evaluate(
            targets, detections, similarity=matrices, thresholds=thresholds, higher_is_better=not lower,
            protocol=rules(class_agnostic=one_class, tie_policy=policy),
        )  # fmt: skip
        assert list(result.protocol.iou_thresholds) == thresholds
        found = cells_of(result)
        given = targets, detections, matrices, thresholds, lower
        expected = expected_table(*given, one_class=one_class, policy=policy)
        for key, x in found.items():
            np.testing.assert_allclose(x, expected[key], atol=1e-12, err_msg=f"{seed} {key}")


def shuffled(targets, detections, matrices, rng):
    out = []
    for truth, found, matrix in zip(targets, detections, matrices, strict=True):
        a, b = rng.permutation(len(truth["labels"])), rng.permutation(len(found["labels"]))
        out.append(({k: x[a] for k, x in truth.items()}, {k: x[b] for k, x in found.items()}, matrix[a][:, b]))
    return map(list, zip(*out, strict=True))


@pytest.mark.parametrize("one_class", [False, True])
def test_invariant_ties_give_the_same_bits_in_any_order_of_rows(one_class):
    for seed in range(60):
        *sets, thresholds, lower = random_set(seed)
        how = {"thresholds": thresholds, "higher_is_better": not lower}
        # Of detections of equal score, a limit keeps some: they differ by their values and their objects only.
        limited = dataclasses.replace(rules(tie_policy="invariant", class_agnostic=one_class), max_detections=(1, 2))
        how["protocol"] = limited
        targets, detections, matrices = sets
        first = detection.evaluate(targets, detections, similarity=matrices, **how)
        for again in range(3):
            targets, detections, matrices = shuffled(*sets, np.random.default_rng(again))
            other = detection.evaluate(targets, detections, similarity=matrices, **how)
            np.testing.assert_array_equal(first.precision, other.precision, err_msg=str(seed))
            np.testing.assert_array_equal(first.recall, other.recall, err_msg=str(seed))


LABELS = [[1, 1, 2], [1], []]
FOUND = [([1, 1, 2, 1], [0.9, 0.8, 0.7, 0.6]), ([1, 2], [0.5, 0.4]), ([1], [0.3])]
MATRICES = [[[0.9, 0.2, 0.0, 0.3], [0.1, 0.7, 0.3, 0.4], [0.5, 0.6, 0.55, 0.7]], [[0.4, 0.9]], np.zeros((0, 1))]
PAIRS = [
    (image, d, g, value)
    for image, rows in enumerate(MATRICES)
    for g, row in enumerate(rows)
    for d, value in enumerate(row)
]


def lists():
    return [{"labels": x} for x in LABELS], [{"labels": x, "scores": s} for x, s in FOUND]


def tables(images=(10, 11, 12), **columns):
    at = [image for image, x in zip(images, LABELS, strict=True) for _ in x]
    of = [image for image, (x, _) in zip(images, FOUND, strict=True) for _ in x]
    scores = [y for _, s in FOUND for y in s]
    return (
        Targets(None, [y for x in LABELS for y in x], at, **{k: x for k, (x, _) in columns.items()}),
        Detections(None, scores, [y for x, _ in FOUND for y in x], of, **{k: x for k, (_, x) in columns.items()}),
    )


def of_payloads(a, b):
    return [[MATRICES[x][g][d] for _, d in b] for x, g in a]


PAYLOADS = [[[(i, k) for k in range(len(x))] for i, x in enumerate(side)] for side in (LABELS, [x for x, _ in FOUND])]
NAMES = ("c.png", "a.png", "b.png")


def forms():
    """The same evaluation by each way to give it."""
    by_id = {10 + k: x for k, x in enumerate(MATRICES)}
    columns = dict(zip(("images", "detections", "objects", "values"), zip(*PAIRS, strict=True), strict=True))
    flat = [[y for x in side for y in x] for side in PAYLOADS]
    with_payload = [
        [x | {"payload": y} for x, y in zip(side, each, strict=True)]
        for side, each in zip(lists(), PAYLOADS, strict=True)
    ]
    yield "pairs of lists", lists(), PAIRS
    yield "array of pairs", lists(), np.asarray(PAIRS)
    yield "columns of lists", lists(), columns
    yield "matrices by place", lists(), dict(enumerate(MATRICES))
    yield "function of lists", with_payload, of_payloads
    yield "matrices by id", tables(), by_id
    yield "pairs by id", tables(), [(10 + x[0], *x[1:]) for x in PAIRS]
    yield "columns by id", tables(), columns | {"images": np.asarray(columns["images"]) + 10}
    yield "function of tables", tables(payload=flat), of_payloads
    yield "function of arrays", tables(payload=[np.asarray(x) for x in flat]), of_payloads
    yield "matrices by name", tables(NAMES), dict(zip(NAMES, MATRICES, strict=True))
    yield "pairs by name", tables(NAMES), [(NAMES[x[0]], *x[1:]) for x in PAIRS]
    yield "array of pairs by name", tables(NAMES), np.asarray([(NAMES[x[0]], *x[1:]) for x in PAIRS], dtype=object)


@pytest.mark.parametrize("form", list(forms()), ids=lambda x: x[0])
def test_every_form_of_similarities_gives_the_same(form):
    _, (targets, detections), similarity = form
    result = detection.evaluate(targets, detections, similarity=similarity, thresholds=(0.5, 0.75))
    # By hand: class 1 finds two of three objects at 0.5 and one at 0.75, class 2 its only one at 0.5.
    points = 101 * np.asarray([[34 / 101, 1], [34 / 101, 0]])
    assert result.summary["AP50"] == pytest.approx((67 / 101 + 1) / 2)
    assert result.summary["AP75"] == pytest.approx(points[1].mean() / 101)
    matched = result.matches
    assert matched.overlaps[0].tolist() == pytest.approx(
        [0.9, 0.7, 0.55, math.nan, math.nan, math.nan, math.nan], nan_ok=True
    )


def test_distances_keep_their_sign_and_fall():
    targets, detections = lists()
    distances = [[[4 * (1 - x) for x in row] for row in rows] for rows in MATRICES]
    result = detection.evaluate(
        targets, detections, similarity=distances, thresholds=[1.0, 2.0], higher_is_better=False
    )
    assert result.protocol.iou_thresholds == (2.0, 1.0)
    assert list(result.summary)[:3] == ["AP", "AP@2", "AP@1"]
    assert result.summary["AP@2"] == pytest.approx((67 / 101 + 1) / 2)
    assert result.matches.overlaps[0].tolist()[:3] == pytest.approx([0.4, 1.2, 1.8])
    np.testing.assert_allclose(result.mean_iou, [[0.8, 1.8], [0.4, math.nan]])
    # Two detections of class 1 have a distance of 2.4 to an object of their class, more than 2.
    assert (result.errors(background=3.0).counts["localisation"], result.errors().counts["localisation"]) == (2, 0)
    assert "distance ≤ 2" in str(result.confusion(0.0))
    with pytest.raises(ValueError, match=r"stricter"):
        result.errors(background=1.5)
    with pytest.raises(ValueError, match=r"LRP is for similarities in \[0, 1\]"):
        result.lrp()


def test_equal_values_match_and_names_tell_thresholds():
    one = [{"labels": [0]}], [{"labels": [0], "scores": [0.5]}]
    for lower, value in ((False, 1.0), (True, 0.0), (False, -3.5), (True, 1e-7)):
        result = detection.evaluate(*one, similarity=[[[value]]], thresholds=[value], higher_is_better=not lower)
        assert result.summary["AP"] == pytest.approx(1)
        near = np.nextafter(value, -math.inf if lower else math.inf)
        strict = detection.evaluate(*one, similarity=[[[value]]], thresholds=[near], higher_is_better=not lower)
        assert strict.summary["AP"] == 0.0
    names = list(detection.evaluate(*one, similarity=[[[1.0]]], thresholds=[0.125, 2]).summary)
    assert names[:3] == ["AP", "AP@0.125", "AP@2"]
    close = detection.evaluate(*one, similarity=[[[2e-7]]], thresholds=[1e-7, 2e-7, 3e-7]).summary
    assert (close["AP@1e-07"], close["AP@2e-07"], close["AP@3e-07"]) == pytest.approx((1, 1, 0))


BAD = {
    "masked": ([np.ma.masked_array([[0.1, 0.2]], mask=[[0, 1]])], r"`similarity\[0\]` is a masked array: pass"),
    "nothing": (lambda *_: None, r"`similarity` of image 0 must be a matrix of numbers, got None"),
    "word": ({"0": [[0.1, 0.2]]}, r"`similarity\['0'\]` is of an image that has no rows"),
    "transposed": ([[[0.1], [0.2]]], r"`similarity\[0\]` must have shape \(1, 2\).*got \(2, 1\); its transpose fits"),
    "scalar": (lambda *_: 0.5, r"`similarity` of image 0 must have shape \(1, 2\).*lambda a, b: \[\[f\(x, y\)"),
    "flat": (lambda *_: [0.5, 0.2], r"must have shape \(1, 2\), objects by detections, got \(2,\)"),
    "ragged": ([[[0.1], [0.2, 0.3]]], r"rows of several lengths"),
    "nan": ([[[0.1, math.nan]]], r"`similarity\[0\]`\[0, 1\] must be a number, got nan"),
    "infinite": ([[[0.1, math.inf]]], r"must be finite, or -inf for pairs that never match, got inf"),
    "text": ([[["a", "b"]]], r"`similarity\[0\]` must hold numbers"),
    "too few": ([], r"must not be an empty list"),
    "too many": ([[[0.1, 0.2]], [[0.1, 0.2]]], r"a matrix for each image, 1, got 2"),
    "missing": ({}, r"must have a matrix for image 0"),
    "unknown": ({0: [[0.1, 0.2]], 7: [[1.0]]}, r"`similarity\[7\]` is of an image that has no rows"),
    "image": ([(1, 0, 0, 0.5)], r"lists detection 0 of image 1 in row 0, and the image has 0"),
    "detection": ([(0, 0, 0, 0.5), (0, 2, 0, 0.5)], r"lists detection 2 of image 0 in row 1, and the image has 2"),
    "object": ([(0, 0, 1, 0.5)], r"lists object 1 of image 0 in row 0, and the image has 1"),
    "negative": ([(0, -1, 0, 0.5)], r"lists detection -1 of image 0"),
    "twice": ([(0, 1, 0, 0.5), (0, 1, 0, 0.6)], r"must list a pair once, got detection 1 and object 0 of image 0"),
    "fraction": ([(0, 0.5, 0, 0.5)], r"whole numbers below .* as detections, got 0.5 in row 0"),
    "float32": (np.asarray([[2**25, 0, 0, 1]], np.float32), r"whole numbers below 2e\+07 as images"),
    "column": ({"images": [0], "detections": [0], "values": [1.0]}, r"lacks 'objects'"),
    "lengths": ({"images": [0], "detections": [0], "objects": [0], "values": [1.0, 2.0]}, r"of one length"),
    "one matrix": (np.asarray([[0.1, 0.2]]), r"a list or a mapping of a matrix for each image"),
    "none": (None, r"`similarity` must be given"),
    "number": (0.5, r"must be matrices, listed pairs or a function, got float"),
}  # fmt: skip


@pytest.mark.parametrize("given", BAD)
def test_bad_similarities_are_named_in_one_line(given):
    similarity, message = BAD[given]
    targets, detections = (
        [{"labels": [0], "payload": [1]}],
        [{"labels": [0, 0], "scores": [0.5, 0.4], "payload": [1, 2]}],
    )
    with pytest.raises((TypeError, ValueError), match=message) as error:
        detection.evaluate(targets, detections, similarity=similarity, kind="similarity")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "bbox"}, "`kind` is for shapes"),
        ({"score": "giou"}, "`score` is for shapes"),
        ({"format": "xywh"}, "`format` is for shapes"),
        ({"offset": 1}, "`offset` is for shapes"),
        ({"higher_is_better": False}, r"`thresholds` must be given for distances"),
        ({"thresholds": (0.5, 0.5)}, "numbers that differ"),
        ({"thresholds": ()}, "numbers that differ"),
        ({"thresholds": (math.nan,)}, "must be finite"),
        ({"thresholds": 0.5}, "must be a tuple of numbers"),
        ({"protocol": "coco"}, r"`targets` must have `area`"),
        ({"similarity": None}, "`thresholds` is for `similarity`"),
    ],
)
def test_options_of_the_other_way_are_refused(options, message):
    given = {"similarity": MATRICES} | ({"thresholds": (0.5,)} if "similarity" in options else {}) | options
    with pytest.raises((TypeError, ValueError), match=message):
        detection.evaluate(*lists(), **given)


def test_shapes_next_to_similarities_are_not_compared_and_a_function_gets_them():
    targets, detections = lists()
    expected = detection.evaluate(targets, detections, similarity=MATRICES)
    with_boxes = [x | {"boxes": np.full((len(x["labels"]), 4), 9.0)} for x in targets]
    with_other_boxes = [x | {"boxes": np.zeros((len(x["labels"]), 4))} for x in detections]
    assert detection.evaluate(with_boxes, with_other_boxes, similarity=MATRICES).summary == expected.summary

    both = Targets([[0, 0, 1, 1]], [1], [7]), Detections([[2, 0, 3, 1], [9, 0, 10, 1]], [0.5, 0.4], [1, 1], [7, 7])

    def across(a, b):
        return [[abs(x[0] - y[0]) for y in b] for x in a]

    how = {"thresholds": [2.0], "higher_is_better": False}
    apart = detection.evaluate(*both, similarity=across, **how)
    np.testing.assert_array_equal(apart.matches.overlaps, [[2.0, math.nan]])
    short = [targets[0] | {"payload": []}], [detections[0] | {"payload": [0] * len(detections[0]["labels"])}]
    with pytest.raises(ValueError, match=r"`targets\[0\]\['payload'\]` must have an entry for each label, .*, got 0"):
        detection.evaluate(*short, similarity=across)
    with pytest.raises(ValueError, match="`targets` must have `area`"):
        detection.evaluate(*both, similarity={7: [[0.5, 0.1]]}, protocol="coco")


def test_shapes_of_files_give_areas():
    ranges = dataclasses.replace(detection.COCO, iou_thresholds=(0.5,), area_ranges=RANGES[:2])
    of_file = {"kind": "bbox", "format": "xywh"}
    targets = Targets([[0, 0, 1, 2], [5, 5, 9, 9]], [1, 1], [0, 0], **of_file)
    found = Detections([[0, 0, 3, 1], [7, 7, 9, 9]], [0.5, 0.9], [1, 1], [0, 0], **of_file)
    result = detection.evaluate(targets, found, similarity={0: [[0.5, 0.0], [0.0, 0.0]]}, protocol=ranges)
    # The large object and the large detection are outside of the range up to 5.
    assert result.summary["APs"] == pytest.approx(1.0)
    assert result.summary["AP"] == pytest.approx(51 / 101 / 2)


def test_images_with_names_are_not_known_by_numbers():
    with pytest.raises(ValueError, match=r"must name images as the tables do, such as '.*', got 0"):
        detection.evaluate(*tables(NAMES), similarity=dict(enumerate(MATRICES)))
    with pytest.raises(ValueError, match="must name images as the tables do"):
        detection.evaluate(*tables(NAMES), similarity=PAIRS)


def test_padding_counts_as_rows_of_matrices():
    targets, detections = [{"labels": [-1, 1]}], [{"labels": [1, -1, 1], "scores": [0.9, 0.8, 0.7]}]
    matrix = [[math.nan, math.nan, 0.9], [0.2, math.nan, 0.6]]
    result = detection.evaluate(targets, detections, similarity=[matrix], thresholds=(0.5,))
    np.testing.assert_array_equal(result.matches.overlaps, [[math.nan, 0.6]])


@pytest.mark.parametrize("keep", [False, True])
def test_evaluator_in_parts_equals_evaluate(keep):
    for seed in range(12):
        targets, detections, matrices, thresholds, lower = random_set(seed)
        how = {"protocol": rules(tie_policy=("file", "invariant")[seed % 2])}
        how |= {"thresholds": thresholds, "higher_is_better": not lower}
        whole = detection.evaluate(targets, detections, similarity=matrices, **how)
        first, second = (detection.Evaluator(kind="similarity", keep_boxes=keep, **how) for _ in range(2))
        for k, one in enumerate(zip(targets, detections, matrices, strict=True)):
            evaluator = first if k < 2 else second
            evaluator.update(one[:1], one[1:2], similarity=one[2:])
            evaluator = pickle.loads(pickle.dumps(evaluator))  # noqa: S301
        first.merge(second)
        result = first.compute()
        np.testing.assert_array_equal(result.precision, whole.precision)
        if keep:
            np.testing.assert_array_equal(result.matches.objects, whole.matches.objects)
            np.testing.assert_array_equal(result.matches.overlaps, whole.matches.overlaps)


def test_evaluator_takes_a_function_once_and_refuses_other_states():
    evaluator = detection.Evaluator(similarity=of_payloads, thresholds=(0.5, 0.75))
    sides = ([x | {"payload": y} for x, y in zip(*each, strict=True)] for each in zip(lists(), PAYLOADS, strict=True))
    evaluator.update(*sides)
    assert evaluator.compute().summary["AP50"] == pytest.approx((67 / 101 + 1) / 2)
    distances = detection.Evaluator(kind="similarity", thresholds=(0.5, 0.75), higher_is_better=False)
    with pytest.raises(ValueError, match="same protocol"):
        evaluator.merge(distances)
    with pytest.raises(ValueError, match=r"`similarity` is for Evaluator"):
        detection.Evaluator().update([], [], similarity=[])
    with pytest.raises(ValueError, match=r"`protocol` must be given where both tables have areas"):
        distances.update(
            [{"labels": [1], "area": [2.0]}], [{"labels": [1], "scores": [0.1], "area": [2.0]}], similarity=[[[1.0]]]
        )
    with pytest.raises(TypeError, match="`similarity` must be a function"):
        detection.Evaluator(similarity=MATRICES)


def test_arrays_of_each_library_give_results_in_it(xp):
    arrays = [xp.asarray(np.asarray(x, dtype=np.float32)) for x in MATRICES]
    targets = [{"labels": xp.asarray(np.asarray(x, dtype=np.int32))} for x in LABELS]
    detections = [
        {"labels": xp.asarray(np.asarray(x, dtype=np.int32)), "scores": xp.asarray(np.asarray(s, dtype=np.float32))}
        for x, s in FOUND
    ]
    result = detection.evaluate(targets, detections, similarity=arrays, thresholds=(0.5, 0.7))
    # 0.7 of float32 is below 0.7 of float64, and equals the threshold.
    assert result.summary["AP"] == pytest.approx(((67 / 101 + 1) + 67 / 101) / 4)
    assert type(result.precision) is type(arrays[0])


def test_state_files_and_records_know_the_range_and_the_direction(tmp_path):
    pytest.importorskip("msgspec")
    from omniou import report
    from omniou.data import states

    how = {"thresholds": (2.0, 1.0), "higher_is_better": False}
    distances = [[[4 * (1 - x) for x in row] for row in rows] for rows in MATRICES]
    result = detection.evaluate(*lists(), similarity=distances, **how)
    states.save(result.state, tmp_path / "a.npz")
    read = states.load(tmp_path / "a.npz")
    assert (read.protocol, read.kind) == (result.protocol, "distance")
    assert detection.compute([read]).summary == result.summary
    record = report.record(result, analyses=["iou", "confusion", "errors"])
    assert record.words["AP@2"] == "distance 2"
    assert record.analyses["iou"]["edges"][0] == 0
    assert record.analyses["iou"]["edges"][-1] == 2
    page = report.html(record)
    assert "distance of the true positives" in page
    assert "distance ≤ 2" in page
    assert "IoU" not in page.partition("<script")[0].partition("<body")[2]
    from omniou.report._record.analyses import unasked

    assert not {"lrp", "worst_images", "label_errors"} & set(unasked(result))
    assert result.findings == []
