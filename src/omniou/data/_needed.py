"""Imported before anything of the extra: names it where it is missing."""

import importlib.util

from omniou._lib.extras import install_line

NEEDED = ("numpy", "msgspec")

if lacking := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
    msg = f"omniou.data needs {' and '.join(lacking)}: {install_line('cli')}"
    raise ModuleNotFoundError(msg, name=lacking[0])
