"""One assignment in each frame, of the highest sum of scores, as SciPy gives it.

An assignment is solved here only where it is the only one. A pair of score s belongs to every best assignment if s is
more than the best other score in its row plus the best other score in its column: an assignment without the pair uses
at most these two, and putting the pair in their place raises the sum. Such a pair is chosen, its row and column are
excluded, and the rest is looked at again. What remains, such as ties, goes to SciPy with all rows and columns of its
frame: of several best assignments, SciPy's depends on the whole matrix and the order of its rows.

Of the scores [[.8, .1], [.3, .2]], .8 exceeds .1 + .3 and is chosen. Then .2 is the only one left, and is chosen.
"""

from typing import Any

from omniou._lib import assignments, backends, ordering
from omniou._lib.types import Namespace
from omniou.tracking._frames import Frames
from omniou.tracking._similarity import SimilarPairs

# By how much a pair must win: SciPy's sums of scores up to 1 in 10,000 rows are more exact than this.
_MARGIN = 1e-10


def assigned(pairs: SimilarPairs, score: Any, frames: Frames, /) -> Any:
    """Whether each pair (P,) is in the assignment of its frame, given scores above 0 (P,); all other pairs score 0."""
    xp = frames.xp
    chosen, left = settled(pairs.truth, pairs.tracks, score, margin=_MARGIN, xp=xp)
    if left.size == 0:
        return chosen
    groups = frames.truth.frames[pairs.truth]
    numbers = xp.unique(groups[left])
    edges = xp.searchsorted(groups, numbers), xp.searchsorted(groups, numbers, side="right")
    for frame, start, stop in zip(*(x.tolist() for x in (numbers, *edges)), strict=True):
        part = slice(start, stop)
        chosen[part] = of_frame(pairs, score[part], part, frame, frames)
    return chosen


def of_frame(pairs: SimilarPairs, score: Any, part: slice, frame: int, frames: Frames, /) -> Any:
    """Whether each pair of a frame, with these scores, is in SciPy's assignment of the whole frame."""
    rows, columns = pairs.truth[part] - frames.truth.starts[frame], pairs.tracks[part] - frames.tracks.starts[frame]
    matrix = frames.xp.zeros((int(frames.truth.sizes[frame]), int(frames.tracks.sizes[frame])))
    matrix[rows, columns] = score
    taken = frames.xp.full(matrix.shape[0], -1)
    of_rows, of_columns = assignments.solver("tracking")(-matrix)
    taken[of_rows] = of_columns
    return taken[rows] == columns


def settled(rows: Any, columns: Any, score: Any, /, *, margin: float, xp: Namespace) -> tuple[Any, Any]:
    """Pairs by row, with scores above 0 -> which pairs every best assignment has (P,), and those undecided (Q,)."""
    chosen = xp.zeros(rows.size, dtype=bool)
    left = xp.arange(rows.size)
    while left.size:
        r, c, s = rows[left], columns[left], score[left]
        order = ordering.rising(c, int(c.max()) + 1, xp=xp)
        other = xp.empty_like(s)
        other[order] = _best_other(c[order], s[order], xp=xp)
        other += _best_other(r, s, xp=xp)
        # The only pair of its row and its column needs no margin.
        wins = (s > other + margin) | (other == 0)
        if not xp.any(wins):
            break
        chosen[left[wins]] = True
        taken_rows, taken_columns = (xp.zeros(int(x.max()) + 1, dtype=bool) for x in (r, c))
        taken_rows[r[wins]] = True
        taken_columns[c[wins]] = True
        left = left[~(taken_rows[r] | taken_columns[c])]
    return chosen, left


def _best_other(keys: Any, score: Any, /, *, xp: Namespace) -> Any:
    """The highest score among the other pairs of the same key, for each pair; 0 if there is none. Keys never fall."""
    first = xp.concatenate([xp.ones(1, dtype=bool), keys[1:] != keys[:-1]])
    starts, segment = xp.nonzero(first)[0], xp.cumsum(first) - 1
    best = xp.maximum.reduceat(score, starts)[segment]
    is_best = score == best
    second = xp.maximum.reduceat(xp.where(is_best, 0, score), starts)[segment]
    several = xp.add.reduceat(is_best.astype(xp.int64), starts)[segment] > 1
    return xp.where(is_best & ~several, second, best)


def most(rows: Any, columns: Any, counts: Any, /) -> int:
    """The highest sum of counts (P,) over pairs that share no row and no column. Pairs come by row."""
    xp = backends.numpy_namespace()
    chosen, left = settled(rows, columns, counts, margin=0, xp=xp)
    total = int(counts[chosen].sum())
    if left.size:
        (_, r), (_, c) = (xp.unique(x[left], return_inverse=True) for x in (rows, columns))
        matrix = xp.zeros((int(r.max()) + 1, int(c.max()) + 1))
        matrix[r, c] = counts[left]
        total += int(matrix[assignments.solver("tracking")(matrix, maximize=True)].sum())
    return total
