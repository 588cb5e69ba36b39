"""`omniou formats`: what is read and written."""

import json
from typing import TYPE_CHECKING, Any

import click

from omniou.cli import _output as output
from omniou.cli._commands import Command
from omniou.data import DETECTIONS, GROUND_TRUTHS
from omniou.data.writers import WRITERS
from omniou.report._render import joined, markdown_table
from omniou.report._tables import Table
from omniou.report._text import render

_STYLES = ("table", "json", "md")

if TYPE_CHECKING:
    from pathlib import Path


@click.command("formats", cls=Command)
@output.format_option(_STYLES)
@output.output_option
def command(style: str | None, **how: Any) -> None:
    """List the formats that are read and written, what each holds, and what it needs."""
    path: Path | None = how["output"]
    chosen = output.style_of(style, path, _STYLES)
    rows = [_row(name) for name in dict.fromkeys([*GROUND_TRUTHS, *DETECTIONS])]
    if chosen == "json":
        output.write(json.dumps(rows, indent=2) + "\n", path)
        return
    words = [
        (x["name"], x["description"], _roles(x["read"]), _roles(x["written"]), ", ".join(x["kinds"]), x["needs"] or "-")
        for x in rows
    ]
    headings = ("name", "what it is", "read", "written", "kinds", "needs")
    table = Table("Formats", headings, words, "gt is ground truth, dt are detections.")
    text = [markdown_table(table)] if chosen == "md" else [render(table, output.width(), output.style(path))]
    output.write(joined(text), path)


def _row(name: str) -> dict[str, Any]:
    readers = [reader for reader in (GROUND_TRUTHS.get(name), DETECTIONS.get(name)) if reader is not None]
    written = WRITERS.get(name)
    return {
        "name": name,
        "description": DESCRIPTIONS[name],
        "read": [role for role, x in (("gt", GROUND_TRUTHS), ("dt", DETECTIONS)) if name in x],
        "written": [
            role
            for role, x in (("gt", written and written.ground_truth), ("dt", written and written.detections))
            if x is not None
        ],
        "kinds": list(readers[0].kinds),
        "needs": readers[0].library or "",
    }


def _roles(roles: list[str]) -> str:
    return " ".join(roles) or "-"


DESCRIPTIONS = {
    "coco": "JSON of COCO",
    "lvis": "JSON of LVIS",
    "voc": "Pascal VOC: XML; detections by class",
    "text": "a text file for each image",
    "yolo": "YOLO: a text file for each image",
    "kitti": "KITTI: 15 fields",
    "dota": "DOTA: quadrilaterals",
    "open-images": "CSV of Open Images",
    "parquet": "Parquet or Arrow",
}
