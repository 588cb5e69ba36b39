"""The rules of `omniou._kernels`, as its docstring has them: formulas that compilers trace, for any library."""

import ast

import pytest

from tests import places

KERNELS = places.ROOT / "src" / "omniou" / "_kernels"
LIBRARIES = ("numpy", "torch", "jax", "dask", "keras", "tensorflow", "cupy")
# Calls whose result, or whose shape, depends on values.
BY_VALUE = {"bool", "float", "int", "item", "tolist", "to_list", "nonzero", "flatnonzero", "repeat"}
BY_VALUE |= {"unique_values", "unique_all", "unique_counts", "unique_inverse"}
# These depend on a dtype, not on values.
OF_DTYPES = ("finfo", "iinfo", "dtype")


def violations(source: str) -> list[str]:
    """Violations of the rules in a module, one line each."""
    tree = ast.parse(source)
    return [*of_functions(tree), *of_calls(tree), *of_names(tree)]


def of_functions(tree: ast.AST) -> list[str]:
    bad = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        names = [x.arg for x in node.args.kwonlyargs]
        if "xp" in names and names[-1] != "xp":
            bad.append(f"{node.lineno}: `xp` of {node.name} is not last")
        if any(x.arg == "xp" for x in (*node.args.args, *node.args.posonlyargs)):
            bad.append(f"{node.lineno}: `xp` of {node.name} is not keyword-only")
        if node.args.defaults or any(node.args.kw_defaults):
            bad.append(f"{node.lineno}: {node.name} has defaults")
    return bad


def of_calls(tree: ast.AST) -> list[str]:
    bad = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        args = " ".join(map(ast.unparse, node.args))
        if name in BY_VALUE and not any(word in args for word in OF_DTYPES) and not args.startswith(("'", '"')):
            bad.append(f"{node.lineno}: a value decides in {ast.unparse(node)}")
    return bad


def of_names(tree: ast.AST) -> list[str]:
    """Names of libraries in code; docstrings and comments may have them."""
    words = [(x.lineno, x.id) for x in ast.walk(tree) if isinstance(x, ast.Name)]
    words += [(x.lineno, x.attr) for x in ast.walk(tree) if isinstance(x, ast.Attribute)]
    words += [(x.lineno, name.name) for x in ast.walk(tree) if isinstance(x, ast.Import) for name in x.names]
    words += [(x.lineno, x.module or "") for x in ast.walk(tree) if isinstance(x, ast.ImportFrom)]
    return [f"{line}: names {word}" for line, word in words if any(library in word.lower() for library in LIBRARIES)]


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.py")), ids=lambda path: path.stem)
def test_kernels_have_no_violations(path):
    assert violations(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, /, xp): ...",
        "def f(x, /, *, xp, eps): ...",
        "def f(x, /, *, eps=0.0, xp): ...",
        "def f(x, /, *, xp):\n    return x if bool(xp.any(x)) else -x",
        "def f(x, /, *, xp):\n    return xp.arange(int(x[0]))",
        "def f(x, /, *, xp):\n    return xp.nonzero(x)",
        "def f(x, /, *, xp):\n    return x.tolist()",
        "def f(x, /, *, xp):\n    return backends.is_torch(x)",
        "import array_api_compat as compat\n\ndef f(x, /, *, xp):\n    return compat.is_numpy_namespace(xp)",
        "from jax import lax",
    ],
)
def test_violations_of_bad_kernel(source):
    assert violations(source)


def test_violations_of_good_kernel_are_none():
    source = '''
def f(x, /, *, eps, xp):
    """As torch has it."""
    least = float(xp.finfo(x.dtype).eps)
    return xp.where(x > least, x, eps) if x.ndim > 1 else x
'''
    assert violations(source) == []
