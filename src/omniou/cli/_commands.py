"""The command `omniou` and its subcommands. Each is imported when it is called."""

import importlib
import importlib.util
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from omniou import __version__
from omniou._lib.near import nearest
from omniou.cli._option_groups import COMMON

# Name -> the line about it. `omniou NAME` is `command` of `omniou.cli._NAME`.
COMMANDS = {
    "eval": "Compute mAP, HOTA, mean IoU and other numbers of files.",
    "check": "Look for common mistakes in files.",
    "compare": "Test whether one model is better than another.",
    "report": "Write an HTML page of an evaluation.",
    "convert": "Write files in another format.",
    "nms": "Remove duplicate detections: non-maximum suppression.",
    "fuse": "Join the boxes of several models: weighted boxes fusion.",
    "explore": "Write a page with two movable boxes and their scores.",
    "formats": "List the formats that omniou reads and writes.",
    "info": "Print versions of omniou and its libraries, for a bug report.",
}


class Late(click.Group):
    """A group whose commands are imported when they are called: help of the group needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Names, in order."""
        return [name for name in COMMANDS if importlib.util.find_spec(f"omniou.cli._{name}") is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"omniou.cli._{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the name of each command and the line about it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for an unknown name."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            near = nearest(args[0], known)
            hint = f"did you mean {near!r}?" if near else f"the commands are {', '.join(known)}"
            raise click.UsageError(f"No such command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Late, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def omniou() -> None:
    """Overlap metrics of computer vision."""


class Command(click.Command):
    """A command with hints for unknown options, and no output that is an input.

    `kinds` are what its `--kind` takes, by default all, and `why` says why it takes no others. `taken` returns the
    names of the options that it takes with a kind, by default all.
    """

    def __init__(
        self,
        *args: Any,
        kinds: Sequence[str] = (),
        why: str = "",
        taken: Callable[[click.Command, str], set[str]] | None = None,
        **settings: Any,
    ) -> None:
        """Restrict the kinds."""
        super().__init__(*args, **settings)
        self.taken = taken
        for parameter in self.params if kinds else ():
            if isinstance(parameter, click.Option) and parameter.name == "kind":
                from omniou.cli import _types as types
                from omniou.cli._kinds import KINDS, described

                parameter.type, parameter.help = types.Choice(kinds, why, KINDS), described(kinds)

    def invoke(self, ctx: click.Context) -> Any:
        """Check where the command writes, then run it; name its inputs if there is not enough memory for them."""
        from omniou.cli import _places as places

        places.check(ctx)
        try:
            return super().invoke(ctx)
        except MemoryError as error:
            raise MemoryError(places.too_large(ctx)) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by sections, common ones first; after `--kind`, only the options of this kind."""
        kind, sections = ctx.meta.get("omniou.kind"), dict[str, list[tuple[str, str]]]({COMMON: []})
        shown = None if self.taken is None or kind is None else {*self.taken(self, kind), "help"}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if line is not None and (shown is None or parameter.name in shown):
                line = line if len(line[0]) + 2 <= formatter.width else _folded(parameter, *line)
                sections.setdefault(getattr(parameter, "section", COMMON), []).append(line)
        for name, lines in sections.items():
            with formatter.section(name or ("Common options" if len(sections) > 1 else "Options")):
                formatter.write_dl(lines)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; say that files are arguments if they are given as options, as for other tools."""
        ctx.meta["omniou.kind"] = _kind(args)  # for the help, which click prints before it parses the kind
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name in _FILES:
                raise click.UsageError(
                    f"No such option: {error.option_name}: files are arguments: {_arguments(self, ctx)}", ctx
                ) from None
            raise


def _folded(option: click.Parameter, flags: str, text: str) -> tuple[str, str]:
    """Move choices that no line has room for into the text: ``--kind KIND``."""
    choices = dict.fromkeys(getattr(option.type, "choices", ()))
    listed = all(re.search(rf"\b{re.escape(x)}\b", text) for x in choices)
    name = f"{option.name}".rpartition("_")[2].upper()
    return f"{flags.partition(' [')[0]} {name}", text if listed else f"{text} One of: {', '.join(choices)}."


_FILES = {"--gt", "--dt", "--ground-truth", "--detections", "--pred", "--predictions", "--results", "--targets"}


def _kind(args: Sequence[str]) -> str | None:
    """Return the first value of `--kind` on a command line."""
    words = [x for word in args for x in (word.split("=", 1) if word.startswith("--kind=") else [word])]
    return next((value for name, value in itertools.pairwise(words) if name == "--kind"), None)


def _arguments(command: click.Command, ctx: click.Context) -> str:
    names = [x.make_metavar(ctx) for x in command.params if isinstance(x, click.Argument)]
    return " ".join(["omniou", str(command.name), *names])
