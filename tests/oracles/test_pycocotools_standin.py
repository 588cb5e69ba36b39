"""Everything that pycocotools has, of the module that stands in for it: values, types, dtypes, lines and errors."""

import contextlib
import copy
import io
import json
import re
import warnings

import numpy as np
import pytest
from pycocotools import coco as reference
from pycocotools import cocoeval as reference_eval
from pycocotools import mask as reference_mask

from omniou_integrations import pycocotools as own
from omniou_integrations.pycocotools import coco as own_coco

BOTH = ((reference.COCO, reference_eval.COCOeval), (own.COCO, own.COCOeval))
TABLES = ("precision", "recall", "scores")


@pytest.fixture(autouse=True)
def _quiet():
    own_coco._WARNED.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def assert_same(a, b):
    """Equal values, of the same types and dtypes, in the same order."""
    assert type(a) is type(b), (a, b)
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tolist() == b.tolist()
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    else:
        assert a == b


def called(do):
    """What a call gives, or the type of its error; and its lines, without times."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            value = do()
        except Exception as error:  # noqa: BLE001  (compared below)
            value = type(error)  # whose words differ
    return value, re.sub(r"t=[\d.]+s", "t", out.getvalue())


def assert_alike(do, data=None):
    """`do(coco, evaluator, data)` gives the same with both; an error of the stand-in is a kind of pycocotools'."""
    (a, lines), (b, own_lines) = (called(lambda pair=pair: do(*pair, copy.deepcopy(data))) for pair in BOTH)
    if isinstance(a, type) or isinstance(b, type):
        assert isinstance(a, type) and isinstance(b, type) and issubclass(b, a), (a, b)  # noqa: PT018
        return
    assert lines == own_lines
    assert_same(a, b)


class Draws:
    """A set of objects and results with ties, crowds, images without either, and boxes on edges of area ranges."""

    def __init__(self, seed, kind, ids):
        self.rng = np.random.default_rng(seed)
        self.kind, self.ids = kind, ([ids(k) for k in range(4)], [ids(3 * k + 1) for k in range(3)])
        self.truth = [self.object(number) for number in range(int(self.rng.integers(0, 12)))]
        self.results = [self.result() for _ in range(int(self.rng.integers(1, 25)))]
        for ann in [*self.truth, *self.results]:
            if kind == "keypoints":
                self.add_points(ann)
            elif kind == "segm":
                _with_mask(ann, self.rng)

    def one(self, values):
        return values[int(self.rng.integers(len(values)))]

    def box(self):
        sides = [1, 2, 3, 5, 10, 32, 32.5, 96, 100, 0.5]
        return [self.one([0, 1, 2, 3, 5, 10, 16, 40.5]), self.one([0, 1, 2, 4, 10]), self.one(sides), self.one(sides)]

    def object(self, number):
        box = self.box()
        return {
            "id": number + 1,
            "image_id": self.one(self.ids[0]),
            "category_id": self.one(self.ids[1]),
            "bbox": box,
            "area": self.one([box[2] * box[3], 1024, 9216, 0, 1023.99]),
            "iscrowd": self.one([0, 0, 0, 1]),
        }

    def result(self):
        near = self.one(self.truth) if self.truth and self.rng.random() < 0.6 else self.object(0)
        box = [near["bbox"][0] + self.one([0, 0, 0.1, 0.25, 1]), *near["bbox"][1:]]
        found = {"image_id": near["image_id"], "category_id": near["category_id"], "bbox": box}
        return found | {"score": self.one([0.1, 0.3, 0.5, 0.5, 0.9, 1.0, 0])}

    def add_points(self, ann):
        x, y, w, h = ann["bbox"]
        seen = self.rng.integers(0, 3, 17) * (self.rng.random() < 0.85)
        points = [x + w * self.rng.random(17).round(1), y + h * self.rng.random(17).round(1), seen]
        ann["keypoints"] = np.stack(points, axis=1).ravel().tolist()
        if "score" in ann:
            del ann["bbox"]
            if self.truth and self.rng.random() < 0.6:
                ann["keypoints"] = list(self.one(self.truth)["keypoints"])
        else:
            ann["num_keypoints"] = int((seen > 0).sum()) if self.rng.random() < 0.9 else self.one([0, 1])


def random_set(seed, kind="bbox", ids=lambda n: n + 1):
    """A data set and results, in any order."""
    draws = Draws(seed, kind, ids)
    draws.rng.shuffle(draws.truth)
    draws.rng.shuffle(draws.results)
    images, categories = draws.ids
    data = {
        "info": {"year": 1},
        "images": [{"id": i, "height": 60, "width": 70} for i in images],
        "categories": [{"id": c, "name": str(c), "supercategory": "s"} for c in categories],
        "annotations": draws.truth,
    }
    return data, draws.results


def _with_mask(ann, rng):
    x, y, w, h = ann["bbox"]
    w, h = max(w, 1), max(h, 1)
    outline = [float(v) for v in (x, y, x, y + h, x + w, y + h, x + w, y)]
    encoded = reference_mask.merge(reference_mask.frPyObjects([outline], 60, 70))
    way = int(rng.integers(4)) if "score" not in ann else 2 + int(rng.integers(2))
    if way == 0:
        ann["segmentation"] = [outline, [v + 1 for v in outline]]
    elif way == 1:
        flat = reference_mask.decode(encoded).flatten(order="F")
        changes = np.flatnonzero(np.diff(np.concatenate([[0], flat]))).tolist()
        ann["segmentation"] = {"size": [60, 70], "counts": np.diff([0, *changes, flat.size]).tolist()}
    else:
        ann["segmentation"] = encoded if way == 2 else encoded | {"counts": encoded["counts"].decode()}
    if "score" in ann and rng.random() < 0.8:
        del ann["bbox"]


def evaluated(coco, evaluator, data, kind, change=None):
    truth, results = data
    gt = coco()
    gt.dataset = truth
    gt.createIndex()
    dt = gt.loadRes(results)
    e = evaluator(gt, dt, kind)
    if change:
        change(e.params)
    e.evaluate()
    e.accumulate()
    return e


def everything(e):
    ious = {key: np.asarray(x) for key, x in e.ious.items()}
    for ann in e.cocoGt.dataset["annotations"]:
        ann.pop("_ignore", None)  # a note of pycocotools to itself
    return [*(e.eval[x] for x in TABLES), e.eval["counts"], e.evalImgs, ious, e.cocoGt.dataset, e.cocoDt.dataset]


def _string(n):
    return f"id-{n}"


IDS = {
    "usual": lambda n: n + 1,
    "huge": lambda n: 2**60 + n,
    "negative": lambda n: -n,
    "strings": _string,
    "floats": lambda n: n + 0.5,
    "apart": lambda n: 1000 * n * n,
}


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("kind", ["bbox", "segm", "keypoints"])
def test_random_sets_equal_pycocotools(kind, ids):
    def do(coco, evaluator, data):
        e = evaluated(coco, evaluator, data, kind)
        e.summarize()
        return [*everything(e), e.stats]

    for seed in (3, 4):
        assert_alike(do, random_set(seed, kind, IDS[ids]))


def _of(**changes):
    """Set attributes of params, some by functions of what they were."""

    def change(p):
        for name, value in changes.items():
            setattr(p, name, value(getattr(p, name)) if callable(value) else value)

    return change


# By the changed attributes.
CHANGES = {
    "iouThrs": [
        np.asarray([0.5]),
        [0.5, 0.75],
        [0.9, 0.5, 0.7],
        [0.5, 0.5],
        np.arange(0.5, 1, 0.05),
        (0.5,),
        [0, 1.0, 2, -1],
    ],
    "recThrs": [[0.5], [0.9, 0.1, 0.5], np.linspace(-0.5, 1.5, 9), [0, 0, 1], [2.0], [], [1.0, 0.0, 0.3]],
    "maxDets": [
        [100],
        [3, 1, 2],
        [1, 10, 1000],
        [1, 1, 2],
        [1, 2, 3, 100],
        [20],
        (100, 1, 10),
        np.asarray([1, 2, 100]),
    ],
    "areaRng": [
        [[0, 1e10]],
        [[0, 1e10], [0, 1e10], [5, 5], [0, 3]],
        [[10, 5], [0, 1e10], [0, 1], [1, 2]],
        [(0, float("inf")), (0, 100), (100, 200), (-1, 0)],
        np.asarray([[0, 1e10], [0, 9], [9, 99], [99, 1e10]]),
    ],
    "areaRngLbl": [["all"], ["a", "b", "c", "d"], ["all", "all", "small", "large"]],
    "useCats": [0, False, True],
    "imgIds": [
        lambda x: x[:2],
        lambda x: x[::-1],
        lambda x: x + x,
        lambda x: [*x, 999],
        [],
        lambda x: np.asarray(x[1:]),
        [2],
    ],
    "catIds": [
        lambda x: x[:1],
        lambda x: x[::-1],
        lambda x: x + x,
        lambda x: [*x, 999],
        [],
        lambda x: np.asarray(x[1:]),
    ],
    "useSegm": [0, 1],
    "kpt_oks_sigmas": [lambda x: x * 3],
}
KINDS = {"bbox": [False, True], "keypoints": [False]}
EACH = [
    (kind, without, name, k)
    for kind, both in KINDS.items()
    for without in both
    for name, values in CHANGES.items()
    if name != ("useSegm" if kind == "keypoints" else "kpt_oks_sigmas")
    for k in range(len(values))
]


@pytest.mark.parametrize(("kind", "without", "name", "number"), EACH)
def test_changed_params_equal_pycocotools(kind, name, number, without):
    value = CHANGES[name][number]

    def change(p):
        if without:
            p.useCats = 0
        _of(**{name: value})(p)

    def do(coco, evaluator, data):
        e = evaluated(coco, evaluator, data, kind, change)
        first = everything(e)
        e.accumulate()
        e.summarize()
        return [*first, *(e.eval[x] for x in TABLES), e.stats]

    assert_alike(do, random_set(3, kind))


# What `accumulate` is given, as changes of the params of `evaluate`; and whether they stay these.
LATER = {
    "iouThrs": [np.asarray([0.5]), np.linspace(0.1, 0.9, 10), np.linspace(0, 1, 15)],
    "recThrs": [[0.5], [0.9, 0.1, 0.5]],
    "maxDets": [[100], [10, 1], [1, 7, 100], [100, 100], [7]],
    "areaRng": [[[0, 1e10]], [[0, 1024], [0, 1e10]], [[1, 2]], []],
    "useCats": [0],
    "imgIds": [lambda x: x[:2], lambda x: x[::-1], lambda x: x[1:], [999], lambda x: [x[0], x[0]]],
    "catIds": [lambda x: x[:1], lambda x: x[::-1], lambda x: x[1:], [999]],
}


@pytest.mark.parametrize("asked", [False, True], ids=["lazy", "asked"])
@pytest.mark.parametrize("copied", [False, True], ids=["same", "copy"])
@pytest.mark.parametrize(("name", "number"), [(name, k) for name, values in LATER.items() for k in range(len(values))])
def test_accumulate_with_other_params_equals_pycocotools(name, number, copied, asked):
    def do(coco, evaluator, data):
        e = evaluated(coco, evaluator, data, "bbox")
        if asked:
            e.evalImgs  # noqa: B018
        p = copy.deepcopy(e.params) if copied else e.params
        _of(**{name: LATER[name][number]})(p)
        e.accumulate(p if copied else None)
        return [*(e.eval[x] for x in TABLES), e.eval["counts"], p.catIds, e.params.catIds, e.evalImgs]

    assert_alike(do, random_set(3))


def _by_processes(coco, evaluator, data):
    """As DETR's references: cells by image, joined over processes, with `evalImgs` and `_paramsEval` set by hand."""
    truth, results = data
    gt = coco()
    gt.dataset = truth
    gt.createIndex()
    e = evaluator(gt, iouType="bbox")
    images = sorted(gt.getImgIds())
    parts = []
    for ids in (images[:2], images[2:]):
        e.cocoDt = gt.loadRes([x for x in results if x["image_id"] in ids]) if results else coco()
        e.params.imgIds = ids
        p = e.params
        p.imgIds, p.catIds, p.maxDets = list(np.unique(p.imgIds)), list(np.unique(p.catIds)), sorted(p.maxDets)
        e._prepare()
        e.ious = {(i, c): e.computeIoU(i, c) for i in p.imgIds for c in p.catIds}
        cells = [e.evaluateImg(i, c, a, p.maxDets[-1]) for c in p.catIds for a in p.areaRng for i in p.imgIds]
        parts.append(np.asarray(cells).reshape(len(p.catIds), len(p.areaRng), len(p.imgIds)))
        e._paramsEval = copy.deepcopy(p)
    e.evalImgs = list(np.concatenate(parts, 2).flatten())
    e.params.imgIds, e._paramsEval = images, copy.deepcopy(e.params)
    e.accumulate()
    e.summarize()
    return [*(e.eval[x] for x in TABLES), e.stats]


def test_cells_of_processes_equal_pycocotools():
    for seed in range(5):
        assert_alike(_by_processes, random_set(seed))


def _own_overlaps(coco, evaluator, data):
    class Own(evaluator):
        def computeIoU(self, imgId, catId):  # noqa: N802, N803
            found = super().computeIoU(imgId, catId)
            return found if len(found) == 0 else np.asarray(found) ** 2

    e = evaluated(coco, Own, data, "bbox")
    e.summarize()
    return [*everything(e), e.stats]


def _own_cells(coco, evaluator, data):
    class Own(evaluator):
        def evaluateImg(self, imgId, catId, aRng, maxDet):  # noqa: N802, N803
            found = super().evaluateImg(imgId, catId, aRng, min(3, maxDet))
            return found and found | {"dtIgnore": ~found["dtIgnore"]}

    e = evaluated(coco, Own, data, "segm")
    e.summarize()
    return [*everything(e), e.stats]


def _own_keypoints(coco, evaluator, data):
    class Own(evaluator):
        def computeOks(self, imgId, catId):  # noqa: N802, N803
            return super().computeOks(imgId, catId)

    return everything(evaluated(coco, Own, data, "keypoints"))


def _twice(coco, evaluator, data):
    e = evaluated(coco, evaluator, data, "segm")
    first = everything(e)
    e.params.iouType = "bbox"
    e.params.iouThrs = np.asarray([0.3, 0.6])
    again = [e.evalImgs, {k: np.asarray(x) for k, x in e.ious.items()}]
    e.evaluate()
    e.accumulate()
    return [*first, *again, *everything(e)]


def _params_before_cells(coco, evaluator, data):
    """What is asked for later is of the params of `evaluate`."""
    e = evaluated(coco, evaluator, data, "bbox")
    e.params.iouThrs, e.params.maxDets, e.params.areaRng = np.asarray([0.9]), [1], [[0, 1]]
    return [e.evalImgs, {k: np.asarray(x) for k, x in e.ious.items()}]


@pytest.mark.parametrize("do", [_own_overlaps, _own_cells, _twice, _params_before_cells])
def test_other_ways_equal_pycocotools(do):
    for seed in range(5):
        assert_alike(do, random_set(seed, "segm"))


def test_own_oks_equals_pycocotools():
    for seed in range(5):
        assert_alike(_own_keypoints, random_set(seed, "keypoints"))


# Ids of objects and of detections, by their number.
ANNOTATION_IDS = {
    "from-0": (lambda n: n, lambda n: n + 1),
    "both-from-0": (lambda n: n, lambda n: n),
    "negative": (lambda n: n - 6, lambda n: n + 1),
    "negative-detections": (lambda n: n + 1, lambda n: 3 - n),
    "all-negative": (lambda n: -n - 1, lambda n: -n - 1),
    "repeated": (lambda n: n // 2 + 1, lambda n: n // 3 + 1),
    "huge": (lambda n: 2**60 + n, lambda n: 2**62 - n),
    "numeric-strings": (lambda n: str(n + 5), lambda n: n + 1),
    "floats": (lambda n: n + 0.5, lambda n: n / 4 + 0.25),
}


@pytest.mark.parametrize("ids", ANNOTATION_IDS)
@pytest.mark.parametrize("without", [False, True])
def test_ids_of_annotations_equal_pycocotools(ids, without):
    of_objects, of_detections = ANNOTATION_IDS[ids]

    def do(coco, evaluator, data):
        truth, results = data
        for number, ann in enumerate(truth["annotations"]):
            ann["id"] = of_objects(number)
        gt, dt = coco(), coco()
        gt.dataset = truth
        gt.createIndex()
        for number, ann in enumerate(results):
            ann.update(id=of_detections(number), area=ann["bbox"][2] * 7, iscrowd=0)
        dt.dataset = {"images": [], "annotations": results}
        dt.createIndex()
        e = evaluator(gt, dt, "bbox")
        e.params.useCats = int(not without)
        e.evaluate()
        e.accumulate()
        return everything(e)

    for seed in range(3):
        assert_alike(do, random_set(seed))


def small():
    data = random_set(4, "segm")[0]
    for number, ann in enumerate(data["annotations"]):
        ann.update(caption=f"number {number}", num=number)
    for number, cat in enumerate(data["categories"]):
        cat.update(name=["dog", "hot dog", "cat"][number], supercategory=["animal", "food", "animal"][number])
    return data


INDEX = {
    "attributes": lambda c: [c.anns, c.imgs, c.cats, dict(c.imgToAnns), dict(c.catToImgs), c.dataset],
    "info": lambda c: c.info(),
    "of-image": lambda c: [
        c.getAnnIds(1),
        c.getAnnIds([1, 3]),
        c.getAnnIds(np.asarray([2, 1])),
        c.getAnnIds(imgIds=[77]),
    ],
    "of-category": lambda c: [
        c.getAnnIds(catIds=2),
        c.getAnnIds(catIds=[2, 5]),
        c.getAnnIds(catIds=np.asarray([5, 2])),
    ],
    "of-both": lambda c: [c.getAnnIds([1, 2, 2], [2, 8]), c.getAnnIds((1, 2), (5,)), c.getAnnIds({1, 2})],
    "of-area": lambda c: [c.getAnnIds(areaRng=[0, 1024]), c.getAnnIds(areaRng=(1024, 1e9)), c.getAnnIds(areaRng=[])],
    "of-crowds": lambda c: [c.getAnnIds(iscrowd=x) for x in (True, False, 0, 1, None, 2)],
    "none": lambda c: [c.getAnnIds(), c.getCatIds(), c.getImgIds(), c.loadAnns(), c.loadCats(), c.loadImgs()],
    "names": lambda c: [c.getCatIds(["dog"]), c.getCatIds(catNms=["cat", "dog"]), c.getCatIds(supNms=["food"])],
    "strings": lambda c: [c.getCatIds("cat"), c.getCatIds("hot dog"), c.getCatIds(supNms="animal"), c.getCatIds("")],
    "cats-by-id": lambda c: [c.getCatIds(catIds=5), c.getCatIds(["dog"], ["animal"], [2, 5]), c.getCatIds(catIds=[99])],
    "images": lambda c: [
        sorted(c.getImgIds(x, y)) for x, y in ((1, []), ([], 2), ([], [2, 5]), ([1, 2], [2]), ([9], []))
    ],
    "load": lambda c: [
        c.loadAnns([1, 2]),
        c.loadAnns(1),
        c.loadImgs([1]),
        c.loadImgs(2),
        c.loadCats([2, 5]),
        c.loadCats(8),
    ],
    "load-array": lambda c: [c.loadAnns(np.asarray([1, 2])), c.loadImgs({1}), c.loadCats((2,))],
    "unknown": lambda c: c.loadAnns([999]),
    "unknown-image": lambda c: c.loadImgs(999),
    "unknown-cat": lambda c: c.loadCats("x"),
    "masks": lambda c: [c.annToRLE(x) for x in c.dataset["annotations"]],
    "pixels": lambda c: [c.annToMask(x) for x in c.dataset["annotations"]],
    "show-nothing": lambda c: c.showAnns([]),
    "show-other": lambda c: c.showAnns([{"id": 1}]),
    "show-captions": lambda c: c.showAnns([{"caption": "a dog"}, {"caption": "two"}]),
    "download": lambda c: c.download(),
    "index-again": lambda c: [c.dataset["annotations"].pop(), c.createIndex(), c.anns],
    "default-dict": lambda c: [c.imgToAnns[77], c.catToImgs[77], 77 in c.imgToAnns],
}


@pytest.mark.parametrize("name", INDEX)
def test_index_equals_pycocotools(name):
    def do(coco, _, data):
        c = coco()
        c.dataset = data
        c.createIndex()
        return INDEX[name](c)

    assert_alike(do, small())


def _boxes(**more):
    return [{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "score": 0.5} | more]


MASK = {"size": [60, 70], "counts": "0\\1"}
ENCODED = reference_mask.encode(np.asfortranarray(np.eye(60, 70, dtype=np.uint8)))
POINTS = {"image_id": 1, "category_id": 2, "score": 1.0}
RESULTS = {
    "boxes": _boxes(),
    "floats": _boxes(bbox=[1.5, 2.5, 3.25, 4.1]),
    "tuple": _boxes(bbox=(1, 2, 3, 4)),
    "float32": [*_boxes(), *_boxes(bbox=np.asarray([1, 2, 3.3, 4.7], np.float32))],
    "long-box": _boxes(bbox=[1, 2, 3, 4, 5]),
    "array": np.asarray([[1, 1.5, 2, 3, 4, 0.5, 2], [2, 1, 2, 3, 4, 0.25, 5]]),
    "array-float32": np.asarray([[1, 1.5, 2, 3, 4, 0.3, 2]], np.float32),
    "array-integers": np.asarray([[1, 1, 2, 3, 4, 1, 2]]),
    "array-of-6": np.ones((1, 6)),
    "array-empty": np.zeros((0, 7)),
    "with-ids": _boxes(id=77, area=3, iscrowd=1),
    "box-and-mask": _boxes(segmentation=ENCODED),
    "no-box": _boxes(bbox=[], segmentation=ENCODED),
    "masks": [
        POINTS | {"segmentation": ENCODED},
        POINTS | {"segmentation": ENCODED | {"counts": ENCODED["counts"].decode()}},
    ],
    "mask-with-second-box": [
        POINTS | {"segmentation": ENCODED},
        POINTS | {"segmentation": ENCODED, "bbox": [1, 1, 1, 1]},
    ],
    "points": [POINTS | {"keypoints": [1, 2, 1, 4, 6, 1, 3, 3, 0]}],
    "float-points": [POINTS | {"keypoints": [1.5, 2, 1, 4, 6.25, 1]}],
    "array-points": [POINTS | {"keypoints": np.asarray([1.5, 2, 1, 4, 6.25, 1], np.float32)}],
    "captions": [{"image_id": 1, "caption": "dog"}, {"image_id": 3, "caption": "cat"}],
    "nothing-known": [{"image_id": 1, "score": 1}],
    "empty": [],
    "tuple-of-results": tuple(_boxes()),
    "dict": {"annotations": []},
    "none": None,
    "number": 3,
    "unknown-image": _boxes(image_id=999),
    "unknown-category": _boxes(category_id=999),
    "no-image": [{"category_id": 2, "bbox": [1, 2, 3, 4]}],
    "no-category": [{"image_id": 1, "bbox": [1, 2, 3, 4], "score": 1}],
    "second-without-box": [*_boxes(), POINTS],
    "short-box": _boxes(bbox=[1, 2, 3]),
    "bad-mask": [POINTS | {"segmentation": {"size": [60, 70]}}],
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("as_file", [False, True])
def test_results_equal_pycocotools(name, as_file, tmp_path):
    given = RESULTS[name]
    if as_file:
        try:
            text = json.dumps(given)
        except TypeError:
            pytest.skip("not of a file")
        (tmp_path / "results.json").write_text(text, "utf-8")
        given = str(tmp_path / "results.json")

    def do(coco, _, data):
        truth, results = data
        c = coco()
        c.dataset = truth
        c.createIndex()
        found = c.loadRes(results)
        same = isinstance(results, list) and found.dataset["annotations"] is results
        return [found.dataset, found.anns, found.imgs, found.cats, dict(found.imgToAnns), dict(found.catToImgs), same]

    assert_alike(do, (small(), given))


FILES = {
    "usual": '{"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "category_id": 2}], "categories": []}',
    "no-json": "{",
    "list": "[]",
    "empty": "",
    "empty-object": "{}",
    "no-categories": '{"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1}]}',
    "no-annotations": '{"images": [{"id": 1}], "categories": [{"id": 1}]}',
    "no-image-id": '{"annotations": [{"id": 1}]}',
    "no-id": '{"annotations": [{"image_id": 1}]}',
    "no-category-id": '{"annotations": [{"image_id": 1, "id": 1}], "categories": [{"id": 1}]}',
    "no-id-of-image": '{"images": [{}]}',
    "numbers": '{"images": [3]}',
    "null": '{"images": null}',
}


@pytest.mark.parametrize("name", FILES)
def test_files_equal_pycocotools(name, tmp_path):
    path = tmp_path / "truth.json"
    path.write_text(FILES[name], "utf-8")
    assert_alike(lambda coco, _, __: [vars(coco(x)).get("dataset") for x in (str(path), path)])


# Annotations that lack a field, or have another, by kind.
MISSING = {
    "bbox": ["bbox", "area", "iscrowd", "category_id", "score"],
    "segm": ["segmentation", "area", "iscrowd", "score"],
    "keypoints": ["keypoints", "area", "iscrowd", "num_keypoints", "bbox", "score"],
}


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind, fields in MISSING.items() for field in fields])
@pytest.mark.parametrize("side", ["objects", "detections"])
def test_missing_fields_raise_as_pycocotools(kind, field, side):
    def do(coco, evaluator, data):
        truth, results = data
        gt = coco()
        gt.dataset = truth
        gt.createIndex()
        dt = gt.loadRes(results)
        for ann in (gt if side == "objects" else dt).dataset["annotations"]:
            ann.pop(field, None)
        e = evaluator(gt, dt, kind)
        e.evaluate()
        e.accumulate()
        return everything(e)

    for seed in (0, 4, 8):
        assert_alike(do, random_set(seed, kind))


def _gt(coco):
    with contextlib.redirect_stdout(io.StringIO()):
        c = coco()
        c.dataset = small()
        c.createIndex()
    return c


CALLS = {
    "nothing": lambda _, e: vars(e().params),
    "attributes": lambda c, e: [
        getattr(e(_gt(c)), x) for x in ("evalImgs", "eval", "ious", "stats", "_paramsEval", "_gts")
    ],
    "ids": lambda c, e: [e(_gt(c), None, "bbox").params.imgIds, e(_gt(c), None, "bbox").params.catIds],
    "keypoints": lambda _, e: vars(e(iouType="keypoints").params),
    "other": lambda _, e: e(iouType="boxes"),
    "empty": lambda _, e: e(iouType=""),
    "summarize": lambda _, e: e().summarize(),
    "accumulate": lambda c, e: e(_gt(c), _gt(c), "bbox").accumulate(),
    "evaluate": lambda _, e: e().evaluate(),
    "segm-as-keypoints": lambda c, e: _evaluate_as(e(_gt(c), _gt(c)), "keypoints"),
}


def _evaluate_as(e, kind):
    e.params.iouType = kind
    return e.evaluate()


@pytest.mark.parametrize("name", CALLS)
def test_calls_equal_pycocotools(name):
    assert_alike(lambda coco, evaluator, _: CALLS[name](coco, evaluator))
