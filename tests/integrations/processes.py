"""Processes of a module of the tests, which write what they found into files."""

import subprocess
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[2]


def found_by(module, statuses, folder, timeout=240):
    """What each of some processes saved; `python -m module RANK STORE OUT` ends with its status of these."""
    command = [sys.executable, "-m", module]
    ranks = range(len(statuses))
    running = [subprocess.Popen([*command, str(k), folder / "store", folder / str(k)], cwd=ROOT) for k in ranks]
    try:
        assert [process.wait(timeout=timeout) for process in running] == statuses
    finally:
        for process in running:
            process.kill()
    return [torch.load(folder / str(k), weights_only=False) for k in ranks]
