"""What is wrong with a file, in one line."""

import functools
import re
from pathlib import Path
from typing import Any

from omniou._lib.findings import Finding

# What a file has where something short was expected: its beginning tells enough.
_LONG = re.compile(r"([^\s/\\]{80})[^\s/\\]{120,}")


# What is said where scores are missing.
MISSING_SCORES = "is this the ground truth? --missing-scores evaluates detections without scores"


class InputError(ValueError):
    """A file that cannot be used.

    Parameters
    ----------
    path : path
        The file.
    fault : str
        What is wrong.
    place : str
        Where: ``annotations[3].bbox[2]``, ``line 3, x1``, or empty for the file as a whole.
    """

    def __init__(self, path: Path | str, fault: str, *, place: str = "") -> None:
        self.path, self.fault, self.place = Path(path), _LONG.sub(r"\1...", fault), place
        super().__init__(": ".join(part for part in (str(path), place, self.fault) if part))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle for other processes: the message does not say what the parts are."""
        return functools.partial(type(self), place=self.place), (self.path, self.fault)


class UnknownImageError(InputError):
    """A detection in an image that the ground truth does not have."""


class InputWarning(UserWarning):
    """A file that can be used, but perhaps not as it was meant.

    Parameters
    ----------
    finding : Finding
        The finding; also the attribute of that name.
    """

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(str(finding))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle for other processes: by the finding, not by its text."""
        return type(self), (self.finding,)


class OptionError(ValueError):
    """An option that does not fit the format."""
