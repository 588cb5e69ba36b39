"""Kind `tracks`: HOTA, MOTA, IDF1 of a tracker from files of sequences, by the rules of a data set."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from omniou import tracking
from omniou._lib import extras
from omniou._results.shown import ALL
from omniou.cli._files import ReadOptions
from omniou.cli._kinds import Evaluated
from omniou.cli._kinds.options import KindReadOptions, given_protocol
from omniou.cli._log import Log
from omniou.data import Finding, InputError, TrackFiles, _pictures
from omniou.data import tracks as track_files
from omniou.data._faults import Fault, Faults, collecting
from omniou.data._tracks.protocols import UnclearProtocolError
from omniou.report import Group, Record, digest
from omniou.report._charts.tracking_charts import hota, timelines
from omniou.report._record import switches
from omniou.report._record.galleries import Gallery
from omniou.report._record.parts import Input
from omniou.report._record.tables import Cell, Table
from omniou.tracking import Result, benchmarks
from omniou.tracking.benchmarks import PreparedTracks

if TYPE_CHECKING:
    from omniou.cli._check import CheckOptions
    from omniou.cli._eval_options import EvalOptions

_WORDS = {
    "HOTA": "higher order tracking accuracy, mean over 19 thresholds",
    "DetA": "detection accuracy of HOTA",
    "AssA": "association accuracy of HOTA",
    "LocA": "mean similarity of HOTA's true positives",
    "MOTA": "1 - (false negatives + false positives + switches) / objects",
    "MOTP": "mean similarity of CLEAR's true positives",
    "IDF1": "F1 of identities",
    "IDSW": "switches of identity",
    "Frag": "interruptions of tracked objects",
    "MT": "mostly tracked objects",
    "PT": "partly tracked objects",
    "ML": "mostly lost objects",
    "CLR_FP": "false positives of CLEAR",
    "CLR_FN": "false negatives of CLEAR",
}
_COLUMNS = ("HOTA", "DetA", "AssA", "MOTA", "IDF1", "IDSW", "Frag", "MT", "ML")
_SIDES = {"ground_truth": "ground truth", "tracks": "tracks"}


def evaluate(paths: list[Path], options: "EvalOptions", log: Log) -> Evaluated:
    """Read both sides, exclude what the rules do not count, and evaluate."""
    if not extras.has("scipy"):  # matching needs it; fail before any work starts
        raise click.UsageError(f"--kind tracks needs SciPy: {extras.install_line('tracking')}")
    truth, found = _read(paths, options.reading, log, protocol=given_protocol(), kinds=options.kinds)
    for finding in track_files.diagnose(truth, found):
        log.add(finding)
    prepared = track_files.prepared(truth, found)
    benchmark = benchmarks.declared(truth.protocol)
    result = tracking.evaluate(
        prepared.ground_truth,
        prepared.tracks,
        kind=truth.kind,  # type: ignore[arg-type]  # formats declare what they have
        classes=prepared.classes or None,
        sequences=found.lengths,
        ignore_empty_classes=not benchmark.averaged,
        keep=options.draws,
    )
    if result.averaging and not benchmark.averaged:
        log.note(f"The summary is a {result.averaging}. {benchmark.name} has no such number.")
    record = _record(result, benchmark, prepared, _inputs(truth, found))
    if options.draws:  # pictures of tracks take a while
        drawn = _switches(result, prepared, options.reading.images)
        record = dataclasses.replace(
            record,
            charts={**record.charts, **timelines(result)},
            galleries={} if drawn is None else {"switches": drawn},
        )
    return Evaluated(record, result)


def _switches(result: Result, prepared: PreparedTracks, images: Path | None) -> Gallery | None:
    """Describe the frames with a switch; warn of frames without a picture in the directory of images."""
    sequences = list(map(str, result.state.sequences))
    known = switches.pictures_of(_pictures.in_folder(images), sequences)
    drawn = switches.gallery(result, prepared.ground_truth, prepared.tracks, known)
    if images is not None and drawn is not None:
        names = [panel.picture for exhibit in drawn.exhibits for panel in exhibit.panels]
        _pictures.check(images, list(dict.fromkeys(names)))
    return drawn


def check(paths: list[Path], options: "CheckOptions", log: Log) -> list[Finding]:
    """Return all faults of the files; without faults, what is doubtful."""
    faults, protocol = Faults(), given_protocol()
    unclear: list[Finding] = []
    doubts: list[Finding] = []
    while True:
        try:
            with collecting(faults):
                truth, found = _read(paths, options.reading, log, protocol=protocol, kinds=options.kinds)
            if not faults.found:  # which would follow from faults of lines
                doubts = track_files.diagnose(truth, found)
            track_files.prepared(truth, found)
            return unclear + _of_faults(faults) + doubts
        except UnclearProtocolError as error:
            unclear = [Finding(code="protocol-unclear", text=str(error), path=str(paths[0]))]
            protocol = "mot17"
        except InputError as error:
            if not faults.add(error):
                return unclear + _of_faults(faults) + doubts


def _read(
    paths: list[Path], reading: ReadOptions, log: Log, *, protocol: str | None, kinds: KindReadOptions
) -> tuple[TrackFiles, Any]:
    """Read both sides; the second is None if there is one path."""
    of_truth, of_tracks = (
        dataclasses.replace(x, kind="bbox") for x in dataclasses.replace(reading, kind="bbox", images=None).readers
    )
    truth = track_files.read_ground_truth_tracks(
        paths[0],
        reading.gt_format,
        protocol=protocol,
        sequences=kinds.sequences,
        options=of_truth,
    )
    found = None
    if len(paths) > 1:
        found = track_files.read_tracks(
            paths[1], truth, reading.dt_format, first_frame=kinds.first_frame, options=of_tracks
        )
    for note in (*truth.notes, *(found.notes if found is not None else ())):
        log.assume(note)
    return truth, found


def _of_faults(faults: Faults) -> list[Finding]:
    """Return one finding for all faults of one field of one file."""
    together: dict[tuple[Path, str], list[Fault]] = {}
    for fault in faults.found.values():
        place = fault.first.place
        field = place.rpartition(", ")[2].rpartition(".")[2] if place else "file"
        together.setdefault((fault.first.path, field.split(" ")[0]), []).append(fault)
    out = []
    for (path, field), of_field in together.items():
        first, count = of_field[0].first, sum(x.count for x in of_field)
        more = f"{count} such faults" if count > 1 else ""
        evidence = ", ".join(x for x in (first.place, more) if x)
        out.append(Finding(code=f"tracks-{field}", text=first.fault, evidence=evidence, path=str(path)))
    return out


def _inputs(truth: TrackFiles, found: TrackFiles) -> list[Input]:
    return [
        digest(x.path, role, x.format, files=list(dict.fromkeys(x.files.values())))
        for x, role in ((truth, "ground truth"), (found, "tracks"))
    ]


def _record(result: Result, benchmark: benchmarks.Benchmark, prepared: PreparedTracks, inputs: list[Input]) -> Record:
    state, summary = result.state, result.summary
    return Record(
        kind="tracks",
        units="sequences",
        protocol=benchmark.name,
        summary=summary,
        averaging=result.averaging,
        words=_WORDS,
        counts={
            "sequences": len(state.sequences),
            "frames": sum(state.sequences.values()),
            "objects": int(summary["GT_IDs"]),
            "object_boxes": int(summary["GT_Dets"]),
            "tracks": int(summary["IDs"]),
            "track_boxes": int(summary["Dets"]),
        },
        groups=_groups(result, benchmark),
        tables=_left_out(prepared),
        charts={"hota_by_threshold": hota(result)},
        details={"by_threshold": _by_threshold(result), "left_out": prepared.counts(), "sequences": state.sequences},
        inputs=inputs,
    )


def _groups(result: Result, benchmark: benchmarks.Benchmark) -> list[Group]:
    """Group the numbers by sequence; for several classes, also by class, and by both."""
    with_rows = {sequence for sequence, _ in result.state.rows}
    no_data = {name: 0 if isinstance(x, int) else None for name, x in result.summary.items()}
    each_sequence = {name: x if name in with_rows else no_data for name, x in result.per_sequence.items()}
    rows = _named(each_sequence)
    rows += [{"name": ALL, **result.summary}] * (len(rows) != 1)  # one sequence has the numbers of all
    over = "all classes" if benchmark.averaged else "the classes in it"
    title = f"Each sequence, means over {over}" if len(result.state.classes) > 1 else "Each sequence"
    groups = [Group(key="per_sequence", title=title, rows=rows, columns=_COLUMNS)]
    if len(result.state.classes) < 2:
        return groups
    each = _named({name: result.per_class[name] for name in result.averaged_classes})
    if benchmark.averaged:
        each += [{"name": name, **_together(result, labels)} for name, labels in benchmark.groups.items()]
        each += [
            {"name": "class-averaged", **result.class_averaged},
            {"name": "detection-averaged", **result.detection_averaged},
        ]
    both = [
        {"name": f"{sequence} {label}", **numbers}
        for label in result.averaged_classes
        for sequence, numbers in result.per_class_and_sequence[label].items()
        if (sequence, label) in result.state.rows
    ]
    return [
        Group(key="per_class", title="Each class, all sequences", rows=each, columns=_COLUMNS),
        *groups,
        Group(
            key="per_class_and_sequence", title="Each sequence and class", rows=both, columns=_COLUMNS, printed=False
        ),
    ]


def _named(numbers: Mapping[Any, Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": str(name), **values} for name, values in numbers.items()]


def _together(result: Result, labels: Sequence[str]) -> Mapping[str, Any]:
    """Return the detection-averaged numbers of some classes together."""
    rows = {key: row for key, row in result.state.rows.items() if key[1] in labels}
    state = dataclasses.replace(result.state, classes=tuple(labels), rows=rows)
    return tracking.compute([state]).detection_averaged


def _by_threshold(result: Result) -> dict[str, Any]:
    """Return HOTA's numbers at each threshold, for all sequences and for each."""
    curves = {ALL: result.hota} | {name: result.hota_of(sequence=name) for name in result.state.sequences}
    return {str(name): {field: x.tolist() for field, x in curve.items()} for name, curve in curves.items()}


def _left_out(prepared: PreparedTracks) -> list[Table]:
    rows: list[list[Cell]] = [
        [_SIDES[side], reason, count] for side, x in prepared.counts().items() for reason, count in x.items()
    ]
    return [Table(f"Excluded by the rules of {prepared.benchmark}", ("of", "reason", "boxes"), rows)]
