"""What came of shards, added in any order: sizes, findings, and states as bytes."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._inputs.names import united as united_names
from omniou._lib import backends
from omniou._lib.findings import Finding
from omniou.data._errors import InputError
from omniou.data.shards import states
from omniou.detection.curves._state import State
from omniou.detection.curves._state import merge as merged


class Size(NamedTuple):
    """How much was read.

    Attributes
    ----------
    images, objects, crowds, detections : int
        Crowds are among the objects.
    bytes : int
        Of the files, or of the tables in memory.
    """

    images: int = 0
    objects: int = 0
    crowds: int = 0
    detections: int = 0
    bytes: int = 0


NOTHING = Size()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What came of one shard, or of several: plain values and bytes, which any engine can pass on.

    Attributes
    ----------
    names : tuple of str
        Of the shards.
    state : bytes, optional
        Of `omniou.data.shards.states`; None where none of the shards could be read.
    size : Size
    findings : tuple of Finding
        Warnings.
    unreadable : tuple of str
        Messages about shards that could not be read, where they are to be excluded.
    inputs : tuple of (str, int, str)
        Name, size and SHA-256 of the files, where somebody asks for them.
    formats : tuple of str
        Formats of the objects and of the detections, where somebody asks for them.
    """

    names: tuple[str, ...]
    state: bytes | None
    size: Size = NOTHING
    findings: tuple[Finding, ...] = ()
    unreadable: tuple[str, ...] = ()
    inputs: tuple[tuple[str, int, str], ...] = ()
    formats: tuple[str, ...] = ()


class Whole(NamedTuple):
    """What came of all shards.

    Attributes
    ----------
    part : Part
        Without its state.
    state : State, optional
        What `omniou.detection.compute` takes; None where none of the shards could be read.
    """

    part: Part
    state: State | None


class SplitImageError(ValueError):
    """An image in two shards.

    Attributes
    ----------
    image : str
        Its name or id.
    names : tuple of str
        The shards among which are the two.
    """

    def __init__(self, image: str, names: tuple[str, ...]) -> None:
        self.image, self.names = image, names
        where = f"{names[0]} and {names[1]}" if len(names) == 2 else f"two of {len(names)} shards"
        super().__init__(f"image {image!r} is in {where}: a shard must have all rows of its images")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle for other processes."""
        return type(self), (self.image, self.names)


def merge(parts: Sequence[Part]) -> Part:
    """One part of several, whose order has no effect on its numbers.

    Parameters
    ----------
    parts : sequence of Part
        Of other images each.

    Raises
    ------
    SplitImageError
        If an image is in two of them.
    InputError
        If they are by different protocols, of different kinds, or call classes or images differently: named by shard.
    """
    part, state = whole(parts)
    return dataclasses.replace(part, state=None if state is None else states.dumps(state))


def whole(parts: Sequence[Part]) -> Whole:
    """What `merge` makes, with the state as it is: for the last merge, whose state is computed with.

    Parameters
    ----------
    parts : sequence of Part
        Of other images each.

    Raises
    ------
    SplitImageError, InputError
        Likewise.
    """
    given = [(part, states.loads(part.state)) for part in parts if part.state is not None]
    # All are compared with one that has images and classes: without any, it would not tell what they are called.
    telling = max(given, key=lambda x: bool(x[1].names.classes) + bool(len(x[1].images)), default=None)
    for part, state in given:
        if telling is not None:
            _check_alike(part, state, *telling)
    size = Size(*(sum(x) for x in zip(*(part.size for part in parts), strict=True)))
    part = Part(
        names=tuple(name for part in parts for name in part.names),
        state=None,
        size=size,
        findings=tuple(dict.fromkeys(x for part in parts for x in part.findings)),
        unreadable=tuple(x for part in parts for x in part.unreadable),
        inputs=tuple(x for part in parts for x in part.inputs),
        formats=next((part.formats for part in parts if part.formats), ()),
    )
    return Whole(part, _merged(given) if given else None)


def _check_alike(part: Part, state: State, first: Part, other: State) -> None:
    """Raise, naming both, where two states do not go together."""
    here, there = part.names[0], first.names[0]
    for field in dataclasses.fields(state.protocol):
        mine, expected = (getattr(x.protocol, field.name) for x in (state, other))
        if mine != expected:
            raise InputError(here, f"its protocol differs from {there}: {field.name} is {mine}, and {expected} there")
    if state.kind != other.kind:
        raise InputError(here, f"its kind is {state.kind!r}, and the kind of {there} is {other.kind!r}")
    try:
        united_names([other.names, state.names])
    except ValueError as error:
        raise InputError(here, f"its classes differ from {there}: {error}") from None
    if len(state.images) and bool(state.names.images) != bool(other.names.images):
        how = ("names", "numbers") if state.names.images else ("numbers", "names")
        raise InputError(here, f"its images are {how[0]}, and the images of {there} are {how[1]}")


def _merged(given: Sequence[tuple[Part, State]]) -> State:
    try:
        return merged([state for _, state in given], xp=backends.numpy_namespace())
    except ValueError:
        owner: dict[Any, Part] = {}
        for part, state in given:
            for id in state.images.tolist():
                image = state.names.images.get(id, str(id))
                if image in owner:
                    raise SplitImageError(image, (*owner[image].names, *part.names)) from None
                owner[image] = part
        raise
