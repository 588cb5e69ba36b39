"""Save and load states: `--state`, `--from-state`, and `omniou info`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from omniou._lib import extras
from omniou.cli import _output as output
from omniou.cli import _rules as rules
from omniou.cli._files import ReadOptions, Unusable, reported
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group, option_names
from omniou.cli._places import OUTPUT
from omniou.data import InputError
from omniou.detection import Protocol
from omniou.detection.curves._state import State

if TYPE_CHECKING:
    from omniou.data.shards.states import Description

# Options that a state fixes: the rules, and how files are read.
_FIXED = (option_names(rules.RuleOptions) | option_names(ReadOptions)) - {"max_unpacked"}


@option_group
class StateOptions:
    """States that are kept, or read instead of files."""

    SECTION = "States and clusters"

    state: Path | None = option("Save the merged state there, as .npz or .arrow.", OUTPUT, metavar="FILE")
    from_state: bool = option("The arguments are states that --state saved, from one or several runs.", is_flag=True)


def protocol_of(ctx: click.Context, paths: list[Path]) -> Protocol:
    """Return the protocol of states; raise a usage error if rules are given, since states fix them."""
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(str(parameter.name))
        if parameter.name in _FIXED and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.opts[0]} is not for --from-state: the states fix the rules and the files"
            )
    return _loaded(paths[0]).protocol


def merged(paths: list[Path]) -> State:
    """Load and merge the states of all files."""
    from omniou.data import shards
    from omniou.data.shards import states

    if len(paths) == 1:
        return _loaded(paths[0])
    parts = [shards.Part(names=(str(path),), state=states.dumps(_loaded(path))) for path in paths]
    try:
        state: Any = shards.whole(parts).state
    except (InputError, shards.SplitImageError) as error:
        raise Unusable(str(error)) from None
    return state


def check(path: Path) -> None:
    """Raise if a state cannot be saved, before any work starts."""
    output.check_output(path, "--state")
    output.check_named(path, "--state", ".npz", ".arrow")
    if path.suffix.lower() == ".arrow":
        with reported(Log()):
            extras.check("pyarrow", f"--state {path}")


def write(state: State, path: Path) -> None:
    """Write the state atomically."""
    from omniou.data.shards import states

    try:
        states.save(state, path)
    except OSError as error:
        raise output.unwritten(path, error) from None


def described(path: Path) -> "Description":
    """Describe the state in a file."""
    from omniou.data.shards import states

    with reported(Log()):
        return states.describe(path)


def _loaded(path: Path) -> Any:
    from omniou.data.shards import states

    with reported(Log()):
        return states.load(path)
