"""Mean overlap of boxes, detection AP and mean IoU of segmentation as metrics of flax's nnx: states that change.

They go into `nnx.MultiMetric`, whose `update` hands all its arguments to every metric: those that a metric does not
know have no effect. flax's word for what counts, ``mask``, and optax's, ``where``, mean the same.

>>> import jax.numpy as jnp
>>> from flax import nnx
>>> from omniou import boxes
>>> from omniou_integrations.flax import BoxScore
>>> metrics = nnx.MultiMetric(giou=BoxScore(boxes.giou), loss=nnx.metrics.Average("loss"))
>>> @nnx.jit
... def step(metrics, pred, target):
...     metrics.update(pred=pred, target=target, loss=jnp.asarray(0.25))
>>> step(metrics, jnp.asarray([[0.0, 0, 1, 1]]), jnp.asarray([[1.0, 1, 2, 2]]))
>>> {name: float(value) for name, value in metrics.compute().items()}
{'giou': -0.5, 'loss': 0.25}
"""

from omniou._lib import extras

extras.check_adapter(__name__, "flax", "jax")

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax.typing import ArrayLike

from omniou import boxes
from omniou._lib.docs import described
from omniou_integrations import jax as states
from omniou_integrations.jax._metrics import updated
from omniou_integrations.jax._sums import one_of

__all__ = ["BoxScore", "DetectionAP", "MeanIoU"]


def __dir__() -> list[str]:
    return __all__


class _OfState(nnx.Metric):
    """A metric that holds a state of JAX.

    Attributes
    ----------
    state : nnx.metrics.MetricState
        Holds the pytree: ``state.get_value()``.
    """

    def __init__(self, empty: Any) -> None:
        self.state = nnx.metrics.MetricState(empty)

    def reset(self) -> None:
        """Reset the state."""
        self.state.set_value(jax.tree.map(jnp.zeros_like, self.state.get_value()))

    def update(self, *, where: ArrayLike | None = None, mask: ArrayLike | None = None, **outputs: Any) -> None:
        """Add a batch.

        Parameters
        ----------
        where : array of booleans, optional
            What counts, as in `update` of the state.
        mask : array of booleans, optional
            flax's word for `where`.
        **outputs
            The other arguments of `update` of the state, by name. More have no effect.
        """
        counted = one_of(where, mask)
        self.state.set_value(updated(self.state.get_value(), outputs, where=counted, **self._options()))

    def compute(self) -> Any:
        """The value so far; NaN without data."""
        return self.state.get_value().compute()

    def _options(self) -> dict[str, Any]:
        """Options of each `update` of the state."""
        return {}


@described(states.BoxScore.empty)
class BoxScore(_OfState):
    """Mean of a score of pairs of boxes: ``update(pred=..., target=...)`` takes what `jax.BoxScore.update` takes.

    Parameters
    ----------
    score, **options
    """

    def __init__(self, score: Callable[..., Any] = boxes.iou, **options: Any) -> None:
        super().__init__(states.BoxScore.empty(score, **options))


@described(states.DetectionAP.empty)
class DetectionAP(_OfState):
    """COCO's average precision of boxes.

    ``update(targets=..., detections=...)`` takes what `jax.DetectionAP.update` takes.

    Parameters
    ----------
    classes, protocol, bins, low, high, format, offset

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.flax import DetectionAP
    >>> metric = DetectionAP(classes=3, bins=512)
    >>> truth = {"boxes": jnp.asarray([[[0.0, 0, 8, 8]]]), "labels": jnp.asarray([[2]])}
    >>> metric.update(targets=truth, detections=truth | {"scores": jnp.asarray([[0.9]])})
    >>> {name: float(value) for name, value in metric.compute().items()}
    {'AP': 1.0, 'AP50': 1.0, 'AP75': 1.0, 'AR': 1.0}
    """

    def __init__(self, classes: int, **options: Any) -> None:
        super().__init__(states.DetectionAP.empty(classes, **options))

    def summary(self) -> dict[str, jax.Array]:
        """AP, AP50, AP75 and AR of all batches so far."""
        numbers: dict[str, jax.Array] = self.state.get_value().summary()
        return numbers


@described(states.MeanIoU.empty)
class MeanIoU(_OfState):
    """Mean IoU of segmentation, from the confusion counts of a data set.

    ``update(pred=..., target=...)`` takes what `jax.MeanIoU.update` takes.

    Parameters
    ----------
    num_classes
    class_axis : int, optional
        The axis of scores of classes in `pred`, the highest of which wins. By default `pred` holds classes.
    **options
        `ignore_index`, as in `omniou_integrations.jax.MeanIoU.empty`.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.flax import MeanIoU
    >>> metric = MeanIoU(num_classes=2, ignore_index=255)
    >>> metric.update(pred=jnp.asarray([[0, 1, 1, 0]]), target=jnp.asarray([[0, 0, 1, 255]]))
    >>> float(metric.compute()), metric.per_class(score="recall").tolist()
    (0.5, [0.5, 1.0])
    """

    def __init__(self, num_classes: int, *, class_axis: int | None = None, **options: Any) -> None:
        super().__init__(states.MeanIoU.empty(num_classes, **options))
        self.class_axis = class_axis

    def _options(self) -> dict[str, Any]:
        return {"class_axis": self.class_axis}

    def per_class(self, *, score: str = "iou") -> jax.Array:
        """A score of each class, (C,), by its name in `omniou.pixel_scores`; NaN for a class in neither map."""
        each: jax.Array = self.state.get_value().per_class(score=score)
        return each
