"""Scalabel: boxes, polygons, rotated boxes, run lengths and scores."""

import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options

MASKS = Options(kind="segm")


def frame(name, *labels, **more):
    return {"name": name, "url": None, "labels": list(labels)} | more


def label(**more):
    return {"id": "1", "category": "car", "box2d": {"x1": 1, "y1": 2, "x2": 30, "y2": 40}} | more


def test_scalabel_boxes(write):
    frames = [
        frame("a.jpg", label(), label(attributes={"crowd": True}), label(attributes={"ignored": True}, category="bus")),
        frame("b.jpg") | {"labels": None},
    ]
    for content in (frames, {"frames": frames, "config": None, "groups": None}):
        truth = data.read_ground_truth(write("det.json", content))
        assert truth.targets.boxes.tolist() == [[1, 2, 30, 40]] * 3
        assert truth.targets.crowd.tolist() == [False, True, True]
        assert (truth.image_names, truth.categories) == ({0: "a.jpg", 1: "b.jpg"}, {0: "bus", 1: "car"})


def test_scalabel_boxes_are_inclusive_in_its_toolkit(write):
    # Of the pixels 1 to 4, 2 are shared: (2 x 4) / (16 + 8 - 8) = 1/2, and without the pixel 3 / (9 + 3 - 3).
    boxes = [{"x1": 1, "y1": 1, "x2": 4, "y2": 4}, {"x1": 1, "y1": 1, "x2": 2, "y2": 4}]
    truth = data.read_ground_truth(write("gt.json", [frame("a.jpg", label(box2d=boxes[0]))]))
    found = data.read_detections(write("dt.json", [frame("a.jpg", label(box2d=boxes[1], score=0.5))]), truth)

    assert detection.evaluate(truth, found, offset=1).summary["AP50"] == pytest.approx(1)
    assert detection.evaluate(truth, found).summary["AP50"] == 0


def test_scalabel_masks(write):
    closed = {"vertices": [[0, 0], [8, 0], [8, 8], [0, 8]], "types": "LLLL", "closed": True}
    open_ = closed | {"closed": False}
    lengths = {"size": [50, 60], "counts": [0, 10, 2990]}
    frames = [
        frame("a.jpg", label(poly2d=[closed]), label(rle=lengths), label(poly2d=[open_], box2d=None, category="lane"))
    ]
    path = write("seg.json", {"frames": frames, "config": {"imageSize": {"width": 60, "height": 50}}})
    with pytest.warns(InputWarning, match="1 labels without a box, a closed line or a mask skipped"):
        truth = data.read_ground_truth(path, options=MASKS)
    assert truth.targets.masks.area().tolist() == [64, 10]

    boxed = write("box.json", [frame("a.jpg", label(), size={"width": 60, "height": 50})])
    with pytest.raises(InputError, match=r"\[0\]\.labels\[0\]: expected a polygon or a mask, got a box: --kind bbox"):
        data.read_ground_truth(boxed, options=MASKS)


def test_scalabel_files_of_one_frame_each(write, tmp_path):
    write("gt/a.json", frame("a.jpg", label()))
    write("gt/b.json", frame("b.jpg"))
    truth = data.read_ground_truth(tmp_path / "gt")
    assert truth.image_names == {0: "a.jpg", 1: "b.jpg"}

    write("gt/c.json", frame("a.jpg"))
    with pytest.raises(InputError, match=r"c\.json: name: 'a\.jpg' is already the name of the frame of a\.json"):
        data.read_ground_truth(tmp_path / "gt", "scalabel")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (label(category=None), r"\[0\]\.labels\[0\]\.category: missing"),
        (label(box2d={"x1": 1, "y1": 2, "x2": 3}), r"\[0\]\.labels\[0\]\.box2d\.y2: missing"),
        (label(box2d=None), "has no boxes, polygons or masks, only 1 labels without a box"),
    ],
)
def test_scalabel_faults(write, given, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("det.json", [frame("a.jpg", given)]))


def test_frames_of_one_name_follow_their_video_in_any_order(write):
    frames = [frame("1.jpg", label(box2d={"x1": x, "y1": 0, "x2": x + 9, "y2": 9}, score=0.5)) for x in (0, 50)]
    videos = [x | {"videoName": name} for x, name in zip(frames, ("v1", "v2"), strict=True)]
    truth = data.read_ground_truth(write("gt.json", videos))
    for some in (videos[::-1], videos[1:]):
        found = data.read_detections(write("dt.json", some), truth)
        assert detection.evaluate(truth, found).summary["AR100"] == pytest.approx(len(some) / 2)
