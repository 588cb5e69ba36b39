"""Similarities of a caller's own on Dask: the state of one process, whatever the partitions."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import dask.dataframe as dd
import pandas as pd
from distributed import Client

from omniou import boxes, detection, rotated
from omniou.data import InputWarning, Options, shards
from omniou.data.shards import Rules
from omniou_integrations.dask import evaluate, state
from tests.integrations import dask_cases as cases
from tests.integrations.dask_cases import assert_same_state

IMAGES = 12
CORNERS = ("xmin", "ymin", "xmax", "ymax")


def negative_distances(a: Any, b: Any) -> Any:
    return -distances(a, b)


def distances(a: Any, b: Any) -> Any:
    return np.abs(np.asarray(a, dtype=float)[:, None] - np.asarray(b, dtype=float)[None, :])


def of_centres(a: Any, b: Any) -> Any:
    x, y = ((np.asarray(rows)[:, :2] + np.asarray(rows)[:, 2:]) / 2 for rows in (a, b))
    return np.linalg.norm(x[:, None] - y[None, :], axis=-1)


def shared_words(a: list[str], b: list[str]) -> list[list[int]]:
    return [[len({*x.split()} & {*y.split()}) for y in b] for x in a]


def rows(count: int, seed: int, payload: Any = lambda x: x) -> dict[str, Any]:
    """Rows of an image apart from each other, and many equal scores."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 9, (count, 2)).astype(float)
    made = {"image_id": rng.integers(IMAGES, size=count), "category_id": np.arange(count) % 3}
    made |= dict(zip(CORNERS, np.concatenate([low, low + 6], axis=1).T, strict=True))
    made |= {"payload": [payload(float(x)) for x in rng.integers(0, 9, count)], "area": rng.integers(1, 9000, count)}
    return made | {"score": rng.integers(0, 4, count) / 4, "iscrowd": rng.random(count) < 0.2}


def frames(targets: dict[str, Any], found: dict[str, Any], *but: str) -> list[Any]:
    """Both in several partitions, with a row for each image, as some have no object."""
    whole = {k: [*x, *(range(IMAGES) if k == "image_id" else [None] * IMAGES)] for k, x in targets.items()}
    tables = [cases.arrow({k: v for k, v in x.items() if k not in but}) for x in (whole, found)]
    return [
        dd.from_pandas(x.to_pandas(types_mapper=pd.ArrowDtype), npartitions=k)
        for x, k in zip(tables, (2, 3), strict=True)
    ]


def in_memory(targets: dict[str, Any], found: dict[str, Any], *but: str, **how: Any) -> Any:
    def table(make: Any, x: dict[str, Any], **more: Any) -> Any:
        area = None if "area" in but else x["area"].astype(float)
        return make(None, labels=x["category_id"], images=x["image_id"], payload=x["payload"], area=area, **more)

    truth = table(detection.Targets, targets, crowd=targets["iscrowd"])
    return detection.evaluate(
        truth, table(detection.Detections, found, scores=found["score"]), images=range(IMAGES), **how
    )


SIMILARITIES = {"similarity": negative_distances, "thresholds": (-2.0, -1.0, 0.0)}
DISTANCES = {"similarity": distances, "thresholds": (0.5, 1, 2), "higher_is_better": False}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A thread of this process: warnings are recorded for a whole process."""
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as made:
        yield made


@pytest.mark.parametrize(
    ("how", "but"),
    [(SIMILARITIES, (*CORNERS, "area")), (DISTANCES, CORNERS), (SIMILARITIES, ("area",))],
    ids=["payload", "with-area", "boxes-too"],
)
def test_payloads_of_frames_equal_one_process(client, how, but):
    targets, found = rows(60, 0), rows(150, 1)
    got = state(*frames(targets, found, *but), client=client, **how)
    if but == ("area",):  # the areas of the boxes, 6 by 6
        targets, found, but = *(x | {"area": np.full(len(x["payload"]), 36)} for x in (targets, found)), ()
    expected = in_memory(targets, found, *but, **how).state
    assert len(got.protocol.area_ranges) == (1 if "area" in but else 4)
    assert_same_state(dataclasses.replace(got, names=expected.names), expected)
    assert got.names.classes == {0: "0", 1: "1", 2: "2"}


def test_boxes_are_payloads_of_frames_and_of_files(tmp_path, client):
    how = {"similarity": of_centres, "thresholds": [3.0, 1.0], "higher_is_better": False}
    targets, found = rows(60, 0), rows(150, 1)
    targets |= {"image_id": np.append(targets["image_id"][:-IMAGES], range(IMAGES))}  # each image has an object
    # Files keep their shapes as payload, also next to a column of this name.
    whole = cases.Table(*({k: v for k, v in x.items() if k != "area"} for x in (targets, found)))
    paths = cases.written(tmp_path, whole, [[*range(0, IMAGES, 2)], [*range(1, IMAGES, 2)]])
    parts = [Rules(**how).part(x) for x in shards.find(*paths)]
    expected = cases.one_process(*paths, **how)
    got = state(*frames(targets, found, "payload", "area"), client=client, **how)
    assert_same_state(got, expected)
    assert_same_state(shards.whole(parts).state, expected)
    with pytest.raises(ValueError, match="`checkpoint` must not be given where `similarity` is your own") as error:
        state(*paths, client=client, checkpoint=tmp_path / "kept", **how)
    assert "\n" not in str(error.value)
    (paths[1] / "000.parquet").rename(paths[1] / "002.parquet")  # so that all rows are regrouped
    expected = cases.one_process(*paths, **how)
    assert_same_state(state(*paths, client=client, kind="similarity", **how), expected)


def test_texts_with_names(client):
    """Captions of two images; by hand: two of three are found before a wrong one."""
    truth = {"image_id": ["a", "b", "b", "c"], "category_id": ["cat", "cat", "cat", None]}
    truth |= {"payload": ["a black cat", "one cat", "two cats", None]}
    found = {"image_id": ["b", "b", "a", "c"], "category_id": ["dog", "cat", "cat", "cat"]}  # no object is a dog
    found |= {"score": [0.95, 0.9, 0.8, 0.7], "payload": ["a dog", "one cat", "the black cat", "a dog"]}
    both = [dd.from_pandas(pd.DataFrame(x), npartitions=2) for x in (truth, found)]
    with pytest.warns(InputWarning, match="1 detection excluded: 'dog' not among the categories"):
        result = evaluate(*both, client=client, similarity=shared_words, thresholds=(1, 2))
    np.testing.assert_allclose(result.recall[:, 0, 0, -1], [2 / 3, 2 / 3])
    np.testing.assert_allclose(result.summary["AP"], 67 / 101)
    assert (dict(result.names), len(result.state.images)) == ({0: "cat"}, 3)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (
            {"similarity": {0: [[1.0]]}},
            "`similarity` must be a function of payloads for shards, got dict: docs/dask.md",
        ),
        ({"kind": "similarity"}, "`similarity` must be a function of payloads for shards, got NoneType"),
        ({"similarity": distances, "higher_is_better": False}, "`thresholds` must be given for distances"),
        ({"similarity": distances, "kind": "segm"}, "`kind` is for shapes, and `similarity` takes their place"),
        ({"similarity": distances, "score": "giou"}, "`score` is for shapes"),
        ({"thresholds": (1.0,)}, "`thresholds` is for `similarity`"),
    ],
)
def test_arguments_that_do_not_go_together(how, text):
    with pytest.raises((TypeError, ValueError), match=text) as error:
        state("nowhere", "nowhere", workers=1, **how)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("targets", "found", "text"),
    [
        ({"payload": None}, {}, "column payload: has neither a box nor what `similarity` is called with"),
        ({"category_id": [0, None]}, {}, "row 1, category_id: missing"),
        ({"area": [1.0, None]}, {"area": [1.0, 1.0]}, "of the objects: row 1, area: missing"),
        ({"area": [1.0, 1.0]}, {"area": [1.0, None]}, "of the detections: row 1, area: missing"),
    ],
)
def test_faults_of_tables_are_one_line(targets, found, text):
    base = {"image_id": [0, 0], "category_id": [0, 0], "payload": [1.0, 2.0]}
    tables = [base | targets, base | {"score": [0.5, 0.5]} | found]
    tables = [cases.arrow({k: v for k, v in x.items() if v is not None}) for x in tables]
    with pytest.raises(ValueError, match=text) as error:
        Rules(similarity=negative_distances).part_of_tables("partition 0", *tables)
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="`kind` must be one of 'bbox', 'rotated', 'polygons', got 'segm'"):
        Rules(kind="segm", options=Options(kind="segm")).part_of_tables("partition 0", *tables)


def test_key_of_rules_tells_the_content_of_files(tmp_path):
    keys, path = [], tmp_path / "classes.txt"
    for text in ("cat\ndog", "dog\ncat", "cat\ndog"):
        path.write_text(text)
        keys.append(Rules(options=Options(classes=path)).key)
    assert (keys[0] == keys[1], keys[0] == keys[2]) == (False, True)


def test_key_of_rules_refuses_what_may_be_edited():
    """Functions and geometries by name would give old numbers after an edit; names and skeletons tell all."""
    from omniou.keypoints import Skeleton

    mine = dataclasses.replace(rotated.GEOMETRY, area=None)
    for how, name in (({"score": of_centres}, "score"), ({"kind": mine}, "kind"), ({**DISTANCES}, "similarity")):
        with pytest.raises(ValueError, match=f"`checkpoint` must not be given where `{name}` is your own"):
            _ = Rules(**how).key
    pencils = [Skeleton(name="pencil", sigmas=(x,)) for x in (0.1, 0.2)]
    given = [None, boxes.giou, boxes.diou, "giou"], [None, "rotated", rotated.GEOMETRY, "bev", *pencils]
    keys = [Rules(score=x).key for x in given[0]] + [Rules(kind=x).key for x in given[1][1:]]
    assert len(set(keys)) == len(keys)
    of_omniou = [Rules(similarity=boxes.pairwise_iou, thresholds=x).key for x in ([0.5], (0.5,), [0.6])]
    assert (of_omniou[0] == of_omniou[1], of_omniou[0] == of_omniou[2]) == (True, False)
