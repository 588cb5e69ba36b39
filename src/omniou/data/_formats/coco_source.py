"""The records of COCO's JSON with all fields, for commands that write them again."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from omniou.data import _json
from omniou.data._formats.file_rows import Column, Place
from omniou.data._rest import Record


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class CocoSource:
    """A file of ground truth, or the files of detections; `place` says where a row is."""

    path: Path
    place: Callable[[int, str], Place]

    def records(self, rows: Column, /) -> list[Record]:
        """The records of rows."""
        places = [self.place(row, "") for row in rows.tolist()]
        lists: dict[Path, Any] = {path: _list(path) for path in {x.path for x in places}}
        numbers = [int(x.place[x.place.index("[") + 1 : x.place.index("]")]) for x in places]
        return [msgspec.json.decode(lists[x.path][k]) for x, k in zip(places, numbers, strict=True)]

    def outer(self) -> Record:
        """All of a ground truth but its annotations."""
        outer = _json.shape_of(_json.read(self.path))
        every = outer if isinstance(outer, dict) else {}
        return {name: msgspec.json.decode(x) for name, x in every.items() if name != "annotations"}


def _list(path: Path) -> Any:
    """The records of a file, undecoded."""
    outer = _json.shape_of(_json.read(path))
    return _json.shape_of(bytes(outer["annotations"])) if isinstance(outer, dict) else outer
