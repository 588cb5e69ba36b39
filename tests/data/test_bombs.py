"""Small files that unpack to large ones, and pictures that Pillow refuses, are errors of one line."""

import json
import struct
import warnings
import zlib

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, Options, panoptic, semantic
from tests.cli import cases

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(path, width, height, *, colours=False, more=b""):
    """A PNG of zeros, whose pixels take a thousandth of their size."""
    row = bytes(1 + width * (3 if colours else 1))
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if colours else 0, 0, 0, 0)
    parts = [chunk(b"IHDR", head), more, chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    return path


@pytest.fixture
def bomb(tmp_path):
    """9,000 x 9,000 pixels, 81 MB, in 79 kB."""
    return png(tmp_path / "a.png", 9_000, 9_000)


def test_label_map_of_too_many_pixels_raises(bomb):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=r"a\.png: the picture of 9000 x 9000 unpacks to more than 67 MB: .*--max"):
            semantic.count(bomb, bomb)


def test_panoptic_picture_of_too_many_pixels_raises(tmp_path):
    (tmp_path / "gt").mkdir()
    png(tmp_path / "gt" / "a.png", 4_800, 4_800, colours=True)
    image = {"image_id": 1, "file_name": "a.png", "segments_info": []}
    record = {"annotations": [image], "categories": [{"id": 1, "isthing": 1}]}
    (tmp_path / "gt.json").write_text(json.dumps(record))
    truth = panoptic.read(tmp_path / "gt.json")

    with pytest.raises(InputError, match="the picture of 4800 x 4800 unpacks to more than 67 MB"):
        panoptic.count(truth, truth)


def test_max_unpacked_of_label_maps(tmp_path):
    small = png(tmp_path / "a.png", 1000, 1000)

    with pytest.raises(InputError, match="the picture of 1000 x 1000 unpacks to more than 1 MB"):
        semantic.count(small, small, max_unpacked=999_999)
    assert semantic.count(small, small, max_unpacked=10**6).confusion.tolist() == [[10**6, 0]]
    done = cases.run("eval", small, small, "--kind", "semantic", "--max-unpacked", "1")
    assert done.exit_code == 0, done.output


def test_label_map_beyond_the_limit_of_pillow_is_read(bomb, monkeypatch):
    """Pillow warns of more than 89 million pixels, and refuses twice as many; here of 100."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 50)
    small = png(bomb.parent / "b.png", 16, 16)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert semantic.count(small, small).confusion.tolist() == [[256, 0]]


def labels(folder):
    (folder / "labels").mkdir()
    (folder / "labels" / "a.txt").write_text("0 0.5 0.5 1 1\n")
    return folder / "labels"


def test_size_of_a_picture_that_pillow_refuses_raises(bomb, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)

    with pytest.raises(InputError, match=r"a\.png: cannot be read: .*exceeds limit"):
        data.read_ground_truth(labels(bomb.parent), "yolo", Options(images=bomb.parent))


def test_size_of_a_picture_that_pillow_warns_of_is_read(bomb, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 50_000_000)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        truth = data.read_ground_truth(labels(bomb.parent), "yolo", Options(images=bomb.parent))
    assert truth.sizes.tolist() == [[9000, 9000]]


def test_picture_with_a_text_that_unpacks_to_too_much_raises(tmp_path):
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(2**21)))
    path = png(tmp_path / "a.png", 4, 4, more=text)

    with pytest.raises(InputError, match=r"a\.png: cannot be read: Decompressed data too large"):
        semantic.count(path, path)
    with pytest.raises(InputError, match=r"a\.png: cannot be read: Decompressed data too large"):
        data.read_ground_truth(labels(tmp_path), "yolo", Options(images=tmp_path))


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"])
def test_picture_of_another_format_raises(tmp_path, content):
    (tmp_path / "a.png").write_bytes(content)

    with pytest.raises(InputError, match=r"a\.png: (not a picture|cannot be read)"):
        data.read_ground_truth(labels(tmp_path), "yolo", Options(images=tmp_path))
    with pytest.raises(InputError, match=r"a\.png: (not a picture|cannot be read)"):
        semantic.count(tmp_path / "a.png", tmp_path / "a.png")


@pytest.mark.parametrize("kind", ["parquet", "lz4", "zstd"])
def test_table_that_unpacks_to_too_much_raises(tmp_path, kind):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    rows = 1_500_000
    zeros = {name: np.zeros(rows) for name in ("x", "y", "width", "height")}
    table = pa.table({"image_id": np.zeros(rows, int), "category_id": np.zeros(rows, int), **zeros})
    path = tmp_path / "gt.parquet"
    if kind == "parquet":
        parquet.write_table(table, path, compression="zstd")
    else:
        options = pa.ipc.IpcWriteOptions(compression=kind)
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema, options=options) as writer:
            writer.write_table(table)
    assert path.stat().st_size < 720_000

    with pytest.raises(InputError, match=r"gt\.parquet: the table unpacks to more than 67 MB: .*--max-unpacked"):
        data.read_ground_truth(path)
    with pytest.raises(InputError, match=r"gt\.parquet: the table unpacks to more than 2 MB"):
        data.read_ground_truth(path, options=Options(max_unpacked=2 * 10**6))
