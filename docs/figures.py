"""Draws the figures of the pages, a report and the explorer: `python docs/figures.py`; Sphinx calls it."""

from pathlib import Path

HERE = Path(__file__).parent
FIGURES, PAGES = HERE / "_figures", HERE / "_figures" / "pages"


def make():
    import cheat_sheet
    import gallery_pages
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    from omniou import report
    from omniou.report import explorer

    mpl.use("agg")
    PAGES.mkdir(parents=True, exist_ok=True)

    def save(name, made):
        path = FIGURES / f"{name}.png"
        if hasattr(made, "figure"):  # axes
            made.figure.savefig(path, dpi=72)
            plt.close(made.figure)
        else:
            made.save(path)

    names = gallery_pages.draw(save)
    truth, result = names["truth"], names["result"]
    _, axes = plt.subplots(1, 3, figsize=(15, 4), layout="constrained")
    for kind, ax in zip(("scores", "iou", "calibration"), axes, strict=True):
        result.plot(kind, ax=ax)
    save("histograms", axes[0])
    _, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    for kind, ax in zip(("froc", "miss_rate"), axes, strict=True):
        result.plot(kind, ax=ax)
    save("rates", axes[0])
    record = report.record(
        result,
        sizes=dict(zip(truth.images.tolist(), truth.sizes.tolist(), strict=True)),
        analyses=[name for name, x in report.ANALYSES.items() if not x.asked_only],
        intervals=list(result.summary),
    )
    (PAGES / "omniou-report.html").write_text(report.html(record), "utf-8")
    contrast = report.compare({"A": result, "B": names["other"]}, samples=100)
    (PAGES / "omniou-comparison.html").write_text(report.html(contrast), "utf-8")
    cheat_sheet.pdf(PAGES / "omniou-cheat-sheet.pdf")
    (PAGES / "omniou-explorer.html").write_text(explorer.html(), "utf-8")


if __name__ == "__main__":
    make()
