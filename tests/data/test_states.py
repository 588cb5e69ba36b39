"""States as files: what was saved comes back, and what is damaged does not."""

import dataclasses
import os

import numpy as np
import pytest

from omniou import detection
from omniou.data import states
from omniou.data._errors import InputError
from tests.detection.test_evaluator import IMAGES, assert_same, made, of_images


def state(protocol="coco", **more):
    evaluator = detection.Evaluator(protocol)
    evaluator.update(*made(**more))
    return evaluator.state


@pytest.mark.parametrize("protocol", ["coco", "voc2010", "lvis"])
def test_what_was_saved_comes_back(tmp_path, protocol):
    before = state(protocol)
    states.save(before, tmp_path / "a.npz")
    after = states.load(tmp_path / "a.npz")

    assert after.protocol == before.protocol
    for field in dataclasses.fields(before):
        if field.name != "protocol":
            a, b = getattr(after, field.name), getattr(before, field.name)
            np.testing.assert_array_equal(a, b)
    assert [x.name for x in tmp_path.iterdir()] == ["a.npz"]


def test_more_bits_than_a_word(tmp_path):
    many = dataclasses.replace(detection.COCO, iou_thresholds=tuple(k / 100 for k in range(1, 96)))
    before = state(many)
    states.save(before, tmp_path / "a.npz")
    assert_same(detection.compute([states.load(tmp_path / "a.npz")]), detection.compute([before]))


def test_nothing(tmp_path):
    states.save(detection.Evaluator().state, tmp_path / "a.npz")
    assert np.isnan(detection.compute([states.load(tmp_path / "a.npz")]).summary["AP"])


def test_shards_are_merged(tmp_path):
    targets, detections = made()
    for k in range(3):
        evaluator, images = detection.Evaluator(), range(k, IMAGES, 3)
        evaluator.update(of_images(targets, images), of_images(detections, images), images=images)
        states.save(evaluator.state, tmp_path / f"{k}.npz")
    shards = [states.load(tmp_path / f"{k}.npz") for k in (2, 0, 1)]
    assert_same(detection.compute(shards), detection.evaluate(targets, detections, images=range(IMAGES)))


def test_how_small_it_is(tmp_path):
    targets, detections = made(objects=3000, found=40_000)
    for dtype, most in ((np.float32, 10), (np.float64, 14)):
        scores = np.random.default_rng(0).random(40_000).astype(dtype)
        images = np.random.default_rng(1).integers(1000, size=40_000)
        evaluator = detection.Evaluator()
        evaluator.update(targets, dataclasses.replace(detections, scores=scores, images=images), images=range(1000))
        kept = len(evaluator.state.scores)
        states.save(evaluator.state, tmp_path / "a.npz")
        # Beside the names of arrays and the head.
        assert (tmp_path / "a.npz").stat().st_size - 24 * 1000 - 8000 < most * kept


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_damaged_files_are_refused(tmp_path, place):
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
def test_damage_to_the_archive_itself_is_refused(tmp_path, byte):
    path = tmp_path / "a.npz"
    states.save(state(), path)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")  # of the last array: flags, the kind of compression, sizes, where it starts
    for value in (data[entry + byte] ^ 1, 255):
        data[entry + byte] = value
        path.write_bytes(data)
        try:
            detection.compute([states.load(path)])
        except InputError as error:
            assert str(error).startswith(f"{path}: ")  # noqa: PT017  (what is no part of the content may change)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such permissions")
def test_who_may_read_files_may_read_states(tmp_path):
    (tmp_path / "usual").touch()
    states.save(state(), tmp_path / "a.npz")
    assert (tmp_path / "a.npz").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    with pytest.raises(InputError, match="no such file"):
        states.load(path)
    np.savez(path, a=np.arange(3))
    with pytest.raises(InputError, match="not the state"):
        states.load(path)
    head = np.frombuffer(b'{"kind": "omniou detection state", "version": 99, "checksum": ""}', dtype=np.uint8)
    np.savez(path, head=head)
    with pytest.raises(InputError, match="version 99 is not 1"):
        states.load(path)


def test_nothing_is_left_of_a_failed_save(tmp_path):
    path = tmp_path / "a.npz"
    states.save(state(), path)
    before = path.read_bytes()
    broken = dataclasses.replace(state(), scores=np.asarray([object()]))
    with pytest.raises((TypeError, ValueError)):
        states.save(broken, path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1
