"""Graded IoU by exact counts, the reading of values, means over objects and images, and the check of probabilities."""

import math
from fractions import Fraction

import numpy as np
import pytest

from omniou import masks, pairwise
from tests.helpers import array, assert_close, numbers


def of_iou(xp, shared, union, dtype="bool"):
    """Two masks (1, union) with an IoU of shared / union."""
    return array(xp, [[1] * shared + [0] * (union - shared)], dtype), array(xp, [[1] * union], dtype)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "float64"])
def test_graded_of_nine_tenths_and_of_perfect_masks(xp, dtype):
    """Rounding made these 0.5 or 0.4, and 0.7 or 0.6, of the expression that is copied."""
    (part, whole), like = of_iou(xp, 9, 10, dtype), array(xp, [0.0], dtype if "float" in dtype else "float64")
    for a, b, expected in ((part, whole, 0.4), (whole, whole, 0.6)):
        out = masks.graded(a, b, threshold=0.5)
        assert out.dtype == like.dtype
        assert float(out) == float(array(xp, expected, "float64") if like.dtype == xp.float64 else np.float32(expected))
        assert float(pairwise(masks.graded, a[None, ...], b[None, ...], threshold=0.5)[0, 0]) == float(out)
    assert float(masks.graded(whole, whole, start=0.5, threshold=0.5)) == 1.0


def test_graded_without_64_bits_in_jax():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(False):
        part, whole = of_iou(jax.numpy, 9, 10, "bool")
        assert float(masks.graded(part, whole)) == np.float32(0.4)
        assert float(masks.graded(whole, whole)) == np.float32(0.6)
        # Products with 20 of such counts exceed 32 bits.
        size = 12000
        most = jax.numpy.arange(size * size).reshape(size, size) < size * size // 10 * 9
        assert float(masks.graded(most, jax.numpy.ones((size, size), dtype=bool))) == np.float32(0.4)


@pytest.mark.parametrize(
    ("start", "step", "levels"), [(0.7, 0.05, 10), (0.5, 0.05, 10), (-0.2, 0.1, 14), (0.0, 0.33, 4)]
)
@pytest.mark.proves("eager", "masks.graded")
def test_graded_equals_exact_comparison(xp, start, step, levels):
    limits = [Fraction(str(start)) + k * Fraction(str(step)) for k in range(levels)]
    unions = range(1, 41)
    a, b, expected = [], [], []
    for union in unions:
        for shared in {0, union // 2, *(math.floor(union * x) for x in limits if 0 <= x <= 1), union}:
            a.append([[1] * shared + [0] * (40 - shared)])
            b.append([[1] * union + [0] * (40 - union)])
            expected.append(sum(Fraction(shared, union) > x for x in limits) / levels)
    assert_close(
        masks.graded(array(xp, a, "bool"), array(xp, b, "bool"), start=start, step=step, levels=levels), expected
    )


def test_copied_expression_is_the_share_of_levels_where_rounding_does_not_matter():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 300, 7, 7)) < rng.uniform(0.85, 1, (2, 300, 1, 1))
    iou = masks.iou(a, b)
    safe = np.abs(20 * iou - np.round(20 * iou)) > 1e-9
    assert safe.sum() > 200
    copied = np.ceil(np.clip(20 * (iou - 0.7), 0, 10)) / 10
    np.testing.assert_allclose(masks.graded(a, b)[safe], copied[safe], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"levels": 0}, ValueError, "`levels` must be a positive integer, got 0"),
        ({"step": 0}, ValueError, "`step` must be above 0, got 0.0"),
        ({"start": "a"}, TypeError, "`start` must be a number, got str"),
        ({"start": float("nan")}, ValueError, "`start` must be finite, got nan"),
        ({"step": 1 / 3}, ValueError, "levels of denominators up to 32768, got 7/10 and 3333"),
    ],
)
def test_graded_with_invalid_options_raises(options, error, message):
    with pytest.raises(error, match=message):
        masks.graded([[1]], [[1]], **options)


def test_graded_takes_fractions():
    assert float(masks.graded([[1, 1, 0]], [[1, 1, 1]], start=Fraction(2, 3), step=Fraction(1, 6), levels=2)) == 0.0


def test_reading_of_values(xp):
    assert masks.reading(0.951) == "excellent"
    assert masks.reading(array(xp, [0.95, 0.7, float("nan")])) == ["good", "poor", "no data"]
    assert masks.reading([[1.0], [0.71]]) == [["excellent"], ["good"]]
    bands = {"a": 0.5, "c": 0.1, "b": 0.25}
    assert masks.reading([0.6, 0.3, 0.2, 0.1], bands=bands, otherwise="-") == ["a", "b", "c", "-"]
    with pytest.raises(ValueError, match="`bands` must name at least one band"):
        masks.reading(0.5, bands={})
    with pytest.raises(ValueError, match=r"`bands\['a'\]` must be finite"):
        masks.reading(0.5, bands={"a": float("nan")})


@pytest.mark.proves("eager", "masks.mean")
@pytest.mark.computes("sorted by image")
def test_mean_over_objects_and_images(xp):
    nan = float("nan")
    values, images = array(xp, [1.0, 0.5, nan, 0.0, 0.25], "float32"), array(xp, [9, -2, 4, -2, 9], "int64")
    like = array(xp, [0.0], "float32")
    assert_close(masks.mean(values), 1.75 / 4, like=like)
    assert_close(masks.mean(values, images=images), (0.625 + 0.25) / 2, like=like)
    where = array(xp, [1, 1, 1, 0, 0], "bool")
    assert_close(masks.mean(values, where=where), 0.75, like=like)
    assert_close(masks.mean(values, images=images, where=where), 0.75, like=like)
    assert_close(masks.mean(values[2:3]), nan, like=like)
    assert_close(masks.mean(values[:0], images=images[:0]), nan, like=like)


def test_mean_of_lists_and_of_invalid_arrays():
    assert float(masks.mean(np.asarray([1.0, 0.0]), images=[1, 1], where=[True, False])) == 1.0
    with pytest.raises(ValueError, match=r"must have one shape \(K,\), got \(2,\) for `values`, \(1,\) for `images`"):
        masks.mean([1.0, 0.0], images=[1])
    with pytest.raises(TypeError, match="`images` must hold integers, got dtype float64"):
        masks.mean([1.0, 0.0], images=[1.0, 2.0])
    with pytest.raises(TypeError, match="`where` must hold booleans"):
        masks.mean([1.0, 0.0], where=[1, 0])


def test_mean_goes_through_jit():
    jax = pytest.importorskip("jax")
    mean = jax.jit(lambda x, i: masks.mean(x, images=i))
    assert float(mean(jax.numpy.asarray([1.0, 0.5, 0.0]), jax.numpy.asarray([7, 3, 3]))) == 0.625


@pytest.mark.computes("its values are looked at")
def test_check_names_the_first_pixel_outside(xp):
    masks.check(array(xp, [[0.0, 1.0]]))
    masks.check(array(xp, [[255, -1]], "int64"))
    for value in (1.0001, -0.1, float("nan")):
        with pytest.raises(ValueError, match=r"`x\[1, 0, 2\]` is no probability from 0 to 1 in \["):
            masks.check(array(xp, [[[0.0, 0, 0]], [[1, 1, value]]]))


CALLS = {
    "iou": lambda a, b: masks.iou(a, b, threshold=0.5),
    "pairwise": lambda a, b: pairwise(masks.dice, a, b, threshold=0.5),
    "graded": lambda a, b: masks.graded(a, b, threshold=0.5),
    "soft": masks.soft_dice,
}


@pytest.mark.parametrize("name", CALLS)
def test_torch_compiles_and_maps(name):
    torch = pytest.importorskip("torch")
    a, b = torch.rand(2, 3, 4, 5).round(), torch.rand(2, 3, 4, 5).round()
    torch.compiler.reset()
    compiled = torch.compile(CALLS[name], fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a, b), CALLS[name](a, b))
    torch.testing.assert_close(torch.func.vmap(CALLS[name])(a, b), CALLS[name](a, b))


@pytest.mark.parametrize("name", CALLS)
def test_jax_compiles_and_maps(name):
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    a, b = (jax.numpy.asarray(rng.random((2, 3, 4, 5)).round()) for _ in "ab")
    expected = numbers(CALLS[name](a, b))
    assert_close(jax.jit(CALLS[name])(a, b), expected)
    assert_close(jax.vmap(CALLS[name])(a, b), expected)


def test_soft_scores_have_finite_gradients():
    torch = pytest.importorskip("torch")
    for score in (masks.soft_iou, masks.soft_dice):
        for p in (torch.zeros(3, 3), torch.ones(3, 3), torch.full((3, 3), 1e-30)):
            x = p.clone().requires_grad_()
            score(x, torch.zeros(3, 3)).backward()
            assert x.grad.isfinite().all()
            pairwise(score, x[None], torch.ones(2, 3, 3)).sum().backward()
            assert x.grad.isfinite().all()
