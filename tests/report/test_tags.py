"""Names of shapes stay inside the picture and cover no other."""

import pytest

from omniou.report._images import tags

# 10.5 pixels are 10.5 units where 300 units are 300 pixels: a line is 12.1 high, a letter 6.51 wide.
FRAME = (0.0, 0.0, 300.0, 200.0)


def only(points, text="bird 0.90", frame=FRAME):
    (group,) = tags.placed([tags.Tag("hit", text, points)], frame).placed.values()
    (placed,) = group
    return placed.text, placed.x, placed.y, placed.style


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([50, 60, 90, 100], ("50", "60", "")),
        ([50, 5, 90, 100], ("50", "5", "low")),  # no room above
        ([280, 60, 295, 100], ("295", "60", "end")),  # no room to the right
        ([-20, -20, 330, 230], ("0", "0", "low")),  # larger than the picture
        ([400, 400, 410, 410], ("300", "200", "end")),  # beside the picture
        ([100, 60, 140, 80, 120, 100], ("100", "60", "")),  # vertices
        ([None, None, 100, 60, 120, 80], ("100", "60", "")),  # keypoints
    ],
)
def test_placed_stays_inside(points, expected):
    assert only(points)[1:] == expected


def test_placed_cuts_a_name_and_keeps_its_score():
    text, *_ = only([0, 50, 10, 60], "x" * 500 + " 0.90")
    assert text == "x" * 23 + "… 0.90"
    assert only([0, 50, 10, 60], "y" * 500)[0] == "y" * 28 + "…"
    # A picture that is 60 units wide and drawn 96 pixels wide has room for 14 letters.
    assert only([0, 50, 10, 60], "x" * 500 + " 0.90", (0, 0, 60, 200))[0] == "x" * 8 + "… 0.90"


def test_placed_looks_for_another_place_and_leaves_out_what_has_none():
    box = [50, 60, 90, 100]
    placed = tags.placed([tags.Tag("hit", "bird", box)] * 5, FRAME).placed["hit"]
    assert [(x.y, x.style) for x in placed] == [("60", ""), ("60", "low"), ("100", "low"), ("100", "")]


def test_placed_of_nothing():
    assert tags.placed([], FRAME).placed == {}
    assert tags.placed([tags.Tag("hit", "a", []), tags.Tag("hit", "a", [None, None])], FRAME).placed == {}
