"""Tables of supervision's detections, and average precision against supervision where both follow COCO."""

import numpy as np
import pytest
import supervision as sv
from supervision.metrics import MeanAveragePrecision, MetricTarget

from omniou import detection
from omniou_integrations.supervision import per_image, targets_and_detections


def data_set(images=25, seed=0):
    """Detections near objects and elsewhere; some images have no objects, some no detections."""
    random = np.random.default_rng(seed)
    truth, predictions = [], []
    for _ in range(images):
        n, more = random.integers(0, 6, 2)
        corner = random.uniform(0, 200, (n, 2))
        boxes = np.concatenate([corner, corner + random.uniform(8, 150, (n, 2))], 1)
        labels = random.integers(0, 3, n)
        corner = random.uniform(0, 200, (more, 2))
        others = np.concatenate([corner, corner + random.uniform(8, 150, (more, 2))], 1)
        near = boxes + random.normal(0, 4, boxes.shape)
        truth.append(sv.Detections(xyxy=boxes, class_id=labels))
        predictions.append(
            sv.Detections(
                xyxy=np.concatenate([near, others]),
                class_id=np.concatenate([labels, random.integers(0, 3, more)]),
                confidence=random.uniform(size=n + more),
            )
        )
    predictions[3] = sv.Detections.empty()
    return truth, predictions


def both(truth, predictions, kind="bbox"):
    target = MetricTarget.BOXES if kind == "bbox" else MetricTarget.MASKS
    theirs = MeanAveragePrecision(target).update(predictions, truth).compute()
    ours = detection.evaluate(*targets_and_detections(truth, predictions, masks=kind == "segm"), kind=kind)
    return ours, theirs


def test_average_precision_equals_supervision():
    ours, theirs = both(*data_set())

    averages = [ours.summary[name] for name in ("AP", "AP50", "AP75")]
    assert averages == pytest.approx([theirs.map50_95, theirs.map50, theirs.map75], abs=1e-6)
    sizes = [ours.summary[name] for name in ("APs", "APm", "APl")]
    parts = (theirs.small_objects, theirs.medium_objects, theirs.large_objects)
    assert sizes == pytest.approx([part.map50_95 for part in parts], abs=1e-6)
    assert 0.2 < ours.summary["AP"] < 0.9
    assert ours.classes.tolist() == theirs.matched_classes.tolist()


def test_average_precision_with_crowds_and_areas_equals_supervision():
    truth, predictions = data_set(seed=1)
    random = np.random.default_rng(2)
    for x in truth:
        x.data = {"iscrowd": random.integers(0, 2, len(x)), "area": random.uniform(10, 20000, len(x))}
    ours, theirs = both(truth, predictions)

    assert ours.summary["AP"] == pytest.approx(theirs.map50_95, abs=1e-6)
    assert ours.summary["APm"] == pytest.approx(theirs.medium_objects.map50_95, abs=1e-6)


def test_average_precision_of_masks_equals_supervision():
    # Halves of a square: the pixels of the first overlap by 1/2, their boxes too; those of the second not at all.
    square, half = np.zeros((1, 8, 8), bool), np.zeros((1, 8, 8), bool)
    square[0, 2:6, 2:6], half[0, 2:6, 2:4] = True, True
    box = np.array([[2.0, 2, 6, 6]])
    truth = [sv.Detections(xyxy=box, mask=square, class_id=np.array([0])) for _ in range(2)]
    predictions = [
        sv.Detections(xyxy=box, mask=mask, class_id=np.array([0]), confidence=np.array([score]))
        for mask, score in ((half, 0.9), (square, 0.8))
    ]
    ours, theirs = both(truth, [*predictions], kind="segm")

    # The half matches at IoU 0.5 alone: AP 1 there; else precision 1/2 up to recall 1/2, 51 of 101 points.
    assert ours.summary["AP"] == pytest.approx((1 + 9 * 51 / 101 / 2) / 10)
    assert theirs.map50_95 == pytest.approx(ours.summary["AP"], abs=1e-6)


def test_per_image_inverts_targets_and_detections():
    truth, predictions = data_set(images=6)
    for x in truth:
        x.data = {"area": np.ones(len(x))}
    ids = [5, 3, 9, 0, 7, 1]
    tables = targets_and_detections(truth, predictions, images=ids)

    for before, table in zip((truth, predictions), tables, strict=True):
        after = per_image(table, ids)
        assert len(after) == len(before)
        for x, y in zip(before, after, strict=True):
            np.testing.assert_array_equal(x.xyxy, y.xyxy)
            np.testing.assert_array_equal(x.class_id, y.class_id)
            if len(x) and x.confidence is not None:
                np.testing.assert_array_equal(x.confidence, y.confidence)
            assert set(y.data) == set(x.data)
    assert [len(x) for x in per_image(tables[0])] == [
        len(truth[ids.index(i)]) for i in sorted(ids) if len(truth[ids.index(i)])
    ]


def test_per_image_inverts_masks():
    mask = np.random.default_rng(0).random((3, 5, 7)) < 0.5
    one = sv.Detections(xyxy=np.ones((3, 4)), mask=mask, class_id=np.arange(3), confidence=np.ones(3))
    _, table = targets_and_detections([sv.Detections.empty()], [one], masks=True)

    np.testing.assert_array_equal(per_image(table)[0].mask, mask)


def test_tables_without_boxes():
    empty = sv.Detections.empty()
    targets, detections = targets_and_detections([empty], [empty], masks=True)

    assert np.isnan(detection.evaluate(targets, detections).summary["AP"])
    assert [len(x) for x in per_image(detections, [0])] == [0]


@pytest.mark.parametrize(
    ("truth", "predictions", "options", "message"),
    [
        (
            [{}],
            [],
            {},
            "`targets` and `predictions` and `images` must have one entry for each image, got 1 and 0 and 1",
        ),
        ([{}], [{}], {"images": [1, 2]}, "must have one entry for each image, got 1 and 1 and 2"),
        ([{"class_id": None}], [{}], {}, "`targets[0]` must have the key 'class_id', got 'xyxy', 'confidence'"),
        ([{}], [{"confidence": None}], {}, "`predictions[0]` must have the key 'confidence', got 'xyxy', 'class_id'"),
        ([{}], [{}], {"masks": True}, "`targets[0]` must have the key 'mask', got 'xyxy'"),
        (
            [{"data": {"area": np.ones(1)}}, {}],
            [{}, {}],
            {},
            "must have the key 'area', as others have: give it for every image or none",
        ),
    ],
)
def test_invalid_input_raises(truth, predictions, options, message):
    valid = {"xyxy": np.ones((1, 4)), "class_id": np.array([1]), "confidence": np.array([0.5])}
    sides = ([sv.Detections(**valid | change) for change in side] for side in (truth, predictions))

    with pytest.raises(ValueError, match="must have") as raised:
        targets_and_detections(*sides, **options)

    assert message in str(raised.value)
