"""`DetectionCallback`: average precision at the end of each epoch."""

import inspect
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import keras  # type: ignore[import-untyped]
import numpy as np
from keras import ops

import omniou
from omniou import boxes
from omniou._catalogue.options import declared
from omniou._catalogue.options import described as option_texts
from omniou._catalogue.shape_options import FormatOption, OffsetOption
from omniou._lib import checks
from omniou._lib.docs import described
from omniou._lib.formats import BoxFormat
from omniou.detection import Protocol, evaluate
from omniou.detection._presets import named
from omniou_integrations._shared.columns import Reading
from omniou_integrations._shared.scores import attempt, score_by_name
from omniou_integrations._shared.summary import HEADLINES, Summary, result_names


@described(evaluate, option_texts(declared(FormatOption, OffsetOption)))
class DetectionCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Scores of boxes on validation data after each epoch, in the logs that other callbacks read.

    Place it *before* EarlyStopping, ModelCheckpoint, CSVLogger and the like: they read the logs in the order of the
    list, and what is placed before this callback does not see its numbers; a warning says so.

    Parameters
    ----------
    validation_data : tuple, iterable or callable
        Inputs and targets as arrays (or dicts, lists of arrays); an iterable of such pairs, each a batch:
        `keras.utils.PyDataset`, `tf.data.Dataset`, torch `DataLoader`, list; a function that makes a fresh iterable;
        or, with `steps`, an iterator, which goes on where it stopped. One batch at a time is held. Arrays may come with
        sample weights as a third.
    format, offset
    image_size : sequence or str, optional
        For relative formats: (height, width), or the key of the targets under which they stand for each image.
    scores : sequence of str
        Mean scores to log: names of `omniou.scores`.
    results : sequence of str, optional
        Average precisions and recalls to log: of ``map``, ``map_50``, ``map_75``, ``map_small``,
        ``map_medium``, ``map_large``, ``mar_1``, ``mar_10``, ``mar_100``, ``mar_small``, ``mar_medium``,
        ``mar_large``, or what else `protocol` has. Default: the first three, as far as it has them. Empty: none, and
        predictions need no scores.
    class_names : sequence or mapping of int to str, optional
        Names of labels, each of which gets an AP of its own: ``val_map/cat``.
    protocol : Protocol or str
        Rules of average precision, as in `omniou.detection.evaluate`.
    class_agnostic
    every : int
        Evaluate in each so many epochs, and in the first and the last one.
    batch_size : int
        For arrays.
    steps : int, optional
        Batches to take each time. Default: all.
    decode : callable, optional
        From what the model predicts for a batch, as NumPy arrays, to one of the forms below.
    prefix : str
        Prefix of the keys in the logs.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or after an epoch predictions and targets do not fit each other: the message names
        the batch and the key, and the logs are as they were.

    Notes
    -----
    Targets and predictions have one of two forms.

    *Arrays* of shape (batch, ..., 4): predictions and targets at the same index are pairs. The scores are means
    over all boxes, weighted where there are sample weights: 0 excludes a box, regardless of its value.

    *Dicts*: targets with ``boxes`` (batch, N, 4) and ``labels`` (batch, N); predictions with ``boxes`` (batch, M, 4),
    ``labels`` (batch, M) and ``scores`` (batch, M), or under the names that KerasCV gave them, ``classes`` and
    ``confidence``. Rows with a negative label are padding, and those beyond ``num_detections`` (batch,), if given;
    class 0 is a class. Also a list with a dict for each image, without the first axis, or ragged tensors. Targets may
    have ``crowd`` (or ``iscrowd``), ``ignore`` and ``area``, see `omniou.detection.Targets`.

    For the mean scores, predictions and targets are paired one by one within an image and a label, the best score
    first; unmatched predictions and targets count too, with the `miss` of `omniou.scores`: 0 for IoU, -1 for GIoU.
    Crowds and ignored objects take no part.

    All numbers are Python floats, NaN where there was nothing to score, or where a prediction was not finite: a
    training that diverges goes on. In epochs between two evaluations the logs repeat the last numbers, so
    EarlyStopping and its like find them; patience counts epochs. These callbacks need ``mode="max"``, for they cannot
    tell by the name. The last numbers are also in the attribute ``results``.

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
        offset: float = 0.0,
        image_size: Sequence[float] | str | None = None,
        scores: Sequence[str] = ("iou", "giou"),
        results: Sequence[str] | None = None,
        class_names: Sequence[str] | Mapping[int, str] = (),
        protocol: Protocol | str = "coco",
        class_agnostic: bool = False,
        every: int = 1,
        batch_size: int = 32,
        steps: int | None = None,
        decode: Callable[[Any], Any] | None = None,
        prefix: str = "val_",
    ) -> None:
        super().__init__()
        _names("scores", scores)
        size = (1.0, 1.0) if isinstance(image_size, str) else image_size
        for score in scores:
            score_by_name("scores", score)
            if omniou.scores[score].of_image and (size is None or isinstance(image_size, str)):
                raise ValueError(
                    f"`image_size` must be one (height, width) for the score {score!r}, got {image_size!r}"
                )
        attempt(boxes.iou, {"format": format, "offset": offset, "image_size": size})
        self.every, self.batch_size = checks.count("every", every), checks.count("batch_size", batch_size)
        self.steps = steps = None if steps is None else checks.count("steps", steps)
        check(validation_data, steps)
        self.validation_data = validation_data
        self.scores = tuple(scores)
        self.protocol = named(protocol, class_agnostic=class_agnostic)
        self.class_names = dict(class_names if isinstance(class_names, Mapping) else enumerate(class_names))
        if self.protocol.class_agnostic and self.class_names:
            raise ValueError(
                "`class_names` ask for an AP of each class, and `class_agnostic` makes all classes one: leave one out"
            )
        self.decode = decode
        self.prefix = prefix
        self.results: dict[str, float] = {}
        self._chosen_results = _chosen(results, result_names(self.protocol))
        self._reading = Reading(format, offset, image_size, scored=bool(self._chosen_results or self.class_names))
        self._insists = bool(results or self.class_names)

    def set_model(self, model: Any) -> None:
        """Warn of callbacks that stand before this one: Keras calls this method of each in the order of the list."""
        super().set_model(model)
        names = [type(other).__name__ for other in self._before() if _reads_logs(other)]
        if names:
            msg = f"DetectionCallback stands after {', '.join(names)}, which will not see its numbers: place it first"
            warnings.warn(msg, stacklevel=2)

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Forget the numbers of an earlier training."""
        del logs
        self.results = {}

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Predict, score, and add to the logs."""
        last = epoch + 1 == (self.params or {}).get("epochs")
        if epoch % self.every == 0 or last or not self.results:
            self.results = {f"{self.prefix}{name}": value for name, value in self._evaluate().items()}
        if logs is not None:
            logs.update(self.results)

    def _evaluate(self) -> dict[str, float]:
        summary = Summary(
            self.scores,
            self._chosen_results,
            self._reading,
            self.class_names,
            protocol=self.protocol,
            insists=self._insists,
        )
        for number, (x, y, weight) in enumerate(batches(self.validation_data, self.batch_size, self.steps)):
            predictions = keras.tree.map_structure(to_numpy, self.model.predict_on_batch(x))
            predictions = predictions if self.decode is None else self.decode(predictions)
            try:
                summary.add(predictions, y, weight)
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"batch {number} of `validation_data`: {error}") from error
        return summary.results()

    def _before(self) -> list[Any]:
        """Callbacks before this one, from the `CallbackList` on the call stack: Keras does not hand it over."""
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


def _chosen(results: Sequence[str] | None, known: dict[str, str]) -> dict[str, str]:
    """Return the chosen results, or all that the protocol has."""
    if results is None:
        return {name: known[name] for name in HEADLINES if name in known}
    _names("results", results)
    for name in results:
        checks.choice("results", name, known)
    return {name: known[name] for name in results}


def _names(name: str, given: Any) -> None:
    if isinstance(given, str):
        raise TypeError(f"`{name}` must be a list of names, got {given!r}")


def check(data: Any, steps: int | None) -> None:
    """Raise for data that cannot be iterated anew after each epoch."""
    if isinstance(data, tuple):
        if len(data) not in (2, 3):
            raise ValueError(
                f"`validation_data` must be (inputs, targets), or these and sample weights, got {len(data)} things"
            )
        lengths = {len(x) for x in keras.tree.flatten(data) if x is not None}
        if len(lengths) > 1:
            raise ValueError(
                f"`validation_data` must hold arrays of one length, got {', '.join(map(str, sorted(lengths)))}"
            )
    elif not (callable(data) or isinstance(data, keras.utils.PyDataset) or hasattr(data, "__iter__")):
        raise TypeError(f"`validation_data` must be a tuple of arrays, or give batches, got {type(data).__name__}")
    endless = isinstance(data, keras.utils.PyDataset) and data.num_batches is None
    if steps is None and (isinstance(data, Iterator) or endless):
        what = "without end" if endless else "that can be gone through once only"
        raise ValueError(
            f"`steps` must be given for data {what}, got {type(data).__name__}; or give a function that makes it anew"
        )


def batches(data: Any, batch_size: int, steps: int | None) -> Iterator[tuple[Any, Any, Any]]:
    """Yield batches: inputs as Keras takes them, targets in NumPy, and sample weights in NumPy or None."""
    count = 0
    for count, batch in enumerate(itertools.islice(_source(data, batch_size), steps), 1):
        if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
            got = f"{len(batch)} things" if isinstance(batch, (tuple, list)) else type(batch).__name__
            raise ValueError(f"`validation_data` must give pairs of inputs and targets, got {got} in batch {count - 1}")
        x, y, weight = (*batch, None)[:3]
        yield keras.tree.map_structure(_input, x), targets(y), None if weight is None else to_numpy(weight)
    if count < (steps or 1):
        required = "at least 1 batch" if steps is None else f"`steps` = {steps} batches"
        raise ValueError(f"`validation_data` must give {required} after each epoch, gave {count}")


def _source(data: Any, batch_size: int) -> Iterable[Any]:
    # Not a generator with `yield from`: closing it would close the generator of a user.
    if isinstance(data, tuple):
        starts = range(0, len(keras.tree.flatten(data)[0]), batch_size)
        return (_rows(data, slice(i, i + batch_size)) for i in starts)
    if isinstance(data, keras.utils.PyDataset):
        numbers = itertools.count() if data.num_batches is None else range(data.num_batches)
        return (data[i] for i in numbers)
    return data() if callable(data) else data


def _rows(data: Any, rows: slice) -> Any:
    return keras.tree.map_structure(lambda x: None if x is None else x[rows], data)


def targets(y: Any) -> Any:
    """Convert targets to NumPy: an array, a dict of arrays, or a list of such dicts."""
    if isinstance(y, Mapping):
        return {key: to_numpy(x) for key, x in y.items()}
    if isinstance(y, (list, tuple)) and y and all(isinstance(row, Mapping) for row in y):
        return [targets(row) for row in y]
    return to_numpy(y)


def to_numpy(x: Any) -> Any:
    """Convert to a NumPy array; bfloat16, which NumPy lacks, becomes float32."""
    if hasattr(x, "to_tensor"):  # ragged, of TensorFlow: a label of -1 marks padding
        x = x.to_tensor(default_value=-1)
    if ops.is_tensor(x):
        x = ops.convert_to_numpy(x)
    elif hasattr(x, "numpy"):  # a tensor of another library than the backend
        x = x.numpy()
    x = np.asarray(x)
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def _input(x: Any) -> Any:
    """Return a tensor of the backend, or an array of NumPy."""
    return x if ops.is_tensor(x) or hasattr(x, "to_tensor") else to_numpy(x)
