"""Declare the operations of graphs: the value, the JavaScript and the derivative of each."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np


class Primitive(NamedTuple):
    """One operation on numbers."""

    value: Callable[..., Any]  # takes NumPy arrays
    code: str  # JavaScript; {0}, {1} are the operands, {all} is their list
    binds: int = 20  # JavaScript's precedence of `code`; a call or a name has 20
    # The graph's builder, the derivative by the result, the result, operands -> the derivative by each operand.
    backward: Callable[..., Sequence[Any]] | None = None
    boolean: bool = False


def _greatest(wins: str) -> Callable[..., Sequence[Any]]:
    """Return the derivative of `max` or `min`: n equal operands get 1 / n each, as in other array libraries."""

    def two(b: Any, g: Any, x: Any, y: Any) -> Sequence[Any]:
        share = b("share", *((x, y) if wins == "gt" else (y, x)))
        return b("mul", g, share), b("mul", g, b("sub", 1.0, share))

    def backward(b: Any, g: Any, out: Any, *xs: Any) -> Sequence[Any]:
        if len(xs) == 2:
            return two(b, g, *xs)
        count: Any = 0.0
        for x in xs:
            count = b("add", count, b("where", b("eq", x, out), 1.0, 0.0))
        each = b("div", g, count)
        return [b("where", b("eq", x, out), each, 0.0) for x in xs]

    return backward


def _power(b: Any, g: Any, _: Any, x: Any, exponent: float) -> Sequence[Any]:
    return b("mul", b("mul", g, exponent), b("pow", x, exponent - 1.0)), 0.0


def _atan2(b: Any, g: Any, _: Any, y: Any, x: Any) -> Sequence[Any]:
    square = b("add", b("mul", x, x), b("mul", y, y))
    return b("div", b("mul", g, x), square), b("neg", b("div", b("mul", g, y), square))


def _share(x: Any, y: Any) -> Any:
    """Return 1 where x > y, 0 where x < y, and 1/2 where they are equal."""
    return np.where(x > y, 1.0, np.where(x < y, 0.0, 0.5))


OPERATIONS: dict[str, Primitive] = {
    "add": Primitive(np.add, "{0}+{1}", 12, lambda _b, g, *_: (g, g)),
    "sub": Primitive(np.subtract, "{0}-{1}", 12, lambda b, g, *_: (g, b("neg", g))),
    "mul": Primitive(np.multiply, "{0}*{1}", 13, lambda b, g, _, x, y: (b("mul", g, y), b("mul", g, x))),
    "div": Primitive(
        np.divide,
        "{0}/{1}",
        13,
        lambda b, g, o, _, y: (b("div", g, y), b("neg", b("div", b("mul", g, o), y))),
    ),
    "neg": Primitive(np.negative, "-{0}", 14, lambda b, g, *_: (b("neg", g),)),
    "pow": Primitive(np.power, "pow({0},{1})", 20, _power),
    "sqrt": Primitive(np.sqrt, "sqrt({0})", 20, lambda b, g, o, _: (b("div", b("mul", g, 0.5), o),)),
    "abs": Primitive(np.abs, "abs({0})", 20, lambda b, g, _, x: (b("mul", g, b("sign", x)),)),
    "cos": Primitive(np.cos, "cos({0})", 20, lambda b, g, _, x: (b("neg", b("mul", g, b("sin", x))),)),
    "sin": Primitive(np.sin, "sin({0})", 20, lambda b, g, _, x: (b("mul", g, b("cos", x)),)),
    "atan2": Primitive(np.arctan2, "atan2({0},{1})", 20, _atan2),
    "exp": Primitive(np.exp, "exp({0})", 20, lambda b, g, o, _: (b("mul", g, o),)),
    "log": Primitive(np.log, "log({0})", 20, lambda b, g, _, x: (b("div", g, x),)),
    "expm1": Primitive(np.expm1, "expm1({0})", 20, lambda b, g, o, _: (b("mul", g, b("add", o, 1.0)),)),
    "log1p": Primitive(np.log1p, "log1p({0})", 20, lambda b, g, _, x: (b("div", g, b("add", 1.0, x)),)),
    "max": Primitive(lambda *xs: _reduced(np.maximum, xs), "max({all})", 20, _greatest("gt")),
    "min": Primitive(lambda *xs: _reduced(np.minimum, xs), "min({all})", 20, _greatest("lt")),
    "where": Primitive(
        np.where,
        "{0}?{1}:{2}",
        3,
        lambda b, g, _, c, *_xy: (0.0, b("where", c, g, 0.0), b("where", c, 0.0, g)),
    ),
    # The same value without a derivative.
    "detach": Primitive(lambda x: x, "{0}", 20, lambda *_: (0.0,)),
    # Step functions: their derivative is 0.
    "sign": Primitive(np.sign, "sign({0})", 20, lambda *_: (0.0,)),
    "share": Primitive(_share, "share({0},{1})", 20, lambda *_: (0.0, 0.0)),
    "lt": Primitive(np.less, "{0}<{1}", 10, boolean=True),
    "le": Primitive(np.less_equal, "{0}<={1}", 10, boolean=True),
    "gt": Primitive(np.greater, "{0}>{1}", 10, boolean=True),
    "ge": Primitive(np.greater_equal, "{0}>={1}", 10, boolean=True),
    "eq": Primitive(np.equal, "{0}==={1}", 9, boolean=True),
    "ne": Primitive(np.not_equal, "{0}!=={1}", 9, boolean=True),
    "and": Primitive(np.logical_and, "{0}&&{1}", 5, boolean=True),
    "or": Primitive(np.logical_or, "{0}||{1}", 4, boolean=True),
    "not": Primitive(np.logical_not, "!{0}", 14, boolean=True),
}

# Functions that the code calls: members of JavaScript's `Math`, and `share`.
MATH = ("abs", "atan2", "cos", "exp", "expm1", "log", "log1p", "max", "min", "pow", "sign", "sin", "sqrt")
HELPERS = f"const {{{','.join(MATH)}}}=Math;\nconst share=(x,y)=>x>y?1:x<y?0:.5;\n"


def _reduced(function: Any, xs: Sequence[Any]) -> Any:
    out = xs[0]
    for x in xs[1:]:
        out = function(out, x)
    return out


def computed(name: str, *args: Any) -> Any:
    """Compute an operation of constants: a number or a boolean of Python."""
    with np.errstate(all="ignore"):
        out = OPERATIONS[name].value(*(np.asarray(x) for x in args))
    return bool(out) if OPERATIONS[name].boolean else float(out)


def is_number(x: Any, value: float) -> bool:
    """Return whether an operand is this constant; 0.0 and -0.0 differ."""
    return type(x) is float and x == value and math.copysign(1.0, x) == math.copysign(1.0, value)
