"""Make the page of the explorer: one file that needs no network."""

from markupsafe import Markup

from omniou import __version__
from omniou.report._pages.assets import asset, digest, environment
from omniou.report.explorer._functions import code

# Name, label and what it is, as rows of the table.
_ROWS = (
    ("intersection", "Intersection", "Area that both boxes cover"),
    ("union", "Union", "Area that either box covers"),
    ("hull", "Hull", "Area of the smallest box, or convex shape, around both"),
    ("iou", "IoU", "Intersection over union"),
    ("giou", "GIoU", "Generalised IoU: less the share of the hull that is free"),
    ("diou", "DIoU", "Distance IoU: less the squared distance of the centres"),
    ("ciou", "CIoU", "Complete IoU: less the difference of the aspect ratios, too"),
    ("probiou", "ProbIoU", "1 less the Hellinger distance of both boxes as Gaussians"),
    ("l1", "L1", "Sum of the absolute differences of the coordinates"),
    ("l2", "L2", "Euclidean distance of the coordinates"),
)
_LOSSES = ("l1", "l2", "iou", "giou", "diou", "ciou", "probiou")
_SCRIPTS = ("boxes", "address", "stage", "table", "panels", "race")


def html() -> str:
    """Return the explorer as an HTML page: two boxes to move, with scores of `omniou.boxes` and `omniou.rotated`.

    The page is one file, loads nothing, and keeps its state in the address. Its scores and gradients are recorded from
    the public functions, see `code`.

    Returns
    -------
    str

    Examples
    --------
    >>> from omniou.report import explorer
    >>> page = explorer.html()
    >>> page[:15], "http://" in page.replace("http://www.w3.org/2000/svg", "")
    ('<!doctype html>', False)
    """
    scripts = [code(), *(asset(f"explorer-{name}.js") for name in _SCRIPTS), asset("explorer.js")]
    # The block keeps declared names out of the global scope.
    script, style = "\n".join(['"use strict";', "{", *scripts, "}\n"]), asset("explorer.css")
    labels = {name: label for name, label, _ in _ROWS}
    return (
        environment()
        .get_template("explorer.html.j2")
        .render(
            rows=_ROWS,
            losses=[(name, labels[name]) for name in _LOSSES],
            version=__version__,
            script=Markup(script),  # noqa: S704  (made here)
            style=Markup(style),  # noqa: S704
            script_hash=digest(script),
            style_hash=digest(style),
        )
    )
