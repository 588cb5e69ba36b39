"""The losses."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.backend import get_keras_mask, set_keras_mask  # type: ignore[import-untyped]  # no public name

from omniou import losses
from omniou._lib.formats import BoxFormat
from omniou_integrations._keras_tensors import known, per_box
from omniou_integrations._scores import attempt, box_options


class _BoxLoss(keras.losses.Loss):  # type: ignore[misc]
    """A loss of `omniou.losses` with its options."""

    _loss: ClassVar[Callable[..., Any]]
    _name: ClassVar[str]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        offset: float = 0.0,
        eps: float = 0.0,
        image_size: Sequence[float] | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name=name or self._name, reduction=reduction, dtype=dtype)
        self.options = box_options(format, offset, eps, image_size) | options
        attempt(self._loss, self.options)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss, reduced."""
        mask = get_keras_mask(y_pred)
        y_true, y_pred = (ops.convert_to_tensor(y, dtype=self.dtype) for y in (y_true, y_pred))
        if sample_weight is not None or mask is not None:
            like = y_true[..., 0] + y_pred[..., 0]
            counted = True if mask is None else per_box(mask, like, dtype="bool")
            if sample_weight is not None:
                sample_weight = per_box(sample_weight, like, dtype=self.dtype)
                counted = ops.logical_and(counted, sample_weight != 0)
            # Keras multiplies by both, and 0 times NaN is NaN. So what is left out becomes an empty box.
            y_true, y_pred = (ops.where(ops.expand_dims(counted, -1), y, ops.zeros_like(y)) for y in (y_true, y_pred))
            set_keras_mask(y_pred, mask)
        return super().__call__(y_true, y_pred, sample_weight)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """(..., 4), (..., 4) -> (...)."""
        return self._loss(known(y_pred), known(y_true), **self.options)

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {**super().get_config(), "dtype": self.dtype, **self.options}


@keras.saving.register_keras_serializable(package="omniou")
class GIoULoss(_BoxLoss):
    """Generalised IoU loss: 1 - GIoU, in [0, 2].

    Parameters
    ----------
    format, offset, eps, image_size
        As at the top of `omniou.boxes`.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 whatever it holds, NaN included.

    Examples
    --------
    >>> from omniou_integrations.keras import GIoULoss
    >>> float(GIoULoss()([[1.0, 1.0, 2.0, 2.0]], [[0.0, 0.0, 1.0, 1.0]]))
    1.5
    """

    _loss = staticmethod(losses.giou)
    _name = "giou_loss"


@keras.saving.register_keras_serializable(package="omniou")
class DIoULoss(_BoxLoss):
    """Distance IoU loss: 1 - DIoU, in [0, 2].

    Parameters, shapes and errors are those of `GIoULoss`.

    Examples
    --------
    >>> from omniou_integrations.keras import DIoULoss
    >>> round(float(DIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 6)
    1.2
    """

    _loss = staticmethod(losses.diou)
    _name = "diou_loss"


@keras.saving.register_keras_serializable(package="omniou")
class CIoULoss(_BoxLoss):
    """Complete IoU loss: 1 - CIoU, in [0, 3].

    Parameters, shapes and errors are those of `GIoULoss`; beyond them:

    Parameters
    ----------
    detach_alpha : bool
        Hold the weight of the aspect term constant in the gradient, as the paper does and Keras' own function does
        not.

    Examples
    --------
    >>> from omniou_integrations.keras import CIoULoss
    >>> round(float(CIoULoss()([[1.0, 0.0, 3.0, 3.0]], [[0.0, 0.0, 4.0, 2.0]])), 6)
    0.626823
    """

    _loss = staticmethod(losses.ciou)
    _name = "ciou_loss"

    def __init__(self, format: BoxFormat = "xyxy", *, detach_alpha: bool = True, **options: Any) -> None:
        super().__init__(format, detach_alpha=detach_alpha, **options)


@keras.saving.register_keras_serializable(package="omniou")
class IoULoss(_BoxLoss):
    """IoU loss: 1 - IoU, or -log(IoU).

    Parameters, shapes and errors are those of `GIoULoss`; beyond them:

    Parameters
    ----------
    log, floor
        As of `omniou.losses.iou`: the loss of UnitBox, -log(max(IoU, floor)).

    Examples
    --------
    >>> from omniou_integrations.keras import IoULoss
    >>> float(IoULoss()([[0.0, 0.0, 2.0, 1.0]], [[0.0, 0.0, 2.0, 2.0]]))
    0.5
    """

    _loss = staticmethod(losses.iou)
    _name = "iou_loss"

    def __init__(self, format: BoxFormat = "xyxy", *, log: bool = False, floor: float = 1e-6, **options: Any) -> None:
        super().__init__(format, log=log, floor=floor, **options)
