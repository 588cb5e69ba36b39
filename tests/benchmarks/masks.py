"""Masks of COCO against pycocotools, hotcoco and faster-coco-eval: `python -m tests.benchmarks.masks`.

The overlaps that an evaluation needs, of all pairs of one image and class, from the texts of the files. Peers are asked
group by group, as their evaluators do it; "whole" is what their evaluators take for the same, and for matching and
curves besides. omniou goes by arrays, and by the compiled loops of the extra `fast` where numba is named. "1 x" are the
objects of docs/examples/coco-val2014-100 and detections of their outlines, shaken; "16 x" as many copies of its images.
"""

import argparse
import contextlib
import copy
import functools
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import faster_coco_eval.core.mask as faster_mask
import hotcoco
import hotcoco.mask as hot_mask
import msgspec
import numpy as np
import pycocotools.mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from omniou import data as files
from omniou import detection, rle
from omniou.data import Options
from omniou.data._formats import coco_truth
from omniou.data._formats.coco_records import MaskedDetection, MaskedTruth, Segmentation
from tests.benchmarks import measure
from tests.benchmarks.cases import Case, with_numba
from tests.benchmarks.measure import Run

TRUTH = Path(__file__).parents[2] / "docs" / "examples" / "coco-val2014-100" / "ground_truth.json"


class Data(NamedTuple):
    """Records with text, and the rows of both of each image and class that has both."""

    predicted: list[Any]
    annotated: list[Any]
    crowd: Any
    groups: list[tuple[list[int], list[int]]]

    @property
    def pairs(self) -> tuple[Any, Any]:
        """Rows of the detections and of the objects, (P,)."""
        predicted = [np.repeat(i, len(j)) for i, j in self.groups]
        return np.concatenate(predicted), np.concatenate([np.tile(j, len(i)) for i, j in self.groups])


def data(copies: int) -> Data:
    (annotated, sizes), predicted = annotations(), detections()
    groups: dict[Any, tuple[list[int], list[int]]] = {}
    for side, rows in enumerate((predicted, annotated)):
        for number in range(copies):
            for row, x in enumerate(rows, start=number * len(rows)):
                groups.setdefault((number, x["image_id"], x["category_id"]), ([], []))[side].append(row)
    return Data(
        [x["segmentation"] for x in predicted] * copies,
        [_record(x["segmentation"], *sizes[x["image_id"]]) for x in annotated] * copies,
        np.asarray([x["iscrowd"] for x in annotated] * copies),
        [group for group in groups.values() if all(group)],
    )


def annotations() -> tuple[list[Any], dict[int, tuple[int, int]]]:
    """The objects of the file, and height and width of each image."""
    truth = json.loads(TRUTH.read_text())
    return truth["annotations"], {x["id"]: (x["height"], x["width"]) for x in truth["images"]}


@functools.cache
def detections() -> list[Any]:
    """As a file has them: the polygons of each object with their corners moved, as text."""
    rng = np.random.default_rng(0)
    annotated, sizes = annotations()
    rows = [x for x in annotated if isinstance(x["segmentation"], list)]
    polygons = [[np.abs(rng.normal(part, 3)).tolist() for part in x["segmentation"]] for x in rows]
    records = rle.Masks.from_polygons(polygons, [sizes[x["image_id"]] for x in rows]).to_coco()
    return [
        {"image_id": x["image_id"], "category_id": x["category_id"], "segmentation": mask, "score": score}
        for x, mask, score in zip(rows, records, rng.uniform(0, 1, len(rows)).round(3).tolist(), strict=True)
    ]


def _record(segmentation: Any, height: int, width: int) -> Any:
    if isinstance(segmentation, list):
        segmentation = coco_mask.merge(coco_mask.frPyObjects(segmentation, height, width))
    elif isinstance(segmentation["counts"], list):
        segmentation = coco_mask.frPyObjects(segmentation, height, width)
    return segmentation | {"counts": bytes(segmentation["counts"]).decode()}


def cases(copies: int) -> Iterator[Case]:
    data_set = data(copies)
    with tempfile.TemporaryDirectory() as folder:
        paths = copied(Path(folder), copies)
        yield from overlaps(data_set, evaluators(*paths) if copies == 1 else {})
        yield from measures(data_set.predicted + data_set.annotated)
        if copies == 1:
            yield "polygons -> masks", drawings()
        yield "files -> COCO's numbers", whole_from_files(*paths)
        yield from steps(*paths)


def of_page(*, smoke: bool) -> Iterator[Case]:
    """The cases of docs/benchmarks.md."""
    copies = 1 if smoke else 16
    with tempfile.TemporaryDirectory() as folder:
        title = f"COCO's numbers, masks of {100 * copies:,} images ({copies} x 100), from JSON files"
        yield title, whole_from_files(*copied(Path(folder), copies))


def copied(folder: Path, copies: int) -> tuple[Path, Path]:
    """Files of so many copies of the images, objects and detections."""
    truth, predicted = json.loads(TRUTH.read_text()), detections()
    step = 1 + max(x["id"] for x in truth["images"] + truth["annotations"])

    def again(records: list[Any], *ids: str) -> list[Any]:
        return [x | {id: x[id] + k * step for id in ids} for k in range(copies) for x in records]

    images, objects = again(truth["images"], "id"), again(truth["annotations"], "id", "image_id")
    paths = folder / "ground_truth.json", folder / "detections.json"
    paths[0].write_text(json.dumps(truth | {"images": images, "annotations": objects}))
    paths[1].write_text(json.dumps(again(predicted, "image_id")))
    return paths


def overlaps(data_set: Data, whole: dict[str, Run]) -> Iterator[Case]:
    """Of all pairs of an image and class; and beside whole evaluations, if there are any."""
    a, b = rle.Masks.from_coco(data_set.predicted), rle.Masks.from_coco(data_set.annotated)
    rows = data_set.pairs
    crowd = data_set.crowd[rows[1]]

    def overlap(least: float) -> Any:
        a, b = rle.Masks.from_coco(data_set.predicted), rle.Masks.from_coco(data_set.annotated)
        return rle.overlap(a, rows[0], b, rows[1], crowd, least=least)

    def peer(module: Any) -> Run:
        predicted, annotated, flags = data_set.predicted, data_set.annotated, data_set.crowd.tolist()
        return lambda: [
            module.iou([predicted[i] for i in one], [annotated[j] for j in other], [flags[j] for j in other])
            for one, other in data_set.groups
        ]

    peers = {name: peer(x) for name, x in (("pycocotools", coco_mask), ("hotcoco", hot_mask))}
    yield "text -> IoU of all pairs", {**with_numba(lambda: overlap(0.0)), **peers}
    yield "text -> IoU of pairs that may reach 0.5", {**with_numba(lambda: overlap(0.5)), **peers}
    yield (
        "IoU of pairs that may reach 0.5, of tables",
        {**with_numba(lambda: rle.overlap(a, rows[0], b, rows[1], crowd, least=0.5)), **peers},
    )
    if whole:
        yield "text -> IoU of pairs that may reach 0.5", {**with_numba(lambda: overlap(0.5)), **whole}


def measures(both: list[Any]) -> Iterator[Case]:
    """What one mask is."""
    yield (
        "text -> areas",
        {
            **with_numba(lambda: rle.Masks.from_coco(both).area()),
            "pycocotools": lambda: [coco_mask.area(x) for x in both],
            "hotcoco": lambda: hot_mask.area(both),
        },
    )
    yield (
        "text -> boxes",
        {
            **with_numba(lambda: rle.Masks.from_coco(both).boxes("xywh")),
            "pycocotools": lambda: coco_mask.toBbox(both),
            "hotcoco": lambda: hot_mask.to_bbox(both),
        },
    )
    yield (
        "text -> boundaries -> text",
        {
            **with_numba(lambda: rle.Masks.from_coco(both).boundary().to_coco()),
            "faster-coco-eval": lambda: faster_mask._mask.toBoundary([dict(x) for x in both], 0.02),
        },
    )


def drawings() -> dict[str, Run]:
    """Polygons as the file has them."""
    annotated, sizes = annotations()
    rows = [x for x in annotated if isinstance(x["segmentation"], list)]
    polygons, shapes = [x["segmentation"] for x in rows], [sizes[x["image_id"]] for x in rows]

    def peer(module: Any, encode: str) -> Run:
        draw = getattr(module, encode)
        return lambda: [module.merge(draw(x, *size)) for x, size in zip(polygons, shapes, strict=True)]

    return {
        **with_numba(lambda: rle.Masks.from_polygons(polygons, shapes)),
        "pycocotools": peer(coco_mask, "frPyObjects"),
        "hotcoco": peer(hot_mask, "fr_py_objects"),
    }


def from_files(truth_path: Path, detections_path: Path) -> Any:
    """The whole evaluation, decoding included."""
    options = Options(kind="segm")
    truth = files.read_ground_truth(truth_path, "coco", options)
    predicted = files.read_detections(detections_path, truth, "coco", options)
    result: Any = detection.evaluate(truth.targets, predicted, kind="segm", images=truth.images)
    return result.summary


def whole_from_files(truth_path: Path, detections_path: Path) -> dict[str, Run]:
    def whole(library: Any, evaluator: Any, load: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            truth = library(str(truth_path))
            evaluated(evaluator(truth, getattr(truth, load)(str(detections_path)), "segm"))

    return {
        **with_numba(lambda: from_files(truth_path, detections_path)),
        "pycocotools": lambda: whole(COCO, COCOeval, "loadRes"),
        "hotcoco": lambda: whole(hotcoco.COCO, hotcoco.COCOeval, "load_res"),
    }


def steps(truth_path: Path, detections_path: Path) -> Iterator[Case]:
    """What comes before masks are drawn and decoded, and what after it; hotcoco draws and decodes in the second."""

    def records() -> Any:
        truth = coco_truth.decode(truth_path, MaskedTruth)
        drawn = [bytes(x.segmentation) for x in truth.annotations]
        predicted = msgspec.json.decode(detections_path.read_bytes(), type=list[MaskedDetection])
        return truth, msgspec.json.decode(b"[%b]" % b",".join(drawn), type=list[Segmentation]), predicted

    def load() -> tuple[Any, Any]:
        with contextlib.redirect_stdout(io.StringIO()):
            truth = hotcoco.COCO(str(truth_path))
            return truth, truth.load_res(str(detections_path))

    yield "files -> records", {"omniou": records, "hotcoco": load}
    options = Options(kind="segm")
    truth = files.read_ground_truth(truth_path, "coco", options)
    predicted = files.read_detections(detections_path, truth, "coco", options)

    def ours() -> Any:
        result: Any = detection.evaluate(truth.targets, predicted, kind="segm", images=truth.images)
        return result.summary

    loaded = load()
    peer = {"hotcoco, from records": lambda: evaluated(hotcoco.COCOeval(*loaded, "segm"))}
    yield "tables of masks -> COCO's numbers", {**with_numba(ours), **peer}


def evaluators(truth_path: Path, detections_path: Path) -> dict[str, Run]:
    """The overlaps in pycocotools' evaluator, and whole evaluations, without the time to read the files."""
    with contextlib.redirect_stdout(io.StringIO()):
        truth, theirs = COCO(str(truth_path)), hotcoco.COCO(str(truth_path))
        predicted, their_predicted = truth.loadRes(str(detections_path)), theirs.load_res(str(detections_path))

    def overlaps() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            run = COCOeval(copy.copy(truth), predicted, "segm")
            run._prepare()
            for image in run.params.imgIds:
                for label in run.params.catIds:
                    run.computeIoU(image, label)

    return {
        "pycocotools, COCOeval.computeIoU": overlaps,
        "pycocotools, whole": lambda: evaluated(COCOeval(truth, predicted, "segm")),
        "hotcoco, whole": lambda: evaluated(hotcoco.COCOeval(theirs, their_predicted, "segm")),
    }


def evaluated(run: Any) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        run.evaluate()
        run.accumulate()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.masks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="once: only to see that it runs")
    rounds = 1 if parser.parse_args().smoke else 9
    print("| masks | what | who | time, ms | ratio |", "|---|---|---|---:|---:|", sep="\n")
    for copies in (1,) if rounds == 1 else (1, 16):
        for title, runs in cases(copies):
            times = measure.seconds(runs, rounds=rounds)
            for name, time in times.items():
                print(f"| {copies} x | {title} | {name} | {time * 1e3:.2f} | {time / times['omniou']:.2f} |")


if __name__ == "__main__":
    main()
