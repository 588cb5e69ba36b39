"""Run lengths against pycocotools, on random masks and on the masks of COCO."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from omniou import rle
from tests import places
from tests.places import shared

coco = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")

# pycocotools beside NumPy 2.
pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.usefixtures("mask_kernels"),
]

SIZES = [(1, 1), (1, 40), (40, 1), (2, 3), (33, 65), (480, 640)]


def encoded(pixels):
    return coco.encode(np.asfortranarray(pixels.transpose(1, 2, 0).astype(np.uint8)))


def texts(records):
    counts = (record["counts"] for record in records)
    return [x.decode() if isinstance(x, bytes) else x for x in counts]


def areas(records):
    # One by one: more than 255 records in a call overflow under NumPy 2.
    return [int(coco.area(record)) for record in records]


def samples(height, width):
    """Empty and full masks, single pixels, columns and rows, noise of all densities, blobs."""
    rng = np.random.default_rng(height * width)
    out = np.zeros((24, height, width), dtype=bool)
    out[1] = True
    out[2, 0, 0] = out[3, -1, -1] = out[4, height // 2, width // 2] = True
    out[5, :, width // 2] = out[6, height // 2] = out[7, :, 0] = out[8, -1] = True
    for number, share in enumerate((0.01, 0.3, 0.5, 0.9, 0.99), start=9):
        out[number] = rng.random((height, width)) < share
    y, x = np.mgrid[:height, :width]
    for number in range(14, 24):
        centre, radius = rng.random(2) * (height, width), rng.random(2) * (height, width) / 2 + 0.5
        out[number] = ((y - centre[0]) / radius[0]) ** 2 + ((x - centre[1]) / radius[1]) ** 2 < 1
    return out


@pytest.fixture(params=SIZES, scope="module")
def pixels(request):
    return samples(*request.param)


def test_coco_text_area_and_boxes_equal_pycocotools(pixels):
    records = encoded(pixels)
    table = rle.Masks.from_dense(pixels)
    assert texts(table.to_coco()) == texts(records)
    for again in (rle.Masks.from_coco(records), rle.Masks.from_coco(table.to_coco())):
        assert all(np.array_equal(getattr(again, x), getattr(table, x)) for x in ("sizes", "start", "end", "first"))
    assert table.area().tolist() == areas(records)
    np.testing.assert_array_equal(table.boxes("xywh"), coco.toBbox(records))
    np.testing.assert_array_equal(table.to_dense(), coco.decode(records).transpose(2, 0, 1))


@settings(max_examples=60)
@given(st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 9)).flatmap(lambda x: arrays.arrays(bool, x)))
def test_merge_equals_pycocotools(pixels):
    table, records = rle.Masks.from_dense(pixels), encoded(pixels)
    for intersect in (False, True):
        assert texts(table.merge(intersect=intersect).to_coco()) == texts([coco.merge(records, intersect)])


def test_overlaps_equal_pycocotools_exactly(pixels):
    records, table = encoded(pixels), rle.Masks.from_dense(pixels)
    crowd = np.arange(len(records)) % 2 == 1
    for flags in (np.zeros(len(records)), crowd):
        theirs = coco.iou(records, records, flags.astype(np.uint8).tolist())
        np.testing.assert_array_equal(rle.pairwise_iou(table, table, crowd=flags), theirs)
        rows = np.arange(len(records))
        np.testing.assert_array_equal(rle.iou(table, table, crowd=flags), theirs.diagonal())
        actual = rle.overlap(table, rows, table, rows[::-1], flags[::-1], least=0.3)
        expected_iou = theirs[rows, rows[::-1]]
        np.testing.assert_array_equal(actual[expected_iou >= 0.3], expected_iou[expected_iou >= 0.3])
        assert ((actual == 0) | (actual == expected_iou)).all()


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_random_masks_equal_pycocotools(data):
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 30), st.integers(1, 30)))
    pixels = data.draw(arrays.arrays(bool, shape))
    records, table = encoded(pixels), rle.Masks.from_dense(pixels)
    assert texts(table.to_coco()) == texts(records)
    np.testing.assert_array_equal(table.boxes("xywh"), coco.toBbox(records))
    crowd = data.draw(arrays.arrays(bool, shape[:1]))
    theirs = coco.iou(records, records, crowd.astype(np.uint8).tolist())
    np.testing.assert_array_equal(rle.pairwise_iou(table, table, crowd=crowd), theirs)


@given(st.lists(st.integers(1, 2**26), min_size=1, max_size=60), st.booleans())
@settings(deadline=None)
def test_run_lengths_of_up_to_2_32_pixels_equal_pycocotools(lengths, starts_on):
    """pycocotools holds run lengths in 32 bits, hence images of up to 2**32 pixels."""
    # Where every length takes six characters, pycocotools writes one byte beyond its text: the first is kept short.
    lengths = [min(lengths[0], 2**20), *lengths[1:]]
    counts = [0, *lengths] if starts_on else lengths
    size = [sum(counts), 1]
    (record,) = coco.frPyObjects([{"size": size, "counts": counts}], *size)
    table = rle.Masks.from_coco([{"size": size, "counts": counts}])
    assert texts(table.to_coco()) == texts([record])
    edges = np.cumsum(counts)[: len(counts) // 2 * 2].reshape(-1, 2)
    again = rle.Masks.from_coco([record])
    assert np.stack([again.start, again.end], axis=1).tolist() == edges.tolist()
    assert table.area().tolist() == [sum(counts[1::2])]
    half = rle.Masks.from_coco([{"size": size, "counts": [0, size[0] - size[0] // 2, size[0] // 2]}])
    (other,) = coco.frPyObjects([{"size": size, "counts": [0, size[0] - size[0] // 2, size[0] // 2]}], *size)
    assert rle.pairwise_iou(table, half)[0, 0] == coco.iou([record], [other], [0])[0, 0]


POINTS = st.lists(st.floats(-5, 45, width=32), min_size=6, max_size=16).map(lambda x: x[: len(x) // 2 * 2])


@given(st.lists(POINTS, min_size=1, max_size=3))
@settings(deadline=None)
def test_from_polygons_equals_pycocotools(polygons):
    height, width = 30, 40
    records = coco.frPyObjects(polygons, height, width)
    expected = texts([coco.merge(records)])
    try:
        table = rle.Masks.from_polygons([polygons], [[height, width]])
    except rle.MaskError as error:
        assert "out of the image" in str(error)  # noqa: PT017
    else:
        assert texts(table.to_coco()) == expected


# ---- real masks


@pytest.fixture(scope="module")
def real():
    """Annotations, detections (both as pycocotools' records) and the pairs of one image and class."""
    truth = json.loads(shared("coco-val2014-100", "instances_val2014_100.json").read_text())
    sizes = {image["id"]: (image["height"], image["width"]) for image in truth["images"]}
    annotations = truth["annotations"]
    detections = json.loads(shared("coco-val2014-100", "instances_val2014_fakesegm100_results.json").read_text())
    objects = [record_of(x["segmentation"], *sizes[x["image_id"]]) for x in annotations]
    pairs = [
        (i, j)
        for i, x in enumerate(detections)
        for j, y in enumerate(annotations)
        if (x["image_id"], x["category_id"]) == (y["image_id"], y["category_id"])
    ]
    return [x["segmentation"] for x in detections], objects, annotations, sizes, np.asarray(pairs)


def record_of(segmentation, height, width):
    if isinstance(segmentation, list):
        return coco.merge(coco.frPyObjects(segmentation, height, width))
    return coco.frPyObjects(segmentation, height, width) if isinstance(segmentation["counts"], list) else segmentation


def test_masks_of_coco_equal_pycocotools(real):
    for records in real[:2]:
        table = rle.Masks.from_coco(records)
        assert texts(table.to_coco()) == texts(records)
        assert table.area().tolist() == areas(records)
        np.testing.assert_array_equal(table.boxes("xywh"), coco.toBbox(records))


def test_polygons_and_lists_of_coco_equal_pycocotools(real):
    """Polygons and uncompressed run lengths as they are in the file."""
    _, objects, annotations, sizes, _ = real
    polygons = [x for x in annotations if isinstance(x["segmentation"], list)]
    table = rle.Masks.from_polygons([x["segmentation"] for x in polygons], [sizes[x["image_id"]] for x in polygons])
    listed = rle.Masks.from_coco([x["segmentation"] for x in annotations if isinstance(x["segmentation"], dict)])
    kinds = [isinstance(x["segmentation"], list) for x in annotations]
    assert texts(table.to_coco()) == texts([x for x, kind in zip(objects, kinds, strict=True) if kind])
    assert texts(listed.to_coco()) == texts([x for x, kind in zip(objects, kinds, strict=True) if not kind])


def test_overlap_of_coco_pairs_equals_pycocotools(real):
    predicted, objects, annotations, _, pairs = real
    crowd = np.asarray([x["iscrowd"] for x in annotations])[pairs[:, 1]]
    theirs = np.asarray(
        [coco.iou([predicted[i]], [objects[j]], [c])[0, 0] for (i, j), c in zip(pairs, crowd, strict=True)]
    )
    a, b = rle.Masks.from_coco(predicted), rle.Masks.from_coco(objects)
    ours = rle.overlap(a, pairs[:, 0], b, pairs[:, 1], crowd)
    np.testing.assert_array_equal(ours, theirs)
    near = rle.overlap(a, pairs[:, 0], b, pairs[:, 1], crowd, least=0.5)
    np.testing.assert_array_equal(near[theirs >= 0.5], theirs[theirs >= 0.5])


def test_boundary_of_coco_masks_equals_scipy_erosion(real):
    """Erosion by SciPy as Cheng et al. define it: a border of zeros, a 3 x 3 kernel, as often as the radius."""
    ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
    for records in (real[0][::5], real[1][::5]):
        boundaries = texts(rle.Masks.from_coco(records).boundary().to_coco())
        for record, ours in zip(records, boundaries, strict=True):
            height, width = record["size"]
            mask = np.pad(coco.decode(record), 1)
            radius = max(1, round(0.02 * float(np.sqrt(height**2 + width**2))))
            kernel = np.ones((3, 3))
            left = ndimage.binary_erosion(mask, kernel, iterations=radius, border_value=1)
            assert texts(encoded((mask & ~left)[None, 1:-1, 1:-1])) == [ours]


def test_boundary_of_coco_masks_equals_faster_coco_eval(real):
    peer = pytest.importorskip("faster_coco_eval.core.mask", reason="faster-coco-eval is not installed")
    for records in real[:2]:
        theirs = [peer.rleToBoundary(dict(record)) for record in records[::5]]
        assert texts(rle.Masks.from_coco(records[::5]).boundary().to_coco()) == texts(theirs)


@pytest.fixture(scope="module")
def polygon_set():
    """Annotations, detections and image sizes of a data set whose detections are polygons too."""
    folder = shared("fce-custom")
    truth = json.loads((folder / "gt_dataset.json").read_text())
    sizes = {image["id"]: (image["height"], image["width"]) for image in truth["images"]}
    return truth["annotations"], json.loads((folder / "dt_dataset.json").read_text()), sizes


def test_ap_of_polygons_equals_published(polygon_set):
    annotations, detections, sizes = polygon_set
    expected = places.expected("fce-custom")
    a, b = (
        rle.Masks.from_polygons([x["segmentation"] for x in rows], [sizes[x["image_id"]] for x in rows])
        for rows in (detections, annotations)
    )
    kinds = [[(x["image_id"], x["category_id"]) for x in rows] for rows in (detections, annotations)]
    pairs = np.asarray([(i, j) for i, x in enumerate(kinds[0]) for j, y in enumerate(kinds[1]) if x == y])
    masks = rle.overlap(a, pairs[:, 0], b, pairs[:, 1])
    edges = rle.overlap(a.boundary(), pairs[:, 0], b.boundary(), pairs[:, 1])
    ap = greedy(masks, annotations, detections, pairs)
    assert ap == pytest.approx(expected["segm"]["stats"]["AP"], abs=1e-12)
    ap = greedy(np.minimum(masks, edges), annotations, detections, pairs)
    assert ap == pytest.approx(0.6947194719471946, abs=1e-12)  # published by boundary_iou_api and faster-coco-eval


def greedy(overlap, annotations, detections, pairs):
    """AP of overlaps (P,) of candidate pairs: a reference implementation of COCO's rules for all areas."""
    scores = np.asarray([x["score"] for x in detections])
    by_detection = {}
    for (i, j), value in zip(pairs.tolist(), overlap.tolist(), strict=True):
        by_detection.setdefault(i, []).append((j, value))
    precisions = []
    for label in sorted({x["category_id"] for x in annotations}):
        count = sum(x["category_id"] == label and not x["iscrowd"] for x in annotations)
        rows = [i for i, x in enumerate(detections) if x["category_id"] == label]
        images = sorted({detections[i]["image_id"] for i in rows})
        rows.sort(key=lambda i: (images.index(detections[i]["image_id"]), -scores[i]))
        rows = np.asarray(rows, dtype=int)
        rows = rows[np.argsort(-scores[rows], kind="stable")]
        if count:
            precisions += [precision(rows, by_detection, annotations, count, t) for t in np.linspace(0.5, 0.95, 10)]
    return np.mean(precisions)


def precision(rows, by_detection, annotations, count, threshold):
    taken, hits = set(), []
    for i in rows:
        best, match = min(threshold, 1 - 1e-10), None
        # Crowds come last, and are skipped once an object is matched.
        for j, value in sorted(by_detection.get(i, []), key=lambda pair: annotations[pair[0]]["iscrowd"]):
            crowd = annotations[j]["iscrowd"]
            if (j in taken and not crowd) or (match is not None and crowd and not annotations[match]["iscrowd"]):
                continue
            if value >= best:
                best, match = value, j
        taken.add(match)
        if match is None or not annotations[match]["iscrowd"]:
            hits.append(match is not None)
    total = np.cumsum(hits)
    curve = np.maximum.accumulate((total / (np.arange(len(hits)) + 1))[::-1])[::-1]
    at = np.searchsorted(total / count, np.linspace(0, 1, 101))
    return np.append(curve, 0)[np.minimum(at, len(curve))].mean()


def test_ap_of_coco_masks_and_boundaries_equals_published(real):
    predicted, objects, annotations, _, pairs = real
    expected = places.expected("coco-val2014-100")
    detections = json.loads(shared("coco-val2014-100", "instances_val2014_fakesegm100_results.json").read_text())
    crowd = np.asarray([x["iscrowd"] for x in annotations])[pairs[:, 1]]
    a, b = rle.Masks.from_coco(predicted), rle.Masks.from_coco(objects)
    masks = rle.overlap(a, pairs[:, 0], b, pairs[:, 1], crowd)
    edges = rle.overlap(a.boundary(), pairs[:, 0], b.boundary(), pairs[:, 1], crowd)
    ap = greedy(masks, annotations, detections, pairs)
    assert ap == pytest.approx(expected["segm"]["stats"]["AP"], abs=1e-12)
    ap = greedy(np.minimum(masks, edges), annotations, detections, pairs)
    assert ap == pytest.approx(
        expected["boundary_segm"]["own_min(maskIoU,boundaryIoU)_on_pycocotools_matching"]["AP"], abs=1e-12
    )
