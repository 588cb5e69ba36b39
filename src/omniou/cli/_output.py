"""Write the result of a command to standard output, or atomically to a file."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from omniou._lib import outputs
from omniou.cli import _types as types
from omniou.cli._files import Unusable
from omniou.cli._log import colour
from omniou.cli._option_groups import COMMON, option, option_group
from omniou.cli._places import OUTPUT, STDIN
from omniou.data import MissingLibraryError, OptionError
from omniou.report._text.render import ENDINGS
from omniou.report._text.text import Style

# Without a terminal, lines are for other programs and are not wrapped.
_WIDTH = 200
# Endings of pages.
PAGE = (".html", ".htm", ".xhtml")


def style_option(names: Iterable[str]) -> Any:
    """Declare `--format` with the outputs of a command."""
    words = "Kind of output. Default: by the ending of FILE, else table."
    return option(words, types.Choice(list(names)), names=("--format",), section=COMMON)


@option_group
class OutputOptions:
    """Where the result goes, and in which format; commands with other formats override `style`."""

    style: str | None = style_option(("table", "json"))
    output: Path | None = option(
        "File to write atomically. Default: the standard output.",
        OUTPUT,
        names=("--output", "-o"),
        section=COMMON,
        metavar="FILE",
    )

    def style_among(self, known: Iterable[str]) -> str:
        """Return the format of the output, from the option or the ending of the file's name.

        Raise a usage error for the ending of another format. A text file may have any format.
        """
        of_styles = {ending: style for ending, style in ENDINGS.items() if style in set(known)}
        path, guess = self.output, "table"
        if path is not None and not outputs.misnamed(path, *of_styles):
            guess = of_styles.get(path.suffix.lower(), guess)
        style = guess if self.style is None else self.style
        fitting = [ending for ending, own in of_styles.items() if own == style]
        if path is not None and outputs.misnamed(path, *fitting, ".txt"):
            raise click.UsageError(
                f"--output {path}: the ending {path.suffix} is not of the format {style}: use {', '.join(of_styles)}"
                + ("" if self.style is None else ", or another --format")
                + ("; --html writes a page" if path.suffix.lower() in PAGE and hasattr(self, "html") else "")
            )
        return style


def check_named(path: Path, name: str, *endings: str) -> None:
    """Raise if the ending of an output is of another format."""
    if why := outputs.misnamed(path, *endings):
        raise click.UsageError(f"{name} {path}: {why}")


def check_output(path: Path | None, name: str = "--output") -> None:
    """Raise if a file cannot be written, before any work starts."""
    if path is None:
        return
    if why := outputs.refusal(path):
        raise Unusable(f"{name} {path}: {why}")


def check_target(path: Path, target: str, role: str) -> None:
    """Raise if a format of data cannot be written to a path, before any work starts."""
    from omniou.data.writing._writers import checked

    try:
        writer = checked(target, role)
        if path != STDIN and (why := writer.misnamed(path)):
            raise click.UsageError(f"OUTPUT {path}: {why}, or write another format: {target} is chosen")
        if writer.folder and path != STDIN:
            outputs.check_folder(path)
    except (OptionError, MissingLibraryError, FileExistsError) as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise unwritten(path, error) from None
    if writer.folder and path == STDIN:
        raise click.UsageError(f"{target} is a directory of files: name a directory as OUTPUT, not the standard output")
    if path != STDIN and not path.is_dir():
        check_output(path, "OUTPUT")


def write(text: str, path: Path | None) -> None:
    """Write text to a file, atomically, or to standard output."""
    text = text.encode("utf-8", "replace").decode()  # names of files may hold surrogates
    if path is None:
        try:
            click.echo(text, nl=False, color=colour(sys.stdout))
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except (OSError, UnicodeEncodeError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise Unusable(f"the output cannot be written: {why}") from None
        return
    write_file(path, text.encode())


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    try:
        outputs.write(path, data)
    except OSError as error:
        raise unwritten(path, error) from None


def unwritten(path: Path, error: OSError) -> Unusable:
    """Return the error for a file that cannot be written."""
    return Unusable(f"{path}: cannot be written: {error.strerror or error}")


def width() -> int:
    """Return the width of the output in characters."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return max(20, shutil.get_terminal_size((80, 24)).columns)
    return _WIDTH


def style(path: Path | None) -> Style:
    """Return emphasis for a terminal, and whether the output must be ASCII."""
    if path is not None:
        return Style()
    encoding = (sys.stdout.encoding or "ascii").lower()
    ascii_only = not encoding.startswith("utf")
    if not colour(sys.stdout):
        return Style(ascii=ascii_only)
    return Style(lambda x: click.style(x, bold=True), lambda x: click.style(x, dim=True), ascii_only)
