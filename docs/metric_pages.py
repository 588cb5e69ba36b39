"""Sphinx directives of docs/metrics: the facts of a metric, its figure, the cards of all, and the charts of benchmarks.

What a page states of a score's range, direction, functions, loss and paper comes from its declaration in
`omniou.scores`; that of other metrics from `OTHERS` and their docstrings.
"""

import dataclasses
import importlib
import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent
PAGES = HERE / "metrics"
STYLE = HERE / "metrics.css"
# The modules that have a function of each score whose terms their shapes have, and what they compare.
MODULES = {"boxes": "boxes", "rotated": "rotated boxes", "boxes3d": "3-D boxes", "polygons": "polygons"}


@dataclasses.dataclass(frozen=True)
class Other:
    """A metric that is no pair score; its paper is the reference of the first of its functions."""

    label: str
    bounds: tuple
    compares: str
    functions: tuple
    loss: str = ""
    higher_is_better: bool = True
    about: str = ""


_MASKS = "masks"
_INFINITE = (0.0, float("inf"))
OTHERS = {
    "mask_iou": Other(
        "Mask IoU",
        (0.0, 1.0),
        _MASKS,
        ("omniou.masks.iou", "omniou.masks.dice", "omniou.rle.iou"),
        "omniou.losses.masks.jaccard",
        about="0 for two empty masks, unless `zero_division=` says otherwise",
    ),
    "soft_iou": Other(
        "Soft IoU, soft Dice",
        (0.0, 1.0),
        "probabilities of pixels",
        ("omniou.masks.soft_iou", "omniou.masks.soft_dice"),
        "omniou.losses.masks.dice",
        about="0 for two empty masks, unless `zero_division=` says otherwise",
    ),
    "tversky": Other(
        "Tversky index",
        (0.0, 1.0),
        _MASKS,
        ("omniou.masks.tversky",),
        "omniou.losses.masks.tversky",
        about="0 for two empty masks, unless `zero_division=` says otherwise",
    ),
    "boundary_iou": Other(
        "Boundary IoU",
        (0.0, 1.0),
        "bands along the edges of masks",
        ("omniou.masks.boundary_iou", "omniou.rle.Masks.boundary"),
        "omniou.losses.masks.boundary",
        about="0 for two empty masks, unless `zero_division=` says otherwise",
    ),
    "boundary_f": Other("Boundary F", (0.0, 1.0), "outlines of masks", ("omniou.masks.boundary_f",)),
    "hausdorff": Other(
        "Hausdorff distance, HD95",
        _INFINITE,
        "outlines of masks",
        ("omniou.masks.hausdorff",),
        higher_is_better=False,
        about="infinite where one mask is empty, NaN where both are",
    ),
    "average_surface_distance": Other(
        "Average surface distance",
        _INFINITE,
        "outlines of masks",
        ("omniou.masks.average_surface_distance",),
        higher_is_better=False,
        about="infinite where one mask is empty, NaN where both are",
    ),
    "mean_iou": Other(
        "Mean IoU, Dice, pixel accuracy",
        (0.0, 1.0),
        "label maps",
        ("omniou.segmentation.iou", "omniou.segmentation.dice", "omniou.segmentation.accuracy"),
        "omniou.losses.masks.lovasz_softmax",
        about='NaN for a class that is in neither map, unless `present="all"` asks for it',
    ),
    "pq": Other(
        "Panoptic quality (PQ, SQ, RQ)",
        (0.0, 1.0),
        "segments of images",
        ("omniou.panoptic.count", "omniou.panoptic.PanopticCounts"),
        about="NaN for a class that is in neither map",
    ),
    "oks": Other(
        "Object keypoint similarity (OKS)",
        (0.0, 1.0),
        "keypoints of two objects",
        ("omniou.keypoints.oks",),
        "omniou.losses.keypoints.oks",
        about="0 where no point of an object counts and no box is given",
    ),
    "pck": Other("PCK, PCKh", (0.0, 1.0), "keypoints", ("omniou.keypoints.pck", "omniou.keypoints.pckh")),
    "nme": Other(
        "Normalised mean error (NME)",
        _INFINITE,
        "keypoints of two objects",
        ("omniou.keypoints.nme",),
        higher_is_better=False,
        about="NaN for an object of which no point counts",
    ),
    "ap": Other(
        "AP, mAP, AR",
        (0.0, 1.0),
        "detections with scores and objects",
        ("omniou.detection.evaluate", "omniou.detection.Result"),
        about="NaN for a class without objects",
    ),
    "temporal_ap": Other(
        "Temporal AP, AR@AN",
        (0.0, 1.0),
        "intervals with scores, and objects in videos",
        ("omniou.detection.evaluate", "omniou.detection.Proposals"),
        about="NaN for a class without objects",
    ),
    "tide": Other(
        "TIDE: cost of an error",
        (0.0, 1.0),
        "false positives and misses",
        ("omniou.detection.Breakdown",),
        higher_is_better=False,
    ),
    "lrp": Other(
        "LRP, oLRP",
        (0.0, 1.0),
        "detections with scores and objects",
        ("omniou.detection.LRP",),
        higher_is_better=False,
        about="NaN for a class without objects",
    ),
    "hota": Other(
        "HOTA, DetA, AssA, LocA",
        (0.0, 1.0),
        "tracks and objects of videos",
        ("omniou.tracking.evaluate", "omniou.tracking.Result"),
        about="0; LocA is 1 without true positives",
    ),
    "mota": Other(
        "MOTA, MOTP, ID switches (CLEAR)",
        (float("-inf"), 1.0),
        "tracks and objects of videos",
        ("omniou.tracking.evaluate", "omniou.tracking.Result"),
        about="0",
    ),
    "idf1": Other(
        "IDF1, IDP, IDR",
        (0.0, 1.0),
        "tracks and objects of videos",
        ("omniou.tracking.evaluate", "omniou.tracking.Result"),
        about="0",
    ),
    "nds": Other(
        "NDS, mAP by centre distance",
        (0.0, 1.0),
        "3-D detections and objects",
        ("omniou.centres.evaluate", "omniou.centres.CentreResult"),
        about="a class without objects has AP 0 and errors 1, unless the rules exclude it",
    ),
    "aph": Other(
        "APH: heading in AP",
        (0.0, 1.0),
        "3-D detections and objects",
        ("omniou.detection.HeadingAP",),
        about="NaN for a class without objects",
    ),
    "calibration": Other(
        "Expected calibration error (D-ECE)",
        (0.0, 1.0),
        "scores and true positives",
        ("omniou.detection.Calibration",),
        higher_is_better=False,
        about="NaN without detections",
    ),
    "froc": Other(
        "FROC, log-average miss rate",
        (0.0, 1.0),
        "detections with scores and objects",
        ("omniou.detection.FROC", "omniou.detection.MissRate"),
        about="NaN without objects; of the miss rate, lower is better",
    ),
    "success": Other(
        "Success AUC, precision, AO",
        (0.0, 1.0),
        "boxes of one object in each frame",
        ("omniou.tracking.single.evaluate",),
        about="NaN for a sequence of which no frame counts",
    ),
    "j_and_f": Other(
        "J and F (DAVIS)",
        (0.0, 1.0),
        "masks of objects in videos",
        ("omniou.tracking.video_objects.evaluate",),
        about="1 for an object that is in neither mask of a frame; NaN without objects. Decay may be below 0",
    ),
}


def page_of():
    """Metric -> name of the page that has its facts."""
    found = {}
    for path in sorted(PAGES.glob("*.md")):
        for name in re.findall(r"^```\{metric\} (\w+)$", path.read_text("utf-8"), re.MULTILINE):
            if name in found:
                raise ValueError(f"the facts of {name!r} are on two pages, {found[name]} and {path.stem}")
            found[name] = path.stem
    return found


def listed():
    """Captions of the toctrees of the index -> pages with their short titles."""
    found = {}
    for tree in re.findall(r"```\{toctree\}(.*?)```", (PAGES / "index.md").read_text("utf-8"), re.DOTALL):
        caption = re.search(r"^:caption: (.+)$", tree, re.MULTILINE)[1]
        found[caption] = {page: title for title, page in re.findall(r"^(.+) <([\w-]+)>$", tree, re.MULTILINE)}
    return found


def _link(path, role="func"):
    """A reference to a public name, without the package."""
    return f"{{py:{role}}}`{path.removeprefix('omniou.')} <{path}>`"


def _object(path):
    """What a public name is."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError:  # a method
        return getattr(_object(module), name)


def _references(path):
    """The section of references of a docstring."""
    text = re.search(
        r"References\n\s*-{4,}\n(.*?)(?:\n\s*\n|\n\s*\w+\n\s*-{4,}|\Z)", _object(path).__doc__ or "", re.DOTALL
    )
    return " ".join(text[1].split()) if text else ""


def _range(low, high):
    low, high = (f"{x:.4g}".replace("-", "\N{MINUS SIGN}").replace("inf", "no bound") for x in (low, high))
    return f"{low} to {high}"


def _better(metric):
    return "higher is better" if metric.higher_is_better else "lower is better"


def _of_score(score):
    from omniou import scores

    homes = [f"omniou.{module}.{score.name}" for module in MODULES if hasattr(_object(f"omniou.{module}"), score.name)]
    if score.name in _object("omniou.gaussian").__all__:
        homes.append(f"omniou.gaussian.{score.name}")
    assert scores[score.name] is score
    low, high = score.loss_bounds
    rows = [
        ("Range", f"{_range(*score.bounds)}, {_better(score)}"),
        ("Empty shapes", score.empty),
        ("Without a partner", f"{score.miss:.4g}".replace("inf", "no bound").replace("-", "\N{MINUS SIGN}")),
        ("Symmetric", "yes" if score.symmetric else "no: the order of the two shapes matters"),
        ("Same at every scale", "yes" if score.scale_free else "no: it depends on the unit of the coordinates"),
        ("Functions", ", ".join(map(_link, homes))),
        ("Loss", f"{_link(f'omniou.losses.{score.name}')}: {score.loss_title}, in {_range(low, high)}"),
    ]
    if score.options:
        rows.append(("Options of its own", ", ".join(f"`{name}`" for name in score.defaults)))
    if score.holds:
        rows.append(("Held constant in the gradient", score.holds))
    return [*rows, ("Paper", score.paper)]


def _of_other(metric):
    def role(path):
        return "class" if isinstance(_object(path), type) else "meth" if path.count(".") > 2 else "func"

    rows = [("Range", f"{_range(*metric.bounds)}, {_better(metric)}")]
    if metric.about:
        rows.append(("Without data", metric.about))
    rows.append(("Functions", ", ".join(_link(path, role(path)) for path in metric.functions)))
    if metric.loss:
        rows.append(("Loss", _link(metric.loss)))
    paper = next(filter(None, map(_references, metric.functions)), "")
    return [*rows, *([("Paper", paper)] if paper else [])]


class Generated(SphinxDirective):
    """A directive that writes MyST."""

    def parsed(self, lines):
        node = nodes.container(classes=["metric", type(self).__name__.lower()])
        self.state.nested_parse(StringList(lines, source=self.get_source_info()[0]), self.content_offset, node)
        return [node]


class Facts(Generated):
    """The facts of a metric."""

    required_arguments = 1

    def run(self):
        from omniou import scores

        name = self.arguments[0]
        rows = _of_score(scores[name]) if name in scores else _of_other(OTHERS[name])
        escaped = [(key, text.replace("|", "\\|")) for key, text in rows]
        return self.parsed(["| | |", "|---|---|", *(f"| **{key}** | {text} |" for key, text in escaped)])


class Figure(Generated):
    """A figure of `metric_figures`; the content is its caption."""

    required_arguments = 1
    has_content = True

    def run(self):
        import metric_figures

        panels = "".join(f'<div class="panel">{svg}</div>' for svg in metric_figures.draw(self.arguments[0]))
        caption = nodes.container(classes=["figure-caption"])
        self.state.nested_parse(self.content, self.content_offset, caption)
        picture = nodes.raw("", f'<div class="panels">{panels}</div>', format="html")
        return [nodes.container("", picture, caption, classes=["drawn"])]


class Cards(Generated):
    """The pages of all metrics in their groups: figure, title, first sentence, and range of each metric."""

    def run(self):
        pages, made = page_of(), []
        for caption, titles in listed().items():
            cards = nodes.container(classes=["metric-cards"])
            for page, title in titles.items():
                names = [name for name, home in pages.items() if home == page]
                cards += self._card(page, title, names or ["iou"])  # the page of rotated IoU has no facts of its own
            made += [nodes.rubric("", caption), cards]
        return made

    def _card(self, page, title, names):
        import metric_figures

        from omniou import scores

        text = (PAGES / f"{page}.md").read_text("utf-8")
        figure = re.search(r"^```\{metric-figure\} (\w+)$", text, re.MULTILINE)[1]
        # The page's first sentence, without its links: the whole card is one.
        first = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.split(r"(?<=\.)\s", text.split("\n\n")[1])[0])
        metrics = {name: scores[name] if name in scores else OTHERS[name] for name in names}
        ranges = [
            f"{metric.label}: {_range(*metric.bounds)}\N{NO-BREAK SPACE}{_arrow(metric)}" for metric in metrics.values()
        ]
        picture = nodes.raw("", f'<div class="panel">{metric_figures.draw(figure)[0]}</div>', format="html")
        [words] = self.parsed([f"[{title}]({page}.md)", "", *first.split("\n"), "", " · ".join(ranges)])
        words["classes"] = ["card-text"]
        return nodes.container("", picture, words, classes=["drawn", "metric-card"])


def _arrow(metric):
    return "\N{UPWARDS ARROW}" if metric.higher_is_better else "\N{DOWNWARDS ARROW}"


def setup(app):
    app.add_directive("metric", Facts)
    app.add_directive("metric-figure", Figure)
    app.add_directive("metric-cards", Cards)
    app.add_css_file(STYLE.name)
    app.connect("config-inited", lambda _, config: config.html_static_path.append(str(STYLE)))
    return {"parallel_read_safe": True}
