"""Saving and loading states of evaluators, and errors for damaged files."""

import dataclasses
import os

import numpy as np
import pytest

from omniou import detection
from omniou._inputs.names import Names
from omniou.data._errors import InputError
from omniou.data.shards import states
from omniou.detection.curves._plain import from_columns, narrowed, to_columns
from tests.detection.test_evaluator import IMAGES, assert_same, of_images, random_tables


def state(protocol="coco", **more):
    evaluator = detection.Evaluator(protocol)
    evaluator.update(*random_tables(**more))
    return evaluator.state


@pytest.mark.parametrize("protocol", ["coco", "voc2010", "lvis"])
def test_save_and_load_round_trip(tmp_path, protocol):
    before = state(protocol)
    states.save(before, tmp_path / "a.npz")
    after = states.load(tmp_path / "a.npz")

    assert after.protocol == before.protocol
    for field in dataclasses.fields(before):
        if field.name != "protocol":
            a, b = getattr(after, field.name), getattr(before, field.name)
            np.testing.assert_array_equal(a, b)
    assert [x.name for x in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize("protocol", ["coco", "voc2010"])
def test_arrow_round_trip_is_mapped(tmp_path, protocol):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    before = state(protocol)
    before = dataclasses.replace(before, scores=before.scores + 1e-12)  # no float32: columns of 64 bits stay views
    states.save(before, tmp_path / "a.arrow")
    after = states.load(tmp_path / "a.arrow")
    for field in dataclasses.fields(before):
        if field.name != "protocol":
            np.testing.assert_array_equal(getattr(after, field.name), getattr(before, field.name))
    assert after.protocol == before.protocol
    assert not after.scores.flags.owndata
    assert not after.scores.flags.writeable
    assert_same(detection.compute([after]), detection.compute([before]))
    assert (tmp_path / "a.arrow").read_bytes().startswith(b"ARROW1")
    assert [x.name for x in tmp_path.iterdir()] == ["a.arrow"]


@pytest.mark.parametrize("place", [0.05, 0.3, 0.5, 0.8, 0.99])
def test_load_of_damaged_arrow_raises(tmp_path, place):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = tmp_path / "a.arrow"
    before = state()
    states.save(before, path)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 0xFF
    path.write_bytes(data)
    try:
        after = states.load(path)
    except InputError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017  (padding may change)
    else:
        assert_same(detection.compute([after]), detection.compute([before]))
    path.write_bytes(data[: int(place * len(data))])
    with pytest.raises(InputError, match="damaged"):
        states.load(path)


def test_bytes_are_those_of_the_file(tmp_path):
    before = state()
    states.save(before, tmp_path / "a.npz")
    assert states.dumps(before) == (tmp_path / "a.npz").read_bytes()
    assert_same(detection.compute([states.loads(states.dumps(before))]), detection.compute([before]))
    with pytest.raises(InputError, match="not the state of an evaluation, or damaged"):
        states.loads(b"nothing of the kind")


def test_names_and_groups_are_kept(tmp_path):
    names = Names({0: "cat", 3: "dog"}, {0: "a.jpg", 1: "b/c.jpg"}, counted=True, groups={"r": [3]})
    states.save(dataclasses.replace(state(), names=names), tmp_path / "a.npz")
    assert states.load(tmp_path / "a.npz").names == names
    told = states.describe(tmp_path / "a.npz")
    assert told.class_names == ["cat", "1", "2", "dog"]
    assert (told.version, told.protocol, told.kind, told.images) == (2, "coco", "bbox", IMAGES - 2)


@pytest.mark.parametrize("protocol", ["coco", "voc2010"])
def test_to_columns_round_trip(protocol):
    before = state(protocol)
    columns = to_columns(before)
    after = from_columns(columns, protocol=before.protocol, surplus=before.surplus, kind=before.kind)
    for field in dataclasses.fields(before):
        if field.name != "protocol":
            np.testing.assert_array_equal(getattr(after, field.name), getattr(before, field.name))
    # 10 thresholds x 4 area ranges are 40 bits, and Pascal VOC's one is a bit.
    assert columns["matched_0"].shape == (len(before.rows), 5 if protocol == "coco" else 1)
    assert {x.dtype.itemsize for name, x in columns.items() if name != "scores"} <= {1, 2}


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([], "u1"),
        ([0, 255], "u1"),
        ([0, 256], "u2"),
        ([-1, 127], "i1"),
        ([-129, 0], "i2"),
        ([0, 2**32 - 1], "u4"),
        ([0, 2**32], "i8"),
    ],
)
def test_narrowed_integers(values, dtype):
    x = narrowed(np.asarray(values, dtype=np.int64))
    assert x.dtype == dtype
    assert x.tolist() == values


@pytest.mark.parametrize(("values", "dtype"), [([0.5, 0.25], "f4"), ([0.5, 0.1], "f8"), ([0.5, np.nan], "f8")])
def test_narrowed_floats_keep_their_values(values, dtype):
    x = narrowed(np.asarray(values))
    assert x.dtype == dtype
    np.testing.assert_array_equal(x, values)


def test_save_and_load_of_more_than_64_thresholds(tmp_path):
    many = dataclasses.replace(detection.COCO, iou_thresholds=tuple(k / 100 for k in range(1, 96)))
    before = state(many)
    states.save(before, tmp_path / "a.npz")
    assert_same(detection.compute([states.load(tmp_path / "a.npz")]), detection.compute([before]))


def test_save_and_load_of_empty_state(tmp_path):
    states.save(detection.Evaluator().state, tmp_path / "a.npz")
    assert np.isnan(detection.compute([states.load(tmp_path / "a.npz")]).summary["AP"])


def test_compute_of_saved_shards_equals_evaluate(tmp_path):
    targets, detections = random_tables()
    for k in range(3):
        evaluator, images = detection.Evaluator(), range(k, IMAGES, 3)
        evaluator.update(of_images(targets, images), of_images(detections, images), images=images)
        states.save(evaluator.state, tmp_path / f"{k}.npz")
    shards = [states.load(tmp_path / f"{k}.npz") for k in (2, 0, 1)]
    assert_same(detection.compute(shards), detection.evaluate(targets, detections, images=range(IMAGES)))


def test_save_file_size_per_detection(tmp_path):
    targets, detections = random_tables(objects=3000, detections=40_000)
    for dtype, most in ((np.float32, 10), (np.float64, 14)):
        scores = np.random.default_rng(0).random(40_000).astype(dtype)
        images = np.random.default_rng(1).integers(1000, size=40_000)
        evaluator = detection.Evaluator()
        evaluator.update(targets, dataclasses.replace(detections, scores=scores, images=images), images=range(1000))
        kept = len(evaluator.state.scores)
        states.save(evaluator.state, tmp_path / "a.npz")
        # Without the names of arrays and the header.
        assert (tmp_path / "a.npz").stat().st_size - 24 * 1000 - 8000 < most * kept


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_load_of_damaged_file_raises(tmp_path, place):
    path = tmp_path / "a.npz"
    states.save(state(), path)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        states.load(path)
    path.write_bytes(data[: int(place * len(data))])
    with pytest.raises(InputError, match=r"a\.npz: not the state of an evaluation, or damaged"):
        states.load(path)


@pytest.mark.parametrize("byte", [*range(4, 46, 2), 11, 13])
def test_load_of_damaged_archive_entry_raises(tmp_path, byte):
    path = tmp_path / "a.npz"
    states.save(state(), path)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")  # of the last array: flags, compression, sizes, offset
    for value in (data[entry + byte] ^ 1, 255):
        data[entry + byte] = value
        path.write_bytes(data)
        try:
            detection.compute([states.load(path)])
        except InputError as error:
            assert str(error).startswith(f"{path}: ")  # noqa: PT017  (changes outside the content may pass)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such permissions")
def test_save_uses_default_file_permissions(tmp_path):
    (tmp_path / "usual").touch()
    states.save(state(), tmp_path / "a.npz")
    assert (tmp_path / "a.npz").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_load_of_other_files_raises(tmp_path):
    path = tmp_path / "a.npz"
    with pytest.raises(InputError, match="no such file"):
        states.load(path)
    np.savez(path, a=np.arange(3))
    with pytest.raises(InputError, match="not the state"):
        states.load(path)
    head = np.frombuffer(b'{"kind": "omniou detection state", "version": 99, "checksum": ""}', dtype=np.uint8)
    np.savez(path, head=head)
    with pytest.raises(InputError, match="version 99 is not 2"):
        states.load(path)


def test_failed_save_leaves_old_file(tmp_path):
    path = tmp_path / "a.npz"
    states.save(state(), path)
    before = path.read_bytes()
    broken = dataclasses.replace(state(), scores=np.asarray([object()]))
    with pytest.raises((TypeError, ValueError)):
        states.save(broken, path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1
