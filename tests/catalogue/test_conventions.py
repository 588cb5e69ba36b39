"""The table of conventions: its entries are options that exist, and give what each entry says.

`tests/oracles` and the sessions of frameworks compare with the libraries that can be installed. The others are compared
here with their formulas, written out from their source.
"""

import importlib
import inspect
import math
import re

import numpy as np
import pytest

from omniou import boxes, conventions, gaussian, losses, matching, rotated

RNG = np.random.default_rng(0)
ENTRIES = [(name, function) for name, each in conventions.items() for function in each.options]
EXAMPLES = [(name, x) for name, each in conventions.items() for x in each.examples]
SCORES = ("boxes", "losses", "rotated", "losses.rotated", "gaussian")


def public(path):
    """A function of omniou by its name with its module."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"omniou.{module}"), name)


def random_boxes(n=60, size=10.0, side=6.0):
    low = RNG.uniform(0, size, (2, n, 2))
    return np.concatenate([low, low + RNG.uniform(side / 20, side, (2, n, 2))], axis=-1)


A, B = random_boxes()


@pytest.mark.parametrize(("name", "function"), ENTRIES)
def test_options_exist(name, function):
    options, target = conventions[name].of(function), public(function)
    known = inspect.signature(target).parameters
    # Suppression hands options of its score on.
    beyond = set(options) - set(known) - ({"format", "offset"} if function.startswith("nms.") else set())
    assert not beyond
    assert conventions[name].of(target) == options
    if function.rpartition(".")[0] in SCORES and function != "rotated.convert":
        form = options.get("format", "xyxy")
        shape = 5 if "rotated" in function or form == "cxcywhr" else 4
        x = np.ones((1, shape))
        assert np.isfinite(target(x, x, **options)).all()


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{x.why}" for name, x in EXAMPLES])
def test_example_differs_by_what_the_options_say(name, example):
    function = public(example.function)
    ours = np.asarray(function(*example.arguments, **example.shared)).tolist()
    assert ours != pytest.approx(example.value, rel=1e-3, nan_ok=True)
    if example.function not in conventions[name].options:
        assert not example.reproduced
        return
    by_options = function(*example.arguments, **{**example.shared, **conventions[name].of(example.function)})
    same = np.asarray(by_options).tolist() == pytest.approx(example.value, rel=1e-5, nan_ok=True)
    assert same == example.reproduced


@pytest.mark.parametrize("name", conventions)
def test_entry_is_complete(name):
    each = conventions[name]
    assert each.name == name
    assert each.held in {"run", "source"}
    assert each.examples
    assert all(text.endswith(".") for text in each.rules.values())
    assert set(each.defaults) <= set(each.options)
    assert dict(each) == dict(next(iter(each.options.values())))
    if "nms.hard" in each.options:
        assert isinstance(each.nms["inclusive"], bool)
    for options in each.defaults.values():
        assert set(options) <= {"threshold", "score_threshold", "limit", "positive", "negative", "topk"}


def test_assigners_of_conventions_differ_where_the_libraries_do():
    # detectron2 1162: the anchor overlaps one object by .9 and is the best of another by .8, which mmdet prefers.
    anchors, objects = [[0, 0, 10, 10], [0, 0, 10, 2]], [[0, 0, 10, 9], [0, 0, 10, 8]]
    for name, expected in (("torchvision", [0, -1]), ("detectron2", [0, -1]), ("mmdet", [1, -1])):
        assigned = matching.max_iou(anchors, objects, **conventions[name].of(matching.max_iou))
        assert assigned.objects.tolist() == expected
    # ultralytics 7285: an object of two pixels, which counts as 16 wide.
    points = [[x, y] for y in (4, 12) for x in (4, 12)]
    predictions, scores = [[7, 7, 9, 9]] * 4, [[0.5]] * 4
    for name, expected in (("ultralytics", 4), ("mmdet", 0)):
        options = conventions[name].of(matching.task_aligned)
        assigned = matching.task_aligned(predictions, scores, points, [[7, 7, 9, 9]], [0], **options)
        assert assigned.counts.tolist() == [expected]
    # The centre of the anchor is 2 strides from the object's, and inside of it.
    for name, expected in (("yolox", [-1]), ("mmdet", [0])):
        options = conventions[name].of("matching.simota")
        far = matching.simota([[0, 0, 40, 40]], [[0.5]], [[36, 20]], [8], [[0, 0, 40, 40]], [0], **options)
        assert far.objects.tolist() == expected


def test_convention_is_a_mapping_of_options_of_iou():
    a, b = [0, 0, 10, 10], [1, 1, 11, 11]
    assert float(boxes.iou(a, b, **conventions["mmcv"])) == pytest.approx(81 / 119)
    assert float(boxes.iou(a, b, **conventions["maskrcnn_benchmark"])) == pytest.approx(100 / 142)
    # A changed option takes the place of the convention's.
    assert float(boxes.iou(a, b, **{**conventions["mmcv"], "offset": 1.0})) == pytest.approx(100 / 142)
    assert dict(conventions["keras"]) == {"format": "xyxy", "eps": 1e-7}
    assert len(conventions["keras"]) == 2
    assert conventions["mmrotate"].angle == {"unit": "radians", "clockwise": True}
    assert "torchvision" in conventions
    assert repr(conventions["mmcv"]) == "Convention('mmcv', {'format': 'xyxy', 'offset': 0.0})"


def test_nobody_can_change_a_convention():
    with pytest.raises(TypeError, match="item assignment"):
        conventions["keras"].of("boxes.iou")["eps"] = 1.0
    with pytest.raises(TypeError, match="item assignment"):
        conventions["keras"].options["boxes.iou"] = {}
    with pytest.raises(TypeError, match="item assignment"):
        conventions["keras"] = {}
    with pytest.raises(AttributeError):
        conventions["keras"].version = "0"


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("torchvison", "torchvision"),
        ("MMDet", "mmdet"),
        ("mmdetection", "mmdet"),
        ("keras-cv", "keras_cv"),
        ("cv2", "opencv"),
        ("coco", "pycocotools"),
        ("yolo", "ultralytics"),
    ],
)
def test_unknown_convention_raises_with_the_nearest(given, hint):
    message = rf"no convention '{given}'; known are .*; did you mean '{hint}'\?"
    with pytest.raises(KeyError, match=message):
        conventions[given]
    assert given not in conventions
    assert conventions.get(given) is None


def test_function_that_a_convention_does_not_describe_raises():
    message = (
        "`function` must be one that convention 'opencv' describes: boxes.iou, nms.hard, nms.soft; got 'boxes.ciou'"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        conventions["opencv"].of(boxes.ciou)
    with pytest.raises(ValueError, match=r"'pycocotools'.*got 'nms\.hard'"):
        _ = conventions["pycocotools"].nms


def of(name, function, *args):
    return function(*args, **conventions[name].of(function))


def test_wasserstein_loss_of_mmrotate():
    """1 - 1 / (1 + log1p(d / scale)), of Gaussians with half the sides as deviations."""
    a, b = (np.concatenate([x[:, :2], x[:, 2:] - x[:, :2], RNG.uniform(-3, 3, (60, 1))], axis=1) for x in (A, B))

    def covariance(x):
        turn = np.moveaxis(np.asarray([[np.cos(x[:, 4]), -np.sin(x[:, 4])], [np.sin(x[:, 4]), np.cos(x[:, 4])]]), -1, 0)
        return turn @ (np.eye(2) * (x[:, None, 2:4] / 2) ** 2) @ np.swapaxes(turn, 1, 2)

    p, q = covariance(a), covariance(b)
    root = np.sqrt(np.linalg.det(p) * np.linalg.det(q))
    coupled = np.sqrt(np.trace(p @ q, axis1=1, axis2=2) + 2 * root)
    squared = ((a - b)[:, :2] ** 2).sum(-1) + np.trace(p + q, axis1=1, axis2=2) - 2 * coupled
    expected = 1 - 1 / (1 + np.log1p(np.sqrt(squared) / (2 * root**0.25)))
    np.testing.assert_allclose(of("mmrotate", losses.rotated.gwd, a, b), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "written"),
    [("torchvision", 30), ("detectron2", 30), ("powerboxes", -30), ("scenic", math.pi / 6), ("mmcv", -math.pi / 6)],
)
def test_angles_of_conventions(name, written):
    """A twelfth of a turn counterclockwise on a screen, as each writes it."""
    box = rotated.convert([0.0, 0.0, 4.0, 2.0, written], "cxcywhr", "cxcywhr", **conventions[name].angle)
    assert float(box[4]) == pytest.approx(-math.pi / 6)


def test_corners_of_scenic():
    """Its corners are points times [[cos, -sin], [sin, cos]]: (1, 0) goes to (cos, -sin)."""
    box = [3.0, 4.0, 6.0, 2.0, 0.4]
    turn = np.asarray([[math.cos(0.4), -math.sin(0.4)], [math.sin(0.4), math.cos(0.4)]])
    expected = np.asarray([[3, -1], [3, 1], [-3, 1], [-3, -1]]) @ turn + [3, 4]
    own = rotated.convert(box, "cxcywhr", "cxcywhr", **conventions["scenic"].angle)
    corners = np.asarray(rotated.corners(own))
    assert sorted(np.round(corners, 9).tolist()) == sorted(np.round(expected, 9).tolist())


def test_alpha_of_ciou_counts_above_an_overlap():
    """IoU 3/5 and 2/5, of the same v: alpha is 0 for the second from 1/2 on."""
    a, b = [[0.0, 0.0, 10, 10], [0.0, 0.0, 10, 10]], [[0.0, 0.0, 10, 6], [0.0, 0.0, 10, 4]]
    plain, above = boxes.ciou(a, b), boxes.ciou(a, b, alpha_above=0.5)
    assert float(above[0]) == float(plain[0])
    assert float(above[1]) == pytest.approx(0.4 - 9 / 200)  # DIoU
    assert float(plain[1]) < float(above[1])
    assert boxes.ciou(a, b, alpha_above=0.6).tolist() == boxes.diou(a, b).tolist()  # not above it
    assert boxes.ciou(a, b, alpha_above=-1.0).tolist() == plain.tolist()
    assert math.isnan(float(boxes.ciou([0.0, 0, math.nan, 1], [0.0, 0, 1, 1], alpha_above=0.5)))
    with pytest.raises(TypeError, match="`alpha_above`"):
        boxes.ciou(a, b, alpha_above="0.5")


def test_probiou_of_a_rectangle_and_itself_by_ultralytics():
    x = np.asarray([5.0, 5.0, 4.0, 2.0, 0.3])
    # The distance is 1e-7 at least, and 1e-7 is added to 1 - exp(-distance).
    assert float(of("ultralytics", gaussian.probiou, x, x)) == pytest.approx(1 - math.sqrt(2e-7), abs=1e-6)
