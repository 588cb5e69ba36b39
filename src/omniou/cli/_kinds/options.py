"""Declare options that only some kinds take, and check the given options for a kind."""

from collections.abc import Sequence
from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _types as types
from omniou.cli._kinds import KINDS, OTHER_KINDS, PROTOCOLS
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group, option_names
from omniou.report import ANALYSES, Input, digest


@option_group
class KindReadOptions:
    """Options of single kinds that say how to read files: `EvalKind.options` names the kinds."""

    SECTION = "Files"

    ignore_label: tuple[int, ...] | None = option(
        "With --kind semantic or vos: ignore pixels of GROUND_TRUTH with this label, or with any of 0,255. Default for "
        "vos: 255.",
        metavar="LABELS",
        callback=types.checked(types.labels),
    )
    label_shift: int | None = option(
        "With --kind semantic: add this to the labels of DETECTIONS, such as 1 if they count from 0 and GROUND_TRUTH "
        "from 1.",
        click.IntRange(-65535, 65535),
        metavar="NUMBER",
    )
    gt_folder: Path | None = option("With --kind panoptic: folder with the PNG files of GROUND_TRUTH.", files.PATH)
    dt_folder: Path | None = option("With --kind panoptic: folder with the PNG files of DETECTIONS.", files.PATH)
    sequences: tuple[str, ...] | None = option(
        "With --kind tracks: sequences to evaluate, by names or patterns, such as 0001,0005 or *-FRCNN. Default: all.",
        metavar="NAMES",
        callback=types.checked(types.names),
    )
    first_frame: int | None = option(
        "With --kind tracks: number of the first frame in DETECTIONS, if it differs from GROUND_TRUTH's.",
        click.IntRange(-(10**9), 10**9),
        metavar="NUMBER",
    )


@option_group
class KindOptions(KindReadOptions):
    """All options of single kinds, in addition to the common options."""

    ranges: tuple[float, ...] | None = option(
        "With --kind centres: borders of the ranges around the ego vehicle, in metres. Default: 0,20,30,40,50.",
        section="Rules",
        metavar="METRES",
        callback=types.checked(types.rising),
    )


# Options that every kind takes.
_COMMON = {
    *(
        "inputs",
        "paths",
        "ground_truth",
        "detections",
        "kind",
        "style",
        "output",
        "config",
        "max_unpacked",
        "html",
        "plots",
        "plots_format",
    ),
    *("per_class", "intervals", "samples", "fail_under", "baseline", "max_drop", "log_step", "logs", "strict"),
    *("full", "weakest"),
    "against",
}
# Reasons why only detections take an option.
_WHY = {
    **dict.fromkeys([*ANALYSES, "at_score"], "it is about analyses of detections"),
    "slices": "omniou slices results of the detection evaluator only",
    "from_state": "only detections have states",
    "state": "only detections have states",
    "engine": "only detections are counted by shards",
}


def allowed(command: click.Command, name: str) -> set[str]:
    """Return the options that a command takes with a kind, by the names of their fields."""
    every = {str(parameter.name) for parameter in command.params}
    if name not in KINDS:
        return every
    kind, of_detections = KINDS[name], every - option_names(KindOptions)
    own = of_detections if kind.of_detections else _COMMON | kind.options
    if not kind.of_detections and command.name != "eval":
        own = own - {"images"}  # only pages show pictures of other kinds, which need no sizes of images
    return (own | {"protocol"} if kind.protocols else own) - kind.lacks.keys()


def check(ctx: click.Context, name: str) -> None:
    """Raise a usage error for an option or a protocol that does not belong to this kind, with the reason."""
    kind, taken = KINDS[name], allowed(ctx.command, name)
    for field, spelled in ((str(parameter.name), parameter.opts[0]) for parameter in ctx.command.params):
        if field not in taken and is_in_command(ctx, field):
            of_detections = field not in option_names(KindOptions)
            why = kind.lacks.get(field) or _WHY.get(field) or _takers(field, detections=of_detections)
            if field == "images" and field in kind.options:
                why = "only the pages of `omniou eval --html` show pictures of it"
            raise click.UsageError(f"{spelled} is not for --kind {name}: {why}")
    if not kind.of_detections and is_in_command(ctx, "images") and ctx.params.get("html") is None:
        raise click.UsageError(f"--images of --kind {name} has no effect without --html: it is for the pictures")
    protocol = given_protocol(ctx)
    if protocol is not None and protocol not in kind.protocols:
        way = f": it is for --kind {' or '.join(PROTOCOLS[protocol])}" if protocol in PROTOCOLS else ""
        raise click.UsageError(
            f"--protocol {protocol} is not for --kind {name}, whose protocols are {', '.join(kind.protocols)}{way}"
        )


def is_in_command(ctx: click.Context, field: str) -> bool:
    """Whether an option was given on the command line: a file of options may be for several commands and kinds."""
    return ctx.get_parameter_source(field) is click.core.ParameterSource.COMMANDLINE


def _takers(field: str, *, detections: bool) -> str:
    """Name the kinds that take an option."""
    others = [x for x, kind in OTHER_KINDS.items() if field in kind.options or (field == "protocol" and kind.protocols)]
    named = [f"--kind {' or '.join(others)}"] if others else []
    return f"it is for {' and '.join([*(['detections'] if detections else []), *named])}"


def inputs(paths: Sequence[Path], kind: str, log: Log) -> list[Input]:
    """Return the two files with their checksums, for a kind whose record has no inputs."""
    sides = zip(paths, ("ground truth", "predictions"), strict=True)
    with files.reported(log):
        return [digest(path, role, kind, files=_below(path)) for path, role in sides]


def _below(path: Path) -> list[Path] | None:
    """Return the files at any depth of a directory that holds none itself, such as a folder for each sequence."""
    if not path.is_dir() or any(x.is_file() for x in path.iterdir()):
        return None
    return [x for x in path.rglob("*") if x.is_file()]


def given_protocol(ctx: click.Context | None = None) -> str | None:
    """Return the protocol on the command line or in a file of options; None if the kind's default applies."""
    context = ctx or click.get_current_context()
    if context.get_parameter_source("protocol") in {None, click.core.ParameterSource.DEFAULT}:
        return None
    protocol: str = context.params["protocol"]
    return protocol
