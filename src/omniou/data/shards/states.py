"""The state of a detection evaluation as a file or as bytes: shards that are evaluated apart are merged later.

An uncompressed ``.npz`` archive of plain arrays, never a pickle, or a file of Arrow, ``.arrow``, which is mapped into
memory when it is read. Both have a version and a checksum. A detection takes about 8 bytes with scores of float32
precision, and 12 with scores of float64.
"""

import dataclasses
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from omniou._lib import outputs
from omniou._lib.extras import MissingLibraryError
from omniou.data._errors import InputError
from omniou.data.shards import _state_columns as layout
from omniou.data.shards import _state_files as files
from omniou.detection import PRESETS, Protocol
from omniou.detection.curves._state import State

__all__ = ["Description", "describe", "dumps", "load", "loads", "save"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What is in the file of a state.

    Attributes
    ----------
    version : int
        Version of the layout of the file.
    protocol : str
        The name of the preset that it is equal to, or "custom".
    kind : str
        What was compared, such as "bbox".
    images, classes, objects, detections, matched, surplus : int
        Images, classes; objects that count; detections that are kept, that meet an object, and that are above the
        protocol's limit.
    class_names : list of str
        As far as they are known.
    bytes : int
        Of the file.
    checksum : str
    """

    version: int
    protocol: str
    kind: str
    images: int
    classes: int
    objects: int
    detections: int
    matched: int
    surplus: int
    class_names: list[str]
    bytes: int
    checksum: str


def save(state: State, path: Path | str) -> None:
    """Write a state, such as `Evaluator.state`, atomically.

    Parameters
    ----------
    state : State
        A state with arrays of any library; NumPy writes it.
    path : path
        Ending in ``.arrow`` for Arrow, which needs pyarrow; else an archive, by custom ``.npz``. A file of that name is
        replaced.

    Raises
    ------
    MissingLibraryError
        For Arrow without pyarrow.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from omniou import detection
    >>> from omniou.data import states
    >>> evaluator = detection.Evaluator()
    >>> evaluator.update([{"boxes": [[0, 0, 9, 9]], "labels": [1]}],
    ...                  [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.5]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "shard.npz")
    ...     states.save(evaluator.state, path)
    ...     detection.compute([states.load(path)]).summary["AR1"]
    1.0
    """
    path = Path(path)
    write = files.write_arrow if path.suffix.lower() == ".arrow" else files.write_npz
    head, columns = layout.packed(state)
    with outputs.writing(path) as file:
        write(file, head, columns)


def load(path: Path | str) -> State:
    """Read what `save` wrote, of either kind. A file of Arrow is mapped, not copied, before its columns are widened.

    Raises
    ------
    InputError
        If the file cannot be read, is not a state, is of another version, or is damaged.
    MissingLibraryError
        For Arrow without pyarrow.
    """
    return _read(Path(path), files.read)[0]


def dumps(state: State) -> bytes:
    """The bytes of the archive that `save` would write: for queues, databases and engines that pass bytes on.

    Examples
    --------
    >>> from omniou import detection
    >>> from omniou.data import states
    >>> state = detection.Evaluator().state
    >>> detection.compute([states.loads(states.dumps(state))]).to_dict()["counts"]
    {'images': 0, 'classes': 0, 'objects': 0, 'detections': 0}
    """
    out = io.BytesIO()
    files.write_npz(out, *layout.packed(state))
    return out.getvalue()


def loads(data: bytes) -> State:
    """The state of the bytes of `dumps`, or of a file of either kind.

    Raises
    ------
    InputError
        The same as `load`.
    """
    return _read(Path("<bytes>"), lambda _: files.read_bytes(data))[0]


def describe(path: Path | str) -> Description:
    """What a file holds.

    Raises
    ------
    InputError, MissingLibraryError
        The same as `load`.
    """
    path = Path(path)
    state, head = _read(path, files.read)
    every = (1 << len(state.protocol.area_ranges)) - 1
    return Description(
        version=head["version"],
        protocol=_called(state.protocol),
        kind=state.kind,
        images=len(state.images),
        classes=len(state.classes),
        objects=int(((state.ranges & every) != 0).sum()),
        detections=len(state.scores),
        matched=len(state.rows),
        surplus=state.surplus,
        class_names=[state.names.classes.get(int(id), str(int(id))) for id in state.classes],
        bytes=path.stat().st_size,
        checksum=head["checksum"],
    )


def _called(protocol: Protocol) -> str:
    with_classes = dataclasses.replace(protocol, class_agnostic=False)
    name = next((name for name, x in PRESETS.items() if x == with_classes), "custom")
    return f"{name}, all classes as one" if protocol.class_agnostic else name


def _read(path: Path, source: Callable[[Path], files.Content]) -> tuple[State, dict[str, Any]]:
    try:
        head, columns = source(path)
        return layout.unpacked(head, columns), head
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except layout.NoStateError as error:
        raise InputError(path, str(error)) from None
    except MissingLibraryError:
        raise
    except Exception as error:  # noqa: BLE001  (a file can be damaged in many ways, each with an error of its own)
        raise InputError(path, f"not the state of an evaluation, or damaged: {error}") from None
