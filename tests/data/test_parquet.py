"""Reading Parquet and Arrow tables by the names of their columns."""

import struct
import sys

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, MissingLibraryError, OptionError, Options
from omniou.data._dispatch import check

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")

TRUTH = {
    "image_id": ["b", "a", "a", "c"],
    "category_id": [7, 2, 7, None],
    "x": [1, 0, 5, None],
    "y": [2, 0, 5, None],
    "width": [3, 10, 2, None],
    "height": [4, 10, 2.5, None],
    "iscrowd": [0, 1, None, None],
    "area": [None, 50.5, 6, None],
    "other": [None, "x", "y", "z"],
}
DETECTIONS = {
    "score": [0.5, 0.25],
    "image_id": ["c", "a"],
    "category_id": [2, 7],
    "xmin": [1.0, 2.0],
    "ymin": [1.0, 2.0],
    "xmax": [5.0, 7.0],
    "ymax": [3.0, 9.0],
}


def to_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def to_file(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


@pytest.fixture
def write(tmp_path):
    def write(name, columns, to=pq.write_table):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        to(pa.table(columns), str(path))
        return path

    return write


@pytest.mark.parametrize("to", [pq.write_table, to_file, to_stream])
def test_read_ground_truth_columns(write, to):
    truth = data.read_ground_truth(write("truth.bin", TRUTH, to))

    assert truth.format == "xywh"
    assert truth.image_names == {0: "a", 1: "b", 2: "c"}
    assert truth.images.tolist() == [0, 1, 2]
    assert truth.categories == {2: "2", 7: "7"}
    assert truth.targets.images.tolist() == [1, 0, 0]
    assert truth.targets.labels.tolist() == [7, 2, 7]
    assert truth.targets.boxes.tolist() == [[1, 2, 3, 4], [0, 0, 10, 10], [5, 5, 2, 2.5]]
    assert truth.targets.crowd.tolist() == [False, True, False]
    assert truth.targets.area.tolist() == [12, 50.5, 6]
    assert truth.targets.ignore is None


def test_read_detections_columns(write):
    truth = data.read_ground_truth(write("truth.parquet", TRUTH))
    detections = data.read_detections(write("detections.parquet", DETECTIONS), truth)

    assert detections.images.tolist() == [2, 0]
    assert detections.labels.tolist() == [2, 7]
    assert detections.scores.tolist() == [0.5, 0.25]
    assert detections.boxes.tolist() == [[1, 1, 4, 2], [2, 2, 5, 7]]


def test_read_ids_of_other_dtypes(write):
    images = pa.array([300, 200, 300, 100], type=pa.uint16())
    classes = pa.array(["dog", "cat", "dog", "dog"]).dictionary_encode()
    columns = TRUTH | {"image_id": images, "category_id": classes, "x": [0] * 4, "y": [0] * 4}
    columns |= {"width": [1] * 4, "height": pa.array([1] * 4, pa.int8()), "ignore": [True, None, False, True]}
    truth = data.read_ground_truth(write("truth.parquet", columns))

    assert truth.images.tolist() == [100, 200, 300]
    assert truth.categories == {0: "cat", 1: "dog"}
    assert truth.targets.labels.tolist() == [1, 0, 1, 1]
    assert truth.targets.ignore.tolist() == [True, False, False, True]
    detections = data.read_detections(
        write("detections.parquet", DETECTIONS | {"image_id": [100, 300], "category_id": ["cat", "dog"]}), truth
    )
    assert detections.images.tolist() == [100, 300]
    assert detections.labels.tolist() == [0, 1]


def test_read_ground_truth_with_classes_file(write, tmp_path):
    (tmp_path / "names.txt").write_text("\n".join("abcdefgh"), "utf-8")
    truth = data.read_ground_truth(write("truth.parquet", TRUTH), options=Options(classes=tmp_path / "names.txt"))

    assert truth.categories[7] == "h"
    assert truth.targets.labels.tolist() == [7, 2, 7]


def test_read_detections_from_directory_of_shards(write, tmp_path):
    truth = data.read_ground_truth(write("truth.parquet", TRUTH))
    write("dt/b.arrow", DETECTIONS, to_file)
    write("dt/a.parquet", {name: DETECTIONS[name] for name in reversed(DETECTIONS)} | {"score": [1, 2]})

    assert data.read_detections(tmp_path / "dt", truth).scores.tolist() == [1, 2, 0.5, 0.25]

    write("dt/c.parquet", DETECTIONS | {"image_id": ["a", "z"]})
    with pytest.raises(InputError, match=r"c\.parquet: row 1, image_id: 'z' is not among the images of .*truth\.parq"):
        data.read_detections(tmp_path / "dt", truth)
    write("dt/c.parquet", DETECTIONS | {"image_id": [1, 2]})
    with pytest.raises(InputError, match="dt: the columns of the files do not fit together"):
        data.read_detections(tmp_path / "dt", truth)


def without(*names, **more):
    return {name: x for name, x in TRUTH.items() if name not in names} | more


BAD = {
    "no image": (without("image_id"), "column image_id: missing; there are category_id, x, y, "),
    "box by another name": (without("width") | {"box": [[1, 2, 3, 4]] * 4}, ".*is it 'box'\\? Rename it"),
    "no box": (without("width"), "columns of a box are missing: x, y, width, height or xmin, ymin, xmax, ymax"),
    "null image": (without(image_id=["b", None, "a", "c"]), "row 1, image_id: missing"),
    "null class": (without(category_id=[7, 2, None, None]), "row 2, category_id: missing"),
    "null corner": (without(x=[1, None, 5, None]), "row 1, x: expected finite number, got nan"),
    "float image": (without(image_id=[0.5, 1, 1, 1]), "row 0, image_id: expected integer, got 0.5"),
    "string box": (without(y=["1", "2", "3", None]), "column y: expected numbers, got string"),
    "list box": (without(y=[[1], [2], [3], None]), "column y: expected numbers, got list<"),
    "word": (without(y=["a", "2", "3", None]), "column y: expected numbers, got string"),
    "huge": (without(width=[1, 1, 1e200, None]), r"row 2, width: expected number within 1e\+150, got 1e\+200"),
    "area": (without(area=[1, float("inf"), 1, 1]), "row 1, area: expected finite number, got inf"),
}


@pytest.mark.parametrize(("columns", "message"), BAD.values(), ids=BAD)
def test_read_ground_truth_of_invalid_columns_raises(write, columns, message):
    with pytest.raises(InputError, match=rf"truth\.parquet: {message}"):
        data.read_ground_truth(write("truth.parquet", columns))


BAD_DETECTIONS = {
    "no score": ({"score": None}, "column score: missing; there are"),
    "null score": ({"score": [1, None]}, "row 1, score: missing: 1 of 2 detections have one"),
    "class": ({"category_id": [2, 3]}, None),
    "image": ({"image_id": ["a", "q"]}, "row 1, image_id: 'q' is not among the images of .*truth"),
}


@pytest.mark.parametrize(("change", "message"), BAD_DETECTIONS.values(), ids=BAD_DETECTIONS)
def test_read_detections_of_invalid_columns(write, change, message):
    truth = data.read_ground_truth(write("truth.parquet", TRUTH))
    detections = write("detections.parquet", {name: x for name, x in (DETECTIONS | change).items() if x is not None})

    if message is None:
        with pytest.warns(data.InputWarning, match="1 detection excluded: 3 not among the categories"):
            data.read_detections(detections, truth)
    else:
        with pytest.raises(InputError, match=rf"detections\.parquet: {message}"):
            data.read_detections(detections, truth)


@pytest.mark.parametrize("magic", [b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"])
def test_read_ground_truth_of_damaged_file_raises(tmp_path, magic):
    (tmp_path / "a").write_bytes(magic + b"\0" * 64)

    with pytest.raises(InputError, match="a: not a file of Parquet or Arrow, or damaged"):
        data.read_ground_truth(tmp_path / "a")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (struct.pack("<3i", 0, 2, 4), struct.pack("<3i", 0, 2, 2**30)),
        (b"category_id", b"categ\xd6ry_id"),
    ],
    ids=["text that ends beyond the file", "column name that is not UTF-8"],
)
def test_read_ground_truth_of_damaged_content_raises(write, before, after):
    path = write("truth.arrow", TRUTH | {"image_id": ["aa"] * len(TRUTH["image_id"])}, to_file)
    data_before = path.read_bytes()
    assert before in data_before
    path.write_bytes(data_before.replace(before, after))

    with pytest.raises(InputError, match=r"truth\.arrow: not a file of Parquet or Arrow, or damaged"):
        data.read_ground_truth(path)


def test_read_ground_truth_from_empty_directory_raises(tmp_path):
    with pytest.raises(InputError, match="the directory has no files that end in"):
        data.read_ground_truth(tmp_path, "parquet")


def test_missing_pyarrow_raises(monkeypatch, write):
    path = write("truth.parquet", TRUTH)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingLibraryError, match=r'needs pyarrow: pip install "\.\[parquet\]" in a clone'):
        data.read_ground_truth(path)
    with pytest.raises(MissingLibraryError, match=r"truth\.parquet: needs pyarrow: pip install"):
        check(path, path)


@pytest.mark.parametrize("kind", ["list_(pa.float64())", "list_(pa.float32(), 4)", "large_list(pa.int64())"])
def test_boxes_in_a_list_column(tmp_path, kind):
    boxes = pa.array([[1, 2, 5, 8], [0, 0, 2, 4]], type=eval(f"pa.{kind}"))  # noqa: S307
    table = pa.table({"image_id": ["a", "b"], "category_id": ["cat", "cat"], "bbox": boxes})
    pq.write_table(table, tmp_path / "gt.parquet")
    truth = data.read_ground_truth(tmp_path / "gt.parquet")
    assert (truth.format, np.asarray(truth.targets.boxes).tolist()) == ("xywh", [[1, 2, 5, 8], [0, 0, 2, 4]])
    truth = data.read_ground_truth(tmp_path / "gt.parquet", options=Options(boxes="xyxy"))
    assert (truth.format, np.asarray(truth.targets.boxes).tolist()) == ("xyxy", [[1, 2, 5, 8], [0, 0, 2, 4]])


LISTS = {
    "five numbers": ({"bbox": [[1, 2, 3, 4, 5]]}, "row 0, bbox: expected 4 numbers, got 5"),
    "boxes of an image": (
        {"bbox": [[[1, 2, 3, 4]]]},
        "column bbox: has a list of boxes in each row: write a row for each",
    ),
    "text": ({"bbox": ["1 2 3 4"]}, "column bbox: expected lists of 4 numbers, got string"),
    "another name": ({"label": [1], "bbox": [[1, 2, 3, 4]]}, "column category_id: missing.*is it 'label'"),
    "objects": ({"objects": [{"bbox": [[1, 2, 3, 4]], "category": [1]}]}, r"a row for each image, .*\(Hugging Face\)"),
}


@pytest.mark.parametrize(("columns", "fault"), LISTS.values(), ids=LISTS)
def test_other_lists_are_named(tmp_path, columns, fault):
    known = {"image_id": [1]} | ({} if columns.keys() & {"label", "objects"} else {"category_id": [1]})
    pq.write_table(pa.table(known | columns), tmp_path / "gt.parquet")
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(tmp_path / "gt.parquet")


def test_order_is_for_lists_only(tmp_path):
    columns = {"image_id": [1], "category_id": [1], "x": [1], "y": [1], "width": [2], "height": [2]}
    pq.write_table(pa.table(columns), tmp_path / "gt.parquet")
    with pytest.raises(OptionError, match="`boxes` 'xyxy' is for the numbers of a list column bbox"):
        data.read_ground_truth(tmp_path / "gt.parquet", options=Options(boxes="xyxy"))


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="this Arrow has no views of strings")
def test_ids_as_views_of_strings(tmp_path):
    ids = pa.array(["a", "b"]).cast(pa.string_view())  # as Polars writes them
    table = pa.table({"image_id": ids, "category_id": ids, "x": [1, 1], "y": [1, 1], "width": [2, 2], "height": [2, 2]})
    with pa.ipc.new_file(str(tmp_path / "gt.arrow"), table.schema) as sink:
        sink.write_table(table)
    truth = data.read_ground_truth(tmp_path / "gt.arrow")
    assert (truth.image_names, truth.categories) == ({0: "a", 1: "b"}, {0: "a", 1: "b"})
