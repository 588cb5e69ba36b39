"""Classes with ancestors: an object of a class is also an object of each ancestor."""

import dataclasses
import graphlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any, TypeVar

import array_api_compat as compat

from omniou._inputs.inputs import Detections, Targets, columns_of
from omniou._inputs.tables import PAIRS
from omniou._lib import host, indexing
from omniou._lib.arrays import arrays_of, cast, namespace_of
from omniou._lib.types import ArrayT, Namespace
from omniou.rle import Masks

LabelT = TypeVar("LabelT", int, str)
TableT = TypeVar("TableT", Targets[Any], Detections[Any])
Related = Mapping[int, Sequence[int]]


def expand(
    targets: Targets[ArrayT], detections: Detections[ArrayT], ancestors: Mapping[int, Iterable[int]]
) -> tuple[Targets[ArrayT], Detections[ArrayT]]:
    """Add copies of objects and detections for each ancestor of their class.

    The tools of Open Images' challenges do this only to the objects, and take the detections as they are: there, it is
    for the detector to name the ancestors. To follow them, keep the detections that you have.

    Parameters
    ----------
    targets : Targets
        Each object is followed by one copy for each ancestor of its class, alike in all but the label; so is each pair
        of `not_exhaustive`. Pairs of `negative` are followed by copies for the descendants: where there is no animal,
        there is no dog.
    detections : Detections
        Expanded as objects are. What was detected as a class and as its ancestor, too, is then of the ancestor twice.
    ancestors : mapping of int to iterable of int
        The labels of the parents of each label, or of all its ancestors: parents of parents are added
        in any case. Labels without ancestors may be missing.

    Returns
    -------
    tuple of Targets and Detections
        Rows in their order, copies by rising label. Columns keep library, device and dtype, except for
        labels, which have 64 bits; lists stay lists.

    Raises
    ------
    TypeError
        If labels are not integers, or a table is none.
    ValueError
        If a label is its own ancestor, or the columns of a table differ in length.

    Examples
    --------
    Two helmets, of which one is found as what it is, and one as some helmet: 1 and 2 are kinds of 3.

    >>> from omniou import detection
    >>> targets = detection.Targets([[0, 0, 10, 10], [20, 0, 30, 10]], labels=[1, 2], images=[0, 0])
    >>> found = detection.Detections([[0, 0, 10, 10], [20, 0, 30, 10]], scores=[0.9, 0.8], labels=[1, 3], images=[0, 0])
    >>> targets, found = detection.expand(targets, found, {1: [3], 2: [3]})
    >>> targets.labels, found.labels
    ([1, 3, 2, 3], [1, 3, 3])
    >>> detection.evaluate(targets, found, protocol="open_images").per_class["AP"].tolist()
    [1.0, 0.0, 1.0]
    """
    above = _all_above_numbers(ancestors)
    below = reverse(above)
    return expanded("targets", targets, Targets, above, below), expanded("detections", detections, Detections, above)


def all_above(parents: Mapping[LabelT, Iterable[LabelT]]) -> dict[LabelT, list[LabelT]]:
    """Parents -> all ancestors of each label, rising; graphlib.CycleError, if one is its own."""
    graph = {label: set(near) for label, near in parents.items()}
    ancestors: dict[LabelT, set[LabelT]] = {}
    for label in graphlib.TopologicalSorter(graph).static_order():
        near = graph.get(label, set())
        ancestors[label] = near.union(*(ancestors[x] for x in near))
    return {label: sorted(related) for label, related in ancestors.items() if related}


def reverse(related: Mapping[LabelT, Iterable[LabelT]]) -> dict[LabelT, list[LabelT]]:
    """What leads from a label to others -> what leads there, rising."""
    below: dict[LabelT, list[LabelT]] = {}
    for label in sorted(related):
        for other in related[label]:
            below.setdefault(other, []).append(label)
    return below


def copies(labels: Any, related: Related, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Labels (N,) -> rows (R,) and labels (R,): each row as it is, then with each label that is related to its own."""
    labels = cast(labels, xp.int64, xp=xp)
    if labels.shape[0] == 0:
        return labels, labels
    device = compat.device(labels)
    ids = indexing.distinct(labels, xp=xp)
    listed = [[label, *related.get(label, ())] for label in indexing.to_list(ids)]
    flat = xp.asarray(list(itertools.chain.from_iterable(listed)), dtype=xp.int64, device=device)
    sizes = xp.asarray([len(x) for x in listed], dtype=xp.int64, device=device)
    number, _ = indexing.place(ids, labels, xp=xp)
    count = xp.take(sizes, number)
    before = indexing.starts(count, xp=xp)
    rows = xp.repeat(xp.arange(labels.shape[0], dtype=xp.int64, device=device), count)
    # Offset of the list of each row, minus the number of rows before it.
    shift = xp.take(indexing.starts(sizes, xp=xp), number) - before[:-1]
    every = xp.arange(rows.shape[0], dtype=xp.int64, device=device)
    return rows, xp.take(flat, every + xp.take(shift, rows))


def expanded(name: str, table: TableT, kind: type, above: Related, below: Related | None = None) -> TableT:
    """A table with its copies; `above` and `below` hold all ancestors, and all descendants, of labels."""
    if not isinstance(table, kind):
        raise TypeError(f"`{name}` must be {kind.__name__}, got {type(table).__name__}")
    columns = {name: x for name, x in columns_of(table).items() if x is not None}
    like = next((x for x in columns.values() if hasattr(x, "dtype")), None)
    given = _labels(f"{name}.labels", columns.pop("labels"), like)
    xp, ready, home = host.to_host({"labels": given})
    rows, labels = copies(ready["labels"], above, xp=xp)
    copied: dict[str, Any] = {"labels": indexing.to_list(labels) if like is None else home(labels)}
    for field, x in columns.items():
        if field in PAIRS:
            copied[field] = pairs(f"{name}.{field}", x, (below or {}) if field == "negative" else above)
            continue
        _check_length(f"{name}.{field}", x, given.shape[0])
        copied[field] = _taken(x, rows, home)
    return dataclasses.replace(table, **copied)


def _all_above_numbers(ancestors: Mapping[int, Iterable[int]]) -> dict[int, list[int]]:
    try:
        parents = {index(label): [index(x) for x in others] for label, others in ancestors.items()}
    except (TypeError, AttributeError):
        raise TypeError(f"`ancestors` must map integers to lists of integers, got {ancestors!r}") from None
    try:
        return all_above(parents)
    except graphlib.CycleError as error:
        shown = ", a parent of ".join(map(str, error.args[1]))
        raise ValueError(f"`ancestors` must not lead from a label to itself, got {shown}") from None


def _labels(name: str, x: Any, like: Any) -> Any:
    """Labels as an array (N,); a list joins the library of another column, or NumPy."""
    if not hasattr(x, "dtype"):
        _, (fact,) = arrays_of(**{name: [] if like is None else like})
        xp = fact.namespace
        # An empty list has no dtype of its own.
        x = xp.asarray(x, dtype=None if x else xp.int64, device=None if like is None else compat.device(like))
    xp = namespace_of(name, x)
    if compat.is_dask_namespace(xp):
        raise TypeError("detection looks at values, which Dask arrays do not have yet: pass `x.compute()`")
    if x.ndim != 1 or not xp.isdtype(x.dtype, "integral"):
        raise TypeError(f"`{name}` must be integers of shape (N,), got shape {tuple(x.shape)} and dtype {x.dtype}")
    return x


def _check_length(name: str, x: Any, length: int) -> None:
    shape = tuple(x.shape) if hasattr(x, "shape") else (len(x),)
    if shape[:1] != (length,):
        raise ValueError(
            f"`{name}` must have a row for each of the {length} labels, got {shape[0] if shape else 'a number'}"
        )


def _taken(x: Any, rows: Any, home: Callable[[Any], Any]) -> Any:
    """Rows of a column."""
    if isinstance(x, Masks):
        return x.take(indexing.to_list(rows))
    if not hasattr(x, "dtype"):
        return [x[k] for k in indexing.to_list(rows)]
    return namespace_of("column", x).take(x, home(rows), axis=0)


def pairs(name: str, x: Any, related: Related) -> Any:
    """Pairs of image and label (P, 2) with their copies."""
    if not hasattr(x, "dtype"):
        return [(image, other) for image, label in x for other in (label, *related.get(label, ()))]
    if x.shape[0] == 0:
        return x
    xp, ready, home = host.to_host({name: x})
    pairs = ready[name]
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not xp.isdtype(pairs.dtype, "integral"):
        raise ValueError(f"`{name}` must be integers of shape (P, 2), got shape {tuple(x.shape)} and dtype {x.dtype}")
    rows, labels = copies(pairs[:, 1], related, xp=xp)
    images = cast(xp.take(pairs[:, 0], rows), xp.int64, xp=xp)
    return home(xp.stack([images, labels], axis=1))
