"""Detections that come without a ground truth."""

import json

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, OptionError, Options, read_detections_only


def coco(path, *rows):
    records = [{"image_id": i, "category_id": c, "bbox": [0, 0, 10, 10], "score": s} for i, c, s in rows]
    path.write_text(json.dumps(records))
    return path


def texts(folder, files):
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(lines)
    return folder


def test_numbers_of_coco_stay_ids(tmp_path):
    read = read_detections_only([coco(tmp_path / "a.json", (42, 18, 0.5), (7, 3, 0.25))])

    assert read.formats == ("coco",)
    assert read.truth.image_names == {7: "7", 42: "42"}
    assert read.truth.categories == {3: "3", 18: "18"}
    assert read.truth.format == "xywh"
    assert read.detections[0].images.tolist() == [42, 7]
    assert read.detections[0].labels.tolist() == [18, 3]
    assert read.detections[0].boxes.tolist() == [[0, 0, 10, 10]] * 2


def test_names_of_several_models_get_one_list_of_ids(tmp_path):
    first = texts(tmp_path / "a", {"night/1.txt": "dog .5 0 0 9 9\n", "2.txt": ""})
    second = texts(tmp_path / "b", {"1.txt": "cat .75 0 0 9 9\n", "3.txt": "dog .25 0 0 8 8\n"})
    read = read_detections_only([first, second])

    assert read.truth.image_names == {0: "2", 1: "night/1", 2: "3"}  # "1" is the only image that ends so
    assert read.truth.categories == {0: "dog", 1: "cat"}
    assert [x.images.tolist() for x in read.detections] == [[1], [1, 2]]
    assert [x.labels.tolist() for x in read.detections] == [[0], [1, 0]]


@pytest.mark.parametrize("names", [None, "cat\ndog\ncow\n"])
def test_numbers_of_yolo_keep_their_order(tmp_path, names):
    folder = texts(tmp_path / "a", {"1.txt": "2 .5 .5 .5 .5 .5\n0 .5 .5 .25 .25 .75\n"})
    if names:
        (folder / "classes.txt").write_text(names)
    read = read_detections_only([folder])

    assert read.truth.relative
    assert list(read.truth.categories) == [0, 1, 2]
    assert read.detections[0].labels.tolist() == [2, 0]
    data.write_detections(read.detections[0], read.truth, tmp_path / "out", "yolo")
    assert (tmp_path / "out" / "1.txt").read_text() == (folder / "1.txt").read_text().replace(".", "0.")

    sized = read_detections_only([folder], options=Options(image_size=(100, 200)))
    assert not sized.truth.relative
    assert sized.detections[0].boxes[1].tolist() == [100, 50, 50, 25]


@pytest.mark.parametrize("prefix", ["comp4_det_test_", "comp3_det_val_"])
def test_files_of_a_devkit_are_of_classes(tmp_path, prefix):
    folder = texts(tmp_path / "voc", {f"{prefix}traffic_light.txt": "2007_000027 .5 1 1 9 9\n"})
    read = read_detections_only([folder])

    assert read.formats == ("voc",)
    assert (read.truth.categories, read.truth.image_names) == ({0: "traffic_light"}, {0: "2007_000027"})
    assert read.truth.format == "xyxy"


def test_files_of_images_or_of_classes_are_asked_for(tmp_path):
    folder = texts(tmp_path / "odd", {"car.txt": "2007_000027 .5 1 1 9 9\n"})

    with pytest.raises(InputError, match="lines begin with words such as '2007_000027': classes, or images"):
        read_detections_only([folder])
    assert read_detections_only([folder], "voc").truth.categories == {0: "car"}
    assert read_detections_only([folder], "text").truth.image_names == {0: "car"}


def test_numbers_and_names_are_not_joined(tmp_path):
    numbers = coco(tmp_path / "a.json", (1, 1, 0.5))
    names = texts(tmp_path / "b", {"1.txt": "cat .75 0 0 9 9\n"})

    with pytest.raises(InputError, match=r"b: images are names here, and numbers in .*a\.json: the ground truth tells"):
        read_detections_only([numbers, names])


def test_empty_models_join_any_other(tmp_path):
    empty = coco(tmp_path / "empty.json")
    names = texts(tmp_path / "b", {"1.txt": "cat .75 0 0 9 9\n"})
    read = read_detections_only([empty, names, empty])

    assert [len(x.scores) for x in read.detections] == [0, 1, 0]
    assert read.truth.categories == {0: "cat"}
    alone = read_detections_only([empty])
    assert (len(alone.truth.images), alone.detections[0].boxes.shape) == (0, (0, 4))


def test_rotated_fractions_need_sizes(tmp_path):
    folder = texts(tmp_path / "obb", {"1.txt": "0 .1 .1 .3 .1 .3 .2 .1 .2 .9\n"})

    with pytest.raises(InputError, match="oriented boxes are relative, and the sizes of the images are not known"):
        read_detections_only([folder], options=Options(kind="rotated"))
    read = read_detections_only([folder], options=Options(kind="rotated", image_size=(100, 200)))
    np.testing.assert_allclose(read.detections[0].boxes, [[20, 10, 60, 10, 60, 20, 20, 20]], atol=1e-12)


def test_no_path_is_an_error():
    with pytest.raises(OptionError, match="`paths` must name at least one file or directory, got none"):
        read_detections_only([])


def test_every_written_format_comes_back_the_same(tmp_path):
    truth = texts(tmp_path / "truth", {"a.txt": "cat 0 0 9 9\n", "b.txt": "dog 2 2 8 8\n"})
    gt = data.read_ground_truth(truth, options=Options(image_size=(16, 32)))
    found = texts(tmp_path / "found", {"a.txt": "dog .5 0 0 8 9\n", "b.txt": "cat .25 2 2 8 8\n"})
    detections = data.read_detections(found, gt)
    for name, writer in data.WRITERS.items():
        if writer.detections is None or name == "activitynet" or (name == "parquet" and not _has("pyarrow")):
            continue
        path, again = tmp_path / name, tmp_path / f"{name}-again"
        data.write_detections(detections, gt, path, name)
        read = read_detections_only([path], options=Options(image_size=(16, 32)))
        assert read.formats == (name,)
        data.write_detections(read.detections[0], read.truth, again, name)
        files = sorted(x.name for x in path.iterdir()) if writer.folder else [""]
        assert [(again / x).read_bytes() for x in files] == [(path / x).read_bytes() for x in files], name


def _has(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None
