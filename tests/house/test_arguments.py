"""Public functions refuse values that cannot be right, by the name of the argument, in each combination of options.
They take a number, bool or text of NumPy as Python's, and give the same.

The functions and their parameters come from `PUBLIC`, and a call of each from the examples of its documentation: a new
option is covered by itself. `FREE` names what takes any value, with the reason.
"""

import contextlib
import copy
import dataclasses
import doctest
import functools
import importlib
import inspect
import io
import re
import tempfile
import typing

import pytest

from tests.house.public_names import NEEDED, PUBLIC

np = pytest.importorskip("numpy")
for needed in ("msgspec", "PIL", "scipy", "matplotlib"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")
from matplotlib import pyplot as plt  # noqa: E402


class Wrong:
    """A value that no argument takes."""

    def __repr__(self):
        return "Wrong()"


# Regular expressions of "module.function | parameter" -> why any value is taken there.
FREE = {
    r"omniou\.geometry\.Geometry\..*": "kernels of a geometry, which check nothing",
    r"omniou\.report\.(Group|Record)\..*": "what pages show, which is what it is",
    r"omniou\.report\.draw \| image": "a path, or arrays of any library",
    r"omniou\.report\..* \| (ax|pictures|track)": "axes of Matplotlib, a path, a function: they say what they are",
    r"omniou\.report\.mosaic \| (images|targets|detections|titles|values)": "arrays of any library, or lists of them",
    r"omniou\.report\.plot \| label": "whatever has a text",
    r"omniou\.data\.shards.*": "engines call them, on what omniou made",
    r"omniou\.data\.diagnose \| path": "a name for findings, whatever has a text",
    r".* \| (path|folder)": "Python says itself what a path is",
    r"omniou\.masks\.reading \| otherwise": "any word",
    r".*\.EventTable\..*": "made by results",
}
WRONG = (Wrong(), "nonsense")
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def functions():
    """Functions, and methods of classes, with the object that has them; generated constructors only hold values."""
    found = {}
    for name in PUBLIC:
        if name in NEEDED or name.startswith(("omniou_integrations", "omniou.cli")):
            continue
        module = importlib.import_module(name)
        for each in PUBLIC[name]:
            x = getattr(module, each)
            if inspect.isfunction(x):
                found.setdefault(x, (module, each, f"{name}.{each}"))
            elif inspect.isclass(x) and x.__module__.startswith("omniou"):
                for method, f in vars(x).items():
                    holds = method == "__init__" and dataclasses.is_dataclass(x) and not hasattr(x, "__post_init__")
                    if inspect.isfunction(f) and not holds and (not method.startswith("_") or method == "__init__"):
                        found.setdefault(f, (x, method, f"{name}.{each}.{method}"))
    return {f: x for f, x in found.items() if not is_free(x[2])}


def is_free(name, parameter=""):
    return any(re.fullmatch(pattern, f"{name} | {parameter}" if parameter else name) for pattern in FREE)


def examples(found):
    """The documentation of functions, and of the classes of methods."""
    texts = {}
    for f, (owner, _, name) in found.items():
        texts[name] = f.__doc__
        if inspect.isclass(owner):
            texts[f"{owner.__module__}.{owner.__name__}"] = owner.__doc__
    return texts


@contextlib.contextmanager
def recorded(found, calls):
    """Calls of examples are recorded: of each function, its arguments by name."""
    depth = [0]

    def recorder(f):
        signature = inspect.signature(f)

        @functools.wraps(f)
        def call(*args, **options):
            depth[0] += 1
            try:
                out = f(*args, **options)
            finally:
                depth[0] -= 1
            if not depth[0] and len(calls.setdefault(f, [])) < 3:
                calls[f].append(signature.bind(*args, **options).arguments)
            return out

        return call

    before = [(owner, name, inspect.getattr_static(owner, name)) for owner, name, _ in found.values()]
    try:
        for f, (owner, name, _) in found.items():
            setattr(owner, name, recorder(f))
        yield
    finally:
        for owner, name, x in before:
            setattr(owner, name, x)


def called(f, arguments):
    """Call by name; `self` is a copy, or made anew."""
    given = dict(arguments)
    if "self" in given:
        own = given["self"]
        given["self"] = object.__new__(type(own)) if f.__name__ == "__init__" else copy.copy(own)
    bound = inspect.signature(f).bind_partial()
    bound.arguments.update(given)
    return f(*bound.args, **bound.kwargs)


def choices(f):
    """Parameters with a list of words, and these words."""
    try:
        hints = typing.get_type_hints(f)
    except (NameError, TypeError):
        return {}
    return {name: words for name, hint in hints.items() if (words := _words(hint))}


def _words(hint):
    if typing.get_origin(hint) is typing.Literal:
        return typing.get_args(hint)
    return [word for part in typing.get_args(hint) for word in _words(part)]


def takes_text(f, name):
    """Whether any text may be right, by the annotation."""
    try:
        return str in _types(typing.get_type_hints(f).get(name))
    except (NameError, TypeError):
        return bool({"str", "Name"} & set(re.findall(r"\w+", str(inspect.signature(f).parameters[name].annotation))))


def _types(hint):
    return {
        hint,
        *(x for part in typing.get_args(hint) if typing.get_origin(hint) is not typing.Literal for x in _types(part)),
    }


def parameters(f, called):
    """Names of the parameters that are tried."""
    given = inspect.signature(f).parameters.values()
    return [p.name for p in given if p.kind not in _VARIABLE and p.name != "self" and not is_free(called, p.name)]


def outcome(f, arguments):
    """The error of a call, or None."""
    try:
        called(f, arguments)
    except Exception as error:  # noqa: BLE001  (also of the inside)
        return error
    return None


def fault(f, arguments, name, value):
    """What is wrong with the answer to a wrong value; empty if nothing is."""
    error = outcome(f, arguments | {name: value})
    if isinstance(error, TypeError | ValueError) and f"`{name}" in str(error):
        return ""
    return "accepted" if error is None else repr(error)


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """All functions, and arguments of most that work."""
    found, made = functions(), {}

    class Kept:
        def __enter__(self):
            return str(tmp_path_factory.mktemp("example"))

        def __exit__(self, *_):
            pass

    before, tempfile.TemporaryDirectory = tempfile.TemporaryDirectory, Kept
    try:
        with recorded(found, made), contextlib.redirect_stdout(io.StringIO()):
            for name, text in examples(found).items():
                names = {}
                with contextlib.suppress(Exception):  # some show an error
                    for example in doctest.DocTestParser().get_examples(inspect.cleandoc(text or "")):
                        exec(compile(example.source, name, "single"), names)  # noqa: S102
    finally:
        tempfile.TemporaryDirectory = before
    return {f: name for f, (_, _, name) in found.items()}, bases(found, made)


def bases(found, made):
    """Arguments of each function that work, where there are any."""
    known = {f: _base(f, found, made) for f in found}
    return {f: base for f, base in known.items() if base is not None}


def _base(f, found, made):
    """Arguments that work: of an example of the function, or of a sibling that takes the same ones first."""
    owner, takes = found[f][0], inspect.signature(f).parameters
    first = [name for name, p in takes.items() if p.kind is p.POSITIONAL_ONLY]
    # Fewer bootstrap samples than by default: they only take time.
    few = {"samples": 40} if "samples" in takes and isinstance(takes["samples"].default, int) else {}
    siblings = [g for g, x in found.items() if x[0] is owner and g is not f and first and not inspect.isclass(owner)]
    for g in (f, *siblings):
        for given in made.get(g, ()):
            chosen = (given if g is f else {x: given[x] for x in first if x in given}) | few
            with contextlib.suppress(Exception):
                called(f, chosen)
                return chosen
    return None


def test_walk_finds_functions_and_calls_of_them(calls):
    found, known = calls
    without = {name for f, name in found.items() if f not in known}
    assert len(found) > 300
    assert len(without) < len(found) / 5, without


def test_wrong_value_of_each_argument_is_refused_by_its_name(calls):
    names, known = calls
    faults = []
    for f, base in known.items():
        words = choices(f)
        for combination in ({}, *({x: word} for x, listed in words.items() for word in listed)):
            given = base | combination
            if combination and isinstance(outcome(f, given), Exception):
                continue
            faults += [
                f"{names[f]}({name}={value!r}, {combination}): {told}"
                for name in parameters(f, names[f])
                for value in WRONG
                if name not in combination and not (isinstance(value, str) and takes_text(f, name))
                if (told := fault(f, given, name, value))
            ]
    assert not faults, "\n".join(faults)


def test_missing_arrays_and_arrays_without_axes_end_in_no_error_of_the_inside(calls):
    names, known = calls
    faults = []
    for f, base in known.items():
        for name in parameters(f, names[f]):
            for value in (None, np.array(3.5)):
                error = outcome(f, base | {name: value})
                inside = error is not None and not isinstance(error, TypeError | ValueError)
                if inside or (isinstance(error, TypeError) and "`" not in str(error)):
                    faults.append(f"{names[f]}({name}={value!r}): {error!r}")
    assert not faults, "\n".join(faults)


# Values of an option by its annotation, next to the one of the example or the default.
TRIED = {int: (2,), float: (0.5,), bool: (True,)}


def of_numpy(value):
    """The same value as NumPy has it."""
    if type(value) in {list, tuple} and value and {*map(type, value)} <= {int, float}:
        return [np.asarray(value), type(value)(map(np.asarray, value))]
    kinds = {bool: [np.bool_], int: [np.int64], float: [np.float32, np.asarray], str: [np.str_]}.get(type(value), [])
    made = [kind(value) for kind in kinds]
    return [x for x in made if x.dtype.kind in "Ub" or float(x) == value]


def values_of(f, given, name):
    """Values of an option that may work."""
    value = given.get(name, inspect.signature(f).parameters[name].default)
    try:
        kinds = _types(typing.get_type_hints(f).get(name))
    except (NameError, TypeError):
        kinds = ()
    return [value, *(x for kind in kinds if isinstance(kind, type) for x in TRIED.get(kind, ()))]


def text_of(f, arguments):
    """What a call gives, as text; None if it raises."""
    try:
        out = called(f, arguments)
    except Exception:  # noqa: BLE001  (the value may be out of bounds)
        return None
    finally:
        plt.close("all")
    fields = [getattr(out, x.name) for x in dataclasses.fields(out)] if dataclasses.is_dataclass(out) else out
    return re.sub("0x[0-9a-f]+", "", repr(fields))


def test_number_of_numpy_gives_the_same_as_the_number_of_python(calls):
    names, known = calls
    tried, faults = 0, []
    for f, base in known.items():
        for name in parameters(f, names[f]):
            for value in values_of(f, base, name):
                expected = text_of(f, base | {name: value}) if (made := of_numpy(value)) else None
                for x in made if expected is not None else ():
                    tried += 1
                    if text_of(f, base | {name: x}) != expected:
                        faults.append(f"{names[f]}({name}={x!r}): {outcome(f, base | {name: x})!r}")
    assert tried > 1000, tried
    assert not faults, "\n".join(faults)
