"""Numbers of every score and loss in NumPy or torch: `python -m tests.accel.written LIBRARY OUT` writes them."""

import importlib
import os
import sys

import numpy as np

from omniou import pairwise
from tests.functions import cases, shapes

# Rows element by element; rows and columns of pairs, so many that they are computed in tiles.
ROWS, PAIRS = 400, {"polygons": (60, 50), "masks": (7, 6)}
DTYPES = ("float32", "float64")


def results(library):
    """Scores and losses by name, dtype and how they were computed; float64, whatever their own dtype."""
    many = {}
    xp = importlib.import_module(library)
    for name, case in cases().items():
        rows = 6 if case.geometry == "masks" else ROWS
        for dtype in DTYPES:
            n, m = PAIRS.get(case.geometry, (200, 180))
            a, b, p, q = (
                xp.asarray(shapes(case.geometry, seed, count), dtype=getattr(xp, dtype))
                for seed, count in ((1, rows), (2, rows), (3, n), (4, m))
            )
            b = xp.asarray(b, dtype=xp.int64) if case.geometry == "maps" else b
            if case.loss and library == "torch":
                a.requires_grad_()
            out = case.function(a, b)
            many[name, dtype, "rows"] = out
            if case.loss and library == "torch":
                out.sum().backward()
                many[name, dtype, "gradient"] = a.grad
            if not case.loss:
                many[name, dtype, "pairs"] = pairwise(case.function, p, q)
    return {"/".join(key): np.asarray(getattr(x, "detach", lambda x=x: x)(), dtype=float) for key, x in many.items()}


if __name__ == "__main__":
    assert os.environ["OMNIOU_ACCEL"] == "off"
    np.savez(sys.argv[2], **results(sys.argv[1]))
