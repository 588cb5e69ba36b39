"""Evaluation by the distance of centres takes arrays of every library, and computes in NumPy."""

import dataclasses

import pytest

from omniou import centres
from tests.centres import scenes


@pytest.mark.proves("eager", "centres.evaluate")
@pytest.mark.computes("matching looks at values")
def test_arrays_of_any_library(xp):
    rows = scenes.tables(*scenes.scene(2))
    expected = centres.evaluate(*rows)
    moved = [
        dataclasses.replace(
            x,
            boxes=xp.asarray(x.boxes, dtype=xp.float64),
            velocities=xp.asarray(x.velocities, dtype=xp.float64),
            samples=xp.asarray(x.samples),
        )
        for x in rows
    ]
    assert centres.evaluate(*moved).summary == expected.summary


def test_lazy_arrays_are_refused():
    dask = pytest.importorskip("dask.array", reason="dask is not installed")
    targets, found = scenes.tables(*scenes.scene(2))
    with pytest.raises(TypeError, match=r"`targets\.boxes` must be an array that is computed at once"):
        centres.evaluate(dataclasses.replace(targets, boxes=dask.asarray(targets.boxes)), found)
