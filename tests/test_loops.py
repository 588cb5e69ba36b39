"""Compiled loops: what they read and refuse is what the ways around them read and refuse, and when they are taken."""

import importlib.util
import itertools
import json
import random
import sys
import threading
from unittest import mock

import pytest

np = pytest.importorskip("numpy")
from hypothesis import example, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from omniou import _loops, rle  # noqa: E402
from omniou._lib import threads  # noqa: E402
from omniou.rle import _coco, _compiled, _polygons  # noqa: E402

# Uncompiled, and under coverage, the first calls take a while.
PATIENT = settings(deadline=None)

SQUARE = [1, 1, 3, 1, 3, 3, 1, 3]
needs_numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")


@pytest.fixture(autouse=True, scope="module")
def always():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", 0)
        yield


def by_arrays(make, *args):
    """What the kernels say: a table, or what is wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", float("inf"))
        return outcome(make, *args)


def outcome(make, *args):
    try:
        table = make(*args)
    except rle.MaskError as error:
        return str(error)
    columns = {field: getattr(table, field) for field in ("sizes", "start", "end", "first")}
    return {field: (str(x.dtype), x.tolist()) for field, x in columns.items()}


@needs_numba
def test_where_numba_is_installed_it_works():
    """Else the tests of both ways would go one way twice."""
    assert _loops.load()
    assert _loops.worth()


LENGTHS = st.lists(st.integers(0, 40) | st.integers(-5, 2**36), max_size=9)


def text_of(lengths):
    """Lengths as COCO writes them, right or wrong."""
    out = []
    for k, length in enumerate(lengths):
        number = length - (lengths[k - 2] if k > 2 else 0)
        more = True
        while more:
            five, number = number & 31, number >> 5
            more = number != (-1 if five & 16 else 0)
            out.append(chr(48 + five + 32 * more))
    return "".join(out)


@needs_numba
@PATIENT
@given(st.lists(LENGTHS, min_size=1, max_size=4), st.integers(0, 2), st.integers(0, 2**32))
@example([[0, 2**34]], 0, 0)
@example([[0, 5, 0, 5, 0]], 0, 0)
@example([[]], 0, 0)
@example([[3, 2**35]], 0, 0)
@example([[5, -2, 17]], 0, 0)
def test_texts_good_and_bad(lengths, spoilt, seed):
    chance = random.Random(seed)  # noqa: S311
    texts = [text_of(x) for x in lengths]
    for _ in range(spoilt):
        row = chance.randrange(len(texts))
        place = chance.randrange(len(texts[row]) + 1)
        texts[row] = texts[row][:place] + chr(chance.randrange(40, 120)) + texts[row][place + chance.randrange(2) :]
    sizes = [[max(sum(x), 0), 1] if max(sum(x), 0) <= 2**34 else [2**17, 2**17] for x in lengths]
    records = [{"size": size, "counts": text} for size, text in zip(sizes, texts, strict=True)]

    assert outcome(rle.Masks.from_coco, records) == by_arrays(rle.Masks.from_coco, records)


@needs_numba
@pytest.mark.parametrize(("before", "after"), [("52207", ""), ("522", "7"), ("", "d0")])
def test_every_character(before, after):
    for code in range(256):
        for counts in (before + chr(code) + after, before.encode() + bytes([code]) + after.encode()):
            records = [{"size": [4, 5], "counts": counts}]
            assert outcome(rle.Masks.from_coco, records) == by_arrays(rle.Masks.from_coco, records)


@needs_numba
def test_a_text_ends_where_the_next_one_starts():
    """Together they would be right."""
    with pytest.raises(rle.MaskError, match=r"\[0\].counts: the text ends inside a number"):
        rle.Masks.from_coco([{"size": [4, 1], "counts": "T"}, {"size": [5, 1], "counts": "05"}])


@needs_numba
def test_good_texts_are_not_left_to_others():
    table = rle.Masks.from_dense(np.random.default_rng(0).random((9, 30, 40)) < 0.3)
    texts = [x["counts"] for x in table.to_coco()]
    stops = np.cumsum([len(text) for text in texts])
    found = _compiled.decode(np.frombuffer("".join(texts).encode(), dtype=np.int8), stops, table.sizes)
    for field in ("start", "end", "first"):
        np.testing.assert_array_equal(getattr(found, field), getattr(table, field))


CORNERS = st.lists(st.tuples(st.floats(-20, 40), st.floats(-17, 34)), min_size=3, max_size=12)


@needs_numba
@PATIENT
@given(st.lists(st.lists(CORNERS, min_size=1, max_size=3), min_size=1, max_size=4), st.integers(1, 20))
def test_polygons(masks, side):
    polygons = [[[x for corner in polygon for x in corner] for polygon in mask] for mask in masks]
    sizes = [[17, 20 if k % 2 else side] for k in range(len(masks))]

    assert outcome(rle.Masks.from_polygons, polygons, sizes) == by_arrays(rle.Masks.from_polygons, polygons, sizes)


@needs_numba
def test_an_outline_that_passes_one_column_again_and_again():
    """One by one, its places would be put in order in the square of their number."""
    rng = np.random.default_rng(0)
    zigzag = np.stack([np.tile([0.0, 1.0], 100_000), rng.uniform(0, 1000, 200_000).round(1)], axis=1)
    polygons = [[zigzag.ravel().tolist()], [SQUARE]]

    found = outcome(rle.Masks.from_polygons, polygons, [[1000, 3]] * 2)
    assert found == by_arrays(rle.Masks.from_polygons, polygons, [[1000, 3]] * 2)
    assert len(found["start"][1]) > 100


def joined(*texts):
    """All in one, where each starts and ends; beside them is what belongs to none."""
    stops = np.cumsum([len(text) + 2 for text in texts])
    return "".join(f"[{text}9" for text in texts).encode(), stops - [len(text) + 1 for text in texts], stops - 1


def read(*texts):
    """Numbers of polygons, polygons of masks; None where the loops leave it to others."""
    found = _compiled.numbers(*joined(*texts))
    if found is None:
        return None
    values, counts, parts = (x.tolist() for x in found)
    lists = [values[end - count : end] for count, end in zip(counts, itertools.accumulate(counts), strict=True)]
    return [lists[end - part : end] for part, end in zip(parts, itertools.accumulate(parts), strict=True)]


@needs_numba
@PATIENT
@given(
    st.lists(
        st.lists(
            st.lists(
                st.integers(-(10**14), 10**14)
                | st.decimals(-99999, 99999, places=2).map(float)
                | st.floats(-1e15, -1e-4)
                | st.floats(0.125, 1, width=32),
                min_size=1,
                max_size=9,
            ),
            min_size=1,
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([(",", ":"), (", ", ": ")]),
    st.sampled_from([None, 1]),
)
def test_plain_numbers_are_those_of_python(masks, separators, indent):
    texts = [json.dumps(mask, separators=separators, indent=indent) for mask in masks]
    assert read(*texts) == masks


@needs_numba
@pytest.mark.parametrize(
    "number", ["0", "-0", "0.1", "-1.50", "9" * 18, "0.00000000000001", "123456789.123456", "2e-20"]
)
def test_plain_numbers(number):
    (((found, _),),) = read(f"[[{number} ,\t7]\r\n]")
    assert (found, str(found)[0]) == (float(number), str(float(number))[0])


FANCY = ["1e3", "1E3", "1.5e2", "1e-21"]
LONG = ["1" * 19, "1" * 40, "0.1234567890123456789", "0." + "1" * 40, "0." + "0" * 20 + "1"]
WRONG = ["", "01", "-", "+1", ".5", "1.", "--1", "1e", "1e+", "NaN", "null", '"1"', "[1]", "{}", "1,", ",1", "1 2"]


@needs_numba
@pytest.mark.parametrize("number", [*FANCY, *LONG, *WRONG])
def test_other_numbers_are_left_to_others(number):
    assert read(f"[[{number}]]") is None
    assert read(f"[[1,{number}]]") is None


@needs_numba
@pytest.mark.parametrize("text", ["", "{}", "[", "[[", "[[1", "[[1]", "[]", "[[]]", "[1]", "[[1]]]", "[[1],]"])
def test_other_lists_are_left_to_others(text):
    assert read(text) is None
    assert read("[[1]]", text) is None
    assert read(text, "[[1]]") is None


@needs_numba
@PATIENT
@given(st.text("[],-.019 e", max_size=24))
def test_what_is_read_is_json(text):
    found = read(text)
    if found is not None:
        assert found == [json.loads(text)]


@needs_numba
def test_polygons_that_are_bad_are_left_to_others():
    sizes = np.asarray([[4, 5]])
    good = _polygons.rasterise_json(*joined(json.dumps([SQUARE])), sizes)
    assert good.start.tolist() == [5, 9]
    for bad in ([SQUARE[:4]], [SQUARE[:7]], [[9, *SQUARE[1:]], [x + 50 for x in SQUARE]]):
        assert _polygons.rasterise_json(*joined(json.dumps(bad)), sizes) is None
    wide = joined(json.dumps([[0, 0, 2**33, 0, 2**33, 1]]))
    assert _polygons.rasterise_json(*wide, np.asarray([[1, 2**34]])) is None


@needs_numba
@PATIENT
@given(st.integers(0, 9), st.integers(1, 12), st.floats(0, 1), st.integers(0, 2**32))
def test_measures(height, width, share, seed):
    pixels = np.random.default_rng(seed).random((4, height, width)) < share
    table = rle.Masks.from_dense(pixels)
    found = [_compiled.areas(table), _compiled.extents(table), rle.pairwise_iou(table, table)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", float("inf"))
        wanted = [table.area(), table.boxes(), rle.pairwise_iou(table, table)]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


@needs_numba
def test_many_jobs_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    tables = [rle.Masks.from_dense(rng.random((40, 30, 20)) < share) for share in (0.1, 0.6)]
    rows = rng.integers(0, 40, (2, 300))
    want = [rle.overlap(tables[0], rows[0], tables[1], rows[1]), *(x.boxes() for x in tables)]
    for module in (_compiled, _coco, _polygons):
        monkeypatch.setattr(module, "JOB" if module is _compiled else "TILE", 50)
    monkeypatch.setattr(_compiled.os, "cpu_count", lambda: 2)

    again = [rle.Masks.from_coco(x.to_coco()) for x in tables]
    got = [rle.overlap(again[0], rows[0], again[1], rows[1]), *(x.boxes() for x in again)]
    assert all((a == b).all() for a, b in zip(got, want, strict=True))


@needs_numba
def test_two_polygons_the_right_one_first():
    """What is put in order rises twice: numba's usual sort takes the square of it."""
    n = 20_000
    left, right = [0, 1, n / 2, 1, n / 2, 5, 0, 5], [n / 2, 9, n, 9, n, 12, n / 2, 12]
    assert outcome(rle.Masks.from_polygons, [[right, left]], [[20, n]]) == by_arrays(
        rle.Masks.from_polygons, [[right, left]], [[20, n]]
    )


@needs_numba
def test_whatever_lies_scattered_in_memory():
    table = rle.Masks.from_polygons([[SQUARE]] * 3, np.asfortranarray([[4, 5]] * 3))
    again = rle.Masks(*(np.repeat(x, 2, axis=0)[::2] for x in (table.sizes, table.start, table.end, table.first)))
    assert rle.pairwise_iou(table, again).tolist() == [[1.0] * 3] * 3


def test_loops_are_taken_once_they_pay(monkeypatch):
    monkeypatch.setattr(_loops, "_MANY", 10)
    monkeypatch.setattr(_loops._Met, "masks", 0)
    monkeypatch.setattr(_loops, "load", lambda *_: True)
    monkeypatch.setattr(_loops, "get", lambda _: None)
    rle.Masks.from_coco([{"size": [4, 5], "counts": [20]}] * 4)
    assert [_loops.worth(x) for x in (0, 5, 6)] == [False, False, True]
    rle.Masks.from_polygons([[SQUARE]] * 5, [[4, 5]] * 5)
    assert [_loops.worth(x) for x in (0, 1)] == [False, True]
    rle.Masks.from_coco([{"size": [4, 5], "counts": [20]}])
    assert _loops.worth()


@needs_numba
@pytest.mark.parametrize(("said", "usual", "taken"), [("always", float("inf"), True), ("never", 0, False)])
def test_the_user_has_the_last_word(said, usual, taken, monkeypatch):
    monkeypatch.setattr(_loops, "_MANY", usual)
    monkeypatch.setenv("OMNIOU_LOOPS", said)
    assert _loops.worth() == taken
    assert (_loops.get("curves") is not None) == taken


@pytest.mark.parametrize("said", ["1", "Always", "always "])
def test_a_word_that_says_nothing(said, monkeypatch):
    monkeypatch.setenv("OMNIOU_LOOPS", said)
    with pytest.raises(ValueError, match=f"OMNIOU_LOOPS must be 'always', 'never' or not set, got '{said}'"):
        rle.Masks.from_polygons([[SQUARE]], [[4, 5]])


BROKEN = [
    "raise ImportError('numba needs another NumPy')",
    "def njit(**_): raise RuntimeError('cannot cache function')",
    "def njit(**_): return lambda _: lambda *_: 1 / 0",  # as with a full disk: when a loop is called
]


@pytest.mark.parametrize("numba", [None, *BROKEN])
def test_without_numba_arrays_do_it(numba, monkeypatch, tmp_path):
    # Whatever is imported meanwhile, no other test finds.
    with mock.patch.dict(sys.modules), mock.patch.dict(vars(_loops)):
        for name in [name for name in sys.modules if name.startswith(("omniou._loops.", "numba"))]:
            del sys.modules[name]
        if numba is None:
            sys.modules["numba"] = None
        else:
            (tmp_path / "numba.py").write_text(numba)
            monkeypatch.syspath_prepend(tmp_path)
        _loops._fault.cache_clear()
        try:
            assert not _loops.worth()
            assert rle.Masks.from_polygons([[SQUARE]], [[4, 5]]).start.tolist() == [5, 9]
            monkeypatch.setenv("OMNIOU_LOOPS", "always")
            with pytest.raises(ImportError, match=r"OMNIOU_LOOPS is 'always', .*omniou\[fast\].*cannot be used: \S"):
                rle.Masks.from_polygons([[SQUARE]], [[4, 5]])
        finally:
            _loops._fault.cache_clear()


@pytest.mark.parametrize("count", [1, 2])
def test_of_several_faults_the_first_is_raised(count):
    def work(number):
        if number in {3, 5}:
            raise ValueError(number)
        return number * 10

    assert threads.mapped(work, [(0,), (1,)], threads=count) == [0, 10]
    assert threads.mapped(work, [], threads=count) == []
    with pytest.raises(ValueError, match=r"^3$"):
        threads.mapped(work, [(k,) for k in range(9)], threads=count)


def test_behind_a_fault_nothing_is_begun():
    begun = []

    def work(number):
        begun.append(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match=r"^0$"):
        threads.mapped(work, [(k,) for k in range(9)], threads=1)
    assert begun == [0]


def test_a_later_fault_that_is_met_first():
    later = threading.Event()

    def work(number):
        if number == 0:
            assert later.wait(30)
        else:
            later.set()
        raise ValueError(number)

    with pytest.raises(ValueError, match=r"^0$"):
        threads.mapped(work, [(0,), (1,)], threads=2)
