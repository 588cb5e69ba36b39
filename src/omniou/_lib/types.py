"""The types that public signatures share."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar


class Array(Protocol):
    """The little of an array that a signature needs, so that a torch caller gets a `torch.Tensor` back."""

    @property
    def shape(self) -> Any: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...


ArrayT = TypeVar("ArrayT", bound=Array)

# Python numbers and (nested) lists: they join the library of the other argument, or become NumPy.
ArrayLike: TypeAlias = float | Sequence[Any]

# A module, and no protocol for it exists in the standard.
Namespace: TypeAlias = Any
