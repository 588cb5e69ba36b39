"""XML files as elements, in any encoding they declare."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from omniou.data import _files
from omniou.data._errors import InputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"'>]*)[\"']")
# Files that declare the narrower set often have characters of the wider one.
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "iso-8859-1": "cp1252"}


def parse(path: Path, *, root: str | None = None) -> "Element":
    """The outermost element of a file, whose tag is `root` if given; MissingLibraryError without defusedxml."""
    from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

    text = _decoded(path, _files.read_bytes(path, expected="XML file"))
    try:
        element: Element = fromstring(text)
    except ParseError as error:
        raise InputError(path, f"not valid XML: {error}") from None
    except DefusedXmlException:
        raise InputError(path, "declares entities or a document type, which are not read") from None
    if root is not None and element.tag != root:
        raise InputError(path, f"expected an element {root!r}, got {element.tag!r}")
    return element


def _decoded(path: Path, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        name = "utf-16"
    elif what := _files.what_else(data):
        raise InputError(path, what)
    else:
        declared = _DECLARED.match(data)
        name = declared[1].decode("ascii", "replace").strip().lower() if declared else "utf-8"
    place = ""
    for encoding in (name, _WIDER.get(name, name)):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            place = _files.line_of(data, error.start)
        except (LookupError, ValueError):  # the latter for what Python refuses as a name
            fault = f"declares the encoding {name!r}, which is unknown: save it in UTF-8, and declare that"
            raise InputError(path, fault) from None
    fault = (
        f"not text in {name!r}, which it declares"
        if name != "utf-8"
        else "not UTF-8 text, and declares no other encoding"
    )
    raise InputError(path, f"{fault} ({place})")
