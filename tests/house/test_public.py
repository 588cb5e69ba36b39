"""The public modules and their names: what has no underscore in its path is public, and is listed here."""

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import omniou
from omniou import pixel_scores, scores

ROOT = Path(__file__).parents[2]
# Both import roots, as far as they are in this checkout.
MODULES = {
    ".".join(path.relative_to(ROOT / root).with_suffix("").parts).removesuffix(".__init__"): path
    for root in ("src", "integrations")
    for path in sorted((ROOT / root).glob("omniou*/**/*.py"))
}
READERS = ["read_detections", "read_ground_truth"]
_WRITERS = ["write_detections", "write_ground_truth"]
# Scores and losses are those of the table.
GAUSSIAN = [name for name, score in scores.items() if "gaussians" in score.terms]
POLYGONS, BOXES3D, ROTATED = (
    [name for name, score in scores.items() if module.GEOMETRY.has_terms(score.terms)]
    for module in (omniou.polygons, omniou.boxes3d, omniou.rotated)
)
PIXELS = [name for name, score in pixel_scores.items() if not score.joins]
PIXEL_LOSSES = [score.loss_name for score in pixel_scores.values()]
SCORES, LOSS_CLASSES = list(scores), [f"{score.label}Loss" for score in scores.values()]

PUBLIC = {
    "omniou": [
        "__version__",
        "boxes",
        "boxes3d",
        "centres",
        "conventions",
        "detection",
        "gaussian",
        "geometry",
        "keypoints",
        "losses",
        "masks",
        "matching",
        "nms",
        "pairwise",
        "pairwise_count",
        "pairwise_max",
        "pairwise_sparse",
        "pairwise_topk",
        "panoptic",
        "pixel_scores",
        "polygons",
        "rle",
        "rotated",
        "scores",
        "segmentation",
        "spotting",
        "tracking",
    ],
    "omniou.boxes": [
        "GEOMETRY",
        "INTERVALS",
        "area",
        "check",
        "convert",
        "enclosing",
        "from_masks",
        "intersection",
        "pairwise_iou",
        "union",
        *SCORES,
    ],
    "omniou.boxes3d": [
        "BEV",
        "GEOMETRY",
        "bev_iou",
        "check",
        "convert",
        "corners",
        "enclosing",
        "pairwise_iou",
        "volume",
        *BOXES3D,
    ],
    "omniou.centres": [
        "NUSCENES",
        "CentreClass",
        "CentreDetections",
        "CentreRacks",
        "CentreResult",
        "CentreRules",
        "CentreTargets",
        "evaluate",
    ],
    "omniou.cli": ["main"],
    "omniou.data": [
        "FORMATS",
        "TRACK_FORMATS",
        "WRITERS",
        "Finding",
        "GroundTruth",
        "InputError",
        "InputWarning",
        "MissingLibraryError",
        "Naming",
        "OptionError",
        "Options",
        "TrackFiles",
        "checkpoints",
        "diagnose",
        "hierarchy",
        "nuscenes",
        "panoptic",
        "semantic",
        "shards",
        "spotting",
        "states",
        "tracks",
        "video_objects",
        *READERS,
        "read_detections_only",
        "Slices",
        "read_slices",
        "read_ground_truth_tracks",
        "read_tracks",
        *_WRITERS,
    ],
    "omniou.data.doctor": ["diagnose"],
    "omniou.data.hierarchy": ["expand_detections", "expand_truth", "read"],
    "omniou.data.nuscenes": ["SampleTruth", "evaluate", "read_detections", "read_ground_truth"],
    "omniou.data.panoptic": ["Annotation", "Category", "Panoptic", "count", "read"],
    "omniou.data.spotting": ["Games", "read_ground_truth", "read_predictions"],
    "omniou.data.semantic": ["LabelCounts", "count", "count_components", "read_classes"],
    "omniou.data.shards.checkpoints": ["Checkpoint"],
    "omniou.data.shards": [
        "IMAGES",
        "NOTHING",
        "Part",
        "Rules",
        "Shard",
        "Size",
        "SplitImageError",
        "Whole",
        "find",
        "known",
        "merge",
        "united",
        "whole",
    ],
    "omniou.data.shards.states": ["Description", "describe", "dumps", "load", "loads", "save"],
    "omniou.data.tracks": [
        "TRACK_FORMATS",
        "TrackFiles",
        "diagnose",
        "prepared",
        "read_ground_truth_tracks",
        "read_tracks",
    ],
    "omniou.data.video_objects": ["read"],
    "omniou.data.writing": ["WRITERS", "Writer", *_WRITERS],
    "omniou.detection": [
        "ACTIVITYNET",
        "COCO",
        "COCO_KEYPOINTS",
        "CROWDPOSE",
        "HACS",
        "KITTI",
        "LRP",
        "LVIS",
        "OPEN_IMAGES",
        "OPEN_IMAGES_CHALLENGE",
        "PRESETS",
        "THUMOS14",
        "ULTRALYTICS",
        "ULTRALYTICS_8_3",
        "VOC2007",
        "VOC2010",
        "AreaRange",
        "Breakdown",
        "Calibration",
        "ClassComparison",
        "Comparison",
        "Confusion",
        "Detections",
        "Evaluator",
        "HeadingAP",
        "Interval",
        "Matches",
        "OperatingPoints",
        "Proposals",
        "Protocol",
        "Result",
        "Sketch",
        "Targets",
        "bootstrap",
        "check",
        "compare",
        "compare_classes",
        "compute",
        "evaluate",
        "expand",
        "sketch",
    ],
    **{f"omniou.detection.{name}": [] for name in ("analysis", "curves", "doctor", "matching")},
    "omniou.gaussian": GAUSSIAN,
    "omniou.geometry": ["Bounds", "Conversion", "Geometry", "Measure", "functions", "losses"],
    "omniou.keypoints": [
        "COCO",
        "CROWDPOSE",
        "MPII",
        "SKELETONS",
        "WHOLEBODY",
        "Skeleton",
        "box_size",
        "estimate_sigmas",
        "nme",
        "oks",
        "pck",
        "pckh",
        "point_distance",
    ],
    "omniou.losses": [
        "Inverted",
        "Reduction",
        "balanced_l1",
        "boxes3d",
        "get",
        "keypoints",
        "l1",
        "masks",
        "polygons",
        "rotated",
        "running_mean",
        "smooth_l1",
        *SCORES,
    ],
    "omniou.losses.boxes3d": BOXES3D,
    "omniou.losses.keypoints": ["oks"],
    "omniou.losses.masks": ["boundary", "check", "focal_tversky", "lovasz_hinge", "lovasz_softmax", *PIXEL_LOSSES],
    "omniou.losses.polygons": POLYGONS,
    "omniou.losses.rotated": ROTATED,
    "omniou.masks": [
        "ComponentCounts",
        "area",
        "average_surface_distance",
        "boundary",
        "boundary_f",
        "boundary_iou",
        "check",
        "components",
        "from_boxes",
        "from_polygons",
        "from_rotated",
        "graded",
        "hausdorff",
        "intersection",
        "mean",
        "pairwise_iou",
        "reading",
        "signed_distance",
        "trimap_iou",
        *PIXELS,
        *(f"soft_{x}" for x in PIXELS),
    ],
    "omniou.matching": [
        *("Assigned", "CocoMatches", "atss", "coco", "detr_cost", "greedy", "hungarian"),
        *("max_iou", "simota", "task_aligned"),
    ],
    "omniou.nms": ["Fixed", "Fused", "Rescored", "hard", "matrix", "merge", "soft", "weighted_fusion"],
    "omniou.pairs": [
        "Best",
        "SparsePairs",
        "pairwise",
        "pairwise_count",
        "pairwise_max",
        "pairwise_sparse",
        "pairwise_topk",
    ],
    "omniou.rle": ["MaskError", "Masks", "overlap", "pairwise_iou", *PIXELS],
    "omniou.polygons": ["GEOMETRY", "area", "check", "pairwise_iou", *POLYGONS],
    "omniou.rotated": ["GEOMETRY", "area", "check", "convert", "corners", "enclosing", "pairwise_iou", *ROTATED],
    "omniou.report": [
        "ANALYSES",
        "SCHEMA",
        "Analysis",
        "Contrast",
        "Delta",
        "Gate",
        "Group",
        "Input",
        "Intervals",
        "Measured",
        "Mosaic",
        "PaperTable",
        "Record",
        "Source",
        "Table",
        "against_iou",
        "compare",
        "digest",
        "draw",
        "fiftyone_detections",
        "figures",
        "html",
        "mosaic",
        "plot",
        "record",
        "scalars",
        "table",
        "wandb_boxes",
    ],
    "omniou.report.explorer": ["code", "html"],
    "omniou.panoptic": [
        "PanopticCounts",
        "TrackingCounts",
        "VideoCounts",
        "count",
        "count_ids",
        "count_tracks",
        "count_video",
        "from_rgb",
        "to_rgb",
    ],
    "omniou.segmentation": [
        "SplitCounts",
        "check",
        "confusion",
        "frequency_weighted_iou",
        "generalised_dice",
        *PIXELS,
    ],
    "omniou.spotting": ["LOOSE", "TIGHT", "Events", "Spotting", "evaluate"],
    "omniou.tracking": [
        "EventTable",
        "Evaluator",
        "Result",
        "State",
        "TrackingRules",
        "Tracks",
        "benchmarks",
        "compute",
        "evaluate",
        "merge",
        "single",
        "video_objects",
    ],
    "omniou.tracking.benchmarks": [
        "Benchmark",
        "DroppedRows",
        "NAMES",
        "PreparedTracks",
        "RuleError",
        "apply",
        "declared",
        "every",
    ],
    "omniou_integrations": [],
    "omniou_integrations.dask": ["EngineError", "evaluate", "reduce", "state"],
    "omniou_integrations.evaluate": ["DetectionAP", "MeanIoU"],
    "omniou_integrations.flax": ["BoxScore", "DetectionAP", "MeanIoU"],
    "omniou_integrations.ignite": ["BoxScore", "DetectionAP", "SegmentationScore"],
    "omniou_integrations.jax": [
        "BoxScore",
        "DetectionAP",
        "MeanIoU",
        "mean",
        "sum_and_count",
        *(f"{x}_loss" for x in SCORES),
    ],
    "omniou_integrations.keras": [
        "BinaryIoU",
        "BoxIoU",
        "DetectionCallback",
        "MeanIoU",
        "SegmentationScore",
        *LOSS_CLASSES,
    ],
    "omniou_integrations.supervision": ["per_image", "targets_and_detections"],
    "omniou_integrations.torchmetrics": [
        "HOTA",
        "IDF1",
        "BinaryJaccardIndex",
        "BootStrapper",
        "BoxScore",
        "ClearMOT",
        "CompleteIntersectionOverUnion",
        "DetectionEvaluation",
        "DiceScore",
        "DistanceIntersectionOverUnion",
        "GeneralizedDiceScore",
        "GeneralizedIntersectionOverUnion",
        "HausdorffDistance",
        "IntersectionOverUnion",
        "JaccardIndex",
        "KeypointAveragePrecision",
        "MaskScore",
        "MeanAveragePrecision",
        "MeanIoU",
        "ModifiedPanopticQuality",
        "MulticlassJaccardIndex",
        "MultilabelJaccardIndex",
        "PanopticQuality",
        "PrecisionRecallF1",
        "SegmentationScore",
        "log_figures",
        "scalars",
    ],
    "omniou_integrations.ultralytics": ["detections"],
    "omniou.tracking.single": [
        *("GOT10K", "LASOT", "OTB", "PROTOCOLS", "FrameErrors", "SingleProtocol", "SingleResult", "SuccessCurves"),
        "evaluate",
    ],
    "omniou.tracking.video_objects": ["ObjectTracks", "VideoObjectResult", "evaluate"],
}
# Adapters import their framework at their top.
NEEDED = {name: name.rpartition(".")[2] for name in PUBLIC if name.startswith("omniou_integrations.")}


def is_public(module: str) -> bool:
    return not any(part.startswith("_") for part in module.split("."))


def literal_names(path: Path) -> list[str]:
    """The names in `__all__` that are written out, without running the module."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [x.value for x in node.value.elts if isinstance(x, ast.Constant)]
    return []


def test_public_modules_are_those_without_underscore():
    assert {name for name in MODULES if is_public(name)} == PUBLIC.keys()


@pytest.mark.parametrize("name", [x for x in PUBLIC if x not in NEEDED and x != "omniou_integrations"])
def test_all_of_public_module(name):
    if name.startswith(("omniou.data", "omniou.cli", "omniou.report")):
        pytest.importorskip("msgspec", reason="the extra cli is not installed")
    module = importlib.import_module(name)
    assert sorted(module.__all__) == sorted(PUBLIC[name])
    assert all(hasattr(module, x) for x in module.__all__)


@pytest.mark.parametrize("name", NEEDED)
def test_all_of_adapter_source(name):
    # Losses are added from the table: the tests of JAX and Keras compare them.
    made = {f"{x}_loss" for x in SCORES} | set(LOSS_CLASSES)
    assert sorted(literal_names(MODULES[name])) == sorted(set(PUBLIC[name]) - made)


def test_every_score_has_its_facts_on_one_page_of_metrics():
    pages = [path.read_text("utf-8") for path in (ROOT / "docs" / "metrics").glob("*.md")]
    facts = [name for page in pages for name in re.findall(r"^```\{metric\} (\w+)$", page, re.MULTILINE)]
    assert {name: facts.count(name) for name in SCORES} == dict.fromkeys(SCORES, 1)


# Of readers, of parts of `data` and of groups of modules Python shows what is imported, too.
SHOWN = [
    name
    for name in PUBLIC
    if not name.startswith(("omniou.data.", "omniou.detection.", "omniou.tracking.", "omniou.cli"))
]


@pytest.mark.parametrize("name", [x for x in SHOWN if x not in {"omniou.pairs", "omniou_integrations"}])
def test_dir_of_module_shows_the_public_names(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name], reason="its framework is not installed")
    if name.startswith(("omniou.data", "omniou.report")):
        pytest.importorskip("msgspec", reason="the extra cli is not installed")
    module = importlib.import_module(name)
    late = ["data", "report"] if name == "omniou" else []  # which need the extra cli
    assert dir(module) == sorted([*module.__all__, *late])
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nonsense'"):
        _ = module.nonsense


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: omniou.boxes.iuo, "did you mean 'iou'?"),
        (lambda: omniou.detections, "did you mean 'detection'?"),
        (lambda: omniou.boxes.pairwise_giou, "write pairwise(boxes.giou, ...)"),
        (lambda: omniou.masks.pairwise_dice, "write pairwise(masks.dice, ...)"),
        (lambda: omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], format="xyhw"), "did you mean 'xywh'?"),
        (lambda: omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], format="XYXY"), "did you mean 'xyxy'?"),
        (lambda: omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], format="coco"), "did you mean 'xywh'?"),
        (lambda: omniou.losses.get("GIoU"), "did you mean 'giou'?"),
        (lambda: omniou.segmentation.iou([[1]], average="Macro"), "did you mean 'macro'?"),
        (lambda: omniou.detection.evaluate([], [], protocol="voc"), "did you mean 'voc2010'?"),
        (lambda: omniou.detection.evaluate([], [], kind="mask"), "did you mean 'segm'?"),
        (lambda: omniou.detection.evaluate([], [], score="GIoU"), "did you mean 'giou'?"),
    ],
)
def test_unknown_name_gets_the_nearest_one(call, hint):
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(hint)):
        call()


def test_data_and_report_are_there_after_import_of_omniou():
    program = "import sys, omniou; assert 'omniou.data' not in sys.modules; print(omniou.data.states, omniou.report)"
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
