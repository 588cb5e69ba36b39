"""Curves by compiled loops, beside those by arrays."""

from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._kernels import curves as kernels
from omniou._loops import fixed
from omniou.detection import compiled
from omniou.detection.curves import Curves, once
from omniou.detection.ranking import Ranking


class Cell(NamedTuple):
    """One area range and limit."""

    precision: Any  # (T, K, R)
    at: Any  # (T, K, R) which of the E detections reaches each recall; -1 where none does
    hits: Any  # (T, K)


def curves(ranking: Ranking, /) -> Curves:
    """The curves of a ranking, by what is the fastest."""
    usual = ranking.state.protocol.tie_policy == "file"
    loops = compiled.loops("curves", 0, xp=ranking.xp) if usual else None
    return Curves(ranking) if loops is None else CompiledCurves(ranking, loops)


class CompiledCurves(Curves):
    """The same to the last bit, class after class."""

    def __init__(self, ranking: Ranking, loops: Any, /) -> None:
        super().__init__(ranking)
        self._loops = loops

    @once
    def precision(self, area: int, limit: int) -> Any:
        """As `Curves.precision`."""
        return kernels.known(self._cell(area, limit).precision, self._scale(area), xp=self.xp)

    @once
    def recall(self, area: int, limit: int) -> Any:
        """As `Curves.recall`."""
        known = self.kept.get(("_cell", area, limit))
        number = self._number(area, limit) if known is None else known.hits
        return kernels.recall(number, self._scale(area), xp=self.xp)

    @once
    def scores(self, area: int, limit: int) -> Any:
        """As `Curves.scores`."""
        touched, best = self._scores
        nothing = self.xp.zeros(1, dtype=touched.dtype, device=compat.device(touched))
        values = self.xp.take(self.xp.concat([touched, nothing]), self._cell(area, limit).at)
        scale = self._scale(area)
        return kernels.with_best(kernels.known(values, scale, xp=self.xp), best, scale, xp=self.xp)

    @once
    def _cell(self, area: int, limit: int) -> Cell:
        xp, ranking, need = self.xp, self.ranking, self._scale(area).need
        # In memory as `Curves.precision` has it: else means of it would differ in the last bit.
        precision = xp.empty((*self._sizes, need.shape[1]))[..., 1:]
        cell = Cell(precision, *(xp.empty(x, dtype=xp.int64) for x in (precision.shape, self._sizes)))
        most = 0 if self._is_last(limit) else self.protocol.max_detections[limit]
        ranks = ranking.ranks if most else xp.empty(0, dtype=xp.int64)
        starts, listed = fixed(ranking.first, ranking.first_touched), fixed(ranking.outside, ranks)
        place, need = fixed(ranking.place, need)
        before = 0
        for matched, ignored, count in self._bits(area):
            bits = fixed(matched & ~ignored, matched & ignored)
            out = tuple(x[before : before + count, ...] for x in cell)

            def work(low: int, high: int, bits: Any = bits, out: Any = out) -> None:
                self._loops.curves(bits, listed, starts, place, area, most, need, low, high, out)

            compiled.each_class(xp.diff(starts[1]) + need.shape[1], work, xp=xp)
            before += count
        return cell

    def _number(self, area: int, limit: int) -> Any:
        """(T, K) hits."""
        xp, ranking = self.xp, self.ranking
        out = xp.empty(self._sizes, dtype=xp.int64)
        most = self.protocol.max_detections[limit]
        ranks, first = fixed(ranking.touched_ranks, ranking.first_touched)
        before = 0
        for matched, ignored, count in self._bits(area):
            won, part = *fixed(matched & ~ignored), out[before : before + count, :]
            self._loops.hits(won, count, ranks, 2**62 if most is None else most, first, part)
            before += count
        return out
