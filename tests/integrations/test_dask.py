"""Shards on workers of Dask: the bits of one process, whatever the shards, the workers, and what happens to them."""

import errno
import os
import signal
import threading
import time

import numpy as np
import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import dask.dataframe as dd
import pandas as pd
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from omniou import detection, segmentation
from omniou.data import InputError, InputWarning
from omniou.data.shards import SplitImageError
from omniou_integrations.dask import EngineError, evaluate, reduce, state
from omniou_integrations.dask import _tree as tree
from omniou_integrations.dask._run import Run
from omniou_integrations.dask._tree import connected
from tests.integrations import dask_cases as cases
from tests.integrations.dask_cases import SlowRules, assert_same_state, groups_of, one_process, table, written

# What Dask says where a worker dies while it starts.
FAILURE = ("Nanny failed to start.",)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as made,
    ):
        yield made


@pytest.fixture(scope="module", params=["ids", "names"])
def whole(request):
    return table(names=request.param == "names")


@pytest.mark.parametrize("count", [1, 7, cases.IMAGES])
def test_state_of_shards_equals_one_process(tmp_path, client, whole, count):
    """Of one shard, of several, and of one for each image: some have no object, no detection, or lack a class."""
    truth, found = written(tmp_path, whole, groups_of(count))
    got = state(truth, found, client=client)
    assert_same_state(got, one_process(truth, found))


def test_state_class_agnostic_equals_one_process(tmp_path, client, whole):
    truth, found = written(tmp_path, whole, groups_of(5))
    got = state(truth, found, client=client, class_agnostic=True)
    assert_same_state(got, one_process(truth, found, class_agnostic=True))
    assert got.names.classes == {0: "any class"}


@pytest.mark.parametrize("workers", [1, 3])
def test_evaluate_on_workers_of_its_own(tmp_path, whole, workers):
    truth, found = written(tmp_path, whole, groups_of(5))
    result = evaluate(f"{truth}/*.parquet", f"{found}/*.parquet", workers=workers, protocol="voc2010")
    expected = one_process(truth, found, protocol="voc2010")
    assert_same_state(result.state, expected)
    assert result.summary == detection.compute([expected]).summary
    assert list(result.names.values()) == list(one_process(truth, found).names.classes.values())


def test_state_of_empty_shards(tmp_path, client):
    whole = table()
    truth, found = written(tmp_path, whole, [*groups_of(3), [], []])
    assert_same_state(state(truth, found, client=client), one_process(truth, found))


def test_state_without_any_detection(tmp_path, client):
    whole = table()
    whole = whole._replace(detections={name: x[:0] for name, x in whole.detections.items()})
    truth, found = written(tmp_path, whole, groups_of(3))
    for path in found.iterdir():  # a column without rows has no type
        pq.write_table(cases.arrow(table().detections).slice(0, 0), path)
    got = state(truth, found, client=client)
    assert len(got.scores) == 0
    assert detection.compute([got]).summary["AP"] == 0.0


def test_class_of_other_shards_counts(tmp_path, client):
    """A detection of a class that its own shard has no object of is a false positive."""
    box = {"xmin": 0.0, "ymin": 0.0, "xmax": 9.0, "ymax": 9.0}
    rows = [{"image_id": 1, "category_id": 1} | box, {"image_id": 2, "category_id": 2} | box]
    found = [[{**rows[0], "score": 0.9}, {**rows[0], "category_id": 2, "score": 0.8}], [{**rows[1], "score": 0.5}]]
    for role, shards in (("truth", [[x] for x in rows]), ("found", found)):
        (tmp_path / role).mkdir()
        for k, shard in enumerate(shards):
            pq.write_table(
                cases.arrow({name: [x[name] for x in shard] for name in shard[0]}), tmp_path / role / f"{k}.parquet"
            )
    result = evaluate(tmp_path / "truth", tmp_path / "found", client=client)
    # Class 2: a false positive above the hit, so that precision is 1/2 at every recall.
    np.testing.assert_allclose(result.per_class["AP50"], [1.0, 0.5])


@pytest.mark.parametrize("names", [False, True])
def test_rows_of_an_image_in_several_shards_are_regrouped(tmp_path, client, names):
    whole = table(names=names)
    for role, rows in zip(("truth", "found"), whole, strict=True):
        (tmp_path / role).mkdir()
        everything = cases.arrow(rows)
        cuts = [0, len(everything) // 3, len(everything) // 2, len(everything)]
        for k, low in enumerate(cuts[:-1]):
            pq.write_table(everything.slice(low, cuts[k + 1] - low), tmp_path / role / f"{k}.parquet")
    truth, found = tmp_path / "truth", tmp_path / "found"
    expected = one_process(truth, found)
    assert_same_state(state(truth, found, client=client), expected)
    assert_same_state(state(truth, found, client=client, count=4), expected)
    for more in ({"split": "error"}, {"checkpoint": tmp_path / "kept"}):
        with pytest.raises(InputError, match=r"found/\d\.parquet: row \d+, image_id: .* is not among the images of"):
            state(truth, found, client=client, **more)


def test_frames_equal_one_process(tmp_path, client, whole):
    truth, found = written(tmp_path, whole, [list(range(cases.IMAGES))])
    frames = [
        dd.from_pandas(cases.arrow(x).to_pandas(types_mapper=pd.ArrowDtype), npartitions=k)
        for x, k in zip(whole, (3, 4), strict=True)
    ]
    assert_same_state(state(*frames, client=client), one_process(truth, found))
    with pytest.raises(ValueError, match="as many partitions, which hold the same images"):
        state(*frames, client=client, split="error")
    with pytest.raises(TypeError, match="both be DataFrames"):
        state(frames[0], found, client=client)
    with pytest.raises(ValueError, match="`checkpoint` is for files"):
        state(*frames, client=client, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="must have the column 'image_id'"):
        state(frames[0].drop(columns="image_id"), frames[1], client=client)


@pytest.mark.parametrize("count", [None, 1, 9])
def test_directories_with_a_file_for_each_image(tmp_path, client, count):
    rng = np.random.default_rng(0)
    for role in ("truth", "found"):
        (tmp_path / role).mkdir()
    for k in range(20):
        x, y, w, h = rng.integers(1, 40, 4)
        name, other = rng.choice(["cat", "dog", "street lamp".replace(" ", "-")], 2)
        (tmp_path / "truth" / f"im{k:02}.txt").write_text(f"{name} {x} {y} {x + w} {y + h}\n")
        if k % 4:
            (tmp_path / "found" / f"im{k:02}.txt").write_text(
                f"{name} {rng.random():.3f} {x} {y} {x + w} {y + h}\n{other} 0.5 {x} {y} {x + w + 3} {y + h}\n"
            )
    truth, found = tmp_path / "truth", tmp_path / "found"
    assert_same_state(state(truth, found, client=client, count=count), one_process(truth, found))


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
    with pytest.raises(EngineError, match="the workers on this machine do not start: Nanny failed to start"):
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


def counts_of(seed):
    labels = np.random.default_rng(seed).integers(3, size=(2, 16, 16))
    return segmentation.confusion(labels[0], labels[1], num_classes=3)


@pytest.mark.parametrize("fan_in", [2, 3, 8])
def test_reduce_of_counts(client, fan_in):
    seen = []
    whole = reduce(range(11), counts_of, sum, client=client, fan_in=fan_in, progress=lambda *x: seen.append(x[:2]))
    np.testing.assert_array_equal(whole, sum(counts_of(seed) for seed in range(11)))
    assert seen == [(k, 11) for k in range(1, 12)]


def joined(parts):
    assert len(parts) <= 3
    return [x for part in parts for x in part]


def test_reduce_keeps_order_and_fan_in(client):
    assert reduce(range(30), lambda k: [k], joined, client=client, fan_in=3) == list(range(30))
    with pytest.raises(ValueError, match="`shards` must not be empty"):
        reduce([], counts_of, sum, client=client)
    with pytest.raises(ValueError, match="`fan_in` must be at least 2"):
        reduce([1], counts_of, sum, client=client, fan_in=1)


def test_threads_of_omniou_are_one_on_workers(client):
    from omniou._lib import threads

    assert reduce([0, 1], lambda _: [threads.most()], sum_of_lists, client=client) == [1, 1]


def sum_of_lists(parts):
    return [x for part in parts for x in part]


def test_masks_in_shards(tmp_path, client):
    """Shards of COCO's JSON, with masks."""
    square = {"size": [20, 20], "counts": [21, 5, 15, 5, 15, 5, 334]}
    for role in ("truth", "found"):
        (tmp_path / role).mkdir()
    for k in range(4):
        row = {"image_id": k, "category_id": 1, "segmentation": square}
        objects = {"id": k + 1, "iscrowd": 0, "area": 15, "bbox": [1, 1, 3, 5]} | row
        head = {"images": [{"id": k, "width": 20, "height": 20}], "categories": [{"id": 1, "name": "cat"}]}
        cases.write_json(tmp_path / "truth" / f"{k}.json", head | {"annotations": [objects]})
        cases.write_json(tmp_path / "found" / f"{k}.json", [row | {"score": 0.1 * k}] if k else [])
    result = evaluate(tmp_path / "truth", tmp_path / "found", kind="segm", client=client)
    # Three of four objects are found, none wrongly: 76 of 101 points of recall.
    assert result.summary["AP"] == pytest.approx(76 / 101)
    assert result.state.kind == "segm"
