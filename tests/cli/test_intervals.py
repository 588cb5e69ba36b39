"""`omniou eval` and `check` of intervals in time."""

import json
import random

import pytest

from tests.cli.cases import run

ACTIONS = ("Diving", "Golf", "Ambiguous")


@pytest.fixture
def files(tmp_path):
    """40 videos of a minute with an action each, found twice: once exactly, once too long."""
    rng = random.Random(0)  # noqa: S311
    database, results = {}, {}
    for k in range(40):
        begin, end, label = rng.uniform(0, 20), rng.uniform(30, 50), ACTIONS[k % 3]
        annotation = {"segment": [begin, end], "label": label}
        subset = "training" if k % 4 == 3 else "validation"
        database[f"v{k:02}"] = {"subset": subset, "duration": 60, "annotations": [annotation]}
        if subset == "validation":
            exact, loose = ({"segment": [begin, end + more], "label": label, "score": rng.random()} for more in (0, 9))
            results[f"v{k:02}"] = [exact, loose]
    (tmp_path / "gt.json").write_text(json.dumps({"database": database}))
    (tmp_path / "dt.json").write_text(json.dumps({"version": "1.3", "results": results}))
    return tmp_path / "gt.json", tmp_path / "dt.json"


def edited(path, change):
    content = json.loads(path.read_text())
    for video, rows in content["results"].items():
        for row in rows:
            change(video, row)
    path.write_text(json.dumps(content))


def test_eval_of_activitynet_files_in_two_words(files):
    done = run("eval", *files, "--kind", "intervals")

    assert done.exit_code == 0
    assert "60 detections of 30 objects in 30 videos, 3 classes (intervals, the rules of activitynet)" in done.stdout
    assert "omniou evaluates the subset 'validation' of the videos; --subset chooses another." in done.stdout
    assert "image" not in done.stdout
    assert "pixel" not in done.stdout


def test_eval_as_json_csv_and_gates(files):
    done = run("eval", *files, "--kind", "intervals", "--protocol", "thumos14", "--format", "json")
    record = json.loads(done.stdout)

    assert list(record["summary"]) == ["AP", "AP30", "AP40", "AP50", "AP60", "AP70", "AR"]
    assert (record["kind"], record["protocol"]["name"], record["protocol"]["tie_policy"]) == (
        "intervals",
        "thumos14",
        "last",
    )
    gates = ("--fail-under", "AP50>=0.99", "--fail-under", "Golf.AP50>=0.2")
    assert run("eval", *files, "--kind", "intervals", *gates).exit_code == 1
    assert run("eval", *files, "--kind", "intervals", "--fail-under", "AP50>=0.2").exit_code == 0


def test_tie_policy_of_the_command_overrides_that_of_the_rules(files):
    args = ("eval", *files, "--kind", "intervals", "--format", "json", "--tie-policy")

    assert json.loads(run(*args, "file").stdout)["protocol"]["tie_policy"] == "file"
    assert json.loads(run(*args, "last").stdout)["protocol"]["tie_policy"] == "last"


def test_classes_are_left_out_by_name(files):
    done = run("eval", *files, "--kind", "intervals", "--except-classes", "Ambiguous", "--format", "json")
    record = json.loads(done.stdout)

    assert [x["name"] for x in record["per_class"]] == ["Diving", "Golf"]
    assert record["counts"] == {"images": 30, "categories": 2, "annotations": 20, "crowds": 0, "detections": 40}
    wrong = run("eval", *files, "--kind", "intervals", "--except-classes", "ambigous")
    assert "--except-classes: 'ambigous' is not among the 3 categories" in wrong.stderr
    assert "did you mean 'Ambiguous'?" in wrong.stderr


def test_proposals_and_pictures_of_a_page(files, tmp_path):
    page = tmp_path / "page.html"
    done = run("eval", *files, "--kind", "intervals", "--proposals", "--froc", "--worst-images", "--html", page)
    words = page.read_text()

    assert "Average recall by proposals of a video, all classes as one, at tIoU 0.5 to 0.95" in done.stdout
    assert "Area below the curve" in done.stdout
    assert "FROC: recall by false positives for each video at tIoU 0.5" in done.stdout
    assert "False positives for each video" in words
    assert "Videos with most errors" in done.stdout
    assert '<h2 id="h-images">Videos with most errors</h2>' in words
    assert "Average recall by number of proposals" in words
    picture = words.partition('<div class="images">')[2].partition("</figure>")[0]
    assert 'd="M' in picture


def test_area_ranges_of_intervals_are_lengths_in_seconds(files):
    done = run("eval", *files, "--kind", "intervals", "--full", "--area-ranges", "short:0:25.5,long:25.5:inf")

    assert "By length, in seconds" in done.stdout
    assert "short (to 25.5)" in done.stdout


def test_compare_of_intervals(files):
    truth, first = files
    second = first.with_name("second.json")
    second.write_text(first.read_text())
    edited(second, lambda _, row: row.update(score=1 - row["score"]))
    done = run("compare", truth, first, second, "--kind", "intervals")
    same = run("compare", truth, first, first, "--kind", "intervals")

    assert done.exit_code == same.exit_code == 0
    assert "30 videos, 30 objects" in done.stdout
    assert "than the choice of the videos explains" in done.stdout
    assert "No verdict: the detections of both models are the same." in same.stdout


def found_by_check(files):
    done = run("check", *files, "--kind", "intervals", "--format", "json")
    return {x["code"]: x for x in json.loads(done.stdout)["findings"]}


def test_check_names_classes_that_are_no_actions(files):
    found = found_by_check(files)

    assert list(found) == ["classes-no-actions"]
    assert found["classes-no-actions"]["hint"] == "--except-classes Ambiguous excludes it"
    assert "in 30 videos, 30 objects, 60 detections" in run("check", *files, "--kind", "intervals").stdout


@pytest.mark.parametrize(
    ("times", "hint"),
    [
        (30, "are they frames? divide them by the frame rate, about 30"),
        (1 / 60, "are they fractions? write seconds"),
        (1000, "are they milliseconds? divide them by 1000"),
        (1 / 1000, "are the objects milliseconds? divide them by 1000"),
    ],
)
def test_check_names_another_unit(files, times, hint):
    edited(files[1], lambda _, row: row.update(segment=[x * times for x in row["segment"]]))
    found = found_by_check(files)

    assert found["intervals-unit"]["hint"].startswith(hint)
    assert ": 0.0% of detections as read, " in found["intervals-unit"]["evidence"]
    assert "intervals-beyond" not in found


def test_check_names_intervals_beyond_their_video(files):
    edited(files[1], lambda video, row: row.update(segment=[0, 70]) if video < "v04" else None)
    finding = found_by_check(files)["intervals-beyond"]

    assert finding["text"] == "6 of 60 intervals of the detections reach beyond their video"
    assert finding["evidence"] == "one is from 0 to 70 s in a video of 60 s"


def test_check_names_videos_without_detections(files):
    content = json.loads(files[1].read_text())
    for k in range(20):
        content["results"].pop(f"v{k:02}", None)
    files[1].write_text(json.dumps(content))

    assert found_by_check(files)["images-without-detections"]["text"].startswith("15 of 30 videos with objects have")


def test_faults_end_the_command(files):
    edited(files[1], lambda video, row: row.update(segment=[9, 3]) if video == "v01" else None)
    done = run("eval", *files, "--kind", "intervals")

    assert done.exit_code == 3
    assert "dt.json: results.v01[0].segment[1]: must end after it begins, got 9, 3" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    all_faults = run("check", *files, "--kind", "intervals")
    assert "2 faults" in all_faults.stderr


def test_options_of_intervals_only(files, tmp_path):
    other = run("eval", *files, "--kind", "intervals", "--subset", "training")
    assert other.exit_code == 3
    assert "none of the" in other.stderr
    (tmp_path / "blocked.txt").write_text("v00\nv01")
    blocked = run("eval", *files, "--kind", "intervals", "--blocked", tmp_path / "blocked.txt")
    assert "in 28 videos" in blocked.stdout
    assert "4 detections excluded: 'v00', 'v01' not among the videos" in blocked.stderr
    assert run("eval", *files).exit_code == 2


def test_nms_of_intervals(files, tmp_path):
    done = run("nms", files[1], "-o", tmp_path / "kept.json", "--kind", "intervals", "--threshold", "0.5")

    assert done.exit_code == 0
    kept = json.loads((tmp_path / "kept.json").read_text())["results"]
    assert sum(map(len, kept.values())) == 30
