"""Panoptic quality against torchmetrics and hotcoco."""

import json

import numpy as np
import pytest

from omniou import panoptic
from tests.panoptic.cases import STUFF, THINGS, random_maps


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("modified", [False, True])
def test_quality_equals_torchmetrics(seed, modified):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    import tests.integrations.conftest  # noqa: F401  (before torchmetrics)

    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    from torchmetrics.functional import detection as theirs

    target, prediction = (torch.from_numpy(x) for x in random_maps(np.random.default_rng(seed)))
    options = {"things": THINGS, "stuff": STUFF, "unknown": "void"}
    counts = panoptic.count(target, prediction, **options, unpredicted="ignore", modified=modified)
    function = theirs.modified_panoptic_quality if modified else theirs.panoptic_quality
    expected = function(prediction, target, THINGS, STUFF, allow_unknown_preds_category=True)
    assert counts.summary["PQ"] == pytest.approx(float(expected), abs=1e-7)  # IoU in float32
    if not modified:
        each = theirs.panoptic_quality(
            prediction, target, THINGS, STUFF, True, return_sq_and_rq=True, return_per_class=True
        )
        columns = (counts.quality, counts.segmentation_quality, counts.recognition_quality)
        torch.testing.assert_close(torch.stack(columns, dim=-1).nan_to_num(0.0), each.squeeze(0), rtol=0, atol=1e-7)


def test_quality_equals_hotcoco(tmp_path):
    theirs = pytest.importorskip("hotcoco.panoptic", reason="hotcoco is not installed")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    from omniou.data import panoptic as files

    rng = np.random.default_rng(0)
    categories = [{"id": k, "name": str(k), "isthing": int(k in THINGS)} for k in sorted(THINGS | STUFF)]
    paths = []
    maps = np.where(rng.random((2, 4, 20, 30)) < 0.02, rng.integers(0, 9, (2, 4, 20, 30)), 0)
    maps = np.maximum.accumulate(maps, axis=-1)
    maps[1] = np.where(rng.random(maps[0].shape) < 0.9, maps[0], maps[1])
    for name, side in zip(("truth", "found"), maps, strict=True):
        (tmp_path / name).mkdir()
        annotations = []
        for k, ids in enumerate(side):
            image.fromarray(panoptic.to_rgb(ids)).save(tmp_path / name / f"{k}.png")
            segments = [
                {
                    "id": int(x),
                    "category_id": [1, 2, 8, 9][x % 4],
                    "iscrowd": int(x == 4 and name == "truth"),
                    "area": int((ids == x).sum()),
                    "bbox": [0, 0, 1, 1],
                }
                for x in np.unique(ids)
                if x
            ]
            annotations.append({"image_id": k, "file_name": f"{k}.png", "segments_info": segments})
        images = [{"id": k, "height": 20, "width": 30, "file_name": f"{k}.jpg"} for k in range(len(side))]
        paths.append(tmp_path / f"{name}.json")
        content = {"images": images, "annotations": annotations, "categories": categories}
        paths[-1].write_text(json.dumps(content))
    evaluation = theirs.PanopticEval(*map(str, paths))
    evaluation.evaluate()
    summary = files.count(*map(files.read, paths)).summary
    assert 0 < summary["PQ"] < 1
    for suffix, group in (("", "All"), ("_th", "Things"), ("_st", "Stuff")):
        expected = evaluation.results()[group]
        for name in ("PQ", "SQ", "RQ", "n"):
            assert summary[f"{name}{suffix}"] == pytest.approx(expected[name.lower()], abs=1e-12)
