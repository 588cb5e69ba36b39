"""Every option of every command and kind refuses a value that cannot be right, and says which option it is.

Options come from the commands, kinds from the table of kinds: a new option is covered by itself.
"""

import json

import click
import pytest

from omniou.cli import _kinds as kinds
from omniou.cli._commands import COMMANDS, omniou
from tests.cli import cases, models

pytest.importorskip("numpy")
pytest.importorskip("msgspec", reason="the extra cli is not installed")
pytest.importorskip("PIL", reason="Pillow is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")

# Neither a number, a word of any choice, nor a path in a folder that exists.
WRONG = "no/such"
GROUP = {name: omniou.get_command(click.Context(omniou), name) for name in COMMANDS}
POLYGON = [[2, 2, 20, 2, 20, 18, 2, 18]]
POINTS = [x for k in range(17) for x in (5 * k, 20 + k, 2)]
CAR = "Car 0 0 -1 10 10 60 60 1.5 1.6 3.9 1 1.5 20 -1.4"


def written(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def coco(folder, **fields):
    """An object and a detection that equals it."""
    record = {"image_id": 1, "category_id": 1, "bbox": [2, 2, 18, 16], "area": 288, **fields}
    category = {"id": 1, "name": "cat"}
    truth = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 200, "height": 200}],
        "categories": [category],
        "annotations": [{"id": 1, "num_keypoints": 17, **record}],
    }
    return written(folder / "truth.json", truth), written(folder / "found.json", [{**record, "score": 0.5}])


def paths(kind, folder):
    """A ground truth and detections of each kind."""
    if kind in models.MADE:
        return models.made(kind, folder)[:2]
    if kind in {"boxes3d", "bev"}:
        return [written(folder / x / "0.txt", f"{CAR}{end}\n").parent for x, end in (("truth", ""), ("found", " 0.5"))]
    if kind == "polygons":
        corners = "10 10 30 10 30 30 10 30"
        return [
            written(folder / "truth" / "a.txt", f"{corners} cat 0\n").parent,
            written(folder / "found" / "Task1_cat.txt", f"a 0.5 {corners}\n").parent,
        ]
    if kind == "intervals":
        video = {"subset": "validation", "duration": 9.0, "annotations": [{"label": "x", "segment": [0, 5]}]}
        return [
            written(folder / "truth.json", {"database": {"a": video}}),
            written(folder / "found.json", {"results": {"a": [{"label": "x", "score": 0.5, "segment": [0, 4]}]}}),
        ]
    own = {"rotated": {"bbox": [20, 20, 18, 16, 0.5]}, "keypoints": {"keypoints": POINTS}}
    return coco(folder, **own.get(kind, {"segmentation": POLYGON}))


def words(command, truth, found, kind):
    """A command that works."""
    chosen = ["--kind", kind]
    return {
        "eval": [truth, found, *chosen],
        "check": [truth, found, *chosen],
        "compare": [truth, found, found, *chosen],
        "convert": [truth, found, "out", "--to", "coco", *chosen],
        "nms": [found, "--to", "coco", *chosen],
        "fuse": [found, found, "--to", "coco", *chosen],
        "report": [truth, "-o", "page.html"],
    }.get(command, [])


CASES = [("eval", kind) for kind in kinds.KINDS]
CASES += [(command, kind) for command in ("check", "compare") for kind in ("bbox", "segm", "tracks", "centres")]
CASES += [(command, "bbox") for command in COMMANDS if command not in {"eval", "check", "compare", "report"}]


@pytest.mark.parametrize(("command", "kind"), CASES)
def test_wrong_value_of_each_option_is_refused_by_its_name(command, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "UNITS", 2)
    (tmp_path / "made").mkdir()
    base = words(command, *paths(kind, tmp_path / "made"), kind)
    assert cases.run(command, *base).exit_code in {0, 4}
    faults = []
    for option in GROUP[command].params:
        if not isinstance(option, click.Option) or option.is_flag or option.name == "help":
            continue
        done = cases.run(command, *base, option.opts[0], WRONG)
        told = any(word in done.stderr for word in (*option.opts, f"`{option.name}`", WRONG))
        if done.exit_code not in {2, 3} or not told:
            faults.append(f"{option.opts[0]}: {done.exit_code} {done.stderr.strip()[-100:]}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("kind", "line", "told"),
    [
        ("bbox", "eval TRUTH FOUND --samples 20", "--samples is for --intervals"),
        ("bbox", "eval TRUTH FOUND --log-step 3", "--log-step needs --log"),
        ("bbox", "eval TRUTH FOUND --plots-format svg", "--plots-format needs --plots"),
        ("bbox", "eval TRUTH FOUND --expand-detections", "--expand-detections needs --hierarchy"),
        ("bbox", "eval TRUTH FOUND --only-classes ,", "--only-classes"),
        ("bbox", "eval TRUTH FOUND --at-score .6", "--at-score has no effect"),
        ("segm", "eval TRUTH FOUND --dt-boxes xyxy", "--dt-boxes is for boxes"),
        ("keypoints", "eval TRUTH FOUND --dt-boxes xyxy", "--dt-boxes is for boxes"),
        ("intervals", "eval TRUTH FOUND --image-size 64x48", "--image-size is for shapes in the plane"),
        ("spotting", "eval TRUTH FOUND --only-classes 1", "--only-classes: '1' is not among"),
        ("bbox", "check TRUTH --dt-boxes xyxy", "--dt-boxes is for DETECTIONS"),
        ("bbox", "convert TRUTH out.json --to coco --dt-format coco", "--dt-format is for DETECTIONS"),
        ("bbox", "nms FOUND --subset validation", "--subset needs --ground-truth"),
        ("bbox", "fuse FOUND FOUND --blocked TRUTH", "--blocked needs --ground-truth"),
    ],
)
def test_option_that_would_do_nothing_is_refused(kind, line, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "UNITS", 2)
    (tmp_path / "made").mkdir()
    truth, found = paths(kind, tmp_path / "made")
    done = cases.run(*({"TRUTH": truth, "FOUND": found}.get(x, x) for x in line.split()), "--kind", kind)
    assert (done.exit_code, told in done.stderr) == (2, True), done.stderr
