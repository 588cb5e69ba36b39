"""One evaluation of shards on a cluster: their classes, their parts, and what is told of both."""

import collections
import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from distributed import Client

from omniou._lib import checks
from omniou.data import Finding, InputError, Options, shards
from omniou.data._errors import UnknownImageError
from omniou.data.shards import Part, Shard, Size, SplitImageError, Whole, states
from omniou.data.shards._shard_files import UnpairedError
from omniou.data.shards.checkpoints import Checkpoint
from omniou.detection.curves._state import State
from omniou_integrations.dask import _frames as frames
from omniou_integrations.dask import _tree as tree

# How many shards are done, how many there are, and how much was read so far.
Progress = Callable[[int, int, Size], None]

# More shards than this are merged by eights before they come back.
_MANY = 128
_SPLITS = ("regroup", "error")
_ARROW = {".parquet", ".arrow", ".feather"}


class Maker(Protocol):
    """The part of `omniou.data.shards.Rules` that a run needs."""

    @property
    def options(self) -> Options:
        """Options of the readers."""
        ...

    @property
    def formats(self) -> tuple[str | None, str | None]:
        """The formats of ground truth and detections as they were given."""
        ...

    @property
    def key(self) -> str:
        """A text of everything that states depend on, the same in all processes."""
        ...

    def listing(self, shard: Shard, /) -> Any:
        """The classes that the objects of a shard know of."""
        ...

    def part(self, shard: Shard, /, categories: Any = None) -> Part:
        """The part of a shard."""
        ...

    def part_of_tables(self, name: str, targets: Any, detections: Any, categories: Any = None, /) -> Part:
        """The part of two tables of Arrow."""
        ...


@dataclasses.dataclass
class Run:
    """How shards are run, and how much was read of them.

    `told` of a part, on its worker, is what `heard` has in the calling process as soon as the part is there.
    """

    cluster: Client
    skip: bool = False
    fan_in: int = tree.FAN_IN
    progress: Progress | None = None
    told: Callable[[Any], tuple[Size, Any]] | None = None
    heard: list[Any] = dataclasses.field(default_factory=list)
    read: Size = shards.NOTHING

    def __call__(
        self,
        targets: Any,
        detections: Any,
        rules: Maker,
        *,
        split: str = "regroup",
        count: int | None = None,
        checkpoint: Path | str | None = None,
    ) -> Whole:
        """All shards: files, as `omniou.data.shards.find` takes them, or two DataFrames."""
        split = checks.choice("split", split, _SPLITS)
        both = targets, detections
        if any(map(frames.is_frame, both)):
            _check_frames(both, checkpoint)
            return self.of_frames(both, rules, split=split, count=count)
        found: Sequence[Shard] = []
        try:
            found = shards.find(*both, options=rules.options, names=rules.formats, count=count)
            return self.of_files(found, rules, checkpoint)
        except (SplitImageError, UnknownImageError, UnpairedError) as error:
            paired = [x.targets for x in found], [x.detections for x in found]
            files = error.files if isinstance(error, UnpairedError) else paired
            if split == "error" or checkpoint is not None or not _are_parquet(files):
                raise self.named(error, found, rules) if isinstance(error, SplitImageError) else error from None
            return self.of_frames([frames.of_files(x) for x in files], rules, split=split, count=count)

    def of_files(self, found: Sequence[Shard], rules: Maker, checkpoint: Path | str | None) -> Whole:
        """Shards of files, all of which know the same classes."""
        key = None if checkpoint is None else rules.key
        classes = self._classes(found, rules)
        make = functools.partial(_made, rules=rules, classes=classes, skip=self.skip)
        if checkpoint is None:
            return self._reduced(found, make)
        kept = Checkpoint(Path(checkpoint).absolute(), f"{key} {classes}")
        with kept.held():
            return self._reduced(found, functools.partial(make, checkpoint=kept))

    def of_frames(self, both: Sequence[Any], rules: Maker, *, split: str, count: int | None) -> Whole:
        """Two DataFrames."""
        classes = shards.united([frames.listing(both[0])])
        parts = frames.partitions(both[0], both[1], self.cluster, split=split, count=count)
        return self._reduced(parts, functools.partial(frames.evaluate, rules=rules, categories=classes))

    def _reduced(self, found: Sequence[Any], make: Callable[[Any], Part]) -> Whole:
        self.read, self.heard = shards.NOTHING, []  # what came before rows were regrouped does not count
        # States grow as they are merged: more levels would hold much of the data in one task, and one gains only where
        # there are many small ones.
        whole = tree.reduced(
            found,
            make,
            shards.merge,
            client=self.cluster,
            fan_in=self.fan_in,
            levels=int(len(found) > _MANY),
            told=self.told or size_of,
            progress=self._report,
        )
        return shards.whole(whole)

    def named(self, error: SplitImageError, found: Sequence[Shard], rules: Maker) -> SplitImageError:
        """The error with the names of the two shards that have the image."""
        among = [x for x in found if x.name in set(error.names)]
        has = functools.partial(_has_image, image=error.image, rules=rules)
        holds = self.cluster.gather(self.cluster.map(has, among, pure=False))
        names = [x.name for x, held in zip(among, holds, strict=True) if held]
        return SplitImageError(error.image, (names[0], names[1])) if len(names) > 1 else error

    def _classes(self, found: Sequence[Shard], rules: Maker) -> Any:
        """The classes of all shards; None where each file lists them itself, as the first one does."""
        listed = functools.partial(_listed, rules=rules, skip=self.skip)
        first = self.cluster.submit(listed, found[0], pure=False).result()
        if first is not None and first.naming.complete:
            return None
        rest = self.cluster.gather(self.cluster.map(listed, found[1:], pure=False))
        return shards.united([x for x in (first, *rest) if x is not None])

    def _report(self, done: int, count: int, told: tuple[Size, Any]) -> None:
        size, more = told
        self.read = Size(*map(sum, zip(self.read, size, strict=True)))
        self.heard.append(more)
        if self.progress is not None:
            self.progress(done, count, self.read)


def size_of(part: Part) -> tuple[Size, None]:
    """Return the size of a part, which a worker tells when the part is there."""
    return part.size, None


def state_of(whole: Whole) -> State:
    """The state of what could be read."""
    part, state = whole
    if state is None:
        raise InputError(part.names[0], f"none of {len(part.names)} shards can be read: {part.unreadable[0]}")
    return state


def findings(part: Part) -> list[Finding]:
    """Return one finding of each kind, with the number of shards that have it."""
    by_code = collections.defaultdict(list)
    for finding in part.findings:
        by_code[finding.code].append(finding)
    out = [Finding(code="unreadable", text=f"left out, for it cannot be read: {x}") for x in part.unreadable]
    for group in by_code.values():
        more = f"{group[0].text} (and {len(group) - 1} findings of this kind in other shards)"
        out.append(group[0] if len(group) == 1 else dataclasses.replace(group[0], text=more))
    return out


def _check_frames(both: Sequence[Any], checkpoint: Any) -> None:
    if not all(map(frames.is_frame, both)):
        raise TypeError("`targets` and `detections` must both be DataFrames of Dask where one is")
    if checkpoint is not None:
        raise ValueError("`checkpoint` is for files: a DataFrame has none whose content could be compared")


def _are_parquet(both: tuple[list[Path], list[Path]]) -> bool:
    return all(x.suffix.lower() in _ARROW for files in both for x in files)


def _made(shard: Shard, *, rules: Maker, classes: Any, skip: bool, checkpoint: Checkpoint | None = None) -> Part:
    make = functools.partial(rules.part, categories=classes)
    try:
        return make(shard) if checkpoint is None else checkpoint.part(shard, make)
    except InputError as error:
        if not skip:
            raise
        return Part(names=(shard.name,), state=None, unreadable=(str(error),))


def _listed(shard: Shard, *, rules: Maker, skip: bool) -> Any:
    try:
        return rules.listing(shard)
    except InputError:
        if not skip:
            raise
        return None


def _has_image(shard: Shard, *, image: str, rules: Maker) -> bool:
    state = states.loads(rules.part(shard).state or b"")
    return image in {state.names.images.get(id, str(id)) for id in state.images.tolist()}
