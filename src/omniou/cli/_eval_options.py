"""The options of `omniou eval`."""

from pathlib import Path

import click

from omniou.cli import _files as files
from omniou.cli import _lab_books as lab_books
from omniou.cli import _output as output
from omniou.cli import _pages as pages
from omniou.cli import _plots as plots
from omniou.cli._engine_options import EngineOptions
from omniou.cli._gates import GateOptions
from omniou.cli._kept import StateOptions
from omniou.cli._kinds.options import KindOptions
from omniou.cli._option_groups import COMMON, flags, option, option_group
from omniou.cli._rules import RuleOptions
from omniou.report import ANALYSES
from omniou.report._text.render import OF_DETECTIONS, RENDERERS

STYLES = (*RENDERERS, *OF_DETECTIONS)


@option_group
class EvalOptions(output.OutputOptions):
    """Options of `omniou eval`, in the order of its help."""

    SECTION = "Analyses"

    style: str | None = output.style_option(STYLES)
    html: Path | None = pages.html_option()
    full: bool = option(
        "Add intervals, the weakest classes and assumptions; for detections, also area ranges and what errors cost.",
        is_flag=True,
        section=COMMON,
    )
    per_class: bool = option("Add all classes; for other kinds, all tables.", is_flag=True, section=COMMON)
    weakest: bool = option("Add the classes, sequences or images with the lowest number.", is_flag=True, section=COMMON)
    intervals: bool = option("Add bootstrap intervals of all numbers.", is_flag=True)
    samples: int = option(
        "Number of bootstrap samples of the images. Default: 200.", click.IntRange(min=10), default=200
    )
    analyses: frozenset[str] = flags(
        {name: f"Add {x.help}" for name, x in ANALYSES.items() if not (x.needs or x.at_once)}
    )
    slices: Path | None = option(
        "Add the numbers of groups of images: a CSV file with a column of the image and others such as time, camera.",
        files.PATH,
        metavar="FILE",
    )
    at_score: float | None = pages.score_option()
    reading: files.ReadOptions
    kinds: KindOptions
    rules: RuleOptions
    pictures: plots.PlotOptions
    books: lab_books.LabBookOptions
    gates: GateOptions
    states: StateOptions
    engine: EngineOptions

    @property
    def draws(self) -> bool:
        """Whether any output has pictures."""
        return self.html is not None or self.pictures.plots is not None or self.books.draws
