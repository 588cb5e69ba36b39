"""Files of tracks: bad lines, lengths and labels are named."""

import json

import pytest

from omniou import data
from omniou.data import InputError
from tests.data.test_tracks import CAR, TRUTH, counts, frame, label


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (
            ["1,5,1,1,9,9,1", "1,6,1,1,9,9,1", "1,5,2,2,9,9,1"],
            r"line 3, id: the id 5 occurs twice in frame 1, the first time in line 1",
        ),
        (
            ["0,5,1,1,9,9,1", "2,5,1,1,9,9,1"],
            (
                r"line 1, frame: frame 0, but 'MOT17-02' has frames from 1 to 3: "
                r"the first frame is 1; add 1 to each frame, or --first-frame 0"
            ),
        ),
        (
            ["2,5,1,1,9,9,1", "4,5,1,1,9,9,1"],
            (
                r"line 2, frame: frame 4, but 'MOT17-02' has frames from 1 to 3: "
                r"the frames seem to count from 2; --first-frame 2"
            ),
        ),
        (["1,5,1,1,9,9,1", "9,5,1,1,9,9,1"], r"line 2, frame: frame 9, but 'MOT17-02' has frames from 1 to 3$"),
        (["1.7,5,1,1,9,9,1"], r"line 1, frame: expected a whole number, got 1\.7"),
        (["1,5.5,1,1,9,9,1"], r"line 1, id: expected a whole number, got 5\.5"),
        ([f"1,{2**62},1,1,9,9,1"], r"line 1, id: expected a whole number below 2\*\*53, got 4\.6"),
        (["1,5,0,0,0,0,1"], "the box 0 0 0 0 has the width 0, .* trackers in 3-D write 0 where they have no box"),
        (["1,nan,1,1,9,9,1"], r"line 1, id: expected a whole number, got nan"),
        (["1,5,nan,1,9,9,1"], r"line 1, x: expected finite number, got nan"),
        (["1,5,1,1,inf,9,1"], r"line 1, width: expected finite number, got inf"),
        (["1,5,1,1,0,9,1"], r"line 1, width: the box 1 1 0 9 has the width 0, which must be above 0: remove the line"),
        (["1,5,1,1,9,-2,1"], r"line 1, height: the box 1 1 9 -2 has the height -2"),
        (["1,5,-1,-1,-1,-1,1"], r"line 1, width: .* trackers in 3-D write -1 where they have no box in the image"),
        (["1,5,1,1,9,9,1", "2,5,1,x,9,9,1"], r"line 2, y: expected number, got 'x'"),
        (
            ["frame,id,x,y,w,h,conf", "1,5,1,1,9,9,1"],
            r"line 1, frame: expected number, got 'frame': the names of columns: remove this line",
        ),
        (["1,5,1,1,9,9"], r"line 1: expected frame id x y width height confidence \[class_id\].*, got 6 fields"),
        (["1,5,1,1,9,9,1", "1,6,1,,9,9,1"], r"line 2, y: expected number, got ''"),
        (["1,5,1,1,9,9,1,inf,1"], r"line 1, class_id: expected finite number, got inf"),
        (["a b c"], r"the format is not recognised from lines such as 'a b c': tracks are read from mot \(MOT"),
        (['{"annotations": []}'], r"is JSON, but has no tracks: tracks are read from mot"),
    ],
)
def test_bad_mot_lines_are_named(mot, write, lines, fault):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    with pytest.raises(InputError, match=fault) as raised:
        data.read_tracks(write("out/MOT17-02.txt", *lines).parent, truth)
    assert "MOT17-02.txt" in str(raised.value) or "recognised" in fault


def test_first_frame_shifts(mot, write):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    folder = write("out/MOT17-02.txt", "0,5,1,1,9,9,1", "2,5,1,1,9,9,1").parent

    assert data.read_tracks(folder, truth, first_frame=0).tracks.frames.tolist() == [1, 3]
    from_1 = write("from_1/MOT17-02.txt", "1,5,1,1,9,9,1", "3,5,1,1,9,9,1").parent
    fault = r"frame 0 with --first-frame 2 \(`first_frame=2`\), but .* or --first-frame 1 \(`first_frame=1`\)$"
    with pytest.raises(InputError, match=fault):
        data.read_tracks(from_1, truth, first_frame=2)


def test_truth_with_a_class_in_some_lines_only_is_named(mot):
    with pytest.raises(InputError, match="line 2, class_id: missing: other lines have it"):
        data.read_ground_truth_tracks(mot(TRUTH, "2,1,10,20,30,60,1"))


@pytest.mark.parametrize(("label", "labels"), [("-1", None), ("0", None), ("7.25", None), ("1", [1, -1])])
def test_tracks_need_no_class(mot, write, label, labels):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    folder = write("out/MOT17-02.txt", f"1,5,1,1,9,9,1,{label},-1,-1", "2,5,1,1,9,9,1").parent
    found = data.read_tracks(folder, truth).tracks.labels

    assert (found if found is None else found.tolist()) == labels


def test_truth_beyond_its_length_is_named(mot):
    with pytest.raises(InputError, match="line 1, frame: frame 4, but 'MOT17-02' has frames from 1 to 3"):
        data.read_ground_truth_tracks(mot("4,1,10,20,30,60,1,1,1"))


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["[Sequence]", "name=x"], "seqinfo.ini: expected a line seqLength=... below"),
        (["[Sequence]", "seqLength=many"], "seqinfo.ini: seqLength: expected a whole number"),
        (["nothing"], "seqinfo.ini: expected a line seqLength"),
    ],
)
def test_bad_seqinfo_is_named(mot, write, lines, fault):
    folder = mot(TRUTH)
    write("gt/MOT17-02/seqinfo.ini", *lines)
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth_tracks(folder)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([f"0 1 {CAR}", f"0 1 {CAR}"], "line 2, id: the id 1 occurs twice in frame 0 of its class, .* in line 1"),
        ([f"0 1 {CAR} 0.5"], "line 1, score: the ground truth has no scores: are these the tracks"),
        ([f"-1 1 {CAR}"], "line 1, frame: frame -1, but '0001' has frames from 0: the first frame is 0; add 1"),
        ([f"0 1 {CAR.replace('180', '100')}"], "line 1, x2: the box 100 120 100 160 has the width 0"),
    ],
)
def test_bad_kitti_lines_are_named(write, lines, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth_tracks(write("0001.txt", *lines))


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (
            [f"1 2001 2 2 3 {counts(0, 1)}", f"1 2002 2 2 3 {counts(1, 2)}"],
            r"line 2, rle: the mask overlaps the mask of id 2001 in line 1 \(frame 1\): a pixel is of one object",
        ),
        (
            [f"1 10000 10 2 3 {counts(0, 1)}", f"1 2002 2 2 3 {counts(1, 2)}"],
            "line 2, rle: the mask overlaps the mask of id 10000",
        ),
        (
            [f"1 2001 2 2 3 {counts(0)}", f"1 2002 2 3 2 {counts(2, height=3, width=2)}"],
            (
                "line 2, img_height: the image is 3 high and 2 wide, but 2 high and 3 wide in line 1: height and width "
                "are exchanged"
            ),
        ),
        ([f"1 2001 2 9 9 {counts(0)}"], "line 1, rle: runs add up to 6 pixels, but 9 x 9 are 81"),
        ([f"1 2001 2.5 2 3 {counts(0)}"], "line 1, class_id: expected a whole number, got 2.5"),
        ([f"1 2001 2 2 {counts(0)}"], r"line 1: expected frame id .*, got 5 fields"),
    ],
)
def test_bad_mots_lines_are_named(write, lines, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth_tracks(write("MOTS20-02.txt", *lines))


def without(record, *names):
    return {name: x for name, x in record.items() if name not in names}


@pytest.mark.parametrize(
    ("frames", "fault"),
    [
        ([frame(0, without(label(1), "id"))], r"\[0\]\.labels\[0\]\.id: missing"),
        ([frame(0, without(label(1), "box2d"))], r"\[0\]\.labels\[0\]\.box2d: missing"),
        ([frame(0, without(label(1), "category"))], r"\[0\]\.labels\[0\]\.category: missing"),
        ([frame(0), frame(0)], r"\[1\]\.frameIndex: frame 0 of 'b1' is already in \[0\]"),
        (
            [frame(0, label(1), label(1))],
            r"\[0\]\.labels\[1\]\.id: the id 1 occurs twice in frame 0 of its class, .* in \[0\]\.labels\[0\]",
        ),
        ([frame(0, label(1, x=float("1e400")))], "expected number, got Infinity"),
        (
            [frame(0, {**label(1), "box2d": {"x1": 5, "y1": 0, "x2": 5, "y2": 9}})],
            r"box2d\.x2: the box 5 0 5 9 has the width 0",
        ),
    ],
)
def test_bad_scalabel_labels_are_named(write, frames, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth_tracks(write("val.json", json.dumps(frames)))


def test_scalabel_track_in_a_frame_that_is_not_listed(write):
    truth = data.read_ground_truth_tracks(write("val.json", json.dumps([frame(0), frame(2)])))
    with pytest.raises(InputError, match=r"\[0\]\.labels\[0\]\.frame: frame 1, but 'b1' has 2 frames from 0 to 2"):
        data.read_tracks(write("found.json", json.dumps([frame(1, label(1))])), truth)


@pytest.mark.parametrize(
    ("height", "width", "fault"),
    [
        (4, 6, r"found.txt: line 2, img_height: the image is 4 high and 6 wide, but 2 high and 3 wide in .*, line 1$"),
        (3, 2, r"line 2, img_height: the image is 3 high and 2 wide, .*, line 1: height and width are exchanged$"),
    ],
)
def test_masks_of_another_size_than_the_truth_are_named(write, height, width, fault):
    truth = data.read_ground_truth_tracks(write("gt.txt", f"2 2001 2 2 3 {counts(0)}"))
    lines = [
        f"1 1 2 4 6 {counts(1, height=4, width=6)}",
        f"2 1 2 {height} {width} {counts(1, height=height, width=width)}",
    ]
    with pytest.raises(InputError, match=fault):
        data.read_tracks(write("found.txt", *lines), truth)


@pytest.mark.parametrize("line", ["1;5;1;1;9;9;1", "1; 5; 1; 1; 9; 9; 1;", "1\t5\t1\t1\t9\t9\t1", "1 5 1 1 9 9 1"])
def test_separators_of_mot_lines(mot, write, line):
    found = data.read_tracks(write("out/MOT17-02.txt", line).parent, data.read_ground_truth_tracks(mot(TRUTH)))
    assert (found.tracks.ids.tolist(), found.tracks.boxes.tolist()) == ([5], [[1, 1, 10, 10]])


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["1|5|1|1|9|9|1"], r"from lines such as '1\|5\|1.*': it is mot with bars between the fields: write commas"),
        ([f"0,1,{CAR.replace(' ', ',')}"], "it is kitti with commas between the fields: write blanks"),
        (["1;5;1,5;1;9;9;1"], "such as '1;5;1,5;.*': numbers have a point, not a comma"),
        (["1,-1,1,1,9,9,.5", "2,-1,1,1,9,9,.5"], "id: every row has the id -1: these are detections, not tracks"),
        (["1,0,1,1,9,9,.5", "1,0,20,1,9,9,.5"], "id: every row has the id 0: these are detections, not tracks"),
    ],
)
def test_files_that_are_no_tracks_are_named(write, lines, fault):
    truth = data.read_ground_truth_tracks(write("gt.txt", "1,1,10,20,30,60,1,-1,-1,-1"))
    with pytest.raises(InputError, match=fault):
        data.read_tracks(write("det.txt", *lines), truth)


def test_folder_of_detections_is_named(mot, write):
    write("only/MOT17-02/det/det.txt", "1,-1,1,1,9,9,.5")
    with pytest.raises(InputError, match=r"only: the directory has only det\.txt, which are detections"):
        data.read_tracks(write("only/README.md").parent, data.read_ground_truth_tracks(mot(TRUTH)))
