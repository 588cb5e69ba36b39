"""The types that public signatures share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # which type checkers bring: with a default
else:
    from typing import TypeVar


class Array(Protocol):
    """The little of an array that a signature needs, so a torch caller gets a `torch.Tensor` back."""

    @property
    def shape(self) -> Any: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...


if TYPE_CHECKING:
    ArrayT = TypeVar("ArrayT", bound=Array, default=Any)  # lists and numbers alone become NumPy's array
else:
    ArrayT = TypeVar("ArrayT", bound=Array)

# Python numbers and (nested) lists: they join the library of the other argument, or become NumPy.
ArrayLike: TypeAlias = float | Sequence[Any]

# A module, and no protocol for it exists in the standard.
Namespace: TypeAlias = Any
