"""The command `omniou`: what it needs is checked here, before anything of it is imported.

Exit codes: 0 done, 1 a gate failed, 2 usage, 3 input unreadable, nothing to score or output not written, 4 suspicious
input. Nothing else ends with one of these: 70 is a fault of omniou, 130 an interrupt, 141 a closed pipe.
"""

import importlib.util
import os
import sys

__all__ = ["main"]

_NEEDED = ("click", "jinja2", "msgspec", "numpy", "rich")

GATE, USAGE, INPUT, SUSPICIOUS, FAULT, INTERRUPTED, CLOSED_PIPE = 1, 2, 3, 4, 70, 130, 141


def main() -> None:
    """Run the command, or name the extra that it lacks."""
    lacking = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        sys.stderr.write(f'omniou: the command needs {", ".join(lacking)}: pip install "omniou[cli]"\n')
        sys.exit(USAGE)
    code = _run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _closed()
    sys.exit(code)


def _run() -> int:
    """The exit code of the command."""
    import click

    from omniou.cli._commands import omniou

    try:
        return int(omniou(prog_name="omniou", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("Interrupted\n")
        return INTERRUPTED
    except SystemExit:  # click's, for a closed pipe
        return _closed()
    except Exception:  # noqa: BLE001  (whatever it is, its exit code must not be one that means something else)
        import traceback

        traceback.print_exc()
        sys.stderr.write("This is a fault of omniou: please report it with the lines above.\n")
        return FAULT


def _closed() -> int:
    """Nobody reads on: what is buffered must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED_PIPE
