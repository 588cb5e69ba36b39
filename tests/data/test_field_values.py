"""Fields of lines and records that say the same in several ways, or that are not what they are read as."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, Options

CORNERS = "0 0 10 0 10 10 0 10"
ELEMENT = (
    "<annotation><object><name>dog</name><difficult>{}</difficult>"
    "<bndbox><xmin>0</xmin><ymin>0</ymin><xmax>10</xmax><ymax>10</ymax></bndbox></object></annotation>"
)
# File and line of an object whose last field is a flag.
FLAGGED = {
    "text": ("a.txt", "dog 0 0 10 10 {}"),
    "dota": ("a.txt", CORNERS + " dog {}"),
    "voc": ("a.xml", ELEMENT),
}


def read(folder, name, content, format, **options):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    return data.read_ground_truth(folder, format, Options(**options))


@pytest.mark.parametrize("format", FLAGGED)
@pytest.mark.parametrize(
    ("word", "expected"), [("0", False), ("1", True), ("0.0", False), ("1.0", True), ("1.00e+00", True)]
)
def test_difficult_is_0_or_1(tmp_path, format, word, expected):
    name, line = FLAGGED[format]
    truth = read(tmp_path / "gt", name, line.format(word), format)

    assert truth.targets.ignore.tolist() == [expected]


@pytest.mark.parametrize("format", ["text", "dota"])
@pytest.mark.parametrize("word", ["difficult", "Difficult"])
def test_difficult_as_a_word(tmp_path, format, word):
    name, line = FLAGGED[format]

    assert read(tmp_path / "gt", name, line.format(word), format).targets.ignore.tolist() == [True]
    assert read(tmp_path / "gt", name, line.format(word), None).targets.ignore.tolist() == [True]


@pytest.mark.parametrize("format", FLAGGED)
@pytest.mark.parametrize("word", ["0.87", "2", "17", "-1", "nan", "inf", "400"])
def test_other_flag_raises_with_its_place(tmp_path, format, word):
    name, line = FLAGGED[format]
    place = {"voc": "object 1, difficult"}.get(format, "line 1, difficult")
    with pytest.raises(InputError, match=rf"{name}: {place}: expected 0"):
        read(tmp_path / "gt", name, line.format(word), format)


@pytest.mark.parametrize("word", ["0.0", "0.000000000000000000e+00"])
@pytest.mark.parametrize("format", ["text", "yolo", "dota"])
def test_class_with_decimals_is_the_whole_number(tmp_path, format, word):
    line = {"text": "{} 0 0 10 10", "yolo": "{} .5 .5 .2 .2", "dota": CORNERS + " {}"}[format]
    truth = read(tmp_path / "gt", "a.txt", f"{line.format('0')}\n{line.format(word)}\n", format)

    assert truth.targets.labels.tolist() == [0, 0]
    assert list(truth.categories.values()) == ["0"]


def test_class_with_decimals_in_detections(tmp_path):
    truth = read(tmp_path / "gt", "a.txt", "12 0 0 10 10", "text")
    (tmp_path / "dt").mkdir()
    (tmp_path / "dt/a.txt").write_text("1.200000000000000000e+01 .9 0 0 10 10")
    found = data.read_detections(tmp_path / "dt", truth, "text")

    assert detection.evaluate(truth, found).summary["AP"] == pytest.approx(1)


def test_class_with_decimals_counts_the_names_of_a_file(tmp_path):
    (tmp_path / "names").write_text("cat\ndog\n")
    truth = read(tmp_path / "gt", "a.txt", "1.0 .5 .5 .2 .2", "yolo", classes=tmp_path / "names")

    assert truth.targets.labels.tolist() == [1]


def test_fraction_as_class_raises(tmp_path):
    with pytest.raises(InputError, match=r"line 1, class: expected a name, or a whole number, got 0\.9"):
        read(tmp_path / "gt", "a.txt", "0.9 0 0 10 10", "text")


@pytest.mark.parametrize("word", ["v1.5", "1.2.3", "7e", "1.x"])
def test_names_with_points_stay(tmp_path, word):
    assert read(tmp_path / "gt", "a.txt", f"{word} 0 0 10 10", "text").categories == {0: word}


def written(path, value):
    path.write_text(json.dumps(value))
    return path


def coco(**annotation):
    return {
        "images": [{"id": 1.0, "file_name": "a, 1.0.jpg", "width": 100.0, "height": 1e2}],
        "annotations": [{"image_id": 1.0, "category_id": 2.0, "bbox": [0, 0, 10, 10], "iscrowd": 0.0} | annotation],
        "categories": [{"id": 2.0, "name": "2.0"}],
    }


def test_decimals_for_integers_in_coco(tmp_path):
    truth = data.read_ground_truth(written(tmp_path / "gt.json", coco(iscrowd=1.0)))
    found = data.read_detections(
        written(tmp_path / "dt.json", [{"image_id": 1.0, "category_id": 2e0, "bbox": [0, 0, 10, 10], "score": 1.0}]),
        truth,
    )

    assert truth.targets.labels.tolist() == [2]
    assert truth.targets.crowd.tolist() == [True]
    # Text stays as it is.
    assert truth.image_names == {1: "a, 1.0.jpg"}
    assert truth.categories == {2: "2.0"}
    assert found.labels.tolist() == [2]


@pytest.mark.parametrize("field", ["image_id", "category_id", "iscrowd"])
def test_fractions_for_integers_in_coco_raise(tmp_path, field):
    with pytest.raises(InputError, match=rf"annotations\[0\].{field}: expected .*got number"):
        data.read_ground_truth(written(tmp_path / "gt.json", coco(**{field: 1.5})))


@pytest.mark.parametrize("id", ["text", "9f86d081884c7d65", 2**64, 1.5, None, [1], {"$oid": "6"}, True])
def test_annotations_have_ids_of_any_type(tmp_path, id):
    truth = data.read_ground_truth(written(tmp_path / "gt.json", coco(id=id)))
    assert truth.targets.labels.tolist() == [2]
    with pytest.raises(InputError, match=r"annotations\[0\].category_id: 3 is not among the categories"):
        data.read_ground_truth(written(tmp_path / "gt.json", coco(id=id, category_id=3)))


def test_floats_for_ids_in_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"image_id": [1.0, 2.0, 3.0], "category_id": [7.0, 8.0, None]}
    columns |= {name: [1.0, 2.0, None] for name in ("x", "y", "width", "height")}
    parquet.write_table(pa.table(columns), tmp_path / "gt.parquet")
    truth = data.read_ground_truth(tmp_path / "gt.parquet")

    assert truth.targets.labels.tolist() == [7, 8]
    assert truth.images.tolist() == [1, 2, 3]


# A data set of its own, whose ids count in another order than those of the truth.
OWN = {
    "images": [{"id": 1, "file_name": "x/b.jpg"}, {"id": 2, "file_name": "x/a.jpg"}],
    "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}],
    "annotations": [
        {"image_id": 2, "category_id": 2, "bbox": [0, 0, 10, 10], "score": 0.9},
        {"image_id": 1, "category_id": 1, "bbox": [50, 50, 10, 10], "score": 0.8},
    ],
}


@pytest.fixture
def truth(tmp_path):
    content = {
        "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]},
            {"image_id": 2, "category_id": 2, "bbox": [50, 50, 10, 10]},
        ],
    }
    return data.read_ground_truth(written(tmp_path / "gt.json", content))


def test_detections_with_lists_of_their_own_are_matched_by_name(tmp_path, truth):
    with pytest.warns(data.InputWarning) as caught:
        found = data.read_detections(written(tmp_path / "dt.json", OWN), truth)

    assert [x.message.finding.code for x in caught] == ["own-images", "own-categories"]
    assert found.images.tolist() == [1, 2]
    assert found.labels.tolist() == [1, 2]
    assert detection.evaluate(truth, found).summary["AP"] == pytest.approx(1)


def test_detections_with_the_lists_of_the_truth_are_read_in_silence(tmp_path, truth):
    own = OWN | {"images": [{"id": 2, "file_name": "b.jpg"}, {"id": 1, "file_name": "a.jpg"}], "categories": []}
    found = data.read_detections(written(tmp_path / "dt.json", own), truth)

    assert found.images.tolist() == [2, 1]


def test_detections_with_an_id_that_their_lists_lack_raise(tmp_path, truth):
    own = OWN | {"images": OWN["images"][:1]}
    with (
        pytest.raises(InputError, match=r"annotations\[0\].image_id: 2 is not among the images of this file"),
        pytest.warns(data.InputWarning),
    ):
        data.read_detections(written(tmp_path / "dt.json", own), truth)


def test_detections_whose_names_the_truth_does_not_know_keep_their_ids(tmp_path, truth):
    own = OWN | {"categories": [{"id": 1, "name": "chat"}, {"id": 2, "name": "chien"}], "images": []}
    found = data.read_detections(written(tmp_path / "dt.json", own), truth)

    assert found.labels.tolist() == [2, 1]


def test_masks_need_no_boxes_and_stray_points_nothing(tmp_path):
    square = [1, 1, 6, 1, 6, 6, 1, 6]
    content = {
        "images": [{"id": 1, "width": 10, "height": 10}],
        "annotations": [
            {"image_id": 1, "category_id": 1, "segmentation": [square, [3, 3]]},
            {"image_id": 1, "category_id": 1, "segmentation": [square, []], "bbox": [0, 0, 2, 2]},
        ],
        "categories": [{"id": 1}],
    }
    truth = data.read_ground_truth(written(tmp_path / "gt.json", content), options=Options(kind="segm"))

    assert truth.targets.masks.area().tolist() == [25, 25]
    np.testing.assert_array_equal(truth.targets.boxes, [[1, 1, 5, 5], [0, 0, 2, 2]])


@pytest.mark.parametrize(("word", "expected"), [("0", False), ("1", True), ("-1", False), ("", False), ("1.0", True)])
def test_groups_of_open_images(tmp_path, word, expected):
    (tmp_path / "gt.csv").write_text(f"ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\na,dog,0,1,0,1,{word}\n")
    assert data.read_ground_truth(tmp_path / "gt.csv").targets.crowd.tolist() == [expected]


@pytest.mark.parametrize("word", ["0.87", "2", "nan"])
def test_other_groups_of_open_images_raise(tmp_path, word):
    (tmp_path / "gt.csv").write_text(f"ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\na,dog,0,1,0,1,{word}\n")
    with pytest.raises(InputError, match=r"line 2, IsGroupOf: expected 0 or 1"):
        data.read_ground_truth(tmp_path / "gt.csv")


@pytest.mark.parametrize("name", ["iscrowd", "ignore"])
def test_flags_of_parquet_are_0_or_1(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {x: [1, 2] for x in ("image_id", "category_id", "x", "y", "width", "height")}
    parquet.write_table(pa.table(columns | {name: [1.0, None]}), tmp_path / "good.parquet")
    parquet.write_table(pa.table(columns | {name: [1.0, 0.87]}), tmp_path / "bad.parquet")

    column = {"iscrowd": "crowd"}.get(name, name)
    truth = data.read_ground_truth(tmp_path / "good.parquet")
    assert getattr(truth.targets, column).tolist() == [True, False]
    with pytest.raises(InputError, match=rf"row 1, {name}: expected 0 or 1, got 0\.87"):
        data.read_ground_truth(tmp_path / "bad.parquet")


def test_lists_that_equal_the_truth_leave_its_ids_though_file_names_repeat(tmp_path):
    images = [{"id": k, "file_name": "1.jpg"} for k in (1, 2)]
    objects = [{"image_id": k, "category_id": 1, "bbox": [0, 0, 10 * k, 10]} for k in (1, 2)]
    content = {"images": images, "annotations": objects, "categories": [{"id": 1, "name": "cat"}]}
    truth = data.read_ground_truth(written(tmp_path / "gt.json", content))
    own = content | {"annotations": [x | {"score": 0.5} for x in objects]}

    assert data.read_detections(written(tmp_path / "dt.json", own), truth).images.tolist() == [1, 2]
