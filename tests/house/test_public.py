"""What has no underscore in its path is public, and is listed in `public_names`."""

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import omniou
from tests.house.imports import ROOT, modules
from tests.house.public_names import LOSS_CLASSES, NEEDED, PUBLIC, SCORES

MODULES = {module.name: module.path for module in modules()}


def is_public(module: str) -> bool:
    return not any(part.startswith("_") for part in module.split("."))


def literal_names(path: Path) -> list[str]:
    """The names in `__all__` that are written out, without running the module."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [x.value for x in node.value.elts if isinstance(x, ast.Constant)]
    return []


def test_public_modules_are_those_without_underscore():
    assert {name for name in MODULES if is_public(name)} == PUBLIC.keys()


@pytest.mark.parametrize("name", [x for x in PUBLIC if x not in NEEDED and x != "omniou_integrations"])
def test_all_of_public_module(name):
    if name.startswith(("omniou.data", "omniou.cli", "omniou.report")):
        pytest.importorskip("msgspec", reason="the extra cli is not installed")
    module = importlib.import_module(name)
    assert sorted(module.__all__) == sorted(PUBLIC[name])
    assert all(hasattr(module, x) for x in module.__all__)


@pytest.mark.parametrize("name", NEEDED)
def test_all_of_adapter_source(name):
    # Losses are added from the table: the tests of JAX and Keras compare them.
    made = {f"{x}_loss" for x in SCORES} | set(LOSS_CLASSES)
    assert sorted(literal_names(MODULES[name])) == sorted(set(PUBLIC[name]) - made)


def test_every_score_has_its_facts_on_one_page_of_metrics():
    pages = [path.read_text("utf-8") for path in (ROOT / "docs" / "metrics").glob("*.md")]
    facts = [name for page in pages for name in re.findall(r"^```\{metric\} (\w+)$", page, re.MULTILINE)]
    assert {name: facts.count(name) for name in SCORES} == dict.fromkeys(SCORES, 1)


# Of readers, of parts of `data` and of groups of modules Python shows what is imported, too.
SHOWN = [
    name
    for name in PUBLIC
    if not name.startswith(("omniou.data.", "omniou.detection.", "omniou.tracking.", "omniou.cli"))
]


@pytest.mark.parametrize("name", [x for x in SHOWN if x not in {"omniou.pairs", "omniou_integrations"}])
def test_dir_of_module_shows_the_public_names(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name], reason="its framework is not installed")
    if name.startswith(("omniou.data", "omniou.report")):
        pytest.importorskip("msgspec", reason="the extra cli is not installed")
    module = importlib.import_module(name)
    late = ["data", "report"] if name == "omniou" else []  # which need the extra cli
    assert dir(module) == sorted([*module.__all__, *late])
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nonsense'"):
        _ = module.nonsense


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: omniou.boxes.iuo, "did you mean 'iou'?"),
        (lambda: omniou.detections, "did you mean 'detection'?"),
        (lambda: omniou.boxes.pairwise_giou, "write pairwise(boxes.giou, ...)"),
        (lambda: omniou.masks.pairwise_dice, "write pairwise(masks.dice, ...)"),
        (lambda: omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], format="xyhw"), "did you mean 'xywh'?"),
        (lambda: omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], format="XYXY"), "did you mean 'xyxy'?"),
        (lambda: omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], format="coco"), "did you mean 'xywh'?"),
        (lambda: omniou.losses.get("GIoU"), "did you mean 'giou'?"),
        (lambda: omniou.segmentation.iou([[1]], average="Macro"), "did you mean 'macro'?"),
        (lambda: omniou.detection.evaluate([], [], protocol="voc"), "did you mean 'voc2010'?"),
        (lambda: omniou.detection.evaluate([], [], kind="mask"), "did you mean 'segm'?"),
        (lambda: omniou.detection.evaluate([], [], score="GIoU"), "did you mean 'giou'?"),
    ],
)
def test_unknown_name_gets_the_nearest_one(call, hint):
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(hint)):
        call()


def test_data_and_report_are_there_after_import_of_omniou():
    program = "import sys, omniou; assert 'omniou.data' not in sys.modules; print(omniou.data.states, omniou.report)"
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
