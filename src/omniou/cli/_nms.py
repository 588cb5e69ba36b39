"""`omniou nms`: non-maximum suppression of detections in files."""

from pathlib import Path
from typing import Any, Literal

import click

from omniou._lib.brief import counted
from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _predictions as predictions
from omniou.cli import _stdin as stdin
from omniou.cli import _types as types
from omniou.cli._commands import Command
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group, takes
from omniou.cli._predictions import PredictionOptions
from omniou.data import GroundTruth
from omniou.data.writing._written import Content
from omniou.detection import Detections, _suppression
from omniou.detection._suppression import SCORES

_METHODS = ("hard", "soft", "matrix")
_DECAYS = ("gaussian", "linear")


@option_group
class SuppressionOptions:
    """Options of `omniou nms`."""

    method: Literal["hard", "soft", "matrix"] = option(
        "hard drops detections that overlap a better one. soft lowers their scores one after the other, matrix all at "
        "once.",
        types.Choice(_METHODS),
        default="hard",
    )
    threshold: float | None = option(
        "Drop detections that overlap a better one by more; default 0.5. With --method soft --decay linear, lower "
        "their scores; default 0.3.",
        metavar="NUMBER",
        callback=types.checked(types.share),
    )
    decay: Literal["gaussian", "linear"] | None = option(
        "How --method soft and matrix lower scores. Default: gaussian.", types.Choice(_DECAYS)
    )
    sigma: float | None = option(
        "Sigma of --decay gaussian. soft divides by it (default 0.5), matrix multiplies (default 2).",
        metavar="NUMBER",
        callback=types.checked(types.positive),
    )
    score: str = option("Score that measures the overlap. Default: iou.", types.Choice(SCORES), default="iou")
    class_agnostic: bool = option("Let detections of different classes suppress each other.", is_flag=True)
    score_threshold: float | None = option(
        "Drop detections with this final score or less.", metavar="NUMBER", callback=types.checked(types.number)
    )
    limit: int | None = option("Keep at most this many detections of an image.", click.IntRange(min=1))
    files: PredictionOptions


@click.command(
    "nms",
    cls=Command,
    kinds=["bbox", "segm", "rotated", "polygons", "intervals"],
    why="omniou suppresses what it can write of detections; --kind bbox takes the boxes of keypoints.",
    epilog="""\b
    Examples:
      omniou nms detections.json -o kept.json
      omniou nms labels/ -o kept/ --method soft --score-threshold 0.01
      omniou nms masks.json --kind segm --threshold 0.7 -o kept.json""",
)
@click.argument("detections", type=files.PATH)
@takes(SuppressionOptions)
@config.option
def command(detections: Path, options: SuppressionOptions) -> None:
    """Remove duplicates among DETECTIONS: non-maximum suppression (NMS).

    DETECTIONS is a file or a directory in any format that `omniou formats` lists; '-' is the standard input. omniou
    compares detections of one image and class, and writes the rest in the order of the input.
    """
    _check(options)
    predictions.check(options.files)
    log = Log()
    with stdin.kept([detections], log) as paths:
        read = predictions.read(paths, options.files, log)
        (given,), (rest,) = read.models, read.rest
        with predictions.refused([detections]):
            rows, kept = suppressed(given, read.truth, options)
        content = Content(read.truth, kept, rest.take(rows), paths[0])
        predictions.write(content, read, options.files, log)
    predictions.say(f"{predictions.count(kept):,} of {counted(predictions.count(given), 'detections')} kept")


def _check(options: SuppressionOptions) -> None:
    """Raise a usage error for options that have no effect."""
    decays, linear = options.method != "hard", options.decay == "linear"
    drops = not decays or (options.method == "soft" and linear)
    for name, fits, needs in (
        ("threshold", drops, "--method hard, or soft with --decay linear"),
        ("decay", decays, "--method soft or matrix"),
        ("sigma", decays and not linear, "--method soft or matrix with --decay gaussian"),
    ):
        if getattr(options, name) is not None and not fits:
            raise click.UsageError(f"--{name} is for {needs}")


def suppressed(
    detections: Detections[Any], truth: GroundTruth, options: SuppressionOptions
) -> tuple[Any, Detections[Any]]:
    """Return the rows that remain, in the order of the input, and their detections."""
    predictions.check_score(options.score, detections, truth)
    return _suppression.suppressed(
        detections,
        {name: getattr(options, name) for name in ("method", "threshold", "decay", "sigma")},
        score=options.score,
        kind=None,
        format=None,
        class_agnostic=options.class_agnostic,
        score_threshold=options.score_threshold,
        limit=options.limit,
    )
