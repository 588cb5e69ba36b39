"""`omniou eval --kind spotting` on SoccerNet's files."""

import json

import pytest

from omniou.data import InputError, InputWarning, spotting
from tests.cli.cases import run


def write(folder, game, content, name="a.json"):
    path = folder / game / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def action(label, half, ms, **more):
    return {"label": label, "gameTime": f"{half} - {ms // 60000:02}:{ms // 1000 % 60:02}", "position": str(ms)} | more


def spotted(label, half, ms, confidence):
    return action(label, half, ms) | {"half": str(half), "confidence": str(confidence)}


@pytest.fixture
def folders(tmp_path):
    """Two games; in the second, a goal is found a second late, and a foul not at all."""
    truth, found = tmp_path / "gt", tmp_path / "dt"
    write(truth, "league/one", {"annotations": [action("Goal", 1, 20500), action("Foul", 2, 30000)]}, "Labels-v2.json")
    write(truth, "league/two", {"annotations": [action("Goal", 1, 60000), action("Foul", 1, 90000)]}, "Labels-v2.json")
    rows = [spotted("Goal", 1, 20500, 0.9), spotted("Foul", 2, 30000, 0.9)]
    write(found, "league/one", {"predictions": rows}, "results_spotting.json")
    write(found, "league/two", {"predictions": [spotted("Goal", 1, 61000, 0.5)]}, "results_spotting.json")
    return truth, found


def test_eval_of_folders_in_two_words(folders):
    done = run("eval", *folders, "--kind", "spotting", "--format", "json")
    record = json.loads(done.stdout)

    assert done.exit_code == 0
    # Goals: 6 of 11 recalls at 1 s, all from 2 s on; fouls: 6 of 11.
    at_1, then = 6 / 11, (1 + 6 / 11) / 2
    assert record["summary"] == pytest.approx({"tight": ((at_1 + then) / 2 + 3 * then) / 4, "loose": then})
    assert record["counts"] == {"videos": 3, "classes": 2, "events": 4, "predictions": 3}
    assert [x["name"] for x in record["per_class"]] == ["Foul", "Goal"]
    assert record["per_class"][1]["AP@1s"] == pytest.approx(at_1)
    table = run("eval", *folders, "--kind", "spotting")
    assert "mAP averaged over tolerances of 1 to 5 s" in table.stdout
    assert run("eval", *folders, "--kind", "spotting", "--fail-under", "tight>=0.9").exit_code == 1


def test_actions_that_are_not_shown_have_numbers_of_their_own(folders):
    rows = [action("Goal", 1, 20500, visibility="not shown"), action("Foul", 2, 30000, visibility="visible")]
    write(folders[0], "league/one", {"annotations": rows}, "Labels-v2.json")
    record = json.loads(run("eval", *folders, "--kind", "spotting", "--format", "json").stdout)

    assert list(record["summary"]) == [
        "tight", "tight_visible", "tight_unshown", "loose", "loose_visible", "loose_unshown",
    ]  # fmt: skip


def test_games_that_one_side_lacks_are_named(folders):
    write(folders[0], "league/three", {"annotations": [action("Goal", 1, 1000)]})
    write(folders[1], "league/four", {"predictions": [spotted("Goal", 1, 1000, 0.9)]})
    done = run("eval", *folders, "--kind", "spotting", "--format", "json")

    assert "1 games have no predictions, so all their actions are missed: 'league/three'" in done.stderr
    assert "predictions of 1 games are excluded: the ground truth lacks these games: 'league/four'" in done.stderr
    assert json.loads(done.stdout)["counts"]["predictions"] == 3
    write(folders[1].parent / "other", "game", {"predictions": []})
    other = run("eval", folders[0], folders[1].parent / "other", "--kind", "spotting")
    assert other.exit_code == 3
    assert "none of the games of the ground truth has predictions, such as 'league/one'" in other.stderr


def test_what_is_left_out_is_counted(folders):
    rows = [spotted("Goal", 1, 20500, 0.9), spotted("Goal", 1, 20700, 0.8), spotted("Corner", 1, 1, 0.5)]
    write(folders[1], "league/one", {"predictions": rows}, "results_spotting.json")
    done = run("eval", *folders, "--kind", "spotting")

    others = "they have other classes (the predictions have 'Corner', and lack 'Foul')"
    assert f"1 actions and predictions are excluded: {others}" in done.stderr
    assert "1 actions and predictions are excluded: another one of their class is in their frame" in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": "x"}, r"predictions\[0\]\.confidence: expected number, got string"),
        ({"confidence": 1.5}, r"predictions\[0\]\.confidence: expected number in \[0, 1\], got 1\.5"),
        ({"position": -5}, r"predictions\[0\]\.position: expected milliseconds from 0, got -5"),
        ({"label": None}, r"predictions\[0\]\.label: expected string, got null"),
        ({"half": 2}, r"predictions\[0\]\.half: half 2 contradicts gameTime '1 - 00:20': one of them is wrong"),
        (
            {"half": None, "gameTime": "20:05"},
            r"predictions\[0\]\.gameTime: expected half - minutes:seconds, got '20:05'",
        ),
        ({"half": None, "gameTime": ""}, r"predictions\[0\]\.gameTime: missing"),
        ({"half": None, "gameTime": f"1 - {'1' * 5000}:05"}, r"predictions\[0\]\.gameTime: expected half - minutes"),
        ({"position": None, "gameTime": ""}, r"predictions\[0\]\.position: missing"),
    ],
)
def test_faults_name_file_record_and_field(tmp_path, change, message):
    row = spotted("Goal", 1, 20500, 0.9) | change
    path = write(tmp_path, "game", {"predictions": [row]})
    with pytest.raises(InputError, match=r"a\.json: " + message):
        spotting.read_predictions(tmp_path)
    with pytest.raises(InputError, match=r"a\.json: annotations: missing: it has 'predictions', are the two swapped\?"):
        spotting.read_ground_truth(path)


def test_files_that_do_not_fit_raise(tmp_path):
    path = write(tmp_path, "game", {"predictions": []})
    assert spotting.read_predictions(path).names == [""]
    path.write_text('{"predictions": [}')
    with pytest.raises(InputError, match=r"a\.json: not valid JSON"):
        spotting.read_predictions(path)
    write(tmp_path, "game", {"predictions": []})
    write(tmp_path, "game", {"predictions": []}, "b.json")
    with pytest.raises(
        InputError, match=r"b\.json: a\.json is of the same game, and neither is called results_spotting"
    ):
        spotting.read_predictions(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the directory has no"):
        spotting.read_predictions(tmp_path / "empty")


def test_time_of_the_clock_serves_without_a_position(tmp_path):
    path = write(tmp_path, "game", {"annotations": [{"label": "Goal", "gameTime": "2 - 47:05"}]})
    events = spotting.read_ground_truth(path).events

    assert (events.times, events.videos, events.shown) == ([47 * 60 + 5.0], [", half 2"], [True])


def test_times_in_seconds_are_found_by_eval_and_check(folders):
    times = [1000 * (40 * k + k * k) for k in range(20)]
    write(folders[0], "league/one", {"annotations": [action("Goal", 1, x) for x in times]}, "Labels-v2.json")
    right = [spotted("Goal", 1, x, 0.9) for x in times]
    write(folders[1], "league/one", {"predictions": right}, "results_spotting.json")
    assert run("check", *folders, "--kind", "spotting").exit_code == 0
    seconds = [spotted("Goal", 1, x, 0.9) | {"position": str(x // 1000), "gameTime": ""} for x in times]
    write(folders[1], "league/one", {"predictions": seconds}, "results_spotting.json")
    done = run("check", *folders, "--kind", "spotting", "--format", "json")

    found = json.loads(done.stdout)["findings"]
    assert done.exit_code == 4
    assert [(x["code"], x["path"]) for x in found][:1] == [("times-unit", str(folders[1]))]
    assert "times of the predictions seem to be seconds" in run("eval", *folders, "--kind", "spotting").stderr
    assert run("check", folders[0], "--kind", "spotting").exit_code == 0


def test_folders_of_games_are_read_as_soccernets_kit_reads_them(folders):
    truth, found = folders
    for game in ("one", "two"):
        write(truth, f"league/{game}", {"annotations": [action("soccer-ball", 1, 3000)]}, "Labels.json")
        write(found, f"league/{game}", {"predictions": [spotted("x", 1, 3000, 0.5)]}, "results_segmentation.json")
    expected = spotting.read_ground_truth(truth / "league" / "one" / "Labels-v2.json")
    of_folder = spotting.read_ground_truth(truth / "league" / "one")
    assert (of_folder.names, of_folder.events.times) == (expected.names, expected.events.times) == ([""], [20.5, 30.0])
    record = json.loads(run("eval", *folders, "--kind", "spotting", "--format", "json").stdout)
    assert record["counts"] == {"videos": 3, "classes": 2, "events": 4, "predictions": 3}
    (truth / "league" / "two" / "Labels-v2.json").unlink()
    done = run("eval", *folders, "--kind", "spotting")
    assert "games without Labels-v2.json are excluded: 'league/two'" in done.stderr


def test_positions_with_decimals_are_cut_to_milliseconds(folders):
    row = spotted("Goal", 1, 10333, 0.9)
    path = write(folders[1], "league/one", {"predictions": [row | {"position": 10333.99}]}, "results_spotting.json")
    assert spotting.read_predictions(path).events.times == [10.333]
    write(folders[1], "league/one", {"predictions": [row | {"position": "nan"}]}, "results_spotting.json")
    with pytest.raises(InputError, match=r"predictions\[0\].position: expected finite number, got nan"):
        spotting.read_predictions(path)


def test_position_that_contradicts_the_clock_is_named(folders):
    rows = [action("Goal", 1, 605000, position=605), action("Foul", 2, 30000, position=30)]
    path = write(folders[0], "league/one", {"annotations": rows}, "Labels-v2.json")
    words = r"annotations\[0\].position: position contradicts gameTime '1 - 10:05': 605 is .* in seconds; .*605000"
    with pytest.raises(InputError, match=words):
        spotting.read_ground_truth(path)
    write(folders[0], "league/one", {"annotations": [rows[0], action("Foul", 2, 30000)]}, "Labels-v2.json")
    with pytest.raises(InputError, match="is this time in seconds"):
        spotting.read_ground_truth(path)
    write(folders[0], "league/one", {"annotations": [action("Foul", 2, 30000, position=3000)]}, "Labels-v2.json")
    with pytest.warns(InputWarning, match="contradicts gameTime in 1 of 1 actions: position decides"):
        assert spotting.read_ground_truth(path).events.times == [3.0]
