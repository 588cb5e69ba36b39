"""`omniou_integrations.pycocotools.mask` against pycocotools, argument by argument: equal, or an error of its type."""

import numpy as np
import pytest

from omniou_integrations.pycocotools import mask

peer = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")

# pycocotools beside NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

PIXELS = np.zeros((4, 5, 2), np.uint8, order="F")
PIXELS[1:3, 1:4, 0] = 1
PIXELS[0, :, 1] = 1
ONE = np.asfortranarray(PIXELS[..., 0])
RECORDS = [{"size": [4, 5], "counts": b"5220003"}, {"size": [4, 5], "counts": b"01300000000"}]
FIRST = RECORDS[0]
SMALL = {"size": [2, 2], "counts": b"04"}
TEXTS = [{"size": x["size"], "counts": x["counts"].decode()} for x in RECORDS]
LENGTHS = {"size": [2, 2], "counts": [0, 3, 1]}
BOXES = np.asarray([[0, 0, 2, 2], [1, 1, 2, 2.0], [0.1, 0.3, 1.7, 0.9]])
NONE = [0, 0, 0]
TRIANGLE, SECOND = [0, 0, 2, 0, 2, 2], [1.5, 1.2, 3.9, 1, 3, 3.4]


def sized(*size, counts=FIRST["counts"]):
    return {"size": list(size), "counts": counts}


EQUAL = {
    "encode": [
        (PIXELS,),
        (ONE,),
        (PIXELS.astype(bool, order="F"),),
        (np.asfortranarray(ONE * 7),),
        (PIXELS[:, :, :0],),
        (np.zeros((0, 5), np.uint8, order="F"),),
        (np.zeros((0, 5, 2), np.uint8, order="F"),),
        (np.zeros((4, 0), np.uint8, order="F"),),
        (np.ones((3, 3), np.uint8, order="F"),),
        (np.zeros((3, 3), np.uint8, order="F"),),
        (ONE[:1, :1],),  # one pixel, of both orders
    ],
    "decode": [
        (RECORDS,),
        (FIRST,),
        (TEXTS,),
        (TEXTS[1],),
        ([FIRST],),
        (sized(4.0, 5.0),),
        (sized(4, 5, 1),),
        ({"size": np.asarray([4, 5]), "counts": FIRST["counts"]},),
        ({"size": (4, 5), "counts": FIRST["counts"], "more": 1},),
        ([FIRST, TEXTS[1]],),
        (sized(0, 0, counts=b""),),
    ],
    "area": [(RECORDS,), (FIRST,), (TEXTS,), ([],), (TEXTS[0],)],
    "toBbox": [
        (RECORDS,),
        (FIRST,),
        ([],),
        ({"size": [3, 3], "counts": b"9"},),
        ({"size": [3, 3], "counts": b"180"},),
    ],
    "merge": [
        *((RECORDS, x) for x in (0, 1, True, False, np.True_, np.int64(0), 2, -1, 1.5, 0.5)),
        (RECORDS,),
        ([],),
        ([], True),
        ([FIRST],),
        (tuple(RECORDS),),
        (TEXTS,),
    ],
    "iou": [
        *((RECORDS, RECORDS, x) for x in ([0, 1], (1, 0), [True, False], np.asarray([0, 1]), [0, 2], [0.0, 0.5])),
        (RECORDS, RECORDS, np.asarray([False, True])),
        (TEXTS, RECORDS, [0, 0]),
        ([FIRST], RECORDS, [0, 0]),
        ([], RECORDS, [0, 1]),
        (RECORDS, [], []),
        ([], [], []),
        (BOXES, BOXES, [0, 1, 0]),
        (BOXES.tolist(), BOXES.tolist(), [0, 1, 1]),
        (list(BOXES), BOXES, NONE),
        (BOXES.astype(int), BOXES, NONE),
        (BOXES.astype(np.float32), BOXES, [1, 1, 1]),
        (BOXES[:, ::-1].copy() * -1, BOXES, NONE),
        (np.zeros((1, 4)), np.zeros((1, 4)), [0]),
        (np.zeros((0, 4)), BOXES, NONE),
        (BOXES, np.zeros((0, 4)), []),
        (BOXES, [], []),
        ([], BOXES, NONE),
        (np.asarray([]), BOXES, NONE),
    ],
    "frPyObjects": [
        ([TRIANGLE], 4, 5),
        ([TRIANGLE, SECOND], 4, 5),
        ([tuple(TRIANGLE)], 4, 5),
        ([np.asarray(SECOND)], 4, 5),
        ([TRIANGLE, [0, 0, 2, 2]], 4, 5),
        ([SECOND], 4.9, np.int64(5)),
        ([TRIANGLE], 0, 5),
        ([[-9, -9, 20, -9, 20, 20]], 4, 5),
        ([[-3.3, -3, 2, 0, 2, 2.2]], 4, 5),
        *(([[x + 2e6, y, x + 2e6 + 9, y, x, y + 9]], 4, 5) for x, y in ((10, 10), (-2e6 - 30, 0), (0, -90), (0, 7))),
        (BOXES, 4, 5),
        (np.asarray([[-2, -2, 3, 3], [1, 1, -1, -1], [0.5, 0.5, 1.6, 1.2], [9, 9, 2, 2], [0, 0, 0, 0.0]]), 4, 5),
        (LENGTHS, 2, 2),
        ([LENGTHS], 7, 7),
        ([LENGTHS, LENGTHS], 2, 2),
        ({"size": [2, 2], "counts": np.asarray([0.0, 3, 1])}, 2, 2),
    ],
}


@pytest.mark.parametrize(("name", "given"), [(name, x) for name, cases in EQUAL.items() for x in cases])
def test_calls_equal_pycocotools(name, given):
    expected, actual = getattr(peer, name)(*given), getattr(mask, name)(*given)
    assert type(actual) is type(expected)
    if isinstance(expected, np.ndarray):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        assert actual.flags.f_contiguous or name == "toBbox"
        np.testing.assert_array_equal(actual, expected)
        return
    assert actual == expected


def test_arguments_have_the_names_of_pycocotools():
    assert mask.encode(bimask=ONE) == FIRST
    assert mask.area(rleObjs=FIRST) == mask.decode(rleObjs=FIRST).sum() == 6
    assert mask.toBbox(rleObjs=FIRST).tolist() == [1, 1, 3, 2]
    assert mask.merge(rleObjs=RECORDS, intersect=1) == {"size": [4, 5], "counts": b"d0"}
    assert mask.iou(dt=[FIRST], gt=[FIRST], pyiscrowd=[0]).tolist() == [[1]]
    assert mask.frPyObjects(pyobj=[TRIANGLE], h=4, w=5) == [{"size": [4, 5], "counts": b"41?"}]


# Each raises the type that pycocotools raises; where that is `Exception`, one below it.
RAISES = {
    "encode": [
        (np.ascontiguousarray(PIXELS),),
        (np.ascontiguousarray(ONE),),
        (PIXELS[::2, :, 0],),
        (PIXELS[1:3],),
        *((PIXELS.astype(x),) for x in (int, np.int8, float, np.uint16)),
        ([[1]],),
        (None,),
    ],
    "decode": [
        (tuple(RECORDS),),
        (None,),
        (LENGTHS,),
        ({"counts": b"0"},),
        ({"size": [2, 2]},),
        (sized(2, 2),),
        (sized("4", 5),),
        (sized(-4, 5),),
        (sized(4),),
        (sized(4, 5, counts=None),),
    ],
    "area": [(tuple(RECORDS),), (LENGTHS,), ("52",), (3,)],
    "toBbox": [(tuple(RECORDS),), (None,)],
    "merge": [(FIRST,), (RECORDS, "a"), (RECORDS, None), (None,), ([LENGTHS],)],
    "iou": [
        *((RECORDS, RECORDS, x) for x in ([0], [], [0, 1, 1], None, [0, -1], [0, 256], ["a", "b"], [[0], [1]])),
        (RECORDS, [], [0]),
        (FIRST, FIRST, [0]),
        (RECORDS, BOXES, NONE),
        ([FIRST, [0, 0, 1, 1]], RECORDS, [0, 0]),
        (BOXES[0], BOXES, NONE),
        ([0, 0, 2, 2], BOXES, NONE),
        (np.zeros((2, 5)), BOXES, NONE),
        (BOXES[None], BOXES, NONE),
        (((0, 0, 2, 2),), BOXES, NONE),
        ([[0, 0, 2, 2], [1, 2, 3]], BOXES, NONE),
        ([LENGTHS], [LENGTHS], [0]),
        (BOXES, BOXES),
    ],
    "frPyObjects": [
        (TRIANGLE, 4, 5),
        ([[0, 0, 2, 2]], 4, 5),
        ([0, 0, 2, 2], 4, 5),
        (BOXES.astype(int), 4, 5),
        (BOXES.astype(np.float32), 4, 5),
        (BOXES[0], 4, 5),
        *((x, 4, 5) for x in (FIRST, TEXTS[0], [], None, [[]], [[0, 1]], "abc", [["a"] * 6], (TRIANGLE,), 3)),
        ([TRIANGLE], -4, 5),
        ([TRIANGLE], "4", 5),
        ([TRIANGLE], 4, None),
        ({"size": [2, 2], "counts": [0, -3, 1]}, 2, 2),
    ],
}


@pytest.mark.parametrize(("name", "given"), [(name, x) for name, cases in RAISES.items() for x in cases])
def test_errors_are_of_the_types_of_pycocotools(name, given):
    with pytest.raises(Exception) as expected:  # noqa: PT011  (whatever pycocotools raises)
        getattr(peer, name)(*given)
    with pytest.raises(expected.type) as actual:
        getattr(mask, name)(*given)
    assert "\n" not in str(actual.value)


@pytest.mark.parametrize("counts", ["é", b"   "])
def test_text_that_ends_within_a_number_is_refused_as_pycocotools_does(counts):
    """pycocotools raises a ValueError, after it read and wrote behind the text: it is not asked here."""
    with pytest.raises(ValueError, match="counts"):
        mask.decode(sized(4, 5, counts=counts))


# pycocotools gives uninitialised memory, overflows or an empty mask without a word.
REFUSED = [
    ("encode", (PIXELS[None],), r"must have shape \(H, W\)"),
    ("encode", (np.zeros(4, np.uint8),), r"must have shape \(H, W\)"),
    ("encode", (np.asfortranarray([[1, 2, 0]], np.uint8),), "0 and one other number"),
    ("decode", (sized(5, 5),), r"rleObjs\[0\].counts: runs add up to 20 pixels, but 5 x 5 are 25"),
    ("decode", ([FIRST, SMALL],), "one size"),
    ("decode", (sized(2, 2, counts=b""),), "runs add up to 0 pixels"),
    ("area", (sized(2, 2, counts=b""),), "runs add up to 0 pixels"),
    ("merge", ([FIRST, SMALL],), "one image size"),
    ("iou", (RECORDS, [SMALL], [0]), "one image size"),
    ("iou", (np.asarray([[0, 0, np.nan, 2]]), BOXES, NONE), r"`dt\[0\]` must be finite"),
    ("iou", (BOXES, np.asarray([[0, 0, 1, 1], [np.inf, 0, 1, 2]]), [0, 0]), r"`gt\[1\]` must be finite"),
    ("frPyObjects", ([[*TRIANGLE, 1]], 4, 5), r"pyobj\[0\]\[0\]: expected x and y of each point, got 7 numbers"),
    ("frPyObjects", ([[*TRIANGLE, np.nan, 1]], 4, 5), r"pyobj\[0\]\[0\]: expected coordinates"),
    ("frPyObjects", ([[*TRIANGLE, 1e30, 1]], 4, 5), "at most 2"),
    ("frPyObjects", (np.asarray([TRIANGLE], float), 4, 5), r"boxes of shape \(N, 4\)"),
    ("frPyObjects", (sized(5, 5, counts=[0, 3]), 5, 5), r"pyobj\[0\].counts: runs add up to 3 pixels"),
]


@pytest.mark.parametrize(("name", "given", "message"), REFUSED)
def test_what_pycocotools_answers_at_random_is_refused(name, given, message):
    with pytest.raises(ValueError, match=message):
        getattr(mask, name)(*given)


def test_boxes_are_read_in_any_order_of_memory():
    """pycocotools reads the memory of an array as if it were in C order."""
    expected = peer.iou(BOXES, BOXES, NONE)
    np.testing.assert_array_equal(mask.iou(np.asfortranarray(BOXES), BOXES, NONE), expected)
    wide = np.zeros((3, 8))
    wide[:, ::2] = BOXES
    np.testing.assert_array_equal(mask.iou(wide[:, ::2], BOXES, NONE), expected)


def test_areas_beyond_uint32_are_refused():
    lengths = [0, 2**32 - 1, 1, 2**32 - 1, 1]
    record = mask.frPyObjects({"size": [2**17, 2**16], "counts": lengths}, 1, 1)
    with pytest.raises(OverflowError, match="8589934590"):
        mask.area(record)
    assert mask.toBbox(record).tolist() == [0, 0, 2**16, 2**17]


@pytest.mark.usefixtures("mask_kernels")
def test_random_polygons_and_boxes_equal_pycocotools():
    rng = np.random.default_rng(0)
    for scale in (5, 30, 1e3, 1e5) * 10:
        height, width = rng.integers(1, 40, 2).tolist()
        outlines = [rng.normal(30, scale, 2 * count).round(1).tolist() for count in rng.integers(3, 9, 4)]
        records = peer.frPyObjects(outlines, height, width)
        assert mask.frPyObjects(outlines, height, width) == records
        assert mask.merge(records) == peer.merge(records)
        crowd = rng.integers(0, 2, 4).tolist()
        np.testing.assert_array_equal(mask.iou(records, records, crowd), peer.iou(records, records, crowd))
        corners = rng.normal(0, scale, (4, 4))
        assert mask.frPyObjects(corners, height, width) == peer.frPyObjects(corners, height, width)
        np.testing.assert_array_equal(mask.iou(corners, abs(corners), crowd), peer.iou(corners, abs(corners), crowd))
