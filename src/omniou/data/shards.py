"""A data set in shards: whole images each, evaluated apart by any engine that maps and reduces, and merged exactly.

`find` lists the shards of what was given, `listing` and `united` find the classes of all, `evaluate` turns one into a
`Part`, and `merge` adds parts in any order. Nothing here knows an engine: `omniou_integrations.dask` is one that uses it.
"""

import dataclasses
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from omniou import detection
from omniou._lib import backends
from omniou.data import _dispatch, states
from omniou.data._errors import InputError, InputWarning
from omniou.data._findings import Finding
from omniou.data._names import Listed, counted
from omniou.data._options import DEFAULT, Options
from omniou.data._shard_files import IMAGES, Shard, find
from omniou.data._truth import GroundTruth, Naming
from omniou.detection._named import united as united_names
from omniou.detection._state import State
from omniou.detection._state import merge as merged

Column = npt.NDArray[Any]

__all__ = ["IMAGES", "Part", "Rules", "Shard", "SplitImageError", "evaluate", "find", "listing", "merge", "united"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How shards are read and evaluated: all the same way.

    Attributes
    ----------
    protocol, kind, score, offset
        As `omniou.detection.evaluate` takes them.
    options : Options
        Of both readers.
    formats : pair of str or None
        Names of `omniou.data.FORMATS`: of the objects and of the detections. Default: as their content tells.
    categories : Listed, optional
        All classes, where one shard may not know those of the others; see `united`.
    """

    protocol: detection.Protocol | str = "coco"
    kind: Any = "bbox"
    score: Any = None
    offset: float = 0.0
    options: Options = DEFAULT
    formats: tuple[str | None, str | None] = (None, None)
    categories: Listed | None = None


class Size(NamedTuple):
    """How much was read."""

    images: int = 0
    objects: int = 0
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
        Of `omniou.data.states`; None where none of the shards could be read.
    size : Size
    findings : tuple of Finding
        Warnings.
    unreadable : tuple of str
        Messages about shards that could not be read, where they are to be left out.
    """

    names: tuple[str, ...]
    state: bytes | None
    size: Size = NOTHING
    findings: tuple[Finding, ...] = ()
    unreadable: tuple[str, ...] = ()


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
        """From other processes."""
        return type(self), (self.image, self.names)


def listing(shard: Shard, rules: Rules) -> Listed:
    """The classes that the objects of a shard know of."""
    truth = _truth(shard, rules)
    return Listed(truth.categories, truth.category_naming)


def united(listings: Sequence[Listed]) -> Listed | None:
    """The classes of all shards; None where each lists all of them itself."""
    if not listings or all(x.naming.complete for x in listings):
        return None
    if any(x.naming.own for x in listings):
        names = {id: name for x in listings for id, name in x.names.items()}
        return Listed(dict(sorted(names.items())), Naming(complete=False))
    return counted((name for x in listings for name in x.names.values()), complete=False)


def evaluate(shard: Shard, rules: Rules) -> Part:
    """Read a shard and match its detections.

    Raises
    ------
    InputError
        Naming the file, the record and the field.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        truth = known(_truth(shard, rules), rules.categories)
        options = dataclasses.replace(rules.options, image_set=shard.images)
        found = _dispatch.read_detections(shard.detections, truth, rules.formats[1], options)
        result = detection.evaluate(
            truth, found, protocol=rules.protocol, kind=rules.kind, score=rules.score, offset=rules.offset
        )
    findings = tuple(x.message.finding for x in caught if isinstance(x.message, InputWarning))
    read = sum(x.stat().st_size for x in shard.files())
    size = Size(len(truth.images), len(truth.flagged), len(cast("Column", found.scores)), read)
    return Part(names=(shard.name,), state=states.dumps(result.state), size=size, findings=findings)


def merge(parts: Sequence[Part]) -> Part:
    """One part of several, whose order plays no part for its numbers.

    Raises
    ------
    SplitImageError
        If an image is in two of them.
    InputError
        If they are by different protocols, of different kinds, or call classes differently: named by shard.
    """
    given = [(part, states.loads(part.state)) for part in parts if part.state is not None]
    for part, state in given[1:]:
        _check_alike(part, state, *given[0])
    size = Size(*(sum(x) for x in zip(*(part.size for part in parts), strict=True)))
    return Part(
        names=tuple(name for part in parts for name in part.names),
        state=_merged(given) if given else None,
        size=size,
        findings=tuple(dict.fromkeys(x for part in parts for x in part.findings)),
        unreadable=tuple(x for part in parts for x in part.unreadable),
    )


def known(truth: GroundTruth, categories: Listed | None) -> GroundTruth:
    """A ground truth in terms of all classes."""
    if categories is None:
        return truth
    labels = truth.targets.labels
    if not categories.naming.own:
        place = {name: id for id, name in categories.names.items()}
        order = sorted(truth.categories)
        ids = np.array([place[truth.categories[id]] for id in order], dtype=np.int64)
        labels = ids[np.searchsorted(order, labels)] if order else labels
    return dataclasses.replace(
        truth,
        targets=dataclasses.replace(truth.targets, labels=labels),
        categories=dict(categories.names),
        category_naming=categories.naming,
    )


def _truth(shard: Shard, rules: Rules) -> GroundTruth:
    options = rules.options if shard.images is None else dataclasses.replace(rules.options, image_set=shard.images)
    return _dispatch.read_ground_truth(shard.targets, rules.formats[0], options)


def _check_alike(part: Part, state: State, first: Part, other: State) -> None:
    """Raise, naming both, where two states do not go together."""
    here, there = part.names[0], first.names[0]
    for field in dataclasses.fields(state.protocol):
        ours, theirs = (getattr(x.protocol, field.name) for x in (state, other))
        if ours != theirs:
            raise InputError(here, f"its protocol is not that of {there}: {field.name} is {ours}, and {theirs} there")
    if state.kind != other.kind:
        raise InputError(here, f"its kind is {state.kind!r}, and that of {there} {other.kind!r}")
    try:
        united_names([other.names, state.names])
    except ValueError as error:
        raise InputError(here, f"its classes are not those of {there}: {error}") from None


def _merged(given: Sequence[tuple[Part, State]]) -> bytes:
    try:
        return states.dumps(merged([state for _, state in given], xp=backends.numpy_namespace()))
    except ValueError:
        owner: dict[Any, Part] = {}
        for part, state in given:
            for id in state.images.tolist():
                image = state.names.images.get(id, str(id))
                if image in owner:
                    raise SplitImageError(image, (*owner[image].names, *part.names)) from None
                owner[image] = part
        raise
