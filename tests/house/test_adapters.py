"""An adapter without its library says what installs it."""

import json
import subprocess
import sys

from tests.house.imports import ROOT

CLONE = 'pip install ".[{}]" in a clone of omniou'
NEEDS = {
    "dask": ["dask", "distributed"],
    "evaluate": ["evaluate", "datasets"],
    "flax": ["flax", "jax"],
    "ignite": ["ignite", "torch"],
    "jax": ["jax"],
    "keras": ["keras"],
    "supervision": ["supervision"],
    "torchmetrics": ["torchmetrics", "torch"],
    "ultralytics": ["torch"],
}
# They import NumPy only.
FREE = {"parity", "pycocotools"}
PROGRAM = """
import importlib, json, sys

said = {}
sys.modules.update(dict.fromkeys(sys.argv[1:]))  # nothing of these can be imported
for adapter in json.load(sys.stdin):
    try:
        importlib.import_module(f"omniou_integrations.{adapter}")
    except ModuleNotFoundError as error:
        said[adapter] = str(error)
print(json.dumps(said))
"""


def said_without(libraries):
    text = json.dumps([*NEEDS])
    command = [sys.executable, "-c", PROGRAM, *libraries]
    return json.loads(subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout)


def test_adapters_without_their_libraries_name_their_extras():
    public = (ROOT / "integrations/omniou_integrations").glob("[!_]*")
    adapters = {path.stem for path in public if path.suffix != ".typed"}
    said = said_without({name for names in NEEDS.values() for name in names})

    lines = {name: CLONE.format(name) for name in NEEDS} | {"ultralytics": "pip install ultralytics"}
    assert adapters == {*NEEDS, *FREE}
    assert said == {x: f"omniou_integrations.{x} needs {NEEDS[x][0]}: {lines[x]}" for x in NEEDS}
