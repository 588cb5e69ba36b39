"""`Masks.from_polygons`: rasterisation, and invalid polygons and sizes."""

import itertools
from fractions import Fraction
from math import ceil, floor

import pytest

np = pytest.importorskip("numpy")
from hypothesis import example, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from omniou import rle  # noqa: E402
from omniou.rle import _polygons  # noqa: E402

pytestmark = pytest.mark.usefixtures("mask_kernels")

# Rows top to bottom.
SQUARE = [[0, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
FULL, EMPTY = [[1] * 5] * 4, [[0] * 5] * 4


def rasterised(*polygons, size=(4, 5)):
    return rle.Masks.from_polygons([list(polygons)], [size]).to_dense()[0].astype(int).tolist()


def test_from_polygons_by_hand():
    # Edges on pixel boundaries.
    assert rasterised([1, 1, 3, 1, 3, 3, 1, 3]) == SQUARE
    assert rasterised([1.0, 3, 1, 1, 3, 1, 3, 3, 3, 3]) == SQUARE  # in the opposite direction, with a corner twice
    assert rasterised([-5, -4, 10, -4, 10, 8, -5, 8]) == FULL
    # A pixel is inside if its centre is.
    assert rasterised([1, 1.4, 3, 1.4, 3, 2.6, 1, 2.6]) == SQUARE
    assert rasterised([1, 1.6, 3, 1.6, 3, 2.4, 1, 2.4]) == EMPTY
    assert rasterised([0, 0, 5, 0, 5, 4]) == [[0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]


def test_clipped_polygons_by_hand():
    def clipped(*polygons):
        return rle.Masks.from_polygons([list(polygons)], [(4, 5)], clip=True).to_dense()[0].astype(int).tolist()

    assert clipped([1, 1, 3, 1, 3, 3, 1, 3]) == SQUARE
    assert clipped([-50, -40, 100, -40, 100, 80, -50, 80]) == FULL
    for x, y in ((90, 0), (-90, 0), (0, 90), (0, -90)):  # beside the image
        assert clipped([x, y, x + 9, y, x, y + 9]) == EMPTY
    assert clipped([1, 1], [1, 1, 3, 3], []) == EMPTY
    assert clipped([1, 1], [1, 1, 3, 1, 3, 3, 1, 3]) == SQUARE
    for wrong in ([0, 0, 2, 0, 2], [0, 0, 2, 0, 2, float("nan")], [0, 0, 2, 0, 2, 1e30]):
        with pytest.raises(rle.MaskError, match=r"segmentations\[0\]\[0\]: expected"):
            clipped(wrong)
    with pytest.raises(TypeError, match="`clip`"):
        rle.Masks.from_polygons([], [], clip="yes")


def test_mask_is_union_of_its_polygons():
    left, right = [0, 0, 3, 0, 3, 4, 0, 4], [2, 0, 5, 0, 5, 4, 2, 4]
    assert rasterised(left, right) == rasterised(right, left) == rasterised(left, right, left) == FULL
    assert rasterised([0, 0, 2, 0, 2, 2, 0, 2], left, right) == FULL
    apart = [[1, 0, 0, 0, 1]] * 4
    assert rasterised([0, 0, 1, 0, 1, 4, 0, 4], [4, 0, 5, 0, 5, 4, 4, 4]) == apart
    # A polygon that crosses itself is filled by the even-odd rule.
    assert rasterised([0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 2, 0, 2, 4, 0, 4]) == [[0, 0, 1, 1, 0]] * 4


def reference_mask(polygon, height, width):
    """The rule of pycocotools point by point, with its floating-point rounding of halves."""
    corners = [
        [int(5 * Fraction(v) + Fraction(1, 2)) for v in p] for p in zip(polygon[::2], polygon[1::2], strict=True)
    ]
    inside = np.zeros((height, width), dtype=bool)
    for p, q in itertools.pairwise([*corners, corners[0]]):
        long = int(abs(p[1] - q[1]) > abs(p[0] - q[0]))
        low, high = sorted((p, q), key=lambda x: x[long])
        path, slope = [], (high[1 - long] - low[1 - long]) / max(high[long] - low[long], 1)
        for step in range(high[long] - low[long] + 1):
            short = floor(low[1 - long] + slope * step + 0.5)
            path.append((short, low[1] + step) if long else (low[0] + step, short))
        for (x, y), (next_x, next_y) in itertools.pairwise(path):
            column = Fraction(2 * min(x, next_x) + 1, 10) - Fraction(1, 2)
            if x != next_x and column.denominator == 1 and 0 <= column < width:
                row = ceil(Fraction(2 * min(y, next_y) + 1, 10) - Fraction(1, 2))
                inside[max(row, 0) :, int(column)] ^= True
    return inside


CORNERS = st.lists(st.tuples(st.integers(-40, 60), st.integers(-40, 60)), min_size=3, max_size=9)


@given(st.lists(CORNERS, min_size=1, max_size=3), st.sampled_from([1, 2, 8]))
@example([[(0, 0), (-13, 43), (51, 8)]], 2)  # exact arithmetic gives another pixel than pycocotools
@settings(deadline=None)
def test_from_polygons_equals_reference_mask(polygons, parts):
    size = (17, 23)
    flat = [[x / parts for corner in polygon for x in corner] for polygon in polygons]
    try:
        actual = rasterised(*flat, size=size)
    except rle.MaskError as error:
        assert "out of" in str(error)  # noqa: PT017
    else:
        assert actual == np.any([reference_mask(x, *size) for x in flat], axis=0).astype(int).tolist()


def test_many_masks_equal_each_alone(monkeypatch):
    rng = np.random.default_rng(0)
    polygons = [[(rng.uniform(0, 1, (5, 2)) * 30).ravel().tolist() for _ in range(k % 3 + 1)] for k in range(40)]
    sizes = [(30 + k % 2, 31) for k in range(40)]
    one = rle.Masks.from_polygons(polygons, sizes)
    each = [rle.Masks.from_polygons([x], [size]) for x, size in zip(polygons, sizes, strict=True)]
    from_arrays = rle.Masks.from_polygons([tuple(np.asarray(part) for part in x) for x in polygons], np.asarray(sizes))
    monkeypatch.setattr(_polygons, "TILE", 64)
    monkeypatch.setattr(_polygons, "MANY", 7)
    for table in (rle.Masks.concat(each), from_arrays, rle.Masks.from_polygons(polygons, sizes)):
        for field in ("sizes", "start", "end", "first"):
            np.testing.assert_array_equal(getattr(table, field), getattr(one, field))
    # Runs are canonical: equal after a round trip through COCO text.
    restored = rle.Masks.from_coco(one.to_coco())
    assert (restored.start.tolist(), restored.end.tolist()) == (one.start.tolist(), one.end.tolist())


def test_error_in_any_block_names_mask_and_polygon(monkeypatch):
    monkeypatch.setattr(_polygons, "MANY", 2)
    square = [[1, 1, 3, 1, 3, 3]]
    with pytest.raises(rle.MaskError, match=r"^segmentations\[4\]\[1\]: expected x and y of each"):
        rle.Masks.from_polygons([*[square] * 4, [*square, [1, 1, 2, 2, 3, 3, 4]], square], [(4, 5)] * 6)


@pytest.mark.parametrize("stray", [[], [3, 3], [3, 3, 4, 4]])
def test_stray_points_beside_a_polygon_have_no_pixels(stray):
    square = [1, 1, 6, 1, 6, 6, 1, 6]
    masks = rle.Masks.from_polygons([[square], [square, stray], [stray, square], [square]], [(10, 10)] * 4)

    # As pycocotools, COCO's own viewer and faster-coco-eval have it.
    assert masks.area().tolist() == [25, 25, 25, 25]


def test_from_polygons_without_polygons_or_pixels():
    assert len(rle.Masks.from_polygons([], [])) == 0
    assert rasterised([0, 0, 1, 0, 1, 0], size=(0, 5)) == []


@pytest.mark.parametrize(
    ("polygons", "message"),
    [
        ([[1, 1, 3, 1]], r"\[0\]: expected x and y of at least 3 points, got 4 numbers"),
        ([[1, 1, 3, 1, 3, 3], [1, 1, 3, 1, 3, 3, 1]], r"\[1\]: expected x and y of each point, got 7 numbers"),
        ([[1, 1, 3, 1, 3, 3], [1, 1, 3]], r"\[1\]: expected x and y of each point, got 3 numbers"),
        ([], r": expected a list of polygons, got \[\]"),
        ({"size": [4, 5]}, r": expected a list of polygons, got {"),
        ([[1, 1, 3, "a", 3, 3]], r"\[0\]: expected a list of numbers x, y, x, y, ..., got "),
        ([[1, 1, 3, 1, 3, 10**400]], r"\[0\]: expected a list of numbers x, y, x, y, ..., got "),
        ([1, 1, 3, 1, 3, 3], r"\[0\]: expected a list of numbers x, y, x, y, ..., got 1"),
        ([[6, 1, 8, 1, 8, 3]], r"\[0\]: out of the image: x from 6 to 8 of 5 pixels"),
        ([[1, -3, 3, -2, 3, -1]], r"\[0\]: out of the image: y from -3 to -1 of 4 pixels"),
        ([[1, 1, 1e9, 1, 3, 3]], r"\[0\]: x goes from 1 to 1e\+09, far out of an image of 5 pixels"),
        ([[1, 1, float("nan"), 1, 3, 3]], r"\[0\]: x goes from nan to nan, far out"),
    ],
)
def test_invalid_polygons_raise(polygons, message):
    good = [[1, 1, 3, 1, 3, 3, 1, 3]]
    with pytest.raises(rle.MaskError, match=rf"^segmentations\[1\]{message}"):
        rle.Masks.from_polygons([good, polygons], [[4, 5]] * 2)


def test_outlines_longer_than_limit_raise():
    wide = [[0, 0, 2**33, 0, 2**33, 1]]
    with pytest.raises(rle.MaskError, match=r"^segmentations\[1\]: the outlines pass \d+ columns of pixels, more than"):
        rle.Masks.from_polygons([[[0, 0, 9, 0, 9, 1]], wide], [[1, 2**34]] * 2)


def test_array_of_sizes_is_copied_and_checked():
    sizes = np.asarray([[4, 5]])

    masks = rle.Masks.from_polygons([[[1, 1, 3, 1, 3, 3, 1, 3]]], sizes)
    sizes[0, 0] = 9  # changes the caller's array, not the masks

    assert masks.sizes.tolist() == [[4, 5]]
    assert masks.to_dense()[0].astype(int).tolist() == SQUARE
    with pytest.raises(rle.MaskError, match=r"segmentations\[0\]\.size: expected .*, got \[-4, 5\]$"):
        rle.Masks.from_polygons([[[1, 1, 3, 1, 3, 3]]], np.asarray([[-4, 5]]))


def test_invalid_sizes_raise():
    with pytest.raises(ValueError, match="`polygons` and `sizes` must have one length, got 1 and 2"):
        rle.Masks.from_polygons([[[1, 1, 3, 1, 3, 3]]], [[4, 5]] * 2)
    for sizes in (None, 5, "45"):
        with pytest.raises(ValueError, match=r"size"):
            rle.Masks.from_polygons([[[1, 1, 3, 1, 3, 3]]], sizes)
