"""Damage to bytes: to JSON and states by their structure, to other files by words and lines."""

import gzip
import io
import json
import random
import re
from typing import Any

from omniou.data.shards import _state_columns as layout
from omniou.data.shards import _state_files as state_files

WORDS = [
    *("", " ", "0", "-1", "1", "1.5", "1e308", "-1e400", "nan", "inf", "NaN", "1,5", "99999999999999999999", "0x1"),
    *(
        "true",
        "null",
        "cat",
        "a b",
        "\u202ecat",
        "=1+1",
        "'",
        '"',
        "<a>",
        "&x;",
        "../x",
        "/",
        "\0",
        "\x1b[2J",
        "\ud7ff",
    ),
    *("[", "]", "{", "}", "[[[[", '{"a": 1}', "#", "%", "é", "猫", "x" * 300),
]
VALUES = [
    *(None, True, False, -1, 0, 1, 2, 0.5, 1e300, 2**31, 2**53, 2**63, 2**70, -(2**63)),
    *("", "0", "1", "cat", "\u202e", "\0", "a/b.jpg", [], {}, [1], [[]], [0] * 5, [1e300] * 4, {"a": 1}, [None] * 4),
]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Some faults, by what the bytes are."""
    if rng.random() < 0.02:
        return rng.choice([b"", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"[" * 100_000, b"{" * 9, b"PK\x03\x04", b"\n\n"])
    if data.startswith(b"PK") and rng.random() < 0.7:
        return _of_state(data, rng)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        data = _damaged_once(data, rng)
    if rng.random() < 0.05:
        data = gzip.compress(data)
        return data if rng.random() < 0.5 else _of_bytes(data, rng)
    return data


def _damaged_once(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.15:
        return _of_bytes(data, rng)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _of_words(data, rng) if data.isascii() else _of_bytes(data, rng)
    return json.dumps(_of_json(value, rng)).encode()


def _places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(x for key, item in inner for x in _places(item, (*place, key)))]


def _of_json(value: Any, rng: random.Random) -> Any:
    places = _places(value)
    shallow = [x for x in places if len(x) <= 3]
    place = rng.choice(shallow if rng.random() < 0.5 else places)
    if not place:
        return rng.choice(VALUES)
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    key, how = place[-1], rng.random()
    if how < 0.25:
        del inner[key]
    elif how < 0.75:
        inner[key] = rng.choice(VALUES)
    elif isinstance(inner, list):
        inner.insert(rng.randint(0, len(inner)), rng.choice([inner[key], rng.choice(VALUES)]))
    else:
        inner[rng.choice([f"{key}2", *inner])] = rng.choice([inner[key], rng.choice(VALUES)])
    return value


def _of_words(data: bytes, rng: random.Random) -> bytes:
    """Words are what stands between blanks, commas and marks of markup."""
    parts = re.split(r"(\s+|[,;<>=\"/:]+)", data.decode())
    k = rng.randrange(len(parts))
    how = rng.random()
    if how < 0.6:
        parts[k] = rng.choice(WORDS)
    elif how < 0.8:
        parts[k] = rng.choice([" ", "\n", ",", "\t", "", "\r\n"]) if parts[k].strip() == "" else ""
    else:
        lines = data.decode().splitlines()
        line = rng.choice(lines) if lines else ""
        lines.insert(rng.randint(0, len(lines)), rng.choice([line, line[: len(line) // 2], line * 2]))
        return "\n".join(lines).encode()
    return "".join(parts).encode()


def _of_bytes(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return bytes([rng.randrange(256)])
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    how = rng.randrange(5)
    if how == 0:
        return data[:a]
    if how == 1:
        return data[:a] + data[b:]
    if how == 2:
        return data[:b] + data[a:]
    if how == 3:
        return data[:a] + rng.choice(WORDS).encode() + data[a:]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 4])):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed)


def _of_state(data: bytes, rng: random.Random) -> bytes:
    """Another head, or other columns, and the checksum that fits them."""
    try:
        head, columns = state_files.read_npz(io.BytesIO(data))
    except Exception:  # noqa: BLE001  (an archive that is damaged already)
        return _of_bytes(data, rng)
    if rng.random() < 0.3:
        head = _of_json(head, rng)
    name = rng.choice(list(columns))
    x, how = columns[name], rng.random()
    if how < 0.2:
        del columns[name]
    elif how < 0.4:
        columns[name] = x[: len(x) // 2]
    elif how < 0.6:
        columns[name] = x.astype(rng.choice(["f4", "f8", "i1", "i8", "u1", "u8", "?", "S3"]))
    elif x.size:
        columns[name] = x = x.astype(rng.choice([x.dtype, "f8" if x.dtype.kind == "f" else "i8"]))
        x.reshape(-1)[rng.randrange(x.size)] = float("nan") if x.dtype.kind == "f" else rng.choice([0, 1, 100, 127])
    if isinstance(head, dict):
        bare = {key: value for key, value in head.items() if key != "checksum"}
        try:
            head = bare | {"checksum": layout._checksum(bare, columns)}
        except TypeError:
            return data
    out = io.BytesIO()
    state_files.write_npz(out, head, columns)
    return out.getvalue()
