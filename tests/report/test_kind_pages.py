"""What only pages of some kinds have: filled masks, skeletons, charts of centres, intervals, spotting and videos."""

import re

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import detection, report


def square(left, top):
    mask = np.zeros((40, 60), dtype=bool)
    mask[top : top + 10, left : left + 10] = True
    return mask


def shapes_in(page):
    """Classes of the groups of shapes in the worst images, and the names that are written there by class."""
    part = page[page.index('id="images"') : page.index('id="label_errors"')]
    named = re.findall(r'<g class="(hit|missed|false)"><text[^>]*>([^<]*)', part)
    return re.findall(r'<g class="shape ([^"]*)">', part), named


@pytest.mark.parametrize("kind", ["segm", "boundary"])
def test_masks_are_filled_and_only_errors_are_named(kind):
    truth = [{"masks": np.stack([square(2, 2), square(40, 20)]), "labels": [1, 1]}]
    found = [{"masks": np.stack([square(2, 2), square(20, 20)]), "labels": [1, 1], "scores": [0.8, 0.9]}]
    result = detection.evaluate(truth, found, kind=kind)
    drawn, named = shapes_in(report.html(report.record(result, names={1: "cat"}, analyses=report.ANALYSES)))
    # The object of a true positive is a line, so that its detection's colour is not mixed with another.
    assert drawn == ["found", "hit filled", "missed filled", "false filled"]
    assert named == [("missed", "cat"), ("false", "cat 0.90")]


def test_boxes_are_outlines_with_all_names():
    truth = [{"boxes": [[2, 2, 12, 12], [40, 20, 50, 30]], "labels": [1, 1]}]
    found = [{"boxes": [[2, 2, 12, 12], [20, 20, 30, 30]], "labels": [1, 1], "scores": [0.8, 0.9]}]
    result = detection.evaluate(truth, found)
    drawn, named = shapes_in(report.html(report.record(result, names={1: "cat"}, analyses=report.ANALYSES)))
    assert drawn == ["found", "hit", "missed", "false"]
    assert named == [("missed", "cat"), ("false", "cat 0.90"), ("hit", "cat 0.80")]
