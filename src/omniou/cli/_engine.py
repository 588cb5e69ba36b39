"""`--engine dask`: evaluate shards of files on the workers of a cluster, with the same numbers as on one machine.

This module is imported only for that engine.
"""

import contextlib
import copy
import dataclasses
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from omniou.cli import _doctor as doctor
from omniou.cli import _files as files
from omniou.cli import _rules as rules
from omniou.cli._engine_options import EngineOptions
from omniou.cli._log import Log, dumb
from omniou.data import GroundTruth, InputError, Options, shards
from omniou.data._formats import parquet
from omniou.data._names import Listed
from omniou.data.shards import Part, Shard, Size, SplitImageError, states
from omniou.data.shards import _joined as joined
from omniou.data.shards._shard_files import option_text
from omniou.detection import Detections
from omniou.detection.curves._state import State
from omniou.report import Input, digest
from omniou.report._record.make import files_of

# Rows of larger inputs, in bytes, stay on the workers, and analyses that need the boxes again are skipped.
GATHERED = 2**28


class ShardRows(NamedTuple):
    """The ground truth and the detections of a shard."""

    truth: GroundTruth
    detections: Detections[Any]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PartWithRows(Part):
    """A part with its rows; the merged part has none."""

    rows: ShardRows | None = None


@dataclasses.dataclass(frozen=True)
class Work:
    """The work of a worker: `omniou.data.shards.Rules` with the options of the command.

    `gathered` says whether the rows are sent back as well.
    """

    reading: files.ReadOptions
    scoring: rules.RuleOptions
    gathered: bool

    @property
    def options(self) -> Options:
        """Options of the readers that are needed to find shards."""
        return self.reading.readers[0]

    @property
    def formats(self) -> tuple[str | None, str | None]:
        """Formats of ground truth and detections, as given."""
        return self.reading.formats

    def listing(self, shard: Shard) -> Listed:
        """Return the classes that the ground truth of a shard lists."""
        truth = self._read(shard, [], Log(quiet=True)).truth
        return Listed(truth.categories, truth.category_naming)

    def part(self, shard: Shard, categories: Listed | None = None) -> Part:
        """Read a shard and match its detections."""
        log = Log(quiet=True)
        read = self._read(shard, [shard.detections], log, categories)
        return self._part(shard.name, read, shard.detections, log, shard.digests())

    def part_of_tables(self, name: str, targets: Any, detections: Any, categories: Listed | None = None) -> Part:
        """Match the detections of Arrow tables."""
        log = Log(quiet=True)
        of_truth, of_detections = self.reading.readers
        with log.catching():
            objects = parquet.in_memory(f"{name} of the objects", targets, of_truth, ())
            truth = shards.known(parquet.truth_of(objects), categories)
            found = parquet.in_memory(f"{name} of the detections", detections, of_detections, ("score",))
            read = files.FilesRead(self.reading, truth, [parquet.detections_of(found, truth)], ("parquet", "parquet"))
        return self._part(name, read, Path(name), log, ())

    @property
    def key(self) -> str:
        """The protocol and all options, as text: a checkpoint with another key is not used.

        Options are sorted by name, so the order of fields does not matter. A new option makes all checkpoints stale.
        """
        options = vars(self.reading) | vars(self.scoring)
        protocol = self.scoring.settled_protocol(self.scoring.named_protocol(self.reading), self.reading)
        return f"{protocol} {sorted((k, option_text(v)) for k, v in options.items())}"

    def _read(self, shard: Shard, models: list[Path], log: Log, categories: Listed | None = None) -> files.FilesRead:
        only, but = self.scoring.only_classes, self.scoring.except_classes
        known, targets = {"only": only, "but": but}, shard.targets
        reading = self.reading
        if not models:
            # Flags are False where they are not given, and other options None.
            given = {x: getattr(reading, x) for x in files.OF_DETECTIONS}
            unused: Any = {name: False if isinstance(x, bool) else None for name, x in given.items()}
            reading = dataclasses.replace(reading, **unused)
        try:
            return files.read(targets, models, log, reading, stems=shard.images, categories=categories, **known)
        except files.Unusable as error:
            cause = error.__cause__
        # Dask pickles an error with its `__cause__` and `__context__`. A copy that is raised outside of the handler has
        # neither; raised inside, the error would be its own context.
        raise copy.copy(cause) if isinstance(cause, InputError) else InputError(shard.targets, str(cause))

    def _part(self, name: str, read: files.FilesRead, path: Path, log: Log, digests: Any) -> Part:
        if not self.gathered:
            for finding in doctor.findings(
                read,
                [path],
                log,
                class_agnostic=self.scoring.class_agnostic,
                tie_policy=self.scoring.tie_policy,
            ):
                log.add(finding)
        ((result, counts),) = rules.evaluated(read, [path], log, self.scoring, whole=False)
        seen = (counts["images"], counts["annotations"], counts["crowds"], counts["detections"])
        size = Size(*seen, sum(size for _, size, _ in digests))
        return PartWithRows(
            names=(name,),
            state=states.dumps(rules.named(result.state, read.truth, self.scoring)),
            size=size,
            findings=tuple(log.findings),
            inputs=digests,
            formats=read.formats,
            rows=ShardRows(read.truth, read.detections[0]) if self.gathered else None,
        )


class Gathered(NamedTuple):
    """The results of the workers."""

    state: State
    counts: dict[str, int]
    part: Part
    read: files.FilesRead | None  # None if the rows stayed on the workers


def run(
    paths: list[Path], log: Log, options: EngineOptions, reading: files.ReadOptions, scoring: rules.RuleOptions
) -> Gathered:
    """Evaluate on the cluster; warnings go to the log."""
    from omniou_integrations.dask import _run as dask_run
    from omniou_integrations.dask import _tree as tree

    # Workers may have another working directory, so paths must be absolute.
    absolute = {name: x.absolute() for name, x in vars(reading).items() if isinstance(x, Path)}
    gathered = options.checkpoint is None and sum(map(_bytes, paths)) <= GATHERED
    work = Work(files.ReadOptions(**(vars(reading) | absolute)), scoring, gathered=gathered)
    if not gathered:
        log.note("The boxes stay on the workers, so omniou skips analyses that need the boxes again.")
    try:
        with _quiet(), tree.connected(options.scheduler, workers=options.workers) as cluster, _bar() as progress:
            one = dask_run.Run(cluster, skip=options.skip_unreadable, told=_told, progress=progress)
            whole = one(str(paths[0]), str(paths[1]), work, count=options.shards, checkpoint=options.checkpoint)
        part, state = whole.part, dask_run.state_of(whole)
    except (InputError, SplitImageError, tree.EngineError) as error:
        raise files.Unusable(log.told(str(error))) from None
    for finding in dask_run.findings(part):
        log.add(finding)
    read = part.size
    counts = {
        "images": read.images,
        "categories": len(state.classes),
        "annotations": read.objects,
        "crowds": read.crowds,
        "detections": read.detections,
    }
    rows = {name: x for told in one.heard for name, x in told.items()}
    return Gathered(state, counts, part, _joined(rows, paths, part, reading))


def inputs(paths: list[Path], part: Part) -> list[Input]:
    """Return the inputs with the checksums that the workers computed."""
    known = {name: (sha, size) for name, size, sha in part.inputs}
    formats = part.formats or ("", "")
    roles = ("ground truth", "detections")
    return [digest(path, role, name, known) for path, role, name in zip(paths, roles, formats, strict=True)]


def _bytes(path: Path) -> int:
    """Return the size of the files of a path or a pattern; 0 if they cannot be read."""
    with contextlib.suppress(OSError):
        return sum(x.stat().st_size for x in files_of(path))
    return 0


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log: the command reports a failure itself, in one line."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[int, int, Size], None] | None]:
    """Show a progress bar of shards on a terminal; None elsewhere."""
    if dumb() or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    words = TextColumn("{task.completed}/{task.total} shards, {task.fields[told]}")
    with Progress(BarColumn(), words, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("shards", total=None, told="")

        def show(done: int, count: int, read: Size) -> None:
            told = f"{read.bytes / 1e6:,.0f} MB, {read.detections:,} detections"
            bar.update(task, completed=done, total=count, told=told)

        yield show


def _told(part: PartWithRows) -> tuple[Size, dict[str, ShardRows]]:
    """Return what a worker sends of a part: its size, and its rows by name."""
    rows = getattr(part, "rows", None)
    return part.size, {} if rows is None else {part.names[0]: rows}


def _joined(
    rows: dict[str, ShardRows], paths: list[Path], part: Part, reading: files.ReadOptions
) -> files.FilesRead | None:
    """Join the rows of all shards in order; None if they stayed on the workers."""
    if not rows:
        return None
    order = [rows[name] for name in sorted(rows)]
    truths = [x.truth for x in order]
    whole = dataclasses.replace(joined.truths(truths), path=paths[0])
    return files.FilesRead(reading, whole, [joined.detections([x.detections for x in order], truths)], part.formats)
