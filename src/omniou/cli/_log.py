"""Print warnings and progress of a command on standard error, and keep what its result says in sentences."""

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

# A progress bar is shown for at least this many files or samples.
MANY = 50


@dataclasses.dataclass
class Log:
    """Warnings, assumptions and notes of a command.

    `notable` are assumptions that are not routine. `notes` are facts, such as what was left out. `quiet` keeps warnings
    off standard error, if the result shows them on the same terminal. `aliases` maps copies of pipes to the names that
    the caller gave.
    """

    quiet: bool = False
    findings: list[Finding] = dataclasses.field(default_factory=list)
    assumptions: list[str] = dataclasses.field(default_factory=list)
    notable: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)

    def told(self, text: str) -> str:
        """Return a message with paths as the caller gave them."""
        for copy, name in self.aliases.items():
            text = text.replace(copy, name)
        return text

    def add(self, finding: Finding) -> None:
        """Keep a warning, and print it."""
        if self.aliases:
            words = {f.name: self.told(getattr(finding, f.name)) for f in dataclasses.fields(finding)}
            finding = dataclasses.replace(finding, **words)
        if finding in self.findings:  # the ground truth is diagnosed once for each model
            return
        self.findings.append(finding)
        if not self.quiet:
            click.echo(f"Warning: {visible(str(finding))}", err=True, color=colour(sys.stderr))

    def assume(self, what: str, *, routine: bool = False) -> None:
        """Keep an assumption; routine ones, such as the format of a file, are already elsewhere in the output."""
        told = self.told(what)
        if told in self.assumptions:
            return
        self.assumptions.append(told)
        if not routine:
            self.notable.append(told)

    def note(self, what: str) -> None:
        """Keep a fact that is no assumption and no warning."""
        if (told := self.told(what)) not in self.notes:
            self.notes.append(told)

    @contextlib.contextmanager
    def catching(self) -> Iterator[None]:
        """Add the warnings of readers to this log."""
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
    """Return the items, with a progress bar on a terminal if there are many."""
    if len(items) < MANY or dumb() or not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, what, console=Console(stderr=True), transient=True)


def dumb() -> bool:
    """Return whether the terminal can only print, without moving the cursor."""
    return os.environ.get("TERM") == "dumb"


def colour(stream: Any) -> bool:
    """Return whether a stream takes colours: a terminal without NO_COLOR, see https://no-color.org."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and not dumb()
