"""HOTA by hand; the numbers of tables are those that the reference prints for the same input."""

import math

import numpy as np
import pytest

from omniou import tracking
from omniou.tracking import _hota as hota
from omniou.tracking import _identity as ids
from omniou.tracking._frames import read
from omniou.tracking._similarity import of_matrices
from tests.tracking.videos import all_of, evaluated

pytest.importorskip("scipy", reason="assignment is SciPy's")

ONE = ([1], [7], [[1.0]])


def test_hota_of_one_perfect_track_is_one():
    result = evaluated(ONE, ONE)

    names = ("HOTA", "DetA", "AssA", "DetRe", "DetPr", "AssRe", "AssPr", "LocA", "OWTA", "HOTA(0)", "HOTALocA(0)")
    assert {name: result.summary[name] for name in names} == dict.fromkeys(names, 1.0)


@pytest.mark.parametrize(("similarity", "passed"), [(0.15, 3), (0.6, 12), (0.95, 19)])
def test_thresholds_are_those_of_the_reference_above_the_decimal(similarity, passed):
    result = evaluated(([1], [7], [[similarity]]))

    assert result.hota["HOTA_TP"].tolist() == [1] * passed + [0] * (19 - passed)


def test_order_of_rows_decides_where_similarities_tie():
    ties = [[1.0, 1.0], [1.0, 1.0]]

    assert evaluated(([1, 2], [7, 8], ties), ([1, 2], [7, 8], ties)).summary["HOTA"] == 1.0
    turned = evaluated(([1, 2], [7, 8], ties), ([2, 1], [7, 8], ties))
    assert turned.summary["HOTA"] == pytest.approx(1 / math.sqrt(3), abs=1e-12)
    assert turned.summary["IDSW"] == 0


def test_hota_of_a_reused_track():
    # The track has 4 frames, each object 2: A(c) = 2 / (2 + 4 - 2) = 1/2 for all four true positives.
    result = evaluated(ONE, ONE, ([2], [7], [[1.0]]), ([2], [7], [[1.0]]))

    assert result.summary["AssA"] == 0.5
    assert result.summary["AssRe"] == 1.0
    assert result.summary["AssPr"] == 0.5
    assert result.summary["HOTA"] == pytest.approx(math.sqrt(0.5))


def test_detection_accuracy_depends_on_ids():
    contested = [[0.4], [0.6]]
    followed = evaluated(ONE, ONE, ONE, ([1, 2], [7], contested))
    new_id = evaluated(ONE, ONE, ONE, ([1, 2], [8], contested))

    assert followed.summary["HOTA"] == pytest.approx(0.693703, abs=5e-7)
    assert followed.summary["DetA"] == pytest.approx(0.626316, abs=5e-7)
    assert new_id.summary["DetA"] == pytest.approx(0.689474, abs=5e-7)


def test_hota_is_the_mean_of_square_roots():
    result = evaluated(*[([1], [7], [[0.6]])] * 2, *[([1], [8], [[0.9]])] * 2)

    assert result.summary["HOTA"] == pytest.approx(0.575514, abs=5e-7)
    assert math.sqrt(result.summary["DetA"] * result.summary["AssA"]) == pytest.approx(0.590788, abs=5e-7)


def test_sequences_are_pooled_by_true_positives():
    good, bad = [([1], [7], [[0.9]])] * 4, [([1], [7], [[0.0]])] * 4
    result = all_of(sequences={"A": good, "B": bad})

    assert result.summary["HOTA"] == pytest.approx(0.546963, abs=5e-7)
    assert result.summary["AssA"] == pytest.approx(18 / 19, abs=1e-12)


def test_localisation_is_one_without_true_positives():
    assert evaluated(([1], [7], [[0.0]])).summary["LocA"] == 1.0
    assert evaluated(([1], [], [])).summary["LocA"] == 1.0


def test_hota_of_no_rows_is_zero():
    result = evaluated(([], [], []))

    assert result.summary["HOTA"] == 0.0
    assert result.summary["Dets"] == result.summary["GT_Dets"] == 0


@pytest.mark.parametrize("shape", [(3, 9), (9, 1), (12, 12), (2, 200), (40, 1)])
def test_alignment_equals_dense_sums_to_the_last_bit(shape):
    rng = np.random.default_rng(0)
    for _ in range(20):
        matrix = rng.choice([0, 0, 0.1, 0.2, 0.3, 0.7], shape)
        truth, tracks = (tracking.Tracks(None, frames=[0] * n, ids=list(range(n))) for n in shape)
        frames = read(truth, tracks)
        pairs = of_matrices([matrix], ([0, shape[0]], [0, shape[1]]), frames)

        found = hota._alignment(pairs, ids.id_pairs(pairs, frames), frames)

        either = matrix.sum(0)[np.newaxis, :] + matrix.sum(1)[:, np.newaxis] - matrix
        shared = np.divide(matrix, either, out=np.zeros(shape), where=either > 0)
        expected = shared / (np.ones((shape[0], 1)) + np.ones((1, shape[1])) - shared)
        assert found.tolist() == expected[matrix > 0].tolist()
