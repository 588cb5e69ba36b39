"""Sphinx directives of docs/conventions.md: the table `omniou.conventions`, and numbers computed at each build."""

import importlib
import math

import numpy as np
from docutils import nodes
from metric_pages import Generated

HELD = {
    "run": "The tests run it and compare.",
    "source": "Its source was read; the tests compare with its formula.",
}


def public(path):
    """A function of omniou by its name with its module."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"omniou.{module}"), name)


def shown(value):
    """A number, indices or scores, as short as they are unambiguous."""
    if isinstance(value, list):
        return str(value)
    return "NaN" if math.isnan(value) else f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


def written(options):
    """Options as a caller writes them."""
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def call(example):
    """The call of an example, as Python."""
    arguments = ", ".join(_plain(x) for x in example.arguments)
    options = f", {written(example.shared)}" if example.shared else ""
    return f"{example.function}({arguments}{options})"


def _plain(x):
    if isinstance(x, tuple):
        return f"[{', '.join(map(_plain, x))}]"
    return f"{x:g}" if isinstance(x, float) else repr(x)


def differences(convention):
    """Examples -> call, omniou's value, the library's, why. The latter is computed where options reproduce it."""
    rows = []
    for example in convention.examples:
        function, peer = public(example.function), example.value
        own = np.asarray(function(*example.arguments, **example.shared)).tolist()
        if example.reproduced:
            options = {**example.shared, **convention.of(example.function)}
            peer = np.asarray(function(*example.arguments, **options)).tolist()
        rows.append((call(example), shown(own), shown(peer), example.why, example.reproduced))
    return rows


class Differences(Generated):
    """The smallest inputs on which each library differs."""

    def run(self):
        from omniou import conventions

        lines = ["| convention | input | omniou | there | why | by option |", "|---|---|---:|---:|---|---|"]
        for name, each in conventions.items():
            for text, own, peer, why, reproduced in differences(each):
                option = "yes" if reproduced else "no"
                lines.append(f"| `{name}` | `{text}` | {own} | {peer} | {why} | {option} |")
        return self.parsed(lines)


class Each(Generated):
    """A section of each library: options, defaults, and what no option does."""

    def run(self):
        from omniou import conventions

        out = []
        for name, each in conventions.items():
            section = nodes.section(ids=[f"convention-{name.replace('_', '-')}"], names=[name])
            section += nodes.title(each.label, each.label)
            lines = [f'`conventions["{name}"]`: {each.label} {each.version}. {HELD[each.held]}', ""]
            lines += ["| function | options |", "|---|---|"]
            for function, options in each.options.items():
                lines.append(f"| `{function}` | `{written(options)}` |")
            for function, options in each.defaults.items():
                lines.append(f"| `{function}`, where nothing is said | `{written(options)}` |")
            lines += ["", *(f"- **{subject[0].upper()}{subject[1:]}**: {text}" for subject, text in each.rules.items())]
            section += self.parsed(lines)
            out.append(section)
        return out


def setup(app):
    app.add_directive("convention-differences", Differences)
    app.add_directive("conventions", Each)
    return {"parallel_read_safe": True}
