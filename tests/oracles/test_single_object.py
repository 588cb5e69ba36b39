"""Single-object tracking beside the toolkit of GOT-10k, which has OTB's evaluation too: from files to numbers."""

import importlib
import sys
import types

import numpy as np
import pytest

from omniou.tracking import single
from tests.tracking.test_single import SIZE, random_boxes


@pytest.fixture(scope="module")
def experiments():
    """The toolkit without what only its downloads need."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("six", "wget"):
            patch.setitem(sys.modules, name, types.SimpleNamespace(string_types=str))
        pytest.importorskip("got10k", reason="got10k is not installed")
        yield importlib.import_module("got10k.experiments")


class Sequences(list):
    """A data set as the toolkit iterates over it, and asks it for one sequence."""

    seq_names = ("s0", "s1", "s2")
    return_meta = False

    def __getitem__(self, key):
        return super().__getitem__(self.seq_names.index(key) if isinstance(key, str) else key)


@pytest.fixture
def pairs():
    """Ground truth and predictions of three sequences, which leave the image."""
    return {f"s{k}": random_boxes(100 + k, 40 + 15 * k) for k in range(3)}


def reported(kind, pairs, folder, metas=None):
    """The performance that the toolkit computes of its files."""
    toolkit = object.__new__(kind)
    toolkit.dataset = Sequences(
        (None, truth) if metas is None else (None, truth, metas[name]) for name, (truth, _) in pairs.items()
    )
    toolkit.result_dir, toolkit.report_dir = str(folder), str(folder)
    toolkit.nbins_iou, toolkit.nbins_ce, toolkit.subset = 21, 51, "val"
    for name, (truth, found) in pairs.items():
        path = folder / "own" / name if metas else folder / "own"
        path.mkdir(parents=True, exist_ok=True)
        np.savetxt(path / (f"{name}_001.txt" if metas else f"{name}.txt"), found, fmt="%.3f", delimiter=",")
        np.savetxt(path / f"{name}_time.txt", np.ones(len(truth)), delimiter=",")
    toolkit._plot_curves = toolkit.plot_curves = lambda *_: None
    return toolkit.report(["own"])["own"]


def test_otb_equals_toolkit(experiments, pairs, tmp_path):
    theirs = reported(experiments.ExperimentOTB, pairs, tmp_path)
    ours = single.evaluate(*({name: x[side] for name, x in pairs.items()} for side in (0, 1)))
    for name, own in [*ours.per_sequence.items(), (None, ours.summary)]:
        expected = theirs["overall"] if name is None else theirs["seq_wise"][name]
        assert own["AUC"] == pytest.approx(expected["success_score"], abs=1e-12)
        assert own["precision"] == pytest.approx(expected["precision_score"], abs=1e-12)
        assert own["SR50"] == pytest.approx(expected["success_rate"], abs=1e-12)
    assert ours.curves.success == pytest.approx(theirs["overall"]["success_curve"], abs=1e-12)
    assert ours.curves.precision == pytest.approx(theirs["overall"]["precision_curve"], abs=1e-12)


def test_got10k_equals_toolkit(experiments, pairs, tmp_path):
    cover = {name: np.arange(len(x[0])) % 5 for name, x in pairs.items()}
    metas = {name: {"cover": cover[name], "resolution": str(SIZE)} for name in pairs}
    # The toolkit cuts the boxes of its data set in place.
    copies = {name: tuple(map(np.copy, x)) for name, x in pairs.items()}
    theirs = reported(experiments.ExperimentGOT10k, copies, tmp_path, metas)
    ours = single.evaluate(
        *({name: x[side] for name, x in pairs.items()} for side in (0, 1)),
        protocol="got10k",
        cover=cover,
        image_sizes=SIZE,
    )
    assert ours.summary["AO"] == pytest.approx(theirs["overall"]["ao"], abs=1e-12)
    assert ours.summary["SR50"] == pytest.approx(theirs["overall"]["sr"], abs=1e-12)
    assert ours.curves.success == pytest.approx(theirs["overall"]["succ_curve"], abs=1e-12)
    for name, own in ours.per_sequence.items():
        assert own["AO"] == pytest.approx(theirs["seq_wise"][name]["ao"], abs=1e-12)
