"""The engine of the doctors: which other reading of an input is reported."""

import numpy as np
import pytest

from omniou._doctor.engine import Reading, Trial, combined, is_better


@pytest.mark.parametrize(
    ("alternative", "given", "total", "by_chance", "better"),
    [
        (25, 10, 40, 0, True),  # twice as many and five more
        (24, 10, 40, 0, False),
        (20, 0, 40, 99, True),  # half of all need no look at chance
        (19, 0, 40, 99, False),
        (19, 0, 40, 7, True),  # as are twice as many as by chance, and five more
        (18, 0, 40, 7, False),
    ],
)
def test_is_better_at_its_thresholds(alternative, given, total, by_chance, better):
    assert is_better(alternative, given, total, by_chance) == better


def reading(code, value, read=None):
    return Reading(f"code-{code}", f"seems to be {code}", f"--{code}", read or (lambda _: value), f"as {code}", "file")


def trial(given=0, chance=0, total=40, improper=lambda _: 0):
    """A value is the number of its matches."""
    return Trial(
        given=given,
        total=total,
        matches=abs,
        by_chance=lambda _: chance,
        measure="IoU >= 0.5 with an object",
        of="tracks",
        improper=improper,
    )


def test_reading_of_most_matches_is_reported_and_the_first_of_equal_ones():
    (finding,) = trial(2).findings(map(reading, "abcd", (19, 38, 38, 0)))

    assert (finding.code, finding.text, finding.hint, finding.path) == ("code-b", "seems to be b", "--b", "file")
    assert finding.evidence == "IoU >= 0.5 with an object: 5.0% of tracks as read, 95.0% as b"


def test_readings_are_not_tried_where_most_match():
    def fails(_):
        raise AssertionError

    assert trial(18).findings([reading("a", 0, fails)]) == []
    with pytest.raises(AssertionError):
        trial(17).findings([reading("a", 0, fails)])


def test_no_reading_is_reported_that_matches_by_chance_or_does_not_exist():
    assert trial(0, chance=8).findings([reading("a", 19)]) == []
    assert trial(0, chance=7).findings([reading("a", 19)]) != []
    assert trial(0).findings([]) == []


@pytest.mark.parametrize(("count", "said"), [(30, True), (29, False)])
def test_half_as_many_more_suffice_where_rows_are_improper_only_as_read(count, said):
    """Of values, the negative ones are improper."""
    found = trial(-20, improper=lambda value: value < 0).findings([reading("a", count)])
    assert bool(found) == said
    assert trial(-20, improper=lambda value: value < 0).findings([reading("a", -count)]) == []


def overlaps(given, other, chance=0, **options):
    """What a trial of the overlaps of rows says of another reading."""
    found = Trial(
        given=np.asarray(given),
        total=len(given),
        matches=lambda x: x,
        by_chance=lambda _: chance,
        measure="IoU",
        **options,
    ).findings([reading("a", np.asarray(other))])
    return bool(found)


def test_gains_are_looked_for_where_most_matches_if_asked():
    rows = np.arange(40)
    given = np.where(rows < 30, 0.6, 0.4)
    assert not overlaps(given, np.full(40, 0.9))
    assert overlaps(given, np.full(40, 0.9), by_gain=True)
    assert not overlaps(np.where(rows < 31, 0.6, 0.4), np.full(40, 0.9), by_gain=True)


def test_reading_that_gains_ten_rows_for_each_that_it_loses():
    rows = np.arange(40)
    given = np.where(rows < 15, 0.6, 0.4)
    assert not overlaps(given, np.where(rows < 24, 0.9, 0.4))  # 9 more are too few
    assert overlaps(given, np.where(rows < 25, 0.9, 0.4))
    assert not overlaps(given, np.where(rows < 25, 0.9, 0.4), chance=11)
    assert overlaps(given, np.where((rows > 0) & (rows < 25), 0.9, 0.4))
    assert not overlaps(given, np.where((rows > 1) & (rows < 26), 0.9, 0.4))  # loses 2, gains 11


def test_best_of_readings_that_match_as_many_has_the_highest_overlaps():
    found = Trial(given=np.zeros(20), total=20, matches=lambda x: x, by_chance=lambda _: 0, measure="IoU").findings(
        [reading("a", np.full(20, 0.6)), reading("b", np.full(20, 0.7))]
    )
    assert found[0].code == "code-b"


def test_stages_are_tried_until_half_matches_and_later_ones_must_be_far_better():
    assert trial(0).findings([reading("a", 20)], [reading("b", 40)])[0].code == "code-a"
    assert trial(0).findings([reading("a", 10)], [reading("b", 24)])[0].code == "code-a"
    assert trial(0).findings([reading("a", 10)], [reading("b", 25)])[0].code == "code-b"


def test_combined_readings_say_both():
    def add(name, number):
        return Reading(name, f"text {name}", f"hint {name}", lambda value: value + number, f"as {name}")

    stages = [list(x) for x in combined([[add("a", 1), add("b", 2)], [add("c", 10)]], 2)]
    assert [[x.read(0) for x in stage] for stage in stages] == [[1, 2, 10], [11, 12]]
    assert stages[1][1] == ("b", "text b; text c", "hint b; hint c", stages[1][1].read, "as b and as c", "", None)


def test_least_share_of_the_total():
    def found(count):
        return Trial(given=0, total=100, matches=int, by_chance=lambda _: 0, measure="", least=0.1).findings(
            [reading("a", count)]
        )

    assert found(10)
    assert not found(9)
