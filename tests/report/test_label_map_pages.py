"""Pages of label maps and of panoptic segments: confusion, and pictures side by side."""

import base64
import dataclasses
import io
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("PIL", reason="Pillow is not installed")
pytest.importorskip("msgspec", reason="the extra cli is not installed")

from PIL import Image

from omniou import panoptic, report
from omniou.cli._commands import omniou
from omniou.data import panoptic as panoptic_files
from omniou.data.panoptic import read as read_panoptic
from omniou.report._charts import svg
from omniou.report._record import label_maps
from tests.cli.test_eval import run

NAMES = ["road", "car", "<b>sky</b>"]
TRUTH = [[0, 0, 1], [0, 1, 1], [0, 255, 255]]
FOUND = [[0, 0, 1], [1, 1, 1], [0, 1, 1]]


def saved(folder, name, labels):
    folder.mkdir(exist_ok=True)
    Image.fromarray(np.asarray(labels, np.uint8)).save(folder / name)


@pytest.fixture
def semantic(tmp_path):
    for name, labels in (("truth", TRUTH), ("found", FOUND)):
        saved(tmp_path / name, "1.png", labels)
        saved(tmp_path / name, "equal.png", [[0, 1]])
    (tmp_path / "classes.txt").write_text("\n".join(NAMES))
    sides = [tmp_path / "truth", tmp_path / "found"]
    return [*sides, "--kind", "semantic", "--classes", tmp_path / "classes.txt", "--ignore-label", 255]


def pixels(layer):
    """Colours with opacity (H, W, 4) of a layer."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(layer))).convert("RGBA"))


def test_confusion_of_pixels():
    chart = label_maps.confusion(NAMES, [[3, 1, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
    assert chart.classes == ["road", "car"]
    assert chart.note.endswith("; left out: 1 class without pixels")
    rows, columns, table = chart.folded(15)
    assert (rows, columns, table) == (["road", "car"], ["road", "car"], [[3, 1], [0, 3]])
    assert [chart.share(table, *cell) for cell in ((0, 0), (0, 1), (1, 1))] == [0.75, 0.25, 1.0]
    text = str(svg.figure("confusion", chart).svg)
    assert re.findall(r'class="cell[ a-z]*">([^<]*)<', text) == ["75", "25", "100"]
    assert "<title>road → car: 1 of 4 pixels (25.0%)</title>" in text
    assert "background" not in text
    assert "nothing" not in text


def test_confusion_with_predictions_of_no_class():
    chart = label_maps.confusion(["a"], [[3999, 1]])
    assert chart.folded(15) == (["a"], ["a", "no class"], [[3999, 1]])
    assert [chart.text(x, x / 4000) for x in (3999, 1)] == ["100", "<0.1"]


def test_confusion_of_many_classes_is_summed_up():
    counts = np.zeros((200, 201), dtype=int)
    counts[np.arange(200), np.arange(200)] = 5
    counts[7, 9] = 15
    counts[150, 200] = 2
    chart = label_maps.confusion([f"c{k}" for k in range(200)], counts)
    rows, columns, table = chart.folded(15)
    # The 14 classes with most errors: 7, 9, 150, and 11 without errors in their order.
    assert rows == [*(f"c{k}" for k in (*range(8), 8, 9, 10, 11, 12, 150)), "186 others"]
    assert columns == [*rows, "no class"]
    assert (table[7][9], table[13][15], table[14][14], sum(map(sum, table))) == (15, 2, 930, 1017)
    assert len(chart.cells) == 17
    assert label_maps.confusion([], np.zeros((0, 1), dtype=int)).folded(15) == ([], [], [])


def test_heat_map_of_detections_keeps_background_without_shares():
    chart = report._record.charts.HeatMap(title="", classes=["cat"], cells=[[0, 0, 3], [0, 1, 1], [1, 0, 2]])
    rows, columns, table = chart.folded(15)
    assert (rows, columns, table) == (["cat", "background"], ["cat", "nothing"], [[3, 1], [2, 0]])
    assert (chart.share(table, 0, 0), chart.share(table, 1, 0)) == (0.75, 0.0)
    assert [chart.text(x, 0.5) for x in (9999, 12_345, 3_000_000)] == ["9999", "12k", "3M"]


def test_images_with_most_wrong_pixels(semantic, tmp_path):
    made = run(*semantic, "--html", tmp_path / "page.html", "--format", "json").stdout
    record = report.Record.from_json(made)
    assert report.Record.from_json(record.to_json()) == record
    gallery = record.galleries["images"]
    assert gallery.note == "Images with wrong pixels: 1 of 2."
    # 1 of 7 pixels that count is wrong: a road is taken for a car.
    (exhibit,) = gallery.exhibits
    assert (exhibit.name, exhibit.told) == ("1", "14.3% of 7 pixels wrong: road taken for car (100% of them).")
    truth, found, difference = (pixels(panel.layer) for panel in exhibit.panels)
    assert [panel.title for panel in exhibit.panels] == ["ground truth", "prediction", "difference"]
    assert exhibit.panels[0].size == (3.0, 3.0)
    # Cars have 3 + 6 pixels in both maps and roads 4 + 3, so cars have the first colour.
    car, road, clear = (0, 114, 178, 255), (230, 159, 0, 255), 0
    assert truth[0].tolist() == [[*road], [*road], [*car]]
    assert truth[2, 1:, 3].tolist() == [clear, clear]
    assert found[1].tolist() == [[*car], [*car], [*car]]
    right, wrong, excluded = ([*x] for x in (label_maps.RIGHT, label_maps.WRONG, label_maps.EXCLUDED))
    assert difference.tolist() == [[right, right, right], [wrong, right, right], [right, excluded, excluded]]
    assert gallery.legends["classes"] == [("#0072b2", "car"), ("#e69f00", "road")]
    assert [words for _, words in gallery.legends["difference"]] == ["wrong", "right", "excluded"]


def test_page_shows_each_layer_once(semantic, tmp_path):
    assert run(*semantic, "--html", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count("data:image/png;base64,") == 3
    assert page.count("iVBORw0KGgo") == 3  # not in the JSON of the page a second time
    (text,) = re.findall(r'<script type="application/json" id="records">(.*?)</script>', page)
    assert (
        report.Record.from_json(json.dumps(json.loads(text)[0])).galleries["images"].exhibits[0].panels[0].layer == ""
    )
    assert "<b>sky" not in page


def test_page_of_a_saved_record_is_the_same(semantic, tmp_path):
    made = run(*semantic, "--html", tmp_path / "page.html", "--format", "json").stdout
    (tmp_path / "record.json").write_text(made, "utf-8")
    assert (
        CliRunner()
        .invoke(omniou, ["report", *map(str, [tmp_path / "record.json", "-o", tmp_path / "again.html"])])
        .exit_code
        == 0
    )
    assert (tmp_path / "again.html").read_text("utf-8") == (tmp_path / "page.html").read_text("utf-8")


def test_without_pictures_no_image_is_read_again(semantic):
    record = json.loads(run(*semantic, "--format", "json").stdout)
    assert (record["galleries"], record["charts"]) == ({}, {})


def test_photographs_lie_below_the_layers_once(semantic, tmp_path):
    photos = tmp_path / "photos"
    saved(photos, "1.png", np.zeros((30, 30, 3)))
    saved(photos, "equal.png", np.zeros((30, 60, 3)))
    done = run(*semantic, "--html", tmp_path / "page.html", "--images", photos)
    assert (done.exit_code, done.stderr) == (0, "")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count("data:image/jpeg;base64,") == 1
    assert page.count('<use href="#images-0"/>') == 2
    assert 'id="images-0"' in page


@pytest.mark.parametrize(
    ("shape", "name", "told", "warned"),
    [
        ((30, 60, 3), "1.png", "has other proportions (60 x 30) and is not drawn", ""),
        ((30, 30, 3), "equal.png", "", "1 of 2 images have no picture there: '1'"),
    ],
)
def test_photographs_that_do_not_fit(semantic, tmp_path, shape, name, told, warned):
    saved(tmp_path / "photos", name, np.zeros(shape))
    done = run(*semantic, "--html", tmp_path / "page.html", "--images", tmp_path / "photos")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert (done.exit_code, told in page, warned in done.stderr) == (0, True, True)
    assert "data:image/jpeg" not in page


@pytest.mark.parametrize(
    ("labels", "photograph"),
    [
        ("aachen_000000_000019_gtFine_labelTrainIds", "leftImg8bit/aachen/aachen_000000_000019_leftImg8bit"),
        ("b1c66a42-6f7d68ca_train_id", "b1c66a42-6f7d68ca"),
        ("2007_000033", "JPEGImages/2007_000033"),
        ("ISIC_0000001_segmentation", "ISIC_0000001"),
    ],
)
def test_photographs_by_the_names_of_data_sets(tmp_path, labels, photograph):
    saved(tmp_path / "truth", f"{labels}.png", TRUTH)
    saved(tmp_path / "found", f"{labels}.png", [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    (tmp_path / "photos" / photograph).parent.mkdir(parents=True)
    saved((tmp_path / "photos" / photograph).parent, f"{photograph.rpartition('/')[2]}.png", np.zeros((3, 3, 3)))
    sides = [tmp_path / "truth", tmp_path / "found", "--ignore-label", 255, "--kind", "semantic"]
    assert run(*sides, "--html", tmp_path / "x.html", "--images", tmp_path / "photos").exit_code == 0
    assert (tmp_path / "x.html").read_text("utf-8").count("data:image/jpeg;base64,") == 1


def test_directory_of_other_photographs(semantic, tmp_path):
    saved(tmp_path / "photos", "other.png", np.zeros((3, 3, 3)))
    done = run(*semantic, "--html", tmp_path / "page.html", "--images", tmp_path / "photos")
    assert (done.exit_code, "no picture fits any of the 2 images: '1', 'equal'" in done.stderr) == (3, True)


def test_broken_photograph_is_not_drawn(semantic, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "1.jpg").write_bytes(b"no picture")
    assert run(*semantic, "--html", tmp_path / "page.html", "--images", tmp_path / "photos").exit_code == 0
    assert "data:image/jpeg" not in (tmp_path / "page.html").read_text("utf-8")


def test_right_predictions_have_no_gallery(semantic, tmp_path):
    saved(tmp_path / "found", "1.png", TRUTH)
    assert run(*semantic, "--html", tmp_path / "page.html").exit_code == 0
    assert "Images with most wrong pixels" not in (tmp_path / "page.html").read_text("utf-8")


def test_images_need_a_page(semantic, tmp_path):
    done = run(*semantic, "--images", tmp_path)
    assert (done.exit_code, "has no effect without --html" in done.stderr) == (2, True)
    done = run(*semantic[:2], "--kind", "components", "--html", tmp_path / "x.html", "--images", tmp_path)
    assert (done.exit_code, "--images is not for --kind components" in done.stderr) == (2, True)


def test_layers_of_large_maps_are_small():
    target = np.zeros((1000, 2000), dtype=int)
    counts = {"large": np.asarray([[1_999_999, 2_000_000, 1_999_999], [0, 0, 1]])}
    found = target.copy()
    found[3, 3] = 1
    gallery = label_maps.worst(["a", "b"], counts, lambda _: label_maps.Maps(target, found), {})
    assert pixels(gallery.exhibits[0].panels[0].layer).shape == (143, 286, 4)
    assert gallery.exhibits[0].panels[0].size == (1000.0, 2000.0)
    assert label_maps.reduced(np.zeros((1, 5000))).shape == (1, 313)


def test_colours_of_classes_differ():
    assert len({label_maps.colour_of(k) for k in range(200)}) == 200
    legend = label_maps.Palette(range(200)).legend([f"c{k}" for k in range(200)])
    assert (len(legend), legend[-1][1]) == (25, "and 176 more")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"layer": "PHN2Zz4="}, "expected layers that are PNG files in base64"),
        ({"layer": "é"}, "expected layers that are PNG files in base64"),
        ({"size": [0.0, 3.0]}, "expected sides above 0"),
        ({"shapes": [{"style": "x", "words": "", "points": [0, 0, 1, 1]}]}, "expected styles among"),
        ({"shapes": [{"style": "hit", "words": "", "points": [0, 0, 1]}]}, "expected points as pairs"),
        ({"title": 1}, "Expected `str`, got `int`"),
    ],
)
def test_gallery_of_a_bad_record(change, fault):
    panel = {"title": "prediction", "picture": "1", "size": [3.0, 3.0]} | change
    gallery = {"title": "Images", "note": "", "exhibits": [{"name": "1", "told": "", "panels": [panel]}]}
    record = json.loads(report.Record(kind="semantic", summary={"mIoU": 0.5}, words={"mIoU": ""}).to_json())
    with pytest.raises(ValueError, match=re.escape(fault)):
        report.Record.from_json(json.dumps(record | {"galleries": {"images": gallery}}))


def test_colour_of_a_bad_record():
    gallery = report._record.galleries.Gallery(title="", note="", exhibits=[], legends={"x": [("url(x)", "wrong")]})
    record = report.Record(kind="semantic", summary={"mIoU": 0.5}, words={"mIoU": ""}, galleries={"images": gallery})
    with pytest.raises(ValueError, match="expected colours such as"):
        report.Record.from_json(record.to_json())
    fine = dataclasses.replace(record, galleries={"images": dataclasses.replace(gallery, legends={})})
    assert report.Record.from_json(fine.to_json()) == fine


CAR, ROAD, SKY = 1, 2, 3


def segmented(folder, name, ids, **classes):
    (folder / name).mkdir(exist_ok=True)
    Image.fromarray(panoptic.to_rgb(np.asarray(ids))).save(folder / name / "1.png")
    records = [{"id": int(k[1:]), "category_id": abs(x), "iscrowd": int(x < 0)} for k, x in classes.items()]
    categories = [
        {"id": k, "name": x, "isthing": int(k == CAR)} for k, x in ((CAR, "car"), (ROAD, "road"), (SKY, "sky"))
    ]
    annotations = [{"image_id": 1, "file_name": "1.png", "segments_info": records}]
    (folder / f"{name}.json").write_text(json.dumps({"annotations": annotations, "categories": categories}))
    return folder / f"{name}.json"


@pytest.fixture
def segments(tmp_path):
    truth = segmented(tmp_path, "truth", [[7, 7, 9, 8], [7, 9, 9, 8], [0, 5, 5, 5]], _7=CAR, _9=ROAD, _8=SKY, _5=-CAR)
    found = segmented(tmp_path, "found", [[7, 7, 9, 4], [9, 9, 9, 4], [9, 7, 7, 3]], _7=CAR, _9=ROAD, _4=CAR, _3=CAR)
    return [truth, found, "--kind", "panoptic"]


def test_outcomes_of_the_pixels_of_segments(segments):
    truth, found = map(read_panoptic, segments[:2])
    x = panoptic_files.outcomes(truth, found, 1)
    # Predicted car 7 has 4 pixels of which 2 are in a crowd of cars: too few to excuse it. It shares 2 with car 7 of 3:
    # a union of 5, so neither matches. Road 9 has 5 pixels, of which void is not counted: 3 of a union of 4 match.
    assert x.target.outcome.tolist() == [[2, 2, 1, 2], [2, 1, 1, 2], [0, 0, 0, 0]]
    assert x.prediction.outcome.tolist() == [[2, 2, 1, 2], [1, 1, 1, 2], [1, 2, 2, 0]]
    assert x.shared.astype(int).tolist() == [[0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    assert x.target.label.tolist()[2] == [-1, 0, 0, 0]


def test_images_with_most_wrong_segments(segments, tmp_path):
    record = report.Record.from_json(run(*segments, "--html", tmp_path / "page.html", "--format", "json").stdout)
    (exhibit,) = record.galleries["images"].exhibits
    assert exhibit.told == "1 matched; 2 missed: car, sky; 2 false: car (2)."
    colours = [_rgba(x) for x in record.galleries["images"].legends["difference"]]
    match, other, missed, false, both, excluded = colours
    assert pixels(exhibit.panels[2].layer).tolist() == [
        [both, both, match, both],
        [missed, match, match, both],
        [other, false, false, excluded],
    ]
    # Segments of one class have lines between them: the last pixels of a segment to the right and below.
    edge = [0, 0, 0, 200]
    assert pixels(exhibit.panels[0].layer)[0].tolist()[1:3] == [edge, edge]
    chart = record.charts["segments"]
    assert [(name, value, text) for name, value, text in chart.rows] == [
        ("things: matched", 0.0, "0 of 1"),
        ("things: missed", 1.0, "1 of 1"),
        ("things: false", 2.0, "2"),
        ("stuff: matched", 1.0, "1 of 2"),
        ("stuff: missed", 1.0, "1 of 2"),
        ("stuff: false", 0.0, "0"),
    ]
    assert record.groups[0].rows[0]["false_positives"] == 2


def _rgba(entry):
    colour = bytes.fromhex(entry[0][1:])
    return [*colour, *([255] if len(colour) == 3 else [])]


def test_panoptic_page_without_errors(segments, tmp_path):
    assert run(segments[0], segments[0], *segments[2:], "--html", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert ("Images with most errors" in page, "stuff: matched" in page) == (False, True)


def test_empty_predictions_of_segments(segments, tmp_path):
    empty = segmented(tmp_path, "empty", np.zeros((3, 4), dtype=int))
    record = json.loads(
        run(segments[0], empty, *segments[2:], "--html", tmp_path / "x.html", "--format", "json").stdout
    )
    assert record["galleries"]["images"]["exhibits"][0]["told"] == "0 matched; 3 missed: car, road, sky; 0 false."
