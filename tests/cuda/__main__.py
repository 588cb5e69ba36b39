"""Test and time omniou on a GPU, in less than eight minutes and without a network.

`python -m tests.cuda --wheels DIR --out DIR`: the machine has torch, JAX, CuPy, torchmetrics, pytest, hypothesis and
NumPy; a wheel of what it lacks, array-api-compat and msgspec, lies in a folder. Each step is a process of its own with
a time of its own: one that fails, hangs or crashes stops no other. `results.json` and `results.txt` are written after
each step; docs/benchmarks.md shows the first one as docs/gpu.json, and docs/supported.md the cells that it proves.

`--device cpu --smoke` tries in a minute that the command itself works.
"""

import argparse
import concurrent.futures
import contextlib
import datetime as dt
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
WHOLE = 460.0  # seconds of all steps together
TAIL = 6000  # characters of the output of a step that are kept


class Step(NamedTuple):
    """A process: what its Python is called with, the packages it needs, and its most seconds."""

    name: str
    command: list[str]
    needs: tuple[str, ...]
    seconds: float


# Tests of the contract by subject: a step each for every library, so that one that hangs stops few.
GROUPS = {
    "boxes": [
        "boxes/test_boxes.py",
        "contract/test_contract.py",
        "contract/test_pairwise.py",
        "contract/test_modes.py",
        "catalogue/test_scores.py",
    ],
    "shapes": ["rotated/test_rotated.py", "boxes3d/test_boxes3d.py", "keypoints", "catalogue/test_geometry.py"],
    "losses": ["losses", "contract/test_gradients.py", "contract/test_half_precision.py"],
    "pairs": ["pairs", "nms", "matching"],
    "masks": ["masks", "segmentation", "panoptic", "catalogue/test_pixel_scores.py"],
    "detection": [f"detection/test_{x}.py" for x in ("evaluate", "evaluator", "geometries", "kinds", "matching")],
}
SMOKE = {"boxes": ["contract/test_contract.py"]}
LIBRARIES = {"torch": "torch", "jax_jit": "jax", "cupy": "cupy"}
FIGURES = {"torch": 110.0, "compiled": 110.0, "jax": 60.0, "cupy": 30.0}
# JAX would take three quarters of the memory of the card for each process.
QUIET = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "jax"}
# Neither the snippets of the documentation nor the versions that pyproject.toml pins belong to this run.
PYTEST = ["-m", "pytest", "-q", "--maxfail=40", "--confcutdir=tests", "-p", "tests.cuda.outcomes"]
PYTEST += ["-p", "no:cacheprovider", "-o", "minversion=7", "-W", "default"]


def tests(device: str, *, smoke: bool) -> list[Step]:
    """Steps that may run side by side."""
    groups = SMOKE if smoke else GROUPS
    few = ["-k", "matching or suppression or autocast"] if smoke else []
    needed = ("torch", "torchmetrics", "scipy", "pytest")
    steps = [Step("device", [*PYTEST, "tests/cuda", "--device", device, *few], needed, 150)]
    for library, package in LIBRARIES.items():
        for group, names in groups.items():
            files = [f"tests/{name}" for name in names]
            command = [*PYTEST, *files, "--xp", library, "--device", device]
            steps.append(Step(f"{library}: {group}", command, (package, "pytest", "hypothesis"), 150))
    return steps


def figures(device: str, *, smoke: bool) -> list[Step]:
    """Steps that have the machine for themselves."""
    small = ["--smoke"] if smoke else []
    return [
        Step(
            f"figures: {name}",
            ["-m", "tests.cuda.figures", name, "--device", device, *small],
            (LIBRARIES.get("torch" if name == "compiled" else name, name),),
            seconds,
        )
        for name, seconds in FIGURES.items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cuda", description=__doc__)
    parser.add_argument("--device", default="cuda", help="cuda, or cpu to try the command")
    parser.add_argument("--smoke", action="store_true", help="few tests and small sizes")
    parser.add_argument("--wheels", type=Path, help="folder of wheels that the machine lacks; they are unpacked")
    parser.add_argument("--out", type=Path, default=os.environ.get("OUT", "."), help="folder of the results; $OUT")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run = Run(given, Path(scratch))
        run.all()
    sys.stdout.write(run.text() + "\n")
    return any(step["status"] not in ("passed", "skipped") for step in run.steps)


class Run:
    """One run of the command: its environment, and the results so far."""

    def __init__(self, given: argparse.Namespace, scratch: Path) -> None:
        self.given, self.scratch, self.end = given, scratch, time.monotonic() + WHOLE
        self.steps: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        for wheel in sorted(given.wheels.glob("*.whl")) if given.wheels else []:
            zipfile.ZipFile(wheel).extractall(scratch / "site")
        paths = [ROOT, ROOT / "src", ROOT / "integrations", scratch / "site"]
        before = os.environ.get("PYTHONPATH")
        self.env = os.environ | QUIET | {"PYTHONPATH": os.pathsep.join(map(str, paths + [before] * bool(before)))}
        sys.path[1:1] = map(str, paths)  # for what is asked of installed packages here

    def all(self) -> None:
        """Tests side by side, then the figures in turns."""
        self._step(Step("machine", ["-m", "tests.cuda.machine", "--device", self.given.device], (), 60))
        options = {"smoke": self.given.smoke}
        with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
            list(pool.map(self._step, tests(self.given.device, **options)))
        for step in figures(self.given.device, **options):
            self._step(step)

    def _step(self, step: Step) -> None:
        start, lines = time.monotonic(), self.scratch / f"{step.name.replace(': ', '-')}.jsonl"
        proved = lines.with_suffix(".json")
        missing = [name for name in ("array_api_compat", *step.needs) if importlib.util.find_spec(name) is None]
        left = min(step.seconds, self.end - start)
        if "cupy" in step.needs and not self.given.device.startswith("cuda"):
            status, output = "skipped", "CuPy needs a GPU"
        elif missing:
            status, output = "skipped", f"not installed: {', '.join(missing)}"
        elif left < 1:
            status, output = "skipped", "no time was left"
        else:
            own = {"OMNIOU_LINES": str(lines), "OMNIOU_PROVED": str(proved)}
            status, output = _process([sys.executable, *step.command], self.env | own, left)
        found = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
        result = {"name": step.name, "status": status, "seconds": round(time.monotonic() - start, 1)}
        if proved.exists():
            result["proved"] = json.loads(proved.read_text())["proved"]
        with self._lock:
            self.steps.append(result | {"found": found, "output": output})
            self._write()

    def _write(self) -> None:
        out = Path(self.given.out)
        out.mkdir(parents=True, exist_ok=True)
        now = dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds")
        document = {"date": now, "device": self.given.device, "smoke": self.given.smoke, "steps": self.steps}
        (out / "results.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        (out / "results.txt").write_text(self.text(whole=True) + "\n", "utf-8")

    def text(self, *, whole: bool = False) -> str:
        """A line for each step and failure; the end of the output as well, where it is `whole`."""
        lines = []
        for step in self.steps:
            counts: dict[str, int] = {}
            for x in step["found"]:
                counts[x.get("outcome", "figures")] = counts.get(x.get("outcome", "figures"), 0) + 1
            told = ", ".join(f"{count} {name}" for name, count in counts.items()) or step["output"][-200:].strip()
            lines.append(f"{step['status']:9s} {step['seconds']:6.1f} s  {step['name']}: {told}")
            for x in step["found"]:
                if x.get("outcome") == "failed":
                    lines.append(f"    {x['test']}\n        {x['reason'][-300:]}")
                elif "seconds" in x or "error" in x or "facts" in x:
                    lines.append(f"    {json.dumps(x)}")
            if whole and step["status"] not in ("passed", "skipped"):
                lines.append(step["output"])
        return "\n".join(lines)


def _process(command: list[str], env: dict[str, str], seconds: float) -> tuple[str, str]:
    """Status and end of the output of a process, which ends after so many seconds with all that it started."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        options: dict[str, Any] = {"cwd": ROOT, "env": env, "stdout": output, "stderr": subprocess.STDOUT}
        with subprocess.Popen(command, start_new_session=True, **options) as process:
            try:
                code = process.wait(seconds)
                status = "passed" if code == 0 else f"failed ({code})"
            except subprocess.TimeoutExpired:
                status = f"stopped after {seconds:.0f} s"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        output.seek(0)
        return status, output.read()[-TAIL:]


if __name__ == "__main__":
    sys.exit(main())
