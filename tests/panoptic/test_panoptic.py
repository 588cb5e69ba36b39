"""Panoptic quality of images and videos, in every library."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omniou import panoptic
from tests.helpers import array, numbers
from tests.panoptic import reference
from tests.panoptic.cases import STUFF, THINGS, assert_tables, by_reference, random_maps, table
from tests.places import expected, shared, vectors

pytestmark = pytest.mark.computes("segments are found by values")


def count(xp, target, prediction, **options):
    maps = (array(xp, x, "int64") for x in (target, prediction))
    return panoptic.count(*maps, **{"things": THINGS, "stuff": STUFF, **options})


# Of 12 pixels: thing 1 in two instances, thing 2, stuff 8, void.
TARGET = [[[1, 1]] * 4 + [[1, 2]] * 3 + [[2, 1]] * 2 + [[8, 5]] * 2 + [[0, 0]]]
PREDICTION = [[[1, 7]] * 3 + [[1, 8]] * 4 + [[1, 9]] * 2 + [[8, 0]] * 3]


@pytest.mark.proves("eager", "panoptic.count")
def test_counts_by_hand(xp):
    counts = count(xp, TARGET, PREDICTION)
    assert counts.classes == (1, 2, 8, 9)
    assert counts.things == (True, True, False, False)
    # The last pixel is void and leaves the area of the predicted stuff.
    assert numbers(counts.iou).tolist() == [3 / 4 + 3 / 4, 0, 1, 0]
    assert numbers(counts.true_positives).tolist() == [2, 0, 1, 0]
    assert numbers(counts.false_positives).tolist() == [1, 0, 0, 0]
    assert numbers(counts.false_negatives).tolist() == [0, 1, 0, 0]
    assert numbers(counts.quality)[:3].tolist() == [1.5 / 2.5, 0, 1]
    assert numbers(counts.segmentation_quality)[:3].tolist() == [0.75, 0, 1]
    assert numbers(counts.recognition_quality)[:3].tolist() == [2 / 2.5, 0, 1]
    assert math.isnan(numbers(counts.quality)[3])
    summary = counts.summary
    assert summary["PQ"] == pytest.approx(1.6 / 3)
    assert (summary["PQ_th"], summary["PQ_st"], summary["n"], summary["n_th"], summary["n_st"]) == (0.3, 1, 3, 2, 1)
    assert counts.per_class[1] == {
        "PQ": 0.6,
        "SQ": 0.75,
        "RQ": 0.8,
        "true_positives": 2,
        "false_positives": 1,
        "false_negatives": 0,
    }


def test_counts_have_the_library_of_the_maps(xp):
    counts = count(xp, TARGET, PREDICTION)
    assert type(counts.iou) is type(counts.true_positives) is type(xp.zeros(1))
    assert counts.iou.dtype == xp.float64
    assert counts.true_positives.dtype == xp.int64


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "uint64"])
def test_count_takes_any_integers(xp, dtype):
    maps = (array(xp, x, dtype) for x in (TARGET, PREDICTION))
    assert table(panoptic.count(*maps, things=THINGS, stuff=STUFF)) == table(count(xp, TARGET, PREDICTION))


def test_half_of_the_union_is_no_match(xp):
    # 2 of 4 pixels, and then 3 of 5.
    half = count(xp, [[[1, 1]] * 3 + [[8, 0]]], [[[1, 1]] * 2 + [[2, 0]] + [[1, 1]]])
    assert table(half)[1] == [0, 0, 1, 1]
    more = count(xp, [[[1, 1]] * 4 + [[8, 0]]], [[[1, 1]] * 3 + [[2, 0]] + [[1, 1]]])
    assert table(more)[1] == [3 / 5, 1, 0, 0]


@pytest.mark.parametrize(("void", "false"), [(2, 1), (3, 0)])
def test_segment_with_more_than_half_of_its_pixels_in_void_is_not_invented(xp, void, false):
    counts = count(xp, [[[0, 0]] * void + [[8, 0]] * (4 - void)], [[[1, 1]] * 4])
    assert table(counts).get(1, [0, 0, 0, 0]) == [0, 0, false, 0]


def test_crowd_need_not_be_found_and_takes_predictions_of_its_category(xp):
    target = [[[1, 1]] * 6 + [[2, 1]] * 2]
    crowd = array(xp, [[True] * 6 + [False] * 2], "bool")
    prediction = [[[1, 1]] * 2 + [[1, 2]] * 2 + [[2, 2]] * 2 + [[2, 1]] * 2]
    assert table(count(xp, target, prediction, crowd=crowd)) == {2: [1.0, 1, 1, 0]}
    # Without the flag it is one thing.
    assert table(count(xp, target, prediction))[1] == [0, 0, 2, 1]


def test_instances_of_stuff_are_one_segment(xp):
    target = [[[8, 1]] * 2 + [[8, 2]] * 2]
    assert table(count(xp, target, [[[8, 9]] * 4])) == {8: [1.0, 1, 0, 0]}


def test_void_in_the_prediction(xp):
    target, prediction = [[[1, 1]] * 6], [[[1, 1]] * 3 + [[0, 0]] * 3]
    assert table(count(xp, target, prediction, unknown="void")) == {1: [0, 0, 1, 1]}
    assert table(count(xp, target, prediction, unknown="void", unpredicted="ignore")) == {1: [1.0, 1, 0, 0]}
    half = [[[0, 0]] * 3 + [[8, 0]] * 3]
    assert table(count(xp, target, half, unknown="void", unpredicted="ignore"))[1] == [0, 0, 0, 1]
    mostly = [[[0, 0]] * 4 + [[8, 0]] * 2]
    assert table(count(xp, target, mostly, unknown="void", unpredicted="ignore")) == {8: [0, 0, 1, 0]}
    assert table(count(xp, target, mostly, unknown="void")) == {1: [0, 0, 0, 1], 8: [0, 0, 1, 0]}


def test_void_in_the_target(xp):
    target, prediction = [[[1, 1]] * 3 + [[0, 0]] * 2], [[[1, 1]] * 5]
    assert table(count(xp, target, prediction)) == {1: [1.0, 1, 0, 0]}
    assert table(count(xp, target, prediction, unlabelled="count")) == {1: [3 / 5, 1, 0, 0]}
    # Of what is not found, more than half in void is not invented, whatever its area.
    assert table(count(xp, [[[0, 0]] * 3], [[[1, 1]] * 3], unlabelled="count")) == {}


def test_modified_counts_score_stuff_by_its_mean_iou(xp):
    # Stuff 8 shares 1 of 4 pixels; things are as ever. Stuff 9 is predicted, but not there.
    target = [[[8, 0]] * 2 + [[1, 1]] * 3 + [[2, 0]], [[8, 0]] * 6]
    prediction = [[[8, 0]] + [[1, 1]] * 4 + [[9, 0]], [[8, 0]] * 6]
    counts = count(xp, target, prediction, modified=True)
    assert table(counts) == {1: [3 / 4, 1, 0, 0], 2: [0, 0, 0, 1], 8: [1.5, 2, 0, 0]}
    assert counts.summary["PQ_st"] == 0.75


@pytest.mark.parametrize("shape", [(0, 4, 2), (2, 0, 2), (0, 0, 3, 2)])
def test_counts_of_no_pixels_are_zero(xp, shape):
    none = xp.zeros(shape, dtype=xp.int64)
    counts = panoptic.count(none, none, things={1}, stuff={2})
    assert table(counts) == {}
    assert math.isnan(counts.summary["PQ"])
    assert counts.summary["n"] == 0


def test_map_of_void_alone_counts_nothing(xp):
    assert table(count(xp, [[[0, 0]] * 3], [[[0, 0]] * 3], unknown="void")) == {}


@pytest.mark.parametrize("seed", range(6))
def test_counts_equal_reference(xp, seed):
    target, prediction = random_maps(np.random.default_rng(seed))
    crowd = (target[..., 0] == 1) & (target[..., 1] == 2) & (seed % 2 == 0)
    counts = count(xp, target, prediction, unknown="void", crowd=xp.asarray(crowd))
    expected = by_reference(target, prediction, crowd)
    assert_tables(table(counts), expected)
    summary = counts.summary
    assert [summary[x] for x in ("PQ", "SQ", "RQ")] == pytest.approx(reference.mean(expected), abs=1e-14)


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2, 8]), st.integers(-1, 1), st.sampled_from([0, 1, 8]), st.integers(-1, 1)),
        max_size=25,
    )
)
def test_counts_equal_reference_for_any_labels(rows):
    target = np.asarray([[row[:2] for row in rows]], dtype=np.int64).reshape(1, -1, 2)
    prediction = np.asarray([[row[2:] for row in rows]], dtype=np.int64).reshape(1, -1, 2)
    counts = panoptic.count(target, prediction, things=THINGS, stuff=STUFF, unknown="void")
    assert_tables(table(counts), by_reference(target, prediction))


def test_counts_add_to_those_of_all_images(xp):
    target, prediction = random_maps(np.random.default_rng(9))
    parts = [count(xp, target[k : k + 1], prediction[k : k + 1], unknown="void") for k in range(3)]
    whole = count(xp, target, prediction, unknown="void")
    assert_tables(table(sum(parts)), table(whole))


def test_counts_of_other_classes_do_not_add(xp):
    counts = count(xp, TARGET, PREDICTION)
    with pytest.raises(ValueError, match=r"must have the same `classes`, got \(1, 2, 8, 9\) and \(1, 2, 8, 9, 10\)"):
        counts + count(xp, TARGET, PREDICTION, stuff={8, 9, 10})
    with pytest.raises(ValueError, match="must have the same `modified`"):
        counts + count(xp, TARGET, PREDICTION, modified=True)
    with pytest.raises(TypeError, match="unsupported operand"):
        counts + 1


@pytest.mark.proves("eager", "panoptic.from_rgb", "panoptic.to_rgb")
def test_colours_and_ids(xp):
    ids = array(xp, [[0, 1, 256, 65536, 16777215]], "int64")
    colours = panoptic.to_rgb(ids)
    assert colours.dtype == xp.uint8
    assert numbers(colours).tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [255, 255, 255]]]
    assert numbers(panoptic.from_rgb(colours)).tolist() == numbers(ids).tolist()
    with pytest.raises(ValueError, match=r"`colours` must have shape \(..., 3\), got \(1, 5\)"):
        panoptic.from_rgb(ids)


@pytest.mark.proves("eager", "panoptic.count_ids")
@pytest.mark.parametrize("seed", range(4))
def test_counts_of_ids_equal_reference(xp, seed):
    rng = np.random.default_rng(seed)
    known = rng.permutation(np.arange(1, 2**24, 99991))[:9]
    images, total = [], 0
    for _ in range(3):
        target, prediction = (np.repeat(rng.choice([0, *known], 12), 5) for _ in range(2))
        prediction = np.where(rng.random(60) < 0.7, target, prediction)
        records = [
            [
                {"id": int(k), "category_id": int([1, 2, 8][k % 3]), "iscrowd": int(k % 5 == 0)}
                for k in np.unique(x)
                if k
            ]
            for x in (target, prediction)
        ]
        images.append((target.tolist(), prediction.tolist(), *records))
        maps = (xp.asarray(x) for x in (target, prediction))
        total = panoptic.count_ids(*maps, *records, things=THINGS, stuff=STUFF) + total
    assert_tables(table(total), reference.quality(images))


def test_all_crowds_of_a_category_count(xp):
    target, prediction = array(xp, [3, 3, 4, 4], "int64"), array(xp, [7, 7, 7, 7], "int64")
    crowds = [{"id": k, "category_id": 1, "iscrowd": 1} for k in (3, 4)]
    found = [{"id": 7, "category_id": 1}]
    counts = panoptic.count_ids(target, prediction, crowds, found, things=THINGS, stuff=STUFF)
    assert table(counts) == {}
    # panopticapi looks at the last alone, which is not more than half of the segment.
    image = ([3, 3, 4, 4], [7] * 4, crowds, found)
    assert reference.quality([image], all_crowds=False) == {1: [0.0, 0, 1, 0]}


@pytest.mark.parametrize(
    ("target_segments", "prediction_segments", "message"),
    [
        ([], [{"id": 2, "category_id": 1}], "`target` has segment 2, which is not among `target_segments`"),
        (
            [{"id": 2, "category_id": 1}, {"id": 9, "category_id": 1}],
            [{"id": 2, "category_id": 1}],
            "`target_segments` has segment 9, of which `target` has no pixel",
        ),
        (
            [{"id": 2, "category_id": 1}],
            [{"id": 2, "category_id": 5}],
            "`prediction_segments` must have .* segment 2 has unknown category 5",
        ),
        ([{"id": 2, "category_id": 1}] * 2, [{"id": 2, "category_id": 1}], "segment 2 occurs twice"),
        ([{"id": 0, "category_id": 1}], [{"id": 2, "category_id": 1}], "segment 0 means void"),
        ([{"id": 2**63, "category_id": 1}], [{"id": 2, "category_id": 1}], "ids of 64 bits, but a segment has 9223372"),
    ],
)
def test_segments_that_do_not_fit_raise(xp, target_segments, prediction_segments, message):
    ids = array(xp, [[0, 2, 2]], "int64")
    with pytest.raises(ValueError, match=message):
        panoptic.count_ids(ids, ids, target_segments, prediction_segments, things=THINGS, stuff=STUFF)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: count(np, t, t[:, :1]), ValueError, r"shape of `target`, \(1, 3, 2\), got \(1, 1, 2\)"),
        (lambda t: count(np, t[0], t[0]), ValueError, r"`target` must have shape \(images, ..., 2\), got \(3, 2\)"),
        (lambda t: panoptic.count(t * 1.0, t, things={1}, stuff={2}), TypeError, "`target` must hold integers, got dt"),
        (lambda t: count(np, t, t, crowd=t), TypeError, "`crowd` must hold booleans"),
        (
            lambda t: count(np, t, t, crowd=t == 1),
            ValueError,
            r"`crowd` must have the shape of `target` without its last axis, \(1, 3\), got \(1, 3, 2\)",
        ),
        (lambda t: count(np, t, t * 3), ValueError, "`prediction` must have categories of .* got 3"),
        (lambda t: count(np, t, t, unknown="drop"), ValueError, "`unknown` must be one of 'error', 'void'"),
        (lambda t: count(np, t, t, unpredicted="drop"), ValueError, "`unpredicted` must be one of 'count', 'ignore'"),
        (lambda t: count(np, t, t, unlabelled="drop"), ValueError, "`unlabelled` must be one of 'ignore', 'count'"),
        (lambda t: count(np, t, t, modified=1), TypeError, "`modified` must be True or False, got int"),
        (lambda t: count(np, t, t, things={1, 8}), ValueError, "no category in common, got 8 in both"),
        (lambda t: count(np, t, t, things={"car"}), TypeError, "`things` must hold integers, got 'car'"),
        (lambda t: count(np, t, t, things=5), TypeError, "`things` must be a collection of category ids, got int"),
        (lambda t: count(np, t, t, things=(), stuff=()), ValueError, "must have at least one category"),
        (
            lambda t: panoptic.count_video(t, t, things={1}, stuff=(), windows=(1, 1)),
            ValueError,
            "`windows` must be different positive integers",
        ),
        (
            lambda t: panoptic.count_video(t, t, things={1}, stuff=(), windows=(0,)),
            ValueError,
            "`windows` must be a positive integer, got 0",
        ),
    ],
)
def test_bad_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call(np.ones((1, 3, 2), dtype=np.int64))


@pytest.mark.parametrize("case", vectors("torchmetrics", lambda x: x["op"].endswith("panoptic_quality")))
def test_quality_equals_published_value(xp, case):
    inputs = case["inputs"]
    given = inputs["gt"], inputs.get("pred", inputs.get("pred_(cat,inst)"))
    target, prediction = (np.asarray(x).reshape(1, -1, 2) for x in given)
    counts = count(
        xp,
        target,
        prediction,
        things=inputs["things"],
        stuff=inputs["stuff"],
        modified=case["op"].startswith("modified"),
        unpredicted="ignore",
    )
    published = case["published"]
    if isinstance(published, dict):
        summary = counts.summary
        assert [summary[x] for x in ("PQ", "SQ", "RQ")] == pytest.approx(published["PQ,SQ,RQ"], abs=case["tol"])
        rows = [list(x.values())[:3] for x in counts.per_class.values()]
        np.testing.assert_allclose(rows, published["per_class(0,1,6,7)"], atol=case["tol"])
    else:
        assert counts.summary["PQ"] == pytest.approx(published, abs=case["tol"])


def bdd100k(side, name):
    """Pairs and flags of a bitmask: category, flags (ignored, crowd) and instance id in the channels of a PNG."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    path = shared("bdd100k-eval") / "tests/eval/testcases/pan_seg" / side / f"{name}.png"
    x = np.asarray(image.open(path)).astype(np.int64)
    return np.stack([x[..., 0], x[..., 2] * 256 + x[..., 3]], axis=-1), (x[..., 1] & 3) != 0


def test_quality_of_bdd100k():
    names = ("a", "b")
    truth = [bdd100k("gt", x) for x in names]
    counts = panoptic.count(
        np.stack([x for x, _ in truth]),
        np.stack([bdd100k("pred", x)[0] for x in names]),
        crowd=np.stack([x for _, x in truth]),
        things=range(31, 41),
        stuff=range(1, 31),
        unknown="void",
        unlabelled="count",
    )
    published = expected("bdd100k-eval")["pan_seg_png"]["computed_own"]
    summary = counts.summary
    assert summary["PQ"] == pytest.approx(0.6646278879162743, abs=1e-15)
    for suffix, side in (("", "all"), ("_th", "things"), ("_st", "stuff")):
        for name in ("PQ", "SQ", "RQ", "n"):
            assert summary[f"{name}{suffix}"] == pytest.approx(published[side][name], abs=1e-14)
    rows = {int(k): [x["iou_sum"], x["tp"], x["fp"], x["fn"]] for k, x in published["per_category"].items()}
    assert_tables(table(counts), rows)


def test_colours_of_floats_raise():
    with pytest.raises(TypeError, match="`ids` must hold integers, got dtype float64"):
        panoptic.to_rgb(np.asarray([0.5]))
