"""Draw one image with its objects and detections, by matplotlib."""

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from omniou._inputs import dicts, kinds
from omniou._inputs.ground_truth import as_read
from omniou._lib import backends, checks, extras
from omniou.data import GroundTruth
from omniou.detection import Detections, Matches, Targets
from omniou.keypoints import Skeleton
from omniou.report._charts import fonts
from omniou.report._images import tags
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
    named: bool  # whether its class is written; that of a found object is written at its detection


# The colours of the page, in which white letters have a contrast of 4.9 or more. Outcomes that come first get the best
# places for their names.
STYLES = {
    "missed": OutcomeStyle("object that was missed", "#a8437c", "--", named=True),
    "false": OutcomeStyle("false positive", "#c04c00", "-.", named=True),
    "hit": OutcomeStyle("true positive", "#0072b2", "-", named=True),
    "found": OutcomeStyle("object that was found", "#00805c", "-", named=False),
    "ignored": OutcomeStyle("object that does not count", "#565d66", ":", named=True),
    "neither": OutcomeStyle("detection that does not count", "#565d66", ":", named=True),
}
# Points: size of letters, and the rim around them.
_LETTER, _RIM = 7.0, 1.0
# Letters of a name at most.
_LONGEST = 29
# Inches: width of a new figure, the greatest height, width of a legend, and the rim around both.
_WIDTH, _TALLEST, _LEGEND, _PAD = 8.0, 16.0, 3.0, 0.05


@fonts.told()
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
    """Draw the objects and detections of one image, and the outcome of each.

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
    kind, format, names = read_with(targets, detections, kind, format, names)
    if isinstance(targets, GroundTruth):
        targets = targets.targets
    settled = kinds.settled(kind, format, offset, None)
    tables: tuple[Any, Any] = targets, detections
    if dicts.are_dicts(targets, detections):
        tables = dicts.flatten(targets, detections, 0, settled)[:2]
    objects, detected = _outcomes(matches, number)
    given, ax = ax is not None, _new_axes() if ax is None else ax
    _show(ax, image)
    tagged: list[tuple[str, str, Sequence[float]]] = []
    for name, table, outcomes in zip(("targets", "detections"), tables, (objects, detected), strict=True):
        shapes, rows = _shapes(name, table, outcomes, image_id, settled)
        labels = array(table.labels).astype(np.int64).tolist()
        scores = None if isinstance(table, Targets) else array(table.scores)
        here = {label: (names or {}).get(label, str(label)) for label in {labels[row] for row in rows}}
        called = dict(zip(here, fonts.words(list(here.values())), strict=True))
        for row, shape in zip(rows, shapes, strict=True):
            if scores is not None and scores[row] < score:
                continue
            text = called[labels[row]]
            box = _outline(ax, shape, STYLES[outcomes[row]], settled.skeleton, halo=image is not None)
            if box is not None and STYLES[outcomes[row]].named:
                tagged.append((outcomes[row], text if scores is None else f"{text} {scores[row]:.2f}", box))
    _finish(ax, framed=image is not None)
    if not given:
        _fit(ax)
    _name(ax, tagged)
    return ax


def read_with(
    targets: Any, detections: Any, kind: Any, format: str | None, names: Mapping[int, str] | None
) -> tuple[Any, str | None, Mapping[int, str] | None]:
    """Return kind, format and names of classes: as they are given, else those of a ground truth that was read."""
    kind, format = as_read("kind", kind, targets, detections) or "bbox", as_read("format", format, targets, detections)
    if isinstance(targets, GroundTruth):
        format, names = format or targets.format, targets.categories if names is None else names
        kind = targets.geometry if kind == "bbox" else targets.skeleton or kind
    return kind, format, names


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
    """Set the size of the figure to what picture and legend need."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    figure = ax.get_figure(root=True)
    if figure is None or right == left or top == bottom:
        return
    ratio = abs((top - bottom) / (right - left))
    width = min(_WIDTH, _TALLEST / ratio)
    # A legend is wider than a narrow picture.
    figure.set_size_inches(max(width, _LEGEND), width * ratio + 1.0)
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    figure.set_size_inches(max(width, drawn.width + 2 * _PAD), drawn.height + 2 * _PAD)


def _name(ax: "Axes", tagged: Sequence[tuple[str, str, Sequence[float]]]) -> None:
    """Write names at their boxes, inside the axes and without covering each other; a name without a place is dropped.

    `tagged` has outcome, name and box (minimum x and y, maximum x and y) of each shape.
    """
    figure = ax.get_figure(root=True)
    if not tagged or figure is None:
        return
    figure.draw_without_rendering()  # the layout settles, and with it the place of the axes
    rim, (x, y, width, height) = _RIM * figure.dpi / 72, ax.get_window_extent().bounds
    # Pixels from the lower left corner of the figure; y is negative, so that it points downwards.
    frame, taken = (x, -y - height, width, height), [_covered(text, 0.0) for text in ax.texts]
    order = list(STYLES)
    family = fonts.families(name for _, name, _ in tagged)
    for outcome, name, box in sorted(tagged, key=lambda tag: order.index(tag[0])):
        corners = ax.transData.transform([box[:2], box[2:]]) * (1, -1)
        # matplotlib reads text between two dollars as mathematics.
        text = ax.annotate(
            tags.cut(name, _LONGEST).replace("$", r"\$"),
            (0, 0),
            (0, 0),
            textcoords="offset points",
            annotation_clip=False,
            color="white",
            fontsize=_LETTER,
            fontfamily=family,
            bbox={"facecolor": STYLES[outcome].colour, "edgecolor": "none", "pad": _RIM},
        )
        rect = _covered(text, rim)
        size = rect.right - rect.left, rect.bottom - rect.top
        found = tags.place([*corners.min(axis=0), *corners.max(axis=0)], size, frame, taken)
        if found is None:
            text.remove()
            continue
        x, y = ax.transData.inverted().transform((found.x, -found.y))
        text.xy = float(x), float(y)
        text.set_position((-_RIM if found.at_end else _RIM, -_RIM if found.is_low else _RIM))
        text.set(ha="right" if found.at_end else "left", va="top" if found.is_low else "bottom")


def _covered(text: Any, rim: float) -> tags.Rect:
    """Return the rectangle that a text and its rim cover, in pixels; y points downwards."""
    box = text.get_window_extent()
    return tags.Rect(box.x0 - rim, -box.y1 - rim, box.x1 + rim, -box.y0 + rim)


def _show(ax: "Axes", image: Any) -> None:
    if image is None:
        return
    if isinstance(image, str | os.PathLike):
        from matplotlib import pyplot as plt

        image = plt.imread(os.fspath(image))
    ax.imshow(pixels := array(image), cmap="gray", extent=(0, pixels.shape[1], pixels.shape[0], 0))
    ax.set_autoscale_on(False)  # a box that reaches beyond the image would leave a white strip there


def _outline(
    ax: "Axes", shape: Numbers, style: OutcomeStyle, skeleton: Skeleton | None, *, halo: bool
) -> Sequence[float] | None:
    """Draw an outline, or keypoints; return its box (minimum x and y, maximum x and y), None if there is nothing."""
    from matplotlib import patheffects

    # A light rim makes a line visible on any photograph.
    rim = {"path_effects": [patheffects.withStroke(linewidth=3.5, foreground="white", alpha=0.7)]} if halo else {}
    line: dict[str, Any] = {"color": style.colour, "linestyle": style.line, "linewidth": 1.5, **rim}
    if skeleton is not None:
        known = np.where(shape[:, 2:] > 0, shape[:, :2], np.nan)
        if np.isnan(known).all():
            return None
        for edge in skeleton.edges:
            ax.plot(*known[list(edge)].T, **line)
        ax.plot(*known.T, color=style.colour, linestyle="", marker="o", markersize=3)
        box = [*np.nanmin(known, axis=0), *np.nanmax(known, axis=0)]
    elif shape.dtype == bool:
        height, width = shape.shape
        across, along = np.arange(-1, width + 1) + 0.5, np.arange(-1, height + 1) + 0.5
        if not shape.any():
            return None
        padded = np.pad(shape, 1).astype(float)  # a mask at the edge of the image has an outline there, too
        if style is not STYLES["found"]:  # its detection is filled
            ax.contourf(across, along, padded, levels=[0.5, 1.5], colors=style.colour, alpha=0.3)
        ax.contour(across, along, padded, levels=[0.5], colors=style.colour, linestyles=style.line, linewidths=1.5)
        y, x = (np.flatnonzero(shape.any(axis=axis)) for axis in (1, 0))
        box = [x[0], y[0], x[-1] + 1, y[-1] + 1]
    else:
        closed = np.concatenate([shape, shape[:1]])
        ax.plot(closed[:, 0], closed[:, 1], **line)
        box = [*closed.min(axis=0), *closed.max(axis=0)]
    # An empty line for the legend, once for each style.
    if style.label not in {x.get_label() for x in ax.lines}:
        ax.plot([], [], color=style.colour, linestyle=style.line, label=style.label)
    return box


def _finish(ax: "Axes", *, framed: bool) -> None:
    """Set equal scales, y downwards, and the legend."""
    ax.set_aspect("equal", adjustable="box")
    if not framed:
        if not ax.yaxis_inverted():
            ax.invert_yaxis()
        ax.margins(0.05)
    ax.set(xticks=[], yticks=[])
    if ax.get_legend_handles_labels()[0]:
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        columns = 1 if abs(top - bottom) > 3 * abs(right - left) else 3
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=columns, frameon=False, fontsize=8)
