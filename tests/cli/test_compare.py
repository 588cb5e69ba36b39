"""`omniou compare`: of detections, and of saved records."""

import json

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
    assert "--protocol nuscenes is for `omniou eval --kind centres`" in done.stderr


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

    assert "No verdict: the difference of AP is no more than the choice of the images explains." in done.stdout


def test_compare_of_few_images_has_no_verdict(tmp_path):
    truth, good = files(tmp_path, images=29)
    loose = detections(tmp_path / "loose.json", lambda _: 6, images=29)

    assert "No verdict: 29 images are fewer than 30." in run("compare", truth, loose, good, "--samples", "20").stdout


def saved(folder, truth, *models):
    """Records of models."""
    for number, path in enumerate(models):
        run("eval", truth, path, "--intervals", "--samples", "60", "-o", folder / f"{number}.json")
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
        (["truth.json"], 2, "expected GROUND_TRUTH A B, or two records"),
        (["truth.json", "found.json"], 3, "truth.json: is no record"),
        (["a", "b", "c", "d"], 2, "expected GROUND_TRUTH A B, or two records"),
        (["truth.json", "found.json", "nowhere.json"], 3, "nowhere.json: no such file"),
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
