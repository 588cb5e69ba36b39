"""Gates of `omniou eval`, its outputs for machines, and options from files."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import pytest

from omniou.report import Record
from tests.cli.cases import detections, files, run


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Heights of 10, 9 and 8: an IoU of 1, 0.9 and 0.8; all pass 0.75, and 40 of 40 objects are found at 0.5.
    return files(tmp_path)


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        (["AP50>=0.9"], 0),
        (["AP50>=0.9", "AP>=0.99"], 1),
        (["cat.AP50 >= .9"], 0),
        (["traffic light.AP > 0.99"], 1),
        (["AP<0.1"], 1),
        (["APl>=0"], 1),  # no data passes no gate
    ],
)
def test_fail_under(paths, conditions, code):
    done = run("eval", *paths, *(x for condition in conditions for x in ("--fail-under", condition)))

    assert done.exit_code == code
    assert ("Gate failed: " in done.stderr) is bool(code)
    assert ("FAILED" in done.stdout) is bool(code)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("AP50", "'AP50' is not like 'AP50>=0.6'"),
        ("AP50>=high", "is not like"),
        ("AP50>=nan", "is not like"),
        ("ap50>=0.5", "there is no number 'ap50': did you mean 'AP50'?"),
        ("dog.AP>=0.5", "there is no class 'dog'"),
        ("cats.AP>=0.5", "there is no class 'cats': did you mean 'cat'?"),
    ],
)
def test_fail_under_with_wrong_condition_is_usage(paths, condition, message):
    done = run("eval", *paths, "--fail-under", condition)

    assert done.exit_code == 2
    assert message in done.stderr


@pytest.fixture
def baseline(paths, tmp_path):
    done = run("eval", *paths, "--intervals", "--output", tmp_path / "before.json")
    assert (done.exit_code, done.stdout) == (0, "")
    return tmp_path / "before.json"


@pytest.mark.parametrize(
    ("found", "drop", "code"),
    [
        (lambda k: 10 - k % 3, "0.005", 0),
        (lambda k: 6 if k % 4 else 10, "0.005", 1),  # far below
        (lambda k: 6 if k % 4 else 10, "AP50=0.01", 0),  # but not at IoU 0.5
        (lambda k: 6 if k % 4 else 10, "0.9", 0),
        # A little below in one image of 40: the interval does not exclude the tolerance.
        (lambda k: 8 if k == 0 else 10 - k % 3, "0", 0),
    ],
)
def test_baseline_and_max_drop(paths, baseline, tmp_path, found, drop, code):
    after = detections(tmp_path / "after.json", found)

    done = run("eval", paths[0], after, "--baseline", baseline, "--max-drop", drop)

    assert done.exit_code == code, done.output
    assert "interval" in done.stdout


def test_baseline_without_samples_compares_values(paths, tmp_path):
    run("eval", *paths, "--output", tmp_path / "before.json")
    after = detections(tmp_path / "after.json", lambda k: 8 if k == 0 else 10 - k % 3)

    done = run("eval", paths[0], after, "--baseline", tmp_path / "before.json", "--max-drop", "0")

    assert done.exit_code == 1
    assert "without an interval: the baseline has no bootstrap samples" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--baseline", "before.json"], 2, "--baseline needs --max-drop"),
        (["--max-drop", "0.1"], 2, "--max-drop needs --baseline"),
        (["--baseline", "before.json", "--max-drop", "much"], 2, "'much' is not like 0.005"),
        (["--baseline", "before.json", "--max-drop", "-1"], 2, "'-1' is not like 0.005"),
        (["--baseline", "before.json", "--max-drop", "AP5=1"], 2, "there is no number 'AP5'"),
        (["--baseline", "nowhere.json", "--max-drop", "1"], 3, "nowhere.json: cannot be read"),
        (["--baseline", "truth.json", "--max-drop", "1"], 3, "truth.json: is no record"),
        (["--baseline", "before.json", "--max-drop", "1", "--protocol", "voc2010"], 3, "is by another protocol"),
    ],
)
@pytest.mark.usefixtures("baseline")
def test_baseline_with_wrong_options_fails(paths, options, code, message):
    done = run("eval", *paths, *options)

    assert done.exit_code == code, done.output
    assert message in done.stderr


def test_baseline_of_other_images_fails(baseline, tmp_path):
    other = files(tmp_path, images=10)

    done = run("eval", *other, "--baseline", baseline, "--max-drop", "1")

    assert done.exit_code == 3
    assert "has other images than this evaluation (40 and 10)" in done.stderr


def test_strict_exits_with_4_for_a_warning(paths, tmp_path):
    assert run("eval", *paths, "--strict").exit_code == 0
    nothing = detections(tmp_path / "none.json", lambda _: None)

    assert run("eval", paths[0], nothing).exit_code == 0
    assert run("eval", paths[0], nothing, "--strict").exit_code == 4
    # A gate goes first.
    assert run("eval", paths[0], nothing, "--strict", "--fail-under", "AP>0.5").exit_code == 1


def test_output_is_written_whole_and_chooses_its_format(paths, tmp_path):
    for name, start in (("a.json", "{"), ("a.csv", "number,"), ("a.md", "**"), ("a.xml", "<?xml"), ("a.txt", "40 det")):
        done = run("eval", *paths, "-o", tmp_path / name)
        assert (done.exit_code, done.stdout) == (0, "")
        assert (tmp_path / name).read_text().startswith(start)
    assert run("eval", *paths, "-o", tmp_path / "b.txt", "--format", "json").exit_code == 0
    assert Record.from_json((tmp_path / "b.txt").read_text()).counts["images"] == 40
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_output_that_cannot_be_written_fails_before_reading(paths, tmp_path):
    done = run("eval", "nowhere.json", paths[1], "-o", tmp_path / "no" / "x.json")

    assert done.exit_code == 3
    assert "is not a directory that can be written to" in done.stderr
    assert run("eval", *paths, "-o", tmp_path).exit_code == 3


def test_failed_evaluation_keeps_the_old_output(paths, tmp_path):
    (tmp_path / "kept.json").write_text("old")
    run("eval", "nowhere.json", paths[1], "-o", tmp_path / "kept.json")

    assert (tmp_path / "kept.json").read_text() == "old"


def test_csv_of_summary_and_of_classes(paths):
    rows = list(
        csv.DictReader(io.StringIO(run("eval", *paths, "--format", "csv", "--intervals", "--samples", "20").stdout))
    )
    assert rows[0]["number"] == "AP"
    assert float(rows[0]["low"]) <= float(rows[0]["value"]) <= float(rows[0]["high"])
    assert next(row for row in rows if row["number"] == "APl")["value"] == ""

    rows = list(csv.DictReader(io.StringIO(run("eval", *paths, "--format", "csv", "--per-class").stdout)))
    assert [*rows[0]] == ["class", "objects", "AP", "AP50", "AP75", "APs", "APm", "APl", "AR100"]
    assert [(row["class"], row["objects"]) for row in rows] == [("(all)", "40"), ("cat", "20"), ("traffic light", "20")]


def test_csv_does_not_begin_cells_like_formulas(tmp_path):
    truth, found = files(tmp_path)
    truth.write_text(truth.read_text().replace('"cat"', '"=1+1"'))

    assert "\n'=1+1," in run("eval", truth, found, "--format", "csv", "--per-class").stdout


def test_junit_has_a_test_for_each_gate(paths):
    done = run("eval", *paths, "--format", "junit", "--fail-under", "AP50>=0.9", "--fail-under", "AP>=0.99")

    suite = ET.fromstring(done.stdout)  # noqa: S314  (ours)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [x.get("name") for x in suite.iter("testcase")] == ["AP50 >= 0.9", "AP >= 0.99"]
    assert [x.find("failure") is not None for x in suite.iter("testcase")] == [False, True]
    assert ET.fromstring(run("eval", *paths, "--format", "junit").stdout).get("tests") == "1"  # noqa: S314


def test_markdown_escapes_names(tmp_path):
    truth, found = files(tmp_path)
    truth.write_text(truth.read_text().replace('"cat"', '"a|b <i>"'))

    assert "| a\\|b &lt;i&gt; |" in run("eval", truth, found, "--format", "md", "--weakest").stdout


def test_long_names_keep_their_ends_in_60_columns(tmp_path, monkeypatch):
    truth, found = files(tmp_path)
    truth.write_text(truth.read_text().replace('"cat"', f'"head {"x" * 80} tail"'))
    monkeypatch.setenv("COLUMNS", "60")

    lines = run("eval", truth, found, "--per-class").stdout.split("\n\n")[1].splitlines()

    assert max(map(len, lines)) <= 60
    name = next(line for line in lines if line.startswith("head"))
    assert len(name.split("  ")[0]) >= 16
    assert "tail" in name


def test_names_do_not_reach_the_terminal_as_control_sequences(tmp_path):
    truth, found = files(tmp_path)
    truth.write_text(truth.read_text().replace('"cat"', '"\\u001b[31mred\\nx"'))

    assert "\N{ESCAPE}" not in run("eval", truth, found, "--per-class").stdout


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--iou-thresholds", "0.5"], ["AP", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"]),
        (["--max-detections", "5"], ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR5", "ARs", "ARm", "ARl"]),
        (["--max-detections", "any"], ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR", "ARs", "ARm", "ARl"]),
        (
            ["--area-ranges", "small:0:50,rest:50:inf"],
            ["AP", "AP50", "AP75", "APs", "AP_rest", "AR1", "AR10", "AR100", "ARs", "AR_rest"],
        ),
    ],
)
def test_options_of_the_protocol_change_the_numbers(paths, options, names):
    record = Record.from_json(run("eval", *paths, "--format", "json", *options).stdout)

    assert list(record.summary) == names
    assert record.protocol["name"] is None
    usual = Record.from_json(run("eval", *paths, "--format", "json").stdout).summary["AP"]
    assert record.summary["AP"] == pytest.approx(1 if "0.5" in options else usual)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--iou-thresholds", "0.5,0.4"], "is not made of rising numbers"),
        (["--iou-thresholds", "0.5:0.9"], "is not like 0.5:0.95:0.05"),
        (["--iou-thresholds", "0:1:1e-9"], "is not like"),
        (["--max-detections", "10,1"], "is not like 1,10,100"),
        (["--area-ranges", "small"], "is not like small:0:1024"),
        (["--area-ranges", "all:0:5"], "has a name twice, or the name 'all'"),
        (["--offset", "nan"], "'nan' is not a finite number"),
        (["--offset", "1"], "the format 'xywh' has sides"),
        (
            ["--protocol", "open_images", "--hierarchy", "x.json", "--class-agnostic"],
            "the second counts each copy",
        ),
        (["--boxes", "xyhw"], "Did you mean 'xywh'?"),
        (["--only-classes", "cats"], "did you mean 'cat'?"),
        (["--classes", "truth.json"], "--classes is not needed: coco and coco have class names"),
        (["--image-size", "10x10"], "--image-size is for images whose sizes are not known"),
        (["--samples", "1"], "Invalid value for '--samples'"),
        (["--gt", "x"], "files are arguments: omniou eval GROUND_TRUTH DETECTIONS"),
        (["--per-clas"], "--per-class"),
    ],
)
def test_wrong_options_are_usage_with_a_hint(paths, options, message):
    done = run("eval", *paths, *options)

    assert done.exit_code == 2, done.output
    assert message in done.stderr


def test_iou_thresholds_as_a_range_are_cocos(paths):
    options = ("--format", "json", "--iou-thresholds", "0.5:0.95:0.05")

    assert Record.from_json(run("eval", *paths, *options).stdout).protocol["name"] == "coco"


def test_only_classes_and_class_agnostic(paths):
    json_of = ("--format", "json")
    one = Record.from_json(run("eval", *paths, *json_of, "--only-classes", "cat").stdout)
    all_as_one = Record.from_json(run("eval", *paths, *json_of, "--class-agnostic").stdout)

    assert [(x["name"], x["objects"]) for x in one.per_class] == [("cat", 20)]
    assert (one.counts["annotations"], one.counts["detections"]) == (20, 20)
    assert [(x["name"], x["objects"]) for x in all_as_one.per_class] == [("any class", 40)]
    assert (all_as_one.protocol["name"], all_as_one.protocol["class_agnostic"]) == ("coco", True)


def test_analyses_have_an_option_each(paths):
    options = ("--thresholds", "--confusion", "--calibration", "--lrp", "--errors")
    done = run("eval", *paths, *options)

    for words in ("Score thresholds of the best F1", "Detections and objects paired", "Calibration at", "Optimal LRP"):
        assert words in done.stdout
    record = Record.from_json(run("eval", *paths, *options, "--format", "json").stdout)
    assert set(record.analyses) == {"errors", "thresholds", "confusion", "calibration", "lrp"}
    assert record.options == {name.strip("-"): True for name in options}


def test_analyses_over_images_of_files_and_of_a_state(paths, tmp_path):
    options = ("--froc", "--miss-rate", "--top-k", "--empty-images")
    done = run("eval", *paths, *options, "--state", tmp_path / "state.npz")
    again = run("eval", "--from-state", tmp_path / "state.npz", *options, "--format", "json")

    for words in (
        "FROC: recall by false positives for each image at IoU 0.5",
        "Miss rate by",
        "of each image at IoU 0.5",
    ):
        assert words in done.stdout
    assert "Images with and without objects by score threshold at IoU 0.5" in done.stdout
    of_files = Record.from_json(run("eval", *paths, *options, "--format", "json").stdout).analyses
    assert Record.from_json(again.stdout).analyses == of_files
    assert set(of_files) == {"froc", "miss_rate", "top_k", "empty_images"}
    # They are not asked for here.
    assert not set(of_files) & set(Record.from_json(run("eval", *paths, "--full", "--format", "json").stdout).analyses)


def test_options_from_a_file(paths, tmp_path):
    (tmp_path / "own.toml").write_text('iou-thresholds = [0.5]\nfail_under = ["AP<0.5"]\n[eval]\nweakest = true\n')

    done = run("eval", *paths, "--config", tmp_path / "own.toml", "--format", "json")

    assert done.exit_code == 1
    record = Record.from_json(done.stdout)
    assert record.protocol["iou_thresholds"] == [0.5]
    assert record.options["weakest"]
    assert "Options of" in record.notes[0]
    assert "- Options of" in run("eval", *paths, "--config", tmp_path / "own.toml").stdout
    # The command line goes first.
    done = run("eval", *paths, "--config", tmp_path / "own.toml", "--iou-thresholds", "0.75", "--format", "json")
    assert json.loads(done.stdout)["protocol"]["iou_thresholds"] == [0.75]


def test_options_from_the_project(paths, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[tool.omniou]\nweakest = true\n[tool.omniou.eval]\nmax-detections = [5]\n"
    )

    assert "AR5" in run("eval", *paths).stdout
    # `weakest` is no option of compare, but of eval.
    assert run("compare", *paths, paths[1], "--samples", "10").exit_code == 0


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("weakes = true", 2, "'weakes' is not an option of eval: did you mean 'weakest'?"),
        ("weakest = 1", 2, "'weakest' must be true or false, got 1"),
        ("offset = true", 2, "'offset' must be a number, a text or a list, got True"),
        ("offset = 'x'", 2, "'x' is not a finite number"),
        ("weakest = ", 3, "not valid TOML"),
    ],
)
def test_options_from_a_wrong_file(paths, tmp_path, text, code, message):
    (tmp_path / "own.toml").write_text(text)

    done = run("eval", *paths, "--config", tmp_path / "own.toml")

    assert done.exit_code == code, done.output
    assert message in done.stderr


def test_baseline_of_another_ground_truth_warns(tmp_path):
    truth, found = files(tmp_path)
    baseline = tmp_path / "baseline.json"
    assert run("eval", truth, found, "-o", baseline).exit_code == 0
    again = run("eval", truth, found, "--baseline", baseline, "--max-drop", "0.5")
    assert (again.exit_code, "another ground truth" in again.stderr) == (0, False)
    truth.write_text(truth.read_text().replace("[0, 0, 10, 10]", "[0, 0, 10, 11]", 1))
    done = run("eval", truth, found, "--baseline", baseline, "--max-drop", "0.5")
    assert (done.exit_code, "the baseline is of another ground truth" in done.stderr) == (0, True)


def test_record_without_words_is_read(tmp_path):
    """Records of schema 1 had no words at first."""
    truth, found = files(tmp_path)
    record = json.loads(run("eval", truth, found, "--format", "json").stdout)
    del record["words"]
    (tmp_path / "old.json").write_text(json.dumps(record))
    done = run("eval", truth, found, "--baseline", tmp_path / "old.json", "--max-drop", "0")
    assert done.exit_code == 0, done.stderr
    assert run("report", tmp_path / "old.json", "-o", tmp_path / "old.html").exit_code == 0
