"""Folders that tests read, wherever the tests themselves stand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXAMPLE = DOCS / "examples" / "coco-val2014-100"
# Data sets of others that may be passed on; its README says where each is from.
SETS = ROOT / "tests" / "sets"
# The other sets, and vectors of other projects, next to the checkout; not there for everybody.
SHARED = ROOT.parent / "shared"
# How the reason of a skip begins that one of these makes: the end of a run counts them.
NEEDS = "needs ../shared/"
# What the documentation has already.
IN_DOCS = {
    ("coco-val2014-100", "instances_val2014_100.json"): EXAMPLE / "ground_truth.json",
    ("coco-val2014-100", "instances_val2014_fakebbox100_results.json"): EXAMPLE / "detections.json",
}


def shared(name: str, *parts: str) -> Path:
    """A set, or a file or folder of it, of the repository or next to it; skips the test where it is not there."""
    path = IN_DOCS.get((name, *parts), SETS.joinpath(name, *parts))
    if not path.exists():
        path = SHARED.joinpath("data", name, *parts)
    if not path.exists():
        pytest.skip(f"{NEEDS}data/{name}")
    return path


def expected(name: str) -> Any:
    """The published numbers of a set."""
    return json.loads(shared(name, "expected.json").read_text("utf-8"))


def vectors(name: str, keep: Callable[[Any], bool] = lambda _: True) -> list[Any]:
    """Cases of another project, for `parametrize`; one that is skipped where they are not there."""
    path = SHARED / "vectors" / f"{name}.json"
    if not path.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{NEEDS}vectors/{name}.json"))]
    cases = json.loads(path.read_text("utf-8"))["vectors"]
    return [pytest.param(x, id=f"{name}-{x['id']}") for x in cases if keep(x)]
