"""JSON files into typed records; a fault is named by file, record and field."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from omniou.data import _faults, _files
from omniou.data._errors import InputError

T = TypeVar("T")
U = TypeVar("U")

# msgspec names Python's types; a reader of JSON knows these.
_WORDS = {
    "float": "number",
    "int": "integer",
    "str": "string",
    "bool": "boolean",
    "array": "list",
    "null": "null",
    "object": "object",
}
_PLACE = r"(?s:(?P<fault>.*?)(?: - at `\$(?P<place>.*)`)?)"
# Text before, between and after records; and how many bytes of records are decoded at once.
_OPENING, _BETWEEN, _CLOSING = re.compile(rb"\s*\["), re.compile(rb"\}\s*,\s*(?=\{)"), re.compile(rb"\]\s*\Z")
BLOCK = 2**18
# How many bytes are searched for the end of a list.
_NEAR = 2**12
LINES = "is JSON Lines, a value in each line: make it one list, as by `jq -s .`"
# A record of JSON Lines is no longer than this.
_LONGEST_LINE = 2**24
# COCO's largest file has 4 million lists.
_MANY_LISTS = 10**7
# Strings are matched to be passed over: they may have numbers.
_STRING_OR_DECIMAL = rb'(?s:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+))'
# Whole numbers below are exact as floats.
_EXACT = 2**53
_NO_NUMBER = rb"-?(NaN|Infinity)"


def read(path: Path) -> bytes:
    """The text of a file, which must not be empty."""
    data = _files.read_text(path, expected="JSON file")
    if not data.strip():
        raise InputError(path, "the file is empty")
    return data


def decode(path: Path, data: bytes, kind: type[T]) -> T:
    """Decode JSON as `kind`. Raise InputError with the place of the first fault."""
    faults = _faults.collected()
    again = faults is not None and faults.passes_over(path)
    # None where records are no lists of the file: then the same fault ends the reader again.
    if again and (rest := _recovered(path, _with_integers(data), kind)) is not None:
        return cast("T", rest)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        if are_lines(data):
            raise InputError(path, LINES) from None
        if "got `float`" in str(error) and (whole := _with_integers(data)) != data:
            return decode(path, whole, kind)
        fault, place = _split(str(error))
        if "[...]" in place:  # msgspec before 0.20 does not say which
            fault, place = _nth_record(data, kind, place) or (fault, place)
        words = _in_words(fault) + _length_of_list(data, fault, place) + _id_of_record(data, place)
        if (records := _recovered(path, data, kind)) is not None:
            return records
        raise InputError(path, words, place=_field(fault, place)) from None
    except msgspec.DecodeError as error:
        raise _malformed(path, data, str(error)) from None
    except RecursionError:
        raise InputError(path, "lists or objects are nested too deep") from None


def _recovered(path: Path, data: bytes, kind: Any) -> Any:
    """The records without a fault, where faults are collected; None where one is not of a record."""
    outer = None if _faults.collected() is None else shape_of(data)
    if outer is None:
        return None
    if isinstance(outer, list):
        return _whole(path, outer, kind, "") if get_args(kind) else None
    fields = get_type_hints(kind, include_extras=True) if isinstance(kind, type) else {}
    if any(get_origin(kind_of) is not list for kind_of in fields.values()):  # no lists of records, as in a hierarchy
        return None
    try:
        lists = {name: msgspec.json.decode(outer[name], type=list[msgspec.Raw]) for name in fields}
    except (KeyError, msgspec.DecodeError):
        return None
    whole = {name: _whole(path, records, fields[name], name) for name, records in lists.items()}
    _check_referred(path, lists, whole)
    return kind(**whole)


def _check_referred(path: Path, lists: Mapping[str, list[Any]], whole: Mapping[str, list[Any]]) -> None:
    """Raise the fault of a record that others refer to: these have no fault of their own."""
    if all(len(whole[name]) == len(lists[name]) for name in _faults.REFERRED & lists.keys()):
        return
    faults = cast("_faults.Faults", _faults.collected())
    for name, records in lists.items():
        faults.left(path, name, list(range(len(records))))
    kept = (x.first for x in faults.found.values() if x.first.path == path)
    raise next(x for x in kept if x.place.partition("[")[0] in _faults.REFERRED)


def _whole(path: Path, records: list[Any], kind: Any, name: str) -> list[Any]:
    """The records of a list without a fault. Keep the faults of the others."""
    (record_kind,) = get_args(kind)
    whole: dict[int, Any] = {}
    faults = cast("_faults.Faults", _faults.collected())
    faults.left(path, name, list(range(len(records))))
    for number, record in enumerate(records):
        if faults.passes_over(path, name, number):
            continue
        try:
            whole[number] = msgspec.json.decode(record, type=record_kind)
        except msgspec.ValidationError:
            _keep_fault(path, record, kind, f"{name}[{number}]")
    faults.left(path, name, list(whole))
    return list(whole.values())


def _keep_fault(path: Path, record: Any, kind: Any, place: str) -> None:
    """Keep the fault of a record, in the words for a file with only this record."""
    alone = b"[%b]" % bytes(record)
    try:
        msgspec.json.decode(alone, type=kind)
    except msgspec.ValidationError as error:
        fault, inside = _split(str(error))
        words = _in_words(fault) + _length_of_list(alone, fault, inside) + _id_of_record(alone, inside)
        where = _field(fault, inside).partition("]")[2]
        _faults.keep(InputError(path, words, place=place + where))


def decode_blocks(path: Path, data: bytes, kind: type[list[T]], take: Callable[[list[T]], U]) -> list[U]:
    """What `take` makes of the records of a list, some at a time: they fit the cache, and their memory serves again.

    A cut that was not between two records leaves no valid JSON: after that, as after any fault, all are decoded at
    once, which also gives the place of the fault.
    """
    if (faults := _faults.collected()) and faults.passes_over(path):
        return [take(decode(path, data, kind))]
    decoder = msgspec.json.Decoder(kind)
    try:
        return [take(decoder.decode(b"[%b]" % data[start:stop])) for start, stop in _blocks(data)]
    except (msgspec.DecodeError, RecursionError):
        return [take(decode(path, data, kind))]


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """The records of a list, from here to there, some at a time."""
    opening, closing = _OPENING.match(data), _CLOSING.search(data, max(0, len(data) - _NEAR))
    if opening is None or closing is None:
        yield 0, len(data)  # which is no list
        return
    at = opening.end()
    while (cut := _BETWEEN.search(data, at + BLOCK)) is not None:
        yield at, cut.start() + 1
        at = cut.end()
    yield at, closing.start()


def _with_integers(data: bytes) -> bytes:
    """Write 1.0 and 1e2 as integers: pandas makes floats of a column that lacks a value."""

    def shorter(match: re.Match[bytes]) -> bytes:
        text = match[0]
        value = float(text) if text[:1] != b'"' else 0.5
        return b"%d" % value if value.is_integer() and abs(value) < _EXACT else text

    return re.sub(_STRING_OR_DECIMAL, shorter, data)


def shape_of(data: bytes) -> dict[str, Any] | list[Any] | None:
    """The outermost level of a file: its keys or its records, undecoded. None if it has neither."""
    try:
        return msgspec.json.decode(data, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return None


def fault_of(error: msgspec.DecodeError) -> tuple[str, str]:
    """What is wrong with a part of a file, and where in it."""
    fault, place = _split(str(error))
    return _in_words(fault), _field(fault, place)


def _split(message: str) -> tuple[str, str]:
    """Split a message of msgspec into the fault and its place, without the root's name."""
    match = re.fullmatch(_PLACE, message)
    return (match["fault"], (match["place"] or "").removeprefix(".")) if match else (message, "")


def _field(fault: str, place: str) -> str:
    missing = re.fullmatch(r"Object missing required field `(.*)`", fault)
    return ".".join(part for part in (place, missing[1] if missing else "") if part)


def _in_words(fault: str) -> str:
    if fault.startswith("Object missing required field"):
        return "missing"
    if match := re.fullmatch(r"Expected `array` of length (\d+)(.*)", fault):
        return f"expected {match[1]} numbers{match[2]}"
    if re.fullmatch(r"Expected `int` [<>]=.*", fault):
        return "expected integer of 64 bits"
    expected = re.fullmatch(r"Expected `(.*)`, got `(.*)`", fault)
    if not expected:
        return fault[:1].lower() + fault[1:]
    needed, got = (" or ".join(_WORDS.get(name, name) for name in names.split(" | ")) for names in expected.groups())
    return f"expected {needed}, got {got}"


def record_at(data: bytes, place: str) -> dict[str, bytes]:
    """The record that a place is in, its values undecoded; empty if it is not an object."""
    match = re.match(r"(\w*)\[(\d+)\]", place)
    try:
        record = _records(data, match[1])[int(match[2])] if match else b"{}"
        return {key: bytes(x) for key, x in msgspec.json.decode(record, type=dict[str, msgspec.Raw]).items()}
    except (msgspec.DecodeError, IndexError):  # the latter, if the file has two lists of one name
        return {}


def _id_of_record(data: bytes, place: str) -> str:
    """The `id` of the record that a place is in, if it has one."""
    match = re.match(r"(\w*)\[(\d+)\]", place)
    if not match:
        return ""
    try:
        known = msgspec.json.decode(_records(data, match[1])[int(match[2])], type=_Known).id
    except (msgspec.DecodeError, IndexError):  # the latter, if the file has two lists of one name
        return ""
    return "" if known is None else f" (id {json.dumps(known)})"


def _length_of_list(data: bytes, fault: str, place: str) -> str:
    """How many numbers a field of a record has, where another number of them was expected."""
    match = re.fullmatch(r"(\w*)\[(\d+)\]\.(\w+)", place)
    if not match or not re.fullmatch(r"Expected `array` of length \d+", fault):
        return ""
    try:
        record = msgspec.json.decode(_records(data, match[1])[int(match[2])])
    except (msgspec.DecodeError, IndexError):  # the latter, if the file has two lists of one name
        return ""
    return f", got {len(record[match[3]])}"


class _Known(msgspec.Struct):
    id: int | str | None = None


def _records(data: bytes, name: str) -> list[Any]:
    """The records of a list, undecoded: the list with that name, or the file if it is a list.

    None of a file of so many lists that only a broken or malicious one has: they would take gigabytes.
    """
    if data.count(b"[") > _MANY_LISTS:
        return []
    outer = shape_of(data)
    records = msgspec.json.decode(outer[name], type=list[msgspec.Raw]) if isinstance(outer, dict) else outer
    return records or []


def _nth_record(data: bytes, kind: Any, place: str) -> tuple[str, str] | None:
    """Decode the records of a list one by one, up to the bad one."""
    name = place.partition("[...]")[0]
    (record_kind,) = get_args(get_type_hints(kind, include_extras=True)[name] if name else kind)
    for number, record in enumerate(_records(data, name)):
        try:
            msgspec.json.decode(record, type=record_kind)
        except msgspec.ValidationError as error:
            fault, inside = _split(str(error))
            dot = "." if inside and not inside.startswith("[") else ""
            return fault, f"{name}[{number}]{dot}{inside}"
    return None


def _malformed(path: Path, data: bytes, message: str) -> InputError:
    match = re.search(r"\(byte (\d+)\)", message)
    if not match:
        end = _files.line_of(data, len(data))
        return InputError(path, f"the JSON ends inside a value ({end}): the file was cut off")
    byte = int(match[1])
    if are_lines(data):
        return InputError(path, LINES)
    near = data[byte - 1 if data[byte - 1 : byte] == b"-" else byte :][:9]
    if no_number := re.match(_NO_NUMBER, near):
        fault = f"expected number, got {no_number[0].decode()} (JSON has no such number; {_files.line_of(data, byte)})"
        return InputError(path, fault, place=_place_of_constant(data))
    fault = message.removeprefix("JSON is malformed: ").replace(match[0], "").strip()
    return InputError(path, f"not valid JSON: {fault} ({_files.line_of(data, byte)})")


def are_lines(data: bytes) -> bool:
    """Whether the first two lines are JSON, each by itself."""
    lines = data.split(b"\n", 2)[:2]
    if len(lines) < 2 or not lines[1].strip() or max(map(len, lines)) > _LONGEST_LINE:
        return False
    try:
        return len([msgspec.json.decode(line, type=dict[str, msgspec.Raw] | list[msgspec.Raw]) for line in lines]) > 1
    except (msgspec.DecodeError, RecursionError):
        return False


class _Constant:
    """Stands for NaN or Infinity, which Python's reader lets pass."""

    def __init__(self, name: str) -> None:
        self.name = name


def _place_of_constant(data: bytes) -> str:
    try:
        everything = json.loads(data, parse_constant=_Constant)
    except ValueError:
        return ""
    return _search(everything, "") or ""


def _search(x: Any, place: str) -> str | None:
    if isinstance(x, _Constant):
        return place
    if isinstance(x, dict):
        inner = ((f"{place}.{key}" if place else str(key), value) for key, value in x.items())
    elif isinstance(x, list):
        inner = ((f"{place}[{number}]", value) for number, value in enumerate(x))
    else:
        return None
    return next((result for at, value in inner if (result := _search(value, at)) is not None), None)
