"""Templates, scripts and style sheets of pages."""

import base64
import hashlib
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from omniou.report._record.tables import Cell


def environment() -> jinja2.Environment:
    """The environment of the templates: all text is escaped, and a missing name is an error."""
    loader = jinja2.PackageLoader("omniou.report._pages", "templates")
    return jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )


def asset(name: str) -> str:
    """The text of a file next to the templates."""
    return (Path(__file__).parent / "templates" / name).read_text("utf-8")


def digest(text: str) -> str:
    """The hash by which a content security policy names what may run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def page_environment() -> jinja2.Environment:
    """The same for pages of numbers, with the filters `cell` and `breakable`."""
    made = environment()
    made.filters |= {"cell": cell, "breakable": breakable}
    return made


def cell(x: Cell) -> str:
    """A number or a word of a table."""
    if x is None:
        return "–"  # noqa: RUF001  (a dash, as wide as a digit)
    return f"{x:.3f}" if isinstance(x, float) else str(x)


def breakable(name: str) -> Markup:
    """The name of a file, which lines may break after its separators."""
    parts = re.split(r"(?<=[-_/])", name)
    return Markup("<wbr>").join(parts)


def embedded(json: str) -> Markup:
    """JSON inside an element, which no text of it can end."""
    for character in "<>&\u2028\u2029":
        json = json.replace(character, f"\\u{ord(character):04x}")
    return Markup(json)  # noqa: S704  (nothing in it is markup any more)


def markup(text: str) -> Markup:
    """A script or a style sheet of this package, as it is."""
    return Markup(text)  # noqa: S704
