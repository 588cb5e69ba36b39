"""Libraries that omniou does not install: whether they are there, and their install line."""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any


class MissingLibraryError(ModuleNotFoundError):
    """A library that a format needs, with its install line."""


# What pip installs extras of: a clone, in its folder. "omniou" and no words, once there is a release on an index.
_SOURCE, _WHERE = ".", " in a clone of omniou"


def install_line(extra: str) -> str:
    """The command that installs an extra."""
    return f'pip install "{_SOURCE}[{extra}]"{_WHERE}'


INSTALL = {
    "PIL": "pip install pillow",
    "jinja2": install_line("cli"),
    "matplotlib": install_line("plot"),
    "defusedxml": install_line("cli"),
    "scipy": install_line("masks"),
    "pyarrow": install_line("parquet"),
    "distributed": install_line("dask"),
    "filelock": install_line("dask"),
    "ultralytics": "pip install ultralytics",
    **{name: f"pip install {name}" for name in ("tensorboardX", "mlflow", "wandb")},
}


def check(library: str, what: str) -> None:
    """Raise an error, if the library is not installed that `what` needs."""
    if not has(library):
        raise MissingLibraryError(f"{what} needs {library}: {INSTALL[library]}", name=library)


def check_adapter(module: str, *libraries: str) -> None:
    """Raise an error, if a library is not installed that an adapter imports: the adapter's extra has its name."""
    extra = module.rpartition(".")[2]
    for library in libraries:
        if not has(library):
            line = INSTALL.get(extra) or install_line(extra)
            raise MissingLibraryError(f"{module} needs {library}: {line}", name=library)


def has(library: str) -> bool:
    """Whether a library is installed."""
    return importlib.util.find_spec(library) is not None


def frame_of(columns: Mapping[str, Any], /) -> Any:
    """A pandas `DataFrame` of columns by name."""
    name = "pandas"
    try:
        return importlib.import_module(name).DataFrame(dict(columns))
    except ModuleNotFoundError:
        raise ModuleNotFoundError("`to_pandas` needs pandas: pip install pandas", name=name) from None
