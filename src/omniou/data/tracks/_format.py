"""What the reader of a format of tracks declares."""

import dataclasses
from collections.abc import Callable, Sequence

from omniou.data._options import Options
from omniou.data._peek import Peek
from omniou.data.formats import Fields
from omniou.data.tracks._rows import Role, TrackRows
from omniou.data.tracks._sequences import SequenceFile


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TrackFormat:
    """A format of files of tracks, as its module declares it.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        What it is, in a few words.
    read : callable
        Of files, whether they are ground truth or tracks, and options.
    first_frame : int
        The number of the first frame of a sequence.
    kind : str
        What it has, of the kinds that `omniou.tracking.evaluate` compares.
    order : str
        The order of the four numbers of a box, where they have no names.
    splits : callable, optional
        A line of text -> its fields.
    fits : callable, optional
        Whether the fields of a line are an object of such a file.
    recognises : callable, optional
        Whether a file is one, by its first bytes.
    """

    name: str
    title: str
    read: Callable[[Sequence[SequenceFile], Role, Options], TrackRows]
    first_frame: int
    kind: str = "bbox"
    order: str = ""
    splits: Callable[[str], Fields] = str.split
    fits: Callable[[Fields], bool] | None = None
    recognises: Callable[[Peek], bool] | None = None
