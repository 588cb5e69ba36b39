"""The result of an assigner of training."""

from typing import Any, NamedTuple

from omniou._lib import backends, checks
from omniou._lib.arrays import Operand, arrays_of


class Assigned(NamedTuple):
    """The object that each anchor learns from. The axis of images, B, is there if an argument has it.

    Attributes
    ----------
    objects : array, shape (B, A)
        Index of the object that the anchor is positive for: its place in `objects`, in the padded row of its image or
        in the flat list. -1 for every anchor that is not positive. Integers, int64 where the library has them.
    states : array, shape (B, A)
        1 for positive, 0 for negative (background), -1 for ignored. int8.
    scores : array, shape (B, A)
        A number of each anchor: see the assigner. Floating dtype of the input.
    counts : array, shape (B, M) or (N,)
        How many anchors each object has got: 0 for an object without an anchor, and for padding. Integers.
    """

    objects: Any
    states: Any
    scores: Any
    counts: Any

    def take(self, values: Any, /, background: float = -1) -> Any:
        """Values of the objects, such as labels or boxes, for each anchor.

        Parameters
        ----------
        values : array, shape (B, M, ...) or (N, ...)
            One row for each object, in the order of the objects that were assigned.
        background : number
            The value for other anchors, in the dtype of the values. For labels use a number that no class
            has: 0 would train the background as class 0.

        Returns
        -------
        array, shape (B, A, ...)
            Library, device and dtype of the values.

        Examples
        --------
        >>> from omniou import matching
        >>> anchors = [[0, 0, 10, 10], [20, 0, 30, 10]]
        >>> assigned = matching.max_iou(anchors, [[0, 0, 10, 9]], positive=0.5, negative=0.4)
        >>> assigned.take([7], background=80).tolist()
        [7, 80]
        """
        background = checks.number("background", background)
        (x, numbers), facts = arrays_of(
            {"values": Operand("numbers", ("bool", "numeric"))}, values=values, n=self.objects
        )
        xp = facts[0].namespace
        flat = self.counts.ndim == 1
        rows = x.shape[0] if flat and x.ndim else x.shape[1] if x.ndim > 1 else -1
        shape = tuple(x.shape[: self.counts.ndim])
        if not x.ndim or shape != tuple(self.counts.shape):
            raise ValueError(
                f"`values` must have one row for each object, {tuple(self.counts.shape)}, got shape {tuple(x.shape)}"
            )
        tail = x.shape[self.counts.ndim :]
        x = xp.reshape(x, (-1, *tail))
        positive = numbers >= 0
        places = xp.where(positive, numbers, 0)
        if not flat:
            image = xp.arange(numbers.shape[0], dtype=numbers.dtype, device=backends.device(numbers, xp=xp))
            places = places + image[:, None] * rows
        mask = xp.reshape(positive, (*numbers.shape, *[1] * len(tail)))
        if x.shape[0] == 0:
            return xp.full((*numbers.shape, *tail), background, dtype=x.dtype, device=backends.device(x, xp=xp))
        taken = xp.reshape(xp.take(x, xp.reshape(places, (-1,)), axis=0), (*numbers.shape, *tail))
        return xp.where(mask, taken, xp.full_like(taken, background))
