"""`image_set`, a list of the images to read, for formats with a file for each image."""

import pytest

from omniou import data
from omniou.data import InputError, InputWarning, OptionError, Options

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

    with pytest.warns(InputWarning, match="dt: 1 detections left out: 'x2' not among the images of"):
        assert len(data.read_detections(detections, truth).scores) == 1


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_empty_image_set_raises(write, chosen, content):
    with pytest.raises(InputError, match=r"val\.txt: the file is empty; the name of an image in each line was"):
        data.read_ground_truth(write("gt", x1__xml=XML), options=chosen(content))


def test_missing_image_set_raises(write, tmp_path):
    with pytest.raises(InputError, match=r"none: no such file"):
        data.read_ground_truth(write("gt", x1__xml=XML), options=Options(image_set=tmp_path / "none"))


def test_image_set_for_open_images_raises(write, chosen):
    path = write("gt", a__csv="ImageID,LabelName,XMin,XMax,YMin,YMax\nx1,cat,0,1,0,1") / "a.csv"

    with pytest.raises(OptionError, match=r"`image_set` is for .* have a file for each image: 'open-images' has not"):
        data.read_ground_truth(path, options=chosen("x1"))
