"""Detections without a ground truth: what occurs in them are the images and the classes."""

import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._lib import checks
from omniou._lib.docs import described
from omniou.data import _dispatch, _pictures
from omniou.data._errors import InputError, InputWarning, OptionError
from omniou.data._formats.file_rows import FileRows
from omniou.data._names import Key, Listed, as_id, counted, matched
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming, UnknownTruth
from omniou.detection import Detections, Targets
from omniou.rotated import GEOMETRY as ROTATED

Column = npt.NDArray[Any]


class DetectionsRead(NamedTuple):
    """Detections of one model or more, and what they are detections of.

    Attributes
    ----------
    truth : GroundTruth
        Without objects: its images and categories are those that occur. `write_detections` takes it.
    detections : list of Detections
        Of each path.
    formats : tuple of str
        The format of each path.
    """

    truth: GroundTruth
    detections: list[Detections[Column]]
    formats: tuple[str, ...]


@described(_dispatch.read_detections)
def read_detections_only(
    paths: Iterable[Path | str], format: str | None = None, options: Options = DEFAULT
) -> DetectionsRead:
    """Read detections of one model or more that come without a ground truth.

    The ids of images and classes come from the files, if these are whole numbers. Otherwise ids count the names, in
    order. Names of images in several files are the same image as `read_ground_truth` says.

    Parameters
    ----------
    paths : iterable of path
        Files or directories, one for each model.
    format, options

    Returns
    -------
    DetectionsRead

    Raises
    ------
    InputError, OptionError, MissingLibraryError
        The same as `read_detections`; also if one file has numbers where another one has names.

    Examples
    --------
    >>> from omniou import data
    >>> read = data.read_detections_only(["docs/examples/coco-val2014-100/detections.json"])
    >>> read.formats, len(read.truth.images), read.detections[0].boxes.shape
    (('coco',), 99, (734, 4))
    """
    checks.instance("options", options, Options, "Options")
    for name in ("difficulty", "subset", "blocked", "synonyms"):
        if getattr(options, name) is not None:
            raise OptionError(f"`{name}` is for a ground truth, and detections alone have none: use `read_detections`")
    options = dataclasses.replace(options, kind=options.read_kind)
    every = [Path(x) for x in checks.items("paths", paths, "a sequence of paths")]
    if not every:
        raise OptionError("`paths` must name at least one file or directory, got none")
    if len(every) == 1:
        return _first(every[0], None, format, options)
    truth: GroundTruth | None = None
    names: list[str] = []
    with warnings.catch_warnings():  # each file is read again below, where all images and classes are known
        warnings.simplefilter("ignore", InputWarning)
        for path in every:
            truth, _, found = _first(path, truth, format, options)
            names += found
    assert truth is not None  # noqa: S101  (there are several paths)
    detections = [_dispatch.read_detections(x, truth, name, options) for x, name in zip(every, names, strict=True)]
    return DetectionsRead(truth, detections, tuple(names))


def _first(path: Path, before: GroundTruth | None, format: str | None, options: Options) -> DetectionsRead:
    """Read a path, and list what occurs in it and in those before."""
    lister = _Lister(path, options, before)
    name = format or _dispatch.detections_format(path, lister.unknown, options.read_kind)
    detections = _dispatch.read_detections(path, lister.unknown, name, options)
    assert lister.truth is not None  # noqa: S101  (every reader ends in `_rows.detections`)
    return DetectionsRead(lister.truth, [detections], (name,))


class _Lister:
    """Lists what occurs in the detections of a path, beyond what occurs in those before."""

    def __init__(self, path: Path, options: Options, before: GroundTruth | None) -> None:
        self.truth: GroundTruth | None = None
        self._path, self._options, self._before = path, options, before
        nothing = Targets(np.zeros((0, 4)), labels=_no_ids(), images=_no_ids())
        self.unknown = UnknownTruth(path, nothing, _no_ids(), {}, np.zeros(0, dtype=bool), listed=self._listed)

    def _listed(self, rows: FileRows) -> GroundTruth:
        before, options = self._before, self._options
        images = self._images(rows.images.keys)
        categories = self._categories(rows)
        sizes = None
        if options.image_size is not None or options.images is not None:
            sizes = _pictures.sizes_of(list(images.names.values()), None, _pictures.in_folder(options.images), options)
        if options.images is not None:
            _pictures.check(options.images, list(images.names.values()))
        sizes = None if sizes is None or np.isnan(sizes).all() else sizes
        relative = rows.is_relative and sizes is None if before is None else before.relative
        if relative and rows.geometry is ROTATED:
            # A quadrilateral is another rectangle where x and y have other units.
            fault = "oriented boxes are relative, and the sizes of the images are not known"
            raise InputError(self._path, f"{fault}: --images or --image-size gives them")
        self.truth = GroundTruth(
            path=self._path,
            targets=self.unknown.targets,
            images=np.array(list(images.names), dtype=np.int64),
            categories=dict(categories.names),
            flagged=self.unknown.flagged,
            format=rows.geometry.absolute(rows.format) if before is None else before.format,
            geometry=rows.geometry,
            relative=relative,
            image_names=dict(images.names),
            sizes=sizes,
            image_naming=images.naming,
            category_naming=categories.naming,
        )
        return self.truth

    def _images(self, keys: Sequence[Key]) -> Listed:
        if all(isinstance(key, int) for key in keys):
            return self._joined("images", Listed({int(key): str(key) for key in sorted(keys)}, Naming()))
        return self._joined("images", counted(map(str, keys), complete=True))

    def _categories(self, rows: FileRows) -> Listed:
        if rows.categories is not None:
            return self._joined("classes", rows.categories)
        keys = rows.labels.keys
        numbers = [x for key in keys if (x := key if isinstance(key, int) else as_id(key)) is not None]
        if len(numbers) < len(keys):
            return self._joined("classes", counted(map(str, keys), complete=True))
        # Words of digits count a list of names: a writer that numbers classes in order then keeps their numbers.
        known = numbers if all(isinstance(key, int) for key in keys) else range(max(numbers, default=-1) + 1)
        return self._joined("classes", Listed({x: str(x) for x in sorted(known)}, Naming()))

    def _joined(self, what: str, own: Listed) -> Listed:
        """What occurs in the paths before, and what occurs in this one beyond."""
        if (truth := self._before) is None:
            return own
        images = Listed(truth.image_names, truth.image_naming)
        before = images if what == "images" else Listed(truth.categories, truth.category_naming)
        if not (own.names and before.names):  # an empty file has neither numbers nor names
            return own if own.names else before
        if (numbers := _are_numbers(own)) != _are_numbers(before):
            kinds = ("numbers", "names") if numbers else ("names", "numbers")
            fault = f"{what} are {kinds[0]} here, and {kinds[1]} in {truth.path}"
            raise InputError(self._path, f"{fault}: the ground truth tells which is which")
        if numbers:
            return Listed(before.names | own.names, before.naming)
        words = list(own.names.values())
        match = matched(words, before, paths=what == "images")
        new = [x for k, x in enumerate(words) if not match.known[k] and k not in match.unclear]
        return Listed(before.names | dict(enumerate(new, start=max(before.names, default=-1) + 1)), before.naming)


def _are_numbers(listed: Listed) -> bool:
    """Whether nothing but ids is known."""
    return listed.naming.own and all(name == str(id) for id, name in listed.names.items())


def _no_ids() -> Column:
    return np.zeros(0, dtype=np.int64)
