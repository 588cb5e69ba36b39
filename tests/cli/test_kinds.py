"""What the command does with every kind: reports, baselines, pictures, comparisons; and a kind of one's own."""

import json
import sys
import types

import pytest

from omniou import report
from omniou._results.shown import lower_is_better
from omniou._results.units import CountedUnits, UnitNumbers
from omniou.cli import _kinds as kinds
from tests.cli import models
from tests.cli.cases import run

np = pytest.importorskip("numpy")
pytest.importorskip("msgspec", reason="the extra cli is not installed")

# The first number of each kind, and the words of its units.
HEADS = {
    "bbox": ("AP", "images"),
    "semantic": ("mIoU", "images"),
    "panoptic": ("PQ", "images"),
    "components": ("PQ", "images"),
    "spotting": ("tight", "videos"),
    "vos": ("J&F", "sequences"),
    "centres": ("NDS", "samples"),
    "tracks": ("HOTA", "sequences"),
}


def ok(*words, code=0):
    done = run(*words)
    assert done.exit_code == code, done.output
    return done.stdout


def test_every_kind_is_tried():
    assert HEADS.keys() == {"bbox", *kinds.OTHER_KINDS}


@pytest.mark.parametrize("kind", HEADS)
def test_record_of_a_kind_is_read_back_reported_and_a_baseline(kind, tmp_path):
    truth, good, poor = models.made(kind, tmp_path)
    head, units = HEADS[kind]
    saved = {}
    for path in (good, poor):
        out = tmp_path / f"{path.stem}-record.json"
        ok("eval", truth, path, "--kind", kind, "--intervals", "--samples", 20, "-o", out)
        saved[path] = report.Record.from_json(out.read_text("utf-8"))
        assert report.Record.from_json(saved[path].to_json()) == saved[path]
        assert saved[path].head == head
        assert (saved[path].units, saved[path].size) == (units, models.UNITS)
        assert len(saved[path].intervals.numbers[head].samples) == 20
    assert saved[good].images == saved[poor].images != ""

    record = tmp_path / "good-record.json"
    ok("report", record, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert f"<span>{head.replace('&', '&amp;')}</span>" in page
    assert f"20 samples of the {units}" in page

    baseline = ["--baseline", record, "--max-drop", 0.002]
    failed = json.loads(ok("eval", truth, poor, "--kind", kind, *baseline, "--format", "json", code=1))["gates"]
    assert failed[0]["condition"].startswith(f"{head} falls by at most 0.002 from ")
    assert "interval" in failed[0]["detail"]
    ok("eval", truth, good, "--kind", kind, *baseline)

    compared = ok("compare", record, tmp_path / "poor-record.json")
    assert f"poor-record.json against good-record.json: 32 {units}" in compared


@pytest.mark.parametrize("kind", HEADS)
def test_models_of_a_kind_are_compared_with_p_values(kind, tmp_path):
    truth, good, poor = models.made(kind, tmp_path)
    head, _ = HEADS[kind]
    out = ["--kind", kind, "--samples", 40, "--html", tmp_path / "page.html", "--format", "json"]
    contrast = json.loads(ok("compare", truth, good, poor, *out))

    (row,) = [x for x in contrast["numbers"] if x["name"] == head]
    assert row["difference"] < 0
    assert row["low"] <= row["difference"] <= row["high"] < 0
    assert row["p_value"] < 0.05
    assert contrast["verdict"] == "first"
    assert report.Record.from_json(json.dumps(contrast["first"])).kind == kind
    assert '<h2 id="h-verdict">Verdict</h2>' in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize("kind", HEADS)
def test_pictures_and_logs_of_a_kind(kind, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    truth, good, _ = models.made(kind, tmp_path)
    log = tmp_path / "log.csv"
    ok("eval", truth, good, "--kind", kind, "--plots", tmp_path / "plots", "--log", f"csv:{log}", "--format", "latex")
    assert list((tmp_path / "plots").glob("*.png"))
    assert log.read_text().splitlines()[0].startswith(f"step,{HEADS[kind][0].replace('&', '_')}")


@pytest.mark.parametrize("kind", [*kinds.OTHER_KINDS])
def test_option_that_a_kind_lacks_is_refused_with_the_reason(kind):
    for words, why in (
        (["--slices", "x"], "omniou slices results of the detection evaluator only"),
        (["--from-state"], "only detections have states"),
        (["--engine", "dask"], "only detections are counted by shards"),
        (["--at-score", "0.5"], "it is about analyses of detections"),
    ):
        assert f"{words[0]} is not for --kind {kind}: {why}" in run("eval", "a", "b", "--kind", kind, *words).stderr


@pytest.mark.parametrize(
    ("kind", "option", "why"),
    [
        ("bbox", "--ignore-label", "it is for --kind semantic or vos"),
        ("tracks", "--max-detections", "it is for detections"),
        ("vos", "--classes", "it is for detections and --kind semantic"),
        ("panoptic", "--protocol", "it is for detections and --kind vos or centres or tracks"),
    ],
)
def test_option_of_other_kinds_names_them(kind, option, why):
    value = "coco" if option == "--protocol" else "3"
    assert f"{option} is not for --kind {kind}: {why}" in run("eval", "a", "b", "--kind", kind, option, value).stderr


def test_format_coco_is_for_detections():
    done = run("eval", "a", "b", "--kind", "tracks", "--format", "coco")
    assert "--format coco is not for --kind tracks" in done.stderr


def test_baseline_of_another_kind_or_number_is_refused(tmp_path):
    truth, good, _ = models.made("semantic", tmp_path)
    ok("eval", truth, good, "--kind", "semantic", "-o", tmp_path / "maps.json")
    (tmp_path / "boxes").mkdir()
    boxes, found, _ = models.made("bbox", tmp_path / "boxes")
    done = run("eval", boxes, found, "--baseline", tmp_path / "maps.json", "--max-drop", 1)
    assert (done.exit_code, "is of --kind semantic, and this evaluation of --kind bbox" in done.stderr) == (3, True)
    wrong = ["--baseline", tmp_path / "maps.json", "--max-drop", "mIOU=1"]
    done = run("eval", truth, good, "--kind", "semantic", *wrong)
    assert (done.exit_code, "there is no number 'mIOU': did you mean 'mIoU'?" in done.stderr) == (2, True)


def test_records_that_ignore_other_labels_are_refused(tmp_path):
    truth, good, _ = models.made("semantic", tmp_path)
    whole, part = tmp_path / "whole.json", tmp_path / "part.json"
    ok("eval", truth, good, "--kind", "semantic", "-o", whole)
    ok("eval", truth, good, "--kind", "semantic", "--ignore-label", 0, "-o", part)
    done = run("compare", whole, part)
    assert (done.exit_code, "ignores other labels than whole.json" in done.stderr) == (3, True)
    done = run("eval", truth, good, "--kind", "semantic", "--baseline", part, "--max-drop", 1)
    assert (done.exit_code, "was made with another --ignore-label" in done.stderr) == (3, True)


def test_void_that_is_given_is_the_one_unasked(tmp_path):
    truth, good, _ = models.made("vos", tmp_path)
    ok("eval", truth, good, "--kind", "vos", "-o", tmp_path / "record.json")
    baseline = ["--baseline", tmp_path / "record.json", "--max-drop", 0]
    ok("eval", truth, good, "--kind", "vos", "--ignore-label", 255, *baseline)
    assert run("eval", truth, good, "--kind", "vos", "--ignore-label", 7, *baseline).exit_code == 3


def test_counts_of_a_saved_record_stay_counts(tmp_path):
    truth, good, _ = models.made("tracks", tmp_path)
    record = tmp_path / "good.json"
    ok("eval", truth, good, "--kind", "tracks", "--fail-under", "MT>=1", "-o", record)
    read = report.Record.from_json(record.read_text("utf-8"))
    assert [type(x) for x in (read.summary["MT"], read.summary["HOTA"], read.gates[0].value)] == [int, float, int]
    compared = ok("compare", record, record).splitlines()
    assert next(line for line in compared if line.startswith("MT ")).split()[:3] == ["MT", "32", "32"]


def test_gate_asks_for_numbers_of_rows(tmp_path):
    truth, good, _ = models.made("panoptic", tmp_path)
    for name in ("name", "id", "thing"):
        done = run("eval", truth, good, "--kind", "panoptic", "--fail-under", f"car.{name}>=0.5")
        assert (done.exit_code, f"there is no number {name!r}" in done.stderr) == (2, True)


def test_comparison_of_records_refuses_options_that_do_nothing(tmp_path):
    truth, good, _ = models.made("tracks", tmp_path)
    record = tmp_path / "good.json"
    ok("eval", truth, good, "--kind", "tracks", "--intervals", "-o", record)
    ok("compare", record, record, "--kind", "tracks")
    ok("compare", record, record, "--kind", "vos", code=2)
    ok("compare", record, record, "--samples", 99, code=2)
    ok("compare", record, record, "--per-class", "--format", "md")


def test_classes_of_centres_have_p_values(tmp_path):
    compared = ok("compare", *models.made("centres", tmp_path), "--kind", "centres", "--format", "csv", "--per-class")
    assert any(row.split(",")[-1] for row in compared.splitlines()[1:])


def test_decay_of_video_objects_is_an_error():
    assert [name for name in ("J&F", "J-Mean", "J-Decay", "F-Decay") if lower_is_better(name)] == ["J-Decay", "F-Decay"]


def test_rise_of_an_error_is_a_drop(tmp_path):
    truth, good, poor = models.made("tracks", tmp_path)
    ok("eval", truth, good, "--kind", "tracks", "-o", tmp_path / "good.json")
    most = ["--kind", "tracks", "--baseline", tmp_path / "good.json", "--format", "json", "--max-drop"]
    (gate,) = json.loads(ok("eval", truth, poor, *most, "IDSW=31", code=1))["gates"]
    assert gate["condition"] == "IDSW rises by at most 31 from 0.000"
    ok("eval", truth, poor, *most, "IDSW=32")


class Dots:
    """The result of a kind of one's own: shares of right answers by file."""

    def __init__(self, rights):
        self.rights = rights
        self.summary = {"share": float(np.mean(list(rights.values())))}

    @property
    def units(self):
        return CountedUnits.of(
            self.rights,
            np.asarray([[[x, 1]] for x in self.rights.values()]),
            np.ones((len(self.rights), 1), dtype=bool),
            word="files",
            labels=(),
            rules="dots",
            means={},
            measure=lambda sums: UnitNumbers({"share": float(sums[0, 0] / sums[0, 1])}, {}),
        )


def evaluate(paths, options, log):  # noqa: ARG001  (every kind takes them)
    """Shares of numbers of a file that are equal to those of another."""
    truth, found = (json.loads(path.read_text()) for path in paths)
    result = Dots({name: np.mean(np.equal(found[name], x)) for name, x in truth.items()})
    rows = [{"name": name, "share": x} for name, x in result.rights.items()]
    record = report.Record(
        kind="dots",
        summary=result.summary,
        words={"share": "share of right answers"},
        counts={"files": len(truth)},
        groups=[report.Group(key="per_file", title="Each file", rows=rows)],
    )
    return kinds.Evaluated(record, result)


def test_kind_of_ones_own_in_one_file_has_everything(tmp_path, monkeypatch):
    own = types.ModuleType("omniou.cli._kinds.dots")
    own.evaluate = evaluate
    monkeypatch.setitem(sys.modules, own.__name__, own)
    monkeypatch.setattr(kinds, "KINDS", {**kinds.KINDS, "dots": kinds.EvalKind("dots", "dots")})
    for module in ("_eval", "_compare", "_kinds.options"):
        __import__(f"omniou.cli.{module}")
        monkeypatch.setattr(sys.modules[f"omniou.cli.{module}"], "KINDS", kinds.KINDS)
    from omniou.cli._commands import omniou

    for command in ("eval", "compare"):
        (option,) = [x for x in omniou.get_command(None, command).params if x.name == "kind"]
        monkeypatch.setattr(option, "type", type(option.type)([*option.type.choices, "dots"]))

    for name, wrong in (("truth", 9), ("good", 1), ("poor", 5)):
        answers = {f"f{k}": [0] * (0 if name == "truth" else wrong + k % 2) + [1] * 10 for k in range(32)}
        (tmp_path / f"{name}.json").write_text(json.dumps({key: x[:10] for key, x in answers.items()}))
    truth, good, poor = (tmp_path / f"{name}.json" for name in ("truth", "good", "poor"))
    dots = ["--kind", "dots"]

    assert "share  0.850  share of right answers" in ok("eval", truth, good, *dots)
    assert "share  0.850  0.832 to 0.863" in ok("eval", truth, good, *dots, "--intervals", "--samples", 50)
    ok("eval", truth, good, *dots, "--fail-under", "f3.share>=0.9", code=1)
    assert "good & 85.0" in ok("eval", truth, good, *dots, "--format", "latex")
    record = tmp_path / "record.json"
    ok("eval", truth, good, *dots, "--intervals", "--samples", 20, "-o", record, "--html", tmp_path / "page.html")
    assert "share of right answers" in (tmp_path / "page.html").read_text("utf-8")
    ok("report", record, "-o", tmp_path / "page.html")
    ok("eval", truth, poor, *dots, "--baseline", record, "--max-drop", 0.1, code=1)
    assert "good.json is better than poor.json by share." in ok("compare", truth, good, poor, *dots)

    # Without units there are no intervals, and a comparison has differences only.
    monkeypatch.setattr(Dots, "units", None)
    done = run("eval", truth, good, *dots, "--intervals")
    assert (done.exit_code, "--intervals is not for --kind dots" in done.stderr) == (2, True)
    assert "-0.400" in ok("compare", truth, good, poor, *dots)
