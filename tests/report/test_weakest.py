"""The weakest classes, sequences or images of a record of any kind."""

import pytest

from omniou import detection, tracking
from omniou.report import Group, Record
from omniou.report._record.sections import weakest

pytest.importorskip("numpy")


def record(head, key, rows):
    return Record(kind="own", summary={head: 0.5}, words={}, groups=[Group(key=key, title="", rows=rows)])


def test_lowest_comes_first_and_the_sum_is_left_out():
    numbers = {"b": 0.5, "a": 0.25, "(all)": 0.3}
    rows = [{"name": name, "HOTA": x, "MOTA": 1 - x, "IDSW": 3} for name, x in numbers.items()]
    table = weakest(record("HOTA", "per_sequence", rows))
    assert (table.title, table.headings) == ("Sequences, weakest first", ("sequence", "HOTA", "MOTA"))
    assert table.rows == [("a", 0.25, 0.75), ("b", 0.5, 0.5)]


def test_errors_are_weakest_where_they_are_highest():
    rows = [{"name": str(k), "mATE": k / 10} for k in range(7)]
    table = weakest(record("mATE", "per_class", rows))
    assert table.title == "The 5 weakest of 7 classes"
    assert [row[0] for row in table.rows] == ["6", "5", "4", "3", "2"]


def test_number_of_rows_stands_in_for_a_mean_that_they_lack_and_absent_ones_are_left_out():
    rows = [{"name": name, "pixels": n, "IoU": x} for name, n, x in (("a", 9, 0.5), ("b", 0, None), ("c", 4, 0.25))]
    table = weakest(record("mIoU", "per_class", rows))
    assert (table.headings, table.rows) == (("class", "IoU"), [("c", 0.25), ("a", 0.5)])


@pytest.mark.parametrize("rows", [[], [{"name": "one", "IoU": 0.5}]])
def test_one_row_has_no_weakest(rows):
    assert weakest(record("IoU", "per_image", rows)).rows == []


def test_one_row_is_shown_where_it_is_asked_for_and_other_groups_come_before_it():
    made = record("IoU", "per_class", [{"name": "one", "IoU": 0.5}])
    table = weakest(made, least=1)
    assert (table.title, table.rows) == ("The only class with data", [("one", 0.5)])
    made.groups.append(Group(key="per_image", title="", rows=[{"name": str(k), "IoU": k / 4} for k in (2, 1)]))
    assert weakest(made).rows == [("1", 0.25), ("2", 0.5)]


def test_classes_of_few_objects_are_counted_but_not_shown():
    rows = [{"name": str(k), "objects": n, "AP": k / 10} for k, n in enumerate((1, 0, 30, 40, 50))]
    table = weakest(record("AP", "per_class", rows))
    assert [row[:2] for row in table.rows] == [("2", 30), ("3", 40), ("4", 50)]
    assert table.note.startswith("Not among them: 1 class")


def test_results_have_their_weakest_rows():
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}] * 10
    found = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 7]], "labels": [1, 2], "scores": [0.5, 0.5]}] * 10
    result = detection.evaluate(truth, found)
    assert [(x["id"], x["AP"], x["objects"]) for x in result.weakest()] == [(2, pytest.approx(0.5), 10), (1, 1.0, 10)]
    assert [x["id"] for x in result.weakest("AP75", count=1)] == [2]
    with pytest.raises(ValueError, match=r"`number` must be one of 'objects', 'AP', .* did you mean"):
        result.weakest("AP7")
    frames = [{"ids": [1], "boxes": [[0, 0, 9, 9]]}] * 4
    assert tracking.evaluate(frames, frames).weakest()[0]["HOTA"] == 1.0
