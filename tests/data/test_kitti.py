"""KITTI's labels: boxes in the image, and regions that nobody looked at."""

import pytest

from omniou import data, detection
from omniou.data import InputError, kitti


def line(name, box, more="1.5 1.6 3.9 1 1.5 20 -1.4"):
    return f"{name} 0.00 0 -1.5 {' '.join(map(str, box))} {more}"


@pytest.fixture
def write(tmp_path):
    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem.strip('_')}.txt").write_text(content, "utf-8")
        return folder

    return write


@pytest.fixture
def truth(write):
    region = line("DontCare", (100, 0, 200, 50), "-1 -1 -1 -1000 -1000 -1000 -10")
    first = "\n".join([line("Pedestrian", (1, 2, 3, 4.5)), region, line("Car", (0, 0, 10, 20))])
    return data.read_ground_truth(write("gt", _000001=first, _000000=line("Car", (5, 5, 9, 9))))


def test_columns(truth):
    assert truth.image_names == {0: "000000", 1: "000001"}
    assert truth.categories == {0: "Car", 1: "Pedestrian"}
    assert truth.targets.images.tolist() == [0, 1, 1, 1, 1]
    assert truth.targets.labels.tolist() == [0, 1, 0, 1, 0]
    assert truth.targets.crowd.tolist() == [False, False, True, True, False]
    assert truth.targets.boxes.tolist()[2:4] == [[100, 0, 200, 50]] * 2


def test_detections_in_a_region_do_not_count(write, truth):
    boxes = {(110, 10, 120, 20): 0.9, (130, 10, 140, 20): 0.8, (0, 0, 10, 20): 0.5}
    lines = "\n".join(f"{line('Car', box)} {score}" for box, score in boxes.items())
    found = data.read_detections(write("dt", _000001=lines, _000000=f"{line('Car', (5, 5, 9, 9))} .4"), truth)
    result = detection.evaluate(truth.targets, found, format=truth.format)

    assert found.scores.tolist() == [0.4, 0.9, 0.8, 0.5]
    assert result.per_class["AP"][0] == 1


def test_a_bad_place_is_that_in_the_file(write):
    region, bad = line("DontCare", (100, 0, 200, 50)), line("Car", (0, 0, "inf", 20))
    with pytest.raises(InputError, match=r"a\.txt: line 2, x2: expected finite number, got inf"):
        kitti.read_ground_truth(write("gt", a=f"{region}\n{bad}", b=line("Van", (0, 0, 1, 1))))


def test_no_score(write, truth):
    with pytest.raises(InputError, match=r"000001\.txt: line 1: expected class truncated .* score, got 15 fields"):
        kitti.read_detections(write("dt", _000001=line("Car", (5, 5, 9, 9))), truth)
