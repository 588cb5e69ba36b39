"""Reading KITTI's labels as 3-D boxes, and AP at its 40 points of recall."""

import math

import pytest

from omniou import boxes3d, data, detection
from omniou.data import InputError, InputWarning, OptionError, Options

DONT_CARE = "DontCare -1 -1 -10 100 0 200 50 -1 -1 -1 -1000 -1000 -1000 -10"


def line(name, *box, height=50, occluded=0):
    """A line with a 3-D box; the box in the image has some height."""
    return f"{name} 0.00 {occluded} -1.5 0 0 100 {height} {' '.join(map(str, box))}"


def car(x, y=1.5, **more):
    """A car 1.5 high, 2 wide and 4 long, that heads to the right, 20 m ahead."""
    return line("Car", 1.5, 2, 4, x, y, 20, 0, **more)


@pytest.fixture
def write(tmp_path):
    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem}.txt").write_text(content, "utf-8")
        return folder

    return write


def evaluated(truth, found, kind, **options):
    truth = data.read_ground_truth(truth, options=Options(kind=kind, **options))
    detections = data.read_detections(found, truth, options=Options(kind=kind))
    return detection.evaluate(truth.targets, detections, protocol="kitti", kind=kind, format=truth.format)


@pytest.mark.parametrize("kind", ["boxes3d", "bev"])
def test_read_ground_truth_columns(write, kind):
    folder = write("gt", a="\n".join([car(3), DONT_CARE, line("Pedestrian", 1.8, 0.6, 0.8, 1, 1.6, 9, -1.5)]))
    truth = data.read_ground_truth(folder, options=Options(kind=kind))
    assert truth.categories == {0: "Car", 1: "Pedestrian"}
    assert truth.format == "kitti"
    assert truth.geometry is {"boxes3d": boxes3d.GEOMETRY, "bev": boxes3d.BEV}[kind]
    # The region is in the image alone.
    assert truth.targets.boxes.tolist() == [[1.5, 2, 4, 3, 1.5, 20, 0], [1.8, 0.6, 0.8, 1, 1.6, 9, -1.5]]
    assert truth.targets.labels.tolist() == [0, 1]
    assert not truth.targets.crowd.any()


def test_average_precision_at_40_points_by_hand(write):
    truth = write("gt", a="\n".join(car(10 * k) for k in range(4)), b=DONT_CARE)
    # A hit, a false alarm, and a hit 0.5 m too far to the right: IoU 3.5 / 4.5.
    found = write("dt", a="\n".join([f"{car(0)} .9", f"{car(55)} .8", f"{car(10.5)} .7"]))
    for kind in ("boxes3d", "bev"):
        result = evaluated(truth, found, kind)
        # Precision is 1 up to a recall of 1/4, 10 points, and 2/3 up to 2/4, 10 points more.
        assert result.summary["AP70"] == pytest.approx((10 + 10 * 2 / 3) / 40)
        assert result.summary["AP50"] == pytest.approx((10 + 10 * 2 / 3) / 40)
        assert result.summary["AR"] == pytest.approx(1 / 2)
        assert sorted(float(x) for x in result.matches.overlaps[0, :]) == pytest.approx([0, 3.5 / 4.5, 1])


def test_thresholds_of_cars_and_of_others(write):
    # 1 m too far: IoU 3 / 5, enough for a pedestrian, and not for a car.
    result = evaluated(write("gt", a=car(0)), write("dt", a=f"{car(1)} .9"), "boxes3d")
    assert (result.summary["AP50"], result.summary["AP70"]) == (pytest.approx(1), 0)
    assert result.summary["AP"] == pytest.approx(1 / 2)


def test_heights_count_in_3d_alone(write):
    # 0.75 m too high: half of the height is shared, an IoU of 1/3.
    truth, found = write("gt", a=car(0)), write("dt", a=f"{car(0, 0.75)} .9")
    assert evaluated(truth, found, "bev").summary["AP70"] == pytest.approx(1)
    result = evaluated(truth, found, "boxes3d")
    assert result.summary["AP50"] == 0
    assert result.matches.overlaps[0, 0] == 0  # below every threshold
    whole = evaluated(truth, write("dt", a=f"{car(0, 1.5 - 0.3)} .9"), "boxes3d")
    assert whole.matches.overlaps[0, 0] == pytest.approx(1.2 / 1.8)


def test_detection_in_dont_care_region_is_a_false_alarm_in_3d(write):
    # In the image it lies in the region; in 3-D there is none.
    truth = write("gt", a=f"{car(0)}\n{DONT_CARE}")
    inside = "Car 0 0 -1.5 120 10 180 40 1.5 2 4 30 1.5 20 0 .9"
    found = write("dt", a=f"{inside}\n{car(0)} .5")
    assert evaluated(truth, found, "boxes3d").summary["AP70"] == pytest.approx(1 / 2)
    in_image = data.read_ground_truth(truth)
    result = detection.evaluate(
        in_image.targets, data.read_detections(found, in_image), protocol="kitti", format="xyxy"
    )
    assert result.summary["AP70"] == pytest.approx(1)


@pytest.mark.parametrize("kind", ["boxes3d", "bev"])
def test_difficulty_goes_by_the_box_in_the_image(write, kind):
    folder = write("gt", a="\n".join([car(0), car(10, height=39), car(20, occluded=1), car(30, height=24)]))
    truth = data.read_ground_truth(folder, options=Options(kind=kind, difficulty="easy"))
    assert truth.targets.ignore.tolist() == [False, True, True, True]
    # Detections of which the box in the image is lower than 40 pixels are left out, whatever their 3-D box.
    lines = [f"{car(50, height=39.9)} .9", f"{car(10)} .8", f"{car(0, height=40)} .7"]
    found = data.read_detections(write("dt", a="\n".join(lines)), truth, options=Options(kind=kind))
    assert found.scores.tolist() == [0.8, 0.7]
    result = evaluated(folder, write("dt", a="\n".join(lines)), kind, difficulty="easy")
    assert result.summary["AP70"] == pytest.approx(1)
    # Moderate: three cars, of which two are found, behind one false alarm.
    result = evaluated(folder, write("dt", a="\n".join(lines)), kind, difficulty="moderate")
    assert result.summary["AP70"] == pytest.approx(26 * 2 / 3 / 40)


def test_difficulty_takes_vans_for_cars_in_3d(write):
    van = line("Van", 2, 2, 5, 0, 1.5, 20, 0)
    truth = write("gt", a=f"{van}\n{car(20)}")
    found = write("dt", a=f"{van.replace('Van', 'Car')} .9\n{car(20)} .8")
    result = evaluated(truth, found, "boxes3d", difficulty="easy")
    assert result.per_class["AP70"][0] == pytest.approx(1)
    assert evaluated(truth, found, "boxes3d").per_class["AP70"][0] == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Car 0 0 0 1 2 3 4 1.5 2 4 1 1 20", r"a\.txt: line 1: expected class truncated .* rotation, got 14 fields"),
        (f"{car(0)}\n{car(0)} 1 1", r"a\.txt: line 2: expected class .* rotation, got 17 fields"),
        (line("Car", 1.5, "wide", 4, 0, 1.5, 20, 0), r"a\.txt: line 1, width: expected number, got 'wide'"),
        (line("Car", 1.5, 2, 4, 0, 1.5, "nan", 0), r"a\.txt: line 1, z: expected finite number, got nan"),
        (line("Car", 1.5, 2, 4, 0, 1.5, 20, "inf"), r"a\.txt: line 1, rotation: expected finite number, got inf"),
        (car(0, height="nan"), r"a\.txt: line 1, y2: expected finite number, got nan"),
    ],
)
@pytest.mark.parametrize("kind", ["boxes3d", "bev"])
def test_bad_lines(write, kind, content, message):
    with pytest.raises(InputError, match=message):
        data.read_ground_truth(write("gt", a=content), "kitti", Options(kind=kind))


def test_bad_detections(write):
    truth = data.read_ground_truth(write("gt", a=car(0)), options=Options(kind="boxes3d"))
    with pytest.raises(InputError, match=r"a\.txt: line 1: expected class .* score, got 15 fields"):
        data.read_detections(write("dt", a=car(0)), truth, "kitti", Options(kind="boxes3d"))
    with pytest.raises(InputError, match=r"a\.txt: line 1, score: expected number, got nan"):
        data.read_detections(write("dt", a=f"{car(0)} nan"), truth, options=Options(kind="boxes3d"))
    with pytest.raises(OptionError, match="must be read as one kind, got boxes and 3-D boxes"):
        data.read_detections(write("dt", a=f"{car(0)} 1"), truth, options=Options(kind="bbox"))


def test_doubtful_boxes_are_warned_of(write):
    truth = data.read_ground_truth(write("gt", a=car(0)), options=Options(kind="boxes3d"))
    # Detectors of boxes in images write -1 for the sides and -1000 for the place.
    flat = line("Car", -1, -1, -1, -1000, -1000, -1000, -10)
    with pytest.warns(InputWarning, match="1 of 1 3-D boxes have a side below 0, and overlap nothing"):
        data.read_detections(write("dt", a=f"{flat} .5"), truth, options=Options(kind="boxes3d"))
    degrees = write("degrees", a=line("Car", 1.5, 2, 4, 0, 1.5, 20, 90))
    with pytest.warns(InputWarning, match="1 of 1 3-D boxes have an angle beyond two turns: are they in degrees"):
        data.read_ground_truth(degrees, options=Options(kind="boxes3d"))


def test_kinds_of_other_formats(write):
    with pytest.raises(OptionError, match="`kind` 'boxes3d' is for formats that have it, 'kitti': 'text' has not"):
        data.read_ground_truth(write("text", a="cat 1 2 3 4"), options=Options(kind="boxes3d"))


def test_only_regions(write):
    truth = data.read_ground_truth(write("gt", a=DONT_CARE), options=Options(kind="boxes3d"))
    assert truth.targets.boxes.shape == (0, 7)
    assert truth.image_names == {0: "a"}


def test_conversion_of_what_was_read(write):
    truth = data.read_ground_truth(write("gt", a=car(3)), options=Options(kind="boxes3d"))
    upright = boxes3d.convert(truth.targets.boxes, truth.format, "xyzlwhr")
    assert upright.tolist() == [[3, 20, -0.75, 4, 2, 1.5, 0]]
    assert math.copysign(1, upright[0, 6]) == -1
