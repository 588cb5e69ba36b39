"""Place names next to the shapes of a picture, inside its frame and without covering each other."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Points = Sequence[float | None]

# Width and height in pixels that a picture has on the page at most, the same for a crop, and the height of letters.
_SMALL, _CROP, _LETTER = (300.0, 320.0), (150.0, 150.0), 10.5
# Coordinates in larger frames are written without decimals.
_WHOLE = 250
# The mean width of a letter and the height of a line, in heights of a letter.
_WIDE, _LINE = 0.62, 1.15
_LONGEST = 29


class Tag(NamedTuple):
    """A name and the shape that it belongs to."""

    style: str  # of the shape, a class of the style sheet
    text: str
    points: Points


class Placed(NamedTuple):
    """Where a name is written."""

    text: str
    x: str
    y: str
    style: str  # "low" if it hangs below y, "end" if it ends at x; the style sheet shifts it accordingly


class Tags(NamedTuple):
    """The names of a picture by the style of their shapes, and the height of their letters in its units."""

    letter: str
    placed: Mapping[str, Sequence[Placed]]


class Rect(NamedTuple):
    """The rectangle that a name covers."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Rect") -> bool:
        """Return whether both have an area in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def extent(points: Points) -> tuple[float, float, float, float] | None:
    """Return the bounding box of points: minimum x and y, maximum x and y; None if there are no points."""
    xs, ys = ([p for p in points[start::2] if p is not None] for start in (0, 1))
    return (min(xs), min(ys), max(xs), max(ys)) if xs and ys else None


def placed(tags: Sequence[Tag], frame: tuple[float, float, float, float], *, is_crop: bool = False) -> Tags:
    """Place names in a frame (x, y, width, height); the first names get the best places.

    A name that would cover others in every place is dropped.
    """
    width, height = _CROP if is_crop else _SMALL
    letter = _LETTER * max(frame[2] / width, frame[3] / height)
    taken: list[Rect] = []
    number = digits(frame)
    out: dict[str, list[Placed]] = {}
    for tag in tags:
        box = extent(tag.points)
        if box is None:
            continue
        text = cut(tag.text, max(3, min(int(frame[2] / (_WIDE * letter)), _LONGEST)))
        found = place(box, (_WIDE * letter * len(text), _LINE * letter), frame, taken)
        if found is None:
            continue
        x, y, is_low, at_end = found
        where = " ".join(word for word, holds in (("low", is_low), ("end", at_end)) if holds)
        out.setdefault(tag.style, []).append(Placed(text, format(x, number), format(y, number), where))
    return Tags(f"{letter:.3g}", out)


def digits(frame: Sequence[float]) -> str:
    """Return the format of coordinates: without decimals if the frame is large."""
    return ".0f" if max(frame[2], frame[3]) > _WHOLE else "g"


def cut(text: str, most: int = 60) -> str:
    """Shorten a text to `most` letters, but keep a score at its end: to 12, "traffic light 0.91" is "traffi… 0.91"."""
    if len(text) <= most:
        return text
    name, blank, score = text.rpartition(" ")
    if blank and score.replace(".", "", 1).replace("-", "", 1).isdigit() and most > len(score) + 4:
        return f"{name[: most - len(score) - 2]}… {score}"
    return f"{text[: most - 1]}…"


class Place(NamedTuple):
    """Where a name of a size is written: it hangs below `y` or stands on it, and starts at `x` or ends there."""

    x: float
    y: float
    is_low: bool
    at_end: bool


def place(box: Sequence[float], size: tuple[float, float], frame: Sequence[float], taken: "list[Rect]") -> Place | None:
    """Return the first place of a name (width, height) where it covers no other, and add it to `taken`.

    The place is inside a frame (x, y, width, height) and next to a box (minimum x and y, maximum x and y); y points
    downwards. None if there is no such place.
    """
    for found in _places(box, size, frame):
        rect = _rect(found, size)
        if not any(rect.meets(x) for x in taken):
            taken.append(rect)
            return found
    return None


def _places(box: Sequence[float], size: tuple[float, float], frame: Sequence[float]) -> list[Place]:
    """Return places for a name inside the frame: above and below the top edge of a box, below and above its bottom."""
    left, top, right, bottom = frame[0], frame[1], frame[0] + frame[2], frame[1] + frame[3]
    wide, line = size
    x0, x1 = (min(max(x, left), right) for x in (box[0], box[2]))
    y0, y1 = (min(max(y, top), bottom) for y in (box[1], box[3]))
    x, at_end = (x0, False) if x0 + wide <= right else (x1, True) if x1 - wide >= left else (left, False)
    places = [(y0, False), (y0, True), (y1, True), (y1, False)]
    fit = [(y, is_low) for y, is_low in places if (y + line <= bottom if is_low else y - line >= top)]
    return [Place(x, y, is_low, at_end) for y, is_low in fit or [(top, True)]]


def _rect(at: Place, size: tuple[float, float]) -> Rect:
    wide, line = size
    top = at.y if at.is_low else at.y - line
    left = at.x - wide if at.at_end else at.x
    return Rect(left, top, left + wide, top + line)
