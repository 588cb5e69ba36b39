"""The command `omniou`: `main` checks that its libraries are installed before it imports them.

Exit codes: 0 done, 1 a gate failed, 2 usage, 3 input unreadable, nothing to score or output not written, 4 suspicious
input. Other endings have codes of their own: 70 is a bug in omniou, 130 an interrupt, 141 a closed pipe, 129 and 143
the signals SIGHUP and SIGTERM.
"""

import contextlib
import importlib.util
import os
import signal
import sys
from typing import Any, NoReturn, TextIO, cast

from omniou._lib.extras import install_line

__all__ = ["main"]

_NEEDED = ("click", "jinja2", "msgspec", "numpy", "rich")

GATE, USAGE, INPUT, SUSPICIOUS, FAULT, INTERRUPTED, CLOSED_PIPE = 1, 2, 3, 4, 70, 130, 141
# A shell reports a process that a signal ended as 128 plus the number of the signal: 143 for SIGTERM, which is 15.
_SIGNALLED = 128


class _Signalled(BaseException):
    """Raised for a signal that ends the process, so that temporary files are removed."""


class _Messages:
    """Standard error that drops messages if it is closed or its disk is full, so that exit codes stay right."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def main() -> None:
    """Run the command, or name the extra that it lacks."""
    _open_streams()
    lacking = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        sys.stderr.write(f"omniou: the command needs {', '.join(lacking)}: {install_line('cli')}\n")
        sys.exit(USAGE)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(number, _stop)
    try:
        code = _flushed(_run())
    except _Signalled as error:
        code = _SIGNALLED + int(error.args[0])
    sys.exit(code)


def _run() -> int:
    """Run the command and return its exit code."""
    import click

    from omniou._lib.visible import visible
    from omniou.cli._commands import omniou

    try:
        return int(omniou(prog_name="omniou", standalone_mode=False) or 0)
    except click.ClickException as error:
        vars(error)["message"] = visible(error.message, kept="\n")  # type checkers take `message` for final
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("Interrupted\n")
        return INTERRUPTED
    except SystemExit:  # click's, for a closed pipe
        return _closed(CLOSED_PIPE)
    except (OSError, MemoryError) as error:  # a stream, a full disk or a small machine: no fault of omniou
        return _closed(_told(error))
    except Exception:  # noqa: BLE001  (Python's own exit code, 1, would say that a gate failed)
        import traceback

        traceback.print_exc()
        sys.stderr.write("This is a bug in omniou: please report it with the lines above.\n")
        return FAULT


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed(CLOSED_PIPE)
    except OSError as error:
        return _closed(_told(error) if code == 0 else code)
    return code


def _stop(number: int, _: Any) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise _Signalled(number)


def _open_streams() -> None:
    """Replace each closed stream by one whose use fails.

    Otherwise, the next file that is opened would get the descriptor of standard output, and libraries write there.
    """
    for number, name, way in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            given = os.open(os.devnull, way)
            if given != number:
                os.dup2(given, number)
                os.close(given)
        setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    sys.stderr = cast("TextIO", _Messages(sys.stderr))


def _told(error: OSError | MemoryError) -> int:
    if isinstance(error, OSError):
        where = "the standard output" if error.filename is None else str(error.filename)
        told = f"{where} cannot be written or read: {error.strerror or error}"
    else:
        told = str(error) or "there is not enough memory"
    sys.stderr.write(f"Error: {told}\n")
    return INPUT


def _closed(code: int) -> int:
    """Drop buffered output: the pipe is closed or the disk full, and Python would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
