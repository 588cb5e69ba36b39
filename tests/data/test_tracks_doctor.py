"""The doctor of tracks: each usual fault is found, and good tracks are not accused."""

import numpy as np
import pytest

from omniou import data
from omniou.data import tracks
from omniou.data._tracks import class_readings
from omniou.rle import Masks

FRAMES = 40


def scene(seed=0, objects=8):
    """Objects that walk through a picture: frame, id and box (x, y, width, height) of each."""
    rng = np.random.default_rng(seed)
    start, speed = rng.uniform([0, 0], [1500, 700], (objects, 2)), rng.uniform(-9, 9, (objects, 2))
    sides = rng.uniform([30, 80], [60, 160], (objects, 2))
    return [
        (frame, k + 1, *(start[k] + frame * speed[k]), *sides[k])
        for frame in range(1, FRAMES + 1)
        for k in range(objects)
    ]


def jittered(rows, seed=1):
    rng = np.random.default_rng(seed)
    return [(frame, k, *(np.array(box) + rng.normal(0, 2, 4))) for frame, k, *box in rows]


@pytest.fixture
def found(tmp_path):
    """Codes, evidence and hints of a ground truth and tracks."""

    def found(truth, results=None, *, suffix=",1,1,1"):
        sides = [None if rows is None else tmp_path / name for rows, name in ((truth, "gt"), (results, "out"))]
        for rows, folder, more in zip((truth, results), sides, (suffix, ",1"), strict=True):
            if rows is not None:
                folder.mkdir()
                lines = [",".join(f"{x:g}" for x in row) + more for row in rows]
                (folder / "MOT17-02.txt").write_text("\n".join(lines))
        read = data.read_ground_truth_tracks(sides[0])
        return tracks.diagnose(read, None if results is None else data.read_tracks(sides[1], read))

    return found


def test_good_tracks_are_not_accused(found):
    assert found(scene(), jittered(scene())) == []


def test_poor_tracks_are_not_accused(found):
    rng = np.random.default_rng(3)
    rows = [(f, k, *(np.array(box) + rng.normal(0, 25, 4))) for f, k, *box in jittered(scene())]

    assert found(scene(), [row for row in rows if min(row[-2:]) > 0 and rng.random() < 0.5]) == []


def test_ground_truth_alone_is_not_accused(found):
    assert found(scene()) == []


def test_corners_read_as_sides(found):
    corners = [(f, k, x, y, x + w, y + h) for f, k, x, y, w, h in jittered(scene()) if x > 0 and y > 0]
    (finding,) = found(scene(), corners)

    assert finding.code == "boxes-order"
    assert finding.text == "boxes of the tracks seem to be xyxy, not xywh"
    assert finding.hint == "write the boxes of the tracks as xywh"
    assert finding.path.endswith("out")


def test_boxes_of_resized_images(found):
    (finding,) = found(scene(), [(f, k, *(2 * np.array(box))) for f, k, *box in jittered(scene())])

    assert finding.code == "boxes-scale"
    assert finding.hint.startswith("multiply the boxes of the tracks by 0.5")


@pytest.mark.parametrize(("shift", "first"), [(1, 2), (3, 4), (-2, -1)])
def test_frames_that_are_shifted(found, shift, first):
    """Tracks that stand `shift` frames too late: their first frame has the number 1 + shift."""
    rows = [(f + shift, *rest) for f, *rest in jittered(scene()) if 1 <= f + shift <= FRAMES]
    (finding,) = found(scene(), rows)

    assert finding.code == "frames-shifted"
    assert finding.text == f"frames of the tracks seem to be shifted by {shift}"
    assert finding.hint == f"--first-frame {first} (`first_frame={first}`)"


def test_ids_made_of_frame_numbers(found):
    rows = [(f, 1000 * f + k, *box) for f, k, *box in jittered(scene())]
    (finding,) = found(scene(), rows)

    assert finding.code == "ids-once"
    assert finding.evidence == f"{len(rows)} of {len(rows)} rows have an id that occurs once"


def test_ground_truth_with_ids_made_of_frame_numbers(found):
    assert [x.code for x in found([(f, 1000 * f + k, *box) for f, k, *box in scene()])] == ["ids-once"]


def test_ground_truth_as_tracks(found):
    assert [x.code for x in found(scene(), scene())] == ["tracks-are-truth"]


def test_sequence_in_which_the_tracker_found_nothing(found):
    assert [x.code for x in found(scene(), [])] == ["sequences-empty"]


def test_empty_ground_truth_is_not_accused(tmp_path):
    (tmp_path / "MOT17-02.txt").write_text("1,1,1,1,9,9,1,1,1")
    truth = data.read_ground_truth_tracks(tmp_path)

    assert tracks.diagnose(truth, data.read_tracks(tmp_path, truth)) == []


def with_classes(rows, classes):
    """Rows by class: objects are of class 1, 4 and 7 in turns, and tracks of what `classes` makes of these."""
    return [(*row, 1, classes.get(true, true)) for row in rows for true in ((1, 4, 7)[row[1] % 3],)]


@pytest.fixture
def classified(tmp_path):
    """Findings of tracks whose classes differ from the ground truth's."""

    def classified(classes, results=None):
        sides = scene(), jittered(scene()) if results is None else results
        for rows, name, named in zip(sides, ("gt", "out"), ({}, classes), strict=True):
            lines = [",".join(f"{x:g}" for x in row) + ",1" for row in with_classes(rows, named)]
            (tmp_path / f"{name}.txt").write_text("\n".join(lines))
        truth = data.read_ground_truth_tracks(tmp_path / "gt.txt", protocol="plain")
        return tracks.diagnose(truth, data.read_tracks(tmp_path / "out.txt", truth))

    return classified


@pytest.mark.parametrize(
    ("classes", "code", "words"),
    [
        (
            {1: 0, 4: 3, 7: 6},
            "classes-shifted",
            "numbers of classes of the tracks seem to be one too low; add 1 to each",
        ),
        ({1: 2, 4: 5, 7: 8}, "classes-shifted", "one too high; subtract 1 from each, or write"),
        ({1: 7, 4: 1, 7: 4}, "classes-mixed", "to another list; write the classes of the ground truth"),
        ({4: 5}, "classes-unknown", "no object has the class 5 of the tracks, and no track the class 4"),
    ],
)
def test_classes_of_another_list(classified, classes, code, words):
    (finding,) = classified(classes)
    assert finding.code == code
    assert words in f"{finding.text}; {finding.hint}"


@pytest.mark.parametrize("classes", [{}, {4: 1}, {1: 4, 4: 4, 7: 4}])
def test_classes_of_poor_trackers_are_not_accused(classified, classes):
    rng = np.random.default_rng(5)
    rows = [row for row in jittered(scene()) if rng.random() < 0.6]
    assert [x.code for x in classified(classes, rows)] == []


def overlapping(*rows):
    """Pairs of tracks and objects: how many, of which class of tracks, over objects of which class."""
    classes, true = (np.repeat([x[k] for x in rows], [x[0] for x in rows]) for k in (1, 2))
    return class_readings.TrackPairs(np.arange(len(classes)), classes, true)


@pytest.mark.parametrize(
    ("rows", "given", "codes"),
    [
        ([(40, 1, 1), (10, 5, 4)], [1, 5], ["classes-unknown"]),
        ([(40, 1, 1), (9, 5, 4)], [1, 5], []),  # too few
        ([(40, 1, 1), (4, 5, 4), (3, 5, 7), (3, 5, 8)], [1, 5], []),  # over several classes
        ([(40, 1, 1), (10, 5, 4), (3, 4, 4)], [1, 4, 5], []),  # class 4 has tracks
        ([(40, 4, 1), (5, 4, 4)], [4], []),  # one class for all
        ([(40, 4, 1), (5, 4, 4), (30, 1, 4)], [1, 4], ["classes-mixed"]),
    ],
)
def test_classes_by_what_tracks_overlap(rows, given, codes):
    found = class_readings.findings(overlapping(*rows), np.array([1, 4]), np.array(given), "tracks")
    assert [x.code for x in found] == codes


def test_frames_that_first_frame_shifted(tmp_path):
    for name, rows in (("gt", scene()), ("out", jittered(scene()))):
        lines = [",".join(f"{x:g}" for x in row) + ",1,1,1" for row in rows]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    truth = data.read_ground_truth_tracks(tmp_path / "gt.txt")
    (finding,) = tracks.diagnose(truth, data.read_tracks(tmp_path / "out.txt", truth, first_frame=0))
    assert (finding.code, finding.hint) == ("frames-shifted", "--first-frame 1 (`first_frame=1`)")


def test_exchanged_sides(tmp_path):
    for name, more, rows in (("gt", ",1,1,.8", scene()), ("out", ",.9,-1,-1,-1", jittered(scene()))):
        (tmp_path / f"{name}.txt").write_text("\n".join(",".join(f"{x:g}" for x in row) + more for row in rows))
    truth = data.read_ground_truth_tracks(tmp_path / "out.txt")
    found = data.read_tracks(tmp_path / "gt.txt", truth)
    assert "sides-exchanged" in [x.code for x in tracks.diagnose(truth, found)]


@pytest.mark.parametrize("others", ["Van", "DontCare"])
def test_cars_over_objects_that_do_not_count_are_not_accused(tmp_path, others):
    """Trackers of cars follow vans as cars, which KITTI's rules ignore."""
    for name, vans in (("gt", others), ("out", "Car")):
        score = " .9" if name == "out" else ""
        lines = [
            f"{frame} {k} {label} 0 0 -1 {100 * k + dx} 100 {100 * k + 60 + dx} 160 1.5 1.6 3.9 1 1.5 20 -1.4{score}"
            for frame in range(20)
            for k, label in enumerate([*[vans] * 5, *["Pedestrian"] * 3])
            for dx in ((frame % 3 if score else 0),)
        ]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    truth = data.read_ground_truth_tracks(tmp_path / "gt.txt")
    assert tracks.diagnose(truth, data.read_tracks(tmp_path / "out.txt", truth)) == []


@pytest.mark.parametrize(
    ("shifts", "hint"), [([30, 30], "--first-frame 31 (`first_frame=31`)"), ([30, 50], "number the frames as the")]
)
def test_frames_that_the_two_sides_do_not_share(tmp_path, shifts, hint):
    for folder, more, offsets in (("gt", "1,-1,-1,-1", [0, 0]), ("out", ".9,-1,-1,-1", shifts)):
        (tmp_path / folder).mkdir()
        for name, offset in zip("ab", offsets, strict=True):
            lines = [f"{frame + offset},1,{10 * frame},20,30,60,{more}" for frame in range(1, 21)]
            (tmp_path / folder / f"{name}.txt").write_text("\n".join(lines))
    truth = data.read_ground_truth_tracks(tmp_path / "gt")
    (finding,) = tracks.diagnose(truth, data.read_tracks(tmp_path / "out", truth))
    assert (finding.code, finding.hint.startswith(hint)) == ("frames-apart", True)
    assert finding.evidence == "in 'a', the first object is in frame 1, and the first track in frame 31"


def test_masks_of_one_area_are_not_the_ground_truth_itself(tmp_path):
    for name, first in (("gt", 0), ("out", 1)):
        dense = np.zeros((1, 20, 40), dtype=bool)
        dense[0, :10, first : first + 20] = True
        rle = Masks.from_dense(dense).to_coco()[0]["counts"]
        lines = [f"{frame} 2001 2 20 40 {rle}" for frame in range(1, 31)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    truth, other = (data.read_ground_truth_tracks(tmp_path / f"{x}.txt", protocol="mots") for x in ("gt", "out"))
    assert tracks.diagnose(truth, data.read_tracks(tmp_path / "out.txt", truth)) == []
    (finding,) = tracks.diagnose(other, data.read_tracks(tmp_path / "out.txt", other))
    assert "the id and the mask of an object" in finding.evidence
