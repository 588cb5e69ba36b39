"""The options of commands that read files, and what comes of them."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from omniou.cli import INPUT
from omniou.cli import _types as types
from omniou.cli._log import Log, shown
from omniou.data import (
    FORMATS,
    GroundTruth,
    InputError,
    MissingLibraryError,
    OptionError,
    Options,
    formats,
    read_detections,
    read_ground_truth,
    shards,
)
from omniou.data import _dispatch as dispatch
from omniou.data._names import Listed
from omniou.data._options import ANGLE_UNITS, DIFFICULTIES
from omniou.data._recognise import by_start
from omniou.data.formats import Reader
from omniou.data.formats._darknet import labels
from omniou.detection import Detections
from omniou.detection.inputs._kinds import KINDS, described

# Kinds of pictures of labels, which have no detections.
LABEL_MAPS = ("semantic", "panoptic")
_ORDERS = ("xyxy", "yxyx", "xywh", "cxcywh")
_BOXES = types.Choice([*_ORDERS, *(f"rel_{name}" for name in _ORDERS), "cxcywhr", "xywhr"])
PATH = click.Path(path_type=Path)


class Unusable(click.ClickException):
    """Input that cannot be read, or that holds nothing to score; or output that cannot be written."""

    exit_code = INPUT


_OPTIONS = (
    click.option(
        "--kind",
        type=types.Choice([*KINDS, *LABEL_MAPS]),
        default="bbox",
        help=f"What overlaps: {described()}; or label maps in PNG files, of `eval` alone.".replace('"', ""),
    ),
    click.option("--gt-format", type=types.Choice(FORMATS), help="Format of GROUND_TRUTH."),
    click.option("--dt-format", type=types.Choice(FORMATS), help="Format of DETECTIONS."),
    click.option("--boxes", type=_BOXES, help="Order of coordinates in both, if not that of their formats."),
    click.option("--gt-boxes", type=_BOXES, help="In GROUND_TRUTH alone, whatever --boxes says."),
    click.option("--dt-boxes", type=_BOXES, help="In DETECTIONS alone, whatever --boxes says."),
    click.option("--angle-unit", type=types.Choice(ANGLE_UNITS), default="radians", help="Of angles of rotated boxes."),
    click.option("--counterclockwise", is_flag=True, help="Positive angles turn so, on a screen whose y points down."),
    click.option("--classes", type=PATH, help="File with a name of a class in each line, which numbers count."),
    click.option("--gt-classes", type=PATH, help="For GROUND_TRUTH alone, whatever --classes says."),
    click.option("--dt-classes", type=PATH, help="For DETECTIONS alone, whatever --classes says."),
    click.option("--images", type=PATH, help="Directory of images, to look up their sizes."),
    click.option(
        "--image-size",
        metavar="WxH",
        callback=types.checked(types.size),
        help="Size of all images, such as 640x480.",
    ),
    click.option("--image-set", type=PATH, help="File with an image in each line: only these."),
    click.option(
        "--kitti-difficulty", "difficulty", type=types.Choice(DIFFICULTIES), help="Harder objects do not count."
    ),
    click.option(
        "--hierarchy", type=PATH, help="Open Images' JSON of classes: objects are also of the ancestors of their class."
    ),
    click.option(
        "--max-unpacked",
        type=click.IntRange(min=1),
        metavar="MB",
        help="Most megabytes that a compressed file may unpack to. Default: 100 times its size, and at least 64.",
    ),
    click.option("--expand-detections", is_flag=True, help="With --hierarchy: detections are so, too."),
)

NAMES = types.names(_OPTIONS)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what `read` takes to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Read(NamedTuple):
    """A ground truth, and the detections of one model or more in it."""

    truth: GroundTruth
    detections: list[Detections[Any]]
    formats: tuple[str, ...]  # of the ground truth, and of each model's detections


def read(
    truth_path: Path,
    models: list[Path],
    log: Log,
    *,
    stems: tuple[str, ...] | None = None,
    categories: Listed | None = None,
    **how: Any,
) -> Read:
    """All files; what is wrong with them ends the command.

    Of a shard its images are given by name, without ending, and the categories of all shards.
    """
    _check_kind(how["kind"])
    names = how["gt_format"], how["dt_format"]
    try:
        theirs, ours = options_of(**how)
        if stems is not None:
            theirs, ours = (dataclasses.replace(x, image_set=stems) for x in (theirs, ours))
        with log.catching():
            for path in models:
                dispatch.check(truth_path, path, names)
            # Numbers of classes in lines of text always count the names of a file.
            name = names[0] or by_start(labels(truth_path)) or "text"
            theirs = _with_classes(theirs, how["gt_classes"], how["classes"], formats.declared(name).truth)
            ancestors = _ancestors(how["hierarchy"])
            truth = shards.known(read_ground_truth(truth_path, names[0], theirs), categories)
            known = [names[0] or dispatch.ground_truth_format(truth, how["kind"])]
            if ancestors is not None:
                from omniou.data import hierarchy

                truth = hierarchy.expand_truth(truth, ancestors)
            found = []
            for path in models:
                known.append(names[1] or dispatch.detections_format(path, truth, how["kind"]))
                reader = formats.declared(known[-1]).detections
                options = _with_classes(ours, how["dt_classes"], how["classes"], reader)
                if how["classes"] is not None and theirs.classes is None and options.classes is None:
                    msg = f"--classes has no use: {known[0]} and {known[-1]} name their classes, or number them by id"
                    raise click.UsageError(msg)
                detections = read_detections(path, truth, known[-1], options)
                found.append(_expanded(detections, truth, ancestors) if how["expand_detections"] else detections)
    except InputError as error:
        raise Unusable(log.told(str(error))) from error
    except (OptionError, MissingLibraryError) as error:
        raise click.UsageError(log.told(str(error))) from None
    for path, name, given in zip((truth_path, *models), known, (names[0], *[names[1]] * len(models)), strict=True):
        if given is None:
            log.assume(recognised(path, name))
    return Read(truth, found, tuple(known))


def recognised(path: Path, name: str) -> str:
    """What is assumed of a format that was not given."""
    return f"{path} has the format {name}, by its content."


def _expanded(detections: Detections[Any], truth: GroundTruth, ancestors: Any) -> Detections[Any]:
    if ancestors is None:
        return detections
    from omniou.data import hierarchy

    return hierarchy.expand_detections(detections, truth, ancestors)


def _check_kind(kind: str) -> None:
    if kind in LABEL_MAPS:
        msg = f"--kind {kind} is for `omniou eval` alone"
        raise click.UsageError(msg)


def order_of(format: str, side: str, how: dict[str, Any]) -> str | None:
    """The order of coordinates that a file of the "gt" or the "dt" was read in; None where the format names them."""
    declared = formats.declared(format)
    return how[f"{side}_boxes"] or how["boxes"] or (declared.truth if side == "gt" else declared.detections).order


def options_of(**how: Any) -> tuple[Options, Options]:
    """For the ground truth, and for detections."""
    common = {name: how[name] for name in ("images", "image_size", "kind", "angle_unit")}
    common["clockwise"] = not how["counterclockwise"]
    common["max_unpacked"] = None if how["max_unpacked"] is None else how["max_unpacked"] * 10**6
    theirs, ours = (
        Options(
            boxes=how[f"{side}_boxes"] or how["boxes"],
            track=shown,
            **common,
        )
        for side in ("gt", "dt")
    )
    return dataclasses.replace(theirs, image_set=how["image_set"], difficulty=how["difficulty"]), ours


def _with_classes(options: Options, own: Path | None, common: Path | None, reader: Reader[Any]) -> Options:
    """With the file of names for one side; that for both only where it has a use."""
    return dataclasses.replace(options, classes=own or (common if reader.numbered else None))


def _ancestors(path: Path | None) -> Any:
    """Open Images' hierarchy in a file, if one is given."""
    if path is None:
        return None
    from omniou.data import hierarchy

    return hierarchy.read(path)
