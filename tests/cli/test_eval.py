"""`omniou eval`: numbers on stdout, messages on stderr, exit codes."""

import inspect
import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from omniou import __version__
from omniou._results import resampling
from omniou.cli import _backends as backends
from omniou.cli._commands import omniou
from tests.cli import cases
from tests.detection.test_evaluate import PUBLISHED
from tests.places import EXAMPLE

FILES = [str(EXAMPLE / "ground_truth.json"), str(EXAMPLE / "detections.json")]
BACKEND = pytest.mark.parametrize("backend", list(backends.INSTALL))


# click before 8.2 mixes stderr into stdout unless told not to.
APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def run(*args):
    return CliRunner(**APART).invoke(omniou, ["eval", *map(str, args)])


@pytest.fixture
def small(tmp_path):
    """Write a small pair of files; `parts` replace fields of the ground truth."""

    def write(*, detections=None, **parts):
        truth = {
            "images": [{"id": 1}],
            "categories": [{"id": 1, "name": "[red]cat"}, {"id": 2, "name": "dog"}],
            "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}],
        }
        if detections is None:
            detections = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "score": 0.5}]
        paths = tmp_path / "truth.json", tmp_path / "detections.json"
        paths[0].write_text(json.dumps(truth | parts), "utf-8")
        paths[1].write_text(json.dumps(detections), "utf-8")
        return paths

    return write


def test_eval_prints_twelve_numbers_what_was_read_and_what_is_next():
    done = run(*FILES)

    assert (done.exit_code, done.stderr) == (0, "")
    numbers, read, after = (block.splitlines() for block in done.stdout.split("\n\n"))
    assert (
        numbers[0] == "734 detections of 830 objects and 9 crowds in 100 images, 80 classes (bbox, the rules of coco)"
    )
    assert [line.split()[:2] for line in numbers[2:]] == [[name, f"{x:.3f}"] for name, x in PUBLISHED.items()]
    assert numbers[2].endswith("mean of IoU 0.5 to 0.95")
    assert numbers[8].endswith("recall, 1 detection in each image and class")
    assert read == ["Read", f"- ground truth: {FILES[0]} (coco)", f"- detections: {FILES[1]} (coco)"]
    assert after[0] == "Next"
    assert f"- omniou check {FILES[0]} {FILES[1]} looks for common mistakes." in after


def test_eval_full_prints_areas_weakest_classes_errors_and_assumptions():
    done = run(*FILES, "--full")

    assert (done.exit_code, done.stderr) == (0, "")
    blocks = [block.splitlines() for block in done.stdout.split("\n\n")]
    assert [block[0].partition(" (")[0] for block in blocks] == [
        "734 detections of 830 objects and 9 crowds in 100 images, 80 classes",
        "By area, in pixels",
        "The 5 weakest of 21 classes with at least 10 objects",
        "What AP at IoU 0.5 loses by each type of error",
        "Read",
        "Assumed",
    ]
    note = " ".join(blocks[0][14:])
    assert note.startswith(
        "No intervals: 67 of 70 classes with objects have fewer than 30, so AP is about 0.013 too high"
    )
    assert blocks[1][2].split() == ["small", "(to", "32^2)" if "^" in blocks[1][2] else "32²)", "407", "0.586", "0.640"]
    assert blocks[3][2].split() == ["classification", "(wrong", "class)", "0.168", "83"]


def test_eval_intervals_of_every_number_with_their_doubt():
    done = run(*FILES, "--intervals", "--samples", "20")

    lines = done.stdout.splitlines()
    assert lines[1].split() == ["value", "95", "%", "interval", "bias-corrected"]
    assert [line.split()[0] for line in lines[2:14]] == list(PUBLISHED)
    assert lines[14].startswith("Unreliable intervals: 67 of 70 classes with objects have fewer than 30")


def test_eval_prints_coco_lines():
    done = run(*FILES, "--format", "coco")

    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 12
    assert lines[0] == " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.505"
    assert lines[1] == " Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.697"
    assert lines[6] == " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  1 ] = 0.387"
    assert [float(line.rpartition("=")[2]) for line in lines] == [round(x, 3) for x in PUBLISHED.values()]


@BACKEND
def test_eval_json_in_full_precision(backend):
    pytest.importorskip(backend, reason=f"needs {backend}")
    done = run(*FILES, "--format", "json", "--backend", backend, "--per-class")

    assert done.exit_code == 0
    output = json.loads(done.stdout)
    assert output["summary"] == pytest.approx(PUBLISHED, abs=1e-12)
    assert output["counts"] == {"images": 100, "categories": 80, "annotations": 839, "crowds": 9, "detections": 734}
    assert output["omniou"] == __version__
    person, absent = output["per_class"][0], next(row for row in output["per_class"] if not row["objects"])
    assert (person["id"], person["name"], person["objects"]) == (1, "person", 250)
    assert person["AP50"] == pytest.approx(0.7883423914530756, abs=1e-12)
    assert absent["AP"] is None


def test_eval_per_class_table(small):
    done = run(*small(), "--per-class")

    block = done.stdout.split("\n\n")[1].splitlines()
    assert block[0] == "Classes"
    assert block[1].split() == ["class", "objects", "AP", "AP50", "AP75", "APs", "APm", "APl", "AR100"]
    assert block[2].split() == ["[red]cat", "1", "1.000", "1.000", "1.000", "1.000", "-", "-", "1.000"]
    assert block[3].split() == ["dog", "0", *["-"] * 7]


def test_eval_json_of_area_range_without_objects_is_null(small):
    done = run(*small(), "--format", "json")

    assert json.loads(done.stdout)["summary"]["APl"] is None


def test_eval_without_detections_warns_and_gives_zero(small):
    done = run(*small(detections=[]), "--format", "json")

    assert done.exit_code == 0
    assert json.loads(done.stdout)["summary"]["AP"] == 0
    assert done.stderr == f"Warning: {small(detections=[])[1]}: no detections: AP and recall are 0\n"


@pytest.mark.parametrize("options", [[], ["--ignore-flags"]])
def test_eval_ignore_flags_of_annotations(small, options):
    # cocoapi#322: one of two objects is detected; the other is a miss only if its "ignore" flag has no effect.
    box = {"image_id": 1, "category_id": 1, "bbox": [50, 50, 10, 10]}
    both = [box | {"ignore": 1}, box | {"bbox": [0, 0, 10, 10]}]

    done = run(*small(annotations=both), "--format", "json", *options)

    assert json.loads(done.stdout)["summary"]["AR100"] == (1 if options else 0.5)
    assert ("use --ignore-flags to ignore them" in done.stderr) is not bool(options)


@pytest.mark.parametrize(
    ("annotation", "options", "why"),
    [
        (None, [], "no annotations"),
        ({"iscrowd": 1}, [], "all annotations are ignored"),
        ({"ignore": 1}, ["--ignore-flags"], "all annotations are ignored"),
    ],
)
def test_eval_without_scorable_annotations_fails(small, annotation, options, why):
    box = {"image_id": 1, "category_id": 1, "bbox": [50, 50, 10, 10]}
    paths = small(annotations=[] if annotation is None else [box | annotation])

    done = run(*paths, *options)

    assert done.exit_code == 3
    assert done.stdout == ""
    assert done.stderr == f"Error: {paths[0]}: nothing to score: {why}\n"
    if not options:
        checked = CliRunner(**APART).invoke(omniou, ["check", str(paths[0])])
        assert (checked.exit_code, f"[nothing-to-score] nothing to score: {why}" in checked.stdout) == (4, True)


def test_eval_of_unknown_image_id_fails(small):
    truth, detections = small(detections=[{"image_id": 4, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}])

    done = run(truth, detections)

    assert done.exit_code == 3
    assert done.stdout == ""
    assert done.stderr == f"Error: {detections}: [0].image_id: 4 is not among the images of {truth}\n"


@pytest.mark.parametrize(
    "args", [[], [FILES[0]], [*FILES, "--backend", "cupy"], [*FILES, "--format", "xml"], [*FILES, "--what"]]
)
def test_eval_with_wrong_arguments_prints_usage(args):
    done = run(*args)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Usage: ")


@BACKEND
def test_eval_with_missing_backend_fails_before_reading(monkeypatch, backend):
    monkeypatch.setitem(sys.modules, backend, None)

    done = run("nowhere.json", "nowhere.json", "--backend", backend)

    assert done.exit_code == 2
    assert f"--backend {backend} needs {backend}: pip install" in done.stderr


def test_eval_help_has_an_example():
    done = run("--help")

    assert done.exit_code == 0
    assert "omniou eval instances_val2017.json detections.json" in done.stdout
    assert "3 input unreadable" in done.stdout


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy before 2.1 needs array-api-compat's namespace")
def test_eval_of_coco_imports_no_unused_modules():
    """Neither array-api-compat's NumPy namespace nor libraries and readers of other formats and outputs."""
    code = (
        "import sys\nfrom omniou.cli import main\n"
        f"sys.argv = ['omniou', 'eval', {FILES[0]!r}, {FILES[1]!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())

    assert {"omniou.detection._evaluate", "omniou.data._formats.coco", "msgspec"} <= loaded
    unused = [
        "array_api_compat.numpy",
        "defusedxml",
        "numba",
        "numpy.f2py",
        "numpy.ma",
        "PIL",
        "pyarrow",
        "rich",
        "scipy",
        "tomllib",
        "torch",
    ]
    unused += [f"omniou.data._formats.{name}" for name in ("dota", "kitti", "open_images", "scale", "voc", "yolo")]
    unused += [f"omniou.detection.analysis.{name}" for name in ("_breakdown", "_confusion", "_units")]
    unused += ["omniou._results.resampling"]
    unused += ["omniou.detection._evaluator", "omniou.detection.curves._batch"]
    unused += ["omniou.detection.curves._sketches", "omniou.detection.matching._matches", "omniou.data.hierarchy"]
    unused += ["omniou.data.writing", "omniou.data.writing._written", "urllib.request"]
    unused += [f"omniou.cli.{name}" for name in ("_coco", "_compare", "_convert")]
    # Of other kinds and outputs, and what only errors need.
    unused += [f"omniou.{name}" for name in ("boxes3d", "keypoints", "polygons", "rle", "rotated", "tracking._state")]
    unused += ["omniou._inputs.masks", "omniou.report._logging", "omniou.report._text.paper"]
    unused += ["csv", "difflib", "fractions", "html", "secrets", "tempfile"]
    assert loaded & set(unused) == set()
    assert len([x for x in loaded if x.partition(".")[0] == "omniou"]) <= 173


def test_eval_draws_no_samples_for_intervals_that_it_withholds(tmp_path, monkeypatch):
    paths = cases.files(tmp_path, images=20)
    calls = []
    real = resampling.drawn
    monkeypatch.setattr(resampling, "drawn", lambda *args, **options: calls.append(args) or real(*args, **options))

    done = run(*paths, "--full")
    assert "No intervals: 20 images are fewer than 30, too few for a bootstrap." in done.stdout
    assert json.loads(run(*paths, "--format", "json").stdout)["intervals"] is None
    assert calls == []
    assert run(*paths, "--intervals", "--samples", "10").exit_code == 0
    assert len(calls) == 1
