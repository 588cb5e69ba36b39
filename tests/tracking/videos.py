"""Videos as their similarities, written short: ids of objects and tracks, and a matrix, for each frame."""

from typing import Any

import numpy as np

from omniou import tracking


def video(*frames: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Frames as (ids of objects, ids of tracks, similarities)."""
    truth = [{"ids": list(x[0])} for x in frames]
    found = [{"ids": list(x[1])} for x in frames]
    return truth, found, [np.asarray(x[2], dtype=float).reshape(len(x[0]), len(x[1])) for x in frames]


def evaluated(*frames: Any, **options: Any) -> Any:
    """The result of one sequence."""
    truth, found, similarity = video(*frames)
    return tracking.evaluate(truth, found, similarity=similarity, **options)


def all_of(*, sequences: dict[str, Any], **options: Any) -> Any:
    """The result of several sequences by name."""
    parts = {name: video(*frames) for name, frames in sequences.items()}
    truth, found, similarity = ({name: x[k] for name, x in parts.items()} for k in range(3))
    return tracking.evaluate(truth, found, similarity=similarity, **options)
