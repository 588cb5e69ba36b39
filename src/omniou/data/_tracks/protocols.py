"""Which data set's rules fit files, by their format, the names of sequences and the classes."""

from typing import NamedTuple

import numpy as np

from omniou.data._errors import OptionError
from omniou.data._tracks.sequence_files import are_named
from omniou.data._tracks.track_rows import TrackRows
from omniou.tracking import benchmarks

# A distractor in MOT20 only.
_NON_MOTORISED = 6


class UnclearProtocolError(OptionError):
    """A ground truth that fits two data sets whose rules differ."""


class ChosenProtocol(NamedTuple):
    """The name of the rules, and why these, where nothing said so."""

    name: str
    why: str = ""


def chosen(format: str, rows: TrackRows) -> ChosenProtocol:
    """The rules for a ground truth.

    Raises
    ------
    UnclearProtocolError
        If it may be MOT17 or MOT20, and the two differ.
    """
    fitting = [x for x in benchmarks.every() if x.files == format and x.name != "plain"]
    if len(fitting) == 1:
        return ChosenProtocol(fitting[0].name)
    for benchmark in fitting:
        if are_named(rows.names, benchmark.sequences):
            return ChosenProtocol(benchmark.name)
    return _of_mots(rows) if format == "mots" else _of_mot(rows)


def _of_mots(rows: TrackRows) -> ChosenProtocol:
    cars = bool(np.any(np.asarray(rows.labels) == 1))
    if cars or np.any(rows.frames == 0):
        return ChosenProtocol("kitti_mots", "objects of class 1 (car)" if cars else "frames that count from 0")
    return ChosenProtocol("mots", "frames that count from 1, and no cars")


def _of_mot(rows: TrackRows) -> ChosenProtocol:
    if rows.labels is None:
        return ChosenProtocol("mot15", "a ground truth without classes")
    if np.any(np.asarray(rows.labels) == _NON_MOTORISED):
        raise UnclearProtocolError(
            "the ground truth has objects of class 6, non-motorised vehicles: MOT20 leaves out tracks on them, and "
            "MOT17 counts these as false positives: --protocol mot17 or mot20 (`protocol=`) says which"
        )
    return ChosenProtocol("mot17", "a ground truth with classes, in sequences of other names")
