"""Losses, a metric and a callback for Keras 3, on any backend: torch, JAX or TensorFlow.

The same formulas run on all of them, in eager mode, in graphs and compiled, with equal values and gradients; these are
finite also for boxes that are empty, inverted, identical or apart. Everything here can be saved in a ``.keras`` file.

>>> import keras, numpy as np
>>> from omniou_integrations.keras import BoxIoU, DetectionCallback, GIoULoss
>>> x, y = np.random.rand(64, 3), np.tile([0.2, 0.2, 0.6, 0.8], (64, 1))
>>> model = keras.Sequential([keras.layers.Dense(4)])
>>> model.compile("adam", loss=GIoULoss(), metrics=[BoxIoU()])
>>> stop = keras.callbacks.EarlyStopping("val_giou", mode="max", patience=3)
>>> history = model.fit(x, y, epochs=2, verbose=0, callbacks=[DetectionCallback((x, y)), stop])
>>> sorted(history.history)
['box_iou', 'loss', 'val_giou', 'val_iou']
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import keras  # type: ignore[import-untyped]
import numpy as np
from keras import ops

from omniou import boxes, losses
from omniou._lib.formats import BoxFormat
from omniou_integrations._validation import SCORES, Summary, attempt, box_options, score_choice

if keras.backend.backend() == "tensorflow":
    from omniou_integrations._tensorflow import known
else:
    # Tensors of the other backends are arrays of the standard, which omniou's functions take as they are.
    def known(x: Any) -> Any:
        """The tensor."""
        return x


__all__ = ["BoxIoU", "CIoULoss", "DIoULoss", "DetectionCallback", "GIoULoss", "IoULoss"]


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
    reduction the losses have shape (...), and so has ``sample_weight``: 0 for padding, which must be finite.

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


@keras.saving.register_keras_serializable(package="omniou")
class BoxIoU(keras.metrics.Metric):  # type: ignore[misc]
    """Mean IoU, or another score, of predicted boxes and the true boxes in the same places.

    Parameters
    ----------
    format, offset, eps, image_size
        As at the top of `omniou.boxes`.
    score : {"iou", "giou", "diou", "ciou"}
        Which score.
    name : str, optional
        By default ``box_`` and the score.
    dtype
        As of `keras.metrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the last axes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4) as for `GIoULoss`, ``sample_weight`` has the leading axes (...) or the
    first of them. Where it is 0 a box is left out, whatever it holds. The result is the sum of the scores over the sum
    of the weights, all batches alike, and NaN where nothing was seen.

    Examples
    --------
    >>> from omniou_integrations.keras import BoxIoU
    >>> metric = BoxIoU(score="giou")
    >>> metric.update_state([[1.0, 1.0, 2.0, 2.0]], [[0.0, 0.0, 1.0, 1.0]])
    >>> float(metric.result())
    -0.5
    """

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        score: str = "iou",
        offset: float = 0.0,
        eps: float = 0.0,
        image_size: Sequence[float] | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        score_choice("score", score)
        super().__init__(name=name or f"box_{score}", dtype=dtype)
        self._direction = "up"  # for the callbacks that choose between rising and falling by themselves
        self.score = score
        self.options = box_options(format, offset, eps, image_size)
        attempt(SCORES[score], self.options)
        self.total = self.add_variable((), "zeros", dtype=self.dtype, name="total")
        self.count = self.add_variable((), "zeros", dtype=self.dtype, name="count")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the scores of a batch."""
        values = self._values(y_true, y_pred)
        if sample_weight is None:
            weight = ops.ones_like(values)
        else:
            weight = ops.convert_to_tensor(sample_weight, dtype=self.dtype)
            if len(weight.shape) > len(values.shape):
                weight = ops.squeeze(weight, axis=-1)
            weight = ops.reshape(weight, (*ops.shape(weight), *[1] * (len(values.shape) - len(weight.shape))))
            weight = ops.broadcast_to(weight, ops.shape(values))
        self.total.assign_add(ops.sum(ops.where(weight == 0, 0.0, values * weight)))
        self.count.assign_add(ops.sum(weight))

    def result(self) -> Any:
        """Mean of everything since the last reset."""
        return self.total / self.count

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {**super().get_config(), "score": self.score, **self.options}

    def _values(self, y_true: Any, y_pred: Any) -> Any:
        y_true, y_pred = (known(ops.convert_to_tensor(y, dtype=self.dtype)) for y in (y_true, y_pred))
        return SCORES[self.score](y_pred, y_true, **self.options)


class DetectionCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Scores of boxes on validation data after each epoch, in the logs that other callbacks read.

    Place it *before* EarlyStopping, ModelCheckpoint, CSVLogger and the like: they read the logs in the order of the
    list, and what is placed before this callback does not see its numbers; a warning says so.

    Parameters
    ----------
    validation_data : tuple of two, or iterable
        Inputs and targets as arrays (or dicts, lists of arrays), or an iterable of such pairs, each a batch, that can
        be iterated again: `keras.utils.PyDataset`, `tf.data.Dataset`, torch `DataLoader`.
    format : str
        Of all boxes, as at the top of `omniou.boxes`.
    image_size : sequence, optional
        (height, width), for relative formats.
    scores : sequence of {"iou", "giou", "diou", "ciou"}
        Which mean scores to give.
    batch_size : int
        For arrays.
    decode : callable, optional
        From what the model predicts for a batch, as NumPy arrays, to one of the forms below.
    prefix : str
        Of the keys in the logs.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or after an epoch predictions and targets do not fit each other.

    Notes
    -----
    Targets and predictions have one of two forms.

    *Arrays* of shape (batch, ..., 4): predictions and targets in the same places belong together. The scores are means
    over all boxes.

    *Dicts*: targets with ``boxes`` (batch, N, 4) and ``labels`` (batch, N); predictions with ``boxes`` (batch, M, 4),
    ``labels`` (batch, M) and perhaps ``scores`` (batch, M), or under the names that KerasCV gave them, ``classes`` and
    ``confidence``. Rows with a negative label are padding, and those beyond ``num_detections`` (batch,), if given;
    class 0 is a class. Within an image and a label predictions and targets are paired one by one, the best score
    first; boxes left over on either side count too, with 0 for IoU and -1 for the other scores. Where there are
    ``scores``, ``val_map``, ``val_map_50`` and ``val_map_75`` are COCO's AP, AP50 and AP75, see `omniou.detection`.

    Where there was nothing to score a number is NaN. EarlyStopping and ModelCheckpoint need ``mode="max"``, for they
    cannot tell by the name. The numbers of the last epoch are also in the attribute ``results``.

    Examples
    --------
    >>> import keras, numpy as np
    >>> from omniou_integrations.keras import DetectionCallback
    >>> x = y = np.array([[0.0, 0.0, 2.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    >>> model = keras.Sequential([keras.layers.Identity()])
    >>> callback = DetectionCallback((x, y[::-1]), scores=["iou"])
    >>> callback.set_model(model)
    >>> callback.on_epoch_end(0)
    >>> callback.results
    {'val_iou': 0.5}
    """

    def __init__(
        self,
        validation_data: Any,
        *,
        format: BoxFormat = "xyxy",
        image_size: Sequence[float] | None = None,
        scores: Sequence[str] = ("iou", "giou"),
        batch_size: int = 32,
        decode: Callable[[Any], Any] | None = None,
        prefix: str = "val_",
    ) -> None:
        super().__init__()
        for score in scores:
            score_choice("scores", score)
        attempt(boxes.iou, box_options(format, 0.0, 0.0, image_size))
        self.validation_data = validation_data
        self.format = format
        self.image_size = image_size
        self.scores = tuple(scores)
        self.batch_size = batch_size
        self.decode = decode
        self.prefix = prefix
        self.results: dict[str, float] = {}

    def set_model(self, model: Any) -> None:
        """Called by Keras, one callback after another: the place to see which come first."""
        super().set_model(model)
        names = [type(other).__name__ for other in self._before() if _reads_logs(other)]
        if names:
            msg = f"DetectionCallback stands after {', '.join(names)}, which will not see its numbers: place it first"
            warnings.warn(msg, stacklevel=2)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Predict, score, and add to the logs."""
        del epoch
        summary = Summary(self.scores, self.format, self.image_size)
        for x, y in self._batches():
            found = keras.tree.map_structure(_numpy, self.model.predict_on_batch(x))
            summary.add(found if self.decode is None else self.decode(found), keras.tree.map_structure(_numpy, y))
        self.results = {f"{self.prefix}{name}": value for name, value in summary.results().items()}
        if logs is not None:
            logs.update(self.results)

    def _batches(self) -> Iterator[tuple[Any, Any]]:
        data = self.validation_data
        if isinstance(data, tuple):
            size, step = len(keras.tree.flatten(data)[0]), self.batch_size
            data = (
                keras.tree.map_structure(lambda x, i=i: x[i : i + step], self.validation_data)
                for i in range(0, size, step)
            )
        elif isinstance(data, keras.utils.PyDataset):
            data = (self.validation_data[i] for i in range(len(data)))
        count = 0
        for count, batch in enumerate(data, 1):  # noqa: B007
            if not isinstance(batch, (tuple, list)) or len(batch) != 2:
                msg = f"`validation_data` must give pairs of inputs and targets, got {type(batch).__name__}"
                raise ValueError(msg)
            yield batch[0], batch[1]
        if not count:
            msg = "`validation_data` gave no batch: is it a generator, that can be iterated once only?"
            raise ValueError(msg)

    def _before(self) -> list[Any]:
        """Callbacks that come before this one. Keras does not say, so ask the list that is calling."""
        frame = inspect.currentframe()
        while frame is not None:
            caller = frame.f_locals.get("self")
            if isinstance(caller, keras.callbacks.CallbackList) and self in caller.callbacks:
                return list(caller.callbacks[: caller.callbacks.index(self)])
            frame = frame.f_back
        return []


def _reads_logs(callback: Any) -> bool:
    readers = (keras.callbacks.CSVLogger, keras.callbacks.TensorBoard, keras.callbacks.RemoteMonitor)
    return isinstance(callback, readers) or hasattr(callback, "monitor")


def _numpy(x: Any) -> Any:
    return ops.convert_to_numpy(x) if ops.is_tensor(x) else np.asarray(x)
