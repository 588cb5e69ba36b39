"""Flags, such as iscrowd and difficult, as programs write them: 0, False, "false", no."""

import json

import pytest

from omniou import data
from omniou.data import InputError

WORDS = {"0": False, "1": True, "False": False, "True": True, "false": False, "yes": True, "no": False, "1.0": True}
VALUES = WORDS | {False: False, True: True, None: False}  # 0 and 1, as JSON has them, are the same keys

OUTSIDE = "<annotation><object><name>cat</name><difficult>{}</difficult><bndbox><xmin>1</xmin><ymin>1</ymin>"
VOC = OUTSIDE + "<xmax>3</xmax><ymax>3</ymax></bndbox></object></annotation>"
CVAT = (
    '<annotations><version>1.1</version><image id="0" name="a.jpg"><box label="cat" xtl="1" ytl="1" xbr="3" ybr="3">'
    '<attribute name="{}">{}</attribute></box></image></annotations>'
)
TEXTS = {
    "csv": ("image,class,x,y,w,h,difficult\na.jpg,cat,1,1,2,2,{}", "ignore"),
    "csv of crowds": ("image;class;x;y;w;h;iscrowd\na.jpg;cat;1;1;2;2;{}", "crowd"),
    "csv of ignored": ("image,class,x,y,w,h,ignore\na.jpg,cat,1,1,2,2,{}", "ignore"),
    "open images": ("ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\na,cat,0,1,0,1,{}", "crowd"),
    "voc": (VOC, "ignore"),
    "cvat": (CVAT.replace("{}", "difficult", 1), "ignore"),
    "cvat of crowds": (CVAT.replace("{}", "is_crowd", 1), "crowd"),
    "text": ("cat 1 1 3 3 {}", "ignore"),
    "dota": ("1 1 3 1 3 3 1 3 cat {}", "ignore"),
}


def flags(path, column):
    return getattr(data.read_ground_truth(path).targets, column).tolist()


@pytest.mark.parametrize(("text", "column"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(("word", "expected"), WORDS.items())
def test_words_of_flags(tmp_path, text, column, word, expected):
    (tmp_path / "a.txt").write_text(text.format(word), "utf-8")
    assert flags(tmp_path / "a.txt", column) == [expected]


def coco(value):
    record = {"image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2], "iscrowd": value}
    return {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [record]}


def labelme(value):
    shape = {"label": "cat", "points": [[1, 1], [3, 3]], "shape_type": "rectangle", "difficult": value}
    return {"version": "1", "shapes": [shape], "imageData": None}


def scalabel(value):
    box = {"category": "cat", "box2d": {"x1": 1, "y1": 1, "x2": 3, "y2": 3}, "attributes": {"crowd": value}}
    return [{"name": "a.jpg", "labels": [box]}]


RECORDS = {"coco": (coco, "crowd"), "labelme": (labelme, "ignore"), "scalabel": (scalabel, "crowd")}


@pytest.mark.parametrize(("made", "column"), RECORDS.values(), ids=RECORDS)
@pytest.mark.parametrize(("value", "expected"), VALUES.items())
def test_values_of_flags(tmp_path, made, column, value, expected):
    (tmp_path / "a.json").write_text(json.dumps(made(value)), "utf-8")
    assert flags(tmp_path / "a.json", column) == [expected]


@pytest.mark.parametrize("made", [x for x, _ in RECORDS.values()], ids=RECORDS)
@pytest.mark.parametrize("value", ["maybe", 2])
def test_values_that_are_no_flags_raise(tmp_path, made, value):
    (tmp_path / "a.json").write_text(json.dumps(made(value)), "utf-8")
    with pytest.raises(InputError, match=f"(iscrowd|difficult|crowd): expected (0 or 1|true or false), got .?{value}"):
        data.read_ground_truth(tmp_path / "a.json")


@pytest.mark.parametrize("name", ["iscrowd", "is_crowd", "ignore", "difficult"])
@pytest.mark.parametrize("values", [[True, False], [1, 0], ["True", "False"]])
def test_columns_of_flags(tmp_path, name, values):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"image_id": [1, 2], "category_id": [1, 1], "x": [1, 1], "y": [1, 1], "width": [2, 2], "height": [2, 2]}
    parquet.write_table(pa.table(columns | {name: values}), tmp_path / "gt.parquet")
    assert flags(tmp_path / "gt.parquet", "crowd" if "crowd" in name else "ignore") == [True, False]


@pytest.mark.parametrize("name", ["is_crowd", "isCrowd", "crowd"])
def test_crowds_by_another_name_are_told(tmp_path, name):
    content = coco(0)
    content["annotations"][0][name] = content["annotations"][0].pop("iscrowd")
    (tmp_path / "a.json").write_text(json.dumps(content), "utf-8")
    with pytest.warns(data.InputWarning, match=f"annotations have '{name}' and no iscrowd: omniou reads no crowds"):
        data.read_ground_truth(tmp_path / "a.json")
