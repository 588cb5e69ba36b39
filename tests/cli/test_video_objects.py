"""`omniou eval --kind vos`, and the reader of its folders."""

import json
import shutil

import numpy as np
import pytest

from omniou.data import InputError, InputWarning
from omniou.data import video_objects as reader
from omniou.tracking import video_objects
from tests.cli.test_eval import run

pytest.importorskip("scipy", reason="assignment is SciPy's")
image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def maps(shift, label=1):
    labels = np.zeros((4, 30, 30), dtype=np.uint8)
    labels[:, 5:25, 2 + shift : 22 + shift] = label
    return labels


TRUTH = {"bear": maps(0), "sub/goat": np.maximum(maps(0), 2 * (maps(8) > maps(0)))}
TRUTH = {name: x.astype(np.uint8) for name, x in TRUTH.items()}
FOUND = {"bear": maps(5), "sub/goat": TRUTH["sub/goat"]}


@pytest.fixture
def folders(tmp_path):
    for side, sequences in (("truth", TRUTH), ("found", FOUND)):
        for name, labels in sequences.items():
            (tmp_path / side / name).mkdir(parents=True)
            for k, x in enumerate(labels):
                picture = image.fromarray(x)
                if side == "truth":  # as DAVIS has it
                    picture.putpalette([*range(256)] * 3)
                picture.save(tmp_path / side / name / f"{k:05d}.png")
    return tmp_path / "truth", tmp_path / "found"


def test_frame_2_comes_before_frame_10(tmp_path):
    for number in range(12):
        image.fromarray(np.full((4, 4), number, dtype=np.uint8)).save(tmp_path / f"frame{number}.png")
    (maps,) = reader.read(tmp_path, tmp_path)[0].values()
    assert maps[:, 0, 0].tolist() == list(range(12))


def test_reader_gives_arrays_of_sequences(folders):
    truth, found = reader.read(*folders)
    assert list(truth) == list(found) == ["bear", "sub/goat"]
    assert len(truth) == 2
    for read, expected in ((truth, TRUTH), (found, FOUND)):
        assert {name: x.tolist() for name, x in read.items()} == {name: x.tolist() for name, x in expected.items()}


def test_reader_takes_folders_of_one_sequence(folders):
    truth, found = reader.read(folders[0] / "bear", folders[1] / "bear")
    assert list(truth) == ["bear"]
    assert found["bear"].shape == (4, 30, 30)


@pytest.mark.parametrize("size", [(15, 15), (20, 30)])
def test_maps_of_another_size_than_the_truth_are_named(folders, size):
    for path in (folders[1] / "bear").iterdir():
        image.new("L", size).save(path)
    done = run(*folders, "--kind", "vos")
    assert done.exit_code == 3
    assert (
        f"00000.png: the size is {size[0]} x {size[1]}, but {folders[0] / 'bear' / '00000.png'} has 30 x 30"
        in done.stderr
    )


def test_table_and_json(folders):
    done = run(*folders, "--kind", "vos")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].startswith("2 sequences, 3 objects, 4 frames, 0 unpredicted, 0 unassigned (vos")
    expected = video_objects.evaluate(TRUTH, FOUND)
    values = json.loads(run(*folders, "--kind", "vos", "--format", "json").stdout)
    assert values["protocol"] == "davis"
    assert values["summary"] == pytest.approx(expected.summary)
    assert [row["name"] for row in values["per_sequence"]] == ["bear", "sub/goat"]
    assert [row["name"] for row in values["per_object"]] == ["bear_1", "sub/goat_1", "sub/goat_2"]
    assert values["predicted"] == {"bear": {"1": 1}, "sub/goat": {"1": 1, "2": 2}}


def test_unsupervised_and_gates(folders):
    values = run(*folders, "--kind", "vos", "--protocol", "davis-unsupervised", "--format", "json")
    expected = video_objects.evaluate(TRUTH, FOUND, task="unsupervised").summary
    assert json.loads(values.stdout)["summary"] == pytest.approx(expected)
    assert run(*folders, "--kind", "vos", "--fail-under", "J&F>=0.7", "--fail-under", "bear.J-Mean>=0.5").exit_code == 0
    failed = run(*folders, "--kind", "vos", "--fail-under", "bear.J&F>0.9")
    assert failed.exit_code == 1
    assert run(*folders, "--kind", "vos", "--fail-under", "J-Men>0.9").exit_code == 2


def test_page_has_every_object(folders, tmp_path):
    page = tmp_path / "page.html"
    assert run(*folders, "--kind", "vos", "--html", page).exit_code == 0
    assert "sub/goat_2" in page.read_text()


@pytest.mark.parametrize("protocol", ["davis", "davis-unsupervised"])
def test_maps_of_0_and_255_ask_what_is_meant(tmp_path, protocol):
    (tmp_path / "bear").mkdir()
    for k, x in enumerate(maps(0, 255)):
        image.fromarray(x).save(tmp_path / "bear" / f"{k}.png")
    options = ("--kind", "vos", "--protocol", protocol)
    done = run(tmp_path, tmp_path, *options)
    assert done.exit_code == 3
    assert "has only the labels 0 and 255: pass --ignore-label -1 if 255 is an object" in done.stderr
    values = run(tmp_path, tmp_path, *options, "--ignore-label", "-1", "--format", "json")
    assert json.loads(values.stdout)["summary"]["J&F"] == 1


def test_missing_frame_and_sequence_are_named(folders):
    (folders[1] / "bear" / "00002.png").unlink()
    done = run(*folders, "--kind", "vos")
    assert done.exit_code == 3
    assert f"no prediction for {folders[0] / 'bear' / '00002.png'}" in done.stderr
    shutil.rmtree(folders[1] / "sub")
    with pytest.raises(InputError, match=r"no prediction for .*00002\.png, and for 4 more"):
        reader.read(*folders)


def test_surplus_pictures_are_said(folders):
    shutil.rmtree(folders[0] / "sub")
    with pytest.warns(InputWarning, match="4 pictures excluded: not in "):
        truth, _ = reader.read(*folders)
    assert list(truth) == ["bear"]
    done = run(*folders, "--kind", "vos", "--strict", "--fail-under", "J&F>0")
    assert "4 pictures" in done.stderr


def test_faults_of_pictures(folders):
    image.fromarray(np.zeros((9, 30), np.uint8)).save(folders[1] / "bear" / "00001.png")
    done = run(*folders, "--kind", "vos")
    assert done.exit_code == 3
    assert "the size is 30 x 9" in done.stderr
    image.fromarray(np.full((30, 30, 3), [128, 0, 0], np.uint8)).save(folders[1] / "bear" / "00001.png")
    done = run(*folders, "--kind", "vos")
    assert done.exit_code == 3
    assert "colours" in done.stderr


def test_extra_label_points_to_the_other_protocol(folders):
    image.fromarray(maps(0, 7)[0]).save(folders[1] / "bear" / "00001.png")
    done = run(*folders, "--kind", "vos")
    assert done.exit_code == 3
    assert f"{folders[1] / 'bear'} must have the labels of the ground truth, [1], got 7 as well" in done.stderr
    assert "--protocol davis-unsupervised assigns labels" in done.stderr


def test_two_labels_to_ignore_are_refused(folders):
    done = run(*folders, "--kind", "vos", "--ignore-label", "0,255")
    assert done.exit_code == 2
    assert "--ignore-label takes one label with --kind vos" in done.stderr


def test_inputs_count_the_files_of_all_sequences(folders):
    record = json.loads(run(*folders, "--kind", "vos", "--format", "json").stdout)
    assert [x["files"] for x in record["inputs"]] == [8, 8]
    assert record["inputs"][0]["bytes"] == sum(x.stat().st_size for x in folders[0].rglob("*.png"))
    assert record["inputs"][0]["sha256"] != record["inputs"][1]["sha256"]
