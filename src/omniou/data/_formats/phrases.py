"""Phrases of referring expressions, as in RefCOCO: a record has an image, a phrase, and one box or a model's answer."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from omniou.data._formats import answer_text
from omniou.data._formats.answer_text import AnswerValues
from omniou.data._numbers import as_numbers
from omniou.data._truth import GroundTruth, UnknownTruth
from omniou.detection import Detections

FIELDS = ("expression", "phrase", "sentence", "sent", "ref_exp")
"""Fields of a record that may have the phrase."""
UNREAD = ("question", "query", "prompt", "instruction", "referring_expression", "ref")
"""Fields that may have the phrase or an instruction to the model, and are not read."""

_NUMBER = r"(-?\d+(?:\.\d+)?|-?\.\d+)"
# Four numbers in brackets, such as [1, 2, 3, 4], [[1, 2, 3, 4]] and (1,2),(3,4).
_BARE = re.compile(r"[\s\d.,-]+")
_BOX = re.compile(r"[\[(]\s*" + r"[\s,()\]\[]+".join([_NUMBER] * 4) + r"\s*[\])]")


def of(record: Any) -> str:
    """Return the phrase of a record; empty if it has none. Raise ValueError for a field without text."""
    field = next((x for x in FIELDS if record.get(x) is not None), None)
    if field is None:
        return ""
    found = record[field]
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"expected the text of a phrase in {field}, got {found!r:.42}")
    return found.strip()


def way_of(record: Any) -> str:
    """Return how to name the phrase of a record that may have one in a field that is not read; empty otherwise."""
    may_have = isinstance(record, dict) and not any(x in record for x in FIELDS)
    field = next((x for x in UNREAD if x in record), None) if may_have else None
    return f"; if {field} has the phrase of one box, rename it: {', '.join(FIELDS)} are read" if field else ""


def size_of(record: Any) -> tuple[float, float] | None:
    """Return height and width of the image of a record, if it has both."""
    size = record.get("height"), record.get("width")
    height, width = (x if isinstance(x, int | float) and not isinstance(x, bool) else 0 for x in size)
    return (height, width) if height > 0 and width > 0 else None


def numbered(answers: Iterable[Any]) -> list[Any]:
    """Return all answers. A phrase that an image has again is another one, whose name ends with "(2)"."""
    counts: Counter[tuple[str, str]] = Counter()
    out = []
    for x in answers:
        counts[key := (str(x.image), x.phrase)] += 1
        again = x.phrase and counts[key] > 1
        out.append(x._replace(phrase=f"{x.phrase} ({counts[key]})") if again else x)
    return out


def values_in(text: str) -> AnswerValues:
    """Read the box of a phrase, in JSON or as four numbers. Raise ValueError for several boxes in numbers."""
    said = text.rpartition("</think>")[2]
    if "{" in said or "<loc" in said or "<think>" in said:
        return answer_text.values_in(text)
    found = _BOX.findall(f"[{said}]" if _BARE.fullmatch(said) else said)
    boxes = list(dict.fromkeys(tuple(as_numbers(x)) for x in found))
    if len(boxes) > 1:
        raise ValueError(f"has {len(boxes)} boxes of one phrase: keep the one that is the answer")
    return AnswerValues([list(boxes[0])]) if boxes else answer_text.values_in(text)


def as_box(value: Any) -> Any:
    """Return a list of four numbers, or a list of one such list, as a detection; anything else as it is."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    is_box = isinstance(inner, list) and len(inner) == 4 and not any(isinstance(x, dict | list) for x in inner)
    return {"bbox_2d": inner} if is_box else value


def check(boxes: Sequence[Any], found: Detections[Any], truth: GroundTruth) -> None:
    """Raise for the answer to a phrase that its image does not have."""
    if isinstance(truth, UnknownTruth) or not any(x.answer.phrase for x in boxes):
        return
    rows, objects = (
        list(zip(np.asarray(x.images).tolist(), np.asarray(x.labels).tolist(), strict=True))
        for x in (found, truth.targets)
    )
    known = set(objects)
    for x, row in zip(boxes, rows, strict=True):
        if row not in known:
            raise x.answer.fault(
                f"{x.label!r} is not a phrase of {x.answer.image!r} in {truth.path}: remove the record"
            )
