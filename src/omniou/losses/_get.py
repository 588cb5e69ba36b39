"""A loss by its name."""

from typing import Any

from omniou._lib import checks

# Filled by `omniou.losses`, which makes the losses of scores.
BY_NAME: dict[str, Any] = {}


def get(name: str, /) -> Any:
    """The loss of boxes that a name stands for, as configurations have it.

    Parameters
    ----------
    name : str
        Such as "giou" or "smooth_l1".

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If there is none of this name; the message lists those there are, and the nearest one.

    Examples
    --------
    >>> from omniou import losses
    >>> losses.get("giou") is losses.giou
    True
    """
    return BY_NAME[checks.choice("name", name, BY_NAME)]
