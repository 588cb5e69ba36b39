"""Class hierarchies, with numbers worked out by hand, and against a reference that expands single rows."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import detection, rle
from omniou._inputs.hierarchy import all_above
from omniou.detection import Detections, Targets
from tests.helpers import numbers

pytestmark = pytest.mark.computes("values decide the shapes of an expansion")

# 1 and 2 are subclasses of 3, and 3 of 4.
FOOTBALL, BICYCLE, HELMET, CLOTHING = 1, 2, 3, 4
PARENTS = {FOOTBALL: [HELMET], BICYCLE: [HELMET], HELMET: [CLOTHING]}
A, B, DISJOINT = [0, 0, 10, 10], [20, 20, 30, 30], [70, 70, 80, 80]


def arrays(xp, table):
    """A table of lists as arrays of the library."""
    floats, flags = {"boxes", "scores", "area"}, {"crowd", "ignore"}
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table) if f.name != "masks"}
    dtypes = {name: xp.float32 if name in floats else xp.bool if name in flags else xp.int16 for name in columns}
    return dataclasses.replace(
        table, **{name: xp.asarray(x, dtype=dtypes[name]) for name, x in columns.items() if x is not None}
    )


def lists(table):
    """All columns of a table as lists of numbers."""
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table) if f.name != "masks"}
    return {
        name: (numbers(x) if hasattr(x, "dtype") else np.asarray(x)).tolist()
        for name, x in columns.items()
        if x is not None
    }


TARGETS = Targets(
    [A, B, DISJOINT],
    labels=[FOOTBALL, CLOTHING, HELMET],
    images=[7, 7, 8],
    crowd=[False, True, False],
    area=[5, 6, 7],
    ignore=[False, False, True],
    negative=[[9, HELMET], [8, BICYCLE]],
    not_exhaustive=[[7, FOOTBALL], [8, CLOTHING]],
)
DETECTIONS = Detections([A, DISJOINT], scores=[0.5, 0.25], labels=[HELMET, 5], images=[8, 7])


def test_expand_every_column(xp):
    given = arrays(xp, TARGETS), arrays(xp, DETECTIONS)
    targets, detections = detection.expand(*given, PARENTS)

    assert lists(targets) == {
        "boxes": [A, A, A, B, DISJOINT, DISJOINT],
        "labels": [FOOTBALL, HELMET, CLOTHING, CLOTHING, HELMET, CLOTHING],
        "images": [7, 7, 7, 7, 8, 8],
        "crowd": [False, False, False, True, False, False],
        "area": [5, 5, 5, 6, 7, 7],
        "ignore": [False, False, False, False, True, True],
        "negative": [[9, HELMET], [9, FOOTBALL], [9, BICYCLE], [8, BICYCLE]],
        "not_exhaustive": [[7, FOOTBALL], [7, HELMET], [7, CLOTHING], [8, CLOTHING]],
    }
    assert lists(detections) == {
        "boxes": [A, A, DISJOINT],
        "scores": [0.5, 0.5, 0.25],
        "labels": [HELMET, CLOTHING, 5],
        "images": [8, 8, 7],
    }
    assert type(targets.labels) is type(given[0].labels)
    for name in ("boxes", "images", "crowd"):
        assert getattr(targets, name).dtype == getattr(given[0], name).dtype
        assert type(getattr(targets, name)) is type(getattr(given[0], name))


def test_expand_of_lists_returns_lists():
    targets, detections = detection.expand(TARGETS, DETECTIONS, PARENTS)

    assert lists(targets) == lists(detection.expand(arrays(np, TARGETS), DETECTIONS, PARENTS)[0])
    assert detections.labels == [HELMET, CLOTHING, 5]
    columns = [getattr(targets, f.name) for f in dataclasses.fields(targets)]
    assert all(isinstance(x, list) for x in columns if x is not None)


def test_expand_of_list_beside_arrays_returns_array(xp):
    targets = arrays(xp, Targets([A, B], labels=[1, 2], images=[0, 0]))
    targets = dataclasses.replace(targets, labels=[FOOTBALL, BICYCLE])
    labels = detection.expand(targets, DETECTIONS, {FOOTBALL: [HELMET]})[0].labels

    assert type(labels) is type(targets.boxes)
    assert numbers(labels).tolist() == [FOOTBALL, HELMET, BICYCLE]


def test_expand_masks(xp):
    drawn = np.zeros((2, 10, 10), dtype=bool)
    drawn[0, :5], drawn[1, 5:] = True, True
    masks = rle.Masks.from_dense(drawn)
    tables = (
        Targets(None, labels=[FOOTBALL, BICYCLE], images=[0, 0]),
        Detections(None, scores=[0.9, 0.8], labels=[FOOTBALL, HELMET], images=[0, 0]),
    )
    tables = [dataclasses.replace(arrays(xp, table), masks=masks) for table in tables]
    targets, detections = detection.expand(*tables, {FOOTBALL: [HELMET], BICYCLE: [HELMET]})

    assert (targets.masks.to_dense() == drawn[[0, 0, 1, 1]]).all()
    assert (detections.masks.to_dense() == drawn[[0, 0, 1]]).all()


def test_average_precision_of_expanded_masks():
    masks = rle.Masks.from_dense(np.eye(4, dtype=bool).reshape(2, 2, 4))
    targets, detections = detection.expand(
        Targets(None, labels=[FOOTBALL, BICYCLE], images=[0, 0], masks=masks),
        Detections(None, scores=[0.9, 0.8], labels=[FOOTBALL, HELMET], images=[0, 0], masks=masks),
        {FOOTBALL: [HELMET], BICYCLE: [HELMET]},
    )
    result = detection.evaluate(targets, detections, protocol="open_images", kind="segm")
    assert result.per_class["AP"].tolist() == [1, 0, 1]


def evaluated(xp, targets, detections, *, both=True):
    targets, copies = detection.expand(arrays(xp, targets), arrays(xp, detections), PARENTS)
    result = detection.evaluate(targets, copies if both else arrays(xp, detections), protocol="open_images")
    labels, values = (numbers(x).tolist() for x in (result.classes, result.per_class["AP"]))
    return dict(zip(labels, values, strict=True))


def close(expected):
    return pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_average_precision_of_expanded_boxes(xp):
    targets = Targets([A, B], labels=[FOOTBALL, BICYCLE], images=[0, 0])
    detections = Detections(
        [A, DISJOINT, B], scores=[0.9, 0.8, 0.7], labels=[FOOTBALL, BICYCLE, HELMET], images=[0, 0, 0]
    )

    # Helmets: a hit, a false positive and a hit: precision is 1 up to a recall of 1/2, and 2/3 beyond.
    shared = (1 + 2 / 3) / 2
    assert evaluated(xp, targets, detections) == close({FOOTBALL: 1, BICYCLE: 0, HELMET: shared, CLOTHING: shared})
    # Without expanded detections, one of the two helmets is matched, and no clothing.
    assert evaluated(xp, targets, detections, both=False) == close(
        {FOOTBALL: 1, BICYCLE: 0, HELMET: 1 / 2, CLOTHING: 0}
    )


def test_detections_of_class_and_its_ancestor_are_both_kept(xp):
    targets = Targets([A, B], labels=[FOOTBALL, BICYCLE], images=[0, 0])
    detections = Detections([A, A, B], scores=[0.9, 0.8, 0.7], labels=[FOOTBALL, HELMET, BICYCLE], images=[0, 0, 0])

    shared = (1 + 2 / 3) / 2
    assert evaluated(xp, targets, detections) == close({FOOTBALL: 1, BICYCLE: 1, HELMET: shared, CLOTHING: shared})


def test_negative_class_is_negative_with_its_descendants(xp):
    targets = Targets([A], labels=[FOOTBALL], images=[0], negative=[[1, HELMET]])
    # Image 1 is verified to have no helmet, hence no football helmet; clothing is not verified there.
    detections = Detections([DISJOINT, A], scores=[0.9, 0.8], labels=[FOOTBALL, FOOTBALL], images=[1, 0])

    assert evaluated(xp, targets, detections) == close({FOOTBALL: 1 / 2, HELMET: 1 / 2, CLOTHING: 1})


def test_crowd_is_crowd_of_every_ancestor(xp):
    targets = Targets([A, B], labels=[FOOTBALL, HELMET], images=[0, 0], crowd=[True, False])
    detections = Detections([[0, 0, 5, 5], B], scores=[0.9, 0.8], labels=[HELMET, HELMET], images=[0, 0])

    assert evaluated(xp, targets, detections)[HELMET] == close(1)


def test_all_above_of_parents_equals_that_of_all_ancestors():
    every = {FOOTBALL: [HELMET, CLOTHING], BICYCLE: [CLOTHING, HELMET, HELMET], HELMET: [CLOTHING]}

    assert all_above(PARENTS) == all_above(every) == {1: [3, 4], 2: [3, 4], 3: [4]}


def test_expand_by_two_paths_adds_ancestor_once():
    diamond = {1: [2, 3], 2: [4], 3: [4]}
    detections = Detections([A], scores=[1], labels=[1], images=[0])

    assert detection.expand(TARGETS, detections, diamond)[1].labels == [1, 2, 3, 4]


@pytest.mark.parametrize("empty", [[], np.zeros(0), np.zeros((0, 4))])
def test_expand_of_empty_tables(empty):
    none = np.zeros(0, dtype=np.uint8)
    for labels in ([], none):
        targets = Targets(empty, labels=labels, images=labels, negative=[])
        targets, detections = detection.expand(targets, Detections(empty, labels, labels, labels), PARENTS)
        assert len(targets.labels) == len(detections.labels) == len(targets.boxes) == len(detections.scores) == 0


def test_expand_widens_narrow_labels(xp):
    detections = Detections(
        xp.zeros((1, 4)), xp.ones(1), xp.asarray([200], dtype=xp.uint8), xp.zeros(1, dtype=xp.int32)
    )
    detections = detection.expand(TARGETS, detections, {200: [100_000]})[1]

    assert numbers(detections.labels).tolist() == [200, 100_000]


@st.composite
def hierarchies(draw):
    """Labels in some order, in which parents come later: no label leads to itself."""
    labels = draw(st.permutations(range(-2, 8)))
    return {x: draw(st.lists(st.sampled_from(labels[k + 1 :]), max_size=3)) for k, x in enumerate(labels[:-1])}


def ancestors_of(label, parents):
    return {x for near in parents.get(label, []) for x in {near} | ancestors_of(near, parents)}


@settings(deadline=None, max_examples=60)
@given(
    hierarchies(),
    st.lists(st.tuples(st.integers(-3, 9), st.integers(0, 3), st.booleans()), max_size=8),
    st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 9)), max_size=5),
)
def test_expand_equals_reference_per_row(parents, rows, pairs):
    labels, images, crowd = ([row[k] for row in rows] for k in range(3))
    area, scores = list(range(len(rows))), [float(k) for k in range(len(rows))]
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    boxes = np.zeros((len(rows), 4))
    targets, detections = detection.expand(
        Targets(boxes, labels, images, np.asarray(crowd, dtype=bool), area, None, pairs, pairs),
        Detections(boxes, scores, np.asarray(labels, dtype=np.int64), images),
        parents,
    )

    expected = [(x, k) for k, label in enumerate(labels) for x in (label, *sorted(ancestors_of(label, parents)))]
    assert list(zip(np.asarray(targets.labels).tolist(), targets.area, strict=True)) == expected
    assert list(zip(detections.labels.tolist(), map(int, detections.scores), strict=True)) == expected
    assert targets.crowd.tolist() == [crowd[k] for _, k in expected]
    below = {x: [y for y in parents if x in ancestors_of(y, parents)] for x in range(-3, 10)}
    assert sorted(targets.negative.tolist()) == sorted([i, y] for i, x in pairs.tolist() for y in (x, *below[x]))
    expected = [[i, y] for i, x in pairs.tolist() for y in (x, *sorted(ancestors_of(x, parents)))]
    assert targets.not_exhaustive.tolist() == expected


BAD = {
    "itself": ({1: [1]}, ValueError, "must not lead from a label to itself, got 1, a parent of 1"),
    "cycle": ({1: [2], 2: [1], 3: [1]}, ValueError, "to itself, got (1, a parent of 2|2, a parent of 1), a parent of"),
    "words": ({1: ["dog"]}, TypeError, r"must map integers to lists of integers, got \{1: \['dog'\]\}"),
    "number": ({1: 2}, TypeError, r"must map integers to lists of integers, got \{1: 2\}"),
    "list": ([1, 2], TypeError, r"must map integers to lists of integers, got \[1, 2\]"),
}


@pytest.mark.parametrize(("ancestors", "kind", "message"), BAD.values(), ids=BAD)
def test_expand_of_invalid_ancestors_raises(ancestors, kind, message):
    with pytest.raises(kind, match=f"`ancestors` .*{message}"):
        detection.expand(TARGETS, DETECTIONS, ancestors)


BAD_TABLES = {
    "labels": ({"labels": np.ones(3)}, TypeError, r"`targets.labels` must be integers of shape \(N,\), got .* float64"),
    "shape": ({"labels": np.ones((3, 1), dtype=int)}, TypeError, r"of shape \(N,\), got shape \(3, 1\)"),
    "length": ({"images": [1]}, ValueError, "`targets.images` must have a row for each of the 3 labels, got 1"),
    "boxes": ({"boxes": np.zeros((2, 4))}, ValueError, "`targets.boxes` must have a row for each of the 3 labels"),
    "pairs": ({"negative": np.ones(3, dtype=int)}, ValueError, r"`targets.negative` must be integers of shape \(P, 2"),
}


@pytest.mark.parametrize(("more", "kind", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_expand_of_invalid_tables_raises(more, kind, message):
    with pytest.raises(kind, match=message):
        detection.expand(dataclasses.replace(TARGETS, **more), DETECTIONS, PARENTS)


def test_expand_of_dictionaries_raises():
    with pytest.raises(TypeError, match="`targets` must be Targets, got list"):
        detection.expand([{}], DETECTIONS, PARENTS)


def test_expand_of_dask_arrays_raises():
    dask = pytest.importorskip("dask.array", reason="about Dask alone")
    with pytest.raises(TypeError, match=r"Dask arrays do not have yet: pass `x.compute\(\)`"):
        detection.expand(dataclasses.replace(TARGETS, labels=dask.asarray([1, 2, 3])), DETECTIONS, PARENTS)


def test_expand_of_jax_without_x64():
    jax = pytest.importorskip("jax", reason="about JAX alone")
    with jax.enable_x64(False):
        given = arrays(jax.numpy, TARGETS), arrays(jax.numpy, DETECTIONS)
        assert lists(detection.expand(*given, PARENTS)[0]) == lists(detection.expand(TARGETS, DETECTIONS, PARENTS)[0])


def test_expand_of_cuda_tensors():
    torch = pytest.importorskip("torch", reason="about torch alone")
    if not torch.cuda.is_available():
        pytest.skip("there is no other device")
    detections = Detections(
        *(torch.as_tensor(x, device="cuda") for x in ([A, DISJOINT], [0.5, 0.25], [HELMET, 5], [8, 7]))
    )
    detections = detection.expand(TARGETS, detections, PARENTS)[1]
    assert detections.labels.device.type == "cuda"
    assert detections.labels.tolist() == [HELMET, CLOTHING, 5]
