"""CSV of boxes: columns in any order, known by the words of the header."""

import pytest

from omniou import data
from omniou.data import InputError, Options


@pytest.fixture
def write(tmp_path):
    def write(text, name="labels.csv"):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return write


HEADERS = {
    "tensorflow": "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,60,50,cat,1,2,31,42",
    "pandas": ",filename,class,xmin,ymin,xmax,ymax,width,height\n0,a.jpg,cat,1.0,2.0,31.0,42.0,60,50",
    "other order": "ymax,xmax,label,ymin,xmin,image_id\n42,31,cat,2,1,a.jpg",
    "quoted": '"image","class","x1","y1","x2","y2"\n"a.jpg","cat","1","2","31","42"',
    "semicolons": "Image;Label;Left;Top;Right;Bottom;note\na.jpg;cat;1;2;31;42;seen",
    "tabs": "image_name\tcategory\tx_min\ty_min\tx_max\ty_max\na.jpg\tcat\t1\t2\t31\t42",
    "sides": "file_name,category_name,x,y,width,height\na.jpg,cat,1,2,30,40",
    "centre": "img,object_class,center_x,center_y,w,h\na.jpg,cat,16,22,30,40",
    "first corner": "path,name,left,top,width,height\na.jpg,cat,1,2,30,40",
    "windows": "image,class,x1,y1,x2,y2\r\na.jpg,cat,1,2,31,42\r\n",
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS)
def test_columns_are_known_by_their_words(write, text):
    truth = data.read_ground_truth(write(text))
    boxes = {"xyxy": [1, 2, 31, 42], "xywh": [1, 2, 30, 40], "cxcywh": [16, 22, 30, 40]}

    assert truth.targets.boxes.tolist() == [boxes[truth.format]]
    assert (truth.image_names, truth.categories) == ({0: "a.jpg"}, {0: "cat"})


def test_sizes_flags_and_images_without_objects(write):
    text = "filename,width,height,class,xmin,ymin,xmax,ymax,difficult,iscrowd\n"
    rows = 'a.jpg,60,50,cat,1,2,3,4,1,0\n"b, c.jpg",60,50,,,,,,,\na.jpg,60,50,"traffic light",1,2,3,4,0,True\n'
    truth = data.read_ground_truth(write(text + rows))

    assert truth.image_names == {0: "a.jpg", 1: "b, c.jpg"}
    assert truth.sizes.tolist() == [[50, 60], [50, 60]]
    assert truth.targets.ignore.tolist() == [True, False]
    assert truth.targets.crowd.tolist() == [False, True]
    assert truth.categories == {0: "cat", 1: "traffic light"}


def test_detections(write):
    truth = data.read_ground_truth(write("image,class,x1,y1,x2,y2\na.jpg,cat,1,2,31,42"))
    found = data.read_detections(write("confidence,x,y,w,h,image,class\n.25,1,2,30,40,a,cat", "dt.csv"), truth)

    assert (found.scores.tolist(), found.boxes.tolist()) == ([0.25], [[1, 2, 31, 42]])


@pytest.mark.parametrize(("score", "got"), [("-inf", "-inf"), ("1e999", "inf")])
def test_infinite_scores_raise_as_in_other_formats(write, score, got):
    truth = data.read_ground_truth(write("image,class,x1,y1,x2,y2\na.jpg,cat,1,2,31,42"))
    path = write(f"image,class,x1,y1,x2,y2,score\na.jpg,cat,1,2,31,42,{score}", "found.csv")
    with pytest.raises(InputError, match=f"line 2, score: expected finite number, got {got}"):
        data.read_detections(path, truth)


def test_fractions_are_relative(write):
    path = write("image,class,x1,y1,x2,y2\na.jpg,cat,0.1,0.2,0.5,1")

    assert data.read_ground_truth(path).relative
    truth = data.read_ground_truth(path, options=Options(image_size=(100, 200)))
    assert truth.targets.boxes.tolist() == [pytest.approx([20, 20, 100, 100])]


def test_numbers_of_classes_count_names(write, tmp_path):
    (tmp_path / "names.txt").write_text("cat\ndog", "utf-8")
    path = write("image,class_id,x1,y1,x2,y2\na.jpg,1,1,2,3,4")

    assert data.read_ground_truth(path, options=Options(classes=tmp_path / "names.txt")).categories[1] == "dog"
    with pytest.raises(InputError, match=r"line 2, class_id: 7 is not among the 2 names, counted from 0"):
        data.read_ground_truth(
            write("image,class_id,x1,y1,x2,y2\na.jpg,7,1,2,3,4"), options=Options(classes=tmp_path / "names.txt")
        )


HEADER = "image,class,x1,y1,x2,y2"
FAULTS = {
    "word": (f"{HEADER}\na.jpg,cat,1,2,x,4", r"line 2, x2: expected number, got 'x'"),
    "missing": (f"{HEADER}\na.jpg,cat,1,2,3,4\na.jpg,cat,1,2,,4", r"line 3, x2: missing"),
    "short": (f"{HEADER}\na.jpg,cat,1,2", r"line 2, x2: missing"),
    "image": (f"{HEADER}\n,cat,1,2,3,4", r"line 2, image: missing"),
    "endless": (f"{HEADER}\na.jpg,cat,1,2,inf,4", r"line 2, x2: expected finite number, got inf"),
    "fields": (f"{HEADER}\na.jpg,cat,1,2,3,4,5", "line 2: 7 fields, and the header has 6"),
    "decimal commas": (f"{HEADER}\na.jpg,cat,1,5,2,5,3,5,4,5", "are there numbers with a comma in place of the point"),
    "quotes": (f'{HEADER}\na.jpg,"cat,1,2,3,4', "not valid CSV"),
    "sizes": (
        "image,width,height,class,x1,y1,x2,y2\na.jpg,9,9,cat,1,2,3,4\na.jpg,8,9,cat,1,2,3,4",
        r"line 3, width: image 'a\.jpg' has another size above, 9 x 9",
    ),
    "flag": (f"{HEADER},difficult\na.jpg,cat,1,2,3,4,.5", r"line 2, difficult: expected 0 or 1, got '.5'"),
}


@pytest.mark.parametrize(("text", "fault"), FAULTS.values(), ids=FAULTS)
def test_faults_are_named(write, text, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write(text))


def test_header_without_a_box_raises_where_the_format_is_named(write):
    with pytest.raises(
        InputError, match="line 1: no column of the box among 'image', 'class', 'x1': such as image, cl"
    ):
        data.read_ground_truth(write("image,class,x1\na.jpg,cat,1"), "csv")


def test_files_of_a_directory_have_the_same_columns(write, tmp_path):
    write(f"{HEADER}\na.jpg,cat,1,2,3,4", "1.csv")
    write(f"{HEADER}\nb.jpg,cat,1,2,3,4", "2.csv")
    assert data.read_ground_truth(tmp_path).image_names == {0: "a.jpg", 1: "b.jpg"}

    write("image,class,x,y,w,h\nb.jpg,cat,1,2,3,4", "2.csv")
    with pytest.raises(InputError, match=r"2\.csv: line 1: the columns differ from the columns of .*1\.csv"):
        data.read_ground_truth(tmp_path)


def test_what_is_written_is_read_as_it_was(write, tmp_path):
    text = "filename,width,height,class,xmin,ymin,xmax,ymax,iscrowd,difficult\n"
    rows = 'sub/a.jpg,60,50,cat,1,2,3.5,4,1,0\nsub/a.jpg,60,50,"a, b",1,2,3,4,0,1\nb.jpg,,,cat,5,6,7,8,0,0\n'
    empty = "c.jpg,70,80,,,,,,,\n"
    truth = data.read_ground_truth(write(text + rows + empty))
    data.write_ground_truth(truth, tmp_path / "out.csv", "csv")
    assert (tmp_path / "out.csv").read_text("utf-8") == text + rows + empty

    found = data.read_detections(write("image,class,x,y,w,h,score\nb,cat,1,2,3,4,.5", "dt.csv"), truth)
    data.write_detections(found, truth, tmp_path / "found.csv", "csv")
    assert (tmp_path / "found.csv").read_text("utf-8").splitlines()[1] == "b.jpg,,,cat,1,2,4,6,0.5"


def test_intervals_by_columns_of_many_names(tmp_path):
    options = Options(kind="intervals")
    (tmp_path / "gt.csv").write_text("Video ID,label,t-start,t-end\nv1,Golf,0.5,1\nv2,Golf,3,9.5\nv3,,,\n", "utf-8")
    (tmp_path / "dt.csv").write_text("score;start;end;class;video\n.5;3;8;Golf;v2\n", "utf-8")
    truth = data.read_ground_truth(tmp_path / "gt.csv", options=options)
    found = data.read_detections(tmp_path / "dt.csv", truth, options=options)

    assert (truth.format, truth.targets.boxes.tolist()) == ("xx", [[0.5, 1], [3, 9.5]])
    assert truth.image_names == {0: "v1", 1: "v2", 2: "v3"}
    assert (found.boxes.tolist(), found.images.tolist()) == ([[3, 8]], [1])


def test_intervals_that_do_not_fit_name_line_and_column(tmp_path):
    path, options = tmp_path / "gt.csv", Options(kind="intervals")
    path.write_text("video,label,start,end\nv1,Golf,0,1\nv2,Golf,9,3\n", "utf-8")
    with pytest.raises(InputError, match=r"gt\.csv: line 3, end: must end after it begins, got 9, 3"):
        data.read_ground_truth(path, options=options)
    path.write_text("image,label,x1,y1,x2,y2\n", "utf-8")
    with pytest.raises(
        InputError, match=r"line 1: no column of the interval among .*: such as video, class, start, end"
    ):
        data.read_ground_truth(path, options=options)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas(tmp_path, separator):
    lines = ["image;class;x;y;w;h;score", "a.jpg;cat;1,5;-,25;3;1,5e1;0,75", "a.jpg;cat;1,500;0,250;3;4;0,5"]
    (tmp_path / "a.csv").write_text("\n".join(lines).replace(";", separator), "utf-8")
    (found,) = data.read_detections_only([tmp_path / "a.csv"]).detections
    assert found.boxes.tolist() == [[1.5, -0.25, 3, 15], [1.5, 0.25, 3, 4]]
    assert found.scores.tolist() == [0.75, 0.5]


@pytest.mark.parametrize(("box", "relative"), [("0,0,1,1", False), ("0,0,1.2,1.5", True), ("0,0,1.6,1.5", False)])
def test_whole_numbers_and_sides_above_one_and_a_half_are_pixels(write, box, relative):
    assert data.read_ground_truth(write(f"image,class,x1,y1,x2,y2\na.jpg,cat,{box}")).relative == relative


def test_flags_of_pandas_are_numbers(write):
    rows = "image,class,x1,y1,x2,y2,iscrowd\na.jpg,cat,1,2,3,4,0.0\na.jpg,cat,1,2,3,4,1.0"
    assert data.read_ground_truth(write(rows)).targets.crowd.tolist() == [False, True]
