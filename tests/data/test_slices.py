"""Which images are in which slice: a CSV file beside a ground truth."""

import json
import warnings

import pytest

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import data


@pytest.fixture
def truth(tmp_path):
    images = [{"id": k, "file_name": f"city/{k}.jpg", "width": 9, "height": 9} for k in (10, 11, 12)]
    box = {"id": 1, "image_id": 10, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
    content = {"images": images, "categories": [{"id": 1, "name": "cat"}], "annotations": [box]}
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(content), "utf-8")
    return data.read_ground_truth(path)


@pytest.fixture
def read(tmp_path, truth):
    def read(text, **options):
        path = tmp_path / "slices.csv"
        path.write_text(text, options.get("encoding", "utf-8"))
        return data.read_slices(path, truth)

    return read


def test_columns_are_ways_to_slice(read):
    found = read("camera,Image,time\nleft,city/10.jpg,day\nright,11.jpg,night\nleft,12,day\n")
    assert found == {"camera": {"left": [10, 12], "right": [11]}, "time": {"day": [10, 12], "night": [11]}}


def test_an_image_may_be_in_several_slices(read):
    found = read("file_name;tag\n10.jpg;rain\n10.jpg;night\n11.jpg;night\n12.jpg;dry\n")
    assert found == {"tag": {"dry": [12], "night": [10, 11], "rain": [10]}}


def test_what_is_left_out_is_told(read):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read("image,time\n10.jpg,day\n11.jpg,\n77.jpg,day\n")
    assert found == {"time": {"day": [10]}}
    first, second = (str(x.message) for x in caught)
    assert "1 row excluded: '77.jpg' not among the images of" in first
    assert "2 of 3 images are in no slice of the column 'time'" in second


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: no column of the image and of slices among the fields"),
        ("10.jpg,day\n11.jpg,night\n", r"line 1: no column of the image .* begin with a header such as image,time"),
        ("image\n10.jpg\n", "line 1: no column of the image and of slices"),
        ("image,time,time\n10.jpg,a,b\n", "line 1: columns must have names of their own, got 'time' twice"),
        ("image,time\n", "no rows below the header"),
        ("image,time\n10.jpg,day,left\n", "line 2: 3 fields, and the header has 2"),
        ("image,time\n,day\n", "line 2, image: missing"),
        ('image,time\n10.jpg,"day\n', "not valid CSV"),
        ("image,time\n10.jpg,\n", "column 'time': no image has a value"),
        ("image,time\nx.jpg,day\n", r"none of the images \('x.jpg'\) is in"),
    ],
)
def test_files_that_are_no_slices_are_refused(read, text, words):
    with pytest.raises(data.InputError, match=words):
        read(text)


def test_a_name_of_several_images_is_refused(tmp_path):
    images = [{"id": k, "file_name": f"{k}/a.jpg", "width": 9, "height": 9} for k in (1, 2)]
    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
    content = {"images": images, "categories": [{"id": 1, "name": "cat"}], "annotations": [box]}
    (tmp_path / "truth.json").write_text(json.dumps(content), "utf-8")
    (tmp_path / "slices.csv").write_text("image,time\na.jpg,day\n", "utf-8")
    with pytest.raises(data.InputError, match=r"line 2, image: 'a.jpg' fits 2 names equally well"):
        data.read_slices(tmp_path / "slices.csv", data.read_ground_truth(tmp_path / "truth.json"))
