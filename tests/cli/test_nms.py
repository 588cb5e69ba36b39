"""`omniou nms`: duplicates among the detections of files."""

import json

import pytest

from tests.cli.cases import files, run


def coco(path, *rows):
    """Rows of image, class, height of a box of width 10, and score."""
    records = [{"image_id": i, "category_id": c, "bbox": [0, 0, 10, h], "score": s} for i, c, h, s in rows]
    path.write_text(json.dumps(records))
    return path


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # The second overlaps the first by .9, the third by .5, exactly the threshold; the last two are elsewhere.
    return coco(
        tmp_path / "found.json", (7, 1, 10, 0.5), (7, 1, 9, 0.75), (7, 1, 5, 0.25), (8, 1, 9, 0.5), (7, 2, 9, 0.5)
    )


def kept(done):
    assert done.exit_code == 0, done.output
    return [(x["image_id"], x["category_id"], x["bbox"][3], round(x["score"], 4)) for x in json.loads(done.stdout)]


def test_best_of_those_that_overlap_stays(found):
    done = run("nms", found)

    assert kept(done) == [(7, 1, 9, 0.75), (8, 1, 9, 0.5), (7, 2, 9, 0.5)]  # 5 / 9 is above the threshold
    assert done.stderr == "3 of 5 detections kept\n"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--threshold", "0.6"], [(7, 1, 9, 0.75), (7, 1, 5, 0.25), (8, 1, 9, 0.5), (7, 2, 9, 0.5)]),
        (["--threshold", "0.95"], [(7, 1, 10, 0.5), (7, 1, 9, 0.75), (7, 1, 5, 0.25), (8, 1, 9, 0.5), (7, 2, 9, 0.5)]),
        (["--class-agnostic"], [(7, 1, 9, 0.75), (8, 1, 9, 0.5)]),
        (["--limit", "1"], [(7, 1, 9, 0.75), (8, 1, 9, 0.5)]),
        (["--score", "iomin", "--threshold", "0.99"], [(7, 1, 9, 0.75), (8, 1, 9, 0.5), (7, 2, 9, 0.5)]),
        (["--score-threshold", "0.5"], [(7, 1, 9, 0.75)]),
        # Factors e^(-.81 / .5) for the first, e^(-(5/9)^2 / .5) for the third, which is then chosen: e^(-.25 / .5).
        (
            ["--method", "soft"],
            [(7, 1, 10, 0.06), (7, 1, 9, 0.75), (7, 1, 5, 0.1349), (8, 1, 9, 0.5), (7, 2, 9, 0.5)],
        ),
        (
            ["--method", "soft", "--decay", "linear", "--threshold", "0.6"],
            [(7, 1, 10, 0.05), (7, 1, 9, 0.75), (7, 1, 5, 0.25), (8, 1, 9, 0.5), (7, 2, 9, 0.5)],
        ),
    ],
)
def test_options_by_hand(found, args, expected):
    assert kept(run("nms", found, *args)) == expected


def test_output_keeps_the_format_or_takes_another(found, tmp_path):
    assert run("nms", found, "-o", "kept.json").exit_code == 0
    assert len(json.loads((tmp_path / "kept.json").read_text())) == 3
    assert run("nms", found, "-o", "labels", "--to", "text").exit_code == 0
    assert (tmp_path / "labels" / "8.txt").read_text() == "1 0.5 0 0 10 9\n"
    again = run("nms", "labels", "-o", "again")
    assert (again.exit_code, again.stderr) == (0, "3 of 3 detections kept\n")
    assert (tmp_path / "again" / "7.txt").read_text() == (tmp_path / "labels" / "7.txt").read_text()


def test_ground_truth_tells_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth, found = files(tmp_path)
    done = run("nms", found, "--ground-truth", truth, "--to", "csv")

    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[2] == "1.jpg,100,100,traffic light,0,0,10,9,0.88"


def test_masks_are_compared_by_their_pixels(tmp_path):
    # Two halves of a square: their boxes do not overlap, and both overlap the whole by a half.
    whole, half = {"size": [4, 4], "counts": [0, 16]}, {"size": [4, 4], "counts": [0, 8, 8]}
    rows = [
        {"image_id": 1, "category_id": 1, "segmentation": mask, "score": score}
        for mask, score in ((whole, 0.5), (half, 0.75), (half, 0.25))
    ]
    (tmp_path / "masks.json").write_text(json.dumps(rows))
    done = run("nms", tmp_path / "masks.json", "--kind", "segm")

    assert [x["score"] for x in json.loads(done.stdout)] == [0.5, 0.75]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["nowhere.json"], 3, "nowhere.json: no such file"),
        (["found.json", "--threshold", "1.5"], 2, "'1.5' is not a number from 0 to 1"),
        (["found.json", "--threshold", "nan"], 2, "'nan' is not a finite number"),
        (["found.json", "--sigma", "2"], 2, "--sigma is for --method soft or matrix with --decay gaussian"),
        (["found.json", "--method", "soft", "--sigma", "0"], 2, "'0' is not a number above 0"),
        (
            ["found.json", "--method", "matrix", "--threshold", "0.5"],
            2,
            "--threshold is for --method hard, or soft with",
        ),
        (["found.json", "--to", "yolo"], 2, "yolo is a directory of files: name a directory as OUTPUT"),
        (["found.json", "-o", "labels", "--to", "yolo"], 2, "the sizes of images are needed to write fractions"),
        (["found.json", "--kind", "semantic"], 2, "'semantic' is not one of 'bbox'"),
        (["found.json", "--kind", "segm"], 3, "found.json: [0].segmentation"),
        (["found.json", "-o", "no/kept.json"], 3, "no is not a directory that can be written to"),
        (["found.json", "--score", "ciuo"], 2, "Did you mean 'ciou'?"),
        (["found.json", "--image-set", "found.json"], 2, "--image-set needs --ground-truth"),
        (["found.json", "--limit", "0"], 2, "0 is not in the range"),
        (["found.json", "--ground-truth", "found.json"], 3, "found.json"),
    ],
)
@pytest.mark.usefixtures("found")
def test_nms_fails_and_leaves_nothing(tmp_path, args, code, message):
    done = run("nms", *args)

    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


@pytest.mark.parametrize("args", [["nms", "logits.json", "--method", "soft"], ["fuse", "logits.json"]])
def test_scores_below_0_are_refused_where_they_cannot_be_lowered(tmp_path, monkeypatch, args):
    monkeypatch.chdir(tmp_path)
    coco(tmp_path / "logits.json", (1, 1, 10, -0.5))
    done = run(*args)

    assert (done.exit_code, done.stdout) == (3, "")
    assert "logits.json: `scores` must be " in done.stderr
    assert len(kept(run("nms", "logits.json"))) == 1


def test_distances_need_sizes_of_relative_boxes(tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    (given / "1.txt").write_text("0 .5 .5 .5 .5 .9\n0 .5 .5 .5 .4 .8\n")
    refused = run("nms", given, "--score", "diou", "-o", tmp_path / "out")

    assert (refused.exit_code, "--score diou needs the sizes of the images: give" in refused.stderr) == (2, True)
    assert run("nms", given, "--score", "giou", "-o", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "1.txt").read_text() == "0 0.5 0.5 0.5 0.5 0.9\n"
    done = run("nms", given, "--score", "diou", "--image-size", "10x10", "-o", tmp_path / "sized", "--to", "yolo")
    assert done.exit_code == 0, done.output


WHOLE = {
    "id": 11,
    "segmentation": [[0, 0, 10, 0, 10, 9, 0, 9]],
    "keypoints": [1, 2, 2],
    "num_keypoints": 1,
    "track_id": 7,
    "attributes": {"occluded": True},
}


@pytest.mark.parametrize("method", ["hard", "soft", "matrix"])
def test_records_keep_every_field(tmp_path, method):
    given = [
        {"image_id": image, "category_id": 1, "bbox": [0, 0, 10, 9.5], "score": score, **WHOLE, "id": number}
        for number, (image, score) in enumerate([("b.jpg", 0.75), ("a.jpg", 0.5), ("a.jpg", 0.25)])
    ]
    path = tmp_path / "found.json"
    path.write_text(json.dumps(given))
    written = json.loads(run("nms", path, "--method", method).stdout)
    assert [x["id"] for x in written] == ([0, 1] if method == "hard" else [0, 1, 2])
    for x in written:
        assert x | {"score": None} == given[x["id"]] | {"score": None}
    assert written[1]["score"] == 0.5


def test_lost_fields_are_counted(tmp_path):
    path = tmp_path / "found.json"
    record = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "score": 0.5}
    path.write_text(json.dumps([record, record | WHOLE]))
    fields = "attributes, keypoints, segmentation, track_id"
    done = run("nms", path, "--to", "yolo", "-o", tmp_path / "out", "--threshold", 1, "--image-size", "20x20")
    assert f"1 detection lost fields that yolo cannot hold: {fields}" in done.stderr
    fused = run("fuse", path, path)
    assert f"2 detections lost fields, since fusion averages only boxes: {fields}" in fused.stderr


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        (
            "a.csv",
            "image,class,xmin,ymin,xmax,ymax,score,speed,note\n1,cat,1,1,5,5,.9,7,\n1,cat,7,7,9,9,.9,,\n",
            "speed",
        ),
        ("yolo/a.txt", "0 .5 .5 .2 .2 .9 7\n0 .1 .1 .1 .1 .8\n", "track id"),
        ("yolo/a.txt", "0 .1 .1 .5 .12 .48 .5 .12 .52 .3 .6 .9\n", "polygon (--kind segm reads it)"),
    ],
)
def test_fields_of_other_formats_that_are_lost_are_told(tmp_path, name, text, lost):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    (tmp_path / "names.txt").write_text("cat\n")
    names = [] if name.endswith(".csv") else ["--dt-classes", str(tmp_path / "names.txt")]
    given = path if name.endswith(".csv") else path.parent
    done = run("nms", given, *names, "-o", tmp_path / "out", "--to", "yolo", *(["--to", "text"] if not names else []))
    assert done.exit_code == 0, done.output
    assert f"{given}: 1 detection lost fields that omniou does not read: {lost}\n" in done.stderr
