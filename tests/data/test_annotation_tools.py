"""What all annotation tools have in common: kinds of shapes, and their scores."""

import pytest

from omniou import data
from omniou.data import InputError
from omniou.data._formats import declared, outlines
from omniou.data._formats.file_rows import Place


@pytest.mark.parametrize("name", ["labelme", "cvat", "label-studio", "scalabel"])
def test_tools_have_all_kinds_of_flat_shapes(name):
    for reader in (declared(name).truth, declared(name).detections):
        assert set(reader.kinds) == {"bbox", "segm", "boundary", "rotated", "polygons"}


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        ("high", r"a\.json: \[0\]\.score: expected number, got 'high'"),
        ([1], r"a\.json: \[0\]\.score: expected number, got '\[1\]'"),
        ("nan", r"a\.json: \[0\]\.score: expected number, got nan"),
        (None, r"a\.json: \[0\]\.score: missing: is this the ground truth\?"),
    ],
)
def test_score_of_an_outlined_object_is_checked(tmp_path, score, fault):
    path = tmp_path / "a.json"
    truth, found = (outlines.ToolContent(data.Options(), images={"x": (9, 9)}) for _ in range(2))
    outline = {"image": "x", "label": "cat", "polygons": [outlines.box(0, 0, 4, 4)], "place": Place(path, "[0]")}
    truth.objects.append(outlines.OutlinedObject(**outline))
    found.objects.append(outlines.OutlinedObject(**outline, score="0.25"))
    known = outlines.truth(path, truth)
    assert outlines.detections(path, found, known).scores.tolist() == [0.25]

    found.objects[:] = [outlines.OutlinedObject(**outline, score=score)]
    with pytest.raises(InputError, match=fault):
        outlines.detections(path, found, known)
