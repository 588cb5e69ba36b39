"""`image_set`, a list of the images to read, for formats with a file for each image."""

import json

import pytest

from omniou import data
from omniou.data import InputError, InputWarning, Options

XML = (
    "<annotation><object><name>cat</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox>"
    "</object></annotation>"
)
# Ending and content of a file of each format.
CONTENTS = {
    "voc": ("xml", XML),
    "text": ("txt", "cat 1 2 3 4"),
    "yolo": ("txt", "0 .5 .5 .5 .5"),
    "kitti": ("txt", "cat 0 0 0 1 2 3 4 1 1 1 1 1 1 0"),
    "dota": ("txt", "1 2 3 2 3 4 1 4 cat 0"),
}
LISTS = {
    "names": "x3\nx1\n",
    "flags of a class": "x1 -1\nx3  1\n\nx3  0\n",
    "paths": "./images/val/x1.jpg\nimages/val/x3.png",
}


@pytest.fixture
def write(tmp_path):
    def write(folder, **files):
        (tmp_path / folder).mkdir(exist_ok=True)
        for name, content in files.items():
            (tmp_path / folder / name.replace("__", ".")).write_text(content, "utf-8")
        return tmp_path / folder

    return write


@pytest.fixture
def chosen(write):
    def chosen(content):
        return Options(image_set=write("sets", val__txt=content) / "val.txt")

    return chosen


@pytest.mark.parametrize("names", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("format", CONTENTS)
def test_image_set_reads_listed_images_only(write, chosen, format, names):
    ending, content = CONTENTS[format]
    # x2 is invalid, and must not be read.
    folder = write("gt", **{f"{x}__{ending}": content for x in ("x1", "x3")}, **{f"x2__{ending}": "<bad"})
    truth = data.read_ground_truth(folder, format, chosen(names))

    assert truth.image_names == {0: "x1", 1: "x3"}
    assert truth.targets.images.tolist() == [0, 1]
    assert truth.images.tolist() == [0, 1]


@pytest.mark.parametrize("format", CONTENTS)
def test_image_set_with_image_without_file_raises(write, chosen, format):
    ending, content = CONTENTS[format]
    folder = write("gt", **{f"x1__{ending}": content})

    with pytest.raises(InputError, match=r"val\.txt: line 3: 'x2' has no file in .*gt$"):
        data.read_ground_truth(folder, format, chosen("x1\n\nx2"))


def test_image_set_with_yolo_image_without_labels(write, chosen):
    folder = write("labels", x1__txt="0 .5 .5 .5 .5")
    write("images", x2__jpg="", x3__jpg="")
    options = chosen("x1\nx2")
    truth = data.read_ground_truth(folder, "yolo", Options(image_set=options.image_set, image_size=(10, 10)))

    assert truth.image_names == {0: "x1", 1: "x2"}


def test_image_set_leaves_out_other_detections_with_warning(write, chosen):
    folder = write("gt", x1__xml=XML, x2__xml=XML)
    truth = data.read_ground_truth(folder, options=chosen("x1"))
    detections = write("dt", det_cat__txt="x1 .5 1 2 3 4\nx2 .5 1 2 3 4")

    with pytest.warns(InputWarning, match="dt: 1 detection excluded: 'x2' not among the images of"):
        assert len(data.read_detections(detections, truth).scores) == 1


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_empty_image_set_raises(write, chosen, content):
    with pytest.raises(InputError, match=r"val\.txt: the file is empty; the name of an image in each line was"):
        data.read_ground_truth(write("gt", x1__xml=XML), options=chosen(content))


def test_missing_image_set_raises(write, tmp_path):
    with pytest.raises(InputError, match=r"none: no such file"):
        data.read_ground_truth(write("gt", x1__xml=XML), options=Options(image_set=tmp_path / "none"))


def test_image_set_of_open_images(write, chosen):
    rows = "ImageID,LabelName,XMin,XMax,YMin,YMax\nx1,cat,0,1,0,1\nx2,dog,0,1,0,1"
    truth = data.read_ground_truth(write("gt", a__csv=rows) / "a.csv", options=chosen("x2"))

    assert (truth.image_names, truth.targets.labels.tolist()) == ({1: "x2"}, [1])


@pytest.mark.parametrize("names", ["val/b.jpg", "b", "7"])
def test_image_set_of_coco_by_name_or_id(tmp_path, chosen, names):
    box = {"category_id": 1, "bbox": [0, 0, 9, 9]}
    truth = {
        "images": [{"id": 5, "file_name": "a.jpg"}, {"id": 7, "file_name": "b.jpg", "height": 4, "width": 6}],
        "annotations": [box | {"image_id": 5}, box | {"image_id": 7, "area": 3, "ignore": 1}],
        "categories": [{"id": 1}],
    }
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "found.json").write_text(json.dumps([box | {"image_id": k, "score": 0.5} for k in (5, 7)]))

    read = data.read_ground_truth(tmp_path / "truth.json", options=chosen(names))

    assert (read.images.tolist(), read.image_names, read.sizes.tolist()) == ([7], {7: "b.jpg"}, [[4, 6]])
    assert (read.targets.area.tolist(), read.flagged.tolist()) == ([3], [True])
    with pytest.warns(InputWarning, match="1 detection excluded: 5 not among the images"):
        assert len(data.read_detections(tmp_path / "found.json", read).scores) == 1
    with pytest.raises(InputError, match=r"line 1: 'c' is not among the images of"):
        data.read_ground_truth(tmp_path / "truth.json", options=chosen("c"))
