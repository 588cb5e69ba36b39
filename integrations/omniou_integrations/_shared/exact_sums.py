"""Exact sums of floats: the result does not depend on the order or grouping of the additions.

Every float64 is an integer times 2^-1126. A sum of them is kept as such an integer, in limbs of 32 bits, each in an
int64; three more columns count what is not finite.
"""

import math

import torch
from torch import Tensor

# `frexp` gives 53 bits of fraction; the exponent of the smallest float, 2^-1074, is -1073.
_MANTISSA, _LEAST = 53, -1073
_BITS, _MASK = 32, 2**32 - 1
# The highest exponent is 1024; the last limb holds the sign and the carries.
_LIMBS = (1024 - _LEAST) // _BITS + 4
_NOT_FINITE = (math.inf, -math.inf, math.nan)
COLUMNS = _LIMBS + len(_NOT_FINITE)


def nothing(size: int, device: torch.device | None = None) -> Tensor:
    """Sums of no numbers, (K, COLUMNS) of int64."""
    return torch.zeros((size, COLUMNS), dtype=torch.int64, device=device)


def sums(values: Tensor, places: Tensor, size: int) -> Tensor:
    """Floats (N,) of 32 or 64 bits, integers (N,) in [0, K) -> the sum of the values at each, (K, COLUMNS) of int64."""
    finite = torch.isfinite(values)
    fraction, exponent = torch.frexp(torch.where(finite, values, 0.0))
    number = (fraction * 2.0**_MANTISSA).to(torch.int64)
    offset = torch.where(number == 0, 0, exponent - _LEAST)
    limb, shift = offset // _BITS, offset % _BITS
    # A number of 53 bits, moved by `shift`, lies in three limbs from `limb` on: 1.0 is 2^1126 units, bit 6 of limb 35.
    # The parts above and below bit 32 are shifted separately, so that no bit leaves the 64.
    low, high = (number & _MASK) << shift, (number >> _BITS) << shift
    parts = torch.cat([low & _MASK, (low >> _BITS) + (high & _MASK), high >> _BITS])
    first = places * COLUMNS
    columns = torch.cat([first + limb + step for step in range(3)])
    # On a device, to ask whether there are any would wait.
    if values.device.type != "cpu" or not finite.all():
        same = [values == math.inf, values == -math.inf, values.isnan()]
        parts = torch.cat([parts, *(x.to(torch.int64) for x in same)])
        columns = torch.cat([columns, *(first + column for column in range(_LIMBS, COLUMNS))])
    out = torch.zeros(size * COLUMNS, dtype=torch.int64, device=values.device)
    return out.index_add_(0, columns, parts).reshape(size, COLUMNS)


def joined(parts: Tensor, places: Tensor, size: int) -> Tensor:
    """Sums (N, COLUMNS), integers (N,) in [0, K) -> the sum of those at each, (K, COLUMNS)."""
    return carried(parts.new_zeros((size, COLUMNS)).index_add(0, places, parts))


def mean(total: Tensor, count: Tensor) -> Tensor:
    """Sums (K, COLUMNS), integers (K,) -> their quotients (K,) as float64, rounded once; NaN for a count of 0."""
    rows = torch.cat([total, count[:, None].to(total.dtype)], dim=1).tolist()  # one transfer
    means = [_quotient(row[:-1], row[-1]) for row in rows]
    return torch.tensor(means, dtype=torch.float64)


def carried(total: Tensor) -> Tensor:
    """Carry, so that sums are in limbs of 32 bits again: a billion of these can be added."""
    limbs, others = total[:, :_LIMBS], total[:, _LIMBS:]
    lower, carry = limbs & _MASK, limbs >> _BITS
    # The last limb keeps its high bits: there is no limb to carry them into.
    lower[:, -1] = limbs[:, -1]
    lower[:, 1:] += carry[:, :-1]
    return torch.cat([lower, others], dim=1)


def _quotient(row: list[int], count: int) -> float:
    if count == 0:
        return math.nan
    special = [value for value, times in zip(_NOT_FINITE, row[_LIMBS:], strict=True) if times]
    if special:
        return sum(special)  # of both infinities: NaN
    number = sum(limb << (_BITS * place) for place, limb in enumerate(row[:_LIMBS]) if limb)
    return number / (count << (_MANTISSA - _LEAST))
