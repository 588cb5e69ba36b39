"""Evaluate trackers: HOTA, CLEAR (MOTA), identity (IDF1) and counts, for shapes or any similarity.

Ground truth and tracks are two tables, `Tracks`, with one row for each object in each frame. `evaluate` compares them
and gives a `Result`; an `Evaluator` does so frame by frame. `single` evaluates trackers of one object, `video_objects`
the segmentation of objects in videos.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.tracking import benchmarks, single, video_objects
    from omniou.tracking._decisions import EventTable
    from omniou.tracking._evaluator import Evaluator, compute, evaluate
    from omniou.tracking._result import Result
    from omniou.tracking._state import State, TrackingRules, merge
    from omniou.tracking._tables import Tracks

__all__ = [
    "Evaluator",
    "EventTable",
    "Result",
    "State",
    "TrackingRules",
    "Tracks",
    "benchmarks",
    "compute",
    "evaluate",
    "merge",
    "single",
    "video_objects",
]

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_decisions": ["EventTable"],
                "_evaluator": ["Evaluator", "compute", "evaluate"],
                "_result": ["Result"],
                "_state": ["TrackingRules", "State", "merge"],
                "_tables": ["Tracks"],
            }
        )
        | {name: name for name in ("benchmarks", "single", "video_objects")},
    )
