"""The base of all results. A subclass declares its numbers, its rows and its counts; the base derives the rest."""

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from omniou._lib import checks, near
from omniou._lib.brief import shortened
from omniou._lib.extras import frame_of
from omniou._lib.findings import Finding
from omniou._results import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from omniou._results.units import Units

K = TypeVar("K")
V = TypeVar("V")

# The module above this layer that draws results and analyses. It is loaded when a picture is asked for.
_PICTURES = "omniou.report._charts.results"
# Names that an error lists.
_LISTED = 12


def pictures() -> Any:
    """Return the module that draws results and analyses, with `plot`, `plot_analysis` and `html`."""
    return importlib.import_module(_PICTURES)


class Named(dict[K, V]):
    """A dictionary of numbers or rows by name. A lookup that misses names what exists and the nearest key."""

    __slots__ = ()

    def __missing__(self, key: Any) -> V:
        guess = near.hint(key, [name for name in self if isinstance(name, str)])
        raise KeyError(f"no {key!r} among {shortened(list(self), _LISTED) or 'no names'}{guess}")


class EvaluationResult:
    """The numbers of an evaluation: `summary`, rows such as `per_class`, `counts` and `findings`, and their outputs.

    Subclasses define `summary` and `counts`, as `Named` and as a mapping to integers, and `_columns`, whose groups are
    also attributes: "per_class" stands for `per_class`. Each other name has a default.

    Notes
    -----
    `summary` and `counts` exist for type checkers only: at run time, a property here would become the default of a
    dataclass field with the same name.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def summary(self) -> Mapping[str, float]:
            """The numbers by name; NaN for no data."""
            raise NotImplementedError

        @property
        def counts(self) -> Mapping[str, int]:
            """How much was compared."""
            raise NotImplementedError

    else:

        def __getattr__(self, name: str) -> Any:
            """Raise for a name that does not exist, with the number or the attribute that was likely meant."""
            if name.startswith("_") or hasattr(type(self), name):
                # Names of Python's own protocols; and properties that raised AttributeError, which raise it again.
                return object.__getattribute__(self, name)
            numbers = {number: f"summary[{number!r}]" for number in self.summary}
            known = {x: x for x in dir(self) if not x.startswith("_")} | numbers
            meant = near.nearest(name, known)
            guess = "" if meant is None else f"; did you mean {known[meant]}?"
            told = f"{type(self).__name__!r} object has no attribute {name!r}"
            # With `name`, Python adds no guess of its own.
            raise AttributeError(f"{told}; `summary` has {shortened(list(numbers), _LISTED)}{guess}", name=name)

    @property
    def per_class(self) -> Mapping[Any, Any]:
        """The numbers of each class.

        Raises
        ------
        AttributeError
            If the evaluation has no classes.
        """
        has = ", ".join(f"`{group}`" for group in self._columns()) or "`summary` only"
        raise AttributeError(f"{type(self).__name__!r} object has no numbers of classes; it has {has}")

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The numbers of each class, sequence and so on, as Python's values: by group, a dictionary for each row.

        Groups are "per_class", "per_sequence" and others that the result has as attributes. Each row has a "name".
        NaN is no data.
        """
        return {group: shown.rows_of(columns) for group, columns in self._columns().items()}

    @property
    def findings(self) -> list[Finding]:
        """What makes the numbers doubtful; empty where nothing is known."""
        return []

    @property
    def units(self) -> "Units | None":
        """What a bootstrap draws again and a permutation test exchanges, such as images; None if it is not known."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them; None for no data.

        Returns
        -------
        dict
            "summary", "counts" and the groups of rows. "per_class" is a list of dictionaries with a "name"; other
            groups, such as "per_sequence", are dictionaries by name. The rules of the evaluation come first.
        """
        groups = {
            group: rows if group == "per_class" else {row.pop("name"): row for row in rows}
            for group, rows in self.rows.items()
        }
        values: dict[str, Any] = shown.plain(
            {**self._rules(), "summary": self.summary, "counts": self.counts, **groups}
        )
        return values

    def to_pandas(self) -> Any:
        """Return the numbers as a pandas `DataFrame`.

        Returns
        -------
        pandas.DataFrame
            A row for each class, indexed by name; without classes, a row for each sequence or window. Sequences have a
            last row "all", the summary. Without any rows, the summary is the only row.

        Raises
        ------
        ModuleNotFoundError
            Without pandas, which omniou does not install.
        """
        group, columns = next(iter(self._columns().items()), ("", {"name": []}))
        if group in {"", "per_sequence"}:
            columns = {name: [*columns.get(name, ()), x] for name, x in {"name": "all", **self.summary}.items()}
        frame = frame_of(columns).set_index("name")
        return frame.rename_axis("sequence") if group == "per_sequence" else frame

    def weakest(self, number: str = "", /, *, count: int = 5) -> list[dict[str, Any]]:
        """Return the classes with the lowest numbers, or the sequences or images where there are no classes.

        Parameters
        ----------
        number : str
            The number of a row by which they are sorted, such as "AP50". Default: the first of `summary`, or of the
            rows.
        count : int
            How many at most.

        Returns
        -------
        list of dict
            Rows as in `rows`, weakest first. Classes with fewer than 10 objects are left out, where others remain, and
            so are rows without data.

        Raises
        ------
        TypeError, ValueError
            If rows have no such number, or the count is no count.
        """
        rows, count = self.rows, checks.count("count", count)
        found = shown.weakest(rows, number or next(iter(self.summary)))
        if number and found.number != number:
            known = [x for x in next(iter(rows[found.group]), {}) if x not in {"id", "name"}] if found.group else []
            raise ValueError(
                f"`number` must be one of {', '.join(map(repr, known)) or 'no rows'}, got {number!r}"
                f"{near.hint(number, known)}"
            )
        return [dict(row) for row in found.rows[:count]]

    def plot(self, kind: str = "", /, *, ax: "Axes | None" = None) -> "Axes":
        """Draw the numbers as bars by matplotlib.

        Parameters
        ----------
        kind : str
            A group of `rows`, such as "per_class", of which the first number is drawn; or "summary". Default: the first
            group, or "summary" without any.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such kind.
        """
        axes: Axes = pictures().plot(self, kind, ax=ax)
        return axes

    def __repr__(self) -> str:
        """The numbers and what is doubtful, in lines that fit a screen."""
        return shown.as_text(self._title(), self._shown_numbers(), self.findings)

    def _repr_html_(self) -> str:
        """The numbers as a table, for notebooks, with what is doubtful and folded tables of the rows."""
        return shown.as_html(self._title(), self._shown_numbers(), self._columns(), self.findings)

    def _columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Columns of Python's values for each group of rows, "name" among them."""
        return {}

    def _rules(self) -> Mapping[str, Any]:
        """What `to_dict` tells about the rules of the evaluation."""
        return {}

    def _title(self) -> str:
        """The first line: how much was compared."""
        return shown.title(self.counts)

    def _shown_numbers(self) -> Mapping[str, float]:
        """The numbers that texts and notebooks show."""
        return self.summary
