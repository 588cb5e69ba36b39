"""Files and paths that try the readers: archives that unpack to far more, paths that are none, options mistyped."""

import gzip
import json
import os
import re
import tracemalloc
from pathlib import Path

import pytest

from omniou import data
from omniou.data import InputError, OptionError, Options

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


def test_archive_that_unpacks_to_more_than_allowed_is_refused(write, truth):
    path = write(gzip.compress(json.dumps(FOUND).encode() + b" " * 10_000))
    with pytest.raises(InputError, match=r"unpacks to more than 5000 bytes: --max-unpacked, or `max_unpacked`, allows"):
        data.read_detections(path, truth, options=Options(max_unpacked=5000))
    assert len(data.read_detections(path, truth, options=Options(max_unpacked=20_000)).scores) == 1


@pytest.fixture
def traced():
    """The most memory that was held at once since the test began to read."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize("opening", [b"[", b"{"])
def test_archive_is_refused_before_it_is_unpacked(write, truth, traced, opening):
    """A file of 300 kB with 300 MB of blanks: no more than the limit is held."""
    path = write(gzip.compress(opening + b" " * 300_000_000, 1))
    tracemalloc.reset_peak()
    for read in (data.read_ground_truth, lambda path: data.read_detections(path, truth)):
        with pytest.raises(InputError, match=r"unpacks to more than 268435456 bytes"):
            read(path)
    assert traced() < 2**29


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


@pytest.mark.parametrize("path", ["a\0b", Path("a\0b")])
def test_null_character_in_a_path(path, truth):
    for read in (data.read_ground_truth, lambda path: data.read_detections(path, truth)):
        with pytest.raises(InputError, match="is no path: it has a null character"):
            read(path)


def test_path_that_is_too_long(truth):
    for read in (data.read_ground_truth, lambda path: data.read_detections(path, truth)):
        with pytest.raises(InputError, match=r"^x{80}\.\.\.: cannot be read: File name too long$"):
            read("x" * 5000)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser reads everything")
def test_directory_without_permission(tmp_path, truth):
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "a.txt").write_text("cat 0.5 0 0 1 1", "utf-8")
    folder.chmod(0)
    try:
        for path in (folder, folder / "a.txt"):
            with pytest.raises(InputError, match="cannot be read: Permission denied"):
                data.read_detections(path, truth)
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize("method", ["iterdir", "is_file"])
def test_directory_that_the_system_refuses(monkeypatch, tmp_path, truth, method):
    """As for whom it is closed."""

    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, method, refuse)
    for read in (data.read_ground_truth, lambda path: data.read_detections(path, truth)):
        with pytest.raises(InputError, match="cannot be read: Permission denied"):
            read(tmp_path)


@pytest.mark.parametrize("content", [b"", b" \n\t\n", gzip.compress(b"\n\n")])
@pytest.mark.parametrize("name", ["found.json", "found.txt"])
def test_file_of_blanks_is_as_empty_as_one_of_nothing(write, truth, content, name):
    with pytest.raises(InputError, match="the file is empty"):
        data.read_detections(write(content, name), truth)


MISTYPED = {
    "boxes": ("xyhw", r"`boxes` must be one of 'xyxy', 'yxyx', .*'rel_cxcywh' for kind 'bbox', got 'xyhw'"),
    "kind": ("box", r"`kind` must be one of 'bbox', .*, got 'box': did you mean 'bbox'\?"),
    "angle_unit": ("degree", r"got 'degree': did you mean 'degrees'\?"),
    "difficulty": ("medium", r"`difficulty` must be one of 'easy', 'moderate', 'hard', got 'medium'"),
    "max_unpacked": (0, r"`max_unpacked` must be a number of bytes, got 0"),
}


@pytest.mark.parametrize("name", MISTYPED)
def test_mistyped_option_fails_at_once(name):
    given, message = MISTYPED[name]
    with pytest.raises(OptionError, match=message):
        Options(**{name: given})


def test_mistyped_order_has_a_suggestion():
    with pytest.raises(OptionError, match=r"got 'xywhh': did you mean 'xywh'\?"):
        Options(boxes="xywhh")


def test_size_that_plays_no_part_is_refused(truth):
    with pytest.raises(OptionError, match=r"`image_size` has no effect: .* says the sizes of all images"):
        data.read_ground_truth(truth.path, options=Options(image_size=(10, 10)))


def test_classes_that_play_no_part_are_refused(write, truth):
    names = write(b"cat\ndog", "names.txt")
    with pytest.raises(OptionError, match="`classes` has no effect on the format 'coco'"):
        data.read_ground_truth(truth.path, options=Options(classes=names))


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


def test_detections_in_an_object_with_other_classes_keep_their_numbers(write, truth):
    scored = {"categories": [{"id": 2, "name": "hound"}], "annotations": FOUND}
    assert data.read_detections(write(scored), truth).labels.tolist() == [2]


def test_object_without_scores_is_a_ground_truth(truth):
    with pytest.raises(InputError, match="got an object of ground truth: are the two files swapped"):
        data.read_detections(truth.path, truth)


@pytest.fixture
def darknet(tmp_path):
    """A directory as CVAT exports it."""
    folder = tmp_path / "darknet"
    labels = folder / "obj_train_data"
    labels.mkdir(parents=True)
    (folder / "obj.data").write_text("classes = 2\ntrain = data/train.txt\nnames = data/obj.names\n", "utf-8")
    (folder / "obj.names").write_text("cat\ndog\n", "utf-8")
    (folder / "train.txt").write_text("data/obj_train_data/a.jpg\ndata/obj_train_data/b.jpg\n", "utf-8")
    (labels / "a.txt").write_text("1 0.5 0.5 0.25 0.5", "utf-8")
    (labels / "b.txt").write_text("", "utf-8")
    return folder


@pytest.mark.parametrize("name", [".", "obj.data"])
def test_directory_of_darknet(darknet, name):
    truth = data.read_ground_truth(darknet / name, options=Options(image_size=(100, 200)))
    assert truth.categories == {0: "cat", 1: "dog"}
    assert truth.image_names == {0: "a", 1: "b"}
    assert truth.targets.labels.tolist() == [1]
    assert truth.targets.boxes.tolist() == [[100, 50, 50, 50]]


def test_directory_of_darknet_with_two_parts(darknet):
    (darknet / "obj_valid_data").mkdir()
    with pytest.raises(InputError, match=r"several directories obj_\*_data: one must be named"):
        data.read_ground_truth(darknet)


def test_decimal_commas_are_named(tmp_path, truth):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "1.txt").write_text("dog 0,5 1 2 3 4", "utf-8")
    with pytest.raises(InputError, match=r"line 1, score: expected number, got '0,5'; write 0.5, not 0,5"):
        data.read_detections(tmp_path / "found", truth, "text")
    rows = 'ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n1,dog,"0,5",0,1,0,1'
    (tmp_path / "found.csv").write_text(rows, "utf-8")
    with pytest.raises(InputError, match=r"got '0,5'; write 0.5, not 0,5"):
        data.read_detections(tmp_path / "found.csv", truth)
    (tmp_path / "found.csv").write_text(rows.replace('"', ""), "utf-8")
    with pytest.raises(InputError, match="more fields than the 7 columns: are there commas in numbers"):
        data.read_detections(tmp_path / "found.csv", truth)


def test_unknown_name_has_a_suggestion(tmp_path, truth):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "1.txt").write_text("dogs 0.5 1 2 3 4", "utf-8")
    with pytest.raises(InputError, match=r"'dogs' is not among the categories of .*: did you mean 'dog'"):
        data.read_detections(tmp_path / "found", truth, "text")
