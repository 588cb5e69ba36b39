"""`omniou report`: write the page of a saved record."""

from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _pages as pages
from omniou.cli._commands import Command
from omniou.cli._log import Log
from omniou.cli._places import OUTPUT


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
@click.option("--output", "-o", type=OUTPUT, metavar="FILE", required=True, help="HTML file to write.")
@click.option("--images", type=files.PATH, help="Directory of images, to draw the boxes on.")
def command(record: Path, output: Path, images: Path | None) -> None:
    """Write an HTML page of RECORD, a file that `omniou eval --format json` wrote.

    The page shows the analyses that the record has. To compute all of them, use `omniou eval --html`. To show two
    models side by side, use `omniou compare --html`.
    """
    pages.check(output, images, "--output")
    pages.write(output, gates.load(record), images, log=Log())
