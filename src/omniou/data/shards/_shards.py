"""A data set in shards: whole images each, evaluated apart by any engine that maps and reduces, and merged exactly.

`find` lists the shards of what was given, `Rules.listing` and `united` find the classes of all, `Rules.part` turns one
into a `Part`, and `merge` adds parts in any order. `omniou_integrations.dask` is one engine that does so.
"""

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from omniou import detection
from omniou._catalogue.geometry import Geometry
from omniou._inputs.kinds import KINDS
from omniou._inputs.names import united as united_names
from omniou._lib import backends
from omniou._lib.findings import Finding
from omniou.data import _dispatch
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats import parquet
from omniou.data._names import Listed, counted
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming
from omniou.data.shards import states
from omniou.data.shards._shard_files import Shard, option_text
from omniou.detection import _similarities as similarities
from omniou.detection._presets import named
from omniou.detection.curves._state import State
from omniou.detection.curves._state import merge as merged

Column = npt.NDArray[Any]
Both: TypeAlias = tuple[GroundTruth, detection.Detections[Column]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How shards are read and evaluated: all the same way.

    Attributes
    ----------
    protocol, kind, score, offset, class_agnostic, thresholds, higher_is_better
        The same as for `omniou.detection.evaluate`.
    similarity : callable, optional
        A function, as there: of the column ``payload`` of tables, else of the shapes that were read. No matrices or
        pairs, whose places in an image are those of a shard.
    options : Options
        Of both readers.
    formats : pair of str or None
        Names of `omniou.data.FORMATS`: of the objects and of the detections. Default: as their content tells.

    Raises
    ------
    TypeError, ValueError
        If arguments of similarities and of shapes do not go together, or `similarity` is not a function.
    """

    protocol: detection.Protocol | str | None = None
    kind: Any = None
    score: Any = None
    offset: float = 0.0
    class_agnostic: bool = False
    options: Options = DEFAULT
    formats: tuple[str | None, str | None] = (None, None)
    similarity: Callable[[Any, Any], Any] | None = None
    thresholds: Sequence[float] | None = None
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        """Check the rules before anything is read."""
        of_shapes = {"kind": self.kind, "score": self.score, "offset": self.offset}
        if not similarities.asked(self.similarity, self.thresholds, self.higher_is_better, **of_shapes):
            return
        if not callable(self.similarity):
            raise TypeError(
                f"`similarity` must be a function of payloads for shards, got {type(self.similarity).__name__}: "
                'docs/dask.md, "Similarities of your own", has the way for matrices and pairs'
            )
        rules = similarities.rules(named(self.protocol), self.thresholds, higher_is_better=self.higher_is_better)
        object.__setattr__(self, "thresholds", rules.iou_thresholds)

    @property
    def key(self) -> str:
        """What states depend on, the same in all processes: equal for rules that give equal states.

        Raises
        ------
        ValueError
            If the states depend on a function of the caller's: a text cannot tell whether it was edited.
        """
        options = {
            field.name: option_text(getattr(self.options, field.name))
            for field in dataclasses.fields(self.options)
            if field.name not in {"track", "max_unpacked"}
        }
        own = self.protocol is None  # the rules of the files' format, else of the kind
        called = [_called(name, getattr(self, name)) for name in ("kind", "score", "similarity")]
        protocol = named(self.protocol, kind=self.kind or "bbox", class_agnostic=self.class_agnostic)
        of_similarity = (self.thresholds, self.higher_is_better)
        fields = (own, protocol, *called, *of_similarity, self.offset, self.formats, options)
        return " ".join(map(str, fields))

    def listing(self, shard: Shard) -> Listed:
        """The classes that the objects of a shard know of.

        Parameters
        ----------
        shard : Shard

        Raises
        ------
        InputError
            The message names the file, the record and the field.
        """
        return _listed(self._truth(shard))

    def listing_of_table(self, name: str, targets: Any) -> Listed:
        """The classes that a table of Arrow has. One row of each class is enough.

        Parameters
        ----------
        name : str
            For messages.
        targets : pyarrow.Table
            Objects, with the columns of Parquet files, or with a column ``payload`` in place of shapes for a
            `similarity`.

        Raises
        ------
        InputError
            The message names the row and the column.
        """
        return _listed(parquet.truth_of(self._objects(name, targets)))

    def part(self, shard: Shard, categories: Listed | None = None) -> "Part":
        """Read a shard and match its detections.

        Parameters
        ----------
        shard : Shard
        categories : Listed, optional
            All classes, if a shard may not know the classes of the others; see `united`.

        Raises
        ------
        InputError
            The message names the file, the record and the field.
        """
        options = dataclasses.replace(self.options, image_set=shard.images)

        def read() -> Both:
            truth = known(self._truth(shard), categories)
            return truth, _dispatch.read_detections(shard.detections, truth, self.formats[1], options)

        return self._part(shard.name, read, sum(x.stat().st_size for x in shard.files()))

    def part_of_tables(self, name: str, targets: Any, detections: Any, categories: Listed | None = None) -> "Part":
        """Match the detections of two tables of Arrow, with the columns that `listing_of_table` takes.

        Parameters
        ----------
        name : str
            For messages.
        targets, detections : pyarrow.Table
            All rows of some images.
        categories : Listed, optional
            All classes, if these tables may not know the classes of others; see `united`.

        Raises
        ------
        InputError
            Likewise.
        """

        def read() -> Both:
            truth = known(parquet.truth_of(self._objects(name, targets)), categories)
            found = self._table(f"{name} of the detections", detections, ("score",))
            return truth, parquet.detections_of(found, truth)

        return self._part(name, read, targets.nbytes + detections.nbytes)

    def _objects(self, name: str, targets: Any) -> Any:
        return self._table(f"{name} of the objects", targets, ())

    def _table(self, name: str, table: Any, needed: tuple[str, ...]) -> Any:
        return parquet.in_memory(name, table, self.options, needed, payload=self.similarity is not None)

    def _truth(self, shard: Shard) -> GroundTruth:
        options = self.options if shard.images is None else dataclasses.replace(self.options, image_set=shard.images)
        return _dispatch.read_ground_truth(shard.targets, self.formats[0], options)

    def _part(self, name: str, read: Callable[[], Both], read_bytes: int) -> "Part":
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            truth, found = read()
            result = detection.evaluate(
                truth,
                found,
                protocol=self.protocol,
                kind=self.kind,
                score=self.score,
                offset=self.offset,
                class_agnostic=self.class_agnostic,
                similarity=self.similarity,
                thresholds=self.thresholds,
                higher_is_better=self.higher_is_better,
            )
        findings = tuple(x.message.finding for x in caught if isinstance(x.message, InputWarning))
        crowds = 0 if truth.targets.crowd is None else int(np.count_nonzero(truth.targets.crowd))
        size = Size(len(truth.images), len(truth.flagged), crowds, len(cast("Column", found.labels)), read_bytes)
        return Part(names=(name,), state=states.dumps(result.state), size=size, findings=findings)


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


def united(listings: Sequence[Listed]) -> Listed | None:
    """The classes of all shards; None where each lists all of them itself, or `merge` will say that they differ.

    Parameters
    ----------
    listings : sequence of Listed
        What `Rules.listing` returned of each shard.

    Returns
    -------
    Listed, optional
        What `Rules.part` takes as `categories`.
    """
    # A shard without objects does not tell whether classes are numbers or names.
    listed = [x for x in listings if x.names]
    owned = {x.naming.own for x in listed}
    if all(x.naming.complete for x in listings) or len(owned) > 1:
        return None
    if owned != {False}:
        names = {id: name for x in listed for id, name in x.names.items()}
        return Listed(dict(sorted(names.items())), Naming(complete=False))
    return counted((name for x in listed for name in x.names.values()), complete=False)


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


def _called(name: str, x: Any) -> str:
    """A kind, a score or a similarity as text. Raise for functions that may be edited under one name."""
    if not (callable(x) or isinstance(x, Geometry)):
        return str(x)  # a name, or a skeleton with all its numbers
    own = x.__module__ if callable(x) else "omniou" if any(x is KINDS[kind] for kind in KINDS) else ""
    if own.partition(".")[0] != "omniou":
        raise ValueError(
            f"`checkpoint` must be left out where `{name}` is your own: it would not see an edit, and give old numbers"
        )
    return f"{own}.{getattr(x, '__qualname__', getattr(x, 'name', x))}"


def _listed(truth: GroundTruth) -> Listed:
    return Listed(truth.categories, truth.category_naming)


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
