"""Kind `vos`: J and F of objects in videos, from folders of label maps."""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from omniou.cli import _files as files
from omniou.cli._kinds import Evaluated
from omniou.cli._kinds.options import given_protocol
from omniou.cli._log import Log
from omniou.report import Group, Record

if TYPE_CHECKING:
    from omniou.cli._eval_options import EvalOptions

_WORDS = {
    "J&F": "mean of J-Mean and F-Mean",
    "J-Mean": "region similarity: IoU, mean of objects",
    "J-Recall": "share of frames with J above 0.5",
    "J-Decay": "J lost from the first to the last quarter",
    "F-Mean": "contour accuracy: F-measure, mean of objects",
    "F-Recall": "share of frames with F above 0.5",
    "F-Decay": "F lost from the first to the last quarter",
}
# Label of ignored pixels, unless --ignore-label gives another.
_VOID = 255


def evaluate(paths: list[Path], options: "EvalOptions", log: Log) -> Evaluated:  # noqa: ARG001  (every kind takes it)
    """Read one sequence after the other, and compare its objects."""
    from omniou.data import video_objects as reader
    from omniou.tracking import video_objects

    protocol = given_protocol() or "davis"
    truth, found = reader.read(*paths)
    void = _void(options.kinds.ignore_label)
    try:
        result = video_objects.evaluate(
            truth,
            found,
            task="unsupervised" if protocol == "davis-unsupervised" else "semi-supervised",
            void=void,
        )
    except ValueError as error:
        raise files.Unusable(_in_words_of_the_command(str(error), paths)) from error
    if not result.counts["objects"]:
        raise files.Unusable(f"{paths[0]}: nothing to score: no objects")
    record = Record(
        kind="vos",
        units="sequences",
        protocol=protocol,
        summary=result.summary,
        words=_WORDS,
        counts=result.counts,
        groups=[
            Group(key="per_sequence", title="Each sequence", rows=_rows(result.per_sequence)),
            Group(key="per_object", title="Each object", rows=_rows(result.per_object), printed=False),
        ],
        details={
            "ignore_label": [] if void is None else [void],
            "predicted": {name: _labels(x.objects, x.predicted) for name, x in result.tracks.items()},
        },
    )
    if options.draws:
        from omniou.report._charts.over import of_frames

        record = dataclasses.replace(record, charts=of_frames(result))
    return Evaluated(record, result)


_SIDE = re.compile(r"`(ground_truth|predictions)\['(.*?)'\]`")
_PARAMETERS = {
    "void=None": "--ignore-label -1",
    'task="unsupervised"': "--protocol davis-unsupervised",
    " (`max_proposals`)": "",
}


def _in_words_of_the_command(message: str, paths: list[Path]) -> str:
    """Name folders of sequences and options in place of Python's parameters."""
    folders = dict(zip(("ground_truth", "predictions"), paths, strict=True))

    def folder(match: re.Match[str]) -> str:
        root, name = folders[match[1]], match[2]
        return str(root if root.name == name else root / name)

    for parameter, words in _PARAMETERS.items():
        message = message.replace(parameter, words)
    return _SIDE.sub(folder, message)


def _rows(numbers: Mapping[str, Mapping[str, float]]) -> list[dict[str, float | str]]:
    return [{"name": name, **values} for name, values in numbers.items()]


def _labels(objects: Any, predicted: Any) -> dict[str, int]:
    """Return the label of the prediction for the label of each object."""
    return dict(zip(map(str, objects.tolist()), predicted.tolist(), strict=True))


def _void(labels: tuple[int, ...] | None) -> int | None:
    if labels is None:
        return _VOID
    if len(labels) > 1:
        raise click.UsageError(f"--ignore-label takes one label with --kind vos, got {','.join(map(str, labels))}")
    return labels[0] if labels[0] >= 0 else None
