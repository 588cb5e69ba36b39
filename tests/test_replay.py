"""What is recorded of a score gives the same bits as the score itself, for other values and shapes too."""

import itertools
import warnings

import numpy as np
import pytest

from omniou import boxes, pairwise
from omniou._lib import backends, replay

SCORES = ["iou", "iof", "dice", "giou", "diou", "ciou", "intersection", "union"]
ROWS = np.asarray(
    [
        [0, 0, 4, 4],
        [1, 1, 5, 3],
        [2, 2, 2, 2],  # empty
        [6, 6, 3, 3],  # inverted
        [9, 9, 12, 13],
    ]
)


@pytest.fixture(autouse=True)
def nothing_recorded(monkeypatch):
    monkeypatch.setattr(replay, "_PROGRAMS", {})


def recorded():
    return len(replay._PROGRAMS)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16"])
@pytest.mark.parametrize(("pairs", "fewer"), [(True, 2**14), (True, 0), (False, 2**14)])
def test_same_bits(monkeypatch, name, dtype, pairs, fewer):
    monkeypatch.setattr(replay, "FEWER", fewer)
    score = getattr(boxes, name)
    call = (lambda a, b, **options: pairwise(score, a, b, **options)) if pairs else score
    rows = ROWS.astype(dtype)
    full, other, one = rows[[0, 1, 4]], rows[[4, 0, 0]], rows[[1]]
    # Recorded on full boxes, replayed on others, of another number, and on those for which no quotient is safe.
    calls = list(itertools.product([full, other, one, rows[::-1]], repeat=2))
    calls = [(a, b) for a, b in calls if pairs or 1 in (len(a), len(b)) or len(a) == len(b)]
    for format, offset in [("xyxy", 0), ("yxyx", 1), ("xywh", 1), ("cxcywh", 0)]:
        options = {"format": format, "offset": offset}
        with monkeypatch.context() as patch:
            patch.setattr(replay, "FEW", 0)
            expected = [call(a, b, **options) for a, b in calls]
        before = recorded()
        for (a, b), numbers in zip(calls, expected, strict=True):
            for out in (call(a, b, **options), call(a, b, **options)):
                assert out.dtype == numbers.dtype
                assert out.flags.c_contiguous
                np.testing.assert_array_equal(out, numbers)
        assert recorded() == before + 1


@pytest.mark.parametrize("shape", [(4,), (2, 4), (2, 1, 4), (2, 3, 4)])
def test_same_kind_of_result(shape):
    a = np.broadcast_to(np.asarray([0.0, 0, 2, 2]), shape)
    first, second = boxes.iou(a, a), boxes.iou(a, a)
    assert recorded() == 1
    assert type(first) is type(second)
    assert first.shape == second.shape == shape[:-1]


def test_three_dimensions_and_one_are_recorded_apart():
    for _, dims in itertools.product(range(2), (1, 2, 3)):
        a = np.asarray([[0.0] * dims + [2.0] * dims])
        assert pairwise(boxes.iou, a, a / 2).tolist() == [[0.5**dims]]
    assert recorded() == 3


def test_nan_stays_where_it_is():
    a = np.asarray([[0.0, 0, 2, 2], [0, 0, 1, 1]])
    pairwise(boxes.giou, a, a)
    a[1, 2] = np.nan
    out = pairwise(boxes.giou, a, a)
    np.testing.assert_array_equal(np.isnan(out), [[False, True], [True, True]])


def test_errors_are_those_of_the_first_call():
    a, b = np.zeros((2, 4)), np.zeros((3, 4))
    boxes.iou(a, a)
    with pytest.raises(ValueError, match=r"leading axes must broadcast, got \(2,\) for `a` and \(3,\) for `b`"):
        boxes.iou(a, b)
    with pytest.raises(TypeError, match="`offset` must be a number, got list"):
        boxes.iou(a, a, offset=[1])
    with pytest.raises(ValueError, match=r"must have shape \(..., 4\)|2 or 4 or 6"):
        boxes.iou(np.zeros((2, 5)), np.zeros((2, 5)))


@pytest.mark.parametrize("options", [{"image_size": (8, 8), "format": "rel_xyxy"}, {"image_size": (8, 8)}])
def test_not_with_the_size_of_an_image(options):
    boxes.iou(ROWS, ROWS, **options)
    assert not recorded()


def test_not_much_nor_other_arrays():
    boxes.iou(np.zeros((5000, 4)), np.zeros((5000, 4)))
    boxes.iou(np.zeros((0, 4)), np.zeros((0, 4)))
    boxes.iou(np.zeros((2, 4)), np.zeros(4))  # of two ranks
    assert not recorded()


def test_overflow_is_told_each_time():
    huge = np.asarray([[0.0, 0, 1e200, 1e200]])
    told = []
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            boxes.union(huge, huge)
        told.append([str(w.message) for w in caught])
    assert told[0]
    assert told[0] == told[1] == told[2]


def test_tensors_replay_in_silence():
    torch = pytest.importorskip("torch")
    huge = torch.asarray([[0.0, 0, 1e200, 1e200]], dtype=torch.float64)
    for _ in range(2):
        assert boxes.union(huge, huge).dtype == torch.float64
    assert recorded() == 1


def test_forgets_what_is_too_much(monkeypatch):
    monkeypatch.setattr(backends, "REMEMBERED", 3)
    for eps in range(10):
        boxes.iou(ROWS, ROWS, eps=float(eps))
        assert recorded() <= 3
