"""Metrics of trackers: values by hand, the evaluator of `omniou.tracking` beside them, several processes, bad input."""

import pickle

import pytest
import torch
from torchmetrics import MetricCollection

from omniou import tracking
from omniou_integrations.torchmetrics import HOTA, IDF1, ClearMOT
from tests import fake_device
from tests.integrations.processes import results_of
from tests.integrations.tracking_ranks import FRAMES, METRICS, SHARDS, data, filled

BOX = torch.tensor([[0.0, 0, 10, 10]])
# The track of object 1 gets a new id in the last of three frames.
TARGET = [{"boxes": BOX, "ids": torch.tensor([1]), "frame": k} for k in range(3)]
PREDS = [{"boxes": BOX, "ids": torch.tensor([k])} for k in (7, 7, 8)]


def expected(**options):
    """The result of `omniou.tracking`, frame by frame."""
    evaluator = tracking.Evaluator()
    for pred, truth in zip(*data(**options), strict=True):
        there = {name: x for name, x in truth.items() if name not in {"sequence", "frame"}}
        evaluator.update(there, pred, sequence=truth["sequence"], frame=truth["frame"].item())
    return evaluator.compute()


def assert_equal(actual, summary):
    assert {name: x.item() for name, x in actual.items()} == pytest.approx(
        {name: summary[name] for name in actual}, rel=1e-6
    )


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Results of each process, which are started once for all tests."""
    return results_of("tests.integrations.tracking_ranks", [0, 0], tmp_path_factory.mktemp("tracking"))


def test_hand_worked():
    # All detections match: DetA = 1. Two true positives of the pair (1, 7) have 2 / 3, the one of (1, 8) has 1 / 3.
    hota = HOTA()(PREDS, TARGET)
    assert hota["AssA"].item() == pytest.approx((2 * 2 / 3 + 1 / 3) / 3)
    assert hota["HOTA"].item() == pytest.approx((5 / 9) ** 0.5)
    clear = ClearMOT()(PREDS, TARGET)
    assert (clear["IDSW"], clear["MT"], clear["MOTP"]) == (1, 1, 1)
    assert clear["MOTA"].item() == pytest.approx(2 / 3)
    assert IDF1()(PREDS, TARGET)["IDF1"].item() == pytest.approx(2 * 2 / 6)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("labels", [False, True])
def test_batches_equal_evaluator(name, labels):
    summary = expected(labels=labels).summary
    assert summary["IDSW"] == (0 if labels else 2)
    assert_equal(filled(METRICS[name](), range(FRAMES), labels=labels).compute(), summary)
    assert_equal(filled(METRICS[name](), range(FRAMES - 1, -1, -1), 7, labels=labels).compute(), summary)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("shards", SHARDS)
def test_processes_equal_single_process(ranks, shards, name):
    for saved in ranks:
        assert_equal(saved[shards, name], expected().summary)
        assert_equal(saved[shards, name, "again"], expected().summary)
    assert len({tuple(x.item() for x in saved[shards, name].values()) for saved in ranks}) == 1


def test_result_of_processes_has_decisions(ranks):
    for saved in ranks:
        assert saved["switches"] == expected().switches.rows()


def test_frame_with_different_content_raises_in_every_process(ranks):
    for saved in ranks:
        assert saved["different"].startswith("frame 0 of sequence 'a' came twice, with different objects or tracks")


@pytest.mark.parametrize("name", METRICS)
def test_merge_pickle_and_state(name):
    whole, part = filled(METRICS[name](), range(FRAMES)), filled(METRICS[name](), range(20))
    part.merge_state(filled(METRICS[name](), range(20, FRAMES)))
    for metric in (part, pickle.loads(pickle.dumps(whole))):  # noqa: S301  (our own)
        torch.testing.assert_close(metric.compute(), whole.compute(), rtol=0, atol=0)
    whole.reset()
    assert filled(whole, range(3)).compute() == filled(METRICS[name](), range(3)).compute()


def test_forward_gives_the_numbers_of_the_batch_and_adds_it():
    preds, target = data()
    metric = HOTA()
    for k in range(0, FRAMES, 10):
        some = slice(k, k + 10)
        assert metric(preds[some], target[some]) == HOTA()(preds[some], target[some])
    assert_equal(metric.compute(), expected().summary)


def test_collection_shares_one_state():
    metrics = MetricCollection([HOTA(), ClearMOT(), IDF1()])
    metrics.update(PREDS[:1], TARGET[:1])
    metrics.update(PREDS[1:], TARGET[1:])
    assert list(metrics.compute_groups.values()) == [["HOTA", "ClearMOT", "IDF1"]]
    assert metrics.compute()["IDSW"] == 1


def test_frames_on_another_device():
    with fake_device.device():
        metric = ClearMOT()
        metric.update(*fake_device.moved((PREDS, [x | {"frame": torch.tensor(x["frame"])} for x in TARGET])))
        metric.update(PREDS, [x | {"frame": x["frame"] + 3} for x in TARGET])
    assert metric.compute()["IDSW"] == 3


def test_output_of_one_tensor():
    assert HOTA(output="tensor")(PREDS, TARGET).item() == pytest.approx((5 / 9) ** 0.5)
    assert ClearMOT(output="tensor")(PREDS, TARGET).item() == pytest.approx(2 / 3)


def test_masks_and_rotated_boxes():
    masks = torch.zeros(1, 8, 8, dtype=torch.bool)
    masks[:, 2:6, 2:6] = True
    target, preds = (
        [{name: x for name, x in one.items() if name != "boxes"} | {"masks": masks} for one in side]
        for side in (TARGET, PREDS)
    )
    assert ClearMOT(iou_type="segm")(preds, target)["IDSW"] == 1
    turned = {"boxes": torch.tensor([[5.0, 5, 10, 10, 0.5]])}
    target, preds = ([one | turned for one in side] for side in (TARGET, PREDS))
    assert ClearMOT(iou_type="rotated", box_format="cxcywhr")(preds, target)["MOTP"] == pytest.approx(1)


def test_ids_may_repeat_in_two_classes():
    both = {"boxes": torch.cat([BOX, BOX + 50]), "ids": torch.tensor([1, 1]), "labels": torch.tensor([0, 1])}
    assert ClearMOT()([both], [both | {"frame": 0}])["CLR_TP"] == 2
    # Boxes of two classes do not match.
    other = both | {"labels": torch.tensor([1, 0])}
    assert ClearMOT()([other], [both | {"frame": 0}])["CLR_TP"] == 0


@pytest.mark.parametrize("kind", ["bbox", "segm", "rotated"])
def test_batch_without_rows(kind):
    shapes = {"masks": torch.zeros(0, 8, 8, dtype=torch.bool)} if kind == "segm" else None
    shapes = shapes or {"boxes": torch.zeros(0, 5 if kind == "rotated" else 4)}
    none = shapes | {"ids": torch.zeros(0, dtype=torch.int64)}
    box_format = "cxcywhr" if kind == "rotated" else "xyxy"
    assert ClearMOT(box_format, kind)([none], [none | {"frame": 0}])["CLR_FP"] == 0


def test_frames_without_rows_count():
    none = {"boxes": torch.zeros(0, 4), "ids": torch.zeros(0, dtype=torch.int64)}
    false = ClearMOT()([*PREDS, *PREDS[:1]], [*TARGET, none | {"frame": 3}])
    assert false["FP_per_frame"].item() == pytest.approx(1 / 4)
    both = ClearMOT()([*PREDS, none], [*TARGET, none | {"frame": 3}])
    assert both["MOTA"].item() == pytest.approx(2 / 3)


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric:UserWarning")
def test_no_frames():
    assert all(x == 0 for x in IDF1().compute().values())
    assert ClearMOT()([], [])["IDSW"] == 0


def without(name, side):
    return [{key: x for key, x in one.items() if key != name} for one in side]


TWICE = {"boxes": BOX.repeat(2, 1), "ids": torch.tensor([1, 1])}
BAD = [
    (PREDS, without("frame", TARGET), TypeError, r"`target\[0\]\['frame'\]` must be the number .*, got nothing"),
    (PREDS, [x | {"frame": 1.5} for x in TARGET], TypeError, r"`target\[0\]\['frame'\]` .*, got 1.5"),
    (PREDS, [x | {"sequence": None} for x in TARGET], TypeError, r"`target\[0\]\['sequence'\]` must be a name"),
    (without("ids", PREDS), TARGET, ValueError, r"`preds\[0\]` must have the key 'ids'"),
    (PREDS[:2], TARGET, ValueError, "`preds` and `target` must have one entry for each image, got 2 and 3"),
    ([PREDS[0] | TWICE], TARGET[:1], ValueError, r"`preds\[0\]\['ids'\]` must differ .*, but id 1 occurs twice"),
    ([PREDS[0] | {"ids": [7]}], TARGET[:1], TypeError, r"`preds\[0\]\['ids'\]` must be a tensor, got list"),
    ([PREDS[0] | {"ids": torch.tensor([7.0])}], TARGET[:1], TypeError, r"`preds\[0\]\['ids'\]` must hold integers"),
    ([PREDS[0] | {"boxes": BOX * 0}], TARGET[:1], ValueError, "must have an area above 0, but row 0 is empty"),
    ([PREDS[0] | {"boxes": BOX * float("nan")}], TARGET[:1], ValueError, "finite"),
]


@pytest.mark.parametrize(("preds", "target", "error", "message"), BAD)
def test_bad_update_raises_and_changes_nothing(preds, target, error, message):
    metric = ClearMOT()
    metric.update(PREDS, TARGET)
    with pytest.raises(error, match=message):
        metric.update(preds, target)
    assert metric.compute()["IDSW"] == 1


def test_bad_content_is_found_by_compute():
    twice = HOTA()
    twice.update(PREDS[:1], TARGET[:1])
    twice.update(PREDS[2:], TARGET[:1])
    with pytest.raises(ValueError, match=r"frame 0 of sequence 'sequence' came twice, .* call `reset` between epochs"):
        twice.compute()
    labelled = HOTA()
    labelled.update(PREDS[:1], TARGET[:1])
    labels = {"labels": torch.tensor([0])}
    labelled.update([PREDS[1] | labels], [TARGET[1] | labels])
    with pytest.raises(ValueError, match="must have the key 'labels' in all batches, or in none"):
        labelled.compute()
    with pytest.raises(ValueError, match="`labels` must be in both tables or in none"):
        HOTA().update([PREDS[1] | labels], TARGET[1:2])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"iou_type": "obb"}, ValueError, "`iou_type` must be one of"),
        ({"output": "list"}, ValueError, "`output` must be one of 'dict', 'tensor'"),
        ({"box_format": "xy"}, ValueError, "`box_format` must be one of"),
        ({"threshold": 0}, ValueError, r"`threshold` must be in \(0, 1\]"),
        ({"average": "micro"}, ValueError, "`average` must be one of 'classes', 'detections'"),
        ({"as_trackeval": 1}, TypeError, "`as_trackeval` must be True or False"),
    ],
)
def test_bad_options_raise(options, error, message):
    with pytest.raises(error, match=message):
        HOTA(**options)
