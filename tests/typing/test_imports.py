"""No adapter warns when it is imported: here, since this session has every framework."""

import importlib.util
import subprocess
import sys

from tests.house.test_adapters import NEEDS

PROGRAM = """
import importlib, sys, warnings
libraries, adapters = (x.split(",") for x in sys.argv[1:])
for library in libraries:
    importlib.import_module(library)  # may warn
warnings.simplefilter("error")
for adapter in adapters:
    importlib.import_module(f"omniou_integrations.{adapter}")
"""


def test_adapters_import_without_a_warning():
    adapters = [x for x in NEEDS if all(map(importlib.util.find_spec, NEEDS[x]))]
    libraries = {library for adapter in adapters for library in NEEDS[adapter]}
    command = [sys.executable, "-c", PROGRAM, ",".join(libraries), ",".join(adapters)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "torchmetrics" in adapters
    assert done.returncode == 0, done.stderr
