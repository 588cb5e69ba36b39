"""Action spotting by the rules of SoccerNet, worked out by hand."""

import numpy as np
import pytest

from omniou import spotting
from omniou.spotting import Events, evaluate


def spotted(times, found, **options):
    """Events of one class and video; predictions as (time, score)."""
    truth = Events(times, ["Goal"] * len(times), ["a"] * len(times))
    rows = len(found)
    predictions = Events([x for x, _ in found], ["Goal"] * rows, ["a"] * rows, scores=[x for _, x in found])
    return evaluate(truth, predictions, **options)


@pytest.mark.parametrize(("late", "tight"), [(0, 1), (1, 0.875), (2.5, 0.125), (3, 0)])
def test_tolerance_is_the_whole_window(late, tight):
    assert spotted([20.0], [(20 + late, 0.9)]).summary["tight"] == tight
    assert spotted([20.0], [(20 - late, 0.9)]).summary["tight"] == tight


@pytest.mark.parametrize(("time", "loose"), [(70, 0.5 / 11), (130, 0.5 / 11), (69.5, 0), (130.5, 0)])
def test_largest_tolerance_includes_its_ends(time, loose):
    # Of 12 tolerances only that of 60 s takes what is 30 s away; the last one is half of a trapezoid.
    assert spotted([100.0], [(time, 0.9)]).summary["loose"] == pytest.approx(loose)


def test_scores_are_compared_in_200_steps():
    right, wrong = (20.0, 0.9010), (60.0, 0.9011)

    assert spotted([20.0], [right, wrong]).summary == {"tight": 0.5, "loose": 0.5}
    assert spotted([20.0], [(20.0, 0.9011), (60.0, 0.9010)]).summary == {"tight": 0.5, "loose": 0.5}
    assert spotted([20.0], [(20.0, 0.91), (60.0, 0.9)]).summary == {"tight": 1, "loose": 1}


def test_score_of_one_is_above_all_others():
    assert spotted([20.0], [(20.0, 1.0), (60.0, 0.9999)]).summary == {"tight": 1, "loose": 1}


def test_event_takes_best_score_and_not_the_closest():
    result = spotted([20.0], [(20.0, 0.3), (22.0, 0.9)], tolerances={"at5": [5]})

    # The second prediction matches: precision is 1 down to its score.
    assert result.summary == {"at5": 1}


def test_earlier_event_chooses_first():
    # Both events may take the better prediction. The first does, so that the second has the other one.
    result = spotted([20.0, 22.0], [(21.0, 0.9), (23.0, 0.5)], tolerances={"at3": [3]})
    assert result.summary["at3"] == 1
    # The other one is too far from the second event now: one of two is found, 6 of 11 recalls.
    result = spotted([20.0, 22.0], [(21.0, 0.9), (26.0, 0.5)], tolerances={"at3": [3]})
    assert result.summary["at3"] == pytest.approx(6 / 11)


def test_equal_scores_the_earlier_one_matches():
    result = spotted([20.0], [(19.0, 0.5), (21.0, 0.5)], tolerances={"at2": [2]})

    assert result.ap.tolist() == [[0.5]]


def test_last_of_one_frame_stays_and_the_others_are_counted():
    result = spotted([20.0], [(20.0, 0.9), (20.4, 0.2), (60.0, 0.5)])

    assert result.counts["same_frame"] == 1
    assert result.summary["tight"] == 0.5


def test_classes_without_events_count_zero_and_unknown_ones_are_counted():
    truth = Events([20.0], ["Goal"], ["a"])
    found = Events([20.0, 20.0], ["Goal", "Foul"], ["a", "a"], scores=[0.5, 0.5])

    assert evaluate(truth, found).summary["tight"] == 1
    assert evaluate(truth, found).counts["unknown"] == 1
    both = evaluate(truth, found, classes=["Goal", "Foul"])
    assert both.summary["tight"] == 0.5
    assert both.ap[0].tolist() == [1, 0]
    assert both.counts == {
        "videos": 1, "classes": 2, "events": 1, "predictions": 2, "unknown": 0, "same_frame": 0,
    }  # fmt: skip


def test_videos_and_classes_are_apart():
    truth = Events([20.0, 20.0], [0, 1], [0, 1])

    assert evaluate(truth, Events([20.0, 20.0], [0, 1], [1, 0], scores=[0.5, 0.5])).summary["loose"] == 0
    assert evaluate(truth, Events([20.0, 20.0], [1, 0], [1, 0], scores=[0.5, 0.5])).summary["loose"] == 1


def test_actions_that_are_not_shown():
    truth = Events([20.0, 80.0], [0, 0], [0, 0], shown=[True, False])
    summary = evaluate(truth, Events([20.0], [0], [0], scores=[0.5])).summary

    assert (summary["tight"], summary["tight_visible"], summary["tight_unshown"]) == (6 / 11, 1, 0)
    hidden = evaluate(truth, Events([80.0], [0], [0], scores=[0.5])).summary
    assert hidden["tight_visible"] == 0
    assert hidden["tight_unshown"] == pytest.approx(17 / 13)  # as the official script scales it
    # It scales the average over tolerances, not the numbers of one.
    single = evaluate(truth, Events([80.0], [0], [0], scores=[0.5]), tolerances={"at5": [5], "more": [5, 10]}).summary
    assert (single["at5_unshown"], single["more_unshown"]) == (1, pytest.approx(17 / 13))


def test_empty_columns():
    assert spotted([20.0], []).summary == {"tight": 0, "loose": 0}
    nothing = spotted([], [(20.0, 0.5)])
    assert np.isnan(nothing.summary["tight"])
    assert nothing.counts["unknown"] == 1


def test_trapezoids_weigh_the_ends_half():
    assert spotting.TIGHT == (1, 2, 3, 4, 5)
    assert spotting.LOOSE[0] == 5
    assert spotting.LOOSE[-1] == 60
    # A second late: 0 at 1 s, and 1 at 2, 3, 4 and 5 s.
    assert spotted([20.0], [(21.0, 0.5)]).summary["tight"] == (0.5 + 1 + 1 + 1) / 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": [-1.0]}, r"`predictions\.times\[0\]` must be a finite number of seconds from 0, got -1"),
        ({"times": [float("nan")]}, r"`predictions\.times\[0\]` must be a finite number of seconds from 0, got nan"),
        ({"scores": [1.5]}, r"`predictions\.scores\[0\]` must be in \[0, 1\], got 1\.5"),
        ({"labels": [float("nan")]}, r"`predictions\.labels\[0\]` must be a name or an integer, got nan"),
        ({"scores": [float("nan")]}, r"`predictions\.scores\[0\]` must be in \[0, 1\], got nan"),
        ({"labels": [0, 1]}, r"columns of `predictions` must have one length, got 1 in `times`, 2 in `labels`"),
        ({"times": [[1.0]]}, r"`predictions\.times` must have shape \(N,\), got \(1, 1\)"),
    ],
)
def test_columns_that_do_not_fit_raise(change, message):
    columns = {"times": [1.0], "labels": [0], "videos": [0], "scores": [0.5]} | change
    with pytest.raises(ValueError, match=message):
        evaluate(Events([1.0], [0], [0]), Events(**columns))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": ["1.5"]}, r"`truth\.times` must hold numbers, got dtype <U3"),
        ({"times": [True]}, r"`truth\.times` must hold numbers, got dtype bool"),
        ({"shown": ["not shown"]}, r"`truth\.shown` must hold booleans, got dtype <U9"),
    ],
)
def test_columns_of_another_dtype_raise(change, message):
    columns = {"times": [1.0], "labels": [0], "videos": [0]} | change
    with pytest.raises(TypeError, match=message):
        evaluate(Events(**columns), Events([1.0], [0], [0], scores=[0.5]))


def test_arguments_that_do_not_fit_raise():
    truth = Events([1.0], [0], [0])
    with pytest.raises(TypeError, match=r"`predictions\.scores` must be given, got None"):
        evaluate(truth, truth)
    with pytest.raises(TypeError, match="`truth` must be Events, got list"):
        evaluate([], truth)
    with pytest.raises(ValueError, match="`framerate` must be"):
        spotted([1.0], [], framerate=0.0)
    for tolerances in ({"a": [2, 1]}, {"a": []}):
        with pytest.raises(ValueError, match=r"`tolerances` must be rising, got .* of 'a'"):
            spotted([1.0], [], tolerances=tolerances)


def test_tensors_are_taken():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    truth = Events(torch.tensor([20.0]), torch.tensor([3]), torch.tensor([0]))
    found = Events(torch.tensor([20.0]), torch.tensor([3]), torch.tensor([0]), scores=torch.tensor([0.5]))

    assert evaluate(truth, found).summary == {"tight": 1, "loose": 1}
    assert evaluate(truth, found).classes == [3]
