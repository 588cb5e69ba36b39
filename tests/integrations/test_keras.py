"""Every public loss and metric of the Keras adapter, on the backend that KERAS_BACKEND names.

The expected values are the same for all backends. `test_keras_*.py` test training, the callback, its data sources and
the differences from KerasCV.
"""

import json
import math

import keras
import numpy as np
import pytest
from keras.src.backend import set_keras_mask

import omniou_integrations.keras as adapter
from omniou import scores
from omniou_integrations.keras import BoxIoU, CIoULoss, DIoULoss, GIoULoss, IoULoss
from tests.hand_worked import PRED, TARGET
from tests.integrations.keras_cases import (
    BACKEND,
    CASES,
    DIOU,
    GIOU,
    IOU,
    LOSSES,
    SOME,
    compiled,
    gradient,
    numbers,
    random_boxes,
    tensor,
)

# Keras converts torch tensors and its variables by `__array__`, which lacks NumPy's argument `copy`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
some_cases = pytest.mark.parametrize("case", SOME.values(), ids=SOME)
every_loss = pytest.mark.parametrize("case", LOSSES.values(), ids=LOSSES)


def test_cases_cover_every_public_loss_and_metric():
    kinds = (keras.losses.Loss, keras.metrics.Metric)
    public = {getattr(adapter, name) for name in adapter.__all__}
    # Of label maps and masks there are tests of their own.
    covered = {case.make for case in CASES.values()} | {
        adapter.BinaryIoU,
        adapter.MeanIoU,
        adapter.SegmentationScore,
        *(getattr(adapter, name) for name in adapter.__all__ if name.startswith("Mask")),
    }
    assert {x for x in public if issubclass(x, kinds)} == covered
    assert {f"{score.label}Loss" for score in scores.values()} == {case.make.__name__ for case in LOSSES.values()}


@every_case
def test_losses_and_metrics_by_hand(case):
    mean = case.mean()
    alone = [float(mean(tensor(TARGET), tensor(PRED), tensor(weight))) for weight in np.eye(4)]

    assert alone == pytest.approx(case.values, abs=1e-6)
    assert float(mean(tensor(TARGET), tensor(PRED))) == pytest.approx(sum(case.values) / 4, abs=1e-6)


def masked(mean, target, pred, mask, weight):
    pred = pred * 1.0  # a mask belongs to one tensor
    set_keras_mask(pred, mask)
    return mean(target, pred, weight)


# Of each of two samples the mask excludes the second box, a weight of 0 the third; both are NaN.
MASK, WEIGHT = np.asarray([[1, 0, 1]] * 2, bool), np.asarray([[1.0, 1, 0], [2, 1, 0]])


def padded(x):
    x = np.stack([x[:3]] * 2).astype(np.float32)
    x[:, 1:] = np.nan
    return tensor(x)


@some_cases
def test_masks_and_weights_exclude_nan_boxes(case):
    actual = masked(case.mean(), padded(TARGET), padded(PRED), tensor(MASK, "bool"), tensor(WEIGHT))

    assert float(actual) == pytest.approx(case.values[0], abs=1e-6)


def test_compiled_equals_hand_worked_values():
    # One function for all cases: torch takes seconds for each that it compiles.
    means = [case.mean() for case in CASES.values()]
    args = tensor(TARGET), tensor(PRED), tensor([0, 1, 2, 1])
    actual = compiled(lambda *args: [mean(*args) for mean in means])(*args)
    expected = [(b + 2 * c + d) / 4 for _, b, c, d in (case.values for case in CASES.values())]
    assert list(map(float, actual)) == pytest.approx(expected, abs=1e-6)

    args = padded(TARGET), padded(PRED), tensor(MASK, "bool"), tensor(WEIGHT)
    actual = compiled(lambda *args: [masked(mean, *args) for mean in means])(*args)
    assert list(map(float, actual)) == pytest.approx([case.values[0] for case in CASES.values()], abs=1e-6)


@some_cases
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"format": "cxcywh", "offset": 1.0},
        {"format": "rel_xywh", "image_size": (20, 30)},
        {"format": "xyzxyz"},
        {"eps": 1e-3},
    ],
    ids=" ".join,
)
def test_losses_and_metrics_equal_functions(case, options):
    axes = 6 if options.get("format") == "xyzxyz" else 4
    pred, target = random_boxes(5, 7, seed=1), random_boxes(5, 7, seed=2)
    if axes == 6:
        if 3 not in (case.declared.dimensions or (3,)):
            pytest.skip("the score is of two dimensions")
        pred, target = (np.concatenate([x[..., :2], x[..., :1], x[..., 2:], x[..., 2:3]], -1) for x in (pred, target))
        options = {**options, **({"image_size": (20, 30, 40)} if case.declared.of_image else {})}
    more = {name: value for name, value in case.options.items() if name != "score"}
    expected = case.function(pred.astype(np.float64), target.astype(np.float64), **{**more, **options})

    assert float(case.mean(**options)(tensor(target), tensor(pred))) == pytest.approx(expected.mean(), rel=1e-4)
    if case.is_loss:
        assert numbers(case.build(reduction=None, **options)(target, pred)) == pytest.approx(
            expected, rel=1e-5, abs=1e-4
        )


@some_cases
def test_sums_over_batches_equal_one_batch(case):
    pred, target = random_boxes(11, 3, seed=1), random_boxes(11, 3, seed=2)
    weight = np.random.default_rng(3).uniform(0, 2, (11, 3))
    parts = [slice(0, 4), slice(4, 5), slice(5, 11)]
    if case.is_loss:
        total = case.build(reduction="sum")
        in_steps = sum(float(total(target[i], pred[i], weight[i])) for i in parts)
        assert in_steps == pytest.approx(float(total(target, pred, weight)), rel=1e-5)
        return
    whole, first, second = case.build(), case.build(), case.build()
    whole.update_state(target, pred, weight)
    for metric, i in zip((first, second, first), parts, strict=True):
        metric.update_state(target[i], pred[i], weight[i])
    merged = case.build()
    for variable, *others in zip(merged.variables, first.variables, second.variables, strict=True):
        variable.assign(others[0] + others[1])

    assert float(merged.result()) == pytest.approx(float(whole.result()), rel=1e-5)
    merged.reset_state()
    assert math.isnan(float(merged.result()))


@every_case
@pytest.mark.parametrize(
    "options",
    [{}, {"format": "rel_cxcywh", "image_size": (3, 4), "eps": 1e-7, "offset": 1.0, "name": "a", "dtype": "float16"}],
    ids=["plain", "all"],
)
def test_serialize_round_trip(case, options):
    original = case.build(**options)
    kind = keras.losses if case.is_loss else keras.metrics
    restored = kind.deserialize(json.loads(json.dumps(kind.serialize(original))))

    assert type(restored) is type(original)
    assert restored.get_config() == original.get_config()
    assert (restored.options, restored.dtype, restored.name) == (original.options, original.dtype, original.name)


@some_cases
@pytest.mark.parametrize(
    ("dtype", "computed"),
    [
        ("float16", "float16"),
        ("bfloat16", "bfloat16"),
        ("float64", "float64"),
        ("mixed_float16", "float16"),
        (keras.DTypePolicy("mixed_bfloat16"), "bfloat16"),
    ],
    ids=str,
)
def test_dtype_of_result(case, dtype, computed):
    if dtype == "float64" and BACKEND == "jax":
        pytest.skip("JAX has no float64 unless it is switched on")
    scale = 100 if case.declared.scale_free else 1  # areas up to 80,000
    target, pred = scale * np.asarray(TARGET), scale * np.asarray(PRED)
    # Keras' own reduction on torch turns float64 into float32.
    actual = (
        case.build(reduction=None, dtype=dtype)(target, pred) if case.is_loss else case.mean(dtype=dtype)(target, pred)
    )

    assert keras.backend.standardize_dtype(actual.dtype) == computed
    assert numbers(actual).mean() == pytest.approx(sum(case.values) / 4, rel=1e-2)


@some_cases
def test_bfloat16_predictions_give_float32_result(case):
    # As from a model under a mixed policy. The values are exact in bfloat16, and the loss stays in float32.
    actual = case.mean()(tensor(TARGET), tensor(PRED, "bfloat16"))

    assert keras.backend.standardize_dtype(actual.dtype) == "float32"
    assert float(actual) == pytest.approx(sum(case.values) / 4, abs=1e-6)


def test_float16_metric_keeps_float32_state():
    # float16 cannot represent 3001, 3003 or 4503.
    metric = BoxIoU(dtype="float16")
    for _ in range(3):
        metric.update_state(np.tile([3001.0, 0, 3004, 2], (1501, 1)), np.tile([3001.0, 0, 3003, 2], (1501, 1)))

    assert float(metric.count) == 4503
    assert float(metric.result()) == pytest.approx(2 / 3, abs=1e-3)


@every_loss
def test_mask_averages_over_unmasked_boxes(case):
    pred, target = tensor([PRED[:2], PRED[:2]]), tensor([TARGET[:2], TARGET[:2]])
    set_keras_mask(pred, tensor([[True, True], [True, False]], "bool"))

    a, b = case.values[:2]
    assert float(case.build()(target, pred)) == pytest.approx((a + b + a) / 3, rel=1e-5)


@some_cases
@pytest.mark.parametrize("shape", [(2,), (2, 1), (2, 3), (2, 3, 1)])
def test_sample_weights_of_any_shape(case, shape):
    pred, target = np.stack([np.tile(x, (3, 1)) for x in PRED[:2]]), np.stack([np.tile(x, (3, 1)) for x in TARGET[:2]])
    weight = np.zeros(shape) + np.asarray([3, 1]).reshape(2, *[1] * (len(shape) - 1))

    actual = case.mean()(tensor(target), tensor(pred), tensor(weight))
    assert float(actual) == pytest.approx((3 * case.values[0] + case.values[1]) / 4, rel=1e-5)


@every_loss
def test_gradients_equal_finite_differences(case):
    if case.declared.name == "wiou":
        pytest.skip("its gradient holds the diagonal of the hull constant")
    pred, target = random_boxes(6, seed=5), random_boxes(6, seed=6)
    target[:3] = pred[:3] + 3.0  # half of them overlap
    actual = gradient(case.build(reduction=None), target, pred)

    options = case.options | ({"detach_alpha": False} if case.make is CIoULoss else {})
    if case.make is CIoULoss:
        actual = gradient(CIoULoss(reduction=None, detach_alpha=False), target, pred)
    for k in range(4):
        step = 1e-4 * np.eye(4)[k]
        up, down = (case.function(pred.astype(np.float64) + s, target, **options) for s in (step, -step))
        assert actual[:, k] == pytest.approx((up - down) / 2e-4, abs=2e-5)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        # 1 - I/U and 1 - I/U + 1 - U/C by hand, where I = 4, U = 10, C = 12: one step of x1 makes the union 2 smaller
        # and the hull 3, of x2 larger; one of y2 makes the intersection 2 larger and the union 2. y1 is shared.
        (IoULoss(reduction=None), [-0.08, None, 0.08, -0.12]),
        (GIoULoss(reduction=None), [-0.08 + 2 / 12 - 30 / 144, None, 0.08 - 2 / 12 + 30 / 144, -0.12 - 2 / 12]),
        # Gradients of torchvision, which detaches alpha, and of Keras' own function, which does not.
        (CIoULoss(reduction=None), [-0.08328, -0.02584, 0.08328, -0.15296]),
        (CIoULoss(reduction=None, detach_alpha=False), [-0.08687, -0.01440, 0.08687, -0.16108]),
    ],
    ids=["iou", "giou", "ciou", "ciou attached"],
)
def test_gradients_by_hand(loss, expected):
    (actual,) = gradient(loss, TARGET[:1], PRED[:1])

    for ours, theirs in zip(actual, expected, strict=True):
        assert theirs is None or ours == pytest.approx(theirs, abs=1e-5)


@every_loss
def test_gradients_of_degenerate_boxes_are_finite(case):
    edges = [*PRED[1:], [5, 5, 5, 9], [9, 9, 5, 5], [1, 1, 2, 3], [0, 0, 1e-6, 1e-6], [0, 0, 1e6, 1e6]]
    targets = [*TARGET[1:], [5, 5, 5, 9], [5, 5, 9, 9], [1, 1, 2, 3], [0, 0, 1e-6, 2e-6], [0, 0, 1e6, 2e6]]
    actual = gradient(case.build(reduction=None), targets, edges)

    assert np.isfinite(actual).all()
    # Perfect matches and a point on a point: exactly 0, however the backend differentiates ties.
    assert not actual[[1, 2, 5] if case.make.score.symmetric else [2]].any()


@every_loss
def test_gradient_of_weightless_boxes_is_zero(case):
    pred, target = np.asarray(PRED, np.float32), np.asarray(TARGET, np.float32)
    pred[1], target[2] = np.nan, np.nan
    loss = case.build(reduction=None)
    actual = gradient(lambda target, pred: loss(target, pred, np.asarray([1, 0, 0, 1])), target, pred)

    assert np.isfinite(actual).all()
    assert actual[0].any()
    assert not actual[[1, 2]].any()


def test_losses_equal_keras_functions_on_regular_boxes():
    pred, target = random_boxes(50, seed=1), random_boxes(50, seed=2)
    bounding_boxes = keras.utils.bounding_boxes

    iou = numbers(bounding_boxes.compute_iou(pred, target, "xyxy"))
    ciou = numbers(bounding_boxes.compute_ciou(pred, target, "xyxy"))

    assert numbers(IoULoss(reduction=None)(target, pred)) == pytest.approx(1 - np.diag(iou), abs=1e-5)
    assert numbers(CIoULoss(reduction=None)(target, pred)) == pytest.approx(1 - ciou, abs=1e-5)


def test_losses_with_options():
    relative = {"format": "rel_xywh", "image_size": (10, 30)}
    target, pred = [[0.1, 0.1, 0.2, 0.1]], [[0.1, 0.1, 0.2, 0.2]]

    assert float(IoULoss(**relative)(target, pred)) == pytest.approx(0.5)
    assert float(IoULoss("xywh", log=True)(target, pred)) == pytest.approx(0.693147, abs=1e-6)
    assert float(IoULoss(log=True, floor=1e-2)([[5, 5, 6, 6]], [[0, 0, 1, 1]])) == pytest.approx(4.605170, abs=1e-5)
    assert float(GIoULoss(offset=1)([[0, 0, 0, 0]], [[0, 0, 0, 0]])) == 0
    assert float(DIoULoss(eps=1.0)([[0, 0, 1, 1]], [[0, 0, 1, 1]])) == 0.5
    assert numbers(GIoULoss("xx", reduction=None)([[[0, 2], [1, 2]]], [[[0, 1], [1, 2]]])).tolist() == [[0.5, 0]]


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("sum_over_batch_size", (0.6 + 3 * 1) / 4),
        ("mean", (0.6 + 3 * 1) / 4),
        ("sum", 0.6 + 3 * 1),
        ("mean_with_sample_weight", (0.6 + 3 * 1) / 4),
        ("none", [[0.6, 0], [0, 3]]),
    ],
)
def test_reductions_with_weights(reduction, expected):
    actual = IoULoss(reduction=reduction)([TARGET[:2]] * 2, [PRED[:2]] * 2, [[1.0, 0], [0, 3]])

    assert numbers(actual) == pytest.approx(np.asarray(expected), rel=1e-6)


def test_metric_names():
    assert [BoxIoU().name, BoxIoU(score="giou").name, BoxIoU(name="mine").name] == ["box_iou", "box_giou", "mine"]


@pytest.mark.parametrize(("score", "values"), [("iou", IOU), ("giou", GIOU), ("diou", DIOU)])
def test_metric_state_is_sum_and_count(score, values):
    metric = BoxIoU(score=score)
    metric.update_state(TARGET, PRED)
    metric.update_state([TARGET[:2]], [PRED[:2]], [[0.0, 2.0]])

    assert float(metric.total) == pytest.approx(sum(values) + 2 * values[1], abs=1e-6)
    assert float(metric.count) == 6


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: GIoULoss("xxyy"), ValueError, "`format` must be one of"),
        (lambda: GIoULoss("rel_xyxy"), ValueError, "`image_size` must be given as (height, width)"),
        (lambda: GIoULoss(eps=-1), ValueError, "`eps` must be finite and at least 0"),
        (lambda: IoULoss(floor=2.0), ValueError, "`floor` must be above 0 and below 1"),
        (lambda: GIoULoss(formats="xyxy"), TypeError, "formats"),
        (lambda: GIoULoss()([[1.0, 2, 3]], [[1.0, 2, 3]]), ValueError, "must have shape (..., 2 or 4 or 6)"),
        (lambda: GIoULoss()(TARGET, PRED[:3]), ValueError, "leading axes must broadcast"),
        (lambda: BoxIoU(score="iouu"), ValueError, "`score` must be one of 'iou', 'iof', "),
        (lambda: BoxIoU("xxyy"), ValueError, "`format` must be one of"),
    ],
)
def test_invalid_options_raise(call, error, message):
    with pytest.raises(error) as raised:
        call()

    assert message in str(raised.value)


def test_option_of_keras_names_ours():
    """`bounding_box_format` is the word of KerasCV."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'bounding_box_format'"):
        GIoULoss(bounding_box_format="xyxy")


@every_case
def test_options_of_numpy_are_saved_as_numbers(case):
    kinds = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}
    expected = case.build().get_config()
    own = {name: x for name, x in expected.items() if name not in {"name", "dtype", "reduction"}}
    made = case.make(**{name: kinds.get(type(x), np.asarray)(x) for name, x in own.items() if x is not None})
    assert json.dumps(made.get_config()) == json.dumps(expected)


def test_options_of_metrics_of_label_maps_are_saved_as_numbers():
    given = {"num_classes": np.int64(2), "score": np.str_("dice"), "ignore_class": np.asarray([255], "uint8")}
    made = adapter.SegmentationScore(**given, sparse_y_true=np.True_, axis=np.int8(-1))
    expected = adapter.SegmentationScore(num_classes=2, score="dice", ignore_class=[255])
    assert json.dumps(made.get_config()) == json.dumps(expected.get_config())
    made = adapter.BinaryIoU(target_class_ids=np.asarray([1]), threshold=np.float32(0.5), ignore_class=np.uint8(255))
    expected = adapter.BinaryIoU(target_class_ids=[1], threshold=0.5, ignore_class=255)
    assert json.dumps(made.get_config()) == json.dumps(expected.get_config())
    options = {
        "ignore_index": np.uint8(255),
        "class_weight": np.asarray([1.0, 2.0]),
        "smooth": np.float32(1),
        "name": "dice",
    }
    made = adapter.MaskDiceLoss(**options)
    expected = adapter.MaskDiceLoss(ignore_index=255, class_weight=[1.0, 2.0], smooth=1.0, name="dice")
    assert json.dumps(made.get_config()) == json.dumps(expected.get_config())
