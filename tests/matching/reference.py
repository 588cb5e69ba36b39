"""Assignments by brute force."""

import itertools


def total(cost, matched):
    return sum(cost[row][column] for row, column in enumerate(matched) if column >= 0)


def best_of_all(cost, allowed):
    """Number of pairs and total cost of the best of all assignments: as many pairs as can be, then the lowest cost."""
    if cost.shape[0] > cost.shape[1]:
        return best_of_all(cost.T, allowed.T)
    n, m = cost.shape
    found = []
    for columns in itertools.permutations(range(m), n):
        pairs = [(i, j) for i, j in enumerate(columns) if allowed[i, j]]
        found.append((-len(pairs), sum(cost[pair] for pair in pairs)))
    count, least = min(found)
    return -count, least


def check(matched, cost, allowed):
    taken = [x for x in matched if x >= 0]
    assert len(set(taken)) == len(taken)
    assert all(allowed[row, column] for row, column in enumerate(matched) if column >= 0)
    assert (len(taken), total(cost, matched)) == best_of_all(cost, allowed)
