"""Tables and lists of frames: what `evaluate` takes, and what it refuses."""

import re

import numpy as np
import pytest

import omniou
from omniou import boxes, tracking
from omniou.rle import Masks
from omniou.tracking import Tracks, benchmarks
from tests import places
from tests.tracking.videos import evaluated

pytest.importorskip("scipy", reason="assignment is SciPy's")

BOX = [0.0, 0.0, 10.0, 10.0]
HALF = [0.0, 0.0, 10.0, 5.0]


def one(**columns):
    """A table of one row."""
    return Tracks(**{"boxes": [BOX], "frames": [1], "ids": [1]} | columns)


def test_tud_campus_has_the_published_numbers():
    folder, tables = places.shared("tud-campus"), []
    for name in ("gt", "test"):
        rows = np.loadtxt(folder / f"{name}.txt", delimiter=",")
        tables.append(Tracks(boxes=rows[:, 2:6], frames=rows[:, 0].astype(int), ids=rows[:, 1].astype(int)))
    expected = places.expected("tud-campus")

    result = tracking.evaluate(*tables, format="xywh", sequences={"sequence": 71})

    published = {"IDF1": "IDF1", "IDP": "IDP", "IDR": "IDR", "CLR_Re": "Rcll", "CLR_Pr": "Prcn", "MOTA": "MOTA"}
    counts = {"GT_IDs": "GT", "MT": "MT", "PT": "PT", "ML": "ML", "CLR_FP": "FP", "CLR_FN": "FN"}
    counts |= {"IDSW": "IDs", "Frag": "FM"}
    for ours, name in (published | counts).items():
        assert round(result.summary[ours], 3) == expected["published"][name]
    for name, value in expected["values"].items():
        if isinstance(value, list):
            np.testing.assert_allclose(result.hota[name], value, rtol=1e-12, err_msg=name)
        if name in result.summary:
            assert result.summary[name] == pytest.approx(np.mean(value), rel=1e-12), name


@pytest.mark.proves("eager", "tracking.evaluate")
@pytest.mark.computes("values decide what is matched")
def test_arrays_of_any_library(xp):
    truth = Tracks(
        boxes=xp.asarray([BOX, BOX, [20.0, 20.0, 30.0, 30.0]]), frames=xp.asarray([1, 2, 2]), ids=xp.asarray([1, 1, 2])
    )
    found = Tracks(boxes=xp.asarray([BOX, HALF]), frames=xp.asarray([1, 2]), ids=xp.asarray([7, 7]))

    result = tracking.evaluate(truth, found)

    assert {name: result.summary[name] for name in ("CLR_TP", "CLR_FN", "MOTP")} == {
        "CLR_TP": 2,
        "CLR_FN": 1,
        "MOTP": 0.75,
    }
    assert type(result.summary["HOTA"]) is float


def test_lists_of_frames_equal_tables():
    truth = [{"ids": [1, 2], "boxes": [BOX, [20, 20, 30, 30]]}, {"ids": [], "boxes": []}, {"ids": [2], "boxes": [BOX]}]
    found = [{"ids": [5], "boxes": [HALF]}, {"ids": [5], "boxes": [BOX]}, {"ids": [5], "boxes": np.asarray([BOX])}]
    tables = (
        Tracks(boxes=[BOX, [20, 20, 30, 30], BOX], frames=[0, 0, 2], ids=[1, 2, 2]),
        Tracks(boxes=[HALF, BOX, BOX], frames=[0, 1, 2], ids=[5, 5, 5]),
    )

    of_lists, of_tables = tracking.evaluate(truth, found), tracking.evaluate(*tables)

    assert of_lists.summary == of_tables.summary
    assert of_lists.summary["IDSW"] == 0
    assert of_lists.summary["CLR_TP"] == 2


def test_order_of_frames_in_a_table_does_not_matter():
    rng = np.random.default_rng(0)
    frames = np.repeat(np.arange(20), 3)
    rows = rng.uniform(0, 20, (60, 2))
    table = {"boxes": np.concatenate([rows, rows + 12], axis=1), "frames": frames, "ids": np.tile([1, 2, 3], 20)}
    order = np.lexsort([np.arange(60), rng.permutation(20)[frames]])
    moved = {name: x[order] for name, x in table.items()}
    shifted = table | {"boxes": table["boxes"] + rng.uniform(-4, 4, (60, 4))}

    first = tracking.evaluate(Tracks(**table), Tracks(**shifted))

    assert tracking.evaluate(Tracks(**moved), Tracks(**shifted)).summary == first.summary
    assert 0 < first.summary["HOTA"] < 1


def test_names_of_sequences_classes_and_ids():
    columns = {"sequences": ["b", "a"], "labels": ["car", "person"], "ids": ["x", "y"]}
    truth = Tracks(boxes=[BOX, BOX], frames=[1, 1], **columns)
    found = Tracks(boxes=[BOX, HALF], frames=[1, 1], **columns | {"ids": [7, 8]})

    result = tracking.evaluate(truth, found)

    assert list(result.per_sequence) == ["a", "b"]
    assert {name: x["MOTP"] for name, x in result.per_class.items()} == {"car": 1.0, "person": 0.5}
    assert result.per_class_and_sequence["car"]["a"]["GT_Dets"] == 0
    assert result.matches.rows()[0] == {
        "sequence": "a",
        "frame": 1,
        "class": "person",
        "object": "y",
        "track": 8,
        "similarity": 0.5,
    }


def test_classes_are_matched_separately_and_averaged_two_ways():
    good = {"boxes": [BOX], "frames": [1], "ids": [1], "labels": [0]}
    truth = Tracks(boxes=[BOX] * 4, frames=[1, 2, 3, 4], ids=[1] * 4, labels=[0, 0, 0, 1])
    found = Tracks(boxes=[BOX] * 4, frames=[1, 2, 3, 4], ids=[7] * 4, labels=[0, 0, 0, 0])

    result = tracking.evaluate(truth, found)
    pooled = tracking.evaluate(truth, found, average="detections")
    ignored = tracking.evaluate(truth, found, classes=[0, 1, 2])

    assert result.per_class[0]["CLR_FP"] == 1
    assert result.per_class[1]["CLR_FN"] == 1
    assert result.summary == result.class_averaged
    assert result.summary["DetRe"] == 0.5
    assert result.summary["CLR_FN"] == 1
    assert pooled.summary == result.detection_averaged
    assert pooled.summary["DetRe"] == 0.75
    with_empty = tracking.evaluate(truth, found, classes=[0, 1, 2], ignore_empty_classes=False)
    assert with_empty.summary["DetRe"] == pytest.approx(1 / 3)
    assert ignored.summary["DetRe"] == 0.5
    assert tracking.evaluate(truth, found, classes=[0]).summary["GT_Dets"] == 3
    assert tracking.evaluate(Tracks(**good), Tracks(**good)).summary["HOTA"] == 1.0


def test_class_without_matches_lowers_the_mean_over_classes():
    # Classes A and B with four frames each: perfect at .9, and without overlap.
    wide = [0, 0, 10, 9]
    truth = Tracks(boxes=[BOX] * 8, frames=[1, 2, 3, 4] * 2, ids=[1] * 8, labels=["A"] * 4 + ["B"] * 4)
    away = [50, 50, 60, 60]
    found = Tracks(boxes=[wide] * 4 + [away] * 4, frames=[1, 2, 3, 4] * 2, ids=[1] * 8, labels=["A"] * 4 + ["B"] * 4)

    result = tracking.evaluate(truth, found)

    assert result.class_averaged["HOTA"] == pytest.approx(0.473684, abs=5e-7)
    assert result.detection_averaged["HOTA"] == pytest.approx(0.546963, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "rows", "options"),
    [
        ("rotated", [[5, 5, 10, 10, 0.0], [5, 2.5, 10, 5, 0.0]], {}),
        ("boxes3d", [[5, 5, 5, 10, 10, 10, 0.0], [5, 5, 5, 10, 10, 5, 0.0]], {}),
        ("bev", [[5, 5, 5, 10, 10, 10, 0.0], [5, 5, 5, 10, 5, 10, 0.0]], {}),
        ("polygons", [[0, 0, 10, 0, 10, 10, 0, 10], [0, 0, 10, 0, 10, 5, 0, 5]], {}),
        ("bbox", [BOX, HALF], {"score": "iou"}),
        (omniou.boxes.GEOMETRY, [[0, 0, 10, 10], [0, 0, 10, 5]], {"format": "xywh"}),
        ("bbox", [BOX, HALF], {"score": boxes.iou}),
    ],
)
def test_kinds_and_scores(kind, rows, options):
    truth, found = (Tracks(boxes=[row], frames=[0], ids=[1]) for row in rows)

    result = tracking.evaluate(truth, found, kind=kind, **options)

    assert result.summary["MOTP"] == pytest.approx(0.5, abs=1e-12)


def test_score_that_disjoint_shapes_have():
    def near(a, b):
        return 1 / (1 + ((a - b) ** 2).sum(-1) / 4)

    result = tracking.evaluate(one(), one(boxes=[[10, 0, 20, 10]]), score=near)

    assert result.summary["MOTP"] == 0.0
    assert result.summary["LocA(0)"] == 1.0
    close = tracking.evaluate(one(boxes=[[0, 0, 1, 1]]), one(boxes=[[1, 0, 2, 1]]), score=near)
    assert close.summary["MOTP"] == pytest.approx(2 / 3)


def test_masks():
    whole, half = np.zeros((2, 1, 8, 8), dtype=bool)
    whole[0, :4, :4] = True
    half[0, :2, :4] = True
    truth = Tracks(boxes=None, masks=Masks.from_dense(whole), frames=[3], ids=[1])
    found = Tracks(boxes=None, masks=Masks.from_dense(half), frames=[3], ids=[1])

    assert tracking.evaluate(truth, found, kind="segm").summary["MOTP"] == 0.5
    lists = [{"ids": [1], "masks": whole}], [{"ids": [1], "masks": half}]
    assert tracking.evaluate(*lists, kind="segm").summary["MOTP"] == 0.5


def test_masks_of_two_sizes_in_one_frame_raise():
    sizes = (4, 6), (2, 3)
    both = [
        Tracks(boxes=None, masks=Masks.from_dense(np.ones((2, *size), dtype=bool)), frames=[4, 3], ids=[1, 2])
        for size in sizes
    ]
    fault = r"\[4, 6\] in `ground_truth.masks` \(frame 3, id 2\) and \[2, 3\] in `tracks.masks` \(frame 3, id 2\)"
    with pytest.raises(ValueError, match=fault):
        tracking.evaluate(*both, kind="segm")
    with pytest.raises(ValueError, match=r"\[4, 6\] in `ground_truth.masks\[0\]` and \[2, 3\] in `tracks.masks\[0\]`"):
        benchmarks.apply("plain", *both)


def test_empty_tables():
    nothing = Tracks(boxes=[], frames=[], ids=[])

    assert tracking.evaluate(one(), nothing).summary["CLR_FN"] == 1
    assert tracking.evaluate(nothing, one()).summary["CLR_FP"] == 1
    assert tracking.evaluate(nothing, nothing).summary["HOTA"] == 0.0
    assert tracking.evaluate(one(labels=["a"]), Tracks(boxes=[], frames=[], ids=[], labels=[])).summary["CLR_FN"] == 1


def test_negative_labels_are_classes_if_named_or_alone():
    both = {"boxes": [BOX, [50, 50, 60, 60]], "frames": [1, 1], "ids": [1, 2], "labels": [3, -1]}
    unknown = one(labels=[-1])

    assert tracking.evaluate(one(**both), one(labels=[3]), classes=[3]).summary["HOTA"] == 1.0
    assert tracking.evaluate(one(**both), one(labels=[3]), classes=[3, -1]).summary["HOTA"] == 0.5
    assert tracking.evaluate(unknown, unknown).summary["HOTA"] == 1.0


def test_sequences_say_the_number_of_frames():
    away = one(boxes=[[50, 50, 60, 60]])

    assert tracking.evaluate(one(), away).summary["FP_per_frame"] == 1.0
    assert tracking.evaluate(one(), away, sequences={"sequence": 4}).summary["FP_per_frame"] == 0.25


@pytest.mark.parametrize(
    ("truth", "found", "options", "message"),
    [
        (
            {"boxes": [BOX] * 3, "frames": [1, 2, 2], "ids": [4, 5, 5], "sequences": ["v", "v", "v"]},
            {"sequences": ["v"]},
            {},
            "`ground_truth.ids` must differ within a frame, but sequence 'v', frame 2, id 5 occurs in the rows 1 and 2",
        ),
        (
            {},
            {"frames": [1.7]},
            {},
            "`tracks.frames` must be integers, got dtype float64: convert them by `astype(int)`",
        ),
        ({}, {"ids": [1.0]}, {}, "`tracks.ids` must be integers or names, got dtype float64"),
        ({}, {"frames": [1, 2]}, {}, "columns of `tracks` must have one length, got 2 in `frames`, 1 in `ids`"),
        ({}, {"boxes": [BOX, BOX]}, {}, "columns of `tracks` must have one length, got 2 in `boxes` and 1 in `frames`"),
        ({}, {"boxes": [[0, 0, float("nan"), 1]]}, {}, "`tracks.boxes[0]` must be finite, got [0.0, 0.0, nan, 1.0]"),
        (
            {},
            {"boxes": [[5, 5, 5, 9]]},
            {},
            "`tracks.boxes` must have an area above 0, but row 0 is empty or inverted (frame 1, id 1)",
        ),
        ({}, {"boxes": [[0, 0, -3, -3]]}, {"format": "xywh"}, "row 0 is empty or inverted (frame 1, id 1)"),
        ({"labels": [1]}, {}, {}, "`labels` must be in both tables or in none, but `tracks.labels` is None"),
        ({"labels": [1]}, {"labels": [-100]}, {}, "`tracks.labels` must not be negative next to other labels unless"),
        ({"labels": [1]}, {"labels": ["a"]}, {}, "`labels` must be integers everywhere, or names everywhere, got both"),
        (
            {"sequences": ["a"]},
            {"sequences": ["b"]},
            {},
            "`ground_truth` has no rows of the sequence 'b', which `tracks` has",
        ),
        ({"sequences": ["a"]}, {"sequences": ["a"]}, {"sequences": {"b": 1}}, "`sequences` must have all sequences"),
        ({}, {"frames": [2]}, {"sequences": {"sequence": 1}}, "at least the 2 that occur, got 1"),
        ({}, {}, {"kind": "segm"}, "`ground_truth.masks` must be given for kind 'segm', got None"),
        ({}, {}, {"threshold": 0}, "`threshold` must be in (0, 1], got 0"),
        ({}, {}, {"average": "macro"}, "`average` must be one of 'classes', 'detections', got 'macro'"),
        ({}, {}, {"kind": "box"}, "did you mean 'bbox'?"),
        (
            {},
            {"boxes": [[3, 3, 20, 20]]},
            {"score": lambda a, b: boxes.giou(a, b) - 1},
            "similarities must be in [0, 1]",
        ),
        ({}, {}, {"score": lambda a, b: 1.2 + 0 * a[:, 0]}, "got 1.2 in frame 1, id 1 of the ground truth and id 1"),  # noqa: ARG005
        ({}, {}, {"score": lambda a, b: a[:, 0] * float("nan")}, "similarities must be in [0, 1], got nan"),  # noqa: ARG005
        ({}, {}, {"similarity": [[[1]]]}, "`similarity` needs lists of frames, got tables"),
    ],
)
def test_bad_tables(truth, found, options, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        tracking.evaluate(one(**truth), one(**found), **options)


@pytest.mark.parametrize(("value", "hota"), [(1 + 5e-7, 1), (-5e-7, 0)])
def test_similarity_may_exceed_its_bounds_by_rounding(value, hota):
    assert evaluated(([1], [1], [[value]])).summary["HOTA"] == pytest.approx(hota)
    with pytest.raises(ValueError, match=r"similarities must be in \[0, 1\]"):
        evaluated(([1], [1], [[value + (1e-3 if hota else -1e-3)]]))


def test_similarity_of_two_classes_or_of_a_class_that_is_not_evaluated_is_no_match():
    frame = {"ids": [1, 2], "labels": [1, 2]}
    similarity = [[[0.0, 1.0], [1.0, 0.0]]]  # each with the track of the other class
    crossed = tracking.evaluate([frame], [frame], similarity=similarity)
    assert crossed.summary["HOTA"] == 0
    one = tracking.evaluate([frame], [frame], similarity=[[[0.8, 1.0], [1.0, 0.8]]], classes=[1])
    assert one.matches["similarity"].tolist() == [0.8]


def test_ids_of_64_bits_without_sign():
    most = np.asarray([2**63 - 1], np.uint64)
    assert tracking.evaluate(one(ids=most), one(ids=most)).summary["IDF1"] == 1
    with pytest.raises(ValueError, match=r"`ground_truth.ids` must be below 2\*\*63, got 9223372036854775808"):
        tracking.evaluate(one(ids=np.asarray([2**63], np.uint64)), one())
    with pytest.raises(TypeError, match=r"`ground_truth.ids` must be integers or names, got dtype object"):
        tracking.evaluate(one(ids=np.asarray([True], object)), one())


@pytest.mark.parametrize("value", [-0.2, 1.2, float("nan")])
def test_similarity_out_of_bounds(value):
    with pytest.raises(
        ValueError, match=r"similarities must be in \[0, 1\], got .* in frame 1, id 2 .* id 7 of the tr"
    ):
        evaluated(([1], [7], [[0.5]]), ([1, 2], [7], [[0.8], [value]]))


@pytest.mark.parametrize(
    ("truth", "found", "options", "message"),
    [
        ([{"ids": [1]}], [{"ids": [1]}], {}, "`ground_truth[0]` must have the key 'boxes', got 'ids'"),
        ([{"ids": [1], "boxes": [BOX]}], [], {}, "must have one entry for each image"),
        ([], one(), {}, "must both be Tracks, or both lists"),
        ([{"ids": [1, 2]}], [{"ids": [1]}], {"similarity": [[[1, 0]]]}, "`similarity[0]` must have shape (2, 1)"),
        ({"a": []}, {"b": []}, {}, "`tracks` must have all sequences, but has no 'a'"),
        ({"a": []}, [], {}, "`ground_truth`, `tracks` must all be mappings of sequences, or all be lists of frames"),
        ([], [], {"sequences": {}}, "`sequences` is for tables"),
    ],
)
def test_bad_lists(truth, found, options, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        tracking.evaluate(truth, found, **options)


def test_missing_scipy_is_named_with_its_install_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)

    with pytest.raises(ImportError, match="tracking needs SciPy: pip install scipy"):
        evaluated(([1, 2], [7, 8], [[1.0, 1.0], [1.0, 1.0]]))
    # Without ties, nothing is left to assign.
    assert evaluated(([1, 2], [7, 8], [[1.0, 0.2], [0.3, 0.9]])).summary["CLR_TP"] == 2
