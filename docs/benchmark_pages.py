"""Sphinx directives of docs/benchmarks.md: charts and tables of docs/benchmarks.json, which `nox -s bench` writes.

The table of a GPU is docs/gpu.json, the `results.json` of `python -m tests.cuda`, where somebody has put it there.
"""

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

DATA = Path(__file__).parent / "benchmarks.json"
GPU = Path(__file__).parent / "gpu.json"


def groups(speed):
    """Title of a chart -> its cases, {title: {name: seconds}}."""
    out = {}
    for case in speed:
        out.setdefault(case["group"], {})[case["title"]] = case["seconds"]
    return out


def human(seconds):
    """A time with three digits and its unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


class _Benchmarks(SphinxDirective):
    def measured(self):
        self.env.note_dependency(str(DATA))
        return json.loads(DATA.read_text("utf-8"))

    def parsed(self, lines):
        node = nodes.container(classes=["bench-table"])
        self.state.nested_parse(StringList(lines, source=self.get_source_info()[0]), self.content_offset, node)
        return node


class Charts(_Benchmarks):
    """A section with a chart for each group."""

    def run(self):
        from metric_figures import bars

        out = []
        for number, (group, cases) in enumerate(groups(self.measured()["speed"]).items()):
            section = nodes.section(ids=[nodes.make_id(group)], names=[nodes.fully_normalize_name(group)])
            svg = bars.chart(group, cases, f"bench-{number}")
            section += [nodes.title(group, group), nodes.raw("", f'<div class="bench">{svg}</div>', format="html")]
            out.append(section)
        return out


class Tables(_Benchmarks):
    """Times of each group, to be opened; what has no peer; and the machine."""

    def run(self):
        found = self.measured()
        packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
        where = (
            f"{found['date']}; {found['processor']}, {found['cpus']} CPUs, {found['torch_threads']} torch threads; "
            f"Python {found['python']}, {packages}."
        )
        later = {case["group"]: case["date"] for case in found["speed"] if "date" in case}
        later |= {f'table "{title}"': date for title, date in found.get("dates", {}).items()}
        where += "".join(f" {group}: {date}." for group, date in later.items())
        out = [nodes.paragraph(where, where)]
        for group, cases in groups(found["speed"]).items():
            lines = ["| what | who | time | ratio |", "|---|---|---:|---:|"]
            for title, seconds in cases.items():
                for name, time in seconds.items():
                    ratio = "" if name == "omniou" else f"{time / seconds['omniou']:.2f}"
                    lines.append(f"| {title} | {name} | {human(time)} | {ratio} |")
            summary = f"<details class='bench-table'><summary>{group}</summary>"
            out += [
                nodes.raw("", summary, format="html"),
                self.parsed(lines),
                nodes.raw("", "</details>", format="html"),
            ]
        return [*out, *map(self.parsed, found["tables"])]


def on_gpu(path):
    """Lines of the section: which card and when, and the figures; or that no GPU was measured."""
    found = json.loads(path.read_text("utf-8")) if path.exists() else {"device": "", "steps": []}
    rows = [row for step in found["steps"] for row in step["found"]]
    card = next((row["facts"]["card"] for row in rows if "card" in row.get("facts", ())), None)
    if not found["device"].startswith("cuda") or card is None:
        return ["No GPU has been measured yet."]
    passed = sum(step["status"] == "passed" for step in found["steps"])
    lines = [f"{found['date'][:10]}, {card}: {passed} of {len(found['steps'])} steps passed.", ""]
    lines += ["| what | library | who | time | ratio | share of a copy |", "|---|---|---|---:|---:|---:|"]
    for row in rows:
        for name, time in row.get("seconds", {}).items():
            ours = row["seconds"]["omniou"]
            ratio = "" if name == "omniou" else f"{time / ours:.2f}"
            share = f"{row['share']:.2f}" if name == "omniou" and "share" in row else ""
            lines.append(f"| {row['title']} | {row['library']} | {name} | {human(time)} | {ratio} | {share} |")
    return lines


class OnGpu(_Benchmarks):
    """What was measured on a GPU."""

    def run(self):
        self.env.note_dependency(str(GPU))
        return [self.parsed(on_gpu(GPU))]


def setup(app):
    app.add_directive("benchmark-charts", Charts)
    app.add_directive("benchmark-tables", Tables)
    app.add_directive("benchmark-gpu", OnGpu)
    return {"parallel_read_safe": True}
