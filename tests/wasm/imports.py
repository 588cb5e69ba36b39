"""Import every module of omniou in WebAssembly: the names of those that import, and of those that lack a library.

Any other failure, a warning included, is an error. `nox -s wasm` runs this by Pyodide, for which NumPy has no wheel in
a package index: modules that need it are compiled only.
"""

import importlib
import platform
import sys
import warnings
from collections import defaultdict
from pathlib import Path

# What may be missing.
LIBRARIES = {
    *("dask", "evaluate", "flax", "ignite", "jax", "keras", "numba", "numpy", "supervision", "torch", "torchmetrics"),
}
IMPORTED = "nothing"


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def lacks(name: str) -> str:
    """The library without which a module does not import; `IMPORTED` if it does."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in LIBRARIES:
            raise
        return library
    return IMPORTED


def main() -> None:
    warnings.simplefilter("error")
    found: dict[str, list[str]] = defaultdict(list)
    failed = []
    for root in map(Path, sys.argv[1:]):
        for path in sorted(root.glob("omniou*/**/*.py")):
            name = module_name(path, root)
            try:
                compile(path.read_text("utf-8"), str(path), "exec")
                if path.stem != "__main__":  # which runs the command
                    found[lacks(name)].append(name)
            except Exception as error:  # noqa: BLE001
                failed.append(f"{name}: {type(error).__name__}: {error}")
    total = sum(map(len, found.values())) + len(failed)
    print(f"CPython {platform.python_version()}, {sys.platform}: {len(found[IMPORTED])} of {total} modules import")
    print(*found.pop(IMPORTED, []))
    for library, names in sorted(found.items(), key=lambda x: -len(x[1])):
        print(f"{len(names)} lack {library}: {' '.join(names)}")
    if failed:
        raise SystemExit("\n".join([f"{len(failed)} fail for another reason:", *failed]))


main()
