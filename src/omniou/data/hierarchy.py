"""Open Images' hierarchy of classes: the file, and what follows from it for a ground truth and for detections."""

import dataclasses
import graphlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from omniou._inputs import hierarchy as ids
from omniou._lib import backends
from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._formats.coco_records import HierarchyNode
from omniou.data._truth import GroundTruth
from omniou.detection import Detections, Targets

__all__ = ["expand_detections", "expand_truth", "read"]

Column = npt.NDArray[Any]
Ancestors: TypeAlias = Mapping[str, Sequence[str]]


def read(path: Path | str) -> dict[str, list[str]]:
    """Read a hierarchy, such as ``bbox_labels_600_hierarchy.json``.

    Parameters
    ----------
    path : path
        A JSON object with "LabelName" and, where it has any, "Subcategory", a list of such objects. A class may have
        several parents. "Part" has no effect: a wheel is not a car. The outermost object is not a class.

    Returns
    -------
    dict
        Name of each class -> names of all its ancestors, in alphabetical order.

    Raises
    ------
    InputError
        The message names the file and the place in it: if it is not such JSON, has no classes, or a class is its own
        ancestor.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou.data import hierarchy
    >>> dog = '{"LabelName": "/m/dog", "Part": [{"LabelName": "/m/tail"}]}'
    >>> animal = f'{{"LabelName": "/m/animal", "Subcategory": [{dog}]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "hierarchy.json")
    ...     _ = path.write_text(f'{{"LabelName": "/m/0bl9f", "Subcategory": [{animal}]}}')
    ...     hierarchy.read(path)
    {'/m/animal': [], '/m/dog': ['/m/animal']}
    """
    path = Path(path)
    root = _json.decode(path, _json.read(path), HierarchyNode)
    places = _links(root)
    if not places:
        raise InputError(path, "has no classes", place="Subcategory")
    parents: dict[str, list[str]] = {child: [] for child, _ in places}
    for child, parent in places:
        if parent is not None:
            parents[child].append(parent)
    try:
        above = ids.all_above(parents)
    except graphlib.CycleError as error:
        circle = error.args[1]
        place = places[circle[1], circle[0]]
        raise InputError(path, f"a class is its own ancestor: {' > '.join(circle)}", place=place) from None
    return {name: above.get(name, []) for name in sorted(parents)}


def expand_truth(truth: GroundTruth, ancestors: Ancestors) -> GroundTruth:
    """Add a copy of each object for each ancestor of its class.

    Parameters
    ----------
    truth : GroundTruth
        In any format, with categories named as in the hierarchy. Other categories have no ancestors.
    ancestors : mapping of str to sequence of str
        The result of `read`.

    Returns
    -------
    GroundTruth
        With the targets that `omniou.detection.expand` makes. All classes of the hierarchy are categories, new ones
        after those that there were, so detections of them can be read.

    Raises
    ------
    InputError
        If none of the categories is in the hierarchy.
    """
    known = set(ancestors).intersection(truth.categories.values())
    if not known:
        which = ", ".join(map(repr, list(truth.categories.values())[:5]))
        raise InputError(truth.path, f"none of the categories ({which}) is in the hierarchy")
    fresh = sorted(set(ancestors) - known)
    first = max(truth.categories) + 1
    truth = dataclasses.replace(truth, categories=truth.categories | dict(enumerate(fresh, start=first)))
    above = _by_id(truth, ancestors)
    below = ids.reverse(above)
    rows, _ = ids.copies(truth.targets.labels, above, xp=backends.numpy_namespace())
    targets, present = truth.targets, truth.present
    if present is None:
        targets = ids.expanded("targets", targets, Targets, above, below)
    else:
        # A present class implies its ancestors; an absent class implies the absence of its descendants.
        labelled = cast("Column", targets.negative)
        there = ids.pairs("negative", labelled[present], above)
        absent = ids.pairs("negative", labelled[~present], below)
        targets = ids.expanded("targets", dataclasses.replace(targets, negative=None), Targets, above)
        targets = dataclasses.replace(targets, negative=np.concatenate([absent, there]))
        present = np.repeat([False, True], [len(absent), len(there)])
    return dataclasses.replace(truth, targets=targets, flagged=truth.flagged[rows], present=present)


def expand_detections(detections: Detections[Column], truth: GroundTruth, ancestors: Ancestors) -> Detections[Column]:
    """Add a detection of every ancestor of its class for each detection.

    Open Images' own tools do not: there, the detector predicts the ancestors. Use this function if your detector
    predicts only the most specific class.

    Parameters
    ----------
    detections : Detections
        Read for `truth`.
    truth : GroundTruth
        From `expand_truth`.
    ancestors : mapping of str to sequence of str
        The result of `read`.

    Returns
    -------
    Detections
        The boxes that `omniou.detection.expand` makes.
    """
    return ids.expanded("detections", detections, Detections, _by_id(truth, ancestors))


def _links(root: HierarchyNode) -> dict[tuple[str, str | None], str]:
    """Each class and parent, None for those under the root, and a place where the file says so."""
    places: dict[tuple[str, str | None], str] = {}
    waiting: list[tuple[HierarchyNode, str | None, str]] = [(root, None, "")]
    while waiting:
        node, name, place = waiting.pop()
        for number, child in enumerate(node.Subcategory):
            at = f"{place}Subcategory[{number}]"
            places.setdefault((child.LabelName, name), at)
            waiting.append((child, child.LabelName, f"{at}."))
    return places


def _by_id(truth: GroundTruth, ancestors: Ancestors) -> dict[int, list[int]]:
    """Ancestors by the ids of categories."""
    numbers = {name: id for id, name in reversed(truth.categories.items())}
    names = {id: ancestors.get(name, ()) for id, name in truth.categories.items()}
    return {id: sorted(numbers[x] for x in above) for id, above in names.items() if above}
