"""The source of a public class that is made from a declaration."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from omniou._catalogue.options import Declared


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class ClassSource:
    """The parts of the source of a Keras loss.

    Attributes
    ----------
    name : str
    base : type
        Its base class.
    attribute : str
        Source of its class attribute: ``score = scores["giou"]``.
    options : mapping
        Declared options.
    doc : str
        Documentation.
    first : tuple of str
        Names of the options that may be given by position.
    own : mapping
        Types and defaults of further arguments of its base class.
    """

    name: str
    base: type
    attribute: str
    options: Declared
    doc: str
    first: tuple[str, ...] = ()
    own: Mapping[str, tuple[Any, Any]] = dataclasses.field(default_factory=dict)
