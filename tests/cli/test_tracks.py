"""`omniou eval --kind tracks` and `omniou check --kind tracks`."""

import csv
import json
import re

import pytest

from tests import places
from tests.cli.cases import run

TAIL = "1.5 1.6 3.9 1 1.5 20 -1.4"


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{x}\n" for x in lines))


@pytest.fixture
def mot(tmp_path):
    """Two sequences of four frames: a pedestrian who is followed, and a static person who is followed, too.

    In the second sequence the pedestrian gets a new track in the third frame.
    """
    for name, ids in (("MOT17-02", (7, 7, 7, 7)), ("MOT17-04", (7, 7, 8, 8))):
        truth = [f"{k},1,{10 * k},20,30,60,1,1,1" for k in range(1, 5)]
        truth += [f"{k},2,500,20,30,60,0,7,1" for k in range(1, 5)]
        found = [f"{k},{ids[k - 1]},{10 * k},20,30,60,0.9,-1,-1,-1" for k in range(1, 5)]
        found += [f"{k},99,500,20,30,60,0.9,-1,-1,-1" for k in range(1, 4)]
        write(tmp_path / "gt" / name / "gt" / "gt.txt", *truth)
        write(tmp_path / "gt" / name / "seqinfo.ini", "[Sequence]", "seqLength=4")
        write(tmp_path / "out" / f"{name}.txt", *found)
    return [tmp_path / "gt", tmp_path / "out", "--kind", "tracks"]


def test_table_has_sequences_and_what_was_left_out(mot):
    done = run("eval", *mot)

    assert done.exit_code == 0, done.stderr
    assert (
        "2 sequences, 8 frames, 2 objects, 8 object boxes, 3 tracks, 8 track boxes (tracks, the rules of mot17)"
        in done.stdout
    )
    assert re.search(r"^IDSW +1 +switches of identity$", done.stdout, re.MULTILINE)
    assert re.search(r"^MOT17-02 +1\.000 +1\.000 +1\.000 +1\.000 +1\.000 +0 +0 +1 +0$", done.stdout, re.MULTILINE)
    assert re.search(r"^MOT17-04 +0\.707 +1\.000 +0\.500 +0\.750 +0\.500 +1 +0 +1 +0$", done.stdout, re.MULTILINE)
    assert re.search(r"^\(all\) +0\.866 +1\.000 +0\.750 +0\.875 +0\.750 +1 +0 +2 +0$", done.stdout, re.MULTILINE)
    assert re.search(r"^ground truth +class static person +8$", done.stdout, re.MULTILINE)
    assert re.search(r"^tracks +matched to an object of class static person +6$", done.stdout, re.MULTILINE)
    assert done.stderr == ""


def test_json_has_all_numbers_by_sequence_and_threshold(mot):
    record = json.loads(run("eval", *mot, "--format", "json").stdout)

    assert (record["kind"], record["protocol"]) == ("tracks", "mot17")
    assert (record["summary"]["MOTA"], record["summary"]["IDSW"]) == (0.875, 1)
    assert [x["name"] for x in record["per_sequence"]] == ["MOT17-02", "MOT17-04", "(all)"]
    assert record["per_sequence"][1]["IDF1"] == 0.5
    assert len(record["by_threshold"]["MOT17-04"]["HOTA"]) == len(record["by_threshold"]["(all)"]["alpha"]) == 19
    assert record["left_out"]["tracks"] == {"matched to an object of class static person": 6}
    assert record["sequences"] == {"MOT17-02": 4, "MOT17-04": 4}
    assert [(x["role"], x["format"], x["files"]) for x in record["inputs"]] == [
        ("ground truth", "mot", 2),
        ("tracks", "mot", 2),
    ]


def test_other_outputs(mot, tmp_path):
    assert "HOTA,0.86" in run("eval", *mot, "--format", "csv").stdout
    rows = list(csv.DictReader(run("eval", *mot, "--format", "csv", "--per-class").stdout.splitlines()))
    assert [(x["name"], x["IDSW"]) for x in rows] == [*(("(all)", "1"), ("MOT17-02", "0"), ("MOT17-04", "1"))]
    assert "| (all) |" in run("eval", *mot, "--format", "md").stdout
    assert run("eval", *mot, "--html", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    # A picture of each sequence, the one with the switch first.
    assert re.findall(r"Objects and their tracks in ([\w-]+)\. ", page)[:1] == ["MOT17-04"]
    assert page.count('class="switch"/>') == 2  # it, and the legend of its sequence: the other has no switch
    assert "HOTA by threshold" in page
    assert "Excluded by the rules of mot17" in page


def test_gates(mot):
    done = run("eval", *mot, "--fail-under", "HOTA>=0.8", "--fail-under", "MOT17-04.IDF1>=0.6")

    assert done.exit_code == 1
    assert "Gate failed: MOT17-04.IDF1 >= 0.6: got 0.500000" in done.stderr
    assert "did you mean 'MOT17-04'" in run("eval", *mot, "--fail-under", "MOT17-05.IDF1>=0.6").stderr


def test_protocol_decides_what_counts(mot):
    plain = run("eval", *mot, "--protocol", "plain", "--format", "json")
    mot15 = run("eval", *mot, "--protocol", "mot15")

    record = json.loads(plain.stdout)
    assert (record["summary"]["GT_Dets"], record["summary"]["CLR_FN"]) == (16, 2)
    assert record["left_out"] == {"ground_truth": {}, "tracks": {}}
    assert re.search(r"^ground truth +confidence 0 +8$", mot15.stdout, re.MULTILINE)
    assert "--protocol coco is not for --kind tracks" in run("eval", *mot, "--protocol", "coco").stderr


def test_sequences_are_chosen(mot):
    done = run("eval", *mot, "--sequences", "MOT17-02")

    assert done.exit_code == 0
    assert "1 sequence, 4 frames" in done.stdout
    assert "Warning: " in done.stderr
    assert "'MOT17-04' excluded with 7 rows: the ground truth does not have it" in done.stderr
    assert "there is no sequence 'MOT17-03'" in run("eval", *mot, "--sequences", "MOT17-03").stderr


def test_first_frame(mot, tmp_path):
    for path in (tmp_path / "out").iterdir():
        lines = [line.partition(",") for line in path.read_text().splitlines()]
        write(path, *[f"{int(frame) - 1},{rest}" for frame, _, rest in lines])
    done = run("eval", *mot)

    assert done.exit_code == 3
    assert "the first frame is 1; add 1 to each frame, or --first-frame 0" in done.stderr
    assert "0.866" in run("eval", *mot, "--first-frame", 0).stdout


def test_errors_name_file_and_line(mot, tmp_path):
    write(tmp_path / "out" / "MOT17-04.txt", "1,7,10,20,30,60,1", "1,7,10,20,30,60,1")
    done = run("eval", *mot)

    assert done.exit_code == 3
    assert re.search(r"MOT17-04\.txt: line 2, id: the id 7 occurs twice in frame 1", done.stderr)


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ("0,-1,-1,-1", "mot15 exclude 2 confidence 0"),
        ("0.9,-1,-1,-1", "mot15 exclude 2 confidence 0.9, cut to 0"),
        ("0,1,1", "mot17 exclude 2 confidence 0"),
        ("1,3,1", "mot17 exclude 2 class car"),
    ],
)
@pytest.mark.parametrize("tracks", [[], ["1,1,10,20,30,60,1"]])
def test_ground_truth_of_which_nothing_counts(tmp_path, rest, why, tracks):
    gt, out = tmp_path / "gt.txt", tmp_path / "out.txt"
    write(gt, f"1,1,10,20,30,60,{rest}", f"2,1,10,20,30,60,{rest}")
    write(out, *tracks)
    done = run("eval", gt, out, "--kind", "tracks")

    assert done.exit_code == 3
    assert done.stderr.endswith(f"gt.txt: objects: nothing to score: none counts: the rules of {why}\n")
    for paths in ([gt, out], [gt]):
        checked = run("check", *paths, "--kind", "tracks")
        assert (checked.exit_code, f"none counts: the rules of {why}\n" in checked.stdout) == (4, True)


def test_objects_with_a_confidence_between_0_and_1_are_named(tmp_path):
    write(tmp_path / "gt.txt", "1,1,10,20,30,60,1", "1,2,80,20,30,60,0.5", "2,2,80,20,30,60,0.75")
    write(tmp_path / "out.txt", "1,1,10,20,30,60,1")
    done = run("eval", tmp_path / "gt.txt", tmp_path / "out.txt", "--kind", "tracks")

    assert done.exit_code == 0
    assert "2 of 3 objects have a confidence between 0 and 1 and do not count (0.5 to 0.75, cut to 0" in done.stderr
    assert re.search(r"confidence 0.5 to 0.75, cut to 0 +2\n", done.stdout)


def test_doubts_are_warnings(mot):
    gt = mot[0]
    done = run("eval", gt / "MOT17-02" / "gt" / "gt.txt", gt / "MOT17-02" / "gt" / "gt.txt", "--kind", "tracks")
    many = [f"{k},{100 * k + n},{60 * n},20,30,60,1,1,1" for k in range(1, 5) for n in range(8)]
    write(gt / "MOT17-02" / "gt" / "gt.txt", *many)
    write(mot[1] / "MOT17-02.txt", *many)

    assert done.exit_code == 3  # the static person has class 7
    assert "class 7 (static person), but only pedestrians" in done.stderr
    equal = run("eval", *mot, "--sequences", "MOT17-02")
    assert re.search(r"^HOTA +1\.000", equal.stdout, re.MULTILINE)
    assert "the tracks seem to be the ground truth itself" in equal.stderr
    assert "below 100 %" not in equal.stderr
    write(gt / "MOT17-02" / "gt" / "gt.txt", *many, *[x.replace(",1,1,1", ",0,1,1") for x in many if ",0,20" in x])


@pytest.fixture
def kitti(tmp_path):
    """A car that is followed, and a pedestrian who is not."""
    truth = [f"{k} 1 Car 0 0 -1 100 100 160 140 {TAIL}" for k in range(3)]
    truth += [f"{k} 2 Pedestrian 0 0 -1 300 100 320 150 {TAIL}" for k in range(3)]
    write(tmp_path / "gt" / "0001.txt", *truth)
    write(tmp_path / "out" / "0001.txt", *[f"{k} 5 Car 0 0 -1 100 100 160 140 {TAIL} 0.9" for k in range(3)])
    return [tmp_path / "gt", tmp_path / "out", "--kind", "tracks"]


def test_several_classes(kitti):
    done = run("eval", *kitti, "--per-class")

    assert done.exit_code == 0, done.stderr
    assert re.search(r"^car +1\.000", done.stdout, re.MULTILINE)
    assert re.search(r"^pedestrian +0\.000", done.stdout, re.MULTILINE)
    assert re.search(r"^0001 pedestrian +0\.000", done.stdout, re.MULTILINE)
    assert "The summary is a mean over 2 classes. kitti has no such number." in done.stdout
    assert run("eval", *kitti, "--fail-under", "car.HOTA>=1").exit_code == 0


def test_class_that_neither_side_has_is_not_in_a_mean(kitti):
    gt, out = kitti[:2]
    cars = [f"{k} 1 Car 0 0 -1 100 100 160 140 {TAIL}" for k in range(3)]
    write(gt / "0001.txt", *cars)
    write(gt / "0002.txt", *cars)
    write(out / "0002.txt", *[f"{x} 0.9" for x in cars])
    write(gt / "0003.txt")
    write(out / "0003.txt")
    done = run("eval", *kitti, "--fail-under", "IDF1>=0.9", "--format", "json")

    record = json.loads(done.stdout)
    assert done.exit_code == 0, done.stderr
    assert [record["summary"][name] for name in ("HOTA", "MOTA", "IDF1")] == [1, 1, 1]
    assert [x["HOTA"] for x in record["per_sequence"]] == [1, 1, None, 1]
    assert [x["name"] for x in record["per_class"]] == ["car"]
    assert record["averaging"] == record["gates"][0]["detail"] == "mean over 'car'; neither side has 'pedestrian'"


def test_bdd100k_has_groups_of_classes(tmp_path):
    box = {"x1": 0, "y1": 0, "x2": 10, "y2": 10}
    frames = [{"name": "0.jpg", "videoName": "b", "labels": [{"id": "1", "category": "car", "box2d": box}]}]
    write(tmp_path / "gt.json", json.dumps(frames))
    done = run("eval", tmp_path / "gt.json", tmp_path / "gt.json", "--kind", "tracks", "--format", "json")

    rows = {x["name"]: x["HOTA"] for x in json.loads(done.stdout)["per_class"]}
    assert len(rows) == 8 + 3 + 2
    assert (rows["VEHICLE"], rows["detection-averaged"], rows["class-averaged"], rows["HUMAN"]) == (1, 1, 0.125, 0)
    assert json.loads(done.stdout)["averaging"] == "mean over 8 classes; 7 that neither side has count as 0"


def test_check_finds_nothing_in_good_files(mot):
    done = run("check", *mot)

    assert (done.exit_code, done.stdout.splitlines()[-1][:17]) == (0, "No mistakes found")
    assert run("check", mot[0], "--kind", "tracks").exit_code == 0


def test_check_names_all_faults_once_for_each_field(mot, tmp_path):
    lines = ["0,7,1,1,9,9,1", "0,8,1,1,9,9,1", "2,7,1,1,9,9,1", "2,7,1,1,9,9,1", "3,x,1,1,9,9,1", "3,9,1,1,0,9,1"]
    write(tmp_path / "out" / "MOT17-04.txt", *lines)
    (tmp_path / "out" / "MOT17-02.txt").unlink()
    done = run("check", *mot, "--format", "json")

    assert done.exit_code == 4
    found = {x["code"]: x for x in json.loads(done.stdout)["findings"]}
    assert set(found) == {"tracks-frame", "tracks-id", "tracks-width", "tracks-file"}
    assert found["tracks-frame"]["evidence"] == "line 1, frame, 2 such faults"
    assert found["tracks-frame"]["path"].endswith("MOT17-04.txt")
    assert "there are no tracks of 'MOT17-02'" in found["tracks-file"]["text"]


def test_check_takes_the_options_that_say_how_to_read(mot, tmp_path):
    for path in (tmp_path / "out").iterdir():
        lines = [line.partition(",") for line in path.read_text().splitlines()]
        write(path, *[f"{int(frame) - 1},{rest}" for frame, _, rest in lines])
    assert "[tracks-frame]" in run("check", *mot).stdout
    assert run("check", *mot, "--first-frame", 0).exit_code == 0
    chosen = run("check", *mot, "--first-frame", 0, "--sequences", "MOT17-02")
    assert "[sequences-without-truth] 'MOT17-04' excluded with 7 rows" in chosen.stdout
    write(tmp_path / "out" / "MOT17-04.txt", "1,7,10,20,30,60,1,3,1,1")
    assert "[tracks-class] class 3 (car)" in run("check", *mot, "--sequences", "MOT17-04").stdout
    assert "tracks-class" not in run("check", *mot, "--sequences", "MOT17-04", "--protocol", "plain").stdout


def test_check_says_what_is_doubtful_beside_rows_that_the_rules_forbid(tmp_path):
    for folder, less in (("gt", 0), ("out", 1)):
        lines = [f"{f},{c},{100 * c + f},20,30,60,1,{c - less},1" for f in range(1, 21) for c in (1, 4)]
        write(tmp_path / folder / "MOT17-02.txt", *lines)
    done = run("check", tmp_path / "gt", tmp_path / "out", "--kind", "tracks")
    assert "[tracks-class] class 3 (car), but only pedestrians" in done.stdout
    assert "[classes-shifted] numbers of classes of the tracks seem to be one too low" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--protocol", "mot17"], "--protocol mot17 is not for --kind bbox"),
        (
            ["--protocol", "voc2007"],
            "--protocol is not for detections, whose check has no rules: it is for --kind tracks",
        ),
        (["--first-frame", "0"], "--first-frame is not for --kind bbox: it is for --kind tracks"),
        (["--only-classes", "cat"], "--only-classes is not for --kind bbox: it checks all classes"),
        (
            ["--kind", "tracks", "--except-classes", "cat"],
            "--except-classes is not for --kind tracks: it is for detections",
        ),
        (["--kind", "tracks", "--boxes", "xywh"], "--boxes is not for --kind tracks: it is for detections"),
        (["--kind", "tracks", "--class-agnostic"], "--class-agnostic is not for --kind tracks: it is for detections"),
    ],
)
def test_check_refuses_options_that_do_nothing(mot, options, message):
    assert message in run("check", *mot[:2], *options).stderr


def test_check_applies_the_rules(mot, tmp_path):
    write(
        tmp_path / "out" / "MOT17-04.txt", "1,7,10,20,30,60,1,1,1,1", "2,7,10,20,30,60,1,3,1,1", "2,8,1,2,3,6,1,4,1,1"
    )
    (found,) = json.loads(run("check", *mot, "--format", "json").stdout)["findings"]

    assert (found["code"], found["evidence"]) == ("tracks-class", "line 2, class, 2 such faults")
    assert found["text"].startswith("class 3 (car), but only pedestrians")


def test_check_goes_on_where_the_data_set_is_unclear(tmp_path):
    write(tmp_path / "mine.txt", "1,1,10,20,30,60,1,6,1")
    done = run("check", tmp_path / "mine.txt", "--kind", "tracks")

    assert done.exit_code == 4
    assert done.stdout.startswith("[protocol-unclear] the ground truth has objects of class 6")
    assert (
        "--protocol mot17 or mot20"
        in run("eval", tmp_path / "mine.txt", tmp_path / "mine.txt", "--kind", "tracks").stderr
    )


def test_check_says_what_is_doubtful(mot, tmp_path):
    for path in (tmp_path / "out").iterdir():
        write(path, *[f"{k},{10 * k + n},{10 * k},{90 * n},30,60,1" for k in range(1, 5) for n in range(9)])
    truth = [f"{k},{n},{10 * k},{90 * n},30,60,1,1,1" for k in range(1, 5) for n in range(9)]
    for name in ("MOT17-02", "MOT17-04"):
        write(tmp_path / "gt" / name / "gt" / "gt.txt", *truth)
    done = run("check", *mot)

    assert done.exit_code == 4
    assert done.stdout.startswith("[ids-once] nearly every id of the tracks is in one frame only")


def test_formats_and_options_of_other_kinds_are_refused(mot):
    assert "--gt-format mot is for --kind tracks" in run("eval", *mot[:2], "--gt-format", "mot").stderr
    assert "--sequences is not for --kind bbox" in run("eval", *mot[:2], "--sequences", "a").stderr
    assert "`format` must be one of 'mot', 'kitti'" in run("eval", *mot, "--gt-format", "coco").stderr
    assert run("eval", *mot, "--gt-format", "mot", "--dt-format", "mot").exit_code == 0
    compared = run("compare", mot[0], mot[1], mot[1], "--protocol", "mot17")
    assert "it is for --kind tracks" in compared.stderr


def test_formats_are_listed():
    rows = {x["name"]: x["kinds"] for x in json.loads(run("formats", "--format", "json").stdout)}

    assert rows["mot"] == rows["mots"] == ["tracks"]
    assert "tracks" in rows["kitti"]
    assert "tracks" in rows["scalabel"]


def test_tud_campus_has_the_published_numbers():
    folder = places.shared("tud-campus")
    expected = json.loads((folder / "expected.json").read_text())
    done = run("eval", folder / "gt.txt", folder / "test.txt", "--kind", "tracks", "--format", "json")
    record = json.loads(done.stdout)

    summary, published = record["summary"], expected["published"]
    for name, ours in (("IDF1", "IDF1"), ("IDP", "IDP"), ("IDR", "IDR"), ("MOTA", "MOTA"), ("Rcll", "CLR_Re")):
        assert summary[ours] == pytest.approx(published[name], abs=6e-4)
    for name, ours in (("GT", "GT_IDs"), ("MT", "MT"), ("PT", "PT"), ("ML", "ML"), ("FP", "CLR_FP"), ("IDs", "IDSW")):
        assert summary[ours] == published[name]
    assert (summary["CLR_FN"], summary["Frag"]) == (published["FN"], published["FM"])
    assert [x["name"] for x in record["per_sequence"]] == ["gt"]  # a row of all would be the same again
    assert record["by_threshold"]["(all)"]["HOTA"] == pytest.approx(expected["values"]["HOTA"], rel=1e-12)


def test_missing_scipy_is_named_before_any_work(monkeypatch, tmp_path):
    monkeypatch.setattr("omniou._lib.extras.has", lambda name: name != "scipy")
    done = run("eval", tmp_path / "nowhere", tmp_path / "nowhere", "--kind", "tracks")
    assert done.exit_code == 2
    assert '--kind tracks needs SciPy: pip install ".[tracking]"' in done.stderr


def test_json_without_schema_is_no_record(tmp_path):
    (tmp_path / "tracks.json").write_text('{"omniou": "0.1.0", "kind": "tracks", "summary": {"HOTA": 1.0}}')
    done = run("report", tmp_path / "tracks.json", "-o", tmp_path / "page.html")
    assert done.exit_code == 3
    assert "tracks.json: is no record that `omniou eval --format json` wrote" in done.stderr
