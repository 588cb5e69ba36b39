"""What the doctor finds in damaged files, and in poor but honest ones: `python -m tests.benchmarks.doctor [DATA]`.

DATA holds the folders of the real sets; without them the example of the documentation serves. Each damage is done to
each set, and what `omniou.data.diagnose` says is set against what was done; then each set is made worse in ways that
are no fault of a file, and odd but whole sets are drawn at random (`tests.benchmarks.scenes`). docs/doctor.md has the
tables. It fails where a damage is missed, or a whole set accused.
"""

import argparse
import dataclasses
import itertools
import re
import sys
import timeit
from pathlib import Path

import numpy as np

from omniou import data, detection
from omniou.data import GroundTruth
from tests.benchmarks import spatial, temporal
from tests.benchmarks.damages import DAMAGES, DATA, SETS, Pair, example, load
from tests.benchmarks.doctor_thresholds import codes_of, table_of_thresholds
from tests.benchmarks.poor import HARMLESS
from tests.benchmarks.scenes import SCENES, draw, random_scene

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"
SEEDS = 20
MISSED = "**missed**"


def table_of_damages(sets: dict[str, Pair]) -> list[str]:
    lines = [f"| damage | finding | {' | '.join(sets)} |", f"|---|---|{'---|' * len(sets)}"]
    for name, (codes, damage) in DAMAGES.items():
        cells = []
        for pair in sets.values():
            damaged = damage(pair, np.random.default_rng(0))
            if damaged is None:
                cells.append("-")
                continue
            said = codes_of(damaged)
            others = ", ".join(f"`{x}`" for x in said if x not in codes)
            cells.append(("found" if codes & set(said) else MISSED) + (f", and {others}" if others else ""))
        lines.append(f"| {name} | {', '.join(f'`{x}`' for x in sorted(codes))} | {' | '.join(cells)} |")
    return lines


def table_of_false_alarms(sets: dict[str, Pair], seeds: int) -> list[str]:
    lines = [f"| detections | {' | '.join(sets)} |", f"|---|{'---|' * len(sets)}"]
    for name, worse in HARMLESS.items():
        cells = []
        for pair in sets.values():
            said = [x for seed in range(seeds) for x in set(codes_of(worse(pair, np.random.default_rng(seed)) or pair))]
            cells.append(_counted(said))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def table_of_scenes(seeds: int) -> list[str]:
    """Of data sets that are drawn at random."""
    lines = ["| data set | findings |", "|---|---|"]
    for name, scene in SCENES.items():
        said = [x for seed in range(seeds) for x in set(codes_of(Pair(*draw(scene, seed))))]
        lines.append(f"| {name} | {_counted(said)} |")
    return lines


def random_sets(count: int) -> str:
    """Of data sets whose properties are drawn, too."""
    said = [x for seed in range(count) for x in set(codes_of(Pair(*draw(random_scene(seed), seed))))]
    return f"Of {count} data sets whose properties were drawn at random, too, these were accused: {_counted(said)}."


def table_of_shapes(seeds: int) -> list[str]:
    """Of random 3-D boxes, footprints and rotated boxes, each with its damages."""
    lines = ["| format | damage | finding | by their IoU | by their centres |", "|---|---|---|---|---|"]
    for format, damages in spatial.DAMAGES.items():
        for name, (code, damage) in damages.items():
            targets, found = spatial.draw(spatial.SpatialScene(), 0, format)
            damaged = dataclasses.replace(found, boxes=damage(found.boxes))
            cells = [_found(code, spatial.codes(targets, damaged, format))]
            if format in spatial.FLAT or code == "boxes-bottom" or name in spatial.DOUBTFUL:  # refused, or of no effect
                cells.append("-")
            else:
                cells.append(_found("boxes", spatial.codes_by_centres(targets, damaged, format)))
            lines.append(f"| {format} | {name} | `{code}` | {' | '.join(cells)} |")
    lines += ["", "| data set | findings |", "|---|---|"]
    for name, scene in spatial.SCENES.items():
        said = []
        for seed, format in itertools.product(range(seeds), spatial.DAMAGES):
            said += set(spatial.codes(*spatial.draw(scene, seed, format), format))
        lines.append(f"| {name} | {_counted(said)} |")
    return lines


def _found(code: str, said: list[str]) -> str:
    others = [x for x in said if not x.startswith((code, "doubtful-shapes"))]
    return ("found" if len(said) > len(others) else MISSED) + "".join(f", and `{x}`" for x in others)


def _counted(said: list[str]) -> str:
    return ", ".join(f"`{x}` {said.count(x)}" for x in dict.fromkeys(said)) or "0"


def seconds(rounds: int = 7) -> str:
    """Time of the doctor beside that of an evaluation, of a data set of the size of COCO's with 180,000 detections."""
    from tests.benchmarks.detections import data as coco_like

    tables = coco_like(180_000)
    images = np.arange(5000)
    truth = GroundTruth(
        path=Path("truth"),
        targets=tables.targets,
        images=images,
        categories={k: str(k) for k in range(1, 81)},
        flagged=np.zeros(len(tables.targets.labels), dtype=bool),
        image_names={k: str(k) for k in range(5000)},
        sizes=np.tile([480.0, 640.0], (5000, 1)),
    )
    calls = (
        lambda: data.diagnose(truth, tables.detections),
        lambda: detection.evaluate(truth, tables.detections).summary,
    )
    times = [min(timeit.repeat(call, number=1, repeat=rounds)) for call in calls]
    return f"{1e3 * times[0]:.0f} ms, where `evaluate` takes {1e3 * times[1]:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.doctor", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--write", action="store_true", help="into docs/doctor.md")
    parser.add_argument("--thresholds", action="store_true", help="how far each may be moved; takes ten minutes")
    arguments = parser.parse_args()
    sets = {name: load(name, arguments.data) for name in SETS if (arguments.data / SETS[name][0]).exists()}
    sets = sets or {"COCO": example()}
    if arguments.thresholds:
        table_of_thresholds(sets)
        return
    parts = {
        "damages": table_of_damages(sets),
        "temporal": temporal.table(arguments.data, MISSED),
        "poor": table_of_false_alarms(sets, arguments.seeds),
        "scenes": table_of_scenes(arguments.seeds),
        "random": [random_sets(25 * arguments.seeds)],
        "shapes": table_of_shapes(arguments.seeds),
    }
    if arguments.write:  # it needs torch
        parts["time"] = [f"Of 180,000 detections in 5,000 images, `diagnose` takes {seconds()}."]
    page = PAGE.read_text("utf-8")
    for name, lines in parts.items():
        text = "\n".join(lines)
        print(text + "\n")
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", lambda x, text=text: x[1] + text + x[2], page, flags=re.DOTALL
        )
    if arguments.write:
        PAGE.write_text(page, "utf-8")
    # A finding stands between backticks. Of the random sets, some are accused: see the page.
    wrong = [x for x in parts["damages"] + parts["temporal"] if MISSED in x]
    wrong += temporal.accused(arguments.data, arguments.seeds)
    wrong += [x for x in parts["poor"] + parts["scenes"] if "`" in x]
    if wrong:
        sys.exit("\n".join(["These damages were missed, or whole sets accused:", *wrong]))


if __name__ == "__main__":
    main()
