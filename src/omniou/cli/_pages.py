"""Pages of records: `--html FILE`, and what `omniou report` writes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from omniou._lib import extras
from omniou.cli import _output as output
from omniou.cli._files import PATH, Unusable
from omniou.cli._option_groups import option
from omniou.data import GroundTruth, InputError, MissingLibraryError

if TYPE_CHECKING:
    from omniou.report import Record
    from omniou.report._contrast import Contrast


def html_option() -> Any:
    """`--html`."""
    return option("Write a page with all analyses, over the pictures of --images if given.", PATH, metavar="FILE")


def check(path: Path | None, images: Path | None) -> None:
    """Fail before any work starts, where the page could not be written."""
    if path is None:
        return
    output.check_output(path, "--html")
    try:
        extras.check("jinja2", "--html")
        if images is not None:
            extras.check("PIL", "--html with --images")
    except MissingLibraryError as error:
        raise click.UsageError(str(error)) from None


def write(path: Path, made: "Record | Contrast", images: Path | None, labels: tuple[str, str] = ("", "")) -> None:
    """The page of a record, or of two that were compared, whole or not at all."""
    from omniou.report import html

    try:
        page = html(made, labels=labels, pictures=images)
    except InputError as error:
        raise Unusable(str(error)) from None
    output.write_whole(path, page.encode("utf-8", "replace"))


def sizes(truth: GroundTruth) -> dict[int, Any]:
    """Height and width of the images by id, as far as the ground truth has them."""
    known = [] if truth.sizes is None else truth.sizes.tolist()
    return dict(zip(truth.images.tolist(), known, strict=False))
