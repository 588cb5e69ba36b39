"""A score of random pairs of boxes against their IoU, by matplotlib."""

from typing import TYPE_CHECKING

import numpy as np

from omniou._lib import checks, extras
from omniou.report._charts.mpl import BLUE, GREY, ORANGE, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["against_iou"]


def against_iou(score: str = "giou", /, *, pairs: int = 5000, seed: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draw a score of random pairs of boxes against their IoU, as the paper of GIoU does.

    Parameters
    ----------
    score : str
        A score of `omniou.scores` that boxes have.
    pairs : int
        How many pairs. Sides of the first box are 0.2 to 1; the second box is the first one, shifted by at most 3 in
        each direction and scaled, at random.
    seed : int
        Seed of the random numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        If boxes do not have the score, or an option is out of its bounds.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019, figure 3.

    Examples
    --------
    >>> from omniou import report
    >>> report.against_iou("diou", pairs=100).get_ylabel()
    'DIoU'
    """
    from omniou import boxes, scores

    drawn = {name: x for name, x in scores.items() if not x.of_image}
    score = checks.choice("score", score, drawn)
    pairs = checks.count("pairs", pairs)
    seed = checks.integer("seed", seed)
    if seed < 0:
        raise ValueError(f"`seed` must be at least 0, got {seed}")
    extras.check("matplotlib", "a plot")
    random = np.random.default_rng(seed)
    # From nearly equal to far apart, so that points lie at every IoU.
    size, level = random.uniform(0.2, 1.0, (pairs, 2)), random.choice([0.03, 0.1, 0.3, 1.0, 3.0], (pairs, 1))
    shift, scale = random.uniform(-1, 1, (pairs, 2)) * level, np.exp(random.normal(0.0, 0.5, (pairs, 2)) * level)
    a = np.concatenate([-size / 2, size / 2], axis=1)
    b = np.concatenate([shift - size * scale / 2, shift + size * scale / 2], axis=1)
    iou, other = np.asarray(boxes.iou(a, b)), np.asarray(getattr(boxes, score)(a, b))
    ax = new_axes() if ax is None else ax
    apart = iou == 0
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", label=f"{drawn[score].label} = IoU")
    ax.scatter(iou[~apart], other[~apart], s=4, color=BLUE, alpha=0.4, linewidths=0, label="boxes that overlap")
    ax.scatter(iou[apart], other[apart], s=4, color=ORANGE, alpha=0.4, linewidths=0, label="boxes that do not")
    ax.set(title=f"{drawn[score].label} and IoU of {pairs} random pairs", xlabel="IoU", ylabel=drawn[score].label)
    ax.legend(loc="lower right", markerscale=3)
    return ax
