"""Results: what they show, and each decision as a row."""

import pickle

import pytest

from omniou import tracking
from tests.tracking.videos import all_of, evaluated

pytest.importorskip("scipy", reason="assignment is SciPy's")

FRAMES = (([1, 2], [7, 8], [[0.9, 0], [0, 0.6]]), ([1, 2], [9], [[0.8], [0]]))


def test_result_shows_its_numbers():
    text = repr(evaluated(*FRAMES))

    assert text.splitlines()[0] == "Result of 3 tracks, 2 objects, 1 sequence, 2 frames"
    assert "MOTA 0.500" in text
    assert "IDSW 1" in text


def test_result_of_several_classes_says_how_they_are_combined():
    table = tracking.Tracks(boxes=[[0, 0, 1, 1]] * 2, frames=[0, 0], ids=[1, 2], labels=["a", "b"])

    assert "mean over 2 classes" in repr(tracking.evaluate(table, table))
    pooled = tracking.evaluate(table, table, average="detections")
    assert "all detections of 2 classes together" in repr(pooled)
    absent = {"classes": ["a", "b", "c"]}
    one = tracking.evaluate(table, table, **absent)
    assert (one.summary["HOTA"], one.averaged_classes) == (1.0, ("a", "b"))
    assert "mean over 'a', 'b'; neither side has 'c'" in repr(one)
    counted = tracking.evaluate(table, table, **absent, ignore_empty_classes=False)
    assert counted.summary["HOTA"] == pytest.approx(2 / 3)
    assert "mean over 3 classes; 1 that neither side has count as 0" in repr(counted)


def test_each_decision_is_a_row():
    result = evaluated(*FRAMES)

    assert [(x["frame"], x["object"], x["track"]) for x in result.matches.rows()] == [(0, 1, 7), (0, 2, 8), (1, 1, 9)]
    assert [(x["track"], x["previous_track"]) for x in result.switches.rows()] == [(9, 7)]
    assert result.fragments.count == 0
    assert result.misses.rows() == [{"sequence": "sequence", "frame": 1, "class": "object", "object": 2, "row": 3}]
    assert result.false_positives.count == 0
    assert len(result.matches) == 6
    assert repr(result.misses).startswith("EventTable(1 row: sequence")


def test_decisions_are_kept_only_if_wanted():
    result = evaluated(*FRAMES, keep=False)

    assert not result.has_decisions
    with pytest.raises(ValueError, match="matches, switches and fragments are not in a state"):
        _ = result.switches


def test_result_survives_a_pickle():
    result = evaluated(*FRAMES)
    assert result.summary["IDSW"] == 1

    again = pickle.loads(pickle.dumps(result))  # noqa: S301  (our own bytes)

    assert again.summary == result.summary
    assert again.switches.rows() == result.switches.rows()


def test_curves_by_threshold():
    result = all_of(sequences={"a": FRAMES[:1], "b": FRAMES[1:]})

    assert result.hota["alpha"][[0, 18]].tolist() == pytest.approx([0.05, 0.95])
    assert result.hota["HOTA_TP"][[0, 9, 12, 18]].tolist() == [3, 3, 2, 0]
    assert result.hota_of(sequence="b")["HOTA_TP"][0] == 1
    assert result.hota_of(sequence="b", label="object")["HOTA_TP"][0] == 1
    assert result.summary["HOTA"] == pytest.approx(result.hota["HOTA"].mean())
    with pytest.raises(ValueError, match="`sequence` must be one of 'a', 'b', got 'c'"):
        result.hota_of(sequence="c")


def test_numbers_as_a_frame():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    result = all_of(sequences={"a": FRAMES[:1], "b": FRAMES[1:]})

    frame = result.to_pandas()

    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == ["a", "b", "all"]
    assert frame.loc["all", "CLR_TP"] == 3
    assert len(result.matches.to_pandas()) == 3
