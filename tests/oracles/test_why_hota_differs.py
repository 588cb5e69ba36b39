"""The table of docs/why-my-hota-differs.md: each number of each tool on the smallest input."""

import math
import re
import warnings

import motmetrics
import motrics
import numpy as np
import pytest

from omniou import tracking
from tests import places

PAGE = places.DOCS / "why-my-hota-differs.md"
GOOD = ([1], [7], [[0.9]])
JUST_BELOW = [([1], [7], [[0.49999999999999994]])]
# Frames and threshold of each row of the table.
ROWS = [
    ([GOOD], 0.5),
    ([GOOD, ([1], [], []), GOOD], 0.5),
    ([GOOD, ([2], [9], [[0.9]]), GOOD], 0.5),
    ([GOOD, ([1], [8], [[0.0]]), ([1], [7, 8], [[0.6, 0.9]])], 0.5),
    ([([1, 2], [7, 8], [[0.9, 0.35], [0.35, 0.0]])], 0.3),
    ([GOOD] * 4 + [([1], [7], [[0.0]])], 0.5),
    (JUST_BELOW, 0.5),
    (JUST_BELOW, 0.5),
    ([([], [7], []), ([], [7], [])], 0.5),
]


def matrices(frames):
    return [np.asarray(x, dtype=float).reshape(len(t), len(k)) for t, k, x in frames]


def by_omniou(frames, threshold):
    sides = [[{"ids": x[k]} for x in frames] for k in range(2)]
    out = tracking.evaluate(*sides, similarity=matrices(frames), threshold=threshold).summary
    return {"true positives": out["CLR_TP"], **out}


def by_motmetrics(frames, threshold):
    names = {"motp": "MOTP", "num_fragmentations": "Frag", "num_switches": "IDSW", "mostly_tracked": "MT"}
    names |= {"mota": "MOTA", "idf1": "IDF1", "num_matches": "true positives"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = motmetrics.MOTAccumulator(auto_id=True)
        for (truth, tracks, _), x in zip(frames, matrices(frames), strict=True):
            seen.update(truth, tracks, np.where(x >= threshold, 1 - x, np.nan))
        out = motmetrics.metrics.create().compute(seen, metrics=list(names)).iloc[0]
    return {name: out[key] for key, name in names.items()}


def by_motrics(frames, threshold):
    ids = [[x[k] for x in frames] for k in range(2)]
    given = *ids, [x.tolist() for x in matrices(frames)], threshold
    clear, identity = motrics.compute_clear_from_similarity(*given), motrics.compute_identity_from_similarity(*given)
    out = {"MOTP": clear.motp, "Frag": clear.frag, "IDSW": clear.num_switches, "MT": clear.mt, "MOTA": clear.mota}
    return {**out, "true positives": clear.num_matches, "IDF1": identity.idf1}


def test_table_of_the_page_is_what_the_tools_print():
    rows = re.findall(r"^\| (?!input|---)(.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == len(ROWS)
    for row, (frames, threshold) in zip(rows, ROWS, strict=True):
        _, name, *printed, _ = row.split(" | ")
        found = [f(frames, threshold)[name] for f in (by_omniou, by_motmetrics, by_motrics)]
        assert [float(x) for x in printed] == pytest.approx(found, abs=1e-12), row
        assert not any(map(math.isnan, found))
