"""Writers of folders of text: YOLO, text, KITTI, DOTA and Pascal VOC. Each is names of files and their bytes."""

import re
from html import escape

from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data._errors import OptionError
from omniou.data.writing._written import Column, Content, number, numbers

Files = dict[str, bytes]


def yolo(content: Content) -> Files:
    """``class cx cy w h [score]``, or the corners of oriented boxes, relative; and the names of classes."""
    _lose_flags(content, "crowd", "ignore")
    place = {id: k for k, id in enumerate(content.truth.categories)}
    upright = content.truth.geometry is UPRIGHT
    boxes, scores = content.upright("rel_cxcywh") if upright else content.relative_corners(), content.scores
    files: Files = {}
    for name, rows in content.by_image():
        lines = [f"{place[int(content.labels[k])]} {numbers(boxes[k])}{_score(scores, k)}\n" for k in rows]
        files[f"{name}.txt"] = "".join(lines).encode()
    names = [" ".join(name.split()) for name in content.truth.categories.values()]
    return files | {"classes.txt": "".join(f"{name}\n" for name in names).encode()}


def text(content: Content) -> Files:
    """``class x1 y1 x2 y2 [difficult]``, or with the score behind the class."""
    _lose_flags(content, "crowd")
    words, boxes, scores, ignore = content.words(), content.upright("xyxy"), content.scores, content.flags("ignore")
    files: Files = {}
    for name, rows in content.by_image():
        lines = [f"{words[k]}{_score(scores, k)} {numbers(boxes[k])}{' 1' if ignore[k] else ''}\n" for k in rows]
        files[f"{name}.txt"] = "".join(lines).encode()
    return files


def kitti(content: Content) -> Files:
    """Write KITTI's 15 fields. Only the class and the box are known; crowds are "DontCare"."""
    _lose_flags(content, "ignore")
    words, boxes, scores, crowd = content.words(), content.upright("xyxy"), content.scores, content.flags("crowd")
    content.lose("crowds became regions of every class", int(crowd.sum()))
    files: Files = {}
    for name, rows in content.by_image():
        lines = []
        for k in rows:
            head = "DontCare -1 -1 -10" if crowd[k] else f"{words[k]} 0 0 -10"
            lines.append(f"{head} {numbers(boxes[k])} -1 -1 -1 -1000 -1000 -1000 -10{_score(scores, k)}\n")
        files[f"{name}.txt"] = "".join(lines).encode()
    return files


def dota_truth(content: Content) -> Files:
    """``x1 y1 x2 y2 x3 y3 x4 y4 class difficult``."""
    _lose_flags(content, "crowd")
    words, corners, ignore = content.words(), content.corners(), content.flags("ignore")
    files: Files = {}
    for name, rows in content.by_image():
        lines = [f"{numbers(corners[k])} {words[k]} {int(ignore[k])}\n" for k in rows]
        files[f"{name}.txt"] = "".join(lines).encode()
    return files


def dota_detections(content: Content) -> Files:
    """A file for each class: ``image score x1 y1 ... y4``."""
    content.words()  # which notes blanks
    return _by_class(content, content.corners(), "Task1_", blanks=False)


def voc_truth(content: Content) -> Files:
    """An XML file for each image."""
    _lose_flags(content, "crowd")
    boxes, ignore = content.upright("xyxy"), content.flags("ignore")
    sizes = dict(zip(content.truth.images.tolist(), _sizes(content), strict=True))
    ids = {name: id for id, name in content.image_names().items()}
    files: Files = {}
    for name, rows in content.by_image():
        id = ids[name]
        filename = _xml(content.truth.image_names.get(id, name))
        parts = [f"<annotation>\n  <filename>{filename}</filename>\n", _size(*sizes[id])]
        for k in rows:
            label = _xml(content.truth.categories[int(content.labels[k])])
            bounds = "".join(
                f"<{tag}>{number(x)}</{tag}>" for tag, x in zip(("xmin", "ymin", "xmax", "ymax"), boxes[k], strict=True)
            )
            difficult = int(ignore[k])
            parts.append(
                f"  <object>\n    <name>{label}</name>\n    <difficult>{difficult}</difficult>\n"
                f"    <bndbox>{bounds}</bndbox>\n  </object>\n"
            )
        files[f"{name}.xml"] = "".join([*parts, "</annotation>\n"]).encode()
    return files


# Characters that XML cannot hold, however they are written.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml(name: str) -> str:
    if found := _NOT_XML.search(name):
        raise OptionError(f"the name {name!r} has the character U+{ord(found[0]):04X}, which XML cannot hold")
    return escape(name, quote=False)


def voc_detections(content: Content) -> Files:
    """A file for each class: ``image score x1 y1 x2 y2``."""
    return _by_class(content, content.upright("xyxy"), "comp4_det_test_", blanks=True)


def _by_class(content: Content, shapes: Column, prefix: str, *, blanks: bool) -> Files:
    scores = content.scores
    if scores is None:
        raise OptionError("lines of these files have a score, and the detections have none: write coco, csv or text")
    images = {id: _word(name) for id, name in content.image_names().items()}
    if len(set(images.values())) < len(images):
        raise OptionError("names of images are the same without blanks")
    files: Files = {}
    for name, rows in content.by_class(blanks=blanks):
        lines = [f"{images[int(content.images[k])]} {number(scores[k])} {numbers(shapes[k])}\n" for k in rows]
        files[f"{prefix}{name}.txt"] = "".join(lines).encode()
    return files


def _word(name: str) -> str:
    return "_".join(name.split())


def _sizes(content: Content) -> list[tuple[float, float]]:
    sizes = content.truth.sizes
    if sizes is None:
        return [(float("nan"), float("nan"))] * len(content.truth.images)
    return [(float(height), float(width)) for height, width in sizes]


def _size(height: float, width: float) -> str:
    if height != height or width != width:  # noqa: PLR0124  (NaN)
        return ""
    return f"  <size><width>{number(width)}</width><height>{number(height)}</height><depth>3</depth></size>\n"


def _score(scores: Column | None, row: int) -> str:
    return "" if scores is None else f" {number(scores[row])}"


def _lose_flags(content: Content, *names: str) -> None:
    words = {
        "crowd": "crowds became single objects",
        "ignore": "ignored objects became objects that count",
    }
    for name in names:
        content.lose(words[name], int(content.flags(name).sum()))
