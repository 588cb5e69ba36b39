"""Single boxes of a file that are doubtful, regardless of the others: sides of zero, copies, thin ones, areas."""

from typing import Any

from omniou import boxes
from omniou._doctor.columns import Column, distinct, median, np
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes_of_file import FileBoxes

# Ranges in brackets as in `_doctor.engine`.

# A share of detections that have a side of zero, and a number of them, that need no finding: those that are clipped to
# their image may lose a side.
_FLAT, _FLAT_BOXES = {"ground truth": 0.0, "detections": 0.02}, {"ground truth": 1, "detections": 3}
# A box is thin if it is at most so many pixels wide (1 to 4), and so many times as long as wide, and as most are.
_THIN_PIXELS, _THIN = 2.0, 20.0
# IoU of two boxes of one object that was annotated twice (0.9 to 0.99).
_COPY = 0.95
# Boxes of one class and image that a box is compared with: the next ones by the left side.
_NEXT = 8
# Shares of rows that are copies, and a number of them, that need no finding.
_COPIES, _COPIES_AT_LEAST = {"ground truth": 0.0, "detections": 0.02}, {"ground truth": 1, "detections": 2}
# How often classes are dealt out anew to the images, to see how many copies there are by chance: at least, and of how
# many boxes in all; and the chance of as many that is no chance.
_DEALT, _DEALT_BOXES, _UNLIKELY = 10, 200_000, 0.001
# Boxes of different areas that tell that all stated areas are one number.
_AREAS = 3
# The precision of a fraction in float64 after it was multiplied by the side of its image, and divided by it.
_EXACT = 1e-9
# A share of areas that are larger than their box, and by how much (1.01 to 1.5).
_LARGER, _LARGER_BY = 0.05, 1.1


def check(file: FileBoxes) -> list[Finding]:
    """Boxes without an area, and lines."""
    if not len(file.numbers):
        return []
    corners = file.given.corners(file.numbers)
    sides = corners[:, 2:] - corners[:, :2]
    return [*_flat(file, sides), *_thin(file, sides)]


def _flat(file: FileBoxes, sides: Column) -> list[Finding]:
    """Boxes without an area: these overlap nothing."""
    flat = (sides == 0).any(axis=1)
    count = int(flat.sum())
    if count < _FLAT_BOXES[file.what] or count <= _FLAT[file.what] * len(flat):
        return []
    text = f"{count} of {len(flat)} boxes of the {file.what} have a side of 0, and overlap nothing"
    hint = f"remove them, or write their sides; the first is box {int(np.argmax(flat)) + 1}"
    return [Finding(code="boxes-flat", text=text, hint=hint, path=file.path)]


def _thin(file: FileBoxes, sides: Column) -> list[Finding]:
    """Objects that are lines."""
    proper = (sides > 0).all(axis=1)
    if file.what != "ground truth" or file.unit_sides or not proper.any():
        return []
    ratio = sides.max(axis=1) / np.where(proper, sides.min(axis=1), np.inf)
    usual = max(1.0, median(ratio[proper]))
    thin = proper & (sides.min(axis=1) <= _THIN_PIXELS) & (ratio > _THIN * usual)
    if not thin.any():
        return []
    longest = int(np.argmax(np.where(thin, ratio, 0)))
    text = f"{int(thin.sum())} of {len(thin)} boxes of the {file.what} are almost lines"
    evidence = f"one is {sides[longest, 0]:g} x {sides[longest, 1]:g}"
    hint = "check their corners"
    return [Finding(code="boxes-thin", text=text, evidence=evidence, hint=hint, path=file.path)]


def copies(file: FileBoxes, table: Any, rows: Any) -> list[Finding]:
    """Objects, or detections, of one class and image that are nearly equal, beyond what chance explains."""
    corners = file.given.corners(file.numbers[rows])
    labels, images = (np.asarray(getattr(table, name))[rows] for name in ("labels", "images"))
    total = len(corners)
    first = ~_copied(corners, labels, images)
    count = total - int(first.sum())
    if count < _COPIES_AT_LEAST[file.what] or count <= _COPIES[file.what] * total:
        return []
    if len(distinct(images)) > 1 and not _beyond_chance(count, corners[first], labels[first], images[first]):
        return []
    what = "objects" if file.what == "ground truth" else file.what
    text = f"{count} of {total} {what} are nearly equal to another one of their class and image (IoU > {_COPY})"
    hint = "write each once: perhaps annotated twice, or written without non-maximum suppression"
    return [Finding(code="near-copies", text=text, hint=hint, path=file.path)]


def _copied(corners: Column, labels: Column, images: Column) -> Column:
    """Whether each box is nearly equal to one before it, in the order of their left sides."""
    order = np.lexsort((corners[:, 0], labels, images))
    x, label, image = corners[order], labels[order], images[order]
    copied = np.zeros(len(order), dtype=bool)
    for step in range(1, min(_NEXT + 1, len(order))):
        near = np.flatnonzero((label[step:] == label[:-step]) & (image[step:] == image[:-step]))
        copied[near[boxes.iou(x[near], x[near + step]) > _COPY] + step] = True
    result = np.zeros(len(order), dtype=bool)
    result[order] = copied
    return result


def _beyond_chance(count: int, corners: Column, labels: Column, images: Column) -> bool:
    """Whether there are more copies than if the images of each class are dealt out anew."""
    rng = np.random.default_rng(0)
    size = len(labels)
    rounds = max(_DEALT, _DEALT_BOXES // size)
    # Rounds of small sets are looked at together, as images of their own: each call takes as long as many rows do.
    together = max(1, _DEALT_BOXES // size)
    place = np.unique(images, return_inverse=True)[1].reshape(-1)
    dealt = 0
    for start in range(0, rounds, together):
        some = min(together, rounds - start)
        turn, every = np.repeat(np.arange(some), size), np.tile(labels, some)
        # A random order in which rounds, and in them classes, stay together.
        order = np.lexsort((rng.random(some * size), every, turn))
        mixed = np.empty(some * size, dtype=np.int64)
        mixed[np.lexsort((every, turn))] = (np.tile(place, some) + turn * size)[order]
        dealt += int(_copied(np.tile(corners, (some, 1)), every, mixed).sum())
    expected = dealt / rounds
    # Poisson's chance of as many: 1 less the sum of exp(-m) m^k / k! below them.
    terms = np.cumprod(np.concatenate([[1.0], expected / np.arange(1, count)]))
    return bool(1 - np.exp(-expected) * terms.sum() < _UNLIKELY)


def areas(file: FileBoxes, table: Any) -> list[Finding]:
    """Stated areas that are all the same, or larger than the boxes: ranges of area count others then."""
    stated = getattr(table, "area", None)
    if stated is None or file.unit_sides or not len(file.numbers):
        return []
    stated, corners = np.asarray(stated, dtype=np.float64), file.given.corners(file.numbers)
    own = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    hint = 'write "area", of the mask or of the box, in pixels: APs, APm and APl depend on it'
    different = len(distinct(np.round(own)))
    if different >= _AREAS and (stated == stated[0]).all():
        text = f"the area of all {len(stated)} objects is {stated[0]:g}, but their boxes differ"
        return [Finding(code="areas-equal", text=text, hint=hint, path=file.path)]
    larger = (stated > _LARGER_BY * own + 2) & (own > 0)
    if larger.sum() <= _LARGER * len(own) or len(own) < _AREAS:
        return []
    row = int(np.argmax(larger))
    text = f"{int(larger.sum())} of {len(own)} areas of objects are larger than their box"
    evidence = f"{stated[row]:g} for a box of {own[row]:g}"
    return [Finding(code="areas-larger", text=text, evidence=evidence, hint=hint, path=file.path)]


# A share of objects with decimals: a rounded ground truth says nothing of detections (0.25 to 0.9).
_MOST = 0.5
# Ways in which coordinates are rounded: in words, decimals, and whether of fractions of the sides of their images.
_ROUNDED = (
    ("whole pixels", 0, False),
    ("two decimals of the sides of their images", 2, True),
    ("three decimals of the sides of their images", 3, True),
)


def rounded(truth: FileBoxes, detections: FileBoxes) -> list[Finding]:
    """Detections in whole numbers, or in a few decimals of fractions, where objects are not.

    Whole numbers of a scale, such as 0 to 1000, are what a language model writes.
    """
    if not (detections.enough and truth.enough) or detections.scale not in {None, 1}:
        return []
    some = [x.sample for x in (truth, detections)]
    for words, digits, of_sides in _ROUNDED:
        of_truth, numbers = (x / np.tile(sides, 2) if of_sides else x for x, sides in some)
        if _with_decimals(of_truth, digits) >= _MOST and not _with_decimals(numbers, digits):
            corners = detections.given.corners(detections.numbers)
            side = median((corners[:, 2:] - corners[:, :2]).min(axis=1))
            text = f"coordinates of the detections are rounded to {words}; the objects have more decimals"
            evidence = f"the shorter side of half of the boxes is below {side:.4g}"
            hint = "write all decimals: rounding lowers the IoU of small boxes"
            return [Finding(code="boxes-rounded", text=text, evidence=evidence, hint=hint, path=detections.path)]
    return []


def _with_decimals(x: Column, digits: int) -> float:
    """The share of boxes with a number that has more decimals, or is not known."""
    scaled = x * 10**digits
    whole = np.abs(scaled - np.round(scaled)) <= _EXACT * np.maximum(1, np.abs(scaled))
    return 1 - float(whole.all(axis=1).mean())
