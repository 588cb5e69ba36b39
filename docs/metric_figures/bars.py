"""Charts of docs/benchmarks.json: how many times as fast omniou is, a bar for each peer, on a logarithmic scale."""

import math
import textwrap

import matplotlib as mpl
from matplotlib import pyplot as plt

from metric_figures.style import BLUE, GROUND, INK, MUTED, ORANGE, RC, Panel

# Inches of a chart and of a line of text; points of its letters, and the share of the width that one takes on average.
WIDTH, LINE, SIZE, LETTER = 4.1, 0.185, 8.5, 0.0174
TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)


def ratios(seconds):
    """Seconds by name -> how many times as fast omniou is as each of the others."""
    return {name: time / seconds["omniou"] for name, time in seconds.items() if name != "omniou"}


def chart(group, cases, name):
    """Cases of one group, {title: {name: seconds}} -> SVG."""
    with mpl.rc_context(RC):
        return _panel(
            group, {short: ratios(x) for short, x in zip(_shortened(cases), cases.values(), strict=True)}
        ).svg(name)


def _shortened(titles):
    """Titles without what all begin with, in lines that fit."""
    words = [title.split(", ") for title in titles]
    shared = next((k for k, parts in enumerate(zip(*words, strict=False)) if len(set(parts)) > 1), 0)
    return [textwrap.fill(", ".join(title[shared:]), 65) for title in words]


def _panel(group, cases):
    every = [value for peers in cases.values() for value in peers.values()]
    rows = sum(1.45 + title.count("\n") + len(peers) for title, peers in cases.items()) + 0.5
    height = LINE * (rows + 1.6)
    left = 0.02 + LETTER * max(len(peer) for peers in cases.values() for peer in peers)
    ax = plt.figure(figsize=(WIDTH, height)).add_axes((left, LINE * 1.4 / height, 0.98 - left, LINE * rows / height))
    low, high = min(0.9, *every), max(2.0, *every)
    # Room beside the bars for their numbers, a share of the span.
    span = math.log(high / low) / (0.62 if low < 0.9 else 0.8)
    ax.set(xscale="log", ylim=(rows, 0), yticks=[])
    ax.set_xlim(low * math.exp(-span * (0.2 if low < 0.9 else 0.02)), high * math.exp(span * 0.18))
    y = 0.0
    for title, peers in cases.items():
        y += 0.95 + title.count("\n")
        plate = {"fc": GROUND, "ec": "none", "pad": 1.5}
        start = -left / (0.98 - left)
        ax.text(
            start, y + 0.45, title, transform=ax.get_yaxis_transform(), va="bottom", fontsize=SIZE, bbox=plate, zorder=3
        )
        for peer, value in peers.items():
            y += 1
            _bar(ax, y, peer, value)
        y += 0.5
    ticks = [x for x in TICKS if ax.get_xlim()[0] <= x <= ax.get_xlim()[1]]
    if len(ticks) > 5:  # or they would overlap
        ticks = [x for x in ticks if f"{x:g}".strip("0.") == "1"]
    ax.set_xticks(ticks, [f"{x:g}" for x in ticks], fontsize=SIZE)
    ax.minorticks_off()
    ax.spines["left"].set_visible(False)
    told = "; ".join(f"{title}, {peer}: {value:.3g}" for title, peers in cases.items() for peer, value in peers.items())
    return Panel(ax, f"{group}: how many times as fast omniou is. {told}.")


def _bar(ax, y, peer, value):
    faster = value >= 1
    ax.barh(y, value - 1, left=1, height=0.62, color=BLUE if faster else ORANGE, alpha=0.8)
    ax.plot([1, 1], [y - 0.5, y + 0.5], color=INK, lw=0.9)
    ax.text(-0.02, y, peer, transform=ax.get_yaxis_transform(), ha="right", va="center", fontsize=SIZE, color=MUTED)
    beside = f"{value:.2f}" if value < 10 else f"{value:.3g}"
    offset, side = (3, "left") if faster else (-3, "right")
    ax.annotate(beside, (value, y), (offset, 0), textcoords="offset points", ha=side, va="center", fontsize=SIZE)
