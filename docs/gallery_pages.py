"""The gallery: every picture that omniou draws, made by the line that stands below it. Sphinx directive and pictures.

`figures.make` runs the lines after the `python` blocks of gallery.md. Kinds of plots come from omniou's own tables, so
that a new one appears by itself.
"""

import contextlib
import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent
FIGURES = "_figures"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Options of a kind in its line.
OPTIONS = {"confusion": ", score=0.5"}
OWNERS = {"heading": "cars", "points": "people", "skeleton": "people"}  # results with 3-D boxes and with keypoints
MODELS = 'report.plot({{"A": result, "B": other}}, "{}")'
PAGES = {
    "omniou-report": "omniou eval ground_truth.json detections.json --html report.html",
    "omniou-comparison": "omniou compare ground_truth.json detections.json other.json --html comparison.html",
    "omniou-explorer": "omniou explore --output explorer.html",
}
"""Pages that figures.make writes, and the commands that write the same."""


def lines():
    """Heading -> name of a picture -> the line that draws it."""
    from omniou.report._charts.analysis_pictures import PICTURES
    from omniou.report._charts.overlaid import OVERLAID
    from omniou.report._charts.plots import CHARTS
    from omniou.report._charts.tracking_charts import CURVES

    alone = [picture.kind for picture in PICTURES.values() if picture.kind not in CHARTS]
    return {
        "One model": {
            kind: f'{OWNERS.get(kind, "result")}.plot("{kind}"{OPTIONS.get(kind, "")})' for kind in sorted(CHARTS)
        },
        "Several models": {f"models-{kind}": MODELS.format(kind) for kind in sorted(OVERLAID)},
        "Analyses": {kind: f"{OWNERS.get(kind, 'result')}.{kind}().plot()" for kind in alone},
        "Images": {
            "draw": "report.draw(None, truth, found, result.matches, image_id=139, score=0.3)",
            "mosaic": "report.mosaic(images, targets, detections, names=truth.categories, side=160)",
        },
        "Tracks": {
            "timeline": 'tracked.plot("timeline")',
            "hota": 'tracked.plot("hota")',
            **{f"single-{kind}": f'followed.plot("{kind}")' for kind in CURVES},
        },
        "Scores": {name: f'report.against_iou("{name}")' for name in ("giou", "diou", "ciou", "nwd")},
    }


def draw(save):
    """Draw each picture, and pass it on with its name."""
    names = {}
    with contextlib.chdir(HERE.parent):
        for block in BLOCK.findall((HERE / "gallery.md").read_text("utf-8")):
            exec(block, names)  # noqa: S102  (the page's own code)
        for found in lines().values():
            for name, line in found.items():
                save(name, eval(line, names))  # noqa: S307
    return names


class Gallery(SphinxDirective):
    """Cards of all pictures, or with `pages` of all pages."""

    optional_arguments = 1

    def run(self):
        if self.arguments:
            return [_grid([_page(name, command) for name, command in PAGES.items()])]
        made = []
        for heading, found in lines().items():
            made += [nodes.rubric("", heading), _grid([_picture(name, line) for name, line in found.items()])]
        return made


def _grid(cards):
    return nodes.container("", *cards, classes=["gallery"])


def _picture(name, line):
    uri = f"{FIGURES}/{name}.png"
    image = nodes.image(uri=uri, alt=line, loading="lazy")
    return _card(nodes.reference("", "", image, refuri=f"_images/{name}.png"), line, "python")


def _page(name, command):
    frame = f'<iframe src="{name}.html" title="{html.escape(command)}" loading="lazy" tabindex="-1"></iframe>'
    link = f'<a href="{name}.html" aria-label="{html.escape(command)}"></a>'
    return _card(nodes.raw("", f'<div class="gallery-frame">{frame}{link}</div>', format="html"), command, "console")


def _card(picture, line, language):
    code = nodes.literal_block(line, line, language=language)
    return nodes.container("", nodes.paragraph("", "", picture), code, classes=["gallery-card"])


def setup(app):
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
