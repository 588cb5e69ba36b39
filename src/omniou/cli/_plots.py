"""Write the pictures of an evaluation as files: `--plots DIR`."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from omniou._lib import extras
from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.cli import _output as output
from omniou.cli import _types as types
from omniou.cli._files import Unusable, reported
from omniou.cli._log import Log
from omniou.cli._option_groups import given_on_line, option, option_group
from omniou.cli._places import OUTPUT
from omniou.report import ANALYSES

if TYPE_CHECKING:
    from omniou.report import Record

# Formats of matplotlib.
_FORMATS = ("png", "pdf", "svg")


@option_group
class PlotOptions:
    """Where pictures go, and in which format."""

    SECTION = "Pictures, logs and gates"

    plots: Path | None = option("Write each picture of --html to DIR as a file.", OUTPUT, metavar="DIR")
    plots_format: str = option("Format of --plots.", types.Choice(list(_FORMATS)), default="png", show_default=True)


def check(options: PlotOptions) -> None:
    """Raise if pictures cannot be drawn or written, before any work starts."""
    path = options.plots
    if path is None:
        if given_on_line("plots_format"):
            raise click.UsageError("--plots-format needs --plots DIR")
        return
    with reported(Log()):
        extras.check("matplotlib", "--plots")
    if path.exists() and not path.is_dir():
        raise Unusable(f"--plots {path}: is not a directory")
    output.check_named(path, "--plots")
    if not path.is_dir():
        output.check_output(path, "--plots")


def note_without_boxes(log: Log) -> None:
    """Note the pictures that a state cannot have."""
    names = [name for name, x in ANALYSES.items() if x.chart and x.boxes and not x.kind]
    log.note(f"A state holds no boxes, so there are no pictures of {', '.join(names[:-1])} and {names[-1]}.")


def write(options: PlotOptions, made: "Record") -> None:
    """Draw all pictures, then write each file atomically, and warn of files of an earlier run."""
    if options.plots is None:
        return
    from omniou.report._charts import fonts
    from omniou.report._logging.figures import encoded, figures

    with fonts.kept() if options.plots_format == "svg" else contextlib.nullcontext():
        drawn = figures(made)
    if not drawn:
        raise Unusable(f"--plots {options.plots}: there are no pictures of --kind {made.kind}")
    files = {f"{name}.{options.plots_format}": encoded(x, options.plots_format) for name, x in drawn.items()}
    try:
        options.plots.mkdir(exist_ok=True)
    except OSError as error:
        raise output.unwritten(options.plots, error) from None
    for name, data in files.items():
        output.write_file(options.plots / name, data)
    earlier = [x for kind in ANALYSES if (x := f"{kind}.{options.plots_format}") not in files]
    if stale := [x for x in earlier if (options.plots / x).exists()]:
        # They are not removed: the user may need them.
        text = f"{shortened(stale)} are not of this run, which has no such pictures"
        Log().add(Finding(code="plots-earlier", text=text, path=str(options.plots)))
