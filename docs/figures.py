"""Draws the figures of the pages, a report and the explorer: `python docs/figures.py`; Sphinx calls it."""

import runpy
from pathlib import Path

HERE = Path(__file__).parent
FIGURES, PAGES = HERE / "_figures", HERE / "_figures" / "pages"
EXAMPLE = HERE / "examples" / "coco-val2014-100"


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
