"""Pages from the command line: `omniou eval --html` and `omniou report`."""

import json
from pathlib import Path

import pytest

click = pytest.importorskip("click.testing", reason="the extra cli is not installed")

from omniou.cli._commands import omniou  # noqa: E402
from tests.cli import cases  # noqa: E402

TRUTH = {
    "images": [{"id": k, "file_name": f"{k}.png", "width": 60, "height": 40} for k in (1, 2)],
    "categories": [{"id": 3, "name": "<script>alert(1)</script>"}],
    "annotations": [
        {"id": k, "image_id": k, "category_id": 3, "bbox": [5, 5, 20, 20], "area": 400, "iscrowd": 0} for k in (1, 2)
    ],
}
FOUND = [{"image_id": 1, "category_id": 3, "bbox": [5, 5, 20, 19], "score": 0.9}]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gt.json").write_text(json.dumps(TRUTH), "utf-8")
    Path("dt.json").write_text(json.dumps(FOUND), "utf-8")
    return lambda *args: click.CliRunner().invoke(omniou, args)


def test_eval_writes_page_beside_its_table(run):
    done = run("eval", "gt.json", "dt.json", "--html", "page.html")
    assert done.exit_code == 0
    page = Path("page.html").read_text("utf-8")
    assert "AP50" in done.stdout
    assert "Images with most errors" in page
    assert "<script>alert(1)" not in page
    assert 'viewBox="0 0 60 40"' in page
    # What was computed for the page alone is not printed.
    assert "Images with most errors" not in done.stdout


def test_eval_page_over_pictures(run):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    Path("pictures").mkdir()
    image.new("RGB", (60, 40)).save("pictures/2.png")
    done = run("eval", "gt.json", "dt.json", "--html", "page.html", "--images", "pictures")
    assert done.exit_code == 0
    assert Path("page.html").read_text("utf-8").count('<image href="data:image/jpeg;base64,') == 2  # whole, and a crop


def test_page_of_saved_record_equals_that_of_eval(run):
    assert run("eval", "gt.json", "dt.json", "--html", "one.html", "-o", "record.json").exit_code == 0
    assert run("report", "record.json", "-o", "two.html").exit_code == 0
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


def test_compare_writes_page_of_two_models(run):
    Path("other.json").write_text(json.dumps([FOUND[0] | {"bbox": [5, 5, 20, 5]}]), "utf-8")
    done = run("compare", "gt.json", "dt.json", "other.json", "--html", "two.html", "--samples", "20")
    assert done.exit_code == 0
    page = Path("two.html").read_text("utf-8")
    assert "<h1>dt.json and other.json</h1>" in page
    # One image differs; both models are drawn.
    assert page.count('viewBox="0 0 60 40"') == 2
    for name in ("dt", "other"):
        assert run("eval", "gt.json", f"{name}.json", "-o", f"{name}-record.json").exit_code == 0
    done = run("compare", "dt-record.json", "other-record.json", "--html", "saved.html")
    assert done.exit_code == 0
    assert "<h1>dt-record.json and other-record.json</h1>" in Path("saved.html").read_text("utf-8")


def test_page_that_cannot_be_written_fails_before_any_work(run):
    done = run("eval", "missing.json", "dt.json", "--html", "no/such/folder/page.html")
    assert done.exit_code == 3
    assert "--html no/such/folder/page.html" in done.stderr
    assert run("report", "missing.json", "-o", "no/page.html").exit_code == 3


@pytest.mark.parametrize(("text", "words"), [("{}", "no record"), ("[", "must be the JSON of a record")])
def test_report_of_other_files(run, text, words):
    Path("other.json").write_text(text, "utf-8")
    done = run("report", "other.json", "-o", "page.html")
    assert done.exit_code == 3
    assert words in done.stderr
    assert not Path("page.html").exists()
    assert run("report", "missing.json", "-o", "page.html").exit_code == 3
    assert run("eval", "gt.json", "dt.json", "-o", "record.json", "--worst-images").exit_code == 0
    done = run("report", "record.json", "-o", "page.html", "--images", "missing")
    assert done.exit_code == 3
    assert "missing" in done.stderr


def test_at_score_is_that_of_confusion_images_and_label_errors(run):
    flags = ("--confusion", "--worst-images", "--label-errors")
    outcome = run("eval", "gt.json", "dt.json", *flags, "--at-score", "0.25", "--format", "json")
    analyses = json.loads(outcome.stdout)["analyses"]
    assert [analyses[name]["score"] for name in ("confusion", "worst_images", "label_errors")] == [0.25] * 3
    unasked = json.loads(run("eval", "gt.json", "dt.json", *flags, "--f1", "--format", "json").stdout)["analyses"]
    best = unasked.pop("f1")["best_score"]
    assert {x["score"] for name, x in unasked.items() if "score" in x} == {best}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--at-score", "0.5"], "--at-score has no effect without one of --html, --plots, --log, --confusion"),
        (["--at-score", "50", "--confusion"], "for percents, divide it by 100"),
        (["--at-score", "high", "--confusion"], "'high' is not a finite number"),
    ],
)
def test_at_score_that_cannot_be_meant_is_refused(run, options, told):
    outcome = run("eval", "gt.json", "dt.json", *options)
    assert outcome.exit_code == 2
    assert told in outcome.output


def test_page_with_all_analyses_has_flags_for_each(run):
    done = run("eval", "gt.json", "dt.json", "--worst-images", "--label-errors", "--pr")
    assert done.exit_code == 0
    assert "Images with most errors" in done.stdout
    assert "Objects without a detection" in done.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["-o", "x.pdf"],
            "--output x.pdf: the ending .pdf is not of the format table: use .json, .csv, .md, .xml, .txt, .tex",
        ),
        (["-o", "x.html"], "--output x.html: the ending .html is not of the format table"),
        (["--html", "x.pdf"], "--html x.pdf: the ending .pdf is of another format: call it x.html"),
    ],
)
def test_output_that_is_called_as_another_kind_of_file_is_refused(tmp_path, monkeypatch, options, told):
    monkeypatch.chdir(tmp_path)
    done = cases.run("eval", *cases.files(tmp_path), *options)
    assert (done.exit_code, told in done.stderr) == (2, True)
    assert not (tmp_path / options[1]).exists()


@pytest.mark.parametrize("name", ["x", "x.txt", "x.JSON", "x.v2"])
def test_format_chooses_what_an_ending_leaves_open(tmp_path, name):
    done = cases.run("eval", *cases.files(tmp_path), "-o", tmp_path / name, "--format", "json")
    assert done.exit_code == 0
    assert json.loads((tmp_path / name).read_text())["summary"]


@pytest.mark.parametrize(
    "words",
    [
        ["eval", "T", "D", "-o", "o.csv", "--format", "json"],
        ["eval", "T", "D", "-o", "o.json.gz"],
        ["eval", "T", "D", "--state", "o.json"],
        ["eval", "T", "D", "--plots", "o.png"],
        ["eval", "T", "D", "--log", "csv:o.json"],
        ["compare", "T", "D", "D", "-o", "o.xml"],
        ["check", "T", "D", "-o", "o.csv"],
        ["convert", "T", "o.json", "--to", "csv"],
        ["convert", "T", "o.csv", "--to", "yolo"],
        ["nms", "D", "-o", "o.xlsx"],
        ["nms", "D", "-o", "o.json", "--to", "yolo"],
        ["fuse", "D", "D", "-o", "o.md"],
        ["explore", "-o", "o.json"],
    ],
)
def test_output_whose_ending_is_of_another_format_is_refused(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    paths = dict(zip("TD", cases.files(tmp_path), strict=True))
    done = cases.run(*(paths.get(word, word) for word in words))
    assert done.exit_code == 2
    assert "the ending ." in done.stderr
    assert not list(tmp_path.glob("o*"))


@pytest.mark.parametrize("command", ["eval", "check", "compare", "convert", "nms", "fuse", "report", "explore"])
def test_help_has_its_examples_on_lines_of_their_own(command):
    told = cases.run(command, "--help").stdout
    assert "\\b" not in told
    assert "\b" not in told


def test_table_of_several_data_sets_has_mean_and_median(run):
    for name, height in (("aerial", 20), ("cars", 5), ("drones", 12)):
        Path(f"{name}-dt.json").write_text(json.dumps([FOUND[0] | {"bbox": [5, 5, 20, height]}]), "utf-8")
        assert run("eval", "gt.json", f"{name}-dt.json", "-o", f"{name}.json").exit_code == 0
    records = ["aerial.json", "cars.json", "drones.json"]
    each = [json.loads(Path(name).read_text("utf-8"))["summary"]["AP"] for name in records]
    for ending in ("md", "csv", "json", "txt"):
        done = run("report", *records, "-o", f"table.{ending}")
        assert done.exit_code == 0, done.stderr
        text = Path(f"table.{ending}").read_text("utf-8")
        assert all(name in text for name in ("aerial", "cars", "drones", "(mean)", "(median)"))
    summary = json.loads(Path("table.json").read_text("utf-8"))["summary"]
    assert summary["mean AP"] == pytest.approx(sum(each) / 3)
    assert summary["median AP"] == sorted(each)[1]
    assert run("eval", "gt.json", "dt.json", "--protocol", "voc2010", "-o", "voc.json").exit_code == 0
    for given, output, told in (
        (["aerial.json", "voc.json"], "table.md", "voc has another kind or protocol than aerial"),
        (["aerial.json", "aerial.json"], "table.md", "aerial.json is given twice"),
        (["aerial.json", "cars.json"], "table.html", "a table of several records ends in .json, .csv, .md, .txt"),
    ):
        refused = run("report", *given, "-o", output)
        assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr
