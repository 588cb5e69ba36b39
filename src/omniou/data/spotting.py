"""SoccerNet's JSON of action spotting: a file for each game, with the actions of both halves."""

import dataclasses
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from omniou._lib.findings import Finding
from omniou.data import _files, _json
from omniou.data._errors import InputError
from omniou.spotting import Events

__all__ = ["Games", "diagnose", "read_ground_truth", "read_predictions"]

# Between the game and the number of the half in the name of a video.
_HALF = ", half "
# Half, minutes and seconds: "2 - 47:05".
_TIME = re.compile(r"(\d+) - (\d+):(\d+)")


# Time, class, video, score, and whether it is shown.
_Row: TypeAlias = tuple[float, str, str, float, bool]


class Games(NamedTuple):
    """The events of some games; the two halves of a game are two videos.

    Attributes
    ----------
    events : omniou.spotting.Events
        Videos are called as the folder of the game, and the number of the half.
    names : list of str
        Folders of the games, from the directory that was read.
    """

    events: Events
    names: list[str]

    def only(self, names: Collection[str]) -> "Games":
        """The actions and names of some games."""
        columns = {field.name: getattr(self.events, field.name) for field in dataclasses.fields(Events)}
        kept = [k for k, x in enumerate(self.events.videos) if x.rpartition(_HALF)[0] in names]
        taken = {name: None if x is None else [x[k] for k in kept] for name, x in columns.items()}
        return Games(Events(**taken), [x for x in self.names if x in names])


class _GameAction(msgspec.Struct):
    label: str
    gameTime: str = ""  # noqa: N815  (SoccerNet's name)
    position: int | None = None  # milliseconds
    half: int | None = None
    visibility: str = ""


class _SpottedAction(_GameAction, kw_only=True):
    confidence: float


class _GameTruth(msgspec.Struct):
    annotations: list[_GameAction]


class _GamePredictions(msgspec.Struct):
    predictions: list[_SpottedAction]


def read_ground_truth(path: Path | str) -> Games:
    """Read actions, such as ``Labels-v2.json`` of each game.

    Parameters
    ----------
    path : path
        A JSON object with the list "annotations" of objects with "label", "gameTime" ("1 - 14:05": half, minutes and
        seconds) or "half", and "position" in milliseconds, by which the time is exact; "visibility" may be "not shown".
        Or a directory with such a file in the folder of each game.

    Returns
    -------
    Games

    Raises
    ------
    InputError
        The message names the file, the record and the field.
    """
    return _read(Path(path), _GameTruth)


def read_predictions(path: Path | str) -> Games:
    """Read predictions, such as ``results_spotting.json`` of each game.

    Parameters
    ----------
    path : path
        A JSON object with the list "predictions" of objects with "label", "half", "position" in milliseconds and
        "confidence" in [0, 1]; or a directory with such a file in the folder of each game.

    Returns
    -------
    Games

    Raises
    ------
    InputError
        The message names the file, the record and the field.
    """
    return _read(Path(path), _GamePredictions)


def diagnose(truth: Games, predictions: Games) -> list[Finding]:
    """Find times in another unit or at another frame rate, shifted times, and halves that are exchanged or not counted.

    Returns
    -------
    list of Finding
        Empty where nothing is doubtful, or where the ground truth or the predictions have no actions.

    Examples
    --------
    >>> from omniou.data import spotting
    >>> from omniou.spotting import Events
    >>> times, half = [60.0 * k + k * k for k in range(20)], ["game, half 1"] * 20
    >>> truth = spotting.Games(Events(times, ["Goal"] * 20, half), ["game"])
    >>> predictions = [x / 1000 for x in times]  # seconds, which were read as milliseconds
    >>> found = spotting.Games(Events(predictions, ["Goal"] * 20, half, scores=[0.5] * 20), ["game"])
    >>> for finding in spotting.diagnose(truth, found):
    ...     print(finding.code, "|", finding.text)
    times-unit | times of the predictions seem to be seconds, not milliseconds
    """
    from omniou.data import _spotting_doctor

    return _spotting_doctor.findings(truth.events, predictions.events, _game_and_half)


def _game_and_half(video: str) -> tuple[str, str]:
    game, _, half = video.rpartition(_HALF)
    return game, half


def _read(path: Path, kind: type[_GameTruth | _GamePredictions]) -> Games:
    files = [x for x in _files.in_folder(_files.checked(path)) if x == path or x.suffix.lower() == ".json"]
    if not files:
        raise InputError(path, "the directory has no JSON files")
    names: dict[str, Path] = {}
    rows: list[_Row] = []
    for file in files:
        game = "" if file == path else file.parent.relative_to(path).as_posix()
        if game in names:
            raise InputError(file, f"{names[game].name} is of the same game: name the directory of one of them")
        names[game] = file
        rows += _rows(file, game, kind)
    times, labels, videos, scores, shown = (
        (list(x) for x in zip(*rows, strict=True)) if rows else ([] for _ in range(5))
    )
    truth = kind is _GameTruth
    events = Events(times, labels, videos, scores=None if truth else scores, shown=shown if truth else None)
    return Games(events, list(names))


def _rows(file: Path, game: str, kind: type[_GameTruth | _GamePredictions]) -> list[_Row]:
    name = kind.__struct_fields__[0]
    data = _json.read(file)
    try:
        content = msgspec.json.decode(data, type=kind, strict=False)  # numbers are often strings
    except msgspec.ValidationError as error:
        fault, place = _json.fault_of(error)
        other = {"annotations": "predictions", "predictions": "annotations"}[name]
        hint = f": it has {other!r}, are the two swapped?" if place == name and f'"{other}"'.encode() in data else ""
        raise InputError(file, fault + hint, place=place) from None
    except msgspec.DecodeError:
        _json.decode(file, data, kind)  # which says what is wrong
        raise
    actions: list[_GameAction] = getattr(content, name)
    return [_row(file, f"{name}[{k}]", game, action) for k, action in enumerate(actions)]


def _row(file: Path, place: str, game: str, action: _GameAction) -> _Row:
    clock = _TIME.fullmatch(action.gameTime.strip())
    if action.half is None and clock is None:
        fault = "missing" if not action.gameTime else f"expected half - minutes:seconds, got {action.gameTime!r}"
        raise InputError(file, fault, place=f"{place}.gameTime")
    if clock and action.half not in {None, int(clock[1])}:
        fault = f"half {action.half} contradicts gameTime {action.gameTime!r}: one of them is wrong"
        raise InputError(file, fault, place=f"{place}.half")
    half = int(clock[1]) if action.half is None and clock else action.half
    if action.position is not None:
        time = action.position / 1000
    elif clock:
        time = 60.0 * int(clock[2]) + int(clock[3])
    else:
        raise InputError(file, "missing", place=f"{place}.position")
    if time < 0:
        raise InputError(file, f"expected milliseconds from 0, got {action.position}", place=f"{place}.position")
    score = action.confidence if isinstance(action, _SpottedAction) else 1.0
    if not 0 <= score <= 1:
        raise InputError(file, f"expected number in [0, 1], got {score:g}", place=f"{place}.confidence")
    return time, action.label, f"{game}{_HALF}{half}", score, action.visibility != "not shown"
