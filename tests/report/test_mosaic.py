"""A picture of a batch, read back from its pixels."""

import io
import subprocess
import sys

import numpy as np
import pytest

from omniou import detection
from omniou._lib import extras

report = pytest.importorskip("omniou.report", reason="the extra cli is not installed")
image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from omniou.report._images import tiles  # noqa: E402

TRUTH = {"boxes": [[8, 8, 32, 32]], "labels": [2]}
FOUND = {"boxes": [[8, 8, 32, 32], [0, 0, 4, 4]], "labels": [2, 1], "scores": [0.9, 0.1]}
GREEN, RED, YELLOW = (60, 180, 75), (230, 25, 75), (255, 225, 25)
LINE = 16  # words above each image


def grey(value=128, height=40, width=40):
    return np.full((height, width, 3), value, np.uint8)


def test_mosaic_draws_the_box_in_the_colour_of_its_class():
    made = report.mosaic([grey()], [TRUTH], side=40)
    assert made.pixels.shape == (40 + LINE, 40, 3)
    tile = made.pixels[LINE:]
    assert tuple(tile[31, 20]) == YELLOW  # the lower side at y = 32, two pixels wide
    assert YELLOW in map(tuple, tile[20, 31:34].tolist())
    assert tuple(tile[20, 20]) == (128, 128, 128)
    assert tuple(tile[2, 38]) == (128, 128, 128)


def test_mosaic_has_targets_left_and_detections_right_and_counts_what_is_left_out(monkeypatch):
    said = []
    from omniou.report._images import tiles

    known = tiles._fitting
    monkeypatch.setattr(tiles, "_fitting", lambda text, *more: said.append(text) or known(text, *more))
    made = report.mosaic([grey()] * 3, [TRUTH] * 3, [FOUND] * 3, most=2, side=40, columns=1, titles="abc")
    assert said == [
        *("a: ground truth", "a: detections", "b: ground truth", "b: detections"),
        "2 of 3 images, 2 detections with scores below 0.25 not drawn",
    ]
    assert made.pixels.shape == (2 * (40 + LINE) + 4 + LINE, 84, 3)
    assert tuple(made.pixels[LINE + 31, 20]) == tuple(made.pixels[LINE + 31, 64]) == YELLOW


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("score", [0.9, 0.3])
def test_a_score_meets_the_least_score_in_its_own_bits(dtype, score):
    found = {"boxes": [[8, 8, 32, 32]], "labels": [2], "scores": np.asarray([score], dtype)}
    made = report.mosaic([grey()], [TRUTH], [found], side=40, score=score)
    assert tuple(made.pixels[LINE + 31, 64]) == YELLOW
    above = report.mosaic([grey()], [TRUTH], [found], side=40, score=score + 0.01)
    assert tuple(above.pixels[LINE + 31, 64]) != YELLOW


def test_scale_follows_the_longer_side():
    made = report.mosaic([grey(height=20, width=40)], [{"boxes": [[10, 5, 30, 15]], "labels": [1]}], side=80)
    assert made.pixels.shape == (40 + LINE, 80, 3)
    assert tuple(made.pixels[LINE + 29, 40]) == GREEN  # y = 15 becomes 30


@pytest.mark.parametrize(
    ("batch", "options", "colour"),
    [
        (np.full((1, 3, 40, 40), 0.5, np.float32), {}, 128),
        (np.full((1, 40, 40, 3), 0.5), {}, 128),
        (np.full((1, 40, 40), 200, np.uint8), {}, 200),
        (np.full((1, 1, 40, 40), 100.0), {}, 100),
        (np.full((1, 4, 40, 40), 100, np.int64), {}, 100),
        (np.full((1, 40, 40), 1, bool), {}, 255),
        (np.full((1, 3, 40, 40), 0.0), {"values": (-1, 1)}, 128),
        (np.full((1, 3, 40, 3), 7, np.uint8), {"layout": "CHW"}, 7),
        (np.full((1, 40, 40, 3), np.nan), {"values": (0, 1)}, 0),
    ],
)
def test_axes_and_values_are_told_by_evidence(batch, options, colour):
    made = report.mosaic(batch, side=40, **options)
    assert tuple(made.pixels[-1, 1]) == (colour,) * 3


def test_images_of_every_library(xp):
    batch = xp.zeros((2, 3, 40, 40), dtype=xp.float32) + 0.25
    rows = [{"boxes": xp.asarray([[8.0, 8, 32, 32]]), "labels": xp.asarray([2])}] * 2
    made = report.mosaic(batch, rows, side=40)
    assert tuple(made.pixels[LINE + 31, 20]) == YELLOW
    assert tuple(made.pixels[LINE + 20, 20]) == (64, 64, 64)


def test_one_dark_image_is_scaled_as_its_batch():
    made = report.mosaic([np.full((3, 40, 40), 250.0), np.full((3, 40, 40), 1.0)], side=40, columns=1)
    assert tuple(made.pixels[-1, 1]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("images", "options", "said"),
    [
        ([], {}, "`images` must hold at least one image, got none"),
        (np.zeros((1, 3, 40, 3)), {}, r"`images\[0\]` may be both, with shape \(3, 40, 3\): give `layout`"),
        (np.zeros((1, 5, 40, 40)), {}, "has channels on neither end"),
        (np.zeros((1, 3, 40, 40)), {"layout": "HWC"}, "must have 1, 3 or 4 channels in the layout 'HWC'"),
        (np.full((1, 3, 40, 40), -2.1), {}, "values from -2.1 to -2.1, neither in .* undo their normalisation"),
        (np.full((1, 3, 40, 40), 3.0), {}, "values from 3 to 3, neither"),
        (np.full((1, 3, 40, 40), 999, np.uint16), {}, "values from 999 to 999"),
        (np.zeros((1, 3, 40, 40)), {"values": (1, 0)}, "`values` must be two rising numbers"),
        (np.zeros((1, 2, 3, 40, 40)), {}, "must have 2 or 3 axes"),
        (np.zeros((2, 3, 40, 40)), {}, "`targets` must have one entry for each image, got 1 for 2"),
        (np.zeros((1, 3, 40, 40)), {"titles": "ab"}, "`titles` must have one entry for each image, got 2 for 1"),
        (np.zeros((1, 3, 40, 40)), {"side": 8}, "`side` must be at least 32, got 8"),
    ],
)
def test_bad_images_raise(images, options, said):
    with pytest.raises(ValueError, match=said):
        report.mosaic(images, [TRUTH], **options)


def test_boxes_that_are_shares_of_the_image_are_noticed():
    row = {"boxes": [[0.2, 0.2, 0.8, 0.8]], "labels": [2]}
    with pytest.raises(ValueError, match="coordinates are all at most 1, as shares of the image are"):
        report.mosaic([grey()], [row])
    made = report.mosaic([grey()], [row], relative=True, side=40)
    assert tuple(made.pixels[LINE + 31, 20]) == YELLOW


def test_masks_are_laid_over_and_rotated_boxes_drawn_by_their_corners():
    mask = np.zeros((1, 40, 40), bool)
    mask[0, 10:30, 10:30] = True
    made = report.mosaic([grey()], [{"masks": mask, "labels": [1]}], kind="segm", side=40).pixels[LINE:]
    assert 80 < made[25, 20][0] < 110  # half of the colour
    assert tuple(made[29, 20]) == GREEN  # the edge
    assert tuple(made[35, 35]) == (128, 128, 128)
    turned = {"boxes": [[20, 20, 28, 8, np.pi / 2]], "labels": [2]}
    made = report.mosaic([grey()], [turned], kind="rotated", side=40).pixels[LINE:]
    assert tuple(made[33, 20]) == YELLOW  # upright now: its end at y = 34


def test_keypoints_are_joined_where_they_are_labelled():
    points = np.zeros((1, 17, 3))
    points[0, 5], points[0, 6], points[0, 7] = (10, 20, 2), (30, 20, 2), (30, 38, 0)
    row = {"keypoints": points, "labels": [2], "area": [100.0]}
    made = report.mosaic([grey()], [row], kind="keypoints", side=40).pixels[LINE:]
    assert tuple(made[20, 20]) == YELLOW
    assert tuple(made[30, 30]) == (128, 128, 128)


def test_mosaic_is_saved_as_png_and_shown_in_notebooks(tmp_path):
    made = report.mosaic([grey()], [TRUTH], side=40)
    made.save(tmp_path / "batch.png")
    with image.open(tmp_path / "batch.png") as again:
        assert np.array_equal(np.asarray(again), made.pixels)
    assert image.open(io.BytesIO(made._repr_png_())).size == (40, 40 + LINE)
    assert repr(made) == "Mosaic: 40 x 56 pixels"
    made.save(tmp_path / "batch.jpg")
    assert (tmp_path / "batch.jpg").read_bytes()[:3] == b"\xff\xd8\xff"
    with pytest.raises(ValueError, match=r"`path` must end with \.png or \.jpg, got .*batch\.gif"):
        made.save(tmp_path / "batch.gif")


def test_paths_of_files_are_read(tmp_path):
    image.fromarray(grey(77)).save(tmp_path / "a.png")
    assert tuple(report.mosaic([tmp_path / "a.png"], side=40).pixels[-1, 1]) == (77, 77, 77)


def test_names_of_any_length_stay_inside():
    row = {"boxes": [[30, 2, 39, 39]], "labels": [2]}
    made = report.mosaic([grey()], [row], names={2: "a name that is longer than the image"}, side=40)
    assert made.pixels.shape == (40 + LINE, 40, 3)


def test_mosaic_does_not_import_matplotlib():
    program = (
        "import sys, numpy as np\nfrom omniou import report\n"
        "report.mosaic(np.zeros((1, 3, 40, 40)), [{'boxes': [[1, 1, 9, 9]], 'labels': [0]}]).to_png()\n"
        "print('matplotlib' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_missing_pillow_is_named(monkeypatch):
    known = extras.has
    monkeypatch.setattr(extras, "has", lambda library: library != "PIL" and known(library))
    with pytest.raises(ModuleNotFoundError, match="a mosaic needs PIL: pip install pillow"):
        report.mosaic([grey()])


@pytest.mark.parametrize("labels", [["cat"], [1.5]])
def test_labels_that_are_no_integers_are_refused(labels):
    row = {"boxes": [[0, 0, 4, 4]], "labels": labels, "scores": [0.5]}
    with pytest.raises(TypeError, match=r"`detections\['labels'\]` must hold integers"):
        report.mosaic([np.zeros((9, 9, 3), np.uint8)], None, [row])


TABLES = (
    detection.Targets(boxes=[[5, 5, 40, 30], [2, 2, 20, 20]], labels=[1, 2], images=[7, 9]),
    detection.Detections(boxes=[[6, 6, 40, 30], [2, 2, 20, 20]], scores=[0.9, 0.1], labels=[1, 2], images=[9, 7]),
)


def test_mosaic_of_tables_equals_that_of_dictionaries():
    images = np.full((2, 40, 60, 3), 90, dtype=np.uint8)
    targets = [{"boxes": [[2, 2, 20, 20]], "labels": [2]}, {"boxes": [[5, 5, 40, 30]], "labels": [1]}]
    found = [
        {"boxes": [[6, 6, 40, 30]], "labels": [1], "scores": [0.9]},
        {"boxes": [[2, 2, 20, 20]], "labels": [2], "scores": [0.1]},
    ]
    of_tables = report.mosaic(images, *TABLES, image_ids=[9, 7], names={1: "cat"})
    assert np.array_equal(of_tables.pixels, report.mosaic(images, targets, found, names={1: "cat"}).pixels)


def test_mosaic_of_a_ground_truth_has_names_of_classes_and_files(tmp_path):
    data = pytest.importorskip("omniou.data", reason="the extra cli is not installed")
    images = np.full((2, 40, 60, 3), 90, dtype=np.uint8)
    truth = data.GroundTruth(
        path=tmp_path,
        targets=TABLES[0],
        images=np.asarray([7, 9]),
        image_names={7: "a.png", 9: "b.png"},
        categories={1: "cat", 2: "dog"},
        flagged=np.zeros(2),
        format="xyxy",
    )
    plain = {"names": {1: "cat", 2: "dog"}, "format": "xyxy"}
    expected = report.mosaic(images, *TABLES, image_ids=[7, 9], titles=["a.png", "b.png"], **plain)
    assert np.array_equal(report.mosaic(images, truth, TABLES[1]).pixels, expected.pixels)
    # Files are found by their names, in any order.
    for name in ("a.png", "b.png"):
        image.fromarray(images[0]).save(tmp_path / name)
    swapped = report.mosaic([tmp_path / "b.png", tmp_path / "a.png"], truth, TABLES[1])
    expected = report.mosaic(images, *TABLES, image_ids=[9, 7], titles=["b.png", "a.png"], **plain)
    assert np.array_equal(swapped.pixels, expected.pixels)


def test_mosaic_needs_the_ids_of_images_in_tables():
    images = np.zeros((2, 40, 60, 3), dtype=np.uint8)
    with pytest.raises(ValueError, match="`image_ids` must name the 2 images in the tables, got None"):
        report.mosaic(images, *TABLES)
    with pytest.raises(ValueError, match="`image_ids` must have one entry for each image, got 1 for 2"):
        report.mosaic(images, *TABLES, image_ids=[7])
    with pytest.raises(TypeError, match="`image_ids` is for tables"):
        report.mosaic(images, [{"boxes": [], "labels": []}] * 2, image_ids=[7, 9])


@pytest.mark.parametrize("colour", tiles._COLOURS)
def test_words_have_contrast_on_every_colour(colour):
    linear = [x / 255 / 12.92 if x / 255 <= 0.03928 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    dark, light = (luminance + 0.05) / 0.05, 1.05 / (luminance + 0.05)
    assert {"black": dark, "white": light}[tiles._ink(colour)] >= 4.5
