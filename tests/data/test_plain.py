"""Detections that compiled loops read from the text: what msgspec makes of it, or nothing."""

import importlib.util
import itertools
import json
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from omniou import _loops
from omniou.data import InputError, _json, _plain, coco

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")

PATIENT = settings(deadline=None)
TRUTH = {
    "images": [{"id": k} for k in range(3)],
    "annotations": [{"image_id": 0, "category_id": 1, "bbox": [0, 0, 9, 9]}],
    "categories": [{"id": 1}, {"id": 7}],
}
RECORD = {"image_id": 2, "category_id": 7, "bbox": [1, 2.5, 3e1, 4.0], "score": 0.5}


@pytest.fixture(autouse=True, scope="module")
def always():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", 0)
        yield


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What becomes of a text both ways: by loops where they can read it, and by msgspec alone."""
    folder = tmp_path_factory.mktemp("files")
    truth, found = folder / "truth.json", folder / "found.json"
    truth.write_text(json.dumps(TRUTH))
    known = coco.read_ground_truth(truth)

    def read(text):
        found.write_bytes(text if isinstance(text, bytes) else text.encode())
        try:
            table = coco.read_detections(found, known)
        except InputError as error:
            return str(error)
        return [(x.dtype, x.tolist()) for x in (table.boxes, table.scores, table.labels, table.images)]

    def both(text):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_loops, "_MANY", float("inf"))
            wanted = read(text)
        return read(text), wanted

    return both


def columns(text):
    """What the loops read of records; None where that is for others to do."""
    data = text.encode()
    return _plain.reader(data)(0, len(data))


NUMBER = st.floats(-1e20, 1e20) | st.floats(0, 1, width=32) | st.integers(-(10**17), 10**17)
FOUND = st.fixed_dictionaries(
    {
        "image_id": st.integers(0, 2),
        "category_id": st.sampled_from([1, 7]),
        "bbox": st.lists(NUMBER, min_size=4, max_size=4),
        "score": NUMBER,
    },
    optional={"id": st.integers(), "iscrowd": st.just(0), "source": st.text("ab {}[],:", max_size=5)},
)


@PATIENT
@given(
    st.lists(FOUND.flatmap(lambda x: st.permutations(list(x.items()))).map(dict), max_size=9),
    st.sampled_from([(",", ":"), (", ", ": ")]),
    st.sampled_from([None, 1]),
    st.integers(1, 300),
)
def test_good_files(outcomes, records, separators, indent, block):
    text = json.dumps(records, separators=separators, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_json, "_BLOCK", block)
        found, wanted = outcomes(text)
    assert found == wanted
    assert isinstance(found, list)


@PATIENT
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32))
def test_spoilt_files(outcomes, records, faults, seed):
    chance = random.Random(seed)  # noqa: S311
    text = json.dumps([RECORD] * records)
    for _ in range(faults):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice('"{}[],:.-+e05 \\\n\u00e9') + text[at + chance.randrange(3) :]
    found, wanted = outcomes(text)
    assert found == wanted


def changed(**fields):
    return json.dumps({name: x for name, x in (RECORD | fields).items() if x is not ...})


GOOD = [
    changed(),
    changed(note="a {}, [b]", other=-1.5e300, score=1),
    changed(bbox=[0, -0.0, 1e-30, 123456789012345678901234567890]),
    changed(image_id=-5),
    ' {\t"score" : 1 ,"bbox":[1 , 2,3\n,4 ] , "category_id":1, "image_id":-0}\r\n',
]
OTHERS = [
    *(changed(**{name: ...}) for name in RECORD),
    *(changed(**{name: "1"}) for name in RECORD),
    *(changed(**{name: x}) for name in ("image_id", "category_id") for x in (1.0, 10**18, True, None, [1])),
    *(changed(bbox=x) for x in ([], [1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, None], [1, 2, 3, [4]], 4, {"a": 1})),
    *(changed(score=x) for x in (float("nan"), float("inf"), None, [0.5], True)),
    *(changed(other=x) for x in (None, True, [], {}, "\u00e9", 'a"b', "\n")),
    *(changed(other="x").replace("x", x) for x in ("\u00e9", "\x1f", "\x7f")),
    *(changed().replace(*x) for x in [("[", " "), ("[", "0"), (", ", ",\x0b")]),
    changed()[:-1] + ', "score": 0.5}',  # the last one counts, for msgspec
    *(changed().replace("0.5", x) for x in ("1e999", "0:", f"1e-{2**64 + 1}")),
    *(changed().replace(*x) for x in itertools.product(['"score"', "0.5", "7"], ["", "07", "0x1", '"', "-", "'a'"])),
    *(changed() + x for x in (",", "]", "}", ", 1", ", {}", " x", ",,", " " + changed())),
    *(changed()[:k] for k in range(len(changed()))),
    "",
    " ",
    "[]",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_plain_records(outcomes, text):
    ids, values = columns(text)
    record = json.loads(text)
    assert ids.tolist() == [[record["image_id"], record["category_id"]]]
    assert values.tolist() == [[float(x) for x in (*record["bbox"], record["score"])]]
    found, wanted = outcomes(f"[{text}, {text}]")
    assert found == wanted


@pytest.mark.parametrize("text", OTHERS)
def test_other_records_are_left_to_others(outcomes, text):
    assert columns(text) is None
    assert columns(f"{changed()}, {text}") is None
    for whole in (f"[{text}]", f"[{changed()},{text}]", text):
        found, wanted = outcomes(whole)
        assert found == wanted


def test_blocks_are_read_one_by_one(outcomes, monkeypatch):
    monkeypatch.setattr(_json, "_BLOCK", 1)
    monkeypatch.setattr(_json, "decode", None)
    found, wanted = outcomes(f" [{changed()},\n{changed(other=None)} , {changed(score=0.25)}]\n")
    assert found == wanted
    assert found[1][1] == [0.5, 0.5, 0.25]


def test_blocks_that_are_not_plain(outcomes, monkeypatch):
    """Only these are left to msgspec, and so is what was cut inside of a text."""
    monkeypatch.setattr(_json, "_BLOCK", 1)
    records = [changed(), changed(other=None), changed(note="a}, {b"), changed(score=0.25)]
    found, wanted = outcomes(f"[{','.join(records)}]")
    assert found == wanted
    assert found[1][1] == [0.5, 0.5, 0.5, 0.25]


def test_records_as_short_as_can_be(outcomes):
    text = ",".join(['{"image_id":1,"category_id":1,"bbox":[1,2,3,4],"score":1}'] * 1000)
    ids, values = columns(text)
    assert ids.tolist() == [[1, 1]] * 1000
    assert values.tolist() == [[1, 2, 3, 4, 1]] * 1000
    found, wanted = outcomes(f"[{text}]")
    assert found == wanted


@pytest.mark.parametrize("count", [1, _plain._DOUBTFUL // 5, _plain._DOUBTFUL // 5 + 1])
def test_numbers_that_python_reads(outcomes, count):
    record = changed(bbox=[1e-30] * 4, score=1e30)
    text = ",".join([record] * count)
    assert (columns(text) is None) == (5 * count > _plain._DOUBTFUL)
    found, wanted = outcomes(f"[{text}]")
    assert found == wanted


@PATIENT
@given(st.integers(-(10**18) + 1, 10**18 - 1), st.integers(0, 20))
@example(2**53 + 1, 0)  # between two of float64's: to the even one
@example(2**53 + 3, 0)
@example(9007199254740993, 16)
@example(999999999999999999, 18)
def test_the_nearest_number(mantissa, places):
    assert_nearest(mantissa, places)


@PATIENT
@given(st.floats(1e-3, 1e17), st.integers(0, 1))
def test_near_the_middle_of_two(x, more):
    """The two decimals of eighteen digits around it."""
    middle = (Fraction(x) + Fraction(float(np.nextafter(x, np.inf)))) / 2
    places = max(0, min(20, 17 - int(np.floor(np.log10(x))) - more))
    for mantissa in (middle * 10**places // 1, middle * 10**places // 1 + 1):
        if mantissa < 10**18:
            assert_nearest(mantissa, places)


def assert_nearest(mantissa, places):
    digits = str(abs(mantissa)).rjust(places + 1, "0")
    point = len(digits) - places
    text = "-" * (mantissa < 0) + digits[:point] + ("." + digits[point:] if places else "")
    from omniou._loops import syntax

    found, at, nearest = syntax.number(np.frombuffer(text.encode(), dtype=np.uint8), 0, len(text))
    assert nearest
    assert at == len(text)
    assert (found, str(found)) == (float(text), str(float(text)))
    assert abs(Fraction(found) - Fraction(mantissa, 10**places)) <= Fraction(float(np.spacing(abs(found)))) / 2
