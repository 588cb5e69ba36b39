"""Declare the kinds that `omniou eval --kind` takes.

A kind has a module of this package with

    evaluate(paths: list[Path], options: EvalOptions, log: Log) -> Evaluated

If it is `checked`, also ``check(paths: list[Path], options: CheckOptions, log: Log) -> list[Finding]``, which is what
`omniou check` says; if it `prepares`, ``prepare(ctx: Context, paths: list[Path], options: EvalOptions)``, which checks
options before any work starts and returns the names of the numbers by each protocol that the files may have. Errors of
readers, gates, intervals and outputs are the command's. Options of one kind are fields of `KindOptions` in
`options.py`.
"""

import importlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from omniou._inputs.kinds import KINDS as _OF_DETECTIONS
from omniou._inputs.kinds import described as _described
from omniou.detection import PRESETS
from omniou.tracking import benchmarks

if TYPE_CHECKING:
    from omniou.report import Record


class Evaluated(NamedTuple):
    """The result of a kind: its record, and what the command needs in addition.

    Attributes
    ----------
    record : Record
    result : object, optional
        A result whose units can be drawn again and exchanged, for intervals and comparisons.
    numbers : sequence of str
        Names of the numbers that get an interval by default.
    hints : sequence of str
        Suggestions of what to run next.
    state : object, optional
        What --state saves.
    """

    record: "Record"
    result: Any = None
    numbers: Sequence[str] = ()
    hints: Sequence[str] = ()
    state: Any = None


class EvalKind(NamedTuple):
    """The declaration of a kind: its help, its options and its module.

    Attributes
    ----------
    help : str
    module : str
        Its module in this package.
    options : frozenset of str
        Options of `omniou eval` that it takes in addition to the common ones, by the names of their fields.
    protocols : tuple of str
        Names that --protocol takes; the module has the default.
    checked, prepares : bool
        Whether the module has `check` and `prepare`.
    of_detections : bool
        Whether the detection evaluator computes it: it takes all options except options of other kinds.
    lacks : mapping of str to str
        Options that all other kinds take but this one does not: name of the field -> reason.
    """

    help: str
    module: str
    options: frozenset[str] = frozenset()
    protocols: tuple[str, ...] = ()
    checked: bool = False
    prepares: bool = False
    of_detections: bool = False
    lacks: Mapping[str, str] = MappingProxyType({})

    def load(self) -> Any:
        """Import the module."""
        return importlib.import_module(f"omniou.cli._kinds.{self.module}")


OtherKindName: TypeAlias = Literal["semantic", "panoptic", "components", "spotting", "vos", "centres", "tracks"]
OTHER_KINDS: Mapping[str, EvalKind] = MappingProxyType(
    {
        "semantic": EvalKind(
            "label maps in PNG files",
            "label_maps",
            frozenset({"classes", "ignore_label", "label_shift", "images"}),
            checked=True,
        ),
        "panoptic": EvalKind("COCO's panoptic files", "label_maps", frozenset({"gt_folder", "dt_folder", "images"})),
        "components": EvalKind("masks in PNG files, lesion by lesion", "label_maps"),
        "spotting": EvalKind(
            "moments in time, SoccerNet's files", "spotting", frozenset({"only_classes"}), checked=True
        ),
        "vos": EvalKind(
            "objects in videos, label maps in PNG files",
            "video_objects",
            frozenset({"ignore_label"}),
            ("davis", "davis-unsupervised"),
        ),
        "centres": EvalKind(
            "3-D boxes by the distance of centres, in nuScenes' JSON",
            "centres",
            frozenset({"ranges"}),
            protocols=("nuscenes",),
            checked=True,
        ),
        "tracks": EvalKind(
            "multi-object tracking, files of sequences",
            "tracks",
            frozenset({"gt_format", "dt_format", "sequences", "first_frame", "images"}),
            benchmarks.NAMES,
            checked=True,
        ),
    }
)
"""Kinds outside the detection evaluator."""

KINDS: Mapping[str, EvalKind] = MappingProxyType(
    {
        name: EvalKind("detections", "detections", protocols=tuple(PRESETS), prepares=True, of_detections=True)
        for name in _OF_DETECTIONS
    }
    | dict(OTHER_KINDS)
)
"""All kinds by name."""

PROTOCOLS: Mapping[str, list[str]] = MappingProxyType(
    {
        protocol: [name for name, kind in OTHER_KINDS.items() if protocol in kind.protocols]
        for each in OTHER_KINDS.values()
        for protocol in each.protocols
    }
)
"""Protocols outside the detection evaluator, with the kinds that take them."""


def described(names: Sequence[str]) -> str:
    """Return the help of `--kind` for some kinds."""
    others = [f"{name} ({OTHER_KINDS[name].help})" for name in names if name in OTHER_KINDS]
    known = _described(name for name in names if name not in OTHER_KINDS).replace('"', "")
    return f"What to compare: {', '.join([known, *others])}."
