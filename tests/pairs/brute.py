"""Pairs of a matrix, found one by one."""

import numpy as np

from tests.helpers import numbers, random_boxes


def listed(pairs):
    """Rows and columns, as Python's."""
    return list(zip(numbers(pairs.a).astype(int).tolist(), numbers(pairs.b).astype(int).tolist(), strict=True))


def expected(matrix, threshold, groups=None, *, inclusive=False, higher=True):
    """The pairs of a matrix, found one by one."""
    pairs = []
    for i, j in np.ndindex(matrix.shape):
        x = matrix[i, j] if higher else -matrix[i, j]
        t = threshold if higher else -threshold
        if (x > t or (inclusive and x == t)) and (groups is None or groups[0][i] == groups[1][j]):
            pairs.append((i, j))
    return pairs


def random_sets(kind, rng, n):
    x, y, sides = rng.random((n, 1)) * 60, rng.random((n, 1)) * 60, rng.random((n, 2)) * 25
    turn = rng.random((n, 1)) * 7
    match kind:
        case "rotated":
            return np.concatenate([x, y, sides, turn], axis=1)
        case "boxes3d":
            return np.concatenate([x, y, rng.random((n, 1)) * 20, sides, sides[:, :1], turn], axis=1)
        case "polygons":
            angles = np.sort(rng.random((n, 5)) * 2 * np.pi, axis=1)
            circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
            return np.stack([x, y], axis=-1) + circle * sides[:, :1, None]
        case "masks":
            return rng.random((n, 6, 6)) > 0.6
    return random_boxes(rng, n, dims=int(kind[0]))


def best(matrix, same, k, *, higher=True):
    """Values and columns of the best k of each row (N, k): NaN is last, ties go to the lower column."""
    values, columns = np.full((len(matrix), k), np.nan), np.full((len(matrix), k), -1)
    for i, row in enumerate(matrix):
        order = [j for j in range(len(row)) if same[i, j] and not np.isnan(row[j])]
        order.sort(key=lambda j: (-row[j] if higher else row[j], j))
        order += [j for j in range(len(row)) if same[i, j] and np.isnan(row[j])]
        for place, j in enumerate(order[:k]):
            values[i, place], columns[i, place] = row[j], j
    return values, columns
