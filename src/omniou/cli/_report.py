"""`omniou report`: a page of one evaluation, or of two side by side."""

from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _pages as pages
from omniou.cli._commands import Command
from omniou.report import Record


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
@click.argument("other", type=files.PATH, required=False)
@click.option("--output", "-o", type=files.PATH, metavar="FILE", required=True, help="The page, one file of HTML.")
@click.option("--images", type=files.PATH, help="Directory of the images, which are drawn below their boxes.")
@click.option("--labels", nargs=2, metavar="NAME NAME", help="What two models are called. Default: their files.")
def command(
    record: Path, other: Path | None, output: Path, images: Path | None, labels: tuple[str, str] | None
) -> None:
    """Write a page of RECORD, the JSON of `omniou eval`, or of RECORD and OTHER side by side.

    The page shows what the record has: `omniou eval --html` computes all analyses.
    """
    pages.check(output, images)
    read = [(path, _read(path)) for path in (record, other) if path is not None]
    names = labels or (record.name, "" if other is None else other.name)
    pages.write(output, read[0][1], images, read[1][1] if other is not None else None, names)


def _read(path: Path) -> Record:
    try:
        return Record.from_json(path.read_bytes())
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise files.Unusable(msg) from None
    except ValueError as error:
        raise files.Unusable(f"{path}: {error}".replace("`text`", "the file")) from None
