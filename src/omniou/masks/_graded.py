"""IoU in grades: the score of contests, the usual reading of a value, and means over objects and images."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Unpack

from omniou._catalogue.mask_calls import HARD, mask_operation
from omniou._catalogue.options import Option, declared, takes
from omniou._catalogue.pixel_options import HardOptions, ZeroDivisionOption
from omniou._kernels import masks as kernels
from omniou._lib import backends, checks
from omniou._lib.arrays import BOOLEANS, INTEGERS, PIXELS, agree, arrays_of
from omniou._lib.types import ArrayLike, ArrayT
from omniou._lib.values import raise_first

# Common denominators of levels: products of two such numbers fit 32 bits.
FINEST = 2**15
BANDS = {"excellent": 0.95, "good": 0.7}


class GradedOptions(HardOptions, ZeroDivisionOption, total=False):
    """Options of the graded score."""

    start: Annotated[Any, Option(0.7, "The first level, a number or a fraction.")]
    step: Annotated[Any, Option(0.05, "From each level to the next, above 0.")]
    levels: Annotated[int, Option(10, "How many levels there are.", least=1)]


def _of_levels(given: dict[str, Any]) -> kernels.Graded:
    count, empty = given["levels"], given["zero_division"]
    levels = _levels(_exact("start", given["start"]), _exact("step", given["step"]), count)
    of_empty = empty if math.isnan(empty) else sum(level < empty for level in levels) / count
    inside = tuple((x.numerator, x.denominator) for x in levels if 0 <= x < 1)
    return kernels.Graded(inside, sum(x < 0 for x in levels), count, of_empty)


_GRADED = mask_operation(_of_levels, HARD.count, declared(GradedOptions))


@takes(_GRADED.options)
def graded(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[GradedOptions]) -> ArrayT:
    """Share of the levels ``start``, ``start + step`` ... that the IoU of two masks exceeds.

    It is the score of contests of salt segmentation that is widely copied as ``ceil(clip(20 * (iou - 0.7), 0, 10)) /
    10``. That expression depends on rounding: an IoU of exactly 0.9 gives 0.5 in float64 and 0.4 in float32. Here the
    counts of pixels are compared exactly, with levels as the decimals they are written as, so every library gives
    0.4.

    With the copied ``start=0.7`` the last levels are 1 and above, which no IoU exceeds: a perfect mask scores 0.6. The
    contest's own levels begin at ``start=0.5``; a perfect mask then scores 1.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; library, device and dtype as in `iou`. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`; also if a level has so many decimals that its denominator exceeds 32768.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import masks
    >>> truth = np.ones((2, 5), dtype=bool)
    >>> nine_of_ten = truth.copy()
    >>> nine_of_ten[0, 0] = 0
    >>> float(masks.graded(nine_of_ten, truth)), float(masks.graded(truth, truth))
    (0.4, 0.6)
    >>> float(masks.graded(nine_of_ten, truth, start=0.5)), float(masks.graded(truth, truth, start=0.5))
    (0.8, 1.0)
    """
    return _GRADED(options, a=a, b=b)


def _exact(name: str, value: Any) -> Fraction:
    """A fraction, or the decimal that a number is written as."""
    if not isinstance(value, Fraction):
        value = checks.number(name, value)
    return Fraction(str(value))


def _levels(start: Fraction, step: Fraction, count: int) -> list[Fraction]:
    if step <= 0:
        raise ValueError(f"`step` must be above 0, got {float(step)}")
    levels = [start + k * step for k in range(count)]
    finest = max(level.denominator for level in levels)
    if finest > FINEST:
        raise ValueError(f"`start` and `step` must give levels of denominators up to {FINEST}, got {start} and {step}")
    return levels


def reading(value: Any, /, *, bands: Mapping[str, float] = BANDS, otherwise: str = "poor") -> Any:
    """The usual reading of a score: above 0.95 excellent, above 0.7 good.

    Parameters
    ----------
    value : float or array
        Scores, such as IoU.
    bands : mapping of str to float
        Names, and what a value must exceed for each.
    otherwise : str
        Name of what exceeds none.

    Returns
    -------
    str, or nested lists of str
        The name of the highest band that each value exceeds; "no data" for NaN.

    Raises
    ------
    ValueError
        If there are no bands, or their limits are not finite.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.reading(0.96), masks.reading(0.95), masks.reading(0.7)
    ('excellent', 'good', 'poor')
    >>> masks.reading([0.5, 0.65], bands={"passed": 0.6}, otherwise="failed")
    ['failed', 'passed']
    """
    checks.instance("bands", bands, Mapping, "a mapping of names to numbers")
    checks.instance("otherwise", otherwise, str, "a name")
    if not bands:
        raise ValueError("`bands` must name at least one band, got none")
    limits = sorted(((checks.number(f"bands[{name!r}]", x), name) for name, x in bands.items()), reverse=True)
    return _read(value, limits, otherwise)


def _read(value: Any, limits: list[tuple[float, str]], otherwise: str) -> Any:
    if isinstance(value, (list, tuple)):
        return [_read(x, limits, otherwise) for x in value]
    if getattr(value, "ndim", 0):
        return [_read(value[k, ...], limits, otherwise) for k in range(value.shape[0])]
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`value` must be a score or an array of scores, got {value!r}") from None
    if math.isnan(number):
        return "no data"
    return next((name for limit, name in limits if number > limit), otherwise)


def mean(values: ArrayT | ArrayLike, /, *, images: Any = None, where: Any = None) -> ArrayT:
    """Mean of the scores of a data set, over its objects or over its images.

    Parameters
    ----------
    values : array, shape (K,)
        Scores of objects. NaN means no data, and does not count.
    images : array of integers, shape (K,), optional
        The image of each object. If given, each image has the mean of its objects, and the result is the mean over
        images: an image with many objects counts no more than one with few. Images without scores are excluded.
    where : array of booleans, shape (K,), optional
        Which scores count, for example only masks whose ground truth is not empty.

    Returns
    -------
    array, shape ()
        NaN if nothing counts. float32 for scores of 16 bits.

    Raises
    ------
    TypeError
        If the libraries or devices differ, `images` are not integers, or `where` is not boolean.
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.mean([1.0, 0.5, 0.0])), float(masks.mean([1.0, 0.5, 0.0], images=[7, 3, 3]))
    (0.5, 0.625)
    """
    (array, ids, kept), facts = arrays_of(
        {"images": INTEGERS, "where": BOOLEANS}, values=values, images=images, where=where
    )
    xp = facts[0].namespace
    shape = tuple(array.shape)
    if len(shape) != 1 or any(tuple(f.shape) != shape for f in facts):
        listing = ", ".join(f"{tuple(f.shape)} for `{f.name}`" for f in facts)
        raise ValueError(f"`values`, `images` and `where` must have one shape (K,), got {listing}")
    return backends.run(kernels.mean, array, ids, kept, dtype=agree(facts)[0], xp=xp)


def check(x: Any, /) -> None:
    """Raise unless every floating pixel is a probability, in [0, 1].

    The scores themselves look at no value, for that would wait for the device: call this where data comes in.

    Parameters
    ----------
    x : array, shape (..., height, width)
        Masks. Booleans and integers are masks regardless of their values.

    Raises
    ------
    ValueError
        The message names the first pixel that is NaN or outside [0, 1].

    Examples
    --------
    >>> from omniou import masks
    >>> masks.check([[0.0, 1.0], [1.5, 0.5]])
    Traceback (most recent call last):
        ...
    ValueError: `x[1, 0]` is no probability from 0 to 1 in [1.5]
    """
    (array,), facts = arrays_of({"x": PIXELS}, x=x)
    agree(facts)
    xp = facts[0].namespace
    if xp.isdtype(facts[0].dtype, "real floating"):
        outside = ~((array >= 0) & (array <= 1))
        raise_first("x", array[..., None], {"is no probability from 0 to 1": outside}, xp=xp)
