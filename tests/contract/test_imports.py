"""`python -W error`: no public module warns when it is imported, whatever library is loaded before."""

import importlib.util
import subprocess
import sys

from tests.house.public_names import NEEDED, PUBLIC

PROGRAM = """
import importlib, sys, warnings
library, *names = sys.argv[1:]
importlib.import_module(library)  # may warn
warnings.simplefilter("error")
for name in names:
    importlib.import_module(name)
"""
NEEDS_EXTRA = ("omniou.data", "omniou.report", "omniou.cli")


def test_public_modules_import_without_a_warning(xp):
    names = [x for x in PUBLIC if x not in NEEDED]
    if importlib.util.find_spec("msgspec") is None:  # the extra cli is not installed
        names = [x for x in names if not x.startswith(NEEDS_EXTRA)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, xp.__name__, *names], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
