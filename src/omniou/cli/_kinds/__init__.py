"""Kinds that `omniou eval --kind` takes in addition to those of the detection evaluator: each is declared here, once.

A kind has a module of this package with

    evaluate(paths: list[Path], options: EvalOptions, log: Log) -> report.Scores

and, if `checked`, with ``check(paths: list[Path], options: ReadOptions, log: Log) -> list[Finding]``, which is what
`omniou check` says. Errors of readers, gates and outputs are the command's. Options of one kind are fields of
`KindOptions` in `_options.py`.
"""

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from omniou.tracking import benchmarks


class OtherKind(NamedTuple):
    """What a kind is called in help, what it takes, and where it is."""

    help: str
    module: str
    options: frozenset[str] = frozenset()  # of `omniou eval`, by the names of their fields, beside those of all kinds
    protocols: tuple[str, ...] = ()  # names that --protocol takes; the module says which it takes unasked
    checked: bool = False

    def load(self) -> Any:
        """The module."""
        return importlib.import_module(f"omniou.cli._kinds.{self.module}")


OtherKindName: TypeAlias = Literal["semantic", "panoptic", "components", "spotting", "vos", "centres", "tracks"]
OTHER_KINDS: Mapping[str, OtherKind] = MappingProxyType(
    {
        "semantic": OtherKind("label maps in PNG files", "label_maps", frozenset({"classes", "ignore_label"})),
        "panoptic": OtherKind("COCO's panoptic files", "label_maps", frozenset({"gt_folder", "dt_folder"})),
        "components": OtherKind("masks in PNG files, lesion by lesion", "label_maps"),
        "spotting": OtherKind("moments in time, SoccerNet's files", "spotting", frozenset({"only_classes"})),
        "vos": OtherKind(
            "objects in videos, label maps in PNG files",
            "video_objects",
            frozenset({"ignore_label"}),
            ("davis", "davis-unsupervised"),
        ),
        "centres": OtherKind(
            "3-D boxes by the distance of centres, in nuScenes' JSON",
            "centres",
            frozenset({"ranges"}),
            protocols=("nuscenes",),
            checked=True,
        ),
        "tracks": OtherKind(
            "multi-object tracking, files of sequences",
            "tracks",
            frozenset({"gt_format", "dt_format", "sequences", "first_frame"}),
            benchmarks.NAMES,
            checked=True,
        ),
    }
)

PROTOCOLS: Mapping[str, list[str]] = MappingProxyType(
    {
        protocol: [name for name, kind in OTHER_KINDS.items() if protocol in kind.protocols]
        for each in OTHER_KINDS.values()
        for protocol in each.protocols
    }
)
"""Names of protocols that are not the detection evaluator's, with the kinds that take them."""
