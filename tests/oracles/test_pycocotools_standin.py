"""Everything that pycocotools has, of the module that stands in for it: values, types, dtypes, lines and errors."""

import contextlib
import copy
import io
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

    for seed in range(30):
        assert_alike(do, random_set(seed, kind, IDS[ids]))
