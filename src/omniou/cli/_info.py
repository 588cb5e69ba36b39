"""`omniou info`: print versions and settings for a bug report, or describe a state."""

import dataclasses
import importlib.metadata
import json
import platform
import sys
from pathlib import Path

import click

from omniou import __version__
from omniou._lib import accel
from omniou.cli import _output as output
from omniou.cli._commands import Command
from omniou.cli._option_groups import takes
from omniou.report._record.tables import Table
from omniou.report._text.render import text_of

_LIBRARIES = (
    *("array-api-compat", "numpy", "click", "rich", "msgspec", "jinja2", "defusedxml", "pyarrow", "pillow"),
    *("matplotlib", "numba", "scipy", "torch", "jax", "keras", "torchmetrics", "dask", "distributed"),
)


@click.command("info", cls=Command)
@click.argument("state", required=False, type=click.Path(path_type=Path))
@takes(output.OutputOptions)
def command(state: Path | None, options: output.OutputOptions) -> None:
    """Print the versions of omniou, Python and the libraries, and the settings of omniou.

    With STATE, a file that `omniou eval --state` wrote, describe its content.
    """
    path, style = options.output, options.style_among(("table", "json"))
    if state is not None:
        _describe(state, style, path)
        return
    facts = {
        "omniou": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        "encoding": sys.stdout.encoding or "",
        "acceleration": _acceleration(),
    }
    libraries = {name: _version(name) for name in _LIBRARIES}
    if style == "json":
        output.write(json.dumps(facts | {"libraries": libraries}, indent=2) + "\n", path)
        return
    tables = [
        Table("omniou", ("", ""), list(facts.items())),
        Table("Libraries", ("library", "version"), list(libraries.items())),
    ]
    output.write(text_of(tables, [], output.width(), output.style(path)), path)


def _describe(state: Path, style: str, path: Path | None) -> None:
    from omniou.cli import _kept as kept

    facts = dataclasses.asdict(kept.described(state))
    if style == "json":
        output.write(json.dumps(facts, indent=2) + "\n", path)
        return
    names = ", ".join(facts.pop("class_names"))
    rows = [(name.replace("_", " "), f"{x:,}" if isinstance(x, int) else x) for name, x in facts.items()]
    table = Table(str(state), ("", ""), [*rows, ("names", names)])
    output.write(text_of([table], [], output.width(), output.style(path)), path)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _acceleration() -> str:
    try:
        accel.check()
    except (ValueError, ImportError) as error:
        return str(error)
    return "as OMNIOU_ACCEL says"
