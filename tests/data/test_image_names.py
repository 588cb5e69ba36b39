"""Which image a name means, in every format, and files in folders of folders."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options
from omniou.data._names import Listed, counted, matched
from omniou.data._paths import ImageNames, shortest
from omniou.data._truth import Naming

BOX, FAR = "0 0 10 10", "50 50 90 90"


@pytest.fixture
def write(tmp_path):
    def write(folder, files):
        for name, content in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path / folder

    return write


@pytest.fixture
def coco(tmp_path):
    def coco(*names):
        """Objects of two images whose boxes differ."""
        boxes = [[0, 0, 10, 10], [50, 50, 40, 40], [0, 50, 5, 5]][: len(names)]
        content = {
            "images": [{"id": k, "file_name": name, "width": 100, "height": 100} for k, name in enumerate(names)],
            "annotations": [{"image_id": k, "category_id": 1, "bbox": box} for k, box in enumerate(boxes)],
            "categories": [{"id": 1, "name": "dog"}],
        }
        path = tmp_path / "truth.json"
        path.write_text(json.dumps(content))
        return data.read_ground_truth(path)

    return coco


@pytest.mark.parametrize(
    ("names", "name", "expected"),
    [
        (["cam1/1.jpg", "cam2/1.jpg"], "cam2/1", [1]),
        (["cam1/1.jpg", "cam2/1.jpg"], "1", [0, 1]),
        (["cam1/1.jpg", "cam2/1.jpg"], "1.jpg", [0, 1]),
        (["cam1/1.jpg", "cam2/1.jpg"], "/data/cam1/1.png", [0]),
        (["cam1/1.jpg", "cam2/1.jpg"], r"C:\data\cam2\1.jpg", [1]),
        (["1.jpg", "1.png"], "1.png", [1]),
        (["1.jpg", "1.png"], "1", [0, 1]),
        (["1.jpg", "1.png"], "x/1.jpg", [0]),
        # The folder tells more than the ending does: pictures are converted all at once.
        (["cam1/1.png", "cam2/1.jpg"], "cam1/1.jpg", [0]),
        # Folders that all share tell nothing apart.
        (["images/1.jpg", "images/night/1.jpg"], "1", [0]),
        (["images/1.jpg", "images/night/1.jpg"], "night/1", [1]),
        (["1.jpg"], "anywhere/1", [0]),
        (["1.jpg"], "11", []),
        (["1.jpg", "1.jpg"], "1.jpg", [0, 1]),
        (["scene.v1", "scene.v2"], "scene.v2", [1]),
    ],
)
def test_name_stands_for_image_with_longest_common_tail(names, name, expected):
    assert ImageNames(names).find([name]) == [expected]


@pytest.mark.parametrize(
    ("names", "words", "expected"),
    [
        (["cam1/1.jpg"], ["cam1/1", "cam2/1"], [[0], []]),
        (["cam1/1.jpg"], ["cam1/1", "cam1/1.jpg", "./cam1/1.jpg"], [[0], [0], [0]]),
        (["1.jpg"], ["1", "old/1"], [[0], []]),
        (["1.jpg"], ["a/1", "b/1"], [[0, 0], [0, 0]]),
        (["1"], ["1.jpg", "1.png"], [[0, 0], [0, 0]]),
        (["1.jpg"], ["1.jpg", "1.png"], [[0], []]),
    ],
)
def test_names_that_differ_do_not_share_an_image(names, words, expected):
    assert ImageNames(names).find(words) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a/1.jpg", "a/2.jpg"], ["1", "2"]),
        (["x/a/1.jpg", "x/b/1.jpg"], ["a/1", "b/1"]),
        (["x/1.jpg", "x/1.png"], ["1.jpg", "1.png"]),
        (["a/A.jpg", "b/a.jpg"], ["a/A", "b/a"]),
        ([], []),
    ],
)
def test_shortest_names_stay_distinct(names, expected):
    assert shortest(names) == expected


def test_digits_are_names_or_ids_all_in_one_way():
    listed = Listed({1: "2.jpg", 2: "3.jpg", 3: "x.jpg"}, Naming())

    # As names 2 and 3 are known, as ids all three.
    assert matched(["1", "2", "3"], listed, paths=True).ids.tolist() == [1, 2, 3]
    # As names both are known; as ids, too: text is a name.
    assert matched(["2", "3"], listed, paths=True).ids.tolist() == [1, 2]
    assert matched([2, 3], listed, paths=True).ids.tolist() == [2, 3]


def test_frames_of_many_videos_are_found_quickly():
    names = [f"video{k}/{frame:06d}.jpg" for k in range(100) for frame in range(100)]
    words = [name.removesuffix(".jpg") for name in names]

    assert ImageNames(names).find(words) == [[k] for k in range(len(names))]


TEXT = {"cam1/0001.txt": f"dog .9 {BOX}\n", "cam2/0001.txt": f"dog .8 {FAR}\n"}


def test_detections_go_to_the_image_of_their_folder(write, coco):
    truth = coco("cam1/0001.jpg", "cam2/0001.jpg")
    found = data.read_detections(write("dt", TEXT), truth, "text")

    assert found.images.tolist() == [0, 1]
    result = detection.evaluate(truth, found)
    assert result.summary["AP"] == pytest.approx(1)


@pytest.mark.parametrize("names", [("cam1/0001.jpg", "cam2/0001.jpg"), ("0001.jpg", "0001.png")])
@pytest.mark.parametrize(
    ("format", "file", "content"),
    [
        ("text", "0001.txt", f"dog .9 {BOX}"),
        ("yolo", "0001.txt", "1 .5 .5 .1 .1 .9"),
        ("voc", "comp4_det_val_dog.txt", f"0001 .9 {BOX}"),
        ("open-images", "dt.csv", "ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n0001,dog,.9,0,.1,0,.1"),
        ("dota", "Task1_dog.txt", "0001 .9 0 0 1 0 1 1 0 1"),
        ("coco", "dt.json", '[{"image_id": "0001", "category_id": 1, "score": 0.9, "bbox": [0, 0, 1, 1]}]'),
    ],
)
def test_name_of_several_images_raises_with_all(write, coco, names, format, file, content):
    truth = coco(*names)
    classes = write("names", {"classes.txt": "cat\ndog"}) / "classes.txt" if format == "yolo" else None
    folder = write("dt", {file: content})
    with pytest.raises(InputError, match=f"'0001' fits 2 names equally well, '{names[0]}', '{names[1]}'"):
        data.read_detections(folder, truth, format, Options(classes=classes))


def test_images_of_one_file_name_raise_with_ids(write, coco):
    truth = coco("0001.jpg", "0001.jpg")
    with pytest.raises(InputError, match=r"'0001.jpg' \(id 0\), '0001.jpg' \(id 1\): use ids"):
        data.read_detections(write("dt", {"0001.txt": f"dog .9 {BOX}"}), truth, "text")


def test_image_set_takes_the_image_of_its_folder(write, coco, tmp_path):
    coco("cam1/0001.jpg", "cam2/0001.jpg")
    listed = write("sets", {"val.txt": "cam2/0001.jpg\n"}) / "val.txt"
    truth = data.read_ground_truth(tmp_path / "truth.json", options=Options(image_set=listed))

    assert truth.image_names == {1: "cam2/0001.jpg"}
    with pytest.warns(InputWarning, match="1 detection excluded: 'cam1/0001'"):
        found = data.read_detections(write("dt", TEXT), truth, "text")
    assert found.scores.tolist() == [0.8]


def test_image_set_of_one_folder_ignores_detections_of_another(write, coco, tmp_path):
    coco("cam1/0001.jpg", "cam2/0001.jpg")
    listed = write("sets", {"val.txt": "cam2/0001.jpg\n"}) / "val.txt"
    truth = data.read_ground_truth(tmp_path / "truth.json", options=Options(image_set=listed))
    only = write("dt", {"cam1/0001.txt": TEXT["cam1/0001.txt"], "cam1/0002.txt": ""})

    with pytest.raises(InputError, match="none of the"):
        data.read_detections(only, truth, "text")


def test_ambiguous_image_set_raises(write, coco, tmp_path):
    coco("cam1/0001.jpg", "cam2/0001.jpg")
    listed = write("sets", {"val.txt": "0001\n"}) / "val.txt"
    with pytest.raises(InputError, match=r"val.txt: line 1: '0001' fits 2 names equally well"):
        data.read_ground_truth(tmp_path / "truth.json", options=Options(image_set=listed))


PER_IMAGE = {
    "text": (".txt", f"dog {BOX}", f"dog {FAR}"),
    "dota": (".txt", "0 0 10 0 10 10 0 10 dog 0", "50 50 90 50 90 90 50 90 dog 0"),
    "kitti": (".txt", f"dog 0 0 0 {BOX} 1 1 1 1 1 1 0", f"dog 0 0 0 {FAR} 1 1 1 1 1 1 0"),
    "yolo": (".txt", "0 .5 .5 .1 .1", "0 .2 .2 .1 .1"),
    "voc": (
        ".xml",
        *(
            "<annotation><object><name>dog</name><bndbox>"
            + "".join(f"<{k}>{x}</{k}>" for k, x in zip(("xmin", "ymin", "xmax", "ymax"), box.split(), strict=True))
            + "</bndbox></object></annotation>"
            for box in (BOX, FAR)
        ),
    ),
}


@pytest.mark.parametrize("format", PER_IMAGE)
def test_folders_in_folders_keep_their_paths(write, format):
    ending, first, second = PER_IMAGE[format]
    folder = write("gt", {f"a{ending}": first, f"night/a{ending}": second, f".git/x{ending}": "<bad"})
    truth = data.read_ground_truth(folder, format)

    assert truth.image_names == {0: "a", 1: "night/a"}
    assert truth.targets.images.tolist() == [0, 1]
    assert not np.array_equal(truth.targets.boxes[0], truth.targets.boxes[1])
    assert data.read_ground_truth(folder).image_names == truth.image_names


def test_link_to_a_folder_above_is_not_followed(write):
    folder = write("gt", {"a.txt": f"dog {BOX}", "night/b.txt": f"dog {BOX}"})
    (folder / "night" / "again").symlink_to(folder)

    assert data.read_ground_truth(folder, "text").image_names == {0: "a", 1: "night/b"}


def test_images_beside_labels_are_of_their_folders(write):
    root = write("set", {"labels/val/1.txt": "0 .5 .5 .1 .1", "labels/train/1.txt": "", "images/val/1.jpg": ""})
    write("set", {"images/train/1.jpg": "", "images/val/2.jpg": "", "README.roboflow.txt": "exported"})
    options = Options(image_size=(100, 200))

    assert list(data.read_ground_truth(root / "labels", "yolo", options).image_names.values()) == [
        "train/1",
        "val/1",
        "val/2",
    ]
    assert list(data.read_ground_truth(root, options=options).image_names.values()) == ["train/1", "val/1", "val/2"]
    assert list(data.read_ground_truth(root / "labels/val", "yolo", options).image_names.values()) == ["1", "2"]


def test_names_of_classes_of_folders_must_agree(write):
    folder = write("gt", {"a.txt": "0 .5 .5 .1 .1", "classes.txt": "cat\ndog", "night/b.txt": "0 .5 .5 .1 .1"})
    write("gt", {"night/classes.txt": "dog\ncat"})
    with pytest.raises(InputError, match=r"night/classes.txt: has 2 names of classes that differ"):
        data.read_ground_truth(folder, "yolo")


def test_file_of_a_class_in_two_folders_raises(write, coco):
    truth = coco("1.jpg")
    folder = write("dt", {"a/comp4_det_dog.txt": f"1 .9 {BOX}", "b/comp4_det_dog.txt": f"1 .8 {BOX}"})
    with pytest.raises(InputError, match=r"has the class of .*a/comp4_det_dog.txt"):
        data.read_detections(folder, truth, "voc")


def test_two_pictures_of_an_image_raise(write):
    pytest.importorskip("PIL")
    labels = write("labels", {"1.txt": "0 .5 .5 .1 .1"})
    write("images", {"1.jpg": "", "1.png": ""})
    with pytest.raises(InputError, match=r"the image '1' may be this picture or .*1.png"):
        data.read_ground_truth(labels, "yolo")


@pytest.mark.parametrize("format", ["voc", "text", "kitti", "yolo", "dota", "open-images", "coco"])
def test_written_images_of_one_name_stay_apart(coco, tmp_path, format):
    truth = coco("cam1/0001.jpg", "cam2/0001.jpg", "cam2/0001.png")
    path = tmp_path / "out"
    data.write_ground_truth(truth, path, format)
    options = Options(image_size=(100, 100) if format in {"yolo", "open-images"} else None)
    again = data.read_ground_truth(path, format, options)
    scores = detection.Detections(truth.targets.boxes, np.ones(3), truth.targets.labels, truth.targets.images)
    data.write_detections(scores, truth, tmp_path / "dt", format)
    found = data.read_detections(tmp_path / "dt", again, format)

    assert len(again.images) == 3
    assert detection.evaluate(again, found).summary["AP"] == pytest.approx(1)


def test_counted_names_are_in_alphabetical_order():
    assert counted(["b", "a", "b"], complete=True).names == {0: "a", 1: "b"}


def test_file_of_another_folder_is_not_of_the_image_as_well(write):
    truth = data.read_ground_truth(write("gt", {"a.txt": f"dog {BOX}"}), "text")
    with pytest.raises(InputError, match=r"old/a.txt: line 1, image: 'old/a' is not among the images"):
        data.read_detections(write("dt", {"a.txt": f"dog .9 {BOX}", "old/a.txt": f"dog .8 {FAR}"}), truth, "text")


def test_shards_of_images_in_folders(write):
    from omniou.data import shards

    files = {f"{folder}/{k}.txt": f"dog {BOX}" for folder in ("a", "b") for k in range(3)}
    gt = write("gt", files)
    dt = write("dt", {name: content.replace("dog", "dog .9") for name, content in files.items()})
    found = shards.find(gt, dt, count=3)

    assert [x.images for x in found] == [("a/0", "a/1"), ("a/2", "b/0"), ("b/1", "b/2")]
    parts = [shards.Rules().part(x) for x in found]
    assert [x.size.detections for x in parts] == [2, 2, 2]
    assert [len(x.files()) for x in found] == [4, 4, 4]


def test_shards_of_files_in_folders_go_together_by_their_paths(write, coco, tmp_path):
    from omniou.data import shards

    coco("1.jpg")
    content = (tmp_path / "truth.json").read_text()
    gt, dt = (write(x, {"a/part.json": content, "b/part.json": content}) for x in ("gt", "dt"))
    found = shards.find(gt, dt)

    assert [(x.targets.parent.name, x.detections.parent.name) for x in found] == [("a", "a"), ("b", "b")]


@pytest.mark.parametrize("other", ["labels/a.txt", "a"])
@pytest.mark.parametrize("format", ["text", "kitti", "dota", "yolo"])
def test_two_files_of_an_image_raise(write, format, other):
    ending, first, second = PER_IMAGE[format]
    folder = write("gt", {f"a{ending}": first, other: second})
    with pytest.raises(InputError, match=r"is of the image 'a', as is .*gt/"):
        data.read_ground_truth(folder, format)


def test_accents_of_their_own_are_letters_with_accents(coco, write):
    composed, apart = "caf\u00e9", "cafe\u0301"
    truth = coco(f"{composed}.jpg", "b.jpg")
    assert data.read_detections(write("dt", {f"{apart}.txt": f"1 0.9 {BOX}"}), truth).images.tolist() == [0]

    match = matched([apart, composed], Listed({3: composed}, Naming(own=False)))
    assert (match.ids.tolist(), match.known.tolist()) == ([3, 3], [True, True])
    both = Listed({3: composed, 4: apart}, Naming(own=False))
    for paths in (False, True):
        assert matched([apart, composed], both, paths=paths).ids.tolist() == [4, 3]
