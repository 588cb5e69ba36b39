"""`omniou fuse`: average the boxes of several models (weighted boxes fusion)."""

from pathlib import Path
from typing import Any

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
from omniou.cli._predictions import PredictionOptions, Predictions
from omniou.data.writing._written import Content
from omniou.detection import Detections, fuse
from omniou.detection._suppression import SCORES

_CONFIDENCES = ("box_and_model_avg", "absent_model_aware_avg", "avg", "avg_overflow", "max")


@option_group
class FusionOptions:
    """Options of `omniou fuse`."""

    threshold: float = option(
        "Fuse boxes that overlap by more than this.",
        default="0.55",
        show_default=True,
        metavar="NUMBER",
        callback=types.checked(types.share),
    )
    weights: tuple[float, ...] | None = option(
        "Weight of each model, such as 2,1. Default: 1.", metavar="LIST", callback=types.checked(types.weights)
    )
    confidence: str = option(
        "How to compute the score of a fused box, by the names of ensemble-boxes.",
        types.Choice(_CONFIDENCES),
        default=_CONFIDENCES[0],
    )
    score: str = option("Score that measures the overlap. Default: iou.", types.Choice(SCORES), default="iou")
    class_agnostic: bool = option("Fuse boxes of different classes. The best box gives the class.", is_flag=True)
    score_threshold: float | None = option(
        "Drop detections with this score or less before the fusion.",
        metavar="NUMBER",
        callback=types.checked(types.number),
    )
    limit: int | None = option("Keep at most this many detections of an image.", click.IntRange(min=1))
    files: PredictionOptions


@click.command(
    "fuse",
    cls=Command,
    kinds=["bbox"],
    why="omniou averages upright boxes only.",
    epilog="""\b
    Examples:
      omniou fuse a.json b.json c.json -o fused.json
      omniou fuse a.json b.json --weights 2,1 --threshold 0.6 -o fused.json""",
)
@click.argument("detections", type=files.PATH, nargs=-1, required=True)
@takes(FusionOptions)
@config.option
def command(detections: tuple[Path, ...], options: FusionOptions) -> None:
    """Average the boxes of several models: weighted boxes fusion (WBF).

    Each of DETECTIONS is a file or a directory with the detections of one model, in any format that `omniou formats`
    lists; '-' is the standard input. omniou fuses boxes of one image and class. It writes them by image and by falling
    score.
    """
    if options.weights is not None and len(options.weights) != len(detections):
        raise click.UsageError(
            f"--weights must have one number for each of the {len(detections)} models, got {len(options.weights)}"
        )
    predictions.check(options.files)
    log = Log()
    with stdin.kept(detections, log) as paths:
        read = predictions.read(paths, options.files, log, class_agnostic=options.class_agnostic)
        with predictions.refused(detections):
            result = fused(read, options)
        content = Content(read.truth, result)
        each = [x.fields() for x in read.rest]
        names = sorted({name for _, of_model in each for name in of_model})
        lost = f"lost fields, since fusion averages only boxes: {', '.join(names)}"
        content.lose(sum(n for n, _ in each), "detections", lost)
        predictions.write(content, read, options.files, log)
    total = sum(map(predictions.count, read.models))
    predictions.say(
        f"{counted(predictions.count(result), 'detections')} from {total:,} of {counted(len(read.models), 'models')}"
    )


def fused(read: Predictions, options: FusionOptions) -> Detections[Any]:
    """Fuse the detections of all models, sorted by image, then by falling score."""
    predictions.check_score(options.score, read.models[0], read.truth)
    return fuse(
        read.models,
        options.threshold,
        weights=options.weights,
        confidence=options.confidence,  # type: ignore[arg-type]  # one of the choices
        score=options.score,
        class_agnostic=options.class_agnostic,
        score_threshold=options.score_threshold,
        limit=options.limit,
    )
