"""A public function that follows from a declaration, before it is written, or made at run time."""

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from omniou._catalogue.calls import Deferred, publish
from omniou._catalogue.options import Declared, filled
from omniou._lib.types import ArrayLike, ArrayT

SETS: Mapping[str, Any] = {"a": ArrayT | ArrayLike, "b": ArrayT | ArrayLike}


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class FunctionSource:
    """What a function is written from.

    Attributes
    ----------
    name : str
    operation : Deferred
        What it calls.
    expression : str
        Source of the operation: ``operations.score("giou", GEOMETRY)``.
    arguments : mapping
        Types of the arrays by name.
    options : mapping
        Declared options.
    returns : type
        Type of the result.
    doc : str
        Documentation.
    positional_only : bool
        Whether arrays are given by position only.
    """

    name: str
    operation: Deferred
    expression: str
    arguments: Mapping[str, Any]
    options: Declared
    doc: str
    returns: Any = ArrayT
    positional_only: bool = True

    def made(self, module: str, /) -> Any:
        """Make the function at run time, for geometries and scores of the user, which have no written source."""

        def function(*arrays: Any, **given: Any) -> Any:
            if len(arrays) != len(self.arguments):
                raise TypeError(f"{self.name}() takes {len(self.arguments)} arrays, got {len(arrays)}")
            return self.operation(*arrays, **filled(self.name, self.options, given))

        kinds = inspect.Parameter
        parameters = [kinds(x, kinds.POSITIONAL_ONLY, annotation=hint) for x, hint in self.arguments.items()]
        parameters += [
            kinds(name, kinds.KEYWORD_ONLY, default=option.default, annotation=hint)
            for name, (hint, option) in self.options.items()
        ]
        shown: Any = function
        shown.__signature__ = inspect.Signature(parameters, return_annotation=self.returns)
        shown.__name__ = shown.__qualname__ = self.name
        shown.__doc__ = self.doc
        publish(module, {"__all__": [self.name], self.name: shown, f"_{self.name}": self.operation})
        return shown
