"""Free names of classes are matched by text, by plurals, and by a table of synonyms."""

import json

import pytest

from omniou import data
from omniou.data import InputError, InputWarning, OptionError, Options
from tests.cli import cases

CLASSES = [
    "car",
    "person",
    "traffic light",
    "wine glass",
    "knife",
    "calf",
    "bus",
    "scissors",
    "puppy",
    "Boxes",
    "boat",
    "Boat",
]


@pytest.fixture
def files(write):
    """A ground truth of these classes, and one detection of each name."""

    def files(*names, classes=CLASSES):
        gt = {"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": []}
        gt["categories"] = [{"id": k, "name": name} for k, name in enumerate(classes)]
        boxes = [{"bbox_2d": [0, 0, 9, 9], "label": name, "score": 0.5} for name in names]
        return write("gt.json", gt), write("dt.json", {"a.jpg": json.dumps(boxes)})

    return files


def classes_of(files, **options):
    truth = data.read_ground_truth(files[0])
    return [truth.categories[k] for k in data.read_detections(files[1], truth, options=Options(**options)).labels]


MATCHES = {
    "car": ["car", "CAR", " Car ", "cars", "Cars"],
    "person": ["persons", "people", "People"],
    "traffic light": ["traffic_light", "Traffic-Lights", "trafficlight"],
    "wine glass": ["wine glasses", "wine_glass"],
    "knife": ["knives"],
    "calf": ["calves"],
    "bus": ["buses", "BUS"],
    "scissors": ["scissor"],
    "puppy": ["puppies"],
    "Boxes": ["box", "boxes"],
    "boat": ["boat"],
    "Boat": ["Boat"],
}


@pytest.mark.parametrize(("name", "words"), MATCHES.items())
def test_names_are_matched_by_text(files, name, words):
    assert classes_of(files(*words)) == [name] * len(words)


def test_names_without_a_class_are_listed(files):
    read = files("red car", "red car", "car", "lamp")
    with pytest.warns(
        InputWarning,
        match=r"dt\.json: 3 of 4 detections excluded, whose names are not classes of .*gt\.json: 'red car' \(2\), "
        r"'lamp' \(1\); --synonyms FILE maps names to classes",
    ) as caught:
        assert classes_of(read) == ["car"]
    assert caught[0].message.finding.code == "unknown-categories"
    with pytest.raises(InputError, match=r"none of the names is a class of .*gt\.json: 'lamp' \(1\); --synonyms"):
        classes_of(files("lamp"))
    with pytest.raises(InputError, match=r"none of the names is a class of .*'car' \(1\); --gt-classes FILE"):
        classes_of(files("car", classes=["0", "1"]))


@pytest.mark.parametrize("name", ["BOAT", "boats"])
def test_ambiguous_names_raise(files, name):
    with pytest.raises(InputError, match=f"'{name}' may be any of the classes 'boat', 'Boat' of .*--synonyms"):
        classes_of(files(name))


TABLES = {
    "s.json": ['{"red car": "car", "auto": "cars"}'],
    "s.yaml": ["# names", "red car: car", "", "'auto': \"car\""],
    "s.csv": ["name,class", "Red Car,car", "auto,car"],
}


@pytest.mark.parametrize(("name", "lines"), TABLES.items())
def test_table_of_synonyms(files, write, name, lines):
    assert classes_of(files("red_car", "auto", "car"), synonyms=write(name, *lines)) == ["car"] * 3


def test_plurals_of_synonyms_come_last(files):
    synonyms = {"red lorry": "bus", "car": "bus"}
    assert classes_of(files("Red Lorries", "cars", "car"), synonyms=synonyms) == ["bus", "car", "bus"]


def test_synonyms_come_first(files):
    assert classes_of(files("car", "boats"), synonyms={"car": "bus", "Boats": "boat"}) == ["bus", "boat"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"auto": "carr"}, r"`synonyms`: 'auto' stands for 'carr', which is not a class of .*; did you mean 'car'"),
        ({"auto": "car", "AUTO": "bus"}, r"`synonyms`: 'AUTO' stands for 'car' and for 'bus'"),
        ({"auto": ["car"]}, r"`synonyms` must map names to classes, got 'auto': \['car'\]"),
        (["auto"], r"`synonyms` must be a path or a mapping of names to classes, got list"),
    ],
)
def test_bad_tables_raise(files, table, words):
    with pytest.raises(OptionError, match=words):
        classes_of(files("auto"), synonyms=table)


def test_synonyms_need_a_ground_truth(files):
    with pytest.raises(OptionError, match="`synonyms` is for a ground truth"):
        data.read_detections_only(files("auto")[1:], options=Options(synonyms={"auto": "car"}))
    with pytest.raises(OptionError, match="`synonyms` is for detections"):
        data.read_ground_truth(files("auto")[0], options=Options(synonyms={"auto": "car"}))


def test_bad_files_of_synonyms_raise(files, write):
    with pytest.raises(InputError, match=r"s\.txt: line 2: expected a name and its class, such as `red car: car`"):
        classes_of(files("auto"), synonyms=write("s.txt", "auto: car", "lamp"))
    with pytest.raises(InputError, match=r"s\.txt: line 2: 'auto' stands for two classes"):
        classes_of(files("auto"), synonyms=write("s.txt", "auto: car", "auto: bus"))
    with pytest.raises(OptionError, match=r"`synonyms` of .*s\.json must map names to classes, got 'auto': None"):
        classes_of(files("auto"), synonyms=write("s.json", '{"auto": null}'))


def test_synonyms_of_the_command(files, write):
    truth, found = files("red car", "car")
    done = cases.run(
        "convert", truth, found, found.parent / "new.json", "--to", "coco", "--synonyms", write("s", "red car: car")
    )
    assert done.exit_code == 0, done.output
    assert [x["category_id"] for x in json.loads((found.parent / "new.json").read_bytes())] == [0, 0]
    done = cases.run("nms", found, "--synonyms", truth)
    assert "--synonyms needs --ground-truth" in done.stderr
    done = cases.run("eval", truth, found.parent / "new.json", "--synonyms", found)
    assert done.exit_code == 2
    assert "--synonyms is for free names of classes, of language-model: coco has not. Remove it" in done.stderr


def test_synonyms_next_to_a_detector_with_classes(write):
    truth, coco = cases.files(write("x", "").parent, images=4)
    answers = {
        f"{k}.jpg": [{"bbox_2d": [0, 0, 10, 10], "label": "lamp" if k % 2 else "cats", "score": 0.5}] for k in range(4)
    }
    table = write("s", "lamp: traffic light")
    done = cases.run("compare", truth, coco, write("dt.json", answers), "--synonyms", table, "--samples", "10")
    assert done.exit_code == 0, done.output
