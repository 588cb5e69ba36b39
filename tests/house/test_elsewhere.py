"""Names of other libraries: each error names a way that exists, and no such name is an alias."""

import importlib
import inspect
import re

import pytest

import omniou
from omniou._lib import elsewhere
from tests.house.public_names import PUBLIC

pytest.importorskip("numpy")
pytest.importorskip("msgspec", reason="`data` needs the extra `cli`")

CORE = sorted(
    x for x in PUBLIC if x.startswith("omniou") and not x.startswith(("omniou_", "omniou.data", "omniou.report"))
)
HINTED = [
    "omniou",
    *(f"omniou.{x}" for x in ("boxes", "nms", "losses", "masks", "segmentation", "detection", "tracking")),
]
WAYS = {*elsewhere._WAYS.values(), *elsewhere.EXAMPLES.values(), *elsewhere.READERS.values()}
# A dotted name that starts at a module of omniou, such as `nms.hard`, and its arguments if it is called.
CALLED = re.compile(r"(?<![\w.)])((?:[A-Za-z]\w*\.)+\w+)(?:\(([^()]*)\))?")


# What the calls before a last attribute return.
RESULTS = dict.fromkeys(("area", "boxes", "merge", "to_dense"), omniou.rle.Masks) | {
    "confusion": omniou.detection.Result,
    "quality": omniou.panoptic.PanopticCounts,
    "targets": omniou.data.GroundTruth,
    "events": omniou.data.spotting.Games,
}


def attribute(path):
    module, *names = path.split(".")
    value = getattr(omniou, module)
    for name in names:
        if inspect.ismodule(value) and name not in dir(value):
            value = importlib.import_module(f"{value.__name__}.{name}")
        else:
            value = getattr(value, name)
    return value


def test_every_way_exists():
    for way in WAYS:
        found = CALLED.findall(way.replace("dataclasses.replace(detection.COCO, ", "detection.Protocol("))
        assert found or way in elsewhere.EXAMPLES.values(), way
        for path, arguments in found:
            known = inspect.signature(attribute(path)).parameters if arguments else {}
            options = {x.split("=")[0].strip() for x in arguments.split(",") if "=" in x}
            assert options <= {*known}, way
        for name in re.findall(r"\)\.(\w+)", way):
            assert hasattr(RESULTS[name], name), way


def test_names_of_others_are_no_aliases():
    for name in elsewhere._WAYS.keys() - {"evaluate"}:  # which `spotting` has
        with pytest.raises(AttributeError, match=r"has no attribute '.*'; write "):
            getattr(omniou.spotting, name)


@pytest.mark.parametrize("module", HINTED)
def test_modules_name_the_way(module):
    with pytest.raises(
        AttributeError, match=r"'batched_nms'; write nms.hard\(boxes, scores, threshold, groups=labels\)"
    ):
        _ = importlib.import_module(module).batched_nms
    with pytest.raises(AttributeError, match=r"'mean_average_precision'; write detection\.evaluate"):
        _ = importlib.import_module(module).mean_average_precision


ARGUMENTS = {
    name
    for module in CORE
    for x in PUBLIC[module]
    if callable(f := getattr(importlib.import_module(module), x))
    for name in (
        inspect.signature(f).parameters if not isinstance(f, type) or f.__init__ is not object.__init__ else ()
    )
}


def test_every_argument_is_one():
    choices = {"bbox", "segm", "semantic", "rotated", "boxes3d"}
    names = {x for targets in elsewhere.OPTIONS.values() for x in targets}
    formats = {"xywh", "xyxy", "cxcywh", "rel_xyxy", "rel_cxcywh"}
    peers = {
        "pycocotools",
        "ultralytics",
        "mmdet",
        "opencv",
        "tensorflow",
        "segmentation_models_pytorch",
        "ensemble_boxes",
    }
    presets = {"voc2010", "voc"}
    assert names - choices - formats - peers - presets - ARGUMENTS == set()


BOXES, SCORES = [[0.0, 0, 2, 2]], [0.5]
CALLS = [
    (lambda: omniou.nms.hard(BOXES, SCORES, labels=[0]), "hard.*'labels'; write groups=labels"),
    (lambda: omniou.nms.hard(BOXES, SCORES, iou_threshold=0.5), "did you mean 'threshold'"),
    (lambda: omniou.nms.hard(BOXES, SCORES, 0.5, idxs=[0]), "write groups=labels"),
    (lambda: omniou.nms.hard(BOXES, SCORES, 0.5, box_format="xywh"), "did you mean 'format'"),
    (lambda: omniou.nms.soft(BOXES, SCORES, max_det=3), "did you mean 'limit'"),
    (lambda: omniou.nms.matrix(BOXES, SCORES, conf_thres=0.1), "did you mean 'score_threshold'"),
    (lambda: omniou.nms.merge(BOXES, SCORES, 0.5, agnostic=True), "write groups=labels"),
    (lambda: omniou.nms.weighted_fusion(BOXES, SCORES, 0.5, skip_box_thr=0.1), "did you mean 'score_threshold'"),
    (lambda: omniou.detection.evaluate([], [], iou_type="bbox"), "write kind='bbox', 'segm' or 'keypoints'"),
    (lambda: omniou.detection.evaluate([], [], iouType="bbox"), "write kind='bbox'"),
    (lambda: omniou.detection.evaluate([], [], sigmas=[0.1]), r"write kind=keypoints.Skeleton\("),
    (lambda: omniou.detection.evaluate([], [], iou_thresholds=[0.5]), "write protocol=dataclasses.replace"),
    (lambda: omniou.detection.evaluate([], [], max_det=100), "write protocol=dataclasses.replace"),
    (lambda: omniou.detection.Evaluator(box_format="xywh"), "did you mean 'format'"),
    (lambda: omniou.tracking.evaluate([], [], iou_threshold=0.5), "did you mean 'threshold'"),
    (lambda: omniou.keypoints.oks([[0, 0]], [[0, 0]], kpt_oks_sigmas=[0.1]), "did you mean 'sigmas'"),
    (lambda: omniou.detection.evaluate("gt.json", "dt.json"), "'gt.json'; write data.read_ground_truth"),
    (lambda: omniou.detection.evaluate([], "dt.json"), "'dt.json'; write data.read_detections"),
    (lambda: omniou.tracking.evaluate("gt.txt", "dt.txt"), "'gt.txt'; write data.read_ground_truth_tracks"),
    (lambda: omniou.centres.evaluate("gt.json", None), "'gt.json'; write data.nuscenes.read_ground_truth"),
    (lambda: omniou.spotting.evaluate("gt.json", None), "'gt.json'; write data.spotting.read_ground_truth"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=range(len(CALLS)))
def test_arguments_of_others_name_the_way(call, message):
    with pytest.raises(TypeError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_options_of_a_score_of_the_caller_pass():
    def score(a, b, *, labels):
        return omniou.boxes.iou(a, b) * labels

    assert omniou.nms.hard(BOXES, SCORES, 0.5, score=score, labels=1.0).tolist() == [0]
