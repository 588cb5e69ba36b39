"""Templates, scripts and style sheets of pages."""

import base64
import hashlib
from pathlib import Path

import jinja2


def environment() -> jinja2.Environment:
    """Of the templates: all text is escaped, and a name that is missing is an error."""
    loader = jinja2.PackageLoader("omniou.report", "templates")
    return jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )


def asset(name: str) -> str:
    """The text of a file beside the templates."""
    return (Path(__file__).parent / "templates" / name).read_text("utf-8")


def digest(text: str) -> str:
    """As a content security policy names what may run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
