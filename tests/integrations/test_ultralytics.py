"""Tables of Ultralytics' results; masks are resized to the image as Ultralytics does."""

import json
import math
import re

import numpy as np
import pytest
import torch
from ultralytics.engine.results import Results
from ultralytics.engine.validator import BaseValidator
from ultralytics.utils import metrics, ops
from ultralytics.utils.metrics import ap_per_class, box_iou, probiou

from omniou import data, detection, gaussian
from omniou_integrations.ultralytics import detections
from tests import places
from tests.detection.reference import random_scene

NAMES = {0: "cat", 1: "dog", 2: "fox"}


def result(rows, *, size=(20, 30), masks=None, array=torch.tensor, **more):
    """Of one image: a row is corners, score and class."""
    boxes = array(np.asarray(rows, np.float32).reshape(-1, 6))
    return Results(np.zeros((*size, 3), np.uint8), path="", names=NAMES, boxes=boxes, masks=masks, **more)


@pytest.mark.parametrize("array", [torch.tensor, np.asarray])
def test_detections_columns(array):
    first = result([[0, 1, 2, 3, 0.5, 2], [4, 5, 6, 7, 0.25, 0]], array=array)
    table = detections([first, result([]), result([[8, 9, 10, 11, 0.75, 1]], array=array)])

    assert table.boxes.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert table.scores.tolist() == [0.5, 0.25, 0.75]
    assert table.labels.tolist() == [2, 0, 1]
    assert table.images.tolist() == [0, 0, 2]
    assert table.masks is None
    assert detections(x for x in [first]).images.tolist() == [0, 0]
    assert detections([first, first], images=[9, 4]).images.tolist() == [9, 9, 4, 4]


def test_average_precision_by_hand():
    # One of two objects is matched, below a false positive: precision 1/2 up to recall 1/2, at 51 of 101 points.
    results = [result([[15, 10, 18, 13, 0.9, 1], [0, 0, 10, 10, 0.5, 1]])]
    targets = detection.Targets(
        boxes=np.asarray([[0, 0, 10, 10], [20, 0, 30, 10]]), labels=np.asarray([1, 1]), images=np.asarray([5, 5])
    )
    summary = detection.evaluate(targets, detections(results, images=[5])).summary

    assert summary["AP"] == pytest.approx(51 / 101 / 2)


def test_average_precision_equals_that_of_dictionaries():
    g = torch.Generator().manual_seed(0)
    truth, results, dicts = [], [], []
    for _ in range(20):
        n = int(torch.randint(0, 6, (), generator=g))
        low = torch.rand(n, 2, generator=g) * 100
        boxes = torch.cat([low, low + 5 + torch.rand(n, 2, generator=g) * 60], 1)
        labels = torch.randint(0, 3, (n,), generator=g)
        near = boxes + torch.randn(n, 4, generator=g)
        scores = torch.rand(n, generator=g)
        truth.append({"boxes": boxes.numpy(), "labels": labels.numpy()})
        dicts.append({"boxes": near.numpy(), "scores": scores.numpy(), "labels": labels.numpy()})
        rows = torch.cat([near, scores[:, None], labels[:, None]], 1)
        results.append(result(rows.numpy(), size=(160, 160)))
    columns = {key: np.concatenate([x[key] for x in truth]) for key in ("boxes", "labels")}
    ids = np.repeat(np.arange(20), [len(x["labels"]) for x in truth])
    ours = detection.evaluate(detection.Targets(**columns, images=ids), detections(results), images=range(20)).summary

    assert ours == pytest.approx(detection.evaluate(truth, dicts).summary, abs=0, nan_ok=True)
    assert 0.2 < ours["AP"] < 0.95


def test_masks_of_image_size():
    masks = np.random.default_rng(0).random((2, 20, 30)) < 0.5
    given = result([[0, 0, 9, 9, 0.5, 0]] * 2, masks=torch.tensor(masks, dtype=torch.uint8))
    table = detections([result([]), given, given.numpy()], masks=True)

    np.testing.assert_array_equal(table.masks.to_dense(), np.concatenate([masks, masks]))
    assert detections([given]).masks is None


def test_mask_padding_is_cropped():
    # An image of 4 by 8 in an input of 10 by 8: three lines of padding above and below.
    pixels = torch.zeros(1, 10, 8)
    pixels[0, 3:5, 2:6] = 1
    pixels[0, :3] = 1  # predicted in the padding, dropped
    table = detections([result([[2, 0, 6, 2, 0.5, 0]], size=(4, 8), masks=pixels)], masks=True)

    expected = np.zeros((1, 4, 8))
    expected[0, :2, 2:6] = 1
    np.testing.assert_array_equal(table.masks.to_dense(), expected)


@pytest.mark.parametrize("size", [(37, 64), (480, 640), (641, 33), (7, 1000), (32, 64), (100, 100), (1, 3)])
@pytest.mark.parametrize("outer", [(32, 64), (64, 64), (96, 64), (33, 65)])
def test_resized_masks_equal_ultralytics(size, outer):
    g = torch.Generator().manual_seed(sum(size))
    coarse = torch.rand(1, 3, 5, 5, generator=g)
    pixels = (torch.nn.functional.interpolate(coarse, outer, mode="bilinear")[0] > 0.5).to(torch.uint8)
    given = result([[0, 0, 9, 9, 0.5, 0]] * 3, size=size, masks=pixels)
    ours = detections([given], masks=True).masks.to_dense()

    theirs = ops.scale_masks(pixels[None].float(), size)[0] > 0.5
    np.testing.assert_array_equal(ours, theirs.numpy())


def test_resized_mask_agrees_with_its_polygon():
    # The input has a tenth of the image's sides, and 8 lines of padding above and below.
    pixels = np.zeros((1, 64, 64), np.uint8)
    pixels[0, 20:40, 10:30] = 1
    given = result([[100, 120, 300, 320, 0.5, 0]], size=(480, 640), masks=pixels)
    (mask,) = detections([given], masks=True).masks.to_dense()

    assert [*np.nonzero(mask.any(0))[0]] == [*range(100, 300)]
    assert [*np.nonzero(mask.any(1))[0]] == [*range(120, 320)]
    polygon = given.masks.xy[0]  # its corners are pixels of the input
    assert (polygon.min(0).tolist(), polygon.max(0).tolist()) == ([100, 120], [290, 310])


def test_average_precision_of_masks():
    # The left half of a square, in an input of twice the size: it overlaps by 1/2, its box by 1.
    square, half = np.zeros((1, 8, 8), np.uint8), torch.zeros(1, 16, 16)
    square[0, 2:6, 2:6], half[0, 4:12, 4:8] = 1, 1
    targets = detection.Targets(
        boxes=None,
        labels=np.asarray([0]),
        images=np.asarray([0]),
        masks=detections([result([[2, 2, 6, 6, 1, 0]], size=(8, 8), masks=square)], masks=True).masks,
    )
    table = detections([result([[2, 2, 6, 6, 0.9, 0]], size=(8, 8), masks=half)], masks=True)

    assert detection.evaluate(targets, table, kind="segm").summary["AP"] == pytest.approx(1 / 10)


def test_detections_without_results():
    table = detections([], masks=True)

    assert table.boxes.shape == (0, 4)
    assert len(table.masks) == 0
    targets = detection.Targets(boxes=np.zeros((0, 4)), labels=np.zeros(0, int), images=np.zeros(0, int))
    assert math.isnan(detection.evaluate(targets, detections([result([])])).summary["AP"])


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (
            [result([[0, 0, 1, 1, 0.5, 0]])],
            {"masks": True},
            "`results[0]` must have the key 'masks', got 'boxes', 'scores', 'labels'",
        ),
        ([result([])], {"images": [1, 2]}, "`results` and `images` must have one entry for each image, got 1 and 2"),
        (
            [result([]), Results(np.zeros((4, 4, 3)), path="", names=NAMES, obb=torch.zeros(1, 7))],
            {},
            "`results[1]` must have `boxes`, got None",
        ),
    ],
)
def test_invalid_results_raise(given, options, message):
    with pytest.raises(ValueError, match="must have") as raised:
        detections(given, **options)

    assert message in str(raised.value)


def test_probiou_equals_ultralytics():
    rng = np.random.default_rng(0)
    a, b = (
        np.stack([*rng.normal(0, 3, (2, 200)), *rng.uniform(0.5, 8, (2, 200)), rng.uniform(-2, 2, 200)], axis=1)
        for _ in range(2)
    )
    expected = probiou(torch.tensor(a), torch.tensor(b)).numpy()
    np.testing.assert_allclose(gaussian.probiou(a, b, eps=1e-7), np.ravel(expected), rtol=1e-9, atol=1e-10)
    # Without the constants equal shapes score 1; with them they do not.
    assert gaussian.probiou(a, a).min() == 1
    assert float(probiou(torch.tensor(a), torch.tensor(a)).max()) < 0.9996


def test_ap_of_docs_why_differs():
    # Ultralytics' own matching and AP of the example, whose crowds its converter leaves out.
    docs = places.DOCS
    folder = docs / "examples" / "coco-val2014-100"
    truth = json.loads((folder / "ground_truth.json").read_text("utf-8"))
    objects = [row for row in truth["annotations"] if not row["iscrowd"]]
    found = sorted(json.loads((folder / "detections.json").read_text("utf-8")), key=lambda row: -row["score"])
    validator = BaseValidator.__new__(BaseValidator)
    validator.iouv = torch.linspace(0.5, 0.95, 10)

    def of_image(rows, image):
        rows = [row for row in rows if row["image_id"] == image["id"]]
        boxes = torch.tensor([row["bbox"] for row in rows], dtype=torch.float32).reshape(-1, 4)
        boxes[:, 2:] += boxes[:, :2]
        return rows, boxes, torch.tensor([row["category_id"] for row in rows], dtype=torch.int64)

    hits, kept, labels = [], [], []
    for image in truth["images"]:
        (_, theirs, wanted), (rows, boxes, classes) = of_image(objects, image), of_image(found, image)
        kept += rows
        labels += wanted.tolist()
        hits.append(
            validator.match_predictions(classes, wanted, box_iou(theirs, boxes)).numpy()
            if len(wanted)
            else np.zeros((len(rows), 10), dtype=bool)
        )
    columns = [np.array([row[name] for row in kept]) for name in ("score", "category_id")]
    ap = ap_per_class(np.concatenate(hits), *columns, np.array(labels))[5].mean()
    page = (docs / "why-differs.md").read_text("utf-8")
    (told,) = re.findall(r"^\| Ultralytics 8\.4\.190, without crowds \| (\.\d{4}) \|", page, re.MULTILINE)
    # Its sort is not stable, so that equal scores come in another order on another processor: .5009 or .5012.
    assert ap == pytest.approx(float(told), abs=5e-4)
    tables = data.read_ground_truth(folder / "ground_truth.json"), folder / "detections.json"
    found = data.read_detections(tables[1], tables[0])
    ours = detection.evaluate(tables[0], found, protocol="ultralytics").summary
    assert ours["AP"] == pytest.approx(float(told), abs=5e-5)


def of_8_3(recall, precision):
    """The rule of versions up to 8.4.0: the last line goes to a precision of 0 at a recall of 1."""
    at = np.concatenate([[0.0], recall, [1.0]])
    best = np.maximum.accumulate(np.concatenate([[1.0], precision, [0.0]])[::-1])[::-1]
    points = np.linspace(0, 1, 101)
    return np.trapezoid(np.interp(points, at, best), points), best, at


@pytest.mark.parametrize("name", ["ultralytics", "ultralytics_8_3"])
def test_protocol_equals_ap_per_class(monkeypatch, name):
    if name == "ultralytics_8_3":
        monkeypatch.setattr(metrics, "compute_ap", of_8_3)
    for seed in range(20):
        scene = random_scene(seed)
        sides = [[[row[key] for row in side] for key in ("box", "label", "image")] for side in scene]
        crowd = np.asarray([row["crowd"] for row in scene.truth], dtype=bool)
        scores = np.random.default_rng(seed).permutation(len(scene.detections)) + 1.0
        if crowd.all() or not len(scores):
            continue
        boxes, labels, images = sides[1]
        result = detection.evaluate(
            detection.Targets(*sides[0], crowd=crowd),
            detection.Detections(boxes, scores, labels, images),
            protocol=name,
            images=range(4),
        )
        theirs = ap_per_class(result.matches.hits.T, scores, np.asarray(labels), np.asarray(sides[0][1])[~crowd])[5]
        ours = result.per_class["AP"]
        np.testing.assert_allclose(ours[~np.isnan(ours)], theirs.mean(1), atol=1e-12)
