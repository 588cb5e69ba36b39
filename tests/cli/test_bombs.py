"""Small files that stand for large masks, deep lists or many classes: one line each, in less than 1 GB."""

import json
import subprocess
import sys

import pytest

from omniou import data
from tests.cli import cases

resource = pytest.importorskip("resource", reason="the peak of a process is measured by a module of POSIX")

SIDE = 30_000
FULL = [0, 0, 10**7, 0, 10**7, 1000, 0, 1000]
STRIPES = ",".join(["9000"] * 9000)
EVAL = "eval truth.json found.json"
CONVERT = "convert truth.xml out.json --to coco --kind segm"
WHOLE = {"size": [SIDE, SIDE], "counts": [0, SIDE**2]}
TOO_MANY = "Error: truth.json or found.json: 30000 x 30000 pixels are too many for a boundary"


def coco(segmentation, height, width, categories=1):
    truth = {
        "images": [{"id": 1, "file_name": "a.jpg", "height": height, "width": width}],
        "categories": [{"id": k, "name": str(k)} for k in range(1, categories + 1)],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "segmentation": segmentation}
        ],
    }
    found = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "segmentation": segmentation, "score": 0.5}]
    return {"truth.json": json.dumps(truth), "found.json": json.dumps(found)}


def cvat(side, runs):
    image = f'<image name="a.jpg" width="{side}" height="{side}">'
    mask = f'<mask label="cat" left="0" top="0" width="{side}" height="{side}" rle="{runs}"/>'
    return {"truth.xml": f"<annotations>{image}{mask}</image></annotations>"}


BOMBS = {
    "brackets": ({"truth.json": "[" * 65_536}, "check truth.json", 3, "Error: truth.json: expected ground truth"),
    "keys": ({"truth.json": '{"' + "k" * 30_000 + '":{' + '"a":1,' * 6000}, "check truth.json", 3, "Error: truth.json"),
    "objects": ({"truth.json": '{"a":' * 13_000}, "check truth.json", 3, "nested too deep"),
    "cvat": (cvat(15_000, "0,225000000"), CONVERT, 0, ""),
    "stripes": (cvat(9000, f"0,{STRIPES}"), CONVERT, 3, "truth.xml: a mask unpacks"),
    "boundary": (coco(WHOLE, SIDE, SIDE), f"{EVAL} --kind boundary", 3, TOO_MANY),
    "outline": (coco([FULL], 1000, 10**7), f"{EVAL} --kind segm", 3, "the outlines pass 20000000 columns"),
    "classes": (coco([[0, 0, 5, 0, 5, 5]], 9, 9, 100_000), f"{EVAL} --format csv", 0, ""),
}

CHILD = """
import pathlib, resource, sys
from tests.cli import cases
done = cases.run(*sys.argv[1:])
# On Linux, the largest size that `getrusage` knows is that of the parent, where the parent is larger.
status = pathlib.Path("/proc/self/status")
lines = status.read_text().splitlines() if status.exists() else []
kilobytes = [int(x.split()[1]) for x in lines if x.startswith("VmHWM")]
peak = kilobytes[0] / 1024 if kilobytes else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(done.exit_code, round(peak))
print(done.stderr)
"""


@pytest.mark.parametrize("bomb", BOMBS)
def test_bomb_takes_less_than_a_gigabyte(bomb, tmp_path):
    files, line, code, message = BOMBS[bomb]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    words = [str(tmp_path / x) if x in files or x.startswith("out") else x for x in line.split()]
    child = subprocess.run([sys.executable, "-c", CHILD, *words], capture_output=True, text=True, check=True)
    head, *told = child.stdout.splitlines()
    got, peak = map(int, head.split())

    assert got == code, child.stdout
    assert message in "\n".join(told).replace(f"{tmp_path}/", "")
    assert sum(x.startswith("Error") for x in told) == bool(code)
    assert peak < 1000


def test_not_enough_memory_names_the_inputs_and_an_option(tmp_path, monkeypatch):
    truth, found = cases.files(tmp_path, images=2)

    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("omniou.cli._files.read_ground_truth", full)
    done = cases.run("eval", truth, found)
    assert isinstance(done.exception, MemoryError)
    told = f"there is not enough memory for {truth} and {found}: --image-set reads fewer images"
    assert str(done.exception) == told


def test_mask_of_cvat_by_columns_is_the_mask_that_was_drawn(tmp_path):
    """The run lengths are by rows of a part of the image: .##, ###, .## and .#. of 3 x 4 pixels at (1, 1)."""
    image = '<image name="a.jpg" width="5" height="6"><mask label="cat" left="1" top="1" width="3" height="4"'
    (tmp_path / "truth.xml").write_text(f'<annotations>{image} rle="1,5,1,2,1,1,1"/></image></annotations>')

    mask = data.read_ground_truth(tmp_path / "truth.xml", "cvat", data.Options(kind="segm")).targets.masks.to_dense()[0]
    rows = ["".join(".#"[int(x)] for x in row) for row in mask.tolist()]
    assert rows == [".....", "..##.", ".###.", "..##.", "..#..", "....."]
