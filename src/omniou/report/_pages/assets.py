"""Load templates, scripts and style sheets of pages."""

import base64
import hashlib
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from omniou._lib.brief import decimal
from omniou.report._record.tables import Best, BestCount, Cell


def environment() -> jinja2.Environment:
    """Return the environment of the templates: all text is escaped, and a missing name is an error."""
    loader = jinja2.PackageLoader("omniou.report._pages", "templates")
    return jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )


def asset(name: str) -> str:
    """Return the text of a file next to the templates."""
    return (Path(__file__).parent / "templates" / name).read_text("utf-8")


def digest(text: str) -> str:
    """Return the SHA-256 of a script or a style sheet, as a content security policy writes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def page_environment() -> jinja2.Environment:
    """Return the environment with the filters `cell` and `breakable`, for pages of numbers."""
    made = environment()
    made.filters |= {"cell": cell, "breakable": breakable}
    return made


def cell(x: Cell) -> str:
    """Return a cell of a table: numbers with three decimals or more, the best of several in bold, a dash for None."""
    if x is None:
        return "–"  # noqa: RUF001  (a dash, as wide as a digit)
    text = decimal(x) if isinstance(x, float) else str(x)
    return Markup("<b>{}</b>").format(text) if isinstance(x, Best | BestCount) else text


def breakable(name: str) -> Markup:
    """Return the name of a file with possible line breaks after its separators."""
    parts = re.split(r"(?<=[-_/])", name)
    return Markup("<wbr>").join(parts)


def embedded(json: str) -> Markup:
    """Escape JSON so that none of its text can close the element around it: "<" becomes its code point, 003c."""
    for character in "<>&\u2028\u2029":
        json = json.replace(character, f"\\u{ord(character):04x}")
    return Markup(json)  # noqa: S704  (nothing in it is markup any more)


def markup(text: str) -> Markup:
    """Return a script or a style sheet of this package without escapes."""
    return Markup(text)  # noqa: S704
