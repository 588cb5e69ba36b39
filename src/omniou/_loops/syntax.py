"""JSON: its numbers, and what stands between values."""

from typing import Any

import numpy as np

from omniou._loops.compiler import compiled

_MINUS, _PLUS, _POINT, _ZERO, _SMALL_E, _LARGE_E = (ord(c) for c in "-+.0eE")
# Digits that fit 64 bits, whatever they are. Integers of float64 are all up to this one.
DIGITS, _WHOLE = 18, 2**53
# Powers of ten that are numbers of float64; digits behind the point of the longest text that Python writes for one of
# these without an exponent.
_POWERS, _LONGEST = 10.0 ** np.arange(23), 20


@compiled
def number(text: Any, at: int, stop: int) -> tuple[float, int, bool]:
    """Characters (K,) of uint8 -> the number at a place, the place behind it, and whether it is the nearest one.

    The place is -1 if there is none. Which one is the nearest to long ones, or to very large or small ones, is for
    others to find out.
    """
    if not 0 <= at < stop:
        return 0.0, -1, False
    negative = text[at] == _MINUS
    begin, power = at + negative, 0
    mantissa, at = digits(text, 0, begin, stop)
    count = at - begin
    if count == 0 or (count > 1 and text[begin] == _ZERO):
        return 0.0, -1, False
    if at < stop and text[at] == _POINT:
        point = at
        mantissa, at = digits(text, mantissa, point + 1, stop)
        power = point + 1 - at
        if power == 0:
            return 0.0, -1, False
        count -= power
    if count > DIGITS:
        count -= _zeros(text, begin, at)
    if at < stop and (text[at] == _SMALL_E or text[at] == _LARGE_E):
        exponent, at = _exponent(text, at + 1, stop)
        power += exponent
    if at < 0 or count > DIGITS or not -_LONGEST <= power <= 0:
        return 0.0, at, False
    value = _over(mantissa, -power)
    return (-value if negative else value), at, True


@compiled
def digits(text: Any, number: int, at: int, stop: int) -> tuple[int, int]:
    """An integer with the digits that follow, right if there are not more than `DIGITS`, and the place behind them."""
    while at < stop:
        digit = int(text[at]) - _ZERO
        if digit < 0 or digit > 9:
            break
        number = 10 * number + digit
        at += 1
    return number, at


@compiled
def _zeros(text: Any, at: int, stop: int) -> int:
    """Zeros that a number starts with."""
    zeros = 0
    while at < stop and (text[at] == _ZERO or text[at] == _POINT):
        zeros += text[at] == _ZERO
        at += 1
    return zeros


@compiled
def after(text: Any, at: int, stop: int, wanted: int) -> int:
    """The place behind a character and the blanks that follow; -1 if it is another one."""
    if not 0 <= at < stop or text[at] != wanted:
        return -1
    return blanks(text, at + 1, stop)


@compiled
def blanks(text: Any, at: int, stop: int) -> int:
    """The place behind blanks."""
    while at < stop and (text[at] == 32 or 9 <= text[at] <= 10 or text[at] == 13):
        at += 1
    return at


@compiled
def _exponent(text: Any, at: int, stop: int) -> tuple[int, int]:
    negative = at < stop and text[at] == _MINUS
    begin = at + (at < stop and (text[at] == _MINUS or text[at] == _PLUS))
    value, at = digits(text, 0, begin, stop)
    few = 0 < at - begin <= DIGITS
    return (-value if negative else value), (at if few else -1)


@compiled
def _over(mantissa: int, power: int) -> float:
    """The float64 nearest to an integer of up to 18 digits over a power of ten.

    One division of what float64 has is rounded once. What it has not is two numbers, whose quotient and remainder are
    off by 2**-103 of it at most; and no such fraction is nearer to the middle of two of float64's than by 2**-101.
    """
    divisor = _POWERS[power]
    high = float(mantissa)
    if mantissa <= _WHOLE:
        return high / divisor
    low = float(mantissa - int(high))
    value = high / divisor
    product = value * divisor
    rest = ((high - product) + _error(value, divisor, product)) + low
    return value + rest / divisor


@compiled
def _error(a: float, b: float, product: float) -> float:
    """What rounding a product has added, exactly: Dekker, 1971."""
    a_high, b_high = _half(a), _half(b)
    a_low, b_low = a - a_high, b - b_high
    return product - a_high * b_high - a_low * b_high - a_high * b_low - a_low * b_low


@compiled
def _half(x: float) -> float:
    """The upper half of the digits: Veltkamp."""
    scaled = x * 134217729.0  # 2**27 + 1
    return scaled - (scaled - x)
