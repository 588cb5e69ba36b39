"""Conventions against the libraries that they describe: scores, losses, gradients, and what their examples say."""

import math
import os

import numpy as np
import pytest

from omniou import boxes, conventions, losses, pairwise, rotated, segmentation
from tests.oracles import peer_sources

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning:monai", "ignore::DeprecationWarning", "ignore::FutureWarning"
)
SIZES = {"satellite": 2e4, "pixels": 640.0, "normalised": 1.0, "small": 0.03}


@pytest.fixture(params=SIZES)
def sets(request):
    """Pairs of boxes as float64 tensors, of which many overlap; the smallest have sides of 1e-3."""
    rng, size = np.random.default_rng(0), SIZES[request.param]
    low = rng.uniform(0, 0.6 * size, (2, 50, 2))
    side = rng.uniform(0.03 * size, 0.6 * size, (2, 50, 2))
    return [torch.tensor(x) for x in np.concatenate([low, low + side], axis=-1)]


def paired(function, a, b):
    """The diagonal of a function of all pairs."""
    return function(a, b).diagonal()


def assert_equal(ours, theirs, **slack):
    torch.testing.assert_close(ours, theirs.to(ours.dtype), **{"rtol": 1e-9, "atol": 1e-12} | slack)


def with_gradient(loss, pred, target):
    p = pred.clone().requires_grad_()
    value = loss(p, target)
    return value, torch.autograd.grad(value.sum(), p)[0]


def assert_equal_losses(ours, theirs, pred, target, **slack):
    for x, y in zip(with_gradient(ours, pred, target), with_gradient(theirs, pred, target), strict=True):
        assert_equal(x, y.detach(), **slack)


def of(name, function):
    """A function of omniou with the options of a convention."""
    options = conventions[name].of(function)
    return lambda *args: function(*args, **options)


@pytest.fixture(scope="module")
def ops():
    return pytest.importorskip("tests.torchvision_ops", reason="torchvision is not installed").ops


def test_torchvision_scores(ops, sets):
    a, b = sets
    for ours, theirs in ((boxes.iou, ops.box_iou), (boxes.giou, ops.generalized_box_iou)):
        assert_equal(of("torchvision", ours)(a, b), paired(theirs, a, b))
    # 1e-7 in the squared diagonal, which is at least 1e-6 here.
    small = float((a[:, 2:] - a[:, :2]).min()) < 0.01
    slack = {"atol": 1e-1 if small else 1e-4}
    for ours, theirs in ((boxes.diou, ops.distance_box_iou), (boxes.ciou, ops.complete_box_iou)):
        assert_equal(of("torchvision", ours)(a, b), paired(theirs, a, b), **slack)
    example = conventions["torchvision"].examples[1]
    a, b = (torch.tensor([x]).double() for x in example.arguments)
    assert ops.distance_box_iou(a, b).item() == pytest.approx(example.value, abs=1e-9)


def test_torchvision_losses_and_gradients(ops, sets):
    for ours, theirs in (
        (losses.giou, ops.generalized_box_iou_loss),
        (losses.diou, ops.distance_box_iou_loss),
        (losses.ciou, ops.complete_box_iou_loss),
    ):
        assert_equal_losses(of("torchvision", ours), theirs, *sets, rtol=1e-7)


def test_monai_scores(sets):
    box_utils = pytest.importorskip("monai.data.box_utils", reason="MONAI is not installed")
    a, b = sets
    for ours, theirs in ((boxes.iou, box_utils.box_iou), (boxes.giou, box_utils.box_giou)):
        assert_equal(of("monai", ours)(a.float(), b.float()), paired(theirs, a, b), rtol=2e-5, atol=2e-6)


@pytest.fixture(scope="module")
def keras():
    os.environ.setdefault("KERAS_BACKEND", "torch")  # its own choice would be TensorFlow
    return pytest.importorskip("keras", reason="Keras is not installed")


def test_keras_scores(keras, sets):
    utils, ops = keras.utils.bounding_boxes, keras.ops
    a, b = (x.float() for x in sets)
    given = [ops.convert_to_tensor(x.numpy()) for x in (a, b)]
    theirs = torch.tensor(np.asarray(utils.compute_iou(*given, "xyxy"))).diagonal()
    assert_equal(of("keras", boxes.iou)(a, b), theirs, rtol=2e-6, atol=1e-6)
    theirs = torch.tensor(np.asarray(utils.compute_ciou(*given, "xyxy")))
    # A second 1e-7 in the union, and one on each height.
    side = float((a[:, 2:] - a[:, :2]).min())
    assert_equal(of("keras", boxes.ciou)(a, b), theirs, rtol=0, atol=1e-6 + 1e-6 / side + 1e-7 / side**2)
    pair = [ops.convert_to_tensor([x], "float32") for x in conventions["keras"].examples[1].arguments]
    theirs = float(utils.compute_ciou(*pair, "xyxy").reshape(()))
    assert theirs == pytest.approx(conventions["keras"].examples[1].value, rel=1e-5)


def test_keras_gradient_of_ciou(keras):
    """Alpha is not held constant."""
    if keras.config.backend() != "torch":
        pytest.skip("gradients by torch")
    a, b = torch.tensor([[0.0, 0.0, 4.0, 2.0]]), torch.tensor([[1.0, 0.0, 3.0, 3.0]])
    results = [
        with_gradient(f, a, b)[1]
        for f in (of("keras", boxes.ciou), lambda p, q: keras.utils.bounding_boxes.compute_ciou(p, q, "xyxy"))
    ]
    assert_equal(*results, rtol=1e-5, atol=1e-6)
    assert (results[0] - with_gradient(boxes.ciou, a, b)[1]).abs().max() > 1e-3


@pytest.fixture(scope="module")
def mmdet():
    """The functions of mmdetection's losses, and of its overlaps."""
    folder = "mmdet/models/losses"
    overlaps = peer_sources.run("mmdet", "mmdet/structures/bbox/bbox_overlaps.py")
    return peer_sources.run(
        "mmdet",
        f"{folder}/iou_loss.py",
        mmdet__registry={"MODELS": peer_sources.Registry},
        mmdet__structures__bbox={"bbox_overlaps": overlaps["bbox_overlaps"]},
        mmdet__models__losses__utils=peer_sources.run("mmdet", f"{folder}/utils.py"),
    )


def test_mmdet_scores(mmdet, sets):
    a, b = sets
    for ours, mode in ((boxes.iou, "iou"), (boxes.iof, "iof"), (boxes.giou, "giou")):
        theirs = mmdet["bbox_overlaps"](a, b, mode=mode, is_aligned=True)
        # Areas of 1e-6 and more.
        large = (a[:, 2:] - a[:, :2]).prod(-1) > 1e-6
        assert_equal(of("mmdet", ours)(a, b)[large], theirs[large])


def test_mmdet_losses_and_gradients(mmdet, sets):
    for name in ("iou", "giou", "diou"):
        ours = of("mmdet", getattr(losses, name))
        assert_equal_losses(
            ours, lambda p, q, name=name: mmdet[f"{name}_loss"](p, q, reduction="none"), *sets, rtol=1e-7
        )
    # Epsilon on the heights.
    side = float((sets[0][:, 2:] - sets[0][:, :2]).min())
    ours, theirs = of("mmdet", losses.ciou), lambda p, q: mmdet["ciou_loss"](p, q, reduction="none")
    inside = theirs(*sets) < 2.0 - 1e-6  # where it is not clamped
    assert inside.sum() > 30
    assert_equal(ours(*sets)[inside], theirs(*sets)[inside], rtol=0, atol=1e-6 / side if side < 1 else 1e-7)


def test_mmdet_example_of_tiny_boxes(mmdet):
    first, second = (torch.tensor([x]) for x in conventions["mmdet"].examples[2].arguments)
    theirs = mmdet["bbox_overlaps"](first.double(), second.double(), is_aligned=True)
    assert theirs.item() == pytest.approx(conventions["mmdet"].examples[2].value)


@pytest.mark.parametrize("size", [1.0, 100.0])
def test_mmrotate_loss_and_gradient(size):
    utils = peer_sources.run("mmdet", "mmdet/models/losses/utils.py")
    functions = peer_sources.run(
        "mmrotate",
        "mmrotate/models/losses/gaussian_dist_loss.py",
        mmdet__models__losses__utils=utils,
        mmrotate__models__builder={"ROTATED_LOSSES": peer_sources.Registry},
        mmrotate__models__losses={},
    )
    rng = np.random.default_rng(0)
    unit = np.asarray([size] * 4 + [1.0])
    pred, target = (torch.tensor(rng.uniform([0, 0, 1, 1, -3], [6, 6, 8, 8, 3], (50, 5)) * unit) for _ in range(2))

    def theirs(p, q):
        return functions["gwd_loss"](*map(functions["xy_wh_r_2_xy_sigma"], (p, q)), reduction="none")

    assert_equal_losses(of("mmrotate", losses.rotated.gwd), theirs, pred, target, rtol=1e-6, atol=1e-8)


def test_mmyolo_scores(sets):
    functions = peer_sources.run(
        "mmyolo",
        "mmyolo/models/losses/iou_loss.py",
        mmdet__models__losses__utils=peer_sources.run("mmdet", "mmdet/models/losses/utils.py"),
        mmdet__structures__bbox={"HorizontalBoxes": None},
        mmyolo__registry={"MODELS": peer_sources.Registry},
    )
    a, b = sets
    side = float((a[:, 2:] - a[:, :2]).min())
    for ours, mode, slack in ((boxes.iou, "iou", 1e-12), (boxes.ciou, "ciou", 1e-6 / min(side, 1.0))):
        theirs = functions["bbox_overlaps"](a, b, iou_mode=mode, bbox_format="xyxy")
        inside = theirs > -1 + 1e-6  # where it is not clamped
        assert inside.sum() > 30
        assert_equal(of("mmyolo", ours)(a, b)[inside], theirs[inside], rtol=1e-9, atol=slack)


@pytest.fixture(scope="module")
def keras_cv(keras):
    """The functions of its overlaps, on Keras 3: the package asks for TensorFlow."""
    return peer_sources.run(
        "keras_cv",
        "keras_cv/src/bounding_box/iou.py",
        keras_cv__src={"bounding_box": Corners},
        keras_cv__src__api_export={"keras_cv_export": lambda _: lambda x: x},
        keras_cv__src__backend={"keras": keras, "ops": keras.ops},
    )


class Corners:
    """KerasCV's formats, of corners: `yxyx` and `xyxy` have the same overlaps."""

    @staticmethod
    def is_relative(_):
        return False

    @staticmethod
    def convert_format(x, **_):
        return x


def test_keras_cv_scores(keras, keras_cv, sets):
    a, b = (keras.ops.convert_to_tensor(x.float().numpy()) for x in sets)
    theirs = np.asarray(keras_cv["compute_iou"](a, b, "xyxy"))
    ours = pairwise(boxes.iou, *(x.float() for x in sets), **conventions["keras_cv"])
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_examples_of_keras_cv(keras, keras_cv):
    tiny, aspect, _ = conventions["keras_cv"].examples
    a, b = (keras.ops.convert_to_tensor([x], "float32") for x in tiny.arguments)
    assert float(keras_cv["compute_iou"](a, b, "xyxy")[0, 0]) == pytest.approx(tiny.value, rel=1e-5)
    a, b = (keras.ops.convert_to_tensor([x], "float32") for x in aspect.arguments)
    assert 1 - float(keras_cv["compute_ciou"](a, b, "xyxy")[0]) == pytest.approx(aspect.value, rel=1e-5)


def test_supervision_and_pycocotools_scores(sets):
    supervision = pytest.importorskip("supervision", reason="supervision is not installed")
    coco = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")
    a, b = sets
    metric = supervision.OverlapMetric
    for ours, kind in ((boxes.iou, metric.IOU), (boxes.iomin, metric.IOS)):
        theirs = supervision.box_iou_batch(a.numpy(), b.numpy(), kind)
        actual = pairwise(ours, a, b, **conventions["supervision"].of(ours))
        np.testing.assert_allclose(actual.numpy(), theirs, rtol=1e-5, atol=1e-6)
    a, b = (boxes.convert(x, "xyxy", "xywh").numpy() for x in sets)
    for ours, crowd in ((boxes.iou, 0), (boxes.iof, 1)):
        theirs = coco.iou(a, b, np.full(len(b), crowd, dtype=np.uint8))
        actual = pairwise(ours, a, b, **conventions["pycocotools"].of(ours))
        np.testing.assert_allclose(actual, theirs, rtol=1e-9, atol=1e-12)


def test_powerboxes_scores(sets):
    powerboxes = pytest.importorskip("powerboxes", reason="powerboxes is not installed")
    a, b = (x.numpy() for x in sets)
    for ours, theirs in (
        (boxes.iou, powerboxes.iou_distance),
        (boxes.giou, powerboxes.giou_distance),
        (boxes.tiou, powerboxes.tiou_distance),
    ):
        actual = pairwise(ours, a, b, **conventions["powerboxes"].of(ours))
        np.testing.assert_allclose(1 - actual, theirs(a, b), rtol=1e-9, atol=1e-12)
    turned = np.random.default_rng(0).uniform([0, 0, 1, 1, -180], [5, 5, 6, 6, 180], (20, 5))
    own = rotated.convert(turned, "cxcywhr", "cxcywhr", **conventions["powerboxes"].angle)
    theirs = powerboxes.rotated_iou_distance(turned, turned[::-1].copy())
    np.testing.assert_allclose(1 - pairwise(rotated.iou, own, own[::-1]), theirs, rtol=0, atol=1e-6)


def iou_by_suppression(nms, low=0.0, high=1.0):
    """IoU of two boxes as a tool sees it: the lowest threshold at which both are kept."""
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if len(nms(middle)) == 2 else (middle, high)
    return high


def test_opencv_reads_corner_and_sides(sets):
    cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
    for pair in list(zip(*(boxes.convert(x, "xyxy", "xywh").tolist() for x in sets), strict=True))[:5]:
        theirs = iou_by_suppression(lambda t, pair=pair: cv2.dnn.NMSBoxes(pair, [0.9, 0.8], 0.0, t))
        assert theirs == pytest.approx(boxes.iou(*pair, **conventions["opencv"]), abs=1e-6)
    assert len(cv2.dnn.NMSBoxes([[0, 0, 0, 0], [50, 50, 0, 0]], [0.9, 0.8], 0.0, 0.99)) == 1  # two empty boxes


def test_sahi_overlaps(sets):
    sahi = pytest.importorskip("sahi.postprocess._numpy_backend", reason="SAHI is not installed")
    for a, b in list(zip(*(x.tolist() for x in sets), strict=True))[:5]:
        rows = np.asarray([[*a, 0.9, 0], [*b, 0.8, 0]])
        for metric, score in (("IOU", boxes.iou), ("IOS", boxes.iomin)):
            theirs = iou_by_suppression(lambda t, rows=rows, metric=metric: sahi.nms_numpy(rows, metric, t), 1e-9)
            expected = score(a, b, **conventions["sahi"].of(score))
            # float32 inside
            assert theirs == pytest.approx(expected, abs=2e-5) or expected < 1e-8


@pytest.fixture(scope="module")
def counts():
    """Label maps of three images and their counts, with classes that are not in all of them, or nowhere."""
    rng = np.random.default_rng(0)
    target = rng.integers(0, 4, (3, 8, 9)) * (rng.random((3, 8, 9)) < [[[0.0]], [[0.4]], [[0.9]]])
    prediction = np.where(rng.random(target.shape) < 0.6, target, rng.integers(0, 3, target.shape))
    return target, prediction, segmentation.confusion(target, prediction, 6, per_image=True)


def mean_iou(name, counts):
    return float(segmentation.iou(counts, **{"average": "macro", **conventions[name].of(segmentation.iou)}))


def test_keras_mean_iou(keras, counts):
    target, prediction, own = counts
    metric = keras.metrics.MeanIoU(6)
    metric.update_state(target, prediction)
    assert mean_iou("keras", own) == pytest.approx(float(metric.result()), abs=1e-6)
    assert float(keras.metrics.MeanIoU(6).result()) == 0  # without data
    assert math.isnan(mean_iou("keras", 0 * own))


def test_segmentation_models_pytorch_mean_iou(counts):
    """Its module of metrics alone: the package asks for timm and torchvision."""
    path = "segmentation_models_pytorch/metrics/functional.py"
    functions = peer_sources.run("segmentation_models_pytorch", path)
    target, prediction, own = (torch.as_tensor(x) for x in counts)
    stats = functions["get_stats"](prediction, target, mode="multiclass", num_classes=6)
    theirs = functions["iou_score"](*stats, reduction="macro-imagewise", zero_division=1.0)
    assert mean_iou("segmentation_models_pytorch", own) == pytest.approx(float(theirs), abs=1e-6)


def test_monai_mean_iou(counts):
    monai = pytest.importorskip("monai.metrics", reason="MONAI is not installed")
    target, prediction = (torch.nn.functional.one_hot(torch.as_tensor(x), 6).movedim(-1, 1) for x in counts[:2])
    theirs = monai.compute_iou(prediction, target).double().nanmean(0)
    ours = segmentation.iou(torch.as_tensor(counts[2]), **conventions["monai"].of(segmentation.iou))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6, equal_nan=True)


def theirs_of(name, request):
    """Function of two boxes -> the library's IoU, or None where it has no such call."""
    if name == "torchvision":
        ops = pytest.importorskip("tests.torchvision_ops", reason="torchvision is not installed").ops
        return lambda a, b: ops.box_iou(torch.tensor([a]).double(), torch.tensor([b]).double()).item()
    if name == "powerboxes":
        powerboxes = pytest.importorskip(name, reason="powerboxes is not installed")
        return lambda a, b: 1 - powerboxes.iou_distance(np.asarray([a], float), np.asarray([b], float)).item()
    if name == "monai":
        box_utils = pytest.importorskip("monai.data.box_utils", reason="MONAI is not installed")
        return lambda a, b: box_utils.box_iou(torch.tensor([a]), torch.tensor([b])).item()
    if name == "keras":
        keras = request.getfixturevalue(name)
        return lambda a, b: float(
            keras.utils.bounding_boxes.compute_iou(
                keras.ops.convert_to_tensor([a], "float32"), keras.ops.convert_to_tensor([b], "float32"), "xyxy"
            )[0, 0]
        )
    if name in {"pycocotools", "faster_coco_eval", "hotcoco"}:
        module = {
            "pycocotools": "pycocotools.mask",
            "faster_coco_eval": "faster_coco_eval.core.mask",
            "hotcoco": "hotcoco.mask",
        }
        mask = pytest.importorskip(module[name], reason=f"{name} is not installed")
        return lambda a, b: float(np.asarray(mask.iou(np.asarray([a], float), np.asarray([b], float), [0]))[0, 0])
    return None


# Held by tests of their own functions, here or in the sessions that have them.
ELSEWHERE = {"mmdet", "ultralytics", "onnxruntime", "opencv", "tensorflow", "mmyolo", "keras_cv"}
RUN = [
    (name, example)
    for name, each in conventions.items()
    for example in each.examples
    if each.held == "run" and example.function == "boxes.iou" and name not in ELSEWHERE
]


@pytest.mark.parametrize(("name", "example"), RUN, ids=[f"{name}-{x.why}" for name, x in RUN])
def test_example_of_iou(request, name, example):
    theirs = theirs_of(name, request)(*example.arguments)
    assert theirs == pytest.approx(example.value, rel=1e-5, nan_ok=True)
    assert math.isnan(theirs) or theirs != pytest.approx(float(boxes.iou(*example.arguments)))
