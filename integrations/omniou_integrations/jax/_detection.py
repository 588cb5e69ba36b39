"""Average precision inside `jit`, from histograms of scores, which can be added."""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from omniou import detection
from omniou._kernels import histograms, padded
from omniou._kernels.boxes import Boxes
from omniou._lib import carried, checks, formats, meshes
from omniou._lib.arrays import widest_floating
from omniou._lib.formats import BoxFormat
from omniou.boxes import GEOMETRY
from omniou.detection import COCO, Protocol
from omniou.detection import _presets as presets
from omniou.detection._protocol import place_of
from omniou_integrations.jax._metrics import STATIC, Sums
from omniou_integrations.jax._sums import array

Values: TypeAlias = dict[str, jax.Array]

# Key -> what it must hold.
_TARGETS = {"boxes": "numbers", "labels": "integers"}
_DETECTIONS = {"boxes": "numbers", "scores": "numbers", "labels": "integers"}
_MORE_OF_TARGETS = {
    "where": "booleans",
    "iscrowd": "booleans or integers",
    "ignore": "booleans or integers",
    "area": "numbers",
}
_MORE_OF_DETECTIONS = {"where": "booleans"}
_KINDS = {
    "numbers": ("integral", "real floating"),
    "integers": ("integral",),
    "booleans": ("bool",),
    "booleans or integers": ("bool", "integral"),
}


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class DetectionAP(Sums):
    """COCO's average precision of boxes, of batches of one shape, inside `jit`.

    Detections and objects are matched as in `omniou.detection`; instead of the detections, the state keeps histograms
    of their scores by class and threshold, as `omniou.detection.sketch` does. So it has one size, and adds up over
    batches and devices to the last bit. The result differs from the exact one by what scores in one bin lose of their
    order: about 1e-3 with 1024 bins, more where scores are tied. `omniou.detection.Evaluator`, on the host, is exact.

    A pytree, which nothing changes: every method gives a new state. Start with `empty`.

    Attributes
    ----------
    hits, counted : jax.Array, shape (T, K, bins)
        True positives, and detections that count, of T thresholds and K classes.
    objects : jax.Array, shape (K,)
        Objects that count. All are int32, in which a count ends at 2,147,483,647, or int64 with ``jax_enable_x64``.
    protocol, low, high, format, offset
        The same as in `empty`. Static.

    Notes
    -----
    Boxes and scores are compared in float32, or in float64 with ``jax_enable_x64``: in float32 an IoU within 1e-7 of a
    threshold may fall on its other side. No gradient flows through.

    The time of `update` grows with N steps, one for each detection of an image, in each of which all images and
    thresholds are matched at once; so exclude hopeless detections before.

    For clu see `BoxScore`: a subclass whose ``empty`` knows the number of classes.

    Examples
    --------
    Two images with room for three detections and two objects; one object is matched, one missed, one half overlapped.

    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import DetectionAP
    >>> targets = {
    ...     "boxes": jnp.asarray([[[0.0, 0, 8, 8], [9, 9, 12, 12]], [[0, 0, 4, 4], [jnp.nan] * 4]]),
    ...     "labels": jnp.asarray([[0, 0], [1, -1]]),
    ... }
    >>> nothing = [jnp.nan] * 4
    >>> detections = {
    ...     "boxes": jnp.asarray([[[0.0, 0, 8, 8], [20, 20, 30, 30], nothing], [[0, 0, 4, 2], nothing, nothing]]),
    ...     "scores": jnp.asarray([[0.9, 0.3, jnp.nan], [0.8, jnp.nan, jnp.nan]]),
    ...     "labels": jnp.asarray([[0, 0, -1], [1, -1, -1]]),
    ... }
    >>> state = DetectionAP.empty(2, bins=512).update(targets, detections)
    >>> {name: round(float(value), 3) for name, value in state.summary().items()}
    {'AP': 0.302, 'AP50': 0.752, 'AP75': 0.252, 'AR': 0.3}
    """

    hits: jax.Array
    counted: jax.Array
    objects: jax.Array
    protocol: Protocol = dataclasses.field(metadata=STATIC)
    low: float = dataclasses.field(metadata=STATIC)
    high: float = dataclasses.field(metadata=STATIC)
    format: BoxFormat = dataclasses.field(metadata=STATIC)
    offset: float = dataclasses.field(metadata=STATIC)

    _rank: ClassVar[int] = 3
    inputs: ClassVar[tuple[str, ...]] = ("targets", "detections")

    @classmethod
    def empty(
        cls,
        classes: int,
        *,
        protocol: Protocol | str = "coco",
        bins: int = 1024,
        low: float = 0.0,
        high: float = 1.0,
        format: BoxFormat = "xyxy",
        offset: float = 0.0,
    ) -> Self:
        """Return the state without data.

        Parameters
        ----------
        classes : int
            Labels are 0 ... ``classes - 1``.
        protocol : Protocol or str
            The rules: COCO's, with other `iou_thresholds`, `recall_points` or last of `max_detections` if wanted; of
            the area ranges, only the first counts.
        bins : int
            Half of them lie close to `high`, where scores of confident models crowd together.
            Memory is 8 bytes, or 16 with ``jax_enable_x64``, for each of T * K * bins.
        low, high : float
            Range of the scores; those beyond are counted in the outermost bins, NaN in the lowest.
        format : {"xyxy", "yxyx", "xywh", "cxcywh"}
            Of all boxes.
        offset : float
            1 where maximum corners name the last pixel inside.

        Raises
        ------
        TypeError, ValueError
            If an option is unknown or out of its bounds, or the protocol has rules that need all detections at once.
        """
        classes = checks.count("classes", classes)
        bins = checks.count("bins", bins)
        low, high = checks.interval(low, high)
        protocol = _like_coco(presets.named(protocol))
        layout = _layout(format, offset)
        shape = len(protocol.iou_thresholds), classes, bins
        # Two separate arrays, because one array cannot be donated twice.
        hits, counted = jnp.zeros(shape, int), jnp.zeros(shape, int)
        return cls(hits, counted, jnp.zeros(classes, int), protocol, low, high, checks.plain(format), layout.offset)

    def update(
        self,
        targets: Mapping[str, ArrayLike],
        detections: Mapping[str, ArrayLike],
        *,
        where: ArrayLike | None = None,
    ) -> Self:
        """Return the state with another batch of B images, each with room for M objects and N detections.

        Parameters
        ----------
        targets : dict of arrays
            "boxes" (B, M, 4), "labels" (B, M); and if wanted "where" (B, M), which of them are not padding, "iscrowd"
            and "ignore" (B, M) as in `omniou.detection.Targets`, "area" (B, M). Padding may hold anything. A label that
            is not a class is padding, too.
        detections : dict of arrays
            "boxes" (B, N, 4), "scores" (B, N), "labels" (B, N); and if wanted "where" (B, N).
        where : array of booleans, shape (B,), optional
            Which images count.

        Raises
        ------
        TypeError
            If an array has another kind of dtype.
        ValueError
            If a key is missing or unknown, or shapes do not fit.
        """
        objects = _columns("targets", targets, _TARGETS, _MORE_OF_TARGETS)
        detected = _columns("detections", detections, _DETECTIONS, _MORE_OF_DETECTIONS)
        images = len(objects["labels"])
        if len(detected["labels"]) != images:
            raise ValueError(
                f"`detections` must have as many images as `targets`, {images}, got {len(detected['labels'])}"
            )
        where = jnp.ones(images, bool) if where is None else array(where)
        if where.shape != (images,) or where.dtype != bool:
            raise ValueError(
                f"`where` must hold booleans of shape {(images,)}, got dtype {where.dtype} and shape {where.shape}"
            )
        return _updated(self, objects, detected, where)

    def average_precision(self) -> jax.Array:
        """Compute AP of each threshold and class (T, K), NaN for a class without objects."""
        return _average_precision(self)

    def summary(self) -> dict[str, jax.Array]:
        """Compute AP, AP50 and AP75 if the protocol has these thresholds, and AR; NaN if no class has objects.

        Means over thresholds and classes that have objects. AR is the recall of all detections within the limit.
        """
        return _summary(self)

    def compute(self) -> dict[str, jax.Array]:
        """Compute `summary`, under the name that clu and flax call."""
        return self.summary()

    def sketch(self) -> detection.Sketch:
        """Return the histograms in NumPy, where the host computes in float64; not inside `jit`."""
        hits, counted, objects = (np.asarray(x, np.int64) for x in (self.hits, self.counted, self.objects))
        classes = np.arange(len(objects))
        return detection.Sketch(
            protocol=self.protocol,
            classes=classes,
            objects=objects,
            hits=hits,
            counted=counted,
            low=self.low,
            high=self.high,
        )


def _like_coco(protocol: Protocol) -> Protocol:
    free = ("iou_thresholds", "singled_out", "recall_points", "area_ranges", "max_detections")
    if dataclasses.replace(protocol, **{name: getattr(COCO, name) for name in free}) != COCO:
        raise ValueError(f"`protocol` must have COCO's rules but for {', '.join(free)}, got {protocol}")
    return protocol


def _layout(format: str, offset: float) -> formats.Layout:
    checks.choice("format", format, ("xyxy", "yxyx", "xywh", "cxcywh"))
    return formats.layout(format, offset)[0]


def _columns(table: str, given: Any, required: dict[str, str], optional: dict[str, str]) -> Values:
    """Check the arrays of a table, and return them by name."""
    known = required | optional
    names = list(given) if isinstance(given, Mapping) else type(given).__name__
    if isinstance(names, str) or not required.keys() <= set(names) <= known.keys():
        raise ValueError(
            f"`{table}` must be a dict with the keys {list(required)}, and if wanted {list(optional)}, got {names}"
        )
    columns = {name: array(carried.plain(f"{table}[{name!r}]", x)) for name, x in given.items()}
    shape: tuple[int, ...] = columns["labels"].shape
    if len(shape) != 2:
        raise ValueError(f"`{table}['labels']` must have shape (images, boxes), got {shape}")
    for name, x in columns.items():
        if not jnp.isdtype(x.dtype, _KINDS[known[name]]):
            raise TypeError(f"`{table}['{name}']` must hold {known[name]}, got dtype {x.dtype}")
        expected = (*shape, GEOMETRY.length("xyxy")) if name == "boxes" else shape
        if x.shape != expected:
            raise ValueError(f"`{table}['{name}']` must have shape {expected}, as there are labels, got {x.shape}")
    return columns


@jax.jit
@meshes.automatic
def _updated(state: DetectionAP, targets: Values, detections: Values, where: jax.Array) -> DetectionAP:
    objects, rows = _objects(state, targets, where), _detected(state, detections, where)
    matched, counts = (jnp.moveaxis(x, -1, 0) for x in _matched(state, objects, rows))
    counted = jnp.where(matched, counts, rows.inside[None, ...]) & rows.real[None, ...]
    place = histograms.bins(rows.scores, state.low, state.high, state.hits.shape[-1], xp=jnp)
    # Integers, because their sum does not depend on the order of addition on the device.
    return dataclasses.replace(
        state,
        hits=state.hits.at[:, rows.labels, place].add((matched & counted).astype(state.hits.dtype)),
        counted=state.counted.at[:, rows.labels, place].add(counted.astype(state.counted.dtype)),
        objects=state.objects.at[objects.labels].add(objects.counts.astype(state.objects.dtype)),
    )


def _objects(state: DetectionAP, targets: Values, where: jax.Array) -> padded.PaddedObjects:
    """Read objects from last to first, the order of `take_best`."""
    targets = {name: jnp.flip(x, axis=1) for name, x in targets.items()}
    boxes, labels, real = _rows(state, targets, where)
    none = jnp.zeros_like(real)
    crowd, ignore = (targets.get(name, none).astype(bool) for name in ("iscrowd", "ignore"))
    area = targets.get("area", boxes.area)
    counts = real & ~crowd & ~ignore & padded.within(area, _limits(state))
    return padded.PaddedObjects(boxes, labels, real, counts, crowd)


def _detected(state: DetectionAP, detections: Values, where: jax.Array) -> padded.PaddedDetections:
    """Read detections by falling score, without those above the limit."""
    scores = detections["scores"].astype(widest_floating(jnp))
    order = padded.order(scores, detections.get("where", jnp.ones(scores.shape, bool)), xp=jnp)
    detections = {name: jax.vmap(lambda rows, places: rows[places])(x, order) for name, x in detections.items()}
    boxes, labels, real = _rows(state, detections, where)
    real = padded.first_of_class(labels, real, state.protocol.max_detections[-1], xp=jnp)
    # NaN goes to the lowest bin, because its cast to an integer is undefined.
    scores = jnp.where(detections["scores"] >= state.low, detections["scores"], state.low).astype(scores.dtype)
    return padded.PaddedDetections(boxes, labels, scores, real, padded.within(boxes.area, _limits(state)))


def _rows(state: DetectionAP, table: Values, where: jax.Array) -> tuple[Boxes, jax.Array, jax.Array]:
    """Return boxes, labels, and which rows are not padding, (B, N) each."""
    labels, classes = table["labels"].astype(int), len(state.objects)
    real = table.get("where", True) & where[:, None] & (labels >= 0) & (labels < classes)
    layout = _layout(state.format, state.offset)
    boxes = padded.measured(table["boxes"], real, layout=layout, dtype=widest_floating(jnp), xp=jnp)
    return boxes, jnp.where(real, labels, 0), real


def _limits(state: DetectionAP) -> tuple[float, float]:
    first = state.protocol.area_ranges[0]
    return first.low, first.high


def _matched(
    state: DetectionAP, objects: padded.PaddedObjects, detections: padded.PaddedDetections
) -> tuple[jax.Array, jax.Array]:
    """Return which detections are matched, and which of them to an object that counts (B, N, T)."""
    overlap = padded.overlaps(detections, objects, xp=jnp)
    thresholds = padded.least(state.protocol.iou_thresholds, overlap.dtype, xp=jnp)
    least = jnp.asarray(thresholds, overlap.dtype)
    if 0 in overlap.shape:
        none = jnp.zeros((*detections.labels.shape, len(thresholds)), bool)
        return none, none

    def step(free: jax.Array, overlap: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        free, matched, counts = padded.take_best(free, overlap, least, objects, xp=jnp)
        return free, (matched, counts)

    free = jnp.repeat(objects.real[:, None, :], len(thresholds), axis=1)
    _, taken = jax.lax.scan(step, free, jnp.moveaxis(overlap, 1, 0))
    matched, counts = (jnp.moveaxis(x, 0, 1) for x in taken)
    return matched, counts


@jax.jit
@meshes.automatic
def _average_precision(state: DetectionAP) -> jax.Array:
    points = state.protocol.recall_points
    table: jax.Array = histograms.average_precision(state.objects, state.hits, state.counted, points, xp=jnp)
    return table


@jax.jit
@meshes.automatic
def _summary(state: DetectionAP) -> dict[str, jax.Array]:
    table, thresholds = _average_precision(state), state.protocol.iou_thresholds
    known = jnp.broadcast_to(state.objects > 0, table.shape)
    places = {f"AP{100 * at:.0f}": place_of(thresholds, at) for at in state.protocol.singled_out}
    values = {"AP": jnp.mean(table, where=known)}
    values |= {name: jnp.mean(table[k], where=known[k]) for name, k in places.items() if k is not None}
    matched, objects = jnp.sum(state.hits, axis=-1), jnp.maximum(state.objects, 1)[None, :]
    recall = histograms.share(matched, objects, table.dtype, xp=jnp)
    return values | {"AR": jnp.mean(recall, where=known)}
