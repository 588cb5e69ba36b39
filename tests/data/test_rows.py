"""Rows of a geometry that the readers do not know: everything about it comes from the geometry."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from omniou.data import InputError, InputWarning, Options
from omniou.data._formats import file_rows
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._names import Listed, coded
from omniou.data._truth import Naming
from tests.discs import DISCS

PATH = Path("discs.txt")
IMAGES, CATEGORIES = Listed({0: "a"}, Naming()), Listed({0: "disc"}, Naming())


def rows(*discs, **more):
    return FileRows(
        images=coded(["a"] * len(discs)),
        labels=coded(["disc"] * len(discs)),
        boxes=np.array(discs, dtype=float).reshape(-1, 3),
        format="xyr",
        place=lambda row, field: Place(PATH, f"line {row + 1}, {field}"),
        fields=("image", "class", "x", "y", "radius"),
        geometry=DISCS,
        **more,
    )


def truth(of, **options):
    return file_rows.truth(PATH, of, IMAGES, CATEGORIES, Options(**options))


def test_truth_of_discs_takes_area_from_geometry():
    known = truth(rows([1, 2, 3], [4, 5, 1], area=np.array([np.nan, 7.0])), image_size=(10, 20))

    assert (known.geometry, known.format, known.relative) == (DISCS, "xyr", False)
    assert known.targets.boxes.tolist() == [[1, 2, 3], [4, 5, 1]]
    assert known.targets.area.tolist() == pytest.approx([9 * np.pi, 7])
    assert known.sizes.tolist() == [[10, 20]]


def test_detections_of_discs_below_least_height_are_left_out():
    known = dataclasses.replace(truth(rows()), least_height=4.0)
    detections = file_rows.detections(PATH, rows([1, 2, 3], [4, 5, 1], scores=np.array([0.5, 0.25])), known, Options())

    assert known.targets.boxes.shape == (0, 3)
    assert detections.boxes.tolist() == [[1, 2, 3]]
    assert detections.scores.tolist() == [0.5]


def test_number_of_disc_that_is_not_finite_raises():
    with pytest.raises(InputError, match=r"discs\.txt: line 2, radius: expected finite number, got nan"):
        truth(rows([1, 2, 3], [1, 2, np.nan]))


def test_doubts_of_geometry_warn():
    doubts = {"have no area: are they {format}?": lambda columns: columns[2] == 0}
    doubtful = dataclasses.replace(
        DISCS,
        doubts=lambda columns, *, layout, xp: {words: f(columns) for words, f in doubts.items()},  # noqa: ARG005
    )

    with pytest.warns(InputWarning, match=r"discs\.txt: 1 of 2 discs have no area: are they xyr\?"):
        truth(dataclasses.replace(rows([1, 2, 3], [1, 2, 0]), geometry=doubtful))
