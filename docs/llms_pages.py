"""Sphinx extension: `llms.txt` and `llms-full.txt`, the pages for language models.

The first has the conventions, which are sections of pages, and a list of all pages; the second has all pages.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
# Heading -> page and its section: the order of coordinates comes first, since a wrong one is the commonest mistake.
CONVENTIONS = {
    "Box formats": ("arrays", "Box formats"),
    "Shapes": ("arrays", "Shapes"),
    "Rotated boxes and angles": ("rotated", "Rotated boxes"),
    "3-D boxes": ("boxes3d", "Formats"),
    "Labels and ids": ("arrays", "Labels and ids"),
    "Library, device and dtype": ("arrays", "Library, device and dtype"),
    "Empty and inverted boxes, and NaN": ("arrays", "Empty and inverted boxes, and NaN"),
}
CODE = re.compile(r"^```.*?^```$\n?", re.DOTALL | re.MULTILINE)
DIRECTIVE = re.compile(r"^```\{(\S+)\}(?: ([^\n]*))?\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
HIDDEN = re.compile(r"<!---.*?-->\n?", re.DOTALL)
ENTRY = re.compile(r"^(?:(?P<name>.+) <(?P<titled>[^>]+)>|(?P<page>[\w./-]+))$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
SECTIONS = ("quickstart", "howto", "metrics/index", "frameworks", "explanation", "reference/index", "project")
OMITTED = {"changelog", "architecture", "releasing"}  # for people who work on omniou


def read(page):
    """The source of a page."""
    return (HERE / f"{page}.md").read_text("utf-8")


def title(page):
    """The heading of a page."""
    return re.search(r"^# (.+)$", read(page), re.MULTILINE)[1]


def children(page):
    """Pages in the tables of contents of a page."""
    folder = Path(page).parent
    for name, _, body in DIRECTIVE.findall(read(page)):
        if name == "toctree":
            for entry in ENTRY.finditer(re.sub(r"^:.*$", "", body, flags=re.MULTILINE)):
                child = (folder / (entry["titled"] or entry["page"])).as_posix()
                if child not in OMITTED and (HERE / f"{child}.md").exists():
                    yield child


def section(page, heading):
    """What stands below a heading, up to the next one of its level."""
    return re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", plain(page), re.DOTALL | re.MULTILINE)[1].strip()


def plain(page):
    """A page as Markdown: no directives, links to the built pages."""
    text = HIDDEN.sub("", DIRECTIVE.sub(_directive, read(page)))
    folder = Path(page).parent
    # Code keeps its brackets.
    codes = CODE.findall(text)
    parts = [re.sub(r"\n{3,}", "\n\n", LINK.sub(lambda x: _link(x, page, folder), x)) for x in CODE.split(text)]
    return "".join(a + b for a, b in zip(parts, [*codes, ""], strict=True))


def _directive(match):
    name, argument, body = match.groups()
    if name == "literalinclude":
        return f"```python\n{(HERE / argument).read_text('utf-8')}```\n"
    return (
        "" if name in {"toctree", "raw", "image"} or not argument else re.sub(r"^:.*\n", "", body, flags=re.MULTILINE)
    )


def _link(match, page, folder):
    picture, text, path, anchor = match.groups()
    if picture:
        return text
    if not path.endswith(".md"):
        return text or match[0]
    target = (folder / path).as_posix() if path else page
    target = re.sub(r"[^/]+/\.\./", "", target).removesuffix(".md")
    return f"[{text or title(target)}]({target}.html{anchor or ''})"


def about(page):
    """The first sentence below the title."""
    first = re.split(r"\n\n", plain(page).partition("\n\n")[2].strip())[0].replace("\n", " ")
    return "" if first.startswith(("|", "```", "#", "[", "How to")) else re.split(r"(?<=[.:]) ", first)[0].rstrip(":")


def conventions():
    """The head of both files: what omniou is, and the conventions."""
    yield f"# {title('index')}\n"
    first = plain("index").split("\n\n")[1].replace("\n", "\n> ")
    yield f"> {first}\n"
    yield "Conventions come first, then the pages. Paths are relative to this file.\n"
    yield "## Conventions\n"
    for shown, (page, heading) in CONVENTIONS.items():
        yield f"### {shown}\n\n{section(page, heading)}\n"


def short():
    """llms.txt."""
    yield from conventions()
    for page in SECTIONS:
        yield f"## {title(page)}\n"
        yield (
            "\n".join(f"- [{title(x)}]({x}.html): {about(x)}".removesuffix(": ") for x in (page, *children(page)))
            + "\n"
        )


def full():
    """llms-full.txt."""
    yield from conventions()
    for section_page in SECTIONS[:-2]:
        for page in (section_page, *children(section_page)):
            yield plain(page).strip() + "\n"


def write(app, exception):
    """Write both files next to the built pages."""
    if exception is None and app.builder.format == "html":
        for name, made in (("llms.txt", short()), ("llms-full.txt", full())):
            Path(app.outdir, name).write_text("\n".join(made), "utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
