"""Where commands write and connect: the types of such options, and a check that no output is an input.

An option has one of these types exactly if it names where omniou writes, connects, logs or resumes. A file of options
that omniou finds by itself may not set it: a cloned repository would write where its user did not say.
"""

import itertools
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.types import StringParamType

from omniou.data import _files, _paths
from omniou.report._record.make import files_of

STDIN = Path("-")


class Outward:
    """The type of an option that names where omniou writes or connects."""

    def paths(self, value: Any) -> list[Path]:  # noqa: ARG002  (other types have paths)
        """Return the files and directories that a value names."""
        return []


class _Output(Outward, click.Path):
    def paths(self, value: Any) -> list[Path]:
        return [] if value == STDIN else [value]


class Address(Outward, StringParamType):
    """Text that names where to connect or to log, and how to find the files and directories in it."""

    def __init__(self, paths: Callable[[str], list[Path]] | None = None) -> None:
        self._paths = paths

    def paths(self, value: Any) -> list[Path]:
        """Return the files and directories that a value names."""
        return [] if self._paths is None else self._paths(value)


OUTPUT = _Output(path_type=Path)


class _Place(NamedTuple):
    """A path, as the caller wrote it: behind an option, or as an argument."""

    spelled: str
    path: Path

    def __str__(self) -> str:
        return f"{self.spelled} {self.path}".strip()


def check(ctx: click.Context) -> None:
    """Raise a usage error if an output is an input or another output, before any work starts."""
    outputs, inputs = _places(ctx)
    for output in outputs:
        for given in inputs:
            if what := _conflict(output.path, given):
                raise click.UsageError(f"{output} {what} {given}, which is an input: name another place", ctx)
    for a, b in itertools.combinations(outputs, 2):
        if _is_same(a.path, b.path):
            raise click.UsageError(f"{a} and {b} are one place: each output needs its own", ctx)


def too_large(ctx: click.Context) -> str:
    """Name the inputs of a command, and the option by which it needs less memory."""
    inputs = " and ".join(str(x) for x in _places(ctx)[1] if not x.spelled) or ctx.info_name
    ways = {"sequences": "--sequences reads fewer sequences", "image_set": "--image-set reads fewer images"}
    known = [way for name, way in ways.items() if name in ctx.params]
    way = next(iter(known if ctx.params.get("kind") == "tracks" else reversed(known)), "give it smaller files")
    return f"there is not enough memory for {inputs}: {way}"


def _places(ctx: click.Context) -> tuple[list[_Place], list[_Place]]:
    """Return the outputs and the inputs of a command."""
    outputs, inputs = [], []
    for parameter in ctx.command.params:
        spelled = parameter.opts[0] if isinstance(parameter, click.Option) else ""
        value = ctx.params.get(str(parameter.name))
        for x in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter.type, Outward):
                outputs += [] if x is None else [_Place(spelled, path) for path in parameter.type.paths(x)]
            elif isinstance(x, Path):
                inputs.append(_Place(spelled, x))
    if source := ctx.meta.get("omniou.config"):
        inputs.append(_Place("--config", Path(source[0])))
    return outputs, inputs


def _conflict(output: Path, given: _Place) -> str:
    """Return how an output damages an input, as a verb; empty if it does not."""
    if any(_is_same(output, path) for path in ([given.path] if given.path.exists() else files_of(given.path))):
        return "would replace"
    if not given.path.is_dir():
        return ""
    # Only pictures are read in the directory of --images, often the working directory.
    if given.spelled == "--images" and output.suffix.lower() not in _paths.PICTURES:
        return ""
    if Path(os.path.realpath(given.path)) in Path(os.path.realpath(output)).parents:
        return "is inside"
    is_linked = _status(output) is not None and any(_is_same(output, x) for x in _files.in_folder(given.path))
    return "would replace a file of" if is_linked else ""


def _is_same(a: Path, b: Path) -> bool:
    """Return whether two paths are one file or directory; never for devices and pipes, which nothing replaces."""
    known = [x for x in (_status(a), _status(b)) if x is not None]
    if any(not (stat.S_ISREG(x.st_mode) or stat.S_ISDIR(x.st_mode)) for x in known):
        return False
    # A path through a directory that does not exist, such as new/../a.json, has no status, and is written to a.json.
    return os.path.realpath(a) == os.path.realpath(b) or (len(known) == 2 and os.path.samestat(*known))


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file, or of the standard input; None if there is no such file."""
    try:
        return os.fstat(0) if path == STDIN else path.stat()
    except (OSError, ValueError):  # its reader or writer reports what is wrong
        return None
