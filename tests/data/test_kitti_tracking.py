"""KITTI's files for tracking, and the sixteenth and seventeenth fields of its other files."""

import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options

CAR = "Car 0 0 0 100 120 180 160 1.5 1.6 3.9 1 1.5 20 -1.4"
REGION = "DontCare -1 -1 -10 0 0 50 50 -1 -1 -1 -1000 -1000 -1000 -10"


@pytest.fixture
def write(tmp_path):
    def write(name, text, file="0001.txt"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / file).write_text(text, "utf-8")
        return tmp_path / name

    return write


def test_frames_are_images(write):
    truth = data.read_ground_truth(write("gt", f"0 1 {CAR}\n0 -1 {REGION}\n12 1 {CAR}"))
    found = data.read_detections(write("dt", f"12 1 {CAR} 0.5\n0 7 {CAR} 0.25"), truth)

    assert truth.image_names == {0: "0001/000000", 1: "0001/000012"}
    assert truth.targets.crowd.tolist() == [False, True, False]
    assert (found.images.tolist(), found.scores.tolist()) == ([1, 0], [0.5, 0.25])
    assert detection.evaluate(truth, found).summary["AP"] == pytest.approx(1)
    three = data.read_ground_truth(write("gt", f"0 1 {CAR}"), options=Options(kind="boxes3d"))
    assert three.targets.boxes.tolist() == [[1.5, 1.6, 3.9, 1, 1.5, 20, -1.4]]


def test_detections_in_frames_without_objects_are_left_out(write):
    truth = data.read_ground_truth(write("gt", f"0 1 {CAR}"))
    with pytest.warns(InputWarning, match="1 detection excluded: '0001/000003' not among the images"):
        assert len(data.read_detections(write("dt", f"3 1 {CAR} 0.5\n0 1 {CAR} 0.5"), truth).scores) == 1


@pytest.mark.parametrize("frame", ["-1", "0.5"])
def test_frame_that_is_no_number_raises(write, frame):
    with pytest.raises(InputError, match=r"0001\.txt: line 2, frame: expected a whole number"):
        data.read_ground_truth(write("gt", f"0 1 {CAR}\n{frame} 1 {CAR}"), "kitti")


@pytest.mark.parametrize(
    ("chosen", "images"),
    [(("0002",), ["0002/000000"]), (("0001/000001", "0002/000000"), ["0001/000001", "0002/000000"])],
    ids=["sequences", "frames"],
)
def test_list_of_images_chooses_sequences_or_frames(write, chosen, images):
    write("gt", f"0 1 {CAR}\n1 1 {CAR}")
    folder = write("gt", f"0 1 {CAR}", "0002.txt")
    truth = data.read_ground_truth(folder, options=Options(image_set=chosen))

    assert list(truth.image_names.values()) == images
    with pytest.raises(InputError, match="image_set: line 1: '0002' is not among the images"):
        data.read_ground_truth(folder, options=Options(image_set=("0002", "0001/000001")))


def test_track_ids_behind_the_fields_play_no_part(write):
    truth = data.read_ground_truth(write("gt", f"{CAR} 7\n{CAR} 12"))
    found = data.read_detections(write("dt", f"{CAR} 0.5 7"), truth)

    assert truth.targets.boxes.tolist() == [[100, 120, 180, 160]] * 2
    assert found.scores.tolist() == [0.5]


def test_scores_in_ground_truth_are_read_where_the_format_is_named(write):
    folder = write("gt", f"{CAR} 0.5")

    with pytest.raises(InputError, match="the last is a score: are these the detections"):
        data.read_ground_truth(folder)
    assert data.read_ground_truth(folder, "kitti").targets.boxes.tolist() == [[100, 120, 180, 160]]


def test_track_ids_in_place_of_scores_raise(write):
    truth = data.read_ground_truth(write("gt", CAR))
    with pytest.raises(InputError, match="the last is a whole number such as 12: a track id, not a score"):
        data.read_detections(write("dt", f"{CAR} 7\n{CAR} 12"), truth)


def test_track_id_behind_the_class_raises(write):
    """As DeepStream writes it, which shifts all fields."""
    truth = data.read_ground_truth(write("gt", CAR))
    folder = write("dt", f"{CAR.replace('Car', 'Car 7')} 0.5")

    with pytest.raises(InputError, match=r"0001\.txt: the format is not recognised|0001\.txt: line 1: the format"):
        data.read_detections(folder, truth)
    with pytest.raises(InputError, match=r"0001\.txt: line 1, track: expected a track id behind the score, .* got 0.5"):
        data.read_detections(folder, truth, "kitti")
