"""Masks and their boundaries in place of boxes."""

import json
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import omniou
from omniou import detection, rle
from omniou._inputs.kinds import KINDS, KindName, described
from omniou.detection import Detections, Targets
from tests.detection.test_published import CLOSE, columns
from tests.places import ROOT, expected, shared


def masks_of(rows, sizes):
    """COCO's segmentations, polygons among them, as one table."""
    kinds = [isinstance(row["segmentation"], dict) for row in rows]
    lengths = [row["segmentation"] for row, is_rle in zip(rows, kinds, strict=True) if is_rle]
    polygons = [row["segmentation"] for row, is_rle in zip(rows, kinds, strict=True) if not is_rle]
    of_polygons = [sizes[row["image_id"]] for row, is_rle in zip(rows, kinds, strict=True) if not is_rle]
    parts = [rle.Masks.from_coco(lengths), rle.Masks.from_polygons(polygons, of_polygons)]
    order = np.argsort(np.concatenate([np.flatnonzero(kinds), np.flatnonzero(~np.asarray(kinds))]))
    return rle.Masks.concat(parts).take(order)


def evaluated(truth, detections, kind):
    truth, detections = (json.loads(Path(x).read_text()) for x in (truth, detections))
    rows, sizes = truth["annotations"], {i["id"]: (i["height"], i["width"]) for i in truth["images"]}
    labels, images, scores = columns(detections, "category_id", "image_id", "score")
    return detection.evaluate(
        Targets(
            None,
            *columns(rows, "category_id", "image_id"),
            crowd=np.asarray([row.get("iscrowd", 0) for row in rows]),
            area=np.asarray([row["area"] for row in rows]),
            masks=masks_of(rows, sizes),
        ),
        Detections(None, scores, labels, images, masks=masks_of(detections, sizes)),
        kind=kind,
        classes=[c["id"] for c in truth["categories"]],
        images=list(sizes),
    )


def numbers_of(result):
    """As the tools print them: -1 where there are no objects."""
    return result.with_minus_one()["stats"]


FILES = {
    "coco-val2014-100": ("instances_val2014_100.json", "instances_val2014_fakesegm100_results.json"),
    "fce-custom": ("gt_dataset.json", "dt_dataset.json"),
}


@pytest.mark.parametrize("folder", FILES)
def test_segm_and_boundary_stats_equal_published(folder):
    files = [shared(folder, name) for name in FILES[folder]]
    published = expected(folder)
    segm, boundary = published["segm"]["stats"], published["boundary_segm"]["faster_coco_eval_1.8.0_boundary"]
    assert numbers_of(evaluated(*files, "segm")) == pytest.approx(list(segm.values()), **CLOSE)
    assert numbers_of(evaluated(*files, "boundary")) == pytest.approx(list(boundary.values()), **CLOSE)


def squares(*corners, side=8):
    """Masks of squares in an image of 20 x 20."""
    pixels = np.zeros((len(corners), 20, 20), dtype=bool)
    for mask, (x, y) in zip(pixels, corners, strict=True):
        mask[y : y + side, x : x + side] = True
    return rle.Masks.from_dense(pixels)


def summary(kind, truth, detections, **more):
    targets = Targets(None, [1] * len(truth), [1] * len(truth), masks=truth, **more)
    scores = [1 - 0.1 * k for k in range(len(detections))]
    return detection.evaluate(
        targets, Detections(None, scores, [1] * len(detections), [1] * len(detections), detections), kind=kind
    )


def test_ap_of_masks_by_hand():
    # 7 x 8 of 9 x 8 pixels, a little under 0.8: six of ten thresholds.
    result = summary("segm", squares((2, 2)), squares((3, 2)))
    assert result.summary["AP"] == pytest.approx(0.6)
    assert result.summary["APs"] == pytest.approx(0.6)


def test_ap_of_boundaries_by_hand():
    # Rings of one pixel, 28 each; shifted by one they share the middle of two sides, 14 pixels: 14 / 42.
    assert summary("boundary", squares((2, 2)), squares((3, 2))).summary["AP"] == 0
    assert summary("boundary", squares((2, 2)), squares((2, 2))).summary["AP"] == pytest.approx(1)


def test_ap_with_crowd_mask():
    crowd = squares((0, 0), side=20)
    result = summary("segm", rle.Masks.concat([crowd, squares((2, 2))]), squares((2, 2), (9, 9)), crowd=[True, False])
    assert result.summary["AP"] == pytest.approx(1)


def test_area_range_of_masks_is_by_pixels():
    big = rle.Masks.from_dense(np.pad(np.ones((1, 40, 40), dtype=bool), ((0, 0), (5, 5), (5, 5))))
    assert summary("segm", big, big).summary["APm"] == pytest.approx(1)
    assert np.isnan(summary("segm", big, big).summary["APs"])


def test_evaluate_masks_of_dictionaries():
    pixels = np.zeros((2, 20, 20), dtype=bool)
    pixels[0, 2:9, 2:9] = pixels[1, 12:18, 2:9] = True
    targets = [
        {"masks": pixels, "labels": np.asarray([1, 2])},
        {"masks": pixels[:0], "labels": np.asarray([], dtype=int)},
    ]
    detections = [{"masks": pixels, "labels": np.asarray([1, 2]), "scores": np.asarray([0.5, 0.4])}] * 2
    result = detection.evaluate(targets, detections, kind="segm")
    assert result.summary["AP"] == pytest.approx(1)
    as_rle = [row | {"masks": rle.Masks.from_dense(row["masks"]).to_coco()} for row in targets]
    assert detection.evaluate(as_rle, detections, kind="segm").summary["AP"] == pytest.approx(1)


def test_evaluate_masks_of_selected_images():
    rng = np.random.default_rng(0)
    pixels = rng.random((12, 16, 16)) < 0.5
    image, label = np.repeat(np.arange(4), 3), np.zeros(12, dtype=int)
    masks, noisy = rle.Masks.from_dense(pixels), rle.Masks.from_dense(pixels ^ (rng.random(pixels.shape) < 0.1))
    whole = detection.evaluate(
        Targets(None, label, image, masks=masks), Detections(None, rng.random(12), label, image, noisy), kind="segm"
    )
    assert 0 < whole.summary["AP"] < 1
    only = detection.evaluate(
        Targets(None, label, image, masks=masks),
        Detections(None, np.ones(12), label, image, noisy),
        kind="segm",
        images=[2],
    )
    assert only.objects.tolist() == [[3, 3, 0, 0]]


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"kind": "mask"}, ValueError, "`kind` must be one of 'bbox', 'segm', 'boundary', .*, got 'mask'"),
        ({"masks": None}, TypeError, "`targets.masks` must be omniou.rle.Masks for kind 'segm', got NoneType"),
        ({"labels": [1, 2]}, ValueError, "must have one length, got 1 in `targets.masks`, 2 in `targets.labels`"),
    ],
)
def test_evaluate_of_invalid_masks_raises(more, error, message):
    kind = more.pop("kind", "segm")
    columns = {"boxes": None, "labels": [1], "images": [1], "masks": squares((2, 2))} | more
    with pytest.raises(error, match=message):
        detection.evaluate(Targets(**columns), Detections(None, [0.5], [1], [1], squares((2, 2))), kind=kind)


def test_masks_of_two_sizes_in_one_image_raise():
    # The masks do not touch, so no pair is compared; in pycocotools none would match.
    corner, other = np.zeros((2, 4, 6), dtype=bool), np.zeros((1, 6, 4), dtype=bool)
    corner[:, 0, 0], other[:, 5, 3] = True, True
    both = rle.Masks.from_dense(corner), rle.Masks.from_dense(other)
    for kind in ("segm", "boundary"):
        with pytest.raises(
            ValueError, match=r"\[4, 6\] in `targets.masks\[1\]` and \[6, 4\] in `detections.masks\[0\]`: he"
        ):
            detection.evaluate(
                Targets(None, [1, 1], [1, 2], masks=both[0]), Detections(None, [0.5], [1], [2], both[1]), kind=kind
            )


NOT_OF_DETECTIONS = {"mpdiou": "needs the size of an image", "kld": "is a distance: the lower, the better"}


@pytest.mark.parametrize(
    "name", [name for name, x in omniou.scores.items() if x.higher_is_better and name not in NOT_OF_DETECTIONS]
)
def test_score_by_name_equals_score_function(name):
    truth = detection.Targets([[0, 0, 10, 10], [20, 20, 30, 30]], [0, 0], [0, 0])
    detections = detection.Detections([[0, 0, 10, 9], [20, 22, 30, 33]], [0.9, 0.8], [0, 0], [0, 0])
    by_name = detection.evaluate(truth, detections, score=name)
    by_function = detection.evaluate(truth, detections, score=getattr(omniou.boxes, name))
    assert str(by_name.summary) == str(by_function.summary)  # NaN is in both


@pytest.mark.parametrize("name", NOT_OF_DETECTIONS)
def test_score_that_ranks_no_matches_raises(name):
    with pytest.raises(ValueError, match=f"`score` '{name}' {NOT_OF_DETECTIONS[name]}"):
        detection.Evaluator(score=name)


def test_unknown_score_raises_listing_known_scores():
    with pytest.raises(ValueError, match=r"`score` must be one of 'iou', 'iof', .* got 'gious'"):
        detection.Evaluator(score="gious")


def test_kinds_stand_in_one_table():
    assert get_args(KindName) == tuple(KINDS)
    assert described(["bbox", "bev"]) == '"bbox" (upright boxes), "bev" (3-D boxes in bird\'s eye view)'
    for documented in (detection.evaluate, detection.Evaluator):
        text = " ".join(documented.__doc__.split())
        assert described() in text
    # Formats of files and commands declare the kinds that they have, and `kinds.py` has the table.
    in_a_row = re.compile(rf"""(?:["'](?:{"|".join(KINDS)})["'],?\s*){{3}}""")
    sources = [x for root in ("src", "integrations") for x in sorted((ROOT / root).rglob("*.py"))]
    listing = [
        x.name for x in sources if x.parent.name not in {"_formats", "cli"} and in_a_row.search(x.read_text("utf-8"))
    ]
    assert listing == ["kinds.py"]


def test_docs_name_every_kind():
    for page in ("files.md", "reference/cli.md"):
        words = set(re.findall(r"\w+", (ROOT / "docs" / page).read_text("utf-8")))
        assert set(KINDS) <= words
