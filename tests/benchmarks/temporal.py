"""Sets of tracks, moments and intervals, right but as poor as asked, and damages with the code that says so.

`table` does each damage to sets of its kind; `accused` are the findings of sets that are right.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes, data, detection
from omniou.data import TrackFiles, spotting
from omniou.data import tracks as track_files
from omniou.detection import Detections, Targets
from omniou.spotting import Events

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "mot17-small"
CAMPUS = "tud-campus"


class TrackPair(NamedTuple):
    """A ground truth of tracks, and a tracker's."""

    truth: TrackFiles
    tracks: TrackFiles

    def with_tracks(self, **columns: Any) -> "TrackPair":
        return self._replace(tracks=changed_rows(self.tracks, **columns))


def changed_rows(files: TrackFiles, **columns: Any) -> TrackFiles:
    return dataclasses.replace(files, tracks=dataclasses.replace(files.tracks, **columns))


def track_sets(folder: Path) -> Iterator[tuple[str, TrackPair]]:
    """The example of the documentation and TUD-Campus, with one class and with three."""
    campus = folder / CAMPUS
    paths = {"MOT17": (EXAMPLE / "train", EXAMPLE / "results")}
    paths |= {"TUD-Campus": (campus / "gt.txt", campus / "test.txt")} if campus.exists() else {}
    for name, (truth, tracks) in paths.items():
        read = data.read_ground_truth_tracks(truth)
        pair = TrackPair(read, data.read_tracks(tracks, read))
        yield name, pair
        # The class follows from the place, so that most tracks have the class of their object.
        labels = [1 + 3 * (np.asarray(x.tracks.boxes)[:, 0] // 250).astype(np.int64) for x in pair]
        yield f"{name}, classes", TrackPair(*(changed_rows(x, labels=y) for x, y in zip(pair, labels, strict=True)))


def _of(name: str, change: Callable[[Any], Any]) -> Callable[[TrackPair], TrackPair]:
    return lambda pair: pair.with_tracks(**{name: change(np.asarray(getattr(pair.tracks.tracks, name)))})


def _classes(change: Callable[[Any], Any]) -> Callable[[TrackPair], TrackPair | None]:
    def damage(pair: TrackPair) -> TrackPair | None:
        labels = pair.tracks.tracks.labels
        several = labels is not None and len(np.unique(np.asarray(labels))) > 1
        return pair.with_tracks(labels=change(np.asarray(labels))) if several else None

    return damage


TRACKS: Mapping[str, tuple[str, Callable[[TrackPair], TrackPair | None]]] = {
    "frames from 0": ("frames-shifted", _of("frames", lambda x: x - 1)),
    "frames one too high": ("frames-shifted", _of("frames", lambda x: x + 1)),
    "frames five too high": ("frames-shifted", _of("frames", lambda x: x + 5)),
    "corners for sides": ("boxes-order", _of("boxes", lambda x: boxes.convert(x, "xywh", "xyxy"))),
    "x and y exchanged": ("boxes-axes", _of("boxes", lambda x: x[:, [1, 0, 3, 2]])),
    "half the image": ("boxes-scale", _of("boxes", lambda x: x / 2)),
    "ids of frames": ("ids-once", lambda x: _of("ids", lambda y: y + 1000 * np.asarray(x.tracks.tracks.frames))(x)),
    "the ground truth": ("tracks-are-truth", lambda x: TrackPair(x.truth, x.truth)),
    "classes from 0": ("classes-shifted", _classes(lambda x: x - 1)),
    "classes from 2": ("classes-shifted", _classes(lambda x: x + 1)),
    "classes of another list": ("classes-mixed", _classes(lambda x: 40 - 2 * x)),
}


# People walk so slowly that a tracker that lags by a frame is as near as one whose frames are shifted by one.
SLOW = {
    (f"TUD-Campus{more}", f"frames {damage}") for more in ("", ", classes") for damage in ("from 0", "one too high")
}


def moments(
    seed: int = 0, *, games: int = 2, actions: int = 30, noise: float = 0.6, recall: float = 1.0, false: int = 0
) -> tuple[spotting.Games, spotting.Games]:
    """Actions of both halves of some games, and predictions that are `noise` seconds off."""
    rng = np.random.default_rng(seed)
    truth, found = [], []
    for video in (f"game {k}, half {half}" for k in range(games) for half in (1, 2)):
        for time in rng.uniform(60, 2640, actions):
            label = str(rng.choice(["Goal", "Foul", "Corner"]))
            truth.append((time, label, video, 1))
            if rng.random() < recall:
                found.append((time + rng.normal(0, noise), label, video, rng.uniform(0.4, 1)))
            found += [(rng.uniform(60, 2640), label, video, rng.random()) for _ in range(false)]
    sides = []
    for rows in (truth, found):
        times, labels, videos, scores = ([row[k] for row in rows] for k in range(4))
        sides.append(spotting.Games(Events(times, labels, videos, scores=scores), [f"game {k}" for k in range(games)]))
    return sides[0], sides[1]


def _moved(change: Callable[[float, str], float]) -> Callable[[Events], Events]:
    """Times that also depend on the half."""
    return lambda x: dataclasses.replace(
        x, times=[change(time, video[-1]) for time, video in zip(x.times, x.videos, strict=True)]
    )


def _halves(**names: str) -> Callable[[Events], Events]:
    return lambda x: dataclasses.replace(x, videos=[video[:-1] + names[f"half{video[-1]}"] for video in x.videos])


MOMENTS: Mapping[str, tuple[str, str, Callable[[Events], Events]]] = {
    "seconds": ("times-unit", "seconds, not milliseconds; multiply them by 1000", _moved(lambda x, _: x / 1000)),
    "frames": ("times-unit", "frames, 25 a second, not milliseconds", _moved(lambda x, _: x * 25 / 1000)),
    "features": ("times-unit", "frames, 2 a second", _moved(lambda x, _: x * 2 / 1000)),
    "30 frames for 25": ("times-rate", "frame rate; multiply them by 1.2", _moved(lambda x, _: x * 25 / 30)),
    "24 frames for 25": ("times-rate", "frame rate; multiply them by 0.96", _moved(lambda x, _: x * 25 / 24)),
    "12 s late": ("times-shifted", " s too late; subtract 1", _moved(lambda x, _: x + 12)),
    "12 s early": ("times-shifted", " s too early; add 1", _moved(lambda x, _: x - 12)),
    "time of the game": ("halves-cumulative", "subtract 2700 s", _moved(lambda x, half: x + 2700 * (half == "2"))),
    "halves exchanged": ("halves-other", "seem to be exchanged", _halves(half1="2", half2="1")),
    "halves from 0": ("halves-other", "counted from 0", _halves(half1="0", half2="1")),
}


def intervals(seed: int = 0, *, noise: float = 0.05) -> tuple[Targets[Any], Detections[Any]]:
    """Thirty videos with three intervals each: detections that are `noise` seconds off, and as many that are random."""
    rng = np.random.default_rng(seed)
    begin, length = rng.uniform(60, 200, 180), rng.uniform(4, 30, 180)
    ends, videos = np.stack([begin, begin + length], axis=1), np.arange(180) % 30
    labels = rng.integers(4, size=180)
    detected = np.sort(ends + rng.normal(0, noise, ends.shape) * (np.arange(180) < 90)[:, None], axis=1)
    detected[:, 1] += 0.1
    return Targets(ends[:90], labels[:90], videos[:90]), Detections(detected, rng.random(180), labels, videos)


INTERVALS: Mapping[str, tuple[str, str, Callable[[Any], Any]]] = {
    "milliseconds": ("intervals-unit", "are they milliseconds? divide them by 1000", lambda x: x * 1000),
    "frames": ("intervals-unit", "are they frames? divide them by the frame rate, about 25", lambda x: x * 25),
    "30 frames for 25": ("intervals-unit", "multiply them by 1.2", lambda x: x / 1.2),
    "25 frames for 30": ("intervals-unit", "multiply them by 0.8333", lambda x: x * 1.2),
    "20 s late": ("intervals-shifted", " s too late; subtract", lambda x: x + 20),
    "20 s early": ("intervals-shifted", " s too early; add", lambda x: x - 20),
}


def _rows(folder: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Kind and damage, the code that should be said, the set, and the codes that are said."""
    for name, pair in track_sets(folder):
        for damage, (code, change) in TRACKS.items():
            if (name, damage) not in SLOW and (damaged := change(pair)) is not None:
                yield f"tracks | {damage}", code, name, [x.code for x in track_files.diagnose(*damaged)]
    for name, poor in (("good", {}), ("poor", {"noise": 1.5, "recall": 0.7, "false": 2})):
        truth, found = moments(**poor)  # type: ignore[arg-type]
        for damage, (code, _, shift) in MOMENTS.items():
            said = spotting.diagnose(truth, found._replace(events=shift(found.events)))
            yield f"moments | {damage}", code, name, [x.code for x in said]
    targets, detections = intervals()
    for damage, (code, _, move) in INTERVALS.items():
        damaged_boxes = dataclasses.replace(detections, boxes=move(detections.boxes))
        codes = [x.code for x in detection.check(targets, damaged_boxes, kind="intervals")]
        yield f"intervals | {damage}", code, "good", codes


def table(folder: Path, missed: str) -> list[str]:
    """Lines of Markdown: in how many sets the doctor says what was done, and what else it says."""
    cells: dict[str, list[str]] = {}
    for damage, code, name, said in _rows(folder):
        others = "".join(f", and `{x}`" for x in said if x != code)
        cells.setdefault(f"{damage} | `{code}`", []).append("" if said == [code] else f"{name}: {missed}{others}")
    lines = ["| kind | damage | finding | sets |", "|---|---|---|---|"]
    for row, each in cells.items():
        lines.append(f"| {row} | {'; '.join(x for x in each if x) or f'found in {len(each)} of {len(each)}'} |")
    return lines


def accused(folder: Path, seeds: int) -> list[str]:
    """Codes of what the doctor says of sets that are right."""
    said = [f"{name}: {x.code}" for name, pair in track_sets(folder) for x in track_files.diagnose(*pair)]
    for seed in range(seeds):
        for noise in (0.3, 3, 8, 40):
            poor = moments(seed, noise=noise, recall=(seed % 4) / 3, false=seed % 5, actions=4 + 9 * (seed % 3))
            said += [f"moments: {x.code}" for x in spotting.diagnose(*poor)]
            said += [f"intervals: {x.code}" for x in detection.check(*intervals(seed, noise=noise), kind="intervals")]
    return said
