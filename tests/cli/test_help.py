"""Commands keep the word of their help: kinds, options of a kind, endings of outputs."""

import re

import click
import pytest

from omniou.cli import _kinds as kinds
from omniou.cli._commands import COMMANDS, omniou
from tests.cli import cases, models, test_arguments

pytest.importorskip("PIL", reason="Pillow is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")

GROUP = {name: omniou.get_command(click.Context(omniou), name) for name in COMMANDS}
TAKEN = [
    (name, kind)
    for name, command in GROUP.items()
    for option in command.params
    if option.name == "kind"
    for kind in option.type.choices
]


def shown(*words):
    """The options that the help of a command lists, once for each line."""
    text = re.split(r"(?:Common o|O)ptions:", cases.run(*words, "--help").stdout)[1]
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)


@pytest.mark.parametrize(("name", "kind"), TAKEN)
def test_command_takes_each_kind_of_its_help(name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "UNITS", 2)
    (tmp_path / "made").mkdir()
    truth, found = test_arguments.paths(kind, tmp_path / "made")
    words = test_arguments.words(name, truth, found, kind)
    written = {"intervals": "activitynet", "polygons": "dota"}
    if "--to" in words and kind in written:
        words[words.index("--to") + 1] = written[kind]
        words += [] if name == "convert" or kind == "intervals" else ["-o", "out"]
    words += ["--image-size", "200x200"] if (name, kind) == ("nms", "segm") else []
    done = cases.run(name, *words)
    assert done.exit_code in {0, 4}, done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns_and_names_each_choice(name):
    text = cases.run(name, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    words = {*re.findall(r"\w(?:[\w.-]*\w)?", re.sub(r"-\n +", "-", text))}
    options = [x for x in GROUP[name].params if isinstance(x, click.Option)]
    assert words >= {choice for x in options for choice in getattr(x.type, "choices", ())}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_each_option_once(name):
    options = [next(o for o in x.opts if o[:2] == "--") for x in GROUP[name].params if isinstance(x, click.Option)]
    assert sorted(shown(name)) == sorted([*options, "--help"])


def test_help_of_eval_has_six_sections_and_the_common_one_is_first():
    text = cases.run("eval", "--help").stdout
    sections = re.findall(r"^(\w.*):$", text, re.MULTILINE)
    assert sections == [
        *("Common options", "Analyses", "Files", "Rules"),
        *("Pictures, logs and gates", "States and clusters"),
    ]
    first = text.partition("Common options:")[2].partition("Analyses:")[0]
    common = {"--kind", "--format", "--output", "--html", "--images", "--protocol", "--full", "--per-class", "--help"}
    assert common <= set(re.findall(r"--[\w-]+", first))


@pytest.mark.parametrize(("name", "kind"), [case for case in TAKEN if case[1] in kinds.OTHER_KINDS])
def test_help_after_a_kind_lists_exactly_what_the_kind_takes(name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = set(shown(name, "--kind", kind))
    assert listed == set(shown(name, f"--kind={kind}"))
    truth = tmp_path / "nowhere"
    wrong = []
    for option in GROUP[name].params:
        if isinstance(option, click.Option) and option.name not in {"kind", "config"}:
            value = [] if option.is_flag else [test_arguments.WRONG]
            paths = [truth] * (3 if name == "compare" else 2)
            told = cases.run(name, *paths, "--kind", kind, option.opts[0], *value).stderr
            if (f"is not for --kind {kind}" in told) == bool(listed & set(option.opts)) and "Invalid value" not in told:
                wrong.append(f"{option.opts[0]}: {told.strip()[-120:]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("ending", "start"), [(".json", b"[{"), (".csv", b"filename,"), (".parquet", b"PAR1"), (".CSV", b"filename,")]
)
@pytest.mark.parametrize("command", ["nms", "fuse", "convert"])
def test_ending_of_the_output_decides_its_format(command, ending, start, tmp_path):
    if ending == ".parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    truth, found = cases.files(tmp_path)
    out = tmp_path / f"out{ending}"
    words = {"convert": [truth, found, out]}.get(command, [found, "--ground-truth", truth, "-o", out])
    done = cases.run(command, *words)
    assert done.exit_code == 0, done.stderr
    assert out.read_bytes().startswith(start)


def test_format_of_the_input_comes_before_the_usual_one_of_the_ending(tmp_path):
    truth, found = cases.files(tmp_path)
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    assert cases.run("convert", truth, found, paths[0], "--to", "open-images").exit_code == 0
    done = cases.run("nms", paths[0], "--ground-truth", truth, "-o", paths[1])
    assert done.exit_code == 0, done.stderr
    assert paths[1].read_text().partition("\n")[0] == paths[0].read_text().partition("\n")[0]
