"""Scores and losses of boxes by each convention against the library's formula, at sides of .001 to 10,000."""

import math

import numpy as np
import pytest

from omniou import boxes, conventions, losses

EPS = 1e-7
N = 60


class Pair:
    """Boxes of about one side: their corners, and what the formulas need, with an epsilon added to both heights."""

    def __init__(self, side, *, offset=0.0, heights=0.0):
        rng = np.random.default_rng(0)
        low = rng.uniform(0, side, (2, N, 2))
        self.a, self.b = np.concatenate([low, low + rng.uniform(side / 2, 2 * side, (2, N, 2))], axis=-1)
        (self.low_a, high_a), (self.low_b, high_b) = ((x[:, :2], x[:, 2:] + offset) for x in (self.a, self.b))
        self.sides = [high_a - self.low_a + [0, heights], high_b - self.low_b + [0, heights]]
        self.area = [x.prod(-1) for x in self.sides]
        inside = np.minimum(high_a, high_b) - np.maximum(self.low_a, self.low_b)
        self.inter = np.clip(inside, 0, None).prod(-1)
        self.union = self.area[0] + self.area[1] - self.inter
        around = np.maximum(high_a, high_b) - np.minimum(self.low_a, self.low_b)
        self.hull, self.diagonal = around.prod(-1), (around**2).sum(-1)
        self.distance = ((self.low_a + high_a - self.low_b - high_b) ** 2).sum(-1) / 4

    def iou(self, eps=0.0):
        return self.inter / (self.union + eps)

    def giou(self, eps=0.0):
        # Libraries that add epsilon before they subtract add it to both areas: the difference is the same.
        return self.iou(eps) - (self.hull - self.union) / (self.hull + eps)

    def diou(self, eps=0.0, diagonal=None):
        return self.iou(eps) - self.distance / (self.diagonal + (eps if diagonal is None else diagonal))

    def ciou(self, eps=0.0, diagonal=None, alpha=None, heights=0.0, above=-1.0):
        ratios = [np.arctan(w / (h + heights)) for w, h in (x.T for x in self.sides)]
        v = 4 / math.pi**2 * (ratios[0] - ratios[1]) ** 2
        iou = self.iou(eps)
        penalty = np.where(iou > above, v**2 / (1 - iou + v + (eps if alpha is None else alpha)), 0)
        return self.diou(eps, diagonal) - penalty


def plain(side):
    return Pair(side).iou()


def of_last_pixels(side):
    return Pair(side, offset=1.0).iou()


def crowd(side):
    x = Pair(side)
    return x.inter / x.area[0]


def of_smaller(side):
    x = Pair(side)
    return x.inter / np.minimum(*x.area)


def of_mmdet(side, mode):
    x = Pair(side)
    union, hull = np.maximum(x.union, 1e-6), np.maximum(x.hull, 1e-6)
    return x.inter / union - (0 if mode == "iou" else (hull - union) / hull)


def of_ultralytics(side, score):
    """`bbox_iou` of corners: the areas and ratios are of heights + 1e-7, the intersection and the hull are not."""
    return getattr(Pair(side, heights=EPS), score)(EPS)


def of_keras(side):
    return Pair(side, heights=EPS).ciou(2 * EPS, diagonal=EPS, alpha=EPS)


def log(values):
    return -np.log(np.where(values > 0, values, 1))  # where both are disjoint the floor decides


# Convention -> function -> formula by side, and how far the options may be from it by the text of `rules`.
EXACT = 0.0
PLAIN = {"boxes.iou": (plain, EXACT)}
COCO = {**PLAIN, "boxes.iof": (crowd, EXACT)}
FORMULAS = {
    "torchvision": {
        **PLAIN,
        "boxes.giou": (lambda s: Pair(s).giou(), EXACT),
        "boxes.diou": (lambda s: Pair(s).diou(diagonal=EPS), lambda s: EPS / (s / 2) ** 2 / 2 + EPS),
        "boxes.ciou": (lambda s: Pair(s).ciou(diagonal=EPS, alpha=EPS), lambda s: EPS / (s / 2) ** 2 / 2 + EPS),
        "losses.giou": (lambda s: 1 - Pair(s).giou(EPS), EXACT),
        "losses.diou": (lambda s: 1 - Pair(s).diou(EPS), EXACT),
        "losses.ciou": (lambda s: 1 - Pair(s).ciou(EPS), EXACT),
    },
    "detectron2": {
        **PLAIN,
        "losses.diou": (lambda s: 1 - Pair(s).diou(EPS), EXACT),
        "losses.ciou": (lambda s: 1 - Pair(s).ciou(EPS), EXACT),
    },
    "maskrcnn_benchmark": {"boxes.iou": (of_last_pixels, EXACT)},
    "voc": {"boxes.iou": (of_last_pixels, EXACT)},
    "mmcv": COCO,
    "mmdet": {
        # Quotients by 1e-6 at least: from sides of .01 on these are the plain ones.
        "boxes.iou": (lambda s: of_mmdet(s, "iou"), lambda s: 1.0 if s < 0.01 else EXACT),
        "boxes.iof": (crowd, lambda s: 1.0 if s < 0.01 else EXACT),
        "boxes.giou": (lambda s: of_mmdet(s, "giou"), lambda s: 2.0 if s < 0.01 else EXACT),
        "losses.iou": (lambda s: log(of_mmdet(s, "iou")), lambda s: 20.0 if s < 0.01 else EXACT),
        "losses.giou": (lambda s: 1 - Pair(s).giou(), EXACT),
        "losses.diou": (lambda s: 1 - Pair(s).diou(EPS), EXACT),
        "losses.ciou": (
            lambda s: 1 - Pair(s).ciou(EPS, alpha=0.0, heights=EPS, above=0.5),
            lambda s: 1e-6 / (s / 2) + EPS,
        ),
    },
    "mmyolo": {
        "boxes.iou": (lambda s: Pair(s).iou(EPS), EXACT),
        "boxes.ciou": (lambda s: Pair(s).ciou(EPS, heights=EPS), lambda s: 1e-6 / (s / 2)),
    },
    "ultralytics": {
        **{
            f"boxes.{name}": (lambda s, name=name: of_ultralytics(s, name), lambda s: 2e-7 / (s / 2))
            for name in ("iou", "giou", "diou")
        },
        "boxes.ciou": (lambda s: of_ultralytics(s, "ciou"), lambda s: 5e-7 / (s / 2)),
        "losses.ciou": (lambda s: 1 - of_ultralytics(s, "ciou"), lambda s: 5e-7 / (s / 2)),
    },
    "yolox": {
        **PLAIN,
        "losses.iou": (lambda s: 1 - Pair(s).iou(1e-16) ** 2, EXACT),
        "losses.giou": (lambda s: 1 - Pair(s).giou(), EXACT),
    },
    "monai": {
        "boxes.iou": (lambda s: Pair(s).iou(2.0**-23), EXACT),
        "boxes.giou": (lambda s: Pair(s).giou(2.0**-23), EXACT),
    },
    "scenic": {"boxes.iou": (lambda s: Pair(s).iou(1e-6), EXACT), "boxes.giou": (lambda s: Pair(s).giou(1e-6), EXACT)},
    "tensorrt": PLAIN,
    "keras": {
        "boxes.iou": (lambda s: Pair(s).iou(EPS), EXACT),
        "boxes.ciou": (of_keras, lambda s: EPS / (s / 2) ** 2 + 1e-6 / (s / 2)),
    },
    "keras_cv": {
        "boxes.iou": (lambda s: Pair(s).iou(EPS), EXACT),
        "losses.iou": (lambda s: log(Pair(s).iou(EPS)), EXACT),
    },
    "tensorflow": PLAIN,
    "onnxruntime": PLAIN,
    "opencv": PLAIN,
    "powerboxes": {
        **PLAIN,
        "boxes.giou": (lambda s: Pair(s).giou(), EXACT),
        "boxes.tiou": (lambda s: np.minimum(*Pair(s).area) / Pair(s).hull, EXACT),
    },
    "lsnms": PLAIN,
    "supervision": {**PLAIN, "boxes.iomin": (of_smaller, EXACT)},
    "sahi": {**PLAIN, "boxes.iomin": (of_smaller, EXACT)},
    "ensemble_boxes": PLAIN,
    "pycocotools": COCO,
    "faster_coco_eval": COCO,
    "hotcoco": COCO,
}


def test_each_score_and_loss_of_boxes_has_a_formula():
    of_boxes = {
        name: {x for x in each.options if x.rpartition(".")[0] in {"boxes", "losses"}}
        for name, each in conventions.items()
    }
    assert {name: set(x) for name, x in FORMULAS.items()} == {name: x for name, x in of_boxes.items() if x}


@pytest.mark.parametrize("side", [1e-3, 1e-2, 1.0, 1e4])
@pytest.mark.parametrize("name", FORMULAS)
def test_score_of_convention_equals_its_formula(name, side):
    pair = Pair(side)
    for path, (formula, bound) in FORMULAS[name].items():
        options = conventions[name].of(path)
        a, b = (boxes.convert(x, "xyxy", options["format"]) for x in (pair.a, pair.b))
        module, function = path.split(".")
        ours = getattr({"boxes": boxes, "losses": losses}[module], function)(a, b, **options)
        theirs = formula(side)
        compared = theirs != 0 if "log" in options else np.ones(N, bool)
        slack = bound(side) if callable(bound) else bound
        np.testing.assert_allclose(ours[compared], theirs[compared], rtol=1e-9, atol=1e-11 + slack, err_msg=path)


@pytest.mark.parametrize("score", ["iou", "giou", "diou", "ciou"])
def test_options_of_ultralytics_are_exact_for_centres_and_sides(score):
    """`bbox_iou` adds 1e-7 to the heights of corners only."""
    for side in (1e-3, 1e-2, 1.0, 1e4):
        pair = Pair(side)
        a, b = (boxes.convert(x, "xyxy", "cxcywh") for x in (pair.a, pair.b))
        options = {**conventions["ultralytics"].of(f"boxes.{score}"), "format": "cxcywh"}
        ours = getattr(boxes, score)(a, b, **options)
        np.testing.assert_allclose(ours, getattr(pair, score)(EPS), rtol=1e-9, atol=1e-11)
