"""Base class of the losses of Keras: options, saving, and the public name of the module."""

from collections.abc import Mapping
from typing import Any

import keras  # type: ignore[import-untyped]

from omniou._lib import checks

# Types and defaults of the arguments that every loss of Keras takes.
OF_LOSS: Mapping[str, tuple[Any, Any]] = {
    "reduction": (Any, "sum_over_batch_size"),
    "name": (str | None, None),
    "dtype": (Any, None),
}


class OptionsLoss(keras.losses.Loss):  # type: ignore[misc]
    """A loss of omniou with its options, which are saved with it."""

    def __init__(self, options: dict[str, Any], /, *, reduction: Any, name: str | None, dtype: Any) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.options = checks.plain_option(options)
        self.attempt()

    def attempt(self) -> None:
        """Raise for wrong options now, not in the first step of a training."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of `from_config`."""
        return {**super().get_config(), "dtype": self.dtype, **self.options}


def publish(module: str, names: Mapping[str, Any], /) -> None:
    """Move the classes of a written module, `names`, to a public one, and register them for Keras' saved files."""
    for name in names["__all__"]:
        keras.saving.register_keras_serializable(package="omniou")(names[name])
        names[name].__module__ = module
