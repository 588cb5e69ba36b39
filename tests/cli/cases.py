"""A small ground truth and detections as files, and the command run on them."""

import inspect
import json

from click.testing import CliRunner

from omniou.cli._commands import omniou

# click before 8.2 mixes stderr into stdout unless told not to.
APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def run(*args):
    return CliRunner(**APART).invoke(omniou, list(map(str, args)))


def files(folder, *, images=40, found=lambda k: 10 - k % 3):
    """An object of one of two classes in each image, and a detection as high as `found` says; None: there is none."""
    truth = {
        "images": [{"id": k, "file_name": f"{k}.jpg", "width": 100, "height": 100} for k in range(images)],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "traffic light"}],
        "annotations": [{"image_id": k, "category_id": 1 + k % 2, "bbox": [0, 0, 10, 10]} for k in range(images)],
    }
    (folder / "truth.json").write_text(json.dumps(truth))
    return folder / "truth.json", detections(folder / "found.json", found, images)


def detections(path, found, images=40):
    rows = [
        {"image_id": k, "category_id": 1 + k % 2, "bbox": [0, 0, 10, found(k)], "score": 0.9 - k / 50}
        for k in range(images)
        if found(k) is not None
    ]
    path.write_text(json.dumps(rows))
    return path
