"""Read and write detections for the commands that change them, `nms` and `fuse`."""

import contextlib
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from omniou import scores
from omniou.cli import _doctor as doctor
from omniou.cli import _files as files
from omniou.cli import _output as output
from omniou.cli import _types as types
from omniou.cli._log import Log, colour
from omniou.cli._option_groups import option, option_group
from omniou.cli._places import OUTPUT, STDIN
from omniou.data import GroundTruth, read_detections_only
from omniou.data._rest import Rest, noted
from omniou.data.writing import WRITERS
from omniou.data.writing import _writers as writers
from omniou.data.writing._writers import encoded
from omniou.data.writing._written import Content
from omniou.detection import Detections, _suppression

# Scores with these terms only are valid for fractions of image sides: scaling x and y multiplies all areas alike.
_AFFINE = {(), ("hull",)}
# Options of reading that need a ground truth.
_OF_TRUTH = (
    *("gt_format", "gt_boxes", "gt_classes", "gt_class_ids", "dt_class_ids", "synonyms"),
    *("image_set", "subset", "blocked", "difficulty", "hierarchy", "expand_detections"),
)


@option_group
class PredictionOptions:
    """Where detections come from and go to."""

    output: Path = option(
        "File or new directory to write atomically. Default: the standard output.",
        OUTPUT,
        names=("--output", "-o"),
        default="-",
        metavar="OUTPUT",
    )
    to: str | None = option(
        "Format to write. Default: the format of the first DETECTIONS, or by the ending of OUTPUT.",
        types.Choice([name for name, writer in WRITERS.items() if writer.detections is not None]),
    )
    ground_truth: Path | None = option("Ground truth with the ids and names of images and classes.", files.PATH)
    reading: files.ReadOptions


class Predictions(NamedTuple):
    """The detections of models, and the ground truth with their images and classes."""

    truth: GroundTruth
    models: list[Detections[Any]]
    target: str  # the format to write
    rest: list[Rest]  # the records of each model, with all fields


def check(options: PredictionOptions) -> None:
    """Raise if the output cannot be written, before any work starts."""
    files.check_scores(options.reading)
    if options.to is not None:
        output.check_target(options.output, options.to, "detections")
    elif options.output.suffix and options.output != STDIN:
        output.check_output(options.output)


def _target(options: PredictionOptions, formats: Sequence[str]) -> str:
    """Return the format to write; raise if it cannot be written."""
    if options.to is not None:
        return options.to
    goal, target = options.output, formats[0]
    own = WRITERS.get(target)
    if own is None or own.detections is None or own.misnamed(goal):
        target = writers.by_ending(goal, options.reading.kind) or target
    if target not in WRITERS or WRITERS[target].detections is None:
        raise click.UsageError(f"omniou reads {target}, but does not write it: choose another format with --to")
    output.check_target(goal, target, "detections")
    return target


def read(paths: list[Path], options: PredictionOptions, log: Log, *, class_agnostic: bool = False) -> Predictions:
    """Read the detections of files, and warn of doubtful ones; a fault in them ends the command."""
    if options.ground_truth is not None:
        with noted() as rest:
            _, truth, models, known, _ = files.read(options.ground_truth, paths, log, options.reading)
        target = _target(options, known[1:])
        files.note_kind(known[1:], options.reading, log)
        doctor.between(truth, models, paths, log, class_agnostic=class_agnostic)
        return Predictions(truth, models, target, rest[1:])
    reading = options.reading
    if without := [name for name in _OF_TRUTH if getattr(reading, name)]:
        spelled = {"difficulty": "kitti-difficulty"}.get(without[0], without[0].replace("_", "-"))
        raise click.UsageError(f"--{spelled} needs --ground-truth")
    with files.reported(log), log.catching(), noted() as rest, files.of_side("dt_boxes", reading):
        own = dataclasses.replace(reading.readers[1], classes=reading.dt_classes or reading.classes)
        truth, models, known = read_detections_only(paths, reading.dt_format, own)
    if reading.dt_format is None:
        for path, name in zip(paths, known, strict=True):
            log.assume(files.recognised(path, name))
    target = _target(options, known)
    files.note_kind(known, reading, log)
    doctor.between(truth, models, paths, log, class_agnostic=class_agnostic)
    # Files of several models are read twice.
    return Predictions(truth, models, target, rest[-len(paths) :])


def write(content: Content, read: Predictions, options: PredictionOptions, log: Log) -> None:
    """Write detections."""
    write_content(content, options.output, read.target, "detections", log)


def write_content(content: Content, goal: Path, target: str, role: str, log: Log) -> None:
    """Write a file or a directory atomically, or a file to the standard output."""
    try:
        with files.reported(log), log.catching():
            if goal == STDIN:
                sys.stdout.buffer.write(encoded(content, target, role))
            else:
                writers.write_content(content, goal, target, role)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise output.unwritten(goal, error) from None


def check_score(name: str, detections: Detections[Any], truth: GroundTruth) -> None:
    """Raise a usage error if shapes have no score of this name, or it needs the sizes of images."""
    try:
        _suppression.score_function(_suppression.kind_of(detections), name)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--score {name} --kind {detections.kind}: {error}") from None
    if truth.relative and scores[name].terms not in _AFFINE:
        raise click.UsageError(f"--score {name} needs the sizes of the images: give --images or --image-size")


def count(detections: Detections[Any]) -> int:
    """Return the number of detections."""
    return len(np.asarray(detections.scores))


@contextlib.contextmanager
def refused(paths: Iterable[Path]) -> Iterator[None]:
    """Convert a ValueError about the values of files, such as negative scores, to an error of the command."""
    try:
        yield
    except ValueError as error:
        raise files.Unusable(f"{', '.join(map(str, paths))}: {error}") from None


def say(text: str) -> None:
    """Print what was done on standard error."""
    click.echo(text, err=True, color=colour(sys.stderr))
