"""Make the parts that pages of records share: facts, intervals, and the record as JSON."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from omniou._inputs.kinds import with_masks
from omniou._lib.brief import counted
from omniou.report._pages import assets
from omniou.report._record.record import Record
from omniou.report._record.sections import input_facts

# Analyses with shapes.
_DRAWN = {"worst_images", "label_errors"}


def embedded(records: Sequence[Record]) -> Markup:
    """Return records as JSON for an element of a page."""
    values = [json.loads(x.to_json(None)) for x in records]
    for value in values:
        shorten(value)
    return assets.embedded(json.dumps(values, separators=(",", ":"), ensure_ascii=False))


def shorten(record: dict[str, Any], /) -> None:
    """Remove samples, layers and outlines of masks from the JSON of a record, in place, and write curves as runs.

    A curve 1, 1, 1, 0.5, 0.5 becomes `[1, 3, 0.5, 2]`: each value and how often it follows itself. The script of the
    page unrolls them.
    """
    for measured in (record["intervals"] or {"numbers": {}})["numbers"].values():
        measured["samples"] = []
    for gallery in record["galleries"].values():  # the page has the layers as pictures
        for panel in itertools.chain.from_iterable(exhibit["panels"] for exhibit in gallery["exhibits"]):
            panel["layer"] = ""
    if with_masks(record["kind"]):
        for name in _DRAWN & record["analyses"].keys():
            _without_points(record["analyses"][name])
    if curves := record["analyses"].get("pr"):
        curves["per_class"] = {"runs": [_runs(curve) for curve in curves["per_class"]]}


def _without_points(value: Any) -> None:
    """Empty the points of shapes, which the page has as pictures: [2, 0.91, [10, 20, 50, 60]] becomes [2, 0.91, []]."""
    if isinstance(value, dict):
        value.update((name, []) for name in ("points", "labelled_points") if name in value)
        for rows in (value.get("shapes") or value.get("near") or {}).values():
            for row in rows:
                row[2] = []
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _without_points(part)


def packed(rows: Sequence[dict[str, Any]], /) -> dict[str, Any]:
    """Return rows with the same names in a shorter form, which the script of the page unpacks: names, then values."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {"packed": [names, *([row.get(name) for name in names] for row in rows)]}


def _runs(curve: Sequence[float | None]) -> list[float | None]:
    groups = ((value, len(list(group))) for value, group in itertools.groupby(curve))
    return list(itertools.chain.from_iterable(groups))


def facts(record: Record) -> list[tuple[str, str]]:
    """Return what was read and compared, as names and values."""
    counts, facts = record.counts, input_facts(record.inputs)
    if isinstance(record.protocol, dict):
        crowds = f", {counts['crowds']} of them crowds" if counts["crowds"] else ""
        compared = ", ".join(counted(counts[words], words) for words in ("detections", "annotations"))
        facts.append(("Compared", compared + crowds))
        facts.append((f"{record.units.capitalize()}, classes", f"{counts['images']}, {counts['categories']}"))
    else:
        facts += [(name.replace("_", " ").capitalize(), f"{value:,}") for name, value in counts.items()]
    if record.gates:
        passed = sum(x.passed for x in record.gates)
        facts.append(("Gates", f"{passed} of {len(record.gates)} passed"))
    if record.intervals:
        drawn = record.intervals
        facts.append(("Bootstrap", f"{drawn.samples} samples of the {record.units}, seed {drawn.seed}"))
    return facts


def details(record: Record) -> list[tuple[str, str]]:
    """Return checksums, protocol, options and versions, as names and values."""
    details = [(f"SHA-256 of {x.path}", x.sha256) for x in record.inputs]
    details += [(f"SHA-256 of the ids of the {record.units}", record.images)] if record.images else []
    rules = record.protocol if isinstance(record.protocol, dict) else {"name": record.protocol}
    details += [(f"protocol: {name}", _short(value)) for name, value in rules.items() if value != ""]
    details += [(f"option: {name}", _short(value)) for name, value in record.options.items()]
    return [*details, ("omniou", record.omniou), *record.versions.items()]


def _short(value: Any) -> str:
    """Return a value of the protocol as text; of a long list, its length and its ends."""
    if isinstance(value, list) and len(value) > 12:
        return f"{len(value)} from {value[0]:g} to {value[-1]:g}"
    return json.dumps(value, ensure_ascii=False)


def shown_interval(record: Record, name: str) -> dict[str, str]:
    """Return the interval of a number as text; doubtful intervals only if intervals were asked for."""
    intervals, asked = record.intervals, bool(record.options.get("intervals"))
    measured = intervals.numbers.get(name) if intervals else None
    if intervals is None or measured is None or measured.low is None or measured.high is None:
        return {"interval": "", "corrected": ""}
    shown = f"{measured.low:.3f} to {measured.high:.3f} ({intervals.confidence:.0%})"
    corrected = "" if measured.corrected is None else f"without bias {measured.corrected:.3f}"
    hidden = intervals.is_hidden(name) and not asked
    return {"interval": "" if hidden else shown, "corrected": corrected if asked else ""}


def doubt(record: Record) -> str:
    """Return why intervals are hidden; or why they are unreliable, if they were asked for."""
    if record.intervals is None or not record.intervals.doubt:
        return ""
    return f"{'Doubtful' if record.options.get('intervals') else 'No intervals'}: {record.intervals.doubt}."
