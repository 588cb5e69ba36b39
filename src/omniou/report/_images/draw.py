"""Draw one image with its objects and detections, by matplotlib."""

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from omniou._inputs import dicts, kinds
from omniou._inputs.ground_truth import as_read
from omniou._lib import backends, checks, extras
from omniou.data import GroundTruth
from omniou.detection import Detections, Matches, Targets
from omniou.keypoints import Skeleton
from omniou.report._record.series import Numbers
from omniou.report._record.values import array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]


class OutcomeStyle(NamedTuple):
    """The style of an outcome: label, colour and line."""

    label: str
    colour: str
    line: str
    name: Literal["above", "below"] | None  # where the class is written; None for found objects: their detection has it


# Okabe and Ito's colours, as in `_charts/mpl.py`.
STYLES = {
    "found": OutcomeStyle("object that was found", "#009e73", "-", None),
    "missed": OutcomeStyle("object that was missed", "#cc79a7", "--", "below"),
    "ignored": OutcomeStyle("object that does not count", "#999999", ":", "below"),
    "hit": OutcomeStyle("true positive", "#0072b2", "-", "above"),
    "false": OutcomeStyle("false positive", "#d55e00", "-.", "above"),
    "neither": OutcomeStyle("detection that does not count", "#999999", ":", "above"),
}


def draw(
    image: Any,
    targets: GroundTruth | Targets[Any] | Sequence[Mapping[str, Any]],
    detections: Detections[Any] | Sequence[Mapping[str, Any]],
    matches: Matches[Any],
    /,
    *,
    image_id: int | None = None,
    kind: Any = None,
    format: str | None = None,
    offset: float = 0.0,
    iou_threshold: float | None = None,
    score: float = 0.0,
    names: Mapping[int, str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the objects and detections of one image, and what became of each.

    Parameters
    ----------
    image : array, path or None
        Pixels (height, width) or (height, width, 3 or 4), or a file of them; None draws an empty frame.
    targets, detections : Targets and Detections, or sequences of dict
        The ones that were evaluated, of all images. A ground truth that was read from files has its format, kind and
        names of classes.
    matches : Matches
        `Result.matches` of the evaluation.
    image_id : int, optional
        Id of the image to draw, as in the tables. If dictionaries were given, its place in the sequences. Default: all
        rows.
    kind, format, offset
        The same values as for `evaluate`.
    iou_threshold : float, optional
        A threshold of the matches. Default: the first.
    score : float
        Detections that score less are not drawn.
    names : mapping of int to str, optional
        Names of the classes by label. Default: the labels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib is not installed, or Pillow for a file that needs it.
    TypeError, ValueError
        If the matches belong to other tables, they lack the threshold, or shapes are not in two dimensions.

    Examples
    --------
    >>> from omniou import detection, report
    >>> targets = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    >>> detections = [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.8]}]
    >>> matches = detection.evaluate(targets, detections).matches
    >>> ax = report.draw(None, targets, detections, matches, names={1: "cat"})
    >>> [text.get_text() for text in ax.texts]
    ['cat 0.80']
    """
    extras.check("matplotlib", "a picture")
    checks.instance("matches", matches, Matches, "Matches, such as `Result.matches`")
    score = checks.number("score", score)
    checks.mappings(names=names)
    if image_id is not None:
        checks.instance("image_id", image_id, Integral, "an integer")
    number = _place(matches, iou_threshold)
    kind, format = as_read("kind", kind, targets, detections) or "bbox", as_read("format", format, targets, detections)
    if isinstance(targets, GroundTruth):
        format, names = format or targets.format, targets.categories if names is None else names
        kind = targets.geometry if kind == "bbox" else targets.skeleton or kind
        targets = targets.targets
    settled = kinds.settled(kind, format, offset, None)
    tables: tuple[Any, Any] = targets, detections
    if dicts.are_dicts(targets, detections):
        tables = dicts.flatten(targets, detections, 0, settled)[:2]
    objects, detected = _outcomes(matches, number)
    given, ax = ax is not None, _new_axes() if ax is None else ax
    _show(ax, image)
    for name, table, outcomes in zip(("targets", "detections"), tables, (objects, detected), strict=True):
        shapes, rows = _shapes(name, table, outcomes, image_id, settled)
        labels = array(table.labels).astype(np.int64).tolist()
        scores = None if isinstance(table, Targets) else array(table.scores)
        for row, shape in zip(rows, shapes, strict=True):
            if scores is not None and scores[row] < score:
                continue
            text = (names or {}).get(labels[row], str(labels[row]))
            named = text if scores is None else f"{text} {scores[row]:.2f}"
            _outline(ax, shape, STYLES[outcomes[row]], named, settled.skeleton)
    _finish(ax, framed=image is not None)
    if not given:
        _fit(ax)
    return ax


def _place(matches: Matches[Any], threshold: float | None) -> int:
    if threshold is None:
        return 0
    if threshold not in matches.thresholds:
        raise ValueError(f"`iou_threshold` must be one of {matches.thresholds}, got {threshold!r}")
    return matches.thresholds.index(threshold)


def _outcomes(matches: Matches[Any], number: int) -> tuple[list[str], list[str]]:
    """Return the outcome of each object and of each detection, a key of `STYLES`."""
    counts, missed = array(matches.target_counts), array(matches.misses)[number]
    objects = np.where(counts, np.where(missed, "missed", "found"), "ignored")
    hits, false = array(matches.hits)[number], array(matches.false_alarms)[number]
    return objects.tolist(), np.where(hits, "hit", np.where(false, "false", "neither")).tolist()


def _shapes(name: str, table: Any, outcomes: Sequence[str], image_id: int | None, kind: Any) -> tuple[Any, list[int]]:
    """Return the shapes of an image, and their rows."""
    images = array(table.images)
    if images.shape[0] != len(outcomes):
        raise ValueError(f"`matches` must be of these tables, got {len(outcomes)} rows for {images.shape[0]} {name}")
    rows = np.flatnonzero(np.ones(images.shape, dtype=bool) if image_id is None else images == image_id)
    return shapes_of(name, getattr(table, kind.column), rows, kind), rows.tolist()


def shapes_of(name: str, column: Any, rows: Numbers, kind: Any) -> list[Numbers]:
    """Return vertices (V, 2), keypoints (K, 3) or masks (height, width) of rows of a column."""
    if not rows.size:
        return []
    if kind.column == "masks":
        return list(column.take(rows).to_dense())
    xp = backends.numpy_namespace()
    given = array(column)[rows]
    if kind.skeleton is not None:
        points = kind.flat(f"{name}.{kind.column}", given.astype(np.float64), xp=xp)
        return list(points.reshape(len(points), -1, 3))
    shapes = kind.read(name, given.reshape(given.shape[0], -1).astype(np.float64), xp=xp)
    if shapes.bounds(xp.arange(1)).low.shape[0] != 2:
        raise ValueError(
            f"`{name}` must be shapes in two dimensions to be drawn, got rows of {given.shape[-1]} numbers"
        )
    return list(shapes.outlines(xp.arange(rows.size)))


def _new_axes() -> "Axes":
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(8, 6), layout="constrained")[1]


def _fit(ax: "Axes") -> None:
    """Set the height of the figure to what picture and legend need."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    width, figure = 8.0, ax.get_figure(root=True)
    if figure is not None and right != left:
        height = width * abs((top - bottom) / (right - left))
        figure.set_size_inches(width, min(max(height, 2.0), 2 * width) + 0.7)


def _show(ax: "Axes", image: Any) -> None:
    if image is None:
        return
    if isinstance(image, str | os.PathLike):
        from matplotlib import pyplot as plt

        image = plt.imread(os.fspath(image))
    ax.imshow(pixels := array(image), cmap="gray", extent=(0, pixels.shape[1], pixels.shape[0], 0))


def _outline(ax: "Axes", shape: Numbers, style: OutcomeStyle, text: str, skeleton: Skeleton | None) -> None:
    """Draw an outline, or keypoints, with a name at its upper left or lower left corner."""
    if skeleton is not None:
        known = np.where(shape[:, 2:] > 0, shape[:, :2], np.nan)
        if np.isnan(known).all():
            return
        for edge in skeleton.edges:
            ax.plot(*known[list(edge)].T, color=style.colour, linestyle=style.line, linewidth=1.5)
        ax.plot(*known.T, color=style.colour, linestyle="", marker="o", markersize=3)
        (left, top), (_, bottom) = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    elif shape.dtype == bool:
        height, width = shape.shape
        across, along = np.arange(-1, width + 1) + 0.5, np.arange(-1, height + 1) + 0.5
        if not shape.any():
            return
        padded = np.pad(shape, 1).astype(float)  # a mask at the edge of the image has an outline there, too
        if style is not STYLES["found"]:  # its detection is filled
            ax.contourf(across, along, padded, levels=[0.5, 1.5], colors=style.colour, alpha=0.3)
        ax.contour(across, along, padded, levels=[0.5], colors=style.colour, linestyles=style.line, linewidths=1.5)
        y, x = (np.flatnonzero(shape.any(axis=axis)) for axis in (1, 0))
        left, top, bottom = x[0], y[0], y[-1] + 1
    else:
        closed = np.concatenate([shape, shape[:1]])
        ax.plot(closed[:, 0], closed[:, 1], color=style.colour, linestyle=style.line, linewidth=1.5)
        left, top, bottom = closed[:, 0].min(), closed[:, 1].min(), closed[:, 1].max()
    if style.name:
        y, side = (bottom, "top") if style.name == "below" else (top, "bottom")
        frame = {"facecolor": style.colour, "edgecolor": "none", "pad": 1}
        # matplotlib reads text between two dollars as mathematics.
        ax.text(left, y, text.replace("$", r"\$"), color="white", fontsize=7, va=side, bbox=frame, clip_on=True)
    # An empty line for the legend, once for each style.
    if style.label not in {line.get_label() for line in ax.lines}:
        ax.plot([], [], color=style.colour, linestyle=style.line, label=style.label)


def _finish(ax: "Axes", *, framed: bool) -> None:
    """Set equal scales, y downwards, and the legend."""
    ax.set_aspect("equal", adjustable="box")
    if not framed:
        if not ax.yaxis_inverted():
            ax.invert_yaxis()
        ax.margins(0.05)
    ax.set(xticks=[], yticks=[])
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=3, frameon=False, fontsize=8)
