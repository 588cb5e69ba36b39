"""Base class of metrics whose state is one table of integers, counts and exact sums of floats, which can be added."""

import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torchmetrics.utilities.distributed import gather_all_tensors

from omniou._lib import checks
from omniou_integrations._shared import exact_sums as exact
from omniou_integrations.torchmetrics._base import WholeMetric


class Guess(NamedTuple):
    """Two readings of an input, chosen by its values. All batches must have the same reading."""

    what: str
    ways: tuple[str, str]
    hint: str


class SummedMetric(WholeMetric):
    """A metric whose state is a table of int64: one row for each class, columns of counts, and then of exact sums.

    States of different length add: rows that one lacks are 0. So processes that have not seen a batch, and do not know
    the number of classes yet, are not a special case.

    The last two columns of a metric that guesses how to read its input count the batches read in each way: so a guess
    that changes is found across batches, processes and merged metrics.
    """

    _guesses: Guess | None = None
    _takes_tensors = True  # False for lists with an entry for each image
    _waits = True  # whether an update may check values, which waits for a GPU
    _seen = (0, 0)  # batches since the last reset with each reading, as far as the host knows

    def _add_sums(self, rows: int, counts: int, sums: int, *options: Any) -> None:
        # A MetricCollection lets metrics share one state from the second batch on, if the names and values of their
        # states were equal after the first: so what decides the state decides its name.
        digest = hashlib.blake2b(repr((type(self).__name__, *options, self._guesses is None)).encode(), digest_size=6)
        self._table, self._counts, self._sums = f"sums_{digest.hexdigest()}", counts, sums
        self._seen = (0, 0)
        width = counts + sums * exact.COLUMNS + (0 if self._guesses is None else 2)
        self._add_tensor(self._table, functools.partial(torch.zeros, (rows, width), dtype=torch.int64), "sum")

    @property
    def counts(self) -> Tensor:
        """Counts (rows, columns)."""
        table: Tensor = getattr(self, self._table)
        return table[:, : self._counts]

    def _fetched(self) -> tuple[Tensor, Tensor]:
        """Copy counts (rows, columns) and exact sums (rows, sums * COLUMNS) to the host at once, and check them."""
        table: Tensor = getattr(self, self._table).cpu()
        self._check_readings(table)
        return table[:, : self._counts], table[:, self._counts : self._counts + self._sums * exact.COLUMNS]

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._seen = (0, 0)

    def _wrap_update(self, update: Callable[..., Any]) -> Callable[..., Any]:
        if not self._takes_tensors:
            return super()._wrap_update(update)

        @functools.wraps(update)
        def checked(preds: Any, target: Any) -> None:
            for name, x in (("preds", preds), ("target", target)):
                checks.instance(name, x, Tensor, "a tensor")
            update(preds, target)

        return super()._wrap_update(checked)

    def _add(self, counts: Tensor, *totals: Tensor, readings: Tensor | tuple[int, int] = (0, 0)) -> None:
        """Add counts (rows, columns), exact sums (rows, COLUMNS) each, and how often the input was read in each way.

        A tensor (2,) of these waits for a device, to be checked; numbers, which the host knows, do not.
        """
        seen, known = self._seen, isinstance(readings, tuple)
        if self._guesses is not None:
            if isinstance(readings, tuple):
                seen = (seen[0] + readings[0], seen[1] + readings[1])
                self._refuse(all(seen))
                columns = torch.stack([counts.new_full(counts.shape[:1], n) for n in readings], dim=1)
            else:
                columns = readings.expand(len(counts), -1)
            totals = (*totals, columns.to(torch.int64))
        self._join([getattr(self, self._table), torch.cat([counts, *totals], dim=1).to(self.device)], known=known)
        self._seen = seen

    def _join(self, tables: Sequence[Tensor], *, known: bool = False) -> None:
        rows = max(map(len, tables))
        padded = [torch.nn.functional.pad(x, (0, 0, 0, rows - len(x))) for x in tables]
        total = torch.stack(padded).sum(0)
        parts = [total[:, : self._counts]]
        for number in range(self._sums):
            start = self._counts + number * exact.COLUMNS
            parts.append(exact.carried(total[:, start : start + exact.COLUMNS]))
        if self._guesses is not None:
            parts.append(total[:, -2:])
            if self._waits and not known:
                self._check_readings(total)
        setattr(self, self._table, torch.cat(parts, dim=1))

    def _check_readings(self, table: Tensor) -> None:
        """Raise if batches were read in different ways."""
        self._refuse(self._guesses is not None and bool((table[:, -2:] > 0).any(0).all()))

    def _refuse(self, both: bool) -> None:  # noqa: FBT001
        if self._guesses is not None and both:
            what, (one, other), hint = self._guesses
            raise ValueError(f"{what} must be the same in all batches, got {one} in some and {other} in others: {hint}")

    def _reduce_states(self, incoming_state: dict[str, Any]) -> None:
        if self._table not in incoming_state:
            raise ValueError(
                f"a state to merge must be of a metric with the same options, got one without {self._table!r}"
            )
        self._join([incoming_state[self._table], getattr(self, self._table)])

    def _sync_dist(self, dist_sync_fn: Callable[..., Any] | None = None, process_group: Any = None) -> None:
        gather, group = dist_sync_fn or gather_all_tensors, process_group or self.process_group
        self._join(gather(getattr(self, self._table), group=group))
