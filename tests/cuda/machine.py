"""The machine of a run: card, driver, memory and versions."""

import argparse
import importlib.metadata
import platform
import shutil
import subprocess

from tests.cuda.outcomes import write

PACKAGES = ("numpy", "torch", "jax", "jaxlib", "torchvision", "torchmetrics", "lightning", "array-api-compat")
PACKAGES += ("msgspec", "pytest", "hypothesis", "triton")


def versions() -> dict[str, str]:
    """Name -> version, or that it is not installed."""
    installed = {x.metadata["Name"]: x.version for x in importlib.metadata.distributions()}
    cupy = [name for name in installed if name and name.startswith("cupy")]
    return {name: installed.get(name, "not installed") for name in (*PACKAGES, *cupy)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    device = parser.parse_args().device
    facts = {"python": platform.python_version(), "processor": platform.processor(), **versions()}
    write(facts=facts)
    if device.startswith("cuda"):
        import torch

        properties = torch.cuda.get_device_properties(device)
        query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
        facts = {"card": properties.name, "memory": properties.total_memory, "cuda": torch.version.cuda}
        if shutil.which(query[0]):
            facts["driver"] = subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()
        write(facts=facts)


if __name__ == "__main__":
    main()
