"""What a command has to say in addition to its result: warnings as they come, and progress, on standard error."""

import contextlib
import dataclasses
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import click

from omniou._lib.visible import visible
from omniou.data import Finding, InputWarning

T = TypeVar("T")

# With fewer files, or samples, than this, no progress bar is shown.
MANY = 50


@dataclasses.dataclass
class Log:
    """Warnings and assumptions of a command.

    `notable` are assumptions that are not routine. `quiet` keeps warnings from standard error, where the result shows
    them on the same terminal. `aliases` are the names of pipes by the paths of their copies.
    """

    quiet: bool = False
    findings: list[Finding] = dataclasses.field(default_factory=list)
    assumptions: list[str] = dataclasses.field(default_factory=list)
    notable: list[str] = dataclasses.field(default_factory=list)
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)

    def told(self, text: str) -> str:
        """A message with the paths that the caller knows."""
        for copy, name in self.aliases.items():
            text = text.replace(copy, name)
        return text

    def add(self, finding: Finding) -> None:
        """Keep a warning, and print it."""
        if self.aliases:
            words = {f.name: self.told(getattr(finding, f.name)) for f in dataclasses.fields(finding)}
            finding = dataclasses.replace(finding, **words)
        if finding in self.findings:  # of a ground truth that is read again for each model
            return
        self.findings.append(finding)
        if not self.quiet:
            click.echo(f"Warning: {visible(str(finding))}", err=True, color=colour(sys.stderr))

    def assume(self, what: str, *, routine: bool = False) -> None:
        """Keep what was assumed; what is routine, such as the format of a file, stands elsewhere in the output."""
        told = self.told(what)
        if told in self.assumptions:
            return
        self.assumptions.append(told)
        if not routine:
            self.notable.append(told)

    @contextlib.contextmanager
    def catching(self) -> Iterator[None]:
        """Warnings of readers are those of the command."""
        # By default Python shows a warning of one text once: with "always" each file has its own. The context restores
        # both the filter and `showwarning`.
        with warnings.catch_warnings():
            warnings.simplefilter("always", InputWarning)
            before = warnings.showwarning

            def show(message: Warning | str, *args: Any, **more: Any) -> None:
                if isinstance(message, InputWarning):
                    self.add(message.finding)
                else:
                    before(message, *args, **more)

            warnings.showwarning = show
            yield


def shown(items: Sequence[T], what: str) -> Iterable[T]:
    """The items, with a bar on a terminal if there are many."""
    if len(items) < MANY or dumb() or not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, what, console=Console(stderr=True), transient=True)


def dumb() -> bool:
    """Whether the terminal can do nothing but print."""
    return os.environ.get("TERM") == "dumb"


def colour(stream: Any) -> bool:
    """Whether a stream takes colours: a terminal that nobody asked to do without, https://no-color.org."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and not dumb()
