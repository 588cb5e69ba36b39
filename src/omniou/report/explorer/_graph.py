"""Build graphs of operations: constants are folded, and equal operations are shared."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from omniou.report.explorer._operations import OPERATIONS, computed, is_number


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Node:
    """An operation and its operands, or an input: the operation "input" with a name."""

    op: str
    args: tuple[Any, ...]

    @property
    def boolean(self) -> bool:
        """Whether it is a condition."""
        return self.op != "input" and OPERATIONS[self.op].boolean


Value: TypeAlias = Node | float | bool


def build(op: str, *args: Value) -> Value:
    """Build an operation; constants are computed, and operations that change nothing are dropped."""
    if not any(isinstance(x, Node) for x in args):
        return x if isinstance(x := computed(op, *args), bool) else float(x)
    simple = _simplified(op, args)
    return Node(op, args) if simple is None else simple


def _simplified(op: str, args: Sequence[Value]) -> Value | None:  # noqa: PLR0911  (a table of cases)
    """Return an equal graph with fewer operations; None if there is none. Only the sign of a zero may differ."""
    x: Any = args[0]
    y: Any = args[1] if len(args) > 1 else None
    match op:
        case "add":
            return _sum(x, y)
        case "sub":
            return x if is_number(y, 0.0) else build("neg", y) if is_number(x, 0.0) else None
        case "mul":
            return _product(x, y)
        case "div":
            return x if is_number(y, 1.0) else None
        case "neg" if isinstance(x, Node) and x.op == "neg":
            negated: Value = x.args[0]
            return negated
        case "pow" if y == 2.0:
            return build("mul", x, x)
        case "pow" if y == 0.5:
            return build("sqrt", x)
        case "where":
            return _chosen(*args)
    return None


def _sum(x: Any, y: Any) -> Value | None:
    if is_number(x, 0.0) or is_number(y, 0.0):
        return y if is_number(x, 0.0) else x
    if isinstance(y, Node) and y.op == "neg":
        return build("sub", x, y.args[0])
    return build("sub", y, x.args[0]) if isinstance(x, Node) and x.op == "neg" else None


def _product(x: Any, y: Any) -> Value | None:
    for one, other in ((x, y), (y, x)):
        if is_number(one, 1.0):
            return other
        if is_number(one, -1.0):
            return build("neg", other)
    return None


def _chosen(c: Any, x: Any, y: Any) -> Value | None:
    if isinstance(c, bool):
        return x if c else y
    if x is y or (type(x) is float and is_number(y, x)):
        return x
    # A nested `where` with the same condition: c ? (c ? p : q) : y is c ? p : y.
    inner = x.args[1] if isinstance(x, Node) and x.op == "where" and x.args[0] is c else x
    other = y.args[2] if isinstance(y, Node) and y.op == "where" and y.args[0] is c else y
    return None if inner is x and other is y else build("where", c, inner, other)


def ordered(outputs: Sequence[Value]) -> list[Node]:
    """Return all nodes that the outputs depend on, operands before their users."""
    seen: set[int] = set()
    order: list[Node] = []
    stack: list[tuple[Node, Iterator[Any]]] = []

    def enter(x: Any) -> None:
        if isinstance(x, Node) and id(x) not in seen:
            seen.add(id(x))
            stack.append((x, iter(() if x.op == "input" else x.args)))

    for output in outputs:
        enter(output)
        while stack:
            node, rest = stack[-1]
            operand = next(rest, None)
            if operand is None:
                order.append(node)
                stack.pop()
            else:
                enter(operand)
    return order


def shared(outputs: Sequence[Value]) -> list[Value]:
    """Rebuild the outputs so that equal operations become one node."""
    known: dict[Any, Value] = {}
    renamed: dict[int, Value] = {}

    def of(x: Any) -> Any:
        return renamed[id(x)] if isinstance(x, Node) else x

    for node in ordered(outputs):
        if node.op == "input":
            renamed[id(node)] = known.setdefault(node.args, node)
            continue
        made = build(node.op, *(of(x) for x in node.args))
        renamed[id(node)] = known.setdefault(_key(made), made)
    return [of(x) for x in outputs]


def _key(x: Value) -> Any:
    """Return a key that is equal for equal operations; their operands must be shared already."""
    if not isinstance(x, Node):
        return repr(x)
    keys = [id(a) if isinstance(a, Node) else repr(a) for a in x.args]
    return x.op, *(sorted(keys, key=str) if x.op in _COMMUTATIVE else keys)


_COMMUTATIVE = {"add", "mul", "and", "or", "eq", "ne"}
