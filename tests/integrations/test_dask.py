"""Shards on workers of Dask: the bits of one process, whatever the shards, the workers, and what happens to them."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import dask.dataframe as dd
import pandas as pd
import pyarrow.parquet as pq

from omniou import detection, segmentation
from omniou.data import InputError, Options, read_detections, read_ground_truth
from omniou_integrations.dask import evaluate, reduce, state
from tests.integrations import dask_cases as cases
from tests.integrations.dask_cases import assert_same_state, groups_of, one_process, table, written


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


@pytest.mark.parametrize("frames", [False, True])
def test_detections_without_scores(tmp_path, client, frames):
    whole = table()
    del whole.detections["score"]
    options = Options(missing_scores=True)
    given = written(tmp_path, whole, groups_of(3))
    truth = read_ground_truth(given[0])
    expected = detection.evaluate(truth, read_detections(given[1], truth, options=options), missing_scores=True)
    if frames:
        given = [dd.from_pandas(pd.DataFrame(x), npartitions=2) for x in whole]
    got = state(*given, client=client, options=options)
    assert got.protocol.missing_scores
    assert detection.compute([got]).summary == expected.summary


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


def distances_of(image):
    """The state of one image, whose points were detected with errors of 0.1 and 3."""
    evaluator = detection.Evaluator(kind="similarity", thresholds=(1.0, 0.5), higher_is_better=False)
    targets = detection.Targets(None, labels=[1, 1], images=[image, image])
    found = detection.Detections(None, labels=[1, 1], images=[image, image], scores=[0.9, image / 10])
    evaluator.update(targets, found, similarity={image: [[0.1, 9.0], [9.0, 3.0 if image % 2 else 0.7]]})
    return [evaluator.state]


def test_reduce_of_states_of_distances(client):
    states = reduce(range(6), distances_of, joined, client=client, fan_in=3)
    result = detection.compute(states)
    expected = detection.compute([x for k in range(6) for x in distances_of(k)])
    assert result.summary == expected.summary
    assert (result.protocol.measure, list(result.summary)[:3]) == ("distance", ["AP", "AP@1", "AP@0.5"])
    assert result.recall[:, 0, 0, -1].tolist() == [0.75, 0.5]
