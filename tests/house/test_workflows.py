"""The workflows of GitHub run pinned actions, and install what pyproject.toml pins."""

import re
import tomllib

import pytest

from tests.house.imports import ROOT

WORKFLOWS = sorted((ROOT / ".github").glob("workflows/*.yml"))
USES = re.compile(r"^[ -]*uses: (\S+)(.*)$", re.MULTILINE)
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the sdist has no workflows")


def test_actions_are_pinned_by_hash_with_their_version():
    used = {(action, comment) for path in WORKFLOWS for action, comment in USES.findall(path.read_text("utf-8"))}
    outside = {(action, comment) for action, comment in used if not action.startswith("./.github/")}
    assert len(outside) > 4
    assert {x for x in outside if not PINNED.fullmatch(x[0]) or not re.fullmatch(r" # v\d+\.\d+\.\d+", x[1])} == set()
    names = [action.partition("@")[0] for action, _ in outside]
    assert sorted(names) == sorted(set(names)), "one version of each action"


@pytest.mark.parametrize("group", ["build", "nox"])
def test_hashed_requirements_have_the_versions_of_their_group(group):
    pins = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"][group]
    lines = (ROOT / ".github/requirements" / f"{group}.txt").read_text("utf-8")
    locked = set(re.findall(r"^([\w.-]+==[^\s;]+)", lines, re.MULTILINE))
    assert set(pins) <= locked
    assert "://" not in lines
    assert len(locked) <= lines.count("--hash=sha256:")


def test_constraints_are_versions_of_what_no_group_pins():
    lines = (ROOT / ".ci/constraints.txt").read_text("utf-8").splitlines()[1:]
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"].values()
    pinned = {re.split(r"[=\[]", x)[0].lower() for group in groups for x in group if isinstance(x, str)}
    assert len(lines) > 100
    assert [x for x in lines if not re.fullmatch(r"[a-z0-9.-]+==[\w.]+( ; [\w.<>='! ]+)?", x)] == []
    assert {x.partition("==")[0] for x in lines} & pinned == set()


def test_citation_has_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    source = (ROOT / "src/omniou/__init__.py").read_text("utf-8")
    version = re.findall(r'^__version__ = "(.*)"$', source, re.MULTILINE)
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == version
