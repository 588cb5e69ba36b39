"""Which format a file or a directory has, by its content.

What tells formats apart is declared by their readers: COCO's files are recognised by the keys that they begin with, and
no reader of another format is imported for them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from omniou.data import _files, _formats, _names, _paths
from omniou.data._errors import InputError
from omniou.data._formats import Fields, near_miss
from omniou.data._names import Listed
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth, UnknownTruth

# How many files of a directory, and lines of a file, are read to recognise its format.
_FILES, _LINES = 200, 50
_YAML = {".yaml", ".yml"}

_VIA = "are annotations of the VGG Image Annotator (VIA), which are not read"
_VIA_WAY = "export COCO's format there (Annotation > Export annotations)"
_CREATE_ML = (
    "is JSON of Apple's CreateML, which is not read: convert it to COCO's format, or to text files with lines "
    "`class cx cy w h` in pixels, which --gt-format text --gt-boxes cxcywh reads"
)


_ROLABELIMG = (
    "is XML of roLabelImg, whose rotated boxes (robndbox) are not read: write DOTA's text files of four corners, or "
    "COCO's JSON with bbox (cx, cy, width, height, angle)"
)


def _is_via(peek: Peek) -> bool:
    return "_via_img_metadata" in peek.keys or any(
        key.endswith((".shape_attributes", ".region_attributes")) for key in peek.keys
    )


def _is_supervisely(peek: Peek) -> bool:
    has_objects = any(key.endswith("objects[].classTitle") for key in peek.keys)
    return has_objects or {"description", "tags", "size", "objects"} <= peek.keys


def _is_datumaro(peek: Peek) -> bool:
    return {"categories", "items"} <= peek.keys and bool(peek.keys & {"info", "infos", "dm_format_version"})


# Formats that omniou does not read: whether a file is one, and what to do. They are tried before the readers.
_FOREIGN: tuple[tuple[Callable[[Peek], bool], str], ...] = (
    (_is_via, f"{_VIA}: {_VIA_WAY}"),
    (lambda peek: {"project", "view", "metadata"} <= peek.keys, f"{_VIA} (version 3): {_VIA_WAY} with VIA 2"),
    (lambda peek: {"region_shape_attributes", "region_attributes"} <= set(peek.header), f"{_VIA} (CSV): {_VIA_WAY}"),
    (lambda peek: {"[].annotations[].coordinates", "[].annotations[].label"} <= peek.keys, _CREATE_ML),
    (lambda peek: "[].image" in peek.keys and "[].annotations" in peek.keys, _CREATE_ML),
    (_is_supervisely, "is JSON of Supervisely, which is not read: the app Export to COCO writes COCO's format"),
    (_is_datumaro, "is JSON of Datumaro, which is not read: `datum convert -if datumaro -f coco` writes COCO's format"),
    (lambda peek: "robndbox" in peek.tags, _ROLABELIMG),
    (
        lambda peek: "annotations[].segments_info" in peek.keys,
        "is a panoptic segmentation of COCO: --kind panoptic reads it",
    ),
    (
        lambda peek: "annotations" in peek.tags and "track" in peek.tags and "image" not in peek.tags,
        'is XML of CVAT for videos, which is not read: export the task as "CVAT for images 1.1"',
    ),
)


class _Line(NamedTuple):
    file: Path
    number: int
    fields: Fields


def ground_truth(path: Path, kind: str) -> str:
    """The name of the format of a ground truth; "coco" also for LVIS's, which only the whole file tells apart."""
    if (name := by_start(path)) is not None:
        return name
    lines = _lines(path)
    name = _by_lines("truth", kind, lines, "--gt-format")
    check = _formats.declared(name).truth.check
    if check is not None:
        check(path, [line.fields for line in lines])
    return name


def detections(path: Path, truth: GroundTruth, kind: str, *, missing_scores: bool = False) -> str:
    """The name of the format of detections in what the ground truth has; without scores, lines are as the truth's."""
    if (name := by_start(path)) is not None:
        return name
    lines = _lines(path)
    name = _by_lines("truth" if missing_scores else "detections", kind, lines)
    reader = _formats.declared(name).detections
    check = _formats.declared(name).truth.check if missing_scores else reader.check
    if check is not None:
        try:
            check(path, [line.fields for line in lines])
        except InputError as error:
            way = " --missing-scores is for detections without scores" if missing_scores else ""
            raise InputError(path, f"{error.fault}{way}", place=error.place) from None
    return reader.per_class if reader.per_class and _are_called_as_classes(path, truth, lines) else name


def made_for(truth: Path, models: Sequence[Path], names: tuple[str | None, str | None], kind: str) -> str:
    """The first kind that the format of a ground truth is made for and that all detections have; else `kind`."""
    own = _formats.declared(names[0] or ground_truth(truth, kind)).made_for
    if not own:
        return kind
    of_models = [names[1] or by_start(path) or _by_lines("detections", own[0], _lines(path)) for path in models]
    known = [_formats.declared(name).detections.kinds for name in of_models]
    return next((x for x in own if all(x in kinds for kinds in known)), kind)


def by_start(path: Path) -> str | None:
    """The name of the format that the first bytes give away; None for lines of text, or files that are all empty."""
    if path.suffix.lower() in _YAML and path.is_file():
        raise InputError(path, "is YAML, such as the description of a data set: name the directory of its labels")
    name = None
    for file, head in _heads(path):
        if what := _files.what_else(head):
            raise InputError(file, what)
        text = head.lstrip()
        if not text and path.is_file():
            raise InputError(path, "the file has only blanks")
        name = _by_bytes(file, Peek(text))
        if text.rstrip() != b"[]":  # an empty list may be of any format
            return name
    if name is not None:
        return name
    if path.is_file():
        raise InputError(path, "the file is empty")
    if not any(map(may_have_objects, _files.in_folder(path))):
        way = "--kind semantic and --kind panoptic read label maps in PNG files"
        raise InputError(path, f"the directory has no files of objects, only pictures or lists of names: {way}")
    return None


def _by_bytes(file: Path, peek: Peek) -> str | None:
    """Return the format that recognises a file, or else the format whose files begin so."""
    if what := next((what for fits, what in _FOREIGN if fits(peek)), ""):
        raise InputError(file, what)
    if _is_kaggle(file, peek):
        raise InputError(file, f"is {near_miss.KAGGLE}")
    for format in _formats.every():
        if format.recognises is not None and format.recognises(peek):
            return format.name
    return next((format.name for format in _formats.every() if peek.start.startswith(format.starts)), None)


def _is_kaggle(file: Path, peek: Peek) -> bool:
    """Whether a table has a row of all detections for each image, with or without a header."""
    lines = peek.start.decode("utf-8", "replace").splitlines()[:_LINES]
    in_rows = file.suffix.lower() == ".csv" and any(map(near_miss.is_kaggle, lines))
    return "predictionstring" in {x.lower() for x in peek.header} or in_rows


def _heads(path: Path) -> Iterator[tuple[Path, bytes]]:
    """The first bytes of the files that have any, but pictures and lists of names."""
    files = _files.in_folder(path)
    if not files:
        raise _files.lacking(path, "files")
    for file in files if path.is_file() else islice(filter(may_have_objects, files), _FILES):
        if head := _files.head(file):
            yield file, head


def may_have_objects(path: Path) -> bool:
    """Whether a file is neither a picture nor a list of names."""
    from omniou.data._formats import text_lines

    ending = path.suffix.lower()
    others = {".names", ".md"} | _YAML | _paths.PICTURES
    return ending not in others and not (ending == ".txt" and text_lines.has_no_objects(path))


def _lines(path: Path) -> list[_Line]:
    """The first lines of the first files, and the file of each."""
    headings = tuple(heading for format in _formats.every() for heading in format.headings)
    first: list[_Line] = []
    for file, head in _heads(path):
        # The last line may be cut off.
        lines = head.decode("utf-8", "replace").splitlines()[: None if len(head) < _files.HEAD else -1]
        first += [
            _Line(file, number, fields)
            for number, x in enumerate(lines, start=1)
            if (fields := x.split()) and not fields[0].startswith(headings)
        ]
        if len(first) >= _LINES:
            break
    return first[:_LINES]


def _by_lines(
    which: Literal["truth", "detections"], kind: str, lines: Sequence[_Line], option: str = "--dt-format"
) -> str:
    """The first format of those that fit most lines; its reader says what is wrong with the others."""
    readers = {format.name: getattr(format, which) for format in _formats.every()}
    fitting = {name: reader.fits for name, reader in readers.items() if reader.fits is not None}
    if not lines:  # any that has the kind reads no objects: the last one is the simplest
        return next((name for name in reversed(fitting) if kind in readers[name].kinds), "text")
    counts = {name: sum(fits(line.fields) for line in lines) for name, fits in fitting.items()}
    name = max(counts, key=counts.__getitem__)
    if not counts[name]:
        raise _not_recognised(which, lines[0], option)
    return name


def _not_recognised(which: Literal["truth", "detections"], line: _Line, option: str) -> InputError:
    """What the first line may be instead."""

    def fits(role: str) -> near_miss.Fits:
        readers: list[Any] = [getattr(format, role) for format in _formats.every()]
        return lambda fields: any(x.fits(fields) for x in readers if x.fits is not None)

    shown = " ".join(line.fields)
    role: near_miss.Role = "ground truth" if which == "truth" else "detections"
    other = "detections" if which == "truth" else "truth"
    hint = near_miss.hint(shown, role, fits(which), fits(other))
    fault = f"the format is not recognised from lines such as {shown[:80]!r}"
    place = f"line {line.number}" if hint else ""
    return InputError(line.file, f"{fault}: {hint or f'{option} names it'}", place=place)


def _are_called_as_classes(path: Path, truth: GroundTruth, lines: Sequence[_Line]) -> bool:
    """Whether files are called as classes, and the lines begin with images."""
    from omniou.data._formats import text_lines

    if isinstance(truth, UnknownTruth):
        return _are_named_as_classes(path, lines)
    images = Listed(truth.image_names, truth.image_naming)
    files = [_paths.name_in(path, x) for x in text_lines.files_of(path)]

    def are_images(names: list[str]) -> bool:
        match = _names.matched(names, images, paths=True)
        return bool(match.known.any() or match.unclear)

    return not are_images(files) and are_images([line.fields[0] for line in lines])


def _are_named_as_classes(path: Path, lines: Sequence[_Line]) -> bool:
    """Whether files are called as classes, without known images: the names of a devkit's files decide.

    Lines ``word score x1 y1 x2 y2`` begin with a class in a file for each image, and with an image in a file for each
    class. Words with three digits or more, or the ending of a picture, are most likely images.
    """
    from omniou.data._formats import text_lines

    if text_lines.are_of_classes(text_lines.files_of(path)):
        return True
    words = [line.fields[0] for line in lines]
    if odd := next((x for x in words if sum(c.isdigit() for c in x) > 2 or Path(x).suffix in _paths.PICTURES), None):
        fault = f"lines begin with words such as {odd[:40]!r}: classes, or images in files that are named as classes?"
        raise InputError(path, f"{fault} --format text or voc, or the ground truth, tells")
    return False
