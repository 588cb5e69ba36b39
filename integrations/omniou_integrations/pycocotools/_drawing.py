"""Draw annotations of COCO into matplotlib's current axes, as `showAnns` of pycocotools does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from omniou._lib import extras


def show(coco: Any, anns: Sequence[Mapping[str, Any]], *, with_boxes: bool) -> int | None:
    """Draw outlines, masks and points, each annotation in its colour; print captions."""
    if not len(anns):
        return 0
    if "segmentation" not in anns[0] and "keypoints" not in anns[0]:
        if "caption" not in anns[0]:
            raise Exception(  # noqa: TRY002  (what callers catch)
                "datasetType not supported: `anns[0]` must have `segmentation`, `keypoints` or `caption`"
            )
        for ann in anns:
            print(ann["caption"])  # noqa: T201
        return None
    extras.check("matplotlib", "`showAnns`")
    import matplotlib.pyplot as plt
    from matplotlib import patches
    from matplotlib.collections import PatchCollection

    axes = plt.gca()
    axes.set_autoscale_on(False)
    drawn: list[tuple[Any, Any]] = []
    for ann in anns:
        colour = np.random.default_rng().uniform(0.4, 1.0, 3).tolist()
        if isinstance(outlines := ann.get("segmentation"), list):
            drawn += [(patches.Polygon(np.reshape(x, (-1, 2))), colour) for x in outlines]
        elif outlines is not None:
            _mask(axes, coco.annToMask(ann), [0.008, 0.651, 0.396] if ann.get("iscrowd") else colour)
        if isinstance(ann.get("keypoints"), list):
            _points(axes, ann["keypoints"], coco.loadCats(ann["category_id"])[0]["skeleton"], colour)
        if with_boxes:
            x, y, width, height = ann["bbox"]
            drawn.append((patches.Rectangle((x, y), width, height), colour))
    shapes, colours = [x for x, _ in drawn], [x for _, x in drawn]
    axes.add_collection(PatchCollection(shapes, facecolor=colours, linewidths=0, alpha=0.4))
    axes.add_collection(PatchCollection(shapes, facecolor="none", edgecolors=colours, linewidths=2))
    return None


def _mask(axes: Any, pixels: Any, colour: Any) -> None:
    axes.imshow(np.dstack([np.broadcast_to(colour, (*pixels.shape, 3)), pixels / 2]))


def _points(axes: Any, keypoints: Any, skeleton: Any, colour: Any) -> None:
    x, y, v = np.reshape(keypoints, (-1, 3)).T
    for pair in np.asarray(skeleton) - 1:
        if (v[pair] > 0).all():
            axes.plot(x[pair], y[pair], linewidth=3, color=colour)
    for least, edge in ((0, "k"), (1, colour)):
        style = {"markersize": 8, "markerfacecolor": colour, "markeredgecolor": edge, "markeredgewidth": 2}
        axes.plot(x[v > least], y[v > least], "o", **style)
