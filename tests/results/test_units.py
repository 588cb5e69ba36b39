"""Units of every kind: samples and exchanges equal evaluations of the data repeated and exchanged."""

import math
import random

import numpy as np
import pytest

from omniou import tracking
from omniou._results import comparing, resampling
from omniou._results.units import order_of

NAMES = ("HOTA", "AssA", "LocA", "MOTA", "IDF1", "IDSW", "Frag", "FP_per_frame")


def frames_of(rng, objects=3, frames=5):
    """Frames of a sequence: objects that move, and tracks that lose them, change their ids and drift."""
    out = []
    for at in range(frames):
        boxes = [[20 * k + at, 0, 20 * k + at + 10, 10] for k in range(objects)]
        labels = ["car" if k else "bike" for k in range(objects)]
        found = [k for k in range(objects) if rng.random() < 0.8]
        truth = {"ids": list(range(objects)), "labels": labels, "boxes": boxes}
        tracks = {
            "ids": [k if rng.random() < 0.7 else k + 9 for k in found],
            "labels": [labels[k] for k in found],
            "boxes": [[x + 2 * rng.normal() for x in boxes[k]] for k in found],
        }
        out.append((truth, tracks))
    return out


def tracked(sequences, **options):
    """Sequences by name -> result."""
    evaluator = tracking.Evaluator(**{"classes": ["bike", "car"], **options})
    for name, frames in sequences.items():
        for truth, tracks in frames:
            evaluator.update(truth, tracks, sequence=name)
    return evaluator.compute()


def two_trackers(count, seed=0):
    """The same ground truth, two trackers."""
    first, second = (np.random.default_rng((seed, k)) for k in range(2))
    names = [f"{k:03}" for k in range(count)]
    return [{name: frames_of(rng) for name in names} for rng in (first, second)]


def draws(size, seed, samples):
    generator = random.Random(seed)  # noqa: S311
    return [generator.choices(range(size), k=size) for _ in range(samples)]


def drawn(result, names, samples=5, seed=3):
    (found,) = resampling.drawn([result], names, samples=samples, confidence=0.95, seed=seed)
    return found


@pytest.mark.parametrize("average", ["classes", "detections"])
def test_samples_of_tracks_equal_evaluation_of_repeated_sequences(average):
    sequences, _ = two_trackers(6)
    result = tracked(sequences, average=average)
    names = list(sequences)

    actual = drawn(result, NAMES)

    for k, draw in enumerate(draws(6, 3, 5)):
        repeated = tracked({f"{at}": sequences[names[place]] for at, place in enumerate(draw)}, average=average)
        for name in NAMES:
            assert actual[name][k] == pytest.approx(repeated.summary[name], abs=1e-12), name


def test_exchanges_of_tracks_equal_evaluation_of_exchanged_sequences():
    one, two = two_trackers(4)
    first, second = tracked(one), tracked(two)

    # Four sequences have 15 sets that may be exchanged: of set k, bit b says whether sequence b is in it.
    gaps = comparing.exchanged(first, second, NAMES, samples=15, seed=0)

    for k in range(15):
        moved = {name for b, name in enumerate(one) if (k + 1) >> b & 1}
        a, b = (tracked({name: (y if name in moved else x)[name] for name in one}) for x, y in ((one, two), (two, one)))
        for name in NAMES:
            assert gaps[name].values[k] == pytest.approx(b.summary[name] - a.summary[name], abs=1e-12), name
            each = [b.per_class[x][name] - a.per_class[x][name] for x in ("bike", "car")]
            assert gaps[name].permuted[k] == pytest.approx(each, abs=1e-12), name
    assert gaps["HOTA"].value == pytest.approx(second.summary["HOTA"] - first.summary["HOTA"], abs=1e-12)
    assert gaps["HOTA"].labels == ["bike", "car"]


def test_order_and_names_of_sequences_change_nothing():
    one, two = two_trackers(8)
    expected = drawn(tracked(one), NAMES)
    turned = {name: one[name] for name in reversed(one)}
    renamed = {f"of-{name}": x for name, x in one.items()}
    assert drawn(tracked(turned), NAMES) == expected
    assert drawn(tracked(renamed), NAMES) == expected
    gap = comparing.exchanged(tracked(turned), tracked(two), ["HOTA"], samples=20, seed=1)["HOTA"]
    assert gap == comparing.exchanged(tracked(one), tracked(two), ["HOTA"], samples=20, seed=1)["HOTA"]


def test_units_are_in_the_order_of_their_names():
    assert order_of(["b", 3, "a", 1]) == [3, 1, 2, 0]
    one, _ = two_trackers(3)
    assert tracked({name: one[name] for name in reversed(one)}).units.names == ("000", "001", "002")


def test_class_that_a_sample_of_sequences_lacks_keeps_its_numbers():
    # One sequence of eight has a bike, which is tracked perfectly; cars are not tracked at all.
    car = ({"ids": [1], "labels": ["car"], "boxes": [[0, 0, 9, 9]]}, {"ids": [], "labels": [], "boxes": []})
    bike = tuple({"ids": [1], "labels": ["bike"], "boxes": [[0, 0, 9, 9]]} for _ in range(2))
    sequences = {f"{k}": [car] for k in range(8)} | {"7": [car, bike]}
    result = tracked(sequences)
    assert result.summary["IDR"] == 0.5
    assert drawn(result, ["IDR"], samples=40)["IDR"] == [0.5] * 40


def test_sequences_per_class_is_the_harmonic_mean_over_classes():
    car = tuple({"ids": [1], "labels": ["car"], "boxes": [[0, 0, 9, 9]]} for _ in range(2))
    bike = tuple({"ids": [1], "labels": ["bike"], "boxes": [[0, 0, 9, 9]]} for _ in range(2))
    sequences = {f"{k}": [car] for k in range(40)} | {"39": [car, bike]}
    units = tracked(sequences).units
    assert units.per_class("HOTA") == pytest.approx(80 / 41)
    assert units.per_class("IDSW") == 40  # of all classes together
    assert tracked(sequences, average="detections").units.per_class("HOTA") == 40


def test_intervals_end_where_numbers_do():
    units = tracked(two_trackers(2)[0]).units
    ends = {name: units.ends(name) for name in ("HOTA", "MOTA", "IDSW", "FP_per_frame", "MTR")}
    inf = math.inf
    assert ends == {"HOTA": (0, 1), "MOTA": (-inf, 1), "IDSW": (0, inf), "FP_per_frame": (0, inf), "MTR": (0, 1)}
    low = resampling.interval(-0.5, [0.9, -2.7], 0.95, least=-inf)
    assert low.low < -1 < low.high == 1
    gap = comparing.Exchanged([1], [5.0], [[3.0]] * 99, 5.0, [3.0] * 99, inf)
    assert comparing.tested([gap], 0.95)[0][1] == pytest.approx(8)


def test_results_of_other_sequences_classes_or_rules_raise():
    one, two = two_trackers(3)
    first = tracked(one)
    other = tracked({"000": two["000"], "001": two["001"], "x": two["002"]})
    with pytest.raises(ValueError, match="must be of the same sequences, got 3 and 3; only `first` has '002'"):
        comparing.exchanged(first, other, ["HOTA"], samples=5, seed=0)
    with pytest.raises(ValueError, match="must be of the same sequences, got 3 and 4; only `second` has '9'"):
        resampling.drawn([first, tracked(one | {"9": two["001"]})], ["HOTA"], samples=5, confidence=0.95, seed=0)
    with pytest.raises(ValueError, match="must be evaluated by the same protocol"):
        comparing.exchanged(first, tracked(two, average="detections"), ["HOTA"], samples=5, seed=0)
    with pytest.raises(ValueError, match="must be of the same classes"):
        comparing.exchanged(first, tracked(two, classes=["bike", "car", "dog"]), ["HOTA"], samples=5, seed=0)
    with pytest.raises(ValueError, match="`name` must be one of"):
        comparing.exchanged(first, tracked(two), ["AP"], samples=5, seed=0)
