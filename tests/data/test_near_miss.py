"""Lines and files that no reader takes are named as what they most likely are, with the way out."""

import json

import pytest

from omniou import data
from omniou.data import InputError, Options
from omniou.data._errors import MISSING_SCORES


@pytest.fixture
def truth(tmp_path):
    (tmp_path / "gt.txt").write_text("cat 1 2 30 40\ndog 1 2 30 40", "utf-8")
    return data.read_ground_truth(tmp_path / "gt.txt")


NO_SCORE, SCORE = f"no score: {MISSING_SCORES}", "a score: are these the detections?"
KITTI = "Car 0 0 0 1 2 3 4 1 1 1 1 1 1 0"
TABLE = "commas between the fields: replace them by blanks, or name the columns in a first line such as image,class,"
LINES = {
    "commas": ("cat,1,2,3,4", TABLE, TABLE),
    "commas and blanks": ("cat, 0.9, 1, 2, 3, 4", TABLE, TABLE),
    "csv without a header": ("a.jpg,1,2,3,4,cat", TABLE, TABLE),
    "semicolons": ("cat;0.9;1;2;3;4", "semicolons between", "semicolons between"),
    "decimal commas": ("0 0,5 0,5 0,2 0,2", "numbers have a point, not a comma", "numbers have a point"),
    "blanks": (
        "traffic light 0.9 1 2 3 4",
        "a name with blanks, 'traffic light': write 'traffic_light'",
        "a name with blanks, 'traffic light': write 'traffic_light'",
    ),
    "blanks at the end": (
        "0 0 9 0 9 9 0 9 storage tank 0",
        "a name with blanks, 'storage tank': write 'storage_tank'",
        "a name with blanks, 'storage tank'",
    ),
    "track": ("cat .9 1 2 30 40 7", "the last, '7', looks like a track id", "the last, '7', looks like a track id"),
    "score at the end": ("cat .9 1 2 30 40 .7", "the last, '.7', looks like a score", "'.7', looks like a score"),
    "motchallenge": ("1,7,10,20,30,40,1,-1,-1,-1", "a track of MOTChallenge", "--kind tracks"),
    "image first": ("a.jpg cat .9 1 2 3 4", "the first, 'a.jpg', is an image; files", "'a.jpg', is an image; files"),
    "header": ("class x1 y1 x2 y2", "the names of columns: remove this line", "the names of columns: remove"),
    "corners in pixels": (
        "0 100 200 300 200 300 400 100 400",
        "four corners in pixels: YOLO's are fractions",
        "four corners in pixels: YOLO's are fractions",
    ),
    "text": ("cat 1 2 3 4", None, NO_SCORE),
    "yolo": ("0 .5 .5 .2 .2", None, NO_SCORE),
    "polygon": ("0 .1 .1 .2 .1 .2 .2", None, NO_SCORE),
    "kitti": (KITTI, None, NO_SCORE),
    "dota": ("0 0 9 0 9 9 0 9 plane 0", None, NO_SCORE),
    "kitti with score": (f"{KITTI} .5", "the last is a score: are these the detections?", None),
    "difficult": ("cat 10 20 30 40 1", None, "end in a mark of difficult objects: is this the ground truth?"),
    "score": ("cat .9 10 20 30 40", "looks like a score: are these the detections?", None),
    "detections of dota": ("P1 .9 0 0 9 0 9 9 0 9", SCORE, None),
}


@pytest.mark.parametrize(("line", "in_truth", "in_detections"), LINES.values(), ids=LINES)
def test_lines_that_are_no_ground_truth_or_no_detections(tmp_path, truth, line, in_truth, in_detections):
    path = tmp_path / "a.txt"
    path.write_text(f"\n{line}\n{line}\n", "utf-8")

    for hint, read in ((in_truth, data.read_ground_truth), (in_detections, lambda x: data.read_detections(x, truth))):
        if hint is not None:
            with pytest.raises(InputError) as error:
                read(path)
            assert hint in str(error.value)
            assert "names it" not in str(error.value)


def test_first_line_that_does_not_fit_is_named(tmp_path, truth):
    path = tmp_path / "gt.txt"
    path.write_text("cat 1 2 3 4\ncat 1 2 3 4\ntraffic light 1 2 3 4", "utf-8")
    with pytest.raises(
        InputError, match=r"line 3, x1: expected number, got 'light': a name with blanks, 'traffic light'"
    ):
        data.read_ground_truth(path)
    path.write_text("cat .5 1 2 3 4\ncat 1 2 3 4", "utf-8")
    with pytest.raises(
        InputError, match=r"line 2: expected class score x1 y1 x2 y2, got 5 fields: 1 of 2 lines have a"
    ):
        data.read_detections(path, truth)
    path.write_text("cat .5 1 2 3 4\ncat .5 1 2 3 4 17", "utf-8")
    with pytest.raises(InputError, match=r"line 2: expected .*, got 7 fields: a field too many: the last, '17', looks"):
        data.read_detections(path, truth)


IMAGES = {"images": [{"id": 1, "width": 9, "height": 9}], "categories": [{"id": 1, "name": "cat"}]}
OBJECT = {"image_id": 1, "category_id": 1}
BOX, POLYGON = {"bbox": [0, 0, 1, 1]}, {"segmentation": [[0, 0, 4, 0, 4, 4]]}
FILES = {
    "masks as boxes": (IMAGES | {"annotations": [OBJECT | POLYGON]}, "bbox", "bbox: missing: --kind segm reads masks"),
    "boxes as masks": (IMAGES | {"annotations": [OBJECT | BOX]}, "segm", "segmentation: missing: --kind bbox reads"),
    "panoptic": (
        {"annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": []}]} | IMAGES,
        "bbox",
        "is a panoptic segmentation of COCO: --kind panoptic reads it",
    ),
    "via": (
        {"a.jpg12": {"filename": "a.jpg", "size": 12, "regions": [{"shape_attributes": {"name": "rect"}}]}},
        "bbox",
        r"VGG Image Annotator \(VIA\), which are not read: export COCO's format there",
    ),
    "via project": ({"_via_settings": {}, "_via_img_metadata": {}}, "bbox", "VIA.*: export COCO's format"),
    "supervisely": (
        {
            "size": {"height": 9, "width": 9},
            "objects": [{"classTitle": "cat", "points": {"exterior": [[1, 1], [2, 2]]}}],
        },
        "bbox",
        "JSON of Supervisely, which is not read: the app Export to COCO",
    ),
    "datumaro": (
        {"infos": {}, "categories": {"label": {"labels": []}}, "items": [{"id": "a", "annotations": []}]},
        "bbox",
        "JSON of Datumaro, which is not read: `datum convert -if datumaro -f coco`",
    ),
    "other lists": (
        {"asset": {"name": "a.jpg"}, "regions": []},
        "bbox",
        "images: missing: the file has 'asset', 'regions', and COCO's ground truth has images",
    ),
    "file for id": (
        IMAGES | {"annotations": [{"file_name": "a.jpg", "category_id": 1} | BOX]},
        "bbox",
        r"annotations\[0\].image_id: missing: is it 'file_name'\? Rename it",
    ),
    "createml": (
        [{"image": "a.jpg", "annotations": [{"label": "cat", "coordinates": {"x": 1, "y": 1}}]}],
        "bbox",
        "JSON of Apple's CreateML, which is not read: convert it to COCO's format",
    ),
}


@pytest.mark.parametrize(("content", "kind", "fault"), FILES.values(), ids=FILES)
def test_json_of_another_kind_or_tool(tmp_path, content, kind, fault):
    (tmp_path / "a.json").write_text(json.dumps(content), "utf-8")

    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(tmp_path / "a.json", options=Options(kind=kind))


OTHER_FILES = {
    "via csv": (
        "#filename,file_size,region_id,region_shape_attributes,region_attributes\na,1,0,0,0",
        "VIA",
    ),
    "no image": (
        "xmin,ymin,xmax,ymax,confidence,class,name\n1,2,3,4,.5,0,cat",
        "no column of the image among 'xmin', ",
    ),
    "no class": ("image,xmin,ymin,xmax,ymax\na.jpg,1,2,3,4", "no column of the class among 'image', "),
    "list of numbers": ('image,class,bbox\na.jpg,cat,"[1, 2, 3, 4]"', "'bbox' has all numbers of a box in one field"),
    "separator of a spreadsheet": ("sep=;\nimage;class;x;y;w;h", "sep=.*: remove this line"),
    "thousands": ("image;class;x;y;w;h\na.jpg;cat;1,234;2,345;3;4", "line 2, x: '1,234' may be 1.234 or 1234"),
    "points and commas": (
        "image;class;x;y;w;h\na.jpg;cat;1,5;2.5;3;4",
        "line 2, x: expected number, got '1,5': numbers have",
    ),
    "two commas": ("image;class;x;y;w;h\na.jpg;cat;1,2,3;2,5;3;4", "line 2, x: expected number, got '1,2,3'"),
    "kaggle": (
        "ImageID,PredictionString\na,cat 0.5 0.1 0.1 0.2 0.2",
        "is a submission to Kaggle, .*: write a row for each",
    ),
    "rolabelimg": (
        "<annotation><object><name>a</name><robndbox><cx>1</cx></robndbox></object></annotation>",
        "XML of roLabelImg, whose rotated boxes",
    ),
    "cvat video": (
        '<?xml version="1.0"?><annotations><version>1.1</version><track id="0" label="car"></track></annotations>',
        'CVAT for videos, which is not read: export the task as "CVAT for images 1.1"',
    ),
}


@pytest.mark.parametrize(("content", "fault"), OTHER_FILES.values(), ids=OTHER_FILES)
def test_other_files_of_other_tools(tmp_path, content, fault):
    (tmp_path / "a").write_text(content, "utf-8")

    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(tmp_path / "a")


def test_results_without_score(tmp_path):
    (tmp_path / "gt.json").write_text(json.dumps(IMAGES | {"annotations": []}), "utf-8")
    (tmp_path / "dt.json").write_text(json.dumps([OBJECT | BOX]), "utf-8")
    (tmp_path / "dt.csv").write_text("image,class,x1,y1,x2,y2\n1,cat,0,0,1,1", "utf-8")
    truth = data.read_ground_truth(tmp_path / "gt.json")

    with pytest.raises(InputError, match=r"\[0\]\.score: missing: is this the ground truth\?"):
        data.read_detections(tmp_path / "dt.json", truth)
    with pytest.raises(InputError, match=r"no column of scores, .*: is this the ground truth"):
        data.read_detections(tmp_path / "dt.csv", truth)


def test_directory_of_several_json_files(tmp_path):
    for name in ("train", "val"):
        (tmp_path / f"instances_{name}.json").write_text(json.dumps(IMAGES | {"annotations": []}), "utf-8")

    words = r"with 2 JSON files, 'instances_train\.json', 'instances_val\.json': name one"
    with pytest.raises(InputError, match=words):
        data.read_ground_truth(tmp_path)
    (tmp_path / "instances_train.json").unlink()
    assert data.read_ground_truth(tmp_path).images.tolist() == [1]


def test_yaml_of_a_data_set(tmp_path):
    (tmp_path / "data.yaml").write_text("train: images/train", "utf-8")
    with pytest.raises(InputError, match=r"data\.yaml: is YAML, .*: name the directory of its labels"):
        data.read_ground_truth(tmp_path / "data.yaml")


def test_pictures_are_no_objects(tmp_path, truth):
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")

    for read in (data.read_ground_truth, lambda x: data.read_detections(x, truth)):
        with pytest.raises(
            InputError, match=r"maps: the directory has no files of objects, only pictures .* --kind sem"
        ):
            read(tmp_path / "maps")
        with pytest.raises(
            InputError, match=r"a\.png: is a picture: --kind semantic and --kind panoptic read label maps"
        ):
            read(tmp_path / "maps" / "a.png")


@pytest.mark.parametrize("text", [",", ";;", "|", "a " * 30000, "1," * 30000, '"' * 999, "a,b\\x00", "-"])
def test_lines_without_sense_are_one_error(tmp_path, truth, text):
    (tmp_path / "a.txt").write_text(text, "utf-8")

    for read in (data.read_ground_truth, lambda x: data.read_detections(x, truth)):
        with pytest.raises(InputError):
            read(tmp_path / "a.txt")


@pytest.mark.parametrize(
    "row", ["im1,0 .9 20 30 70 70", "im1,0 .9 20 30 70 70 cat .8 1 2 3 4", 'im1,".9 20 30 70 70 .8 1 2 3 4"']
)
def test_submissions_to_kaggle_without_a_header(tmp_path, row):
    (tmp_path / "submission.csv").write_text(f"{row}\nim2,\n", "utf-8")
    with pytest.raises(InputError, match="a submission to Kaggle, with all detections of an image in a row"):
        data.read_detections_only([tmp_path / "submission.csv"])


DETECTION = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}
RENAMED = {
    "image_id": ["image", "filename", "imageId", "img_id"],
    "category_id": ["category", "label", "class_name", "cls"],
    "bbox": ["box", "bounding_box", "xyxy"],
    "score": ["confidence", "conf", "prob"],
}


@pytest.mark.parametrize(("field", "name"), [(x, y) for x, names in RENAMED.items() for y in names])
def test_fields_of_detections_by_other_names(tmp_path, field, name):
    (tmp_path / "gt.json").write_text(json.dumps(IMAGES | {"annotations": []}), "utf-8")
    record = {name if key == field else key: value for key, value in DETECTION.items()}
    (tmp_path / "dt.json").write_text(json.dumps([DETECTION, record]), "utf-8")
    with pytest.raises(InputError, match=rf"\[1\]\.{field}: missing: is it '{name}'\? Rename it"):
        data.read_detections(tmp_path / "dt.json", data.read_ground_truth(tmp_path / "gt.json"))


OUTER = {
    "list": ({"predictions": [DETECTION]}, r"with 'predictions': write only the list 'predictions', as by `jq"),
    "by image": ({"a.jpg": [DETECTION]}, "with 'a.jpg', a list for each image: write one list of all detections"),
    "of arrays": (
        [{"image_id": 1, "boxes": [[0, 0, 1, 1]], "labels": [1], "scores": [0.5]}],
        r"\[0\]\.category_id: missing: 'labels' is a list: write a record for each detection",
    ),
    "as objects": (
        [{"image_id": 1, "category_id": 1, "score": 0.5, "box": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}}],
        r"\[0\]\.bbox: missing: 'box' is an object",
    ),
    "named": ([{"name": "cat", "class": 0, "confidence": 0.5}], r"\[0\]\.category_id: missing: is it 'class'"),
}


@pytest.mark.parametrize(("content", "fault"), OUTER.values(), ids=OUTER)
def test_detections_in_other_shapes(tmp_path, content, fault):
    (tmp_path / "gt.json").write_text(json.dumps(IMAGES | {"annotations": []}), "utf-8")
    (tmp_path / "dt.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=fault):
        data.read_detections(tmp_path / "dt.json", data.read_ground_truth(tmp_path / "gt.json"))


def test_file_in_place_of_the_id(tmp_path):
    images = [{"id": k, "file_name": f"{name}.jpg"} for k, name in ((5, "a"), (7, "b"))]
    (tmp_path / "gt.json").write_text(json.dumps(IMAGES | {"images": images, "annotations": []}), "utf-8")
    records = [{"file_name": f"{name}.jpg", "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5} for name in "ba"]
    (tmp_path / "dt.json").write_text(json.dumps(records), "utf-8")
    detections = data.read_detections(tmp_path / "dt.json", data.read_ground_truth(tmp_path / "gt.json"))
    assert detections.images.tolist() == [7, 5]


def test_tracking_labels_of_kitti_are_no_detections(tmp_path, truth):
    (tmp_path / "0000.txt").write_text("0 1 Car 0 0 -1.5 20 30 70 70 1.5 1.6 3.9 1 1.5 20 -1.5\n", "utf-8")
    for format in (None, "kitti"):
        with pytest.raises(InputError, match="KITTI's tracking labels have no score: add it as the 18th field"):
            data.read_detections(tmp_path / "0000.txt", truth, format)


@pytest.mark.parametrize("format", [None, "yolo", "coco", "labelme", "csv", "voc"])
def test_directory_of_directories(tmp_path, format):
    (tmp_path / "labels" / "val").mkdir(parents=True)
    with pytest.raises(InputError, match="directory"):
        data.read_ground_truth(tmp_path / "labels", format)
    if format != "coco":
        with pytest.raises(InputError, match=r"the directory has no .*, only directories without files, such as 'val'"):
            data.read_ground_truth(tmp_path / "labels", format)
