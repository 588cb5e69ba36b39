"""Negative labels are padding in dictionaries of images; tables, whose labels may be ids, refuse them unless named."""

import numpy as np
import pytest

from omniou import detection, spotting, tracking
from omniou.rle import Masks

# Two objects and a row of padding at each end, in which anything may stand.
NOTHING = [float("nan")] * 4
BOXES = [NOTHING, [0.0, 0, 10, 10], [20, 20, 30, 30], NOTHING]
REAL = slice(1, 3)
sides = pytest.mark.parametrize("padded", ["targets", "detections", "both"])
labels = pytest.mark.parametrize("label", [-1, -100])


def image(label, **more):
    return {
        "boxes": BOXES,
        "labels": [label, 0, 1, label],
        "iscrowd": [1, 0, 0, 0],
        "area": [0.0, 100.0, 50.0, -1.0],
    } | more


def found(label):
    return image(label) | {"scores": [float("nan"), 0.9, 0.8, 1]}


def real(row):
    return {name: x[REAL] for name, x in row.items()}


def both(label, padded):
    one, other = image(label), found(label)
    return real(one) if padded == "detections" else one, real(other) if padded == "targets" else other


def arrays(row, xp):
    return {name: xp.asarray(x) for name, x in row.items()}


@pytest.mark.computes("an evaluation counts")
@labels
@sides
def test_evaluate_of_dictionaries_excludes_padding(xp, label, padded):
    truth, detected = both(label, padded)
    listed = {"labels": list(xp.asarray(truth["labels"]))} if xp.__name__.endswith(("numpy", "torch")) else {}
    for make in (lambda row: row | listed if row is truth else row, lambda row: arrays(row, xp)):
        rows = [make(truth), make(real(truth) if padded != "detections" else truth)], [make(detected), make(detected)]
        result = detection.evaluate(*rows)
        assert result.summary["AP"] == pytest.approx(1)
        assert np.asarray(result.classes).tolist() == [0, 1]
        evaluator = detection.Evaluator("voc2010")
        evaluator.update(*rows)
        assert evaluator.compute().summary == {"AP": 1, "AR": 1}


@pytest.mark.computes("an evaluation counts")
def test_images_of_padding_are_empty(xp):
    nothing = arrays({"boxes": [NOTHING], "labels": [-100], "scores": [0.5]}, xp)
    one = arrays(real(found(-1)), xp)
    assert detection.evaluate([nothing, one], [nothing, one]).summary["AP"] == pytest.approx(1)
    assert np.isnan(detection.evaluate([nothing], [nothing]).summary["AP"])


@labels
@pytest.mark.parametrize("form", ["dense", "table", "records"])
def test_padding_of_masks(label, form):
    dense = np.zeros((4, 4, 4), np.uint8)
    dense[1, :2], dense[2, 2:] = 1, 1
    make = {"dense": lambda x: x, "table": Masks.from_dense, "records": lambda x: Masks.from_dense(x).to_coco()}[form]
    row = {"masks": make(dense), "labels": [label, 0, 1, label], "scores": [1, 0.9, 0.8, 1]}
    assert detection.evaluate([row], [row], kind="segm").summary["AP"] == pytest.approx(1)


@labels
@sides
def test_tables_refuse_negative_labels_that_nobody_named(label, padded):
    truth, detected = both(label, padded)
    rows = {name: (x, [0] * len(x["labels"])) for name, x in (("targets", truth), ("detections", detected))}
    boxes = {name: np.nan_to_num(np.asarray(x["boxes"])) for name, (x, _) in rows.items()}
    targets = detection.Targets(boxes["targets"], truth["labels"], rows["targets"][1])
    scores = np.nan_to_num(np.asarray(detected["scores"]))
    detections = detection.Detections(boxes["detections"], scores, detected["labels"], rows["detections"][1])
    name = "detections" if padded == "detections" else "targets"
    for options in ({}, {"class_agnostic": True}):
        with pytest.raises(
            ValueError, match=rf"`{name}\.labels` must not be negative unless `classes` .* got {label}:"
        ):
            detection.evaluate(targets, detections, **options)
    with pytest.raises(ValueError, match="must not be negative unless"):
        detection.Evaluator().update(targets, detections)
    assert detection.evaluate(targets, detections, classes=[0, 1]).summary["AP"] == pytest.approx(1)
    # As an id, the label is a class like others.
    named = detection.evaluate(targets, detections, classes=[label, 0, 1])
    assert np.asarray(named.classes).tolist() == [label, 0, 1]


def test_negative_classes_of_dictionaries_are_refused():
    one = real(found(-1))
    with pytest.raises(ValueError, match="`classes` must not be negative with lists of dictionaries"):
        detection.evaluate([one], [one], classes=[-1, 0])


def frame(label, *, padded=True):
    rows = {"ids": [7, 1, 2, 8], "labels": [label, 0, 1, label], "boxes": BOXES}
    return rows if padded else real(rows)


@labels
@sides
def test_tracking_of_dictionaries_excludes_padding(label, padded):
    truth, tracks = ([frame(label, padded=padded in {side, "both"})] * 2 for side in ("targets", "detections"))
    result = tracking.evaluate(truth, tracks)
    assert result.summary["HOTA"] == 1
    assert result.summary["HOTA(0)"] == 1
    evaluator = tracking.Evaluator()
    evaluator.update(truth[0], tracks[0])
    assert evaluator.compute().summary["HOTA"] == 1


def test_padding_next_to_a_matrix_of_similarities_is_refused():
    one = {name: x for name, x in frame(-100).items() if name != "boxes"}
    message = r"\['labels'\]` must not be negative, which marks padding: leave it out, here and in `similarity`"
    with pytest.raises(ValueError, match=rf"`ground_truth\[0\]{message}"):
        tracking.evaluate([one], [one], similarity=[np.eye(4)])
    with pytest.raises(ValueError, match=rf"`ground_truth{message}"):
        tracking.Evaluator().update(one, one, similarity=np.eye(4))


def test_events_of_padding_are_refused_unless_named():
    truth = spotting.Events(times=[1.0, 0.0], labels=[3, -100], videos=[0, 0])
    spotted = spotting.Events(times=[1.0], labels=[3], videos=[0], scores=[0.9])
    with pytest.raises(ValueError, match=r"`truth\.labels` must not be negative next to other labels .* got -100:"):
        spotting.evaluate(truth, spotted)
    assert spotting.evaluate(truth, spotted, classes=[3]).summary["tight"] == pytest.approx(1)


def test_padding_of_jax_without_x64():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(False):
        row = arrays(found(-100), jax.numpy)
        assert detection.evaluate([row], [row]).summary["AP"] == pytest.approx(1)
