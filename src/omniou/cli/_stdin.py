"""Copy standard input (`-`) and pipes to temporary files, since readers open a file more than once."""

import contextlib
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import click

from omniou.cli._files import Unusable
from omniou.cli._log import Log
from omniou.cli._places import STDIN
from omniou.data import InputError
from omniou.data._files import copy_pipe


@contextlib.contextmanager
def kept(paths: Sequence[Path], log: Log, *, allowed: bool = True) -> Iterator[list[Path]]:
    """Yield the paths, with pipes replaced by copies that exist until the context ends; the log knows their names."""
    if not allowed and STDIN in paths:
        raise click.UsageError("only --engine local reads the standard input, '-', and never as a state")
    if list(paths).count(STDIN) > 1:
        raise click.UsageError("only one of the files can be the standard input, '-'")
    with contextlib.ExitStack() as stack:
        yield [_kept(path, number, stack, log) for number, path in enumerate(paths)]


def _kept(path: Path, number: int, stack: contextlib.ExitStack, log: Log) -> Path:
    if path == STDIN:
        return _copied(sys.stdin.buffer, path, number, stack, log)
    try:
        piped = stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):  # its reader reports what is wrong
        piped = False
    if not piped:
        return path
    with path.open("rb") as file:
        return _copied(file, path, number, stack, log)


def _copied(source: IO[bytes], path: Path, number: int, stack: contextlib.ExitStack, log: Log) -> Path:
    import tempfile

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="omniou-"))
    copy = Path(folder, f"input-{number}")
    try:
        with copy.open("wb") as file:
            copy_pipe(source, path, file)
    except InputError as error:
        raise Unusable(str(error)) from None
    except OSError as error:
        raise Unusable(f"{path}: omniou cannot copy it to {folder}: {error.strerror or error}") from None
    log.aliases[str(copy)] = str(path)
    return copy
