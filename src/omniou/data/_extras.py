"""Libraries that some formats need, named with their install line."""

import importlib.util

from omniou.data._errors import MissingLibraryError

INSTALL = {
    "PIL": "pip install pillow",
    "jinja2": 'pip install "omniou[cli]"',
    "matplotlib": 'pip install "omniou[plot]"',
    "defusedxml": 'pip install "omniou[cli]"',
    "pyarrow": 'pip install "omniou[parquet]"',
}


def check(library: str, what: str) -> None:
    """Raise an error, if the library is not installed that `what` needs."""
    if not has(library):
        msg = f"{what} needs {library}: {INSTALL[library]}"
        raise MissingLibraryError(msg, name=library)


def has(library: str) -> bool:
    """Whether a library is installed."""
    return importlib.util.find_spec(library) is not None
