"""Options of `--engine`, which `_engine` implements."""

from pathlib import Path
from typing import Literal

import click

from omniou._lib import extras
from omniou.cli import _files as files
from omniou.cli import _types as types
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group
from omniou.cli._places import OUTPUT, Address


@option_group
class EngineOptions:
    """Where to compute. All engines give the same numbers."""

    SECTION = "States and clusters"

    engine: Literal["local", "dask"] = option(
        "Where to compute: in this process, or on a Dask cluster.", types.Choice(["local", "dask"]), default="local"
    )
    scheduler: str | None = option(
        "Dask's scheduler. Default: a new cluster on this machine.", Address(), metavar="ADDRESS"
    )
    workers: int | None = option(
        "Number of processes of a cluster on this machine.", click.IntRange(min=1), metavar="N"
    )
    shards: int | None = option(
        "Number of shards, for a directory with a file for each image and for rows to regroup. Default: 500 images in "
        "each.",
        click.IntRange(min=1),
        metavar="N",
    )
    checkpoint: Path | None = option(
        "Save the state of each shard there, to resume an interrupted run.", OUTPUT, metavar="DIR"
    )
    skip_unreadable: bool = option("Skip shards that omniou cannot read, and exit with 4.", is_flag=True)


def check(options: EngineOptions) -> None:
    """Raise a usage error if options do not fit or Dask is not installed."""
    given = sorted(name for name, value in vars(options).items() if value and name != "engine")
    if options.engine == "local" and given:
        raise click.UsageError(f"--{given[0].replace('_', '-')} is for --engine dask")
    if options.scheduler and options.workers:
        raise click.UsageError(
            "--workers is for a new cluster on this machine, and --scheduler for a running one: remove one of them"
        )
    if options.engine != "local":
        with files.reported(Log()):
            extras.check("distributed", f"--engine {options.engine}")
