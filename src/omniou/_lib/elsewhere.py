"""Names that other libraries have, and what omniou has in their place. No name here becomes an alias.

Errors about an unknown attribute, argument or choice read these tables (`_lib/near.py`).
"""

from collections.abc import Mapping

_PAIRS = "pairwise(boxes.{}, a, b)"
_MAP = "detection.evaluate(targets, detections)"
_TRACKING = "tracking.evaluate(ground_truth, tracks)"
_CLASSES = "segmentation.iou(segmentation.confusion(target, prediction, num_classes))"
_TRUTH = "data.read_ground_truth(path)"
_NMS = "nms.hard(boxes, scores, threshold)"

_SCORES = (
    "giou",
    "diou",
    "ciou",
    "eiou",
    "siou",
    "mpdiou",
    "shape_iou",
    "tiou",
    "wiou",
    "probiou",
    "nwd",
    "gwd",
    "kld",
)


def _all(way: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, way)


# Functions and classes, without regard to case and underscores -> what to write; "rle.area" if asked of that module.
_WAYS = {
    # torchvision.ops, torchmetrics and supervision: boxes
    **_all("boxes.iou(a, b), or of the geometry: rotated.iou, boxes3d.iou, polygons.iou, masks.iou, rle.iou", "iou"),
    **_all(_PAIRS.format("iou"), "box_iou", "bbox_iou", "boxes_iou", "box_iou_batch", "bbox_overlaps", "compute_iou"),
    **_all(_PAIRS.format("giou"), "generalized_box_iou", "generalised_box_iou"),
    **_all(_PAIRS.format("diou"), "distance_box_iou"),
    **_all(_PAIRS.format("ciou"), "complete_box_iou"),
    **_all("boxes.iou(a, b)", "intersection_over_union"),
    **_all("boxes.giou(a, b)", "generalized_intersection_over_union"),
    **_all("boxes.diou(a, b)", "distance_intersection_over_union"),
    **_all("boxes.ciou(a, b)", "complete_intersection_over_union"),
    **_all("pairwise(boxes.iof, a, b)", "bbox_ioa", "box_ioa", "ioa"),
    **_all("boxes.area(x)", "box_area", "bbox_area", "boxes_area"),
    **_all("boxes.convert(x, source, target)", "box_convert", "convert_boxes", "convert_bbox", "convert_format"),
    **_all("boxes.convert(x, 'xyxy', 'xywh')", "xyxy2xywh", "xyxy_to_xywh", "box_xyxy_to_xywh"),
    **_all("boxes.convert(x, 'xywh', 'xyxy')", "xywh2xyxy", "xywh_to_xyxy", "box_xywh_to_xyxy"),
    **_all("boxes.convert(x, 'cxcywh', 'xyxy')", "cxcywh2xyxy", "cxcywh_to_xyxy", "box_cxcywh_to_xyxy"),
    **_all("boxes.convert(x, 'xyxy', 'cxcywh')", "xyxy2cxcywh", "xyxy_to_cxcywh", "box_xyxy_to_cxcywh"),
    **_all("boxes.from_masks(masks)", "masks_to_boxes", "mask_to_xyxy"),
    **_all("pairwise(rotated.iou, a, b)", "box_iou_rotated", "rotated_iou", "rbox_iou", "oriented_box_iou_batch"),
    **_all("rotated.probiou(a, b)", "batch_probiou"),
    **_all("rotated.corners(x)", "xywhr2xyxyxyxy", "box_points"),
    **_all("pairwise(boxes3d.iou, a, b)", "box3d_iou", "box3d_overlap", "boxes_iou3d", "bbox_overlaps_3d"),
    **_all("pairwise(boxes3d.bev_iou, a, b)", "boxes_iou_bev", "nms_bev"),
    **_all("polygons.iou(a, b)", "polygon_iou", "poly_iou", "polygon"),
    # suppression
    **_all(_NMS, "nms", "non_max_suppression", "non_maximum_suppression", "box_non_max_suppression", "nms_boxes"),
    **_all("nms.hard(boxes, scores, threshold, groups=labels)", "batched_nms", "multiclass_nms", "combined_nms"),
    **_all("nms.hard(boxes, scores, threshold, score=rotated.iou)", "nms_rotated", "batched_nms_rotated"),
    **_all("nms.hard(masks, scores, threshold, score=rle.iou)", "mask_non_max_suppression", "mask_nms"),
    **_all("nms.soft(boxes, scores)", "soft_nms", "batched_soft_nms"),
    **_all("nms.matrix(boxes, scores)", "matrix_nms"),
    **_all("nms.merge(boxes, scores, threshold)", "nmm", "greedy_nmm", "box_non_max_merge", "nms_match"),
    **_all("nms.weighted_fusion(boxes, scores, threshold)", "weighted_boxes_fusion", "wbf", "non_maximum_weighted"),
    **_all("report.compare({'a': a, 'b': b}), or of one number detection.compare_number(a, b)", "compare"),
    # losses
    **_all("losses.iou(pred, target)", "iou_loss", "box_iou_loss", "bbox_loss"),
    **_all("losses.giou(pred, target)", "giou_loss", "generalized_box_iou_loss", "generalized_iou_loss"),
    **_all("losses.diou(pred, target)", "diou_loss", "distance_box_iou_loss"),
    **_all("losses.ciou(pred, target)", "ciou_loss", "complete_box_iou_loss"),
    **_all("losses.smooth_l1(pred, target)", "smooth_l1_loss", "huber_loss"),
    **_all("losses.l1(pred, target)", "l1_loss", "mae_loss"),
    **_all("losses.masks.dice(pred, target)", "dice_loss", "soft_dice_loss"),
    **_all("losses.masks.jaccard(pred, target)", "jaccard_loss"),
    **_all("losses.masks.tversky(pred, target)", "tversky_loss"),
    **_all("losses.masks.focal_tversky(pred, target)", "focal_tversky_loss"),
    **_all("losses.masks.lovasz_softmax(pred, target)", "lovasz_loss", "lovasz"),
    **_all(
        "losses.giou(pred, target, focal=2.0), which weights by IoU; omniou has no loss of classes: take the focal "
        "loss of your framework",
        "sigmoid_focal_loss",
        "focal_loss",
        "focal",
    ),
    # evaluation
    **_all(_MAP, "mean_average_precision", "average_precision", "map", "coco_eval", "cocoeval", "coco_evaluator"),
    **_all(_MAP, "compute_map", "compute_ap", "ap_per_class", "eval_map", "voc_eval", "det_metrics", "mean_ap"),
    **_all(
        "detection.evaluate, tracking.evaluate, centres.evaluate or spotting.evaluate; of label maps "
        "segmentation.confusion and panoptic.count",
        "evaluate",
    ),
    **_all("detection.evaluate(targets, detections).confusion()", "detection_confusion_matrix"),
    **_all("detection.check(targets, detections), or data.diagnose(truth, detections)", "diagnose", "validate"),
    **_all(
        _TRACKING,
        "hota",
        "clear",
        "clear_mot",
        "clearmot",
        "identity",
        "mota",
        "idf1",
        "mot_accumulator",
        "mot_metrics",
    ),
    **_all("keypoints.oks(a, b, area=area)", "object_keypoint_similarity", "oks_iou", "compute_oks", "kpt_iou"),
    **_all("matching.hungarian(cost)", "linear_sum_assignment", "linear_assignment", "hungarian_matcher", "lapjv"),
    # masks and label maps: torchmetrics, monai, segmentation_models_pytorch, keras
    **_all("masks.dice(a, b)", "dice_score", "dice_coef", "dice_coefficient", "dice_metric", "compute_dice"),
    **_all("pairwise(masks.iou, a, b)", "mask_iou", "mask_iou_batch", "masks_iou"),
    **_all("masks.iou(a, b)", "binary_iou", "compute_iou_score", "iou_metric"),
    **_all("masks.hausdorff(a, b)", "hausdorff_distance", "compute_hausdorff_distance", "hausdorff_distance_metric"),
    **_all("masks.hausdorff(a, b, percentile=95.0)", "hd95"),
    **_all("masks.average_surface_distance(a, b)", "assd", "asd", "compute_average_surface_distance"),
    **_all(
        "masks.boundary_f(a, b, tolerance=tolerance)", "surface_dice", "compute_surface_dice", "nsd", "db_eval_boundary"
    ),
    **_all("masks.iou(a, b)", "db_eval_iou"),
    **_all("masks.boundary(x)", "mask_to_boundary"),
    **_all(_CLASSES, "mean_iou", "miou", "jaccard_index", "jaccard", "jaccard_score", "iou_score", "mean_io_u"),
    **_all(
        "segmentation.dice(segmentation.confusion(target, prediction, num_classes))", "f1_score", "generalized_dice"
    ),
    **_all("segmentation.confusion(target, prediction, num_classes)", "confusion_matrix", "get_stats"),
    **_all("segmentation.accuracy(segmentation.confusion(target, prediction, num_classes))", "pixel_accuracy"),
    **_all(
        "panoptic.count(target, prediction, things=things, stuff=stuff).quality",
        "panoptic_quality",
        "pq_compute",
        "pq",
    ),
    # omniou's own names, asked of another module
    **{x: f"boxes.{x}(a, b), or losses.{x}(pred, target)" for x in _SCORES},
    **_all(
        "masks.dice(a, b), or of boxes boxes.dice, of run lengths rle.dice, of label maps segmentation.dice", "dice"
    ),
    **_all(
        "detection.evaluate(targets, detections).confusion()", "detection.confusion_matrix", "report.confusion_matrix"
    ),
    **_all("report.plot(result, 'confusion')", "plot_confusion_matrix", "plot_confusion"),
    **_all("centres.evaluate(targets, detections)", "nds", "nuscenes_eval", "detection_eval"),
    **_all("spotting.evaluate(truth, predictions)", "average_map", "action_spotting"),
    # pycocotools.mask
    **_all("rle.Masks.from_dense(masks)", "encode", "mask_to_rle"),
    **_all("rle.Masks.from_coco(records).to_dense()", "decode", "rle_to_mask"),
    **_all("rle.Masks.from_polygons(polygons, sizes)", "frpyobjects", "polygon_to_mask", "polygons_to_mask"),
    **_all("rle.Masks.from_coco(records).boxes('xywh')", "tobbox"),
    **_all("rle.Masks.from_coco(records).area()", "rle.area"),
    **_all("rle.Masks.from_coco(records).merge()", "rle.merge"),
    # files
    **_all(_TRUTH, "read_coco", "load_coco", "from_coco", "coco", "read_voc", "load_voc", "from_pascal_voc"),
    **_all(
        _TRUTH,
        "read_yolo",
        "load_yolo",
        "from_yolo",
        "read_lvis",
        "read_kitti",
        "load",
        "read",
        "load_annotations",
        "read_json",
        "load_json",
    ),
    **_all("data.read_detections(path, truth)", "read_results", "load_results", "load_res", "read_predictions"),
    **_all("data.read_tracks(path, truth)", "read_mot", "load_mot", "read_mot_results", "loadtxt"),
    **_all(
        "data.write_ground_truth(truth, path, format)", "write_coco", "save_coco", "as_coco", "as_yolo", "as_pascal_voc"
    ),
}
_BY_WORD = {name.replace("_", ""): way for name, way in _WAYS.items()}

# Arguments and choices -> those of omniou, of which a call takes the first that it knows.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "coco": ("xywh", "pycocotools"),
    "pascal_voc": ("xyxy", "voc2010", "voc"),
    "albumentations": ("rel_xyxy",),
    "yolo": ("rel_cxcywh", "ultralytics"),
    "yolov5": ("ultralytics",),
    "yolov8": ("ultralytics",),
    "mmdetection": ("mmdet",),
    "cv2": ("opencv",),
    "tf": ("tensorflow",),
    "smp": ("segmentation_models_pytorch",),
    "wbf": ("ensemble_boxes",),
    "center_xywh": ("cxcywh",),
    "xyxyn": ("rel_xyxy",),
    "xywhn": ("rel_cxcywh",),
    "mask": ("segm", "where"),
    "masks": ("segm",),
    "segmentation": ("segm", "semantic"),
    "boxes": ("bbox",),
    "box": ("bbox",),
    "obb": ("rotated",),
    "3d": ("boxes3d",),
    "voc": ("voc2010", "voc"),
    "pascal": ("voc2010", "voc"),
    **dict.fromkeys(("bounding_box_format", "box_format", "bbox_format", "fmt", "mode", "in_fmt"), ("format",)),
    **dict.fromkeys(("iou_type", "ioutype", "task"), ("kind",)),
    **dict.fromkeys(("sigmas", "kpt_oks_sigmas", "oks_sigmas"), ("sigmas", "kind")),
    **dict.fromkeys(
        ("iou_threshold", "iou_thr", "iou_thres", "iou_thresh", "nms_threshold", "nms_thresh", "overlap_thresh"),
        ("threshold", "protocol"),
    ),
    **dict.fromkeys(("iou_thresholds", "iou_thrs", "iouthrs", "rec_thresholds", "recthrs"), ("protocol",)),
    **dict.fromkeys(("max_detection_thresholds", "maxdets", "area_rng", "areaRng".lower()), ("protocol",)),
    **dict.fromkeys(
        (
            "max_det",
            "max_dets",
            "max_detections",
            "max_output_size",
            "max_num",
            "max_per_img",
            "topk",
            "top_k",
            "keep_top_k",
        ),
        ("limit", "protocol"),
    ),
    **dict.fromkeys(
        (
            "conf",
            "conf_thres",
            "conf_thresh",
            "score_thr",
            "score_thresh",
            "confidence_threshold",
            "min_score",
            "skip_box_thr",
        ),
        ("score_threshold",),
    ),
    **dict.fromkeys(("labels", "idxs", "class_ids", "category_ids", "classes", "cls"), ("groups",)),
    **dict.fromkeys(("class_agnostic", "agnostic", "agnostic_nms"), ("class_agnostic", "groups")),
    "usecats": ("class_agnostic",),
    **dict.fromkeys(("catids", "num_classes", "class_names"), ("classes",)),
    **dict.fromkeys(("imgids", "image_ids", "img_ids"), ("images",)),
    **dict.fromkeys(
        ("gt", "ground_truth", "target", "targets", "y_true", "cocogt"), ("targets", "ground_truth", "target")
    ),
    **dict.fromkeys(
        ("dt", "preds", "predictions", "prediction", "detections", "y_pred", "cocodt"),
        ("detections", "tracks", "prediction", "pred"),
    ),
    **dict.fromkeys(("reduce", "size_average"), ("reduction", "average")),
    "reduction": ("reduction", "average"),
    "average": ("average", "reduction"),
    "iscrowd": ("crowd",),
    "pyiscrowd": ("crowd",),
    "epsilon": ("eps",),
    "smooth_eps": ("eps", "smooth"),
}

# Arguments that need an example, alone or in the place of one -> what to write.
EXAMPLES = {
    "kind": "kind='bbox', 'segm' or 'keypoints'",
    "sigmas=kind": "kind=keypoints.Skeleton(name='my points', sigmas=sigmas)",
    "kpt_oks_sigmas=kind": "kind=keypoints.Skeleton(name='my points', sigmas=sigmas)",
    "protocol": "protocol=dataclasses.replace(detection.COCO, iou_thresholds=..., max_detections=...)",
    "groups": "groups=labels, and leave `groups` out to compare boxes of all classes",
}

# Arguments that are tables, or the name of the table -> what reads a file into it.
READERS = {
    "targets": "data.read_ground_truth(path).targets",
    "detections": "data.read_detections(path, truth)",
    "ground_truth": "data.read_ground_truth_tracks(path)",
    "tracks": "data.read_tracks(path, truth)",
    "CentreTargets": "data.nuscenes.read_ground_truth(path).targets",
    "CentreDetections": "data.nuscenes.read_detections(path, truth)",
    "Events": "data.spotting.read_ground_truth(path).events",
}


def way_of(module: str, name: str, /) -> str:
    """The end of an error about an attribute that other libraries have: "; write nms.hard(...)", or an empty text."""
    word = name.lower().replace("_", "")
    way = _BY_WORD.get(f"{module.rpartition('.')[2]}.{word}") or _BY_WORD.get(word)
    return f"; write {way}" if way else ""
