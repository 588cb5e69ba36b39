"""Differentiate a graph by backpropagation; the derivatives are graphs as well."""

from collections.abc import Sequence
from typing import Any

from omniou.report.explorer._graph import Node, Value, build, ordered, shared
from omniou.report.explorer._operations import OPERATIONS, is_number


def gradient(output: Value, by: Sequence[Value]) -> list[Value]:
    """Return the derivative of the output by each input; 0 if it does not depend on the input.

    `adjoint` maps each node to the derivative of the output by this node. For x * x + x, "add" gives 1 to both
    operands, "mul" adds x and x, and the input x sums up 1 + x + x.
    """
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
    """Return the derivative of the output by each operand of a node; 0 for a condition."""
    backward = OPERATIONS[node.op].backward
    return (0.0,) * len(node.args) if backward is None else backward(_product, g, node, *node.args)


def _product(op: str, *args: Value) -> Value:
    """Build an operation, with 0 for any product with 0: values are taken as finite."""
    return 0.0 if op == "mul" and any(_is_zero(x) for x in args) else build(op, *args)


def _is_zero(x: Any) -> bool:
    return is_number(x, 0.0) or is_number(x, -0.0)


def _depending(order: Sequence[Node], names: Sequence[Any]) -> set[int]:
    """Return ids of the nodes that depend on the named inputs other than by a condition."""
    depending: set[int] = set()
    for node in order:
        operands = () if node.op == "input" or node.boolean else node.args
        if (node.op == "input" and node.args in names) or any(id(x) in depending for x in operands):
            depending.add(id(node))
    return depending
