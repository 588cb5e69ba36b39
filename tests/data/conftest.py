"""Files that tests of readers write."""

import json

import pytest


@pytest.fixture
def write(tmp_path):
    """Write lines of text, or one value as JSON."""

    def write(name, *content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        is_json = len(content) == 1 and not isinstance(content[0], str)
        path.write_text(json.dumps(content[0]) if is_json else "".join(f"{line}\n" for line in content), "utf-8")
        return path

    return write


@pytest.fixture
def mot(write, tmp_path):
    """A folder of one sequence of three frames, as of MOT17."""

    def mot(*lines, name="MOT17-02", length=3):
        write(f"gt/{name}/gt/gt.txt", *lines)
        write(f"gt/{name}/det/det.txt", "not,read")
        write(f"gt/{name}/seqinfo.ini", "[Sequence]", f"name={name}", f"seqLength={length}")
        return tmp_path / "gt"

    return mot
