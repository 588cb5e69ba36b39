"""Checks of a change: `nox` runs all that are marked with *, `nox -l` says what each one does.

Python versions and dependency groups are read from pyproject.toml. Words after `--` go to the tool.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nox

if TYPE_CHECKING:
    from collections.abc import Callable

nox.needs_version = ">=2026.10.20"  # earlier ones run one session at a time
nox.options.default_venv_backend = "uv|virtualenv"  # uv installs in a fifth of the time, where it is installed
nox.options.parallel = os.cpu_count()  # `nox -j 1` for one at a time, with output as it comes
nox.options.allow_parallel = True

PYPROJECT = nox.project.load_toml("pyproject.toml")


def pythons() -> list[str]:
    """The supported versions; outside CI those that are on this machine, which then stand in for the others."""
    declared: list[str] = nox.project.python_versions(PYPROJECT)
    if os.environ.get("CI"):
        return declared
    # A shim of pyenv is on the path for versions, too, that it does not run.
    there = [x for x in declared if (path := shutil.which(f"python{x}")) and _runs(path)]
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    return there or ([own] if own in declared else declared)


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


PYTHONS = pythons()
OLDEST, MIDDLE, NEWEST = PYTHONS[0], PYTHONS[len(PYTHONS) // 2], PYTHONS[-1]
QUICK = ["quick"]  # the sessions of `nox -t quick`, which take under two minutes on two idle cores

# The sessions of `nox -t proving`, whose tests prove what docs/supported.json says: each of its libraries is in one.
PROVES = ["proving"]
# A CPU build of torch can be counted on for the oldest Python alone.
BACKENDS = [
    *(nox.param("numpy", python, id=f"numpy-{python}") for python in PYTHONS[:-1]),
    nox.param("numpy", NEWEST, id=f"numpy-{NEWEST}", tags=PROVES),
    nox.param("strict", NEWEST, id=f"strict-{NEWEST}", tags=PROVES),
    nox.param("torch", OLDEST, id=f"torch-{OLDEST}", tags=PROVES),
    # Eager: slow, and what nobody should do for long.
    nox.param("jax", OLDEST, id=f"jax-{OLDEST}", tags=PROVES),
    # As shipped: functions compile themselves.
    nox.param("jax_jit", NEWEST, id=f"jax_jit-{NEWEST}", tags=PROVES),
    nox.param("dask", MIDDLE, id=f"dask-{MIDDLE}", tags=PROVES),
]
# What is built on the contract, for the backends that it is built for. Files are read into NumPy, whatever comes after:
# of the command only the test of what it imports needs torch.
PAIRS = ["tests/pairs", "tests/matching"]
DETECTION = ["tests/detection", *PAIRS]
# What NumPy computes whatever comes in; and of these the tests with arrays of other libraries.
ON_HOST = ["tests/centres", "tests/tracking"]
FROM_OTHERS = ["tests/centres/test_libraries.py"]
FROM_OTHERS += [f"tests/tracking/test_{name}.py" for name in ("benchmarks", "evaluate", "single", "video_objects")]
FILES = ["tests/data", "tests/cli", "tests/report", "tests/results"]
BUILT_ON = {
    f"numpy-{NEWEST}": DETECTION + ON_HOST + FILES,
    f"torch-{OLDEST}": [*DETECTION, *FROM_OTHERS, "tests/cli/test_eval.py", "tests/report"],
    f"jax_jit-{NEWEST}": DETECTION + FROM_OTHERS,
}
# What leans most on the lowest versions of what the command needs.
LOWEST = [
    "tests/data",
    *(f"tests/cli/test_{name}.py" for name in ("check", "compare", "config", "convert", "eval", "gates")),
    *(f"tests/cli/test_{name}.py" for name in ("processes", "report")),
    *(f"tests/report/test_{name}.py" for name in ("html", "plots", "record")),
]
# What a change of evaluations breaks first.
DAILY = ["tests/nms", "tests/data/test_coco.py", "tests/cli/test_eval.py", "tests/report/test_record.py"]
DAILY += ["tests/tracking/test_evaluate.py", *(f"tests/detection/test_{x}.py" for x in ("evaluate", "evaluator"))]

# What has a session of its own.
OTHERS = [f"tests/{folder}" for folder in ("accel", "cuda", "docs", "integrations", "onnx", "oracles", "typing")]
# The contract is in all other folders of tests/: what holds for the arrays of every library.
CONTRACT = sorted(
    {path.parent.as_posix() for path in Path("tests").glob("*/test_*.py")} - {*DETECTION, *ON_HOST, *FILES, *OTHERS}
)
# Of it, what reads the source, which is the same on each Python: for the newest one, and for the quick sessions.
SOURCE = ["tests/house"]
# And what is kept and computed in NumPy whatever comes in: for the sessions of NumPy.
HOST = ["tests/polygons", "tests/rle"]
# Whose shapes depend on values, which the strictest mode of array-api-strict does not allow.
BY_VALUE = ["tests/panoptic", "tests/readings"]
# What most depends on how a library computes: for those that are slow, or old. The slowest one takes the first three.
FEW = ["tests/boxes/test_boxes.py", "tests/contract/test_contract.py", "tests/losses/test_losses.py"]
FEW += [f"tests/contract/test_{name}.py" for name in ("pairwise", "tracing")]

# What is built on the rest, for the run with OMNIOU_ACCEL=off.
PLAIN = [
    "tests/catalogue/test_scores.py",
    "tests/catalogue/test_geometry.py",
    "tests/contract/test_gradients.py",
    "tests/detection/test_evaluate.py",
]

# Those beside torch are on the oldest Python, as above.
ON_OLDEST = ["torchmetrics", "others", "ultralytics", "keras-torch"]
ON_NEWEST = ["flax", "keras-jax", "keras-tensorflow", "cluster"]
FRAMEWORKS = [
    *(nox.param(name, OLDEST, id=name, tags=PROVES if name == "torchmetrics" else []) for name in ON_OLDEST),
    *(nox.param(name, NEWEST, id=name) for name in ON_NEWEST),
]
# Adapters that share a session, of one name with their dependency groups; all else is tested alone.
TOGETHER = {
    "cluster": ["dask"],
    "flax": ["jax", "flax"],
    "others": ["ignite", "evaluate", "supervision", "pycocotools"],
}

# Of the adapters' tests those that lean on their framework most.
MOST = {
    "jax": ["_metrics"],
    "keras": ["", "_callback"],
    "torchmetrics": ["_bootstrap", "_every", "_lightning", "_map"],
}
# Without what takes long there: twice the bits, gradients, and the training of an example.
SHORT = ["-k", "not x64 and not example and not gradients_are_finite"]

# Importing a framework takes three times as long uncompiled, and nearly every test of several processes imports one.
os.environ["PYTHONDONTWRITEBYTECODE"] = ""  # as if unset: images of machines like to set it
# Sessions run side by side: threads that wait for each other in each of them only get in the way.
ALONE = {"OMP_NUM_THREADS": "1"}
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "JAX_PLATFORMS": "cpu"}
# Compiling takes most of the time of sessions that run a few small steps. Not where gradients of all scores are tested.
UNOPTIMISED = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
# What one test or process of a session compiled with JAX, the next one need not.
COMPILED = {
    "JAX_COMPILATION_CACHE_DIR": str(Path(".nox", ".jax").resolve()),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.05",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
STRICTEST = {
    "ARRAY_API_STRICT_BOOLEAN_INDEXING": "false",
    "ARRAY_API_STRICT_DATA_DEPENDENT_SHAPES": "false",
    "ARRAY_API_STRICT_ENABLED_EXTENSIONS": "",
}
# The sessions that lines are counted in: together they run nearly all that the others run. On the oldest Python, which
# has no sys.monitoring, it takes as much again: so of the contract torch's part is not counted.
MEASURED = (
    {f"tests({backend}-{NEWEST})" for backend in ("numpy", "jax_jit")}
    | {"lite"}
    | {f"integrations({name})" for name in {*ON_OLDEST, *ON_NEWEST} - {"keras-torch"}}
)
PROVING = {
    f"{session}({x.id})"
    for session, given in (("tests", BACKENDS), ("integrations", FRAMEWORKS))
    for x in given
    if x.tags
}
PROVING |= {"onnx"}
# One file per run of pytest, so that a second run replaces the first.
COVERAGE, PROVED = (Path(".nox", name).resolve() for name in (".coverage", ".proved"))

# Versions of what pinned requirements require in turn: `nox -s lock` writes it.
LOCK = ".ci/constraints.txt"
# Not in it: groups with other versions of the same; what torch needs on GPUs; certificates, where the newest are best.
UNLOCKED = ("lightning", "engines", "ultralytics-no-deps", "oracles-no-deps", "torchvision-no-deps")
UNLOCKED_NAMES = ("nvidia-", "cuda-", "triton", "certifi")
# Groups that workflows install with hashes, each a file of this folder.
HASHED = {name: f".github/requirements/{name}.txt" for name in ("build", "nox")}

# What pip may be configured with, as uv calls it.
UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}


def share_pip_configuration() -> None:
    """Let uv look where pip does, which it does not by itself: another torch may be found there."""
    pip = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(pip, capture_output=True, text=True, check=False).stdout  # nothing where there is no pip
    for key, value in re.findall(r"^\S*\.([\w-]+)=(.*)$", told, re.MULTILINE):
        if key in UV:
            separator = "," if key == "find-links" else " "
            os.environ.setdefault(UV[key], separator.join(ast.literal_eval(value).split()))
    os.environ.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # the best of all indexes, as for pip


share_pip_configuration()


def check(**options: Any) -> Callable[[Callable[..., None]], Any]:
    """Declare a session. Its environment ends with it (all take 20 GB by pip), unless it is to be used again."""

    def declare(function: Callable[..., None]) -> Any:
        @functools.wraps(function)
        def run(session: nox.Session, **parameters: Any) -> None:
            if not session.posargs:  # what it proves now replaces what it proved
                for part in parts(session.name):
                    part.unlink()
            try:
                function(session, **parameters)
            finally:
                if not session._runner.reuse_existing_venv():  # nox -r
                    shutil.rmtree(Path(session.bin).parent)

        return nox.session(run, **options)

    return declare


def groups(*names: str) -> tuple[str, ...]:
    """Requirements of dependency groups."""
    return tuple(nox.project.dependency_groups(PYPROJECT, *names))


def install(session: nox.Session, *what: str, locked: bool = True) -> None:
    """Install without compiling: most modules of a framework are never imported, and these are big.

    What the requirements require in turn has the versions of LOCK, unless other versions are the point.
    """
    session.install("--no-compile", *(["-c", LOCK] if locked else []), *what)


def lowest(*extras: str) -> list[str]:
    """Requirements of the core and of extras, at their declared lower bounds."""
    project = PYPROJECT["project"]
    declared = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return [requirement.replace(">=", "==") for requirements in declared for requirement in requirements]


def test_files(session: nox.Session, pattern: str) -> list[str]:
    """Files below tests/; none at all is an error, or a session would pass on nothing."""
    found = sorted(str(path) for path in Path("tests").glob(pattern))
    if not found:
        session.error(f"no file matches tests/{pattern}")
    return found


def is_run(path: str) -> bool:
    """Whether a session runs a file of tests: one in a folder, and of adapters those that a session names."""
    folder, _, name = path.removeprefix("tests/").rpartition("/")
    adapters = ["engines", *(name for framework in FRAMEWORKS for name in _adapters(str(framework.id)))]
    return (
        name.startswith(tuple(f"test_{x}" for x in adapters)) if folder == "integrations" else "/" not in folder != ""
    )


def _adapters(framework: str) -> list[str]:
    name = framework.partition("-")[0]
    return TOGETHER.get(name, [name])


def as_file(name: str) -> str:
    """What coverage of a session is called on disk."""
    return re.sub(r"[^\w.-]+", "-", name)


def parts(session: str) -> list[Path]:
    """What the runs of pytest of a session proved."""
    return sorted(PROVED.glob(as_file(f"{session}-") + "*"))


def pytest(session: nox.Session, name: str, *args: str, **env: str) -> None:
    """Run pytest, under coverage where it is measured. Files among the `posargs` replace ours."""
    named = any(Path(word.split("::")[0]).exists() for word in session.posargs)
    args = tuple(word for word in args if not (named and Path(word).exists()))
    COVERAGE.mkdir(parents=True, exist_ok=True)
    data = COVERAGE / as_file(f"{session.name}-{name}")
    if session.name in PROVING and not session.posargs:  # `-k` and the like leave tests out
        env["OMNIOU_PROVED"] = str(PROVED / as_file(f"{session.name}-{name}.json"))
    under = ("coverage", "run", f"--data-file={data}") if session.name in MEASURED else ("python",)
    session.run(*under, "-m", "pytest", *args, *session.posargs, env=QUIET | ALONE | COMPILED | env)


def adapter(session: nox.Session, name: str, **env: str) -> None:
    """Run the tests that lean on a framework most."""
    pytest(session, name, *(f"tests/integrations/test_{name}{part}.py" for part in MOST[name]), *SHORT, **env)


# What check-jsonschema calls a schema -> the files below .github that follow it.
SCHEMAS = {"github-workflows": "workflows/*.yml", "dependabot": "dependabot.yml"}


@check(tags=QUICK)
def lint(session: nox.Session) -> None:
    """Check format and style with ruff, that the generated functions are up to date, and the workflows with zizmor."""
    install(session, "-e.", *groups("lint", "jax", "keras"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check", "--diff")
    session.run("zizmor", "--offline", "--quiet", ".github")
    for schema, files in SCHEMAS.items():
        session.run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, Path(".github").glob(files)))
    session.run("python", "-m", "omniou._catalogue.write", "--check", env=QUIET | {"KERAS_BACKEND": "jax"})
    session.run("python", "-m", "tests.proved")
    if left_out := [path for path in map(str, Path("tests").rglob("test_*.py")) if not is_run(path)]:
        session.error(f"no session runs these: {left_out}")


@check(python=OLDEST)
def typing(session: nox.Session) -> None:
    """Check types with mypy --strict and pyright, with all frameworks installed."""
    install(session, "-e.", *groups("typing"))
    session.run("mypy", *session.posargs)
    pytest(session, "types", "tests/typing", KERAS_BACKEND="jax")


# Extras whose versions are tested at their lowest and their newest.
BOUNDED = ("jax", "keras", "dask", "cli", "parquet", "plot", "masks", "fast")


# The longest ones come first, so that they do not end alone.
@check(python=OLDEST)
def minimums(session: nox.Session) -> None:
    """Test with the lowest versions of NumPy, JAX, Keras, Dask and others that pyproject.toml allows."""
    install(session, "-e.", *groups("test"), *lowest(*BOUNDED), "pillow", locked=False)
    other_versions(session)


# Not among those that run by default: a red build would be somebody's upload. Besides, the newest torch may be a build
# for GPUs, of several GB.
@check(default=False)
@nox.parametrize(["library", "python"], [nox.param("torch", OLDEST, id="torch"), nox.param("jax", NEWEST, id="jax")])
def newest(session: nox.Session, library: str) -> None:
    """Test with the newest versions of all libraries, which pip installs today."""
    if library == "torch":
        install(session, "-e.[torchmetrics,cli,plot,masks]", *groups("test"), "lightning", "tensorboardX", locked=False)
        pytest(session, "torch", "--xp", "torch", *FEW)
        adapter(session, "torchmetrics")
        return
    install(session, f"-e.[{','.join(BOUNDED)},flax]", *groups("test"), "optax", "pillow", "pandas", locked=False)
    other_versions(session)
    pytest(session, "flax", "tests/integrations/test_flax.py", **UNOPTIMISED)


def other_versions(session: nox.Session) -> None:
    """Test what leans most on the versions of other libraries."""
    detection = [f"tests/detection/test_{name}.py" for name in ("evaluate", "evaluator")]
    pytest(session, "numpy", "--xp", "numpy", *FEW, *detection, *LOWEST, *HOST, "tests/masks/test_surface.py")
    for mode in ("jax_jit", "dask"):
        few = ["-k", "where or without or offset"]
        pytest(session, mode, "--xp", mode, "tests/losses/test_losses.py", *few, **UNOPTIMISED)
    adapter(session, "jax", **UNOPTIMISED)
    adapter(session, "keras", KERAS_BACKEND="jax", **UNOPTIMISED)


@check(python=OLDEST)
def minimums_torchmetrics(session: nox.Session) -> None:
    """Test with the lowest versions of torchmetrics and Lightning, and the torch of the other sessions."""
    bounds = [requirement for requirement in lowest("torchmetrics") if not requirement.startswith("torch==")]
    install(session, "-e.", *groups("test", "lightning"), *bounds, locked=False)
    adapter(session, "torchmetrics")


@check()
@nox.parametrize(["backend", "python"], BACKENDS)
def tests(session: nox.Session, backend: str) -> None:
    """Test all functions and evaluations with arrays of the library in brackets."""
    built = BUILT_ON.get(f"{backend}-{session.python}", [])
    more = ["parquet", "plot", "masks", "fast"] if built else ["masks"] if backend == "strict" else []
    install(session, "-e.", *groups("test", backend.removesuffix("_jit"), *more))
    without = {"numpy": [] if built else SOURCE, "strict": SOURCE + HOST + BY_VALUE}.get(backend, SOURCE + HOST)
    every = [folder for folder in CONTRACT if folder not in without]
    lazy = [*FEW, "tests/contract/test_dask_modes.py", "tests/nms"]
    core = {"jax": FEW[:3], "dask": lazy}.get(backend, every)
    faster = ["tests/accel"] if backend in {"numpy", "strict", "torch"} else []
    if backend == "strict":  # on a device that is not the default one, from which NumPy gets nothing without a copy
        on = ("--xp", backend, "--device", "device1")
        pytest(session, "all", *on, *core, *faster, **STRICTEST)
        pytest(session, "values", *on, *BY_VALUE, *PAIRS, *FROM_OTHERS, "tests/contract/test_modes.py")
        return
    if backend == "jax_jit":
        modes = "tests/contract/test_jax_modes.py"
        pytest(session, "modes", "--xp", backend, modes, **UNOPTIMISED)
        core = [*core, f"--ignore={modes}"]
    pytest(session, "all", "--xp", backend, *core, *faster, *built)
    if backend == "dask":
        pytest(session, "refused", "--xp", backend, *PAIRS, "-k", "lazy")
    if built and backend in {"numpy", "torch"}:  # the same without all that makes it faster
        pytest(session, "plain", "--xp", backend, *FEW, *PLAIN, OMNIOU_ACCEL="off")


# The workflow on GitHub names the systems and Pythons.
@check(python=NEWEST, default=False)
def systems(session: nox.Session) -> None:
    """Test functions, files and the command with NumPy, on any system and Python: `--force-python 3.14`."""
    install(session, "-e.", *groups("test", "parquet", "plot", "masks", "fast"))
    if str(session.python).endswith("t"):  # without the GIL, which an extension could switch on again
        session.run("python", "-c", "import sys, numpy, omniou.detection; sys.exit(sys._is_gil_enabled())")
    pytest(session, "all", "--xp", "numpy", *CONTRACT, *DETECTION, *ON_HOST, *FILES)


@check(python=NEWEST, tags=QUICK)
def lite(session: nox.Session) -> None:
    """Test the core with no dependency but array-api-compat and NumPy."""
    install(session, ".", *groups("test", "numpy"))
    pytest(session, "core", "--xp", "numpy", *FEW, "tests/masks/test_masks.py", *SOURCE, *HOST)
    told = str(session.run("omniou", "--version", silent=True, success_codes=[2]))
    if '".[cli]"' not in told:
        session.error(f"`omniou` without its extra must name it, printed: {told}")


@check(python=NEWEST, tags=QUICK, default=False)
def quick(session: nox.Session) -> None:
    """Test detection, tracking, NMS, files and the command with NumPy, in under a minute."""
    install(session, "-e.", *groups("test", "parquet", "masks"))
    pytest(session, "all", "--xp", "numpy", *DAILY)


@check()
@nox.parametrize(["framework", "python"], FRAMEWORKS)
def integrations(session: nox.Session, framework: str) -> None:
    """Test the adapter of the framework in brackets, in real training."""
    name, _, backend = framework.partition("-")
    names = _adapters(framework)
    install(session, "-e.", *groups("test", *([framework] if backend else names)))
    files = [path for name in names for path in test_files(session, f"integrations/test_{name}*.py")]
    if name == "ultralytics":  # its snippets run here alone: no other framework bears with its torchvision
        install(session, "--no-deps", *groups("ultralytics-no-deps"))
        files += ["docs/ultralytics.md", "integrations/omniou_integrations/ultralytics.py"]
    fast = UNOPTIMISED if framework in {"flax", "keras-jax"} else {}
    pytest(session, "all", *files, **fast, **({"KERAS_BACKEND": backend} if backend else {}))


@check(python=OLDEST, tags=PROVES)
def onnx(session: nox.Session) -> None:
    """Export scores to ONNX, and compare onnxruntime's results with NumPy's."""
    install(session, "-e.", *groups("test", "onnx"))
    pytest(session, "all", "tests/onnx", "docs/onnx.md")


# Ray and Spark take 1 GB of disk: too much for what no module of omniou imports.
@check(python=OLDEST, default=False)
def engines(session: nox.Session) -> None:
    """Run the examples of docs/engines.md on Ray and Spark (1 GB of disk; Spark needs Java)."""
    install(session, "-e.", *groups("test", "engines"), locked=False)
    pytest(session, "all", "tests/integrations/test_engines.py")


def _install_peers(session: nox.Session) -> None:
    # In one place: the smoke test of `oracles` then shows that `bench` has all that it imports.
    install(session, "-e.", *groups("test", "bench"))
    install(session, "--no-deps", *groups("oracles-no-deps"))


@check(python=OLDEST)
def oracles(session: nox.Session) -> None:
    """Compare numbers with pycocotools, TrackEval and others, and with exact arithmetic; try the benchmarks."""
    _install_peers(session)
    pytest(session, "all", "tests/oracles")
    session.run("python", "-m", "tests.benchmarks", "--smoke", env=QUIET)
    session.run("python", "-m", "tests.benchmarks.coverage", "--smoke", env=QUIET)
    session.run("python", "-m", "tests.cuda", "--device", "cpu", "--smoke", "--out", session.create_tmp(), env=QUIET)


@check(python=NEWEST)
def doctor(session: nox.Session) -> None:
    """Test that `omniou check` finds each mistake in damaged files, and none in right files."""
    install(session, "-e.[cli]", *groups("numpy"))
    session.run("python", "-m", "tests.benchmarks.doctor", "--seeds", "5", *session.posargs)


# Half an hour on two cores: the tables of docs/intervals.md.
@check(python=NEWEST, default=False)
def intervals(session: nox.Session) -> None:
    """Measure how often confidence intervals contain the true value (half an hour)."""
    install(session, "-e.", *groups("numpy"))
    session.run("python", "-m", "tests.benchmarks.coverage", "--seconds", "60", *session.posargs)


@check(python=NEWEST)
def fuzz(session: nox.Session) -> None:
    """Call the command with damaged files and random options for 40 seconds; `-- --seconds 600 --seed 7` for more."""
    install(session, "-e.", *groups("test", "parquet", "masks", "plot"))
    session.run("python", "-m", "tests.fuzz", "--seconds", "40", *session.posargs, env=ALONE)


@check(python=NEWEST)
def browser(session: nox.Session) -> None:
    """Open reports and the explorer in Chromium, and use them by mouse, touch and keys; skipped without Chromium.

    The explorer's JavaScript equals NumPy in node, that of playwright where no other is on the path.
    """
    install(session, "-e.", *groups("test", "browser"))
    pytest(session, "all", *test_files(session, "report/test_*browser.py"), "tests/report/test_explorer.py")


@check(python=OLDEST)
def docs(session: nox.Session) -> None:
    """Run every snippet of README.md, docs and docstrings; build the documentation, test its pages and search."""
    install(session, "-e.", *groups("docs", "browser"))
    env = {"KERAS_BACKEND": "jax", "MPLBACKEND": "agg"}  # Keras' own choice would be TensorFlow
    pytest(session, "snippets", "--no-skips", "README.md", "docs", "src", "integrations", **env)
    html = Path("docs/_build/html")
    session.run("sphinx-build", "-W", "--keep-going", "-qEa", "docs", str(html), env=QUIET | env)
    fetched = re.compile(r"<(?:script|img|iframe)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b[^>]*stylesheet[^>]*href=\"http")
    if online := [page for page in html.rglob("*.html") if fetched.search(page.read_text("utf-8"))]:
        session.error(f"these pages load something from a network: {online}")
    pytest(session, "site", "tests/docs", OMNIOU_HTML=str(html))


@check(python=OLDEST, venv_backend="virtualenv")  # for its pip
def build(session: nox.Session) -> None:
    """Build wheel and sdist, compare them, install them on a bare Python, and run the command."""
    install(session, *groups("build", "metadata"))
    tmp = Path(session.create_tmp(), "dist").resolve()
    shutil.rmtree(tmp, ignore_errors=True)
    session.run("python", "-m", "build", "--wheel", "--outdir", f"{tmp}/direct", silent=True)
    session.run("python", "-m", "build", "--outdir", f"{tmp}/through-sdist", silent=True)  # sdist -> wheel
    wheels = [next(tmp.glob(f"{way}/*.whl")) for way in ("direct", "through-sdist")]
    contents = [{x.filename: x.CRC for x in zipfile.ZipFile(wheel).infolist()} for wheel in wheels]
    if wheels[0].read_bytes() != wheels[1].read_bytes():
        session.error(f"the wheels differ: {sorted(x for x, _ in contents[0].items() ^ contents[1].items())}")
    session.run("twine", "check", "--strict", *map(str, tmp.glob("through-sdist/*.*")))
    for wheel in wheels:
        venv = wheel.with_name("venv")
        python = str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
        session.run("python", "-m", "venv", "--without-pip", str(venv))
        pip = ("python", "-m", "pip", "--python", python)
        session.run(*pip, "install", "-q", "--no-compile", f"{wheel}[cli]", *groups("cli"))
        with session.chdir(tmp):
            session.run(python, "-c", "import omniou, omniou_integrations", external=True)
            session.run(str(Path(python).with_name("omniou")), "--version", external=True)


@check(python=OLDEST, venv_backend="virtualenv")  # for its pip
def wasm(session: nox.Session) -> None:
    """Compile all modules by CPython 3.14 in WebAssembly, import those that need no NumPy, and name the others."""
    if missing := [tool for tool in ("node", "npm") if shutil.which(tool) is None]:
        session.skip(f"not on the path: {', '.join(missing)}")
    requirements = groups("command")
    install(session, *PYPROJECT["project"]["dependencies"], *requirements)
    tmp = Path(session.create_tmp()).resolve()
    compiled = [requirement for requirement in requirements if requirement.startswith("msgspec")]
    target = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--only-binary", ":all:")
    session.install("--no-deps", "--upgrade", "--target", str(tmp / "compiled"), *target, *compiled)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(Path("tests/wasm", name), tmp)
    npm = ("npm", "ci", "--prefix", str(tmp), "--ignore-scripts", "--no-audit", "--no-fund")
    session.run(*npm, external=True, success_codes=range(256))
    if not (pyodide := tmp / "node_modules" / "pyodide").exists():
        session.skip("npm could not download Pyodide")
    pure = str(session.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", silent=True))
    start = ("node", "tests/wasm/start.mjs", str(pyodide), "tests/wasm/imports.py")
    session.run(*start, "src", "integrations", str(tmp / "compiled"), pure.strip(), external=True)


@check(python=OLDEST, default=False)
def lock(session: nox.Session) -> None:
    """Write the versions and hashes that sessions and workflows install: after a change of pinned versions."""
    install(session, *groups("nox"), locked=False)
    resolve = ("uv", "pip", "compile", "-q", "--upgrade", "--universal", "--no-annotate", "--python-version", OLDEST)
    public = {"UV_INDEX": None, "UV_FIND_LINKS": None}  # no files of this machine, whose hashes are their own
    for name, path in HASHED.items():
        command = ("--custom-compile-command", "nox -s lock", "--generate-hashes", "--group", name, "-o", path)
        session.run(*resolve, *command, silent=True, env=public)
    every = [word for name in PYPROJECT["dependency-groups"] if name not in UNLOCKED for word in ("--group", name)]
    found = str(session.run(*resolve, "--no-header", *every, silent=True, env=public))
    pinned = {re.split(r"[=\[]", requirement)[0].lower() for requirement in groups(*PYPROJECT["dependency-groups"])}
    lines = [line for line in found.splitlines() if not line.startswith(UNLOCKED_NAMES)]
    lines = [line for line in lines if line.partition("==")[0] not in pinned]
    Path(LOCK).write_text("\n".join(["# Written by `nox -s lock`.", *lines, ""]), "utf-8")


@check(allow_parallel=False)
def coverage(session: nox.Session) -> None:
    """Report the lines that no session before this one ran; fails below the limit of pyproject.toml."""
    if missing := [name for name in sorted(MEASURED) if not any(COVERAGE.glob(as_file(f"{name}-") + "*"))]:
        session.skip(f"these were not run: {', '.join(missing)}")
    install(session, *groups("test"))
    data = f"--data-file={COVERAGE.with_name('.coverage-combined')}"
    session.run("coverage", "combine", data, "--keep", "-q", *map(str, COVERAGE.glob("*")))
    session.run("coverage", "report", data, *session.posargs)


@check(allow_parallel=False)
def supported(session: nox.Session) -> None:
    """Compare docs/supported.json with what `nox -r -t proving` proved before; `-- --write` writes it."""
    if missing := [name for name in sorted(PROVING) if not parts(name)]:
        say = f"these were not run whole, which `nox -r -t proving` does: {', '.join(missing)}"
        session.error(say) if session.posargs else session.skip(say)
    proved = [str(part) for name in sorted(PROVING) for part in parts(name)]
    session.run("python", "-m", "tests.proved", *proved, *session.posargs)


@check(python=OLDEST, default=False, allow_parallel=False)
def bench(session: nox.Session) -> None:
    """Measure time and memory of omniou and other libraries, for docs/benchmarks.json; `-- --smoke` writes nothing."""
    _install_peers(session)
    session.run("python", "-m", "tests.benchmarks", *session.posargs, env=QUIET)
    session.run("python", "docs/speed_chart.py")
