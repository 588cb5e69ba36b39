"""What an evaluation of tracks adds up to: a few numbers for each sequence and class, which merge, save and load."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from omniou._lib import checks, outputs
from omniou._lib.brief import counted
from omniou.tracking._frames import Name
from omniou.tracking._numbers import Row

_KIND, _VERSION = "omniou tracking state", 1


@dataclasses.dataclass(frozen=True, slots=True)
class TrackingRules:
    """The settings that the numbers depend on.

    Attributes
    ----------
    compared : str
        What was compared, such as "bbox".
    threshold : float
        The similarity of a match for CLEAR and identity.
    as_trackeval : bool
        Whether CLEAR skips one-sided frames, and sequences with an empty side have rates of 0, as in TrackEval.
    """

    compared: str = "bbox"
    threshold: float = 0.5
    as_trackeval: bool = True


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class State:
    """Sums for each sequence and class. States of other sequences merge to the same numbers in any order.

    Attributes
    ----------
    rules : TrackingRules
        States merge where these are equal.
    sequences : mapping of str or int to int
        Number of frames of each sequence.
    classes : tuple of str or int
        Classes that were evaluated.
    rows : mapping of (sequence, class) to Row
        Sums for each class and sequence that has rows.

    Examples
    --------
    >>> from omniou import tracking
    >>> evaluator = tracking.Evaluator()
    >>> evaluator.update({"ids": [1], "boxes": [[0, 0, 9, 9]]}, {"ids": [7], "boxes": [[0, 0, 9, 9]]}, sequence="a")
    >>> kept = evaluator.state.to_bytes()
    >>> tracking.compute([tracking.State.from_bytes(kept)]).summary["HOTA"]
    1.0
    """

    rules: TrackingRules
    sequences: Mapping[Name, int]
    classes: tuple[Name, ...]
    rows: Mapping[tuple[Name, Name], Row]

    def __repr__(self) -> str:
        frames = sum(self.sequences.values())
        counts = (len(self.sequences), "sequences"), (frames, "frames"), (len(self.classes), "classes")
        told = ", ".join(counted(*x) for x in counts)
        return f"State({told}, compared by {self.rules.compared!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as bytes: read-only mappings cannot be pickled."""
        return State.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """JSON with a version and a checksum. Numbers keep all bits."""
        content = {
            "rules": dataclasses.asdict(self.rules),
            "sequences": [list(x) for x in self.sequences.items()],
            "classes": list(self.classes),
            "rows": [[*key, list(row)] for key, row in self.rows.items()],
        }
        head = {"kind": _KIND, "version": _VERSION, "checksum": _checksum(content)}
        return json.dumps(head | content).encode()

    @classmethod
    def from_bytes(cls, data: bytes, /) -> "State":
        """The state of the bytes of `to_bytes`.

        Raises
        ------
        ValueError
            If the bytes are no such state, are of a later version, or are damaged.
        """
        checks.instance("data", data, bytes, "bytes")
        try:
            content = json.loads(data)
            head = {key: content.pop(key) for key in ("kind", "version", "checksum")}
        except (ValueError, AttributeError, KeyError, TypeError):
            content, head = {}, {"kind": None}
        if head["kind"] != _KIND:
            raise ValueError(
                f"`data` must be the bytes of a tracking state, as `State.to_bytes` writes them, got {data[:40]!r}"
            )
        if head["version"] != _VERSION:
            raise ValueError(f"`data` is of version {head['version']}, this omniou reads {_VERSION}: update omniou")
        if head["checksum"] != _checksum(content):
            raise ValueError("`data` is damaged: the checksum does not fit")
        rows = {(s, c): _row(values) for s, c, values in content["rows"]}
        return cls(TrackingRules(**content["rules"]), dict(content["sequences"]), tuple(content["classes"]), rows)

    def save(self, path: Path | str, /) -> None:
        """Write the state atomically."""
        with outputs.writing(Path(path)) as file:
            file.write(self.to_bytes())

    @classmethod
    def load(cls, path: Path | str, /) -> "State":
        """Read what `save` wrote.

        Raises
        ------
        OSError, ValueError
            If the file cannot be read, or as `from_bytes`.
        """
        try:
            return cls.from_bytes(Path(path).read_bytes())
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _checksum(content: Mapping[str, Any], /) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _row(values: Sequence[Any], /) -> Row:
    return Row._make(tuple(x) if isinstance(x, list) else x for x in values)


def merge(states: Iterable[State], /) -> State:
    """Merge states of different sequences.

    Parameters
    ----------
    states : iterable of State
        At least one.

    Raises
    ------
    TypeError, ValueError
        If there are none, their rules differ, or two have the same sequence.
    """
    listed = checks.items("states", states, "a list of states")
    for k, state in enumerate(listed):
        checks.instance(f"states[{k}]", state, State, "a tracking.State")
    if not listed:
        raise ValueError("`states` must hold at least one state")
    sequences: dict[Name, int] = {}
    for state in listed:
        if state.rules != listed[0].rules:
            raise ValueError(f"states must have equal rules, got {listed[0].rules} and {state.rules}")
        if twice := [x for x in state.sequences if x in sequences]:
            raise ValueError(f"the sequence {twice[0]!r} is in two states: evaluate all frames of a sequence together")
        sequences |= state.sequences
    rows = {key: row for state in listed for key, row in state.rows.items()}
    classes = dict.fromkeys(x for state in listed for x in state.classes)
    return State(
        listed[0].rules,
        MappingProxyType({x: sequences[x] for x in sorted(sequences, key=_order)}),
        tuple(sorted(classes, key=_order)),
        MappingProxyType({key: rows[key] for key in sorted(rows, key=lambda x: tuple(map(_order, x)))}),
    )


def _order(name: Name, /) -> tuple[bool, Name]:
    """Numbers first, then names."""
    return isinstance(name, str), name
