"""The command `omniou`: what it needs is checked here, before anything of it is imported."""

import importlib.util
import sys

__all__ = ["main"]

_NEEDED = ("click", "msgspec", "numpy", "rich")


def main() -> None:
    """Run the command, or name the extra that it lacks."""
    lacking = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        sys.stderr.write(f'omniou: the command needs {", ".join(lacking)}: pip install "omniou[cli]"\n')
        sys.exit(2)
    from omniou.cli._commands import omniou

    omniou(prog_name="omniou")
