"""Formats are recognised by the content of the files."""

import gzip
import json
import os
import re
import subprocess
import sys

import pytest

from omniou import data
from omniou._inputs.kinds import KINDS
from omniou.data import InputError, MissingLibraryError, OptionError, Options, _files, _formats, _recognise
from tests import places

COCO = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": []}
LVIS = COCO | {"images": [{"id": 1, "neg_category_ids": [], "not_exhaustive_category_ids": []}]}
KITTI = "Car 0 0 0 1 2 3 4 1 1 1 1 1 1 0"

LABELME = {"version": "5.4.1", "flags": {}, "shapes": [], "imagePath": "a.jpg"}
TASK = {"id": 1, "annotations": [], "predictions": [], "data": {"image": "x1.jpg"}}

TRUTHS = {
    "coco": json.dumps(COCO),
    "lvis": json.dumps(LVIS),
    "voc": '<?xml version="1.0"?>\n<annotation/>',
    "text": "cat 1 2 3 4\n0 1 2 3 4 1",
    "yolo": "0 0.5 0.5 1 1\n1 0 0 0.5 0.5",
    "kitti": KITTI,
    "dota": "imagesource:x\ngsd:1\n0 0 1 0 1 1 0 1 plane 0",
    "labelme": json.dumps(LABELME),
    "cvat": '<?xml version="1.0"?>\n<annotations><version>1.1</version><image id="0" name="a.jpg"/></annotations>',
    "label-studio": json.dumps([TASK]),
    "scalabel": '[{"name": "a.jpg", "labels": null}]',
    "activitynet": '{"database": {"x1": {"subset": "validation", "duration": 60, '
    '"annotations": [{"label": "cat", "segment": [3, 9.5]}, {"label": "dog", "segment": [20, 30]}]}}}',
    "language-model": '{"a.jpg": [{"bbox_2d": [1, 2, 3, 4], "label": "cat"}]}',
    "open-images": "ImageID,Source,LabelName,XMin,XMax,YMin,YMax\n",
    "csv": ",filename,width,height,class,xmin,ymin,xmax,ymax\n",
}


@pytest.mark.parametrize(("name", "content"), TRUTHS.items(), ids=TRUTHS)
def test_ground_truth_format_is_recognised(tmp_path, name, content):
    (tmp_path / "set").mkdir()
    path = tmp_path / "set" / "a"
    path.write_text(content, "utf-8")

    name = "coco" if name == "lvis" else name
    assert _recognise.ground_truth(path, "bbox") == name
    assert _recognise.ground_truth(path.parent, "bbox") == name
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf \n" + content.encode()))
    assert _recognise.ground_truth(path, "bbox") == name


@pytest.mark.parametrize(("name", "federated"), [("coco", False), ("lvis", True)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_coco_and_lvis_are_distinguished_in_one_read(tmp_path, monkeypatch, name, federated, pack):
    path = tmp_path / "gt.json"
    path.write_bytes(pack(TRUTHS[name].encode()))
    whole = []
    read_text = _files.read_text
    monkeypatch.setattr(_files, "read_text", lambda path, **how: whole.append(path) or read_text(path, **how))

    truth = data.read_ground_truth(path)
    assert (truth.targets.negative is not None) == federated
    assert whole == [path]
    assert data.read_ground_truth(path, "coco").targets.negative is None


@pytest.fixture
def truth(tmp_path):
    folder = tmp_path / "gt"
    folder.mkdir()
    for name in ("x1", "x2"):
        (folder / f"{name}.txt").write_text("cat 1 2 3 4", "utf-8")
    return data.read_ground_truth(folder)


DETECTIONS = {
    "coco": ("a", "[]"),
    "voc": ("det_cat", "x1 .5 1 2 3 4"),
    "text": ("x1", "cat .5 1 2 3 4"),
    "yolo": ("x1", "0 .5 .5 1 1 .5"),
    "kitti": ("x1", f"{KITTI} 0.5"),
    "dota": ("Task1_cat", "x1 .5 0 0 10 0 10 10 0 10"),
    "labelme": ("x1", json.dumps(LABELME)),
    "cvat": ("a", TRUTHS["cvat"]),
    "label-studio": ("a", json.dumps([TASK])),
    "scalabel": ("a", '{"frames": [{"name": "x1.jpg", "labels": []}]}'),
    "activitynet": ("a", '{"results": {"x1": [{"label": "cat", "segment": [3, 9], "score": 0.5}]}}'),
    "language-model": ("x1", '```json\n[{"box_2d": [1, 2, 300, 400], "label": "cats"}]\n```'),
    "open-images": ("a", "LabelName,ImageID,Confidence,XMin,XMax,YMin,YMax"),
    "csv": ("a", "image_id;label;score;x;y;w;h"),
}


@pytest.mark.parametrize(("name", "file"), DETECTIONS.items(), ids=DETECTIONS)
def test_detections_format_is_recognised(tmp_path, truth, name, file):
    folder = tmp_path / "dt"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "classes.txt").write_text("cat", "utf-8")
    (folder / ".hidden").write_text("{", "utf-8")
    (folder / "empty.txt").write_text("", "utf-8")
    (folder / f"{file[0]}.txt").write_text(file[1], "utf-8")

    assert _recognise.detections(folder, truth, "bbox") == name


def test_every_format_has_a_case():
    assert set(DETECTIONS) == set(_formats.FORMATS) - {"lvis", "parquet"}
    assert set(TRUTHS) == set(_formats.FORMATS) - {"parquet"}


@pytest.mark.parametrize("name", _formats.FORMATS)
def test_every_format_is_declared_and_documented(name):
    declared = _formats.declared(name)

    assert declared.name == name
    for reader in (declared.truth, declared.detections):
        assert set(reader.kinds) <= set(KINDS)
    page = (places.DOCS / "files.md").read_text("utf-8")
    assert f"| `{name}` |" in page


@pytest.mark.parametrize("kind", ["segm", "boundary", "rotated", "polygons", "intervals"])
def test_documented_formats_of_a_kind(kind):
    page = (places.DOCS / "files.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `") and f"`{kind}`" in line.split("|")[1])
    having = {x.name for x in _formats.every() if kind in x.truth.kinds and kind in x.detections.kinds}

    assert set(re.findall("`([^`]*)`", row.split("|")[3])) == having


@pytest.mark.parametrize(
    ("kind", "name"), [("bbox", "text"), ("segm", "yolo"), ("rotated", "dota"), ("polygons", "dota")]
)
def test_empty_text_files_are_of_a_format_that_has_the_kind(tmp_path, truth, kind, name):
    (tmp_path / "dt").mkdir()
    (tmp_path / "dt" / "Task1_cat.txt").write_text("\n", "utf-8")

    assert _recognise.detections(tmp_path / "dt", truth, kind) == name


def test_lvis_reads_detections_as_coco_does(tmp_path):
    (tmp_path / "gt.json").write_text(TRUTHS["lvis"], "utf-8")
    (tmp_path / "dt.json").write_text('[{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}]', "utf-8")
    truth = data.read_ground_truth(tmp_path / "gt.json", "lvis")

    assert data.read_detections(tmp_path / "dt.json", truth, "lvis").boxes.tolist() == [[0, 0, 1, 1]]


def test_read_detections_of_empty_files(tmp_path, truth):
    (tmp_path / "dt").mkdir()
    (tmp_path / "dt" / "x1.txt").write_text("", "utf-8")

    assert data.read_detections(tmp_path / "dt", truth).boxes.shape == (0, 4)


@pytest.mark.parametrize("content", ["a b c", "cat 1 2 3", "0.5 " * 12])
def test_unknown_format_raises(tmp_path, truth, content):
    path = tmp_path / "what.txt"
    path.write_text(content, "utf-8")

    with pytest.raises(InputError, match=r"what\.txt: the format is not recognised from lines such as '.*--gt-format"):
        data.read_ground_truth(path)
    with pytest.raises(InputError, match=r"what\.txt: the format is not recognised from lines such as '.*--dt-format"):
        data.read_detections(path, truth)


def test_yolo_detections_with_score_before_box_raise(tmp_path, truth):
    path = tmp_path / "x1.txt"
    path.write_text("cat 0.94 0.475 0.525 0.885 0.874\ncat .5 .5 .5 .5 .5", "utf-8")

    with pytest.raises(InputError, match=r"x1\.txt: the scores seem to come before the boxes: then --dt-format text"):
        _recognise.detections(path, truth, "bbox")

    path.write_text("cat 0.475 0.525 0.885 0.874 0.94\ncat .5 .5 .5 .5 .5", "utf-8")
    assert _recognise.detections(path, truth, "bbox") == "yolo"


def test_empty_or_missing_path_raises(tmp_path):
    with pytest.raises(InputError, match="the directory has no files"):
        data.read_ground_truth(tmp_path)
    (tmp_path / "a").touch()
    with pytest.raises(InputError, match="a: the file is empty"):
        data.read_ground_truth(tmp_path / "a")
    with pytest.raises(InputError, match="b: no such file"):
        data.read_ground_truth(tmp_path / "b")


def test_unreadable_directory_raises(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)

    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        data.read_ground_truth(tmp_path)


def test_unknown_format_name_raises(tmp_path):
    with pytest.raises(OptionError, match=r"`format` must be one of 'coco', .* got 'cocoo'"):
        data.read_ground_truth(tmp_path, "cocoo")


def test_boxes_option_for_format_with_named_coordinates_raises(tmp_path):
    with pytest.raises(OptionError, match="`boxes` is for formats whose coordinates have no names: 'voc'"):
        data.read_ground_truth(tmp_path, "voc", Options(boxes="xywh"))


@pytest.mark.parametrize(
    ("name", "library", "options"), [("voc", "defusedxml", {}), ("yolo", "PIL", {"images": "there"})]
)
def test_missing_library_raises_before_reading(tmp_path, monkeypatch, name, library, options):
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(MissingLibraryError, match=f"needs {library}: pip install"):
        data.read_ground_truth(tmp_path, name, Options(**options))


@pytest.mark.parametrize("lacking", ["numpy", "msgspec"])
def test_import_of_data_without_extra_names_it(lacking):
    code = f"import sys; sys.modules[{lacking!r}] = None; from omniou import data"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert f'omniou.data needs {lacking}: pip install ".[cli]" in a clone of omniou' in done.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("labelme", '{"flags": {}, "imageData": "' + "A" * 70000 + '", "shapes": []}'),
        ("label-studio", '[{"id": 1, "annotations": [{"id": 1, "result": [' + '{"id": "x"},' * 7000),
        ("label-studio", '[{"id": 1, "bbox": [{"x": 1, "original_width": 10}], "image": "a.jpg"}]'),
        ("scalabel", '[{"name": "a.jpg"}, {"name": "b.jpg"}]'),
        ("scalabel", '{"frames": [{"name": "a.jpg"}]}'),
        ("coco", '{"info": {"description": "shapes"}, "images": [], "annotations": []}'),
        ("coco", "[]"),
        ("activitynet", '{"version": "1.3", "taxonomy": [{"nodeName": "a"}, ' + '{"nodeName": "b"},' * 7000),
        ("activitynet", '{"database": {"v.1": {"duration": 3, "subset": "test"}}}'),
        ("activitynet", '{"version": "1.3", "results": {"v.1": [{"score": 1'),
        ("cvat", "<annotations>\n  <version>1.1</version>\n  <image id='0'>"),
        ("voc", "<!-- annotations image --><annotation><folder>a</folder>"),
        ("csv", '"File Name";"Label Name";"X-Min";"Y-Min";"X-Max";"Y-Max"'),
    ],
)
def test_json_xml_and_tables_are_told_apart(tmp_path, name, content):
    (tmp_path / "a").write_text(content, "utf-8")

    assert _recognise.by_start(tmp_path / "a") == name


@pytest.mark.parametrize("start", [b"PAR1\x15\x04,\r\x15,", b"ARROW1\0\0,\r,", b"\xff\xff\xff\xff,\r,x"])
def test_binary_files_are_no_tables(tmp_path, start):
    (tmp_path / "a").write_bytes(start)

    assert _recognise.by_start(tmp_path / "a") == "parquet"
