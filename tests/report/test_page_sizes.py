"""Pages stay small: limits of the page of the example, and of a comparison of three models."""

import dataclasses
import json

import numpy as np
import pytest

from omniou import detection
from tests.places import EXAMPLE, shared

data = pytest.importorskip("omniou.data", reason="the extra cli is not installed")
report = pytest.importorskip("omniou.report", reason="the extra cli is not installed")

UNASKED = [name for name, x in report.ANALYSES.items() if not x.asked_only]


@pytest.fixture(scope="module")
def models():
    """The example, and two models that are made from it by noise."""
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json")
    found = data.read_detections(EXAMPLE / "detections.json", truth)
    boxes, made = np.asarray(found.boxes), {}
    for name, noise in (("baseline", 0.0), ("second", 4.0), ("a third model with a long name", 12.0)):
        moved = np.maximum(boxes + np.random.default_rng(0).normal(0.0, noise, boxes.shape), 1.0) if noise else boxes
        made[name] = detection.evaluate(truth, dataclasses.replace(found, boxes=moved))
    return made


def test_page_of_the_example_is_below_300_kb(models):
    page = report.html(report.record(models["baseline"], analyses=UNASKED))
    assert len(page.encode()) < 300_000


def test_page_of_three_models_is_below_400_kb(models):
    page = report.html(report.compare(models, samples=20))
    assert len(page.encode()) < 400_000
    assert '"per_class":{"runs":[[' in page


@pytest.fixture(scope="module")
def masks(tmp_path_factory):
    """Results of masks of the same images, and of two models that lack each fourth and each second of them."""
    options = data.Options(kind="segm")
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json", options=options)
    rows = json.loads(shared("coco-val2014-100", "instances_val2014_fakesegm100_results.json").read_text())
    made = {}
    for name, lacking in (("baseline", 0), ("second", 4), ("a third model with a long name", 2)):
        path = tmp_path_factory.mktemp("masks") / "segm.json"
        path.write_text(json.dumps([row for k, row in enumerate(rows) if not lacking or k % lacking]))
        made[name] = detection.evaluate(truth, data.read_detections(path, truth, options=options), kind="segm")
    return made


def test_page_of_masks_is_below_300_kb(masks):
    page = report.html(report.record(masks["baseline"], analyses=UNASKED))
    assert page.count('class="shape missed filled"') > 10
    assert len(page.encode()) < 300_000


def test_page_of_three_models_of_masks_is_below_400_kb(masks):
    assert len(report.html(report.compare(masks, samples=20)).encode()) < 400_000
