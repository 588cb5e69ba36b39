"""The table of scores: every declaration is true of its formula, for every library."""

import doctest
import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import omniou
from omniou import boxes, losses, scores
from omniou._kernels.boxes import BoxTerms
from tests.hand_worked import HAND_WORKED, PRED, TARGET, test_every_score_has_hand_worked_values  # noqa: F401
from tests.helpers import array, assert_close, numbers, random_boxes

every_score = pytest.mark.parametrize("score", scores.values(), ids=list(scores))


@every_score
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_score_by_hand(xp, score, dtype):
    pred, target = array(xp, PRED, dtype), array(xp, TARGET, dtype)
    assert_close(getattr(boxes, score.name)(pred, target), HAND_WORKED[score.name], like=pred)


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
    terms = BoxTerms(a, b, xp=xp)
    score.formula(Recorded(), eps=0.0, **own, xp=xp)
    assert asked - {"area_a", "area_b", "intersection"} == set(score.terms)


@every_score
def test_declared_bounds_and_symmetry_hold(score):
    rng = np.random.default_rng(0)
    a, b = random_boxes(rng, 2000), random_boxes(rng, 2000)
    out, turned = getattr(boxes, score.name)(a, b), getattr(boxes, score.name)(b, a)
    assert (out >= score.bounds[0]).all()
    assert (out <= score.bounds[1]).all()
    assert score.symmetric == np.allclose(out, turned, atol=1e-12)


@every_score
def test_identical_boxes_have_the_best_value(score):
    best = score.bounds[1] if score.higher_is_better else score.bounds[0]
    assert float(getattr(boxes, score.name)([1, 2, 5, 9], [1, 2, 5, 9])) == best


@every_score
def test_disjoint_boxes_score_declared_miss(score):
    apart = getattr(boxes, score.name)([0, 0, 1, 1], [1e9, 1e9, 1e9 + 1, 1e9 + 1])
    assert float(apart) == pytest.approx(score.miss, abs=1e-6)


@every_score
@settings(max_examples=25, deadline=None)
@given(shift=st.floats(-1e3, 1e3), scale=st.floats(1e-3, 1e3), seed=st.integers(0, 99))
def test_scores_are_invariant_to_shift_and_scale(score, shift, scale, seed):
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, 20), random_boxes(rng, 20)
    function = getattr(boxes, score.name)
    np.testing.assert_allclose(function(a * scale + shift, b * scale + shift), function(a, b), atol=1e-6)


@every_score
@pytest.mark.parametrize("module", [boxes, losses], ids=["boxes", "losses"])
def test_docstring_sections_and_examples(score, module):
    function = getattr(module, score.name)
    for section in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert f"{section}\n---" in function.__doc__
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
def test_unknown_option_raises_naming_known_options(score):
    with pytest.raises(
        TypeError, match=rf"{score.name}\(\) got an unexpected keyword argument 'fmt'; it takes format,"
    ):
        getattr(boxes, score.name)([0, 0, 1, 1], [0, 0, 1, 1], fmt="xyxy")


def test_scores_without_boxes_and_of_nan(xp):
    for score in scores.values():
        none = array(xp, np.zeros((0, 4)), "float32")
        assert_close(getattr(boxes, score.name)(none, none), np.zeros(0), like=none)
        nan = array(xp, [[0, 0, 1, 1], [0, np.nan, 1, 1]])
        assert np.isnan(numbers(getattr(boxes, score.name)(nan, array(xp, [0, 0, 1, 1])))).tolist() == [False, True]
