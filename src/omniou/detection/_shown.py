"""A result as text, as a table of a notebook, as Python's values and as a frame of pandas."""

import html
import importlib
import math
from typing import TYPE_CHECKING, Any

from omniou._lib import indexing

if TYPE_CHECKING:
    from omniou.detection._result import Result

# Numbers in a line of the text.
_BESIDE = 3


def as_text(result: "Result[Any]", /) -> str:
    """A line of counts, and the numbers of the summary in lines of three and six."""
    words = [f"{name} {_short(value)}" for name, value in result.summary.items()]
    wide = max(map(len, words))
    lines = [words[k : k + _BESIDE] for k in range(0, len(words), _BESIDE)]
    body = "\n".join("  " + "   ".join(word.ljust(wide) for word in line).rstrip() for line in lines)
    counts = _counts(result)
    head = f"{counts['detections']} detections, {counts['objects']} objects, {counts['images']} images"
    return f"Result of {head}, {counts['classes']} classes\n{body}"


def as_html(result: "Result[Any]", /) -> str:
    """Summary and classes, folded."""
    numbers = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{_short(value)}</td></tr>" for name, value in result.summary.items()
    )
    rows = as_dict(result)["per_class"]
    names = [name for name in rows[0] if name not in {"id", "name", "objects"}] if rows else []
    heading = "".join(f"<th>{html.escape(name)}</th>" for name in ("class", "objects", *names))
    cells = "".join(
        f"<tr><th>{html.escape(row['name'])}</th><td>{row['objects']}</td>"
        + "".join(f"<td>{_cell(row[name])}</td>" for name in names)
        + "</tr>"
        for row in rows
    )
    head = html.escape(as_text(result).partition("\n")[0])
    return (
        f"<div><p>{head}</p><table>{numbers}</table>"
        f"<details><summary>{len(rows)} classes</summary><table><tr>{heading}</tr>{cells}</table></details></div>"
    )


def as_dict(result: "Result[Any]", /) -> dict[str, Any]:
    """See `Result.to_dict`."""
    labels = indexing.to_list(result.state.classes)
    columns = {name: [_or_none(float(x)) for x in column] for name, column in result.per_class.items()}
    objects = [int(x) for x in result.objects[:, 0]]
    rows = [
        {"id": label, "name": result.names.get(label, str(label)), "objects": objects[k]}
        | {name: column[k] for name, column in columns.items()}
        for k, label in enumerate(labels)
    ]
    summary = {name: _or_none(value) for name, value in result.summary.items()}
    return {"summary": summary, "counts": _counts(result), "per_class": rows}


def as_frame(result: "Result[Any]", /) -> Any:
    """See `Result.to_pandas`."""
    name = "pandas"
    try:
        pandas = importlib.import_module(name)
    except ModuleNotFoundError:
        msg = "`to_pandas` needs pandas: pip install pandas"
        raise ModuleNotFoundError(msg, name=name) from None
    rows = as_dict(result)["per_class"]
    numbers = [x for x in rows[0] if x not in {"id", "name", "objects"}] if rows else []
    frame = pandas.DataFrame(rows, columns=["name", "id", "objects", *numbers]).set_index("name")
    return frame.astype(dict.fromkeys(numbers, "float64"))


def _counts(result: "Result[Any]", /) -> dict[str, int]:
    state = result.state
    return {
        "images": state.images.shape[0],
        "classes": state.classes.shape[0],
        "objects": sum(int(x) for x in result.objects[:, 0]),
        "detections": state.scores.shape[0] + state.surplus,
    }


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) else x


def _short(x: float) -> str:
    return "-" if math.isnan(x) else f"{x:.3f}"


def _cell(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"
