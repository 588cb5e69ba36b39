"""Files of tracks: formats, sequences of both sides, and bad input."""

import gzip
import json
import tracemalloc

import numpy as np
import pytest

from omniou import data, tracking
from omniou.data import InputError, InputWarning, OptionError, tracks
from omniou.data._tracks import formats
from omniou.rle import Masks

CAR = "Car 0 0 -1.5 100 120 180 160 1.5 1.6 3.9 1 1.5 20 -1.4"
REGION = "DontCare -1 -1 -10 0 0 50 50 -1 -1 -1 -1000 -1000 -1000 -10"


def counts(*pixels, height=2, width=3):
    """The text of a mask of which some pixels, down the columns, are on."""
    flat = np.zeros(height * width, dtype=int)
    flat[list(pixels)] = 1
    return Masks.from_dense(flat.reshape(width, height).T[None]).to_coco()[0]["counts"]


def test_mot_folders(mot, write):
    mot("1,1,10,20,30,60,1,1,0.5", "# a comment", "", "2,1,12,20,30,60,0,7,1", name="MOT17-04")
    truth = data.read_ground_truth_tracks(mot("3,5,10,20,30,60,1,1,1"))
    write("out/MOT17-02.txt", "1,9,10,20,30,60,0.25,-1,-1,-1")
    write("out/MOT17-04.txt")
    found = data.read_tracks(write("out/README.md").parent, truth)

    assert (truth.format, truth.kind, truth.protocol, truth.notes) == ("mot", "bbox", "mot17", [])
    assert truth.lengths == found.lengths == {"MOT17-02": 3, "MOT17-04": 3}
    assert truth.tracks.boxes.tolist() == [[10, 20, 40, 80], [10, 20, 40, 80], [12, 20, 42, 80]]
    assert truth.tracks.sequences.tolist() == ["MOT17-02", "MOT17-04", "MOT17-04"]
    assert (truth.tracks.frames.tolist(), truth.tracks.labels.tolist()) == ([3, 1, 2], [1, 1, 7])
    assert truth.tracks.columns["confidence"].tolist() == [1, 1, 0]
    assert truth.tracks.columns["visibility"].tolist() == [1, 0.5, 1]
    assert (found.tracks.ids.tolist(), found.tracks.scores.tolist()) == ([9], [0.25])
    assert list(found.files) == ["MOT17-02", "MOT17-04"]
    assert "TrackFiles(" in repr(found)


def test_mot_sequence_may_be_a_folder_or_a_file_or_compressed(mot, tmp_path):
    folder = mot("1,1,10,20,30,60,1,1,0.5")
    zipped = tmp_path / "zipped" / "MOT17-02.txt.gz"
    zipped.parent.mkdir()
    zipped.write_bytes(gzip.compress((folder / "MOT17-02" / "gt" / "gt.txt").read_bytes()))

    for path in (folder, folder / "MOT17-02", folder / "MOT17-02" / "gt", folder / "MOT17-02" / "gt" / "gt.txt"):
        assert data.read_ground_truth_tracks(path).lengths == {"MOT17-02": 3}
    for path in (zipped, zipped.parent):
        assert data.read_ground_truth_tracks(path).lengths == {"MOT17-02": 1}


def test_lines_of_numbers_only_are_read_as_all_others(mot):
    lines = [f"{1 + k % 3},{k},{k}.5,-2e1, 30 ,60,1,1,0.5" for k in range(20_000)]
    plain = data.read_ground_truth_tracks(mot(*lines))
    with_comment = data.read_ground_truth_tracks(mot("# a comment", *lines))

    for name in ("frames", "ids", "boxes", "labels", "sequences"):
        assert np.array_equal(getattr(plain.tracks, name), getattr(with_comment.tracks, name))
    assert np.array_equal(plain.tracks.columns["visibility"], with_comment.tracks.columns["visibility"])
    assert plain.place(19_999, "x").place == "line 20000, x"
    assert with_comment.place(19_999, "x").place == "line 20001, x"


@pytest.mark.parametrize("word", ["\u00a00.5x", "1_0", "\uff11", "0x10", ""])
def test_word_that_is_no_number_is_named_among_lines_of_numbers(mot, word):
    with pytest.raises(InputError, match="line 2, visibility"):
        data.read_ground_truth_tracks(mot("1,1,10,20,30,60,1,1,0.5", f"2,1,12,20,30,60,1,1,{word},7"))


def test_lines_of_fewer_numbers_are_read(mot):
    truth = data.read_ground_truth_tracks(mot("1,1,10,20,30,60,1,1,0.5", "", "2,1,12,20,30,60,1,1"))

    assert truth.tracks.frames.tolist() == [1, 2]
    assert np.array_equal(truth.tracks.columns["visibility"], [0.5, np.nan], equal_nan=True)


def test_reading_numbers_makes_no_object_of_each_number(mot):
    lines = [f"{1 + k % 3},{k},10.25,20.5,30,60,1,1,0.5" for k in range(10_000)]
    path = mot(*lines)
    data.read_ground_truth_tracks(path)
    tracemalloc.start()
    data.read_ground_truth_tracks(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 6e6


def test_trackers_folder_of_trackeval(mot, write):
    truth = data.read_ground_truth_tracks(mot("1,1,10,20,30,60,1,1,0.5"))
    write("t/data/MOT17-02.txt", "1 9 10 20 30 60 1 -1 -1 -1")
    folder = write("t/pedestrian_summary.txt", "HOTA DetA", "1 2").parent

    assert data.read_tracks(folder, truth).tracks.ids.tolist() == [9]


def test_kitti(write):
    write("training/label_02/0001.txt", f"0 1 {CAR}", f"0 -1 {REGION}", f"0 -1 {REGION}", f"2 1 {CAR}")
    write("training/calib/0001.txt", "P0: 1 2 3")
    folder = write("training/evaluate_tracking.seqmap.training", "0001 empty 000000 000154").parent
    truth = data.read_ground_truth_tracks(folder)
    found = data.read_tracks(
        write("out/0001.txt", f"0 7 {CAR} 0.5", f"0 7 {CAR.replace('Car', 'Van')} 0.5").parent, truth
    )

    assert (truth.format, truth.protocol, truth.lengths) == ("kitti", "kitti", {"0001": 154})
    assert (truth.tracks.labels.tolist(), truth.tracks.frames.tolist()) == (
        ["Car", *["DontCare"] * 2, "Car"],
        [0, 0, 0, 2],
    )
    assert truth.tracks.columns["truncated"].tolist() == [0, -1, -1, 0]
    assert (found.tracks.ids.tolist(), found.tracks.scores.tolist()) == ([7, 7], [0.5, 0.5])


@pytest.mark.parametrize(
    ("name", "lines", "protocol", "first"),
    [
        ("MOTS20-02", [f"1 2001 2 2 3 {counts(0)}"], "mots", 1),
        ("0002", [f"0 1001 1 2 3 {counts(0)}"], "kitti_mots", 0),
        ("mine", [f"0 2001 2 2 3 {counts(0)}"], "kitti_mots", 0),
        ("mine", [f"1 1001 1 2 3 {counts(0)}"], "kitti_mots", 0),
        ("mine", [f"1 2001 2 2 3 {counts(0)}"], "mots", 1),
    ],
)
def test_mots(write, name, lines, protocol, first):
    truth = data.read_ground_truth_tracks(write(f"{name}.txt", *lines))

    assert (truth.format, truth.kind, truth.protocol) == ("mots", "segm", protocol)
    assert truth.ranges[name].first == first
    assert truth.tracks.masks.area().tolist() == [1]
    assert ("omniou applies the rules of" in truth.notes[0]) == (name == "mine")


def test_mots_of_a_line_longer_than_what_is_looked_at(write):
    """A chessboard of 300 x 300 pixels has a run of each, and a character of text for each run."""
    truth = data.read_ground_truth_tracks(write("a.txt", f"1 2001 2 300 300 0{'1' * 2}{'0' * 89_998}"))
    assert truth.tracks.masks.area().tolist() == [45_000]


def test_mots_lengths_and_regions(write):
    write("instances_txt/0002.txt", *[f"0 10000 10 2 3 {counts(0, 1)}"] * 2, f"0 1001 1 2 3 {counts(2)}")
    folder = write("evaluate_mots.seqmap.val", "0002 empty 000000 000232").parent
    truth = data.read_ground_truth_tracks(folder)

    assert (truth.lengths, truth.tracks.labels.tolist()) == ({"0002": 233}, [10, 10, 1])


def frame(number, *labels, video="b1", **more):
    return {"name": f"{number}.jpg", "videoName": video, "frameIndex": number, "labels": list(labels), **more}


def label(id, x=0, category="car", **more):
    return {"id": id, "category": category, "box2d": {"x1": x, "y1": 0, "x2": x + 10, "y2": 10}, **more}


def test_scalabel(write):
    crowd = label("3", 20, attributes={"crowd": True})
    content = {"frames": [frame(1, label("0012")), frame(0, label("0012", 5), crowd), frame(0, video="b2")]}
    truth = data.read_ground_truth_tracks(write("val.json", json.dumps(content)))
    results = [frame(1, label(7, score=0.5)), frame(0, video="b2")]
    found = data.read_tracks(write("found.json", json.dumps(results)), truth)

    assert (truth.format, truth.protocol, truth.lengths) == ("scalabel", "bdd100k", {"b1": 2, "b2": 1})
    assert truth.tracks.columns["crowd"].tolist() == [False, False, True]
    assert (truth.tracks.ids.tolist(), truth.tracks.frames.tolist()) == (["0012", "0012", "3"], [1, 0, 0])
    assert (found.tracks.ids.tolist(), found.tracks.scores.tolist()) == (["7"], [0.5])


def test_scalabel_file_is_a_video_and_frames_may_have_no_numbers(write):
    frames = [{"name": "a.jpg", "labels": [label(1)]}, {"name": "b.jpg", "labels": None}]
    truth = data.read_ground_truth_tracks(write("gt/video.json", json.dumps(frames)).parent)

    assert (truth.lengths, truth.tracks.frames.tolist()) == ({"video": 2}, [0])


def of_video(video, x):
    """Twenty frames of two cars whose videos and numbers only the names tell."""
    names = [f"{video}-{k:07d}.jpg" for k in range(1, 21)]
    return [{"name": name, "labels": [label(1, x + 9 * k), label(2, 900)]} for k, name in enumerate(names)]


def stated(frames, video):
    return [x | {"videoName": video, "frameIndex": k} for k, x in enumerate(frames)]


FIRST, SECOND = of_video("b1c6-6f7d", 0), of_video("cccc-dddd", 300)
BOTH = stated(FIRST, "b1c6-6f7d") + stated(SECOND, "cccc-dddd")


@pytest.mark.parametrize(
    ("truth", "found", "idf1"),
    [
        (stated(FIRST, "b1c6-6f7d"), [x for k, x in enumerate(FIRST) if k != 5], 2 * 38 / 78),
        (FIRST, [x for k, x in enumerate(FIRST) if k != 5], 2 * 38 / 78),
        (FIRST, FIRST[::-1], 1),
        (FIRST, stated(FIRST, "b1c6-6f7d"), 1),
        (BOTH, SECOND[::-1] + FIRST, 1),
        (FIRST + SECOND, SECOND + FIRST[::-1], 1),
        (BOTH, [{name: x[name] for name in ("name", "labels", "frameIndex")} for x in BOTH], 1),
        (BOTH, [{name: x[name] for name in ("name", "labels", "videoName")} for x in BOTH[::-1]], 1),
        (FIRST, [x | {"name": f"videos/{x['name']}"} for x in FIRST[::-1]], 1),
        *[
            ([x | {"name": f"{k}.jpg"} for k, x in zip(names, FIRST, strict=False)],) * 2 + (1,)
            for names in ("abcdefghij", ["a1f3", "b77c9", "c4e2"])
        ],
    ],
)
def test_scalabel_frames_without_numbers_have_them_from_their_names(write, truth, found, idf1):
    read = data.read_ground_truth_tracks(write("gt.json", json.dumps(truth)))
    tracks = data.read_tracks(write("found.json", json.dumps(found[::-1])), read)
    result = tracking.evaluate(read.tracks, tracks.tracks, sequences=tracks.lengths)
    assert result.summary["IDF1"] == pytest.approx(idf1)
    assert len(tracks.lengths) == len(truth) // 20 or len(tracks.lengths) == 1


def test_scalabel_files_of_videos_whose_frames_have_the_same_names(write):
    for number, frames in enumerate((FIRST, SECOND)):
        named = [{"name": f"frame.{k:04d}", "labels": x["labels"]} for k, x in enumerate(frames)]
        write(f"gt/v{number}.json", json.dumps(named))
        write(f"found/v{number}.json", json.dumps(named[::-1]))
    folder = write("found/README.md").parent
    read = data.read_ground_truth_tracks(folder.parent / "gt")
    tracks = data.read_tracks(folder, read)
    result = tracking.evaluate(read.tracks, tracks.tracks, sequences=tracks.lengths)
    assert (result.summary["IDF1"], tracks.lengths) == (1, {"v0": 20, "v1": 20})


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (
            [FIRST[0] | {"name": "1.jpg"}],
            r"\[0\].name: '1.jpg' is not the name of a frame of the ground truth: write .*Index",
        ),
        ([*FIRST, FIRST[3]], r"\[20\].name: frame 4 of 'found' is already in \[3\]: write .*Index"),
        ([FIRST[0], BOTH[1] | {"videoName": None}], r"\[0\].frameIndex: missing, but \[1\] of this video has it"),
    ],
)
def test_scalabel_frames_whose_names_tell_no_number_raise(write, found, fault):
    truth = data.read_ground_truth_tracks(write("gt.json", json.dumps(BOTH)))
    with pytest.raises(InputError, match=fault):
        data.read_tracks(write("found.json", json.dumps(found)), truth)


TRUTH = "1,1,10,20,30,60,1,1,1"


def test_part_of_a_sequence_is_called_as_its_folder(write):
    for name in ("MOT17-02", "MOT17-04"):
        write(f"gt/{name}/gt/gt_val_half.txt", TRUTH)
        write(f"gt/{name}/seqinfo.ini", "[Sequence]", "seqLength=600")
    folder = write("gt/MOT17-04/gt/gt.txt", TRUTH, "2,1,10,20,30,60,1,1,1").parents[2]

    truth = data.read_ground_truth_tracks(folder)
    assert truth.lengths == {"MOT17-02": 1, "MOT17-04": 600}
    assert truth.tracks.sequences.tolist() == ["MOT17-02", "MOT17-04", "MOT17-04"]
    assert list(data.read_ground_truth_tracks(folder / "MOT17-04/gt/gt_val_half.txt").lengths) == ["MOT17-04"]


@pytest.mark.parametrize(("first", "length"), [(0, 3), (1, 3), (0, None)])
def test_frames_that_count_from_0_on_both_sides(write, first, length):
    lines = [f"{first + k},1,{10 * k},20,30,60,1" for k in range(3)]
    if length:
        write("gt/MOT17-02/seqinfo.ini", "[Sequence]", f"seqLength={length}")
    truth = data.read_ground_truth_tracks(write("gt/MOT17-02/gt/gt.txt", *[f"{x},1,1" for x in lines]))
    path = write("MOT17-02.txt", *lines)
    for option in (None, first):
        found = data.read_tracks(path, truth, first_frame=option)
        assert found.tracks.frames.tolist() == truth.tracks.frames.tolist()
    assert any("count from 0, though mot17 counts from 1" in x for x in truth.notes) == (first == 0)


def test_sequence_without_tracks_raises(mot, write):
    mot(TRUTH, name="MOT17-04")
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    folder = write("out/MOT17-4.txt", "1,5,1,1,9,9,1").parent
    write("out/MOT17-02.txt")
    with pytest.raises(InputError, match=r"out: there are no tracks of 'MOT17-04', which .*did you mean 'MOT17-4'\?"):
        data.read_tracks(folder, truth)


def test_sequences_without_truth_are_left_out_with_a_warning(mot, write):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    write("out/MOT17-01.txt", "1,5,1,1,9,9,1", "2,5,1,1,9,9,1")
    folder = write("out/MOT17-02.txt", "1,6,1,1,9,9,1").parent
    with pytest.warns(InputWarning, match="'MOT17-01' excluded with 2 rows: the ground truth does not have it"):
        found = data.read_tracks(folder, truth)
    assert (found.tracks.ids.tolist(), list(found.lengths)) == ([6], ["MOT17-02"])
    assert found.place(0, "id").path.name == "MOT17-02.txt"


def test_one_file_is_compared_with_one_file(write):
    truth = data.read_ground_truth_tracks(write("gt.txt", "1,1,10,20,30,60,1,-1,-1,-1"))
    found = data.read_tracks(write("test.txt", "4,1,10,20,30,60,1,-1,-1,-1"), truth)

    assert found.tracks.sequences.tolist() == ["gt"]
    assert (truth.lengths, found.lengths) == ({"gt": 1}, {"gt": 4})
    assert found.notes == ["The one sequence of test.txt is compared with 'gt' of gt.txt."]
    assert truth.notes == [
        "omniou applies the rules of mot15: a ground truth without classes.",
        "No file says how many frames 'gt' has: the last frame with an object or a track is the last.",
    ]


def test_two_files_of_one_sequence_raise(mot, write):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    write("out/a/MOT17-02.txt", "1,5,1,1,9,9,1")
    folder = write("out/b/MOT17-02.txt", "1,5,1,1,9,9,1").parents[1]
    with pytest.raises(InputError, match=r"is of the sequence 'MOT17-02', as is .*: name the directory of one"):
        data.read_tracks(folder, truth)


def test_masks_are_not_compared_with_boxes(mot, write):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    with pytest.raises(OptionError, match="masks and boxes cannot be compared"):
        data.read_tracks(write("MOT17-02.txt", f"1 2001 2 2 3 {counts(0)}"), truth)


def test_empty_inputs(mot, write, tmp_path):
    with pytest.raises(InputError, match="all files are empty"):
        data.read_ground_truth_tracks(mot())
    with pytest.raises(InputError, match="the file is empty"):
        data.read_ground_truth_tracks(write("gt.txt"))
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="the directory has no files of ground truth"):
        data.read_ground_truth_tracks(tmp_path / "none")
    with pytest.raises(InputError, match="no such file"):
        data.read_ground_truth_tracks(tmp_path / "nowhere")
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    assert len(data.read_tracks(write("out/MOT17-02.txt").parent, truth).tracks.frames) == 0


def test_sequences_are_chosen(mot):
    mot(TRUTH, name="MOT17-04")
    truth = data.read_ground_truth_tracks(folder := mot(TRUTH, TRUTH.replace("1,", "2,", 1)), sequences=["MOT17-02"])

    assert (truth.lengths, truth.tracks.frames.tolist()) == ({"MOT17-02": 3}, [1, 2])
    assert list(data.read_ground_truth_tracks(folder, sequences=["*-04"]).lengths) == ["MOT17-04"]
    assert list(data.read_ground_truth_tracks(folder, sequences=["*4", "MOT*"]).lengths) == ["MOT17-02", "MOT17-04"]
    with pytest.raises(OptionError, match=r"there is no sequence 'MOT17-05'; did you mean 'MOT17-0[24]'\?"):
        data.read_ground_truth_tracks(folder, sequences=["MOT17-05"])


@pytest.mark.parametrize(
    ("name", "label", "protocol"),
    [
        ("MOT16-02", 1, "mot16"),
        ("MOT17-02-FRCNN", 1, "mot17"),
        ("MOT20-01", 6, "mot20"),
        ("dancetrack0001", 1, "dancetrack"),
        ("v_-6Os86HzwCs_c001", 1, "sportsmot"),
        ("TUD-Campus", 1, "mot15"),
        ("mine", 7, "mot17"),
    ],
)
def test_protocol_by_names_of_sequences(mot, name, label, protocol):
    assert data.read_ground_truth_tracks(mot(f"1,1,10,20,30,60,1,{label},1", name=name)).protocol == protocol


def test_protocol_that_is_not_clear_raises(mot):
    folder = mot("1,1,10,20,30,60,1,6,1", name="mine")
    with pytest.raises(OptionError, match="--protocol mot17 or mot20"):
        data.read_ground_truth_tracks(folder)
    assert data.read_ground_truth_tracks(folder, protocol="mot20").protocol == "mot20"
    with pytest.raises(
        OptionError, match="protocol 'kitti' is for files of format 'kitti', got 'mot'; 'plain' is for all"
    ):
        data.read_ground_truth_tracks(folder, protocol="kitti")
    with pytest.raises(ValueError, match="`protocol` must be one of 'mot15'"):
        data.read_ground_truth_tracks(folder, protocol="mot21")


def test_ground_truth_of_ten_fields_has_classes_where_all_are_classes(write):
    line = "1,1,10,20,30,60,1,{},-1,-1"

    assert data.read_ground_truth_tracks(write("a.txt", line.format(1))).tracks.labels.tolist() == [1]
    assert data.read_ground_truth_tracks(write("a.txt", line.format(1.5))).tracks.labels is None


def test_class_that_the_rules_forbid_is_named_by_line(mot, write):
    truth = data.read_ground_truth_tracks(mot(TRUTH))
    found = data.read_tracks(write("out/MOT17-02.txt", "1,5,1,1,9,9,1,0,1,1", "2,5,1,1,9,9,1,2,1,1").parent, truth)
    with pytest.raises(InputError, match=r"MOT17-02\.txt: line 2, class: class 2 \(person on vehicle\)"):
        tracks.prepared(truth, found)


def test_unknown_format_is_guessed(mot):
    with pytest.raises(OptionError, match="did you mean 'mots'"):
        data.read_ground_truth_tracks(mot(TRUTH), "motss")


def test_every_format_has_its_name():
    assert [x.name for x in formats.every()] == list(data.TRACK_FORMATS)
