"""The module that stands in for pycocotools; `tests/oracles` compares it with pycocotools itself."""

import json
import sys

import numpy as np
import pytest

from omniou_integrations import pycocotools as own
from omniou_integrations.pycocotools import coco as own_coco


def ground_truth():
    boxes = [[0, 0, 10, 10], [20, 20, 10, 10], [50, 50, 10, 10]]
    return {
        "images": [{"id": "a", "height": 80, "width": 80}],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "hot dog"}],
        "annotations": [
            {"id": k, "image_id": "a", "category_id": 1, "bbox": box, "area": 100, "iscrowd": 0}
            for k, box in enumerate(boxes, start=1)
        ],
    }


def results():
    return [{"image_id": "a", "category_id": 1, "bbox": [x, x, 10, 10], "score": s} for x, s in ((0, 0.9), (20, 0.8))]


@pytest.fixture
def evaluator():
    truth = own.COCO(ground_truth())
    return own.COCOeval(truth, truth.loadRes(results()), "bbox")


def test_two_of_three_objects_reach_67_of_101_recalls(evaluator, capsys):
    evaluator.evaluate()
    evaluator.accumulate()
    evaluator.summarize()
    assert evaluator.stats.tolist()[:2] == pytest.approx([67 / 101] * 2, abs=1e-12)
    assert evaluator.stats[8] == pytest.approx(2 / 3, abs=1e-12)
    first = " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.663"
    assert first in capsys.readouterr().out.splitlines()


def patched():
    return {name: x for name, x in sys.modules.items() if name.partition(".")[0] == "pycocotools"}


@own.patch()
def import_and_raise():
    from pycocotools.coco import COCO

    with own.patch(corrected=True):
        from pycocotools.cocoeval import COCOeval
    from pycocotools import mask

    raise RuntimeError(COCO is own.COCO, COCOeval.corrected, mask.area is own.mask.area)


def test_modules_have_their_names_inside_the_block_only():
    before = patched()
    with pytest.raises(RuntimeError, match="True, True, True"):
        import_and_raise()
    assert patched() == before


def test_annotations_are_drawn():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    data = ground_truth()
    data["categories"][0]["skeleton"] = [[1, 2]]
    kinds = (
        {"segmentation": [[0, 0, 9, 0, 9, 9]]},
        {"segmentation": {"size": [2, 2], "counts": [1, 3]}},
        {"keypoints": [1, 1, 2, 5, 5, 1]},
    )
    anns = [ann | more for ann, more in zip(data["annotations"], kinds, strict=True)]
    figure, axes = pyplot.subplots()
    own.COCO(data).showAnns(anns, draw_bbox=True)
    counts = (len(axes.collections), len(axes.collections[0].get_paths()), len(axes.images), len(axes.lines))
    assert counts == (2, 1 + 3, 1, 3)
    pyplot.close(figure)


def summed_up(data, change=None, *, corrected, asked=False):
    truth = own.COCO(data)
    e = own.COCOeval(truth, truth.loadRes(results()), "bbox", corrected=corrected)
    for name, value in (change or {}).items():
        setattr(e.params, name, value)
    e.evaluate()
    assert not asked or e.evalImgs
    e.accumulate()
    e.summarize()
    return e.stats


@pytest.mark.parametrize("asked", [False, True])
def test_the_id_0_is_unmatched_unless_corrected(asked):
    own_coco._WARNED.clear()
    data = ground_truth()
    data["annotations"][0]["id"] = 0
    with pytest.warns(UserWarning, match="ids above 0") as warned:
        wrong = [summed_up(data, corrected=False, asked=asked) for _ in range(2)]
    assert len(warned) == 1
    # One hit in the second place of two: a precision of 1/2 up to a recall of 1/3.
    assert [x[0] for x in wrong] == pytest.approx([0.5 * 34 / 101] * 2, abs=1e-12)
    right = summed_up(data, corrected=True, asked=asked)
    assert (right[0], right[8]) == pytest.approx((67 / 101, 2 / 3), abs=1e-12)


def test_other_limits_and_thresholds_give_numbers_if_corrected():
    own_coco._WARNED.clear()
    with pytest.raises(IndexError, match="three limits"), pytest.warns(UserWarning, match="100 for AP"):
        summed_up(ground_truth(), {"maxDets": [1, 2]}, corrected=False)
    right = summed_up(ground_truth(), {"maxDets": [1, 2]}, corrected=True)
    assert right[[0, 6, 7, 8]] == pytest.approx([67 / 101, 1 / 3, 2 / 3, 2 / 3], abs=1e-12)
    with pytest.raises(ValueError, match="must be an array, got list"):
        summed_up(ground_truth(), {"iouThrs": [0.5]}, corrected=False)
    assert summed_up(ground_truth(), {"iouThrs": [0.5]}, corrected=True)[1] == pytest.approx(67 / 101, abs=1e-12)


def test_a_filter_that_is_a_string_is_one_name_if_corrected():
    own_coco._WARNED.clear()
    data = own.COCO(ground_truth())
    with pytest.warns(UserWarning, match="must be in a list"):
        assert data.getCatIds("hot dog") == [1, 2]
    with own.patch(corrected=True):
        from pycocotools.coco import COCO
    assert COCO(ground_truth()).getCatIds("hot dog") == [2]


def test_errors_name_file_record_and_field(tmp_path):
    path = tmp_path / "truth.json"
    path.write_text('{"annotations": [{"id": 1, "image_id": 2}, {"id": 3}]}', "utf-8")
    with pytest.raises(KeyError, match=r"truth.json: `annotations\[1\]` must have the field `image_id`"):
        own.COCO(path)
    data = ground_truth()
    del data["annotations"][1]["area"]
    with pytest.raises(KeyError, match="`cocoGt`: the annotation 2 must have the field `area`"):
        summed_up(data, corrected=False)
    data["annotations"][1].update(area=1, bbox=[0, 0, float("nan"), 1])
    with pytest.raises(ValueError, match=r"`cocoGt.anns\[2\]\['bbox'\]` must be finite"):
        summed_up(data, corrected=False)


def files(folder, count=1):
    truth, found = ground_truth(), results()
    truth["images"] = [{"id": k, "height": 80, "width": 80} for k in range(count)]
    anns = [x | {"image_id": k} for k in range(count) for x in truth["annotations"]]
    truth["annotations"] = [x | {"id": k} for k, x in enumerate(anns, start=1)]
    paths = folder / "truth.json", folder / "results.json"
    for path, content in zip(paths, (truth, [x | {"image_id": k} for k in range(count) for x in found]), strict=True):
        path.write_text(json.dumps(content))
    return paths


def evaluated(truth, found):
    evaluator = own.COCOeval(truth, found, "bbox")
    evaluator.evaluate()
    evaluator.accumulate()
    return evaluator


def read(paths):
    truth = own.COCO(paths[0])
    return truth, truth.loadRes(paths[1])


def test_calls_do_not_grow_with_records(tmp_path):
    pytest.importorskip("msgspec")
    evaluated(*read(files(tmp_path)))  # imports
    counts = []
    for count in (1, 201):
        paths, calls = files(tmp_path, count), []
        sys.setprofile(lambda _, event, __, calls=calls: calls.append(event))
        evaluated(*read(paths))
        sys.setprofile(None)
        counts.append(calls.count("call"))
    # 1,000 records more. A step of a generator is a call, too.
    assert counts[1] - counts[0] < 4_000


def change_truth(truth, _):
    truth.anns[2]["iscrowd"] = 1


def change_found(_, found):
    found.dataset["annotations"][0]["score"] = 0.1
    found.loadAnns([2])[0]["bbox"] = [60, 60, 10, 10]


def replace_truth(truth, _):
    truth.dataset = ground_truth() | {"annotations": ground_truth()["annotations"][:1]}
    truth.dataset["images"][0]["id"] = truth.dataset["annotations"][0]["image_id"] = 0
    truth.createIndex()


@pytest.mark.parametrize("change", [change_truth, change_found, replace_truth])
def test_changes_of_dictionaries_count(tmp_path, change):
    paths = files(tmp_path)
    read_late, read_first = read(paths), read(paths)
    evaluated(*read_late)  # from columns
    for side in read_first:
        side.imgs  # noqa: B018  (makes dictionaries)
    for both in (read_late, read_first):
        change(*both)
    late, first = evaluated(*read_late).eval, evaluated(*read_first).eval
    for name in ("precision", "recall", "scores"):
        np.testing.assert_array_equal(late[name], first[name])
    assert (late["recall"] != evaluated(*read(paths)).eval["recall"]).any()


def test_matches_are_of_what_was_evaluated(tmp_path):
    truth, found = read(files(tmp_path))
    evaluator = evaluated(truth, found)
    assert truth.anns[1]["ignore"] == 0  # as `evaluate` leaves it
    found.anns[1]["score"] = 0.0
    found.anns[1]["bbox"] = [50, 50, 10, 10]
    assert evaluator.evalImgs[0]["dtMatches"][0].tolist() == [1, 2]
    assert evaluator.ious[0, 1].diagonal().tolist() == [1, 1]


def test_entries_that_a_program_gives_other_scores_are_sorted_anew(evaluator):
    wrong = {"image_id": "a", "category_id": 1, "bbox": [70, 0, 5, 5], "score": 0.95}
    evaluator.cocoDt = evaluator.cocoGt.loadRes([*results(), wrong])
    evaluator.evaluate()
    evaluator.evalImgs[0]["dtScores"] = [0.1, 0.9, 0.8]
    evaluator.params.maxDets = [1, 100]
    evaluator.accumulate()
    # By the scores of the program the right two come first; the limit of 1 cuts to the wrong one, as it was listed.
    precision = evaluator.eval["precision"][0, :, 0, 0, :]
    assert precision[:67, 1].tolist() == [1.0] * 67


def test_matches_that_are_read_late_are_of_the_annotations_that_were_evaluated(evaluator):
    evaluator.evaluate()
    for ann in evaluator.cocoDt.anns.values():
        ann.update(id=ann["id"] + 100, score=0.0)
    assert evaluator.evalImgs[0]["dtScores"] == [0.9, 0.8]
    assert evaluator.evalImgs[0]["dtIds"] == [1, 2]


@pytest.mark.parametrize(
    ("change", "kind", "error", "said"),
    [
        (lambda e: setattr(e.params, "maxDets", []), "bbox", IndexError, "`params.maxDets` must have a limit"),
        (lambda e: setattr(e.params, "maxDets", [0, 100]), "bbox", ValueError, "`params.maxDets` must be at least 1"),
        (lambda e: e.cocoDt.anns[2].update(score=None), "bbox", TypeError, r"`cocoDt.anns\[2\]\['score'\]` .*got None"),
        (lambda e: e.cocoGt.anns[2].update(bbox=None), "bbox", TypeError, r"`cocoGt.anns\[2\]\['bbox'\]` .*got None"),
        (lambda _: None, "segm", KeyError, "dataset: the annotation 1 must have the field `segmentation`"),
        (lambda _: None, "keypoints", KeyError, "the annotation 1 must have the field `num_keypoints`"),
        (
            lambda e: [x.update(segmentation={"size": [80, 80], "counts": [3]}) for x in e.cocoGt.anns.values()],
            "segm",
            ValueError,
            r"dataset: segmentation of the annotation 1: pyobj\[0\].counts: runs add up to 3 pixels",
        ),
    ],
)
def test_errors_name_parameter_or_annotation(evaluator, change, kind, error, said):
    evaluator = own.COCOeval(evaluator.cocoGt, evaluator.cocoDt, kind)
    change(evaluator)
    with pytest.raises(error, match=said):
        evaluator.evaluate()
