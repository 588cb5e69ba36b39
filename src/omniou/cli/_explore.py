"""`omniou explore`: a page with two boxes to move, and the scores of omniou."""

import webbrowser
from pathlib import Path

import click

from omniou._lib.visible import visible
from omniou.cli import _files as files
from omniou.cli import _output as output
from omniou.cli._commands import Command
from omniou.cli._places import OUTPUT

_DEFAULT = Path("explorer.html")


@click.command(
    "explore",
    cls=Command,
    epilog="""\b
    Example:
      omniou explore --open
      omniou explore -o - > explorer.html

    \b
    Exit codes: 0 done, 2 wrong usage, 3 output not written.""",
)
@click.option(
    "--output",
    "-o",
    "path",
    type=OUTPUT,
    metavar="FILE",
    default=_DEFAULT,
    help=f"File to write atomically; - is the standard output. Default: {_DEFAULT}.",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def command(path: Path, show: bool) -> None:  # noqa: FBT001  (click passes options by name)
    """Write the overlap explorer: two boxes to move, and their IoU, GIoU, DIoU, CIoU, ProbIoU, L1 and L2.

    The page is one file. It shows formulas and gradients, and needs no network.
    """
    to_stdout = str(path) == "-"
    if to_stdout and show:
        raise click.UsageError("--open opens a file: remove it, or --output -")
    target = None if to_stdout else path
    output.check_output(target)
    if target is not None:
        output.check_named(target, "--output", *output.PAGE)

    from omniou.report import explorer

    output.write(explorer.html(), target)
    if target is None:
        return
    click.echo(visible(f"{target}: open it in a browser"))
    if show and not webbrowser.open(target.resolve().as_uri()):
        raise files.Unusable(f"omniou cannot start a browser: open {target} yourself")
