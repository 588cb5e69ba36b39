"""`omniou convert`: write files in another format."""

from pathlib import Path

import click

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
from omniou.data.writing._written import Content


@option_group
class ConvertOptions:
    """Options of `omniou convert`."""

    target: str = option("Format to write.", types.Choice(list(WRITERS)), names=("--to",), required=True)
    reading: files.ReadOptions


@click.command(
    "convert",
    cls=Command,
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
    target, role = options.target, "ground_truth" if len(inputs) == 1 else "detections"
    output.check_target(goal, target, role)
    log = Log()
    with stdin.kept(inputs, log) as kept:
        with noted() as rest:
            read = files.read(kept[0], kept[1:], log, options.reading)
        files.note_kind(read.formats, options.reading, log)
        table = read.detections[0] if read.detections else read.truth.targets
        predictions.write_content(Content(read.truth, table, rest[-1], kept[-1]), goal, target, role, log)
