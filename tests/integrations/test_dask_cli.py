"""`omniou eval --engine dask`: the same table, JSON, gates and page as without it."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from distributed import LocalCluster

from omniou.cli._commands import omniou
from tests.cli.cases import APART
from tests.integrations import dask_cases as cases
from tests.integrations.dask_cases import ROOT, groups_of, table, written

PATH = os.pathsep.join([str(ROOT / "src"), str(ROOT / "integrations"), str(ROOT)])


def run(folder, *args):
    """The command in a process of its own, as workers import what started them."""
    command = [sys.executable, "-m", "omniou", "eval", *map(str, args)]
    env = os.environ | {"PYTHONPATH": PATH}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("shards")
    written(made, table(names=True), groups_of(5))
    return made


@pytest.fixture(scope="module")
def scheduler():
    """A scheduler and two workers, started by hand."""
    address = f"tcp://127.0.0.1:{cases.free_port()}"
    port = address.rpartition(":")[2]
    with (
        cases.started("scheduler", "--port", port, "--no-dashboard"),
        cases.started("worker", address, "--nthreads", "1", "--no-dashboard"),
        cases.started("worker", address, "--nthreads", "1", "--no-dashboard"),
    ):
        yield address


def test_outputs_equal_those_of_one_machine(folder, scheduler):
    gates = ["--fail-under", "AP>=0.2", "--fail-under", "class 2.AP50>=0.3", "--intervals", "--samples", "10"]
    for name, options in (("here", []), ("there", ["--engine", "dask", "--scheduler", scheduler])):
        args = ["-o", f"{name}.json", "--html", f"{name}.html", "--state", f"{name}.npz", *gates]
        done = run(folder, "truth", "found", *options, *args)
        assert (done.returncode, done.stderr) == (0, "")
    for ending in ("json", "html", "npz"):
        assert (folder / f"there.{ending}").read_bytes() == (folder / f"here.{ending}").read_bytes()
    assert len(json.loads((folder / "here.json").read_text())["gates"]) == 2
    failed = run(folder, "truth", "found", "--engine", "dask", "--scheduler", scheduler, "--fail-under", "AP>=0.9")
    assert failed.returncode == 1
    assert "Gate failed: AP >= 0.9" in failed.stderr


def test_quick_table_of_a_cluster_on_this_machine(folder):
    here, there = (run(folder, "truth", "found", *options) for options in ([], ["--engine", "dask", "--workers", "2"]))
    assert (there.returncode, there.stderr, there.stdout) == (0, "", here.stdout)


def test_checkpoint_leaves_the_boxes_on_the_workers(folder, scheduler, tmp_path):
    kept, numbers, times = tmp_path / "kept", [], []
    there = ["--engine", "dask", "--scheduler", scheduler, "--checkpoint", kept]
    for options in ([], there, there):
        numbers.append(json.loads(run(folder, "truth", "found", *options, "--full", "--format", "json").stdout))
        times.append({path.name: path.stat().st_mtime_ns for path in kept.glob("*.*")})
    for name in ("summary", "per_class", "areas", "counts", "images", "inputs", "intervals"):
        assert numbers[0][name] == numbers[1][name] == numbers[2][name]
    assert "errors" in numbers[0]["analyses"]
    assert numbers[1]["analyses"] == {}
    assert "The boxes stay on the workers" in numbers[1]["notes"][0]
    assert len([name for name in times[1] if name.endswith(".npz")]) == 5
    assert {name: x for name, x in times[2].items() if name != ".lock"} == {
        name: x for name, x in times[1].items() if name != ".lock"
    }


def test_unreadable_shards(tmp_path, scheduler):
    written(tmp_path, table(), groups_of(3))
    (tmp_path / "found" / "001.parquet").write_bytes(b"PAR1 and then nothing")
    there = ["truth", "found", "--engine", "dask", "--scheduler", scheduler, "-o", "out.json"]
    stopped = run(tmp_path, *there)
    assert stopped.returncode == 3
    assert "found/001.parquet: not a file of Parquet or Arrow, or damaged" in stopped.stderr
    assert not (tmp_path / "out.json").exists()
    went_on = run(tmp_path, *there, "--skip-unreadable")
    assert went_on.returncode == 4
    assert f"Warning: left out, for it cannot be read: {tmp_path / 'found' / '001.parquet'}" in went_on.stderr
    (finding,) = json.loads((tmp_path / "out.json").read_text())["warnings"]
    assert finding["code"] == "unreadable"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--workers", "2"], 2, "--workers is for --engine dask"),
        (
            ["--engine", "dask", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"],
            2,
            "--workers is for a new cluster on",
        ),
        (["--engine", "dask", "--scheduler", "nonsense://x"], 3, "no scheduler answers at nonsense://x"),
        (["--engine", "spark"], 2, "'spark' is not one of 'local', 'dask'"),
        (["--engine", "dask", "--kind", "semantic"], 2, "--engine is not for --kind semantic"),
    ],
)
def test_bad_options(folder, args, code, message):
    done = run(folder, "truth", "found", *args)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_standard_input_is_for_one_machine(folder):
    done = run(folder, "truth", "-", "--engine", "dask")
    assert done.returncode == 2
    assert "only --engine local reads the standard input, '-'" in done.stderr


WITHOUT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "distributed" else find(name, *more)
sys.argv = ["omniou", "eval", "truth", "found", "--engine", "dask"]
import omniou.cli
omniou.cli.main()
"""


def test_dask_that_is_not_installed_is_named(folder):
    command, env = [sys.executable, "-c", WITHOUT], os.environ | {"PYTHONPATH": PATH}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert '--engine dask needs distributed: pip install ".[dask]" in a clone of omniou' in done.stderr


@pytest.fixture(scope="module")
def threads():
    """A cluster whose workers are threads of this process, for what is quicker to see there."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0", silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


def numbers(folder, *args):
    done = CliRunner(**APART).invoke(omniou, ["eval", str(folder / "truth"), str(folder / "found"), *map(str, args)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_boxes_of_regrouped_rows_come_back(tmp_path, threads):
    for role, rows in zip(("truth", "found"), table(names=True), strict=True):
        (tmp_path / role).mkdir()
        everything = cases.arrow(rows)
        for k in range(2):
            half = len(everything) // 2
            pq.write_table(everything.slice(k * half, half + k), tmp_path / role / f"{k}.parquet")
    here, there = (
        json.loads(numbers(tmp_path, "--format", "json", "--errors", "--per-class", *options))
        for options in ([], ["--engine", "dask", "--scheduler", threads, "--shards", "3"])
    )
    for name in ("summary", "per_class", "areas", "counts", "images", "analyses", "inputs"):
        assert here[name] == there[name]


def test_rules_of_the_command_reach_the_workers(folder, threads, monkeypatch):
    there = ["--engine", "dask", "--scheduler", threads]
    rules = ["--only-classes", "class 1,class 3", "--iou-thresholds", "0.5", "--tie-policy", "invariant"]
    assert numbers(folder, *rules, *there) == numbers(folder, *rules)
    assert numbers(folder, "--class-agnostic", *there) == numbers(folder, "--class-agnostic")
    (folder / "groups.json").write_text('{"some": ["class 1", "class 3"]}')
    rules = ["--dt-format", "parquet", "--groups", folder / "groups.json", "--format", "csv"]
    assert "APsome" in numbers(folder, *rules)
    assert numbers(folder, *rules, *there) == numbers(folder, *rules)
    # Of large input the boxes stay on the workers, and each shard is checked there.
    monkeypatch.setattr("omniou.cli._engine.GATHERED", 0)
    here, far = (json.loads(numbers(folder, "--format", "json", *options)) for options in ([], there))
    for name in ("summary", "per_class", "areas", "counts", "images", "inputs", "intervals"):
        assert here[name] == far[name]
    assert far["analyses"] == {}


def test_nothing_to_score_on_a_cluster(tmp_path, threads):
    whole = table()
    targets = {name: x[240:] for name, x in whole.targets.items()}  # images without objects
    targets = {name: x if name == "image_id" else [None] * len(x) for name, x in targets.items()}
    (tmp_path / "truth").mkdir()
    (tmp_path / "found").mkdir()
    schema = cases.arrow(whole.targets).schema
    pq.write_table(pa.table(targets, schema=schema), tmp_path / "truth" / "0.parquet")
    pq.write_table(cases.arrow(whole.detections).slice(0, 0), tmp_path / "found" / "0.parquet")
    for more in ([], ["--checkpoint", str(tmp_path / "kept")]):
        args = ["eval", str(tmp_path / "truth"), str(tmp_path / "found"), "--engine", "dask", "--scheduler", threads]
        done = CliRunner(**APART).invoke(omniou, [*args, *more])
        assert done.exit_code == 3
        assert "nothing to score: no annotations" in done.stderr


def test_kind_follows_the_format_on_a_cluster_too(tmp_path, scheduler):
    for name in ("truth", "found"):
        (tmp_path / name).mkdir()
    for k in range(3):
        (tmp_path / "truth" / f"P{k}.txt").write_text("0 0 10 0 10 5 0 5 plane 0\n5 20 15 25 12 31 2 26 plane 0\n")
    (tmp_path / "found" / "Task1_plane.txt").write_text("P0 .9 0 0 10 0 10 5 0 5\nP1 .8 5 20 15 25 12 31 2 26\n")
    here, there = (
        run(tmp_path, "truth", "found", "--format", "json", *options)
        for options in ([], ["--engine", "dask", "--scheduler", scheduler])
    )
    kinds = [json.loads(x.stdout)["kind"] if x.stdout else x.stderr for x in (here, there)]
    assert kinds == ["polygons", "polygons"]
