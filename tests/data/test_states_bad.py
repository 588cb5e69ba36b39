"""States that fit their checksum but not themselves, compressed ones, and heads of another shape."""

import io
import json
import zipfile

import numpy as np
import pytest

from omniou import detection
from omniou.data import InputError, states
from omniou.data.shards import _state_columns as layout
from omniou.data.shards import _state_files as files
from omniou.detection import PRESETS
from tests.detection.test_evaluator import random_tables

# Two images: an object of class 1 that is found, one of class 2 that is not, and a false detection of class 1.
TRUTH = [
    {"boxes": [[0.0, 0, 8, 8]], "labels": [1]},
    {"boxes": [[0.0, 0, 8, 8]], "labels": [2]},
]
FOUND = [
    {"boxes": [[0.0, 0, 8, 8], [20, 20, 30, 30]], "labels": [1, 1], "scores": [0.9, 0.8]},
    {"boxes": np.zeros((0, 4)), "labels": np.zeros(0, int), "scores": np.zeros(0)},
]


@pytest.fixture
def packed():
    return layout.packed(detection.evaluate(TRUTH, FOUND).state)


def forged(head, columns):
    """A state whose checksum fits."""
    head = {name: x for name, x in head.items() if name != "checksum"}
    head |= {"checksum": layout._checksum(head, columns)}
    file = io.BytesIO()
    files.write_npz(file, head, columns)
    return file.getvalue()


def test_forged_state_is_read_where_nothing_is_changed(packed):
    assert states.loads(forged(*packed)).scores.tolist() == pytest.approx([0.9, 0.8], rel=1e-6)


@pytest.mark.parametrize("protocol", PRESETS)
def test_states_of_every_protocol_pass_the_checks(protocol):
    state = detection.evaluate(*random_tables(), protocol=protocol).state

    assert states.loads(states.dumps(state)).rows.tolist() == state.rows.tolist()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("scores", np.array([np.nan, 0.8]), "`scores` are not numbers"),
        ("scores", np.array([0.9]), "scores, labels, outside have 1, 2, 2 rows"),
        ("outside", np.array([0, 0], np.int8), "'outside' has int8"),
        ("scores", np.array([[0.9], [0.8]]), r"'scores' has float64 of shape \(2, 1\)"),
        ("scores", np.array([1, 0], np.uint8), "'scores' has uint8"),
        ("labels", np.array([0.0, 0.0]), "'labels' has float64"),
        ("labels", np.array([0, 2], np.uint8), "`labels` is out of its range"),
        ("labels", np.array([0, -1], np.int8), "`labels` is out of its range"),
        ("target_labels", np.array([0, 7], np.uint8), "`target_labels` is out of its range"),
        ("rows", np.array([2], np.uint8), "`rows` do not rise, or are out of their range"),
        ("rows", np.array([-1], np.int8), "`rows` do not rise, or are out of their range"),
        ("rank", np.array([2], np.uint8), "`rank` is out of its range"),
        ("classes", np.array([2, 1], np.uint8), "`classes` or `images` do not rise"),
        ("images", np.array([1, 1], np.uint8), "`classes` or `images` do not rise"),
        ("objects_of", np.array([1, 2], np.uint8), "`objects_of` does not add up to 2"),
        ("detections_of", np.array([3, -1], np.int8), "`detections_of` does not add up to 2"),
        ("ranges", np.array([16, 1], np.uint8), "`ranges` is out of its range"),
        ("outside", np.array([16, 1], np.uint8), "`outside` is out of its range"),
        ("matched_0", np.array([[0, 0, 0, 0, 255, 255]], np.uint8), "`matched` has bits of no threshold"),
        ("matched_0", np.zeros((1, 5), np.uint8), "`ignored` has bits that `matched` has not"),
        ("labels", np.array([1, 0], np.uint8), None),
        ("target_labels", np.array([1, 1], np.uint8), "more detections match than there are objects"),
        ("matched_0", None, "the column 'matched_0' is missing"),
    ],
)
def test_columns_that_do_not_go_together_raise(packed, column, values, message):
    head, columns = packed
    changed = {name: x for name, x in columns.items() if name != column}
    data = forged(head, changed if values is None else changed | {column: values})
    if message is None:
        assert len(states.loads(data).scores) == 2
        return

    with pytest.raises(InputError, match=message):
        states.loads(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"surplus": -1}, "`surplus` is negative"),
        ({"surplus": "1"}, r"Expected `int`, got `str` - at `\$.surplus`"),
        ({"compared": 7}, r"Expected `str`, got `int`"),
        ({"protocol": {}}, "missing required field `iou_thresholds`"),
        ({"protocol": None}, r"at `\$.protocol`"),
        ({"names": {"classes": {"x": "a"}}}, r"at `key` in `\$.names.classes`"),
        ({"names": {"classes": {"1": 2}}}, r"Expected `str`, got `int`"),
        ({"names": {"groups": {"r": ["a"]}}}, r"Expected `int`, got `str`"),
    ],
)
def test_heads_of_another_shape_raise(packed, change, message):
    head, columns = packed

    with pytest.raises(InputError, match=message):
        states.loads(forged(head | change, columns))


def test_head_that_is_nested_too_deep_raises(packed):
    _, columns = packed
    file = io.BytesIO()
    np.savez(file, **columns, head=np.frombuffer(b"[" * 100_000, np.uint8))

    with pytest.raises(InputError, match="not the state of an evaluation, or damaged"):
        states.loads(file.getvalue())


def test_compressed_archive_raises(packed):
    head, columns = packed
    file = io.BytesIO()
    np.savez_compressed(file, **columns, head=np.frombuffer(json.dumps(head).encode(), np.uint8))

    with pytest.raises(InputError, match="it is compressed, as omniou writes none"):
        states.loads(file.getvalue())


def test_archive_whose_members_overlap_raises():
    """Ten members of one place in the file: together they are larger than the file."""
    data = bytearray(b"\0" * 1000)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", bytes(data))
        first = archive.infolist()[0]
        for k in range(10):
            copy = zipfile.ZipInfo(f"{k}.npy")
            copy.CRC, copy.file_size, copy.compress_size = first.CRC, first.file_size, first.compress_size
            copy.header_offset = first.header_offset
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy

    with pytest.raises(InputError, match="it is compressed"):
        states.loads(file.getvalue())


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_arrow_raises(codec, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    state = detection.evaluate(TRUTH, FOUND).state
    path = tmp_path / "a.arrow"
    states.save(state, path)
    table = pa.ipc.open_file(pa.py_buffer(path.read_bytes())).read_all()
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)

    with pytest.raises(InputError, match="it is compressed, as omniou writes none"):
        states.load(path)
