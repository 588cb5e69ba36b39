"""The drawing of docs/architecture.md, made from the imports: `python -m tests.house.floors` writes it."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.house.imports import ROOT, modules

PAGE = ROOT / "docs" / "architecture.md"
START, END = "<!-- floors -->\n", "<!-- end of floors -->\n"
# Both ways into everything else: they stand on no floor.
ENTRIES = {"omniou", "__main__"}


def part_of(module: str) -> str:
    """The folder or file directly below `omniou`, or the name of the adapters' root."""
    root, _, rest = module.partition(".")
    return root if root == "omniou_integrations" else rest.partition(".")[0] or root


def floors(imports: dict[str, set[str]]) -> list[list[str]]:
    """Parts by floor, the lowest first: each stands one floor above the highest part that it imports."""
    height: dict[str, int] = {}
    while len(height) < len(imports):
        ready = [x for x in imports if x not in height and imports[x] <= {*height}]
        if not ready:
            raise ValueError(f"these import each other: {sorted({*imports} - {*height})}")
        height |= {x: 1 + max((height[y] for y in imports[x]), default=-1) for x in ready}
    return [sorted(x for x in height if height[x] == level) for level in range(max(height.values()) + 1)]


def drawing() -> str:
    """The floors from the highest to the lowest, with the first words of the docstring of each part."""
    imports: dict[str, set[str]] = defaultdict(set)
    words = {}
    for module in modules():
        part = part_of(module.name)
        if part in ENTRIES:
            continue
        others = {part_of(x.name) for x in module.imports if x.name.startswith("omniou") and not x.typed}
        # `omniou eval --engine dask` starts an adapter: the one import that goes up.
        imports[part] |= others - ENTRIES - {part, "omniou_integrations"}
        if module.name in {part, f"omniou.{part}"}:
            words[part] = first_words(module.path)
    wide = max(map(len, imports))
    lines = []
    for floor in reversed(floors(imports)):
        lines += [f"  {part.ljust(wide)}  {words[part]}" for part in floor]
        lines.append("-" * 100)
    return "```text\n" + "\n".join(lines[:-1]) + "\n```\n"


def first_words(path: Path) -> str:
    """The first sentence of a module's docstring, up to its first colon, full stop or comma that fits."""
    text = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
    return text.partition(":")[0].partition(". ")[0].rstrip(".")


def written(page: str) -> str:
    """The page with the drawing as it is now."""
    before, _, rest = page.partition(START)
    return before + START + drawing() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
