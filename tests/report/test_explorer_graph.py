"""The library whose arrays record operations: its graphs, its derivatives, what it prints and what it refuses."""

import math
import re
import subprocess

import numpy as np
import pytest

pytest.importorskip("jinja2", reason="the extra cli is not installed")

from omniou import boxes
from omniou._lib import backends
from omniou.report.explorer import _javascript as javascript
from omniou.report.explorer._backward import gradient
from omniou.report.explorer._graph import Node, build, ordered, shared
from omniou.report.explorer._namespace import SymbolicArray, inputs, xp
from omniou.report.explorer._operations import HELPERS, OPERATIONS
from tests.report.explorer import NODE, evaluated

X, Y = (Node("input", (name,)) for name in "xy")


def at(output, **values):
    return evaluated([output], values)[0]


def printed(output):
    return javascript.function("f", ["x", "y"], [output]).removeprefix("f(x,y){").removesuffix("}")


def test_operations_of_numbers_are_folded():
    assert build("add", 2.0, 3.0) == 5.0
    assert build("lt", 2.0, 3.0) is True
    assert build("div", 1.0, 0.0) == math.inf
    assert (xp.ones_like(xp.asarray([1.0, 2.0])) + 1).values.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("made", "equal"),
    [
        (build("add", X, 0.0), X),
        (build("sub", X, 0.0), X),
        (build("mul", 1.0, X), X),
        (build("div", X, 1.0), X),
        (build("neg", build("neg", X)), X),
        (build("where", True, X, Y), X),
        (build("where", build("lt", X, Y), X, X), X),
    ],
)
def test_operations_that_change_nothing_are_left_out(made, equal):
    assert made is equal


def test_operations_that_a_nan_would_pass_through_stay():
    zero = build("mul", 0.0, X)
    assert isinstance(zero, Node)
    assert np.isnan(at(zero, x=np.nan))
    assert np.isnan(at(build("sub", X, X), x=np.inf))


def test_shared_has_no_operation_twice():
    twice = build("mul", build("add", X, Y), build("add", Y, X))
    (out,) = shared([twice])
    assert len(ordered([twice])) == 5
    assert len(ordered([out])) == 4
    assert out.args[0] is out.args[1]
    assert at(out, x=2.0, y=3.0) == 25.0


def test_shared_keeps_the_order_of_a_difference():
    (out,) = shared([build("add", build("sub", X, Y), build("sub", Y, X))])
    assert len(ordered([out])) == 5


@pytest.mark.parametrize("op", [name for name, x in OPERATIONS.items() if x.backward])
def test_derivative_of_operation_equals_difference(op):
    point = {"x": 0.7, "y": 0.4}
    operands = {"where": (build("gt", X, Y), X, Y), "pow": (X, 1.7)}.get(op)
    if operands is None:
        unary = op in {"neg", "sqrt", "abs", "cos", "sin", "exp", "log", "expm1", "log1p", "detach", "sign"}
        operands = (X,) if unary else (X, Y)
    output = build(op, *operands)
    found = [at(x, **point) if isinstance(x, Node) else x for x in gradient(output, [X, Y])]
    step, slopes = 1e-6, []
    for name in "xy":
        above, below = (point | {name: point[name] + s} for s in (step, -step))
        slopes.append((at(output, **above) - at(output, **below)) / (2 * step))
    assert np.allclose(found, [0.0, 0.0] if op in {"detach", "sign", "share"} else slopes, atol=1e-8)


@pytest.mark.parametrize(("op", "share"), [("max", 0.5), ("min", 0.5)])
def test_equal_operands_share_the_derivative(op, share):
    by = gradient(build(op, X, Y), [X, Y])
    assert evaluated(by, {"x": 1.0, "y": 1.0}) == [share, share]
    z = Node("input", ("z",))
    by = gradient(build(op, X, Y, z), [X, Y, z])
    assert np.allclose(evaluated(by, {"x": 1.0, "y": 1.0, "z": 1.0}), 1 / 3)
    away = 0.0 if op == "max" else 2.0
    assert evaluated(by, {"x": 1.0, "y": away, "z": 1.0}) == [0.5, 0.0, 0.5]


def test_where_passes_derivatives_to_the_chosen_operand():
    by = gradient(build("where", build("lt", X, 0.0), build("mul", 2.0, X), build("mul", 5.0, X)), [X])
    assert (at(by[0], x=-1.0), at(by[0], x=1.0)) == (2.0, 5.0)


def test_stop_gradient_is_a_constant_factor():
    x = inputs("x")[0]
    out = backends.stop_gradient(x, xp=xp) * x
    assert at(out.values.item(), x=3.0) == 9.0
    assert at(gradient(out.values.item(), [x.values.item()])[0], x=3.0) == 3.0


def test_gradient_of_what_does_not_depend_is_zero():
    assert gradient(build("mul", X, X), [Y]) == [0.0]
    assert gradient(2.0, [X]) == [0.0]


def test_iou_by_hand():
    a, b = inputs("a0", "a1", "a2", "a3"), xp.asarray([5.0, 5, 15, 15])
    iou = boxes.iou(a, b).values.item()
    values = {"a0": 0.0, "a1": 0.0, "a2": 10.0, "a3": 10.0}
    assert at(iou, **values) == 25 / 175
    # By the right side: the intersection grows by 5, the union by 10 - 5.
    by = gradient(iou, list(a.values))
    assert at(by[2], **values) == pytest.approx((5 * 175 - 25 * 5) / 175**2)


def test_public_functions_check_symbolic_arrays_as_all_others():
    a = inputs("a0", "a1", "a2", "a3")
    with pytest.raises(ValueError, match=r"`b` must have shape \(\.\.\., 2 or 4 or 6\)"):
        boxes.iou(a, inputs("b0"))
    with pytest.raises(TypeError, match="javascript for `a`, numpy for `b`"):
        boxes.iou(a, np.zeros(4))


def test_value_decides_nothing():
    x = inputs("x", "y")
    for ask in (bool, float, int):
        with pytest.raises(TypeError, match="a value must not decide"):
            ask(x[0])


def test_function_that_is_missing_is_named():
    with pytest.raises(AttributeError, match="no function 'argsort'"):
        xp.argsort(inputs("x"))


def test_arrays_of_the_library():
    x = inputs("x", "y")
    assert (x.shape, x.ndim, x[None, :].shape, xp.stack([x, x], axis=1).shape) == ((2,), 1, (1, 2), (2, 2))
    assert xp.concat([x, xp.flip(x)]).values.tolist() == [*x.values, *x.values[::-1]]
    assert xp.permute_dims(xp.reshape(x, (1, 2)), (1, 0)).shape == (2, 1)
    assert [y.shape for y in xp.broadcast_arrays(x, xp.asarray(1.0))] == [(2,), (2,)]
    assert xp.broadcast_to(x, (3, 2)).shape == (3, 2)
    assert (x < 1.0).dtype == xp.bool
    assert at(xp.sum(x * x).values.item(), x=3.0, y=4.0) == 25.0
    assert at(xp.astype(~(x[0] > x[1]), xp.float64).values.item(), x=3.0, y=4.0) == 1.0
    assert at(xp.max(x).values.item(), x=3.0, y=4.0) == 4.0
    assert at(xp.any(x > 3.5).values.item(), x=3.0, y=4.0)
    assert isinstance(2.0 - x, SymbolicArray)
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError, match="array of numbers"):
        xp.asarray(["1"])


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (build("mul", build("add", X, Y), 2.0), "return[(x+y)*2];"),
        (build("sub", X, build("sub", Y, 0.5)), "return[x-(y-.5)];"),
        (build("add", build("add", X, Y), 1.5), "return[x+y+1.5];"),
        (build("add", 1.5, build("add", X, Y)), "return[1.5+(x+y)];"),
        (build("div", X, build("div", Y, 3.0)), "return[x/(y/3)];"),
        (build("mul", -0.25, X), "return[(-.25)*x];"),
        (build("neg", build("add", X, Y)), "return[-(x+y)];"),
        (build("where", build("lt", X, Y), X, 0.0), "return[x<y?x:0];"),
        (build("add", build("where", build("lt", X, Y), X, 0.0), Y), "return[(x<y?x:0)+y];"),
        (build("not", build("and", build("lt", X, Y), build("eq", X, 1.0))), "return[!(x<y&&x===1)];"),
        (build("max", X, Y), "return[max(x,y)];"),
        (build("detach", X), "return[x];"),
    ],
)
def test_printed_expression(output, text):
    assert printed(output) == text


def test_printed_function_names_what_is_used_twice():
    total = build("add", X, Y)
    assert printed(build("mul", total, total)) == "const a=x+y;return[a*a];"
    long = 0.1234567
    assert printed(build("add", build("mul", X, long), build("mul", Y, long))) == "const a=.1234567;return[x*a+y*a];"


@pytest.mark.skipif(NODE is None, reason="neither node on the path nor playwright")
def test_every_operation_in_node():
    checked = {}
    for op in OPERATIONS:
        if op in {"not", "and", "or"}:
            terms = [build("lt", X, Y)] if op == "not" else [build("lt", X, Y), build("gt", X, 0.1)]
        else:
            three = [build("gt", X, Y), X, Y]
            unary = len(re.findall(r"\{\d\}", OPERATIONS[op].code)) == 1
            terms = three if op == "where" else [X] if unary else [X, Y]
        checked[op] = shared([build(op, *terms)])[0]
    outputs = [build("where", x, 1.0, 0.0) if x.boolean else x for x in checked.values()]
    program = (
        f"{HELPERS}const o={{{javascript.function('f', ['x', 'y'], outputs)}}};console.log(JSON.stringify(o.f(.7,.4)))"
    )
    done = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=True)
    values = dict(zip(checked, map(float, done.stdout.strip("[]\n").split(",")), strict=True))
    for name, value in zip(checked, evaluated(outputs, {"x": 0.7, "y": 0.4}), strict=True):
        assert values[name] == pytest.approx(float(value), rel=1e-15), name
