"""Folders of label maps, and tables of classes."""

import json

import numpy as np
import pytest

from omniou.data import InputError, InputWarning, semantic
from tests import places

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

TRUTH = [[7, 7, 8], [8, 255, 255]]
FOUND = [[7, 8, 8], [255, 7, 3]]
CLASSES = {8: "road", 7: "car"}


def write(folder, name, labels, *, mode="L"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == "P":
        picture = image.fromarray(np.asarray(labels, np.uint8))
        picture.putpalette(list(range(256)) * 3)
        assert picture.mode == "P"
    else:
        dtype = {"L": np.uint8, "I;16": np.uint16, "1": bool}[mode]
        picture = image.fromarray(np.asarray(labels, dtype))
        assert picture.mode == mode
    picture.save(path)


@pytest.fixture
def folders(tmp_path):
    for k in (1, 2):
        write(tmp_path, f"truth/city/{k}.png", TRUTH)
        write(tmp_path, f"found/city/{k}.png", FOUND)
    return tmp_path / "truth", tmp_path / "found"


@pytest.fixture(params=[2**22, 3], ids=["whole", "by rows"])
def block(request, monkeypatch):
    """Pixels that are counted at once: those of a picture, or of one row."""
    monkeypatch.setattr(semantic, "_BLOCK", request.param)


@pytest.mark.usefixtures("block")
def test_counts_of_two_folders(folders):
    counts = semantic.count(*folders, CLASSES, ignore_label=255)
    # Classes in the order of the table; predictions where the truth is ignored play no part, of whatever label.
    assert counts.confusion.tolist() == [[2, 0, 2], [2, 2, 0]]
    assert (counts.classes, counts.images) == (CLASSES, 2)


def test_several_labels_are_ignored(folders):
    counts = semantic.count(*folders, CLASSES, ignore_label=[8, 255])
    # In each picture one pixel of 7 is right, and one is predicted as an ignored label, which is wrong.
    assert counts.confusion.tolist() == [[0, 0, 0], [0, 2, 2]]
    with pytest.raises(TypeError, match="`ignore_label` must be an integer, got '255'"):
        semantic.count(*folders, CLASSES, ignore_label="255")


def test_classes_without_a_table_are_those_that_occur(folders):
    counts = semantic.count(*folders, ignore_label=255)
    assert counts.classes == {7: "7", 8: "8"}
    assert counts.confusion.tolist() == [[2, 2, 0], [0, 2, 2]]
    every = semantic.count(*folders)
    assert list(every.classes) == [3, 7, 8, 255]
    assert every.confusion.sum() == 12


@pytest.mark.parametrize("mode", ["P", "I;16", "1"])
def test_modes_of_pictures_with_one_number_for_each_pixel(tmp_path, mode):
    labels = [[0, 1], [1, 0]] if mode == "1" else [[0, 1], [1, 60]]
    write(tmp_path, "a.png", labels, mode=mode)
    write(tmp_path, "b.png", [[0, 0], [1, 0]])
    counts = semantic.count(tmp_path / "a.png", tmp_path / "b.png")
    assert counts.confusion[:2, :2].tolist() == ([[2, 0], [1, 1]] if mode == "1" else [[1, 0], [1, 1]])


def test_labels_of_16_bits(tmp_path):
    write(tmp_path, "truth/a.png", [[300, 65535]], mode="I;16")
    write(tmp_path, "found/a.png", [[300, 300]], mode="I;16")
    counts = semantic.count(tmp_path / "truth", tmp_path / "found", {300: "x"}, ignore_label=65535)
    assert counts.confusion.tolist() == [[1, 0]]
    with pytest.raises(InputError, match=r"truth/a.png: row 0, column 0: label 300 is not a class"):
        semantic.count(tmp_path / "truth", tmp_path / "found")


def test_pictures_without_ground_truth_are_left_out_with_a_warning(folders, tmp_path):
    write(tmp_path, "found/more.png", FOUND)
    with pytest.warns(InputWarning, match="found: 1 picture excluded: not in .*truth"):
        assert semantic.count(*folders, CLASSES, ignore_label=255).images == 2


def fault(folders, classes=CLASSES, **options):
    with pytest.raises(InputError) as caught:
        semantic.count(*folders, classes, **{"ignore_label": 255, **options})
    return str(caught.value).replace(str(folders[0].parent), "")


@pytest.mark.usefixtures("block")
def test_faults_name_file_and_pixel(folders, tmp_path):
    what = "label 255 is not a class (as are 2 of 6 pixels): --ignore-label 255 excludes it, if it marks pixels without"
    what += " a class"
    assert fault(folders, ignore_label=None) == f"/truth/city/1.png: row 1, column 1: {what}"
    write(tmp_path, "found/city/2.png", [[7, 7, 9], [8, 9, 9]])
    # Where the truth is ignored, predictions are not looked at.
    assert fault(folders) == "/found/city/2.png: row 0, column 2: label 9 is not a class (as are 1 of 6 pixels)"
    write(tmp_path, "found/city/2.png", [[7, 7]])
    assert fault(folders) == "/found/city/2.png: the size is 2 x 1, but /truth/city/2.png has 3 x 2"
    image.fromarray(np.full((2, 3, 3), (1, 2, 3), np.uint8)).save(tmp_path / "found/city/2.png")
    assert fault(folders).startswith(
        "/found/city/2.png: row 0, column 0: the mode is RGB, and colours such as (1, 2, 3)"
    )
    (tmp_path / "found/city/2.png").unlink()
    assert fault(folders) == "/found: no prediction for /truth/city/2.png"
    (tmp_path / "found/city/1.png").unlink()
    assert fault(folders) == "/found: no PNG file in this directory"
    assert fault((folders[0], tmp_path / "nowhere")) == "/nowhere: no such file"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '[{"id": 7, "name": "road"}, {"id": 3}]', {7: "road", 3: "3"}),
        ("a.json", '{"categories": [{"id": 7, "name": "road", "color": [1, 2, 3]}]}', {7: "road"}),
        ("a.json", '{"7": "road", "0": "void"}', {7: "road", 0: "void"}),
        ("a.csv", "name,id\nroad,7\n\n,3\n", {7: "road", 3: "3"}),
        ("a.txt", "road\ncar\n", {0: "road", 1: "car"}),
    ],
)
def test_tables_of_classes(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    classes = semantic.read_classes(path)
    assert classes == expected
    assert list(classes) == list(expected)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "[]", "a.json: the file has no classes"),
        ("a.json", '[{"id": 7}, {"id": 7}]', "a.json: [1].id: 7 occurs twice"),
        ("a.json", '[{"id": -1}]', "a.json: [0].id: expected an integer from 0 to 65535, got -1"),
        ("a.json", '[{"name": "x"}]', "a.json: [0].id: missing"),
        ("a.json", '{"road": "7"}', "a.json: road: expected an integer, got 'road'"),
        ("a.csv", "label,name\n7,road\n", 'a.csv: line 1: no column "id" in the first line'),
        ("a.csv", "id,name\nx,road\n", "a.csv: line 2, id: expected an integer, got 'x'"),
        ("a.csv", "", 'a.csv: line 1: no column "id" in the first line'),
        ("a.txt", "", "a.txt: the file has no classes"),
        ("a.txt", "x\n" * 5000, "a.txt: the file has 5000 classes, at most 4096 were expected"),
    ],
)
def test_faults_of_tables(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        semantic.read_classes(path)
    assert str(caught.value) == f"{tmp_path}/{message}"


def test_counts_of_bdd100k():
    folder = places.shared("bdd100k-eval", "tests", "eval", "testcases", "seg")
    counts = semantic.count(folder / "gt", folder / "pred")
    assert counts.confusion.tolist() == [[93, 1, 0], [4, 2, 0]]
    assert json.dumps(counts.classes) == '{"0": "0", "1": "1"}'


def one_sided(tmp_path, truth, predicted, **options):
    for name, labels in (("truth", truth), ("found", predicted)):
        write(tmp_path / name, "a.png", labels)
    return semantic.count(tmp_path / "truth", tmp_path / "found", **options).findings


def test_classes_of_one_side_are_told_with_what_to_do(tmp_path):
    """Masks of 0 and 255 beside those of 0 and 1: IoU 1/2 of the background, 0 of both others."""
    (finding,) = one_sided(tmp_path, [[0, 0, 255, 255]], [[0, 1, 1, 1]])
    assert finding.code == "classes-one-sided"
    assert finding.text.startswith("label 255 is only in the ground truth and label 1 is only in the predictions:")
    assert finding.evidence == "2 pixels of the ground truth, 3 of the predictions"
    cures = finding.hint.split(", or ")
    assert cures[0] == "--ignore-label 255, if it marks pixels that do not count"
    assert cures[1] == "write one label for 255 and 1, if they are one class"


@pytest.mark.parametrize(
    ("truth", "predicted", "options"),
    [
        ([[0, 1]], [[1, 0]], {}),
        ([[0, 255]], [[0, 0]], {"ignore_label": 255}),
        ([[0, 1]], [[0, 0]], {"classes": {0: "road", 1: "sky"}}),
    ],
)
def test_classes_of_both_sides_are_not_told(tmp_path, truth, predicted, options):
    assert one_sided(tmp_path, truth, predicted, **options) == []


def scene(classes, *, right=0.95, seed=0):
    """Blocks of labels, and predictions of which a share is right."""
    rng = np.random.default_rng(seed)
    truth = np.kron(rng.integers(0, classes, (8, 9)), np.ones((8, 8), dtype=int))
    return truth, np.where(rng.random(truth.shape) < right, truth, rng.integers(0, classes, truth.shape))


def found_in(tmp_path, truth, found, **options):
    write(tmp_path, "truth/1.png", truth)
    write(tmp_path, "found/1.png", found)
    return semantic.count(tmp_path / "truth", tmp_path / "found", **options)


@pytest.mark.parametrize("by", [1, -1])
def test_labels_that_count_from_another_number_are_found(tmp_path, by):
    truth, found = scene(4)
    right = found_in(tmp_path, truth + 1, found + 1).summary["mIoU"]
    shifted = found_in(tmp_path, truth + 1, found + 1 - by)
    (finding,) = shifted.findings
    assert finding.code == "labels-shifted"
    assert f"{right:.3f} with {by:+d} added" in finding.evidence
    assert "subtract 1 from the " + ("ground truth" if by > 0 else "predictions") in finding.hint
    assert found_in(tmp_path, truth + 1, found + 1 - by, label_shift=by).summary["mIoU"] == right
    assert shifted.summary["mIoU"] < 0.1
    assert right > 0.85


def test_exchanged_classes_are_found(tmp_path):
    truth, found = scene(5)
    other = np.array([0, 3, 2, 1, 4])[found]
    (finding,) = found_in(tmp_path, truth, other, classes=dict.fromkeys(range(5), "")).findings
    assert finding.code == "labels-exchanged"
    assert finding.text.endswith("1 is predicted as 3, 3 is predicted as 1")


@pytest.mark.parametrize(
    "model",
    [
        lambda _, found: found,
        lambda truth, _: np.zeros_like(truth),
        lambda truth, _: np.random.default_rng(3).permuted(truth),
        lambda truth, found: np.where(truth == 1, 2, found),
        lambda _, found: np.minimum(found, 1),
    ],
    ids=["good", "one class", "chance", "confused", "two classes"],
)
def test_poor_models_are_not_accused(tmp_path, model):
    truth, found = scene(4, right=0.6)
    assert found_in(tmp_path, truth, model(truth, found), classes=dict.fromkeys(range(4), "")).findings == []


def test_labels_beyond_a_table_name_the_way(tmp_path):
    truth, found = scene(3)
    classes = {0: "a", 1: "b", 2: "c"}
    with pytest.raises(
        InputError, match=r"label 3 is not a class .* count from 1\? Then subtract 1, or number the classes"
    ):
        found_in(tmp_path, truth + 1, found, classes=classes)
    with pytest.raises(InputError, match=r"count from 1.* or give --label-shift -1"):
        found_in(tmp_path, truth, found + 1, classes=classes)
    truth[0, 0] = 255
    with pytest.raises(InputError, match=r"label 255 is not a class .*: --ignore-label 255 excludes it"):
        found_in(tmp_path, truth, found, classes=classes)


def test_three_equal_channels_are_labels_and_colours_are_not(tmp_path):
    truth, found = scene(3)
    for name, labels in (("truth", truth), ("found", found)):
        (tmp_path / name).mkdir()
        image.fromarray(np.stack([labels.astype(np.uint8)] * 3, axis=2)).save(tmp_path / name / "1.png")
    equal = semantic.count(tmp_path / "truth", tmp_path / "found").confusion.tolist()
    assert equal == found_in(tmp_path / "grey", truth, found).confusion.tolist()
    image.fromarray(np.full((4, 4, 3), (128, 64, 128), np.uint8)).save(tmp_path / "truth" / "1.png")
    with pytest.raises(InputError, match=r"the mode is RGB, and colours such as \(128, 64, 128\) are not labels"):
        semantic.count(tmp_path / "truth", tmp_path / "found")


@pytest.mark.parametrize("folder", ["", "aachen/"])
def test_predictions_are_paired_by_the_names_of_images(tmp_path, folder):
    truth, found = scene(3)
    for k in range(2):
        write(tmp_path, f"truth/aachen/aachen_{k}_gtFine_labelTrainIds.png", truth)
        write(tmp_path, f"found/{folder}aachen_{k}_leftImg8bit.png", found)
    counts = semantic.count(tmp_path / "truth", tmp_path / "found")
    assert counts.images == 2
    assert counts.confusion.tolist() == (2 * found_in(tmp_path / "one", truth, found).confusion).tolist()
    write(tmp_path, "truth/bonn/aachen_1_gtFine_labelTrainIds.png", truth)  # which may be either
    with pytest.raises(
        InputError, match=r"a prediction has the path of its ground truth, aachen/aachen_0_gt.*, and there"
    ):
        semantic.count(tmp_path / "truth", tmp_path / "found")
