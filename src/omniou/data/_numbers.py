"""The one reader of numbers in the text of files: decimal digits of ASCII, and a bounded number of them.

Python reads more as a number than files mean: "1_000" is 1000, and digits may be of any script. It refuses to read a
whole number of more than 4,300 digits, and makes floats of at most 309.
"""

from collections.abc import Sequence

# An int64 has 19 digits.
_MOST_DIGITS = 18


def as_number(word: str) -> float:
    """Return the number that a word is; ValueError if it is none. Readers refuse NaN and infinity themselves."""
    if not word.isascii() or "_" in word:
        raise ValueError(f"{word[:40]!r} is not a number")
    return float(word)


def as_numbers(words: Sequence[str]) -> list[float]:
    """Return the numbers of several words, faster than one by one; ValueError if one of them is none."""
    joined = "".join(words)
    if not joined.isascii() or "_" in joined:
        raise ValueError("not all are numbers")
    return list(map(float, words))


def as_integer(word: str) -> int:
    """Return the whole number that a word is, of 18 digits at most; ValueError if it is none."""
    digits = word.strip().removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        raise ValueError(f"{word[:40]!r} is not a whole number of {_MOST_DIGITS} digits at most")
    return int(word)


def is_number(word: str) -> bool:
    """Return whether a word is a number."""
    try:
        as_number(word)
    except ValueError:
        return False
    return True


def is_count(word: str) -> bool:
    """Return whether a word is a whole number without a sign that `as_integer` reads."""
    return word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS
