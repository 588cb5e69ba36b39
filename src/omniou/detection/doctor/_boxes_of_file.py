"""What the boxes of one file say by themselves: their order and unit, and whether they fit the images."""

import dataclasses
import math

from omniou._doctor.columns import Column, median, np, quantile
from omniou._lib.findings import Finding
from omniou.detection.doctor._examined import FILES, Cures
from omniou.detection.doctor._readings import ORDERS, BoxReading, inside

# Ranges in brackets as in `_doctor.engine`.

# Boxes that are looked at, evenly spaced, to bound the time (1000 to 4000).
_MOST = 2000
# Boxes that tell of an order or a unit (5 to 20), and those that tell of it by a rank correlation (15 to 60).
_FEW, _FEW_RANKS = 10, 30
# Shares of boxes inside their images: in an order that is meant at the least (0.49 to 0.98; with more, 6 damages are
# missed), and in one that is not at the most (0.9 to 0.99; at 0.82 a damage is missed, above 1 16 sets are accused).
_NEARLY_ALL, _TOO_FEW = 0.98, 0.9
# A share of boxes that are not proper, or begin before their image, where the order is not the given one (0.05 to 0.2).
_IMPROPER = 0.1
# Fractions of an image's sides are not above this (1 to 3; at 0.75, 9 damages are missed), in such a share of the boxes
# (0.48 to 0.95); images are larger than so many pixels (4 to 16).
_FRACTION, _FRACTIONS, _TINY = 1.5, 0.95, 8
# The median of numbers that are pixels, where sizes are not known (1.5 to 6).
_PIXELS = 3.0
# A share of boxes inside their images, above which they were not multiplied once too often (0.05 to 0.2).
_INSIDE = 0.1
# How far boxes reach into their images (0.15 to 0.6), of this quantile of them (0.48 to 0.95).
_REACH, _REACHING = 0.3, 0.95
# The rank correlation of the first with the third number (0.25 to 1): sides do not grow with the position, maximum
# corners do.
_CORRELATED = 0.5
# How far a box may reach beyond its image, in sides of the image (0.01 to 0.1, and 0.25 to 1), and in pixels (1 to 4).
# Objects end with their image, up to rounding; detectors that do not clip their boxes go beyond it, but not far.
_FAR, _SLACK_PIXELS = {"ground truth": 0.02, "detections": 0.5}, 2.0
# Shares of boxes beyond their images that need no finding (none, and 0.1 to 0.4), of 10 boxes at the least.
_BEYOND = {"ground truth": 0.0, "detections": 0.2}


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class FileBoxes:
    """The boxes of a file, with the sides of their images, NaN where unknown, and how they were read."""

    what: str  # "ground truth" or "detections"
    path: str
    option: str  # for the order of numbers
    format: str  # as they were read, with ``rel_`` where they were fractions
    given: BoxReading
    numbers: Column  # (N, 4)
    sides: Column  # (N, 2)
    cures: Cures = FILES
    scale: float | None = None  # what the coordinates count to, where that was given

    @property
    def enough(self) -> bool:
        """Whether there are enough boxes to tell."""
        return len(self.numbers) >= _FEW

    @property
    def sample(self) -> tuple[Column, Column]:
        """Evenly spaced boxes, and the sides of their images."""
        step = -(-len(self.numbers) // _MOST) or 1
        return self.numbers[::step], self.sides[::step]

    @property
    def extent(self) -> float:
        """How far images reach, or boxes, where their sizes are not known; NaN where there are none."""
        numbers, sides = self.sample
        known = sides[~np.isnan(sides)]
        if known.size:
            return median(known)
        return median(np.abs(numbers).max(axis=1)) if len(numbers) else float("nan")

    @property
    def has_sizes(self) -> bool:
        """Whether sizes of images are known."""
        return not np.isnan(self.sample[1]).all()

    def hint(self, reading: BoxReading) -> str:
        """The option that reads them otherwise, if there is one."""
        if reading.option and self.cures is FILES and self.scale is not None:
            return self.scaled(reading, self.scale)
        if not reading.option:
            return f"swap x with y, and width with height, in the {self.what}"
        return self.cure(reading.option, relative=self.is_relative)

    @property
    def is_relative(self) -> bool:
        """Whether they were read as fractions of the sides of their images."""
        return self.format.startswith("rel_") or self.scale is not None

    @property
    def counted(self) -> float | None:
        """What the coordinates were read to count to: 1 of fractions, None of pixels."""
        return 1.0 if self.scale is None and self.is_relative else self.scale

    def named(self, order: str) -> str:
        """The name of the order as a format, of fractions where they were read so."""
        return f"rel_{order}" if self.is_relative else order

    def cure(self, order: str, *, relative: bool) -> str:
        """What reads them in that order, as fractions of the sides of their images or not."""
        order = f"rel_{order}" if relative else order
        more = self.cures.relative if relative else ""
        what = self.what if self.cures is FILES else self.what.replace("ground truth", "targets")
        return self.cures.order.format(option=self.option, order=order, given=self.given, what=what, relative=more)

    def scaled(self, reading: BoxReading, number: float) -> str:
        """What reads detections in that order, whose coordinates count to a number in each image; infinity: pixels."""
        if number == math.inf and self.scale is None:
            return self.cure(reading.option, relative=False)
        if number == math.inf:
            other = "" if reading == self.given else f", with --dt-boxes {reading}"
            return f"leave --dt-scale {self.scale:.4g} out{other}"
        if not self.cures.scale:
            return self.cure(reading.option, relative=True)
        if not reading.option:
            return f"{self.hint(reading)}, and {self.scaled(reading._replace(swapped=False), number)}"
        order = reading.option
        if self.cures is FILES:
            stays = reading == self.given and not self.format.startswith("rel_")
            order = ",y1x1y2x2" if reading.swapped else "" if stays else f" --dt-boxes {order}"
        return self.cures.scale.format(number=number, order=order, given=self.given)

    def share_inside(self, reading: BoxReading) -> float:
        """The share of boxes that are proper and inside their images."""
        numbers, sides = self.sample
        return float(inside(reading.corners(numbers), sides).mean()) if len(numbers) else 1.0

    def are_fractions(self, extent: float) -> bool:
        """Whether they are fractions of an image's sides, where images, or other boxes, reach that far."""
        numbers, _ = self.sample
        if not self.enough or not extent > _TINY:
            return False
        return float((np.abs(numbers).max(axis=1) <= _FRACTION).mean()) >= _FRACTIONS

    @property
    def unit_sides(self) -> bool:
        """Whether the numbers are fractions, and the sizes of images are not known."""
        return bool((self.sides == 1).all())

    def fractions(self) -> Column:
        """Which boxes are fractions of the sides of their images, (N,), where most are pixels."""
        largest = np.abs(self.numbers).max(axis=1, initial=0)
        if self.unit_sides or not len(largest) or quantile(largest, _REACHING) <= _TINY:
            return np.zeros(len(largest), dtype=bool)
        return (largest <= _FRACTION) & (self.numbers != np.round(self.numbers)).any(axis=1)

    def order_of_fractions(self) -> BoxReading:
        """The order in which most are inside an image, if they are fractions of its sides."""
        numbers, _ = self.sample
        others = [self.given, *(self.given._replace(order=name) for name in ORDERS)]
        return max(others, key=lambda x: float(inside(x.corners(numbers), np.ones((1, 2))).mean()))

    def are_pixels(self) -> bool:
        """Whether they were read as fractions of the sides of their images, and are pixels."""
        numbers, sides = self.sample
        if not self.enough or self.share_inside(self.given) > _INSIDE:
            return False
        if (sides == 1).all():  # fractions, as far as is known
            return median(np.abs(numbers).max(axis=1)) > _PIXELS
        divided = self.given.corners(numbers) / np.tile(sides, 2)
        # Multiplied once too often, and not only too large: they still reach far into the image.
        reach = quantile((divided[:, 2:] / sides).max(axis=1), _REACHING)
        return bool(inside(divided, sides).mean() >= _NEARLY_ALL and reach >= _REACH)

    def other_order(self) -> tuple[BoxReading, str] | None:
        """Another order that the numbers themselves speak for, with the evidence."""
        if not self.enough:
            return None
        if self.has_sizes:
            return self._order_by_images()
        return self._sides() if self.given.order == "xyxy" else self._corners() or self._not_centres()

    def _sides(self) -> tuple[BoxReading, str] | None:
        """Where images have no known size: corners that end before they begin are sides."""
        numbers, _ = self.sample
        inverted = float((numbers[:, 2:] < numbers[:, :2]).any(axis=1).mean())
        if inverted <= _IMPROPER or (numbers[:, 2:] < 0).any():
            return None
        # Boxes around centres do not begin before their image.
        centred = self.given._replace(order="cxcywh")
        best = centred if self.share_inside(centred) == 1 else self.given._replace(order="xywh")
        return best, f"as {self.given}, {inverted:.1%} of boxes end before they begin"

    def _corners(self) -> tuple[BoxReading, str] | None:
        """Where images have no known size: sides that all are above the position, and grow with it, are corners.

        The maximum corner is the minimum corner plus a side, so both grow together; a side by itself does not depend on
        where its box is. Ranks instead of values, so a few large boxes do not decide.
        """
        numbers, _ = self.sample
        if len(numbers) < _FEW_RANKS or not (numbers[:, 2:] > numbers[:, :2]).all():
            return None
        together = [_rank_correlation(numbers[:, k], numbers[:, 2 + k]) for k in (0, 1)]
        if min(together) < _CORRELATED:
            return None
        evidence = (
            f"the third number is above the first and the fourth above the second in all {len(numbers)} boxes, "
            f"and they grow together (rank correlations {together[0]:.2f} and {together[1]:.2f})"
        )
        return self.given._replace(order="xyxy"), evidence

    def _not_centres(self) -> tuple[BoxReading, str] | None:
        """Where images have no known size: boxes around centres do not begin before their image."""
        numbers, _ = self.sample
        before = float((self.given.corners(numbers)[:, :2] < 0).any(axis=1).mean())
        if self.given.order != "cxcywh" or before <= _IMPROPER or (numbers < 0).any():
            return None
        return self.given._replace(order="xywh"), f"as {self.given}, {before:.1%} of boxes begin before their image"

    def _order_by_images(self) -> tuple[BoxReading, str] | None:
        given = self.share_inside(self.given)
        if given > _TOO_FEW:
            return None
        others = [self.given._replace(order=name) for name in ORDERS if name != self.given.order]
        shares = {reading: self.share_inside(reading) for reading in others}
        best = max(shares, key=shares.__getitem__)
        if shares[best] < _NEARLY_ALL:
            return None
        return best, f"inside their images: {given:.1%} of boxes as {self.given}, {shares[best]:.1%} as {best}"

    def inverted(self) -> list[Finding]:
        """Boxes with negative sides."""
        first = self.numbers[:, :2] if self.given.order == "xyxy" else 0.0
        count = int((self.numbers[:, 2:] < first).any(axis=1).sum())
        if not count:
            return []
        text = f"{count} of {len(self.numbers)} boxes of the {self.what} have a negative side, and overlap nothing"
        hint = f"are they {self.given}? {self.cures.other_order.format(option=self.option)}"
        return [Finding(code="boxes-inverted", text=text, hint=hint, path=self.path)]

    def beyond(self) -> list[Finding]:
        """Boxes far beyond their images."""
        if not self.has_sizes:
            return []
        numbers, sides = self.numbers, self.sides
        low, high = np.split(self.given.corners(numbers), 2, axis=1)
        # Detectors that do not clip their boxes go beyond, but not far, and keep their centres inside.
        centre, far = (low + high) / 2, np.maximum(_FAR[self.what] * sides, _SLACK_PIXELS)
        out = ((centre < 0) | (centre > sides) | (low < -far) | (high > sides + far)).any(axis=1)
        if out.sum() <= _BEYOND[self.what] * max(len(out), _FEW):
            return []
        text = f"{int(out.sum())} of {len(out)} boxes of the {self.what} reach beyond their images"
        other = self.cures.other_order.format(option=self.option)
        hint = f"check the sizes of images, and the order of numbers: {other}"
        evidence = _furthest(np.maximum(high, -low), sides)
        return [Finding(code="boxes-beyond", text=text, evidence=evidence, hint=hint, path=self.path)]


def _furthest(reach: Column, sides: Column) -> str:
    row = int(np.nanargmax((reach / sides).max(axis=1)))
    (x, y), (width, height) = reach[row], sides[row]
    return f"one reaches to {x:.6g} x {y:.6g} in an image of {width:g} x {height:g}"


def _rank_correlation(a: Column, b: Column) -> float:
    """Spearman's, with ties in the order that they come."""
    ranks = np.stack([np.argsort(np.argsort(x, kind="stable")) for x in (a, b)])
    matrix: Column = np.asarray(np.corrcoef(ranks))
    return float(matrix[0, 1])
