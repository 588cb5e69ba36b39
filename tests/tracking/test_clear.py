"""CLEAR and identity by hand."""

import sys

import numpy as np
import pytest

from omniou import tracking
from tests.tracking.videos import all_of, evaluated

pytest.importorskip("scipy", reason="assignment is SciPy's")

GOOD = ([1], [7], [[0.9]])


def numbers(result, *names):
    return tuple(result.summary[name] for name in names)


def test_frame_without_rows_of_one_side_is_skipped():
    frames = GOOD, ([1], [], []), GOOD

    assert numbers(evaluated(*frames), "Frag", "CLR_FN", "CLR_TP") == (0, 1, 2)
    assert numbers(evaluated(*frames, as_trackeval=False), "Frag", "CLR_FN", "CLR_TP") == (1, 1, 2)


def test_frame_with_a_track_elsewhere_is_a_fragment():
    result = evaluated(GOOD, ([1], [8], [[0.0]]), GOOD)

    assert numbers(result, "Frag", "CLR_FP", "CLR_FN") == (1, 1, 1)
    assert result.fragments.rows() == [
        {
            "sequence": "sequence",
            "frame": 2,
            "class": "object",
            "object": 1,
            "track": 7,
            "similarity": 0.9,
            "previous_frame": 0,
            "previous_track": 7,
        }
    ]


def test_absence_of_an_object_is_a_fragment():
    result = evaluated(GOOD, ([2], [9], [[0.9]]), GOOD)

    assert numbers(result, "Frag", "CLR_TP", "IDSW") == (1, 3, 0)


def test_matching_remembers_one_frame_only():
    forgotten = evaluated(GOOD, ([1], [8], [[0.0]]), ([1], [7, 8], [[0.6, 0.9]]))
    kept = evaluated(GOOD, ([1], [], []), ([1], [7, 8], [[0.6, 0.9]]))

    assert numbers(forgotten, "IDSW") == (1,)
    assert forgotten.switches["track"].tolist() == [8]
    assert forgotten.switches["previous_track"].tolist() == [7]
    assert numbers(kept, "IDSW") == (0,)
    assert kept.summary["MOTP"] == pytest.approx(0.75)


def test_matching_maximises_the_sum_and_not_the_number():
    result = evaluated(([1, 2], [7, 8], [[0.9, 0.35], [0.35, 0.0]]), threshold=0.3)

    assert numbers(result, "CLR_TP") == (1,)


def test_continuation_beats_similarity():
    result = evaluated(([1, 2], [7, 8], [[0.9, 0], [0, 0.9]]), ([1, 2], [7, 8], [[0.5, 1.0], [1.0, 0.5]]))

    assert numbers(result, "IDSW", "CLR_TP") == (0, 4)
    assert result.matches["similarity"].tolist() == [0.9, 0.9, 0.5, 0.5]


def test_threshold_has_an_epsilon_in_clear_and_none_in_identity():
    truth = tracking.Tracks(boxes=[[0, 0, 0.4, 1]], frames=[1], ids=[1])
    found = tracking.Tracks(boxes=[[0, 0, 0.2, 1]], frames=[1], ids=[7])
    exact = evaluated(([1], [7], [[0.49999999999999994]]))

    result = tracking.evaluate(truth, found, format="xywh")

    assert numbers(exact, "MOTA", "IDF1") == (1.0, 0.0)
    assert numbers(result, "MOTA") == (1.0,)


def test_reuse_of_a_track_is_no_switch():
    other = ([2], [7], [[1.0]])
    result = evaluated(GOOD, GOOD, other, other)

    assert numbers(result, "IDSW", "IDF1") == (0, 0.5)


@pytest.mark.parametrize(("matched", "expected"), [(5, (1, 0, 0)), (4, (0, 1, 0)), (1, (0, 1, 0)), (0, (0, 0, 1))])
def test_mostly_tracked_is_more_than_four_fifths(matched, expected):
    frames = [GOOD] * matched + [([1], [7], [[0.0]])] * (5 - matched)

    assert numbers(evaluated(*frames), "MT", "PT", "ML") == expected


def test_sequence_without_truth():
    frames = [([], [7], []), ([], [7], [])]
    result = all_of(sequences={"a": frames})
    ours = all_of(sequences={"a": frames}, as_trackeval=False)

    assert (result.per_sequence["a"]["MOTA"], result.per_sequence["a"]["MLR"]) == (0.0, 1.0)
    assert numbers(result, "MOTA", "MLR", "FP_per_frame") == (-2.0, 0.0, 2.0)
    assert (ours.per_sequence["a"]["MOTA"], ours.per_sequence["a"]["MLR"]) == (-2.0, 0.0)
    assert numbers(ours, "FP_per_frame") == (1.0,)


def test_numbers_of_clear():
    # 3 objects x 2 frames; frame 1 matches 1-7 and 2-8, frame 2 has 1 on a new track and one false positive.
    first = ([1, 2, 3], [7, 8], [[0.8, 0], [0, 0.6], [0, 0]])
    second = ([1, 2, 3], [9, 10], [[1.0, 0], [0, 0], [0, 0]])
    result = evaluated(first, second)

    assert numbers(result, "CLR_TP", "CLR_FN", "CLR_FP", "IDSW", "Frag") == (3, 3, 1, 1, 0)
    assert numbers(result, "MOTA", "MODA", "CLR_Re", "CLR_Pr") == (1 / 6, 2 / 6, 0.5, 0.75)
    assert result.summary["MOTP"] == pytest.approx(0.8)
    assert result.summary["sMOTA"] == pytest.approx(0.4 / 6)
    assert numbers(result, "FP_per_frame", "MT", "PT", "ML", "MOTAL") == (0.5, 1, 1, 1, 2 / 6)
    assert result.summary["CLR_F1"] == 3 / 5
    # Identity: one of the pairs (1, 7) and (1, 9), and (2, 8).
    assert numbers(result, "IDTP", "IDFN", "IDFP", "IDR", "IDP", "IDF1") == (2, 4, 2, 2 / 6, 0.5, 0.4)
    assert numbers(result, "Dets", "GT_Dets", "IDs", "GT_IDs") == (4, 6, 4, 3)


def test_identity_takes_the_best_assignment_of_a_whole_sequence():
    # Greedily 1-7 (3 frames) leaves 2 without a track; 1-8 and 2-7 share 2 + 2 frames.
    both = np.ones((2, 2))
    only = ([1, 2], [7], [[1.0], [0.0]])
    result = evaluated(([1, 2], [7, 8], both), ([1, 2], [7, 8], both), only)

    assert numbers(result, "IDTP") == (5,)
    third = ([1, 2], [7, 8], [[1.0, 1.0], [1.0, 0.0]])
    assert numbers(evaluated(*[third] * 3), "IDTP") == (6,)


def test_rivals_of_a_continued_match_need_no_step_for_each_frame():
    """Of 2 objects and 2 tracks that all overlap from the second frame on, those of the first frame continue."""
    first, later = ([1, 2], [1, 2], [[0.9, 0], [0, 0.9]]), ([1, 2], [1, 2], [[0.6, 0.9], [0.9, 0.6]])

    def calls_of(count):
        calls = []
        sys.setprofile(lambda frame, event, _: calls.append(event) if "_clear" in frame.f_code.co_filename else None)
        result = evaluated(first, *[later] * count)
        sys.setprofile(None)
        assert numbers(result, "IDSW", "CLR_TP") == (0, 2 * count + 2)
        return len(calls)

    assert calls_of(10) == calls_of(100)
