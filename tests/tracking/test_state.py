"""States: exact addition in any order, bytes, files, and the loop."""

import itertools
import pickle
import re

import numpy as np
import pytest

from omniou import tracking
from tests.tracking.videos import all_of, video

pytest.importorskip("scipy", reason="assignment is SciPy's")

TIES = np.array([0.0, 0.5, 0.55, 0.7, 1.0])


def random_frames(rng, count):
    out = []
    for _ in range(count):
        truth, tracks = (rng.permutation(6)[: rng.integers(0, 7)] for _ in range(2))
        out.append((truth.tolist(), tracks.tolist(), rng.choice(TIES, (truth.size, tracks.size))))
    return out


@pytest.fixture
def sequences():
    rng = np.random.default_rng(1)
    return {f"v{k}": random_frames(rng, 12) for k in range(5)}


def states_of(sequences):
    return [all_of(sequences={name: frames}).state for name, frames in sequences.items()]


def test_states_merge_to_the_same_bits_in_any_order(sequences):
    whole = all_of(sequences=sequences)
    states = states_of(sequences)

    for order in itertools.islice(itertools.permutations(states), 0, 120, 7):
        nested = tracking.merge([tracking.merge(order[:2]), tracking.merge(order[2:])])
        assert tracking.compute([nested]).summary == whole.summary
        assert nested == whole.state


def test_state_survives_bytes_files_and_pickles(sequences, tmp_path):
    state = all_of(sequences=sequences).state
    state.save(tmp_path / "state.json")

    for again in (
        tracking.State.from_bytes(state.to_bytes()),
        tracking.State.load(tmp_path / "state.json"),
        pickle.loads(pickle.dumps(state)),  # noqa: S301  (our own bytes)
    ):
        assert again == state
        assert tracking.compute([again]).summary == tracking.compute([state]).summary


def test_state_of_a_sequence_is_a_few_numbers(sequences):
    frames = {"v": next(iter(sequences.values())) * 20}

    assert len(all_of(sequences=frames).state.to_bytes()) < 3000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "`data` must be the bytes of a tracking state"),
        (b"[]", "`data` must be the bytes of a tracking state"),
        (b'{"kind": "omniou tracking state", "version": 9, "checksum": ""}', "is of version 9, this omniou reads 1"),
        (b'{"kind": "omniou tracking state", "version": 1, "checksum": "", "rows": []}', "is damaged: the checksum"),
    ],
)
def test_bytes_that_are_no_state(data, message, tmp_path):
    with pytest.raises(ValueError, match=re.escape(message)):
        tracking.State.from_bytes(data)
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(ValueError, match=f"x: .*{re.escape(message)}"):
        tracking.State.load(tmp_path / "x")


def test_merge_refuses_states_that_do_not_fit(sequences):
    first, second, *_ = states_of(sequences)
    other = all_of(sequences={"w": sequences["v0"]}, threshold=0.7).state

    with pytest.raises(ValueError, match="the sequence 'v0' is in two states"):
        tracking.merge([first, second, first])
    with pytest.raises(ValueError, match="states must have equal rules"):
        tracking.merge([first, other])
    with pytest.raises(ValueError, match="at least one state"):
        tracking.compute([])
    with pytest.raises(TypeError, match=r"`states\[1\]` must be a tracking.State, got int"):
        tracking.merge([first, 1])


def looped(sequences, evaluator=None):
    """An evaluator that saw the frames one by one, those of all sequences in turns."""
    evaluator = evaluator or tracking.Evaluator()
    parts = {name: list(zip(*video(*frames), strict=True)) for name, frames in sequences.items()}
    for number in range(max(map(len, parts.values()))):
        for name, frames in parts.items():
            if number < len(frames):
                truth, tracks, similarity = frames[number]
                evaluator.update(truth, tracks, sequence=name, similarity=similarity)
    return evaluator


def test_loop_equals_evaluate(sequences):
    evaluator = looped(sequences)
    whole = all_of(sequences=sequences)

    assert evaluator.compute().summary == whole.summary
    assert evaluator.state == whole.state
    assert {k: v.tolist() for k, v in evaluator.compute().matches.items()} == {
        k: v.tolist() for k, v in whole.matches.items()
    }


def test_evaluators_merge(sequences):
    names = list(sequences)
    first = looped({name: sequences[name] for name in names[:2]})
    second = looped({name: sequences[name] for name in names[2:]})
    first.merge(pickle.loads(pickle.dumps(second)).state)  # noqa: S301  (our own bytes)

    assert first.compute().summary == all_of(sequences=sequences).summary
    with pytest.raises(ValueError, match="the sequence 'v2' is in two states"):
        first.merge(second)
    assert first.state == all_of(sequences=sequences).state
    with pytest.raises(ValueError, match="matches, switches and fragments are not in a state"):
        _ = first.compute().matches
    first.reset()
    assert first.state.sequences == {}


def test_loop_of_boxes_copies_what_it_is_given():
    evaluator = tracking.Evaluator(format="xywh")
    boxes = np.array([[0.0, 0, 10, 10]])
    for _ in range(3):
        evaluator.update({"ids": [1], "boxes": boxes}, {"ids": np.array([7]), "boxes": boxes})
        boxes += 100

    result = evaluator.compute()

    assert result.summary["HOTA"] == 1.0
    assert result.matches["frame"].tolist() == [0, 1, 2]


def test_loop_with_frame_numbers_labels_and_empty_frames():
    evaluator = tracking.Evaluator()
    box = [[0, 0, 10, 10]]
    nothing = {"ids": [], "boxes": [], "labels": []}
    evaluator.update({"ids": [1], "boxes": box, "labels": [3]}, nothing, frame=10)
    evaluator.update(nothing, nothing, frame=20)
    evaluator.update({"ids": [1], "boxes": box, "labels": [3]}, {"ids": [5], "boxes": box, "labels": [3]}, frame=30)

    result = evaluator.compute()

    assert result.matches["frame"].tolist() == [30]
    assert result.misses["frame"].tolist() == [10]
    assert result.state.sequences == {"sequence": 3}
    assert list(result.per_class) == [3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frame": 4}, "`frame` must rise within a sequence, got frame 4 of sequence 'v' after 4"),
        ({"similarity": [[1.0]]}, "`similarity` must be given for all frames or none"),
        ({"tracks": {"ids": [1]}}, "`tracks` must have the key 'boxes', got 'ids'"),
        (
            {"tracks": {"ids": [3, 3], "boxes": [[0, 0, 1, 1]] * 2}},
            "`tracks['ids']` must differ within a frame, but id 3 occurs twice in frame 5 of sequence 'v'",
        ),
    ],
)
def test_update_refuses_what_does_not_fit(arguments, message):
    evaluator = tracking.Evaluator()
    good = {"ids": [1], "boxes": [[0, 0, 1, 1]]}
    evaluator.update(good, good, sequence="v", frame=4)

    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        evaluator.update(**{"ground_truth": good, "tracks": good, "sequence": "v", "frame": 5} | arguments)

    assert evaluator.compute().summary["HOTA"] == 1.0


def test_evaluator_that_saw_nothing():
    assert tracking.Evaluator().compute().summary["HOTA"] == 0.0
