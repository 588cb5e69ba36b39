"""SoccerNet's JSON of action spotting: a file for each game, with the actions of both halves."""

import dataclasses
import math
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from omniou._lib import checks
from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.data import _files, _json
from omniou.data._errors import InputError, InputWarning
from omniou.spotting import Events

__all__ = ["Games", "diagnose", "read_ground_truth", "read_predictions"]

# Between the game and the number of the half in the name of a video.
_HALF = ", half "
# Half, minutes and seconds: "2 - 47:05".
_TIME = re.compile(r"(\d{1,3}) - (\d{1,6}):(\d{1,6})", re.ASCII)
# Seconds that "position" may differ from "gameTime", which has whole seconds.
_APART = 2
# What SoccerNet's kit reads in the folder of a game that has several files.
_OWN = {"annotations": "Labels-v2.json", "predictions": "results_spotting.json"}


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
    position: float | None = None  # milliseconds
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
        Or a directory with such a file in the folder of each game: ``Labels-v2.json`` next to other files.

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
        "confidence" in [0, 1]; or a directory with such a file in the folder of each game: ``results_spotting.json``
        next to other files. Positions are cut to whole milliseconds.

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

    checks.instance("truth", truth, Games, "Games, as `read_ground_truth` returns them")
    checks.instance("predictions", predictions, Games, "Games, as `read_predictions` returns them")
    return _spotting_doctor.findings(truth.events, predictions.events, _game_and_half)


def _game_and_half(video: str) -> tuple[str, str]:
    game, _, half = video.rpartition(_HALF)
    return game, half


def _read(path: Path, kind: type[_GameTruth | _GamePredictions]) -> Games:
    name = kind.__struct_fields__[0]
    files = _chosen(path, _OWN[name])
    names: dict[str, Path] = {}
    rows: list[_Row] = []
    contradictions: dict[Path, list[_Clock]] = {}
    for file in files:
        game = "" if path in {file, file.parent} else file.parent.relative_to(path).as_posix()
        if game in names:
            fault = f"{names[game].name} is of the same game, and neither is called {_OWN[name]}: keep one"
            raise InputError(file, fault)
        names[game] = file
        actions = _actions(file, kind)
        rows += [_row(file, f"{name}[{k}]", game, action) for k, action in enumerate(actions)]
        if differing := _contradictions(name, actions):
            contradictions[file] = differing
    _check_clocks(path, contradictions, len(rows))
    times, labels, videos, scores, shown = (
        (list(x) for x in zip(*rows, strict=True)) if rows else ([] for _ in range(5))
    )
    truth = kind is _GameTruth
    events = Events(times, labels, videos, scores=None if truth else scores, shown=shown if truth else None)
    return Games(events, list(names))


def _chosen(path: Path, own: str) -> list[Path]:
    """The file itself, or the files of a directory: in a folder with a file of SoccerNet's own name, only this one."""
    files = [x for x in _files.in_folder(_files.checked(path)) if x == path or x.suffix.lower() == ".json"]
    if not files:
        raise InputError(path, "the directory has no JSON files")
    with_own = {x.parent for x in files if x.name == own}
    if path.is_file() or not with_own:
        return files
    # Next to games with files of this name, other files of SoccerNet have something else.
    other = {x for x in files if x.parent not in with_own and x.name.startswith(("Labels", "results_"))}
    if other:
        games = shortened(sorted({x.parent.relative_to(path).as_posix() for x in other}))
        finding = Finding(code="games-without-file", text=f"games without {own} are excluded: {games}", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=4)
    return [x for x in files if x.name == own or (x.parent not in with_own and x not in other)]


def _actions(file: Path, kind: type[_GameTruth | _GamePredictions]) -> list[_GameAction]:
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
    return actions


class _Clock(NamedTuple):
    """An action whose "position" is another time than its "gameTime"."""

    place: str
    position: float
    seconds: int  # of gameTime
    time: str


def _contradictions(name: str, actions: Sequence[_GameAction]) -> list[_Clock]:
    """Return the actions whose two times differ."""
    out = []
    for k, action in enumerate(actions):
        clock = _TIME.fullmatch(action.gameTime.strip())
        if clock and action.position is not None:
            seconds = 60 * int(clock[2]) + int(clock[3])
            if abs(action.position / 1000 - seconds) > _APART:
                out.append(_Clock(f"{name}[{k}].position", action.position, seconds, action.gameTime))
    return out


def _check_clocks(path: Path, found: Mapping[Path, list[_Clock]], actions: int) -> None:
    """Raise if positions are in seconds by "gameTime"; warn if the two contradict each other otherwise."""
    if not found:
        return
    every = [x for of_file in found.values() for x in of_file]
    file, (first, *_) = next(iter(found.items()))
    if all(abs(x.position - x.seconds) <= _APART for x in every):
        fault = f"position contradicts gameTime {first.time!r}: {first.position:g} is this time in seconds"
        raise InputError(file, f"{fault}; write milliseconds, {1000 * first.seconds}", place=first.place)
    text = f"position contradicts gameTime in {len(every)} of {actions} actions: position decides"
    evidence = f"{file}: {first.place} is {first.position:g} ms, gameTime {first.time!r}"
    finding = Finding(code="times-contradict", text=text, evidence=evidence, path=str(path))
    warnings.warn(InputWarning(finding), stacklevel=4)


def _row(file: Path, place: str, game: str, action: _GameAction) -> _Row:
    clock = _TIME.fullmatch(action.gameTime.strip())
    if action.half is None and clock is None:
        fault = "missing" if not action.gameTime else f"expected half - minutes:seconds, got {action.gameTime!r}"
        raise InputError(file, fault, place=f"{place}.gameTime")
    if clock and action.half not in {None, int(clock[1])}:
        fault = f"half {action.half} contradicts gameTime {action.gameTime!r}: one of them is wrong"
        raise InputError(file, fault, place=f"{place}.half")
    if action.position is not None and not math.isfinite(action.position):
        raise InputError(file, f"expected finite number, got {action.position:g}", place=f"{place}.position")
    half = int(clock[1]) if action.half is None and clock else action.half
    if action.position is not None:
        time = math.trunc(action.position) / 1000
    elif clock:
        time = 60.0 * int(clock[2]) + int(clock[3])
    else:
        raise InputError(file, "missing", place=f"{place}.position")
    if time < 0:
        raise InputError(file, f"expected milliseconds from 0, got {action.position:g}", place=f"{place}.position")
    score = action.confidence if isinstance(action, _SpottedAction) else 1.0
    if not 0 <= score <= 1:
        raise InputError(file, f"expected number in [0, 1], got {score:g}", place=f"{place}.confidence")
    return time, action.label, f"{game}{_HALF}{half}", score, action.visibility != "not shown"
