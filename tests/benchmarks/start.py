"""Commands in a fresh process: 100 images against hotcoco, and a set like MOT17-train against TrackEval."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from tests.benchmarks import detections as synthetic
from tests.benchmarks import tracking
from tests.benchmarks.cases import Case

COMMAND = "from omniou.cli import main; main()"
HOTCOCO = """
import sys
from hotcoco import COCO, COCOeval
truth = COCO(sys.argv[1])
evaluator = COCOeval(truth, truth.load_res(sys.argv[2]), "bbox")
evaluator.evaluate()
evaluator.accumulate()
evaluator.summarize()
"""
TRACKEVAL = """
import sys
from trackeval import Evaluator, datasets, metrics
evaluator = Evaluator({"PRINT_CONFIG": False, "PLOT_CURVES": False, "OUTPUT_DETAILED": False, "OUTPUT_SUMMARY": False})
folders = {"GT_FOLDER": sys.argv[1], "TRACKERS_FOLDER": sys.argv[2], "SKIP_SPLIT_FOL": True, "PRINT_CONFIG": False}
names = {name: None for name in sys.argv[3:]}
data = datasets.MotChallenge2DBox(folders | {"SEQ_INFO": names, "TRACKERS_TO_EVAL": ["tracker"]})
quiet = {"PRINT_CONFIG": False}
evaluator.evaluate([data], [metrics.HOTA(), metrics.CLEAR(quiet), metrics.Identity(quiet)])
"""


def cases(*, smoke: bool) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        files = _images(Path(folder), 1000 if smoke else 3600)
        yield (
            "`omniou eval`, 100 images",
            {"omniou": partial(_run, COMMAND, "eval", *files), "hotcoco": partial(_run, HOTCOCO, *files)},
        )
    with tempfile.TemporaryDirectory() as folder:
        names, truth, found = _tracks(Path(folder), [(20, 5), (10, 8)] if smoke else list(tracking.SEQUENCES))
        yield (
            f"`omniou eval --kind tracks`, {len(names)} sequences",
            {
                "omniou": partial(_run, COMMAND, "eval", truth, f"{found}/tracker/data", "--kind", "tracks"),
                "TrackEval": partial(_run, TRACKEVAL, truth, found, *names),
            },
        )


def _run(code: str, *args: str) -> None:
    subprocess.run([sys.executable, "-c", code, *args], check=True, capture_output=True)


def _images(folder: Path, detections: int) -> list[str]:
    """Write COCO's files of 100 images; their paths."""
    truth, found = synthetic.as_coco(synthetic.data(detections, images=100, objects=735))
    truth["images"] = truth["images"][:100]
    paths = [folder / "truth.json", folder / "detections.json"]
    for path, content in zip(paths, (truth, found), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    return list(map(str, paths))


def _tracks(folder: Path, sizes: list[tuple[int, int]]) -> tuple[list[str], str, str]:
    """Write MOTChallenge's files; names of the sequences, and the folders of both."""
    rng = np.random.default_rng(0)
    names = [f"MOT17-{number:02}" for number in range(len(sizes))]
    found = folder / "trackers" / "tracker" / "data"
    found.mkdir(parents=True)
    for name, size in zip(names, sizes, strict=True):
        truth = tracking.of_truth(rng, *size)
        (folder / "gt" / name / "gt").mkdir(parents=True)
        about = f"[Sequence]\nname={name}\nseqLength={size[0]}\n"
        (folder / "gt" / name / "seqinfo.ini").write_text(about, encoding="utf-8")
        for path, rows in (
            (folder / "gt" / name / "gt" / "gt.txt", truth),
            (found / f"{name}.txt", tracking.of_tracker(rng, truth)),
        ):
            columns = [rows.frames + 1, rows.ids + 1, *rows.boxes.T]
            lines = np.stack([*columns, *[np.ones(rows.ids.size)] * 3], axis=1)
            np.savetxt(path, lines, fmt=["%d", "%d", *["%.2f"] * 4, *["%d"] * 3], delimiter=",")
    return names, str(folder / "gt"), str(folder / "trackers")
