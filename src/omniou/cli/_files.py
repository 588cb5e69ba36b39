"""Options of commands that read files, and `read`, which reads the files with them."""

import contextlib
import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import click

from omniou._inputs.class_ids import CLASS_IDS, ClassIds
from omniou._inputs.kinds import KINDS, KindName, with_keypoints, with_masks
from omniou.cli import INPUT
from omniou.cli import _types as types
from omniou.cli._kinds import OTHER_KINDS, OtherKindName, described
from omniou.cli._log import Log, shown
from omniou.cli._option_groups import COMMON, option, option_group
from omniou.data import (
    FORMATS,
    Finding,
    GroundTruth,
    InputError,
    MissingLibraryError,
    OptionError,
    Options,
    read_detections,
    read_ground_truth,
)
from omniou.data import _dispatch as dispatch
from omniou.data._files import count, in_folder, unpacking
from omniou.data._folders import annotations
from omniou.data._formats import Layout, Reader, declared, stated
from omniou.data._names import Listed
from omniou.data._options import ANGLE_UNITS, DIFFICULTIES
from omniou.data._recognise import by_start, made_for, may_have_objects
from omniou.data._tracks import TRACK_FORMATS
from omniou.detection import Detections

_ORDERS = ("xyxy", "yxyx", "xywh", "cxcywh")
_BOXES = types.Choice([*_ORDERS, *(f"rel_{name}" for name in _ORDERS), "cxcywhr", "xywhr"])
PATH = click.Path(path_type=Path)
# Formats of detections, and formats that only tracks have.
_FORMATS = tuple(dict.fromkeys([*FORMATS, *TRACK_FORMATS]))


def _limited(ctx: click.Context, _: click.Parameter, value: int | None) -> int | None:
    """Apply `--max-unpacked` to all readers until the command ends."""
    ctx.with_resource(unpacking(None if value is None else value * 10**6))
    return value


def _sigmas(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Parse --sigmas; with --protocol crowdpose, the default is CrowdPose's keypoints."""
    if value is None:
        return "crowdpose" if ctx.params.get("protocol") == "crowdpose" else None
    return types.checked(types.sigmas)(ctx, param, value)


class Unusable(click.ClickException):
    """Raised for input that cannot be read or has nothing to score, and for output that cannot be written."""

    exit_code = INPUT


# Options that need DETECTIONS.
OF_DETECTIONS = (
    *("dt_format", "dt_boxes", "dt_scale", "dt_classes", "dt_class_ids", "synonyms", "expand_detections"),
    "missing_scores",
)
# What readers call options that have another name here.
_RENAMED = {
    "`classes` is for": "--gt-classes is for",
    "`difficulty`": "--kitti-difficulty",
    "`scale`": "--dt-scale",
    "`clockwise`": "--counterclockwise",
}


@contextlib.contextmanager
def reported(log: Log) -> Iterator[None]:
    """Convert errors of readers to errors of the command, with paths as the caller gave them."""
    try:
        yield
    except InputError as error:
        raise Unusable(log.told(str(error))) from error
    except (OptionError, MissingLibraryError) as error:
        raise click.UsageError(log.told(_spelled(str(error)))) from None


def _spelled(told: str) -> str:
    """An error of a reader, with its options as the command spells them."""
    for name, here in _RENAMED.items():
        told = told.replace(name, here)
    read = {x.name for x in dataclasses.fields(Options)} | {"gt_boxes", "dt_boxes"}
    options = {x.name: x.opts[0] for x in click.get_current_context().command.params if x.name in read}
    return re.sub(r"`(\w+)`", lambda found: options.get(found[1], found[0]), told)


@option_group
class ReadOptions:
    """What to read, and what the files do not contain, such as class names and image sizes."""

    SECTION = "Files"

    kind: KindName | OtherKindName = option(
        described([*KINDS, *OTHER_KINDS]), types.Choice([*KINDS, *OTHER_KINDS]), section=COMMON, default="bbox"
    )
    gt_format: str | None = option("Format of GROUND_TRUTH.", types.Choice(_FORMATS))
    dt_format: str | None = option("Format of DETECTIONS.", types.Choice(_FORMATS))
    boxes: str | None = option("Order of coordinates in both files. Default: the order of the format.", _BOXES)
    gt_boxes: str | None = option("Order of coordinates in GROUND_TRUTH; overrides --boxes.", _BOXES)
    dt_boxes: str | None = option("Order of coordinates in DETECTIONS; overrides --boxes.", _BOXES)
    dt_scale: types.Scale | None = option(
        "Coordinates in DETECTIONS count from 0 to N in each image: 1000, or 1 for fractions. y1x1y2x2 if y comes "
        "first, also 1000,y1x1y2x2.",
        metavar="N|y1x1y2x2",
        multiple=True,
        callback=types.checked(types.scale),
    )
    angle_unit: Literal["radians", "degrees"] = option(
        "Unit of the angles of rotated boxes. Default: radians.", types.Choice(ANGLE_UNITS), default="radians"
    )
    counterclockwise: bool = option("Positive angles turn counterclockwise on a screen with y down.", is_flag=True)
    sigmas: str | tuple[float, ...] | None = option(
        "Sigmas of keypoints: coco, crowdpose, wholebody, or a number for each point. Default: by the names of the "
        "points.",
        metavar="NAME|LIST",
        callback=_sigmas,
    )
    classes: Path | None = option("File with a class name in each line, for files with class numbers.", PATH)
    gt_classes: Path | None = option("Class names of GROUND_TRUTH; overrides --classes.", PATH)
    dt_classes: Path | None = option("Class names of DETECTIONS; overrides --classes.", PATH)
    gt_class_ids: ClassIds | None = option(
        "How GROUND_TRUTH numbers its classes, if not by its category ids: see --dt-class-ids.",
        types.Choice(CLASS_IDS),
    )
    dt_class_ids: ClassIds | None = option(
        "How DETECTIONS number their classes, if not by the category ids of the ground truth: from 0 or 1 in the order "
        "of these ids, or by COCO's ids, 1 to 90, for 80 categories.",
        types.Choice(CLASS_IDS),
    )
    synonyms: Path | None = option(
        "File that maps names of a language model's DETECTIONS to classes: JSON, or `name: class` in each line.", PATH
    )
    images: Path | None = option(
        "Directory of images, to look up their sizes, and for the pictures of --html.", PATH, section=COMMON
    )
    image_size: tuple[int, int] | None = option(
        "Size of all images, such as 640x480.", metavar="WxH", callback=types.checked(types.size)
    )
    image_set: Path | None = option("File with an image name in each line. omniou reads only these images.", PATH)
    subset: str | None = option(
        'Subset of ActivityNet\'s JSON to evaluate. Default: "validation" if there is also "training".', metavar="NAME"
    )
    blocked: Path | None = option("File with names of videos to exclude: a JSON list, or one in each line.", PATH)
    difficulty: Literal["easy", "moderate", "hard"] | None = option(
        "Ignore KITTI's objects that are harder than this.", types.Choice(DIFFICULTIES), names=("--kitti-difficulty",)
    )
    hierarchy: Path | None = option(
        "Open Images' JSON class hierarchy. Each object also counts for the ancestors of its class.", PATH
    )
    max_unpacked: int | None = option(
        "Largest unpacked size of a compressed file or a picture, or size of a pipe, in megabytes. Default: 100 times "
        "the size of the file, at least 64; 2,147 for a pipe.",
        click.IntRange(min=1),
        metavar="MB",
        callback=_limited,
    )
    missing_scores: bool = option(
        "Evaluate or convert DETECTIONS without scores. They are evaluated as one operating point: "
        "F1, precision, recall, mean IoU. AP then counts all detections at once.",
        is_flag=True,
    )
    expand_detections: bool = option("With --hierarchy: each detection also counts for the ancestors.", is_flag=True)

    @property
    def formats(self) -> tuple[str | None, str | None]:
        """Names of the formats of the ground truth and of the detections, as they were given."""
        for spelled, name in (("--gt-format", self.gt_format), ("--dt-format", self.dt_format)):
            if name is not None and name not in FORMATS:
                raise click.UsageError(f"{spelled} {name} is for --kind tracks")
        return self.gt_format, self.dt_format

    @property
    def readers(self) -> tuple[Options, Options]:
        """Options for the reader of the ground truth, and for the reader of detections."""
        of_detections = Options(
            kind=cast("KindName", self.kind),
            boxes=self._dt_order or self.boxes,
            scale=self.dt_scale and self.dt_scale.number,
            angle_unit=self.angle_unit,
            clockwise=not self.counterclockwise,
            sigmas=self.sigmas,
            class_ids=self.dt_class_ids,
            missing_scores=self.missing_scores,
            synonyms=self.synonyms,
            image_size=self.image_size,
            images=self.images,
            max_unpacked=None if self.max_unpacked is None else self.max_unpacked * 10**6,
            track=shown,
        )
        # The set of images and the difficulty restrict the ground truth; detections then follow its images.
        boxes, image_set, difficulty = self.gt_boxes or self.boxes, self.image_set, self.difficulty
        of_truth = dataclasses.replace(
            of_detections,
            boxes=boxes,
            scale=None,
            class_ids=self.gt_class_ids,
            missing_scores=False,
            synonyms=None,
            image_set=image_set,
            subset=self.subset,
            blocked=self.blocked,
            difficulty=difficulty,
        )
        return of_truth, of_detections

    def order_of_truth(self, format: str) -> str | None:
        """Return the order of coordinates of the ground truth; None if the format names the coordinates."""
        return self.gt_boxes or self.boxes or declared(format).truth.order

    def order_of_detections(self, format: str) -> str | None:
        """Return the order of coordinates of the detections; None if the format names the coordinates."""
        return self._dt_order or self.boxes or declared(format).detections.order

    @property
    def _dt_order(self) -> str | None:
        """Return the order of coordinates of the detections, if --dt-boxes or --dt-scale says it."""
        order = self.dt_scale and self.dt_scale.order
        if order and self.dt_boxes and self.dt_boxes != order:
            raise click.UsageError(f"--dt-scale {types.Y_FIRST} and --dt-boxes {self.dt_boxes} differ: remove one")
        return self.dt_boxes or order


class FilesRead(NamedTuple):
    """A ground truth, the detections of one model or more, and the options of their reading."""

    options: ReadOptions
    truth: GroundTruth
    detections: list[Detections[Any]]
    formats: tuple[str, ...]  # of the ground truth, and of each model's detections
    layouts: tuple[Layout | None, ...] = ()  # of each model's detections, where their format states it


def read(
    truth_path: Path,
    models: list[Path],
    log: Log,
    options: ReadOptions,
    *,
    stems: tuple[str, ...] | None = None,
    categories: Listed | None = None,
    only: Sequence[str] | None = None,
    but: Sequence[str] | None = None,
) -> FilesRead:
    """Read all files; a fault in them ends the command. Of keypoints, read the points of some classes.

    For a shard, `stems` has the names of its images without ending, and `categories` the categories of all shards.
    """
    kind, names = options.kind, options.formats
    _check_sides(options, models)
    with reported(log), log.catching():
        of_truth, of_detections = options.readers
        if stems is not None:
            of_truth, of_detections = (dataclasses.replace(x, image_set=stems) for x in (of_truth, of_detections))
        if kind == "keypoints":
            of_truth, of_detections = (
                dataclasses.replace(x, only_classes=only, except_classes=but) for x in (of_truth, of_detections)
            )
        for path in models:
            dispatch.check(truth_path, path, names)
        # Class numbers in text files always refer to the lines of a file of names.
        name = names[0] or by_start(annotations(truth_path)) or "text"
        of_truth = _with_classes(of_truth, options.gt_classes, options.classes, declared(name).truth)
        ancestors = _ancestors(options.hierarchy)
        with of_side("gt_boxes", options):
            truth = read_ground_truth(truth_path, names[0], of_truth)
        if categories is not None:
            from omniou.data import shards

            truth = shards.known(truth, categories)
        known = [names[0] or dispatch.ground_truth_format(truth, kind)]
        if ancestors is not None:
            from omniou.data import hierarchy

            truth = hierarchy.expand_truth(truth, ancestors)
        found, layouts = [], []
        for path in models:
            without = options.missing_scores
            known.append(names[1] or dispatch.detections_format(path, truth, kind, missing_scores=without))
            reader = declared(known[-1]).detections
            if options.dt_classes is not None and not (reader.numbered or reader.class_ids):
                raise click.UsageError(f"--dt-classes is for class numbers: {known[-1]} has names. Remove it")
            of_model = _with_classes(of_detections, options.dt_classes, options.classes, reader)
            _check_classes(options, known, of_truth, of_model)
            with stated() as of_format, of_side("dt_boxes", options):
                detections = read_detections(path, truth, known[-1], of_model)
            layouts.append(of_format[-1] if of_format else None)
            found.append(_expanded(detections, truth, ancestors) if options.expand_detections else detections)
        if not models:
            _check_classes(options, known, of_truth)
        _check_synonyms(options, known[1:])
    result = FilesRead(options, truth, found, tuple(known), tuple(layouts))
    _note(result, (truth_path, *models), log)
    return result


@contextlib.contextmanager
def of_side(name: Literal["gt_boxes", "dt_boxes"], options: ReadOptions) -> Iterator[None]:
    """Name the option for the boxes of one file in errors of its reader, if it was given."""
    try:
        yield
    except OptionError as error:
        if getattr(options, name) is None:
            raise
        raise OptionError(str(error).replace("`boxes`", f"`{name}`")) from None


def _check_sides(options: ReadOptions, models: Sequence[Path]) -> None:
    """Raise a usage error for options of detections or of a hierarchy where there are none."""
    if options.expand_detections and options.hierarchy is None:
        raise click.UsageError("--expand-detections needs --hierarchy")
    for has_others, shapes in ((with_masks, "masks"), (with_keypoints, "keypoints")):
        spelled = "--dt-boxes" if options.dt_boxes else "--dt-scale" if options.dt_scale else ""
        if spelled and has_others(options.kind):
            raise click.UsageError(f"{spelled} is for boxes: --kind {options.kind} compares {shapes} of detections")
    if not models and (given := [name for name in OF_DETECTIONS if getattr(options, name)]):
        raise click.UsageError(f"--{given[0].replace('_', '-')} is for DETECTIONS, and none are given")


def check_scores(options: ReadOptions) -> None:
    """Raise a usage error for --missing-scores in commands that need scores."""
    if options.missing_scores:
        name = click.get_current_context().info_name
        raise click.UsageError(f"--missing-scores is for eval, compare, check and convert: {name} needs scores")


def _check_classes(options: ReadOptions, formats: Sequence[str], *sides: Options) -> None:
    """Raise a usage error for --classes if no side numbers its classes."""
    if options.classes is not None and all(side.classes is None for side in sides):
        both = " and ".join(formats)
        raise click.UsageError(f"--classes is not needed: {both} have class names or ids. Remove it")


def _check_synonyms(options: ReadOptions, formats: Sequence[str]) -> None:
    """Raise a usage error for --synonyms if no model has free names: a detector may be next to a language model."""
    if options.synonyms is not None and not any(declared(x).detections.synonyms for x in formats):
        fault = "--synonyms is for free names of classes, of language-model"
        raise click.UsageError(f"{fault}: {' and '.join(dict.fromkeys(formats))} has not. Remove it")


def _note(read: FilesRead, paths: Sequence[Path], log: Log) -> None:
    """Note the formats and the subset that were assumed."""
    given = read.options.formats
    for path, name, of_file in zip(paths, read.formats, (given[0], *[given[1]] * len(paths[1:])), strict=True):
        if of_file is None:
            log.assume(recognised(path, name), routine=True)
        elif words := _how_many(path):
            log.assume(f"{path} has the format {name}{words}.", routine=True)
    if read.truth.subset and read.options.subset is None:
        log.assume(f"omniou evaluates the subset {read.truth.subset!r} of the videos; --subset chooses another.")


def of_its_kind(paths: Sequence[Path], options: ReadOptions, log: Log) -> ReadOptions:
    """Return the options with the kind of the ground truth's format, unless --kind is given."""
    if _kind_is_given():
        return options
    with reported(log), log.catching():
        kind = made_for(annotations(paths[0]), [annotations(x) for x in paths[1:]], options.formats, options.kind)
    if kind == options.kind:
        return options
    log.assume(f"The kind is {kind}, by the format of {paths[0]}; --kind {options.kind} chooses another.")
    return dataclasses.replace(options, kind=cast("KindName", kind))


def note_kind(names: Sequence[str], options: ReadOptions, log: Log) -> None:
    """Warn of files whose format is made for another kind, unless --kind is given."""
    for name in dict.fromkeys(names):
        kind = next(iter(declared(name).made_for), "")
        if kind and options.kind not in declared(name).made_for and not _kind_is_given():
            text = f"{name} files are for --kind {kind}, but omniou read them as --kind {options.kind}"
            log.add(Finding(code="kind-of-format", text=text, hint=f"choose --kind {kind} or --kind {options.kind}"))


def _kind_is_given() -> bool:
    source = click.get_current_context().get_parameter_source("kind")
    return source not in {click.core.ParameterSource.DEFAULT, None}


def recognised(path: Path, name: str) -> str:
    """Return the note on a format that omniou recognised."""
    return f"{path} has the format {name}, by its content{_how_many(path)}."


def _how_many(path: Path) -> str:
    """Return how many files and folders of a directory are read, as text; empty for a file."""
    path = annotations(path)
    return f": {count([x for x in in_folder(path) if may_have_objects(x)])}" if path.is_dir() else ""


def _expanded(detections: Detections[Any], truth: GroundTruth, ancestors: Any) -> Detections[Any]:
    if ancestors is None:
        return detections
    from omniou.data import hierarchy

    return hierarchy.expand_detections(detections, truth, ancestors)


def _with_classes(options: Options, own: Path | None, common: Path | None, reader: Reader[Any]) -> Options:
    """Add the file of class names, or the common one if the format has class numbers; synonyms are for free names."""
    synonyms = options.synonyms if reader.synonyms else None
    return dataclasses.replace(options, classes=own or (common if reader.numbered else None), synonyms=synonyms)


def _ancestors(path: Path | None) -> Any:
    """Read Open Images' hierarchy from a file, if one is given."""
    if path is None:
        return None
    from omniou.data import hierarchy

    return hierarchy.read(path)
