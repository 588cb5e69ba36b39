"""Draw results of metrics: the numbers of one result as bars with their names, those of several as lines over steps."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from torch import Tensor

from omniou._lib import extras

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More bars or lines than these cannot be read; of more lines, a legend cannot.
_MOST, _MOST_IN_LEGEND = 60, 24
_DASHES = ("-", "--", ":", "-.")


class Words(NamedTuple):
    """What a picture says of a metric: its name, its direction, and the bounds of its numbers, None if unknown."""

    name: str
    higher_is_better: bool | None
    low: float | None
    high: float | None

    @property
    def direction(self) -> str:
        """The direction where it is not the usual one."""
        return "lower is better" if self.higher_is_better is False else ""


def draw(result: Any, words: Words, ax: "Axes | None" = None) -> "Axes":
    """Draw a result, or a list of results in the order of steps."""
    extras.check("matplotlib", "a plot")
    if not isinstance(result, (list, tuple)):
        return _bars(dict(_numbers(result)), words, ax)
    steps = [dict(_numbers(x)) for x in result]
    return _lines({name: [x.get(name, math.nan) for x in steps] for x in steps for name in x}, words, ax)


def _numbers(result: Any, name: str = "", classes: Sequence[Any] = ()) -> Iterator[tuple[str, float]]:
    """Yield names and numbers; those of classes have the class in their name."""
    if isinstance(result, Mapping):
        known = [f"{x:g}" for x in np.ravel(_array(result["classes"]))] if "classes" in result else classes
        for key, x in result.items():
            if key != "classes":
                yield from _numbers(x, f"{name} {key}".strip(), known)
        return
    values = _array(result)
    labels = classes if values.shape == (len(classes),) else range(len(values) if values.ndim else 0)
    for place in np.ndindex(values.shape):
        which = " ".join(str(k) for k in (labels[place[0]], *place[1:])) if place else ""
        yield f"{name} {which}".strip(), float(values[place])


def _array(x: Any) -> Any:
    return np.asarray(x.detach().cpu().double() if isinstance(x, Tensor) else x, dtype=float)


def _known(value: float, words: Words) -> float | None:
    """Return None for NaN, and for a number below the bounds: torchmetrics' -1 of what has no objects."""
    return None if math.isnan(value) or (words.low is not None and value < words.low) else value


def _bars(numbers: Mapping[str, float], words: Words, ax: "Axes | None") -> "Axes":
    from omniou.report._charts.mpl import drawn
    from omniou.report._record.charts import RankedBars

    shown = [(name, _known(value, words)) for name, value in numbers.items()][:_MOST]
    unit = (words.low, words.high) == (0, 1)
    left_out = len(numbers) - len(shown)
    ax = drawn(
        RankedBars(
            title=words.name,
            note=f"The first {_MOST} of {len(numbers)} numbers" if left_out else "",
            x_label=words.direction,
            rows=[(name, value, "-" if value is None else f"{value:.3f}") for name, value in shown],
            bounded=unit,
        ),
        ax,
    )
    if not unit and words.low is not None and words.high is not None:
        ax.set_xlim(words.low - 0.1, words.high + 0.1)
    ax.axvline(0, color="black", linewidth=0.8)
    return ax


def _lines(numbers: Mapping[str, Sequence[float]], words: Words, ax: "Axes | None") -> "Axes":
    from matplotlib.ticker import MaxNLocator

    from omniou.report._charts.mpl import MODELS, drawn, legend_below
    from omniou.report._record.charts import Plane

    several = f", the first {_MOST} of {len(numbers)} numbers" if len(numbers) > _MOST else ""
    last = max([1, *(len(values) - 1 for values in numbers.values())])
    low, high = 0.0 if words.low is None else words.low, words.high
    known = [x for values in numbers.values() for x in values if math.isfinite(x)]
    top = max([low + 1e-9, *known]) if high is None else high
    title = f"{words.name} by step{several}"
    ax = drawn(
        Plane(title=title, x_label="Step", y_label=words.direction, x=(-0.02 * last, 1.02 * last), y=(low, top)), ax
    )
    styles = list(MODELS.values())
    for place, (name, values) in enumerate(list(numbers.items())[:_MOST]):
        dash = _DASHES[place // len(styles) % len(_DASHES)]
        style = {**styles[place % len(styles)], "linestyle": dash}
        ax.plot([math.nan if (x := _known(value, words)) is None else x for value in values], label=name, **style)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if 1 < len(numbers) <= _MOST_IN_LEGEND:
        legend_below(ax)
    return ax
