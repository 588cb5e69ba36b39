"""Reading Pascal VOC's XML and the text files of its devkit."""

import sys

import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, MissingLibraryError, Options
from tests import places

pytest.importorskip("defusedxml", reason="needs defusedxml")


def object_element(name="cat", box=(1, 2, 30, 40), more="", tags=("xmin", "ymin", "xmax", "ymax")):
    corners = "".join(f"<{tag}>{value}</{tag}>" for tag, value in zip(tags, box, strict=True))
    return f"<object><name>{name}</name>{more}<bndbox>{corners}</bndbox></object>"


DIFFICULT = "<difficult>1</difficult>"
PART = "<part><name>head</name><bndbox><xmin>0</xmin></bndbox></part>"


@pytest.fixture
def folder(tmp_path):
    """Write files into a directory, `__` in a name for the dot."""

    def write(name="Annotations", **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for stem, content in files.items():
            path = folder / stem.replace("__", ".")
            path.write_text(content, "utf-8")
        return folder

    return write


def annotation(*objects, size=""):
    return f"<annotation>{size}{''.join(objects)}</annotation>"


def test_read_ground_truth_columns(folder):
    size = "<size><width>500</width><height>375</height><depth>3</depth></size>"
    truth = data.read_ground_truth(
        folder(
            b__xml=annotation(object_element("dog", (1.5, 2, 3, 4), DIFFICULT), object_element(more=PART), size=size),
            a__xml=annotation(object_element(), size="<size><width>0</width><height>0</height></size>"),
            c__xml=annotation(),
            readme__txt="about",
        ),
        "voc",
    )

    assert truth.format == "xyxy"
    assert truth.image_names == {0: "a", 1: "b", 2: "c"}
    assert truth.categories == {0: "cat", 1: "dog"}
    assert truth.images.tolist() == [0, 1, 2]
    assert truth.targets.images.tolist() == [0, 1, 1]
    assert truth.targets.labels.tolist() == [0, 1, 0]
    assert truth.targets.boxes.tolist() == [[1, 2, 30, 40], [1.5, 2, 3, 4], [1, 2, 30, 40]]
    assert truth.targets.ignore.tolist() == [False, True, False]
    assert truth.sizes[1].tolist() == [375, 500]
    assert str(truth.sizes[[0, 2]].tolist()) == "[[nan, nan], [nan, nan]]"


def test_read_ground_truth_of_single_file(folder):
    path = folder(a__xml=annotation(object_element())) / "a.xml"

    assert data.read_ground_truth(path, "voc").image_names == {0: "a"}


def test_read_ground_truth_with_classes_file(folder, tmp_path):
    (tmp_path / "names").write_text("dog\ncat\n", "utf-8")
    options = Options(classes=tmp_path / "names")

    truth = data.read_ground_truth(folder(a__xml=annotation(object_element())), "voc", options)

    assert truth.categories == {0: "dog", 1: "cat"}
    assert truth.targets.labels.tolist() == [1]
    with pytest.raises(InputError, match=r"a\.xml: object 1, name: 'cow' is not among the categories of .*Annotations"):
        data.read_ground_truth(folder(a__xml=annotation(object_element("cow"))), "voc", options)


BAD = {
    "not XML": ("<annotation>", r"not valid XML: .*line 1"),
    "another": ("<svg></svg>", "expected an element 'annotation', got 'svg'"),
    "entities": ('<!DOCTYPE x [<!ENTITY a "b">]><annotation/>', "declares entities"),
    "no name": (annotation(object_element(), object_element("")), "object 2, name: missing"),
    "no box": (annotation("<object><name>cat</name></object>"), "object 1, bndbox: missing"),
    "no corner": (annotation(object_element(tags=("xmin", "ymin", "xmax", "y"))), "object 1, ymax: missing"),
    "a word": (annotation(object_element(box=(1, "left", 3, 4))), "object 1, ymin: expected number, got 'left'"),
    "nan": (annotation(object_element(box=(1, 2, "nan", 4))), "object 1, xmax: expected finite number, got nan"),
    "difficult": (
        annotation(object_element(more="<difficult>?</difficult>")),
        "object 1, difficult: expected 0 or 1, got",
    ),
    "size": (annotation(size="<size><width>a</width><height>1</height></size>"), "size, width: expected number, got"),
    "no height": (annotation(size="<size><width>1</width></size>"), "size, height: missing"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_read_ground_truth_of_invalid_file_raises(folder, content, message):
    with pytest.raises(InputError, match=rf"bad\.xml: {message}"):
        data.read_ground_truth(folder(a__xml=annotation(object_element()), bad__xml=content), "voc")


def test_read_ground_truth_from_directory_without_xml_raises(folder):
    with pytest.raises(InputError, match="Annotations: the directory has no XML files"):
        data.read_ground_truth(folder(readme__txt="about"), "voc")


def test_missing_defusedxml_raises(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "defusedxml", None)

    with pytest.raises(MissingLibraryError, match=r'needs defusedxml: pip install "\.\[cli\]" in a clone'):
        data.read_ground_truth(folder(a__xml=annotation(object_element())), "voc")


@pytest.fixture
def truth(folder):
    objects = object_element(), object_element("potted plant"), object_element("wild cat")
    return data.read_ground_truth(folder(x1__xml=annotation(*objects), x2__xml=annotation()), "voc")


def test_read_detections_from_class_files(folder, truth):
    detections = data.read_detections(
        folder(
            "results",
            comp4_det_val_cat__txt="x1 .5 1 2 3 4\nx2 0.25 5 6 7 8\n",
            **{"det_test_wild cat__txt": "x1 1 0 0 9 9", "potted plant__txt": ""},
        ),
        truth,
        "voc",
    )

    assert detections.images.tolist() == [0, 1, 0]
    assert [truth.categories[k] for k in detections.labels.tolist()] == ["cat", "cat", "wild cat"]
    assert detections.scores.tolist() == [0.5, 0.25, 1]
    assert detections.boxes.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 9, 9]]


def test_detections_of_unknown_class_are_left_out_with_warning(folder, truth):
    results = folder("results", det_cow__txt="x1 .5 1 2 3 4", det_cat__txt="x1 .5 1 2 3 4")

    with pytest.warns(InputWarning, match="results: 1 detection excluded: 'det_cow' not among the categories of"):
        detections = data.read_detections(results, truth, "voc")

    assert len(detections.scores) == 1


BAD_DETECTIONS = {
    "fields": ("x1 .5 1 2 3", r"line 2: expected image score x1 y1 x2 y2, got 5 fields"),
    "word": ("x1 .5 1 2 3 four", r"line 2, y2: expected number, got 'four'"),
    "score": ("x1 nan 1 2 3 4", r"line 2, score: expected number, got nan"),
    "infinite": ("x1 .5 1 2 3 inf", r"line 2, y2: expected finite number, got inf"),
    "image": ("x7 .5 1 2 3 4", r"line 2, image: 'x7' is not among the images of .*Annotations"),
}


@pytest.mark.parametrize(("content", "message"), BAD_DETECTIONS.values(), ids=BAD_DETECTIONS)
def test_read_detections_of_invalid_line_raises(folder, truth, content, message):
    with pytest.raises(InputError, match=rf"comp4_det_val_cat\.txt: {message}"):
        data.read_detections(folder("results", comp4_det_val_cat__txt=f"\n{content}"), truth, "voc")


# Folder of detections -> options for reading it.
TOY = {
    "dets_classname_abs_xyx2y2": {},
    "dets_classname_abs_xywh": {"boxes": "xywh"},
    "dets_classname_rel_xcycwh": {"boxes": "rel_cxcywh"},
    "dets_classid_abs_xyx2y2": {"classes": "voc.names"},
    "dets_classid_abs_xywh": {"classes": "voc.names", "boxes": "xywh"},
    "dets_classid_rel_xcycwh": {"classes": "voc.names", "boxes": "rel_cxcywh"},
}


@pytest.mark.parametrize("name", TOY)
@pytest.mark.parametrize(("offset", "key"), [(0, "plus0"), (1, "plus1")])
def test_evaluate_equals_published_voc_values(name, offset, key):
    folder = places.shared("rafael-toy")
    published = places.expected("rafael-toy")["voc"][key]["0.5"]
    folder /= "toyexample"
    options = {key: folder / value if key == "classes" else value for key, value in TOY[name].items()}
    truth = data.read_ground_truth(folder / "gts_vocpascal_format")
    detections = data.read_detections(folder / name, truth, "text", Options(**options))

    for protocol, which in (("voc2010", "mAP_area"), ("voc2007", "mAP_11pt")):
        result = detection.evaluate(truth.targets, detections, protocol=protocol, offset=offset, format=truth.format)
        assert result.summary["AP"] == pytest.approx(published[which], abs=1e-12)


NAMES = {"gb2312": "行人", "gbk": "镕", "big5": "行人", "shift_jis": "歩行者", "euc-kr": "사람", "windows-1251": "пёс"}
NAMES |= {"iso-8859-1": "piéton", "utf-16": "piéton", "latin-1": "ñandú", "UTF-8": "行人"}


@pytest.mark.parametrize("encoding", NAMES)
def test_files_are_read_in_the_encoding_that_they_declare(tmp_path, encoding):
    name = NAMES[encoding]
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + XML_OF_NAME.format(name)
    (tmp_path / "a.xml").write_bytes(text.encode(encoding))

    assert data.read_ground_truth(tmp_path, "voc").categories == {0: name}


def test_wider_set_than_declared(tmp_path):
    # 镕 is in GBK alone, and files that declare gb2312 have it.
    (tmp_path / "a.xml").write_bytes(
        b'<?xml version="1.0" encoding="gb2312"?>' + XML_OF_NAME.format("镕").encode("gbk")
    )

    assert data.read_ground_truth(tmp_path, "voc").categories == {0: "镕"}


@pytest.mark.parametrize(
    ("encoding", "content", "message"),
    [
        ("klingon", b"", "declares the encoding 'klingon', which is unknown"),
        ("zlib_codec", b"", "declares the encoding 'zlib_codec', which is unknown"),
        ("", b"", "declares the encoding '', which is unknown"),
        ("big5", b"\xff\xff", r"not text in 'big5', which it declares \(line 1, byte"),
        ("utf-8", b"\xe9", r"not UTF-8 text, and declares no other encoding \(line 1, byte"),
    ],
)
def test_encoding_that_does_not_fit_raises(tmp_path, encoding, content, message):
    (tmp_path / "a.xml").write_bytes(f'<?xml version="1.0" encoding="{encoding}"?><annotation>'.encode() + content)
    with pytest.raises(InputError, match=message):
        data.read_ground_truth(tmp_path, "voc")


XML_OF_NAME = (
    "<annotation><object><name>{}</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox>"
    "</object></annotation>"
)
