"""`omniou formats`: list the formats that omniou reads and writes."""

import json
from typing import Any

import click

from omniou.cli import _output as output
from omniou.cli._commands import Command
from omniou.cli._option_groups import option_group, takes
from omniou.data._formats import Format, every
from omniou.data._tracks import formats as track_formats
from omniou.data.writing import WRITERS
from omniou.report._record.tables import Table
from omniou.report._text.render import markdown_of, text_of

_STYLES = ("table", "json", "md")
_TRACKS = "tracks"


@option_group
class FormatsOptions(output.OutputOptions):
    """Options of `omniou formats`."""

    style: str | None = output.style_option(_STYLES)


@click.command("formats", cls=Command)
@takes(FormatsOptions)
def command(options: FormatsOptions) -> None:
    """List the formats that omniou reads and writes, what each holds, and the library it needs."""
    path = options.output
    chosen = options.style_among(_STYLES)
    rows = _with_tracks([_row(x) for x in every()])
    if chosen == "json":
        output.write(json.dumps(rows, indent=2) + "\n", path)
        return
    words = [
        (x["name"], x["description"], _roles(x["read"]), _roles(x["written"]), ", ".join(x["kinds"]), x["needs"] or "-")
        for x in rows
    ]
    headings = ("name", "description", "read", "written", "kinds", "needs")
    table = Table("Formats", headings, words, "gt is ground truth, dt are detections.")
    width, look = output.width(), output.style(path)
    output.write(markdown_of([table], []) if chosen == "md" else text_of([table], [], width, look), path)


def _row(format: Format) -> dict[str, Any]:
    writer = WRITERS.get(format.name)
    written = (("gt", writer and writer.ground_truth), ("dt", writer and writer.detections))
    return {
        "name": format.name,
        "description": format.title,
        "read": ["gt", "dt"],
        "written": [role for role, x in written if x is not None],
        "kinds": list(format.truth.kinds),
        "needs": format.truth.library or "",
    }


def _with_tracks(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the formats of tracks; some of them also hold detections and have a row."""
    known = {x["name"]: x for x in rows}
    for format in track_formats.every():
        if format.name in known:
            known[format.name]["kinds"].append(_TRACKS)
        else:
            row = {"name": format.name, "description": format.title, "read": ["gt", "dt"], "written": []}
            rows.append({**row, "kinds": [_TRACKS], "needs": ""})
    return rows


def _roles(roles: list[str]) -> str:
    return " ".join(roles) or "-"
