"""Compare omniou with the COCO evaluators that are installed, on files of your own.

``python -m omniou_integrations.parity GT DT`` evaluates the boxes, masks and keypoints that both files hold by
`omniou_integrations.pycocotools`, and by each of pycocotools, faster-coco-eval, hotcoco, ultrafast-pycocotools and
vernier that is installed. It prints each number of omniou with the difference of each peer, the largest difference of
the arrays, and how many times as long each peer takes. The exit code is 0 if all are equal, 1 if one differs, and 2 if
a file cannot be read or no peer is installed.
"""

import argparse
import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["main"]


def __dir__() -> list[str]:
    return __all__


class Evaluator(NamedTuple):
    """A library with classes like pycocotools' `COCO` and `COCOeval`, as module and name."""

    name: str  # of its distribution
    data_set: tuple[str, str]
    evaluation: tuple[str, str]

    def classes(self) -> tuple[Any, Any]:
        """Import both classes."""
        (one, name), (other, last) = self.data_set, self.evaluation
        return getattr(importlib.import_module(one), name), getattr(importlib.import_module(other), last)


_OURS = "omniou_integrations.pycocotools"
OMNIOU = Evaluator("omniou", (_OURS, "COCO"), (_OURS, "COCOeval"))
PEERS = (
    Evaluator("pycocotools", ("pycocotools.coco", "COCO"), ("pycocotools.cocoeval", "COCOeval")),
    Evaluator("faster-coco-eval", ("faster_coco_eval", "COCO"), ("faster_coco_eval", "COCOeval_faster")),
    Evaluator("hotcoco", ("hotcoco", "COCO"), ("hotcoco", "COCOeval")),
    Evaluator("ultrafast-pycocotools", ("ultrafast_pycocotools", "COCO"), ("ultrafast_pycocotools", "COCOeval")),
    Evaluator("vernier", OMNIOU.data_set, ("vernier", "COCOeval")),  # it has none of its own
)
# What a record must have -> the `iouType` that evaluates it.
KINDS = {"bbox": "bbox", "segmentation": "segm", "keypoints": "keypoints"}
_AREAS = ("small", "medium", "large")
STATS = {
    12: ["AP", "AP50", "AP75", *(f"AP {x}" for x in _AREAS), "AR1", "AR10", "AR100", *(f"AR {x}" for x in _AREAS)],
    10: [f"{x}{y}" for x in ("AP", "AR") for y in ("", "50", "75", " medium", " large")],
}
ARRAYS = ("precision", "recall", "scores")
# What the stand-in raises for files that are not COCO's.
FAULTS = (OSError, ValueError, KeyError, TypeError, IndexError, AssertionError)


class FileError(Exception):
    """A file that cannot be compared, in one line."""


class Run(NamedTuple):
    """The numbers of one evaluation, by name, and the seconds that loading and evaluation took."""

    numbers: dict[str, Any]
    loading: float
    evaluation: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of the process.

    Returns
    -------
    int
        The exit code: 0 equal, 1 different, 2 not compared.
    """
    options = _parser().parse_args(arguments)
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer.evaluation[0].partition(".")[0])]
    if missing := [peer.name for peer in PEERS if peer not in peers]:
        print(f"Not installed, so not compared: {', '.join(missing)}.")
    if not peers:
        print("parity: nothing to compare with: pip install pycocotools", file=sys.stderr)
        return 2
    try:
        verdicts = [x for results in options.results for x in _compared(options, results, peers)]
    except FileError as error:
        print(f"parity: {error}", file=sys.stderr)
        return 2
    for verdict in filter(None, verdicts):
        print(verdict)
    if any(verdicts):
        return 1
    bound = f"within {options.tolerance:g}" if options.tolerance else "to the last bit"
    print(f"Equal {bound}: omniou and {', '.join(peer.name for peer in peers)}.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m omniou_integrations.parity",
        description="Compare omniou with the COCO evaluators that are installed, on your files: every number of the "
        "summary, the arrays of precision, recall and scores, and the times.",
        epilog="Compared are pycocotools, faster-coco-eval, hotcoco, ultrafast-pycocotools and vernier, each if it is "
        "installed. Times are wall-clock time as a multiple of omniou's, the fastest of interleaved rounds. Exit code: "
        "0 if all numbers are equal, 1 if one differs, 2 if a file cannot be read or no evaluator is installed.",
    )
    parser.add_argument("truth", metavar="GT", type=Path, help="ground truth: a COCO file (JSON)")
    parser.add_argument("results", metavar="DT", type=Path, nargs="+", help="detections: a file of COCO results (JSON)")
    parser.add_argument(
        "--iou-type",
        metavar="KIND",
        action="append",
        choices=list(KINDS.values()),
        help="evaluate bbox, segm or keypoints; may be repeated (default: all that both files hold)",
    )
    parser.add_argument("--rounds", metavar="N", type=_positive, default=3, help="measure N times (default: 3)")
    parser.add_argument(
        "--tolerance",
        metavar="X",
        type=_tolerance,
        default=0.0,
        help="largest difference that counts as equal (default: 0; faster-coco-eval rounds otherwise, by 2e-16)",
    )
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text!r}")
    return value


def _compared(options: argparse.Namespace, results: Path, peers: Sequence[Evaluator]) -> Iterator[str]:
    """Print the table of each kind; yield what differs, or empty texts."""
    held = _held(options.truth, results)
    for kind in options.iou_type or held:
        if kind not in held:
            raise FileError(f"{results}: {kind} is asked for, but both files hold {', '.join(held)} only")
        runs = _measured(options.truth, results, kind, peers, options.rounds)
        print(f"\n{options.truth.name}, {results.name}: {kind}")
        print(_table(runs))
        for name, run in runs.items():
            yield _verdict(f"{results.name}: {kind}: {name}", runs[OMNIOU.name], run, options.tolerance)


def _held(truth: Path, results: Path) -> list[str]:
    """The kinds that both files hold."""
    data, found = (_decoded(path) for path in (truth, results))
    if not isinstance(data, dict):
        raise FileError(f"{truth}: expected an object with images, annotations and categories, got a list or a value")
    for field in ("images", "annotations", "categories"):
        if not isinstance(data.get(field), list):
            raise FileError(f"{truth}: {field}: expected a list of records, got {_short(data.get(field))}")
    if not isinstance(found, list):
        raise FileError(f"{results}: expected a list of results, got {_short(found)}")
    if not found:
        raise FileError(f"{results}: has no results, so there is nothing to compare")
    fields = [_fields(path, x) for path, x in ((truth, data["annotations"]), (results, found))]
    held = [kind for field, kind in KINDS.items() if all(field in x for x in fields)]
    if not held:
        raise FileError(f"{results}: annotations and results have none of {', '.join(KINDS)} in common")
    return held


def _decoded(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: not JSON: {error}") from None


def _fields(path: Path, records: Iterable[Any]) -> set[str]:
    """The fields of any record that hold something."""
    names: set[str] = set()
    for row, record in enumerate(records):
        if not isinstance(record, dict):
            raise FileError(f"{path}: record {row}: expected an object, got {_short(record)}")
        names |= {name for name in KINDS if record.get(name)}
    return names


def _measured(
    truth: Path, results: Path, kind: str, peers: Sequence[Evaluator], rounds: int
) -> dict[str, Run | Exception]:
    """The fastest run of each evaluator; or what it raised, for a peer."""
    runs: dict[str, Any] = {}
    for evaluator in (OMNIOU, *peers) * rounds:
        known = runs.get(evaluator.name)
        if isinstance(known, BaseException):
            continue
        try:
            run = _evaluated(evaluator, truth, results, kind)
        except FAULTS as error:
            if evaluator is OMNIOU:
                said = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
                raise FileError(said if str(results) in said or str(truth) in said else f"{results}: {said}") from None
            runs[evaluator.name] = error
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001  (a panic of Rust is no Exception)
            runs[evaluator.name] = error
        else:
            times = [min(x) for x in zip(run[1:], known[1:], strict=True)] if known else run[1:]
            runs[evaluator.name] = Run(run.numbers, *times)
    return runs


def _evaluated(evaluator: Evaluator, truth: Path, results: Path, kind: str) -> Run:
    index, evaluation = evaluator.classes()
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        ground_truth = index(str(truth))
        detections = ground_truth.loadRes(str(results))
        loaded = time.perf_counter()
        evaluated = evaluation(ground_truth, detections, kind)
        evaluated.evaluate()
        evaluated.accumulate()
        evaluated.summarize()
        end = time.perf_counter()
    stats = np.asarray(evaluated.stats, dtype=float)
    names = STATS.get(len(stats), [f"stats[{k}]" for k in range(len(stats))])
    arrays = {name: np.asarray(evaluated.eval[name]) for name in ARRAYS}
    return Run({**dict(zip(names, stats, strict=True)), **arrays}, loaded - start, end - loaded)


def _difference(ours: Any, peers: Any) -> float:
    """The largest difference; infinity if the shapes differ or one is NaN."""
    if np.shape(ours) != np.shape(peers):
        return np.inf
    if np.array_equal(ours, peers, equal_nan=True):
        return 0.0
    largest = float(np.max(np.abs(ours - peers)))
    return np.inf if np.isnan(largest) else largest


def _verdict(name: str, ours: Any, run: Any, tolerance: float) -> str:
    if isinstance(run, BaseException):
        return f"{name} could not evaluate the files: {type(run).__name__}: {_short(str(run))}"
    apart = {key: _difference(x, run.numbers.get(key)) for key, x in ours.numbers.items()}
    key = max(apart, key=lambda x: apart[x])
    return f"{name} differs by up to {apart[key]:.2g}, in {key}." if apart[key] > tolerance else ""


def _table(runs: dict[str, Any]) -> str:
    """Lines of columns: omniou's numbers, and the differences of its peers."""
    ours = runs[OMNIOU.name]
    good = {name: run for name, run in runs.items() if not isinstance(run, BaseException)}
    rows = [["", *(f"{name} {_version(name)}" for name in good)]]
    for key, value in ours.numbers.items():
        shown = f"{value:.4f}" if np.ndim(value) == 0 else "x".join(map(str, value.shape))
        apart = [f"{_difference(value, run.numbers.get(key)):.2g}" for run in good.values() if run is not ours]
        rows.append([key, shown, *apart])
    for key in ("loading", "evaluation"):
        base = getattr(ours, key)
        rows.append([f"time, {key}", *(f"{getattr(run, key) / base:.2f} x" for run in good.values())])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _short(x: Any) -> str:
    text = " ".join((x if isinstance(x, str) else repr(x)).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


if __name__ == "__main__":
    sys.exit(main())
