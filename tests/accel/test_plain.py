"""Scores and losses with and without `omniou._accel`: equal up to a few roundings."""

import os
import subprocess
import sys

import numpy as np
import pytest

from omniou._lib import accel
from tests import places
from tests.accel.written import results

# At most 5.1 were measured for NumPy 2.4 and torch 2.13, of values, and 1.4 of gradients.
ULPS = 16


def difference(on, off, name):
    """The largest one in units in the last place: of 1, or of the value where it is larger; of the largest gradient."""
    *_, dtype, kind = name.split("/")
    scale = np.abs(off).max() if kind == "gradient" else np.maximum(np.abs(off), 1)
    return np.max(np.abs(on - off) / scale, initial=0) / np.finfo(dtype).eps


@pytest.mark.skipif(accel.SWITCH == "off", reason="OMNIOU_ACCEL is off: there is nothing to compare")
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_numbers_without_accel_differ_by_roundings(library, tmp_path, request):
    chosen = request.config.getoption("--xp")
    if chosen not in {None, library}:
        pytest.skip(f"--xp is {chosen}")
    pytest.importorskip(library)
    command = [sys.executable, "-m", "tests.accel.written", library, tmp_path / "off.npz"]
    root = places.ROOT
    process = subprocess.Popen(command, cwd=root, env=os.environ | {"OMNIOU_ACCEL": "off"})
    on = results(library)
    assert process.wait() == 0
    off = dict(np.load(tmp_path / "off.npz"))
    assert on.keys() == off.keys()
    differences = {name: difference(on[name], off[name], name) for name in on}
    assert {name: x for name, x in differences.items() if not x <= ULPS} == {}
    if library == "numpy":
        # Only the order differs in which pairs of turned rectangles are cut.
        unequal = {name for name, x in differences.items() if x > 0}
        assert {name.split(".")[0] for name in unequal} == {"rotated", "boxes3d"}
        assert {name.split("/")[2] for name in unequal} == {"pairs"}
    else:
        assert any(differences.values())  # both ways were computed
