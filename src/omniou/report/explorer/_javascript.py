"""Print graphs as JavaScript functions without loops and branches."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, Union

from omniou.report.explorer._graph import Node, Value, ordered, shared
from omniou.report.explorer._operations import HELPERS, MATH, OPERATIONS

Members: TypeAlias = Mapping[str, Union[str, "Members"]]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RESERVED = {"do", "if", "in", "of", "as", *MATH}
_NAME = 20  # the precedence of a name, a number or a call


def function(name: str, parameters: Sequence[str], outputs: Sequence[Value]) -> str:
    """Print a JavaScript method that takes numbers and returns an array of numbers."""
    outputs = shared(outputs)
    printer = _Printer(parameters, outputs)
    named = ",".join(f"{x}={y}" for x, y in printer.constants + printer.statements)
    results = ",".join(printer.text(x, 2) for x in outputs)
    return f"{name}({','.join(parameters)}){{{f'const {named};' if named else ''}return[{results}];}}"


def module(members: Members) -> str:
    """Print methods, and objects of methods, as the constant `kernels`."""
    return f"{HELPERS}const kernels={_object(members)};\n"


def _object(members: Members) -> str:
    lines = [x if isinstance(x, str) else f"{name}:{_object(x)}" for name, x in members.items()]
    return "{\n" + ",\n".join(lines) + "}"


class _Printer:
    """Prints nodes: nodes that are used more than once become constants, all others are written where they are used."""

    def __init__(self, parameters: Sequence[str], outputs: Sequence[Value]) -> None:
        nodes = ordered(outputs)
        used = Counter(id(x) for node in nodes if node.op != "input" for x in node.args if isinstance(x, Node))
        used.update(id(x) for x in outputs if isinstance(x, Node))
        self._names: dict[int, str] = {id(x): x.args[0] for x in nodes if x.op == "input"}
        self._free = _names(set(parameters))
        self._numbers: dict[str, str] = {}
        self.constants = self._of_numbers(nodes)
        self.statements: list[tuple[str, str]] = []
        for node in nodes:
            if used[id(node)] > 1 and id(node) not in self._names:
                text = self._expression(node)
                self._names[id(node)] = name = next(self._free)
                self.statements.append((name, text))

    def _of_numbers(self, nodes: Sequence[Node]) -> list[tuple[str, str]]:
        """Return constants for long numbers that are used more than once."""
        many = Counter(_number(x) for node in nodes for x in node.args if type(x) is float)
        self._numbers = {x: next(self._free) for x, times in many.items() if times > 1 and len(x) > 5}
        return [(name, x) for x, name in self._numbers.items()]

    def text(self, x: Value, at_least: int) -> str:
        """Print an operand, in parentheses if its precedence is below `at_least`."""
        if not isinstance(x, Node):
            number = _number(x)
            return self._numbers.get(number, f"({number})" if number.startswith("-") and at_least > 3 else number)
        if id(x) in self._names:
            return self._names[id(x)]
        if x.op == "detach":
            return self.text(x.args[0], at_least)
        text = self._expression(x)
        return f"({text})" if OPERATIONS[x.op].binds < at_least else text

    def _expression(self, node: Node) -> str:
        operation = OPERATIONS[node.op]
        binds = operation.binds
        if binds == _NAME:
            operands = [self.text(x, 2) for x in node.args]
        else:
            # Rounding depends on the order, so a right operand needs parentheses at equal precedence: a-b-c, a-(b-c).
            operands = [self.text(x, binds + (k > 0 or binds in {3, 14})) for k, x in enumerate(node.args)]
        return operation.code.format(*operands, all=",".join(operands))


def _names(taken: set[str]) -> Iterator[str]:
    for length in itertools.count(1):
        for letters in itertools.product(_LETTERS, repeat=length):
            name = "".join(letters)
            if name not in taken | _RESERVED and name not in _WORDS:
                yield name


_WORDS = {"for", "new", "try", "var", "let", "int", "NaN", "share", "kernels"}


def _number(x: Any) -> str:
    """Print the shortest text that JavaScript reads as the same number."""
    if isinstance(x, bool):
        return str(x).lower()
    if x in {float("inf"), float("-inf")} or x != x:  # noqa: PLR0124  (NaN)
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[repr(x)]
    text = repr(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
