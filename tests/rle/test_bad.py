"""Run-length masks: invalid input raises, and empty input does not."""

import pytest

np = pytest.importorskip("numpy")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from omniou import rle  # noqa: E402
from tests.helpers import lengths, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("mask_kernels")


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"size": [4, 5], "counts": [5, 2]}, r"\.counts: runs add up to 7 pixels, but 4 x 5 are 20"),
        ({"size": [4, 5], "counts": []}, r"\.counts: runs add up to 0 pixels, but 4 x 5 are 20"),
        ({"size": [4, 5], "counts": ""}, r"\.counts: runs add up to 0 pixels"),
        ({"size": [4, 5], "counts": [25, -5]}, r"\.counts: expected lengths from 0 to 2\*\*34, got -5"),
        ({"size": [4, 5], "counts": [5.0, 15.0]}, r"\.counts: expected text or a list of integers, got \[5.0, 15.0\]"),
        ({"size": [4, 5], "counts": [[20]]}, r"\.counts: expected text or a list of integers, got \[\[20\]\]"),
        ({"size": [1, 2], "counts": [True, True]}, r"\.counts: expected .* list of integers, got \[True, True\]"),
        ({"size": [4, 5], "counts": None}, r"\.counts: expected text or a list of integers, got None"),
        ({"size": [4, 5], "counts": 20}, r"\.counts: expected text or a list of integers, got 20"),
        ({"size": [4, 5], "counts": [10**30]}, r"\.counts: expected "),
        ({"size": [4, 5], "counts": [2**63, 2**63, 20]}, r"\.counts: expected "),
        ({"size": [4, 5], "counts": [2**40, 20]}, r"\.counts: expected lengths from 0 to 2\*\*34, got 1099511627776"),
        ({"size": [4, 5], "counts": "5220"}, r"\.counts: runs add up to 11 pixels"),
        ({"size": [4, 5], "counts": "52207T"}, r"\.counts: the text ends inside a number"),
        ({"size": [4, 5], "counts": "5O2"}, r"\.counts: run 1 has a length below 0"),
        ({"size": [4, 5], "counts": "52 07"}, r"\.counts: character ' ' is not of COCO's text"),
        ({"size": [4, 5], "counts": "52207\u20ac"}, r"\.counts: character '€' is not of COCO's text"),
        ({"size": [4, 5], "counts": b"522\xff7"}, r"\.counts: character 'ÿ' is not of COCO's text"),
        ({"size": [4, 5], "counts": "PPPPPPPPPP0"}, r"\.counts: a number of more than 8 characters"),
        ({"size": [2**20, 2**20], "counts": "0"}, r"\.size: 1048576 x 1048576 is more than 2\*\*34 pixels"),
        ({"size": [10**12, 1], "counts": [10**12]}, r"\.size: 1000000000000 x 1 is more than"),
        ({"size": [2**32, 2**32], "counts": [0]}, r"\.size: 4294967296 x 4294967296 is more than"),
        ({"size": [-4, -5], "counts": [20]}, r"\.size: expected \[height, width\], two integers"),
        ({"size": [4, 5, 3], "counts": [20]}, r"\.size: expected \[height, width\], two integers"),
        ({"size": [4.5, 5], "counts": [20]}, r"\.size: expected \[height, width\], two integers"),
        ({"size": ["4", "5"], "counts": [20]}, r"\.size: expected \[height, width\], two integers"),
        ({"size": None, "counts": [20]}, r"\.size: expected \[height, width\], two integers"),
        ({"size": [4, 5]}, r"\.counts: missing"),
        ({"counts": "d0"}, r"\.size: missing"),
        ([[1, 1, 2, 2, 3, 3]], r": expected an object with `size` and `counts`, got \[\["),
    ],
)
@pytest.mark.parametrize("others", ["texts", "lists", "none"])
def test_from_coco_of_bad_record_raises_naming_row(record, said, others):
    good = {
        "texts": [{"size": [4, 5], "counts": "d0"}] * 3,
        "lists": [{"size": [4, 5], "counts": [20]}] * 3,
        "none": [],
    }
    before = good[others]
    with pytest.raises(rle.MaskError, match=rf"^segmentations\[{len(before)}\]{said}") as caught:
        rle.Masks.from_coco([*before, record, *before])
    assert caught.value.row == len(before)


@given(st.lists(st.text(alphabet=[chr(c) for c in range(48, 112)], max_size=30), min_size=1, max_size=5))
def test_from_coco_of_random_text_is_valid_or_raises(texts):
    records = [{"size": [6, 7], "counts": text} for text in texts]
    try:
        table = rle.Masks.from_coco(records)
    except rle.MaskError as error:
        assert error.field == "counts"  # noqa: PT017  (valid texts are checked below)
    else:
        assert [sum(x) for x in lengths(table)] == [42] * len(texts)
        assert same(table, rle.Masks(table.sizes, table.start, table.end, table.first))


def test_masks_of_invalid_columns_raises():
    good = {"sizes": [[4, 5], [1, 2]], "start": [5, 9, 0], "end": [7, 11, 2], "first": [0, 2, 3]}
    assert lengths(rle.Masks(**good)) == [[5, 2, 2, 2, 9], [0, 2]]
    assert lengths(rle.Masks(**good | {"sizes": [[4, 5], [1, 2], [2, 2]], "first": [0, 2, 3, 3]}))[2] == [4]
    narrow = {name: np.asarray(x, dtype=np.uint8) for name, x in good.items()}
    assert same(rle.Masks(**narrow), rle.Masks(**good))
    for columns, said in [
        ({"first": [0, 3]}, "`first` must go from 0 to the length of `start`"),
        ({"first": [0, 4, 3]}, "`first` must go"),
        ({"first": [[0, 2, 3]]}, "`first` must be a flat array of integers"),
        ({"start": [5.0, 9, 0]}, "`start` must be a flat array of integers"),
        ({"end": [7, 11]}, "`start` and `end` must have one length, got 3 and 2"),
        ({"end": [7, 11, 2**40]}, r"segmentations\[1\]: run 0 goes from 0 to 1099511627776: .* within 2 pixels"),
        ({"start": [-1, 9, 0]}, r"segmentations\[0\]: run 0 goes from -1 to 7: it must start at 0 or later"),
        ({"start": [5, 7, 0]}, r"segmentations\[0\]: run 1 goes from 7 to 11: it must start behind .* before it, 7,"),
        ({"start": [5, 9, 2]}, r"segmentations\[1\]: run 0 goes from 2 to 2: it must start .* and end later"),
        ({"sizes": [[4, 5], [1]]}, r"segmentations\[1\].size: expected"),
        ({"sizes": 3}, "`sizes` must be pairs of a height and a width, got 3"),
    ]:
        with pytest.raises(ValueError, match=said):
            rle.Masks(**good | columns)


@pytest.mark.parametrize("shape", [(2, 0, 5), (2, 5, 0), (0, 3, 4)])
def test_from_dense_without_pixels(shape):
    table = rle.Masks.from_dense(np.zeros(shape))
    assert lengths(table) == [[0]] * shape[0]
    assert table.to_coco() == [{"size": list(shape[1:]), "counts": "0"}] * shape[0]
    assert table.to_dense().shape[0] == shape[0]


@pytest.mark.parametrize("pixels", [np.zeros((3, 4)), np.zeros((1, 2, 2), dtype="datetime64[s]")])
def test_from_dense_of_invalid_array_raises(pixels):
    with pytest.raises(ValueError, match="`masks` must be numbers or booleans of shape"):
        rle.Masks.from_dense(pixels)
