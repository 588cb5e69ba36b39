"""What `draw` puts into the axes of an image."""

import numpy as np
import pytest

from omniou import detection, rle

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("agg")

from matplotlib import pyplot as plt  # noqa: E402

from omniou import report  # noqa: E402
from omniou.report._images.draw import STYLES  # noqa: E402

TARGETS = detection.Targets(
    boxes=[[0, 0, 10, 10], [20, 0, 10, 10], [0, 0, 5, 5]],
    labels=[1, 2, 1],
    images=[7, 7, 8],
    crowd=[False, False, True],
)
DETECTIONS = detection.Detections(
    boxes=[[0, 0, 10, 9], [40, 40, 5, 5], [1, 1, 4, 4]], scores=[0.9, 0.2, 0.8], labels=[1, 2, 1], images=[7, 7, 8]
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def matches():
    return detection.evaluate(TARGETS, DETECTIONS, format="xywh").matches


def drawn(ax):
    """Legend label -> corners of the lines drawn in its style."""
    style = {label: handle.get_linestyle() for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    colour = {label: handle.get_color() for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    return {
        label: [
            line.get_xydata()[:-1].tolist()
            for line in ax.lines
            if len(line.get_xydata()) and (line.get_linestyle(), line.get_color()) == (style[label], colour[label])
        ]
        for label in style
    }


def test_draw_shows_outcome_of_each_row_of_the_image(matches):
    ax = report.draw(None, TARGETS, DETECTIONS, matches, image_id=7, format="xywh", names={1: "cat", 2: "$dog$"})
    assert drawn(ax) == {
        "object that was found": [[[0, 0], [10, 0], [10, 10], [0, 10]]],
        "object that was missed": [[[20, 0], [30, 0], [30, 10], [20, 10]]],
        "true positive": [[[0, 0], [10, 0], [10, 9], [0, 9]]],
        "false positive": [[[40, 40], [45, 40], [45, 45], [40, 45]]],
    }
    assert [text.get_text() for text in ax.texts] == [r"\$dog\$", r"\$dog\$ 0.20", "cat 0.90"]
    assert ax.yaxis_inverted()


def test_draw_of_crowd(matches):
    ax = report.draw(None, TARGETS, DETECTIONS, matches, image_id=8, format="xywh")
    assert set(drawn(ax)) == {"object that does not count", "detection that does not count"}


def test_draw_leaves_out_low_scores_and_looks_at_the_threshold(matches):
    ax = report.draw(None, TARGETS, DETECTIONS, matches, image_id=7, format="xywh", score=0.5, iou_threshold=0.95)
    assert set(drawn(ax)) == {"object that was missed", "false positive"}
    assert [text.get_text() for text in ax.texts] == ["1", "2", "1 0.90"]


def test_draw_of_image_without_rows(matches):
    ax = report.draw(None, TARGETS, DETECTIONS, matches, image_id=99, format="xywh")
    assert not ax.lines


@pytest.mark.parametrize("channels", [(), (3,), (4,)])
def test_draw_over_pixels(matches, channels):
    pixels = np.zeros((30, 60, *channels), dtype=np.uint8)
    ax = report.draw(pixels, TARGETS, DETECTIONS, matches, image_id=8, format="xywh")
    assert ax.images[0].get_extent() == [0, 60, 30, 0]
    assert ax.yaxis_inverted()


def test_draw_over_a_file(matches, tmp_path):
    plt.imsave(tmp_path / "a.png", np.zeros((30, 60, 3)))
    ax = report.draw(tmp_path / "a.png", TARGETS, DETECTIONS, matches, image_id=8, format="xywh")
    assert ax.images[0].get_extent() == [0, 60, 30, 0]


def test_draw_of_dictionaries_counts_rows_over_images():
    targets = [{"boxes": [[0, 0, 1, 1]], "labels": [1]}, {"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    detections = [
        {"boxes": [], "labels": [], "scores": []},
        {"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.5]},
    ]
    matches = detection.evaluate(targets, detections).matches
    assert set(drawn(report.draw(None, targets, detections, matches, image_id=0))) == {"object that was missed"}
    ax = report.draw(None, targets, detections, matches, image_id=1)
    assert set(drawn(ax)) == {"object that was found", "true positive"}


def test_draw_of_rotated_boxes_and_polygons():
    quarter = np.pi / 2
    table = detection.Targets(boxes=[[10, 10, 8, 4, quarter]], labels=[1], images=[0])
    found = detection.Detections(boxes=[[10, 10, 8, 4, quarter]], labels=[1], images=[0], scores=[0.5])
    matches = detection.evaluate(table, found, kind="rotated").matches
    corners = drawn(report.draw(None, table, found, matches, kind="rotated"))["true positive"][0]
    assert np.allclose(corners, [[12, 6], [12, 14], [8, 14], [8, 6]])

    square = [[0, 0, 4, 1, 4, 5, 0, 4]]
    table = detection.Targets(boxes=square, labels=[1], images=[0])
    found = detection.Detections(boxes=square, labels=[1], images=[0], scores=[0.5])
    matches = detection.evaluate(table, found, kind="polygons").matches
    assert drawn(report.draw(None, table, found, matches, kind="polygons"))["true positive"] == [
        [[0, 0], [4, 1], [4, 5], [0, 4]]
    ]


def test_draw_of_masks_follows_their_outline():
    masks = np.zeros((1, 20, 30), dtype=bool)
    masks[0, 5:10, 10:20] = True
    table = detection.Targets(boxes=None, labels=[1], images=[0], masks=rle.Masks.from_dense(masks))
    found = detection.Detections(boxes=None, labels=[1], images=[0], scores=[0.5], masks=rle.Masks.from_dense(masks))
    matches = detection.evaluate(table, found, kind="segm").matches
    ax = report.draw(None, table, found, matches, kind="segm")
    # The object is a line; the detection is filled, and has a line.
    assert [x.get_alpha() for x in ax.collections] == [None, 0.3, None]
    for drawn_as in ax.collections:
        points = np.concatenate([path.vertices for path in drawn_as.get_paths()])
        assert points.min(axis=0).tolist() == [10, 5]
        assert points.max(axis=0).tolist() == [20, 10]
    assert [text.get_text() for text in ax.texts] == ["1 0.50"]


def test_draw_of_a_mask_of_the_whole_image_has_an_outline():
    masks = rle.Masks.from_dense(np.ones((1, 4, 6), dtype=bool))
    table = detection.Targets(boxes=None, labels=[1], images=[0], masks=masks)
    nothing = detection.Detections(boxes=None, labels=[], images=[], scores=[], masks=rle.Masks.from_coco([]))
    ax = report.draw(None, table, nothing, detection.evaluate(table, nothing, kind="segm").matches, kind="segm")
    (line,) = [path.vertices for x in ax.collections if x.get_alpha() is None for path in x.get_paths()]
    assert (line.min(axis=0).tolist(), line.max(axis=0).tolist()) == ([0, 0], [6, 4])


def test_draw_of_ground_truth_from_files(matches, tmp_path):
    data = pytest.importorskip("omniou.data", reason="the extra cli is not installed")
    truth = data.GroundTruth(
        path=tmp_path, targets=TARGETS, images=np.asarray([7, 8]), categories={1: "cat", 2: "dog"}, flagged=np.zeros(3)
    )
    ax = report.draw(None, truth, DETECTIONS, matches, image_id=7)
    expected = report.draw(None, TARGETS, DETECTIONS, matches, image_id=7, format="xywh")
    assert drawn(ax) == drawn(expected)
    assert [text.get_text() for text in ax.texts] == ["dog", "dog 0.20", "cat 0.90"]


def test_draw_refuses_what_does_not_fit(matches):
    other = detection.Targets(boxes=[[0, 0, 1, 1]], labels=[1], images=[0])
    with pytest.raises(ValueError, match="got 3 rows for 1 targets"):
        report.draw(None, other, DETECTIONS, matches, format="xywh")
    with pytest.raises(ValueError, match="`iou_threshold`"):
        report.draw(None, TARGETS, DETECTIONS, matches, format="xywh", iou_threshold=0.42)
    with pytest.raises(TypeError, match="`matches`"):
        report.draw(None, TARGETS, DETECTIONS, None)
    line = detection.Targets(boxes=[[0, 1]], labels=[1], images=[0])
    found = detection.Detections(boxes=[[0, 1]], labels=[1], images=[0], scores=[0.5])
    with pytest.raises(ValueError, match="two dimensions"):
        report.draw(None, line, found, detection.evaluate(line, found).matches)


def luminance(colour):
    """WCAG's relative luminance of a colour such as "#0072b2"."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("outcome", list(STYLES))
def test_white_names_have_contrast(outcome):
    assert 1.05 / (luminance(STYLES[outcome].colour) + 0.05) >= 4.5


@pytest.mark.parametrize("image", [None, np.full((100, 200), 128, dtype=np.uint8)])
def test_names_in_a_crowd_cover_no_other_and_stay_inside(image):
    random = np.random.default_rng(0)
    low = random.uniform(5, 60, (60, 2))
    boxes = np.concatenate([low, low + random.uniform(5, 30, (60, 2))], axis=1)
    tables = (
        detection.Targets(boxes[:20], [0] * 20, [0] * 20),
        detection.Detections(boxes, [0.5] * 60, [0] * 60, [0] * 60),
    )
    matches = detection.evaluate(*tables).matches
    ax = report.draw(image, *tables, matches, names={0: "a name of a class that is long"})
    ax.figure.draw_without_rendering()
    rects = [text.get_bbox_patch().get_window_extent() for text in ax.texts]

    assert len(rects) > 5
    assert min(rect.height for rect in rects) > 5
    for k, a in enumerate(rects):
        for b in rects[:k]:
            assert min(a.x1, b.x1) - max(a.x0, b.x0) < 0.5 or min(a.y1, b.y1) - max(a.y0, b.y0) < 0.5
    frame = ax.get_window_extent().padded(1)
    assert all(frame.x0 <= a.x0 and a.x1 <= frame.x1 and frame.y0 <= a.y0 and a.y1 <= frame.y1 for a in rects)


@pytest.mark.parametrize("shape", [(100, 200), (200, 100), (20, 300), (300, 20)])
def test_picture_has_no_white_strip(shape):
    """A box that reaches beyond the image changes no limit, and the image fills the figure above its legend."""
    found = detection.Detections([[-50, -50, 500, 500]], [0.9], [1], [7])
    table = detection.Targets([[0, 0, 10, 10]], [1], [7])
    matches = detection.evaluate(table, found, format="xywh").matches
    ax = report.draw(np.zeros(shape), table, found, matches, format="xywh")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, shape[1]), (shape[0], 0))
    ax.figure.draw_without_rendering()
    width, height = ax.figure.get_size_inches()
    (left, _), (right, top) = ax.get_position().get_points() * (width, height)
    assert height - top < 0.15
    assert width - right + left < 0.3 or width < 4  # a legend is wider than a narrow picture
