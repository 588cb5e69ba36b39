"""`omniou eval --slices`: numbers of groups of images."""

import json
from pathlib import Path

import pytest

click = pytest.importorskip("click.testing", reason="the extra cli is not installed")

from omniou import detection, report  # noqa: E402
from omniou.cli._commands import omniou  # noqa: E402

IMAGES = 80


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Of 80 images, the even ones by day: there each object is found, by night one of two."""
    monkeypatch.chdir(tmp_path)
    images = [{"id": k, "file_name": f"{k}.png", "width": 60, "height": 40} for k in range(IMAGES)]
    box = {"category_id": 3, "bbox": [5, 5, 20, 20]}
    objects = [{"id": k + 1, "image_id": k, "area": 400, "iscrowd": 0} | box for k in range(IMAGES)]
    found = [{"image_id": k, "score": 0.9} | box for k in range(IMAGES) if k % 2 == 0 or k % 4 == 1]
    truth = {"images": images, "categories": [{"id": 3, "name": "<b>"}], "annotations": objects}
    Path("gt.json").write_text(json.dumps(truth), "utf-8")
    Path("dt.json").write_text(json.dumps(found), "utf-8")
    rows = [f"{k}.png,{'night' if k % 2 else '<i>day'}" for k in range(IMAGES)]
    Path("slices.csv").write_text("\n".join(["image,time", *rows]), "utf-8")
    return lambda *args: click.CliRunner().invoke(omniou, ["eval", "gt.json", "dt.json", *args])


def test_slices_have_their_numbers_and_intervals(run):
    outcome = run("--slices", "slices.csv", "--format", "json")
    assert outcome.exit_code == 0
    day, night = json.loads(outcome.stdout)["analyses"]["slices"]
    assert [day[x] for x in ("column", "name", "images", "objects", "classes")] == ["time", "<i>day", 40, 40, 1]
    assert (day["summary"]["AP"], night["detections"]) == (1.0, 20)
    # Half of the objects are found: recall up to 50 of 100 steps, at a precision of 1.
    assert night["summary"]["AP50"] == pytest.approx(51 / 101)
    low, high = night["intervals"]["AP50"]
    assert low < 51 / 101 < high
    assert set(night["intervals"]) == {"AP", "AP50", "AP75", "AR100"}


def test_slices_are_a_table_in_each_output(run):
    printed = run("--slices", "slices.csv").stdout
    assert "Slices by time" in printed
    (row,) = (line.split() for line in printed.splitlines() if line.startswith("night"))
    assert row[:5] == ["night", "40", "1", "40", "0.505"]
    assert run("--slices", "slices.csv", "--html", "page.html").exit_code == 0
    page = Path("page.html").read_text("utf-8")
    assert "Slices by time" in page
    assert "&lt;i&gt;day" in page
    assert "<i>day" not in page
    assert "Slices" not in run().stdout


def test_slices_of_few_images_have_no_interval(run):
    Path("slices.csv").write_text("image,time\n0.png,day\n1.png,night\n", "utf-8")
    outcome = run("--slices", "slices.csv")
    assert "No interval of 2 of 2 slices: too few images of a class for a bootstrap." in " ".join(
        outcome.stdout.split()
    )
    assert "78 of 80 images are in no slice of the column 'time'" in outcome.stderr


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--slices", "none.csv"], 3, "none.csv"),
        (["--slices", "dt.json"], 3, "no column of the image"),
        (["--slices", "slices.csv", "--kind", "tracks"], 2, "--slices is not for --kind tracks"),
    ],
)
def test_slices_that_cannot_be_read_fail(run, args, code, words):
    outcome = run(*args)
    assert outcome.exit_code == code
    assert words in outcome.output


def test_slices_need_the_ground_truth(run):
    assert run("--state", "state.npz").exit_code == 0
    outcome = click.CliRunner().invoke(omniou, ["eval", "--from-state", "state.npz", "--slices", "slices.csv"])
    assert outcome.exit_code == 2
    assert "--slices needs the ground truth" in outcome.output


def test_record_of_slices_goes_to_json_and_back():
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 2
    found = [{"boxes": [[0, 0, 10, high]], "labels": [1], "scores": [0.5]} for high in (9, 2)]
    record = report.record(detection.evaluate(truth, found), slices={"lamp": {"on": [0], "off": [1]}})
    assert [row["summary"]["AP50"] for row in record.analyses["slices"]] == pytest.approx([1, 0])
    assert report.Record.from_json(record.to_json()) == record
    # Asked for among all analyses without slices, there is nothing to say.
    assert "slices" not in report.record(detection.evaluate(truth, found), analyses=report.ANALYSES).analyses


@pytest.mark.parametrize(
    ("slices", "error", "words"),
    [
        ({"lamp": {"on": [99]}}, ValueError, "`images` must be ids of evaluated images, 1 in all, got 99"),
        ({"lamp": [0]}, TypeError, r"`slices\['lamp'\]` must be a mapping of names to ids of images"),
        ([0], TypeError, "`slices` must be a mapping, got list"),
    ],
)
def test_record_of_slices_that_are_none_is_refused(slices, error, words):
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    result = detection.evaluate(truth, [truth[0] | {"scores": [0.5]}])
    with pytest.raises(error, match=words):
        report.record(result, slices=slices)
