"""Units of every kind: samples and exchanges equal evaluations of the data repeated and exchanged."""

import math
import random

import numpy as np
import pytest

pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from omniou._results import comparing, resampling
from omniou._results.units import order_of
from tests.results.kinds import KINDS, model, tracked

EACH = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
# The evaluator of boxes takes images in a list, by their places.
NAMED = pytest.mark.parametrize(
    "kind", [x for name, x in KINDS.items() if name != "boxes"], ids=[x for x in KINDS if x != "boxes"]
)


def drawn(result, names, samples=5, seed=3):
    (found,) = resampling.drawn([result], names, samples=samples, confidence=0.95, seed=seed)
    return found


@EACH
def test_samples_equal_evaluation_of_repeated_units(kind):
    units = model(kind, 6, 1)
    names = list(units)

    actual = drawn(kind.evaluate(units), kind.names)

    generator = random.Random(3)  # noqa: S311
    for k in range(5):
        draw = sorted(generator.choices(range(6), k=6))
        repeated = kind.evaluate({f"{at:03}": units[names[place]] for at, place in enumerate(draw)})
        for name in kind.names:
            assert actual[name][k] == pytest.approx(repeated.summary[name], abs=1e-12), name


@EACH
def test_exchanges_equal_evaluation_of_exchanged_units(kind):
    one, two = (model(kind, 4, which) for which in (1, 2))
    first, second = kind.evaluate(one), kind.evaluate(two)

    # Four units have 15 sets that may be exchanged: of set k, bit b says whether unit b is in it.
    gaps = comparing.exchanged(first, second, kind.names, samples=15, seed=0)

    for k in range(15):
        moved = {name for b, name in enumerate(one) if (k + 1) >> b & 1}
        a, b = (
            kind.evaluate({name: (y if name in moved else x)[name] for name in one})
            for x, y in ((one, two), (two, one))
        )
        for name in kind.names:
            assert gaps[name].values[k] == pytest.approx(b.summary[name] - a.summary[name], abs=1e-12), name
            if name in kind.per_class(a):
                each = np.subtract(kind.per_class(b)[name], kind.per_class(a)[name])
                assert gaps[name].permuted[k] == pytest.approx(each, abs=1e-12), name
    head = gaps[kind.names[0]]
    assert head.value == pytest.approx(second.summary[kind.names[0]] - first.summary[kind.names[0]], abs=1e-12)
    assert len(set(head.values)) >= 8  # the models differ in three units or more


@EACH
def test_model_does_not_differ_from_itself(kind):
    result = kind.evaluate(model(kind, 12, 1))
    for name, gap in comparing.exchanged(result, result, kind.names, samples=60, seed=0).items():
        assert comparing.tested([gap], 0.95) == [(0, 0, 1)], name
        assert all(p == 1 or math.isnan(p) for p in comparing.by_class([gap], 0.95)[0].p_values), name


def test_difference_that_no_permutation_reaches_has_the_smallest_p_value():
    gap = comparing.Exchanged(["a"], [-0.8], [[0.0]] * 99, -0.8, [0.0] * 99)
    assert comparing.tested([gap], 0.95) == [(-0.8, -0.8, 0.01)]
    assert comparing.by_class([gap], 0.95)[0].p_values == (0.01,)
    # Equal differences may differ by rounding: 0.1 + 0.2 is as far as 0.3.
    equal = comparing.Exchanged(["a"], [0.1 + 0.2], [[0.3]] * 99, 0.1 + 0.2, [0.3] * 99)
    assert comparing.tested([equal], 0.95)[0][2] == 1
    # With p = 0.05, which is not below it, the interval has 0, whatever the rounding: 4 of 99 are as far.
    for k in range(1, 50):
        far = [k / 70] * 4 + [k / 700] * 95
        low, _, p_value = comparing.tested(
            [comparing.Exchanged(["a"], [k / 70], [[x] for x in far], k / 70, far)], 0.95
        )[0]
        assert (low < 0, p_value) == (True, 0.05)
    noise = comparing.Exchanged(["a"], [1e-16], [[0.0]] * 99, 1e-16, [0.0] * 99)
    assert comparing.tested([noise], 0.95)[0][2] == 1


@NAMED
def test_order_and_names_of_units_change_nothing(kind):
    one, two = (model(kind, 8, which) for which in (1, 2))
    turned = kind.evaluate({name: one[name] for name in reversed(one)})
    renamed = kind.evaluate({f"of-{name}": x for name, x in one.items()})
    expected = drawn(kind.evaluate(one), kind.names)
    assert drawn(turned, kind.names) == expected
    assert drawn(renamed, kind.names) == expected
    of_one, of_two = kind.evaluate(one), kind.evaluate(two)
    options = {"samples": 20, "seed": 1}
    gaps = comparing.exchanged(of_one, of_two, kind.names, **options)
    # Not `==`: NaN differs from NaN.
    assert repr(comparing.exchanged(turned, of_two, kind.names, **options)) == repr(gaps)


@EACH
def test_units_of_a_result_have_words_and_numbers(kind):
    result = kind.evaluate(model(kind, 3, 1))
    assert result.units.word in {"images", "sequences", "videos", "samples", "scenes"}
    assert len(result.units.names) == 3
    assert set(kind.names) <= set(result.units.known)
    for name in kind.names:
        least, most = result.units.ends(name)
        assert least <= result.summary[name] <= most
        assert 0 < result.units.per_class(name) <= 3


def test_units_are_in_the_order_of_their_names():
    assert order_of(["b", 3, "a", 1]) == [3, 1, 2, 0]
    one = model(KINDS["tracks"], 3, 1)
    assert tracked({name: one[name] for name in reversed(one)}).units.names == ("000", "001", "002")


def test_class_that_a_sample_of_sequences_lacks_keeps_its_numbers():
    # One sequence of eight has a bike, which is tracked perfectly; cars are not tracked at all.
    car = ({"ids": [1], "labels": ["car"], "boxes": [[0, 0, 9, 9]]}, {"ids": [], "labels": [], "boxes": []})
    bike = tuple({"ids": [1], "labels": ["bike"], "boxes": [[0, 0, 9, 9]]} for _ in range(2))
    result = tracked({f"{k}": [car] for k in range(8)} | {"7": [car, bike]})
    assert result.summary["IDR"] == 0.5
    assert drawn(result, ["IDR"], samples=40)["IDR"] == [0.5] * 40


def test_class_that_a_sample_of_images_lacks_keeps_its_numbers():
    # Class 2 is in one image of eight, and never found; all other pixels are right.
    right = (np.zeros((2, 2)), np.zeros((2, 2)))
    wrong = (np.asarray([[0, 2]]), np.asarray([[0, 1]]))
    result = KINDS["semantic"].evaluate({f"{k}": right for k in range(8)} | {"7": wrong})
    assert result.summary["mAcc"] == 0.5
    assert drawn(result, ["mAcc"], samples=40)["mAcc"] == [0.5] * 40
    assert result.units.per_class("mAcc") == pytest.approx(2 / (1 / 8 + 1))


def test_sequences_per_class_is_the_harmonic_mean_over_classes():
    car = tuple({"ids": [1], "labels": ["car"], "boxes": [[0, 0, 9, 9]]} for _ in range(2))
    bike = tuple({"ids": [1], "labels": ["bike"], "boxes": [[0, 0, 9, 9]]} for _ in range(2))
    sequences = {f"{k}": [car] for k in range(40)} | {"39": [car, bike]}
    units = tracked(sequences).units
    assert units.per_class("HOTA") == pytest.approx(80 / 41)
    assert units.per_class("IDSW") == 40  # of all classes together
    assert tracked(sequences, average="detections").units.per_class("HOTA") == 40


def test_intervals_end_where_numbers_do():
    units = tracked(model(KINDS["tracks"], 2, 1)).units
    ends = {name: units.ends(name) for name in ("HOTA", "MOTA", "IDSW", "FP_per_frame", "MTR")}
    inf = math.inf
    assert ends == {"HOTA": (0, 1), "MOTA": (-inf, 1), "IDSW": (0, inf), "FP_per_frame": (0, inf), "MTR": (0, 1)}
    low = resampling.interval(-0.5, [0.9, -2.7], 0.95, least=-inf)
    assert low.low < -1 < low.high == 1
    gap = comparing.Exchanged([1], [5.0], [[3.0]] * 99, 5.0, [3.0] * 99, inf)
    assert comparing.tested([gap], 0.95)[0][1] == pytest.approx(8)


def test_results_of_other_units_classes_rules_or_kinds_raise():
    kind = KINDS["tracks"]
    one, two = (model(kind, 3, which) for which in (1, 2))
    first, other = tracked(one), tracked({"000": two["000"], "001": two["001"], "x": two["002"]})

    def exchanged(second, name="HOTA"):
        comparing.exchanged(first, second, [name], samples=5, seed=0)

    with pytest.raises(ValueError, match="must be of the same sequences, got 3 and 3; only the first has '002'"):
        exchanged(other)
    with pytest.raises(ValueError, match="must be of the same sequences, got 3 and 4; only the second has '9'"):
        resampling.drawn([first, tracked(one | {"9": two["001"]})], ["HOTA"], samples=5, confidence=0.95, seed=0)
    with pytest.raises(ValueError, match="must be evaluated by the same protocol"):
        exchanged(tracked(two, average="detections"))
    with pytest.raises(ValueError, match="must be of the same classes, got 2 and 3; only the second has 'dog'"):
        exchanged(tracked(two, classes=["bike", "car", "dog"]))
    with pytest.raises(ValueError, match="must be of one kind, got units of sequences and of images"):
        exchanged(KINDS["semantic"].evaluate(model(KINDS["semantic"], 3, 1)))
    with pytest.raises(ValueError, match="`name` must be one of"):
        exchanged(tracked(two), "AP")


def test_interval_of_samples_that_differ_by_rounding_is_not_doubtful():
    drawn = resampling.interval(0.3, [0.1 + 0.2] * 50, 0.95, 100)
    assert drawn.bias > 0
    assert not drawn.doubtful
