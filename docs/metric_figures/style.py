"""How figures look: panels of one size, in colours that the page's style sheet sets for its light and dark scheme."""

import dataclasses
import html
import io
import re

import matplotlib as mpl
from matplotlib import pyplot as plt

# Names of the style sheet's variables. Matplotlib draws in a stand-in of each, which the SVG replaces.
NAMES = ("ink", "muted", "grid", "blue", "orange", "green", "purple", "ground")
STAND_INS = {name: f"#0101{0x10 + k:02x}" for k, name in enumerate(NAMES)}
INK, MUTED, GRID, BLUE, ORANGE, GREEN, PURPLE, GROUND = STAND_INS.values()

RC = {
    "svg.fonttype": "none",  # text stays text, in the font of the page
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.8,
    "legend.facecolor": GROUND,
    "legend.edgecolor": "none",
    "legend.framealpha": 0.75,
    "legend.fontsize": 9,
    "hatch.color": MUTED,
    "hatch.linewidth": 0.6,
}


@dataclasses.dataclass(frozen=True)
class Panel:
    """One picture of a figure, and what it shows in words."""

    axes: plt.Axes
    alt: str

    def svg(self, name):
        """As text to stand inside a page; `name` keeps its ids apart from those of other panels."""
        file = io.BytesIO()
        with mpl.rc_context(RC | {"svg.hashsalt": name}):
            self.axes.figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        plt.close(self.axes.figure)
        text = file.getvalue().decode()
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r'<g id="[^"]*"', "<g", text)
        text = re.sub(r"""font: ([\d.]+)px [^;"]*""", r"font-size: \1px", text)
        for colour, stand_in in STAND_INS.items():
            text = text.replace(stand_in, f"var(--figure-{colour})")
        head = re.search(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', text)
        alt = html.escape(self.alt)
        return f'<svg {head[1]} role="img" aria-label="{alt}">{text[head.end() :]}'


def axes(title, *, width=3.5, height=2.8):
    """New axes of a panel."""
    ax = plt.figure(figsize=(width, height), layout="constrained").add_subplot()
    ax.set_title(title)
    return ax


def plane(title, *, x, y, height=2.8):
    """New axes for shapes: both units equal, y down as in images, without ticks."""
    ax = axes(title, height=height)
    ax.set(xlim=x, ylim=y[::-1], aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return ax


def box(ax, corners, **style):
    """A rectangle of two corners."""
    x0, y0, x1, y1 = corners
    style = {"fill": False, "lw": 1.8} | style
    return ax.add_patch(plt.Rectangle((x0, y0), x1 - x0, y1 - y0, **style))


def write(ax, x, y, text, colour=INK, **style):
    """Text at a place of the data."""
    return ax.text(x, y, text, color=colour, **({"ha": "center", "va": "center"} | style))
