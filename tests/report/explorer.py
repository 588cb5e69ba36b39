"""Pairs of boxes for the explorer, and what NumPy and node compute of them."""

import importlib.util
import json
import shutil
import subprocess

import numpy as np

from omniou import boxes, gaussian, losses, rotated
from omniou.report.explorer import _functions as functions
from omniou.report.explorer._graph import Node, ordered
from omniou.report.explorer._operations import OPERATIONS


def _node():
    """The node on the path, or else the one that playwright brings."""
    if found := shutil.which("node"):
        return found
    if importlib.util.find_spec("playwright") is None:
        return None
    from playwright._impl._driver import compute_driver_executable

    return compute_driver_executable()[0]


NODE = _node()


def _inside(a, _):
    quarter = np.tile(a[2:] - a[:2], 2) / 4
    return a, a + quarter * [1, 1, -1, -1]


def _line(a, _):
    a = np.round(a)
    return a, np.array([a[0] + 1, a[1], a[2] + 1, a[1]])


# A pair of boxes at random -> a pair of a kind.
_KINDS = {
    "apart": lambda a, b: (a, b + 300.0),
    "overlapping": lambda a, b: (a, b),
    "touching": lambda a, b: (a, b + (a[2] - b[0]) * np.array([1, 0, 1, 0])),
    "inside": _inside,
    "same": lambda a, _: (a, a.copy()),
    "same side": lambda a, b: (a, np.where([1, 0, 1, 0], a, b)),
    "no area": lambda a, b: (a[[0, 1, 0, 1]], b),
    "a line": _line,
    "inverted": lambda a, b: (a[[2, 3, 0, 1]], b),
    "far away": lambda a, b: (a + 1e6, b + 1e6),
}
KINDS = tuple(_KINDS)


def pairs(count=2000, seed=0):
    """(N, 4) upright boxes and their partners; each kind of pair comes every ten rows."""
    rng = np.random.default_rng(seed)

    def box():
        corner = rng.uniform(0.0, 100.0, (count, 2))
        return np.concatenate([corner, corner + rng.uniform(1.0, 80.0, (count, 2))], axis=1)

    made = [_KINDS[KINDS[k % len(KINDS)]](*both) for k, both in enumerate(zip(box(), box(), strict=True))]
    first, second = zip(*made, strict=True)
    return np.stack(first), np.stack(second)


def turned_pairs(count=2000, seed=1):
    """(N, 5) rotated boxes and their partners; an inverted one has sides below 0."""
    rng = np.random.default_rng(seed)
    made = []
    for x in pairs(count, seed):
        angle = rng.uniform(-np.pi, np.pi, count)
        # Axes that are parallel, turned by a quarter or equal are cases of their own.
        angle[::4] = np.round(angle[::4] / (np.pi / 2)) * (np.pi / 2)
        made.append(np.column_stack([(x[:, :2] + x[:, 2:]) / 2, x[:, 2:] - x[:, :2], angle]))
    same = np.arange(count) % len(KINDS) == KINDS.index("same")
    made[1][same] = made[0][same]
    return made[0], made[1]


BOXES = {"upright": pairs, "turned": turned_pairs}


def expected(family, a, b):
    """What the public functions give for NumPy, (S, N), in the order of the page."""
    module = {"upright": boxes, "turned": rotated}[family]
    corners = (a, b) if family == "upright" else tuple(rotated.corners(x).reshape(-1, 8) for x in (a, b))
    found = {
        "area_a": module.area(a),
        "area_b": module.area(b),
        "probiou": boxes.probiou(a, b) if family == "upright" else gaussian.probiou(a, b),
        "l1": losses.l1(*corners),
        "l2": np.linalg.norm(corners[0] - corners[1], axis=-1),
    }
    if family == "upright":
        low, high = np.minimum(a, b)[:, :2], np.maximum(np.maximum(a, b)[:, 2:], np.maximum(a, b)[:, :2])
        found |= {"intersection": boxes.intersection(a, b), "union": boxes.union(a, b)}
        found |= {"hull": boxes.area(boxes.enclosing(a, b)), "hull_diagonal_squared": ((high - low) ** 2).sum(-1)}
    names = functions.FAMILIES[family].scores
    found |= {x: getattr(module, x)(a, b) for x in ("iou", "giou", "diou", "ciou", "bhattacharyya")}
    return {name: found[name] for name in names if name in found}


def in_node(code, family, a, b):
    """Scores (N, S), and of each loss its value and derivatives (N, 1 + K), as node computes them."""
    program = f"""{code}
const {{family, a, b}} = eval(`(${{require("fs").readFileSync(0, "utf8")}})`); // JSON, but for NaN
const each = (f) => a.map((x, k) => f(...x, ...b[k]));
const f = kernels[family];
const losses = Object.fromEntries(Object.keys(f.losses).map((name) => [name, each(f.losses[name])]));
const text = (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x);
process.stdout.write(JSON.stringify({{names: f.names, scores: each(f.scores), losses}}, text));"""
    given = json.dumps({"family": family, "a": a.tolist(), "b": b.tolist()})
    done = subprocess.run([NODE, "-e", program], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    made = json.loads(done.stdout)
    scores = np.asarray(made["scores"], dtype=np.float64)
    return dict(zip(made["names"], scores.T, strict=True)), {
        name: np.asarray(x, dtype=np.float64) for name, x in made["losses"].items()
    }


def difference(found, wanted):
    """The largest one, of numbers above 1 as a share of them."""
    return float(np.max(np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted))))


def evaluated(outputs, inputs):
    """Values of the outputs of a graph, for arrays of inputs by name."""
    values = {}

    def of(x):
        return values[id(x)] if isinstance(x, Node) else x

    with np.errstate(all="ignore"):
        for node in ordered(outputs):
            operands = [of(x) for x in node.args]
            values[id(node)] = inputs[node.args[0]] if node.op == "input" else OPERATIONS[node.op].value(*operands)
    return [of(x) for x in outputs]
