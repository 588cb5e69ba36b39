"""Notes on a data set that are not mistakes: few objects, and scores that end above 0."""

from typing import Any

from omniou._inputs.inputs import Detections
from omniou.detection.doctor._examined import Examined
from omniou.detection.doctor._numpy import np
from omniou.detection.doctor._scores import cut

# With fewer objects, the AP of a class says little.
_FEW = 10


def of_truth(truth: Examined) -> list[str]:
    """Note that no class has more than a few objects."""
    counts = np.bincount(np.unique(np.asarray(truth.targets.labels), return_inverse=True)[1])
    if not len(counts) or counts.max() >= _FEW:
        return []
    return [f"no class has {_FEW} objects or more: AP is uncertain"]


def of_detections(detections: Detections[Any]) -> list[str]:
    """Note the score below which there are no detections."""
    found = cut(np.asarray(detections.scores))
    if found is None:
        return []
    return [f"no score is below {found.score:g}, and many are just above: AP lacks the recall of lower scores"]
