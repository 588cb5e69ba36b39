"""States of other images are merged by the names of their classes and images."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou._inputs.names import Names, united


def part(images, labels, scores):
    """The state of one object and one detection, of images and classes that are called by name."""
    box = [[0.0, 0, 9, 9]] * len(images)
    targets = detection.Targets(boxes=box, labels=labels, images=images)
    found = detection.Detections(boxes=box, labels=labels, images=images, scores=scores)
    return detection.evaluate(targets, found).state


def test_states_of_names_equal_one_evaluation():
    first = part(["b", "d"], ["dog", "eel"], [0.5, 0.5])
    second = part(["a", "c"], ["cat", "dog"], [0.5, 0.25])
    whole = part(["a", "b", "c", "d"], ["cat", "dog", "dog", "eel"], [0.5, 0.5, 0.25, 0.5])
    for states in ([first, second], [second, first]):
        merged = detection.compute(states).state
        assert merged.names == whole.names
        for field in dataclasses.fields(whole):
            if field.name not in {"protocol", "names", "matched", "ignored"}:
                np.testing.assert_array_equal(getattr(merged, field.name), getattr(whole, field.name))
    assert dict(detection.compute([first, second]).names) == {0: "cat", 1: "dog", 2: "eel"}


def test_united_ids_keep_their_numbers():
    parts = [Names({1: "cat"}, groups={"r": [1]}), Names({7: "dog", 1: "cat"}, groups={"r": [7], "c": [1]}), Names()]
    names, renumbered = united(parts)
    assert names == Names({1: "cat", 7: "dog"}, groups={"r": [1, 7], "c": [1]})
    assert renumbered == [(None, None)] * 3


def test_united_counts_names_anew():
    names, renumbered = united(
        [Names({0: "dog"}, counted=True, groups={"r": [0]}), Names({0: "cat", 1: "dog"}, counted=True)]
    )
    assert names == Names({0: "cat", 1: "dog"}, counted=True, groups={"r": [1]})
    assert [classes for classes, _ in renumbered] == [{0: 1}, {0: 0, 1: 1}]


def test_united_refuses_what_does_not_go_together():
    with pytest.raises(ValueError, match="class 1 must have one name in all states, got 'cat' and 'dog'"):
        united([Names({1: "cat"}), Names({1: "dog"})])
    with pytest.raises(ValueError, match="counted by name in all states, or have ids of their own"):
        united([Names({0: "cat"}, counted=True), Names({0: "cat"})])


def test_merge_of_states_with_other_names_raises():
    truth, found = [{"boxes": [[0, 0, 9, 9]], "labels": [1]}], [{"boxes": [], "labels": [], "scores": []}]
    states = []
    for number, name in enumerate(("cat", "dog")):
        state = detection.evaluate(truth, found).state
        moved = dataclasses.replace(state, images=state.images + number, names=Names({1: name}))
        states.append(moved)
    with pytest.raises(ValueError, match="class 1 must have one name"):
        detection.compute(states)
