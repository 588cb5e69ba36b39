"""Arrays that carry more than their numbers are read by it, or refused by the argument's name."""

import math

import numpy as np
import pytest

from omniou import (
    boxes,
    detection,
    keypoints,
    losses,
    masks,
    matching,
    nms,
    pairwise,
    polygons,
    report,
    rotated,
    segmentation,
    tracking,
)

torch = pytest.importorskip("torch")


class KnowingBoxes(torch.Tensor):
    """What torchvision's `BoundingBoxes` are to omniou: a tensor with a format and the size of its image."""

    format: str
    canvas_size: tuple[int, int]


def knowing(rows, format, dtype=torch.float32):
    out = torch.tensor(rows, dtype=dtype).as_subclass(KnowingBoxes)
    out.format, out.canvas_size = format, (40, 50)
    return out


# (10, 10) to (20, 20) and (15, 10) to (25, 20): 50 of 150 are shared. A third box is apart.
FIRST = {"XYXY": [[10.0, 10, 20, 20]], "XYWH": [[10.0, 10, 10, 10]], "CXCYWH": [[15.0, 15, 10, 10]]}
SECOND = {"XYXY": [[15.0, 10, 25, 20]], "XYWH": [[15.0, 10, 10, 10]], "CXCYWH": [[20.0, 15, 10, 10]]}
# 4 x 2 in the centre (5, 5), turned by 90 degrees: the same as 2 x 4. By 30 degrees it would not be.
TURNED = {
    "CXCYWHR": [[5.0, 5, 4, 2, 90]],
    "XYWHR": [[4.0, 7, 4, 2, 90]],
    "XYXYXYXY": [[4.0, 7, 4, 3, 6, 3, 6, 7]],
}


@pytest.mark.parametrize("b", SECOND)
@pytest.mark.parametrize("a", FIRST)
def test_boxes_are_read_in_the_format_that_they_know(a, b):
    x, y = knowing(FIRST[a], a), knowing(SECOND[b], b)
    for result in (
        boxes.iou(x, y),
        boxes.iou(x, y, format="xywh"),  # the format of arrays that know none
        boxes.iou(x, torch.tensor(SECOND["XYWH"]), format="xywh"),
        boxes.iou(x, torch.tensor(SECOND["XYXY"])),
        pairwise(boxes.iou, x, y)[0],
        1 - losses.iou(x, y),
        boxes.iou(x, torch.tensor(SECOND["XYXY"]) / torch.tensor([50, 40, 50, 40]), format="rel_xyxy"),
    ):
        assert type(result) is torch.Tensor
        assert result.tolist() == pytest.approx([1 / 3], rel=1e-5)
    # The distances of both corners are 5, and the image has a diagonal of 50² + 40² = 4100.
    assert float(boxes.mpdiou(x, y)) == pytest.approx(1 / 3 - 50 / 4100)


@pytest.mark.parametrize("format", FIRST)
def test_results_in_the_format_that_boxes_know(format):
    x, y = knowing(FIRST[format], format), knowing(FIRST[format], format)
    assert boxes.enclosing(x, y).tolist() == FIRST[format]
    fused = nms.merge(x, torch.tensor([0.5]), threshold=0.5)
    assert fused.boxes.tolist() == FIRST[format]
    assert boxes.convert(x, "xyxy", "xywh").tolist() == FIRST["XYWH"]
    assert matching.max_iou(x, knowing(FIRST["XYXY"], "XYXY")).objects.tolist() == [0]


def test_boxes_that_know_their_format_as_outlines_and_lengths():
    outline = knowing(TURNED["XYXYXYXY"], "XYXYXYXY")
    assert int(masks.from_polygons(outline, (40, 50)).sum()) == 8  # 4 x 2
    # A head of 6 x 8 has a diagonal of 10, and 0.6 of it is 6: a point may be off by less than 3.
    head = knowing([[1.0, 1, 6, 8]], "XYWH")
    assert keypoints.box_size(head, measure="diagonal").tolist() == [10.0]
    points = torch.tensor([[[0.0, 0], [0, 0]]]), torch.tensor([[[0.0, 2.9], [0, 3.1]]])
    assert keypoints.pckh(*points, head=head).item() == 0.5


def test_no_boxes_in_the_shape_that_torchvision_gives_them():
    none = knowing([[]], "CXCYWH")
    assert pairwise(boxes.iou, none, knowing(FIRST["XYWH"], "XYWH")).shape == (0, 1)
    assert nms.hard(none, torch.zeros(0), threshold=0.5).tolist() == []


def test_points_that_know_the_size_of_their_image():
    class KnowingPoints(torch.Tensor):
        canvas_size = (40, 50)

    x = torch.ones(1, 2, 2).as_subclass(KnowingPoints)
    result = keypoints.oks(x, x, area=torch.ones(1), sigmas=[0.1, 0.1])
    assert type(result) is torch.Tensor  # not of a class whose operations need a size of the image
    assert result.tolist() == [1.0]


def test_gradients_flow_to_boxes_that_know_their_format():
    x = torch.tensor(FIRST["XYWH"], requires_grad=True)
    known = x.as_subclass(KnowingBoxes)
    known.format, known.canvas_size = "XYWH", (40, 50)
    losses.iou(known, knowing(SECOND["XYXY"], "XYXY"), reduction="sum").backward()
    # Of the loss 1 - (x + w - 15) h / union, with 50 shared of 150: by x, -(10 * 150 + 50 * 10) / 150².
    assert x.grad[0, 0].item() == pytest.approx(-2000 / 150**2)


@pytest.mark.parametrize("b", TURNED)
@pytest.mark.parametrize("a", TURNED)
def test_rotated_boxes_in_degrees_counterclockwise(a, b):
    x, y = knowing(TURNED[a], a), knowing(TURNED[b], b)
    assert rotated.iou(x, y).tolist() == pytest.approx([1.0], abs=1e-5)
    assert rotated.iou(x, torch.tensor([[5.0, 5, 2, 4, 0]])).tolist() == pytest.approx([1.0], abs=1e-5)
    truth = [{"boxes": x, "labels": [0]}]
    found = [{"boxes": y, "scores": [0.5], "labels": [0]}]
    assert detection.evaluate(truth, found, kind="rotated").summary["AP"] == pytest.approx(1.0)


def test_degrees_turn_counterclockwise_on_the_screen():
    x = knowing([[0.0, 0, 4, 2, 30]], "CXCYWHR")
    assert rotated.iou(x, torch.tensor([[0.0, 0, 4, 2, -math.pi / 6]])).item() == pytest.approx(1.0, abs=1e-5)
    assert polygons.iou(*[knowing(TURNED["XYXYXYXY"], "XYXYXYXY")] * 2).item() == pytest.approx(1.0)


@pytest.mark.parametrize("b", SECOND)
@pytest.mark.parametrize("a", FIRST)
def test_evaluations_of_boxes_that_know_their_format(a, b):
    x, y = knowing(FIRST[a], a), knowing(FIRST[b], b)
    one, half = torch.tensor([0]), torch.tensor([0.5])
    for options in ({}, {"format": "xywh"}):
        listed = [{"boxes": x, "labels": one}], [{"boxes": y, "labels": one, "scores": half}]
        assert detection.evaluate(*listed, **options).summary["AP"] == pytest.approx(1.0)
        columns = detection.Targets(x, one, one), detection.Detections(y, half, one, one)
        assert detection.evaluate(*columns, **options).summary["AP"] == pytest.approx(1.0)
    frames = [{"boxes": x, "ids": one}], [{"boxes": y, "ids": one}]
    assert tracking.evaluate(*frames).summary["HOTA"] == pytest.approx(1.0)


SQUARE = np.array([[0.0, 0, 2, 2], [1, 1, 3, 3]])
HALF = np.ma.masked_array(SQUARE, [[False] * 4, [True] * 4])
LABELS = np.ma.masked_array([[0, 1], [0, 0]], [[False, False], [True, False]])
ONE_HALF = {"labels": np.array([0, 1]), "scores": np.array([0.9, 0.8])}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_masked_numbers_of_numpy_do_not_count():
    expected = losses.giou(SQUARE[:1], SQUARE[:1] + 0.5, reduction="mean")
    assert losses.giou(HALF, SQUARE + 0.5, reduction="mean") == pytest.approx(expected)
    assert losses.giou(HALF, SQUARE + 0.5, where=[False, True]).tolist() == [0.0, 0.0]
    # The masked pixel would be the one of class 1 that was predicted as 0.
    assert segmentation.confusion([[0, 1], [1, 0]], LABELS, 2).tolist() == [[2, 0], [0, 1]]
    cost = np.ma.masked_array([[4, 1, 3], [2, 0, 5]], [[False, True, False], [False] * 3])
    assert matching.hungarian(cost).tolist() == [2, 1]
    assert matching.greedy(np.ma.masked_array([[0.9, 0.8]], [[True, False]])).tolist() == [1]
    assert boxes.iou(np.ma.masked_array(SQUARE), SQUARE).tolist() == [1.0, 1.0]
    assert type(boxes.iou(np.matrix(SQUARE), SQUARE)) is np.ndarray


def evaluated(x, **more):
    return detection.evaluate([{"boxes": SQUARE} | ONE_HALF], [{"boxes": x} | ONE_HALF | more])


NESTED = torch.nested.nested_tensor([torch.zeros(2, 4), torch.zeros(1, 4)], layout=torch.jagged)
REFUSED = {
    "mask of a score": (lambda: boxes.iou(HALF, SQUARE), "`a` is a masked array, and 4 of its numbers"),
    "mask of pixels": (lambda: masks.iou(LABELS, LABELS), "`a` is a masked array"),
    "mask of distances": (lambda: masks.hausdorff(LABELS, LABELS), "`a` is a masked array"),
    "mask of scores": (lambda: nms.hard(SQUARE, HALF[:, 0], threshold=0.5), "`scores` is a masked array"),
    "mask in a list": (lambda: boxes.iou([HALF[1]], SQUARE), r"`a\[0\]` is a masked array"),
    "mask deep in a list": (lambda: boxes.iou([[SQUARE[0]], [HALF[1]]], SQUARE), r"`a\[1\]\[0\]` is a masked array"),
    "masked number": (lambda: boxes.iou([[0, 0, 1, 1], [0, 0, np.ma.masked, 2]], SQUARE), r"`a\[1\]\[2\]` is a masked"),
    "mask of classes": (lambda: detection.evaluate([], [], classes=LABELS[1]), "`classes` is a masked array"),
    "masked result": (lambda: report.scalars({"AP": HALF[1, 0]}), r"`result\['AP'\]` is a masked array"),
    "masked row": (lambda: report.table({"A": {"AP": HALF[1, 0]}}), r"`results\['A'\]\['AP'\]` is a masked array"),
    "mask in a dictionary": (lambda: evaluated(HALF), r"`detections\[0\]\['boxes'\]` is a masked array"),
    "mask of labels": (lambda: evaluated(SQUARE, labels=LABELS[1]), r"`detections\[0\]\['labels'\]` is a masked"),
    "mask of a weight": (lambda: losses.giou(SQUARE, SQUARE, weight=HALF[:, 0]), "`weight` is a masked array"),
    "sparse": (lambda: boxes.iou(torch.eye(4).to_sparse(), torch.eye(4)), "`a` must be a dense array .* `x.to_dense"),
    "sparse parameter": (lambda: boxes.area(torch.nn.Parameter(torch.eye(4).to_sparse())), "`x` must be a dense"),
    "sparse rows": (lambda: boxes.area(torch.eye(4).to_sparse_csr()), "`x` must be a dense array"),
    "nested": (lambda: losses.giou(NESTED, NESTED), "`pred` must be a dense array of numbers, got a nested tensor"),
    "list of knowing": (lambda: boxes.iou([knowing(FIRST["XYWH"], "XYWH")], SQUARE), r"`a\[0\]` .* format XYWH"),
    "other shapes": (lambda: boxes.iou(*[knowing(TURNED["CXCYWHR"], "CXCYWHR")] * 2), "`a` must hold boxes as XYXY"),
    "no shapes": (lambda: matching.hungarian(knowing(FIRST["XYWH"], "XYWH")), "`cost` holds boxes in the format XYWH"),
    "8 bits": (
        lambda: losses.giou(torch.eye(4).to(torch.float8_e5m2), torch.eye(4)),
        "`pred` and `target` have dtypes",
    ),
    "another dtype in a list": (lambda: boxes.iou([SQUARE.view("V8")[0]], SQUARE), "`a` must be of a dtype of NumPy"),
    "another dtype": (lambda: boxes.iou(SQUARE.view("V8"), SQUARE), "`a` must be of a dtype of NumPy itself"),
}


@pytest.mark.filterwarnings("ignore:Sparse CSR", "ignore:Sparse invariant")
@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case):
    call, message = REFUSED[case]
    with pytest.raises(TypeError, match=message):
        call()
