"""Reading DOTA's quadrilaterals as the upright boxes around them."""

from pathlib import Path

import pytest

from omniou import data
from omniou.data import InputError, dota

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "dota-devkit-example" / "example" / "labelTxt"
HEADINGS = "imagesource:GoogleEarth\ngsd:0.28\n"


@pytest.fixture
def write(tmp_path):
    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem}.txt").write_text(content, "utf-8")
        return folder

    return write


@pytest.fixture
def truth(write):
    lines = "5 0 10 5 5 12 0 5 small-vehicle 1\n1 2 3.5 2 3.5 4 1 4 plane"
    return dota.read_ground_truth(write("gt", P2=HEADINGS + lines, P1=HEADINGS))


def test_read_ground_truth_columns(truth):
    assert truth.image_names == {0: "P1", 1: "P2"}
    assert truth.categories == {0: "plane", 1: "small-vehicle"}
    assert truth.targets.images.tolist() == [1, 1]
    assert truth.targets.labels.tolist() == [1, 0]
    assert truth.targets.boxes.tolist() == [[0, 0, 10, 12], [1, 2, 3.5, 4]]
    assert truth.targets.ignore.tolist() == [True, False]


def test_read_detections_columns(write, truth):
    folder = write("dt", Task1_plane="P2 .5 0 0 4 1 4 5 0 4\n", **{"Task1_small-vehicle": "P1 0.25 1 1 2 1 2 2 1 2"})
    detections = data.read_detections(folder, truth)

    assert detections.images.tolist() == [1, 0]
    assert detections.labels.tolist() == [0, 1]
    assert detections.boxes.tolist() == [[0, 0, 4, 5], [1, 1, 2, 2]]
    assert detections.scores.tolist() == [0.5, 0.25]


def test_read_upright_detections_as_voc(write, truth):
    detections = data.read_detections(write("dt", Task2_plane="P2 .5 0 0 4 5\n"), truth)

    assert detections.labels.tolist() == [0]
    assert detections.boxes.tolist() == [[0, 0, 4, 5]]


def test_read_ground_truth_of_invalid_line_raises(write):
    with pytest.raises(InputError, match=r"P1\.txt: line 3, y4: expected number, got 'plane'"):
        dota.read_ground_truth(write("gt", P1=HEADINGS + "5 0 10 5 5 12 0 plane 1"))


def test_read_ground_truth_of_nan_corner_raises(write):
    with pytest.raises(InputError, match=r"P1\.txt: line 1, x1: expected finite number, got nan"):
        dota.read_ground_truth(write("gt", P1="5 0 10 5 nan 12 0 5 plane 1"))


def test_read_ground_truth_of_devkit_example():
    if not SHARED.exists():
        pytest.skip("the shared data are not beside this checkout")
    truth = data.read_ground_truth(SHARED)
    lines = [x.split() for path in sorted(SHARED.glob("*.txt")) for x in path.read_text("utf-8").splitlines()]
    corners = [list(map(float, x[:8])) for x in lines if len(x) > 8]

    assert truth.targets.boxes.tolist() == [[min(x[::2]), min(x[1::2]), max(x[::2]), max(x[1::2])] for x in corners]
    assert set(truth.image_names.values()) == {path.stem for path in SHARED.glob("*.txt")}
