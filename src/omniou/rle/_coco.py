"""COCO's records: run lengths as text or as lists."""

import array
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from omniou._lib import threads
from omniou.rle import _compiled
from omniou.rle import _runs as kernels
from omniou.rle._columns import MOST, TILE, MaskError, RunTable, batches, between, concat, numpy, place_dtype, take

# Characters of a number: eight hold 2**34, and a sign.
LONGEST = 8


def read(records: Sequence[Any]) -> RunTable:
    """Records with "size" and "counts" -> a table in which equal masks have equal runs."""
    xp = numpy()
    try:
        sizes, counts = ([record[field] for record in records] for field in ("size", "counts"))
    except (KeyError, TypeError, IndexError):
        for row, record in enumerate(records):
            _check_record(row, record)
        raise
    pairs = read_sizes(sizes)
    kinds = set(map(type, counts))
    if kinds in ({str}, {bytes}):
        return _read_text(counts, range(len(counts)), pairs)
    kind = xp.asarray([isinstance(count, str) + 2 * isinstance(count, bytes) for count in counts], dtype=xp.int64)
    rows = [xp.flatnonzero(kind == which) for which in range(3)]
    parts = [
        work([counts[row] for row in which], which.tolist(), pairs[which, :])
        for work, which in zip((_read_lists, _read_text, _read_text), rows, strict=True)
    ]
    return take(concat(parts), xp.argsort(xp.concat(rows)))


def _check_record(row: int, record: Any) -> None:
    if not isinstance(record, Mapping):
        raise MaskError(row, "", f"expected an object with `size` and `counts`, got {short(record)}")
    for field in ("size", "counts"):
        if field not in record:
            raise MaskError(row, field, "missing")


def read_sizes(sizes: Any) -> Any:
    """Pairs of a height and a width -> (N, 2)."""
    xp = numpy()
    pairs = sizes if isinstance(sizes, xp.ndarray) else _pairs(_listed(sizes))
    if pairs is not None and pairs.shape == (0,):
        pairs = xp.zeros((0, 2), dtype=xp.int64)
    if pairs is not None and pairs.ndim == 2 and pairs.shape[1] == 2 and xp.isdtype(pairs.dtype, "integral"):
        height, width = (xp.astype(pairs[:, k], xp.float64) for k in (0, 1))  # whose product cannot overflow
        if not ((height < 0) | (width < 0) | (height * width > MOST)).any():
            return xp.astype(pairs, xp.int64)
    listed = _listed(sizes)
    for row, size in enumerate(listed if isinstance(listed, Iterable) else ()):
        _check_size(row, size)
    raise ValueError(f"`sizes` must be pairs of a height and a width, got {short(listed)}")


def _listed(sizes: Any) -> Any:
    return sizes.tolist() if hasattr(sizes, "tolist") else sizes


def _pairs(sizes: Any) -> Any:
    """Return the numbers of lists as an array, or None if there are none."""
    xp = numpy()
    try:
        # A third of the time of `asarray`.
        regular = set(map(len, sizes)) <= {2} and set(map(type, itertools.chain.from_iterable(sizes))) <= {int}
        flat = itertools.chain.from_iterable(sizes)
        return xp.fromiter(flat, dtype=xp.int64).reshape(-1, 2) if regular else xp.asarray(sizes)
    except (TypeError, ValueError, OverflowError):
        return None


def _check_size(row: int, size: Any) -> None:
    try:
        height, width = (int(x) for x in size)
        whole = (height, width) == tuple(size)
    except (TypeError, ValueError, OverflowError):
        whole, height, width = False, 0, 0
    if not whole or min(height, width) < 0:
        raise MaskError(row, "size", f"expected [height, width], two integers of at least 0, got {size!r}")
    if height * width > MOST:
        raise MaskError(row, "size", f"{height} x {width} is more than 2**34 pixels")


def _read_text(counts: Sequence[Any], names: Sequence[int], sizes: Any) -> RunTable:
    """Texts of one kind, str or bytes; `names` are the rows they are called by."""
    xp = numpy()
    lengths = xp.fromiter(map(len, counts), dtype=xp.int64, count=len(counts))

    def work(start: int, stop: int) -> RunTable:
        try:
            return _decode(counts[start:stop], lengths[start:stop], sizes[start:stop, :])
        except MaskError as error:
            raise MaskError(names[start + error.row], error.field, error.fault) from None

    return concat(threads.mapped(work, batches(lengths, TILE), threads=_compiled.cpus()))


def _joined(counts: Sequence[Any]) -> bytes:
    if isinstance(counts[0], bytes):
        return b"".join(counts)
    try:
        return "".join(counts).encode("ascii")
    except UnicodeEncodeError:
        row = next(row for row, count in enumerate(counts) if not count.isascii())
        character = next(c for c in counts[row] if not c.isascii())
        raise _bad_character(row, character) from None


def _bad_character(row: int, character: str) -> MaskError:
    return MaskError(row, "counts", f"character {character!r} is not of COCO's text, '0' to 'o'")


def _decode(counts: Sequence[Any], lengths: Any, sizes: Any) -> RunTable:
    """One batch."""
    xp = numpy()
    if not lengths.all():  # no text is no run, and a mask has at least one
        nothing = b"0" if isinstance(counts[0], bytes) else "0"
        counts = [count or nothing for count in counts]
        lengths = xp.maximum(lengths, xp.ones_like(lengths))
    text = xp.frombuffer(_joined(counts), dtype=xp.int8)
    stop = xp.cumulative_sum(lengths)
    if (good := _compiled.decode(text, stop, sizes)) is not None:
        return good
    if text.min() < 48 or text.max() > 111:
        place = int(xp.argmax((text < 48) | (text > 111)))
        raise _bad_character(int(xp.searchsorted(stop, place, side="right")), chr(int(text[place]) % 256))
    cut = xp.take(text, stop - 1) >= 80
    if cut.any():
        raise MaskError(int(xp.argmax(cut)), "counts", "the text ends inside a number")
    most = int(xp.max(sizes[:, 0] * sizes[:, 1]))
    digits = kernels.digits(text, place_dtype(most), xp=xp)
    if digits.longest > 6:
        digits = kernels.digits(text, xp.int64, xp=xp)
    if digits.longest > LONGEST:
        width = xp.diff(digits.ends, prepend=-1)
        row = int(xp.searchsorted(stop, digits.ends[xp.argmax(width > LONGEST)], side="right"))
        raise MaskError(row, "counts", f"a number of more than {LONGEST} characters: no image has so many pixels")
    first = xp.searchsorted(digits.ends, stop - 1) + 1
    first = xp.concat([xp.zeros(1, dtype=first.dtype), first])
    return tabled(sizes, kernels.unchain(digits.total, first, xp=xp), first)


def _read_lists(counts: Sequence[Any], names: Sequence[int], sizes: Any) -> RunTable:
    lengths, first = _regular(counts) or _checked_lists(counts, names)
    try:
        return tabled(sizes, lengths, first)
    except MaskError as error:
        raise MaskError(names[error.row], error.field, error.fault) from None


def _regular(counts: Sequence[Any]) -> tuple[Any, Any] | None:
    """Lengths of all lists and the offsets of each, if all are valid, checked at once; else None."""
    xp = numpy()
    if not (counts and set(map(type, counts)) <= {list} and all(counts)):
        return None
    try:
        packed = b"".join([array.array("q", x) for x in counts])  # a third of the time of `asarray`
    except (TypeError, OverflowError):
        return None
    lengths, first = xp.frombuffer(packed, dtype=xp.int64), _first_of(map(len, counts), len(counts))
    # A list of zeros and ones may hold booleans: it is checked by itself.
    longest = xp.maximum.reduceat(lengths, first[:-1])
    return None if lengths.min() < 0 or longest.max() > MOST or longest.min() <= 1 else (lengths, first)


def _checked_lists(counts: Sequence[Any], names: Sequence[int]) -> tuple[Any, Any]:
    """Read lists one by one, and raise MaskError for the first invalid one."""
    xp = numpy()
    columns = [xp.zeros(0, dtype=xp.int64)]
    for row, count in zip(names, counts, strict=True):
        try:
            column = xp.asarray(count if len(count) else [0])
        except (TypeError, ValueError, OverflowError):
            column = None
        if column is None or column.ndim != 1 or not xp.isdtype(column.dtype, "integral"):
            raise MaskError(row, "counts", f"expected text or a list of integers, got {short(count)}")
        if (wrong := (column < 0) | (column > MOST)).any():
            raise MaskError(row, "counts", f"expected lengths from 0 to 2**34, got {column[wrong][0]}")
        columns.append(xp.astype(column, xp.int64))
    return xp.concat(columns), _first_of((x.size for x in columns[1:]), len(counts))


def _first_of(lengths: Iterable[int], count: int) -> Any:
    xp = numpy()
    return xp.cumulative_sum(xp.fromiter(lengths, dtype=xp.int64, count=count), include_initial=True)


def tabled(sizes: Any, lengths: Any, first: Any) -> RunTable:
    """Lengths, which must fill their images, and where those of each mask start."""
    xp = numpy()
    pixels = sizes[:, 0] * sizes[:, 1]
    if lengths.size and lengths.min() < 0:
        place = int(xp.argmax(lengths < 0))
        row = int(xp.searchsorted(first, place, side="right")) - 1
        raise MaskError(row, "counts", f"run {place - int(first[row])} has a length below 0")
    # No overflow: lengths are at most 2**34 and come in batches.
    total = xp.cumulative_sum(lengths, dtype=xp.int64, include_initial=True)
    filled = xp.diff(xp.take(total, first))
    wrong = filled != pixels
    if wrong.any():
        row = int(xp.argmax(wrong))
        height, width = sizes[row, :].tolist()
        fault = f"runs add up to {filled[row]} pixels, but {height} x {width} are {pixels[row]}"
        raise MaskError(row, "counts", fault)
    start, end, begin = kernels.runs(total, first, xp=xp)
    zero = lengths == 0
    zero[first[:-1]] = False
    most = int(pixels.max()) if pixels.size else 0
    if zero.any():
        bits = most.bit_length()
        mask = xp.repeat(xp.arange(pixels.size) << bits, xp.diff(begin))
        start, end, begin = kernels.united(mask + start, mask + end, bits, pixels.size, xp=xp)
    dtype = place_dtype(most)
    return RunTable(sizes, xp.astype(start, dtype), xp.astype(end, dtype), begin)


def checked(sizes: Any, start: Any, end: Any, first: Any) -> RunTable:
    """Runs, which must rise and stay inside their images."""
    xp = numpy()
    mask = xp.repeat(xp.arange(len(sizes)), xp.diff(first))
    before = xp.where(xp.diff(mask, prepend=-1) > 0, -1, xp.roll(end, 1))
    pixels = xp.prod(sizes, axis=1)
    wrong = ~((before < start) & (start < end) & (end <= xp.take(pixels, mask)))
    if wrong.any():
        place = int(xp.argmax(wrong))
        row = int(mask[place])
        run = f"run {place - int(first[row])} goes from {start[place]} to {end[place]}"
        beyond = f"behind the end of the one before it, {before[place]}, " if before[place] >= 0 else "at 0 or later "
        raise MaskError(row, "", f"{run}: it must start {beyond}and end later, within {pixels[row]} pixels")
    dtype = place_dtype(int(pixels.max()) if pixels.size else 0)
    return RunTable(sizes, xp.astype(start, dtype, copy=False), xp.astype(end, dtype, copy=False), first)


def write(table: RunTable, *, compressed: bool = True) -> list[dict[str, Any]]:
    """Tables -> records with text, or with lists of lengths."""
    xp = numpy()
    records = []
    for low, high in batches(2 * xp.diff(table.first) + 1, TILE):
        part = between(table, low, high)
        lengths, first = kernels.lengths(*part, xp=xp)
        # A last length of 0 is not written; the first length of a mask always is.
        kept = lengths > 0
        kept[first[:-1]] = True
        first = xp.take(xp.cumulative_sum(kept, dtype=xp.int64, include_initial=True), first)
        whole: Any
        if compressed:
            text, first = kernels.text(lengths[kept], first, xp=xp)
            whole = text.tobytes().decode("ascii")
        else:
            whole = lengths[kept].tolist()
        counts = [whole[a:b] for a, b in itertools.pairwise(first.tolist())]
        records += [{"size": size, "counts": x} for size, x in zip(part.sizes.tolist(), counts, strict=True)]
    return records


def short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 60 else f"{text[:57]}..."
