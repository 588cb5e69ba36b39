"""The options that a metric was made with: for errors, and for states that were saved."""

import abc
import inspect
from collections.abc import Mapping
from typing import Any

from omniou_integrations.torchmetrics import _compat as compat

# In the metadata of a module's `state_dict`, next to torch's own "version".
KEY = "omniou"


class Given(abc.ABCMeta):
    """The class of metrics: keeps the options of each, and turns the errors of its constructor into torchmetrics'."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make a metric."""
        try:
            made: Any = abc.ABCMeta.__call__(cls, *args, **kwargs)
        except (TypeError, ValueError) as error:
            if type(error) not in {TypeError, ValueError} or not compat.follows(cls, kwargs):
                raise
            raise compat.of_options(cls, error, args, kwargs).with_traceback(error.__traceback__) from None
        if issubclass(type(made), cls):  # and not what `JaccardIndex` makes
            made.given = args, kwargs
        return made


def described(metric: Any) -> dict[str, str]:
    """Class and options by name, as text, which any reader of a checkpoint can load."""
    if "given" not in vars(metric):
        return {}
    args, kwargs = metric.given
    bound = inspect.signature(type(metric).__init__).bind(metric, *args, **kwargs)
    bound.apply_defaults()
    (_, *options), more = bound.arguments.items(), bound.arguments.get("kwargs", {})
    listed = {name: x for name, x in options if name not in {"kwargs", "options"}} | dict(more)
    return {"class": type(metric).__name__} | {name: repr(x) for name, x in listed.items()}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What differs: "`num_classes` is 3 here and 4 there"."""
    names = [name for name in here if name in there and here[name] != there[name]]
    names = ["class"] if "class" in names else names
    return ", ".join(f"`{name}` is {here[name]} here and {there[name]} there" for name in names)
