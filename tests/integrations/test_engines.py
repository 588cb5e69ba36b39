"""The examples of docs/engines.md, run as they stand: Ray and Spark give the state of one process, to the bit.

Ray, Spark and Java are not installed with omniou: what lacks one of them is skipped.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

from omniou import detection
from omniou.data.shards import states
from tests import places
from tests.integrations import dask_cases as cases

EXAMPLES = places.DOCS / "examples"
SPARK = "--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=4"
ENV = {
    "OMP_NUM_THREADS": "1",
    # Ray asks for a token even on one machine, and would keep it at home.
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_SUBMIT_ARGS": f"--master local[2] {SPARK} pyspark-shell",
}


def require(engine):
    module = {"ray": "ray", "spark": "pyspark"}[engine]
    if not importlib.util.find_spec(module):
        pytest.skip(f"needs {module}")
    if engine == "spark" and not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java")


@pytest.fixture(params=["ray", "spark"])
def engine(request):
    require(request.param)
    return request.param


def run(name, truth, found, state, *more):
    command = [sys.executable, EXAMPLES / f"{name}_evaluate.py", truth, found, "--state", state, *more]
    return subprocess.run(command, env=os.environ | ENV, capture_output=True, text=True, check=False, timeout=300)


def shards_of(folder, whole):
    """12 shards, more than one task merges: of single images, of images without objects, and without any image."""
    rest = np.array_split(np.arange(3, 55), 7)
    groups = [[0], [1], [2], [55, 56, 57, 58, 59], *(x.tolist() for x in rest)]
    truth, found = cases.written(folder, whole, groups)
    for path, rows in zip((truth, found), whole, strict=True):
        pq.write_table(cases.arrow(rows)[:0], path / "empty.parquet")
    return truth, found


@pytest.mark.parametrize("names", [False, True], ids=["ids", "names"])
@pytest.mark.filterwarnings("ignore:.* boxes end before they begin:omniou.data.InputWarning")
def test_engine_gives_state_of_one_process(engine, names, tmp_path):
    truth, found = shards_of(tmp_path, cases.table(names=names))
    known = [set(pq.read_table(x)["category_id"].drop_null().to_pylist()) for x in sorted(truth.iterdir())]
    assert any(0 < len(x) < cases.CLASSES for x in known)
    assert known[3] == known[-1] == set()

    done = run(engine, truth, found, tmp_path / "state.npz")
    assert done.returncode == 0, done.stderr
    state = states.load(tmp_path / "state.npz")

    expected = cases.one_process(truth, found)
    assert len(expected.images) == cases.IMAGES
    cases.assert_same_state(state, expected)
    assert done.stdout.strip() == str(detection.compute([expected]))
    assert f"warning: {found / '004.parquet'}: " in done.stderr


def test_engine_names_an_image_in_two_shards(engine, tmp_path):
    truth, found = cases.written(tmp_path, cases.table(names=True), [[0, 1, 2], [2, 3, 4]])
    done = run(engine, truth, found, tmp_path / "state.npz")

    assert done.returncode == 1
    among = " and ".join(str(found / f"00{k}.parquet") for k in range(2))
    assert (
        f"SplitImageError: image 'street/002.jpg' is in {among}: a shard must have all rows of its images"
        in done.stderr
    )
    assert not (tmp_path / "state.npz").exists()


@pytest.mark.filterwarnings("ignore:.* boxes end before they begin:omniou.data.InputWarning")
def test_spark_regroups_rows_of_tables(tmp_path):
    require("spark")
    for role, rows, count in zip(("truth", "found"), cases.table(names=True), (3, 4), strict=True):
        (tmp_path / role).mkdir()
        table = cases.arrow(rows)
        for k, some in enumerate(np.array_split(np.arange(len(table)), count)):
            pq.write_table(table.take(some), tmp_path / role / f"{k}.parquet")
    truth, found = tmp_path / "truth", tmp_path / "found"
    images = [set(pq.read_table(x)["image_id"].to_pylist()) for x in sorted(found.iterdir())]
    assert images[0] & images[1] & images[2] & images[3]

    done = run("spark_tables", truth, found, tmp_path / "state.npz", "--count", "12")
    assert done.returncode == 0, done.stderr

    cases.assert_same_state(states.load(tmp_path / "state.npz"), cases.one_process(truth, found))
