"""`omniou convert`: write files in another format."""

from pathlib import Path

import click

from omniou._inputs.kinds import KINDS
from omniou.cli import _config as config
from omniou.cli import _files as files
from omniou.cli import _output as output
from omniou.cli import _predictions as predictions
from omniou.cli import _stdin as stdin
from omniou.cli import _types as types
from omniou.cli._commands import Command
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group, takes
from omniou.cli._places import OUTPUT
from omniou.data._rest import noted
from omniou.data.writing import WRITERS
from omniou.data.writing._writers import by_ending
from omniou.data.writing._written import Content


@option_group
class ConvertOptions:
    """Options of `omniou convert`."""

    target: str | None = option(
        "Format to write. Default: by the ending of OUTPUT, .json (COCO), .csv or .parquet.",
        types.Choice(list(WRITERS)),
        names=("--to",),
    )
    reading: files.ReadOptions


@click.command(
    "convert",
    cls=Command,
    kinds=[name for name in KINDS if name not in {"boxes3d", "bev"}],
    why="omniou writes no 3-D boxes, and no files of other kinds.",
    epilog="""\b
    Examples:
      omniou convert instances_val2017.json labels/ --to yolo
      omniou convert instances_val2017.json detections.json out/ --to voc
      omniou convert labels/val out.json --to coco --images images/val""",
)
@click.argument("inputs", type=files.PATH, nargs=-1, metavar="GROUND_TRUTH [DETECTIONS]")
@click.argument("goal", type=OUTPUT, metavar="OUTPUT")
@takes(ConvertOptions)
@config.option
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[Path, ...], goal: Path, options: ConvertOptions) -> None:
    """Write GROUND_TRUTH, or DETECTIONS for its images, in another format.

    OUTPUT is a file, or a directory that is new or empty; '-' is the standard output. omniou writes it atomically and
    names on standard error what the format cannot hold.
    """
    if len(inputs) not in {1, 2}:
        raise click.UsageError("expected GROUND_TRUTH [DETECTIONS] OUTPUT", ctx)
    role = "ground_truth" if len(inputs) == 1 else "detections"
    target = options.target or by_ending(goal, options.reading.kind)
    if target is None:
        raise click.UsageError(f"--to: name the format of {goal}, whose ending names none: {', '.join(WRITERS)}", ctx)
    output.check_target(goal, target, role)
    log = Log()
    with stdin.kept(inputs, log) as kept:
        with noted() as rest:
            read = files.read(kept[0], kept[1:], log, options.reading)
        files.note_kind(read.formats, options.reading, log)
        table = read.detections[0] if read.detections else read.truth.targets
        predictions.write_content(Content(read.truth, table, rest[-1], kept[-1]), goal, target, role, log)
