"""Keypoint AP: the K and C cases of the issue, CrowdPose by its rules, states, matches, errors and the doctor."""

import copy
import dataclasses
import math

import numpy as np
import pytest

from omniou import data, detection, keypoints
from omniou.detection import Detections, Targets
from tests.helpers import numbers

LINE = np.stack([np.arange(17.0) * 5 + 100, np.full(17, 120.0)], axis=-1)
BOX = (90.0, 90.0, 100.0, 60.0)


def with_v(points, v=2.0):
    return np.concatenate([points, np.broadcast_to(np.asarray(v, float)[..., None], (*points.shape[:-1], 1))], axis=-1)


def moved(points, x, y):
    return points + np.array([x, y])


def evaluated(objects, detections, *, areas=3600.0, boxes=BOX, scores=None, **options):
    """Of one image: points of objects (N, 17, 3) and of detections (M, 17, 2)."""
    n, m = len(objects), len(detections)
    targets = Targets(
        np.broadcast_to(boxes, (n, 4)),
        [1] * n,
        [0] * n,
        area=np.broadcast_to(areas, (n,)),
        keypoints=np.asarray(objects),
        **options,
    )
    scores = [1 - k / 100 for k in range(m)] if scores is None else scores
    return detection.evaluate(
        targets,
        Detections(None, scores, [1] * m, [0] * m, keypoints=np.asarray(detections)),
        kind="keypoints",
        format="xywh",
    )


def test_rules_of_coco_are_the_default():
    result = evaluated([with_v(LINE)], [LINE])
    assert result.protocol == detection.COCO_KEYPOINTS
    assert list(result.summary) == ["AP", "AP50", "AP75", "APm", "APl", "AR", "AR50", "AR75", "ARm", "ARl"]
    assert result.summary["APm"] == pytest.approx(1)
    assert math.isnan(result.summary["APl"])
    named = [detection.Evaluator(name, kind="keypoints").protocol for name in ("coco", "coco_keypoints")]
    assert named == [detection.COCO_KEYPOINTS] * 2
    assert detection.Evaluator("crowdpose", kind="keypoints").state.kind == "keypoints: crowdpose"
    assert detection.Evaluator(kind=keypoints.CROWDPOSE).protocol == detection.CROWDPOSE


# Case K2: the area of the box in place of the mask's raises AP.
@pytest.mark.parametrize(("area", "expected"), [(3600.0, 0.1), (6000.0, 0.3)])
def test_area_of_the_object_scales_oks(area, expected):
    assert evaluated([with_v(LINE)], [moved(LINE, 8.0, 0)], areas=area).summary["AP"] == pytest.approx(expected)


# Case K3: with an area of 0 what the reference adds to it saves a distance of 1e-9.
def test_area_zero_is_as_in_the_reference():
    near = LINE - LINE
    result = evaluated([with_v(near)], [moved(near, 1e-9, 0)], areas=0.0)
    assert result.matches.overlaps[0, 0] == pytest.approx(0.793, abs=5e-4)


# Case K4: an object without a labelled point is ignored, and matched by its extended box.
@pytest.mark.parametrize(("off", "expected"), [(0.0, 1.0), (400.0, 0.5)])
def test_object_without_labelled_points_is_where_its_box_is(off, expected):
    far = moved(LINE, 1000.0, 0)
    objects = [with_v(LINE, 0.0) * [0, 0, 1], with_v(far)]
    result = evaluated(objects, [moved(LINE, 0, off), far], areas=6000.0)
    assert result.summary["AP"] == pytest.approx(expected)
    assert result.objects[:, 0].tolist() == [1]


def test_object_without_labelled_points_needs_a_box():
    targets = Targets(None, [1], [0], area=[1.0], keypoints=with_v(LINE, 0.0)[None])
    with pytest.raises(
        ValueError, match=r"`targets.boxes` must be given: `targets.keypoints\[0\]` has no labelled point"
    ):
        detection.evaluate(targets, Detections(None, [1.0], [1], [0], keypoints=LINE[None]), kind="keypoints")


# Case K7: hidden points count as visible ones do, and v of detections plays no part.
def test_hidden_points_and_v_of_detections():
    result = evaluated([with_v(LINE, 1.0)], [with_v(LINE, 0.0)])
    assert result.summary["AP"] == pytest.approx(1)


# Case K8: the right detection comes after 20 others.
@pytest.mark.parametrize(("before", "expected"), [(20, 0.0), (19, 0.05)])
def test_twenty_detections_count(before, expected):
    wrong = [moved(LINE, 0, 900.0 + k) for k in range(before)]
    result = evaluated([with_v(LINE)], [*wrong, LINE])
    assert result.summary["AP"] == pytest.approx(expected)
    assert result.surplus == before - 19


# Case K9: the area of a detection is that of its points, and a small one beside does not count among medium ones.
def test_area_of_a_detection_is_the_extent_of_its_points():
    small = LINE * 0.1
    small[0, 1] += 5
    result = evaluated([with_v(LINE)], [small, LINE])
    assert (result.summary["AP"], result.summary["APm"]) == (pytest.approx(0.5), pytest.approx(1.0))


def test_boxes_of_detections_give_their_areas():
    both = {
        "scores": [0.9, 0.8],
        "labels": [1, 1],
        "images": [0, 0],
        "keypoints": np.stack([moved(LINE, 0, 900), LINE]),
    }
    targets = Targets([BOX], [1], [0], area=[3600.0], keypoints=with_v(LINE)[None])
    boxes = [[0, 0, 5.0, 5.0], [0, 0, 50.0, 50.0]]
    result = detection.evaluate(targets, Detections(boxes, **both), kind="keypoints", format="xywh")
    assert result.summary["APm"] == pytest.approx(1)


# Case K12: both numbers.
def test_numbers_of_points_and_sigmas_are_named():
    targets = Targets(None, [1], [0], area=[1.0], keypoints=with_v(LINE[:13])[None])
    found = Detections(None, [1.0], [1], [0], keypoints=LINE[None])
    with pytest.raises(ValueError, match=r"`targets\.keypoints` must have 17 points, as 'coco' has sigmas, got 13"):
        detection.evaluate(targets, found, kind="keypoints")
    with pytest.raises(ValueError, match=r"must have shape \(N, 17, 2\), or \(N, 17, 3\) with v, got \(1, 17, 5\)"):
        detection.evaluate(dataclasses.replace(targets, keypoints=np.zeros((1, 17, 5))), found, kind="keypoints")


@pytest.mark.parametrize(
    ("changed", "options", "words"),
    [
        ({"area": None}, {}, "`targets.area` must be given, got None: OKS divides by it"),
        ({"keypoints": None}, {}, "`targets.keypoints` must be given"),
        ({}, {"score": "giou"}, "`score` is for kinds that compare boxes"),
        ({}, {"offset": 1.0}, "`offset` is for kinds that compare boxes"),
        ({"boxes": [[0.0] * 5]}, {}, r"`targets.boxes` must have shape \(N, 4\), got \(1, 5\)"),
        ({"keypoints": np.full((1, 17, 3), math.inf)}, {}, "must be finite"),
        ({}, {"kind": keypoints.MPII}, "`kind` 'mpii' has no sigmas"),
    ],
)
def test_bad_columns_are_named(changed, options, words):
    targets = Targets([BOX], [1], [0], area=[1.0], keypoints=with_v(LINE)[None])
    found = Detections(None, [1.0], [1], [0], keypoints=LINE[None])
    with pytest.raises((TypeError, ValueError), match=words):
        detection.evaluate(dataclasses.replace(targets, **changed), found, **({"kind": "keypoints"} | options))


def test_unlabelled_points_may_be_nan():
    points = with_v(LINE)
    points[3] = [math.nan, math.nan, 0]
    assert evaluated([points], [LINE]).summary["AP"] == pytest.approx(1)


def random_columns(seed, number=14, images=30):
    rng = np.random.default_rng(seed)
    truth, found = [], []
    for image in range(images):
        for _ in range(rng.integers(1, 5)):
            corner, side = rng.integers(0, 400, 2), rng.integers(20, 200)
            at = corner + rng.integers(0, side + 1, (number, 2))
            v = np.minimum(rng.integers(0, 3, number) * (rng.random() > 0.1), 1 if rng.random() < 0.2 else 2)
            truth.append((image, at, v, [*corner, side, side]))
            found += [
                (image, at + rng.integers(-6, 7, (number, 2)) * rng.integers(0, 4)) for _ in range(rng.integers(0, 3))
            ]
        found.append((image, rng.integers(0, 400, (number, 2))))
    scores = rng.integers(1, 9, len(found)) / 8
    targets = Targets(
        np.array([x[3] for x in truth], float),
        np.ones(len(truth), int),
        np.array([x[0] for x in truth]),
        keypoints=np.array([np.c_[x[1], x[2]] for x in truth], float),
    )
    points = np.array([x[1] for x in found], float)
    detections = Detections(None, scores, np.ones(len(found), int), np.array([x[0] for x in found]), keypoints=points)
    return targets, detections


def crowdpose_by_rules(targets, detections, images):
    """AP at ten thresholds of OKS by CrowdPose's rules, one detection after the other."""
    sigmas = np.array([0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89, 0.79, 0.79]) / 10
    rows, positives = {k: [] for k in range(10)}, 0
    for image in images:
        objects = [k for k in range(len(targets.images)) if targets.images[k] == image]
        # Objects without a visible point (v = 2) are ignored, and come last.
        objects.sort(key=lambda k: not (targets.keypoints[k, :, 2] == 2).any())
        ignored = [not (targets.keypoints[k, :, 2] == 2).any() for k in objects]
        positives += ignored.count(False)
        there = np.flatnonzero(detections.images == image)
        there = there[np.argsort(-detections.scores[there], kind="stable")][:20]
        for k in range(10):
            threshold, taken = min(0.5 + 0.05 * k, 1 - 1e-10), set()
            for row in there:
                best, match = threshold, None
                for place, number in enumerate(objects):
                    if place in taken or (match is not None and not ignored[match] and ignored[place]):
                        continue
                    value = oks_of_crowdpose(targets, number, detections.keypoints[row], sigmas)
                    if value >= best:
                        best, match = value, place
                taken |= {match} - {None}
                if match is None or not ignored[match]:
                    rows[k].append((detections.scores[row], match is not None))
    averages = []
    for k in range(10):
        hits = [hit for _, hit in sorted(rows[k], key=lambda x: -x[0])]
        found = np.cumsum(hits) if hits else np.zeros(0)
        precision = found / np.arange(1, len(hits) + 1)
        best = np.maximum.accumulate(precision[::-1])[::-1]
        places = np.searchsorted(found / max(1, positives), np.linspace(0, 1, 101), side="left")
        averages.append(np.mean([best[p] if p < len(best) else 0.0 for p in places]) if positives else math.nan)
    return float(np.mean(averages))


def oks_of_crowdpose(targets, number, points, sigmas):
    x, y, width, height = targets.boxes[number]
    visible = targets.keypoints[number, :, 2] > 0
    apart = np.square(points - targets.keypoints[number, :, :2]).sum(axis=1)
    if not visible.any():
        low, high = np.array([x - width, y - height]), np.array([x + 2 * width, y + 2 * height])
        apart = np.square(np.maximum(0, low - points) + np.maximum(0, points - high)).sum(axis=1)
        visible[:] = True
    area = 0.53 * width * height
    return np.exp(-apart / (2 * sigmas) ** 2 / area / 2)[visible].mean()


@pytest.mark.parametrize("seed", range(3))
def test_crowdpose_equals_its_rules(seed):
    targets, detections = random_columns(seed)
    result = detection.evaluate(targets, detections, protocol="crowdpose", kind="keypoints", format="xywh")
    assert result.summary["AP"] == pytest.approx(crowdpose_by_rules(targets, detections, range(30)), abs=1e-12)
    assert list(result.summary) == ["AP", "AP50", "AP75", "AR", "AR50", "AR75"]
    # Case C5: a column of areas plays no part.
    given = dataclasses.replace(targets, area=np.full(len(targets.labels), 6000.0))
    again = detection.evaluate(given, detections, protocol="crowdpose", kind="keypoints", format="xywh")
    assert again.summary == result.summary


def truth_of(targets, groups):
    """A ground truth as a reader gives it."""
    return data.GroundTruth(
        path="truth.json",
        targets=targets,
        images=np.arange(30),
        categories={1: "person"},
        flagged=np.zeros(len(targets.labels), bool),
        skeleton=keypoints.CROWDPOSE,
        image_groups=groups,
    )


def test_groups_of_images_add_their_ap():
    """Case C1 to C3: exact values; no data is NaN."""
    targets, detections = random_columns(5)
    groups = {"easy": [*range(10)], "medium": [*range(10, 30)], "hard": []}
    result = detection.evaluate(truth_of(targets, groups), detections, protocol="crowdpose", kind="keypoints")
    for name in ("easy", "medium"):
        expected = crowdpose_by_rules(targets, detections, groups[name])
        assert result.summary[f"AP{name}"] == pytest.approx(expected, abs=1e-12)
    assert math.isnan(result.summary["APhard"])
    again = data.states.loads(data.states.dumps(result.state))
    assert detection.compute([again]).summary == pytest.approx(result.summary, nan_ok=True)


def test_parts_merge_to_the_whole(xp):
    if xp.__name__.endswith("dask.array"):
        pytest.skip("the evaluator takes no Dask arrays")
    targets, detections = random_columns(7)
    whole = detection.evaluate(targets, detections, kind=keypoints.CROWDPOSE, format="xywh").summary
    evaluator = detection.Evaluator(kind=keypoints.CROWDPOSE, format="xywh", keep_boxes=True)
    for some in (range(10), range(10, 30)):
        rows = [np.isin(x.images, some) for x in (targets, detections)]
        columns = [
            {f: xp.asarray(getattr(x, f)[kept].tolist()) for f in fields}
            for x, kept, fields in zip(
                (targets, detections),
                rows,
                (("boxes", "labels", "images", "keypoints"), ("scores", "labels", "images", "keypoints")),
                strict=True,
            )
        ]
        evaluator.update(Targets(**columns[0]), Detections(boxes=None, **columns[1]))
    result = copy.deepcopy(evaluator).compute()
    assert result.summary == pytest.approx(whole, nan_ok=True, abs=1e-6)
    assert numbers(result.matches.overlaps).shape[0] == 10
    assert result.errors().counts


def test_dictionaries_of_images():
    target = [{"keypoints": with_v(LINE)[None], "labels": [1], "area": [3600.0], "boxes": [BOX]}]
    pred = [{"keypoints": LINE[None], "labels": [1], "scores": [0.5]}]
    none = {"keypoints": np.zeros((0, 17, 3)), "labels": [], "area": []}
    result = detection.evaluate(
        [*target, none], [*pred, {"keypoints": [], "labels": [], "scores": []}], kind="keypoints"
    )
    assert result.summary["AP"] == pytest.approx(1)
    assert detection.evaluate([], [], kind="keypoints").summary["AP"] is not None


class TestDoctor:
    def columns(self):
        rng = np.random.default_rng(0)
        at = rng.uniform(0, 80, (20, 17, 2)) * [1, 2] + rng.uniform(0, 300, (20, 1, 2)) * [1.5, 1]
        low, high = at.min(axis=1), at.max(axis=1)
        images = np.arange(20)
        boxes = np.concatenate([low, high - low], axis=1)
        targets = Targets(boxes, images * 0, images, area=0.5 * boxes[:, 2] * boxes[:, 3], keypoints=with_v(at))
        found = Detections(None, np.full(20, 0.5), images * 0, images, keypoints=at + rng.normal(0, 1, at.shape))
        return targets, found

    def codes(self, targets, found, kind="keypoints"):
        return [x.code for x in detection.check(targets, found, kind=kind, format="xywh")]

    def test_nothing_is_found_where_nothing_is_wrong(self):
        assert self.codes(*self.columns()) == []

    def test_swapped_axes(self):
        targets, found = self.columns()
        swapped = dataclasses.replace(found, keypoints=found.keypoints[:, :, ::-1])
        assert self.codes(targets, swapped) == ["keypoints-axes"]

    def test_another_order_of_points(self):
        targets, found = self.columns()
        order = np.random.default_rng(1).permutation(17)
        moved = dataclasses.replace(found, keypoints=found.keypoints[:, order])
        assert self.codes(targets, moved) == ["keypoints-order"]

    def test_left_and_right(self):
        targets, found = self.columns()
        order = [0, *(k + 1 if k % 2 else k - 1 for k in range(1, 17))]
        (finding,) = detection.check(
            targets, dataclasses.replace(found, keypoints=found.keypoints[:, order]), kind="keypoints", format="xywh"
        )
        assert finding.code == "keypoints-sides"
        assert "OKS >= 0.5" in finding.evidence

    def test_fractions(self):
        targets, found = self.columns()
        scaled = dataclasses.replace(found, keypoints=found.keypoints / found.keypoints.max(axis=(0, 1)))
        assert self.codes(targets, scaled) == ["keypoints-unit"]

    @pytest.mark.parametrize("factor", [0.5, 2.0, 0.25])
    def test_points_of_resized_images(self, factor):
        targets, found = self.columns()
        scaled = dataclasses.replace(found, keypoints=found.keypoints * factor)
        (finding,) = detection.check(targets, scaled, kind="keypoints", format="xywh")
        assert finding.code == "keypoints-scale"
        assert float(finding.hint.rpartition(" ")[2]) == pytest.approx(1 / factor, rel=0.02)

    @pytest.mark.parametrize("seed", range(4))
    def test_poor_points_are_not_accused(self, seed):
        targets, found = self.columns()
        rng = np.random.default_rng(seed)
        for noise in (5, 15, 40):
            poor = found.keypoints + rng.normal(0, noise, found.keypoints.shape)
            assert self.codes(targets, dataclasses.replace(found, keypoints=poor)) == []
        guessed = rng.permutation(found.keypoints)
        assert self.codes(targets, dataclasses.replace(found, keypoints=guessed)) == []

    def test_areas_sigmas_visibility_and_zeros(self):
        targets, found = self.columns()
        same = dataclasses.replace(targets, area=targets.boxes[:, 2] * targets.boxes[:, 3])
        assert self.codes(same, found) == ["keypoints-area"]  # case K2
        none = dataclasses.replace(targets, area=np.zeros(20))
        assert "keypoints-area-zero" in self.codes(none, found)  # case K3
        unseen = targets.keypoints * [1, 1, 0]
        assert self.codes(dataclasses.replace(targets, keypoints=unseen), found) == ["keypoints-invisible"]
        zeros = found.keypoints.copy()
        zeros[:, 3] = 0  # case K10
        assert self.codes(targets, dataclasses.replace(found, keypoints=zeros)) == ["keypoints-zeros"]
        for sigmas in ([0.79] * 17, [1 / 17] * 17):  # case K13
            kind = keypoints.Skeleton(name="own", sigmas=sigmas)
            assert self.codes(targets, found, kind) == ["keypoints-sigmas"]


def test_overlaps_have_the_bits_of_the_reference():
    """Its sum is over the points that count only, side by side: zeros in between would pair others."""
    rng = np.random.default_rng(0)
    skeleton = keypoints.COCO
    objects = with_v(rng.uniform(0, 50, (60, 17, 2)), rng.integers(0, 3, (60, 17)))
    objects[:, 0, 2] = 2
    found = objects[:, :, :2] + rng.normal(0, 2, (60, 17, 2))
    rows = np.arange(60)
    result = detection.evaluate(
        Targets(np.tile(BOX, (60, 1)), [1] * 60, rows, area=np.full(60, 3600.0), keypoints=objects),
        Detections(None, np.full(60, 0.5), [1] * 60, rows, keypoints=found),
        kind=skeleton,
        format="xywh",
    )
    for k in rows:
        apart = objects[k, :, :2] - found[k]
        variances = (np.asarray(skeleton.sigmas) * 2) ** 2
        e = (apart[:, 0] ** 2 + apart[:, 1] ** 2) / variances / (3600.0 + np.spacing(1)) / 2
        e = e[objects[k, :, 2] > 0]
        assert result.matches.overlaps[0, k] == np.sum(np.exp(-e)) / e.shape[0]


def test_overlap_at_the_threshold_matches():
    # One point is found exactly and the other is far away: OKS is 1/2 to the last bit.
    found = LINE.copy()
    found[1] += 1e6
    result = evaluated([with_v(LINE, [2, 2, *[0] * 15])], [found])
    assert result.summary["AP50"] == pytest.approx(1)
    assert result.matches.overlaps[0, 0] == 0.5
