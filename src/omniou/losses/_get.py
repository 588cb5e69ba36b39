"""A loss by its name."""

from typing import Any

from omniou._lib import checks
from omniou.losses._coordinates import balanced_l1, l1, smooth_l1
from omniou.losses._written import boxes

BY_NAME: dict[str, Any] = {name: getattr(boxes, name) for name in boxes.__all__}
BY_NAME |= {"l1": l1, "smooth_l1": smooth_l1, "balanced_l1": balanced_l1}


def get(name: str, /) -> Any:
    """Return the loss of boxes of a name, such as "giou", for configuration files.

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
