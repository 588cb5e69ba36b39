"""Shards on two workers of Dask beside one process: `python -m tests.benchmarks.cluster`.

Saved Parquet, from files to the numbers; the overhead of a shard; the memory of a worker; the merge of states.
"""

import argparse
import dataclasses
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from omniou import detection
from omniou._lib import threads
from omniou.data import shards
from omniou.data.shards import Rules, Shard, states
from omniou_integrations.dask import _run as dask_run
from omniou_integrations.dask._tree import connected, reduce
from tests.benchmarks import detections as synthetic

WORKERS = 2


def table(*, smoke: bool) -> list[str]:
    """The rows of the page."""
    count, size = (4, 1_000) if smoke else (100, 500_000)
    with tempfile.TemporaryDirectory() as folder:
        found = written(Path(folder), count, size)
        lines = [f"| cluster: {count * size:,} detections in {count} shards of Parquet | |", "|---|---:|"]
        with connected(None, workers=WORKERS) as cluster:
            one, here = one_process(found)
            two, there, peak = on_workers(found, cluster)
            assert one == two
            lines += [
                f"| one process, a thread: read and match | {here.state:.3g} s |",
                f"| {WORKERS} workers of a thread: read and match | {there.state:.3g} s |",
                f"| how many times as fast | {here.state / there.state:.2f} |",
                f"| the same with the numbers, which one process computes | {here.whole / there.whole:.2f} |",
                f"| peak memory of a worker | {peak / 1e6:,.0f} MB |",
                f"| overhead of a shard, beside its work | {overhead(cluster):.1f} ms |",
            ]
        parts = [rules().part(shard) for shard in found[:1]] * count
        stored, kept = (x / size for x in (found[0].detections.stat().st_size, len(parts[0].state or b"")))
        lines.append(f"| bytes a detection in Parquet, and in a state | {stored:.1f}, {kept:.1f} |")
        lines.append(f"| merge of {count} states of {size:,} detections | {merging(parts):.3g} s |")
    return lines


@dataclasses.dataclass
class Seconds:
    """To the merged state, and to the numbers."""

    state: float
    whole: float


def rules() -> Rules:
    return Rules()


def written(folder: Path, count: int, size: int) -> list[Shard]:
    """Shards of the same rows, each of other images."""
    targets, found = synthetic.data(size)
    names = ("x", "y", "width", "height")
    ours = dict(zip(names, targets.boxes.T, strict=True)) | {"category_id": targets.labels, "iscrowd": targets.crowd}
    theirs = dict(zip(names, found.boxes.T, strict=True)) | {"category_id": found.labels}
    theirs |= {"score": np.asarray(found.scores, dtype=np.float32).astype(np.float64)}
    ours["area"] = targets.area
    every = np.arange(synthetic.IMAGES)
    for k in range(count):
        for role, rows, images in (("truth", ours, targets.images), ("found", theirs, found.images)):
            made = pa.table(rows | {"image_id": images + k * synthetic.IMAGES})
            if role == "truth":  # rows of nulls make images without objects known
                made = pa.concat_tables(
                    [made, pa.table({"image_id": every + k * synthetic.IMAGES})], promote_options="default"
                )
            (folder / role).mkdir(exist_ok=True)
            pq.write_table(made, folder / role / f"{k:03}.parquet")
    return shards.find(folder / "truth", folder / "found")


def one_process(found: list[Shard]) -> tuple[dict[str, float], Seconds]:
    """Shard by shard, in one thread."""
    with threads.limited(1):
        start = time.perf_counter()
        classes = shards.united([rules().listing(x) for x in found])
        parts = [rules().part(x, classes) for x in found]
        return _numbers(shards.whole(parts), start)


def on_workers(found: list[Shard], cluster: Any) -> tuple[dict[str, float], Seconds, int]:
    """The same on the workers, and the highest peak of one."""
    start = time.perf_counter()
    whole = dask_run.Run(cluster).of_files(found, rules(), None)
    with threads.limited(1):
        numbers, seconds = _numbers(whole, start)
    return numbers, seconds, max(cluster.run(_peak).values())


def _numbers(whole: shards.Whole, start: float) -> tuple[dict[str, float], Seconds]:
    merged = time.perf_counter() - start
    summary = detection.compute([whole.state]).summary
    return summary, Seconds(merged, time.perf_counter() - start)


def overhead(cluster: Any) -> float:
    """Milliseconds of a shard that takes no time, with its report and its share of the merges."""
    count = 200
    start = time.perf_counter()
    reduce(range(count), _nothing, sum, client=cluster)
    return 1e3 * (time.perf_counter() - start) / count


def merging(parts: list[shards.Part]) -> float:
    """Seconds of the merge of states from bytes, as the calling process does it."""
    moved = []
    for k, part in enumerate(parts):
        state = states.loads(part.state or b"")
        state = dataclasses.replace(state, images=state.images + k * synthetic.IMAGES)
        moved.append(dataclasses.replace(part, state=states.dumps(state)))
    start = time.perf_counter()
    shards.whole(moved)
    return time.perf_counter() - start


def _nothing(_: int) -> int:
    return 0


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small and once: only to see that it runs")
    print("\n".join(table(smoke=parser.parse_args().smoke)))


if __name__ == "__main__":
    main()
