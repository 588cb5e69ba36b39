"""A data set in shards: whole images each, evaluated apart by any engine that maps and reduces, and merged exactly.

`find` lists the shards of what was given, `Rules.listing` and `united` find the classes of all, `Rules.part` turns one
into a `Part`, and `merge` adds parts in any order. `omniou_integrations.dask` is one engine that does so.
"""

import dataclasses
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from omniou import detection
from omniou._catalogue.geometry import Geometry
from omniou._inputs.kinds import KINDS
from omniou.data import _dispatch
from omniou.data._errors import InputWarning
from omniou.data._formats import parquet
from omniou.data._names import Listed, counted
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming
from omniou.data.shards import states
from omniou.data.shards._parts import Part, Size
from omniou.data.shards._shard_files import Shard, option_text
from omniou.detection import _similarities as similarities
from omniou.detection._presets import named

Column = npt.NDArray[Any]
Both: TypeAlias = tuple[GroundTruth, detection.Detections[Column]]

# Warnings are caught for the whole process: of two threads, one would get those of the other, or none.
_ONE_READER = threading.Lock()


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

    def part(self, shard: Shard, categories: Listed | None = None) -> Part:
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

    def part_of_tables(self, name: str, targets: Any, detections: Any, categories: Listed | None = None) -> Part:
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

    def _part(self, name: str, read: Callable[[], Both], read_bytes: int) -> Part:
        with _ONE_READER, warnings.catch_warnings(record=True) as caught:
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
            missing_scores=self.options.missing_scores,
            similarity=self.similarity,
            thresholds=self.thresholds,
            higher_is_better=self.higher_is_better,
        )
        findings = tuple(x.message.finding for x in caught if isinstance(x.message, InputWarning))
        crowds = 0 if truth.targets.crowd is None else int(np.count_nonzero(truth.targets.crowd))
        size = Size(len(truth.images), len(truth.flagged), crowds, len(cast("Column", found.labels)), read_bytes)
        return Part(names=(name,), state=states.dumps(result.state), size=size, findings=findings)


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
            f"`checkpoint` must not be given where `{name}` is your own: a checkpoint gives old numbers after an edit"
        )
    return f"{own}.{getattr(x, '__qualname__', getattr(x, 'name', x))}"


def _listed(truth: GroundTruth) -> Listed:
    return Listed(truth.categories, truth.category_naming)
