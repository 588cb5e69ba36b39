"""What omniou adds to an environment: the size of its wheel, its requirements, and its import beside others'."""

import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks import measure
from tests.places import ROOT

# Distribution -> what its users import.
IMPORTED = {
    "omniou": "omniou",
    "numpy": "numpy",
    "hotcoco": "hotcoco",
    "faster-coco-eval": "faster_coco_eval",
    "pycocotools": "pycocotools.coco",
    "supervision": "supervision",
    "powerboxes": "powerboxes",
    "motrics": "motrics",
}
USED = "omniou.boxes, omniou.losses, omniou.detection"  # `import omniou` loads what is asked for later


def table(*, smoke: bool) -> list[str]:
    """Lines of the table; the wheel is built."""
    rounds = 1 if smoke else 9
    times = {name: measure.load_seconds(f"import {module}", rounds=rounds)[1] for name, module in IMPORTED.items()}
    times |= {USED: measure.load_seconds(f"import {USED}", rounds=rounds)[1]}
    lines = ["| install | wheel | requirements | import | relative to NumPy |", "|---|---:|---:|---:|---:|"]
    for name, time in times.items():
        size = f"{_wheel_bytes() / 1e6:.2f} MB" if name == "omniou" else ""
        required = _requirements(name) if name in IMPORTED else ""
        lines.append(f"| {name} | {size} | {required} | {time * 1e3:.0f} ms | {time / times['numpy']:.2g} |")
    return lines


def _requirements(distribution: str) -> int:
    """How many other distributions are installed with it, without extras."""
    return sum("extra ==" not in line for line in importlib.metadata.requires(distribution) or [])


def _wheel_bytes() -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, str(ROOT)]
        subprocess.run(command, check=True, capture_output=True)
        return next(Path(folder).glob("*.whl")).stat().st_size
