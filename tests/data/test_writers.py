"""Writers: what is written reads back as it was, and what a format cannot hold is named."""

import contextlib
import dataclasses
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import data, detection
from omniou.data import InputWarning, OptionError, Options
from omniou.data.writing import WRITERS
from tests import places

EXAMPLE = places.EXAMPLE


def example(**options):
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json", options=Options(**options))
    return truth, data.read_detections(EXAMPLE / "detections.json", truth, options=Options(**options))


@contextlib.contextmanager
def quiet():
    """Without warnings of blanks in names, of ignored objects and the like."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        yield


def score(truth, detections, **options):
    return detection.evaluate(truth, detections, **options).summary


def without_crowds(truth):
    """Most formats have none."""
    targets = truth.targets
    kept = ~np.asarray(targets.crowd)
    columns = {f.name: getattr(targets, f.name) for f in dataclasses.fields(targets)}
    taken = {name: x[kept] for name, x in columns.items() if x is not None and not isinstance(x, str)}
    return dataclasses.replace(truth, targets=dataclasses.replace(targets, **taken), flagged=truth.flagged[kept])


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in {"lvis", "activitynet"}])
def test_example_scores_the_same_after_a_round_trip(tmp_path, name):
    if WRITERS[name].library:
        pytest.importorskip(WRITERS[name].library, reason=f"needs {WRITERS[name].library}")
    truth, found = example()
    truth = without_crowds(truth)
    with quiet():
        data.write_ground_truth(truth, tmp_path / "gt", name)
        data.write_detections(found, truth, tmp_path / "dt", name)
        size = Options(image_size=(480, 640)) if name in {"yolo", "open-images"} else Options()
        again = data.read_ground_truth(tmp_path / "gt", options=size)
        found_again = data.read_detections(tmp_path / "dt", again, options=size)

    assert len(again.targets.labels) == 830
    # Detections of classes without objects are left out, where a format does not list its classes.
    assert len(found_again.scores) in {725, 734}
    # Boxes are scaled with the image where the sizes are not in the files; IoU stays.
    # Images have other ids, which must not decide between equal scores.
    rules = dataclasses.replace(detection.COCO, tie_policy="invariant")
    expected, actual = score(truth, found, protocol=rules), score(again, found_again, protocol=rules)
    # Fractions are rounded in another way than pixels: of 8,000 comparisons with a threshold one or two turn over.
    tolerance = 1e-3 if name in {"yolo", "open-images"} else 1e-9
    for number in ("AP", "AP50", "AR100"):
        assert actual[number] == pytest.approx(expected[number], abs=tolerance), number


def test_coco_round_trip_keeps_every_column(tmp_path):
    truth, found = example()

    data.write_ground_truth(truth, tmp_path / "gt.json", "coco")
    data.write_detections(found, truth, tmp_path / "dt.json", "coco")
    again = data.read_ground_truth(tmp_path / "gt.json")

    for name in ("boxes", "labels", "images", "crowd", "area"):
        assert np.array_equal(getattr(again.targets, name), getattr(truth.targets, name)), name
    assert (again.categories, again.image_names) == (truth.categories, truth.image_names)
    assert np.array_equal(again.sizes, truth.sizes, equal_nan=True)
    assert score(again, data.read_detections(tmp_path / "dt.json", again)) == score(truth, found)


def test_coco_round_trip_of_masks_and_lvis(tmp_path):
    path = places.shared("coco-val2014-100", "instances_val2014_100.json")
    truth = data.read_ground_truth(path, options=Options(kind="segm"))
    data.write_ground_truth(truth, tmp_path / "masks.json", "coco")
    again = data.read_ground_truth(tmp_path / "masks.json", options=Options(kind="segm"))
    assert np.array_equal(again.targets.masks.area(), truth.targets.masks.area())

    truth = data.read_ground_truth(places.shared("lvis-val-100", "lvis_val_100.json"))
    data.write_ground_truth(truth, tmp_path / "lvis.json", "lvis")
    again = data.read_ground_truth(tmp_path / "lvis.json")
    assert again.frequency == truth.frequency
    for name in ("negative", "not_exhaustive"):
        pairs = [sorted(map(tuple, getattr(x.targets, name).tolist())) for x in (again, truth)]
        assert pairs[0] == pairs[1]


@pytest.fixture
def small():
    """Two images, of which one has no object; an ignored object, a crowd, and a class with a blank."""
    targets = detection.Targets(
        np.array([[0.0, 0, 8, 6], [1, 2, 4, 4], [0, 0, 10, 10]]),
        np.array([1, 2, 1]),
        np.array([7, 7, 7]),
        crowd=np.array([False, False, True]),
        ignore=np.array([False, True, False]),
    )
    return data.GroundTruth(
        path=Path("truth"),
        targets=targets,
        images=np.array([7, 8]),
        categories={1: "traffic light", 2: "cat"},
        flagged=np.zeros(3, dtype=bool),
        image_names={7: "val/a.jpg", 8: "val/b.jpg"},
        sizes=np.array([[20.0, 40.0], [20.0, 40.0]]),
    )


def written(truth, path, name):
    with pytest.warns(InputWarning) as caught:
        data.write_ground_truth(truth, path, name)
    return [x.message.finding.text for x in caught]


def test_write_yolo(small, tmp_path):
    lost = written(small, tmp_path / "out", "yolo")

    files = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert files == {
        "a.txt": "0 0.1 0.15 0.2 0.3\n1 0.075 0.2 0.1 0.2\n0 0.125 0.25 0.25 0.5\n",
        "b.txt": "",
        "classes.txt": "traffic light\ncat\n",
    }
    assert lost == ["1 crowd lost the crowd flag", "1 ignored object lost the ignore flag"]


def test_write_text(small, tmp_path):
    lost = written(small, tmp_path / "out", "text")

    assert (tmp_path / "out" / "a.txt").read_text() == "traffic_light 0 0 8 6\ncat 1 2 5 6 1\ntraffic_light 0 0 10 10\n"
    assert "1 class name had blanks, which became underscores" in lost


def test_write_voc_escapes_names(small, tmp_path):
    small.categories[2] = "<cat> & dog"
    written(small, tmp_path / "out", "voc")

    text = (tmp_path / "out" / "a.xml").read_text()
    assert "<name>&lt;cat&gt; &amp; dog</name>" in text
    again = data.read_ground_truth(tmp_path / "out")
    assert again.targets.ignore.tolist() == [False, True, False]
    assert again.sizes.tolist() == [[20, 40], [20, 40]]
    assert sorted(again.categories.values()) == ["<cat> & dog", "traffic light"]


def test_write_kitti_and_dota(small, tmp_path):
    written(small, tmp_path / "kitti", "kitti")
    written(small, tmp_path / "dota", "dota")

    lines = (tmp_path / "kitti" / "a.txt").read_text().splitlines()
    assert lines[1] == "cat 0 0 -10 1 2 5 6 -1 -1 -1 -1000 -1000 -1000 -10"
    assert lines[2].startswith("DontCare -1 -1 -10 0 0 10 10")
    assert (tmp_path / "dota" / "a.txt").read_text().splitlines()[1] == "1 2 5 2 5 6 1 6 cat 1"


def test_write_ignored_objects_as_coco(small, tmp_path):
    lost = written(small, tmp_path / "out.json", "coco")

    records = json.loads((tmp_path / "out.json").read_text())["annotations"]
    assert [(x["iscrowd"], x.get("ignore", 0)) for x in records] == [(0, 0), (0, 1), (1, 0)]
    assert "needs --ignore-flags" in lost[0]


@pytest.mark.parametrize(
    ("change", "name", "message"),
    [
        ({"sizes": None}, "yolo", "the sizes of images are needed to write fractions"),
        ({"sizes": None, "relative": True, "format": "cxcywh"}, "text", "sizes of images are needed to write pixels"),
        ({"image_names": {7: "x/a.jpg", 8: "x/a.jpg"}}, "yolo", "two images are called 'a.jpg'"),
        ({"image_names": {7: "..", 8: "b"}}, "text", "image '..' cannot be the name of a file"),
        ({"categories": {1: "a b", 2: "a_b"}}, "text", "names of classes are the same without blanks"),
        ({}, "lvis", "this ground truth does not: write coco"),
        ({}, "kiti", "`format` must be one of 'coco', "),
    ],
)
def test_write_what_a_format_cannot_hold_raises(small, tmp_path, change, name, message):
    truth = dataclasses.replace(small, **change)
    with quiet(), pytest.raises(OptionError, match=message):
        data.write_ground_truth(truth, tmp_path / "out", name)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["coco", "csv", "voc", "text"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": np.array([0.5, -np.inf])}, "`scores` must be finite to be written, got -inf in row 1"),
        ({"scores": np.array([np.nan, 0.5])}, "`scores` must be finite to be written, got nan in row 0"),
        ({"boxes": np.array([[0, 0, 8, np.inf]] * 2)}, "`boxes` must be finite to be written, got inf in row 0"),
        ({"area": np.array([1, np.inf])}, "`area` must be finite to be written, got inf in row 1"),
    ],
)
def test_numbers_that_no_reader_takes_are_not_written(small, tmp_path, change, message, name):
    table = {"boxes": np.ones((2, 4)), "scores": np.ones(2), "labels": np.ones(2, int), "images": np.full(2, 7)}
    with quiet(), pytest.raises(OptionError, match=message):
        data.write_detections(detection.Detections(**table | change), small, tmp_path / "out", name)
    assert list(tmp_path.iterdir()) == []


def test_write_detections_as_lvis_raises(small, tmp_path):
    found = detection.Detections(np.zeros((0, 4)), np.zeros(0), np.zeros(0, int), np.zeros(0, int))
    with pytest.raises(OptionError, match="'lvis' is not a format of detections: write coco"):
        data.write_detections(found, small, tmp_path / "x", "lvis")


def test_write_into_folder_with_files_raises(small, tmp_path):
    (tmp_path / "kept.txt").write_text("mine")
    with quiet(), pytest.raises(OptionError, match="must be a directory that is new or empty"):
        data.write_ground_truth(small, tmp_path, "text")

    assert (tmp_path / "kept.txt").read_text() == "mine"


def test_write_onto_file_that_cannot_be_replaced_leaves_nothing(small, tmp_path):
    (tmp_path / "out.json").mkdir()
    with quiet(), pytest.raises(OSError, match="directory"):
        data.write_ground_truth(small, tmp_path / "out.json", "coco")

    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
