"""States that are kept of shards: which are taken up again, and which are computed anew."""

import json
import os

import pytest

from omniou import detection
from omniou._lib import outputs
from omniou.data.shards import Part, Shard, checkpoints, states

TRUTH = [{"boxes": [[0.0, 0, 8, 8]], "labels": [1]}]


class Maker:
    """Makes the part of a shard, and counts how often: its size tells which content it was made of."""

    def __init__(self):
        self.times = 0

    def __call__(self, shard):
        self.times += 1
        state = detection.evaluate(TRUTH, [{**TRUTH[0], "scores": [0.5]}]).state
        return Part(names=(shard.name,), state=states.dumps(state), formats=(shard.targets.read_text(), "csv"))


@pytest.fixture
def shard(tmp_path):
    paths = [tmp_path / name for name in ("targets.csv", "detections.csv")]
    for path in paths:
        path.write_text("a")
    return Shard(name="one", targets=paths[0], detections=paths[1])


@pytest.fixture
def kept(tmp_path):
    (tmp_path / "kept").mkdir()
    return checkpoints.Checkpoint(tmp_path / "kept", "key")


def test_part_of_the_same_input_is_taken_up(shard, kept):
    make = Maker()
    first, again = kept.part(shard, make), kept.part(shard, make)
    assert make.times == 1
    assert (again.names, again.state, again.formats) == (first.names, first.state, ("a", "csv"))


def test_part_of_another_version_is_computed_anew(shard, kept, monkeypatch):
    make = Maker()
    kept.part(shard, make)
    monkeypatch.setattr(checkpoints, "__version__", "0.0.0")
    kept.part(shard, make)
    assert make.times == 2
    kept.part(shard, make)
    assert make.times == 2


@pytest.mark.parametrize("change", ["key", "targets", "detections"])
def test_part_of_other_input_or_rules_is_computed_anew(shard, kept, change):
    make = Maker()
    kept.part(shard, make)
    if change == "key":
        checkpoints.Checkpoint(kept.folder, "another").part(shard, make)
    else:
        getattr(shard, change).write_text("b")
        kept.part(shard, make)
    assert make.times == 2


def test_state_that_was_written_without_its_head_is_not_taken_for_an_earlier_one(shard, kept, monkeypatch):
    make = Maker()
    kept.part(shard, make)
    shard.targets.write_text("b")

    def killed(path, data):
        if path.suffix == ".json":
            raise KeyboardInterrupt
        write(path, data)

    write = outputs.write
    monkeypatch.setattr(outputs, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        kept.part(shard, make)
    monkeypatch.undo()
    assert [path.suffix for path in kept.folder.iterdir()] == [".npz"]
    shard.targets.write_text("a")  # as it was, but the state beside is that of b
    assert kept.part(shard, make).formats == ("a", "csv")
    assert make.times == 3


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda _: "[" * 100_000, id="nested"),
        pytest.param(lambda _: "[]", id="list"),
        pytest.param(lambda head: json.dumps(head | {"size": ["1", 0, 0, 0, 0]}), id="size"),
        pytest.param(lambda head: json.dumps(head | {"findings": [{"code": 1, "text": "a"}]}), id="finding"),
        pytest.param(lambda head: json.dumps(head | {"formats": {"a": 1}}), id="formats"),
        pytest.param(lambda head: json.dumps(head)[:-1], id="cut"),
    ],
)
def test_damaged_head_is_computed_anew(shard, kept, change):
    make = Maker()
    kept.part(shard, make)
    (about,) = kept.folder.glob("*.json")
    about.write_text(change(json.loads(about.read_text())))

    assert kept.part(shard, make).formats == ("a", "csv")
    assert make.times == 2
    kept.part(shard, make)
    assert make.times == 2


def test_names_that_are_not_utf_8_are_kept(tmp_path, kept):
    paths = [tmp_path / os.fsdecode(name) for name in (b"caf\xe9", b"caf\xea")]
    try:
        for path in paths:
            path.write_text("a")
    except OSError:
        pytest.skip("the file system has names in UTF-8 only")
    make, shard = Maker(), Shard(name=str(paths[1]), targets=paths[0], detections=paths[1])
    kept.part(shard, make)

    assert kept.part(shard, make).formats == ("a", "csv")
    assert make.times == 1
