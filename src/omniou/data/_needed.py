"""Imported before anything of the extra: names it where it is missing."""

import importlib.util

from omniou._lib.extras import install_line

NEEDED = ("numpy", "msgspec")

if lacking := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
    raise ModuleNotFoundError(f"omniou.data needs {' and '.join(lacking)}: {install_line('cli')}", name=lacking[0])
