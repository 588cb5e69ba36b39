"""The page of an evaluation of any kind: one file that needs no network."""

import json
from pathlib import Path

from omniou._lib.visible import all_visible
from omniou.report._charts.svg import figure
from omniou.report._pages import assets
from omniou.report._record.scores import Scores
from omniou.report._record.sections import gates, input_facts
from omniou.report._text.render import tables_of


def scores_html(scores: Scores, /) -> str:
    """A page with numbers, charts and all tables; it holds its numbers as JSON."""
    scores = all_visible(scores)
    style = assets.asset("report.css")
    names = [Path(x.path).name for x in scores.inputs if x.role != "ground truth"]
    checks = [(f"SHA-256 of {x.path}", x.sha256) for x in scores.inputs]
    options = [(f"option: {name}", json.dumps(value)) for name, value in scores.options.items()]
    # The first table is the tiles, and gates stand below these.
    numbers, *others = tables_of(scores, every=True)
    shown = [table for table in others if table.title != gates(()).title]
    return (
        assets.page_environment()
        .get_template("scores.html.j2")
        .render(
            title=f"Report on {names[0]}" if names else f"Report: {scores.kind}",
            scores=scores,
            numbers=numbers.rows,
            gates=gates(scores.gates),
            figures=[figure(name, chart) for name, chart in scores.charts.items()],
            tables=shown,
            facts=[*input_facts(scores.inputs), *checks, *options],
            data=assets.embedded(scores.to_json(None)),
            style=assets.markup(style),
            style_hash=assets.digest(style),
        )
    )
