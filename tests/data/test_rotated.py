"""Reading rotated boxes, five numbers each, from COCO's JSON and from Parquet."""

import json
import math
import warnings

import pytest

from omniou import data, detection, rotated
from omniou.data import InputError, InputWarning, OptionError, Options

ROTATED = Options(kind="rotated")
BOX, OTHER = [5, 5, 8, 2, 0.4], [50, 40, 9, 3, -1.0]


def objects(*boxes, **more):
    return [{"id": 7 + k, "image_id": 1, "category_id": 1, "bbox": box} | more for k, box in enumerate(boxes)]


@pytest.fixture
def write(tmp_path):
    """Paths of a ground truth and of detections, from their records."""

    def write(annotations=None, detections=None, **of_image):
        annotations = objects(BOX, OTHER) if annotations is None else annotations
        detections = (
            [{"image_id": 1, "category_id": 1, "bbox": BOX, "score": 0.5}] if detections is None else detections
        )
        truth = {"images": [{"id": 1} | of_image], "categories": [{"id": 1}], "annotations": annotations}
        paths = tmp_path / "truth.json", tmp_path / "found.json"
        for path, content in zip(paths, (truth, detections), strict=True):
            path.write_text(json.dumps(content), "utf-8")
        return paths

    return write


def test_read_coco_of_five_numbers(write):
    path, detections = write([*objects(BOX, area=12.5), *objects(OTHER)])
    truth = data.read_ground_truth(path, options=ROTATED)
    detections = data.read_detections(detections, truth, options=ROTATED)

    assert truth.geometry is rotated.GEOMETRY
    assert truth.format == "cxcywhr"
    assert truth.targets.boxes.tolist() == [BOX, OTHER]
    assert truth.targets.area.tolist() == [12.5, 27]
    assert detections.boxes.tolist() == [BOX]
    result = detection.evaluate(truth.targets, detections, kind="rotated", format=truth.format)
    assert result.summary["AP50"] == pytest.approx(51 / 101)
    assert detection.evaluate(truth.targets, detections, kind=truth.geometry).summary == pytest.approx(
        result.summary, nan_ok=True
    )


def test_read_coco_without_annotations(write):
    path, detections = write([], [])
    truth = data.read_ground_truth(path, options=ROTATED)

    assert truth.targets.boxes.shape == data.read_detections(detections, truth, options=ROTATED).boxes.shape == (0, 5)


def test_read_lvis_of_five_numbers(write):
    path, _ = write(neg_category_ids=[1], not_exhaustive_category_ids=[])
    truth = data.read_ground_truth(path, options=ROTATED)

    assert truth.targets.negative.tolist() == [[1, 1]]
    assert truth.targets.boxes.tolist() == [BOX, OTHER]


@pytest.mark.parametrize(
    ("unit", "clockwise", "angle"),
    [("radians", True, 0.4), ("radians", False, -0.4), ("degrees", True, math.degrees(0.4)), ("degrees", False, -90)],
)
def test_angles_become_radians_from_x_towards_y(write, unit, clockwise, angle):
    options = Options(kind="rotated", angle_unit=unit, clockwise=clockwise)
    turned = [*BOX[:4], angle]
    path, detections = write(objects(turned), [{"image_id": 1, "category_id": 1, "bbox": turned, "score": 0.5}])
    truth = data.read_ground_truth(path, options=options)
    expected = pytest.approx([*BOX[:4], math.pi / 2 if angle == -90 else 0.4], abs=1e-15)

    assert truth.targets.boxes[0].tolist() == expected
    assert data.read_detections(detections, truth, options=options).boxes[0].tolist() == expected


def test_read_coco_of_first_corners(write):
    options = Options(kind="rotated", boxes="xywhr")
    path, detections = write(objects([1, 2, 4, 2, 0.0]))
    truth = data.read_ground_truth(path, options=options)

    assert truth.format == "xywhr"
    # The centre of the detection, in the format of the ground truth.
    detections = data.read_detections(detections, truth, options=ROTATED)
    assert detections.boxes[0].tolist() == pytest.approx(rotated.convert(BOX, "cxcywhr", "xywhr").tolist())


def test_degrees_read_as_radians_warn(write):
    path, detections = write(objects([*BOX[:4], 30.0], BOX))
    with pytest.warns(InputWarning, match=r"truth\.json: 1 of 2 rotated rectangles have an angle beyond two turns"):
        truth = data.read_ground_truth(path, options=ROTATED)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data.read_ground_truth(path, options=Options(kind="rotated", angle_unit="degrees"))
        data.read_detections(detections, truth, options=ROTATED)


@pytest.mark.parametrize(
    ("options", "boxes", "message"),
    [
        (
            Options(),
            [BOX],
            r"annotations\[0\]\.bbox: expected 4 numbers, got 5 \(id 7\): --kind rotated reads boxes with",
        ),
        (Options(), [BOX[:4], BOX], r"annotations\[1\]\.bbox: expected 4 numbers, got 5 \(id 8\): --kind rotated"),
        (ROTATED, [BOX, BOX, BOX[:4]], r"annotations\[2\]\.bbox: expected 5 numbers, got 4 \(id 9\): --kind rotated"),
        (ROTATED, [BOX[:3]], r"annotations\[0\]\.bbox: expected 5 numbers, got 3 \(id 7\)$"),
        (ROTATED, [[*BOX[:4], "0"]], r"annotations\[0\]\.bbox\[4\]: expected number, got string"),
        (ROTATED, [[*BOX[:4], 1e200]], r"annotations\[0\]\.bbox\[4\]: expected number within 1e\+150, got 1e\+200"),
    ],
)
def test_ground_truth_of_boxes_of_another_length_raises(write, options, boxes, message):
    path, _ = write(objects(*boxes))

    with pytest.raises(InputError, match=rf"truth\.json: {message}"):
        data.read_ground_truth(path, options=options)


@pytest.mark.parametrize(
    ("kind", "box", "message"),
    [
        ("bbox", BOX, r"\[1\]\.bbox: expected 4 numbers, got 5: --kind rotated reads boxes with an angle"),
        ("rotated", BOX[:4], r"\[1\]\.bbox: expected 5 numbers, got 4: --kind rotated reads .* where all have one"),
    ],
)
def test_detections_of_boxes_of_another_length_raise(write, kind, box, message):
    good = BOX if kind == "rotated" else BOX[:4]
    records = [{"image_id": 1, "category_id": 1, "bbox": x, "score": 0.5} for x in (good, box)]
    path, detections = write(objects(good), records)
    options = Options(kind=kind)

    with pytest.raises(InputError, match=rf"found\.json: {message}"):
        data.read_detections(detections, data.read_ground_truth(path, options=options), options=options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "polygons"}, "`kind` 'polygons' is for formats that have it, 'parquet', .*'dota': 'coco' has not"),
        ({"kind": "cubes"}, "`kind` must be one of 'bbox', .*, got 'cubes'"),
        ({"kind": "rotated", "boxes": "xyxy"}, "`boxes` must be one of 'cxcywhr', .* for kind 'rotated', got 'xyxy'"),
        ({"kind": "rotated", "boxes": "xyxyxyxy"}, "`boxes` must name an order of 5 numbers, got 'xyxyxyxy'"),
        ({"boxes": "cxcywhr"}, "`boxes` must be one of 'xyxy', .* for kind 'bbox', got 'cxcywhr'"),
        ({"angle_unit": "degrees"}, "`angle_unit` and `clockwise` are for kind 'rotated', got kind 'bbox'"),
        ({"clockwise": False, "kind": "segm"}, "`angle_unit` and `clockwise` are for kind 'rotated', got kind 'segm'"),
        ({"kind": "rotated", "angle_unit": "turns"}, "`angle_unit` must be one of 'radians', 'degrees', got 'turns'"),
    ],
)
def test_wrong_options_raise(write, options, message):
    with pytest.raises(OptionError, match=message):
        data.read_ground_truth(write()[0], options=Options(**options))


ROW = {"image_id": [1], "category_id": [2]}


@pytest.mark.parametrize(
    ("kind", "columns", "format"),
    [
        ("rotated", ("cx", "cy", "width", "height", "angle"), "cxcywhr"),
        ("rotated", ("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"), "xyxyxyxy"),
        ("polygons", ("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"), "vertices"),
    ],
)
def test_read_parquet_by_kind(tmp_path, kind, columns, format):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    numbers = [5, 5, 8, 2, 0.5] if len(columns) == 5 else [0, 0, 4, 0, 4, 2, 0, 2]
    row = ROW | {name: [number] for name, number in zip(columns, numbers, strict=True)}
    parquet.write_table(pa.table(row), tmp_path / "gt.parquet")
    parquet.write_table(pa.table(row | {"score": [0.5]}), tmp_path / "dt.parquet")
    options = Options(kind=kind)
    truth = data.read_ground_truth(tmp_path / "gt.parquet", options=options)
    detections = data.read_detections(tmp_path / "dt.parquet", truth, options=options)

    assert truth.format == format
    assert truth.targets.boxes.tolist() == detections.boxes.tolist() == [numbers]
    assert detection.evaluate(truth.targets, detections, kind=kind, format=format).summary["AP"] == pytest.approx(1)
    with pytest.raises(InputError, match=r"gt\.parquet: columns of a box are missing: x, y, width, height or xmin"):
        data.read_ground_truth(tmp_path / "gt.parquet")


def test_parquet_angles_in_degrees(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    row = ROW | {name: [x] for name, x in zip(("cx", "cy", "width", "height", "angle"), [5, 5, 8, 2, 90], strict=True)}
    parquet.write_table(pa.table(row), tmp_path / "gt.parquet")
    truth = data.read_ground_truth(
        tmp_path / "gt.parquet", options=Options(kind="rotated", angle_unit="degrees", clockwise=False)
    )

    assert truth.targets.boxes[0].tolist() == pytest.approx([5, 5, 8, 2, -math.pi / 2])
