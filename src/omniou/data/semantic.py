"""Label maps and masks of segmentation: folders of PNG files, and tables of classes."""

import csv
import dataclasses
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec
import numpy as np

from omniou import segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._lib import checks, threads
from omniou._lib.brief import shortened
from omniou.data import _files, _json, _png
from omniou.data._errors import InputError
from omniou.data._label_counts import Column, LabelCounts
from omniou.data._numbers import as_integer

if TYPE_CHECKING:
    from omniou.masks import ComponentCounts

__all__ = ["LabelCounts", "count", "count_components", "read_classes"]

# Labels are counted as they are up to here where no table says which there are: all of pictures of 8 bits.
_ANY = 256
# Rows of the lookup from labels to classes.
_TABLE = 2**16
# Classes of a table: pairs of them are counted, which take 0.8 GB.
_MOST = 2**12
# Pixels that are counted at once.
_BLOCK = 2**22


class _Class(msgspec.Struct):
    id: int
    name: str = ""


class _Categories(msgspec.Struct):
    categories: list[_Class]


def read_classes(path: Path | str) -> dict[int, str]:
    r"""Read a table of classes.

    Parameters
    ----------
    path : path
        JSON: a list of ``{"id": 7, "name": "road"}``, such a list as "categories" of an object, or an object of names
        by label, ``{"7": "road"}``. CSV, with the ending ``.csv`` and the columns "id" and "name" among others. Any
        other file: a name in each line, numbered from 0.

    Returns
    -------
    dict
        Label -> name, in the file's order.

    Raises
    ------
    InputError
        If the file cannot be read, has no classes, more than 4096, or a label is not an integer from 0 to 65535 or
        occurs twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou.data import semantic
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "classes.csv")
    ...     _ = path.write_text("id,name,color\n7,road,purple\n8,sidewalk,pink\n")
    ...     semantic.read_classes(path)
    {7: 'road', 8: 'sidewalk'}
    """
    path = Path(path)
    reader = {".json": _of_json, ".csv": _of_csv}.get(path.suffix.lower(), _of_lines)
    classes: dict[int, str] = {}
    for place, label, name in reader(path):
        if not 0 <= label < _TABLE:
            raise InputError(path, f"expected an integer from 0 to {_TABLE - 1}, got {label}", place=place)
        if label in classes:
            raise InputError(path, f"{label} occurs twice", place=place)
        classes[label] = name or str(label)
    if not classes:
        raise InputError(path, "the file has no classes")
    if len(classes) > _MOST:
        raise InputError(path, f"the file has {len(classes)} classes, at most {_MOST} were expected")
    return classes


def count(
    ground_truth: Path | str,
    predictions: Path | str,
    classes: Mapping[int, str] | None = None,
    *,
    ignore_label: Labels = None,
    label_shift: int = 0,
    max_unpacked: int | None = None,
) -> LabelCounts:
    """Count the pixels of two folders of label maps.

    Parameters
    ----------
    ground_truth, predictions : path
        Folders of PNG files, in folders of their own or not; or one file each. A prediction has the path of its ground
        truth, or its name, without Cityscapes' "_gtFine_labelTrainIds" and "_leftImg8bit", where all names differ.
        Pictures are grey, of 8 or 16 bits or as three equal channels, or have a palette, whose numbers are the labels.
    classes : dict, optional
        Label -> name, as in `read_classes`; by default all labels from 0 to 255 that occur in any picture.
    ignore_label : int or list of int, optional
        Pixels of the ground truth with this label, or one of these, are excluded. Predictions may have it, and are
        wrong.
    label_shift : int
        Added to the labels of the predictions, such as 1 where they count from 0 and the ground truth from 1. Ignored
        labels stay as they are.
    max_unpacked : int, optional
        Most bytes that a picture may unpack to. Default: 100 times the size of its file, and at least 64 MiB.

    Returns
    -------
    LabelCounts

    Raises
    ------
    InputError
        If a picture is missing, has another size or mode, a label that is not a class, or too many pixels for its file.

    Warns
    -----
    InputWarning
        If there are predictions without ground truth: they are excluded.
    """
    truth, predicted = _paired(Path(ground_truth), Path(predictions))
    table = dict.fromkeys(range(_ANY), "") if classes is None else dict(classes)
    ignored, shift = checks.labels("ignore_label", ignore_label), checks.integer("label_shift", label_shift)
    lookups = _lookup(list(table), ignored), _lookup([label - shift for label in table], ignored)

    total, lock = np.zeros((len(table), len(table) + 1), dtype=np.int64), threading.Lock()

    def one(name: str) -> Column:
        """Three numbers a class; a whole table for each picture would take 0.5 MB of 256 classes."""
        counts = _of_pair(truth[name], predicted[name], lookups, len(table))
        with lock:
            np.add(total, counts, out=total)
        return np.stack([counts.diagonal(), counts.sum(axis=1), counts[:, :-1].sum(axis=0)], axis=1)

    # Pillow decodes without holding Python's lock.
    with _files.unpacking(max_unpacked):
        each = threads.mapped(one, [(name,) for name in truth], threads=threads.most())
    by_image, files = dict(zip(truth, each, strict=True)), {name: (truth[name], predicted[name]) for name in truth}
    if classes is not None:
        return LabelCounts(table, total, by_image, listed=True, files=files)
    there = np.flatnonzero(total[:, :-1].sum(axis=0) + total.sum(axis=1))
    names, of_classes = {int(k): str(k) for k in there}, total[there][:, [*there.tolist(), _ANY]]
    return LabelCounts(names, of_classes, {name: x[there] for name, x in by_image.items()}, files=files)


def numbered(
    counts: LabelCounts, name: str, *, ignore_label: Labels = None, label_shift: int = 0
) -> tuple[Column, Column]:
    """Read the two pictures of a name again: numbers of classes in the order of `counts.classes`, below 0 for others.

    The options are those of `count`.
    """
    ignored, labels = checks.labels("ignore_label", ignore_label), list(counts.classes)
    lookups = _lookup(labels, ignored), _lookup([label - label_shift for label in labels], ignored)
    maps = [_numbers(_png.labels(path), lookup) for path, lookup in zip(counts.files[name], lookups, strict=True)]
    return maps[0], maps[1]


def count_components(
    ground_truth: Path | str, predictions: Path | str, *, max_unpacked: int | None = None
) -> "ComponentCounts":
    """Count lesions that are found, in two folders of masks: connected components, matched by their IoU.

    Parameters
    ----------
    ground_truth, predictions : path
        Folders of PNG files, or one file each, as in `count`. All pixels but 0 are on.
    max_unpacked : int, optional
        The same as in `count`.

    Returns
    -------
    ComponentCounts
        With the counts of each picture, by its path without the ending, as `by_image`.

    Raises
    ------
    InputError
        If a picture is missing, has another size or mode, or more than one number other than 0, which may be classes
        or instances.
    ModuleNotFoundError
        If SciPy is not installed.

    Warns
    -----
    InputWarning
        If there are predictions without ground truth: they are excluded.
    """
    from omniou.masks import ComponentCounts, components

    truth, predicted = _paired(Path(ground_truth), Path(predictions))

    def one(name: str) -> "ComponentCounts":
        target, found = _mask(truth[name]), _mask(predicted[name])
        _png.same_size(predicted[name], found, truth[name], target)
        return components(found, target)

    with _files.unpacking(max_unpacked):
        counts = threads.mapped(one, [(name,) for name in truth], threads=threads.most())
    return dataclasses.replace(sum(counts, ComponentCounts()), by_image=dict(zip(truth, counts, strict=True)))


def _mask(path: Path) -> Column:
    labels = _png.labels(path)
    values = np.unique(labels)
    if len(values := values[values != 0]) > 1:
        listed = shortened(values.tolist())
        fault = (
            f"a mask has 0 and one other number, got {listed}: if these are classes or instances, write a mask of each"
        )
        raise InputError(path, fault)
    return labels != 0


def _paired(ground_truth: Path, predictions: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """The pictures of both folders by name; each of the ground truth has a prediction."""
    truth, predicted = _png.in_folder(ground_truth), _png.in_folder(predictions)
    if truth.keys() != predicted.keys() and len(truth) == len(predicted) == 1 and ground_truth.is_file():
        predicted = dict(zip(truth, predicted.values(), strict=True))
    predicted = _by_name_of_image(truth, predicted)
    _png.check_paired(truth, predicted, ground_truth, predictions)
    return truth, predicted


# What Cityscapes' files have behind the name of their image: aachen_000000_000019_gtFine_labelTrainIds.
_ROLE = re.compile(r"_(?:gtFine|gtCoarse|leftImg8bit)\w*$")


def _by_name_of_image(truth: dict[str, Path], predicted: dict[str, Path]) -> dict[str, Path]:
    """The predictions by the paths of the ground truth, where names without folders and roles tell which is which."""
    if truth.keys() <= predicted.keys():
        return predicted
    mine, theirs = ({_ROLE.sub("", x.rpartition("/")[2]): x for x in side} for side in (truth, predicted))
    if len(mine) < len(truth) or len(theirs) < len(predicted) or not mine.keys() <= theirs.keys():
        return predicted
    return {mine.get(name, other): predicted[other] for name, other in theirs.items()}


def _of_pair(truth: Path, predicted: Path, lookups: tuple[Column, Column], size: int) -> Column:
    maps = [_png.labels(truth), _png.labels(predicted)]
    _png.same_size(predicted, maps[1], truth, maps[0])
    total = np.zeros((size, size + 1), dtype=np.int64)
    for target, found in _blocks(maps, lookups):
        if (target == _UNKNOWN).any() or ((found == _UNKNOWN) & (target != _IGNORED)).any():
            _raise_unknown((truth, predicted), maps, lookups)
        total += segmentation.confusion(target, found, size, ignore_index=_IGNORED, outside="column")
    return total


def _blocks(maps: list[Column], lookups: tuple[Column, Column]) -> Iterator[list[Column]]:
    """The numbers of the classes of both sides, by blocks of rows."""
    rows = max(1, _BLOCK // maps[0].shape[1])
    for start in range(0, len(maps[0]), rows):
        yield [_numbers(x[start : start + rows], lookup) for x, lookup in zip(maps, lookups, strict=True)]


def _numbers(labels: Column, lookup: Column) -> Column:
    """The number of the class of each pixel."""
    if labels.dtype == bool or labels.itemsize < 4:  # the table has all of these
        return lookup.take(labels.astype(np.uint16, copy=False))
    inside = (labels >= 0) & (labels < _TABLE)
    return np.where(inside, lookup[np.where(inside, labels, 0)], _UNKNOWN)


# What marks pixels without a class in most data sets.
_VOID = 255
# What the lookup has for a label that is no class, and for the ignored one.
_UNKNOWN, _IGNORED = -2, -1


def _lookup(labels: list[int], ignored: tuple[int, ...]) -> Column:
    """(65536,): the number of the class of each label."""
    lookup = np.full(_TABLE, _UNKNOWN, dtype=np.int32)
    known = [k for k, label in enumerate(labels) if 0 <= label < _TABLE]
    lookup[[labels[k] for k in known]] = known
    lookup[[label for label in ignored if 0 <= label < _TABLE]] = _IGNORED
    return lookup


def _raise_unknown(paths: tuple[Path, Path], maps: list[Column], lookups: tuple[Column, Column]) -> NoReturn:
    """Raise for the labels that are not classes, where the ground truth counts: its own, else the prediction's."""
    parts = [(x == _UNKNOWN, (y == _UNKNOWN) & (x != _IGNORED)) for x, y in _blocks(maps, lookups)]
    sides = [np.concatenate(x) for x in zip(*parts, strict=True)]
    of_truth = bool(sides[0].any())
    side = 0 if of_truth else 1
    path, labels, bad = paths[side], maps[side], sides[side]
    row, column = np.unravel_index(bad.argmax(), bad.shape)
    label, unknown = int(labels[row, column]), np.unique(labels[bad]).tolist()
    most = int(_numbers(np.unique(labels), lookups[side]).max())
    fault = f"label {label} is not a class (as are {int(bad.sum())} of {bad.size} pixels)"
    if unknown == [most + 1] and labels.min() == 1:
        fault += ": do the labels count from 1? Then subtract 1"
        fault += ", or number the classes from 1" if of_truth else ", or give --label-shift -1 (`label_shift=-1`)"
    elif _VOID in unknown:
        fault += f": --ignore-label {_VOID} excludes it, if it marks pixels without a class"
    raise InputError(path, fault, place=f"row {row}, column {column}")


def _of_json(path: Path) -> list[tuple[str, int, str]]:
    data = _json.read(path)
    outer = _json.shape_of(data)
    if isinstance(outer, dict) and "categories" not in outer:
        names = _json.decode(path, data, dict[str, str])
        return [(key, _integer(path, key, key), name) for key, name in names.items()]
    if isinstance(outer, dict):
        records = _json.decode(path, data, _Categories).categories
        return [(f"categories[{k}].id", x.id, x.name) for k, x in enumerate(records)]
    return [(f"[{k}].id", x.id, x.name) for k, x in enumerate(_json.decode(path, data, list[_Class]))]


def _of_csv(path: Path) -> list[tuple[str, int, str]]:
    rows = csv.DictReader(_files.read_text(path).decode().splitlines())
    if "id" not in (rows.fieldnames or ()):
        raise InputError(path, 'no column "id" in the first line', place="line 1")
    return [
        (f"line {rows.line_num}, id", _integer(path, row["id"], f"line {rows.line_num}, id"), row.get("name") or "")
        for row in rows
    ]


def _of_lines(path: Path) -> list[tuple[str, int, str]]:
    lines = _files.read_text(path).decode().rstrip().splitlines()
    return [(f"line {k + 1}", k, line.strip()) for k, line in enumerate(lines)]


def _integer(path: Path, text: str, place: str) -> int:
    try:
        return as_integer(text)
    except (TypeError, ValueError):
        raise InputError(path, f"expected an integer, got {text!r}", place=place) from None
