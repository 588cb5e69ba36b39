"""The calls of programs that use pycocotools, with pycocotools and with the module that stands in for it: equal bits.

Each function makes the calls of one program, in our own lines: pycocotools' demos, the evaluators of torchvision's
references, DETR, RF-DETR and detectron2, SAHI, mmdet's `CocoMetric`, Ultralytics' evaluation of its JSON, torchmetrics.
"""

import contextlib
import copy
import io
import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from omniou_integrations import pycocotools as standin

coco = pytest.importorskip("pycocotools.coco", reason="pycocotools is not installed")

# pycocotools beside NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def peer():
    from pycocotools import mask
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    return SimpleNamespace(COCO=COCO, COCOeval=COCOeval, mask=mask)


PEER = peer()
SIDE, IMAGES, CLASSES = 200, [*range(1, 9), 40, 139], [1, 3, 18]


def objects(seed, count, *, detected=False):
    """Boxes, outlines and keypoints in some images; detections are objects that are moved, with tied scores."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1000)
    out = []
    for number in range(count):
        x, y, w, h = (float(v) for v in (*rng.integers(0, 120, 2), *rng.integers(4, 120, 2)))
        points = np.stack([x + rng.random(17) * w, y + rng.random(17) * h, rng.integers(0, 3, 17)], axis=1).round(1)
        record = {"image_id": int(rng.choice(IMAGES[:-1])), "category_id": int(rng.choice(CLASSES))}
        if detected:
            x, y = (float(v) for v in np.asarray([x, y]) + noise.integers(-4, 5, 2))
            record["score"] = float(noise.integers(1, 20)) / 20
        record |= {"bbox": [x, y, w, h], "keypoints": points.ravel().tolist()}
        record["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h * 0.5]]
        if not detected:
            record |= {"id": number + 1, "area": w * h * 0.8, "iscrowd": int(number % 11 == 0)}
            record["num_keypoints"] = int((points[:, 2] > 0).sum())
        out.append(record)
    return out


TRUTH = {
    "info": {},
    "images": [{"id": x, "height": SIDE, "width": SIDE, "file_name": f"{x:012}.jpg"} for x in IMAGES],
    "categories": [{"id": x, "name": f"class {x}", "supercategory": "thing"} for x in CLASSES],
    "annotations": objects(0, 60),
}
RESULTS = objects(0, 60, detected=True) + objects(1, 40, detected=True)


def fields(*names):
    """Results of some fields."""
    kept = ("image_id", "category_id", "score", *names)
    return [{name: copy.deepcopy(x[name]) for name in kept} for x in RESULTS]


def dataset(m):
    """Ground truth that is set, as `convert_to_coco_api` of torchvision does."""
    out = m.COCO()
    out.dataset = copy.deepcopy(TRUTH)
    out.createIndex()
    return out


def tables(e):
    return {name: e.eval[name] for name in ("precision", "recall", "scores", "counts")}


def demo_evaluation(m, folder):
    found = []
    for kind in ("segm", "bbox", "keypoints"):
        truth = m.COCO(str(folder / "truth.json"))
        results = truth.loadRes(str(folder / "results.json"))
        e = m.COCOeval(truth, results, kind)
        e.params.imgIds = sorted(truth.getImgIds())[:7]
        e.evaluate()
        e.accumulate()
        e.summarize()
        found.append((tables(e), e.stats, e.evalImgs, e.ious))
    return found


def demo_index(m, folder):
    truth = m.COCO(str(folder / "truth.json"))
    classes = truth.getCatIds(catNms=["class 3", "class 18"], supNms=["thing"])
    images = truth.getImgIds(catIds=classes)
    some = truth.getAnnIds(imgIds=images[:3], catIds=classes, areaRng=[0, 5000], iscrowd=None)
    anns = truth.loadAnns(some)
    pixels = [truth.annToMask(x) for x in truth.loadAnns(truth.getAnnIds(iscrowd=False))[:5]]
    names = [x["name"] for x in truth.loadCats(truth.getCatIds())]
    return classes, images, some, anns, pixels, names, truth.loadImgs(images[0]), truth.annToRLE(anns[0])


def joined(e, parts, images):
    """`evalImgs` of batches as those of one evaluation, as CocoEvaluator puts them together."""
    images, first = np.unique(np.asarray(images), return_index=True)
    e.evalImgs = list(np.concatenate(parts, axis=2)[..., first].flatten())
    e.params.imgIds = list(images)
    e._paramsEval = copy.deepcopy(e.params)
    e.accumulate()
    e.summarize()
    return tables(e), e.stats


def batches(m, kind, evaluated):
    """CocoEvaluator: an evaluator without detections gets those of each batch; one image comes twice, one has none."""
    truth = copy.deepcopy(dataset(m))
    e = m.COCOeval(truth, iouType=kind)
    if kind == "segm":
        results = fields("segmentation")
        for x in results:
            pixels = truth.annToMask({"image_id": x["image_id"], "segmentation": x["segmentation"]})
            record = m.mask.encode(np.array(pixels[:, :, np.newaxis], dtype=np.uint8, order="F"))[0]
            x["segmentation"] = {"size": record["size"], "counts": record["counts"].decode("utf-8")}
    else:
        results = fields(kind)
    parts, seen = [], []
    for batch in ([1, 2, 3], [3, 4], [139], [5, 6, 7, 8, 40]):
        some = [x for x in results if x["image_id"] in batch]
        e.cocoDt = m.COCO.loadRes(truth, some) if some else m.COCO()
        e.params.imgIds = list(batch)
        seen += batch
        parts.append(evaluated(e))
    return joined(e, parts, seen)


def torchvision_references(m, _):
    def evaluated(e):
        with contextlib.redirect_stdout(io.StringIO()):
            e.evaluate()
        return np.asarray(e.evalImgs).reshape(-1, len(e.params.areaRng), len(e.params.imgIds))

    return [batches(m, kind, evaluated) for kind in ("bbox", "segm", "keypoints")]


def detr(m, _):
    def evaluated(e):
        p = e.params
        assert p.useSegm is None
        p.imgIds, p.catIds, p.maxDets = list(np.unique(p.imgIds)), list(np.unique(p.catIds)), sorted(p.maxDets)
        e._prepare()
        overlap = e.computeOks if p.iouType == "keypoints" else e.computeIoU
        e.ious = {(image, x): overlap(image, x) for image in p.imgIds for x in p.catIds}
        cells = [e.evaluateImg(i, k, a, p.maxDets[-1]) for k in p.catIds for a in p.areaRng for i in p.imgIds]
        e._paramsEval = copy.deepcopy(p)
        return np.asarray(cells).reshape(len(p.catIds), len(p.areaRng), len(p.imgIds))

    return [batches(m, kind, evaluated) for kind in ("bbox", "segm", "keypoints")]


def rf_detr(m, _):
    """500 detections for each image, and a table of precision, recall and F1 by class, read off the arrays."""
    truth = dataset(m)
    e = m.COCOeval(truth, truth.loadRes(fields("bbox")), "bbox")
    e.params.maxDets = [1, 10, 500]
    e.evaluate()
    e.accumulate()
    e.summarize()
    at, limit = int(np.argmin(abs(e.params.iouThrs - 0.5))), e.params.maxDets.index(500)
    area = e.params.areaRngLbl.index("all")
    precision, scores = (e.eval[name][at, :, :, area, limit] for name in ("precision", "scores"))
    f1 = 2 * precision * e.params.recThrs[:, None] / np.maximum(precision + e.params.recThrs[:, None], 1e-9)
    named = [truth.loadCats(int(x))[0]["name"] for x in e.params.catIds]
    return tables(e), e.stats, f1, scores, named


def detectron2(m, folder):
    """Classes and images are set, masks have no boxes, keypoints have sigmas, and the last limit counts."""

    class WithLimits(m.COCOeval):
        def summarize(self):
            last = [np.mean(x[x > -1]) for x in (self.eval[name][..., 0, -1] for name in ("precision", "recall"))]
            self.stats = np.asarray(last)

    found = []
    for kind, names in (("bbox", ["bbox"]), ("segm", ["segmentation"]), ("keypoints", ["keypoints"])):
        truth = m.COCO(str(folder / "truth.json"))
        results = fields(*names)
        if kind == "segm":
            for x in results:
                x["segmentation"] = m.mask.frPyObjects(x["segmentation"], SIDE, SIDE)[0]
        for limits in (None, [1, 10, 50]):
            e = (m.COCOeval if limits is None else WithLimits)(truth, truth.loadRes(copy.deepcopy(results)), kind)
            e.params.catIds = [1, 18]
            e.params.imgIds = IMAGES[:6]
            if limits:
                e.params.maxDets = limits
            if kind == "keypoints":
                e.params.kpt_oks_sigmas = np.linspace(0.03, 0.1, 17)
            e.evaluate()
            e.accumulate()
            e.summarize()
            by_class = [e.eval["precision"][:, :, k, 0, -1] for k in range(2)]
            found.append((e.stats, [float(np.mean(x[x > -1])) for x in by_class]))
    anns = truth.loadAnns(truth.getAnnIds(imgIds=IMAGES[0]))
    return found, [x["bbox"] for x in anns if x["iscrowd"] == 0]


def sahi(m, folder):
    """One limit, areas and thresholds of its own, and no `summarize`: it raises for one limit."""
    truth = m.COCO(str(folder / "truth.json"))
    e = m.COCOeval(truth, truth.loadRes(fields("bbox", "segmentation")), "segm")
    e.params.areaRng = [[0, 100000.0], [0, 1024], [1024, 9216], [9216, 100000.0]]
    e.params.catIds = list(truth.cats.keys())
    e.params.maxDets = [500]
    e.params.iouThrs = np.array([0.5, 0.75], dtype=float, ndmin=1)
    e.evaluate()
    e.accumulate()
    with pytest.raises(IndexError):
        e.summarize()
    p = e.params
    areas = [i for i, name in enumerate(p.areaRngLbl) if name == "medium"]
    limits = [i for i, x in enumerate(p.maxDets) if x == 500]
    some = e.eval["precision"][np.where(p.iouThrs == 0.5)[0]][:, :, :, areas, limits]
    images = [truth.getImgIds(catIds=[x]) for x in p.catIds]
    return tables(e), some, images, truth.loadCats(int(p.catIds[0]))[0]


def mmdet(m, folder):
    """Other limits, thresholds, and proposals without classes; an empty list of results raises IndexError."""
    truth = m.COCO(str(folder / "truth.json"))
    images, classes = truth.getImgIds(), truth.getCatIds(["class 1", "class 3"])
    anns = truth.getAnnIds([images[0]], classes, [], None)
    with pytest.raises(IndexError):
        truth.loadRes([])
    found = []
    for kind, names, proposals in (("bbox", ["bbox"], 0), ("segm", ["bbox", "segmentation"], 0), ("bbox", ["bbox"], 1)):
        results = fields(*names)
        if kind == "segm":
            for x in results:
                x["segmentation"] = m.mask.frPyObjects(x["segmentation"], SIDE, SIDE)[0]
                x.pop("bbox")
        e = m.COCOeval(truth, truth.loadRes(results), kind)
        e.params.catIds, e.params.imgIds = classes, images
        e.params.maxDets = [100, 300, 1000]
        e.params.iouThrs = np.linspace(0.5, 0.95, int(np.round((0.95 - 0.5) / 0.05)) + 1, endpoint=True)
        if proposals:
            e.params.useCats = 0
        e.evaluate()
        e.accumulate()
        e.summarize()
        found.append((tables(e), e.stats, [f"{x:.3f}" for x in e.stats[:6]]))
    return anns, found


def ultralytics(m, folder):
    """Results of a JSON, images by the names of files."""
    truth = m.COCO(str(folder / "truth.json"))
    (folder / "predictions.json").write_text(json.dumps(fields("bbox")))
    e = m.COCOeval(truth, truth.loadRes(str(folder / "predictions.json")), "bbox")
    e.params.imgIds = [int(x["file_name"].removesuffix(".jpg")) for x in TRUTH["images"][:5]]
    e.evaluate()
    e.accumulate()
    e.summarize()
    return e.stats[:2], e.stats


PROGRAMS = [demo_evaluation, demo_index, torchvision_references, detr, rf_detr, detectron2, sahi, mmdet, ultralytics]


def assert_same(actual, expected):
    """Equal types and bits, all the way down."""
    if isinstance(expected, np.ndarray) and expected.dtype != object:
        assert isinstance(actual, np.ndarray)
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(actual, expected)
    elif isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for key, value in expected.items():
            assert_same(actual[key], value)
    elif isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected)
        for x, y in zip(actual, expected, strict=True):
            assert_same(x, y)
    else:
        np.testing.assert_equal(actual, expected)


def printed(program, module, folder):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        found = program(module, folder)
    return found, re.sub(r"t=\d+\.\d+s", "t=0s", out.getvalue())


@pytest.mark.filterwarnings("ignore:.*corrected=True:UserWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_get_the_same_numbers_and_lines(program, tmp_path):
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    (tmp_path / "results.json").write_text(json.dumps(fields("bbox", "segmentation", "keypoints")))
    expected, lines = printed(program, PEER, tmp_path)
    with standin.patch():
        replaced = peer()
    assert replaced.COCO.__module__.startswith("omniou_integrations.")
    actual, own_lines = printed(program, replaced, tmp_path)
    assert own_lines == lines
    assert_same(actual, expected)
    assert sys.modules["pycocotools.coco"] is coco


TORCHMETRICS = {
    "default": {},
    "masks": {"iou_type": ("bbox", "segm")},
    "classes and arrays": {"class_metrics": True, "extended_summary": True},
    "micro": {"average": "micro", "class_metrics": True},
    "other limits": {"max_detection_thresholds": [1, 10, 50]},
    "other thresholds": {"iou_thresholds": [0.5, 0.75], "rec_thresholds": [0.0, 0.5, 1.0]},
    "boxes as xywh": {"box_format": "xywh"},
}


def of_torchmetrics(own=None, **options):
    """What `MeanAveragePrecision` computes, which imports its backend in `compute`."""
    torch = pytest.importorskip("torch")
    import tests.torchvision_ops  # noqa: F401  (torchvision imports after it)

    detection = pytest.importorskip("torchmetrics.detection")
    metric = detection.MeanAveragePrecision(**options)
    if own is not None:
        metric._coco_backend = own
    rng = torch.Generator().manual_seed(0)
    for _ in range(6):
        preds, target = [], []
        for count, found in ((3, True), (2, False), (0, True), (0, False)):
            corner = torch.randint(0, 40, (count, 2), generator=rng).double()
            sides = torch.randint(5, 120, (count, 2), generator=rng).double()
            table = {"boxes": torch.cat([corner, corner + sides], 1)}
            table["masks"] = torch.rand((count, 60, 60), generator=rng) < 0.7
            table["labels"] = torch.randint(0, 2, (count,), generator=rng)
            if found:
                table["scores"] = torch.randint(1, 9, (count,), generator=rng) / 8
            else:
                table["iscrowd"] = torch.zeros(count, dtype=torch.int64)
            (preds if found else target).append(table)
        metric.update(preds, target)
    found = metric.compute()
    overlaps = {key: np.asarray(x) for key, x in found.pop("ious", {}).items()}
    return {name: x.numpy() for name, x in found.items()} | {"ious": overlaps}


@pytest.mark.filterwarnings("ignore:.*corrected=True:UserWarning")
@pytest.mark.parametrize("options", TORCHMETRICS.values(), ids=TORCHMETRICS)
def test_torchmetrics_gets_the_same_numbers(options):
    expected = of_torchmetrics(**options)
    with standin.patch():
        assert_same(of_torchmetrics(**options), expected)


def test_backend_of_torchmetrics_with_the_last_limit_gets_the_same_numbers():
    """RF-DETR replaces the three properties of torchmetrics' `CocoBackend`, and takes AP of 500 detections."""
    helpers = pytest.importorskip("torchmetrics.detection.helpers")
    pytest.importorskip("faster_coco_eval", reason="faster-coco-eval is not installed")

    class LastLimit(standin.COCOeval):
        corrected = True

    class Backend(helpers.CocoBackend):
        coco = property(lambda _: standin.COCO)
        cocoeval = property(lambda _: LastLimit)
        mask_utils = property(lambda _: standin.mask)

    for kinds in ("bbox", ("bbox", "segm")):
        options = {"iou_type": kinds, "max_detection_thresholds": [1, 10, 500], "class_metrics": True}
        expected = of_torchmetrics(backend="faster_coco_eval", **options)
        actual = of_torchmetrics(Backend("faster_coco_eval"), **options)
        assert_same(actual, expected)
