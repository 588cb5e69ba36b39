"""The words of columns and of fields by what they mean, and what stands in place of a field that is missing."""

import re
from collections.abc import Mapping, Sequence

# Role of a column -> its names in lower case, without blanks and marks between words.
WORDS = {
    "image": "image filename file imageid imagename imagefile imagepath imgid img imgname path filepath frame "
    "video videoid videoname",
    "class": "class label classname category categoryname labelname object objectclass classid categoryid labelid name",
    "score": "score confidence conf prob probability scores",
    "difficult": "difficult isdifficult ignore ignored",
    "crowd": "iscrowd crowd isgroupof",
    "image_width": "imagewidth imgwidth imwidth imgw origwidth",
    "image_height": "imageheight imgheight imheight imgh origheight",
    "x1": "x1 xmin left xtl minx bboxxmin bboxx1 bboxleft",
    "y1": "y1 ymin top ytl miny bboxymin bboxy1 bboxtop",
    "x2": "x2 xmax right xbr maxx bboxxmax bboxx2 bboxright",
    "y2": "y2 ymax bottom ybr maxy bboxymax bboxy2 bboxbottom",
    "cx": "cx xcenter xcentre centerx centrex xc",
    "cy": "cy ycenter ycentre centery centrey yc",
    "x": "x bboxx",
    "y": "y bboxy",
    "w": "w width bboxwidth bboxw boxwidth",
    "h": "h height bboxheight bboxh boxheight",
    "start": "start begin tstart starttime segmentstart starts",
    "end": "end stop tend endtime segmentend ends",
}
# Fields of COCO's records -> their role, and more words for it than columns have.
FIELDS = {
    "image_id": ("image", "id"),
    "category_id": ("class", "cls classes labels type"),
    "score": ("score", "confidences certainty"),
    "bbox": ("bbox", "box boundingbox boxes bboxes rect rectangle box2d xyxy xywh cxcywh"),
}
_ORDERS = ("xywh", "xyxy", "cxcywh")
_RECORDS = re.compile(rb"\s*\[\s*\{")
_SIDES = ("x1", "y1", "x2", "y2", "cx", "cy", "x", "y", "w", "h")


def known_columns(header: Sequence[str]) -> dict[str, str]:
    """What each column is -> its name in a file; the first of several that are the same."""
    by_word = {plain(word): word for word in reversed(header)}
    found: dict[str, str] = {}
    for what, words in WORDS.items():
        name = next(
            (by_word[word] for word in words.split() if word in by_word and by_word[word] not in found.values()), None
        )
        if name is not None:
            found[what] = name
    return found


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def instead_of(field: str, record: Mapping[str, bytes]) -> str:
    """What a record of JSON, with its values undecoded, has in place of a field of COCO's; empty if nothing."""
    role, more = FIELDS[field]
    names = [name for name in record if name not in FIELDS]
    words = (WORDS.get(role, "") + " " + more).split()
    found = [name for word in words for name in names if plain(name) == word][:1]
    if field == "bbox" and not found:
        roles = known_columns(names)
        found = [roles[side] for side in _SIDES if side in roles]
        found = found if len(found) == 4 else []
    if not found:
        inner = next((name for name, x in record.items() if _RECORDS.match(x)), None)
        return "" if inner is None else f"{inner!r} has records: write one list of them, each with its image_id"
    value = record[found[0]].lstrip()
    if value.startswith(b"[[" if field == "bbox" else b"["):
        return f"{found[0]!r} is a list: write a record for each detection"
    if value.startswith(b"{"):
        return f"{found[0]!r} is an object: write {field} in its place"
    order = f", and --dt-boxes {plain(found[0])} reads its order" if plain(found[0]) in _ORDERS[1:] else ""
    shown = ", ".join(map(repr, found))
    way = "omniou reads image_id, category_id, bbox (x, y, width, height), and of detections score"
    return f"is it {shown}? Rename it{order}: {way}"


def renaming(field: str, names: Sequence[str]) -> str:
    """The column that may be a field of COCO's under another name; empty if there is none."""
    return instead_of(field, dict.fromkeys(names, b""))
