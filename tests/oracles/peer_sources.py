"""Single files of libraries whose packages ask for more than is installed, run with what they import stubbed."""

import sys
import types
from importlib import metadata
from pathlib import Path

import pytest


def source(distribution, path):
    """Path of a file of an installed distribution; a skip where it is not installed."""
    try:
        return Path(metadata.distribution(distribution).locate_file(path))
    except metadata.PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed")


class Registry:
    """Classes are registered by a decorator that does nothing here."""

    @staticmethod
    def register_module(*_, **__):
        return lambda x: x


def run(distribution, path, **stubs):
    """The names of a file; `stubs` are the modules that it imports, with dots as two underscores."""
    names = {
        "__name__": path.removesuffix(".py").replace("/", "."),
        "__package__": str(Path(path).parent).replace("/", "."),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, content in stubs.items():
            dotted = name.replace("__", ".")
            for parent in [dotted[:i] for i, x in enumerate(dotted) if x == "."]:
                if parent not in sys.modules:
                    package = types.ModuleType(parent)
                    package.__path__ = []
                    patch.setitem(sys.modules, parent, package)
            module = types.ModuleType(dotted)
            vars(module).update(content)
            patch.setitem(sys.modules, dotted, module)
        exec(compile(source(distribution, path).read_text("utf-8"), path, "exec"), names)  # noqa: S102
    return names
