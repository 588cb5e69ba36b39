"""The options of commands that read files, and what comes of them."""

import contextlib
import dataclasses
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from omniou.data import (
    DETECTIONS,
    GROUND_TRUTHS,
    GroundTruth,
    InputError,
    InputWarning,
    MissingLibraryError,
    OptionError,
    Options,
    formats,
)
from omniou.data._options import ANGLE_UNITS, DIFFICULTIES
from omniou.detection import Detections

_ORDERS = ("xyxy", "yxyx", "xywh", "cxcywh")
_BOXES = click.Choice([*_ORDERS, *(f"rel_{name}" for name in _ORDERS), "cxcywhr", "xywhr"])
# With fewer files than this, no progress bar is shown.
_MANY = 50


class Unusable(click.ClickException):
    """Input that cannot be read, or that holds nothing to score."""

    exit_code = 3


def _size(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """WIDTHxHEIGHT -> (height, width)."""
    if value is None:
        return None
    match = re.fullmatch(r"([1-9]\d{0,8})x([1-9]\d{0,8})", value)
    if not match:
        msg = f"{value!r} is not like 640x480"
        raise click.BadParameter(msg)
    return int(match[2]), int(match[1])


_OPTIONS = (
    click.option("--gt-format", type=click.Choice(list(GROUND_TRUTHS)), help="Format of GROUND_TRUTH."),
    click.option("--dt-format", type=click.Choice(list(DETECTIONS)), help="Format of DETECTIONS."),
    click.option("--boxes", type=_BOXES, help="Order of coordinates in both, if not that of their formats."),
    click.option("--gt-boxes", type=_BOXES, help="In GROUND_TRUTH alone, whatever --boxes says."),
    click.option("--dt-boxes", type=_BOXES, help="In DETECTIONS alone, whatever --boxes says."),
    click.option("--angle-unit", type=click.Choice(ANGLE_UNITS), default="radians", help="Of angles of rotated boxes."),
    click.option("--counterclockwise", is_flag=True, help="Positive angles turn so, on a screen whose y points down."),
    click.option("--classes", type=click.Path(path_type=Path), help="File with a name of a class in each line."),
    click.option("--images", type=click.Path(path_type=Path), help="Directory of images, to look up their sizes."),
    click.option("--image-size", metavar="WxH", callback=_size, help="Size of all images, such as 640x480."),
    click.option("--image-set", type=click.Path(path_type=Path), help="File with an image in each line: only these."),
    click.option(
        "--kitti-difficulty", "difficulty", type=click.Choice(DIFFICULTIES), help="Harder objects do not count."
    ),
    click.option(
        "--hierarchy",
        type=click.Path(path_type=Path),
        help="Open Images' JSON of classes: objects are also of the ancestors of their class.",
    ),
    click.option("--expand-detections", is_flag=True, help="With --hierarchy: detections are so, too."),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what `read` takes to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read(truth: Path, detections_path: Path, **how: Any) -> tuple[GroundTruth, Detections[Any]]:
    """Both files; what is wrong with them ends the command."""
    common = {name: how[name] for name in ("classes", "images", "image_size", "kind", "angle_unit")}
    common["clockwise"] = not how["counterclockwise"]
    orders = (how[name] or how["boxes"] for name in ("gt_boxes", "dt_boxes"))
    theirs, ours = (Options(boxes=order, track=_shown, **common) for order in orders)
    theirs = dataclasses.replace(theirs, image_set=how["image_set"], difficulty=how["difficulty"])
    names = how["gt_format"], how["dt_format"]
    try:
        with warnings_as_words():
            formats.check(truth, detections_path, names)
            ancestors = _ancestors(how["hierarchy"])
            objects = formats.read_ground_truth(truth, names[0], theirs)
            if ancestors is None:
                return objects, formats.read_detections(detections_path, objects, names[1], ours)
            return _expanded(objects, detections_path, ancestors, names[1], ours, both=how["expand_detections"])
    except InputError as error:
        raise Unusable(str(error)) from None
    except (OptionError, MissingLibraryError) as error:
        raise click.UsageError(str(error)) from None


def _ancestors(path: Path | None) -> Any:
    """Open Images' hierarchy in a file, if one is given."""
    if path is None:
        return None
    from omniou.data import hierarchy

    return hierarchy.read(path)


def _expanded(
    objects: GroundTruth, detections_path: Path, ancestors: Any, name: str | None, options: Options, *, both: bool
) -> tuple[GroundTruth, Detections[Any]]:
    """Objects, and detections if asked for, also of the ancestors of their classes."""
    from omniou.data import hierarchy

    objects = hierarchy.expand_truth(objects, ancestors)
    detections = formats.read_detections(detections_path, objects, name, options)
    return objects, hierarchy.expand_detections(detections, objects, ancestors) if both else detections


def _shown(files: Sequence[Path], what: str) -> Iterable[Path]:
    """The files, with a bar on a terminal if there are many."""
    if len(files) < _MANY:
        return files
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    # A bar that is disabled still ends its line, in older versions of rich.
    if not console.is_terminal:
        return files
    return track(files, what, console=console, transient=True)


@contextlib.contextmanager
def warnings_as_words() -> Iterator[None]:
    """Warnings of readers are lines on stderr."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        before = warnings.showwarning
        warnings.showwarning = lambda *args, **more: (show if args[1] is InputWarning else before)(*args, **more)
        yield
