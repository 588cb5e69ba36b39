"""Evaluate columns of detections at once, and states."""

from __future__ import annotations  # `help` shows annotations as they are written, not spelled out

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from omniou._inputs import inputs
from omniou._inputs import tables as parts
from omniou._inputs.ground_truth import GroundTruthLike, as_read, unpacked
from omniou._inputs.kinds import KindName, ScoreLike
from omniou._inputs.kinds import described as kinds_described
from omniou._inputs.names import Names, numbered
from omniou._lib import backends, checks, docs, indexing, near
from omniou._lib.docs import described
from omniou._lib.host import as_it_is
from omniou.detection import _presets as presets
from omniou.detection import _similarities as similarities
from omniou.detection._matcher import Matcher
from omniou.detection._result import Result
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from omniou.detection.curves._state import State, merge

if TYPE_CHECKING:
    from omniou._catalogue.geometry import Geometry
    from omniou._inputs.inputs import Detections, Targets
    from omniou._inputs.tables import Tables
    from omniou._lib.formats import BoxFormat
    from omniou._lib.types import ArrayT, Namespace
    from omniou.detection._protocol import Protocol
    from omniou.detection.matching._matches import Compared
    from omniou.keypoints import Skeleton


@described(
    docs.texts(
        kind=f"What is compared: {kinds_described()}, the shapes of any other geometry, or the points of a "
        "`keypoints.Skeleton`. Rows of numbers, in the formats of the modules of these shapes, are in the columns "
        "`boxes`; polygons have x and y in turns (N, 2V); keypoints are in the columns `keypoints`. Default: the kind "
        'that files were read as, else "bbox".'
    )
)
@near.explained
def evaluate(
    targets: Targets[ArrayT] | GroundTruthLike | Sequence[Mapping[str, Any]],
    detections: Detections[ArrayT] | Sequence[Mapping[str, Any]],
    *,
    protocol: Protocol | str | None = None,
    kind: KindName | Literal["similarity"] | Geometry | Skeleton | None = None,
    score: ScoreLike | None = None,
    format: BoxFormat | str | None = None,
    offset: float = 0.0,
    classes: Any = None,
    images: Any = None,
    groups: Mapping[str, Any] | None = None,
    class_agnostic: bool = False,
    missing_scores: bool = False,
    similarity: Any = None,
    thresholds: Any = None,
    higher_is_better: bool = True,
) -> Result[ArrayT]:
    """Compute average precision and recall of detections, by the rules of COCO.

    The tables equal pycocotools' tables in every cell, with two exceptions: the ids of annotations have no effect
    (pycocotools reads the id 0 as "unmatched"), and the limits of detections may be any numbers (in pycocotools, AP is
    -1 unless 100 is among them). "No data" is NaN, not -1.

    Parameters
    ----------
    targets : Targets, omniou.data.GroundTruth, or list of dict
        All objects of all images, as columns; the result of a reader of `omniou.data`, which also has `format`, `kind`,
        `classes`, `images` and `groups`; or one dictionary for each image, with the keys "boxes" and "labels", and
        optionally "iscrowd", "area" and "ignore". In dictionaries, a negative label marks padding.
    detections : Detections, or list of dict
        All detections, in the library and on the device of the targets. Keys: "boxes", "scores", "labels".
    protocol : Protocol or str, optional
        The rules: a name of `PRESETS`, such as "coco" or "voc2010", or one of these with changed fields. Default:
        `targets.protocol`, which files of LVIS and DOTA state, else the rules of the kind: COCO's for shapes and
        keypoints, ActivityNet's for intervals.
    kind : str, a geometry or a skeleton
    score : str or callable, optional
        A score instead of IoU: a name of `omniou.scores`, such as "giou", or a function of detections and targets,
        element by element. The function gets boxes as corners, "xyxy", and other shapes in their own format; it must
        not exceed 0 for disjoint bounds. If NumPy computes (see the notes), the function gets NumPy arrays.
    format : {"xyxy", "yxyx", "xywh", "cxcywh"}, or another of the geometry
        Format of both columns of boxes, also for 1 and 3 dimensions, as in `omniou.boxes`. In formats with sides, width
        times height is the area to the last bit, as in pycocotools. Default: the first of the geometry, "xyxy".
    offset : float
        1 if maximum corners name the last pixel inside the box.
    classes, images : sequence or array of integers, optional
        Classes and images to evaluate, as labels and ids, or as names if the columns have names. Default: all that
        occur, of classes those from 0 on: a negative label is an error, because it may be padding.
    groups : mapping of str to sequence or array of integers, optional
        Groups of classes by name, such as LVIS's rare, common and frequent classes: each adds a number to the summary.
    class_agnostic : bool
        Treat all classes as one, with the label 0, like pycocotools' ``useCats=0``. It is also a field of `Protocol`.
    missing_scores : bool
        Evaluate detections without scores, ``scores=None`` or dictionaries without the key: one operating point. The
        summary begins with F1, precision and recall, `Result.one_point` has more numbers, and AP counts all detections
        at once. It is also a field of `Protocol`.
    similarity : matrices, pairs or a function, optional
        Similarities or distances of any range instead of shapes: tables have ``boxes=None``, and dictionaries
        need only "labels" and "scores". Area ranges look at the columns `area`; without these on both sides, the
        default rules have one range. Shapes that are there have two uses: they give areas if they were read from a
        file, and the payload of rows without one. One of

        - a matrix (objects, detections) for each image: a list for lists of dictionaries, else a mapping from ids of
          images;
        - pairs: rows (P, 4) of image, detection, object and value, with places in their image from 0, or a mapping of
          the columns "images", "detections", "objects" and "values". All other pairs never match;
        - a function of the `payload` (in dictionaries "payload") of an image's objects and of its detections, that
          returns such a matrix. It is called once for each image that has both.
    thresholds : sequence of float, optional
        Thresholds of `similarity`, in its unit, instead of the protocol's: sorted from loose to strict, they are the
        axis T. A value that equals a threshold is a match. Must be given for distances.
    higher_is_better : bool
        Whether values of `similarity` are similarities; False for distances. Distances keep their sign in all results.

    Returns
    -------
    Result
        The twelve numbers, the same for each class, and the curves, in arrays of the given library.

    Raises
    ------
    TypeError
        If the columns come from two libraries or devices, are None, or hold something else than numbers.
    ValueError
        If shapes do not fit, an option is unknown, a score is NaN, a box or an area is not finite, or the area of a box
        is more than a quarter of the largest float.

    Notes
    -----
    The evaluator computes in float64 if the library has it, for columns of any dtype. Shapes on the way depend on
    values: do not use it under `jax.jit` or `torch.compile`, nor on Dask arrays. JAX would compile each step anew for
    each shape, and a GPU would wait, so NumPy evaluates arrays of JAX and tensors, and omniou puts the results on
    their device. If 64-bit numbers are switched off in JAX, it rounds the tables to float32, but not the numbers of the
    summary.

    `evaluate` copies the columns: later changes of the arrays do not change the result.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014; the rules follow ``COCOeval`` in cocodataset/cocoapi.

    Examples
    --------
    Three objects in one image, and detections of two: recall is 2/3, and AP reaches 67 of 101 recall thresholds.

    >>> from omniou import detection
    >>> truth = [[0, 0, 10, 10], [20, 20, 30, 30], [50, 50, 60, 60]]
    >>> result = detection.evaluate(
    ...     detection.Targets(boxes=truth, labels=[1, 1, 1], images=[0, 0, 0]),
    ...     detection.Detections(boxes=truth[:2], scores=[0.9, 0.8], labels=[1, 1], images=[0, 0]),
    ... )
    >>> round(result.summary["AP"], 4), round(result.summary["AR100"], 4)
    (0.6634, 0.6667)
    """
    how: dict[str, Any] = {"kind": kind, "score": score, "format": format, "offset": offset}
    changed: dict[str, Any] = {"class_agnostic": class_agnostic, "missing_scores": missing_scores}
    if similarities.asked(similarity, thresholds, higher_is_better, **how):
        from omniou._inputs.similarity_values import without_shapes

        targets, detections = without_shapes(targets), without_shapes(detections)
        own = presets.named(protocol or similarities.by_areas(targets, detections), **changed)
        how["protocol"] = similarities.rules(own, thresholds, higher_is_better=higher_is_better)
        how |= {"similarity": similarity}
        return resumed(None, targets, detections, classes=classes, images=images, groups=groups, **how)
    kind = presets.kind_for(as_read("kind", kind, targets, detections) or "bbox", protocol)
    protocol = as_read("protocol", protocol, targets, detections)
    # A ground truth that was read knows what it holds.
    of_truth = getattr(targets, "geometry", kind) if kind == "bbox" else kind
    protocol = presets.named(protocol, kind=of_truth, **changed)
    how |= {"protocol": similarities.of_shapes(protocol), "kind": kind}
    return resumed(None, targets, detections, classes=classes, images=images, groups=groups, **how)


def resumed(
    state: State | None,
    targets: Any,
    detections: Any,
    *,
    classes: Any = None,
    images: Any = None,
    groups: Mapping[str, Any] | None = None,
    protocol: Protocol,
    kind: Any,
    score: Any,
    format: str | None,
    offset: float,
    image_groups: Mapping[str, list[int]] | None = None,
    similarity: Any = None,
) -> Result[Any]:
    """Return what `evaluate` returns. With a state, the rows were matched elsewhere."""
    check_groups(groups, protocol)
    format = as_read("format", format, targets, detections)
    given = unpacked(targets, kind=kind, format=format, classes=classes, images=images, groups=groups)
    named = numbered(given.targets, detections, classes=given.classes, images=given.images, groups=given.groups)
    matcher = Matcher(
        protocol, similarities.compared_by(protocol, given.kind, given.format, offset, score), named.classes
    )
    groups = {} if protocol.class_agnostic else named.groups
    # Copies, since callers may fill their arrays anew before they ask the result for its matches.
    known: dict[str, Any] = {"names": named.image_names or getattr(targets, "image_names", {})}
    known["only_names"] = bool(named.image_names)
    read = matcher.read(named.targets, named.detections, named.images, similarity=similarity, **known)
    tables = parts.owned(read[0])
    if state is None:
        state = matcher.matched([tables if named.images is None else parts.of_its_images(tables)])
        names = given.named or Names(named.class_names, named.image_names, bool(named.class_names))
        names = names.without_classes() if protocol.class_agnostic else names
        names = dataclasses.replace(names, image_groups=image_groups or names.image_groups, groups=listed(groups))
        state = dataclasses.replace(state, names=names)
    again = functools.partial(compared_again, matcher, (tables,), state)
    return result_of(state, groups, tables.home, again, xp=tables.xp)


def compared_again(matcher: Matcher, kept: tuple[Tables, ...], state: State) -> Compared:
    """Return the tables that were compared, joined from the tables of the parts."""
    return matcher.compared(parts.joined(kept), state)


@described(evaluate)
def compute(states: Sequence[State], /, *, groups: Mapping[str, Any] | None = None) -> Result[Any]:
    """Compute the numbers of several evaluators from their states. By default, the states also have the groups.

    Parameters
    ----------
    states : sequence of State
        `Evaluator.state` of each, or what `omniou.data.states.load` read: of one library, by the same protocol, and of
        other images each. Their order has no effect.
    groups : mapping of str to sequence or array of integers, optional

    Raises
    ------
    TypeError, ValueError
        If there is no state, an item is not a state, the protocols differ, or an image is in two states.

    Examples
    --------
    >>> from omniou import detection
    >>> evaluator = detection.Evaluator("voc2010")
    >>> evaluator.update([{"boxes": [[0, 0, 9, 9]], "labels": [1]}], [{"boxes": [], "scores": [], "labels": []}])
    >>> detection.compute([evaluator.state]).summary
    {'AP': 0.0, 'AR': 0.0}
    """
    checks.instance("states", states, Sequence, "a list of states")
    for number, state in enumerate(states):
        checks.instance(f"states[{number}]", state, State, "a State, such as `Evaluator.state`")
    if not states:
        raise ValueError("`states` must not be empty")
    xp = backends.array_namespace(states[0].scores)
    state = states[0] if len(states) == 1 else merge(states, xp=xp)
    return result_of(state, groups, as_it_is, None, xp=xp)


def result_of(
    state: State,
    groups: Mapping[str, Any] | None,
    home: Callable[[Any], Any],
    compared: Callable[[], Compared] | None,
    /,
    *,
    xp: Namespace,
) -> Result[Any]:
    """Return the result of a state. `compared` returns the tables that were compared, if they are kept."""
    check_groups(groups, state.protocol)
    groups = state.names.groups if groups is None else groups
    named = {name: inputs.rising_ids(x, state.classes, name="groups", xp=xp) for name, x in groups.items()}
    result: Result[Any] = Result(Curves(Ranking(state, xp=xp)), home, named, compared)
    result.names, result.image_names = state.names.classes, state.names.images
    return result


def check_groups(groups: Any, protocol: Protocol) -> None:
    checks.instance("groups", groups, Mapping | None, "a mapping of names to labels")
    if protocol.class_agnostic and groups:
        raise ValueError(
            "`groups` name some of the classes, and `class_agnostic` makes all classes one: leave one of both out"
        )


def listed(groups: Any) -> dict[str, list[int]]:
    """Return the labels of each group."""
    given = {} if groups is None else groups
    return {name: indexing.to_list(ids) if hasattr(ids, "shape") else list(ids) for name, ids in given.items()}
