"""Write HTML pages of records: `--html FILE` and `omniou report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from omniou._lib import extras
from omniou.cli import _output as output
from omniou.cli import _types as types
from omniou.cli._files import reported
from omniou.cli._log import Log
from omniou.cli._option_groups import COMMON, option
from omniou.cli._places import OUTPUT
from omniou.data import GroundTruth

if TYPE_CHECKING:
    from omniou.detection import Result
    from omniou.report import Record
    from omniou.report._comparison.contrast import Contrast


def html_option() -> Any:
    """Declare `--html`."""
    words = "HTML page to write, with all analyses; --images adds the pictures."
    return option(words, OUTPUT, section=COMMON, metavar="FILE")


def score_option() -> Any:
    """Declare `--at-score`."""
    return option(
        "Count detections from this score on in the confusion, the images and the label errors. AP counts all. "
        "Default: where the mean F1 is best.",
        metavar="NUMBER",
        callback=types.checked(types.number),
    )


def checked_score(score: float | None, result: "Result[Any]") -> float | None:
    """Return the score of --at-score; raise a usage error if it is outside the scale of the detections."""
    try:
        return None if score is None else result.least_score(score)
    except ValueError as error:
        raise click.UsageError(f"--at-score: {error}") from None


def check(path: Path | None, images: Path | None, name: str = "--html") -> None:
    """Raise if the page cannot be written, before any work starts."""
    if path is None:
        return
    output.check_output(path, name)
    output.check_named(path, name, *output.PAGE)
    with reported(Log()):
        extras.check("jinja2", name)
        if images is not None:
            extras.check("PIL", f"{name} with --images")


def write(path: Path, made: "Record | Contrast", images: Path | None, *, log: Log) -> None:
    """Write the page of a record or of a comparison, atomically."""
    from omniou.report import html

    with reported(log), log.catching():
        page = html(made, pictures=images)
    output.write_file(path, page.encode("utf-8", "replace"))


def sizes(truth: GroundTruth) -> dict[int, Any]:
    """Return height and width of the images by id; empty if the ground truth has no sizes."""
    known = [] if truth.sizes is None else truth.sizes.tolist()
    return dict(zip(truth.images.tolist(), known, strict=False))
