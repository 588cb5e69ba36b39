"""Derivatives of a graph, from its output backwards, as a graph again."""

from collections.abc import Sequence
from typing import Any

from omniou.report.explorer._graph import Node, Value, build, ordered, shared
from omniou.report.explorer._operations import OPERATIONS, is_number


def gradient(output: Value, by: Sequence[Value]) -> list[Value]:
    """The derivative of a number by each of the inputs, 0 where it does not depend on one."""
    (output,) = shared([output])
    order = ordered([output])
    names = [x.args for x in by if isinstance(x, Node)]
    needed = _depending(order, names)
    adjoint: dict[int, Value] = {id(output): 1.0}
    for node in reversed(order):
        if node.op == "input" or id(node) not in needed or id(node) not in adjoint:
            continue
        for operand, part in zip(node.args, _parts(node, adjoint[id(node)]), strict=True):
            if isinstance(operand, Node) and id(operand) in needed and not _is_zero(part):
                before = adjoint.get(id(operand), 0.0)
                adjoint[id(operand)] = build("add", before, part)
    gradients = {x.args: adjoint.get(id(x), 0.0) for x in order if x.op == "input"}
    return [gradients.get(name, 0.0) for name in names]


def _parts(node: Node, g: Value) -> Sequence[Any]:
    """Derivatives by the operands. A condition has none, though a value may follow from it."""
    backward = OPERATIONS[node.op].backward
    return (0.0,) * len(node.args) if backward is None else backward(_product, g, node, *node.args)


def _product(op: str, *args: Value) -> Value:
    """Like `build` for finite numbers, where a derivative times 0 is 0."""
    return 0.0 if op == "mul" and any(_is_zero(x) for x in args) else build(op, *args)


def _is_zero(x: Any) -> bool:
    return is_number(x, 0.0) or is_number(x, -0.0)


def _depending(order: Sequence[Node], names: Sequence[Any]) -> set[int]:
    """Nodes that depend on the named inputs by more than a condition."""
    depending: set[int] = set()
    for node in order:
        operands = () if node.op == "input" or node.boolean else node.args
        if (node.op == "input" and node.args in names) or any(id(x) in depending for x in operands):
            depending.add(id(node))
    return depending
