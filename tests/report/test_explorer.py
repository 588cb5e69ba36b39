"""The explorer's JavaScript in node beside NumPy, its derivatives beside those of a library, and its page."""

import re

import numpy as np
import pytest

pytest.importorskip("jinja2", reason="the extra cli is not installed")

from omniou._kernels import arithmetic, scores
from omniou.report import explorer
from omniou.report.explorer import _functions as functions
from omniou.report.explorer import _graph as graph
from tests.report.explorer import BOXES, KINDS, NODE, difference, evaluated, expected, in_node

TOLERANCE = 1e-12
needs_node = pytest.mark.skipif(NODE is None, reason="neither node on the path nor playwright")
LOSSES = [(family, name) for family, x in functions.FAMILIES.items() for name in x.losses]


@pytest.fixture(scope="module")
def computed():
    """What node computes of 2,000 pairs of each family."""
    return {family: in_node(explorer.code(), family, *pairs()) for family, pairs in BOXES.items()}


def test_giou_l1_and_l2_jump_at_the_start_of_a_turn_and_no_other_score():
    boxes = {
        "upright": np.array([[0.0, 0, 4, 2], [1, 1, 3, 5]]),
        "turned": np.array([[2.0, 1, 4, 2, 1e-9], [2, 3, 2, 4, 0]]),
    }
    found = {
        family: {name: float(score(*boxes[family])) for name, score in x.scores.items()}
        for family, x in functions.FAMILIES.items()
    }
    jumps = {name for name, value in found["upright"].items() if abs(found["turned"][name] - value) > 1e-4}
    assert jumps == {"hull", "giou", "l1", "l2"}  # as docs/explorer.md says
    assert found["upright"]["l1"] == 1 + 1 + 1 + 3
    assert abs(found["turned"]["l1"] - 12) < 1e-4


def slopes(family, name, step=1e-6):
    """Of a loss by the first box, from central differences; (N, K)."""
    loss, (a, b) = functions.FAMILIES[family].losses[name], BOXES[family]()
    columns = []
    for k in range(a.shape[1]):
        shift = np.zeros(a.shape[1])
        shift[k] = step
        columns.append((loss(a + shift, b) - loss(a - shift, b)) / (2.0 * step))
    return np.stack(columns, axis=1)


@needs_node
@pytest.mark.parametrize("family", BOXES)
def test_scores_in_node_equal_those_of_numpy(computed, family):
    a, b = BOXES[family]()
    found, wanted = computed[family][0], expected(family, a, b)
    assert len(a) == 2000
    assert len({*functions.FAMILIES[family].scores} - wanted.keys()) <= 6  # terms, which the next test compares
    for name, values in wanted.items():
        assert difference(found[name], values) <= TOLERANCE, name


@needs_node
@pytest.mark.parametrize("family", BOXES)
def test_terms_in_node_equal_those_of_numpy(computed, family):
    a, b = BOXES[family]()
    for name, function in functions.FAMILIES[family].scores.items():
        assert difference(computed[family][0][name], function(a, b)) <= TOLERANCE, name


@needs_node
@pytest.mark.parametrize(("family", "name"), LOSSES)
def test_losses_in_node_equal_those_of_numpy(computed, family, name):
    a, b = BOXES[family]()
    assert difference(computed[family][1][name][:, 0], functions.FAMILIES[family].losses[name](a, b)) <= TOLERANCE


@needs_node
@pytest.mark.parametrize(("family", "name"), LOSSES)
def test_gradients_in_node_equal_those_of_torch(computed, family, name):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    loss, (a, b) = functions.FAMILIES[family].losses[name], BOXES[family]()
    first = torch.tensor(a, requires_grad=True)
    loss(first, torch.tensor(b)).sum().backward()
    found = computed[family][1][name][:, 1:]
    assert np.isfinite(found).all()
    assert difference(found, first.grad.numpy()) <= TOLERANCE


@needs_node
@pytest.mark.parametrize(("family", "name"), [x for x in LOSSES if x[1] != "ciou"])  # it holds alpha fixed
def test_gradients_in_node_equal_central_differences(computed, family, name):
    # Pairs without a kink, and near enough to the origin for a difference of values to be exact.
    smooth = np.isin(np.arange(2000) % len(KINDS), [KINDS.index(x) for x in ("apart", "overlapping")])
    smooth &= np.arange(2000) % 4 != 0  # sides of rotated boxes are not parallel
    found, wanted = computed[family][1][name][smooth, 1:], slopes(family, name)[smooth]
    assert difference(found, wanted) < 1e-6
    assert np.abs(found).max() > 1e-3


@needs_node
def test_gradients_at_ties(computed):
    upright = computed["upright"][1]
    same = np.arange(2000) % len(KINDS) == KINDS.index("same")
    for name in ("iou", "giou", "diou", "ciou", "l1", "l2"):
        assert np.abs(upright[name][same, 1:]).max() == 0.0, name
    apart = np.arange(2000) % len(KINDS) == KINDS.index("apart")
    assert np.abs(upright["iou"][apart, 1:]).max() == 0.0
    assert np.abs(upright["giou"][apart, 1:]).max(axis=1).min() > 0.0


@needs_node
def test_nan_passes_through_in_node():
    a, b = (x[:4].copy() for x in BOXES["upright"]())
    a[1, 2] = np.nan
    found, _ = in_node(explorer.code(), "upright", a, b)
    for name in ("iou", "giou", "probiou", "l1"):
        assert np.isnan(found[name]).tolist() == [False, True, False, False], name


@pytest.mark.parametrize("family", BOXES)
def test_recorded_graph_evaluates_to_the_scores(family):
    x, (a, b) = functions.FAMILIES[family], BOXES[family]()
    first, second = functions.parameters(x)
    inputs = dict(zip(first + second, [*a.T, *b.T], strict=True))
    values = evaluated(graph.shared(functions.scores_graph(x)), inputs)
    for name, value in zip(x.scores, values, strict=True):
        assert difference(value, x.scores[name](a, b)) <= TOLERANCE, name


@needs_node
@pytest.mark.parametrize(
    ("module", "name", "broken", "noticed"),
    [
        (scores, "_union", lambda t, _, **__: t.area_a + t.area_b, "iou"),
        (arithmetic, "total", lambda x, **_: x[0], "diou"),
    ],
)
def test_code_of_a_broken_kernel_is_noticed(monkeypatch, module, name, broken, noticed):
    a, b = BOXES["upright"]()
    wanted = expected("upright", a, b)[noticed]
    with monkeypatch.context() as patch:
        patch.setattr(module, name, broken)
        if module is arithmetic:
            patch.setattr("omniou._kernels.boxes.total", broken)
        code = explorer.code()
    found, _ = in_node(code, "upright", a, b)
    assert difference(found[noticed], wanted) > 1e-3


@needs_node
def test_code_with_a_wrong_sign_is_noticed():
    code = explorer.code()
    broken = re.sub(r"\+(?=\w)", "-", code, count=1)
    assert broken != code
    a, b = BOXES["upright"]()
    found, _ = in_node(broken, "upright", a, b)
    wanted = expected("upright", a, b)
    assert max(difference(found[name], wanted[name]) for name in wanted) > 1e-3


def test_code_is_small_and_the_same_each_time():
    code = explorer.code()
    assert len(code.encode()) < 60_000
    assert code == explorer.code()


def test_page_is_one_file_that_loads_nothing():
    page = explorer.html()
    assert page.count("<script>") == page.count("</script>") == 1
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)
    assert set(re.findall(r"https?://[\w./]+", page)) == {"http://www.w3.org/2000/svg"}
    assert explorer.code() in page
