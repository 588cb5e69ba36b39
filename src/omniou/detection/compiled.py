"""What takes most of the time of an evaluation by compiled loops, in NumPy; None where arrays are to do it.

M detections, of which C have objects in their group, and E match one; N objects, K classes.
"""

import os
from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from omniou import _loops
from omniou._kernels.boxes import Boxes
from omniou._lib import threads
from omniou.rle._host import batches
from omniou._lib.types import Namespace
from omniou._loops import fixed

# Detections of a job that is worth a thread.
JOB = 2**13


def loops(name: str, rows: int, /, *, xp: Namespace) -> Any:
    """The loops of a name, which are to work on so many rows."""
    if not compat.is_numpy_namespace(xp):
        return None
    _loops.met(boxes=rows)
    return _loops.get(name)


def suitors(groups: Any, scores: Any, classes: int, wanted: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any] | None:
    """Groups (M,), by image, scores (M,), K, groups that have objects, rising -> columns of `Suitors` (C,)."""
    found = loops("matching", groups.shape[0], xp=xp)
    if found is None:
        return None
    rows, numbers, ranks = (xp.empty(groups.shape[0], dtype=xp.int64) for _ in range(3))
    some = found.suitors(*fixed(groups, scores), max(1, classes), *fixed(wanted), rows, numbers, ranks)
    return rows[:some], numbers[:some], ranks[:some]


def match(
    found: tuple[Boxes, Any],
    wanted: tuple[Boxes, Any],
    crowd: Any,
    counts: Any,
    rule: tuple[Any, Any],
    /,
    *,
    xp: Namespace,
) -> Any:
    """Bits (2, C) of a word: matched, and matched to what is ignored.

    Suitors and the numbers of their groups (C,), objects and where those of each group start, and the end, which ones
    are crowds, the bits where each counts (N,), the thresholds and the bits of so many of them.
    """
    if (work := loops("matching", 0, xp=xp)) is None:
        return None
    (boxes, numbers), (objects, first) = found, wanted
    out = xp.empty((2, numbers.shape[0]), dtype=xp.int64)
    work.match(fixed(*boxes), *fixed(numbers), fixed(*objects), *fixed(first, crowd, counts, *rule), out)
    return out


def ranked(labels: Any, scores: Any, first: Any, some: Any, /, *, xp: Namespace) -> tuple[Any, ...] | None:
    """Classes and scores (M,), where each class starts, and the end, rows (E,), rising.

    -> all rows by class and falling score (M,), their scores, where those are among them (E,), and which of them is
    there (E,).
    """
    if (work := loops("curves", labels.shape[0], xp=xp)) is None:
        return None
    rows, place, which = (xp.empty(x.shape[0], dtype=xp.int64) for x in (labels, some, some))
    labels, given, starts, some = fixed(labels, scores, first, some)
    values = xp.empty_like(scores)
    work.by_class(labels, given, first[:-1].copy(), rows, values)
    each_class(xp.diff(first), lambda low, high: work.rank(starts, low, high, rows, values), xp=xp)
    work.touched(*fixed(rows), some, place, which)
    return rows, values, place, which


def ranks(rows: Any, first: Any, image: Any, images: int, /, *, xp: Namespace) -> Any:
    """Rows by class and falling score (M,), where each class starts, image of each row -> place in both (M,)."""
    if (work := loops("curves", 0, xp=xp)) is None:
        return None
    out = xp.empty(rows.shape[0], dtype=xp.int64)
    work.ranks(*fixed(rows, first, image), max(1, images), out)
    return out


def each_class(sizes: Any, work: Callable[[int, int], None], /, *, xp: Namespace) -> None:
    """Classes from one to another, of so many rows (K,), in all processors."""
    threads.each(work, batches(sizes + 1, JOB), threads=os.cpu_count() or 1, few=1)
