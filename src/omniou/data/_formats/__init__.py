"""All formats by name: each is declared by its reader, whose module is imported when it is asked for.

To add a format, write a module with a `FORMAT`, and enter the module here. The choices of the command line, what is
recognised by its content, and the checks of options follow from the declarations.
"""

import contextlib
import dataclasses
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy.typing as npt

from omniou._inputs.kinds import KindName
from omniou.data._options import Options
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

ReadT = TypeVar("ReadT", bound=Callable[..., Any])
ReadTruth: TypeAlias = Callable[[Path, Options], GroundTruth]
ReadDetections: TypeAlias = Callable[[Path, GroundTruth, Options], Detections[npt.NDArray[Any]]]

# The words of a line.
Fields: TypeAlias = list[str]

# In the order of preference, where a file fits several; COCO first, for which no other is imported.
_MODULES = (
    "coco",
    "lvis",
    "voc",
    "open_images",
    "parquet",
    "labelme",
    "cvat",
    "label_studio",
    "scalabel",
    "activitynet",
    "language_model",
    "csv",
    "yolo",
    "dota",
    "kitti",
    "text",
)

FORMATS = tuple(module.replace("_", "-") for module in _MODULES)
"""Names of all formats."""

OWN_RULES = {"lvis": "lvis", "dota": "voc2007"}
"""Format -> the protocol that evaluates it unasked, of ground truth that has a meaning under its own rules only.

LVIS's images were searched for some of the classes. DOTA's have hundreds of objects of a class, more than COCO's limit.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Reader(Generic[ReadT]):
    """What reads the ground truth, or the detections, of a format.

    Attributes
    ----------
    read : callable
        Of a path, of the ground truth if it reads detections, and of options.
    kinds : tuple of str
        What it has, of the kinds that `omniou.detection.evaluate` compares.
    order : str, optional
        The order of coordinates, of formats whose boxes are numbers without names: a file may have another one.
    lists : bool
        Whether a file may have its boxes as lists of numbers, which have an order, or as numbers with names.
    library : str, optional
        What it needs in addition to the extra `omniou[cli]`.
    per_image : bool
        Whether it has a file for each image, so some of them may be chosen.
    levels : bool
        Whether it has levels of difficulty.
    subsets : bool
        Whether a file has several sets of videos, of which one is read.
    numbered : bool
        Whether a file of names may say what its numbers of classes, or the ids of its names, are.
    class_ids : bool
        Whether classes may be numbers that are the ids of the ground truth's categories.
    synonyms : bool
        Whether classes are free names, which a table may map to the ground truth's.
    recognised : callable, optional
        What reads a file of which only the content told the format. Default: `read`.
    fits : callable, optional
        Whether a line of text, as its fields, is one of such a file.
    check : callable, optional
        Raises InputError for the path and the first lines of a text file that fits, but is most likely another.
    per_class : str, optional
        The format of files of the same lines that are called as classes, not as images.
    """

    read: ReadT
    kinds: tuple[str, ...] = ("bbox",)
    order: str | None = None
    lists: bool = False
    library: str | None = None
    per_image: bool = False
    levels: bool = False
    subsets: bool = False
    numbered: bool = False
    class_ids: bool = False
    synonyms: bool = False
    recognised: ReadT | None = None
    fits: Callable[[Fields], bool] | None = None
    check: Callable[[Path, Sequence[Fields]], None] | None = None
    per_class: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Format:
    """A format of files, as its module declares it.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        What it is, in a few words.
    truth, detections : Reader
        Of the two kinds of files.
    starts : tuple of bytes
        What such a file begins with, behind blanks, where no other format recognises it; none for lines of text.
    recognises : callable, optional
        Whether a file is one, by its first bytes: `Peek.keys` of JSON, `Peek.tags` of XML, or `Peek.header` of a table.
    headings : tuple of str
        What lines begin with that are not objects.
    made_for : tuple of str
        Kinds that it is made for, where these are not upright boxes: the first one is read and compared unasked, or the
        next one that the detections have.
    official : tuple of pairs of str
        Options of `omniou eval` and their values for the rules of its challenge, if these are not the default ones.
    """

    name: str
    title: str
    truth: Reader[ReadTruth]
    detections: Reader[ReadDetections]
    starts: tuple[bytes, ...] = ()
    recognises: Callable[[Peek], bool] | None = None
    headings: tuple[str, ...] = ()
    made_for: tuple[KindName, ...] = ()
    official: tuple[tuple[str, str], ...] = ()


def declared(name: str) -> Format:
    """The format of a name, one of `FORMATS`."""
    format: Format = importlib.import_module(f"omniou.data._formats.{name.replace('-', '_')}").FORMAT
    return format


def every() -> Iterator[Format]:
    """All formats, one after the other, so only those are imported that are looked at."""
    return map(declared, FORMATS)


class Layout(NamedTuple):
    """The order of coordinates of a file, and what they count to, where its format says that."""

    order: str
    scale: float


STATED: ContextVar[list[Layout] | None] = ContextVar("stated", default=None)


@contextlib.contextmanager
def stated() -> Iterator[list[Layout]]:
    """List the layouts that formats state, of each table that is read: the doctor says what else they may be."""
    layouts: list[Layout] = []
    token = STATED.set(layouts)
    try:
        yield layouts
    finally:
        STATED.reset(token)
