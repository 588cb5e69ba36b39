"""Functions that follow from declarations are source: what an editor, a debugger and `inspect` show is what runs."""

import ast
import copy
import importlib
import inspect
import pickle
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from omniou import boxes, keypoints, losses, masks, segmentation
from omniou._catalogue import write
from omniou._catalogue.calls import Deferred
from omniou._catalogue.sources.classes import ClassSource

every_module = pytest.mark.parametrize("written", write.CORE, ids=lambda x: x.public)
CASES = [(written, x) for written in write.CORE for x in written.sources()]
every_function = pytest.mark.parametrize(("written", "source"), CASES, ids=[f"{x.public}.{y.name}" for x, y in CASES])


@every_module
def test_written_module_says_what_is_declared(written):
    assert write.path_of(written).read_text("utf-8") == write.text_of(written)


@pytest.mark.parametrize("function", [boxes.union, keypoints.oks, losses.l1, masks.boundary_f, segmentation.confusion])
def test_source_of_a_function_with_declared_options_is_its_own(function):
    assert f"def {function.__name__}(" in inspect.getsource(function)
    assert "options" not in inspect.signature(function).parameters


@every_function
def test_source_of_a_function_is_written_and_is_one_call(written, source):
    function = getattr(importlib.import_module(written.public), source.name)
    assert inspect.getsourcefile(function) == str(write.path_of(written))
    ((definition,),) = [ast.parse(inspect.getsource(function)).body]
    docstring, call = definition.body
    assert isinstance(docstring, ast.Expr)
    assert isinstance(call, ast.Return if source.returns is not None else ast.Expr)
    assert [x.func.id for x in ast.walk(call) if isinstance(x, ast.Call)] == [f"_{source.name}"]
    assert typing.get_type_hints(function).keys() - {"return"} == {*source.arguments, *source.options}
    names = [x.name for x in inspect.signature(function).parameters.values()]
    assert names == [*source.arguments, *source.options]


@every_function
def test_function_belongs_to_its_public_module(written, source):
    function = getattr(importlib.import_module(written.public), source.name)
    assert (function.__module__, function.__qualname__) == (written.public, source.name)
    assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301
    assert copy.deepcopy(function) is function


def test_function_called_as_another_is_stale():
    written = next(x for x in write.CORE if x.public == "omniou.boxes")
    others = [x for x in written.sources() if x.name != "giou"]
    assert write.text_of(written._replace(sources=lambda: others)) != write.path_of(written).read_text("utf-8")


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_makes_no_operation():
    code = (
        "import sys; import omniou.boxes; from omniou._catalogue.calls import Deferred\n"
        "def made(): return sum(x.operation is not None for x in all if x.function is not None)\n"
        "all = [x for x in vars(sys.modules['omniou.boxes._written']).values() if isinstance(x, Deferred)]\n"
        "print(len(all), made()); omniou.boxes.iou([0, 0, 1, 1], [0, 0, 1, 1]); print(made())"
    )
    count, before, after = map(int, run(code))
    assert (count, before, after) == (len([x for x in vars(boxes._written).values() if isinstance(x, Deferred)]), 0, 1)


def test_first_call_may_be_traced_by_torch():
    pytest.importorskip("torch", reason="torch is not installed")
    code = (
        "import torch; from omniou import boxes, gaussian, losses\n"
        "def f(a, b): return boxes.giou(a, b), gaussian.kld(a, b), losses.ciou(a, b), boxes.area(a)\n"
        "x = torch.tensor([[0.0, 0, 2, 2]]), torch.tensor([[0.0, 0, 2, 1]])\n"
        "out = torch.compile(f, fullgraph=True, backend='eager')(*x)\n"
        "print(all(torch.equal(p, q) for p, q in zip(out, f(*x), strict=True)))"
    )
    assert run(code) == ["True"]


def test_check_fails_where_a_module_is_stale(monkeypatch, tmp_path):
    written = write.CORE[0]
    file = tmp_path / "stale.py"
    file.write_text(write.text_of(written) + "\n", "utf-8")
    monkeypatch.setattr(write, "path_of", lambda _: file)
    monkeypatch.setattr(sys, "argv", ["write", "--check", written.name])
    with pytest.raises(SystemExit, match=r"stale, run `python -m omniou._catalogue.write`"):
        write.main()
    monkeypatch.setattr(sys, "argv", ["write", written.name])
    write.main()
    assert file.read_text("utf-8") == write.text_of(written)


def test_module_whose_framework_is_missing_is_named_and_the_others_are_written(monkeypatch, tmp_path):
    missing, other = (write.CORE[0]._replace(name=name) for name in ("missing", "other"))
    missing = missing._replace(sources=lambda: [importlib.import_module("no_such_framework")])
    monkeypatch.setattr(write, "MODULES", {"missing": missing, "other": other})
    monkeypatch.setattr(write, "path_of", lambda written: tmp_path / written.name)
    monkeypatch.setattr(sys, "argv", ["write", "missing", "other"])
    with pytest.raises(
        SystemExit, match=r"skipped, .*KERAS_BACKEND=jax: missing \(No module named 'no_such_framework'\)"
    ):
        write.main()
    assert [x.name for x in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_written_modules_of_adapters_say_what_is_declared(backend):
    for name in ("jax", "keras", backend):
        pytest.importorskip(name, reason=f"{name} is not installed")
    code = (
        f"import os; os.environ['KERAS_BACKEND'] = {backend!r}\n"
        "from omniou._catalogue import write\n"
        "for x in write.ADAPTERS: print(write.path_of(x).read_text('utf-8') == write.text_of(x))"
    )
    assert run(code) == ["True", "True"]


def test_classes_of_adapters_call_their_base():
    folder = Path(importlib.util.find_spec("omniou_integrations").submodule_search_locations[0])
    pytest.importorskip("keras", reason="keras is not installed")
    adapter = next(x for x in write.ADAPTERS if x.public.endswith("keras"))
    sources = list(adapter.sources())
    assert all(isinstance(x, ClassSource) for x in sources)
    module = importlib.import_module(adapter.public)
    for source in sources:
        made = getattr(module, source.name)
        assert inspect.getsourcefile(made.__init__) == str(folder / "keras" / "_written.py")
