"""A public class that follows from a declaration, before it is written."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from omniou._catalogue.options import Declared


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class ClassSource:
    """What a loss of Keras is written from.

    Attributes
    ----------
    name : str
    base : type
        Its base class.
    attribute : str
        Source of what distinguishes it: ``score = scores["giou"]``.
    options : mapping
        Declared options.
    doc : str
        Documentation.
    first : tuple of str
        Names of the options that may be given by position.
    own : mapping
        Types and defaults of what its base class takes in addition.
    """

    name: str
    base: type
    attribute: str
    options: Declared
    doc: str
    first: tuple[str, ...] = ()
    own: Mapping[str, tuple[Any, Any]] = dataclasses.field(default_factory=dict)
