"""`omniou eval` on files of several formats, and its warnings and errors."""

import inspect
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from omniou.cli import _log as log
from omniou.cli._commands import omniou

# click before 8.2 mixes stderr into stdout unless told not to.
APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def run(*args):
    done = CliRunner(**APART).invoke(omniou, ["eval", *map(str, args), "--format", "json"])
    return done, json.loads(done.stdout) if done.stdout else None


@pytest.fixture
def write(tmp_path):
    """Writes text files into a directory."""

    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem}.txt").write_text(content, "utf-8")
        return folder

    return write


def test_eval_of_text_files(write):
    truth = write("gt", a="cat 0 0 10 10\ndog 5 5 9 9 1\ndog 20 20 30 30", b="")
    detections = write("dt", a="cat .9 0 0 10 10\ndog .8 5 5 9 9\ndog .5 20 20 30 30")

    done, numbers = run(truth, detections)

    assert (done.exit_code, done.stderr) == (0, "")
    assert numbers["summary"]["AP"] == pytest.approx(1)
    assert numbers["counts"] == {"images": 2, "categories": 2, "annotations": 3, "crowds": 0, "detections": 3}


def test_eval_warns_of_detections_left_out(write):
    done, numbers = run(write("gt", a="cat 0 0 9 9"), write("dt", a="cow 1 0 0 9 9\ncat .5 0 0 9 9"))

    assert done.exit_code == 0
    assert done.stderr.startswith("Warning: ")
    assert "dt: 1 detection excluded: 'cow' not among the categories of" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert numbers["counts"]["detections"] == 1


def test_eval_of_relative_boxes_with_and_without_image_size(write):
    truth, detections = write("gt", a="0 .5 .5 .5 .5"), write("dt", a="0 .5 .5 .5 .5 1")

    done, numbers = run(truth, detections)
    assert "boxes are fractions and the sizes of the images are unknown: no numbers of area ranges" in done.stderr
    assert numbers["summary"]["AP"] == pytest.approx(1)
    assert {name: numbers["summary"][name] for name in ("APs", "ARl")} == {"APs": None, "ARl": None}
    assert [area["name"] for area in numbers["areas"]] == ["all"]
    assert numbers["per_class"][0]["APs"] is None

    done, numbers = run(truth, detections, "--image-size", "400x300")
    assert done.stderr == ""
    assert numbers["summary"]["APs"] is None
    assert numbers["summary"]["APl"] == pytest.approx(1)


def test_eval_with_formats_boxes_and_classes_options(write, tmp_path):
    (tmp_path / "names").write_text("cat\ndog", "utf-8")
    truth, detections = write("gt", a="1 0 0 10 20"), write("dt", a="1 .5 0 0 .5 .5")

    done, numbers = run(
        *(truth, detections, "--gt-format", "text", "--gt-boxes", "xywh"),
        *("--dt-format", "text", "--dt-boxes", "rel_xyxy"),
        *("--image-size", "20x40", "--classes", tmp_path / "names", "--per-class"),
    )

    assert (done.exit_code, done.stderr) == (0, "")
    assert [(row["name"], row["AP"]) for row in numbers["per_class"]] == [("cat", None), ("dog", pytest.approx(1))]


@pytest.mark.parametrize(
    ("truth", "detections", "options"),
    [
        ("cat 20 20 40 40", "cat 1 20 20 40 40", ["--boxes", "xywh"]),
        ("cat 20 20 60 60", "cat 1 20 20 40 40", ["--boxes", "xywh", "--gt-boxes", "xyxy"]),
        ("cat 20 20 40 40", "cat 1 20 20 60 60", ["--dt-boxes", "xyxy", "--boxes", "xywh"]),
    ],
)
def test_eval_boxes_option_and_its_overrides(write, truth, detections, options):
    done, numbers = run(
        write("gt", a=truth), write("dt", a=detections), "--gt-format", "text", "--dt-format", "text", *options
    )

    assert done.exit_code == 0
    assert numbers["summary"]["AP"] == pytest.approx(1)
    assert numbers["summary"]["APm"] == pytest.approx(1)  # 40 by 40, not 20 by 20, which are small


def test_eval_of_invalid_number_fails_with_line_and_field(write):
    done, _ = run(write("gt", a="cat 0 0 9 9"), write("dt", a="cat .5 0 0 9 9\ncat .5 0 0 9 nine"))

    assert done.exit_code == 3
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith("a.txt: line 2, y2: expected number, got 'nine'\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gt-format", "xml"], "Invalid value for '--gt-format'"),
        (["--dt-format", "imagenet"], "Invalid value for '--dt-format'"),
        (["--dt-boxes", "xyz"], "Invalid value for '--dt-boxes'"),
        (["--image-size", "640"], "Invalid value for '--image-size': '640' is not like 640x480"),
        (["--image-size", "0x480"], "is not like 640x480"),
        (["--image-size", "7" * 5000 + "x480"], "is not like 640x480"),
        (["--gt-format", "kitti", "--gt-boxes", "xywh"], "is for formats whose coordinates have no names"),
    ],
)
def test_eval_with_invalid_option_values_fails(write, options, message):
    done, _ = run(write("gt", a="cat 0 0 9 9"), write("dt", a="cat .5 0 0 9 9"), *options)

    assert done.exit_code == 2
    assert message in done.stderr


def test_eval_with_missing_library_fails_before_reading(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    truth = write("gt", a="<annotation>, but not to the end")

    done, _ = run(truth, write("dt", a="cat .5 0 0 9 9"))

    assert done.exit_code == 2
    assert f'Error: {truth}: needs defusedxml: pip install ".[cli]" in a clone of omniou' in done.stderr


def test_eval_of_many_files_without_terminal_shows_no_progress(write):
    truth = write("gt", **{f"x{k}": "cat 0 0 9 9" for k in range(log.MANY + 1)})
    detections = write("dt", x0="cat 1 0 0 9 9")
    command = [sys.executable, "-W", "error", "-c", "from omniou.cli import main; main()", "eval", truth, detections]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 detection of 51 objects in 51 images")


def test_progress_of_many_files_on_terminal(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("rich.console.Console.is_terminal", property(lambda _: True))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    paths = [tmp_path / str(k) for k in range(log.MANY)]

    assert list(log.shown(paths, "labels")) == paths
    assert "labels" in capsys.readouterr().err
    assert list(log.shown(paths[1:], "labels")) == paths[1:]
    assert "labels" not in capsys.readouterr().err
    monkeypatch.setenv("TERM", "dumb")
    assert list(log.shown(paths, "labels")) == paths
    assert "labels" not in capsys.readouterr().err


def test_eval_image_set_reads_listed_images(write, tmp_path):
    (tmp_path / "val.lst").write_text("a\n", "utf-8")
    truth, detections = write("gt", a="cat 0 0 9 9", b="cat 0 0 9 9"), write("dt", a="cat 1 0 0 9 9")

    assert run(truth, detections)[1]["summary"]["AR100"] == pytest.approx(1 / 2)
    done, numbers = run(truth, detections, "--image-set", tmp_path / "val.lst")

    assert (done.exit_code, done.stderr) == (0, "")
    assert numbers["summary"]["AR100"] == pytest.approx(1)
    assert numbers["counts"]["images"] == 1


def test_eval_kitti_difficulty(write):
    lines = [f"Car 0 {k} 0 0 {100 * k} 99 {100 * k + 50} 1 1 1 1 1 1 0" for k in range(4)]
    truth, detections = write("gt", a="\n".join(lines)), write("dt", a=f"{lines[0]} 0.5")

    for number, level in enumerate(("easy", "moderate", "hard"), start=1):
        done, numbers = run(truth, detections, "--kitti-difficulty", level)
        assert (done.exit_code, done.stderr) == (0, "")
        assert numbers["summary"]["AR100"] == pytest.approx(1 / number)
    assert run(truth, detections)[1]["summary"]["AR100"] == pytest.approx(1 / 4)


@pytest.mark.parametrize(("kind", "hits"), [("boxes3d", 1), ("bev", 2)])
def test_eval_of_kittis_3d_boxes(write, kind, hits):
    lines = [f"Car 0 0 0 0 0 99 50 1.5 2 4 {10 * k} 1.5 20 0" for k in range(4)]
    truth = write("gt", a="\n".join(lines))
    # The second is 0.4 m too high: an IoU of 1.1 / 1.9.
    detections = write("dt", a=f"{lines[0]} .9\n{lines[1].replace('1.5 20', '1.1 20')} .8")

    done, numbers = run(truth, detections, "--kind", kind, "--protocol", "kitti")

    assert (done.exit_code, done.stderr) == (0, "")
    # Two of four cars are matched at IoU 0.5, and as many as `hits` at 0.7, all before any false positive.
    by_hand = {"AP50": 2 / 4, "AP70": hits / 4, "AP": (2 + hits) / 8, "AR": (2 + hits) / 8}
    assert numbers["summary"] == pytest.approx(by_hand)


def test_eval_of_kittis_2d_boxes_by_its_protocol(write):
    line = "Car 0 0 0 0 0 99 50 1.5 2 4 0 1.5 20 0"
    done, numbers = run(write("gt", a=line), write("dt", a=f"{line} .9"), "--protocol", "kitti")
    assert (done.exit_code, done.stderr) == (0, "")
    assert numbers["summary"] == pytest.approx({"AP": 1, "AP50": 1, "AP70": 1, "AR": 1})
    table = CliRunner(**APART).invoke(
        omniou, ["eval", *(str(write(x)) for x in ("gt", "dt")), "--protocol", "kitti", "--kind", "bev", "--per-class"]
    )
    assert table.exit_code == 0
    assert "AP70" in table.stdout


def test_kind_follows_the_format_where_it_is_made_for_one(write, tmp_path):
    truth = write("gt", P1="0 0 10 0 10 5 0 5 plane 0\n5 20 15 25 12 31 2 26 plane 0")
    found = write("dt", Task1_plane="P1 .9 0 0 10 0 10 5 0 5\nP1 .8 5 20 15 25 12 31 2 26")
    done, numbers = run(truth, found)
    assert done.exit_code == 0
    assert numbers["kind"] == "polygons"
    assert f"The kind is polygons, by the format of {truth}" in " ".join(numbers["assumptions"])
    assert run(truth, found, "--kind", "bbox")[1]["kind"] == "bbox"
    # COCO's JSON has rotated boxes, and no polygons.
    results, names = tmp_path / "rotated.json", tmp_path / "names.txt"
    results.write_text('[{"image_id": "P1", "category_id": 0, "bbox": [5, 2.5, 10, 5, 0], "score": 0.9}]', "utf-8")
    names.write_text("plane", "utf-8")
    assert run(truth, results, "--dt-classes", str(names))[1]["kind"] == "rotated"
    # Detections of the challenge's second task are upright.
    upright = write("up", Task2_plane="P1 .9 0 0 10 5")
    assert run(truth, upright)[1]["kind"] == "bbox"


KITTI = "Car 0 0 0 0 0 9 50 1 1 1 0 0 9 0"


def first_line(truth, found, *options):
    return CliRunner(**APART).invoke(omniou, ["eval", str(truth), str(found), *options]).stdout.splitlines()[0]


def test_first_line_says_which_option_gives_the_number_of_the_benchmark(write, tmp_path):
    pair = write("gt", a=KITTI), write("dt", a=f"{KITTI} .9")
    own = "--protocol kitti --kitti-difficulty moderate gives kitti's own numbers"
    assert first_line(*pair).endswith(f"1 class (bbox, the rules of coco); {own}")
    level = "--kitti-difficulty moderate gives kitti's own numbers"
    assert first_line(*pair, "--protocol", "kitti").endswith(f"kitti); {level}")
    assert first_line(*pair, "--kitti-difficulty=easy").endswith("coco); --protocol kitti gives kitti's own numbers")
    assert first_line(*pair, "--protocol=kitti", "--kitti-difficulty", "hard").endswith("(bbox, the rules of kitti)")
    for name in ("coco", "lvis"):
        assert first_line(*pair, "--protocol", name).endswith(f"(bbox, the rules of {name})")
    config = tmp_path / "rules.toml"
    config.write_text('[tool.omniou.eval]\nprotocol = "kitti"\nkitti-difficulty = "easy"\n')
    assert first_line(*pair, "--config", str(config)).endswith("(bbox, the rules of kitti)")


def test_first_line_says_nothing_of_pascal_voc_after_another_protocol(write, tmp_path):
    pytest.importorskip("defusedxml", reason="XML needs defusedxml")
    box = "<bndbox><xmin>10</xmin><ymin>10</ymin><xmax>50</xmax><ymax>50</ymax></bndbox>"
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "a.xml").write_text(f"<annotation><object><name>cat</name>{box}</object></annotation>")
    pair = tmp_path / "truth", write("dt", a="cat .9 10 10 50 50")
    assert first_line(*pair, "--protocol", "voc2007").endswith("voc2007); --offset 1 gives voc's own numbers")
    assert first_line(*pair, "--protocol", "coco").endswith("(bbox, the rules of coco)")


def test_compare_of_relative_boxes_has_no_numbers_of_areas(write):
    truth, found = write("gt", a="0 .5 .5 .5 .5"), write("dt", a="0 .5 .5 .5 .5 1")
    done = CliRunner(**APART).invoke(omniou, ["compare", *map(str, (truth, found, found)), "--format", "json"])
    assert done.exit_code == 0
    assert {x["name"]: x["first"] for x in json.loads(done.stdout)["numbers"]}["APs"] is None


def test_files_that_are_read_as_another_kind_than_theirs_are_warned_of(write, tmp_path):
    found = write("dt", Task1_plane="P1 .9 0 0 10 0 10 5 0 5")
    args = ["nms", str(found), "--to", "csv", "-o", str(tmp_path / "kept.csv")]
    told = CliRunner(**APART).invoke(omniou, args).stderr
    assert "dota files are for --kind polygons, but omniou read them as --kind bbox" in told
    assert "made for" not in CliRunner(**APART).invoke(omniou, [*args, "--kind", "bbox"]).stderr
