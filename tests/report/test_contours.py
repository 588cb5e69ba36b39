"""Outlines of masks."""

import numpy as np
import pytest

contours = pytest.importorskip("omniou.report._record.contours", reason="the extra cli is not installed").contours


def mask(*rows):
    return np.asarray([[x == "#" for x in row] for row in rows])


def area(line):
    x, y = line.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def test_rectangle_has_four_corners():
    (line,) = contours(mask("....", ".##.", ".##.", "...."))
    assert line.tolist() == [[1, 1], [3, 1], [3, 3], [1, 3]]


def test_parts_and_holes_are_lines_of_their_own():
    around, hole, part = contours(mask("#####.#", "#...#..", "#...#..", "#####.."))
    assert (area(around), area(hole), area(part)) == (20, -6, 1)


def test_pixels_that_touch_by_a_corner_are_two_lines():
    lines = contours(mask("#.", ".#"))
    assert [x.tolist() for x in lines] == [[[0, 0], [1, 0], [1, 1], [0, 1]], [[1, 1], [2, 1], [2, 2], [1, 2]]]


def test_disc_is_simplified_and_keeps_its_area():
    y, x = np.mgrid[:400, :400]
    disc = (x - 200) ** 2 + (y - 200) ** 2 < 180**2
    (line,) = contours(disc)
    assert len(line) < 60
    assert area(line) == pytest.approx(disc.sum(), rel=0.03)
    assert np.abs(np.hypot(*(line - 200).T) - 180).max() < 6


def test_empty_and_full_masks():
    assert contours(np.zeros((3, 4), bool)) == []
    assert contours(np.zeros((0, 0), bool)) == []
    (line,) = contours(np.ones((500, 300), bool))
    assert line.tolist() == [[0, 0], [300, 0], [300, 500], [0, 500]]
