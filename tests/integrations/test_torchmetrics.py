import importlib.util
import math
import pickle
import subprocess
import sys

import array_api_compat.torch
import lightning
import pytest
import torch
from torch.utils.data import DataLoader
from torchmetrics import MetricCollection

from omniou_integrations._pairing import greedy
from omniou_integrations.torchmetrics import (
    CompleteIntersectionOverUnion,
    DistanceIntersectionOverUnion,
    GeneralizedIntersectionOverUnion,
    IntersectionOverUnion,
)

CLASSES = {
    "iou": IntersectionOverUnion,
    "giou": GeneralizedIntersectionOverUnion,
    "diou": DistanceIntersectionOverUnion,
    "ciou": CompleteIntersectionOverUnion,
}
NOTHING = [[], []]
TWO = [[0, 0, 10, 10], [20, 20, 30, 30]]


def sample(boxes, labels=None, dtype=torch.float32):
    labels = [0] * len(boxes) if labels is None else labels
    return {
        "boxes": torch.tensor(boxes, dtype=dtype).reshape(-1, 4),
        "labels": torch.tensor(labels, dtype=torch.int64),
    }


def value(metric, *images):
    """Result for (predicted boxes, their labels, target boxes, their labels) of each image."""
    preds = [sample(image[0], image[1]) for image in images]
    target = [sample(image[2], image[3]) for image in images]
    return {key: x.item() for key, x in metric(preds, target).items()}


# Boxes, labels, boxes, labels of each image; what every score but IoU makes of a miss is -1.
MATCHED = {
    "perfect": ([(TWO, [0, 0], TWO, [0, 0])], {"iou": 1, "giou": 1, "diou": 1, "ciou": 1}),
    "perfect in another order": ([(TWO[::-1], [0, 0], TWO, [0, 0])], {"iou": 1, "giou": 1, "diou": 1, "ciou": 1}),
    "a quarter": ([([[0, 0, 1, 1]], [0], [[0, 0, 2, 2]], [0])], {"iou": 1 / 4, "giou": 1 / 4}),
    "disjoint": (
        [([[0, 0, 2, 2]], [0], [[2, 0, 4, 2]], [0])],
        {"iou": 0, "giou": 0, "diou": -4 / 20, "ciou": -4 / 20},
    ),
    "one perfect, two targets without predictions": (
        [([TWO[0]], [0], [TWO[0]], [0]), ([], [], TWO, [0, 0])],
        {"iou": 1 / 3, "giou": -1 / 3, "diou": -1 / 3, "ciou": -1 / 3},
    ),
    "one perfect, two predictions without targets": (
        [(TWO, [0, 0], [], []), ([TWO[0]], [0], [TWO[0]], [0])],
        {"iou": 1 / 3, "giou": -1 / 3},
    ),
    "a duplicate": ([([TWO[0], TWO[0]], [0, 0], [TWO[0]], [0])], {"iou": 1 / 2, "giou": 0}),
    "another label": ([([TWO[0]], [1], [TWO[0]], [0])], {"iou": 0, "giou": -1}),
    # Both predictions want the target on the left; the better has it, the other takes what is left: 0 of a union of 2.
    "rivals": (
        [([[0, 0, 1, 1], [0, 0, 2, 1]], [0, 0], [[0, 0, 2, 1], [2, 0, 3, 1]], [0, 0])],
        {"iou": (1 + 0) / 2, "giou": (1 - 1 / 3) / 2},
    ),
    "degenerate": ([([[3, 3, 3, 3]], [0], [[3, 3, 3, 3]], [0])], {"iou": 0, "giou": 0}),
}


@pytest.mark.parametrize(("images", "expected"), MATCHED.values(), ids=MATCHED)
@pytest.mark.parametrize("key", CLASSES)
def test_matched(key, images, expected):
    if key in expected:
        assert value(CLASSES[key](), *images) == pytest.approx({key: expected[key]}, abs=1e-7)


@pytest.mark.parametrize("key", CLASSES)
@pytest.mark.parametrize("images", [[], [(*NOTHING, *NOTHING)]])
@pytest.mark.parametrize("pairing", ["matched", "all"])
def test_no_data_is_nan(key, images, pairing):
    assert value(CLASSES[key](pairing=pairing), *images) == pytest.approx({key: math.nan}, nan_ok=True)


def test_no_data_is_nan_for_a_class_too():
    metric = IntersectionOverUnion(class_metrics=True, num_classes=3)
    image = ([*TWO, [0, 0, 1, 1]], [0, 2, 2], [TWO[0], [20, 20, 30, 25]], [0, 2])

    expected = {"iou": 1.5 / 3, "iou/cl_0": 1, "iou/cl_1": math.nan, "iou/cl_2": 0.5 / 2}
    assert value(metric, image) == pytest.approx(expected, nan_ok=True)


def test_a_pair_of_two_labels_counts_for_its_targets():
    metric = IntersectionOverUnion(class_metrics=True, num_classes=2, respect_labels=False)

    assert value(metric, ([TWO[0]], [1], TWO, [0, 0])) == pytest.approx(
        {"iou": 1 / 2, "iou/cl_0": 1 / 2, "iou/cl_1": math.nan}, nan_ok=True
    )


def test_empty_target_with_class_metrics():  # an IndexError in torchmetrics 1.9
    metric = IntersectionOverUnion(class_metrics=True, num_classes=1)

    assert value(metric, (TWO, [0, 0], *NOTHING)) == {"iou": 0, "iou/cl_0": 0}


def test_threshold_leaves_poor_pairs_out():
    image = ([[0, 0, 2, 2], [5, 5, 6, 6]], [0, 0], [[0, 0, 2, 1], [5, 5, 6, 6]], [0, 0])

    assert value(IntersectionOverUnion(iou_threshold=0.5), image) == {"iou": (0.5 + 1) / 2}
    assert value(IntersectionOverUnion(iou_threshold=0.51), image) == pytest.approx({"iou": (0 + 0 + 1) / 3})
    assert value(IntersectionOverUnion(iou_threshold=0.51, pairing="all"), image) == {"iou": 1}


# The numbers that torchmetrics prints in its documentation, and that PEERS of ours saw for two perfect boxes.
DOCUMENTED = [[296.55, 93.96, 314.97, 152.79], [298.55, 98.96, 314.97, 151.79]]
DOCUMENTED_TARGET = [300.0, 100.0, 315.0, 150.0]
ALL = [
    ("iou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"iou": 0.8614}),
    ("giou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"giou": 0.8613}),
    ("diou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"diou": 0.8611}),
    ("ciou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"ciou": 0.8611}),
    (
        "iou",
        {"class_metrics": True, "num_classes": 6},
        (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET, DOCUMENTED_TARGET], [4, 5]),
        {"iou": 0.7756, "iou/cl_4": 0.6898, "iou/cl_5": 0.8614},
    ),
    ("iou", {}, (TWO, [0, 0], TWO, [0, 0]), {"iou": 0.5}),
    ("giou", {}, (TWO, [0, 0], TWO, [0, 0]), {"giou": 0.1111}),
    ("iou", {"respect_labels": False}, (TWO, [0, 1], TWO, [1, 0]), {"iou": 0.5}),
]


@pytest.mark.parametrize(("key", "options", "image", "expected"), ALL)
def test_all_pairs_are_those_of_torchmetrics(key, options, image, expected):
    found = value(CLASSES[key](pairing="all", **options), image)

    assert {key: x for key, x in found.items() if not math.isnan(x)} == pytest.approx(expected, abs=5e-5)


def test_all_pairs_count_an_image_without_predictions():
    images = ([TWO[0]], [0], [TWO[0]], [0]), ([], [], TWO, [0, 0])

    assert value(IntersectionOverUnion(pairing="all"), *images) == pytest.approx({"iou": 1 / 3})


@pytest.mark.parametrize(
    ("box_format", "box"), [("yxyx", [0, 1, 2, 4]), ("xywh", [1, 0, 3, 2]), ("cxcywh", [2.5, 1, 3, 2])]
)
def test_formats(box_format, box):
    image = ([box], [0], [box], [0])
    half = [box[0], box[1], box[2], box[3]]
    half[2 if box_format == "yxyx" else 3] = 1  # the upper half, or as high around the same centre

    assert value(IntersectionOverUnion(box_format), image) == {"iou": 1}
    assert value(IntersectionOverUnion(box_format), ([half], [0], [box], [0])) == {"iou": 0.5}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.uint8])
def test_dtypes(dtype):
    metric = IntersectionOverUnion()
    metric.update([sample([[0, 0, 100, 200]], dtype=dtype)], [sample([[0, 0, 100, 100]], dtype=dtype)])
    # What has no boxes is often of another dtype than the rest.
    metric.update([sample([[0, 0, 100, 100]], dtype=dtype), sample([])], [sample([[0, 0, 100, 100]])] * 2)

    assert metric.compute()["iou"].dtype == torch.float32
    assert metric.compute()["iou"].item() == pytest.approx((0.5 + 1 + 0) / 3)


def test_an_empty_image_does_not_narrow_the_others():
    far = 2**25  # where float32 knows even numbers only
    image = sample([[far, 0, far + 1, 1]], dtype=torch.int64)

    assert IntersectionOverUnion()([image, sample([])], [image, sample([])]) == {"iou": torch.tensor(1.0)}


def one_by_one(score, allowed):
    """The definition: the best pair that is left, again and again; NaN last, and of equals the first."""
    rows, columns = score.shape
    pairs = [(i, j) for i in range(rows) for j in range(columns) if allowed[i, j]]
    taken = []
    for i, j in sorted(pairs, key=lambda pair: -math.inf if math.isnan(x := float(score[pair])) else x, reverse=True):
        if all(i != row and j != column for row, column in taken):
            taken.append((i, j))
    return sorted(taken)


@pytest.mark.parametrize("seed", range(20))
def test_greedy(seed):
    generator = torch.Generator().manual_seed(seed)
    shape = (3, *torch.randint(1, 7, (2,), generator=generator).tolist())
    # Few values, so that there are ties.
    score = torch.randint(-2, 4, shape, generator=generator) / 3
    score[torch.rand(shape, generator=generator) < 0.1] = math.nan
    allowed = torch.rand(shape, generator=generator) < 0.7

    found = greedy(score, allowed, xp=array_api_compat.torch)

    assert [x.nonzero().tolist() for x in found] == [
        [list(pair) for pair in one_by_one(*image)] for image in zip(score, allowed, strict=True)
    ]


def test_labels_may_be_missing_where_nothing_needs_them():
    metric = IntersectionOverUnion(respect_labels=False)

    assert metric([{"boxes": torch.tensor(TWO)}], [{"boxes": torch.tensor(TWO)}]) == {"iou": torch.tensor(1.0)}


def test_a_flat_empty_tensor_is_no_box():
    empty = {"boxes": torch.tensor([]), "labels": torch.tensor([])}

    assert IntersectionOverUnion()([empty], [sample(TWO)]) == {"iou": torch.tensor(0.0)}


def test_nan_is_not_hidden():
    broken = [[math.nan, 0, 1, 1], TWO[1]]
    metric = IntersectionOverUnion(class_metrics=True, num_classes=2)

    expected = {"iou": math.nan, "iou/cl_0": math.nan, "iou/cl_1": 1}
    assert value(metric, (broken, [0, 1], TWO, [0, 1])) == pytest.approx(expected, nan_ok=True)


def test_batches_add_up():
    images = [image for images, _ in MATCHED.values() for image in images]
    together, one_by_one, merged = (GeneralizedIntersectionOverUnion() for _ in range(3))
    expected = value(together, *images)
    merged.update([], [])  # torchmetrics warns where there was a merge alone
    for image in images:
        value(one_by_one, image)
        part = GeneralizedIntersectionOverUnion()
        value(part, image)
        merged.merge_state(part)

    assert one_by_one.compute()["giou"].item() == pytest.approx(expected["giou"])
    assert merged.compute()["giou"].item() == pytest.approx(expected["giou"])


def test_forward_gives_the_batch_and_keeps_the_sum():
    metric = IntersectionOverUnion()

    assert value(metric, ([TWO[0]], [0], [TWO[0]], [0])) == {"iou": 1}
    assert value(metric, ([TWO[0]], [1], [TWO[0]], [0])) == {"iou": 0}
    assert metric.compute()["iou"].item() == pytest.approx(1 / 3)


BAD = [
    ("preds", "x", TypeError, "`preds` must be a list with a dict for each image, got str"),
    ("preds", [], ValueError, "`preds` and `target` must have one length, got 0 and 2"),
    ("target", [sample(TWO), None], TypeError, "`target[1]` must be a dict, got NoneType"),
    ("preds", [sample(TWO), {"boxes": torch.ones(1, 4)}], ValueError, "`preds[1]` must have the key 'labels'"),
    ("target", [{"labels": torch.ones(1)}] * 2, ValueError, "`target[0]` must have the key 'boxes', got ['labels']"),
    ("preds", [{"boxes": [[0, 0, 1, 1]], "labels": None}] * 2, TypeError, "`preds[0]['boxes']` must be a tensor"),
    (
        "preds",
        [sample(TWO), {"boxes": torch.ones(3, 5), "labels": torch.ones(3)}],
        ValueError,
        "`preds[1]['boxes']` must have shape (N, 4), got (3, 5)",
    ),
    (
        "target",
        [{"boxes": torch.ones(3, 4), "labels": torch.ones(2)}] * 2,
        ValueError,
        "`target[0]['labels']` must have shape (3,) as there are boxes, got (2,)",
    ),
    (
        "target",
        [sample(TWO), {"boxes": torch.ones(1, 4), "labels": torch.ones(1)}],
        TypeError,
        "`target[1]['labels']` must hold integers, got torch.float32",
    ),
    (
        "preds",
        [sample(TWO), sample(TWO, dtype=torch.bool)],
        TypeError,
        "`preds[1]['boxes']` must hold integers or real floating numbers, got torch.bool",
    ),
    (
        "preds",
        [sample(TWO), sample(TWO, [0, 2])],
        ValueError,
        "`preds[1]['labels']` must lie in 0 ... 1, got 0 ... 2",
    ),
    (
        "target",
        [sample(TWO), sample(TWO, [-1, 0])],
        ValueError,
        "`target[1]['labels']` must lie in 0 ... 1, got -1 ... 0",
    ),
]


@pytest.mark.parametrize("call", ["update", "forward"])
@pytest.mark.parametrize(("side", "samples", "error", "message"), BAD)
def test_bad_input_leaves_the_state(side, samples, error, message, call):
    metric = IntersectionOverUnion(class_metrics=True, num_classes=2)
    good = {"preds": [sample(TWO), sample([])], "target": [sample(TWO[:1]), sample(TWO)]}
    metric.update(**good)

    with pytest.raises(error) as raised:
        getattr(metric, call)(**good | {side: samples})

    assert message in str(raised.value)
    assert metric.compute()["iou"].item() == pytest.approx(1 / 4)
    assert metric.count.tolist() == [4, 0]


def test_a_failure_within_forward_leaves_the_state(monkeypatch):
    metric = IntersectionOverUnion()
    metric.update([sample(TWO)], [sample(TWO)])
    monkeypatch.setattr(metric, "compute", lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        metric([sample([])], [sample(TWO)])

    assert (metric.total.item(), metric.count.item()) == (2, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"box_format": "rel_xyxy"}, "`box_format` must be one of 'xyxy', 'yxyx', 'xywh', 'cxcywh', got 'rel_xyxy'"),
        ({"pairing": "best"}, "`pairing` must be one of 'matched', 'all', got 'best'"),
        ({"output": "list"}, "`output` must be one of 'dict', 'tensor', got 'list'"),
        ({"class_metrics": True}, "`num_classes` must be a positive integer where `class_metrics` is true, got None"),
        ({"class_metrics": True, "num_classes": 0}, "`num_classes` must be a positive integer"),
        ({"class_metrics": True, "num_classes": 2, "output": "tensor"}, "`output` must be 'dict'"),
        ({"class_metrics": 1}, "`class_metrics` must be a bool, got int"),
        ({"respect_labels": None}, "`respect_labels` must be a bool, got NoneType"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        IntersectionOverUnion(**options)

    assert message in str(raised.value)


def test_native():
    for key, cls in CLASSES.items():
        metric = cls()
        value(metric, (TWO, [0, 0], TWO, [0, 0]))
        _, axes = metric.plot()

        assert (cls.is_differentiable, cls.higher_is_better, cls.full_state_update) == (False, True, False)
        assert axes.get_ylim()[0] <= cls.plot_lower_bound < cls.plot_upper_bound <= axes.get_ylim()[1]
        for copy in (pickle.loads(pickle.dumps(metric)), metric.clone()):  # noqa: S301  (our own)
            assert copy.compute() == {key: torch.tensor(1.0)}


def test_collection():
    options = [{}, {"iou_threshold": 0.6}, {"pairing": "all"}, {"respect_labels": False}]
    classes = {key: cls() for key, cls in CLASSES.items()}
    others = {f"iou {i}": IntersectionOverUnion(output="tensor", **option) for i, option in enumerate(options)}
    metrics = MetricCollection(classes | others)
    # After the first batch all have the same sums or some have; the second tells them apart.
    metrics.update([sample([])], [sample(TWO)])
    metrics.update([sample([[0, 0, 2, 2]], [1])], [sample([[2, 0, 4, 2]], [1])])
    metrics.update([sample([[0, 0, 2, 2], [5, 5, 6, 6]])], [sample([[0, 0, 2, 1], [5, 5, 6, 6]], [0, 1])])

    # Three misses in the last image where labels count; else two pairs of the same boxes, of IoU 1/2 and 1.
    expected = {
        "iou": 0.5 / 6,
        "giou": (-2 + 0 + 0.5 - 2) / 6,
        "diou": (-2 - 4 / 20 + (0.5 - 0.25 / 8) - 2) / 6,
        "iou 0": 0.5 / 6,
        "iou 1": 0,
        "iou 2": 0.5 / 5,
        "iou 3": 1.5 / 5,
    }
    found = {key: x.item() for key, x in metrics.compute().items()}
    assert {key: found[key] for key in expected} == pytest.approx(expected)


@pytest.mark.parametrize("move", [lambda m: m.half(), lambda m: m.to(torch.bfloat16), lambda m: m.to("cpu")])
def test_sums_keep_their_digits_in_a_narrow_module(move):
    module = torch.nn.Module()
    module.metric = IntersectionOverUnion()
    move(module)
    for _ in range(2):
        module.metric.reset()
        module.metric.update([sample([[0, 0, 3, 1]])], [sample([[0, 0, 1, 1]])])

        assert (module.metric.total.dtype, module.metric.count.dtype) == (torch.float64, torch.int64)
        assert module.metric.compute()["iou"].item() == pytest.approx(1 / 3, abs=1e-7)


def test_a_device_without_float64():
    metric = IntersectionOverUnion()
    metric.update([sample([[0, 0, 3, 1]])], [sample([[0, 0, 1, 1]])])

    def to_device(x):
        if x.dtype == torch.float64:
            msg = "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64."
            raise TypeError(msg)
        return x.clone()

    metric._apply(to_device)
    metric.update([sample(TWO[:1])], [sample(TWO[:1])])

    assert metric.total.dtype == torch.float32
    assert metric.compute()["iou"].item() == pytest.approx((1 / 3 + 1) / 2)


def test_dtype_on_request():
    metric = IntersectionOverUnion().set_dtype(torch.float64)

    boxes = torch.tensor([[[0, 0, 3, 1]], [[0, 0, 1, 1]]], dtype=torch.float64)
    labels = torch.tensor([0])
    (found,) = metric(*([{"boxes": x, "labels": labels}] for x in boxes)).values()
    assert found.item() == 1 / 3


class Detector(lightning.LightningModule):
    """Predicts one box for each image: its parameter, from a start that overlaps half of the target."""

    def __init__(self):
        super().__init__()
        self.box = torch.nn.Parameter(torch.tensor([[0.0, 0.0, 2.0, 1.0]]))
        self.iou = IntersectionOverUnion(output="tensor")
        self.scores = MetricCollection([IntersectionOverUnion(), GeneralizedIntersectionOverUnion()])

    def training_step(self, batch):
        return ((self.box - batch["boxes"][:, 0]) ** 2).mean()

    def validation_step(self, batch):
        preds = [sample([]) | {"boxes": self.box, "labels": torch.tensor([0])} for _ in batch["boxes"]]
        target = [{"boxes": boxes, "labels": torch.zeros(len(boxes), dtype=torch.int64)} for boxes in batch["boxes"]]
        self.iou.update(preds, target)
        self.log("val_iou", self.iou)
        self.scores.update(preds, target)

    def on_validation_epoch_end(self):
        self.log_dict({f"all_{key}": x for key, x in self.scores.compute().items()})
        self.scores.reset()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1.0)


# Lightning's own: it reads an attribute of trees that PyTorch has renamed, and asks for worker processes.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.filterwarnings("ignore:.*does not have many workers.*")
def test_lightning(tmp_path):
    model = Detector()
    images = [{"boxes": torch.tensor([[0.0, 0.0, 2.0, 2.0]])} for _ in range(10)]
    loader = DataLoader(images, batch_size=4)
    stop = lightning.pytorch.callbacks.EarlyStopping("val_iou", mode="max", patience=3)
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=3,
        callbacks=[stop],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )

    (before,) = trainer.validate(model, loader, verbose=False)
    trainer.fit(model, loader, loader)
    (after,) = trainer.validate(model, loader, verbose=False)

    assert before == pytest.approx({"val_iou": 0.5, "all_iou": 0.5, "all_giou": 0.5})
    assert after["val_iou"] > 0.95
    assert stop.best_score.item() == pytest.approx(after["val_iou"])


# One process of two; its shards are the lists of boxes found, a target each, of which the first is found.
RANK = """
import sys, warnings, torch
if {torchvision}:
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from omniou_integrations.torchmetrics import GeneralizedIntersectionOverUnion

calls = 0
gather = torch.distributed.all_gather
def counted(*args, **kwargs):
    global calls
    calls += 1
    return gather(*args, **kwargs)
torch.distributed.all_gather = counted

rank = int(sys.argv[1])
torch.distributed.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
for shards in {cases}:
    metric = GeneralizedIntersectionOverUnion(class_metrics=True, num_classes=3)
    for boxes in shards[rank]:
        target = dict(boxes=torch.tensor(boxes), labels=torch.arange(len(boxes)))
        metric.update([dict(boxes=torch.tensor(boxes[:1]), labels=torch.tensor([0]))], [target])
    with warnings.catch_warnings(action="ignore"):  # torchmetrics: `compute()` before `update()`
        print([round(x.item(), 6) for x in metric.compute().values()], calls)
torch.distributed.destroy_process_group()
"""


def test_two_processes(tmp_path):
    uneven, empty = [[TWO, TWO[:1], TWO], [TWO]], [[TWO, TWO[:1], TWO, TWO], []]
    program = RANK.format(cases=[uneven, empty], torchvision=bool(importlib.util.find_spec("torchvision")))
    command = [sys.executable, "-c", program]
    ranks = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "store")], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    printed = [rank.communicate(timeout=90)[0].splitlines() for rank in ranks]

    # Four perfect boxes of class 0, three missed ones of class 1, none of class 2. Two states, each with its shape.
    assert printed == [["[0.142857, 1.0, -1.0, nan] 4", "[0.142857, 1.0, -1.0, nan] 8"]] * 2
