"""Answers of language models: detections in the JSON, or the location tokens, of a text.

An answer is the file of an image, a field of a record, or a value of an object whose keys are images. A record may have
the phrase of a referring expression, which is then the class of its box.
"""

import dataclasses
import itertools
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.data import _class_names, _faults, _files, _json, _names, _recognise
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats import Format, Reader, answer_images, answer_text, file_rows, phrases
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._options import DEFAULT, Options
from omniou.data._paths import name_in
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]
_Numbers: TypeAlias = tuple[float, float, float, float]

# Fields of a record that have the answer, and fields that may also have the question.
_ANSWERS = ("response", "output", "prediction", "predictions", "generated_text", "detections")
_OTHER_ANSWERS = ("answer", "text")
# Fields around a list of detections, next to tasks of Florence such as <OD>.
_AROUND = {*_ANSWERS, *_OTHER_ANSWERS, "objects", "result", "results"}
_LAYOUTS: Mapping[str, tuple[str, float | None]] = {
    "bbox_2d": ("xyxy", None),
    "box_2d": ("yxyx", 1000.0),
    "loc": ("yxyx", 1024.0),
    "bboxes": ("xyxy", None),
    "bbox": ("", None),
}
"""Field of boxes -> the order of their numbers, and the range of these; empty and None where the field says neither."""

# Fields that have the name of a class where there is no label.
_LABELS = (
    *("category", "class", "name", "object", "category_name", "class_name", "label_name"),
    *("text", "text_content", "caption", "description", "phrase"),
)

_MARKS = re.compile(rb"\A```|\bb?box_2d\b|<loc\d|<OD>|<OPEN_VOCABULARY_DETECTION>|<CAPTION_TO_PHRASE_GROUNDING>")


class _Detection(msgspec.Struct):
    label: str
    bbox_2d: _Numbers | msgspec.UnsetType = msgspec.UNSET
    box_2d: _Numbers | msgspec.UnsetType = msgspec.UNSET
    loc: _Numbers | msgspec.UnsetType = msgspec.UNSET
    bbox: _Numbers | msgspec.UnsetType = msgspec.UNSET
    score: float | None = None
    confidence: float | None = None


class _Florence(msgspec.Struct):
    bboxes: list[_Numbers]
    labels: list[str] = []
    bboxes_labels: list[str] = []
    scores: list[float] = []


class _Answer(NamedTuple):
    """What a model says of an image or a phrase: text, or the value of JSON.

    `named` is the place of the image's name.
    """

    file: Path
    image: int | str
    named: str
    place: str
    value: Any
    phrase: str = ""  # of a referring expression
    size: tuple[float, float] | None = None  # height and width of the image
    others: Mapping[str, int | str] = {}  # more names of the image, by their fields
    way: str = ""  # out of a phrase in another field

    def at(self, field: str) -> str:
        """The place of a field, or of an item such as "[0].label"."""
        bare = not self.place or self.place[-1] in ". " or not field or field[0] == "["
        return f"{self.place}{'' if bare else '.'}{field}".strip(",. ")

    def fault(self, what: str, field: str = "") -> InputError:
        return InputError(self.file, what, place=self.at(field))

    @property
    def is_detection(self) -> bool:
        """Whether it is one box: its image may have others."""
        return _field_of(self.value) not in {"", "bboxes"}


class _Box(NamedTuple):
    answer: _Answer
    place: str
    field: str
    numbers: _Numbers
    label: str
    score: float | None


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read objects in the form of answers, as data sets for fine-tuning have them."""
    path = Path(path)
    answers, boxes = _read(path, options, "ground truth")
    images = _names.counted((str(x.image) for x in answers), complete=True)
    categories = _names.counted((x.label for x in boxes), complete=False)
    rows = _file_rows(boxes, options)
    if rows.scale is not None:
        rows = dataclasses.replace(rows, boxes=rows.boxes / rows.scale, format=f"rel_{rows.format}", scale=None)
    sizes = {str(x.image): x.size for x in answers if x.size is not None}
    known = [sizes.get(name, (math.nan, math.nan)) for name in images.names.values()]
    return file_rows.truth(path, rows, images, categories, options, sizes=np.array(known).reshape(-1, 2))


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read answers, and match their names to the classes of the ground truth."""
    path = Path(path)
    answers, boxes = _read(path, options, "detections")
    classes = _class_names.matched(path, [x.label for x in boxes], truth, options.synonyms)
    known = [x._replace(label=name) for x, name in zip(boxes, classes, strict=True) if name is not None]
    rows = _file_rows(known, options)
    scores = np.array([math.nan if x.score is None else x.score for x in known], dtype=np.float64)
    missing = np.array([x.score is None for x in known], dtype=bool)
    found = file_rows.detections(path, file_rows.with_scores(rows, scores, missing, options), truth, options)
    phrases.check(known, found, truth)
    answer_images.check(path, answers, truth)
    return found


def _read(path: Path, options: Options, what: str) -> tuple[list[_Answer], list[_Box]]:
    """All answers, and the boxes in them."""
    files = [x for x in _files.in_folder(path) if x == path or _recognise.may_have_objects(x)]
    answers = phrases.numbered(x for file in options.track(files, what) for x in _answers(path, file, what))
    answer_images.check_once(answers, [x.image for x in answers])
    notes: dict[str, list[str]] = {}
    boxes = [x for answer in answers for x in _boxes(answer, notes)]
    for x in boxes:
        if x.field != boxes[0].field:
            fault = f"is {x.field}, and other boxes are {boxes[0].field}: give one model, and one scale, in a file"
            raise InputError(x.answer.file, fault, place=x.place)
    for code, images in notes.items():
        text = f"{len(images)} of {len(answers)} answers {answer_text.NOTES[code]}: {shortened(images)}"
        warnings.warn(InputWarning(Finding(code=code, text=text, path=str(path))), stacklevel=2)
    return answers, boxes


def _file_rows(boxes: Sequence[_Box], options: Options) -> FileRows:
    field = boxes[0].field if boxes else "bbox_2d"
    order, scale = _LAYOUTS[field]
    if not (order or options.boxes):
        first = boxes[0]
        fault = "may be corners, or a corner and sides: --gt-boxes and --dt-boxes say xyxy or xywh (`boxes` of Options)"
        raise InputError(first.answer.file, fault, place=f"{first.place}.{field}".removeprefix("."))

    def place(row: int, field: str) -> Place:
        x = boxes[row]
        inside = f"{x.place}{'' if field.startswith('[') else '.'}{field}".removeprefix(".")
        return Place(x.answer.file, x.answer.named if field == "image" else inside)

    return FileRows(
        images=_names.coded(x.answer.image for x in boxes),
        labels=_names.coded(x.label for x in boxes),
        boxes=np.array([x.numbers for x in boxes], dtype=np.float64).reshape(-1, 4),
        format=options.boxes or order,
        scale=scale,
        place=place,
        fields=("image", "label", *(f"{field.removesuffix('bboxes')}[{k}]" for k in range(4))),
    )


def _answers(root: Path, file: Path, what: str) -> Iterator[_Answer]:
    """The answers of a file: one of each record, of each value of an object, or the file itself."""
    data = _files.read_text(file)
    text = data.decode()
    if _json.are_lines(data):
        lines = {f"line {n}, ": x for n, x in enumerate(text.splitlines(), start=1) if x.strip()}
        records = {place: _decoded(file, x, place) for place, x in lines.items()}
        value: Any = list(records.values())
    else:
        value = _decoded(file, text)
        records = {f"[{k}].": x for k, x in enumerate(value)} if isinstance(value, list) else {"": value}
    if any(map(answer_images.field_of, records.values())):
        yield from (_of_record(file, place, x, what) for place, x in records.items())
    elif isinstance(value, dict) and value and not (_field_of(value) or _is_around(value)):
        for name, x in value.items():
            is_record = isinstance(x, dict) and not _is_around(x) and any(key in x for key in _ANSWERS)
            answer = _Answer(file, name, "", name, x)
            yield _of_record(file, f"{name}.", {**x, answer_images.FIELDS[0]: name}, what) if is_record else answer
    else:
        yield _Answer(file, name_in(root, file), "the name of the file", "", value)


def _decoded(file: Path, text: str, place: str = "") -> Any:
    """The value of JSON, or the text itself if it is an answer in prose."""
    try:
        return answer_text.decoded(text)
    except ValueError as error:
        if place or any(f'"{name}"' in text for name in answer_images.FIELDS):
            raise InputError(file, str(error), place=place.strip(", ")) from None
        return text


def _is_name(value: Any) -> bool:
    """Whether it may be the name or the id of an image."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def _field_of(value: Any) -> str:
    """The field of boxes that an object has; empty if there is none."""
    return next((x for x in _LAYOUTS if x in value), "") if isinstance(value, dict) else ""


def _is_around(value: Any) -> bool:
    """Whether an object has only the detections, under a name that is not an image."""
    return isinstance(value, dict) and len(value) == 1 and all(x in _AROUND or x.startswith("<") for x in value)


def _of_record(file: Path, place: str, record: Any, what: str) -> _Answer:
    """The image and the answer that a record has, or the record itself if it is a box.

    The record of a phrase may have both: the box is the ground truth, and the answer has the detection.
    """
    field = answer_images.field_of(record)
    names = {x: answer_images.named_in(record, x) for x in answer_images.FIELDS if field and x in record}
    image: Any = names.get(field)
    is_name = _is_name(image)
    others = {name: x for name, x in names.items() if name != field and _is_name(x)}
    way = phrases.way_of(record)
    answer = _Answer(file, image if is_name else "", f"{place}{field}", place, record, others=others, way=way)
    if not is_name:
        fault = "missing" if image is None else f"expected the name or the id of an image, got {image!r:.42}"
        raise answer.fault(fault, field or "image")
    try:
        answer = answer._replace(phrase=phrases.of(record), size=phrases.size_of(record))
    except ValueError as error:
        raise answer.fault(str(error)) from None
    named = [x for x in _ANSWERS if x in record] or [x for x in _OTHER_ANSWERS if x in record]
    if _field_of(record) and not (answer.phrase and named and what == "detections"):
        return answer
    if len(named) > 1:
        raise answer.fault(f"has answers in {' and '.join(named)}: keep one")
    if not named:
        raise answer.fault(f"has no answer: expected one of {', '.join((*_ANSWERS, *_OTHER_ANSWERS))}")
    return answer._replace(place=f"{place}{named[0]}", value=record[named[0]])


def _boxes(answer: _Answer, notes: dict[str, list[str]]) -> Iterator[_Box]:
    """The boxes in an answer. Note its image under the code of a finding."""
    inner = _inner(answer.value)
    values: Sequence[Any] = [inner]
    if isinstance(inner, str):
        try:
            values, note = phrases.values_in(inner) if answer.phrase else answer_text.values_in(inner)
        except ValueError as error:
            _faults.keep(answer.fault(f"{error}{answer.way}"))
            return
        if note:
            notes.setdefault(note, []).append(str(answer.image))
    if answer.phrase:
        values = [phrases.as_box(x) for x in values]
    lists = (x if isinstance(x, list) else [x] for x in map(_inner, values))
    for k, entry in enumerate(itertools.chain.from_iterable(lists)):
        try:
            yield from _of_entry(answer, f"[{k}].", entry)
        except InputError as error:
            _faults.keep(error)


def _inner(value: Any) -> Any:
    """A value without the objects around it: the only value, or the only list of objects next to counts and remarks."""
    while isinstance(value, dict) and not _field_of(value):
        inner = list(value.values())
        if not _is_around(value):
            inner = [x for name, x in value.items() if name in _AROUND and isinstance(x, list)]
        if len(inner) != 1:
            break
        (value,) = inner
    return value


def _of_entry(answer: _Answer, place: str, entry: Any) -> Iterator[_Box]:
    """The boxes of one object of JSON."""
    field = _field_of(entry)
    if entry is None:
        raise answer.fault("missing: write [] where the model found nothing")
    if not field or (isinstance(entry, dict) and sum(x in entry for x in _LAYOUTS) > 1):
        raise answer.fault(
            f"expected an object with either bbox_2d or box_2d, and label, got {_instead(answer, entry)}", place
        )
    if _field_of(answer.value):
        place = ""
    kind: type[_Florence | _Detection] = _Florence if field == "bboxes" else _Detection
    try:
        x = msgspec.convert(entry if kind is _Florence else _labelled(answer, place, entry), kind)
    except msgspec.ValidationError as error:
        fault, at = _json.fault_of(error)
        raise answer.fault(fault, place + at) from None
    where = answer.at(place)
    if isinstance(x, _Detection):
        score = x.confidence if x.score is None else x.score
        yield _Box(answer, where, field, getattr(x, field), x.label, score)
        return
    labels = [answer.phrase] * len(x.bboxes) if answer.phrase else x.labels or x.bboxes_labels
    scores: Sequence[float | None] = x.scores or [None] * len(x.bboxes)
    for name, column in (("labels", labels), ("scores", scores)):
        if len(column) != len(x.bboxes):
            fault = f"expected as many {name} as boxes, {len(x.bboxes)}, got {len(column)}"
            raise answer.fault(fault, f"{place}{name}")
    for k, (box, label, score) in enumerate(zip(x.bboxes, labels, scores, strict=True)):
        yield _Box(answer, f"{where}.bboxes[{k}]".removeprefix("."), field, box, label, score)


def _labelled(answer: _Answer, place: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """A detection with a label: the phrase of the answer, or another field if one has the name of a class."""
    if answer.phrase:
        return {**entry, "label": answer.phrase}
    named = [x for x in _LABELS if isinstance(entry.get(x), str)]
    if "label" not in entry and not named and answer.way:
        raise answer.fault(f"missing{answer.way}", f"{place}label")
    if "label" in entry or not named:
        return entry
    if len(named) > 1:
        raise answer.fault(f"missing: is it {' or '.join(named)}? Name one of them label", f"{place}label")
    return {**entry, "label": entry[named[0]]}


def _instead(answer: _Answer, entry: Any) -> str:
    """What is in place of a detection, and the way out."""
    if not isinstance(entry, dict) or not entry:
        return f"{entry!r:.42}"
    boxes = [name for name, x in entry.items() if isinstance(x, list) and len(x) == 4]
    way = ""
    if boxes:
        way = f": rename {boxes[0]}. Corners x1, y1, x2, y2 are bbox_2d, and y1, x1, y2, x2 in 0 to 1000 are box_2d"
    elif not answer.place:
        way = ': give each image a record such as {"image": "a.jpg", "response": "..."}'
    return f"the fields {', '.join(map(str, entry))}{way}"


def _is_language_model(peek: Peek) -> bool:
    records = [{x.removeprefix(root) for x in peek.keys if x.startswith(root)} for root in ("", "[].")]
    of_image = {*answer_images.FIELDS} - {"images"}
    has_answer = any(
        (x & of_image and x & {*_ANSWERS}) or ({"images", "response"} <= x and "annotations" not in x) for x in records
    )
    has_phrase = any(
        "category_id" not in x
        and x & of_image
        and x & {*phrases.FIELDS, *phrases.UNREAD}
        and x & {*_ANSWERS, *_OTHER_ANSWERS, *_LAYOUTS}
        for x in records
    )
    has_columns = any(x.rpartition(".")[2] == "bboxes" for x in peek.keys)
    return has_answer or has_phrase or has_columns or _MARKS.search(peek.start) is not None


FORMAT = Format(
    "language-model",
    "Answers of Qwen-VL, Gemini, Florence-2, PaliGemma",
    Reader(read_ground_truth, order="xyxy"),
    Reader(read_detections, order="xyxy", synonyms=True),
    recognises=_is_language_model,
)
