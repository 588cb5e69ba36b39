"""Options that only some kinds take."""

from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _types as types
from omniou.cli._option_groups import option, option_group


@option_group
class KindOptions:
    """What kinds take in addition to the common options: `OtherKind.options` names them."""

    ignore_label: tuple[int, ...] | None = option(
        "With --kind semantic or vos: ignore pixels of GROUND_TRUTH with this label, or with any of 0,255. Default for "
        "vos: 255.",
        metavar="LABELS",
        callback=types.checked(types.labels),
    )
    gt_folder: Path | None = option("With --kind panoptic: folder with the PNG files of GROUND_TRUTH.", files.PATH)
    dt_folder: Path | None = option("With --kind panoptic: folder with the PNG files of DETECTIONS.", files.PATH)
    ranges: tuple[float, ...] | None = option(
        "With --kind centres: borders of the ranges around the ego vehicle, in metres. Default: 0,20,30,40,50.",
        metavar="METRES",
        callback=types.checked(types.rising),
    )
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
