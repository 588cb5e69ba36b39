"""Average precision under JAX: histograms equal those of `detection.sketch`, AP is within the error of the bins."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from omniou import detection
from omniou._kernels import histograms
from omniou.detection import COCO, Detections, Evaluator, Targets
from omniou_integrations.jax import DetectionAP
from tests.detection.test_evaluator import CLASSES, IMAGES, random_tables
from tests.detection.test_sketch import untied
from tests.integrations.jax_cases import NAN, padded

both_modes = pytest.mark.parametrize("x64", [False, True])


def float32(table):
    """The table in float32, as JAX holds it without x64."""
    columns = {name: getattr(table, name, None) for name in ("boxes", "scores", "area")}
    return dataclasses.replace(table, **{name: np.float32(x) for name, x in columns.items() if x is not None})


def on_host(targets, detections, *, bins=64, classes=CLASSES, **options):
    evaluator = Evaluator(classes=range(classes), **options)
    evaluator.update(targets, detections)
    return detection.sketch(evaluator.state, bins=bins)


def in_jax(targets, detections, *, bins=64, classes=CLASSES, images=IMAGES, step=10, capacity=(16, 48), **options):
    """Batches of `step` images, padded to `capacity` objects and detections."""
    state = DetectionAP.empty(classes, bins=bins, **options)
    truth, preds = (padded(x, range(images), rows) for x, rows in zip((targets, detections), capacity, strict=True))
    for first in range(0, images, step):
        batch = (jax.tree.map(lambda x: x[first : first + step], table) for table in (truth, preds))  # noqa: B023
        state = state.update(*batch)
    return state


def assert_same(state, sketch):
    """Equal histograms; summaries to 2e-6."""
    mine = state.sketch()
    assert sketch.hits.sum() > 0
    for name in ("hits", "counted", "objects", "classes"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(sketch, name))
    assert mine.summary == sketch.summary
    for name, value in sketch.summary.items():
        assert float(state.summary()[name]) == pytest.approx(value, abs=2e-6, nan_ok=True)
    np.testing.assert_allclose(state.average_precision(), sketch.average_precision(), atol=2e-6)


@both_modes
@pytest.mark.parametrize("seed", range(2))
def test_histograms_equal_sketch_of_evaluator(x64, seed):
    targets, detections = random_tables(seed)  # integer corners, equal scores and overlaps, crowds
    ignore = np.random.default_rng(seed).random(len(targets.labels)) < 0.1
    targets = dataclasses.replace(targets, ignore=ignore)
    with jax.enable_x64(x64):
        assert_same(in_jax(targets, detections), on_host(float32(targets), float32(detections)))
        assert in_jax(targets, detections).hits.dtype == (jnp.int64 if x64 else jnp.int32)


@pytest.mark.parametrize(("bins", "error", "x64"), [(64, 2e-2, False), (1024, 2e-3, False), (4096, 5e-4, True)])
def test_ap_error_by_number_of_bins(bins, error, x64):
    targets, detections = untied()
    if not x64:
        targets, detections = float32(targets), float32(detections)
    exact = detection.evaluate(targets, detections).summary
    with jax.enable_x64(x64):
        state = in_jax(targets, detections, bins=bins, images=300, step=100, capacity=(20, 200))
        assert_same(state, on_host(targets, detections, bins=bins))
        assert 0.05 < exact["AP"] < 0.95
        assert float(state.compute()["AP"]) == pytest.approx(exact["AP"], abs=error)
        for name, value in state.compute().items():
            assert float(value) == pytest.approx(exact["AR100" if name == "AR" else name], abs=error)


def test_histograms_do_not_depend_on_batch_size():
    targets, detections = random_tables()
    whole = in_jax(targets, detections, step=IMAGES)
    for step in (1, 7):
        parts = in_jax(targets, detections, step=step)
        for name in ("hits", "counted", "objects"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@both_modes
def test_iou_equal_to_threshold_matches(x64):
    # An IoU of k / 100 reaches every threshold up to k / 100, as in pycocotools.
    heights = np.arange(45.0, 101.0)
    targets = Targets(np.tile([0.0, 0, 10, 100], (56, 1)), np.zeros(56, int), np.arange(56))
    boxes = np.stack([0 * heights, 0 * heights, 0 * heights + 10, heights], axis=1)
    ends = np.asarray([0.0, *histograms.edges(0.0, 1.0, 64)])
    detections = Detections(boxes, (ends[:56] + ends[1:57]) / 2, np.zeros(56, int), np.arange(56))  # one in each bin
    with jax.enable_x64(x64):
        state = in_jax(targets, detections, classes=1, images=56, step=56, capacity=(1, 1))
    matched = [[round(height) >= 50 + 5 * k for height in heights] for k in range(10)]

    np.testing.assert_array_equal(state.hits[:, 0, :56], matched)


@pytest.mark.parametrize("format", ["xyxy", "yxyx", "xywh", "cxcywh"])
def test_histograms_in_every_box_format(format):
    targets, detections = random_tables(3)
    options = {"format": format, "offset": 1 if format == "yxyx" else 0}
    assert_same(in_jax(targets, detections, **options), on_host(targets, detections, **options))


@pytest.mark.parametrize("limit", [100, 3, None])
def test_max_detections_equals_sketch_of_evaluator(limit):
    targets, detections = random_tables(1)
    # 600 detections of 4 classes in 3 images: more than a hundred of some class in an image, fewer of others.
    skewed = np.minimum(detections.labels, np.arange(600) % 2)
    targets = dataclasses.replace(targets, images=targets.images % 3)
    detections = dataclasses.replace(detections, images=detections.images % 3, labels=skewed)
    protocol = dataclasses.replace(COCO, max_detections=(limit,))
    state = in_jax(targets, detections, images=3, step=3, capacity=(64, 256), protocol=protocol)

    assert_same(state, on_host(targets, detections, protocol=protocol))
    assert np.bincount(detections.images * 4 + skewed).max() > (limit or 0)


LEFT, RIGHT, BOTH = [0.0, 0, 10, 10], [10.0, 0, 20, 10], [5.0, 0, 15, 10]


@pytest.mark.parametrize(
    ("objects", "more", "detections", "hits", "counted"),
    [
        # BOTH has an IoU of 1/3 with either: it matches the later object, so that RIGHT is matched or still free.
        ([LEFT, RIGHT], {}, [BOTH, RIGHT], 1, 2),
        ([RIGHT, LEFT], {}, [BOTH, RIGHT], 2, 2),
        # Each detection matches the object of highest IoU, not the first.
        ([LEFT, BOTH], {}, [BOTH, LEFT], 2, 2),
        # Objects that are not ignored are preferred, whatever the IoU.
        ([LEFT, BOTH], {"ignore": [0, 1]}, [BOTH], 1, 1),
        ([LEFT, BOTH], {"iscrowd": [0, 1]}, [BOTH], 1, 1),
        # An ignored object is matched once, a crowd any number of times.
        ([LEFT], {"ignore": [1]}, [LEFT, LEFT], 0, 1),
        ([LEFT], {"iscrowd": [1]}, [LEFT, LEFT], 0, 0),
        # The overlap with a crowd is intersection over detection area: 1/2, not 1/3.
        ([LEFT], {"iscrowd": [1]}, [BOTH, RIGHT], 0, 1),
    ],
)
def test_hits_and_counted_detections_by_hand(objects, more, detections, hits, counted):
    low = dataclasses.replace(COCO, iou_thresholds=(0.3, 0.45))
    truth = {"boxes": [objects], "labels": [[0] * len(objects)]} | {name: [x] for name, x in more.items()}
    scores = [[0.75, 0.25][: len(detections)]]
    state = DetectionAP.empty(1, bins=2, protocol=low)
    state = state.update(truth, {"boxes": [detections], "labels": [[0] * len(detections)], "scores": scores})

    assert (int(state.hits[0].sum()), int(state.counted[0].sum())) == (hits, counted)


def test_area_range_of_objects_and_detections():
    targets, detections = random_tables(4)
    areas = np.random.default_rng(0).integers(1, 900, len(targets.labels)).astype(float)
    targets = dataclasses.replace(targets, area=areas)
    small = dataclasses.replace(COCO, area_ranges=(detection.AreaRange("small", 100.0, 400.0, ""),))
    state = in_jax(targets, detections, protocol=small)

    assert_same(state, on_host(targets, detections, protocol=small))
    assert state.objects.sum() < in_jax(targets, detections).objects.sum()
    # Objects and unmatched detections of an area above 1e10 are outside COCO's range.
    wide = jnp.asarray([[[0.0, 0, 2e5, 2e5]]])
    beyond = {"boxes": wide, "labels": jnp.asarray([[0]])}
    state = DetectionAP.empty(1).update(beyond, {"boxes": wide + 1e6, "scores": jnp.ones((1, 1)), "labels": [[0]]})
    assert (int(state.objects.sum()), int(state.counted.sum())) == (0, 0)


def test_where_and_unknown_labels_exclude_rows():
    targets, detections = random_tables()
    truth, preds = padded(targets, range(IMAGES)), padded(detections, range(IMAGES))
    half = jnp.arange(IMAGES) % 2 == 0

    def kept(table):
        return table | {"where": jnp.broadcast_to(half[:, None], table["labels"].shape)}

    def marked(table):
        return table | {"labels": jnp.where(half[:, None], table["labels"], 99)}

    empty = DetectionAP.empty(CLASSES, bins=64)
    expected = empty.update(truth, preds, where=half)
    picked = Evaluator(classes=range(CLASSES))
    picked.update(targets, detections, images=range(0, IMAGES, 2))
    assert_same(expected, detection.sketch(picked.state, bins=64))
    for state in (empty.update(kept(truth), kept(preds)), empty.update(marked(truth), marked(preds))):
        for name in ("hits", "counted", "objects"):
            np.testing.assert_array_equal(getattr(state, name), getattr(expected, name))


@pytest.mark.parametrize(("objects", "detected"), [(100, 7), (100, 29), (100, 57), (50, 7), (10, 3), (7, 7)])
def test_recall_in_float32_equals_float64(objects, detected):
    # 7 / 100 is below 7 * 0.01 in float64, though not in float32: the result is that of float64.
    boxes = np.tile([0.0, 0, 9, 9], (objects, 1))
    truth = Targets(boxes, np.zeros(objects, int), np.arange(objects))
    hits = Detections(boxes[:detected], np.full(detected, 0.5), np.zeros(detected, int), np.arange(detected))
    state = in_jax(truth, hits, classes=1, images=objects, step=objects, capacity=(1, 1))

    assert float(state.compute()["AP"]) == pytest.approx(detection.evaluate(truth, hits).summary["AP"], abs=1e-6)


def test_counts_beyond_float32():
    # One hit of the best score, then more false positives than float32 can count one by one.
    state = DetectionAP.empty(1, bins=2)
    many = state.counted.at[:, 0, 0].set(2**24 + 1).at[:, 0, 1].set(1)
    state = dataclasses.replace(state, counted=many, hits=state.hits.at[:, 0].set(1), objects=state.objects + 2)

    assert float(state.compute()["AP"]) == pytest.approx(state.sketch().summary["AP"], rel=1e-6)
    batch = {"boxes": [[[0.0, 0, 1, 1]]], "labels": [[0]]}
    more = state.update(batch, batch | {"scores": [[0.1]]})
    assert int(more.counted[0, 0, 0]) == 2**24 + 2


@pytest.mark.parametrize("side", ["targets", "detections", "images"])
def test_update_without_rows_or_images(side):
    one = {"boxes": jnp.asarray([[[0.0, 0, 9, 9]]]), "labels": jnp.asarray([[0]])}
    detections = one | {"scores": jnp.asarray([[0.5]])}
    cut = (lambda x: x[:0]) if side == "images" else (lambda x: x[:, :0])
    truth = jax.tree.map(cut, one) if side != "detections" else one
    detections = jax.tree.map(cut, detections) if side != "targets" else detections
    state = DetectionAP.empty(1, bins=4).update(truth, detections)

    assert int(state.objects[0]) == (side == "detections")
    assert int(state.counted[0].sum()) == (side == "targets")
    assert int(state.hits.sum()) == 0
    assert float(state.compute()["AP"]) == (0 if side == "detections" else pytest.approx(NAN, nan_ok=True))


def test_scores_beyond_range_are_in_outer_bins():
    boxes = jnp.asarray([[[0.0, 0, 9, 9]] * 6])
    scores = jnp.asarray([[-5.0, 0.0, 0.999, 1.0, jnp.inf, NAN]])
    nothing = {"boxes": jnp.zeros((1, 0, 4)), "labels": jnp.zeros((1, 0), int)}
    state = DetectionAP.empty(1, bins=4).update(
        nothing, {"boxes": boxes, "scores": scores, "labels": jnp.zeros((1, 6), int)}
    )
    assert state.counted[0, 0].tolist() == [3, 0, 0, 3]
    wide = DetectionAP.empty(1, bins=4, low=-6, high=2).update(
        nothing, {"boxes": boxes[:, :4], "scores": scores[:, :4], "labels": jnp.zeros((1, 4), int)}
    )
    # Two bins begin at equal distances, at -6 and -2; two close in, from 2 - 8 (2/3)^4 and 2 - 8 (1/3)^4.
    assert wide.counted[0, 0].tolist() == [1, 1, 2, 0]


def test_nan_boxes_are_false_positives():
    truth = {"boxes": jnp.asarray([[[0.0, 0, 9, 9]]]), "labels": jnp.asarray([[0]])}
    detections = {"boxes": jnp.full((1, 1, 4), NAN), "scores": jnp.asarray([[0.5]]), "labels": jnp.asarray([[0]])}

    assert float(DetectionAP.empty(1).update(truth, detections).compute()["AP"]) == 0


ROWS = {"boxes": np.zeros((2, 3, 4)), "labels": np.zeros((2, 3), int)}
DETECTIONS = ROWS | {"scores": np.zeros((2, 3))}


def update(targets=ROWS, detections=DETECTIONS, **more):
    return DetectionAP.empty(2).update(targets, detections, **more)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: DetectionAP.empty(0), ValueError, "`classes` must be a positive integer, got 0"),
        (lambda: DetectionAP.empty(2, bins=2.5), ValueError, "`bins` must be a positive integer, got 2.5"),
        (lambda: DetectionAP.empty(2, low=1), ValueError, "`low` must be below `high`, got 1 and 1.0"),
        (lambda: DetectionAP.empty(2, format="rel_xyxy"), ValueError, "`format` must be one of 'xyxy', 'yxyx', 'xywh'"),
        (lambda: DetectionAP.empty(2, protocol="pascal"), ValueError, "`protocol` must be one of 'coco'"),
        (
            lambda: DetectionAP.empty(2, protocol="voc2010"),
            ValueError,
            "`protocol` must have COCO's rules but for iou_thresholds, singled_out, recall_points, ",
        ),
        (
            lambda: update(detections=ROWS),
            ValueError,
            "`detections` must be a dict with the keys ['boxes', 'scores', 'labels'], and if wanted ['where'], got",
        ),
        (lambda: update(ROWS | {"valid": 1}), ValueError, "`targets` must be a dict with the keys"),
        (lambda: update([]), ValueError, "`targets` must be a dict with the keys"),
        (
            lambda: update(ROWS | {"labels": np.zeros(3, int)}),
            ValueError,
            "`targets['labels']` must have shape (images, boxes), got (3,)",
        ),
        (
            lambda: update(ROWS | {"boxes": np.zeros((2, 4, 4))}),
            ValueError,
            "`targets['boxes']` must have shape (2, 3, 4), as there are labels, got (2, 4, 4)",
        ),
        (
            lambda: update(ROWS | {"labels": np.zeros((2, 3))}),
            TypeError,
            "`targets['labels']` must hold integers, got dtype float32",
        ),
        (
            lambda: update(ROWS | {"where": np.zeros((2, 3), int)}),
            TypeError,
            "`targets['where']` must hold booleans, got dtype int32",
        ),
        (
            lambda: update(detections={name: x[:1] for name, x in DETECTIONS.items()}),
            ValueError,
            "`detections` must have as many images as `targets`, 2, got 1",
        ),
        (
            lambda: update(where=[True]),
            ValueError,
            "`where` must hold booleans of shape (2,), got dtype bool and shape (1,)",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error) as raised:
        call()

    assert message in str(raised.value)


def test_masked_labels_are_refused_by_name():
    boxes = np.asarray([[[0.0, 0, 2, 2]]], np.float32)
    targets = {"boxes": boxes, "labels": np.ma.masked_array([[0]], [[True]])}
    with pytest.raises(TypeError, match=r"`targets\['labels'\]` is a masked array"):
        DetectionAP.empty(2).update(
            targets, {"boxes": boxes, "labels": np.asarray([[0]]), "scores": np.asarray([[0.5]])}
        )
