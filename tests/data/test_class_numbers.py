"""Detections whose classes are numbered or named in another way than the ground truth's, and errors in large files."""

import json
import re
import tracemalloc

import pytest

from omniou import data
from omniou.data import InputError, Options

TRUTH = {
    "images": [{"id": 1, "width": 100, "height": 80}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 2, "bbox": [0, 0, 10, 10]}],
}
FOUND = [{"image_id": 1, "category_id": 2, "bbox": [0, 0, 10, 10], "score": 0.5}]


@pytest.fixture
def truth(tmp_path):
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH), "utf-8")
    return data.read_ground_truth(tmp_path / "truth.json")


@pytest.fixture
def write(tmp_path):
    def file(content, name="found.json"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return file


@pytest.fixture
def traced():
    """The most memory that was held at once since the test began to read."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize("wrap", [b"[%b]", b'{"annotations": [%b]}', b'{"images": [%b], "annotations": []}'])
def test_many_small_lists_cost_no_more_than_their_text(write, truth, traced, wrap):
    """Lists in a list, 30 MB of them: 26 times as much was taken for each as a value of its own."""
    path = write(wrap % (b"[]," * 10_000_000 + b"[]"))
    for read in (data.read_ground_truth, lambda path: data.read_detections(path, truth)):
        tracemalloc.reset_peak()
        with pytest.raises(InputError, match=r"expected|missing"):
            read(path)
        assert traced() < 200e6


def test_place_of_a_record_after_many(write, truth):
    path = write([*(FOUND * 50_000), FOUND[0] | {"bbox": [1, 2, 3]}, *FOUND])
    with pytest.raises(InputError, match=re.escape("[50000].bbox: expected 4 numbers, got 3")):
        data.read_detections(path, truth)


def test_numbers_of_classes_by_another_list(write, truth):
    """Detections count cat, dog from 0, the ground truth from 1."""
    names = write(b"dog\ncat", "names.txt")
    path = write([FOUND[0] | {"category_id": 0}, FOUND[0] | {"category_id": 1}])
    found = data.read_detections(path, truth, options=Options(classes=names))
    assert found.labels.tolist() == [2, 1]
    path = write([FOUND[0] | {"category_id": 2}])
    with pytest.raises(
        InputError, match=r"\[0\].category_id: 2 is not among the 2 names of .*names.txt, counted from 0"
    ):
        data.read_detections(path, truth, options=Options(classes=names))


def test_unknown_number_of_a_class_names_the_option(write, truth):
    with pytest.raises(InputError, match=r"0 is not among the categories of .*; --dt-classes FILE names the classes"):
        data.read_detections(write([FOUND[0] | {"category_id": 0}]), truth)


def test_detections_in_an_object_with_scores(write, truth):
    """As CVAT and others write them; their classes are numbered in another way."""
    scored = TRUTH | {"categories": [{"id": 7, "name": "dog"}], "annotations": [FOUND[0] | {"category_id": 7, "id": 1}]}
    found = data.read_detections(write(scored), truth)
    assert (found.labels.tolist(), found.scores.tolist()) == ([2], [0.5])
    scored["annotations"] = scored["annotations"] + [FOUND[0] | {"category_id": 7, "score": "high"}]
    with pytest.raises(InputError, match=re.escape("annotations[1].score: expected number, got string")):
        data.read_detections(write(scored), truth)


def test_detections_in_an_object_with_names_of_images(write, tmp_path):
    """Ids of the images are the file's own; their names are those of the ground truth, in another format."""
    (tmp_path / "truth").mkdir()
    for name in "ab":
        (tmp_path / "truth" / f"{name}.txt").write_text("dog 1 2 30 40", "utf-8")
    truth = data.read_ground_truth(tmp_path / "truth")
    images = [{"id": 0, "file_name": "b.jpg"}, {"id": 1, "file_name": "a.jpg"}]
    scored = {"images": images, "categories": [{"id": 0, "name": "dog"}], "annotations": FOUND}
    scored["annotations"] = [FOUND[0] | {"image_id": 0, "category_id": 0}]
    found = data.read_detections(write(scored), truth)
    assert (found.images.tolist(), found.labels.tolist()) == ([1], [0])


def test_detections_in_an_object_with_other_classes_keep_their_numbers(write, truth):
    scored = {"categories": [{"id": 2, "name": "hound"}], "annotations": FOUND}
    assert data.read_detections(write(scored), truth).labels.tolist() == [2]


def test_unknown_name_has_a_suggestion(tmp_path, truth):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "1.txt").write_text("dogs 0.5 1 2 3 4", "utf-8")
    with pytest.raises(InputError, match=r"'dogs' is not among the categories of .*: did you mean 'dog'"):
        data.read_detections(tmp_path / "found", truth, "text")


def test_left_out_names_have_a_suggestion(tmp_path):
    for name, line in (("truth", "tv 1 2 30 40"), ("found", "tvs 0.5 1 2 30 40\ntv 0.5 1 2 30 40")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(line, "utf-8")
    truth = data.read_ground_truth(tmp_path / "truth")
    with pytest.warns(data.InputWarning) as caught:
        data.read_detections(tmp_path / "found", truth)
    assert [x.message.finding.hint for x in caught] == ["'tvs': did you mean 'tv'?"]


def test_numbers_of_classes_in_parquet_by_another_list(tmp_path, write, truth):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow as pa

    columns = {
        "image_id": [1],
        "category_id": [0],
        "x": [0.0],
        "y": [0.0],
        "width": [9.0],
        "height": [9.0],
        "score": [1.0],
    }
    parquet.write_table(pa.table(columns), tmp_path / "found.parquet")
    names = write(b"dog\ncat", "names.txt")
    found = data.read_detections(tmp_path / "found.parquet", truth, options=Options(classes=names))
    assert found.labels.tolist() == [2]
