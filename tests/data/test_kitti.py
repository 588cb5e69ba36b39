"""Reading KITTI's labels: boxes, "DontCare" regions and levels of difficulty."""

import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, OptionError, Options


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


def test_read_ground_truth_columns(truth):
    assert truth.image_names == {0: "000000", 1: "000001"}
    assert truth.categories == {0: "Car", 1: "Pedestrian"}
    assert truth.targets.images.tolist() == [0, 1, 1, 1, 1]
    assert truth.targets.labels.tolist() == [0, 1, 0, 1, 0]
    assert truth.targets.crowd.tolist() == [False, False, True, True, False]
    assert truth.targets.boxes.tolist()[2:4] == [[100, 0, 200, 50]] * 2


def test_detections_in_dont_care_region_are_ignored(write, truth):
    boxes = {(110, 10, 120, 20): 0.9, (130, 10, 140, 20): 0.8, (0, 0, 10, 20): 0.5}
    lines = "\n".join(f"{line('Car', box)} {score}" for box, score in boxes.items())
    detections = data.read_detections(write("dt", _000001=lines, _000000=f"{line('Car', (5, 5, 9, 9))} .4"), truth)
    result = detection.evaluate(truth.targets, detections, format=truth.format)

    assert detections.scores.tolist() == [0.4, 0.9, 0.8, 0.5]
    assert result.per_class["AP"][0] == 1


def test_read_ground_truth_error_names_line_of_file(write):
    region, bad = line("DontCare", (100, 0, 200, 50)), line("Car", (0, 0, "inf", 20))
    with pytest.raises(InputError, match=r"a\.txt: line 2, x2: expected finite number, got inf"):
        data.read_ground_truth(write("gt", a=f"{region}\n{bad}", b=line("Van", (0, 0, 1, 1))), "kitti")


def test_read_detections_without_score_raises(write, truth):
    with pytest.raises(InputError, match=r"000001\.txt: line 1: expected class truncated .* score, got 15 fields"):
        data.read_detections(write("dt", _000001=line("Car", (5, 5, 9, 9))), truth, "kitti")


def line_of_grade(name, x, height, occluded=0, truncated=0.0):
    """A line with a box of 100 pixels in width."""
    return f"{name} {truncated} {occluded} -1.5 {x} 0 {x + 100} {height} 1.5 1.6 3.9 1 1.5 20 -1.4"


# Height, occlusion and truncation, at the bounds and beyond -> the levels at which the object counts.
GRADES = {
    (40, 0, 0.15): {"easy", "moderate", "hard"},
    (39.9, 0, 0.15): {"moderate", "hard"},
    (40, 1, 0.15): {"moderate", "hard"},
    (40, 0, 0.3): {"moderate", "hard"},
    (25, 1, 0.3): {"moderate", "hard"},
    (25, 2, 0.3): {"hard"},
    (25, 1, 0.5): {"hard"},
    (24.9, 0, 0): set(),
    (99, 3, 0): set(),
    (99, 0, 0.51): set(),
}


@pytest.mark.parametrize("level", ["easy", "moderate", "hard"])
def test_difficulty_ignores_harder_objects(write, level):
    lines = "\n".join(line_of_grade("Car", 200 * k, *grade) for k, grade in enumerate(GRADES))
    truth = data.read_ground_truth(write("gt", a=lines), options=Options(difficulty=level))

    assert truth.targets.ignore.tolist() == [level not in levels for levels in GRADES.values()]
    assert truth.least_height == (40 if level == "easy" else 25)


def test_difficulty_adds_ignored_neighbour_classes(write):
    names = ("Van", "Car", "Person_sitting", "Truck", "DontCare", "Pedestrian")
    folder = write("gt", a="\n".join(line_of_grade(name, 200 * k, 50) for k, name in enumerate(names)))
    truth = data.read_ground_truth(folder, options=Options(difficulty="easy"))

    rows = zip(truth.targets.labels, truth.targets.boxes[:, 0] // 200, strict=True)
    added = [(truth.categories[int(label)], names[int(k)]) for label, k in rows]
    regions = [(name, "DontCare") for name in sorted(set(names) - {"DontCare"})]
    assert added == [
        ("Van", "Van"),
        ("Car", "Van"),
        ("Car", "Car"),
        ("Person_sitting", "Person_sitting"),
        ("Pedestrian", "Person_sitting"),
        ("Truck", "Truck"),
        *regions,
        ("Pedestrian", "Pedestrian"),
    ]
    passing = [("Car", "Van"), ("Pedestrian", "Person_sitting")]
    assert truth.targets.ignore.tolist() == [pair in passing for pair in added]
    assert truth.targets.crowd.tolist() == [pair in regions for pair in added]


def test_difficulty_without_neighbour_class_adds_none(write):
    truth = data.read_ground_truth(write("gt", a=line_of_grade("Van", 0, 50)), options=Options(difficulty="hard"))

    assert truth.categories == {0: "Van"}
    assert truth.targets.labels.tolist() == [0]


def test_average_precision_by_difficulty(write):
    # Two cars of which one counts, a van, and nothing at 600 and 800.
    folder = write(
        "gt",
        a="\n".join([line_of_grade("Car", 0, 40), line_of_grade("Car", 200, 40, 1), line_of_grade("Van", 400, 40)]),
    )
    scores = {(400, 40): 0.9, (600, 39): 0.8, (800, 40): 0.7, (0, 40): 0.6, (200, 40): 0.5}
    lines = "\n".join(f"{line_of_grade('Car', *place)} {score}" for place, score in scores.items())

    def precision(**options):
        truth = data.read_ground_truth(folder, options=Options(**options))
        detections = data.read_detections(write("dt", a=lines), truth)
        result = detection.evaluate(truth.targets, detections, protocol="voc2010", format=truth.format)
        return dict(zip(truth.categories.values(), result.per_class["AP"], strict=True))["Car"]

    # Cars at the fourth and fifth place: precision 2/5 is the highest.
    assert precision() == pytest.approx(2 / 5)
    # The van and the low box are ignored; one false positive comes before the one car.
    assert precision(difficulty="easy") == pytest.approx(1 / 2)
    # With a lower least height the low box is a false positive, and both cars count: 2/4.
    assert precision(difficulty="moderate") == pytest.approx(2 / 4)


def test_difficulty_leaves_out_low_detections_in_xywh(write):
    truth = data.read_ground_truth(write("gt", a=line_of_grade("Car", 0, 50)), options=Options(difficulty="easy"))
    lines = "Car .9 5 50 90 40\nCar .8 5 50 90 39"
    detections = data.read_detections(write("dt", a=lines), truth, "text", Options(boxes="xywh"))

    assert detections.scores.tolist() == [0.9]


def test_unknown_difficulty_raises(write):
    with pytest.raises(OptionError, match="`difficulty` must be one of 'easy', 'moderate', 'hard', got 'middling'"):
        data.read_ground_truth(write("gt", a=line_of_grade("Car", 0, 50)), "kitti", Options(difficulty="middling"))
    with pytest.raises(OptionError, match=r"`difficulty` is for .* have levels of it, 'kitti': 'text' has not"):
        data.read_ground_truth(write("text", a="cat 1 2 3 4"), options=Options(difficulty="easy"))


# The difficulty of 3-D boxes is told by the boxes in the image.
def test_difficulty_of_boxes_without_a_box_in_the_image_is_refused(write):
    with_box, without = (line_of_grade("Car", 0, 50), "Car 0 0 -1.5 0 0 0 0 1.5 1.6 3.9 1 1.5 20 -1.4")
    options = Options(kind="boxes3d", difficulty="moderate")
    with pytest.raises(InputError, match=r"no object has a 2-D box with a height.*leave --kitti-difficulty out"):
        data.read_ground_truth(write("bad", a=without), options=options)
    truth = data.read_ground_truth(write("gt", a=with_box), options=options)
    with pytest.raises(InputError, match="none of 2 detections has a 2-D box with a height, by which KITTI's diff"):
        data.read_detections(write("none", a=f"{without} 0.9\n{without} 0.8"), truth, options=Options(kind="boxes3d"))
    with pytest.warns(InputWarning, match="1 of 2 detections have no 2-D box and are excluded by KITTI's difficulty"):
        found = data.read_detections(
            write("some", a=f"{without} 0.9\n{with_box} 0.8"), truth, options=Options(kind="boxes3d")
        )
    assert found.scores.tolist() == [0.8]
    with pytest.warns(InputWarning, match="no detection of 1 has a height of 25 pixels, .*the highest 2-D box has 20"):
        data.read_detections(
            write("low", a=f"{line_of_grade('Car', 0, 20)} 0.9"), truth, options=Options(kind="boxes3d")
        )
