"""The chart of README.md and index.md: `python docs/speed_chart.py` writes it to docs/images.

It shows docs/benchmarks.json. A wide and a narrow one, each in light and dark colours. They are plain text, so a test
compares them with the numbers.
"""

import html
import json
import math
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Task(NamedTuple):
    """Bars below a heading: rows of benchmarks.json by title, and the row of its `exactness`, where there is one."""

    heading: str
    titles: tuple
    exactness: str = ""
    options: str = ""  # with which the numbers are so exact


TASKS = (
    Task("COCO mAP, 180,000 boxes", ("COCO's numbers, 180,000 detections, NumPy",), "COCO's 12 numbers of boxes"),
    Task(
        "Keypoint AP, 54,000 persons",
        ("COCO's numbers of keypoints, 54,000 detections, NumPy",),
        "COCO's 10 numbers of keypoints",
    ),
    Task("COCO mAP of boxes, from JSON files", ("COCO's numbers, 180,000 detections, from JSON files",)),
    Task("COCO mAP of masks, from JSON files", ("COCO's numbers, masks of 1,600 images (16 x 100), from JSON files",)),
    Task(
        "MeanAveragePrecision",
        ("MeanAveragePrecision, 73,562 detections in 5,000 dictionaries",),
        "MeanAveragePrecision(compat=True)",
        "compat=True",
    ),
    Task("`omniou eval`, 100 images", ("`omniou eval`, 100 images",)),
    Task(
        "HOTA, MOTA, IDF1",
        ("HOTA, MOTA and IDF1, 7 sequences, 5,316 frames, 103,332 objects",),
        "HOTA, MOTA and IDF1",
    ),
    Task(
        "IoU, 5,000 x 5,000 boxes",
        ("IoU, 5000 x 5000, float32, torch", "IoU, 5000 x 5000, float32, NumPy"),
        "IoU of all pairs, float32",
    ),
    Task("IoU, 10 x 10 boxes", ("IoU, 10 x 10, float32, torch", "IoU, 10 x 10, float32, NumPy")),
    Task("GIoU loss, gradient, 5,000 pairs", ("giou loss and gradient, 5,000 random pairs, float32, torch",)),
    Task("NMS, 10,000 boxes", ("NMS of 10,000 boxes, float64, NumPy",)),
)
COLOURS = {
    "light": {"ink": "#1b1f24", "muted": "#57606a", "faster": "#0072b2", "slower": "#b35900", "grid": "#d0d7de"},
    "dark": {"ink": "#e6edf3", "muted": "#9aa4af", "faster": "#56b4e9", "slower": "#e69f00", "grid": "#3d444d"},
}
COLUMN, LINE, TOP = 410, 17, 44  # pixels: width of a column, height of a line, height of the title
ONE, DECADE = 205, 50  # pixels of a column: where a bar begins, and the length of a tenfold one


def bars(found, task):
    """Other library -> how many times as fast omniou is, the fastest library first."""
    rows = {row["title"]: row["seconds"] for row in found["speed"]}
    ratios = {
        who.removeprefix("torchmetrics, "): time / rows[title]["omniou"]
        for title in task.titles
        for who, time in rows[title].items()
        if not who.startswith("omniou")
    }
    return dict(sorted(ratios.items(), key=lambda x: x[1]))


def exactness(found, task):
    """How far omniou's numbers are from those of the reference, in words."""
    for row in found["exactness"]:
        if row["title"] == task.exactness:
            far, reference = row["differences"]["omniou"], row["reference"]
            about = f"equal to {reference}" if far == 0 else f"within {far:.0e} of {reference}"
            return f"{task.options}: {about}" if task.options else about
    return ""


def columns(found, count):
    """Tasks with their bars in columns of about equal height, in order."""
    tasks = [(task, bars(found, task)) for task in TASKS]
    whole = sum(len(values) + 1.4 for _, values in tasks)
    out, used = [[] for _ in range(count)], 0.0
    for task, values in tasks:
        out[min(count - 1, int((used + 1) * count / whole))].append((task, values))
        used += len(values) + 1.4
    return out


def svg(found, count, colours):
    """The chart, in a number of columns."""
    made, heights = [], []
    for number, tasks in enumerate(columns(found, count)):
        y = TOP + (LINE if count == 1 else 0)
        for task, values in tasks:
            y += 1.4 * LINE
            made += _heading(number * COLUMN, y, task.heading.replace("`", ""), exactness(found, task))
            for who, value in values.items():
                y += LINE
                made += _bar(number * COLUMN, y, who, value)
        heights.append(y)
    width, height = count * COLUMN, max(heights) + 2.2 * LINE
    title = ["How many times as fast as other libraries omniou is,", "and how exact its numbers are"]
    lines = [" ".join(title)] if count > 1 else title
    head = [_text(8, 18 + LINE * k, line, "title") for k, line in enumerate(lines)]
    legend = "Logarithmic. To the left of the line omniou is slower."
    head.append(_text(8, 18 + LINE * len(lines), legend, "muted"))
    foot = f"{found['processor']}, {found['cpus']} CPUs, {found['date']}. All rows: docs/benchmarks.md"
    head.append(_text(8, height - 0.7 * LINE, foot, "muted"))
    style = (
        "text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif}.title,.heading{font-weight:600}"
        f".title,.heading,.value{{fill:{colours['ink']}}}.muted{{fill:{colours['muted']}}}"
        f".faster{{fill:{colours['faster']}}}.slower{{fill:{colours['slower']}}}"
        f".one{{stroke:{colours['grid']};stroke-width:1.5}}"
    )
    size = f'viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}"'
    root = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{html.escape(alt(found))}">'
    return "\n".join([root, f"<style>{style}</style>", *head, *made, "</svg>"]) + "\n"


def alt(found):
    """The chart in words."""
    return "; ".join(
        f"{task.heading}: " + ", ".join(f"{who} {_ratio(value)}" for who, value in bars(found, task).items())
        for task in TASKS
    )


def _heading(x, y, text, about):
    yield _text(x + 8, y, text, "heading")
    if about:
        yield _text(x + COLUMN - 10, y, about, "muted", anchor="end")


def _bar(x, y, who, value):
    one = x + ONE
    length = abs(math.log10(value)) * DECADE
    start = one if value >= 1 else one - length
    kind = "faster" if value >= 1 else "slower"
    yield f'<rect x="{start:.1f}" y="{y - 10:.1f}" width="{length:.1f}" height="11" rx="1.5" class="{kind}"/>'
    yield f'<path d="M{one} {y - 12:.1f}v15" class="one"/>'
    # A bar to the left leaves the place to the right of the line for its number.
    yield _text(max(start + length, one) + 5, y, _ratio(value), "value")
    yield _text(x + 8, y, who, "muted")


def _ratio(value):
    return f"{value:.2f}x" if value < 1 else f"{value:.1f}x" if value < 10 else f"{value:.0f}x"


def _text(x, y, text, kind, anchor="start"):
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{side} class="{kind}">{html.escape(text)}</text>'


def pictures():
    """Path -> text of each picture."""
    found = json.loads((HERE / "benchmarks.json").read_text("utf-8"))
    return {
        HERE / "images" / f"speed-{size}-{scheme}.svg": svg(found, count, colours)
        for size, count in (("wide", 2), ("narrow", 1))
        for scheme, colours in COLOURS.items()
    }


if __name__ == "__main__":
    for path, text in pictures().items():
        path.write_text(text, "utf-8")
