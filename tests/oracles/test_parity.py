"""`python -m omniou_integrations.parity` on files with boxes, masks and keypoints, and on bad ones."""

import json

import numpy as np
import pytest

from omniou_integrations import parity, pycocotools

# pycocotools beside NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def files(folder, truth=None, results=None):
    paths = folder / "truth.json", folder / "results.json"
    for path, content in zip(paths, (truth or TRUTH, RESULTS if results is None else results), strict=True):
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return [str(path) for path in paths]


def records(rng, count, **more):
    """Objects of every kind, with one score in three of equal detections."""
    out = []
    for number in range(count):
        x, y, w, h = (float(v) for v in (*rng.integers(0, 40, 2), *rng.integers(4, 24, 2)))
        points = np.stack([x + rng.random(17) * w, y + rng.random(17) * h, np.full(17, 2)], axis=1).round(1)
        outline = [[x, y, x + w, y, x + w, y + h, x, y + h]]
        out.append(
            {
                "image_id": number % 5 + 1,
                "category_id": 1,
                "bbox": [x, y, w, h],
                "segmentation": outline,
                "keypoints": points.ravel().tolist(),
                **{key: value(number, w * h) for key, value in more.items()},
            }
        )
    return out


RNG = np.random.default_rng(0)
TRUTH = {
    "images": [{"id": k + 1, "width": 80, "height": 80} for k in range(5)],
    "categories": [{"id": 1, "name": "person"}],
    "annotations": records(
        RNG,
        20,
        id=lambda k, _: k + 1,
        iscrowd=lambda *_: 0,
        area=lambda _, area: area,
        num_keypoints=lambda *_: 17,
    ),
}
RESULTS = records(np.random.default_rng(0), 20, score=lambda k, _: (k // 3) / 10)
RESULTS += records(np.random.default_rng(1), 20, score=lambda k, _: (k // 3) / 10)


def masks_of(result):
    record = pycocotools.mask.frPyObjects(result["segmentation"], 80, 80)[0]
    return {**result, "segmentation": {"size": record["size"], "counts": record["counts"].decode()}}


ENCODED = [masks_of(x) for x in RESULTS]


def test_all_kinds_equal_the_evaluators_that_are_installed(tmp_path, capsys):
    assert parity.main([*files(tmp_path, results=ENCODED), "--rounds", "1", "--tolerance", "1e-12"]) == 0
    out, err = capsys.readouterr()
    assert not err
    for kind in ("bbox", "segm", "keypoints"):
        assert f"truth.json, results.json: {kind}\n" in out
    for name in ("AP", "AR medium", "precision", "recall", "scores", "time, loading", "time, evaluation"):
        assert f"\n{name} " in out
    assert out.splitlines()[-1].startswith("Equal within 1e-12: omniou and pycocotools")


class Other(pycocotools.COCOeval):
    """An evaluator that is wrong in one cell."""

    def accumulate(self, p=None):
        super().accumulate(p)
        self.eval["recall"][0, 0, 0, 2] += 0.25


class Broken(pycocotools.COCOeval):
    def evaluate(self):
        raise RuntimeError("no\nmasks")


OTHER = parity.Evaluator("wrong", parity.OMNIOU.data_set, (__name__, "Other"))
BROKEN = parity.Evaluator("broken", parity.OMNIOU.data_set, (__name__, "Broken"))
MISSING = parity.Evaluator("missing", parity.OMNIOU.data_set, ("no_such_module.inside", "COCOeval"))


def test_difference_and_failure_give_exit_code_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(parity, "PEERS", (OTHER, BROKEN, MISSING))
    assert parity.main([*files(tmp_path), "--rounds", "1", "--iou-type", "bbox"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Not installed, so not compared: missing."
    assert out[-2:] == [
        "results.json: bbox: wrong differs by up to 0.25, in recall.",
        "results.json: bbox: broken could not evaluate the files: RuntimeError: no masks",
    ]
    monkeypatch.setattr(parity, "PEERS", (OTHER,))
    assert parity.main([*files(tmp_path), "--rounds", "1", "--iou-type", "bbox", "--tolerance", "0.25"]) == 0


def test_nothing_installed_gives_exit_code_2(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(parity, "PEERS", (MISSING,))
    assert parity.main(files(tmp_path)) == 2
    assert capsys.readouterr().err == "parity: nothing to compare with: pip install pycocotools\n"


BAD = {
    "truth.json: not JSON: Expecting": {"truth": "{"},
    "results.json: not JSON: Expecting": {"results": "[1,"},
    "truth.json: expected an object with images": {"truth": [1]},
    "truth.json: images: expected a list of records, got None": {"truth": {"annotations": []}},
    "results.json: expected a list of results, got {'a': 1}": {"results": {"a": 1}},
    "results.json: has no results": {"results": []},
    "results.json: record 1: expected an object, got 3": {"results": [RESULTS[0], 3]},
    "annotations and results have none of bbox": {"results": [{"image_id": 1, "category_id": 1, "score": 1}]},
    "results.json": {"results": [{**RESULTS[0], "image_id": 99}]},
    "truth.json": {"truth": {**TRUTH, "annotations": [{"bbox": [0, 0, 1, 1]}]}},
}


@pytest.mark.parametrize(("message", "content"), BAD.items())
def test_bad_files_give_one_line(tmp_path, capsys, message, content):
    assert parity.main([*files(tmp_path, **content), "--rounds", "1"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("parity: ")
    assert message in err
    assert err.count("\n") == 1


def test_missing_file_and_missing_kind_give_one_line(tmp_path, capsys):
    truth, results = files(tmp_path, results=[{x: y for x, y in r.items() if x != "keypoints"} for r in RESULTS])
    assert parity.main([truth, str(tmp_path / "no.json")]) == 2
    assert capsys.readouterr().err.endswith("no.json: No such file or directory\n")
    assert parity.main([truth, results, "--iou-type", "keypoints"]) == 2
    assert "keypoints is asked for, but both files hold bbox, segm only" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--rounds", "0"], ["--tolerance", "-1"], ["--tolerance", "x"], ["--iou-type", "a"]])
def test_bad_options_are_refused(tmp_path, capsys, wrong):
    with pytest.raises(SystemExit) as stop:
        parity.main([*files(tmp_path), *wrong])
    assert stop.value.code == 2
    assert wrong[0] in capsys.readouterr().err


def test_help_says_what_is_compared(capsys):
    with pytest.raises(SystemExit):
        parity.main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    for part in ("python -m omniou_integrations.parity", "GT DT [DT ...]", "vernier", "Exit code: 0"):
        assert part in text
