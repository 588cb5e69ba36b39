"""Draws the figures of the pages, a report and the explorer: `python docs/figures.py`; Sphinx calls it."""

import runpy
from pathlib import Path

HERE = Path(__file__).parent
FIGURES, PAGES = HERE / "_figures", HERE / "_figures" / "pages"
EXAMPLE = HERE / "examples" / "coco-val2014-100"


def evaluated(truth, found, least):
    """Evaluate the detections from a score on."""
    from omniou import detection

    kept = found.scores >= least
    columns = (found.boxes, found.scores, found.labels, found.images)
    return detection.evaluate(truth, detection.Detections(*(x[kept] for x in columns)))


def batch():
    """Draw discs on a slope of grey, and detections that are near them."""
    import numpy as np

    from omniou import report

    random, (y, x) = np.random.default_rng(1), np.mgrid[:120, :160]
    images, targets, found = [], [], []
    for _ in range(4):
        centres, radii = random.uniform(25, [135, 95], (3, 2)), random.uniform(10, 22, 3)
        image = np.repeat(x[..., None] / 320 + 0.1, 3, axis=2)
        for (cx, cy), r in zip(centres, radii, strict=True):
            image[(x - cx) ** 2 + (y - cy) ** 2 < r**2] = random.uniform(0.4, 0.9, 3)
        boxes = np.concatenate([centres - radii[:, None], centres + radii[:, None]], axis=1)
        targets.append({"boxes": boxes, "labels": (radii > 16).astype(int)})
        near = boxes + random.normal(0, 1.5, boxes.shape)
        found.append({"boxes": near, "labels": targets[-1]["labels"], "scores": random.uniform(0.1, 1, 3)})
        images.append(image)
    return report.mosaic(images, targets, found, names={0: "small", 1: "large"}, side=160)


def make():
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    from omniou import data, detection, report
    from omniou.report import explorer

    mpl.use("agg")
    PAGES.mkdir(parents=True, exist_ok=True)
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json")
    found = data.read_detections(EXAMPLE / "detections.json", truth)
    result = detection.evaluate(truth, found)

    def save(name, ax):
        ax.figure.savefig(FIGURES / f"{name}.png", dpi=72)
        plt.close(ax.figure)

    for kind in ("pr", "f1", "errors"):
        save(kind, result.plot(kind))
    save("confusion", result.plot("confusion", score=0.5))
    _, axes = plt.subplots(1, 3, figsize=(15, 4), layout="constrained")
    for kind, ax in zip(("scores", "iou", "calibration"), axes, strict=True):
        result.plot(kind, ax=ax)
    save("histograms", axes[0])
    save("draw", report.draw(None, truth, found, result.matches, image_id=139, score=0.3))
    save("giou", report.against_iou("giou"))
    shares = {"baseline": 0.7, "ours": 0.4, "oracle": 0.0}
    save("pr-models", report.plot({name: evaluated(truth, found, least) for name, least in shares.items()}, "pr"))
    batch().save(FIGURES / "mosaic.png")
    tracker = runpy.run_path(str(HERE / "examples" / "simple_tracker" / "track.py"))
    save("timeline", tracker["evaluated"](tracker["IouTracker"](patience=1)).plot("timeline"))
    record = report.record(
        result,
        sizes=dict(zip(truth.images.tolist(), truth.sizes.tolist(), strict=True)),
        analyses=report.ANALYSES,
        intervals=list(result.summary),
    )
    (PAGES / "omniou-report.html").write_text(report.html(record), "utf-8")
    (PAGES / "omniou-explorer.html").write_text(explorer.html(), "utf-8")


if __name__ == "__main__":
    make()
