"""Folders that tests read, wherever the tests themselves stand."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXAMPLE = DOCS / "examples" / "coco-val2014-100"
# Data and vectors of other projects, next to the checkout; not there for everybody.
SHARED = ROOT.parent / "shared"


def shared(*parts: str) -> Path:
    """A file or folder of the shared data; skips the test where these are not there."""
    path = SHARED.joinpath("data", *parts)
    if not path.exists():
        pytest.skip("the shared data are not next to this checkout")
    return path
