"""Metrics for Ignite against `omniou.detection`: in an engine, in one process and in two."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from ignite.engine import Engine, create_supervised_evaluator
from ignite.metrics import BatchWise

from omniou import boxes, detection
from omniou_integrations.ignite import BoxScore, DetectionAP, SegmentationScore
from tests.integrations.ignite_ranks import SHARDS, WORLD, data, results
from tests.integrations.processes import results_of
from tests.integrations.samples import sample

BOX, DISJOINT = [0.0, 0, 10, 10], [50.0, 50, 60, 60]


def predicted(corners, scores, labels=None):
    return sample(corners, labels) | {"scores": torch.tensor(scores)}


def identity_engine():
    """An engine whose output is its batch."""
    return Engine(lambda _, batch: batch)


def updated(metric, preds, target, step=4):
    for k in range(0, len(preds), step):
        metric.update((preds[k : k + step], target[k : k + step]))
    return metric.compute()


def assert_same(ours, expected):
    """Exactly."""
    ours, expected = (x if isinstance(x, dict) else {"": x} for x in (ours, expected))
    assert ours.keys() == expected.keys()
    np.testing.assert_array_equal(list(ours.values()), list(expected.values()))


def test_average_precision_by_hand():
    # One of two objects is matched, below a false positive: precision 1/2 up to recall 1/2, at 51 of 101 points.
    metric = DetectionAP()
    metric.update(([predicted([DISJOINT, BOX], [0.9, 0.5])], [sample([BOX, [20.0, 20, 30, 30]])]))

    assert metric.compute()["AP"] == pytest.approx(51 / 101 / 2)
    assert metric.compute()["AR100"] == 0.5


def test_class_agnostic_matches_across_classes():
    metric = DetectionAP(class_agnostic=True)
    metric.update(([predicted([BOX], [0.9], [1])], [sample([BOX], [0])]))

    assert metric.compute()["AR100"] == 1
    with pytest.raises(ValueError, match="`groups` name some of the classes"):
        DetectionAP(class_agnostic=True, groups={"r": [1]})


def test_mean_score_by_hand():
    # IoU 1/2 and 1 and an unpaired prediction in one image; an unpaired target in the other.
    halves = predicted([[0.0, 0, 10, 5], [20.0, 20, 30, 30], DISJOINT], [0.1, 0.2, 0.3])
    metric = BoxScore()
    metric.update(([halves, sample([])], [sample([BOX, [20.0, 20, 30, 30]]), sample([BOX], [1])]))

    assert metric.compute() == (0.5 + 1) / 4


@pytest.mark.parametrize("score", ["iou", "iof", "dice", "giou", "diou", "ciou"])
def test_default_miss_is_the_limit_of_distant_boxes(score):
    metric = BoxScore(score)
    metric.update(([sample([BOX])], [sample([BOX], [1])]))

    limit = float(getattr(boxes, score)([0.0, 0, 1, 1], [1e9, 1e9, 1e9 + 1, 1e9 + 1]))
    assert metric.compute() == pytest.approx(limit, abs=1e-6)


@pytest.mark.parametrize("protocol", ["coco", "voc2007", "lvis", "open_images_challenge", detection.COCO])
@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_detection_ap_equals_detection_evaluate(protocol, kind):
    preds, target = data(seed=1, count=30)
    for one in target:
        one["area"] = torch.full((len(one["labels"]),), 1000.0)
        one["ignore"] = one["labels"] == 3
    options = {"kind": kind, "classes": [0, 2, 3], "groups": {"some": [0, 3]}}
    ours = updated(DetectionAP(protocol, **options), preds, target)

    rules = protocol
    if isinstance(protocol, str):
        rules = dataclasses.replace(detection.PRESETS[protocol], tie_policy="invariant")
    assert 0.02 < ours["AP"] < 0.9
    assert_same(ours, detection.evaluate(target, preds, protocol=rules, **options).summary)


@pytest.mark.parametrize("make", [DetectionAP, lambda: DetectionAP("voc2010"), BoxScore, lambda: BoxScore("ciou")])
def test_result_does_not_depend_on_order(make):
    preds, target = data(seed=2, count=40)
    expected = updated(make(), preds, target)

    for seed in range(5):
        order = np.random.default_rng(seed).permutation(40)
        ours = updated(make(), [preds[k] for k in order], [target[k] for k in order], step=1 + seed)
        assert_same(ours, expected)


@pytest.mark.parametrize("name", ["iou", "ciou"])
def test_mean_score_equals_greedy_pairing_one_by_one(name):
    preds, target = data(seed=3, count=30)
    score, miss = getattr(boxes, name), {"iou": 0.0, "ciou": -1.0}[name]
    values = []
    for ours, theirs in zip(preds, target, strict=True):
        left = [dict(zip(("box", "label"), x, strict=True)) for x in zip(ours["boxes"], ours["labels"], strict=True)]
        counted = theirs["iscrowd"] == 0
        right = [
            {"box": box, "label": label}
            for box, label in zip(theirs["boxes"][counted], theirs["labels"][counted], strict=True)
        ]
        while True:
            pairs = [
                (float(score(a["box"].double(), b["box"].double())), -i, -j)
                for i, a in enumerate(left)
                for j, b in enumerate(right)
                if a["label"] == b["label"]
            ]
            if not pairs:
                break
            best, i, j = max(pairs)
            values.append(best)
            del left[-i], right[-j]
        values += [miss] * (len(left) + len(right))

    assert updated(BoxScore(name), preds, target) == pytest.approx(np.mean(values), abs=1e-12)


def test_metrics_attached_to_engine():
    preds, target = [predicted([BOX, DISJOINT], [0.5, 0.9])], [sample([BOX])]
    engine = identity_engine()
    DetectionAP().attach(engine, "map")
    BoxScore("giou").attach(engine, "giou")
    metrics = engine.run([(preds, target)]).metrics

    assert metrics["AP50"] == metrics["map"]["AP50"] == 0.5
    assert metrics["giou"] == 0.0  # a pair of GIoU 1, and an unpaired box of -1
    # A run resets the metrics; Ignite also takes a dict of `y_pred` and `y`.
    better = {"y_pred": [predicted([BOX], [0.5])], "y": target}
    assert engine.run([better]).metrics["giou"] == 1.0
    assert engine.run([better, better]).metrics["AP"] == 1.0


def test_metrics_with_ignite_options():
    engine = identity_engine()
    transform = {"output_transform": lambda output: output["outputs"], "skip_unrolling": True, "device": "cpu"}
    metric = DetectionAP(**transform, metrics_result_mode="named")
    metric.attach(engine, "map")
    metric["AP75"].attach(engine, "strict")
    BoxScore(**transform).attach(engine, "of the batch", usage=BatchWise())
    batches = [{"outputs": ([predicted([box], [0.5])], [sample([BOX])])} for box in (BOX, [0.0, 0, 10, 6])]
    metrics = engine.run(batches).metrics

    assert metrics["map"]["AP50"] == 1.0
    assert metrics["strict"] == pytest.approx(51 / 101 / 2)  # equal scores rank together: precision, recall 1/2
    assert metrics["of the batch"] == 0.6
    assert "AP50" not in metrics


def test_supervised_evaluator_of_detector():
    class Detector(torch.nn.Module):
        def forward(self, images):
            return [predicted([BOX], [0.5]) for _ in images]

    evaluator = create_supervised_evaluator(
        Detector(), metrics={"map": DetectionAP()}, prepare_batch=lambda batch, **_: batch
    )
    assert evaluator.run([(torch.zeros(2, 3), [sample([BOX]), sample([BOX])])]).metrics["AP"] == 1.0


@pytest.mark.parametrize("make", [DetectionAP, BoxScore])
def test_compute_without_boxes_is_nan(make):
    metric = make()
    metric.update(([], []))
    metric.update(([predicted([], [])], [sample([])]))
    result = metric.compute()

    assert math.isnan(result if make is BoxScore else result["AP"])


@pytest.mark.parametrize("make", [DetectionAP, BoxScore])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_update_of_any_dtype_with_gradients(make, dtype):
    box = torch.tensor([BOX], dtype=dtype, requires_grad=True)
    labels = torch.tensor([1], dtype=torch.uint8)
    pred = {"boxes": box * 1, "labels": labels, "scores": torch.tensor([0.5], dtype=dtype)}
    result = updated(make(), [pred], [{"boxes": box, "labels": labels}])

    assert (result if make is BoxScore else result["AP"]) == pytest.approx(1.0)


@pytest.mark.parametrize("make", [DetectionAP, BoxScore])
def test_unknown_keys_are_not_converted(make):
    on_meta = {"masks": torch.empty(1, 9, 9, device="meta"), "image_id": torch.empty(1, device="meta")}
    result = updated(make(), [predicted([BOX], [0.5]) | on_meta], [sample([BOX]) | on_meta])

    assert (result if make is BoxScore else result["AP"]) == pytest.approx(1.0)


def test_nan_boxes_give_nan_score():
    assert math.isnan(updated(BoxScore(), [sample([[math.nan] * 4]), sample([BOX])], [sample([BOX])] * 2, step=1))


@pytest.mark.parametrize(
    ("make", "output", "kind", "message"),
    [
        (DetectionAP, {"boxes": 1}, TypeError, "`output` must be (predictions, targets), as `output_transform` may"),
        (BoxScore, ([], [], []), TypeError, "`output` must be (predictions, targets), as `output_transform` may make"),
        (DetectionAP, ([1], [sample([])]), TypeError, "`detections[0]` must be a dictionary with 'boxes', 'scores'"),
        (BoxScore, ([{}], {}), TypeError, "`targets` must be a list of dictionaries, one for each image, got dict"),
        (
            BoxScore,
            ([], [{}]),
            ValueError,
            "`predictions` and `targets` must have one entry for each image, got 0 and 1",
        ),
        (DetectionAP, ([sample([BOX])], [sample([BOX])]), ValueError, "`detections[0]` must have the key 'scores'"),
        (BoxScore, ([{}], [sample([BOX])]), ValueError, "`predictions[0]` must have the key 'boxes', got nothing"),
    ],
)
def test_invalid_output_raises_and_leaves_state(make, output, kind, message):
    metric = make()
    metric.update(([predicted([BOX], [0.5])], [sample([BOX])]))
    with pytest.raises(kind) as raised:
        metric.update(output)

    assert message in str(raised.value)
    result = metric.compute()
    assert (result if make is BoxScore else result["AP"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (DetectionAP, {"protocol": "coca"}, "`protocol` must be one of 'coco'"),
        (DetectionAP, {"format": "xxyy"}, "`format` must be"),
        (BoxScore, {"score": "ioo"}, "`score` must be one of 'iou'"),
        (BoxScore, {"format": "rel_xyxy"}, "`format` must be one of 'xyxy', 'yxyx', 'xywh', 'cxcywh'"),
    ],
)
def test_invalid_options_raise(make, options, message):
    with pytest.raises(ValueError, match="must be") as raised:
        make(**options).update(([predicted([BOX], [0.5])], [sample([BOX])]))

    assert message in str(raised.value)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Results of each process, which are started once for all tests."""
    return results_of("tests.integrations.ignite_ranks", [0] * WORLD, tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("shards", SHARDS)
def test_two_processes_equal_one(ranks, shards):
    expected = results(range(13))
    for rank in ranks:
        for name, ours in rank[shards].items():
            if name == "file" and shards == "uneven":
                continue  # images come in another order than in a single process
            assert_same(ours, expected[name])
    assert -0.5 < expected["giou"] < 0.5
    assert 0.1 < expected["coco"]["AP"] < 0.9


def test_segmentation_by_hand():
    """Class 0 has 1 of 2 pixels, class 1 has 2 of 3, class 2 is nowhere."""
    target = torch.tensor([[0, 0, 1, 1, 255]])
    scores = torch.tensor([[[0.9, 0.2, 0.3, 0.1, 0.9], [0.1, 0.8, 0.7, 0.9, 0.1], [0.0] * 5]])
    engine = identity_engine()
    for average in ("macro", "none"):
        SegmentationScore(3, average=average, ignore_index=255).attach(engine, average)
    SegmentationScore(3, "accuracy", ignore_index=255).attach(engine, "accuracy")
    metrics = engine.run([(scores, target), (scores.argmax(1), target)]).metrics
    assert metrics["macro"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert metrics["none"] == pytest.approx([1 / 2, 2 / 3, math.nan], nan_ok=True)
    assert metrics["accuracy"] == 0.75
    assert math.isnan(SegmentationScore(2).compute())


def test_segmentation_without_several_labels():
    """Without labels 255 and 2, class 0 has 1 of 1 pixel, class 1 is nowhere."""
    metric = SegmentationScore(3, ignore_index=[255, 2])
    metric.update((torch.tensor([[0, 1, 1]]), torch.tensor([[0, 255, 2]])))
    assert metric.compute() == 1.0


def test_one_channel_of_scores_has_no_highest():
    with pytest.raises(ValueError, match="class"):
        SegmentationScore(1).update((torch.tensor([[[0.2, 0.9]]]), torch.tensor([[0, 0]])))


def test_wrong_segmentation_raises():
    with pytest.raises(ValueError, match=r"`score` must be one of .*did you mean 'dice'"):
        SegmentationScore(2, "dise")
    metric = SegmentationScore(2)
    with pytest.raises(ValueError, match=r"`prediction` must have 2 scores along axis 1, got shape \(1, 3, 4\)"):
        metric.update((torch.zeros((1, 3, 4)), torch.zeros((1, 4), dtype=torch.int64)))
    with pytest.raises(ValueError, match="must be a class from 0 to 1, got 7"):
        metric.update((torch.tensor([[0]]), torch.tensor([[7]])))


def test_options_of_numpy():
    target, pred = torch.tensor([[0, 1, 255]]), torch.tensor([[0, 0, 1]])
    made = SegmentationScore(np.int64(2), np.str_("iou"), ignore_index=np.uint8(255), zero_division=np.float32(1))
    assert_same(updated(made, pred, target), updated(SegmentationScore(2, ignore_index=255), pred, target))
    with pytest.raises(ValueError, match=r"`num_classes` must be a positive integer, got 2\.0"):
        SegmentationScore(2.0)
