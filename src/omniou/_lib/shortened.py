"""Some items in a message: the first ones, and how many more there are."""

from collections.abc import Sequence


def shortened(items: Sequence[object], most: int = 5) -> str:
    """Return the first items, texts in quotes: ``'a', 'b' and 3 more``."""
    shown = ", ".join(repr(x) if isinstance(x, str) else str(x) for x in items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown
