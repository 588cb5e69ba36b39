"""Sort the detections of a state in the order of curves: by class, then falling score."""

import functools
from typing import Any

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection.curves._state import State
from omniou.detection.matching import _groups as groups


class Ranking:
    """M detections by class, falling score, image and their order in it, which is COCO's order of ties; or the reverse.

    E of them match an object. Columns are sorted when they are asked for.
    """

    # What a sample is drawn from: `rows` (M,) and `touched` (E,) are places in its columns, or else in the state's.
    _whole: "Ranking | None" = None

    def __init__(self, state: State, /, *, xp: Namespace) -> None:
        self.state, self.xp = state, xp
        self.objects = state.objects  # (K, A) that count
        # (M,) rows of the state, and E among those that match an object, with their places among the M.
        last, classes = state.protocol.last_first, max(1, state.classes.shape[0])
        self.rows = ordering.falling(state.labels, classes, state.scores, last=last, xp=xp)
        # Random lookups are faster in small tables, so columns have one byte a row, or else half an integer.
        size, device = self.rows.shape[0], compat.device(self.rows)
        matches, numbers = (xp.zeros(size, dtype=dtype, device=device) for dtype in (xp.bool, xp.int32))
        matches = indexing.put(matches, state.rows, xp.zeros_like(state.rows) == 0, xp=xp)
        self.place = xp.nonzero(xp.take(matches, self.rows))[0]
        numbers = indexing.put(numbers, state.rows, xp.astype(_arange(state.rows, xp=xp), xp.int32), xp=xp)
        self.touched = xp.astype(xp.take(numbers, xp.take(self.rows, self.place)), xp.int64)

    def sampled(self, times: Any, /) -> "Ranking":
        """Return the ranking of a data set that has each image `times` (I,) times. Copies count as separate images."""
        xp, most = self.xp, int(self.xp.max(times)) if times.shape[0] else 0
        # Detections of the images a, b, a, drawn as a twice and b never, become the rows 0, 0, 2, 2.
        copies = xp.take(times, self.image)
        starts = indexing.starts(copies, xp=xp)
        rows, of_row = _repeated(copies, most, xp=xp)
        touched, of_touched = _repeated(xp.take(copies, self.place), most, xp=xp)
        place = xp.take(starts, xp.take(self.place, touched)) + of_touched
        if most > 1 and self._ties is not None:
            # Copies of a detection are adjacent; the copies of a whole image must be. Tied detections x and y of an
            # image that is drawn twice come as x, x, y, y, and are sorted by run of ties and number of the copy: x, y,
            # x, y.
            order = ordering.rising(xp.take(self._ties, rows) * most + of_row, (copies.shape[0] + 1) * most, xp=xp)
            rows = xp.take(rows, order)
            place = xp.take(indexing.put(order + 0, order, _arange(order, xp=xp), xp=xp), place)
            order = ordering.rising(place, max(1, rows.shape[0]), xp=xp)
            touched, place = xp.take(touched, order), xp.take(place, order)
        resampled = object.__new__(Ranking)
        resampled.state, resampled.xp, resampled._whole = self.state, xp, self
        resampled.objects = self._cells.sampled(xp.repeat(times, self.state.objects_of), xp=xp)
        resampled.first = xp.take(starts, self.first)
        resampled.rows, resampled.touched, resampled.place = rows, touched, place
        return resampled

    @functools.cached_property
    def ranks(self) -> Any:
        """Place among the detections of image and class, from 0, in the data set rather than the sample: (M,)."""
        xp, state = self.xp, self.state
        if self._whole is not None:
            return xp.take(self._whole.ranks, self.rows)
        image, images = state.image, max(1, state.images.shape[0])
        group = xp.take(state.labels * images + image, self.rows)
        order = ordering.rising(group, max(1, state.classes.shape[0]) * images, xp=xp)
        return indexing.put(xp.zeros_like(order), order, groups.ranks(xp.take(group, order), xp=xp), xp=xp)

    @functools.cached_property
    def first(self) -> Any:
        """Offsets of the classes among the M, (K + 1,)."""
        counts = indexing.counts(self.state.labels, self.state.classes.shape[0], xp=self.xp)
        return indexing.starts(counts, xp=self.xp)

    @functools.cached_property
    def scores(self) -> Any:
        """Score of each detection, (M,)."""
        return self.xp.take((self._whole or self.state).scores, self.rows)

    @functools.cached_property
    def labels(self) -> Any:
        """Place of the class of each detection, (M,)."""
        return self.xp.take((self._whole or self.state).labels, self.rows)

    @functools.cached_property
    def outside(self) -> Any:
        """Bits of the area ranges that do not hold the detection, (M,)."""
        return self.xp.take((self._whole or self.state).outside, self.rows)

    @functools.cached_property
    def first_touched(self) -> Any:
        """Offsets of the classes among the E, (K + 1,)."""
        return self.xp.searchsorted(self.place, self.first)

    @functools.cached_property
    def touched_ranks(self) -> Any:
        """Place among the detections of image and class, (E,)."""
        return self.xp.take(self.state.rank if self._whole is None else self._whole.touched_ranks, self.touched)

    @functools.cached_property
    def touched_outside(self) -> Any:
        """`outside` of the E detections, (E,)."""
        return self.xp.take(self.outside, self.place)

    @functools.cached_property
    def bits(self) -> list[tuple[Any, Any]]:
        """Bits (E,) of each word: matched, and matched to an ignored object."""
        state = self.state
        words = zip(state.matched, state.ignored, strict=True) if self._whole is None else self._whole.bits
        return [(self.xp.take(a, self.touched), self.xp.take(b, self.touched)) for a, b in words]

    @functools.cached_property
    def image(self) -> Any:
        """Place of the image of each detection, (M,)."""
        return self.xp.take(self.state.image, self.rows)

    @functools.cached_property
    def _cells(self) -> "_Cells":
        return _Cells(self.state, xp=self.xp)

    @functools.cached_property
    def _ties(self) -> Any:
        """Number of the run of equal class, score and image, (M,); None if no run has two rows."""
        xp = self.xp
        same = [indexing.rest(x) == indexing.but_last(x) for x in (self.labels, self.scores, self.image)]
        tied = same[0] & same[1] & same[2]
        if not xp.any(tied):
            return None
        return xp.cumulative_sum(xp.astype(xp.concat([indexing.head(self.labels) < 0, ~tied]), xp.int64))


class _Cells:
    """The different pairs of a class and the area ranges of an object, to count the objects of samples by one count."""

    def __init__(self, state: State, /, *, xp: Namespace) -> None:
        # Objects of the class 0 in the ranges 0b11 and 0b01, and two of class 2 in 0b11: three cells.
        of_object = xp.astype(state.ranges, xp.int64)
        ranges = indexing.distinct(of_object, xp=xp)
        kinds = max(1, ranges.shape[0])
        each = state.target_labels * kinds + indexing.place(ranges, of_object, xp=xp)[0]
        cells = indexing.distinct(each, xp=xp)
        self._of_object, self._number = indexing.place(cells, each, xp=xp)[0], cells.shape[0]  # (N,), C
        areas = xp.arange(len(state.protocol.area_ranges), dtype=ranges.dtype, device=compat.device(ranges))
        self._inside = (xp.take(ranges, cells % kinds)[None, :] >> areas[:, None]) & 1  # (A, C)
        classes = xp.arange(state.classes.shape[0] + 1, dtype=cells.dtype, device=compat.device(cells))
        self._first = xp.searchsorted(cells, classes * kinds)  # (K + 1,)

    def sampled(self, times: Any, /, *, xp: Namespace) -> Any:
        """Return the objects (K, A) that count, of a sample that has each object `times` (N,) times."""
        counts = indexing.counts(xp.repeat(self._of_object, times), self._number, xp=xp)
        before = xp.cumulative_sum(self._inside * counts[None, :], axis=1, include_initial=True)
        until = xp.take(before, self._first, axis=1)
        return xp.permute_dims(indexing.rest(until) - until[:, :-1], (1, 0))


def _arange(like: Any, /, *, xp: Namespace) -> Any:
    return xp.arange(like.shape[0], dtype=xp.int64, device=compat.device(like))


def _repeated(times: Any, most: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Repetitions (N,) up to `most` -> the source of each copy (P,), and the number of the copy (P,)."""
    if most < 2:
        which = xp.nonzero(times != 0)[0]  # of booleans, which takes a third of the time of integers
        return which, xp.zeros_like(which)
    which = xp.repeat(_arange(times, xp=xp), times)
    return which, _arange(which, xp=xp) - xp.take(indexing.starts(times, xp=xp), which)
