"""LabelMe, CVAT, Label Studio and Scalabel: boxes, polygons, rotated boxes, scores, and what has no area."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options
from omniou.data._formats import declared, outlines
from omniou.data._formats.file_rows import Place

BOXES = Options()
MASKS, ROTATED, POLYGONS = Options(kind="segm"), Options(kind="rotated"), Options(kind="polygons")
# A box of 20 x 10 around (20, 15), turned by 90 degrees: 10 x 20.
TURNED = [15, 5, 25, 25]


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write


def shape(points, kind="polygon", label="cat", **more):
    return {"label": label, "points": points, "shape_type": kind, "flags": {}} | more


def file_of_labelme(*shapes):
    return {"version": "5.4.1", "shapes": shapes, "imagePath": "a.jpg", "imageHeight": 50, "imageWidth": 60}


TRIANGLE = [[0, 0], [8, 0], [8, 8]]


def test_labelme_boxes(write):
    path = write(
        "a.json",
        file_of_labelme(
            shape([[30, 4], [10, 24]], "rectangle"),
            shape(TRIANGLE),
            shape([[20, 20], [23, 24]], "circle"),
            shape([[20, 5], [30, 15], [20, 25], [10, 15]], "rotation", difficult=True),
        ),
    )
    truth = data.read_ground_truth(path)

    # The point of the circle is 5 pixels from its centre.
    assert truth.targets.boxes.tolist() == [[10, 4, 30, 24], [0, 0, 8, 8], [15, 15, 25, 25], [10, 5, 30, 25]]
    assert truth.targets.ignore.tolist() == [False, False, False, True]
    assert (truth.image_names, truth.categories, truth.sizes.tolist()) == ({0: "a"}, {0: "cat"}, [[50, 60]])


def test_labelme_masks_join_the_shapes_of_a_group(write):
    other = [[20, 0], [28, 0], [28, 8], [20, 8]]
    shapes = [shape(TRIANGLE, group_id=1), shape(other, group_id=1), shape(other, group_id=1, label="dog")]
    path = write("a.json", file_of_labelme(*shapes, shape([[40, 10], [30, 20]], "rectangle")))
    truth = data.read_ground_truth(path, options=MASKS)

    assert truth.targets.labels.tolist() == [0, 1, 0]
    triangle = data.read_ground_truth(write("t.json", file_of_labelme(shape(TRIANGLE))), options=MASKS)
    alone = int(triangle.targets.masks.area()[0])
    assert truth.targets.masks.area().tolist() == [alone + 64, 64, 100]
    assert data.read_ground_truth(path).targets.boxes.tolist()[0] == [0, 0, 28, 8]


def test_labelme_scores_of_x_anylabeling(write, tmp_path):
    truth = data.read_ground_truth(write("gt/a.json", file_of_labelme(shape([[0, 0], [9, 9]], "rectangle"))).parent)
    # Rectangles of four corners.
    corners = [[0, 0], [9, 0], [9, 9], [0, 9]]
    write("dt/a.json", file_of_labelme(shape(corners, "rectangle", score=0.75)))
    found = data.read_detections(tmp_path / "dt", truth)

    assert (found.scores.tolist(), found.boxes.tolist()) == ([0.75], [[0, 0, 9, 9]])
    with pytest.raises(InputError, match=r"a\.json: shapes\[0\]: no score: is this the ground truth\?"):
        data.read_detections(tmp_path / "gt", truth)


@pytest.mark.parametrize(
    ("given", "options", "fault"),
    [
        (shape([[0, 0], [1, 1]]), BOXES, r"shapes\[0\]\.points: expected 3 points or more of a polygon, got 2"),
        (shape([[0, 0]], "cube"), BOXES, r"shapes\[0\]\.points: expected 2 points or more of a cube, got 1"),
        (shape([[0, 0], [1, 1]], "cube"), BOXES, r"shapes\[0\]\.shape_type: expected one of polygon, .*, got 'cube'"),
        (shape([[0, 0], [1, "b"]], "rectangle"), BOXES, r"shapes\[0\]\.points\[1\]\[1\]: expected number, got string"),
        (shape(TRIANGLE), ROTATED, r"shapes\[0\]: expected four points, got 3 points: --kind segm reads masks"),
        (shape([[0, 0], [1, 1]], "mask"), MASKS, r"shapes\[0\]: is a mask, whose pixels are not read"),
        (shape([[0, 0]], "point"), BOXES, "has no boxes, polygons or masks, only 1 points"),
        (shape([[0, 0], [0, float("nan")]], "rectangle"), BOXES, "expected number, got NaN"),
    ],
)
def test_labelme_faults(write, given, options, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("a.json", file_of_labelme(given)), options=options)


def test_what_has_no_area_is_left_out_with_a_warning(write):
    path = write("a.json", file_of_labelme(shape([[0, 0]], "point"), shape([[0, 0], [9, 9]], "rectangle")))
    with pytest.warns(InputWarning, match=r"a\.json: 1 points skipped"):
        assert len(data.read_ground_truth(path).targets.labels) == 1


def test_labelme_image_set_and_images_without_objects(write, tmp_path):
    write("gt/a.json", file_of_labelme(shape([[0, 0], [9, 9]], "rectangle")))
    write("gt/b.json", file_of_labelme())
    assert data.read_ground_truth(tmp_path / "gt").image_names == {0: "a", 1: "b"}
    chosen = data.read_ground_truth(tmp_path / "gt", options=Options(image_set=("b",)))
    assert (chosen.image_names, len(chosen.targets.labels)) == ({0: "b"}, 0)


def xml(*shapes, meta=""):
    image = f'<image id="0" name="sub/a.jpg" width="60" height="50">{"".join(shapes)}</image>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n<annotations><version>1.1</version>{meta}{image}</annotations>'


BOX = '<box label="cat" source="manual" occluded="0" xtl="10" ytl="10" xbr="30" ybr="20"{}>{}</box>'


def test_cvat_boxes(write):
    shapes = [
        BOX.format("", ""),
        BOX.format(' rotation="90.0"', '<attribute name="difficult">true</attribute>'),
        '<polygon label="dog" points="0,0;8,0;8,8" occluded="0"/>',
        '<ellipse label="dog" cx="20" cy="30" rx="4" ry="2" rotation="90"/>',
        '<mask label="dog" rle="1, 2, 1" left="2" top="3" width="2" height="2"/>',
    ]
    truth = data.read_ground_truth(write("annotations.xml", xml(*shapes)))

    expected = [[10, 10, 30, 20], TURNED, [0, 0, 8, 8], [18, 26, 22, 34], [2, 3, 4, 5]]
    np.testing.assert_allclose(truth.targets.boxes, expected, atol=1e-12)
    assert truth.targets.ignore.tolist() == [False, True, False, False, False]
    assert (truth.image_names, truth.sizes.tolist()) == ({0: "sub/a.jpg"}, [[50, 60]])


def test_cvat_masks(write):
    # By rows from the first pixel of the part: 1 outside, 2 inside, 1 outside.
    mask = '<mask label="dog" rle="1, 2, 1" left="2" top="3" width="2" height="2"/>'
    truth = data.read_ground_truth(write("a.xml", xml(BOX.format("", ""), mask)), options=MASKS)

    assert truth.targets.masks.area().tolist() == [200, 2]
    rows, columns = np.nonzero(truth.targets.masks.to_dense()[1])
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(3, 3), (4, 2)]


@pytest.mark.parametrize(("options", "format"), [(ROTATED, "xyxyxyxy"), (POLYGONS, "vertices")])
def test_cvat_rotated_boxes(write, options, format):
    truth = data.read_ground_truth(write("a.xml", xml(BOX.format(' rotation="90"', ""))), options=options)

    assert truth.format == format
    np.testing.assert_allclose(truth.targets.boxes, [[25, 5, 25, 25, 15, 25, 15, 5]], atol=1e-12)


def test_cvat_scores_and_classes_of_the_task(write):
    meta = "<meta><task><labels><label><name>cat</name></label><label><name>cow</name></label></labels></task></meta>"
    truth = data.read_ground_truth(write("gt.xml", xml(BOX.format("", ""), meta=meta)))
    assert truth.categories == {0: "cat", 1: "cow"}
    score = '<attribute name="confidence">0.25</attribute>'
    found = data.read_detections(write("dt.xml", xml(BOX.format("", score), BOX.format(' score="0.5"', ""))), truth)
    assert found.scores.tolist() == [0.25, 0.5]
    with pytest.raises(InputError, match=r"image 1 \(sub/a\.jpg\), box 1: no score: is this the ground truth\?"):
        data.read_detections(write("dt.xml", xml(BOX.format("", ""))), truth)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ('<box label="cat" xtl="1" ytl="1" xbr="x" ybr="2"/>', r"image 1 \(.*\), box 1, xbr: expected number, got 'x'"),
        ('<box label="cat" xtl="1" ytl="1" xbr="2"/>', "box 1, ybr: missing"),
        ('<polygon label="cat" points="0,0;8"/>', "polygon 1, points: expected points such as .*, got '0,0;8'"),
        ('<box xtl="1" ytl="1" xbr="2" ybr="2"/>', "box 1, label: missing"),
        ('<polyline label="cat" points="0,0;8,1"/>', "has no boxes, polygons or masks, only 1 polylines"),
    ],
)
def test_cvat_faults(write, given, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("a.xml", xml(given)))


@pytest.mark.parametrize("rle", ["1,2", "1,-2,5", "1,x", "5,5"])
def test_cvat_run_lengths_that_do_not_fit_raise(write, rle):
    mask = f'<mask label="dog" rle="{rle}" left="2" top="3" width="2" height="2"/>'
    with pytest.raises(InputError, match="mask 1, rle: "):
        data.read_ground_truth(write("a.xml", xml(mask)), options=MASKS)


def test_cvat_image_that_occurs_twice_raises(write, tmp_path):
    for name in ("a", "b"):
        write(f"gt/{name}.xml", xml(BOX.format("", "")))
    with pytest.raises(
        InputError, match=r"b\.xml: image 1, name: 'sub/a\.jpg' is already the name of an image of .*a\.xml"
    ):
        data.read_ground_truth(tmp_path / "gt", "cvat")


def value(**more):
    return {"x": 10, "y": 20, "width": 50, "height": 30, "rotation": 0, "rectanglelabels": ["cat"]} | more


def region(value, kind="rectanglelabels", **more):
    return {"id": "r", "type": kind, "original_width": 200, "original_height": 100, "value": value} | more


def task(*regions, image="/data/upload/1/0a1b2c3d-a.jpg", **more):
    return {"id": 1, "data": {"image": image}, "annotations": [{"id": 7, "result": list(regions)}]} | more


def test_label_studio_boxes(write):
    # Percents of 200 x 100 pixels. Turned by 90 degrees about the first corner, the box goes down and to the left.
    ellipse = {"x": 50, "y": 50, "radiusX": 5, "radiusY": 20, "rotation": 90, "ellipselabels": ["dog"]}
    polygon = {"points": [[0, 0], [10, 0], [10, 10]], "closed": True, "polygonlabels": ["dog"]}
    regions = [
        region(value(), id="a"),
        region(value(rotation=90), id="b"),
        region(ellipse, "ellipselabels", id="c"),
        region(polygon, "polygonlabels", id="d"),
    ]
    truth = data.read_ground_truth(write("ls.json", [task(*regions)]))

    expected = [[20, 20, 120, 50], [-10, 20, 20, 120], [80, 40, 120, 60], [0, 0, 20, 10]]
    np.testing.assert_allclose(truth.targets.boxes, expected, atol=1e-12)
    assert (truth.image_names, truth.categories) == ({0: "a.jpg"}, {0: "cat", 1: "dog"})
    assert truth.sizes.tolist() == [[100, 200]]


def test_label_studio_rotated_boxes_and_masks(write):
    path = write("ls.json", [task(region(value(rotation=90)))])

    truth = data.read_ground_truth(path, options=ROTATED)
    np.testing.assert_allclose(truth.targets.boxes, [[20, 20, 20, 120, -10, 120, -10, 20]], atol=1e-12)
    # The mask ends with the image: 20 columns, rows 20 to 100.
    assert data.read_ground_truth(path, options=MASKS).targets.masks.area().tolist() == [1600]


def test_label_studio_json_min(write):
    row = {
        "image": "s3://bucket/b%20c.jpg",
        "id": 1,
        "label": [value(original_width=200, original_height=100)],
        "annotator": 1,
        "annotation_id": 7,
        "lead_time": 2.5,
    }
    empty = {"image": "/data/local-files/?d=sub/e.jpg", "id": 2, "annotator": 1, "annotation_id": 8}
    truth = data.read_ground_truth(write("min.json", [row, empty]))

    assert truth.targets.boxes.tolist() == [[20, 20, 120, 50]]
    assert truth.image_names == {0: "b c.jpg", 1: "e.jpg"}


def test_label_studio_class_of_a_region_by_its_id(write):
    bare = {key: x for key, x in value().items() if key != "rectanglelabels"}
    parts = [region(bare, "rectangle"), region(bare | {"choices": ["cow"]}, "choices")]
    truth = data.read_ground_truth(write("ls.json", [task(*parts)]))

    assert (truth.categories, len(truth.targets.labels)) == ({0: "cow"}, 1)


def test_label_studio_predictions(write):
    predicted = {"model_version": "m", "score": 0.25, "result": [region(value()), region(value(), id="s", score=0.75)]}
    path = write("ls.json", [task(region(value()), predictions=[predicted])])
    truth = data.read_ground_truth(path)

    assert data.read_detections(path, truth).scores.tolist() == [0.25, 0.75]
    with pytest.raises(InputError, match="annotations, and no predictions with a score: is this the ground truth"):
        data.read_detections(write("gt.json", [task(region(value()))]), truth)
    with pytest.raises(InputError, match="predictions and no annotations: are these the detections"):
        data.read_ground_truth(write("dt.json", [task() | {"annotations": [], "predictions": [predicted]}]))


RESULT = {"id": 7, "result": [region(value())]}
BRUSH = {"format": "rle", "rle": [1, 2], "brushlabels": ["cat"]}
FAULTS_OF_LABEL_STUDIO = {
    "annotators": (task() | {"annotations": [RESULT, RESULT]}, r"\[0\]\.annotations: has 2 annotations: keep one"),
    "labels": (task(region(value(rectanglelabels=["cat", "dog"]))), r"value: expected one class, got \['cat', 'dog'\]"),
    "number": (task(region(value(x="1"))), r"\[0\]\.annotations\[0\]\.result\[0\]\.value\.x: expected number, got '1'"),
    "size": (
        task(region(value(), original_width=None)),
        r"result\[0\]\.original_width: missing: the size of the image",
    ),
    "turned": (task(region(value(), image_rotation=90)), "image_rotation: the image is turned by 90 degrees"),
    "brush": (task(region(BRUSH, "brushlabels")), "has no boxes, polygons or masks, only 1 regions of the type"),
    "image": (task(region(value())) | {"data": {"text": "hello"}}, r"\[0\]: no image in the data of the task"),
}


@pytest.mark.parametrize(("given", "fault"), FAULTS_OF_LABEL_STUDIO.values(), ids=FAULTS_OF_LABEL_STUDIO)
def test_label_studio_faults(write, given, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("ls.json", [given]))


def test_label_studio_annotation_marked_as_ground_truth_is_read(write):
    other = {"id": 8, "result": [region(value(x=0))]}
    given = task() | {"annotations": [RESULT | {"ground_truth": True}, other, RESULT | {"was_cancelled": True}]}
    assert data.read_ground_truth(write("ls.json", [given])).targets.boxes.tolist() == [[20, 20, 120, 50]]


def test_label_studio_image_that_occurs_twice_raises(write):
    path = write("ls.json", [task(region(value())), task()])
    with pytest.raises(InputError, match=r"\[1\]: 'a\.jpg' is already the image of \[0\], by another annotator"):
        data.read_ground_truth(path, "label-studio")


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


@pytest.mark.parametrize("name", ["labelme", "cvat", "label-studio", "scalabel"])
def test_tools_have_all_kinds_of_flat_shapes(name):
    for reader in (declared(name).truth, declared(name).detections):
        assert set(reader.kinds) == {"bbox", "segm", "boundary", "rotated", "polygons"}


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        ("high", r"a\.json: \[0\]\.score: expected number, got 'high'"),
        ([1], r"a\.json: \[0\]\.score: expected number, got '\[1\]'"),
        ("nan", r"a\.json: \[0\]\.score: expected number, got nan"),
        (None, r"a\.json: \[0\]: no score: is this the ground truth\?"),
    ],
)
def test_score_of_an_outlined_object_is_checked(tmp_path, score, fault):
    path = tmp_path / "a.json"
    truth, found = (outlines.ToolContent(data.Options(), images={"x": (9, 9)}) for _ in range(2))
    outline = {"image": "x", "label": "cat", "polygons": [outlines.box(0, 0, 4, 4)], "place": Place(path, "[0]")}
    truth.objects.append(outlines.OutlinedObject(**outline))
    found.objects.append(outlines.OutlinedObject(**outline, score="0.25"))
    known = outlines.truth(path, truth)
    assert outlines.detections(path, found, known).scores.tolist() == [0.25]

    found.objects[:] = [outlines.OutlinedObject(**outline, score=score)]
    with pytest.raises(InputError, match=fault):
        outlines.detections(path, found, known)
