"""`omniou report`: write the page of a saved record, or a table of the records of several data sets."""

from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _gates as gates
from omniou.cli import _output as output_options
from omniou.cli import _pages as pages
from omniou.cli._commands import Command
from omniou.cli._log import Log
from omniou.cli._places import OUTPUT
from omniou.report._record.sections import Shown
from omniou.report._text.render import ENDINGS, RENDERERS, text


@click.command(
    "report",
    cls=Command,
    epilog="""\b
    Examples:
      omniou eval instances_val2017.json detections.json --html report.html
      omniou report results.json -o report.html
      omniou report aerial.json cars.json drones.json -o table.md

    \b
    Exit codes: 0 done, 2 wrong usage, 3 input unreadable, or output not written.""",
)
@click.argument("records", nargs=-1, required=True, type=files.PATH, metavar="RECORD...")
@click.option("--output", "-o", type=OUTPUT, metavar="FILE", required=True, help="File to write: HTML of one record.")
@click.option("--images", type=files.PATH, help="Directory of images, to draw the boxes on.")
def command(records: tuple[Path, ...], output: Path, images: Path | None) -> None:
    """Write an HTML page of RECORD, a file that `omniou eval --format json` wrote.

    The page shows the analyses that the record has. To compute all of them, use `omniou eval --html`. To show two
    models side by side, use `omniou compare --html`.

    With several RECORDs, write a table like ODinW's: a row for each data set, the mean and the median. The ending of
    FILE chooses Markdown, CSV, JSON or text.
    """
    if len(records) == 1:
        pages.check(output, images, "--output")
        pages.write(output, gates.load(records[0]), images, log=Log())
        return
    if images is not None:
        raise click.UsageError("--images is for the page of one record")
    _write_table(records, output)


# Formats of a table of several records.
_STYLES = {"json", "csv", "md", "table"}


def _write_table(records: tuple[Path, ...], output: Path) -> None:
    """Write a table of several data sets, called as the files."""
    from omniou.report._record.data_sets import of_data_sets

    styles = {ending: style for ending, style in ENDINGS.items() if style in _STYLES}
    style = styles.get(output.suffix.lower())
    if style is None:
        raise click.UsageError(f"--output {output}: a table of several records ends in {', '.join(styles)}")
    output_options.check_output(output)
    stems = [x.stem for x in records]
    names = stems if len(set(stems)) == len(stems) else list(map(str, records))
    if twice := next((x for x in names if names.count(x) > 1), ""):
        raise click.UsageError(f"{twice} is given twice")
    try:
        made = of_data_sets({name: gates.load(path) for name, path in zip(names, records, strict=True)})
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    shown = Shown(full=False, per_class=True, weakest=False, intervals=False, analyses=[])
    output_options.write(text(made, shown, width=200) if style == "table" else RENDERERS[style](made, shown), output)
