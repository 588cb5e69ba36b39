"""Sphinx extension: words that people search for, and the page that answers them first.

The words become keywords of their page: the search finds it if its text lacks them. search_scorer.js ranks it first.
"""

import json
import re
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).parent
SCORER = HERE / "_figures" / "search_scorer.js"
# Page -> what readers type.
ANSWERS = {
    "analysis": "F1, best threshold, score threshold, threshold, tide, false positives",
    "arrays": "GPU, CUDA, device, bounding box, box format, float16, dtype",
    "as-a-backend": "backend, pycocotools, cocoapi, rf-detr, drop in replacement",
    "benchmarks": "speed, fast, performance, memory",
    "compare": "significance, significant, significance test, permutation test, statistical test, better model",
    "cheat-sheet": "cheatsheet",
    "dask": "cluster, distributed evaluation",
    "evaluate": "COCO, mAP, command line, cli, evaluate, RefCOCO, ODinW, no scores",
    "files": "csv, json, formats, annotation format",
    "first-hour": "colab, jupyter, notebook, tutorial, example",
    "gates": "CI, github actions, regression",
    "install": "install, installation, pip, conda, docker, requirements, extras, windows",
    "intervals": "p-value, confidence interval, error bars",
    "jax": "jit",
    "keras": "early stopping",
    "language-models": "LLM, VLM, Qwen, Qwen-VL, Gemini, grounding, lmms-eval",
    "lightning": "lightning, distributed, DDP, torchmetrics, distributed training",
    "logging": "wandb, logger",
    "losses": "loss, segmentation loss, dice loss, mask loss, giou loss, box loss, focal loss",
    "metrics/average-precision": "mAP50, AP50, mAP50-95, mean average precision, precision recall curve, recall",
    "metrics/froc": "FROC, FPPI, LAMR, miss rate, log average miss rate, MR-2, LUNA16, sensitivity, "
    "false positives per image",
    "metrics/mean-iou": "mIoU, pixel accuracy, semantic segmentation",
    "nms": "batched nms, rotated nms, soft nms, weighted boxes fusion, ensemble, non maximum suppression, duplicates",
    "onnx": "export",
    "panoptic": "StarDist, Cellpose",
    "plots": "visualize, visualise, visualization, pr curve, matplotlib, confusion matrix, draw",
    "project": "license, licence, cite, citation, bibtex, contribute",
    "reference/index": "api, reference",
    "rotated": "obb, oriented bounding box, rotated box",
    "similarity": "CULane, Chamfer, MapTR, lanes",
    "tracking": "tracker, multi object tracking, MOT",
    "ultralytics": "yolo, ultralytics",
}


def key(query):
    """A query as search_scorer.js compares it: words in lower case, without the s of a plural."""
    found = re.findall(r"[^\W_]+", query.lower())
    return " ".join(re.sub(r"(..)s$", r"\1", re.sub("xes$", "x", word)) for word in found)


def answers():
    """Key of a query -> page."""
    return {key(query): page for page, queries in ANSWERS.items() for query in queries.split(",")}


def scorer():
    """Write the scorer with the words, and return its path."""
    SCORER.parent.mkdir(parents=True, exist_ok=True)
    text = (HERE / "search_scorer.js").read_text("utf-8")
    SCORER.write_text(f"const ANSWERS = {json.dumps(answers())};\n{text}", "utf-8")
    return SCORER


def add(app, doctree):
    """Add the words of a page as keywords."""
    if queries := ANSWERS.get(app.env.docname):
        keywords = sorted(set(re.findall(r"[^\W_]+", queries.lower())))
        doctree += nodes.meta(name="keywords", content=", ".join(keywords))


def setup(app):
    app.connect("doctree-read", add)
    return {"parallel_read_safe": True}
