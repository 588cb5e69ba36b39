"""The values of JSON in a text of a language model: between prose or fences, as strict as models write it, or cut off.

Location tokens of PaliGemma are read as the same objects.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_BRACKET, _TOKEN = re.compile(r"[\[{]"), re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_LOCATED = re.compile(r"((?:<loc\d{4}>){4})(?:<seg\d{3}>)*([^;<]*)")
# Four numbers with nothing but separators or names of coordinates between them: perhaps a box.
_NUMBERS = re.compile(r"(?<![\d.])(?:\d+(?:\.\d+)?\W+(?:[xy]\w{0,3}\W+)?){3}\d")
# Longer text that is not strictly JSON is not read: Python's parser takes a hundred times its size.
_LONGEST_LITERAL = 2**20

CUT, NO_JSON = "answers-cut", "answers-without-json"
NOTES = {CUT: "were cut off, and count up to there", NO_JSON: "have no JSON, and count as no detections"}
"""Code of a finding -> what it says of answers."""


class AnswerValues(NamedTuple):
    """The values in a text, and what is odd about it: a code of `NOTES`, or nothing."""

    values: list[Any]
    note: str = ""


def values_in(text: str) -> AnswerValues:
    """Read the values behind the reasoning of a model. Raise ValueError for what may be a box and cannot be read."""
    text = text.rpartition("</think>")[2]
    if "<think>" in text:
        return AnswerValues([], CUT)
    if "<loc" in text:
        return AnswerValues(_located(text))
    values: list[Any] = []
    note = ""
    for segment, is_whole in _segments(text):
        if "{" in segment or not segment.strip("[] \n"):  # else a remark such as [x1, y1, x2, y2]
            try:
                values.append(decoded(segment))
            except ValueError as error:
                raise ValueError(str(error) if is_whole else "is cut off before the end of a record") from None
            note = note if is_whole else CUT
    _check_alternatives(values)
    if not any(values) and _NUMBERS.search(text):
        way = 'write each box as {"bbox_2d": [x1, y1, x2, y2], "label": "car"}'
        raise ValueError(f"has numbers, but no JSON with bbox_2d or box_2d: {way}")
    return AnswerValues(values, note if values else NO_JSON)


def decoded(text: str) -> Any:
    """The value of JSON, or of JSON with single quotes or commas behind the last value. Raise ValueError otherwise."""
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_int=_integer)
    except json.JSONDecodeError as error:
        fault = f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]} (character {error.pos + 1})"
    except RecursionError:
        fault = "lists or objects are nested too deep"
    try:
        if len(text) <= _LONGEST_LITERAL:
            with warnings.catch_warnings():  # about escapes that Python does not have
                warnings.simplefilter("ignore")
                return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    raise ValueError(fault)


def _integer(digits: str) -> int | float:
    """A whole number; the float of one with more digits than an id has, which Python may refuse to read."""
    return int(digits) if len(digits) < len(str(2**63)) else float(digits)


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(pairs)
    if len(known) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(x for x in names if names.count(x) > 1)!r} is there twice in one object")
    return known


def _located(text: str) -> list[Any]:
    if "<loc_" in text:
        raise ValueError(
            "has tokens such as <loc_12>: write what post_process_generation of Florence's processor returns"
        )
    found = _LOCATED.findall(text)
    if text.count("<loc") != 4 * len(found):
        raise ValueError("expected location tokens in fours, such as <loc0012><loc0034><loc0056><loc0078> car")
    return [{"loc": list(map(int, re.findall(r"\d+", tokens))), "label": name.strip()} for tokens, name in found]


def _segments(text: str) -> Iterator[tuple[str, bool]]:
    """Text between brackets that belong together, and whether they close: else a list of its whole values."""
    at = 0
    while opening := _BRACKET.search(text, at):
        start, depth, end = opening.start(), 0, 0
        for token in _TOKEN.finditer(text, start):
            depth += (token[0] in "[{") - (token[0] in "]}")
            if depth <= 1 and token[0] in "]}":
                end = token.end()
            if not depth:
                break
        if depth:
            yield (f"{text[start:end]}]" if end and text[start] == "[" else text[start:]), False
            return
        yield text[start:end], True
        at = end


def _check_alternatives(values: Sequence[Any]) -> None:
    """Raise for two lists with a class in common: a draft, perhaps, and what replaces it."""
    before: set[str] = set()
    for value in values:
        if isinstance(value, list):
            own = {str(x["label"]) for x in value if isinstance(x, dict) and "label" in x}
            if own & before:
                raise ValueError(f"has several lists with {min(own & before)!r}: keep the one that is the answer")
            before |= own
