"""COCO's keypoint files: read, recognised, written, and each fault named with its place."""

import json

import numpy as np
import pytest

from omniou import data, detection, keypoints
from omniou.data import InputError, InputWarning, OptionError, Options

KEYPOINTS = Options(kind="keypoints")


def points(number=17, v=2, by=0):
    return [x for k in range(number) for x in (10 * k + by, 50 + by, v)]


def truth_file(number=17, **changed):
    names = keypoints.COCO.points if number == 17 else keypoints.CROWDPOSE.points if number == 14 else None
    record = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 200, "height": 100}, {"id": 2, "file_name": "b.jpg"}],
        "annotations": [
            {
                "id": 7,
                "image_id": 1,
                "category_id": 1,
                "keypoints": points(number),
                "num_keypoints": number,
                "bbox": [0, 40, 170, 20],
                "area": 1500.5,
                "iscrowd": 0,
            },
            {
                "id": 8,
                "image_id": 2,
                "category_id": 1,
                "keypoints": points(number, v=1),
                "bbox": [0, 0, 9, 9],
                "area": 40,
            },
        ],
        "categories": [{"id": 1, "name": "person", **({"keypoints": names, "skeleton": [[1, 2]]} if names else {})}],
    }
    return record | changed


def results(number=17, **changed):
    return [{"image_id": 1, "category_id": 1, "keypoints": points(number, by=1), "score": 0.5, **changed}]


def written(folder, truth, found=None):
    paths = folder / "truth.json", folder / "found.json"
    for path, content in zip(paths, (truth, results() if found is None else found), strict=True):
        path.write_text(json.dumps(content))
    return paths


def read(folder, truth, found=None, options=KEYPOINTS):
    paths = written(folder, truth, found)
    read_truth = data.read_ground_truth(paths[0], options=options)
    return read_truth, data.read_detections(paths[1], read_truth, options=options)


def test_files_are_read_and_evaluated(tmp_path):
    truth, found = read(tmp_path, truth_file())
    assert truth.skeleton == keypoints.COCO
    assert truth.targets.keypoints.shape == (2, 51)
    assert truth.targets.area.tolist() == [1500.5, 40]
    assert found.keypoints[0, :3].tolist() == [1, 51, 2]
    assert found.boxes.tolist() == [[1, 51, 160, 0]]  # around the points
    assert detection.evaluate(truth, found, kind="keypoints").summary["AP50"] > 0


def test_box_of_a_detection_is_kept(tmp_path):
    _, found = read(tmp_path, truth_file(), results(bbox=[1, 2, 3, 4]))
    assert found.boxes.tolist() == [[1, 2, 3, 4]]
    _, found = read(tmp_path, truth_file(), results(bbox=[]))
    assert found.boxes.tolist() == [[1, 51, 160, 0]]


def test_crowdpose_is_recognised_by_its_points_and_levels(tmp_path):
    """Case C1: below .2 is easy, below .8 medium."""
    truth = truth_file(14)
    truth["images"] = [{"id": k, "crowdIndex": x} for k, x in enumerate([0.1, 0.2, 0.8, 0.79, 0.0], start=1)]
    for record in truth["annotations"]:
        del record["area"]
    read_truth, found = read(tmp_path, truth, results(14))
    assert read_truth.skeleton == keypoints.CROWDPOSE
    assert read_truth.image_groups == {"easy": [1, 5], "medium": [2, 4], "hard": [3]}
    summary = detection.evaluate(read_truth, found, protocol="crowdpose", kind="keypoints").summary
    assert [*summary][-3:] == ["APeasy", "APmedium", "APhard"]


def test_points_in_another_order_take_their_sigmas(tmp_path):
    truth = truth_file()
    order = [5, 0, *range(1, 5), *range(6, 17)]
    truth["categories"][0]["keypoints"] = [keypoints.COCO.points[k] for k in order]
    path, _ = written(tmp_path, truth)
    with pytest.warns(InputWarning, match="coco's in another order, and so are the sigmas"):
        read_truth = data.read_ground_truth(path, options=KEYPOINTS)
    assert read_truth.skeleton.sigmas == tuple(keypoints.COCO.sigmas[k] for k in order)
    assert read_truth.skeleton.edges[0] == (1, 2)  # nose and left eye


def test_points_without_names_are_taken_for_cocos(tmp_path):
    truth = truth_file()
    del truth["categories"][0]["keypoints"]
    path, _ = written(tmp_path, truth)
    with pytest.warns(InputWarning, match="17 points without names are taken for COCO's"):
        assert data.read_ground_truth(path, options=KEYPOINTS).skeleton == keypoints.COCO
    own = data.read_ground_truth(path, options=Options(kind="keypoints", sigmas="coco"))
    assert own.skeleton == keypoints.COCO


def test_own_sigmas_take_names_and_lines_of_the_file(tmp_path):
    truth = truth_file(3)
    truth["categories"][0] |= {"keypoints": ["a", "b", "c"], "skeleton": [[1, 2], [2, 3]]}
    path, _ = written(tmp_path, truth)
    with pytest.raises(
        InputError, match=r"the sigmas of 3 points \('a', 'b', 'c', ...\) are not known: --sigmas coco, crow"
    ):
        data.read_ground_truth(path, options=KEYPOINTS)
    skeleton = data.read_ground_truth(path, options=Options(kind="keypoints", sigmas=(0.1, 0.2, 0.3))).skeleton
    assert (skeleton.points, skeleton.edges) == (("a", "b", "c"), ((0, 1), (1, 2)))


def test_parts_of_wholebody_are_joined(tmp_path):
    parts = {"foot_kpts": points(6), "face_kpts": points(68), "lefthand_kpts": points(21), "righthand_kpts": points(21)}
    truth = truth_file()
    for record in truth["annotations"]:
        record.update(parts)
    read_truth, found = read(tmp_path, truth, results(**parts), Options(kind="keypoints", sigmas="wholebody"))
    assert read_truth.targets.keypoints.shape == (2, 399)
    assert found.keypoints.shape == (1, 399)
    assert read(tmp_path, truth, results(**parts))[0].targets.keypoints.shape == (2, 51)  # the body


# Case K6: what counts are the points, not `num_keypoints`, which may be missing.
def test_num_keypoints_that_contradicts_is_named(tmp_path):
    truth = truth_file()
    truth["annotations"][0]["num_keypoints"] = 0
    path, _ = written(tmp_path, truth)
    with pytest.warns(
        InputWarning, match="contradicts the points of 1 object: .*annotation 7: num_keypoints 0, 17 labelled"
    ):
        read_truth = data.read_ground_truth(path, options=KEYPOINTS)
    found = detection.Detections(None, [1.0], [1], [1], keypoints=read_truth.targets.keypoints[:1])
    assert detection.evaluate(read_truth, found, kind="keypoints").objects[0, 0] == 2


# pycocotools counts v > 0, so AP is 0.505 where half of ten objects are missed: 51 of 101 recall thresholds.
@pytest.mark.parametrize(("v", "missed", "ap"), [(0.9, 0, 1.0), (0.9, 5, 0.50495), (1e-9, 0, 1.0)])
def test_confidences_in_place_of_v_make_points_labelled(tmp_path, v, missed, ap):
    truth = truth_file()
    first = truth["annotations"][0]
    truth["annotations"] = [
        first | {"id": k, "keypoints": points(v=v if k < 5 else 2, by=200 * k), "num_keypoints": 17} for k in range(10)
    ]
    found = [x for k in range(missed, 10) for x in results(keypoints=points(by=200 * k))]
    read_truth, detections = read(tmp_path, truth, found)
    summary = detection.evaluate(read_truth.targets, detections, kind="keypoints", format="xywh").summary
    assert summary["AP"] == pytest.approx(ap, abs=1e-5)


# pycocotools ignores an object whose `num_keypoints` is 0, and detections near its box.
@pytest.mark.parametrize("without", ["[]", "null", "no field", "no area", "of a category without points"])
def test_objects_without_points_are_ignored(tmp_path, without):
    truth = truth_file()
    other = truth["annotations"][1]
    other |= {"keypoints": None if without == "null" else [], "num_keypoints": 0, "bbox": [0, 40, 170, 20]}
    if without == "no field":
        del other["keypoints"]
    if without == "no area":
        del other["area"]
    if without == "of a category without points":
        truth["categories"].append({"id": 2, "name": "car"})
        other["category_id"] = 2
    on_box = results(image_id=2, keypoints=points(), score=0.9)[0] | {"category_id": other["category_id"]}
    read_truth, found = read(tmp_path, truth, [*results(), on_box])
    result = detection.evaluate(read_truth.targets, found, kind="keypoints", format="xywh")
    assert (result.objects[:, 0].sum(), result.summary["AP50"]) == (1, pytest.approx(1.0))


@pytest.mark.parametrize("chosen", [{"only_classes": ["person"]}, {"except_classes": ["cat"]}])
def test_classes_of_different_points_are_read_by_themselves(tmp_path, chosen):
    truth = truth_file()
    truth["categories"].append({"id": 2, "name": "cat", "keypoints": ["a", "b"]})
    truth["annotations"][1] |= {"category_id": 2, "keypoints": points(2)}
    cat = {"image_id": 2, "category_id": 2, "keypoints": points(2), "score": 0.9}
    read_truth, found = read(tmp_path, truth, [*results(), cat], Options(kind="keypoints", **chosen))
    result = detection.evaluate(read_truth.targets, found, kind="keypoints", format="xywh")
    assert (result.objects[:, 0].sum(), result.summary["AP50"]) == (1, pytest.approx(1.0))


def test_options_of_classes_name_known_ones(tmp_path):
    with pytest.raises(OptionError, match=r"'persn' is not among the 1 categories of .*did you mean 'person'"):
        read(tmp_path, truth_file(), options=Options(kind="keypoints", only_classes=["persn"]))
    with pytest.raises(OptionError, match="`except_classes` is for kind 'keypoints', got kind 'bbox'"):
        read(tmp_path, truth_file(), options=Options(except_classes=["person"]))


def changed_annotation(**changed):
    truth = truth_file()
    truth["annotations"][1] |= changed
    return truth


@pytest.mark.parametrize(
    ("truth", "found", "words"),
    [
        # Case K12: both numbers, and the way out.
        (
            changed_annotation(keypoints=points(13)),
            None,
            r"truth.json: annotations\[1\].keypoints: expected 17 points, as coco has sigmas, got 13 points: --sigmas",
        ),
        (changed_annotation(keypoints=[1, 2]), None, "got 2 numbers, not x, y and v of each point"),
        (None, results(13), r"found.json: \[0\].keypoints: expected 17 points, as coco has sigmas, got 13 points"),
        # Case C5: the field is named.
        (changed_annotation(area=None), None, r"annotations\[1\].area: missing: OKS divides by the area .* \(id 8\)"),
        (changed_annotation(keypoints=[*points()[:-3], 1e200, 5, 2]), None, r"keypoints\[48\]: expected finite number"),
        (None, results(keypoints="x"), "keypoints"),
        (
            None,
            [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}],
            "missing: --kind bbox reads boxes",
        ),
        (
            truth_file(images=[{"id": 1, "crowdIndex": 0.5}, {"id": 2}]),
            None,
            r"images\[1\].crowdIndex: missing: other images have it",
        ),
        (
            truth_file(categories=[{"id": 1, "keypoints": ["a"] * 17}, {"id": 2, "keypoints": ["b"] * 17}]),
            None,
            r"categories\[1\].keypoints: differs from the points of 1: `omniou eval --only-classes 1`",
        ),
    ],
)
def test_faults_are_named_with_file_record_and_field(tmp_path, truth, found, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, truth_file() if truth is None else truth, found)


def test_results_without_boxes_say_which_kind_reads_them(tmp_path):
    truth, found = written(tmp_path, truth_file())
    read_truth = data.read_ground_truth(truth)
    with pytest.raises(InputError, match=r"\[0\].bbox: missing: --kind keypoints reads keypoints"):
        data.read_detections(found, read_truth)


def test_sigmas_are_of_keypoints_and_of_known_sets():
    with pytest.raises(OptionError, match="did you mean 'coco'"):
        Options(kind="keypoints", sigmas="coc")
    with pytest.raises(OptionError, match="`sigmas` is for kind 'keypoints', got kind 'bbox'"):
        data.read_ground_truth(__file__, "coco", Options(sigmas="coco"))
    with pytest.raises(OptionError, match="'voc' has not"):
        data.read_ground_truth(__file__, "voc", KEYPOINTS)


def test_written_files_read_the_same(tmp_path):
    truth, found = read(tmp_path, truth_file())
    data.write_ground_truth(truth, tmp_path / "again.json", "coco")
    data.write_detections(found, truth, tmp_path / "found again.json", "coco")
    again = data.read_ground_truth(tmp_path / "again.json", options=KEYPOINTS)
    found_again = data.read_detections(tmp_path / "found again.json", again, options=KEYPOINTS)
    for name in ("keypoints", "boxes", "area", "images"):
        np.testing.assert_array_equal(getattr(again.targets, name), getattr(truth.targets, name))
    np.testing.assert_array_equal(found_again.keypoints, found.keypoints)
    assert again.skeleton == truth.skeleton
    record = json.loads((tmp_path / "again.json").read_text())["annotations"][0]
    assert record["num_keypoints"] == 17
    assert record["keypoints"][:3] == [0, 50, 2]
    with pytest.warns(InputWarning, match="2 (objects|detections) lost keypoints"):
        data.write_ground_truth(truth, tmp_path / "boxes.csv", "csv")


def test_empty_files(tmp_path):
    truth, found = read(tmp_path, truth_file(annotations=[]), [])
    assert truth.targets.keypoints.shape == (0, 51)
    assert found.keypoints.shape == (0, 51)
    assert detection.evaluate(truth, found, kind="keypoints").state.counts["objects"] == 0
