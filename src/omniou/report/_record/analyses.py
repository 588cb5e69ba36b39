"""Declare the analyses of detections that a record may hold: one entry of `ANALYSES` each.

Each entry gets an option of the command, a place in the JSON, and tables in every output.
"""

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._inputs.kinds import MEASURES, words_of
from omniou._lib import indexing
from omniou._lib.brief import counted, threshold
from omniou._results.shown import FEW_OF_CLASS
from omniou.detection import Protocol, Result
from omniou.report._record.tables import Table
from omniou.report._record.values import plain

if TYPE_CHECKING:  # a plot needs neither a record nor msgspec
    from omniou.report._record.charts import Drawable
    from omniou.report._record.record import Record


class _Late:
    """A module of this folder whose functions import it when they are called: most evaluations need none of them."""

    def __init__(self, name: str) -> None:
        self._name = f"omniou.report._record.{name}"

    def __getattr__(self, function: str) -> Callable[..., Any]:
        def called(*values: Any, **options: Any) -> Any:
            return getattr(importlib.import_module(self._name), function)(*values, **options)

        return called


analysis_charts, series, slices, images, label_errors, points, one_point, rates = map(
    _Late, ("analysis_charts", "series", "slices", "images", "label_errors", "points", "one_point", "rates")
)


class Source(NamedTuple):
    """The inputs of an analysis.

    Attributes
    ----------
    result : Result
    names : mapping of int to str
        Names of classes; a class without a name is called by its id.
    images : mapping of int to str
        Names of images, likewise.
    sizes : mapping of int to pair of float
        Height and width of images, if known.
    slices : mapping of str to mapping of str to sequence of int
        Ids of images by slice, for each way to slice: see `omniou.data.read_slices`.
    score : float, optional
        The score from which detections count, where an analysis looks at single ones. Default: `Result.least_score`.
    """

    result: Result[Any]
    names: Mapping[int, str]
    images: Mapping[int, str]
    sizes: Mapping[int, tuple[float, float]] = MappingProxyType({})
    slices: Mapping[str, Mapping[str, Sequence[int]]] = MappingProxyType({})
    score: float | None = None

    @property
    def overlap(self) -> str:
        """What thresholds are about: "IoU", "OKS"."""
        return words_of(self.result.state.kind).overlap

    def name(self, label: int) -> str:
        """The name of a class."""
        return self.names.get(label, str(label))

    @property
    def classes(self) -> list[dict[str, Any]]:
        """Id and name of each class."""
        return [{"id": label, "name": self.name(label)} for label in indexing.to_list(self.result.state.classes)]

    def image(self, id: int) -> str:
        """The name of an image."""
        return self.images.get(id, str(id))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The declaration of an analysis: how it is computed and shown.

    Attributes
    ----------
    title : str
        With "{overlap}" where it names the overlap.
    help : str
        Help of its option in the command, after the word "Add".
    compute : callable
        `Source` and options by name -> values of JSON. ValueError if the data does not allow the analysis.
    tables : callable
        These values and the record -> list of `Table`.
    chart : callable, optional
        These values and the name of the overlap, such as "IoU" -> `omniou.report._record.charts.Drawable`, which the
        page and `plot` draw.
    default : bool
        Whether the command computes it by default.
    boxes : bool
        Whether it needs the boxes, which a state does not have.
    kind : str
        The only kind that has it by default; empty for all.
    is_own : bool
        Whether other kinds than that cannot have it.
    needs : str
        A field of the source that it needs; such an analysis is not a flag of the command.
    scored : bool
        Whether it counts detections from the score of the source on.
    unfit : tuple of str
        Kinds that cannot have it.
    ranked : bool
        Whether it looks at scores, so that detections without scores cannot have it.
    at_once : bool
        Whether detections without scores have it, and no others; it is not a flag of the command.
    asked_only : bool
        Whether pages and pictures have it only if it is asked for.
    """

    title: str
    help: str
    compute: Callable[..., Any]
    tables: "Callable[[Any, Record], list[Table]]"
    chart: "Callable[[Any, str], Drawable] | None" = None
    default: bool = False
    boxes: bool = False
    kind: str = ""
    is_own: bool = False
    needs: str = ""
    scored: bool = False
    unfit: tuple[str, ...] = ()
    ranked: bool = False
    at_once: bool = False
    asked_only: bool = False

    def heading(self, overlap: str) -> str:
        """Return the title with the name of the overlap."""
        return self.title.format(overlap=overlap)

    def fits(self, kind: str) -> bool:
        """Return whether a kind, as a state names it, can have it."""
        name = kind.partition(":")[0]
        return name not in self.unfit and (not self.is_own or name == self.kind)

    def is_for(self, protocol: Protocol) -> bool:
        """Return whether detections with scores, or without where the rules say so, can have it."""
        return not (self.ranked if protocol.missing_scores else self.at_once)


def per_class(source: Source) -> list[dict[str, Any]]:
    """Return the numbers of the summary for each class, as `Record.per_class` has them."""
    classes = indexing.to_list(source.result.state.classes)
    columns, objects = plain(source.result.per_class), plain(source.result.objects)
    return [
        {"id": label, "name": source.name(label), "objects": objects[k][0]}
        | {name: column[k] for name, column in columns.items()}
        for k, label in enumerate(classes)
    ]


def _error_tables(value: Any, record: "Record") -> list[Table]:
    cost, counts = value["cost"], value["counts"]
    from omniou.report._record.analysis_charts import ERRORS

    rows = [(words, cost[kind], counts[kind]) for kind, words in ERRORS.items()]
    rows.sort(key=lambda row: -(row[1] or 0.0))
    at = f"{record.shapes.overlap} {value['iou_threshold']:g}"
    title = f"What AP at {at} loses by each type of error (AP there: {_or_dash(value['ap'])})"
    return [Table(title, ("error", "AP lost", "count"), rows, "Each by itself, if it were fixed: they do not add up.")]


def _thresholds(source: Source) -> Any:
    points = source.result.operating_points()
    rows = zip(
        indexing.to_list(source.result.state.classes), plain(points.best_f1), plain(points.best_score), strict=True
    )
    return plain(
        {
            "iou_threshold": points.iou_threshold,
            "common_f1": points.common_f1,
            "common_score": points.common_score,
            "per_class": [
                {"id": label, "name": source.name(label), "f1": f1, "score": score} for label, f1, score in rows
            ],
        }
    )


def _threshold_tables(value: Any, record: "Record") -> list[Table]:
    title = f"Score thresholds of the best F1, at {record.shapes.overlap} {value['iou_threshold']:g}"
    rows = [("all classes", value["common_score"], value["common_f1"])]
    rows += [(x["name"], x["score"], x["f1"]) for x in value["per_class"] if x["f1"] is not None]
    return [Table(title, ("class", "score", "F1"), rows)]


_PAIRS = 10


def _confusion(source: Source, score: float | None = None) -> Any:
    table = source.result.confusion(source.score if score is None else score)
    return series.confusion(table, [source.name(label) for label in plain(table.classes)])


def _confusion_tables(value: Any, record: "Record") -> list[Table]:
    names = [*(x["name"] for x in value["classes"]), "(nothing)"]
    wrong = [cell for cell in value["cells"] if cell[0] != cell[1]]
    totals = [sum(n for i, _, n in value["cells"] if i == k) for k in range(len(names))]
    between = [(names[i], names[j], n, n / totals[i], totals[i]) for i, j, n in wrong if len(names) - 1 not in (i, j)]
    # What happened once shows no habit.
    often = [x for x in between if x[2] > 1]
    enough = [x for x in often if x[4] >= FEW_OF_CLASS] or often
    pairs = [x[:4] for x in sorted(enough, key=lambda x: (-x[3], -x[2]))[:_PAIRS]]
    few, once = len(often) - len(enough), len(between) - len(often)
    left_out = [f"{counted(few, 'pairs')} whose class has fewer than {FEW_OF_CLASS} objects"] if few else []
    left_out += [f"{counted(once, 'pairs')} seen once"] if once else []
    note = f"Not among them: {' and '.join(left_out)}." if left_out else ""
    at = f"{record.shapes.overlap} {threshold(value['iou_threshold'])}"
    has_score = value["score"] is not None
    at = f"score at least {threshold(value['score'])}, {at}" if has_score else at
    right = sum(n for i, j, n in value["cells"] if i == j)
    invented, missed = (sum(x[2] for x in wrong if x[k] == len(names) - 1) for k in (0, 1))
    confused = sum(x[2] for x in wrong) - invented - missed
    sums = [("right class", right), ("another class", confused), ("background", invented), ("missed", missed)]
    # Two ways to pair give two counts of one thing.
    every = ", at all scores" if has_score else ""
    others = (
        f"Errors counts otherwise: it pairs detections with objects of their class first{every}."
        if "errors" in record.analyses
        else ""
    )
    return [
        Table(f"Detections and objects paired regardless of class ({at})", ("outcome", "count"), sums, others),
        Table("Classes most often taken for another", ("class", "detected as", "count", "share"), pairs, note),
    ]


# Lower scores often belong to many false positives. They look calibrated and hide the error of the others.
_JUNK = 0.05


def _calibration(source: Source, bins: int = 10, score: float = 0.0) -> Any:
    """The calibration, with the error of the detections that somebody may look at unless others were asked for."""
    values = series.calibration(source.result.calibration(bins=bins, score=score))
    if score < _JUNK:
        above = source.result.calibration(bins=bins, score=_JUNK)
        values["above"] = {"score": _JUNK} | plain({"error": above.error, "by_chance": above.by_chance})
    return values


def _calibration_tables(value: Any, record: "Record") -> list[Table]:
    edges = value["edges"]
    rows = [
        (f"{low:.3g} to {high:.3g}", count, confidence, precision)
        for low, high, count, confidence, precision in zip(
            edges, edges[1:], value["counts"], value["confidence"], value["precision"], strict=False
        )
    ]
    title = f"Calibration at {record.shapes.overlap} {value['iou_threshold']:g}: mean score beside precision"
    note = f"Expected calibration error {analysis_charts.by_chance(value)}; largest {_or_dash(value['largest'])}."
    if above := value.get("above"):
        note += f" For scores of at least {threshold(above['score'])}: {analysis_charts.by_chance(above)}."
    return [Table(title, ("scores", "detections", "mean score", "precision"), rows, note)]


def _or_dash(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"


def _lrp(source: Source) -> Any:
    return plain(source.result.lrp().summary)


def _lrp_tables(value: Any, _: "Record") -> list[Table]:
    from omniou.report._record.series import LRP_PARTS

    rows = [(words, value[name]) for name, words in LRP_PARTS.items()]
    return [Table("Optimal LRP and its parts (lower is better)", ("part", "error"), rows)]


ANALYSES: Mapping[str, Analysis] = MappingProxyType(
    {
        "errors": Analysis(
            title="Errors",
            help="what AP loses by each type of error.",
            compute=lambda source: series.errors(source.result.errors()),
            tables=_error_tables,
            chart=analysis_charts.errors,
            default=True,
            boxes=True,
        ),
        "thresholds": Analysis(
            title="Score thresholds",
            help="the score threshold with the best F1, of each class and of all.",
            compute=_thresholds,
            tables=_threshold_tables,
            ranked=True,
        ),
        "confusion": Analysis(
            title="Confusion",
            help="the confusion of classes.",
            compute=_confusion,
            tables=_confusion_tables,
            chart=analysis_charts.confusion,
            boxes=True,
            scored=True,
        ),
        "calibration": Analysis(
            title="Calibration",
            help="calibration: whether scores are probabilities.",
            compute=_calibration,
            tables=_calibration_tables,
            chart=analysis_charts.calibration,
            ranked=True,
        ),
        "slices": Analysis(
            title="Slices",
            help="the numbers of groups of images.",
            compute=lambda source: slices.compute(source.result, source.slices),
            tables=slices.tables,
            default=True,
            needs="slices",
        ),
        "lrp": Analysis(
            title="LRP",
            help="LRP: localisation recall precision.",
            compute=_lrp,
            tables=_lrp_tables,
            boxes=True,
            unfit=("distance",),
        ),
        "pr": Analysis(
            title="Precision over recall",
            help="precision over recall.",
            compute=lambda source: series.precision_recall(source.result),
            tables=series.precision_recall_tables,
            chart=analysis_charts.precision_recall,
            ranked=True,
        ),
        "f1": Analysis(
            title="F1 over scores",
            help="precision, recall and F1 over the score threshold.",
            compute=lambda source: series.f1(source.result.operating_points()),
            tables=series.f1_tables,
            chart=analysis_charts.f1,
            ranked=True,
        ),
        "scores": Analysis(
            title="Scores of detections",
            help="the scores of true and false positives.",
            compute=lambda source, bins=20: series.scores(source.result, bins),
            tables=series.score_tables,
            chart=analysis_charts.scores,
            boxes=True,
            ranked=True,
        ),
        "iou": Analysis(
            title="{overlap} of true positives",
            help="the IoU, or OKS of keypoints, of true positives with their objects.",
            compute=lambda source, bins=20: series.iou(source.result, bins),
            tables=series.iou_tables,
            chart=analysis_charts.iou,
            boxes=True,
        ),
        "one_point": Analysis(
            title="All detections at once",
            help="F1, precision, recall and mean IoU of all detections at once, by class and image.",
            compute=one_point.compute,
            tables=one_point.tables,
            default=True,
            boxes=True,
            at_once=True,
        ),
        "referring": Analysis(
            title="Referring expressions",
            help="accuracy and mean IoU of phrases: classes with one object in each image, as in RefCOCO.",
            compute=one_point.compute_referring,
            tables=one_point.referring_tables,
            boxes=True,
            asked_only=True,
        ),
        "points": Analysis(
            title="Points",
            help="the error of each keypoint.",
            compute=lambda source: points.compute(source.result),
            tables=points.tables,
            chart=points.bars,
            boxes=True,
            kind="keypoints",
            is_own=True,
        ),
        "proposals": Analysis(
            title="Proposals",
            help="Average recall by number of proposals (AR@AN), and the area below.",
            compute=lambda source: series.proposals(source.result.proposals()),
            tables=series.proposal_tables,
            chart=analysis_charts.proposals,
            boxes=True,
            kind="intervals",
            ranked=True,
        ),
        "froc": Analysis(
            title="FROC",
            help="FROC: recall at 1/8 to 8 false positives for each image, and the mean.",
            compute=lambda source: rates.froc(source.result.froc(), source.classes),
            tables=rates.froc_tables,
            chart=rates.froc_chart,
            asked_only=True,
            ranked=True,
        ),
        "miss_rate": Analysis(
            title="Miss rate",
            help="the miss rate at 0.01 to 1 false positives for each image, and the log-average.",
            compute=lambda source: rates.miss_rate(source.result.miss_rate(), source.classes),
            tables=rates.miss_rate_tables,
            chart=rates.miss_rate_chart,
            asked_only=True,
            ranked=True,
        ),
        "top_k": Analysis(
            title="Best detections",
            help="precision and recall of the 1 to 100 best detections of each image.",
            compute=lambda source: rates.top_k(source.result.top_k(), source.classes),
            tables=rates.top_k_tables,
            chart=rates.top_k_chart,
            asked_only=True,
            ranked=True,
        ),
        "empty_images": Analysis(
            title="Images with and without objects",
            help="the share of images without objects in which nothing is found, and F1 over images.",
            compute=lambda source: rates.empty_images(source.result.empty_images(), source.classes),
            tables=rates.empty_image_tables,
            chart=rates.empty_images_chart,
            asked_only=True,
            ranked=True,
        ),
        "worst_images": Analysis(
            title="Worst images",
            help="the images with most errors.",
            compute=lambda source: images.worst(
                source.result, names=source.images, sizes=source.sizes, score=source.score
            ),
            tables=images.worst_tables,
            boxes=True,
            scored=True,
            unfit=MEASURES,  # which have no shapes to draw
        ),
        "label_errors": Analysis(
            title="Likely label errors",
            help="labels that may be wrong: confident detections without an object, and objects without a detection.",
            compute=lambda source: label_errors.label_errors(
                source.result, names=source.images, sizes=source.sizes, score=source.score
            ),
            tables=label_errors.label_tables,
            boxes=True,
            scored=True,
            unfit=MEASURES,
            ranked=True,
        ),
    }
)
"""All analyses by name."""


def unasked(result: Result[Any]) -> list[str]:
    """Return the analyses that pages and pictures have by default, as far as the result allows them."""
    kind, protocol = result.state.kind.partition(":")[0], result.protocol
    fitting = {name: x for name, x in ANALYSES.items() if x.fits(kind) and x.is_for(protocol) and x.kind in {"", kind}}
    return [name for name, x in fitting.items() if not x.asked_only and (result.has_boxes or not x.boxes)]
