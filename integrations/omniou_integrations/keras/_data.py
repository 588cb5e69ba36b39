"""Read batches from all forms of data that Keras trains on, one batch at a time."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import keras  # type: ignore[import-untyped]
import numpy as np
from keras import ops


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
    """Inputs as Keras takes them, targets in NumPy, and sample weights in NumPy or None."""
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
    """An array, a dict of arrays, or a list of such dicts, in NumPy."""
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
    """A tensor of the backend, or an array of NumPy."""
    return x if ops.is_tensor(x) or hasattr(x, "to_tensor") else to_numpy(x)
