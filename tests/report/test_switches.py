"""Frames in which an object gets another track, on pages of tracks."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("scipy", reason="assignment is SciPy's")
pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import report, rle, tracking
from omniou.cli._commands import omniou
from omniou.report._record import switches
from tests.cli.test_eval import run

# Object 1 is followed by track 7, then 8; object 2 by 9, and missed in frame 2, where track 8 is elsewhere.
TRUTH = ["1,1,10,20,10,10,1", "1,2,50,20,10,10,1", "2,1,12,20,10,10,1", "2,2,52,20,10,10,1"]
FOUND = ["1,7,10,20,10,10,1", "1,9,50,20,10,10,1", "2,8,12,20,10,10,1", "2,6,90,60,8,8,1"]


@pytest.fixture
def mot(tmp_path):
    for name, lines in (("gt", TRUTH), ("out", FOUND)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return [tmp_path / "gt.txt", tmp_path / "out.txt", "--kind", "tracks", "--html", tmp_path / "page.html"]


def photographs(folder, *names):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        image.fromarray(np.zeros((80, 120, 3), np.uint8)).save(folder / name)
    return folder


def test_frames_with_a_switch(mot):
    record = report.Record.from_json(run(*mot, "--format", "json").stdout)
    gallery = record.galleries["switches"]
    assert gallery.note == "1 frame with an identity switch."
    (exhibit,) = gallery.exhibits
    assert (exhibit.name, exhibit.told) == ("gt, frame 2", "Object 1 from track 7 to 8.")
    before, after = exhibit.panels
    assert (before.title, after.title) == ("before: frame 1", "at the switch: frame 2")
    assert [(x.style, x.words, x.points) for x in before.shapes] == [
        ("found", "object 1", [10, 20, 20, 30]),
        ("hit", "track 7", [10, 20, 20, 30]),
        ("ignored", "", [50, 20, 60, 30]),
    ]
    assert [(x.style, x.words, x.points) for x in after.shapes] == [
        ("found", "object 1", [12, 20, 22, 30]),
        ("hit", "track 8", [12, 20, 22, 30]),
        ("missed", "", [52, 20, 62, 30]),
        ("false", "", [90, 60, 98, 68]),
    ]
    assert list(gallery.styles) == ["found", "hit", "ignored", "missed", "false"]
    page = mot[-1].read_text("utf-8")
    # Both pictures have the area of both, so that a reader can compare places.
    assert page.count('viewBox="0 0 98 68"') == 2
    assert ">track 8</text>" in page


def test_photographs_of_frames(mot, tmp_path):
    folder = photographs(tmp_path / "images", "img1/000001.jpg", "img1/000002.jpg")
    done = run(*mot, "--images", folder)
    assert done.exit_code == 0
    page = mot[-1].read_text("utf-8")
    assert page.count("data:image/jpeg;base64,") == 2
    assert page.count('viewBox="0 0 120 80"') == 2
    assert "have no picture" not in done.stderr


def test_missing_photographs_of_frames(mot, tmp_path):
    assert "1 of 2 images have no picture there" in run(*mot, "--images", photographs(tmp_path / "a", "2.jpg")).stderr
    done = run(*mot, "--images", photographs(tmp_path / "b", "9.jpg"))
    assert (done.exit_code, "no picture fits any of the 2 images" in done.stderr) == (3, True)


def test_tracks_without_switches_have_no_frames(mot):
    assert run(mot[0], mot[0], *mot[2:], "--format", "json").exit_code == 0
    assert "Frames with a switch" not in mot[-1].read_text("utf-8")
    assert json.loads(run(*mot[:4], "--format", "json").stdout)["galleries"] == {}


def test_pictures_of_frames_by_their_paths():
    names = ["a/img1/000041.jpg", "b/img1/000041.jpg", "b-0000007.png", "c/1.jpg", "b/readme.jpg", "b/041.png"]
    assert switches.pictures_of(names, ["a", "b"]) == {("a", 41): "a/img1/000041.jpg", ("b", 7): "b-0000007.png"}
    assert switches.pictures_of(["x/000002.jpg"], ["gt"]) == {("gt", 2): "x/000002.jpg"}
    assert switches.pictures_of(["x/2.jpg", "y/2.jpg"], ["gt"]) == {}


def test_many_switches_of_classes():
    frames = range(20)
    boxes = [[0, 0, 9, 9], [20, 0, 29, 9]]
    truth, found = (
        tracking.Tracks(
            boxes=boxes * 20,
            frames=[f for f in frames for _ in boxes],
            ids=[x for f in frames for x in ids(f)],
            labels=["car", "person"] * 20,
            sequences=["<i>"] * 40,
        )
        for ids in (lambda _: (1, 1), lambda f: (100 + f, 5))
    )
    result = tracking.evaluate(truth, found, classes=["car", "person"])
    gallery = switches.gallery(result, truth, found, {})
    assert gallery.note == "19 frames with an identity switch; the first 6 are drawn."
    # The person has id 1, too, and keeps its track.
    assert [(x.style, x.words) for x in gallery.exhibits[0].panels[1].shapes] == [
        ("found", "object 1"),
        ("hit", "track 101"),
        ("ignored", ""),
    ]
    record = report.Record(kind="tracks", summary={"HOTA": 0.5}, words={"HOTA": ""}, galleries={"switches": gallery})
    page = report.html(record)
    assert ("&lt;i&gt;, frame 1" in page, "<i>" in page) == (True, False)
    assert report.Record.from_json(record.to_json()) == record


def test_comparison_of_trackers_of_one_class_has_a_page(mot, tmp_path):
    paths = [mot[0], mot[1], mot[0], "--kind", "tracks", "--html", tmp_path / "compared.html"]
    assert CliRunner().invoke(omniou, ["compare", *map(str, paths)]).exit_code == 0
    assert "HOTA" in (tmp_path / "compared.html").read_text("utf-8")


def test_masks_of_tracks_are_drawn_by_their_boxes():
    masks = np.zeros((2, 8, 9), dtype=bool)
    masks[:, 2:5, 3:7] = True
    truth, found = (
        tracking.Tracks(boxes=None, masks=rle.Masks.from_dense(masks), frames=[0, 1], ids=ids)
        for ids in ([1, 1], [7, 8])
    )
    gallery = switches.gallery(tracking.evaluate(truth, found, kind="segm"), truth, found, {})
    assert [x.points for x in gallery.exhibits[0].panels[1].shapes] == [[3, 2, 7, 5], [3, 2, 7, 5]]
