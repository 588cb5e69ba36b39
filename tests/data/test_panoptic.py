"""COCO's panoptic format: JSON and PNG files."""

import json

import numpy as np
import pytest

from omniou import panoptic
from omniou.data import InputError, InputWarning
from omniou.data import panoptic as files
from tests import places
from tests.panoptic import reference

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

CATEGORIES = [{"id": 1, "name": "car", "isthing": 1}, {"id": 7, "isthing": 0}]
IDS = np.array([[70000, 70000, 300], [0, 300, 300]])
RECORDS = [{"id": 70000, "category_id": 1}, {"id": 300, "category_id": 7, "iscrowd": 0}]


def write(folder, name, ids, records, *, mode="RGB", categories=CATEGORIES, **more):
    (folder / name).mkdir(exist_ok=True)
    image.fromarray(panoptic.to_rgb(ids)).convert(mode).save(folder / name / "1.png")
    annotation = {"image_id": 1, "file_name": "1.png", "segments_info": records}
    content = {"annotations": [annotation], "categories": categories} | more
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content))
    return files.read(path)


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_count_of_files(tmp_path, mode):
    truth = write(tmp_path, "truth", IDS, RECORDS)
    assert truth.categories == {1: files.Category("car", is_thing=True), 7: files.Category("7", is_thing=False)}
    assert truth.annotations[1].ids().tolist() == IDS.tolist()
    other = np.array([[5, 5, 5], [6, 6, 6]])
    records = [{"id": 5, "category_id": 1}, {"id": 6, "category_id": 7}]
    found = write(tmp_path, "found", other, records, mode=mode, categories=None)
    counts = files.count(truth, found)
    assert counts.iou.tolist() == [2 / 3, 2 / 3]  # of stuff a pixel is void
    expected = reference.quality([(IDS.ravel().tolist(), other.ravel().tolist(), RECORDS, records)])
    assert {k: list(x.values())[3:] for k, x in counts.per_class.items()} == {k: x[1:] for k, x in expected.items()}


def test_pictures_may_be_in_any_folder(tmp_path):
    write(tmp_path, "truth", IDS, RECORDS)
    (tmp_path / "truth").rename(tmp_path / "pictures")
    truth = files.read(tmp_path / "truth.json", tmp_path / "pictures")
    assert files.count(truth, truth).summary["PQ"] == 1


def test_options_reach_the_counts(tmp_path):
    truth = write(tmp_path, "truth", IDS, RECORDS)
    found = write(tmp_path, "found", np.full_like(IDS, 300), RECORDS[1:])
    # 3 of 5 pixels that are not void, or of 6.
    assert files.count(truth, found).iou.tolist() == [0, 3 / 5]
    assert files.count(truth, found, unlabelled="count").false_negatives.tolist() == [1, 1]


def test_count_without_images_is_zero(tmp_path):
    truth = write(tmp_path, "truth", IDS, RECORDS, annotations=[])
    assert files.count(truth, truth).true_positives.tolist() == [0, 0]


def test_predictions_of_other_images_are_left_out_with_a_warning(tmp_path):
    truth = write(tmp_path, "truth", IDS, RECORDS)
    more = [{"image_id": k, "file_name": "1.png", "segments_info": RECORDS} for k in (1, 2, 3)]
    found = write(tmp_path, "found", IDS, RECORDS, annotations=more)
    with pytest.warns(InputWarning, match="found.json: 2 images excluded: not in .*truth.json"):
        assert files.count(truth, found).summary["PQ"] == 1


def wrong(tmp_path, **options):
    truth = write(tmp_path, "truth", IDS, RECORDS)
    with pytest.raises(InputError) as caught:
        files.count(truth, write(tmp_path, "found", **({"ids": IDS, "records": RECORDS} | options)))
    return str(caught.value).replace(str(tmp_path), "")


def test_faults_name_file_and_segment(tmp_path):
    place = "/found.json: image 1, segments_info: "
    lost = [*RECORDS, {"id": 9, "category_id": 1}]
    assert wrong(tmp_path, records=lost) == f"{place}segment 9 has no pixel in /found/1.png"
    stray = wrong(tmp_path, records=RECORDS[:1])
    assert stray == "/found/1.png: segment 300 is not in /found.json, image 1, segments_info"
    assert wrong(tmp_path, records=[{"id": 300, "category_id": 2}]) == f"{place}unknown category 2 (id 300)"
    assert wrong(tmp_path, records=[*RECORDS, RECORDS[0]]) == f"{place}id 70000 occurs twice"
    assert wrong(tmp_path, records=[*RECORDS, {"id": 0, "category_id": 1}]) == f"{place}id 0 means void"
    far = {"id": 2**64, "category_id": 1}
    assert wrong(tmp_path, records=[*RECORDS, far]) == f"{place}segment {2**64} has no pixel in /found/1.png"
    size = wrong(tmp_path, ids=IDS[:1])
    assert size == "/found/1.png: the size is 3 x 1, but /truth/1.png has 3 x 2"
    mode = wrong(tmp_path, mode="L")
    assert mode == "/found/1.png: the mode is L, a picture in colours, which are the ids of segments was expected"
    assert wrong(tmp_path, annotations=[]) == "/found.json: annotations: no prediction for image 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "annotations: missing"),
        ({"annotations": [{"image_id": 1}]}, r"annotations\[0\].file_name: missing"),
        (
            {"annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": "x"}]}]},
            r"annotations\[0\].segments_info\[0\].id: expected integer, got string",
        ),
        (
            {"annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": []}] * 2},
            r"annotations\[1\].image_id: 1 occurs twice",
        ),
        ({"annotations": [], "categories": [{"id": 1}]}, r"categories\[0\].isthing: missing"),
        ({"annotations": [], "categories": [{"id": 1, "isthing": 1}] * 2}, r"categories\[1\].id: 1 occurs twice"),
    ],
)
def test_malformed_file_raises(tmp_path, content, message):
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        files.read(path)


def test_ground_truth_without_categories_raises(tmp_path):
    truth = write(tmp_path, "truth", IDS, RECORDS, categories=None)
    with pytest.raises(InputError, match=r"truth.json: categories: missing, or empty"):
        files.count(truth, truth)


def test_missing_and_damaged_pictures_raise(tmp_path):
    truth = write(tmp_path, "truth", IDS, RECORDS)
    picture = tmp_path / "truth" / "1.png"
    data = picture.read_bytes()
    picture.write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"1.png: not a picture that Pillow can read"):
        files.count(truth, truth)
    picture.write_bytes(data[: len(data) // 2 + 8])
    with pytest.raises(InputError, match=r"1.png: cannot be read"):
        files.count(truth, truth)
    picture.unlink()
    with pytest.raises(InputError, match=r"1.png: no such file"):
        files.count(truth, truth)


@pytest.fixture
def sample():
    return files.read(places.shared("panopticapi-sample", "sample_data", "panoptic_examples.json"))


def test_segments_of_panopticapi_sample_have_their_areas_and_boxes(sample):
    expected = places.expected("panopticapi-sample")["png_segment_check"]
    maps = {x.picture.name: x.ids() for x in sample.annotations.values()}
    assert len(expected) == 50
    for segment in expected:
        rows, columns = np.nonzero(maps[segment["file"]] == segment["id"])
        assert len(rows) == segment["area_json"]
        left, top = columns.min(), rows.min()
        box = [left, top, columns.max() - left + 1, rows.max() - top + 1]
        assert np.array_equal(box, segment["bbox_json"])


def test_quality_of_panopticapi_sample_equals_reference(sample):
    assert files.count(sample, sample).summary["PQ"] == 1
    shifted, total = [], 0
    things = [k for k, x in sample.categories.items() if x.is_thing]
    stuff = [k for k, x in sample.categories.items() if not x.is_thing]
    for annotation in sample.annotations.values():
        ids = annotation.ids()
        other = np.roll(ids, (5, 9), axis=(0, 1))
        records = [annotation.segments] * 2
        total = total + panoptic.count_ids(ids, other, *records, things=things, stuff=stuff)
        shifted.append((ids.ravel().tolist(), other.ravel().tolist(), *records))
    summary = total.summary
    expected = reference.mean(reference.quality(shifted))
    assert [summary[x] for x in ("PQ", "SQ", "RQ")] == pytest.approx(expected, abs=1e-14)
