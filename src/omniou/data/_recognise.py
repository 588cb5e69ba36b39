"""Which format a file or a directory has, by its content.

Modules of text formats are imported where they are needed: a JSON file is recognised by its first byte.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from omniou.data import _files, _names
from omniou.data._errors import InputError
from omniou.data._names import Listed
from omniou.data._truth import GroundTruth

# How many files of a directory, and lines of a file, are read to recognise its format.
_FILES, _LINES = 200, 50

Fields = list[str]


def ground_truth(path: Path) -> str:
    """The name of the format of a ground truth; "json" for COCO's and LVIS's, which only reading distinguishes."""
    format = kind(path)
    return format if format != "text" else _most_fitting(path, _TRUTH, "--gt-format")


def detections(path: Path, truth: GroundTruth) -> str:
    """The name of the format of detections in what the ground truth has."""
    format = kind(path)
    if format == "json":
        return "coco"
    if format != "text":
        return format
    name = _most_fitting(path, _DETECTIONS, "--dt-format")
    if name == "yolo":
        _check_score_is_last(path)
    return "voc" if name == "text" and _are_about_classes(path, truth) else name


def kind(path: Path) -> str:
    """What the first bytes give away: the name of a format, or only "json" or "text"."""
    for file, head in _heads(path):
        if what := _files.what_else(head):
            raise InputError(file, what)
        if head.startswith((b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")):
            return "parquet"
        text = head.lstrip()
        if not text and path.is_file():
            raise InputError(path, "the file is empty but for blanks")
        if text.startswith((b"{", b"[")):
            return "json"
        if text.startswith(b"<"):
            return "voc"
        if text.startswith(b"ImageID,"):
            return "open-images"
        return "text"
    if path.is_file():
        raise InputError(path, "the file is empty")
    return "text"


def _heads(path: Path) -> Iterator[tuple[Path, bytes]]:
    """The first bytes of the files that have any, but pictures and lists of names."""
    files = _files.in_folder(path)
    if not files:
        raise InputError(path, "the directory has no files")
    for file in files if path.is_file() else islice(filter(_may_have_objects, files), _FILES):
        if head := _files.head(file):
            yield file, head


def _may_have_objects(path: Path) -> bool:
    from omniou.data import _text

    ending = path.suffix.lower()
    others = {".names", ".yaml", ".yml", ".md"} | _names.PICTURES
    return ending not in others and not (ending == ".txt" and _text.has_no_objects(path))


def _lines(path: Path) -> list[tuple[Path, Fields]]:
    """The first lines of the first files, and the file of each."""
    from omniou.data.dota import HEADINGS

    lines_of_files: list[tuple[Path, Fields]] = []
    for file, head in _heads(path):
        # The last line may be cut off.
        lines = head.decode("utf-8", "replace").splitlines()[: None if len(head) < _files.HEAD else -1]
        lines_of_files += [
            (file, fields) for x in lines if (fields := x.split()) and not fields[0].startswith(HEADINGS)
        ]
        if len(lines_of_files) >= _LINES:
            break
    return lines_of_files[:_LINES]


def _most_fitting(path: Path, formats: Sequence[tuple[str, Callable[[Fields], bool]]], option: str) -> str:
    """The first format of those that fit most lines; its reader says what is wrong with the others."""
    lines = _lines(path)
    if not lines:
        return "text"
    counts = {name: sum(fits(fields) for _, fields in lines) for name, fits in formats}
    name = max(counts, key=counts.__getitem__)
    if not counts[name]:
        file, fields = lines[0]
        shown = " ".join(fields)[:80]
        raise InputError(file, f"the format is not recognised from lines such as {shown!r}: {option} names it")
    return name


def _check_score_is_last(path: Path) -> None:
    """Six fractions may also be a class, a score and a box: then the box of YOLO's reading leaves the image."""
    lines = [list(map(float, fields[1:])) for _, fields in _lines(path) if _are_fractions(fields[1:])]
    last, second = (sum(_is_inside(*x[k : k + 4]) for x in lines if len(x) == 5) for k in (0, 1))
    if second > last:
        fault = "the scores seem to come before the boxes: then --dt-format text --dt-boxes rel_cxcywh reads them"
        raise InputError(path, f"{fault}; --dt-format yolo does, if they do not")


def _is_inside(cx: float, cy: float, w: float, h: float) -> bool:
    """Whether a box leaves the image by no more than rounding does."""
    return all(c - side / 2 >= -0.01 and c + side / 2 <= 1.01 for c, side in ((cx, w), (cy, h)))


def _are_about_classes(path: Path, truth: GroundTruth) -> bool:
    """Whether files are called as classes, and the lines begin with images."""
    from omniou.data import _text

    images = Listed(truth.image_names, truth.image_naming)
    files = [x.stem for x in _text.files_of(path)]
    if _names.matched(files, images)[1].any():
        return False
    return bool(_names.matched([fields[0] for _, fields in _lines(path)], images)[1].any())


def _are_numbers(fields: Sequence[str]) -> bool:
    try:
        return bool([float(x) for x in fields])
    except ValueError:
        return False


def _are_fractions(fields: Sequence[str]) -> bool:
    """Rounding, and objects that leave the image, may lead a little beyond 0 and 1."""
    return _are_numbers(fields) and all(-0.5 <= float(x) <= 1.5 for x in fields)


def _is_dota(x: Fields) -> bool:
    return len(x) in {9, 10} and _are_numbers(x[:8]) and not _are_numbers(x[8:9])


def _is_yolo(x: Fields, *, scored: bool) -> bool:
    """A box, or a polygon, whose class must be a number: lines of many fractions may be something else."""
    from omniou.data import yolo

    line = yolo.DETECTION if scored else yolo.TRUTH
    is_polygon = line.points(x) > 0 and x[0].isdecimal()
    return (len(x) == len(line.fields) or is_polygon) and _are_fractions(x[1:])


# In the order of preference. Six fractions are YOLO's, the score last, though a score may come first, too.
_TRUTH = (
    ("dota", _is_dota),
    ("yolo", lambda x: _is_yolo(x, scored=False)),
    ("kitti", lambda x: len(x) == 15 and _are_numbers(x[1:])),
    ("text", lambda x: len(x) in {5, 6} and _are_numbers(x[1:])),
)
_DETECTIONS = (
    ("yolo", lambda x: _is_yolo(x, scored=True)),
    ("dota", lambda x: len(x) == 10 and _are_numbers(x[1:])),
    ("kitti", lambda x: len(x) == 16 and _are_numbers(x[1:])),
    ("text", lambda x: len(x) == 6 and _are_numbers(x[1:])),
)
