"""The cheat sheet: its lists of names for docs/cheat-sheet.md, and the page as PDF, one page A4.

Headings and blocks of code of the page are all that the PDF has. It takes the largest letters with which they fit.
"""

import re
import textwrap
from pathlib import Path

from metric_pages import Generated

SOURCE = Path(__file__).parent / "cheat-sheet.md"
PART = re.compile(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$|^```\{declared\}$", re.MULTILINE | re.DOTALL)
A4 = (11.69, 8.27)  # inches, landscape
MARGIN, GAP, TOP = 0.35, 0.25, 0.75
LETTER, LINE = 0.602, 1.32  # width of a letter of DejaVu Sans Mono, and height of a line, in sizes of the font
COMMENTS = 42  # the column of comments, in letters, after shorter lines
INK, MUTED, ACCENT = "#1b1f24", "#66707c", "#0072b2"


def declared():
    """What omniou has, by name."""
    import omniou
    from omniou import data, detection
    from omniou.cli._kinds import KINDS, PROTOCOLS
    from omniou.report._charts.plots import CHARTS

    return {
        "--kind": list(KINDS),
        "--protocol": list(dict.fromkeys([*detection.PRESETS, *PROTOCOLS])),
        "--gt-format": list(dict.fromkeys([*data.FORMATS, *data.TRACK_FORMATS])),
        "boxes., losses.": list(omniou.scores),
        "masks.": list(omniou.pixel_scores),
        "result.plot(...)": list(CHARTS),
    }


def parts():
    """("heading", text) and ("code", text) of the page, in order."""
    for heading, _, code in PART.findall(SOURCE.read_text("utf-8")):
        if heading:
            yield "heading", heading
        elif code:
            yield "code", code.rstrip().replace("\n$ ", "\n").removeprefix("$ ")
        else:
            yield from (("names", f"{name}  {' '.join(names)}") for name, names in declared().items())


def rows(columns):
    """The lines of the sheet: kind and text, names broken at a number of letters."""
    for kind, text in parts():
        if kind == "names":
            yield from (("code", x) for x in textwrap.wrap(text, columns, subsequent_indent="  "))
        elif kind == "heading":
            yield kind, text
        else:
            yield from ((kind, line) for line in text.split("\n"))


def pdf(path):
    """Write the sheet; ValueError where a page cannot hold it in letters that can be read."""
    from matplotlib import pyplot as plt

    width = (A4[0] - 2 * MARGIN - GAP) / 2
    for size in (x / 20 for x in range(180, 119, -1)):  # points
        letters = int(width * 72 / (size * LETTER))
        lines = list(rows(letters))
        height = sum(_height(kind, size) for kind, _ in lines)
        fits = 2 * (A4[1] - TOP - MARGIN) * 72 - 6 * size > height
        if fits and max(len(text) for _, text in lines) <= letters:
            break
    else:
        longest = max((x for _, x in lines), key=len)
        raise ValueError(f"{SOURCE.name} does not fit one page: {len(lines)} lines, the longest is {longest!r}")
    figure = plt.figure(figsize=A4)
    _write(figure, MARGIN, 0.45, [("omniou: cheat sheet", INK)], 15, family="sans-serif", weight="bold")
    _write(figure, MARGIN + width + GAP, 0.45, [(_about(), MUTED)], 6.5, family="sans-serif")
    column, y = 0, TOP
    for kind, text in lines:
        # The second column starts with a section near the middle.
        full = y + 3 * size * LINE / 72 > A4[1] - MARGIN
        if column == 0 and (full or (kind == "heading" and y - TOP > height / 72 * 0.45)):
            column, y = 1, TOP
        y += _height(kind, size) / 72
        x = MARGIN + column * (width + GAP)
        if kind == "heading":
            _write(figure, x, y - 0.3 * size / 72, [(text, ACCENT)], size * 1.35, family="sans-serif", weight="bold")
        else:
            code, mark, comment = text.partition("  # ")
            _write(figure, x, y, [(code.ljust(COMMENTS), INK), (mark + comment, MUTED)], size, family="monospace")
    figure.savefig(path, metadata={"Title": "omniou: cheat sheet", "CreationDate": None})
    plt.close(figure)


def _about():
    return "Commands: in docs/examples/coco-val2014-100 of a clone. Python: in its root."


def _height(kind, size):
    """Of a line, in points."""
    return size * LINE * (2.2 if kind == "heading" else 1)


def _write(figure, x, y, pieces, size, **font):
    for text, colour in pieces:
        figure.text(x / A4[0], 1 - y / A4[1], text, color=colour, size=size, va="baseline", parse_math=False, **font)
        x += len(text) * size * LETTER / 72


class Declared(Generated):
    """The names as a table."""

    def run(self):
        body = [f"| `{key}` | {' '.join(f'`{name}`' for name in names)} |" for key, names in declared().items()]
        return self.parsed(["| | |", "|---|---|", *body])


def setup(app):
    app.add_directive("declared", Declared)
    return {"parallel_read_safe": True}
