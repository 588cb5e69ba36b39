"""3-D detection scored by the distance of centres on the ground: AP, true positive errors and NDS, as in nuScenes.

A detection matches the nearest object of its class whose centre is closer than a threshold in metres: boxes need not
overlap. `evaluate` compares two tables, `CentreTargets` and `CentreDetections`, under `CentreRules`, and gives a
`CentreResult`. `NUSCENES` are the rules of the nuScenes detection task. `omniou.data.nuscenes` reads its files.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.centres._evaluate import evaluate
    from omniou.centres._result import CentreResult
    from omniou.centres._rules import NUSCENES, CentreClass, CentreRules
    from omniou.centres._tables import CentreDetections, CentreRacks, CentreTargets

__all__ = [
    "NUSCENES",
    "CentreClass",
    "CentreDetections",
    "CentreRacks",
    "CentreResult",
    "CentreRules",
    "CentreTargets",
    "evaluate",
]

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_evaluate": ["evaluate"],
                "_result": ["CentreResult"],
                "_rules": ["NUSCENES", "CentreClass", "CentreRules"],
                "_tables": ["CentreDetections", "CentreRacks", "CentreTargets"],
            }
        ),
    )
