"""`omniou compare`: of detections, and of saved records."""

import json
from pathlib import Path

import pytest

from tests.cli.cases import detections, files, run


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth, good = files(tmp_path)
    # Loose boxes of cats alone.
    return truth, detections(tmp_path / "loose.json", lambda k: 6 if k % 2 == 0 else 10 - k % 3), good


def test_protocol_of_another_kind_is_a_usage_error(tmp_path):
    done = run("compare", *files(tmp_path), tmp_path / "found.json", "--protocol", "nuscenes")

    assert done.exit_code == 2
    assert "it is for --kind centres" in done.stderr


def test_compare_of_detections(paths):
    done = run("compare", *paths, "--samples", "60")

    assert (done.exit_code, done.stderr) == (0, "")
    assert "found.json against loose.json: 40 images, 40 objects" in done.stdout
    assert "found.json is better than loose.json by AP." in done.stdout
    assert "Intervals and p are adjusted for the number of classes." in done.stdout


def test_compare_json_has_deltas_and_both_records(paths):
    outcome = json.loads(run("compare", *paths, "--samples", "60", "--format", "json").stdout)

    assert outcome["verdict"] == "second"
    ap = outcome["numbers"][0]
    assert ap["difference"] == pytest.approx(ap["second"] - ap["first"])
    assert 0 < ap["low"] <= ap["difference"] <= ap["high"]
    assert ap["p_value"] < 0.05
    cat, light = outcome["per_class"]
    assert (cat["name"], cat["p_value"] < 0.05, cat["low"] > 0) == ("cat", True, True)
    assert (light["name"], light["difference"], light["p_value"]) == ("traffic light", 0, 1)
    assert outcome["first"]["inputs"][1]["path"].endswith("loose.json")


def test_compare_of_equal_models_has_no_verdict(paths):
    truth, _, good = paths
    done = run("compare", truth, good, good, "--samples", "20")

    assert "No verdict: the detections of both models are the same." in done.stdout
    assert "classes of the smallest p" not in done.stdout


def test_compare_of_few_images_has_no_verdict(tmp_path):
    truth, good = files(tmp_path, images=29)
    loose = detections(tmp_path / "loose.json", lambda _: 6, images=29)

    assert "No verdict: 29 images are fewer than 30." in run("compare", truth, loose, good, "--samples", "20").stdout


def saved(folder, truth, *models, samples=60):
    """Records of models."""
    for number, path in enumerate(models):
        run("eval", truth, path, "--intervals", "--samples", samples, "-o", folder / f"{number}.json")
    return [folder / f"{number}.json" for number in range(len(models))]


def test_compare_of_records_has_the_differences_of_detections(tmp_path):
    # Each class is in 40 of 80 images.
    truth, good = files(tmp_path, images=80)
    loose = detections(tmp_path / "loose.json", lambda k: 6 if k % 2 == 0 else 10 - k % 3, images=80)
    records = json.loads(run("compare", *saved(tmp_path, truth, loose, good), "--format", "json").stdout)
    direct = json.loads(run("compare", truth, loose, good, "--samples", "60", "--format", "json").stdout)

    assert records["verdict"] == direct["verdict"] == "second"
    for part in ("numbers", "per_class"):
        for ours, theirs in zip(records[part], direct[part], strict=True):
            assert ours["difference"] == pytest.approx(theirs["difference"], abs=1e-6)
    # No sample of the bootstrap has the other sign: 2 * (1 + 0) / (1 + 60).
    assert records["numbers"][0]["p_value"] == pytest.approx(2 / 61)
    assert [x["p_value"] for x in records["per_class"]] == [None, None]


def test_compare_of_records_with_few_images_of_a_class_has_no_verdict(paths, tmp_path):
    # Each class is in 20 of 40 images: samples of the bootstrap vary too little.
    done = run("compare", *saved(tmp_path, *paths))

    told = " ".join(done.stdout.split())
    assert "No verdict: objects of a class are in fewer than 30 images" in told
    assert "Compare the files of detections: their permutation test holds." in told


def test_compare_of_records_without_samples_has_no_verdict(paths, tmp_path):
    truth, *models = paths
    for number, path in enumerate(models):
        run("eval", truth, path, "-o", tmp_path / f"{number}.json")

    done = run("compare", tmp_path / "0.json", tmp_path / "1.json")

    assert done.exit_code == 0
    assert "No verdict: there are no samples of the same images and seed in both." in done.stdout


def test_compare_csv_and_markdown(paths):
    lines = run("compare", *paths, "--samples", "20", "--format", "csv", "--per-class").stdout.splitlines()
    assert lines[0] == "name,objects,first,second,difference,low,high,p_value"
    assert [line.split(",")[0] for line in lines[1:]] == ["cat", "traffic light"]
    assert "| cat | 20 |" in run("compare", *paths, "--samples", "20", "--format", "md").stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["truth.json"], 2, "expected GROUND_TRUTH and two or more files of detections, or two or more records"),
        (["truth.json", "found.json"], 2, "got truth.json and found.json, which are not records of `omniou eval`"),
        (["truth.json", "nowhere.json"], 3, "nowhere.json: cannot be read: No such file"),
        (["truth.json", "found.json", "nowhere.json"], 3, "nowhere.json: no such file"),
        (["a", "b", "c", "d"], 3, "a: no such file"),
        (
            ["truth.json", "found.json", "found.json", "--against", "fond.json"],
            2,
            "'fond.json' is not among the models",
        ),
    ],
)
@pytest.mark.usefixtures("paths")
def test_compare_of_wrong_files_fails(args, code, message):
    done = run("compare", *args)

    assert done.exit_code == code, done.output
    assert message in done.stderr


def test_compare_of_records_of_other_images_or_protocol_fails(paths, tmp_path):
    truth, _, good = paths
    run("eval", truth, good, "-o", tmp_path / "a.json")
    run("eval", truth, good, "-o", tmp_path / "b.json", "--protocol", "voc2010")
    other = files(tmp_path, images=10)
    run("eval", *other, "-o", tmp_path / "c.json")

    assert "b.json: has another protocol than a.json" in run("compare", "a.json", "b.json").stderr
    assert "c.json: has other images than a.json" in run("compare", "a.json", "c.json").stderr


def models(folder):
    """Three models in the files of a ground truth: from poor to good."""
    truth, good = files(folder)
    heights = {"poor": lambda _: 6, "fair": lambda k: 8 - k % 3}
    return [truth, *(detections(folder / f"{name}.json", height) for name, height in heights.items()), good]


def test_compare_of_three_models(tmp_path):
    done = run("compare", *models(tmp_path), "--samples", "60")
    lines = done.stdout.splitlines()

    assert (done.exit_code, done.stderr) == (0, "")
    assert lines[0] == "3 models: 40 images, 40 objects (bbox, the rules of coco)"
    assert lines[1].split() == ["poor.json", "fair.json", "found.json"]
    assert "found.json is better by AP than all others." in done.stdout
    assert "Differences from poor.json" in lines
    after = lines.index("Differences from poor.json")
    assert [line.split()[:2] for line in lines[after + 2 : after + 4]] == [["AP", "fair.json"], ["AP", "found.json"]]
    assert "Intervals and p are adjusted for the number of classes and of models." in done.stdout


def test_first_two_of_three_models_differ_as_two_do(tmp_path):
    truth, *three = models(tmp_path)
    many = json.loads(run("compare", truth, *three, "--samples", "60", "--format", "json").stdout)
    two = json.loads(run("compare", truth, *three[:2], "--samples", "60", "--format", "json").stdout)

    assert many["names"] == ["poor.json", "fair.json", "found.json"]
    assert [x["summary"] for x in many["records"][:2]] == [two["first"]["summary"], two["second"]["summary"]]
    assert (many["best"], many["verdict"]) == ("found.json", "best")
    rows = {(x["name"], x["model"]): x for x in many["numbers"]}
    for one in two["numbers"]:
        row = rows[one["name"], "fair.json"]
        assert (row["first"], row["second"]) == (one["first"], one["second"])
        if one["p_value"] is not None:
            # The interval of one of two models is wider, and its p-value is not lower.
            assert row["low"] <= one["low"] <= one["high"] <= row["high"]
            assert row["p_value"] >= one["p_value"]


def test_compare_against_another_model(tmp_path):
    truth, *three = models(tmp_path)
    for against in ("fair.json", "2"):
        done = run("compare", truth, *three, "--samples", "20", "--against", against, "--format", "csv")
        rows = [line.split(",") for line in done.stdout.splitlines()]

        assert rows[0][:5] == ["model", "against", "name", "objects", "first"]
        assert [row[:3] for row in rows[1:3]] == [["poor.json", "fair.json", "AP"], ["found.json", "fair.json", "AP"]]


def test_long_names_become_letters_that_fit_80_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    truth, *three = models(tmp_path)
    for number, path in enumerate(three):
        path.rename(tmp_path / f"detections_of_a_model_with_a_long_name_{number}.json")
    paths = [tmp_path / f"detections_of_a_model_with_a_long_name_{k}.json" for k in (0, 1, 2, 0)]
    done = run("compare", truth, *paths, "--samples", "10", "--per-class")
    lines = done.stdout.splitlines()

    assert lines[:2] == ["Models", "- A: detections_of_a_model_with_a_long_name_0.json (A)"]
    assert "4 models: 40 images, 40 objects (bbox, the rules of coco)" in lines
    assert max(map(len, lines[:40])) <= 80
    # No table is cut in two: each class has one row.
    assert sum(line.startswith("traffic light") for line in lines) == 1


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.json", "b.json"], ["a.json", "b.json"]),
        (["run/1/x.json", "run/2/x.json", "y.json"], ["1/x.json", "2/x.json", "y.json"]),
        (["x.json", "x.json"], ["x.json (A)", "x.json (B)"]),
        (["x.json", "run/x.json"], ["x.json", "run/x.json"]),
        (["/a/b/x.json", "/c/b/x.json"], ["a/b/x.json", "c/b/x.json"]),
    ],
)
def test_names_tell_models_apart(paths, names):
    from omniou.cli import _compare

    assert _compare._names([Path(x) for x in paths]) == names


def test_compare_of_three_records(tmp_path):
    truth, good = files(tmp_path, images=80)
    heights = (lambda _: 6, lambda _: 7)
    paths = [detections(tmp_path / f"{k}.dt.json", height, images=80) for k, height in enumerate(heights)]
    records = saved(tmp_path, truth, *paths, good, samples=130)
    outcome = json.loads(run("compare", *records, "--format", "json").stdout)

    assert (outcome["verdict"], outcome["best"]) == ("best", "2.json")
    # Two differences from the first are adjusted by the factor 2, and no sample has the other sign.
    assert [x["p_value"] for x in outcome["numbers"][:2]] == [pytest.approx(2 * 2 / 131)] * 2


def test_compare_of_many_records_says_how_many_samples_it_needs(tmp_path):
    truth, good = files(tmp_path, images=80)
    loose = detections(tmp_path / "loose.json", lambda k: 6 if k % 2 == 0 else 10 - k % 3, images=80)
    done = run("compare", *saved(tmp_path, truth, loose, loose, loose, good))

    assert "No verdict: 60 samples are too few to compare 4 records." in done.stdout
    assert "--samples 240" in done.stdout


def test_compare_of_records_names_classes_that_only_some_have(tmp_path):
    truth, good = files(tmp_path)
    run("eval", truth, good, "-o", tmp_path / "all.json")
    run("eval", truth, good, "-o", tmp_path / "cats.json", "--only-classes", "cat")
    done = run("compare", tmp_path / "all.json", tmp_path / "cats.json", tmp_path / "all.json", "--per-class")

    assert "cats.json has no class 'traffic light': its AP is a mean over other classes." in done.stderr
    (light,) = [line.split() for line in done.stdout.splitlines() if line.startswith("traffic light")]
    assert light[2:] == ["20", light[3], "-", light[3]]


def test_mix_of_records_and_detections_is_a_usage_error(tmp_path):
    truth, good = files(tmp_path)
    run("eval", truth, good, "-o", tmp_path / "record.json")
    for paths in ([tmp_path / "record.json", good, good], [truth, good, tmp_path / "record.json"]):
        done = run("compare", *paths)

        assert done.exit_code == 2
        assert "record.json is a record of `omniou eval`, and" in done.stderr


def test_records_with_sorted_keys_are_records(tmp_path):
    truth, good = files(tmp_path)
    paths = saved(tmp_path, truth, good, good, good)
    for path in paths:
        path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True))

    assert run("compare", *paths).exit_code == 0


def test_comparison_is_not_a_record(tmp_path):
    truth, good = files(tmp_path)
    run("compare", truth, good, good, "--samples", "10", "-o", tmp_path / "compared.json")
    done = run("compare", tmp_path / "compared.json", tmp_path / "compared.json")

    assert done.exit_code == 3
    assert "compared.json: is a comparison that `omniou compare --format json` wrote" in done.stderr
