"""The module that stands in for pycocotools; `tests/oracles` compares it with pycocotools itself."""

import sys

import pytest

from omniou_integrations import pycocotools as own


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
