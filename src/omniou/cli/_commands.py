"""`omniou eval` and its kin.

Exit codes: 0 done, 1 output that cannot be written, 2 usage, 3 input unreadable or nothing to score.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from omniou import __version__
from omniou.cli import _backends as backends
from omniou.cli import _files as files
from omniou.cli import _label_maps as label_maps
from omniou.cli import _output as output
from omniou.data import GroundTruth
from omniou.detection import PRESETS, Detections, Result, evaluate
from omniou.detection._kinds import KINDS, settled

Column = npt.NDArray[Any]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def omniou() -> None:
    """Overlap metrics of computer vision."""


@omniou.command(
    "eval",
    epilog="""\b
    Example:
      omniou eval instances_val2017.json detections.json --per-class

    \b
    Exit codes: 0 done, 1 output that cannot be written, 2 wrong usage,
      3 input unreadable or nothing to score.""",
)
@click.argument("ground_truth", type=click.Path(path_type=Path))
@click.argument("detections", type=click.Path(path_type=Path))
@files.options
@label_maps.options
@click.option("--protocol", type=click.Choice(list(PRESETS)), default="coco", help="Rules to score by.")
@click.option(
    "--tie-policy",
    type=click.Choice(["file", "invariant"]),
    default="file",
    help="Detections of equal score: in the order of the file, as in each challenge's own tool, or all at once.",
)
@click.option(
    "--kind",
    type=click.Choice([*KINDS, *label_maps.KINDS]),
    default="bbox",
    help="What overlaps: boxes, masks, boundaries, rotated boxes, or polygons; or label maps in PNG files.",
)
@click.option("--offset", type=float, default=0.0, help="1 where high corners name the last pixel inside, as in VOC.")
@click.option("--backend", type=click.Choice(list(backends.INSTALL)), default="numpy", help="Array library to use.")
@click.option("--format", "style", type=click.Choice(["table", "json"]), default="table", help="Kind of output.")
@click.option("--per-class", is_flag=True, help="Numbers of each category, too.")
@click.option("--ignore-flags", is_flag=True, help='Ignore annotations with "ignore": 1, which COCO\'s rules do not.')
def evaluate_files(
    ground_truth: Path,
    detections: Path,
    backend: str,
    style: str,
    *,
    protocol: str,
    tie_policy: Any,  # one of the choices
    kind: str,
    offset: float,
    per_class: bool,
    ignore_flags: bool,
    **how: Any,
) -> None:
    """Average precision and recall of DETECTIONS against GROUND_TRUTH.

    Both are files or directories, of formats that are recognised by their content: COCO and LVIS JSON, Pascal VOC, text
    files for each image, YOLO, Open Images, Parquet, KITTI and DOTA. The numbers are those of each challenge's own
    tools.

    With --kind semantic both are directories of PNG files of labels, with --kind panoptic COCO's panoptic JSON files
    beside folders of PNG files. The result is mean IoU, or panoptic quality.
    """
    label_maps.check(kind)
    if kind in label_maps.KINDS:
        with _complaining():
            label_maps.evaluate(kind, ground_truth, detections, style=style, per_class=per_class, **how)
        return
    backends.check(backend)
    _check_hierarchy(protocol, **how)
    _check_kind(kind, offset)
    truth, predictions = files.read(ground_truth, detections, kind=kind, **how)
    counts = _counts(truth, predictions)
    _warn(truth, counts, detections, ignore_flags=ignore_flags)
    rules = {"protocol": dataclasses.replace(PRESETS[protocol], tie_policy=tie_policy), "kind": kind, "offset": offset}
    result = _evaluate(truth, predictions, backend, rules, ignore_flags=ignore_flags)
    if result.surplus:
        most = result.protocol.max_detections[-1]
        click.echo(f"Warning: {detections}: {result.surplus} detections beyond the best {most} do not count", err=True)
    with _complaining():
        if style == "json":
            output.print_json(result, truth, counts, per_class=per_class)
        else:
            output.print_table(result, truth, per_class=per_class)


@contextlib.contextmanager
def _complaining() -> Iterator[None]:
    """Output that cannot be written is an error in a line; that nobody reads on is none of ours."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        msg = f"the output cannot be written: {error.strerror}"
        raise click.ClickException(msg) from None


def _check_hierarchy(protocol: str, *, hierarchy: Path | None, expand_detections: bool, **_: Any) -> None:
    if hierarchy is not None and not protocol.startswith("open_images"):
        msg = f"--hierarchy is for --protocol open_images, not {protocol}"
        raise click.UsageError(msg)
    if expand_detections and hierarchy is None:
        msg = "--expand-detections needs --hierarchy"
        raise click.UsageError(msg)


def _check_kind(kind: str, offset: float) -> None:
    try:
        settled(kind, None, offset, None)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _counts(truth: GroundTruth, detections: Detections[Any]) -> dict[str, int]:
    return {
        "images": len(truth.images),
        "categories": len(truth.categories),
        "annotations": len(truth.flagged),
        "crowds": int(_flags(truth, "crowd").sum()),
        "detections": len(detections.boxes),  # type: ignore[arg-type]
    }


def _warn(truth: GroundTruth, counts: dict[str, int], detections: Path, *, ignore_flags: bool) -> None:
    """What the numbers do not say by themselves, to stderr; an error where there would be none."""
    left = counts["annotations"] - int((_flags(truth, "crowd") | _ignored(truth, ignore_flags=ignore_flags)).sum())
    if not left:
        why = "no annotations" if not counts["annotations"] else "all annotations are ignored"
        msg = f"{truth.path}: nothing to score: {why}"
        raise files.Unusable(msg)
    if not counts["detections"]:
        click.echo(f"Warning: {detections}: no detections, so that every number is 0", err=True)
    if truth.relative:
        click.echo(
            f"Warning: {truth.path}: boxes are relative to images of unknown size, so that numbers of area ranges mean "
            "nothing; --images or --image-size gives the sizes",
            err=True,
        )
    if not ignore_flags and truth.flagged.any():
        flagged = int(truth.flagged.sum())
        click.echo(
            f'Warning: {truth.path}: "ignore" is set for {flagged} annotations, and has no effect, as in COCO\'s '
            "evaluator; --ignore-flags gives it one",
            err=True,
        )


def _flags(truth: GroundTruth, name: str) -> Column:
    """A column of booleans, which the format may not have."""
    flags = getattr(truth.targets, name)
    return np.zeros(len(truth.flagged), dtype=bool) if flags is None else flags


def _ignored(truth: GroundTruth, *, ignore_flags: bool) -> Column:
    """Objects that need not be found, beside crowds."""
    ignored = _flags(truth, "ignore")
    return ignored | truth.flagged if ignore_flags else ignored


def _evaluate(
    truth: GroundTruth, detections: Detections[Any], backend: str, rules: dict[str, Any], *, ignore_flags: bool
) -> Result[Any]:
    convert = backends.converter(backend)
    targets = dataclasses.replace(truth.targets, ignore=_ignored(truth, ignore_flags=ignore_flags))
    return evaluate(
        _converted(targets, convert),
        _converted(detections, convert),
        format=truth.format,
        classes=list(truth.categories),
        images=truth.images.tolist(),
        groups=_groups(truth),
        **rules,
    )


def _groups(truth: GroundTruth) -> dict[str, list[int]]:
    """LVIS's rare, common and frequent categories."""
    rated = truth.frequency or {}
    return {letter: [k for k, x in rated.items() if x == letter] for letter in "rcf" if letter in rated.values()}


def _converted(table: Any, convert: Callable[[Any], Any]) -> Any:
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    arrays = {name: x for name, x in columns.items() if x is not None and name != "masks"}
    return dataclasses.replace(table, **{name: convert(x) for name, x in arrays.items()})
