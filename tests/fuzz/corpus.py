"""Files that every reader, record, state and option takes: made by the writers, and from the cases of the tests."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from omniou import data, detection, report
from omniou._lib.extras import MissingLibraryError
from omniou.cli._kinds import OTHER_KINDS
from omniou.data import FORMATS, TRACK_FORMATS, OptionError, Options
from omniou.data._formats import declared
from omniou.data.shards import states
from omniou.data.writing import WRITERS
from omniou.keypoints import COCO as PERSON
from omniou.report._record.charts import Bars, Curve, HeatMap, Plane, RankedBars, Span, Timeline, TimelineRow
from omniou.rle import Masks
from tests.cli import models
from tests.data.test_formats import DETECTIONS, TRUTHS

SQUARE = [[2, 2, 20, 2, 20, 18, 2, 18]]
COCO = {
    "images": [{"id": k, "file_name": f"im{k}.jpg", "width": 64, "height": 48} for k in (1, 2, 3)],
    "categories": [{"id": 1, "name": "cat"}, {"id": 3, "name": "traffic light"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [2, 2, 18, 16], "area": 288, "segmentation": SQUARE},
        {"id": 2, "image_id": 2, "category_id": 3, "bbox": [2, 2, 18, 16], "area": 288, "segmentation": SQUARE},
        {"id": 3, "image_id": 2, "category_id": 1, "bbox": [0, 0, 64, 48], "iscrowd": 1, "area": 3072,
         "segmentation": {"size": [48, 64], "counts": [0, 3072]}},
    ],
}  # fmt: skip
MASK = {"size": [48, 64], "counts": [98, 16, 2958]}
FOUND = [
    {"image_id": 1, "category_id": 1, "bbox": [2, 2, 18, 15], "score": 0.75, "segmentation": MASK},
    {"image_id": 2, "category_id": 3, "bbox": [9, 9, 18, 15], "score": 0.5, "segmentation": MASK},
]

CONFIG = """
[tool.omniou]
kind = "bbox"
quick = true

[tool.omniou.eval]
iou-thresholds = [0.5, 0.75]
fail-under = ["AP50>=0.1"]
"""
HIERARCHY = {
    "LabelName": "/m/0bl9f",
    "Subcategory": [{"LabelName": "animal", "Subcategory": [{"LabelName": "cat", "Part": [{"LabelName": "tail"}]}]}],
}

CAR = "Car 0 0 -1 {x} 10 {x2} 60 1.5 1.6 3.9 1 1.5 20 -1.4"
PIXELS = [x["counts"] for x in Masks.from_coco([{"size": [2, 3], "counts": [k, 2, 4 - k]} for k in (0, 3)]).to_coco()]
BOX2D = {"x1": 1, "y1": 0, "x2": 9, "y2": 9}
TRACKS = {
    "mot": "".join(f"{f},{k},{10 * k + f},20,30,60,1,1,0.5\n" for f in (1, 2, 3) for k in (1, 2)),
    "kitti": "".join(f"{f} {k} {CAR.format(x=60 * k, x2=60 * k + 40)}\n" for f in (0, 1, 2) for k in (1, 2)),
    "mots": "".join(f"{f} {2001 + k} {2 + 8 * k} 2 3 {PIXELS[k]}\n" for f in (1, 2) for k in (0, 1)),
    "scalabel": json.dumps([
        {"name": "a.jpg", "frameIndex": f, "labels": [{"id": "1", "category": "car", "box2d": BOX2D}]} for f in (0, 1)
    ]),
}  # fmt: skip
"""The ground truth of a sequence, in each format of tracks."""


def _record_of_maps() -> report.Record:
    """A record of another kind, with a chart of each type."""
    charts = {
        "plane": Plane(title="a", curves=[Curve([(0.0, 1.0), (1.0, None)], "a")], bars=[Bars([0, 1], [0], [1], "b")]),
        "bars": RankedBars(title="b", rows=[("car", 0.5, "0.500")]),
        "cells": HeatMap(title="c", classes=["car"], cells=[[0, 1, 3]]),
        "time": Timeline(
            title="d", rows=[TimelineRow("1", [(0.0, 2.0)], [Span(0.0, 1.0, "a", "7")], [1.0])], x=(0, 2), words=[]
        ),
    }
    measured = report.Measured(value=0.5, low=0.4, high=0.6, error=0.1, bias=0.0, corrected=0.5, samples=[0.4, 0.6])
    return report.Record(
        kind="semantic",
        summary={"mIoU": 0.5},
        words={"mIoU": "mean IoU of classes"},
        counts={"images": 40},
        groups=[report.Group(key="per_class", title="Each class", rows=[{"name": "car", "IoU": 0.5}])],
        tables=[report.Table("t", ["a", "b"], [["x", 1]])],
        charts=charts,
        intervals=report.Intervals(samples=2, seed=0, confidence=0.95, numbers={"mIoU": measured}),
        details={"confusion": [[1]]},
    )


class Corpus:
    """Paths by what they are: ``truth`` and ``detections`` by format, and one of each other input."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.truths: dict[str, list[Path]] = {name: [] for name in FORMATS}
        self.detections: dict[str, list[Path]] = {name: [] for name in FORMATS}
        self.kinds: dict[Path, str] = {}
        self.truth = self._file("coco.json", json.dumps(COCO))
        self.found = self._file("found.json", json.dumps(FOUND))
        self._written()
        self._cases()
        self.others = self._others()
        self.of_kinds = {name: self._models(name) for name in OTHER_KINDS}
        self.folders = {x.name: x for x in folder.iterdir() if x.is_dir()}
        for name in FORMATS:
            if not self.truths[name] or not self.detections[name]:
                raise AssertionError(
                    f"{name}: neither a writer nor tests/data/test_formats.py has a file of this format"
                )

    def _file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def _written(self) -> None:
        """What writers make of the same objects, in every kind that they hold."""
        for kind in declared("coco").truth.kinds:
            options = Options(kind=kind)
            try:
                truth = data.read_ground_truth(self.truth, "coco", options)
                found = data.read_detections(self.found, truth, "coco", options)
            except (data.InputError, OptionError):
                continue
            for name in WRITERS:
                for role, write in (("truth", data.writing.write_ground_truth), ("dt", data.writing.write_detections)):
                    path = self.folder / f"{name}-{kind}-{role}"
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            if role == "truth":
                                write(truth, path, name)
                            else:
                                write(found, truth, path, name)
                    except (OptionError, MissingLibraryError):
                        continue
                    if name in FORMATS:
                        (self.truths if role == "truth" else self.detections)[name].append(path)
                        self.kinds[path] = kind

    def _cases(self) -> None:
        for name, content in TRUTHS.items():
            self.truths[name].append(self._file(f"{name}-case", content))
        for name, (stem, content) in DETECTIONS.items():
            self.detections[name].append(self._file(f"{name}-found/{stem}.txt", content).parent)
        self.detections["lvis"].append(self.found)
        for number in range(3):  # as often as others of COCO
            for role, content in (("truth", _keypoints()), ("dt", _detected_keypoints())):
                path = self._file(f"coco-keypoints-{number}-{role}", json.dumps(content))
                (self.truths if role == "truth" else self.detections)["coco"].append(path)
                self.kinds[path] = "keypoints"
        # Of formats without boxes, another kind reads them.
        for name in FORMATS:
            kinds = declared(name).truth.kinds
            if "bbox" not in kinds:
                self.kinds |= dict.fromkeys([*self.truths[name], *self.detections[name]], kinds[0])

    def _others(self) -> dict[str, Path]:
        truth = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": [1, 3]}] * 3
        found = [{"boxes": [[0, 0, 10, 9], [50, 50, 60, 60]], "labels": [1, 1], "scores": [0.5, 0.25]}] * 3
        result = detection.evaluate(truth, found)
        record = report.record(result, names={1: "cat"}, analyses=report.ANALYSES, intervals=["AP", "AP50"], samples=10)
        others = {
            "record": self._file("record.json", record.to_json()),
            "record-of-maps": self._file("maps.json", _record_of_maps().to_json()),
            "config": self._file("config.toml", CONFIG),
            "classes": self._file("classes.txt", "cat\ntraffic light\n"),
            "table": self._file("table.csv", "id,name\n0,road\n1,sky\n"),
            "synonyms": self._file("synonyms.json", '{"kitten": "cat", "lights": "traffic light"}'),
            "image-set": self._file("set.txt", "im1 1\nim2 -1\n"),
            "slices": self._file("slices.csv", "image,split,split\nim1.jpg,day,a\nim2.jpg,night,\n"),
            "hierarchy": self._file("hierarchy.json", json.dumps(HIERARCHY)),
            "state": self.folder / "state.npz",
            "arrow": self.folder / "state.arrow",
        }
        states.save(result.state, others["state"])
        try:
            states.save(result.state, others["arrow"])
        except MissingLibraryError:
            others["arrow"] = others["state"]
        return others | self._pictures() | self._tracks()

    def _tracks(self) -> dict[str, Path]:
        """A folder of one sequence, in each format; most are their own results."""
        return {f"tracks-{name}": self._file(f"tracks-{name}/s.txt", TRACKS[name]).parent for name in TRACK_FORMATS}

    def _models(self, kind: str) -> tuple[Path, ...]:
        """A ground truth and two models of a kind."""
        (home := self.folder / f"of-{kind}").mkdir()
        return models.made(kind, home)

    def _pictures(self) -> dict[str, Path]:
        from PIL import Image

        labels = np.array([[0, 1], [1, 0]], np.uint8)
        for name in ("maps", "predicted"):
            (self.folder / name).mkdir()
            Image.fromarray(labels).save(self.folder / name / "a.png")
        (self.folder / "pan").mkdir()
        Image.fromarray(np.dstack([labels + 1, 0 * labels, 0 * labels])).save(self.folder / "pan" / "a.png")
        segments = [{"id": 1, "category_id": 1}, {"id": 2, "category_id": 2}]
        image = {"image_id": 1, "file_name": "a.png", "segments_info": segments}
        categories = [{"id": k, "isthing": k - 1, "name": f"c{k}"} for k in (1, 2)]
        pan = self._file("pan.json", json.dumps({"annotations": [image], "categories": categories}))
        (self.folder / "images").mkdir()
        for k in (1, 2, 3):
            Image.new("RGB", (64, 48)).save(self.folder / "images" / f"im{k}.jpg")
        return {name: self.folder / name for name in ("maps", "predicted", "pan", "images")} | {"panoptic": pan}


def options_of(command: Any) -> dict[str, Any]:
    """The options of a command by the first of their names."""
    return {x.opts[0]: x for x in command.params if x.param_type_name == "option"}


def _points(by: float, v: int) -> list[float]:
    return [x for k in range(17) for x in (5 * k + by, 20 + k % 7, v)]


def _detected_keypoints() -> list[dict[str, object]]:
    return [
        {"image_id": k % 2, "category_id": 1, "keypoints": _points(5 * k + 0.5, 1), "score": 0.9 - k / 10}
        for k in range(5)
    ]


def _keypoints() -> dict[str, object]:
    """Persons with COCO's points."""
    records = [
        {
            "id": k,
            "image_id": k % 2,
            "category_id": 1,
            "keypoints": _points(5 * k, k % 3),
            "num_keypoints": 17 * (k % 3 > 0),
            "bbox": [0, 0, 80, 60.5],
            "area": 2000.5,
            "iscrowd": int(k == 4),
        }
        for k in range(5)
    ]
    images = [{"id": k, "file_name": f"im{k}.jpg", "width": 200, "height": 100, "crowdIndex": k / 2} for k in (0, 1)]
    person = {"id": 1, "name": "cat", "keypoints": PERSON.points, "skeleton": [[1, 2]]}
    return {"images": images, "annotations": records, "categories": [person]}
