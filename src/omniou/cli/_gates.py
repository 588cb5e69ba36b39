"""Parse and check gates, the conditions of a build: `--fail-under`, and `--baseline` with `--max-drop`."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import click
import msgspec

from omniou._lib.near import nearest
from omniou._lib.visible import visible
from omniou._results.shown import lower_is_better
from omniou.cli import GATE, SUSPICIOUS
from omniou.cli import _types as types
from omniou.cli._files import PATH, Unusable
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group
from omniou.data import Finding, InputError
from omniou.data._files import head, read_once
from omniou.report import Gate, Record

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
)
# "person.AP50>=0.6": name "person", number "AP50", than ">=", bound "0.6". The name of a class may hold dots and
# spaces: the last dot before the number ends it. A number may be "AP@0.5m", "HOTA(0)" or "J&F".
_CONDITION = (
    r"\s*(?:(?P<name>.+?)\.)??(?P<number>\w+(?:@[\w.]+|\(\w+\)|[&-]\w+)?)\s*(?P<than>>=|<=|>|<)\s*(?P<bound>\S+)\s*"
)
# LVIS's groups of classes and CrowdPose's groups of images. Only the ground truth says whether they exist.
_GROUPS = ("r", "c", "f", "easy", "medium", "hard")


@option_group
class GateOptions:
    """Conditions under which the command fails."""

    SECTION = "Pictures, logs and gates"

    fail_under: tuple[str, ...] = option(
        'Exit with 1 unless this holds: "AP50>=0.6", "person.AP>=0.5".', multiple=True, metavar="CONDITION"
    )
    baseline: Path | None = option("JSON of an earlier evaluation, for --max-drop.", PATH)
    max_drop: tuple[str, ...] = option(
        "Exit with 1 if AP falls by more from the baseline: 0.005, AP50=0.005.", multiple=True, metavar="NUMBER"
    )
    strict: bool = option("Exit with 4 if there is a warning.", is_flag=True)


class Condition(NamedTuple):
    """A number of the summary, or of a class, and the bound that it must keep."""

    text: str
    name: str | None  # class or other row; None for the summary
    number: str
    than: str
    bound: float

    def outcome(self, value: float | None, detail: str = "") -> Gate:
        """Return the gate for a value: whether it passed, and why not, or what the value is."""
        passed = value is not None and _COMPARISONS[self.than](value, self.bound)
        return Gate(condition=self.text, value=value, passed=passed, detail="no data" if value is None else detail)


class Drop(NamedTuple):
    """How much a number may fall below the baseline."""

    number: str
    most: float


def _parsed(texts: Sequence[str]) -> list[Condition]:
    out = []
    for text in texts:
        match = re.fullmatch(_CONDITION, text)
        try:
            bound = types.number(match["bound"]) if match else None
        except ValueError:
            bound = None
        if match is None or bound is None:
            raise click.UsageError(f"--fail-under: {text!r} is not like 'AP50>=0.6' or 'person.AP>=0.5'")
        than = match["than"]
        shown = f"{match['name']}.{match['number']}" if match["name"] else match["number"]
        out.append(Condition(f"{shown} {than} {bound:g}", match["name"], match["number"], than, bound))
    return out


def conditions(texts: Sequence[str], known: Sequence[str] | None) -> list[Condition]:
    """Parse ``AP50>=0.6`` or ``person.AP>=.5``; raise a usage error for an unknown number."""
    wanted = _parsed(texts)
    for condition in wanted:
        _check_number("--fail-under", condition.number, known)
    return wanted


def leave(ctx: click.Context, outcomes: Sequence[Gate], *, strict: bool, quiet: bool = False) -> None:
    """Name failed gates on standard error, and end the command with its exit code if gates or warnings ask for it."""
    failed = [x for x in outcomes if not x.passed]
    for gate in failed:
        got = "no data" if gate.value is None else f"got {gate.value:.6f}"
        if not quiet:
            click.echo(visible(f"Gate failed: {gate.condition}: {got} {gate.detail}".rstrip()), err=True)
    if failed:
        ctx.exit(GATE)
    if strict:
        ctx.exit(SUSPICIOUS)


def drops(texts: Sequence[str], baseline: Path | None, known: Sequence[str] | None) -> list[Drop]:
    """Parse ``0.005``, for the first number such as AP, or ``AP50=0.01``."""
    if bool(texts) != (baseline is not None):
        raise click.UsageError("--baseline needs --max-drop" if baseline is not None else "--max-drop needs --baseline")
    out = []
    for text in texts:
        number, _, most = text.rpartition("=")
        number = number.strip()
        try:
            value = types.number(most)
        except ValueError:
            value = -1.0
        if value < 0:
            raise click.UsageError(
                f"--max-drop: {text!r} is not like 0.005 or AP50=0.005: a number that is not below 0"
            )
        if number:
            _check_number("--max-drop", number, known)
        out.append(Drop(number, value))
    return out


def _check_number(given_by: str, name: str, known: Sequence[str] | None) -> None:
    if known is not None and name not in known and name not in {f"AP{letter}" for letter in _GROUPS}:
        near = nearest(name, known)
        hint = f"did you mean {near!r}?" if near else f"the numbers are {', '.join(known[:20])}"
        raise click.UsageError(f"{given_by}: there is no number {name!r}: {hint}")


def outcomes(wanted: Sequence[Condition], record: Record, known: Sequence[str] | None) -> list[Gate]:
    """Check each condition; raise a usage error for an unknown row or number."""
    gates = []
    for condition in wanted:
        row = record.summary if condition.name is None else _row(condition, record)
        values = _numbers(row)
        # The rules of files are known once they are read.
        _check_number("--fail-under", condition.number, list(values if known is None else record.summary))
        value = values.get(condition.number)
        is_mean = condition.name is None and isinstance(value, float)
        gates.append(condition.outcome(value, record.averaging if is_mean else ""))
    return gates


def _row(condition: Condition, record: Record) -> Mapping[str, Any]:
    """Return the row that a condition names: "car", or "per_class.car" with its group. Raise for none or several."""
    rows = [(group.key, row) for group in record.groups for row in group.rows]
    named = [(key, row) for key, row in rows if condition.name in {row["name"], f"{key}.{row['name']}"}]
    having = [(key, row) for key, row in named if condition.number in _numbers(row)]
    if len(having) > 1:
        keys = list(dict.fromkeys(key for key, _ in having))
        ways = " or ".join(f"{key}.{condition.name}.{condition.number}" for key in keys)
        way = f": write {ways}" if len(keys) > 1 else ""
        raise click.UsageError(
            f"--fail-under: {condition.text!r}: {len(having)} rows are called {condition.name!r}{way}"
        )
    if named:
        return (having or named)[0][1]
    heading = record.groups[0].heading if record.groups else "row"
    what = "" if heading == "name" else f"{heading} "
    near = nearest(condition.name, [row["name"] for _, row in rows])
    near_by = f": did you mean {near!r}?" if near else ""
    raise click.UsageError(f"--fail-under: there is no {what}{condition.name!r}{near_by}")


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: x for name, x in row.items() if name != "id" and not isinstance(x, str | bool)}


def load(path: Path) -> Record:
    """Load a saved record."""
    try:
        return Record.from_json(read_once(path, expected="record"))
    except InputError as error:
        raise Unusable(str(error)) from None
    except ValueError as error:
        raise Unusable(f"{path}: {str(error).removeprefix('`text` ')}") from None


class _Kept(msgspec.Struct):
    """Fields that distinguish a record from other JSON."""

    schema: Any = None
    kind: Any = None
    summary: Any = None


# Larger files, in bytes, are usually ground truth; `is_record` reads only their start.
_LARGEST = 2**26


def is_record(path: Path) -> bool:
    """Return whether a file is a record of `omniou eval --format json`, of any kind and version."""
    if not path.is_file():
        return False
    try:
        start = head(path).lstrip()
        if not start.startswith(b"{"):
            return False
        if path.stat().st_size > _LARGEST:
            return re.match(rb'\{\s*"(schema|omniou)"', start) is not None
        known = msgspec.json.decode(read_once(path), type=_Kept)
    except (InputError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False  # its reader reports what is wrong
    return known.schema is not None or (isinstance(known.kind, str) and isinstance(known.summary, dict))


# Options that say what counts. Those that a protocol states, and those of single files, are compared otherwise.
_RULES = (
    *("only_classes", "except_classes", "class_agnostic", "offset", "ignore_flags", "difficulty", "subset"),
    *("blocked", "hierarchy", "expand_detections", "sigmas", "ranges", "sequences"),
)


def other_rules(first: Record, second: Record) -> list[str]:
    """Return the options that differ between two records and say what counts, as they are spelled."""
    differing = [name for name in _RULES if (first.options.get(name) or None) != (second.options.get(name) or None)]
    return [f"--{'kitti-' * (name == 'difficulty')}{name.replace('_', '-')}" for name in differing]


def has_samples(record: Record) -> bool:
    """Return whether a record holds bootstrap samples; records in pages have none."""
    return record.intervals is not None and any(x.samples for x in record.intervals.numbers.values())


def _other_truth(baseline: Record, record: Record) -> str:
    """Say that two records are of different ground truths; empty if they are of one, or their inputs are not known."""
    (was, now) = ([x.sha256 for x in each.inputs if x.role == "ground truth"] for each in (baseline, record))
    if was == now or not was or not now:
        return ""
    return "the baseline is of another ground truth: a change may come from the objects"


def compared(wanted: Sequence[Drop], path: Path, baseline: Record, record: Record) -> list[Gate]:
    """Check each drop. If both records have samples of the same images, only a certain drop fails."""
    if baseline.kind != record.kind:
        raise Unusable(f"{path}: is of --kind {baseline.kind}, and this evaluation of --kind {record.kind}")
    if (baseline.images, baseline.size) != (record.images, record.size):
        raise Unusable(f"{path}: has other {record.units} than this evaluation ({baseline.size} and {record.size})")
    if baseline.protocol != record.protocol:
        raise Unusable(f"{path}: is by another protocol")
    if baseline.details.get("ignore_label") != record.details.get("ignore_label"):
        raise Unusable(f"{path}: was made with another --ignore-label")
    if other := other_rules(baseline, record):
        raise Unusable(f"{path}: was made with other rules than this evaluation: {', '.join(other)}")
    if differing := _other_truth(baseline, record):
        Log().add(Finding(code="records-differ", text=differing, path=str(path)))
    gates = []
    for number, most in wanted:
        name = number or record.head
        _check_number("--max-drop", name, list(record.summary))
        before, now = baseline.summary.get(name), record.summary.get(name)
        was = "no data" if before is None else f"{before:.3f}"
        # Errors and switches get worse if they rise.
        is_error = lower_is_better(name)
        condition = f"{name} {'rises' if is_error else 'falls'} by at most {most:g} from {was}"
        if before is None or now is None:
            gates.append(Gate(condition=condition, value=now, passed=False, detail="no data"))
            continue
        worst, how = _smallest_loss(name, baseline, record, is_error=is_error)
        # With samples of both, a fall must be certain: the interval of the change ends below the bound. A change of
        # -0.02 with the interval -0.05 to +0.01 passes --max-drop 0.005, and -0.05 to -0.01 does not.
        loss = (now - before if is_error else before - now) if worst is None else worst
        detail = f"changed by {now - before:+.3f}, {how}"
        gates.append(Gate(condition=condition, value=now, passed=loss <= most, detail=detail))
    return gates


def _smallest_loss(number: str, baseline: Record, record: Record, *, is_error: bool) -> tuple[float | None, str]:
    """Return the loss that is certain by the interval of the change, and words on it; None without paired samples."""
    from omniou.report._comparison.bounds import paired

    pair = paired(number, baseline, record)
    if pair is None:
        of = f" of {number}" if has_samples(baseline) else ""
        return None, f"without an interval: the baseline has no bootstrap samples{of}"
    change = pair.difference
    doubt = f", unreliable: few {record.units} of a class" if change.doubtful else ""
    return change.low if is_error else -change.high, f"interval {change.low:+.3f} to {change.high:+.3f}{doubt}"
