"""`omniou eval --groups`: the AP of groups of classes, such as base and novel ones."""

import json

import pytest

from tests.cli.cases import files, run

# Of `files`: each detection of 9 pixels of height matches its object of 10 at IoU thresholds up to .9, others at all.
GROUPS = {
    "groups.json": '{"base": ["cat"], "novel": ["traffic light"], "all": ["cat", 2]}',
    "ids.json": '{"base": [1], "novel": ["2"], "all": [2, 1, 1]}',
    "groups.csv": "name,group\ncat,base\ntraffic light,novel\ncat,all\ntraffic light,all\n",
    "ids.csv": "category_id;split\n1;base\n2;novel\n1;all\n2;all\n",
}


@pytest.fixture
def paths(tmp_path):
    return files(tmp_path, found=lambda k: 10 - 2 * (k % 2))


def written(folder, text, name="groups.json"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", GROUPS)
def test_each_group_has_the_mean_of_its_classes(paths, tmp_path, name):
    path = written(tmp_path, GROUPS[name], name)
    summary = json.loads(run("eval", *paths, "--groups", path, "--format", "json").stdout)["summary"]
    # A cat is found exactly; a traffic light with IoU .8, so at 7 of 10 thresholds.
    assert [summary[x] for x in ("APbase", "APnovel", "APall")] == pytest.approx([1, 0.7, 0.85])


def test_groups_are_in_each_output(paths, tmp_path):
    line = ("--groups", written(tmp_path, GROUPS["groups.json"]))
    assert "APnovel" in run("eval", *paths, *line).stdout
    assert "APnovel" in run("eval", *paths, *line, "--format", "csv").stdout
    assert run("eval", *paths, *line, "--html", tmp_path / "page.html").exit_code == 0
    assert "APnovel" in (tmp_path / "page.html").read_text("utf-8")
    assert "APnovel" in run("compare", paths[0], paths[1], paths[1], *line, "--per-class").stdout
    assert run("eval", *paths, *line, "--fail-under", "APnovel>=0.69").exit_code == 0
    assert run("eval", *paths, *line, "--fail-under", "APnovel>=0.71").exit_code == 1
    assert run("eval", *paths, *line, "--state", tmp_path / "saved").exit_code == 0
    assert "APnovel" in run("eval", "--from-state", tmp_path / "saved").stdout


def test_a_group_without_evaluated_classes_has_no_number(paths, tmp_path):
    line = ("--groups", written(tmp_path, GROUPS["groups.json"]), "--only-classes", "cat")
    summary = json.loads(run("eval", *paths, *line, "--format", "json").stdout)["summary"]
    assert (summary["APbase"], summary["APnovel"], summary["APall"]) == (1, None, 1)


BAD = {
    '{"novel": ["dog"]}': "groups.json: novel[0]: 'dog' is not among the 2 categories of",
    '{"novel": ["cats"]}': "did you mean 'cat'?",
    '{"novel": ["cat", 7]}': "groups.json: novel[1]: 7 is not among the 2 categories of",
    '{"novel": []}': "groups.json: novel: has no classes",
    '{"": ["cat"]}': "groups.json: a group has no name",
    "{}": "groups.json: has no groups",
    '{"novel": ["cat"], "novel": [2]}': "groups.json: novel: occurs twice",
    "[1]": "expected groups with the lists of their classes",
    '{"novel": "cat"}': "groups.json: novel: expected",
    '{"novel": [true]}': "groups.json: novel[0]: expected",
    '{"50": ["cat"]}': "groups.json: 50: the protocol has a number AP50: rename the group",
    "cat,base\n": "no columns of the class and its group: begin with name,group; got 'cat', 'base'",
    "name,group\ndog,base\n": "groups.json: line 2, name: 'dog' is not among",
    "name,group\ncat,\n": "line 2: missing: write name,group; got 'cat', ''",
    "": "groups.json: the file is empty",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_groups_name_the_file_and_the_place(paths, tmp_path, text):
    done = run("eval", *paths, "--groups", written(tmp_path, text))
    assert done.exit_code == 3
    assert BAD[text] in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_name_that_is_the_id_of_another_class_is_refused(paths, tmp_path):
    truth = json.loads(paths[0].read_text())
    truth["categories"][0]["name"] = "2"
    paths[0].write_text(json.dumps(truth))
    done = run("eval", *paths, "--groups", written(tmp_path, '{"novel": ["2"]}'))
    assert done.exit_code == 3
    assert "novel[0]: '2' is the name of class 1 and the id of 'traffic light': write ids as numbers" in done.stderr
    line = ("--groups", written(tmp_path, '{"novel": [2]}'), "--format", "json")
    assert json.loads(run("eval", *paths, *line).stdout)["summary"]["APnovel"] == pytest.approx(0.7)


def test_groups_do_not_fit_other_options(paths, tmp_path):
    path = written(tmp_path, GROUPS["groups.json"])
    assert "remove --groups or --class-agnostic" in run("eval", *paths, "--groups", path, "--class-agnostic").stderr
    assert "is YAML: write JSON" in run("eval", *paths, "--groups", written(tmp_path, "a: [cat]", "g.yaml")).stderr
    assert "none.json" in run("eval", *paths, "--groups", tmp_path / "none.json").stderr
