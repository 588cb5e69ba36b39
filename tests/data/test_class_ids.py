"""Numbers of classes that count the categories, in place of COCO's ids, which have gaps."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou._inputs.class_ids import COCO_IDS
from omniou.data import InputError, OptionError, Options
from tests.cli.test_check import run
from tests.places import EXAMPLE

FROM_0, FROM_1 = list(range(80)), list(range(1, 81))
# Ids of the categories, of the objects and of the detections; the side that has to be read otherwise, and how.
WAYS = {
    "detections from 0": (COCO_IDS, COCO_IDS, FROM_0, "dt", "from-0"),
    "detections from 1": (COCO_IDS, COCO_IDS, FROM_1, "dt", "from-1"),
    "objects from 0": (COCO_IDS, FROM_0, COCO_IDS, "gt", "from-0"),
    "objects from 1": (COCO_IDS, FROM_1, COCO_IDS, "gt", "from-1"),
    "categories from 0": (FROM_0, FROM_0, COCO_IDS, "dt", "coco"),
    "categories from 1": (FROM_1, FROM_1, COCO_IDS, "dt", "coco"),
    "categories from 1, detections from 0": (FROM_1, FROM_1, FROM_0, "dt", "from-0"),
}


def _box(k):
    return [6 * (k % 10), 8 * (k // 10), 5, 6]


def _files(folder, ids, of_objects, of_detections, classes=range(80), images=(1,)):
    """An object of each class in each image, and its detection."""
    pairs = [(image, k) for image in images for k in classes]
    truth = {
        "images": [{"id": k, "file_name": f"{k}.jpg", "width": 100, "height": 100} for k in images],
        "categories": [{"id": id, "name": f"class {k}"} for k, id in enumerate(ids)],
        "annotations": [
            {"id": image * 100 + k, "image_id": image, "category_id": of_objects[k], "bbox": _box(k)}
            for image, k in pairs
        ],
    }
    found = [{"image_id": image, "category_id": of_detections[k], "bbox": _box(k), "score": 0.5} for image, k in pairs]
    (folder / "gt.json").write_text(json.dumps(truth), "utf-8")
    (folder / "dt.json").write_text(json.dumps(found), "utf-8")
    return folder / "gt.json", folder / "dt.json"


def test_ids_of_coco_are_those_of_its_file():
    categories = json.loads((EXAMPLE / "ground_truth.json").read_bytes())["categories"]
    assert sorted(x["id"] for x in categories) == list(COCO_IDS)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_message_names_the_option_that_reads_the_ids(tmp_path, way):
    *ids, side, option = way
    truth_path, path = _files(tmp_path, *ids)
    with pytest.raises(InputError, match=rf"not among the categories: .* --{side}-class-ids {option} "):
        data.read_detections(path, data.read_ground_truth(truth_path))
    given = Options(class_ids=option)
    truth = data.read_ground_truth(truth_path, options=given if side == "gt" else Options())
    detections = data.read_detections(path, truth, options=given if side == "dt" else Options())
    assert sorted(detections.labels.tolist()) == sorted(ids[0])
    assert detection.evaluate(truth, detections).summary["AP"] == pytest.approx(1)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_doctor_finds_ids_that_all_are_categories(tmp_path, way):
    ids, of_objects, of_detections, side, option = way
    classes = [k for k in range(80) if of_objects[k] in ids and of_detections[k] in ids]
    truth_path, path = _files(tmp_path, ids, of_objects, of_detections, classes)
    truth = data.read_ground_truth(truth_path)
    (finding,) = [x for x in data.diagnose(truth, data.read_detections(path, truth)) if x.code.startswith("classes")]
    assert finding.hint.startswith(f"--{side}-class-ids {option}")


def test_fuse_tells_of_two_numberings(tmp_path):
    paths = []
    for name, ids in (("a", COCO_IDS), ("b", FROM_0)):
        (tmp_path / name).mkdir()
        paths.append(_files(tmp_path / name, COCO_IDS, COCO_IDS, ids)[1])
    assert "numbers of classes of the detections seem to be " in run("fuse", *paths).stderr
    assert "Warning" not in run("fuse", paths[0], paths[0]).stderr


@pytest.mark.parametrize(("objects", "found"), [(COCO_IDS, FROM_0), (COCO_IDS, FROM_1), (FROM_0, COCO_IDS)])
def test_labels_of_arrays(objects, found):
    boxes = np.array([_box(k) for k in range(80)])
    targets = detection.Targets(boxes, np.array(objects), np.ones(80, dtype=int))
    detections = detection.Detections(boxes, np.full(80, 0.5), np.array(found), np.ones(80, dtype=int))
    codes = [x.code for x in detection.check(targets, detections, format="xywh")]
    assert "classes-counted" in codes


def test_check_lists_one_fault_and_commands_take_the_option(tmp_path):
    truth, path = _files(tmp_path, COCO_IDS, COCO_IDS, FROM_0)
    done = run("check", truth, path)
    assert (done.exit_code, done.stderr.count("Error:")) == (3, 1)
    assert (
        "[0].category_id: 0 is not among the categories: do the numbers 0 to 79 count the 80 categories" in done.stderr
    )
    option = ("--dt-class-ids", "from-0")
    for command in (
        ("nms", path, "--ground-truth", truth, "-o", tmp_path / "nms.json"),
        ("fuse", path, path, "--ground-truth", truth, "-o", tmp_path / "fuse.json"),
        ("convert", truth, path, tmp_path / "convert.json", "--to", "coco"),
    ):
        assert run(*command, *option).exit_code == 0
        written = json.loads((tmp_path / f"{command[0]}.json").read_text("utf-8"))
        assert sorted(x["category_id"] for x in written) == list(COCO_IDS)
    assert run("compare", truth, path, path, *option).exit_code == 0
    assert "--dt-class-ids needs --ground-truth" in run("nms", path, *option).stderr


@pytest.mark.parametrize(
    ("text", "option", "fault"),
    [
        (
            "image,class,x,y,w,h,score\n1.jpg,class 3,1,1,2,2,.5\n",
            "from-0",
            "is for classes that are numbers, .* 'class 3'",
        ),
        (
            "image,class,x,y,w,h,score\n1.jpg,3,1,1,2,2,.5\n",
            "coco",
            "needs COCO's 80 categories, the ground truth has 3",
        ),
        (
            "image,class,x,y,w,h,score\n1.jpg,3,1,1,2,2,.5\n",
            "from-2",
            "must be one of 'from-0', 'from-1', 'coco', got 'from-2'",
        ),
    ],
)
def test_option_that_can_do_nothing_is_refused(tmp_path, text, option, fault):
    truth = data.read_ground_truth(_files(tmp_path, [1, 3, 5], [1, 3, 5], [1, 3, 5], range(3))[0])
    (tmp_path / "dt.csv").write_text(text, "utf-8")
    with pytest.raises(OptionError, match=f"`class_ids`.* {fault}"):
        data.read_detections(tmp_path / "dt.csv", truth, options=Options(class_ids=option))


def test_names_that_are_numbers_have_an_order(tmp_path):
    rows = "".join(f"1.jpg,{id},{','.join(map(str, _box(k)))}\n" for k, id in enumerate(COCO_IDS))
    (tmp_path / "gt.csv").write_text("image,class,x,y,w,h\n" + rows, "utf-8")
    truth = data.read_ground_truth(tmp_path / "gt.csv")
    _, path = _files(tmp_path, COCO_IDS, COCO_IDS, FROM_0)
    detections = data.read_detections(path, truth, options=Options(class_ids="from-0"))
    assert detection.evaluate(truth, detections).summary["AP"] == pytest.approx(1)


def test_option_needs_categories_with_ids(tmp_path):
    (tmp_path / "gt.csv").write_text("image,class,x,y,w,h\n1.jpg,cat,1,1,2,2\n", "utf-8")
    (tmp_path / "dt.csv").write_text("image,class,x,y,w,h,score\n1.jpg,0,1,1,2,2,.5\n", "utf-8")
    options = Options(class_ids="from-0")
    with pytest.raises(OptionError, match="needs categories with ids, and the ground truth has only names"):
        data.read_detections(tmp_path / "dt.csv", data.read_ground_truth(tmp_path / "gt.csv"), options=options)
    with pytest.raises(OptionError, match="`class_ids` needs a ground truth"):
        data.read_detections_only([tmp_path / "dt.csv"], options=options)
    with pytest.raises(OptionError, match="`class_ids` is for ground truth of formats that have ids of categories"):
        data.read_ground_truth(tmp_path / "gt.csv", options=options)
    with pytest.raises(OptionError, match="`class_ids` and `classes` both say"):
        data.read_ground_truth(tmp_path / "gt.csv", options=Options(class_ids="from-0", classes=tmp_path / "gt.csv"))


@pytest.mark.parametrize(("by", "told"), [(-1, "0 to 89 less by 1"), (1, "2 to 91 more by 1")])
def test_ids_that_are_off_by_one_are_told_once(tmp_path, by, told):
    truth, found = _files(tmp_path, COCO_IDS, COCO_IDS, [x + by for x in COCO_IDS])
    done = run("check", truth, found)
    assert f"are the numbers {told} than the ids? Write the ids" in done.stderr
    assert done.stderr.count("is not among") == 1


def test_way_for_models_with_different_numbers(tmp_path):
    truth, other = _files(tmp_path, COCO_IDS, COCO_IDS, FROM_0)
    other = other.rename(tmp_path / "other.json")
    _, found = _files(tmp_path, COCO_IDS, COCO_IDS, COCO_IDS)
    done = run("compare", truth, found, other, "--dt-class-ids", "from-0")
    assert "by --dt-class-ids from-0, which is for all files: `omniou convert` renumbers one" in done.stderr
    assert (
        run("convert", truth, other, tmp_path / "new.json", "--to", "coco", "--dt-class-ids", "from-0").exit_code == 0
    )
    assert json.loads((tmp_path / "new.json").read_bytes()) == json.loads(found.read_bytes())
