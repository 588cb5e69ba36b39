"""Libraries that some formats and pictures need, named with their install line."""

import importlib.util


class MissingLibraryError(ModuleNotFoundError):
    """A library that a format needs, with its install line."""


INSTALL = {
    "PIL": "pip install pillow",
    "jinja2": 'pip install "omniou[cli]"',
    "matplotlib": 'pip install "omniou[plot]"',
    "defusedxml": 'pip install "omniou[cli]"',
    "scipy": 'pip install "omniou[masks]"',
    "pyarrow": 'pip install "omniou[parquet]"',
    "distributed": 'pip install "omniou[dask]"',
    "filelock": 'pip install "omniou[dask]"',
}


def check(library: str, what: str) -> None:
    """Raise an error, if the library is not installed that `what` needs."""
    if not has(library):
        msg = f"{what} needs {library}: {INSTALL[library]}"
        raise MissingLibraryError(msg, name=library)


def has(library: str) -> bool:
    """Whether a library is installed."""
    return importlib.util.find_spec(library) is not None
