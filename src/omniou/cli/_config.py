"""Read options from a TOML file, or from `[tool.omniou]` of the pyproject.toml in the working directory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from omniou._lib.near import hint, nearest
from omniou.cli._commands import COMMANDS
from omniou.cli._engine_options import EngineOptions
from omniou.cli._files import PATH, Unusable
from omniou.cli._option_groups import option_names
from omniou.cli._places import Outward
from omniou.data import InputError
from omniou.data._files import read_once

PROJECT = Path("pyproject.toml")

Table: TypeAlias = dict[str, Any]


def option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--config`, which is read before all other options."""
    return click.option(
        "--config",
        type=PATH,
        is_eager=True,
        expose_value=False,
        callback=_load,
        help="TOML file with options by name. Default: [tool.omniou] in ./pyproject.toml.",
    )(command)


def _load(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    if ctx.resilient_parsing:
        return
    found = _read(path) if path is not None else _project()
    if not found:
        return
    source, table = found
    options = [x for x in ctx.command.params if isinstance(x, click.Option)]
    known = {spelled.lstrip("-"): x for x in options for spelled in x.opts if spelled.startswith("--")}
    values: dict[str, Any] = {}
    common, own = _of_command(source, table, str(ctx.command.name))
    for key, value in (common | own).items():
        name = key.replace("_", "-")
        if name not in known and key not in own and name in _of_eval(ctx):
            # `kind = "segm"` below [tool.omniou] is for each command that has --kind. The others skip it, so a name is
            # wrong only where `eval` lacks it, too, or where it stands below [tool.omniou.COMMAND].
            continue
        if name not in known:
            near = nearest(name, list(known))
            guess = f": did you mean {near!r}?" if near else ""
            raise click.UsageError(f"{source}: {key!r} is not an option of {ctx.command.name}{guess}")
        if known[name] is param:
            raise click.UsageError(f"{source}: {key!r}: a file of options cannot name another one")
        if path is None and isinstance(known[name].type, Outward):
            raise click.UsageError(
                f"{source}: {key!r} names where to write or to connect, which a file of options may only if --config "
                f"names the file: give --{name} on the command line, or --config {source}"
            )
        values[str(known[name].name)] = text = _value(source, key, value, known[name])
        choices = getattr(known[name].type, "choices", None)
        if name == "kind" and choices and text not in choices and ctx.meta.get("omniou.kind") is None:
            raise click.UsageError(
                f"{source}: {key!r}: {text!r} is not a kind of {ctx.command.name}, which takes {', '.join(choices)}"
                f"{hint(text, choices)}; give --kind on the command line, or put it below the name of a command, such "
                "as [tool.omniou.eval]"
            )
    # click takes an option from the command line, then from `default_map`, then from its declaration.
    ctx.default_map = {**(ctx.default_map or {}), **values}
    ctx.meta["omniou.config"] = (str(source), sorted(values))


def _read(path: Path) -> tuple[Path, Table]:
    import tomllib

    try:
        table = tomllib.loads(read_once(path, expected="TOML file").decode("utf-8"))
    except InputError as error:
        raise Unusable(str(error)) from None
    except UnicodeDecodeError as error:
        raise Unusable(f"{path}: not valid TOML: not UTF-8 text (byte {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}: not valid TOML: {error}") from None
    own = _table(path, "tool", table.get("tool", {})).get("omniou")
    return path, table if own is None else _table(path, "tool.omniou", own)


def _project() -> tuple[Path, Table] | None:
    """Read ./pyproject.toml, if it exists and names omniou."""
    if not PROJECT.is_file():
        return None
    try:
        text = PROJECT.read_bytes()
    except OSError:
        return None
    return _read(PROJECT) if b"tool.omniou" in text else None


def _of_command(source: Path, table: Table, command: str) -> tuple[Table, Table]:
    """Return the options for all commands, and the options for one command, which override them."""
    for key in table.keys() - COMMANDS.keys():
        if isinstance(table[key], dict):
            near = nearest(key, list(COMMANDS))
            guess = f": did you mean {near!r}?" if near else ""
            raise click.UsageError(f"{source}: {key!r} is a table, but no command of omniou{guess}")
    common = {key: value for key, value in table.items() if key not in COMMANDS}
    return common, _table(source, command, table.get(command, {}))


def _table(source: Path, key: str, value: Any) -> Table:
    if not isinstance(value, dict):
        raise click.UsageError(f"{source}: {key!r} must be a table of options, got {value!r}")
    return value


def _of_eval(ctx: click.Context) -> set[str]:
    """Return the names of all options of `omniou eval`, which has most options of the other commands."""
    group = ctx.find_root().command  # it imports commands by name, since they import this module
    command = group.get_command(ctx, "eval") if isinstance(group, click.Group) else None
    parameters = [] if command is None else command.params
    return {spelled.lstrip("-") for x in parameters if isinstance(x, click.Option) for spelled in x.opts}


def _value(source: Path, key: str, value: Any, option: click.Option) -> Any:
    """Return a value as it is written on the command line."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise click.UsageError(f"{source}: {key!r} must be true or false, got {value!r}")
        return value
    if any("\0" in str(x) for x in (value if isinstance(value, list) else [value])):
        raise click.UsageError(f"{source}: {key!r} has a null character")
    if isinstance(value, dict | bool):
        raise click.UsageError(f"{source}: {key!r} must be a number, a text or a list, got {value!r}")
    if isinstance(value, list):
        words = [str(x) for x in value]
        return words if option.multiple else ",".join(words)
    return [str(value)] if option.multiple else str(value)


def given() -> dict[str, Any]:
    """Return the options that were given on the command line or in a file, by name."""
    ctx = click.get_current_context()
    hidden = {"output", "style", "config", "html", "state", *option_names(EngineOptions)}
    names = {str(x.name) for x in ctx.command.params if isinstance(x, click.Option)} - hidden
    sources = {name: ctx.get_parameter_source(name) for name in sorted(names & ctx.params.keys())}
    unset = (click.core.ParameterSource.DEFAULT, None)
    return {name: _plain(ctx.params[name]) for name, source in sources.items() if source not in unset}


def _plain(x: Any) -> Any:
    if isinstance(x, Path):
        return str(x)
    if isinstance(x, tuple | list):
        return [_plain(y) for y in x]
    return x if isinstance(x, str | int | float | bool | type(None)) else str(x)
