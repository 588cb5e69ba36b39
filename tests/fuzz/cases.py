"""A case: a command with files that are damaged and options at random, all from one seed; and what must come of it."""

import contextlib
import json
import os
import random
import shutil
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from omniou.cli._commands import COMMANDS, omniou
from omniou.cli._kinds import KINDS, OTHER_KINDS
from omniou.data import FORMATS, TRACK_FORMATS
from tests.cli import cases
from tests.fuzz import limits
from tests.fuzz.corpus import Corpus, options_of
from tests.fuzz.mutate import WORDS, damaged

CODES = {0, 1, 2, 3, 4}
# Options that start processes, import a framework, open a browser, or take long: none of them reads what is damaged.
LEFT_OUT = {"--engine", "--scheduler", "--workers", "--shards", "--checkpoint", "--skip-unreadable", "--backend"}
LEFT_OUT |= {"--open", "--samples", "--help"}
GROUP = {name: omniou.get_command(click.Context(omniou), name) for name in COMMANDS}
# Options that take a file of the corpus.
FILES = {
    "--config": "config",
    "--classes": "classes",
    "--gt-classes": "classes",
    "--dt-classes": "classes",
    "--image-set": "image-set",
    "--synonyms": "synonyms",
    "--hierarchy": "hierarchy",
    "--images": "images",
    "--gt-folder": "pan",
    "--dt-folder": "pan",
    "--baseline": "record",
    "--slices": "slices",
}
# What else such an option asks for.
BESIDE = {"--baseline": ["--max-drop", "1"], "--hierarchy": ["--protocol", "open_images"]}
TEXTS = {
    "--fail-under": ["AP50>=0.6", "cat.AP>=.5", "AP>", "x.AP>1", "AP>=nan"],
    "--max-drop": ["0.005", "AP50=0.1", "-1", "nan"],
    "--image-size": ["64x48", "0x0", "1e3x2", "999999999x1"],
    "--iou-thresholds": ["0.5", "0.5:0.95:0.05", "0.9,0.5", "0:1:1e-9", "nan"],
    "--max-detections": ["1,10,100", "any", "5,any", "0", "99999999999999999999"],
    "--area-ranges": ["small:0:1024", "a:0:inf", "a:1:0", "a:nan:1", "all:0:1"],
    "--only-classes": ["cat", "cat,dog", ","],
    "--sequences": ["s", "*", "s,t", "[", ","],
    "--first-frame": ["0", "-5", "99999999999999999999", "x"],
    "--offset": ["0", "1", "nan", "1e308", "-5"],
    "--log": [
        "csv:log.csv",
        "csv:log.csv",
        "csv:log.csv",
        "csv:missing/log.csv",
        "csv:.",
        "csv:",
        "jsonl:x",
        "log.csv",
    ],
}
# Outputs that a command writes one after the other: what refuses the last one must leave none of the others.
LATE = [
    ["--html", "page.html", "-o", "missing/out.json"],
    ["-o", "out.json", "--html", "missing/page.html"],
    ["-o", "out.json", "--html", "."],
    ["--log", "csv:log.csv", "-o", "."],
    ["-o", "out.json", "--log", "csv:missing/log.csv"],
    ["--html", "page.html", "--state", "missing/state.omniou"],
    ["-o", "out.json", "--plots", "missing/further/plots"],
]


class Case:
    """What a seed stands for, in a folder of its own."""

    def __init__(self, seed: int, corpus: Corpus, folder: Path) -> None:
        self.rng, self.corpus, self.folder = random.Random(seed), corpus, folder
        makers: dict[Callable[[], tuple[str, list[str]]], int] = {
            self._of_formats: 6,
            self._conversion: 2,
            self._of_kinds: 3,
            self._of_records: 2,
            self._of_states: 2,
            self._of_tracks: 1,
            self._of_options: 1,
            self._of_late_outputs: 1,
            self._at_once: 1,
        }
        self.times = 1
        (maker,) = self.rng.choices([*makers], [*makers.values()])
        self.command, self.words = maker()
        if self.rng.random() < 0.1:
            (folder / "pyproject.toml").write_bytes(damaged(corpus.others["config"].read_bytes(), self.rng))

    def fault(self) -> str:
        """What is wrong with the outcome; empty if nothing."""
        before = self._files()
        runs = limits.run(*[self._run] * self.times)
        after = self._files()
        for ended in runs:
            if fault := ended.fault or self._fault_of(*ended.value, after, before):
                return fault
        return self._fault_of_log(after, sum(x.value[0] in {0, 1} for x in runs)) if self.times > 1 else ""

    def _run(self) -> tuple[int, str]:
        """The exit code, and the error where one was not caught."""
        with contextlib.chdir(self.folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = cases.run(self.command, *self.words)
        if done.exception is None or isinstance(done.exception, SystemExit):
            return done.exit_code, "not enough memory" if "not enough memory" in done.stderr else ""
        return done.exit_code, "".join(traceback.format_exception(done.exception))

    def _files(self) -> dict[str, bytes]:
        """All files of the folder, with what they hold."""
        return {str(x.relative_to(self.folder)): x.read_bytes() for x in self.folder.rglob("*") if x.is_file()}

    def _fault_of(self, code: int, error: str, after: dict[str, bytes], before: dict[str, bytes]) -> str:
        if error:
            return error
        if code not in CODES:
            return f"exit code {code}"
        if changed := [name for name, content in before.items() if after.get(name) != content]:
            return f"an input is changed: {changed}"
        made = sorted(after.keys() - before.keys())
        if any(".omniou-" in name for name in made):
            return f"left behind: {made}"
        if code in {2, 3} and made and not (self.command == "check" and made == ["out.json"]):  # the faults it finds
            return f"exit code {code}, and yet there are {made}"
        return "" if code in {2, 3} else self._fault_of_json(after)

    def _fault_of_json(self, after: dict[str, bytes]) -> str:
        others = self.command in {"convert", "nms", "fuse"} or {"--format", "--state"} & {*self.words}
        if others or "out.json" not in after:
            return ""
        try:
            json.loads(after["out.json"], parse_constant=lambda _: 1 / 0)
        except (ValueError, ZeroDivisionError) as error:
            return f"out.json is no JSON: {error!r}"
        return ""

    def _fault_of_log(self, after: dict[str, bytes], count: int) -> str:
        """Of several runs at once, each has its line."""
        lines = after.get("log.csv", b"").decode().splitlines()
        whole = len(lines) == count + (count > 0) and len({x.count(",") for x in lines}) <= 1
        return "" if whole else f"log.csv of {count} runs has {len(lines)} lines: {lines}"

    def _of_formats(self, command: str = "") -> tuple[str, list[str]]:
        """A ground truth and detections of one format, or of two, and options."""
        rng = self.rng
        names = [rng.choice(FORMATS), rng.choice(FORMATS)]
        if rng.random() < 0.7:
            names[1] = names[0]
        paths = rng.choice(self.corpus.truths[names[0]]), rng.choice(self.corpus.detections[names[1]])
        kind = [f"--kind={x}" for x in {self.corpus.kinds.get(path) for path in paths} - {None}]
        truth, found = (self._put(path, 0.45) for path in paths)
        given = [
            f"--{side}-format={name}" for side, name in zip(("gt", "dt"), names, strict=True) if rng.random() < 0.5
        ]
        command = command or rng.choice(["check", "eval", "eval", "compare", "nms", "fuse"])
        if command == "convert":
            inputs = [truth, *([found] if rng.random() < 0.5 else []), rng.choice(["out", "out.json", "-", truth])]
        elif command in {"nms", "fuse"}:
            other = self._put(rng.choice(self.corpus.detections[names[1]]), 0.2)
            inputs = [found] if command == "nms" else [found, other]
            given = [x for x in given if x.startswith("--dt")]
            given += ["--ground-truth", truth] if rng.random() < 0.3 else []
        else:
            inputs = [truth, found, found] if command == "compare" else [truth, found]
        return command, [*inputs, *kind, *given, *self._options(command)]

    def _conversion(self) -> tuple[str, list[str]]:
        return self._of_formats("convert")

    def _of_kinds(self) -> tuple[str, list[str]]:
        """A ground truth and models of a kind that is not of detections."""
        rng, kind = self.rng, self.rng.choice([*OTHER_KINDS])
        truth, good, poor = (self._put(path, 0.3) for path in self.corpus.of_kinds[kind])
        command = rng.choice(["eval", "eval", "compare", *(["check"] if KINDS[kind].checked else [])])
        words = [truth, good, *([poor] if command == "compare" else []), "--kind", kind]
        if kind == "panoptic":
            folders = [path.with_suffix("") for path in self.corpus.of_kinds[kind]]
            words += [
                f"--{side}-folder={self._put(path, 0.2)}" for side, path in zip(("gt", "dt"), folders, strict=False)
            ]
        words += ["--samples", "20"] if command == "compare" else []
        own = {f"--{x.replace('_', '-')}" for x in KINDS[kind].options}
        return command, [*words, *self._options(command, own)]

    def _of_records(self) -> tuple[str, list[str]]:
        record = self.corpus.others[self.rng.choice(["record", "record-of-maps"])]
        command = self.rng.choice(["report", "compare", "eval"])
        if command == "report":
            return command, [self._put(record), "-o", "page.html"]
        if command == "compare":
            return command, [self._put(record), self._put(record, 0.5), "--per-class"]
        baseline = ["--baseline", self._put(self.corpus.others["record"]), "--max-drop", "1"]
        return command, [*self._pair(0), *baseline, "-o", "out.json"]

    def _of_states(self) -> tuple[str, list[str]]:
        path = self._put(self.corpus.others[self.rng.choice(["state", "state", "arrow"])])
        words = [path, *([self._put(self.corpus.others["state"], 0)] if self.rng.random() < 0.3 else [])]
        output = self.rng.choice(["out.json", "out.json", "out.json", path])
        return self.rng.choice([("info", [path]), ("eval", ["--from-state", *words, "-o", output])])

    def _of_tracks(self) -> tuple[str, list[str]]:
        """A folder of sequences of one format, or of two, and options that such files take."""
        names = [f"tracks-{self.rng.choice(TRACK_FORMATS)}"] * 2
        if self.rng.random() < 0.1:
            names[1] = f"tracks-{self.rng.choice(TRACK_FORMATS)}"
        words = [*(self._put(self.corpus.others[name], 0.6) for name in names), "--kind", "tracks"]
        if self.rng.random() < 0.3:
            return "check", words
        return "eval", [
            *words,
            "-o",
            "out.json",
            *self._options("eval", {"--protocol", "--sequences", "--first-frame"}),
        ]

    def _of_options(self) -> tuple[str, list[str]]:
        """A file that an option takes."""
        name = self.rng.choice(sorted(FILES))
        return "eval", [*self._pair(0), name, self._put(self.corpus.others[FILES[name]]), *BESIDE.get(name, [])]

    def _of_late_outputs(self) -> tuple[str, list[str]]:
        """Files that are whole, and an output that cannot be written beside one that can."""
        return "eval", [*self._pair(0), *self.rng.choice(LATE)]

    def _at_once(self) -> tuple[str, list[str]]:
        """Several runs with the same outputs."""
        self.times = 4
        return "eval", [*self._pair(0), "--log", "csv:log.csv", "-o", "out.json", "--html", "page.html"]

    def _pair(self, chance: float) -> list[str]:
        return [self._put(self.corpus.truth, chance), self._put(self.corpus.found, chance)]

    def _options(self, command: str, preferred: Any = ()) -> list[str]:
        """Some options at random: half of them of those that are preferred."""
        rng, known = self.rng, options_of(GROUP[command])
        every, some = sorted(known.keys() - LEFT_OUT), sorted(known.keys() & {*preferred})
        chosen = {
            rng.choice(some if some and rng.random() < 0.5 else every) for _ in range(rng.choice([0, 0, 0, 1, 2]))
        }
        if command == "convert":
            chosen.add("--to")
        return [word for name in sorted(chosen) for word in self._option(name, known[name])]

    def _option(self, name: str, option: Any) -> Iterator[str]:
        rng = self.rng
        yield name
        if option.is_flag:
            return
        if name in FILES:
            yield self._put(self.corpus.others[FILES[name]], 0.5)
        elif isinstance(option.type, click.Path):
            there = sorted(x.name for x in self.folder.iterdir())  # an output that is an input
            yield rng.choice(["out.json", "out", "missing/out.json", ".", *there])
        elif isinstance(option.type, click.Choice):
            yield rng.choice(list(option.type.choices))
        else:
            yield rng.choice([*TEXTS.get(name, []), rng.choice(WORDS).replace("\0", ""), "1", "255"])

    def _put(self, path: Path, chance: float = 1.0) -> str:
        """A copy of a file or a folder, which is damaged with this chance; its name in the folder of the case."""
        rng = self.rng
        odd = rng.choice(["", "", "", " é", os.fsdecode(b"\xe9")])
        name = f"{len(list(self.folder.iterdir()))}{odd}{path.suffix}"
        goal = self.folder / name
        if path.is_dir():
            shutil.copytree(path, goal)
        else:
            shutil.copy(path, goal)
        files = sorted(x for x in goal.rglob("*") if x.is_file()) if path.is_dir() else [goal]
        if files and rng.random() < chance:
            victim = rng.choice(files)
            victim.write_bytes(damaged(victim.read_bytes(), rng))
        if path.is_dir() and files and rng.random() < 0.1:
            rng.choice(files).rename(
                goal / rng.choice(["x", ".hidden", "a b.txt", os.fsdecode(b"\xff.txt"), "im1.txt"])
            )
        return name
