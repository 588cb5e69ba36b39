"""As a new user would: small files of ten tools are evaluated, and others are refused with a line that leads on."""

import json

import pytest

from tests.cli.cases import run

CAT, DOG = [10, 20, 30, 40], [50, 60, 90, 80]  # corners in an image of 100 x 100


def coco(**images):
    return {
        "images": [{"id": 0, "file_name": "a.jpg", "width": 100, "height": 100}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {"id": 1, "image_id": 0, "category_id": 1, "bbox": [10, 20, 20, 20]},
            {"id": 2, "image_id": 0, "category_id": 2, "bbox": [50, 60, 40, 20]},
        ],
    } | images


def labelme(*scores):
    shapes = [
        {"label": name, "points": [x[:2], x[2:]], "shape_type": "rectangle"} | ({"score": score} if score else {})
        for name, x, score in zip(("cat", "dog"), (CAT, DOG), scores or (None, None), strict=True)
    ]
    return {"version": "5.4.1", "shapes": shapes, "imagePath": "a.jpg", "imageHeight": 100, "imageWidth": 100}


def cvat():
    boxes = "".join(
        f'<box label="{name}" xtl="{x[0]}" ytl="{x[1]}" xbr="{x[2]}" ybr="{x[3]}"/>'
        for name, x in (("cat", CAT), ("dog", DOG))
    )
    return f'<annotations><image id="0" name="a.jpg" width="100" height="100">{boxes}</image></annotations>'


def label_studio():
    regions = [
        {
            "id": name,
            "type": "rectanglelabels",
            "original_width": 100,
            "original_height": 100,
            "value": {"x": x[0], "y": x[1], "width": x[2] - x[0], "height": x[3] - x[1], "rectanglelabels": [name]},
        }
        for name, x in (("cat", CAT), ("dog", DOG))
    ]
    return [{"id": 1, "data": {"image": "/data/upload/1/0a1b2c3d-a.jpg"}, "annotations": [{"result": regions}]}]


def scalabel():
    labels = [
        {"category": name, "box2d": dict(zip(("x1", "y1", "x2", "y2"), x, strict=True))}
        for name, x in (("cat", CAT), ("dog", DOG))
    ]
    return [{"name": "a.jpg", "labels": labels}]


def voc():
    objects = "".join(
        f"<object><name>{name}</name><bndbox>"
        + "".join(f"<{tag}>{k}</{tag}>" for tag, k in zip(("xmin", "ymin", "xmax", "ymax"), x, strict=True))
        + "</bndbox></object>"
        for name, x in (("cat", CAT), ("dog", DOG))
    )
    return f"<annotation><filename>a.jpg</filename>{objects}</annotation>"


TRUTHS = {
    "roboflow": ("set/valid/_annotations.coco.json", json.dumps(coco()), "set"),
    "labelme": ("set/a.json", json.dumps(labelme()), "set"),
    "cvat": ("annotations.xml", cvat(), "annotations.xml"),
    "label studio": ("export.json", json.dumps(label_studio()), "export.json"),
    "bdd100k": ("det_val.json", json.dumps(scalabel()), "det_val.json"),
    "tensorflow": (
        "labels.csv",
        "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,100,100,cat,10,20,30,40\na.jpg,100,100,dog,50,60,90,80",
        "labels.csv",
    ),
    "labelimg": ("set/a.xml", voc(), "set"),
    "dota": ("set/a.txt", "10 20 30 20 30 40 10 40 cat 0\n50 60 90 60 90 80 50 80 dog 0", "set"),
    "kitti": ("set/a.txt", "cat 0 0 0 10 20 30 40" + " 1" * 7 + "\ndog 0 0 0 50 60 90 80" + " 1" * 7, "set"),
    "coco": ("instances.json", json.dumps(coco()), "instances.json"),
}


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
        return tmp_path / name

    return write


@pytest.mark.parametrize(("file", "content", "path"), TRUTHS.values(), ids=TRUTHS)
def test_ground_truth_of_ten_tools(write, tmp_path, file, content, path):
    pytest.importorskip("defusedxml", reason="needs defusedxml")
    write(file, content)
    # The cat is found, and half of the dog: IoU 1/2, which reaches one threshold of ten.
    write("found/a.txt", "cat 0.75 10 20 30 40\ndog 0.5 50 60 90 70")

    done = run("eval", tmp_path / path, tmp_path / "found", "--protocol", "coco", "--format", "json")

    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout)["summary"]["AP"] == pytest.approx((1 + 0.1) / 2)


DETECTIONS = {
    "ultralytics": (
        "predictions.json",
        json.dumps(
            [
                {"image_id": "a", "file_name": "a.jpg", "category_id": 1, "bbox": [10, 20, 20, 20], "score": 0.75},
                {"image_id": "a", "file_name": "a.jpg", "category_id": 2, "bbox": [50, 60, 40, 10], "score": 0.5},
            ]
        ),
    ),
    "x-anylabeling": ("found/a.json", json.dumps(labelme(0.75, 0.5))),
    "csv": ("found.csv", ",image,label,score,x,y,w,h\n0,a.jpg,cat,.75,10,20,20,20\n1,a.jpg,dog,.5,50,60,40,20"),
    "yolo": ("found/a.txt", "cat .2 .3 .2 .2 .75 3\ndog .7 .7 .4 .2 .5 4"),
}


@pytest.mark.parametrize(("file", "content"), DETECTIONS.values(), ids=DETECTIONS)
def test_detections_of_tools(write, tmp_path, file, content):
    truth = write("gt.json", json.dumps(coco()))
    path = write(file, content)
    found = path.parent if path.parent != tmp_path else path

    done = run("eval", truth, found, "--format", "json")

    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout)["summary"]["AP50"] == pytest.approx(1)


REFUSED = {
    "via": ('{"a.jpg9": {"filename": "a.jpg", "regions": [{"region_attributes": {}}]}}', "export COCO's format there"),
    "createml": ('[{"image": "a.jpg", "annotations": []}]', "convert it to COCO's format"),
    "panoptic": (json.dumps(coco(annotations=[{"segments_info": []}])), "--kind panoptic reads it"),
    "masks": (
        json.dumps(coco(annotations=[{"image_id": 0, "category_id": 1, "segmentation": [[0, 0, 9, 0, 9, 9]]}])),
        "--kind segm reads masks",
    ),
    "table without a header": ("a.jpg,10,20,30,40,cat", "name the columns in a first line such as image,class,xmin"),
    "detections": ("cat 0.75 10 20 30 40", "are these the detections?"),
    "blanks": ("traffic light 10 20 30 40", "write 'traffic_light'"),
}


@pytest.mark.parametrize(("content", "way_out"), REFUSED.values(), ids=REFUSED)
def test_other_files_are_refused_with_a_way_out(write, content, way_out):
    done = run("eval", write("gt.txt", content), write("a.txt", "cat 0.75 10 20 30 40"))

    assert done.exit_code == 3
    assert way_out in done.stderr
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1
