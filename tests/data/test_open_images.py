"""Reading Open Images' CSV files: boxes, image-level labels, detections."""

import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options

HEADING = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsGroupOf"
BOXES = f"""{HEADING}
b1,x,/m/dog,1,0.1,0.5,0.2,0.4,0,0
a1,x,/m/cat,1,0,1,0,1,1,1
a1,x,/m/cat,1,0,0.25,0,0.5,0,
"""
LABELS = """ImageID,Source,LabelName,Confidence
a1,x,/m/dog,0
c1,x,/m/cat,0
b1,x,/m/dog,1
"""
DETECTIONS = """ImageID,LabelName,Score,XMin,XMax,YMin,YMax
a1,/m/cat,.5,0,0.25,0,0.5
b1,/m/dog,0.75,0.1,0.5,0.2,0.4
"""


@pytest.fixture
def write(tmp_path):
    def write(**files):
        for name, content in files.items():
            (tmp_path / f"{name}.csv").write_text(content, "utf-8")
        return tmp_path / f"{next(iter(files))}.csv"

    return write


def test_read_ground_truth_columns(write):
    truth = data.read_ground_truth(write(boxes=BOXES))

    assert (truth.format, truth.relative, truth.sizes) == ("xyxy", True, None)
    assert truth.image_names == {0: "a1", 1: "b1"}
    assert truth.categories == {0: "/m/cat", 1: "/m/dog"}
    assert truth.targets.images.tolist() == [1, 0, 0]
    assert truth.targets.labels.tolist() == [1, 0, 0]
    assert truth.targets.boxes.tolist() == [[0.1, 0.2, 0.5, 0.4], [0, 0, 1, 1], [0, 0, 0.25, 0.5]]
    assert truth.targets.crowd.tolist() == [False, True, False]
    assert truth.targets.negative is None


def test_read_ground_truth_with_image_size(write):
    truth = data.read_ground_truth(write(boxes=BOXES), "open-images", Options(image_size=(100, 200)))

    assert not truth.relative
    assert truth.targets.boxes.tolist() == [[20, 20, 100, 40], [0, 0, 200, 100], [0, 0, 50, 50]]


def test_read_image_level_labels(write, tmp_path):
    write(boxes=BOXES, labels=LABELS)
    truth = data.read_ground_truth(tmp_path)

    assert truth.image_names == {0: "a1", 1: "b1", 2: "c1"}
    assert truth.targets.negative.tolist() == [[0, 1], [2, 0]]
    assert len(truth.targets.labels) == 3


def test_present_classes_without_box_are_verified(write):
    # Of image b1 the dog has a box; of image c1 the cat has none, and the cow was not verified by a person.
    truth = data.read_ground_truth(
        write(boxes=BOXES + "b1,x,/m/dog,1,,,,,,\nc1,x,/m/cat,1,,,,,,\nc1,x,/m/cow,0.7,,,,,,\na1,x,/m/dog,0,,,,,,\n"),
        "open-images",
    )
    assert truth.targets.negative.tolist() == [[2, 0], [0, 2]]
    assert truth.present.tolist() == [True, False]

    detections = data.read_detections(
        write(detections=DETECTIONS + "c1,/m/cat,0.9,0,1,0,1\nc1,/m/cow,0.9,0,1,0,1\n"), truth
    )
    result = detection.evaluate(truth.targets, detections, protocol="open_images", format=truth.format)
    # The cat of image c1 is a false positive before the one of image a1, a true positive.
    assert result.per_class["AP"].tolist()[::2] == [pytest.approx(1 / 2), pytest.approx(1)]


def test_rows_without_box_are_image_level_labels(write):
    truth = data.read_ground_truth(write(boxes=BOXES + "c1,x,/m/cat,0,,,,,,\n"), "open-images")

    assert truth.targets.negative.tolist() == [[2, 0]]


def test_read_detections_columns(write):
    truth = data.read_ground_truth(write(boxes=BOXES))
    detections = data.read_detections(write(detections=DETECTIONS), truth)

    assert detections.scores.tolist() == [0.5, 0.75]
    assert detections.images.tolist() == [0, 1]
    assert detections.labels.tolist() == [0, 1]
    assert detections.boxes.tolist() == [[0, 0, 0.25, 0.5], [0.1, 0.2, 0.5, 0.4]]
    result = detection.evaluate(truth.targets, detections, protocol="open_images", format=truth.format)
    assert result.summary["AP"] == pytest.approx(1)


def test_unknown_classes_and_images_are_left_out_with_warning(write):
    truth = data.read_ground_truth(write(boxes=BOXES))
    detections = write(detections=DETECTIONS + "a1,/m/cow,1,0,1,0,1\nz1,/m/cat,1,0,1,0,1\n")

    with pytest.warns(InputWarning) as caught:
        assert len(data.read_detections(detections, truth).scores) == 2

    said = sorted(str(x.message).partition(": ")[2].partition(" of ")[0] for x in caught)
    assert said == [
        "1 detection excluded: '/m/cow' not among the categories",
        "1 detection excluded: 'z1' not among the images",
    ]


def test_read_detections_with_confidence_column(write):
    truth = data.read_ground_truth(write(boxes=BOXES))

    assert data.read_detections(write(detections=DETECTIONS.replace("Score", "Confidence")), truth).scores.tolist() == [
        0.5,
        0.75,
    ]


BAD = {
    "column": ("ImageID,XMin\na,1", "line 1: column LabelName: missing"),
    "corner": (f"{HEADING}\n{BOXES.splitlines()[1].replace('0.5,', ',')}", "line 2, XMax: missing"),
    "word": (BOXES.replace("0.25", "wide"), "line 4, XMax: expected number, got 'wide'"),
    "nan": (BOXES.replace("0.25", "nan"), "line 4, XMax: expected finite number, got nan"),
    "semicolons": (BOXES.replace(",", ";").replace("0.2;0.4", "0.2;x"), "line 2, YMax: expected number, got 'x'"),
    "group": (BOXES.replace("1,1\n", "1,many\n"), "line 3, IsGroupOf: expected 0 or 1, got 'many'"),
    "fields": (BOXES.replace("1,1\n", "1,1,1,1\n"), "line 3: more fields than the 10 columns"),
    "quote": (BOXES + '"a1', "line 5: not valid CSV: unexpected end of data"),
    "heading": (f'"{BOXES}', "line 4: not valid CSV: unexpected end of data"),
    "label": (BOXES + "a1,x,/m/dog,no,,,,,,\n", "line 5, Confidence: expected number, got 'no'"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_read_ground_truth_of_invalid_file_raises(write, content, message):
    with pytest.raises(InputError, match=rf"boxes\.csv: {message}"):
        data.read_ground_truth(write(boxes=content), "open-images")


BAD_DETECTIONS = {
    "score": (DETECTIONS.replace("0.75", "high"), "line 3, Score: expected number, got 'high'"),
    "no score": (DETECTIONS.replace("0.75", ""), "line 3, Score: missing"),
    "no scores": (DETECTIONS.replace("Score", "Sure"), "line 2, Confidence: missing"),
    "no box": (DETECTIONS + "b1,/m/dog,1,,,,", "line 4, XMin: missing"),
}


@pytest.mark.parametrize(("content", "message"), BAD_DETECTIONS.values(), ids=BAD_DETECTIONS)
def test_read_detections_of_invalid_file_raises(write, content, message):
    truth = data.read_ground_truth(write(boxes=BOXES))

    with pytest.raises(InputError, match=rf"detections\.csv: {message}"):
        data.read_detections(write(detections=content), truth)


def test_read_ground_truth_with_classes_file(write, tmp_path):
    (tmp_path / "names").write_text("/m/dog\n/m/cat", "utf-8")
    truth = data.read_ground_truth(write(boxes=BOXES), "open-images", Options(classes=tmp_path / "names"))

    assert truth.targets.labels.tolist() == [0, 1, 1]
    (tmp_path / "names").write_text("/m/dog\n/m/elk", "utf-8")
    with pytest.raises(InputError, match=r"boxes\.csv: line 3, LabelName: '/m/cat' is not among the categories"):
        data.read_ground_truth(write(boxes=BOXES), "open-images", Options(classes=tmp_path / "names"))
    write(boxes=BOXES.replace("cat", "elk"), labels=LABELS)
    with pytest.raises(InputError, match=r"labels\.csv: line 3, LabelName: '/m/cat' is not among the categories"):
        data.read_ground_truth(tmp_path, "open-images", Options(classes=tmp_path / "names"))


def test_read_ground_truth_from_empty_directory_raises(tmp_path):
    with pytest.raises(InputError, match="the directory has no CSV files"):
        data.read_ground_truth(tmp_path, "open-images")
