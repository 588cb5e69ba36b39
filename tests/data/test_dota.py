"""Reading DOTA's quadrilaterals: as they are, as rectangles, and as the upright boxes around them."""

from pathlib import Path

import numpy as np
import pytest

from omniou import data, detection, polygons, rotated
from omniou.data import InputError, OptionError, Options
from tests import places

FILE = "P0004__1__0___0.txt"
HEADINGS = "imagesource:GoogleEarth\ngsd:0.28\n"
UPRIGHT = Options(kind="bbox")


@pytest.fixture
def devkit():
    return places.shared("dota-devkit-example", "example", "labelTxt")


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
    return data.read_ground_truth(write("gt", P2=HEADINGS + lines, P1=HEADINGS), "dota", UPRIGHT)


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
        data.read_ground_truth(write("gt", P1=HEADINGS + "5 0 10 5 5 12 0 plane 1"), "dota")


def test_read_ground_truth_of_nan_corner_raises(write):
    with pytest.raises(InputError, match=r"P1\.txt: line 1, x1: expected finite number, got nan"):
        data.read_ground_truth(write("gt", P1="5 0 10 5 nan 12 0 5 plane 1"), "dota", UPRIGHT)


def test_read_ground_truth_of_devkit_example(devkit):
    truth = data.read_ground_truth(devkit, options=UPRIGHT)
    lines = [x.split() for path in sorted(devkit.glob("*.txt")) for x in path.read_text("utf-8").splitlines()]
    corners = [list(map(float, x[:8])) for x in lines if len(x) > 8]

    assert truth.targets.boxes.tolist() == [[min(x[::2]), min(x[1::2]), max(x[::2]), max(x[1::2])] for x in corners]
    assert set(truth.image_names.values()) == {path.stem for path in devkit.glob("*.txt")}


LINES = "0 0 4 0 4 2 0 2 plane\n1 1 3 1 3 3 1.5 3 plane 1"


def test_read_polygons_keeps_corners(write):
    truth = data.read_ground_truth(write("gt", P1=LINES), "dota", Options(kind="polygons"))

    assert truth.geometry is polygons.GEOMETRY
    assert truth.format == "vertices"
    assert truth.targets.boxes.tolist() == [[0, 0, 4, 0, 4, 2, 0, 2], [1, 1, 3, 1, 3, 3, 1.5, 3]]
    assert truth.targets.ignore.tolist() == [False, True]

    detections = data.read_detections(
        write("dt", Task1_plane="P1 .5 0 0 4 0 4 2 0 1"), truth, "dota", Options(kind="polygons")
    )
    assert detections.boxes.tolist() == [[0, 0, 4, 0, 4, 2, 0, 1]]


def test_read_rotated_reads_corners_as_rectangles(write):
    options = Options(kind="rotated")
    truth = data.read_ground_truth(write("gt", P1=LINES), "dota", options)
    detections = data.read_detections(write("dt", Task1_plane="P1 .5 0 0 2 0 2 2 0 2"), truth, "dota", options)

    assert truth.geometry is rotated.GEOMETRY
    assert truth.format == "xyxyxyxy"
    result = detection.evaluate(truth.targets, detections, kind="rotated", format=truth.format, protocol="voc2007")
    assert float(result.matches.overlaps[0, 0]) == 0.5  # 4 of 8


def test_read_polygons_of_nan_corner_raises(write):
    with pytest.raises(InputError, match=r"P1\.txt: line 1, x2: expected finite number, got nan"):
        data.read_ground_truth(write("gt", P1="5 0 nan 5 5 12 0 5 plane 1"), "dota", Options(kind="polygons"))


def test_read_detections_of_another_kind_raises(write):
    truth = data.read_ground_truth(write("gt", P1=LINES), "dota", Options(kind="polygons"))

    with pytest.raises(OptionError, match="must be read as one kind, got rotated rectangles and polygons"):
        data.read_detections(write("dt", Task1_plane="P1 .5 0 0 2 0 2 2 0 2"), truth, "dota", Options(kind="rotated"))


def test_polygons_of_devkit_example_overlap_exactly(devkit):
    truth = data.read_ground_truth(devkit, options=Options(kind="polygons"))
    rows = {name: truth.targets.boxes[truth.targets.images == id] for id, name in truth.image_names.items()}
    pairs = places.expected("dota-devkit-example")["gt_gt_overlaps_quads"]
    a, b = (np.stack([rows[Path(x["file"]).stem][x[k]] for x in pairs]).reshape(-1, 4, 2) for k in "ij")

    assert len(pairs) == 275
    assert a.reshape(-1, 8).tolist() == [x["a"] for x in pairs]
    np.testing.assert_allclose(polygons.iou(a, b), [x["iou_exact_rational"] for x in pairs], rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", ["bbox", "rotated", "polygons"])
def test_evaluate_devkit_example_against_itself(devkit, kind):
    truth = data.read_ground_truth(devkit, options=Options(kind=kind))
    targets = truth.targets
    detections = detection.Detections(targets.boxes, np.ones(len(targets.labels)), targets.labels, targets.images)
    result = detection.evaluate(targets, detections, kind=truth.geometry, format=truth.format, protocol="voc2007")

    assert result.summary["AP"] == 1


@pytest.mark.parametrize("kind", ["bbox", "rotated", "polygons"])
def test_read_mmrotate_sample(kind):
    sample = places.shared("mmrotate-sample")
    truth = data.read_ground_truth(sample, options=Options(kind=kind))

    assert truth.categories == {0: "plane"}
    assert truth.targets.ignore.tolist() == [x.endswith("1") for x in (sample / FILE).read_text().splitlines()]
    length = 4 if kind == "bbox" else 8
    first = [398, 694, 465, 718] if kind == "bbox" else [398, 716, 398, 694, 464, 698, 465, 718]
    assert truth.targets.boxes.shape == (4, length)
    assert truth.targets.boxes[0].tolist() == first


# 150 ships in a row, of which the first 120 are detected.
SHIPS = [(20 * k, 0, 20 * k + 10, 5) for k in range(150)]


def _line(low_x, low_y, high_x, high_y):
    return f"{low_x} {low_y} {high_x} {low_y} {high_x} {high_y} {low_x} {high_y}"


@pytest.mark.parametrize("kind", [None, "bbox", "rotated", "polygons"])
def test_evaluation_is_by_the_rules_of_dota(write, kind):
    labels = write("gt", P1=HEADINGS + "\n".join(f"{_line(*x)} ship 0" for x in SHIPS))
    found = write("dt", Task1_ship="\n".join(f"P1 .9 {_line(*x)}" for x in SHIPS[:120]))
    options = Options(kind=kind)
    truth = data.read_ground_truth(labels, options=options)
    detections = data.read_detections(found, truth, options=options)
    assert (truth.kind, truth.protocol, truth.targets.protocol) == (kind or "polygons", "voc2007", "voc2007")
    # All 120 count, of 150: 9 of 11 points of recall. COCO's limit leaves 100: 67 of 101 points.
    for targets in (truth, truth.targets):
        result = detection.evaluate(targets, detections)
        assert (result.surplus, result.summary["AP"]) == (0, 9 / 11)
        assert detection.evaluate(targets, detections, protocol="coco").summary["AP50"] == pytest.approx(67 / 101)
    with pytest.raises(ValueError, match=r"`protocol` must be given for a ground truth of .* Evaluator\('voc2007'\)"):
        detection.Evaluator(kind=truth.kind).update(truth.targets, detections)


def test_upright_detections_name_the_kind_to_read_the_ground_truth_as(write):
    truth = data.read_ground_truth(write("gt", P1=HEADINGS + "5 0 10 5 5 12 0 5 ship 0"))
    with pytest.raises(OptionError, match=r"`truth` was read as 'polygons', which 'voc' has not: .*kind='bbox'"):
        data.read_detections(write("dt", Task2_ship="P1 .5 0 0 4 5\n"), truth)
