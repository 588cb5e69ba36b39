"""Workers, schedulers, disks and files that fail, and checkpoints that go on."""

import errno
import os
import signal
import threading
import time

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from omniou.data import InputError, InputWarning
from omniou.data.shards import SplitImageError
from omniou_integrations.dask import EngineError, reduce, state
from omniou_integrations.dask import _tree as tree
from omniou_integrations.dask._run import Run
from omniou_integrations.dask._tree import connected
from tests.integrations import dask_cases as cases
from tests.integrations.dask_cases import SlowRules, assert_same_state, groups_of, one_process, table, written

# What Dask says where a worker dies while it starts.
FAILURE = ("Nanny failed to start.",)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no SIGKILL")
def test_worker_that_is_killed(tmp_path):
    truth, found = written(tmp_path, table(), groups_of(12))
    with connected(None, workers=2) as cluster:
        pids = list(cluster.run(os.getpid).values())

        def kill(done, *_):
            if done == 3:
                os.kill(pids[0], signal.SIGKILL)

        whole = Run(cluster, progress=kill)(truth, found, SlowRules())
        after = set(cluster.run(os.getpid).values())
    assert pids[0] not in after
    assert_same_state(whole.state, one_process(truth, found))


@pytest.mark.skipif(os.name != "posix", reason="other systems have no SIGKILL")
def test_scheduler_that_goes_away_leaves_a_checkpoint(tmp_path, client):
    truth, found = written(tmp_path, table(), groups_of(12))
    port = cases.free_port()
    address, kept = f"tcp://127.0.0.1:{port}", tmp_path / "kept"
    with (
        cases.started("scheduler", "--port", str(port), "--no-dashboard") as scheduler,
        cases.started("worker", address, "--nthreads", "1", "--no-dashboard"),
    ):

        def kill(done, *_):
            if done == 4:
                scheduler.kill()

        start = time.monotonic()
        with pytest.raises(EngineError, match="went away"), connected(address) as there:
            Run(there, progress=kill)(truth, found, SlowRules(), checkpoint=kept)
        assert time.monotonic() - start < 60
    assert 4 <= len(list(kept.glob("*.json"))) < 12
    before = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    whole = Run(client)(truth, found, SlowRules(), checkpoint=kept)
    assert_same_state(whole.state, one_process(truth, found))
    assert {name: (kept / name).stat().st_mtime_ns for name in before} == before


def test_scheduler_that_goes_away_while_classes_are_listed(tmp_path):
    truth, found = written(tmp_path, table(), groups_of(3))
    port = cases.free_port()
    address = f"tcp://127.0.0.1:{port}"
    with cases.started("scheduler", "--port", str(port), "--no-dashboard") as scheduler:  # and no worker: it waits
        timer = threading.Timer(1, scheduler.kill)
        with pytest.raises(EngineError, match="went away"), connected(address) as there:  # noqa: PT012
            timer.start()
            state(truth, found, client=there)
        timer.join()


def test_workers_that_do_not_start(monkeypatch):
    starts = []

    def fails(**given):
        starts.append(given)
        raise RuntimeError(*FAILURE)

    monkeypatch.setattr(tree, "LocalCluster", fails)
    with pytest.raises(EngineError, match=r"do not start: Nanny failed to start; a script .* `if __name__ =="):
        connected(None, workers=2).__enter__()
    assert len(starts) == 2


def test_worker_that_dies_while_the_cluster_starts(monkeypatch):
    # The first start fails, as where a worker is killed: the second one goes on.
    starts, made = [], tree.LocalCluster

    def fails_once(**given):
        starts.append(given)
        if len(starts) == 1:
            raise RuntimeError(*FAILURE)
        return made(**given)

    monkeypatch.setattr(tree, "LocalCluster", fails_once)
    with connected(None, workers=1) as cluster:
        assert reduce([1, 2], abs, sum, client=cluster) == 3
    assert len(starts) == 2


@pytest.mark.parametrize("skip", [False, True])
def test_full_disk_under_a_checkpoint_is_an_error_that_names_it(tmp_path, monkeypatch, skip):
    def full(path, _data):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    truth, found = written(tmp_path, table(), groups_of(3))
    monkeypatch.setattr("omniou._lib.outputs.write", full)
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as there,
        # Also where shards that cannot be read are left out: these can.
        pytest.raises(InputError, match=r"kept: cannot be written to: No space left on device"),
    ):
        state(truth, found, client=there, checkpoint=tmp_path / "kept", skip_unreadable=skip)
    monkeypatch.undo()
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as there,
    ):
        assert_same_state(state(truth, found, client=there, checkpoint=tmp_path / "kept"), one_process(truth, found))


def test_address_that_nobody_answers_at(tmp_path, monkeypatch):
    monkeypatch.setattr("omniou_integrations.dask._tree.TIMEOUT", 1.0)
    truth, found = written(tmp_path, table(), groups_of(2))
    address = f"tcp://127.0.0.1:{cases.free_port()}"
    with pytest.raises(EngineError, match=f"no scheduler answers at {address} within 1 s"):
        state(truth, found, client=address)


def test_checkpoint_of_changed_input_is_computed_anew(tmp_path, client):
    truth, found = written(tmp_path, table(), groups_of(4))
    kept = tmp_path / "kept"
    first = state(truth, found, client=client, checkpoint=kept)
    times = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert_same_state(state(truth, found, client=client, checkpoint=kept), first)
    assert {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")} == times
    path = found / "002.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    again = state(truth, found, client=client, checkpoint=kept)
    assert_same_state(again, one_process(truth, found))
    changed = [x for x in kept.glob("*.json") if x.stat().st_mtime_ns != times[x.name]]
    assert len(changed) == 1
    # Of other rules all are.
    assert_same_state(
        state(truth, found, client=client, checkpoint=kept, protocol="voc2010"),
        one_process(truth, found, protocol="voc2010"),
    )


def test_damaged_checkpoint_is_computed_anew(tmp_path, client):
    truth, found = written(tmp_path, table(), groups_of(3))
    kept = tmp_path / "kept"
    first = state(truth, found, client=client, checkpoint=kept)
    paths = sorted(kept.glob("*.npz"))
    paths[0].write_bytes(paths[0].read_bytes()[:1000])
    paths[1].unlink()
    assert_same_state(state(truth, found, client=client, checkpoint=kept), first)
    assert not list(kept.glob(".*.npz.*"))


def test_two_runs_into_one_checkpoint(tmp_path, client):
    truth, found = written(tmp_path, table(), groups_of(3))
    refused = []

    def again(done, *_):
        if done == 1:
            with pytest.raises(InputError, match="another run writes into this directory") as error:
                state(truth, found, client=client, checkpoint=tmp_path / "kept")
            refused.append(error)

    state(truth, found, client=client, checkpoint=tmp_path / "kept", progress=again)
    assert refused


def test_shard_that_cannot_be_read(tmp_path, client):
    truth, found = written(tmp_path, table(), groups_of(4))
    (found / "001.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match=r"found/001\.parquet: not a file of Parquet or Arrow, or damaged"):
        state(truth, found, client=client)
    with pytest.warns(InputWarning, match=r"left out, for it cannot be read: .*001\.parquet"):
        got = state(truth, found, client=client, skip_unreadable=True)
    for folder in (truth, found):
        (folder / "001.parquet").unlink()
    assert_same_state(got, one_process(truth, found))
    for path in found.iterdir():
        path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="none of 3 shards can be read"):
        state(truth, found, client=client, skip_unreadable=True)


def test_image_in_two_shards_is_named(tmp_path, client):
    rows = [{"images": [{"id": k, "file_name": f"{k}.jpg"} for k in (k, 7)]} for k in (1, 2, 3)]
    for role in ("truth", "found"):
        (tmp_path / role).mkdir()
    rest = {"categories": [{"id": 1, "name": "cat"}], "annotations": []}
    for k, part in enumerate(rows[:2]):
        data_set = part | rest
        cases.write_json(tmp_path / "truth" / f"{k}.json", data_set)
        cases.write_json(tmp_path / "found" / f"{k}.json", [])
    with pytest.raises(SplitImageError, match=r"image '7' is in .*found/0\.json and .*found/1\.json"):
        state(tmp_path / "truth", tmp_path / "found", client=client)
    # Classes of one id and two names.
    other = rest | {"categories": [{"id": 1, "name": "dog"}]}
    cases.write_json(tmp_path / "truth" / "1.json", {"images": [{"id": 2}]} | other)
    with pytest.raises(InputError, match=r"class 1 must have one name in all states, got 'cat' and 'dog'"):
        state(tmp_path / "truth", tmp_path / "found", client=client)


def test_files_without_counterpart(tmp_path, client):
    truth, found = written(tmp_path, table(), groups_of(3))
    (found / "001.parquet").rename(found / "other.parquet")
    with pytest.raises(InputError, match=r"truth/001\.parquet: there are no detections of this name"):
        state(truth, found, client=client, split="error")
    # Tables are regrouped by image, whatever their files are called; as one of objects for several of detections.
    assert_same_state(state(truth, found, client=client), one_process(truth, found))
    one = tmp_path / "one.parquet"
    pq.write_table(cases.arrow(table().targets), one)
    expected = one_process(one, found)
    assert_same_state(state(one, found, client=client), expected)
    (found / "other.parquet").rename(found / "001.parquet")
    cases.write_json(truth / "003.json", {})
    with pytest.raises(InputError, match=r"truth/003\.json: there are no detections of this name"):
        state(truth, found, client=client)
    (truth / "003.json").unlink()
    with pytest.raises(InputError, match="no file fits the pattern"):
        state(f"{truth}/*.json", found, client=client)
    with pytest.raises(TypeError, match="list of pairs"):
        state([truth], client=client)
    pairs = [(truth / f"{k:03}.parquet", found / f"{k:03}.parquet") for k in (2, 0)]
    assert len(state(pairs, client=client).images) == sum(len(groups_of(3)[k]) for k in (0, 2))
    with pytest.raises(ValueError, match="`split` must be one of 'regroup', 'error', got 'x'"):
        state(truth, found, client=client, split="x")
