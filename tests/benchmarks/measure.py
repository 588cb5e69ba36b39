"""Time, memory and load time, each the minimum of several rounds, as interference only adds time."""

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

Run = Callable[[], Any]

# Seconds of a call, from which on it is timed once: interference is small relative to it.
LONG = 5.0
# Seconds of calls in a round; and least seconds of all rounds, so that they outlast interference.
ENOUGH, WHOLE = 0.02, 5.0


def seconds(runs: dict[str, Run], *, rounds: int) -> dict[str, float]:
    """Least time of a call in at least so many rounds; if it is one round, of one cold call.

    The candidates take turns, so that all meet the same machine.
    """
    calls = {name: _calls(run) if rounds > 1 else 1 for name, run in runs.items()}
    best = dict.fromkeys(runs, float("inf"))
    turn, begin = 0, time.perf_counter()
    while turn < rounds or (rounds > 1 and time.perf_counter() - begin < WHOLE):
        for name, run in runs.items():
            if turn and best[name] > LONG:
                continue
            gc.disable()
            start = time.perf_counter()
            for _ in range(calls[name]):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / calls[name])
            gc.enable()
        turn += 1
    return best


def _calls(run: Run) -> int:
    """How many calls take long enough to be timed; the first ones compile and fill caches."""
    start = time.perf_counter()
    run()
    if time.perf_counter() - start > LONG:
        return 1
    run()
    start = time.perf_counter()
    run()
    return max(1, int(ENOUGH / max(time.perf_counter() - start, 1e-7)))


def peak_memory(setup: str, call: str) -> float:
    """High-water mark of a fresh process over `call`, in units of the result's size. Linux only."""
    return peak_bytes(setup, call, unit="result.nbytes")


def peak_bytes(setup: str, call: str, *, unit: str = "1") -> float:
    """High-water mark of a fresh process over `call`, in bytes or in units of an expression. Linux only."""
    code = f"""
from pathlib import Path
{setup}
kib = lambda name: int(Path("/proc/self/status").read_text().partition(name + ":")[2].split()[0])
Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew from what is in use
before = kib("VmRSS")
result = {call}
print((kib("VmHWM") - before) * 1024 / {unit})
"""
    return float(_python(code))


def load_seconds(load: str, *, setup: str = "", rounds: int) -> tuple[float, float]:
    """Time of a statement in a fresh process: for the first time ever, and when it finds what that compiled."""
    code = f"{setup}\nimport time; start = time.perf_counter(); {load}; print(time.perf_counter() - start)"
    with tempfile.TemporaryDirectory() as compiled:
        env = os.environ | dict.fromkeys(("PYTHONPYCACHEPREFIX", "NUMBA_CACHE_DIR"), compiled)
        first, *later = (float(_python(code, env=env | {"PYTHONDONTWRITEBYTECODE": ""})) for _ in range(1 + rounds))
    return first, min(later)


def _python(code: str, *, env: dict[str, str] | None = None) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env).stdout
