"""Names of images as paths: what they are called, and which image a name stands for.

A name stands for the image with which it shares the longest tail of its path, so "0001", "0001.jpg" and
"/data/cam1/0001.jpg" all mean ``cam1/0001.jpg``, unless ``cam2/0001.jpg`` is there, too: then "0001" means neither.
"""

import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from omniou.data._errors import InputError

PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"}
# Folders that say what their files are, not which: ``labels/val/1.txt`` and ``images/val/1.jpg`` are of one image.
_ROLES = {"images", "labels"}
# Parts of a path that lead nowhere.
_NOWHERE = {"", "."}

# The last part is the name without ending, so that parts can be compared.
Parts: TypeAlias = tuple[str, ...]


def composed(name: str) -> str:
    """The name with each letter and its accents as one character: macOS writes two, "e" and an accent."""
    return unicodedata.normalize("NFC", name)


def stem(name: str) -> str:
    """The name of a picture without folder and ending."""
    return _split(name)[0][-1]


def name_in(root: Path, file: Path) -> str:
    """What an image is called by its file below a folder: the path from there without ending."""
    last = Path(file.stem).stem if file.suffix == ".gz" else file.stem
    folders = file.parts[len(root.parts) : -1]
    return "/".join([*(x for x in folders if x.lower() not in _ROLES), last])


def names_in(root: Path, files: Sequence[Path]) -> list[str]:
    """What images are called by their files. Raise if two files are of one image."""
    first: dict[str, Path] = {}
    for file in files:
        name = name_in(root, file)
        if (other := first.setdefault(name, file)) is not file:
            raise InputError(file, f"is of the image {name!r}, as is {other}: name the directory of one of them")
    return list(first)


def picture_in(root: Path, file: Path) -> str:
    """What a picture is called: as in `name_in`, with the ending."""
    return name_in(root, file) + file.suffix


def distinct(names: Sequence[str]) -> list[str]:
    """Names of pictures without ending, if they differ so."""
    bare = ["/".join(parts) for parts, _ in map(_split, names)]
    return bare if _differ(bare) else list(names)


def shortest(names: Sequence[str]) -> list[str]:
    """Names of pictures without folder and ending, if they differ so; else without ending, if they differ so."""
    split = [_split(name) for name in names]
    stems, shared = [parts[-1] for parts, _ in split], _shared_folders([parts for parts, _ in split])
    within = ["/".join(parts[shared:]) + ending for parts, ending in split]
    return stems if _differ(stems) else distinct(within)


def _differ(names: Sequence[str]) -> bool:
    """Whether they can be names of files, also where upper and lower case are the same."""
    return len({name.lower() for name in names}) == len(names)


def _split(name: str) -> tuple[Parts, str]:
    """Folders and the name without ending, and the ending of a picture."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in _NOWHERE] or [name]
    bare, dot, ending = parts[-1].rpartition(".")
    if not bare or f".{ending.lower()}" not in PICTURES:
        return tuple(parts), ""
    return (*parts[:-1], bare), dot + ending


class Shared(NamedTuple):
    """How much of a name and of an image's are the same, in the order in which it counts."""

    parts: int
    whole: bool
    ending: bool


class ImageNames:
    """The names of images, for which other names may stand."""

    def __init__(self, names: Sequence[str]) -> None:
        self._split = [_split(composed(name)) for name in names]
        self._shared = _shared_folders([parts for parts, _ in self._split])
        self._exact: dict[str, list[int]] = {}
        # By each end of a path, down to the folders that all share: frames of many videos are called alike.
        self._by_tail: dict[Parts, list[int]] = {}
        for place, (name, (parts, _)) in enumerate(zip(names, self._split, strict=True)):
            self._exact.setdefault(name, []).append(place)
            for size in range(1, len(parts) - self._shared + 1):
                self._by_tail.setdefault(parts[-size:], []).append(place)

    def find(self, names: Iterable[str]) -> list[list[int]]:
        """The places of the images that each name stands for: one, none, or several that it fits equally well.

        Of names that differ and fit one image, the one that shares most with it stands for it: "cam2/1" is not the
        image "cam1/1" where "cam1/1" occurs, too. Of two that share as much, neither does: the place is twice there.
        """
        split = [(name, *_split(composed(name))) for name in names]
        shared = _shared_folders([parts for _, parts, _ in split]) if len(split) > 1 else 0
        found = [self._best(name, parts, ending, shared) for name, parts, ending in split]
        claims: dict[int, list[int]] = {}
        for k, (places, _) in enumerate(found):
            if len(places) == 1:
                claims.setdefault(places[0], []).append(k)
        result = [places for places, _ in found]
        for place, rivals in claims.items():
            most = max(found[k][1] for k in rivals)
            best = [k for k in rivals if found[k][1] == most]
            is_one = all(_agree(split[k][1:], split[best[0]][1:]) for k in best)
            for k in rivals:
                if found[k][1] == most:
                    result[k] = [place] if is_one else [place, place]
                elif not _agree(split[k][1:], split[best[0]][1:]):
                    result[k] = []
        return result

    def _best(self, name: str, parts: Parts, ending: str, shared: int) -> tuple[list[int], Shared]:
        if (exact := self._exact.get(name)) is not None:
            return exact, Shared(len(parts), whole=True, ending=True)
        tails = (self._by_tail.get(parts[k:]) for k in range(len(parts)))
        candidates = next(filter(None, tails), [])
        fits = [self._fit(place, parts, ending, shared) for place in candidates]
        best = max(fits, default=Shared(0, whole=False, ending=False))
        return [place for place, fit in zip(candidates, fits, strict=True) if fit == best], best

    def _fit(self, place: int, parts: Parts, ending: str, shared: int) -> Shared:
        own, own_ending = self._split[place]
        tail = 0
        for x, y in zip(reversed(own), reversed(parts), strict=False):
            if x != y:
                break
            tail += 1
        return Shared(tail, own[self._shared :] == parts[shared:], ending == own_ending)


def _shared_folders(paths: Sequence[Parts]) -> int:
    """How many folders all paths begin with."""
    folders = [parts[:-1] for parts in paths]
    # The first and the last in order differ where any two do.
    first, last = min(folders, default=()), max(folders, default=())
    return sum(1 for _ in itertools.takewhile(lambda both: both[0] == both[1], zip(first, last, strict=False)))


def _agree(one: tuple[Parts, str], other: tuple[Parts, str]) -> bool:
    """Whether two names mean the same image. "old/1" and "1" differ, as do "1.png" and "1.jpg"."""
    (a, a_ending), (b, b_ending) = one, other
    return a == b and (not a_ending or not b_ending or a_ending == b_ending)
