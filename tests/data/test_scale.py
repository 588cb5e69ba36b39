"""Detections whose coordinates count to a number in each image: `--dt-scale`, and the hints of the doctor."""

import json
import shlex

import numpy as np
import pytest

from omniou import data
from tests.cli.cases import run

SIZES = {1: (640, 480), 2: (500, 800), 3: (1280, 720)}
# Whole thousandths of the sides, as corners; the first six are of image 1, and so on.
RNG = np.random.default_rng(7)
LOW = RNG.integers(0, 500, (18, 2))
CORNERS = np.concatenate([LOW, LOW + RNG.integers(100, 450, (18, 2))], axis=1)
IMAGES = np.repeat([1, 2, 3], 6)
SIDES = np.array([SIZES[x] for x in IMAGES.tolist()])
PIXELS = CORNERS * np.tile(SIDES, 2) / 1000


def xywh(corners):
    return np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)


def yxyx(corners):
    return corners[:, [1, 0, 3, 2]]


def plain(corners):
    return corners


def write(path, boxes, **fields):
    rows = [
        {"image_id": int(image), "category_id": 1, "bbox": box, "score": 0.9 - k / 50} | fields
        for k, (image, box) in enumerate(zip(IMAGES, np.asarray(boxes).tolist(), strict=True))
    ]
    path.write_text(json.dumps(rows), "utf-8")
    return path


def truth_of(path, sizes=SIZES):
    images = [{"id": k, "file_name": f"{k}.jpg", "width": w, "height": h} for k, (w, h) in SIZES.items() if k in sizes]
    images += [{"id": k, "file_name": f"{k}.jpg"} for k in SIZES if k not in sizes]
    # Objects a little off the detections, so not every IoU is 1.
    boxes = xywh(PIXELS + np.array([3.0, -2.0, 9.0, 5.0]))
    rows = zip(IMAGES.tolist(), boxes.tolist(), strict=True)
    objects = [{"id": k + 1, "image_id": i, "category_id": 1, "bbox": box} for k, (i, box) in enumerate(rows)]
    path.write_text(json.dumps({"images": images, "annotations": objects, "categories": [{"id": 1, "name": "cat"}]}))
    return path


@pytest.fixture
def truth(tmp_path):
    return truth_of(tmp_path / "truth.json")


WRITTEN = {
    "thousandths": (CORNERS, xywh, ["--dt-scale", "1000"], {"scale": 1000}),
    "thousandths, corners": (CORNERS, plain, ["--dt-scale", "1e3", "--dt-boxes", "xyxy"], {"boxes": "xyxy"}),
    "thousandths, y first": (CORNERS, yxyx, ["--dt-scale", "1000,y1x1y2x2"], {"scale": 1000, "boxes": "yxyx"}),
    "in two options": (CORNERS, yxyx, ["--dt-scale", "y1x1y2x2", "--dt-scale", "1000"], {"boxes": "yxyx"}),
    "fractions": (CORNERS / 1000, xywh, ["--dt-scale", "1"], {"scale": 1}),
    "fractions, y first": (CORNERS / 1000, yxyx, ["--dt-scale", "1,y1x1y2x2"], {"scale": 1.0, "boxes": "yxyx"}),
    "fractions twice": (CORNERS / 1000, plain, ["--dt-scale", "1", "--dt-boxes", "rel_xyxy"], {"boxes": "rel_xyxy"}),
    "percent": (CORNERS / 10, xywh, ["--dt-scale", "100"], {"scale": 100}),
    "1024": (CORNERS * 1.024, xywh, ["--dt-scale", "1024"], {"scale": 1024}),
    "pixels, y first": (PIXELS, yxyx, ["--dt-scale", "y1x1y2x2"], {"boxes": "yxyx"}),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_boxes_of_every_scale_have_the_numbers_of_pixels(truth, tmp_path, name):
    corners, order, line, options = WRITTEN[name]
    found = write(tmp_path / "found.json", order(corners))
    pixels = write(tmp_path / "pixels.json", xywh(PIXELS))
    expected = json.loads(run("eval", truth, pixels, "--format", "json").stdout)["summary"]
    done = run("eval", truth, found, *line, "--format", "json")
    # Three decimals of fractions are a finding; whole numbers of 1000 are not.
    assert done.stderr == "" or (name.startswith("fractions") and done.stderr.count("rounded") == 1)
    assert json.loads(done.stdout)["summary"] == pytest.approx(expected, nan_ok=True)
    assert 0.3 < expected["AP"] < 0.95
    if "scale" in options:
        read = data.read_detections(found, data.read_ground_truth(truth), options=data.Options(**options))
        np.testing.assert_allclose(read.boxes, xywh(PIXELS), rtol=1e-12)


def test_formats_whose_coordinates_have_names_take_a_scale(truth, tmp_path):
    lines = [
        f"{i}.jpg,cat,{1 - k / 50},{','.join(map(str, x))}"
        for k, (i, x) in enumerate(zip(IMAGES.tolist(), CORNERS.tolist(), strict=True))
    ]
    path = tmp_path / "found.csv"
    path.write_text("\n".join(["image,class,score,x1,y1,x2,y2", *lines]), "utf-8")
    read = data.read_detections(path, data.read_ground_truth(truth), options=data.Options(scale=1000))
    np.testing.assert_allclose(read.boxes, xywh(PIXELS))


@pytest.mark.parametrize("options", [{"boxes": "xyxy"}, {}])
@pytest.mark.parametrize("style", ["text", "yolo"])
def test_directories_of_text_take_a_scale(truth, tmp_path, style, options):
    boxes = CORNERS
    if style == "yolo" and not options:
        boxes = xywh(CORNERS) + np.pad((CORNERS[:, 2:] - CORNERS[:, :2]) / 2, ((0, 0), (0, 2)))
    (tmp_path / "labels").mkdir()
    for image in SIZES:
        rows = [
            f"cat {' '.join(map(str, box))} 0.5" if style == "yolo" else f"cat 0.5 {' '.join(map(str, box))}"
            for i, box in zip(IMAGES.tolist(), boxes.tolist(), strict=True)
            if i == image
        ]
        (tmp_path / "labels" / f"{image}.txt").write_text("\n".join(rows), "utf-8")
    options = data.Options(scale=1000, **options)
    read = data.read_detections(tmp_path / "labels", data.read_ground_truth(truth), style, options)
    np.testing.assert_allclose(read.boxes, xywh(PIXELS))


def test_relative_ground_truth_without_sizes_takes_a_scale(tmp_path):
    (tmp_path / "gt").mkdir()
    (tmp_path / "gt" / "a.txt").write_text("0 0.5 0.5 0.2 0.4")
    (tmp_path / "gt" / "classes.txt").write_text("cat")
    (tmp_path / "dt").mkdir()
    (tmp_path / "dt" / "a.txt").write_text("cat 0.9 300 400 700 600")
    line = ["--dt-format", "text", "--dt-scale", "1000,y1x1y2x2"]
    done = run("eval", tmp_path / "gt", tmp_path / "dt", *line, "--format", "json")
    assert json.loads(done.stdout)["summary"]["AP"] == pytest.approx(1)


UNSCALED = {
    "thousandths": (CORNERS, xywh, "--dt-scale 1000"),
    "corners": (CORNERS, plain, "--dt-scale 1000 --dt-boxes xyxy"),
    "y first": (CORNERS, yxyx, "--dt-scale 1000,y1x1y2x2"),
    "fractions": (CORNERS / 1000, xywh, "--dt-scale 1"),
    "fractions, y first": (CORNERS / 1000, yxyx, "--dt-scale 1,y1x1y2x2"),
    "1024": (CORNERS * 1.024, xywh, "--dt-scale 1024"),
    "percent, y first": (CORNERS / 10, yxyx, "--dt-scale 100,y1x1y2x2"),
}


@pytest.mark.parametrize("name", UNSCALED)
def test_hint_of_the_doctor_is_the_option_that_mends_it(truth, tmp_path, name):
    corners, order, option = UNSCALED[name]
    found = write(tmp_path / "found.json", order(corners))
    (finding,) = json.loads(run("check", truth, found, "--format", "json").stdout)["findings"]
    assert finding["hint"] == option
    assert finding["code"] == ("boxes-unit" if name.startswith("fractions") else "boxes-scale")
    done = run("eval", truth, found, *shlex.split(finding["hint"]), "--format", "json")
    pixels = run("eval", truth, write(tmp_path / "pixels.json", xywh(PIXELS)), "--format", "json")
    assert json.loads(done.stdout)["summary"] == pytest.approx(json.loads(pixels.stdout)["summary"], nan_ok=True)
    assert {x["code"] for x in json.loads(done.stdout)["warnings"]} <= {"boxes-rounded"}


@pytest.mark.parametrize(
    ("boxes", "line", "hint"),
    [
        (CORNERS, "--dt-scale 1000,y1x1y2x2", "--dt-scale 1000 --dt-boxes xyxy"),
        (yxyx(CORNERS), "--dt-scale 1000 --dt-boxes xyxy", "--dt-scale 1000,y1x1y2x2"),
        (CORNERS, "--dt-scale 1024 --dt-boxes xyxy", "--dt-scale 1000"),
        (np.minimum(PIXELS, 1000), "--dt-scale 1000 --dt-boxes xyxy", "leave --dt-scale 1000 out"),
        (yxyx(CORNERS / 1000), "--dt-boxes rel_xyxy", "--dt-boxes rel_yxyx"),
    ],
)
def test_wrong_scale_or_order_that_was_given_is_told(truth, tmp_path, boxes, line, hint):
    found = write(tmp_path / "found.json", boxes)
    done = run("check", truth, found, *shlex.split(line), "--format", "json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["hint"] == hint
    found.write_text(json.dumps([{k: v for k, v in x.items() if k != "score"} for x in json.loads(found.read_text())]))
    without = run("check", truth, found, *shlex.split(line), "--missing-scores", "--format", "json")
    assert [x["hint"] for x in json.loads(without.stdout)["findings"]] == [hint]


def test_scale_of_loose_boxes_is_a_round_one(truth, tmp_path):
    noise = np.random.default_rng(3).normal(0, 15, CORNERS.shape)
    found = write(tmp_path / "found.json", xywh(CORNERS * 1.011 + noise))
    (finding,) = json.loads(run("check", truth, found, "--format", "json").stdout)["findings"]
    assert finding["hint"] == "--dt-scale 1000"


@pytest.mark.parametrize("side", [1000, 1040])
def test_images_of_about_1000_pixels(tmp_path, side):
    truth = json.loads(truth_of(tmp_path / "truth.json").read_text())
    for image in truth["images"]:
        image |= {"width": side, "height": side}
    for k, x in enumerate(truth["annotations"]):
        x["bbox"] = (xywh(CORNERS)[k] * side / 1000).tolist()
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    for scale in (1, side / 1000):
        found = write(tmp_path / "found.json", xywh(CORNERS) * scale)
        done = run("check", tmp_path / "truth.json", found, "--format", "json")
        hints = [x["hint"] for x in json.loads(done.stdout)["findings"]]
        assert hints == (["--dt-scale 1000"] if side > 1000 and scale == 1 else [])


MINORITY = np.arange(18) % 3 == 0


@pytest.mark.parametrize(
    ("most", "few"), [(PIXELS, CORNERS), (CORNERS, PIXELS), (PIXELS, CORNERS / 1000), (CORNERS, CORNERS / 1000)]
)
def test_mix_of_scales_is_found_and_refused_with_a_scale(truth, tmp_path, most, few):
    found = write(tmp_path / "found.json", xywh(np.where(MINORITY[:, None], few, most)))
    (finding,) = json.loads(run("check", truth, found, "--format", "json").stdout)["findings"]
    assert finding["code"] == "boxes-mixed"
    told = json.loads(run("check", truth, found, "--dt-scale", "1000", "--format", "json").stdout)
    assert told.get("faults") or [x["code"] for x in told["findings"]] == ["boxes-mixed"]


BAD = {
    "beyond": ([100, 100, 1500, 200], "1500 is beyond the image: --dt-scale says that coordinates count to 1000"),
    "before": ([-300, 100, 200, 200], "-300 is beyond the image"),
    "fractions": ([0.1, 0.1, 0.9, 0.2], "0.1, 0.1, 0.9, 0.2 seem to be fractions"),
    "order": ([600, 600, 900, 900], "read as xywh, the box ends at 1500, beyond the image: --dt-boxes xyxy"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_box_of_another_scale_is_a_fault(truth, tmp_path, name):
    box, message = BAD[name]
    boxes = (xywh(CORNERS) if name == "order" else CORNERS).tolist()
    boxes[4] = box
    found = write(tmp_path / "found.json", boxes)
    line = ["--dt-scale", "1000", "--dt-boxes", "xywh" if name == "order" else "xyxy"]
    done = run("eval", truth, found, *line)
    assert done.exit_code == 3
    assert "found.json: [4].bbox" in done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert run("check", truth, found, *line).exit_code == 3


@pytest.mark.parametrize("option", ["--dt-boxes", "--boxes"])
def test_fractions_of_a_scale_name_the_option_that_was_given(truth, tmp_path, option):
    found = write(tmp_path / "found.json", CORNERS)
    for line in (("eval", truth, found), ("nms", found, "-o", tmp_path / "kept.json")):
        done = run(*line, option, "rel_xyxy", "--dt-scale", "1000")
        fault = f"{option} 'rel_xyxy' reads fractions, and --dt-scale is 1000: give {option} 'xyxy'"
        assert fault in done.stderr


@pytest.mark.parametrize(("scale", "box"), [(1000, [-20, 0, 1024, 900]), (1, [-0.2, 0.1, 1.3, 0.9])])
def test_boxes_that_overshoot_a_little_are_read(truth, tmp_path, scale, box):
    boxes = (CORNERS * scale / 1000).tolist()
    boxes[4] = box
    done = run("eval", truth, write(tmp_path / "found.json", boxes), "--dt-scale", scale, "--dt-boxes", "xyxy")
    assert done.exit_code == 0


USAGE = {
    "--dt-scale 0": "'0' is not a number above 0",
    "--dt-scale -5": "'-5' is not a number above 0",
    "--dt-scale inf": "'inf' is not a finite number",
    "--dt-scale x1y1x2y2": "'x1y1x2y2' is not a number above 0, nor y1x1y2x2; --dt-boxes has other orders",
    "--dt-scale 1000,": "'' is not a number above 0, nor y1x1y2x2",
    "--dt-scale 1000 --dt-scale 1": "1000 and 1 are two scales: the files have one",
    "--dt-scale y1x1y2x2 --dt-boxes xyxy": "--dt-scale y1x1y2x2 and --dt-boxes xyxy differ: remove one",
    "--dt-scale 1000 --boxes rel_xywh": "reads fractions, and --dt-scale is 1000: give --boxes 'xywh'",
    "--dt-scale 1000 --kind segm": "--dt-scale is for boxes: --kind segm compares masks of detections",
    "--dt-scale 1000 --kind tracks": "--dt-scale",
}


@pytest.mark.parametrize("line", USAGE)
def test_bad_scales_are_usage_errors(truth, tmp_path, line):
    done = run("eval", truth, write(tmp_path / "found.json", CORNERS), *shlex.split(line))
    assert done.exit_code == 2
    assert USAGE[line] in done.stderr


def test_scale_needs_detections_and_sizes(tmp_path):
    truth = truth_of(tmp_path / "truth.json", {1: SIZES[1]})
    found = write(tmp_path / "found.json", CORNERS)
    assert "--dt-scale is for DETECTIONS" in run("check", truth, "--dt-scale", "1000").stderr
    line = ["--dt-scale", "1000", "--dt-boxes", "xyxy"]
    done = run("eval", truth, found, *line)
    assert done.exit_code == 3
    assert "the size of image '2.jpg' is not known: --images or --image-size gives it" in done.stderr
    assert run("eval", truth, found, *line, "--image-size", "500x800").exit_code == 0


@pytest.mark.parametrize("scale", [0, -1, float("nan"), "1000", True])
def test_bad_scales_in_python(scale):
    with pytest.raises(data.OptionError, match="`scale` must be"):
        data.Options(scale=scale)


def test_ground_truth_and_other_kinds_have_no_scale(truth):
    with pytest.raises(data.OptionError, match="`scale` is for detections"):
        data.read_ground_truth(truth, options=data.Options(scale=1000))
    with pytest.raises(data.OptionError, match="`scale` is for kind 'bbox' and 'polygons', got kind 'rotated'"):
        data.read_detections(truth, data.read_ground_truth(truth), options=data.Options(scale=1000, kind="rotated"))


def test_commands_that_read_detections_take_a_scale(truth, tmp_path):
    found, other = (write(tmp_path / f"{x}.json", yxyx(CORNERS)) for x in ("found", "other"))
    line = ["--dt-scale", "1000,y1x1y2x2"]
    goals = [tmp_path / f"{x}.json" for x in ("converted", "kept", "fused")]
    assert run("convert", truth, found, goals[0], *line, "--to", "coco").exit_code == 0
    assert run("nms", found, "-o", goals[1], "--ground-truth", truth, *line, "--threshold", "1").exit_code == 0
    assert run("fuse", found, other, "-o", goals[2], "--ground-truth", truth, *line, "--threshold", "1").exit_code == 0
    for goal in goals:
        boxes = np.array(sorted(x["bbox"] for x in json.loads(goal.read_text())))
        expected = np.array(sorted(xywh(PIXELS).tolist() * (2 if "fused" in goal.name else 1)))
        np.testing.assert_allclose(boxes, expected, rtol=1e-6)


def answers(path, field, boxes):
    rows = zip(IMAGES.tolist(), np.asarray(boxes).tolist(), strict=True)
    path.write_text(
        json.dumps([{"image": f"{i}.jpg", field: box, "label": "cat", "score": 0.5} for i, box in rows]), "utf-8"
    )
    return path


ANSWERS = {
    "thousandths": ("bbox_2d", CORNERS, "--dt-scale 1000"),
    "y first": ("bbox_2d", yxyx(CORNERS), "--dt-scale 1000,y1x1y2x2"),
    "Gemini's field with x first": ("box_2d", CORNERS, "--dt-scale 1000 --dt-boxes xyxy"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_language_models_take_the_hint(truth, tmp_path, name):
    field, boxes, hint = ANSWERS[name]
    found = answers(tmp_path / "found.json", field, boxes)
    findings = json.loads(run("check", truth, found, "--format", "json").stdout)["findings"]
    assert [x["hint"] for x in findings if x["code"].startswith("boxes-")] == [hint]
    read = run("convert", truth, found, "-", "--to", "coco", *shlex.split(hint))
    boxes = [x["bbox"] for x in json.loads(read.stdout)]
    np.testing.assert_allclose(np.array(boxes), xywh(PIXELS), rtol=1e-6)


def test_scale_that_a_format_states_is_not_another(truth, tmp_path):
    found = answers(tmp_path / "found.json", "box_2d", yxyx(CORNERS))
    assert run("check", truth, found, "--dt-scale", "1000").exit_code in {0, 4}
    done = run("check", truth, found, "--dt-scale", "1")
    assert done.exit_code == 2
    assert (
        "--dt-scale is 1000 by the format of the file, got 1: remove it, or rename the field to bbox_2d" in done.stderr
    )
    done = run("check", truth, answers(tmp_path / "found.json", "box_2d", CORNERS / 1000))
    assert "seem to be fractions: the format says that coordinates count to 1000; rename the field" in done.stderr
