"""Numbers of classes that count a list of categories, where the categories have other ids.

COCO's 80 categories have ids from 1 to 90, ten of which no image has. Models number them from 0 to 79, or from 1.
"""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias, get_args

ClassIds: TypeAlias = Literal["from-0", "from-1", "coco"]
CLASS_IDS: tuple[ClassIds, ...] = get_args(ClassIds)

COCO_IDS = tuple(sorted(set(range(1, 91)) - {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}))


def numbers(count: int, way: ClassIds) -> Sequence[int]:
    """The numbers of so many classes. COCO's are always 80."""
    return {"from-0": range(count), "from-1": range(1, count + 1), "coco": COCO_IDS}[way]


def fitting(given: Collection[int], ids: Sequence[int]) -> list[ClassIds]:
    """The ways to count categories with these rising ids that have all given numbers, and are not the ids."""
    ways = {way: list(numbers(len(ids), way)) for way in CLASS_IDS}
    return [way for way, x in ways.items() if given and len(x) == len(ids) and x != list(ids) and set(given) <= set(x)]
