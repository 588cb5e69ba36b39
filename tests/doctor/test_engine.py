"""The engine of the doctors: which other reading of an input is reported."""

import pytest

from omniou._doctor.engine import Reading, Trial, is_better


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
