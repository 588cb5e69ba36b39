"""Options of the rules of an evaluation, and `evaluated`, which applies them to files."""

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np
import numpy.typing as npt

from omniou._inputs.inputs import columns_of
from omniou._inputs.kinds import settled, with_keypoints, with_masks
from omniou._inputs.names import Names
from omniou._lib.brief import counted
from omniou._lib.near import nearest
from omniou.cli import _backends as backends
from omniou.cli import _config as config
from omniou.cli import _types as types
from omniou.cli._files import PATH, FilesRead, ReadOptions, Unusable, reported
from omniou.cli._kinds import PROTOCOLS
from omniou.cli._log import Log
from omniou.cli._option_groups import COMMON, option, option_group
from omniou.data import Finding, GroundTruth
from omniou.data._formats import declared
from omniou.detection import PRESETS, AreaRange, Detections, Protocol, Result, compute
from omniou.detection._evaluate import resumed
from omniou.detection._presets import of_kind
from omniou.detection._protocol import without_scores
from omniou.detection.curves._state import State
from omniou.detection.curves._summary import numbers as numbers_of

if TYPE_CHECKING:
    from omniou.keypoints import Skeleton

Column = npt.NDArray[Any]


# Presets for keypoints only.
_OF_KEYPOINTS = ("coco_keypoints", "crowdpose")


@option_group
class RuleOptions:
    """What counts, and by which rules."""

    SECTION = "Rules"

    protocol: str | None = option(
        "Rules of the evaluation. Default: lvis for LVIS's files and voc2007 for DOTA's, else by the kind, for example "
        "coco for boxes and activitynet for intervals.",
        types.Choice([*PRESETS, *PROTOCOLS]),
        section=COMMON,
    )
    iou_thresholds: tuple[float, ...] | None = option(
        "Override the protocol's IoU thresholds: 0.5,0.75 or 0.5:0.95:0.05.",
        metavar="LIST",
        callback=types.checked(types.thresholds),
    )
    max_detections: tuple[int | None, ...] | None = option(
        'Override the protocol\'s limits of detections in each image and class: 1,10,100; the last may be "any".',
        metavar="LIST",
        callback=types.checked(types.limits),
    )
    area_ranges: tuple[AreaRange, ...] | None = option(
        "Override the protocol's area ranges, in square pixels: small:0:1024,large:1024:inf.",
        metavar="LIST",
        callback=types.checked(types.areas),
    )
    only_classes: tuple[str, ...] | None = option(
        "Evaluate only these classes: person,car.", metavar="NAMES", callback=types.checked(types.names)
    )
    except_classes: tuple[str, ...] | None = option(
        "Exclude these classes: Ambiguous.", metavar="NAMES", callback=types.checked(types.names)
    )
    class_agnostic: bool = option("Treat all classes as one.", is_flag=True)
    groups: Path | None = option(
        'File with groups of classes, such as base and novel ones, each of which gets an AP: JSON, {"novel": ["cat"]}, '
        "or CSV with the columns name and group. Default: the groups of LVIS's file.",
        PATH,
    )
    tie_policy: Literal["file", "last", "invariant"] | None = option(
        "Order of detections with equal scores: as in the file, the last one first, or all at once. Default: as the "
        "protocol's own tool does.",
        types.Choice(["file", "last", "invariant"]),
    )
    offset: float = option(
        "1 if bottom-right corners name the last pixel inside the box, as in VOC. Default: 0.",
        metavar="NUMBER",
        default="0",
        callback=types.checked(types.number),
    )
    ignore_flags: bool = option('Ignore objects with "ignore": 1. COCO\'s rules count them.', is_flag=True)
    backend: str = option(
        "Array library to compute with, on the CPU. Default: numpy.",
        types.Choice(list(backends.INSTALL)),
        default="numpy",
    )

    def named_protocol(self, reading: ReadOptions, truth: GroundTruth | None = None) -> str:
        """Return the name of the protocol. Default: the rules of the ground truth's format, else of the kind."""
        of_file = None if truth is None else truth.protocol
        return self.protocol or of_file or of_kind(_skeleton(reading) or reading.kind)

    def settled_protocol(self, name: str, reading: ReadOptions) -> Protocol:
        """Return a preset with the values that options override."""
        preset = PRESETS[name]
        settled = dataclasses.replace(
            preset,
            tie_policy=self.tie_policy or preset.tie_policy,
            class_agnostic=self.class_agnostic,
            iou_thresholds=self.iou_thresholds or preset.iou_thresholds,
            max_detections=self.max_detections or preset.max_detections,
            area_ranges=self.area_ranges or preset.area_ranges,
        )
        return without_scores(settled) if reading.missing_scores else settled


def _skeleton(reading: ReadOptions) -> "Skeleton | None":
    """Return the set of keypoints that --sigmas names."""
    if not (isinstance(reading.sigmas, str) and with_keypoints(reading.kind)):
        return None
    from omniou.keypoints import SKELETONS

    return SKELETONS.get(reading.sigmas)


def check(options: RuleOptions, reading: ReadOptions) -> Protocol:
    """Return the protocol of the options; raise a usage error if options do not fit together."""
    backends.check(options.backend)
    name = options.named_protocol(reading)
    if name not in PRESETS:
        raise click.UsageError(f"--protocol {name} is for `omniou eval --kind {' or '.join(PROTOCOLS[name])}`")
    if reading.hierarchy is not None and not name.startswith("open_images"):
        raise click.UsageError(f"--hierarchy is for --protocol open_images, not {name}")
    if reading.hierarchy is not None and options.class_agnostic:
        raise click.UsageError(
            "remove --hierarchy or --class-agnostic: the first copies objects to classes, the second counts each copy"
        )
    if reading.expand_detections and reading.hierarchy is None:
        raise click.UsageError("--expand-detections needs --hierarchy")
    if name in _OF_KEYPOINTS and not with_keypoints(reading.kind):
        raise click.UsageError(f"--protocol {name} is for --kind keypoints, not {reading.kind}")
    if options.groups is not None and options.class_agnostic:
        raise click.UsageError(
            "remove --groups or --class-agnostic: the first names classes, the second makes them one"
        )
    try:
        settled(reading.kind, None, options.offset, None)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _check_order(options, reading)
    return options.settled_protocol(name, reading)


def _check_order(options: RuleOptions, reading: ReadOptions) -> None:
    """Raise a usage error for options of the order of detections, if they have no scores."""
    given = {"max-detections": options.max_detections, "tie-policy": options.tie_policy}
    if reading.missing_scores and (spelled := [name for name, x in given.items() if x not in {None, "invariant"}]):
        raise click.UsageError(f"remove --{spelled[0]} or --missing-scores: without scores no detection comes first")


def of_benchmark(format: str) -> str:
    """Return the options that give the number of a format's own benchmark, less those that are given; or nothing.

    After another protocol was chosen, there is nothing to say; "voc2007" is also one of VOC's.
    """
    official, ctx = declared(format).official, click.get_current_context()
    names = {spelled: str(option.name) for option in ctx.command.params for spelled in option.opts}
    chosen = config.given().get("protocol", "")
    own = [x.rstrip("0123456789") for name, x in official if names[name] == "protocol"]
    if chosen and not any(map(chosen.startswith, own)):
        return ""
    missing = [f"{name} {value}" for name, value in official if names[name] not in config.given()]
    return f"{' '.join(missing)} gives {format}'s own numbers" if missing else ""


def evaluated(
    read: FilesRead,
    paths: Sequence[Path],
    log: Log,
    options: RuleOptions,
    *,
    state: State | None = None,
    whole: bool = True,
) -> list[tuple[Result[Any], dict[str, int]]]:
    """Evaluate each model; return its result and what was counted, and add warnings to the log.

    `state` is the state of one model whose detections were matched elsewhere. Without `whole`, the files are a shard:
    there are no warnings.
    """
    truth, protocol = (
        read.truth,
        options.settled_protocol(options.named_protocol(read.options, read.truth), read.options),
    )
    ids = _chosen(truth, options)
    try:
        settled(
            read.options.kind if with_masks(read.options.kind) else truth.geometry, truth.format, options.offset, None
        )
    except ValueError as error:
        raise click.UsageError(f"--offset: {error}") from None
    groups = _groups(truth, options, log)
    kept = np.isin(truth.targets.labels, ids)
    if whole:
        _warn_of_truth(truth, log, kept=kept, ignore_flags=options.ignore_flags)
    objects = dataclasses.replace(truth.targets, ignore=_ignored(truth, ignore_flags=options.ignore_flags))
    convert = backends.converter(options.backend)
    if whole and truth.skeleton is not None and read.options.sigmas is None:
        log.assume(f"Overlaps are object keypoint similarities (OKS), by the sigmas of {truth.skeleton.name}.")
    out = []
    for path, detections in zip(paths, read.detections, strict=True):
        found = detections
        if len(ids) < len(truth.categories):
            found = _rows(found, np.isin(found.labels, ids))
        result = resumed(
            state,
            converted(objects, convert),
            converted(found, convert),
            protocol=protocol,
            kind=truth.skeleton or read.options.kind,
            score=None,
            offset=options.offset,
            format=truth.format,
            classes=ids,
            images=truth.images.tolist(),
            groups=groups,
            image_groups=truth.image_groups,
        )
        counts = _counts(truth, detections, ids)
        if whole:
            warn_of_detections(path, counts, result, log)
        out.append((result, counts))
    return out


def named(state: State, truth: GroundTruth, options: RuleOptions) -> State:
    """Add names of classes and images to a state; names of images only if their ids are mere numbers."""
    images = {} if truth.image_naming.own else truth.image_names
    groups = {"groups": state.names.groups, "image_groups": state.names.image_groups}
    known = Names(truth.categories, images, not truth.category_naming.own, **groups)
    return dataclasses.replace(state, names=known.without_classes() if options.class_agnostic else known)


def warn_of_state(paths: Sequence[Path], state: State, counts: Mapping[str, int], log: Log) -> None:
    """Warn of what a state says about the detections; raise if there is nothing to score."""
    if not len(state.target_labels):
        why = "all annotations are ignored" if counts["annotations"] else "no annotations"
        raise Unusable(f"{paths[0]}: nothing to score: {why}")
    warn_of_detections(paths[1], counts, compute([state]), log)


def names(truth: GroundTruth, options: RuleOptions) -> dict[int, str]:
    """Return the names of the classes that were evaluated."""
    return dict(Names().without_classes().classes) if options.class_agnostic else truth.categories


def converted(table: Any, convert: Callable[[Any], Any]) -> Any:
    """Convert the columns of a table to another library."""
    columns = columns_of(table)
    arrays = {name: x for name, x in columns.items() if x is not None and name != "masks"}
    return dataclasses.replace(table, **{name: convert(x) for name, x in arrays.items()})


def _rows(table: Any, kept: Column) -> Any:
    """Return some rows of a table."""
    columns = columns_of(table)
    # Pairs of an image and a class have a row for each pair, not for each object, and stay as they are.
    pairs = {"negative", "not_exhaustive"}
    taken = {name: x[kept] for name, x in columns.items() if x is not None and name not in {*pairs, "masks"}}
    if columns.get("masks") is not None:
        taken["masks"] = columns["masks"].take(np.flatnonzero(kept))
    return dataclasses.replace(table, **taken)


def _chosen(truth: GroundTruth, options: RuleOptions) -> list[int]:
    """Return the ids of the classes to evaluate."""
    if not (options.only_classes or options.except_classes):
        return list(truth.categories)
    by_name = {name: id for id, name in truth.categories.items()}
    for given, names in (("only", options.only_classes), ("except", options.except_classes)):
        check_classes(f"--{given}-classes", names or (), by_name, f"categories of {truth.path}")
    kept = set(options.only_classes or by_name) - set(options.except_classes or ())
    return sorted(by_name[name] for name in kept)


def check_classes(option: str, names: Sequence[str], known: Collection[str], what: str) -> None:
    """Raise a usage error for the first name that is not known."""
    for name in names:
        if name not in known:
            near = nearest(name, list(known))
            hint = f": did you mean {near!r}?" if near else ""
            raise click.UsageError(f"{option}: {name!r} is not among the {len(known)} {what}{hint}")


def _counts(truth: GroundTruth, detections: Detections[Any], ids: list[int]) -> dict[str, int]:
    labels = np.asarray(detections.labels)
    kept = np.isin(truth.targets.labels, ids)
    return {
        "images": len(truth.images),
        "categories": len(ids),
        "annotations": int(kept.sum()),
        "crowds": int((_flags(truth, "crowd") & kept).sum()),
        "detections": int(np.isin(labels, ids).sum()) if len(ids) < len(truth.categories) else len(labels),
    }


def unscored(truth: GroundTruth, *, kept: Column | None = None, ignore_flags: bool = False) -> str:
    """Return why no object of some rows counts; empty if one does."""
    chosen = np.ones(len(truth.flagged), dtype=bool) if kept is None else kept
    left = chosen & ~(_flags(truth, "crowd") | _ignored(truth, ignore_flags=ignore_flags))
    if truth.skeleton is not None and truth.targets.keypoints is not None:
        left &= truth.skeleton.counts(np.asarray(truth.targets.keypoints)[:, 2::3]).any(axis=1)
    if left.any():
        return ""
    return f"nothing to score: {'all annotations are ignored' if chosen.any() else 'no annotations'}"


def _warn_of_truth(truth: GroundTruth, log: Log, *, kept: Column, ignore_flags: bool) -> None:
    """Warn of sizes and flags of the ground truth that change the numbers; raise if there is nothing to score."""
    if why := unscored(truth, kept=kept, ignore_flags=ignore_flags):
        raise Unusable(log.told(f"{truth.path}: {why}"))
    path = str(truth.path)
    if truth.relative:
        log.add(
            Finding(
                code="sizes-unknown",
                text="boxes are fractions and the sizes of the images are unknown: no numbers of area ranges",
                hint="give the sizes with --images or --image-size",
                path=path,
            )
        )
    if not ignore_flags and truth.flagged.any():
        count = int(truth.flagged.sum())
        log.add(
            Finding(
                code="ignore-without-effect",
                text=f'"ignore" of {count} annotations has no effect, as in COCO\'s evaluator',
                hint="use --ignore-flags to ignore them",
                path=path,
            )
        )


def warn_of_detections(path: Path, counts: Mapping[str, int], result: Result[Any], log: Log) -> None:
    """Warn if there are no detections, or detections over the limit."""
    if not counts["detections"]:
        log.add(Finding(code="no-detections", text="no detections: AP and recall are 0", path=str(path)))
    if result.surplus:
        most = result.protocol.max_detections[-1]
        text = f"{counted(result.surplus, 'detections')} over the limit of {most} excluded"
        hint = "set the limit with --max-detections"
        log.add(Finding(code="surplus", text=text, hint=hint, path=str(path)))


def _flags(truth: GroundTruth, name: str) -> Column:
    """Return a column of booleans; all False if the format does not have it."""
    flags = getattr(truth.targets, name)
    return np.zeros(len(truth.flagged), dtype=bool) if flags is None else flags


def _ignored(truth: GroundTruth, *, ignore_flags: bool) -> Column:
    """Return which objects are ignored, in addition to crowds."""
    ignored = _flags(truth, "ignore")
    return ignored | truth.flagged if ignore_flags else ignored


def group_names(options: RuleOptions, protocols: Sequence[Protocol]) -> list[str]:
    """Return the names of the groups of --groups; raise if one would hide a number of a protocol."""
    if options.groups is None:
        return []
    from omniou.data import _class_groups

    with reported(Log(quiet=True)):
        found = _class_groups.names(options.groups)
    known = {number.name for protocol in protocols for number in numbers_of(protocol)}
    for name in found:
        if f"AP{name}" in known:
            raise Unusable(f"{options.groups}: {name}: the protocol has a number AP{name}: rename the group")
    return found


def _groups(truth: GroundTruth, options: RuleOptions, log: Log) -> dict[str, list[int]]:
    """Return the groups of --groups; by default LVIS's rare, common and frequent categories: "r", "c", "f"."""
    if options.class_agnostic:
        return {}
    if options.groups is not None:
        from omniou.data import _class_groups

        with reported(log):
            return _class_groups.read(options.groups, truth)
    rated = truth.frequency or {}
    return {letter: [k for k, x in rated.items() if x == letter] for letter in "rcf" if letter in rated.values()}
