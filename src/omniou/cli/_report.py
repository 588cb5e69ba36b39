"""`omniou report`: a page of an evaluation that was saved."""

from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _pages as pages
from omniou.cli._commands import Command


@click.command(
    "report",
    cls=Command,
    epilog="""\b
    Example:
      omniou eval instances_val2017.json detections.json --html report.html
      omniou report results.json -o report.html

    \b
    Exit codes: 0 done, 2 wrong usage, 3 input unreadable, or output not written.""",
)
@click.argument("record", type=files.PATH)
@click.option("--output", "-o", type=files.PATH, metavar="FILE", required=True, help="The page, one file of HTML.")
@click.option("--images", type=files.PATH, help="Directory of the images, which are drawn below their boxes.")
def command(record: Path, output: Path, images: Path | None) -> None:
    """Write a page of RECORD, the JSON of `omniou eval`.

    The page shows what the record has: `omniou eval --html` computes all analyses. Two models are shown side by side by
    `omniou compare --html`.
    """
    pages.check(output, images, "--output")
    pages.write(output, gates.load(record), images)
