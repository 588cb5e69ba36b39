"""The table of scores: every declaration is true of its formula, for every library."""

import doctest
import functools
import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import omniou
from omniou import boxes, losses, scores
from omniou._kernels.boxes import BoxTerms
from tests.hand_worked import HAND_WORKED, NEEDED, PRED, TARGET, test_every_score_has_hand_worked_values  # noqa: F401
from tests.helpers import array, assert_close, numbers, random_boxes

every_score = pytest.mark.parametrize("score", scores.values(), ids=list(scores))
# KFIoU compares shapes at one place, whatever their distance.
PLACED = [score for score in scores.values() if score.name != "kfiou"]


def score_of(score, module=boxes):
    """The function of a score, with what it needs beside the boxes."""
    return functools.partial(getattr(module, score.name), **NEEDED.get(score.name, {}))


@pytest.mark.proves("eager", "boxes.{score.name}")
@every_score
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_score_by_hand(xp, score, dtype):
    pred, target = array(xp, PRED, dtype), array(xp, TARGET, dtype)
    assert_close(score_of(score)(pred, target), HAND_WORKED[score.name], like=pred, ulp=8)


@every_score
def test_declared_terms_equal_terms_used_by_formula(score):
    asked = set()

    class Recorded:
        def __getattr__(self, name):
            asked.add(name)
            return getattr(terms, name)

    xp = np
    a, b = (
        boxes.GEOMETRY.canonical(np.asarray(x).T, None, layout=boxes.GEOMETRY.layout({}), xp=xp) for x in (PRED, TARGET)
    )
    options = inspect.signature(getattr(boxes, score.name)).parameters
    own = {name: options[name].default for name in (score.options.__annotations__ if score.options else ())}
    if score.of_image:
        own["image_sides"] = np.asarray([8.0, 6.0])
    terms = BoxTerms(a, b, xp=xp)
    score.formula(Recorded(), eps=0.0, **own, xp=xp)
    assert asked - {"area_a", "area_b", "intersection"} == set(score.terms)


@every_score
def test_declared_bounds_and_symmetry_hold(score):
    rng = np.random.default_rng(0)
    a, b = random_boxes(rng, 2000), random_boxes(rng, 2000)
    within = {"image_size": (40, 40)} if score.of_image else {}
    out, turned = getattr(boxes, score.name)(a, b, **within), getattr(boxes, score.name)(b, a, **within)
    assert (out >= score.bounds[0] - 1e-15).all()
    assert (out <= score.bounds[1] + 1e-15).all()
    assert score.symmetric == np.allclose(out, turned, rtol=1e-9, atol=1e-12)


@every_score
def test_identical_boxes_have_the_best_value(score):
    best = score.bounds[1] if score.higher_is_better else score.bounds[0]
    assert float(score_of(score)([1, 2, 5, 9], [1, 2, 5, 9])) == best


@pytest.mark.parametrize("score", PLACED, ids=[score.name for score in PLACED])
def test_disjoint_boxes_score_declared_miss(score):
    # SIoU is lowest where the boxes are far apart along both axes, and much farther along one of them.
    box, far = [0, 0, 1, 1], [[1e9, 1e9, 1e9 + 1, 1e9 + 1], [1e12, 1e6, 1e12 + 1, 1e6 + 1]]
    if score.of_image:
        far = [[1e9 - 1, 1e9 - 1, 1e9, 1e9]] * 2
    within = {"image_size": (1e9, 1e9)} if score.of_image else {}
    apart = getattr(boxes, score.name)(box, far, **within)
    if np.isinf(score.miss):
        assert (apart > 1e8).all()
    else:
        worst = apart.min() if score.higher_is_better else apart.max()
        assert float(worst) == pytest.approx(score.miss, abs=1e-5)


@pytest.mark.parametrize("score", [x for x in scores.values() if x.scale_free], ids=lambda x: x.name)
@settings(max_examples=25, deadline=None)
@given(shift=st.floats(-1e3, 1e3), scale=st.floats(1e-3, 1e3), seed=st.integers(0, 99))
def test_scores_are_invariant_to_shift_and_scale(score, shift, scale, seed):
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, 20), random_boxes(rng, 20)
    function = getattr(boxes, score.name)
    np.testing.assert_allclose(function(a * scale + shift, b * scale + shift), function(a, b), rtol=1e-6, atol=1e-6)


@every_score
@pytest.mark.parametrize("module", [boxes, losses], ids=["boxes", "losses"])
def test_docstring_sections_and_examples(score, module):
    function = getattr(module, score.name)
    for section in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert f"{section}\n---" in inspect.getdoc(function)
    for name in inspect.signature(function).parameters:
        assert name in function.__doc__
    run_examples(function)


def run_examples(function):
    examples = doctest.DocTestParser().get_doctest(function.__doc__, {}, function.__name__, None, None)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_scores_table_is_read_only():
    with pytest.raises(TypeError):
        omniou.scores["mine"] = omniou.scores["iou"]


@every_score
def test_unknown_option_raises(score):
    with pytest.raises(TypeError, match=rf"^{score.name}\(\) got an unexpected keyword argument 'fmt'"):
        getattr(boxes, score.name)([0, 0, 1, 1], [0, 0, 1, 1], fmt="xyxy")


def test_scores_without_boxes_and_of_nan(xp):
    for score in scores.values():
        none = array(xp, np.zeros((0, 4)), "float32")
        assert_close(score_of(score)(none, none), np.zeros(0), like=none)
        nan = array(xp, [[0, 0, 1, 1], [0, np.nan, 1, 1]])
        assert np.isnan(numbers(score_of(score)(nan, array(xp, [0, 0, 1, 1])))).tolist() == [False, True]
