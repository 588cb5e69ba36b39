"""A result as text, as a table of a notebook, as Python's values and as a frame of pandas."""

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from omniou._lib.extras import frame_of
from omniou._lib.findings import Finding

# Numbers in a line of the text.
_BESIDE = 3


def as_text(summary: Mapping[str, float], counts: Mapping[str, int], findings: Sequence[Finding] = (), /) -> str:
    """A line of counts, the numbers of the summary in lines of three, and a line for each finding."""
    words = [f"{name} {_cell(value)}" for name, value in summary.items()]
    wide = max(map(len, words))
    lines = [words[k : k + _BESIDE] for k in range(0, len(words), _BESIDE)]
    body = "\n".join("  " + "   ".join(word.ljust(wide) for word in line).rstrip() for line in lines)
    return "\n".join([_head(counts), body, *(f"  Warning: {x}" for x in findings)])


def as_html(values: Mapping[str, Any], findings: Sequence[Finding] = (), /) -> str:
    """The values of `as_dict`: the summary, what is doubtful, and the classes, folded."""
    numbers = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{_cell(value)}</td></tr>" for name, value in values["summary"].items()
    )
    warnings = "".join(f"<p>Warning: {html.escape(str(x))}</p>" for x in findings)
    rows = values["per_class"]
    names = _numbers_of(rows)
    heading = "".join(f"<th>{html.escape(name)}</th>" for name in ("class", "objects", *names))
    cells = "".join(
        f"<tr><th>{html.escape(row['name'])}</th><td>{row['objects']}</td>"
        + "".join(f"<td>{_cell(row[name])}</td>" for name in names)
        + "</tr>"
        for row in rows
    )
    return (
        f"<div><p>{_head(values['counts'])}</p><table>{numbers}</table>{warnings}"
        f"<details><summary>{len(rows)} classes</summary><table><tr>{heading}</tr>{cells}</table></details></div>"
    )


def as_dict(
    summary: Mapping[str, float], counts: Mapping[str, int], classes: Mapping[str, Any], per_class: Mapping[str, Any], /
) -> dict[str, Any]:
    """See `Result.to_dict`. `classes`: columns "id", "name" and "objects"; `per_class`: those of the numbers."""
    columns = {**classes, **{name: [_or_none(float(x)) for x in column] for name, column in per_class.items()}}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {
        "summary": {name: _or_none(value) for name, value in summary.items()},
        "counts": dict(counts),
        "per_class": rows,
    }


def as_frame(rows: list[dict[str, Any]], /) -> Any:
    """See `Result.to_pandas`. `rows`: "per_class" of `as_dict`."""
    numbers = _numbers_of(rows)
    names = ["name", "id", "objects", *numbers]
    frame = frame_of({name: [row[name] for row in rows] for name in names}).set_index("name")
    return frame.astype(dict.fromkeys(numbers, "float64"))


def _head(counts: Mapping[str, int], /) -> str:
    names = ("detections", "objects", "images", "videos", "samples", "classes")
    what = ", ".join(f"{counts[name]} {name}" for name in names if name in counts)
    return f"Result of {what}"


def _numbers_of(rows: list[dict[str, Any]], /) -> list[str]:
    """The names of the columns that hold numbers of the summary."""
    return [name for name in rows[0] if name not in {"id", "name", "objects"}] if rows else []


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) else x


def _cell(x: float | None) -> str:
    return "-" if x is None or math.isnan(x) else f"{x:.3f}"
