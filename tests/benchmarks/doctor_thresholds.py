"""How far each threshold of the doctor can be moved: `python -m tests.benchmarks.doctor --thresholds`."""

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from omniou import data
from omniou._doctor import engine
from omniou.detection import doctor
from omniou.detection.doctor import _sample
from tests.benchmarks.damages import DAMAGES, Pair
from tests.benchmarks.poor import HARMLESS
from tests.benchmarks.scenes import SCENES, draw, random_scene


def codes_of(pair: Pair) -> list[str]:
    return [x.code for x in data.diagnose(*pair, path="detections")]


class Threshold(NamedTuple):
    """A number at the top of a module of the doctor; `key` where it is a value of a dictionary."""

    module: ModuleType
    name: str
    key: str = ""

    @property
    def value(self) -> float:
        value = vars(self.module)[self.name]
        return value[self.key] if self.key else value

    def __str__(self) -> str:
        of = f" of {self.key}" if self.key else ""
        return f"{self.module.__name__.rpartition('.')[2]}.{self.name}{of}"

    @contextmanager
    def changed(self, by: float) -> Iterator[None]:
        """In all modules that have imported it; whole numbers stay whole."""
        whole = isinstance(self.value, int)
        value: Any = round(self.value * by) if whole else self.value * by
        new = vars(self.module)[self.name] | {self.key: value} if self.key else value
        where = [self.module] if self.name.startswith("_") else [x for x in parts() if self.name in vars(x)]
        with ExitStack() as stack:
            for module in where:
                stack.enter_context(mock.patch.object(module, self.name, new))
            yield


def parts() -> list[ModuleType]:
    """The modules of the doctor."""
    of_boxes = (f"{doctor.__name__}.{x.name}" for x in pkgutil.iter_modules(doctor.__path__))
    return [engine, *map(importlib.import_module, of_boxes)]


def thresholds() -> list[Threshold]:
    """All of them, in the order of their modules."""
    each = [
        Threshold(module, name, key)
        for module in parts()
        for name, value in vars(module).items()
        if name.isupper() and (name.startswith("_") or module is _sample)
        for key in (value if isinstance(value, dict) else [""])
    ]
    return [x for x in each if isinstance(x.value, int | float)]


def outcome(sets: dict[str, Pair], scenes: int) -> tuple[int, int]:
    """Damages that are missed, and whole sets that are accused."""
    pairs = [
        (codes, damage(pair, np.random.default_rng(0))) for codes, damage in DAMAGES.values() for pair in sets.values()
    ]
    missed = sum(not codes & set(codes_of(pair)) for codes, pair in pairs if pair is not None)
    worse = [f(pair, np.random.default_rng(0)) or pair for f in HARMLESS.values() for pair in sets.values()]
    odd = [Pair(*draw(scene, seed)) for scene in SCENES.values() for seed in range(2)]
    random = [Pair(*draw(random_scene(seed), seed)) for seed in range(scenes)]
    return missed, sum(bool(codes_of(pair)) for pair in [*worse, *odd, *random])


def table_of_thresholds(sets: dict[str, Pair], scenes: int = 100) -> list[str]:
    """From where to where each can be moved by itself, before a damage is missed or one more set is accused."""
    factors = (2, 1.5, 1.25, 1.1)
    missed, accused = outcome(sets, scenes)
    lines = ["| threshold | value | lowest | highest | below | above |", "|---|---|---|---|---|---|"]
    for threshold in thresholds():
        ends, why = [], []
        for sign in (-1, 1):
            end, reason = threshold.value, ""
            for factor in factors:
                with threshold.changed(factor**sign):
                    value, (m, a) = threshold.value, outcome(sets, scenes)
                if (m, a) == (missed, accused):
                    end = value
                    break
                changes = {"missed": m - missed, "accused": a - accused}
                reason = f"at {value:g}: " + ", ".join(f"{n:+} {what}" for what, n in changes.items() if n)
            ends.append(f"{end:g}")
            why.append(reason)
        lines.append(f"| {threshold} | {threshold.value:g} | {' | '.join(ends + why)} |")
        print(lines[-1], flush=True)
    return lines
