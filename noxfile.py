"""What has to hold before a change lands: `nox` runs all of it, `nox --list` says what each part proves.

Python versions and dependency groups are read from pyproject.toml. Words after `--` go to the tool.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"  # pip and its configuration, on every machine alike

PYPROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PYPROJECT)
OLDEST, NEWEST = PYTHONS[0], PYTHONS[-1]

# The contract, written once for every backend, and what is built on it.
SUITE = ["tests/detection", "tests/data", "tests/cli"]
# A CPU build of torch can be counted on for the oldest Python alone.
BACKENDS = [
    *(nox.param("numpy", python, id=f"numpy-{python}") for python in PYTHONS),
    *(nox.param("strict", python, id=f"strict-{python}") for python in (NEWEST,)),
    *(nox.param("torch", python, id=f"torch-{python}") for python in (OLDEST,)),
    *(nox.param("jax", python, id=f"jax-{python}") for python in (OLDEST, NEWEST)),
    *(nox.param("dask", python, id=f"dask-{python}") for python in (PYTHONS[1],)),
]
MODES = {"strict": ["strict"], "jax": ["jax", "jax_jit"]}
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "JAX_PLATFORMS": "cpu"}
# One file per session, so that a second run replaces the first.
COVERAGE = Path(".nox", ".coverage").resolve()


def groups(*names: str) -> tuple[str, ...]:
    """Requirements of dependency groups."""
    return tuple(nox.project.dependency_groups(PYPROJECT, *names))


def lowest(*extras: str) -> list[str]:
    """Requirements of the core and of extras at their declared lower bounds."""
    declared = PYPROJECT["project"]["optional-dependencies"]
    wanted = [*PYPROJECT["project"]["dependencies"], *(r for extra in extras for r in declared[extra])]
    return [requirement.replace(">=", "==") for requirement in wanted]


def test_files(session: nox.Session, pattern: str) -> list[str]:
    """Files under tests/; an empty answer is an error, or a session would pass on nothing."""
    found = sorted(str(path) for path in Path("tests").glob(pattern))
    if not found:
        session.error(f"no file matches tests/{pattern}")
    return found


def pytest(session: nox.Session, *args: str, env: dict[str, str] | None = None) -> None:
    """Run pytest under coverage; `posargs` that name files replace ours."""
    named = [word for word in session.posargs if Path(word.split("::")[0]).exists()]
    ours = [word for word in args if not (named and word.startswith("tests/"))]
    COVERAGE.mkdir(parents=True, exist_ok=True)
    data = COVERAGE / re.sub(r"[^\w.]+", "_", f"{session.name}_{'_'.join(args[:2])}")
    session.run(
        *("coverage", "run", f"--data-file={data}", "-m", "pytest", *ours, *session.posargs),
        env=QUIET | (env or {}),
    )


@nox.session(python=NEWEST)
def lint(session: nox.Session) -> None:
    """The code is formatted, and free of what ruff can see."""
    session.install(*groups("lint"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check", "--diff")


@nox.session(python=OLDEST)
def typing(session: nox.Session) -> None:
    """The types hold under mypy --strict, with every framework there to be checked against."""
    session.install("-e.", *groups("typing"))
    session.run("mypy", *session.posargs)


@nox.session
@nox.parametrize(["backend", "python"], BACKENDS)
def tests(session: nox.Session, backend: str) -> None:
    """The contract holds for arrays of one library on one Python, as does all that is built on it."""
    session.install("-e.", *groups("test", "cli", backend))
    core = test_files(session, "test_*.py")
    # Dask serves the element-wise functions, array-api-strict the contract: neither runs the rest.
    suite = SUITE if backend in {"numpy", "torch", "jax"} else []
    for mode in MODES.get(backend, [backend]):
        pytest(session, "--xp", mode, *core, *suite)
        suite = []


@nox.session(python=NEWEST)
def lite(session: nox.Session) -> None:
    """The core dependency alone is enough for the core, and the shell command says what it lacks."""
    session.install(".", *groups("test", "numpy"))
    pytest(session, "--xp", "numpy", *test_files(session, "test_*.py"))
    session.run("omniou", "--version", success_codes=[2], silent=True)


@nox.session(python=OLDEST)
@nox.parametrize("framework", ["torchmetrics", "jax", "keras-torch", "keras-jax", "keras-tensorflow"])
def integrations(session: nox.Session, framework: str) -> None:
    """An adapter works inside its own framework, in real training."""
    name, _, backend = framework.partition("-")
    session.install("-e.", *groups("test", "optax" if framework == "jax" else framework))
    files = test_files(session, f"integrations/test_{name}*.py")
    pytest(session, *files, env={"KERAS_BACKEND": backend} if backend else None)


@nox.session(python=OLDEST)
def oracles(session: nox.Session) -> None:
    """The numbers agree with the peers' and with exact arithmetic."""
    session.install("-e.", *groups("test", "oracles"))
    session.install("--no-deps", *groups("oracles-no-deps"))
    pytest(session, "tests/oracles")


@nox.session(python=OLDEST)
def minimums(session: nox.Session) -> None:
    """The lowest versions we declare do work (torch and what needs it aside: no old CPU builds)."""
    session.install("-e.", *groups("test"), *lowest("jax", "dask", "cli", "plot"))
    core = test_files(session, "test_*.py")
    for mode in ("numpy", "jax_jit", "dask"):
        pytest(session, "--xp", mode, *core)
    pytest(session, "--xp", "numpy", *SUITE)


@nox.session(python=OLDEST)
def docs(session: nox.Session) -> None:
    """Every snippet runs, and the pages build without a warning and read without a network."""
    session.install("-e.", *groups("docs"))
    pytest(session, "--no-skips", "README.md", "docs", "src", "integrations")
    session.run("sphinx-build", "-W", "--keep-going", "-qEa", "docs", "docs/_build/html")
    session.run("python", "docs/offline.py", "docs/_build/html")


@nox.session(python=PYTHONS)
def build(session: nox.Session) -> None:
    """The wheel, and the one made from the sdist, install bare and bring both import roots."""
    session.install(*groups("build"))
    dist = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--outdir", str(dist), silent=True)


@nox.session(python=NEWEST)
def coverage(session: nox.Session) -> None:
    """The sessions before this one together ran nearly every line and branch."""
    session.install(*groups("test"))
    combined = f"--data-file={COVERAGE.with_name('coverage')}"
    session.run("coverage", "combine", "--keep", "-q", combined, str(COVERAGE))
    session.run("coverage", "report", combined, *session.posargs)


@nox.session(python=OLDEST, default=False)
def bench(session: nox.Session) -> None:
    """Time and memory beside the peers; writes docs/benchmarks.md. `-- --smoke` only proves it runs."""
    session.install("-e.", *groups("bench"))
    session.install("--no-deps", *groups("oracles-no-deps"))
    session.run("python", "-m", "tests.benchmarks", *session.posargs, env=QUIET)


if __name__ == "__main__":
    sys.exit("run me with `nox`")
