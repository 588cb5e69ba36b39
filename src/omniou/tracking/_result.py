"""The result of an evaluation of tracks."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from omniou._lib import backends, checks
from omniou._lib.brief import shortened
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named, pictures
from omniou._results.units import CountedUnits
from omniou.tracking import _decisions as decisions
from omniou.tracking._decisions import Decisions, EventTable
from omniou.tracking._frames import Name
from omniou.tracking._hota import thresholds
from omniou.tracking._numbers import NO_ROW, Number, Numbers, Row, added, class_averaged, numbers
from omniou.tracking._state import State
from omniou.tracking._units import units_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Ways to combine several classes: the mean over classes, and all detections of all classes together.
Average: TypeAlias = Literal["classes", "detections"]
AVERAGES = ("classes", "detections")
# Objects of a timeline: more cannot be read.
_OBJECTS = 25
_SHOWN = ("HOTA", "DetA", "AssA", "LocA", "MOTA", "MOTP", "IDF1", "IDSW", "Frag", "MT", "PT", "ML")


class Result(EvaluationResult):
    """The numbers of an evaluation of tracks, as Python's own, and each decision.

    Names are TrackEval's: HOTA, DetA, AssA, DetRe, DetPr, AssRe, AssPr, LocA, OWTA as means over 19 thresholds;
    HOTA(0), LocA(0), HOTALocA(0) at the lowest one; MOTA, MOTP, MODA, CLR_Re, CLR_Pr, MTR, PTR, MLR, sMOTA, CLR_F1,
    FP_per_frame, MOTAL, CLR_TP, CLR_FN, CLR_FP, IDSW, MT, PT, ML, Frag; IDF1, IDR, IDP, IDTP, IDFN, IDFP; Dets,
    GT_Dets, IDs, GT_IDs.

    Attributes
    ----------
    state : State
        Sums for each sequence and class, which merge with sums of other sequences.
    average : str
        How `summary` averages several classes: "classes" or "detections".
    """

    def __init__(
        self,
        state: State,
        /,
        *,
        average: Average = "classes",
        ignore_empty: bool = True,
        made: Decisions | None = None,
    ) -> None:
        self.state = state
        self.average: Average = checks.choice("average", average, AVERAGES)
        self._ignore_empty, self._made = ignore_empty, made

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes for pickles and copies, without computed ones, which are computed again."""
        return {name: vars(self)[name] for name in ("state", "average", "_ignore_empty", "_made")}

    @functools.cached_property
    def summary(self) -> Named[str, Number]:
        """The numbers over all sequences. `average` says how several classes are combined."""
        return Named(self._overall.summary)

    @property
    def counts(self) -> dict[str, int]:
        """Tracks, objects, sequences, frames and classes."""
        state = self.state
        both = {"tracks": int(self.summary["IDs"]), "objects": int(self.summary["GT_IDs"])}
        frames = sum(state.sequences.values())
        return both | {"sequences": len(state.sequences), "frames": frames, "classes": len(state.classes)}

    @property
    def hota(self) -> Mapping[str, Any]:
        """The numbers of HOTA at each of the 19 thresholds: "alpha", "HOTA", "DetA", ... "HOTA_TP", "HOTA_FN"."""
        return self._arrays(self._overall)

    @functools.cached_property
    def averaged_classes(self) -> tuple[Name, ...]:
        """Classes that means are over: the ones that either side has, or with ``ignore_empty_classes=False`` all."""
        rows = zip(self.state.classes, self._of_classes(), strict=True)
        return tuple(label for label, row in rows if not self._ignore_empty or row.dets or row.gt_dets)

    @property
    def averaging(self) -> str:
        """Describe the classes that the rates of the summary are means over; empty for one class."""
        classes, over = self.state.classes, self.averaged_classes
        if len(classes) < 2:
            return ""
        if self.average == "detections":
            return f"all detections of {len(classes)} classes together"
        if lacking := [str(x) for x in classes if x not in over]:
            return f"mean over {shortened(list(map(str, over))) or 'no class'}; neither side has {shortened(lacking)}"
        empty = sum(not (row.dets or row.gt_dets) for row in self._of_classes())
        return f"mean over {len(classes)} classes" + (f"; {empty} that neither side has count as 0" if empty else "")

    @functools.cached_property
    def class_averaged(self) -> Named[str, Number]:
        """Rates are means over `averaged_classes`, counts are sums."""
        return Named(self._averaged("classes", self._of_classes()).summary)

    @functools.cached_property
    def detection_averaged(self) -> Named[str, Number]:
        """All detections of all classes together."""
        return Named(self._averaged("detections", self._of_classes()).summary)

    @functools.cached_property
    def per_class(self) -> Named[Name, Named[str, Number]]:
        """The numbers of each class over all sequences."""
        each = zip(self.state.classes, self._of_classes(), strict=True)
        return Named({label: Named(numbers(row).summary) for label, row in each})

    @functools.cached_property
    def per_sequence(self) -> Named[Name, Named[str, Number]]:
        """The numbers of each sequence. `average` says how several classes are combined."""
        by_formula = not self.state.rules.as_trackeval
        return Named(
            {
                x: Named(self._averaged(self.average, self._of_sequence(x), by_formula=by_formula).summary)
                for x in self.state.sequences
            }
        )

    @functools.cached_property
    def per_class_and_sequence(self) -> Named[Name, Named[Name, Named[str, Number]]]:
        """The numbers of each sequence, by class."""
        by_formula = not self.state.rules.as_trackeval

        def of_class(label: Name) -> Named[Name, Named[str, Number]]:
            rows = {x: self._row(x, label) for x in self.state.sequences}
            return Named({x: Named(numbers(row, by_formula=by_formula).summary) for x, row in rows.items()})

        return Named({label: of_class(label) for label in self.state.classes})

    def hota_of(self, *, sequence: Name | None = None, label: Name | None = None) -> Mapping[str, Any]:
        """Return the numbers of HOTA at each threshold for one sequence, one class, or both.

        Raises
        ------
        ValueError
            If there is no such sequence or class.
        """
        for name, x, known in (("sequence", sequence, self.state.sequences), ("label", label, self.state.classes)):
            if x is not None:
                checks.choice(name, x, known)
        sequences = self.state.sequences if sequence is None else [sequence]
        labels = self.state.classes if label is None else [label]
        rows = [added([self._row(x, c) for x in sequences]) for c in labels]
        return self._arrays(self._averaged(self.average, rows))

    @functools.cached_property
    def matches(self) -> EventTable:
        """Each match of CLEAR: sequence, frame, class, object, track, similarity.

        Raises
        ------
        ValueError
            If the result is of a state, which keeps sums only.
        """
        return self._events(decisions.matches)

    @functools.cached_property
    def switches(self) -> EventTable:
        """Each match with another track than before: as `matches`, with previous_frame and previous_track."""
        return self._events(decisions.switches)

    @functools.cached_property
    def fragments(self) -> EventTable:
        """Each match after a gap: as `matches`, with previous_frame and previous_track."""
        return self._events(decisions.fragments)

    @functools.cached_property
    def misses(self) -> EventTable:
        """Each row of an object without a match: sequence, frame, class, object, row in the table."""
        return self._events(decisions.misses)

    @functools.cached_property
    def false_positives(self) -> EventTable:
        """Each row of a track without a match: sequence, frame, class, track, row in the table."""
        return self._events(decisions.false_positives)

    def plot(
        self,
        kind: str = "timeline",
        /,
        *,
        sequence: Name | None = None,
        objects: int = _OBJECTS,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw a picture by matplotlib: which track follows which object over time, or HOTA by threshold.

        Parameters
        ----------
        kind : str
            "timeline": the tracks of objects over time, and where they change. "hota": HOTA, detection and association
            accuracy by threshold, of all sequences. Or a group of `rows`, "per_sequence" or "per_class", or "summary",
            as bars.
        sequence : str or int, optional
            Default: the one with the most identity switches.
        objects : int
            Largest number of objects. Objects whose tracks change or are lost most often come first.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `sequence` or `objects` is given with another kind than "timeline".
        ValueError
            If there is no such kind or sequence, or the result is of a state, which keeps sums only.
        """
        options: dict[str, Any] = {"sequence": sequence, "objects": objects} if kind == "timeline" else {}
        if not options and (sequence is not None or objects != _OBJECTS):
            raise TypeError(f"`sequence` and `objects` are for kind 'timeline', got kind {kind!r}")
        axes: Axes = pictures().plot(self, kind, ax=ax, **options)
        return axes

    @property
    def units(self) -> CountedUnits:
        """The sequences: the units of bootstrap and permutation test."""
        return units_of(self.state, self.average, ignore_empty=self._ignore_empty)

    @property
    def has_decisions(self) -> bool:
        """Whether `matches` and the other tables are there."""
        return self._made is not None

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        return {"per_sequence": shown.columns_of(self.per_sequence), "per_class": shown.columns_of(self.per_class)}

    def _rules(self) -> dict[str, str]:
        return {"average": self.average}

    def _title(self) -> str:
        counts = self.counts
        del counts["classes"]
        return shown.title(counts) + (f", {self.averaging}" if self.averaging else "")

    def _shown_numbers(self) -> dict[str, Number]:
        return {name: self.summary[name] for name in _SHOWN}

    @functools.cached_property
    def _overall(self) -> Numbers:
        return self._averaged(self.average, self._of_classes())

    def _averaged(self, average: str, rows: Sequence[Row], /, *, by_formula: bool = True) -> Numbers:
        if average == "detections":
            return numbers(added(rows), by_formula=by_formula)
        return class_averaged(rows, ignore_empty=self._ignore_empty, by_formula=by_formula)

    def _row(self, sequence: Name, label: Name, /) -> Row:
        return self.state.rows.get((sequence, label), NO_ROW)

    def _of_sequence(self, sequence: Name, /) -> list[Row]:
        return [self._row(sequence, x) for x in self.state.classes]

    def _of_classes(self) -> list[Row]:
        return [added([self._row(x, label) for x in self.state.sequences]) for label in self.state.classes]

    def _arrays(self, x: Numbers, /) -> Mapping[str, Any]:
        xp = backends.numpy_namespace()
        return {"alpha": thresholds(xp=xp), **{name: xp.asarray(curve) for name, curve in x.curves.items()}}

    def _events(self, make: Callable[[Decisions], EventTable], /) -> EventTable:
        if self._made is None:
            raise ValueError(
                "matches, switches and fragments are not in a state, which keeps sums only: ask the result of "
                "`evaluate`, or of an `Evaluator` with keep=True"
            )
        return make(self._made)
