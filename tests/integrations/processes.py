"""Runs a module in several processes, which save their results in files."""

import subprocess
import sys

import torch

from tests.places import ROOT


def results_of(module, statuses, folder, timeout=240):
    """Results of each process `python -m module RANK STORE OUT`, which must exit with its status of `statuses`."""
    command = [sys.executable, "-m", module]
    ranks = range(len(statuses))
    running = [subprocess.Popen([*command, str(k), folder / "store", folder / str(k)], cwd=ROOT) for k in ranks]
    try:
        assert [process.wait(timeout=timeout) for process in running] == statuses
    finally:
        for process in running:
            process.kill()
    return [torch.load(folder / str(k), weights_only=False) for k in ranks]
