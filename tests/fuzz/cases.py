"""A case: a command with files that are damaged and options at random, all from one seed; and what must come of it."""

import contextlib
import json
import os
import random
import shutil
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from omniou.cli._commands import COMMANDS, omniou
from omniou.data import FORMATS, TRACK_FORMATS
from tests.cli import cases
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
    "--hierarchy": "hierarchy",
    "--images": "images",
    "--gt-folder": "pan",
    "--dt-folder": "pan",
    "--baseline": "record",
}
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
}


class Case:
    """What a seed stands for, in a folder of its own."""

    def __init__(self, seed: int, corpus: Corpus, folder: Path) -> None:
        self.rng, self.corpus, self.folder = random.Random(seed), corpus, folder
        self.command, self.words = self._words()
        if self.rng.random() < 0.1:
            (folder / "pyproject.toml").write_bytes(damaged(corpus.others["config"].read_bytes(), self.rng))

    def fault(self) -> str:
        """What is wrong with the outcome; empty if nothing."""
        before = set(self.folder.rglob("*"))
        with contextlib.chdir(self.folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = cases.run(self.command, *self.words)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            return "".join(traceback.format_exception(done.exception))
        if done.exit_code not in CODES:
            return f"exit code {done.exit_code}"
        made = [path.name for path in set(self.folder.rglob("*")) - before]
        if any(name.startswith(".omniou-") for name in made):
            return f"left behind: {made}"
        if done.exit_code in {2, 3}:
            # Several outputs of one command are written one after the other, each whole.
            several = sum(word in {"--state", "--html", "-o"} for word in self.words) > 1
            # `check` writes the faults that it finds.
            meant = several or (self.command == "check" and made == ["out.json"])
            return f"exit code {done.exit_code}, and yet there are {made}" if made and not meant else ""
        return self._fault_of_output()

    def _fault_of_output(self) -> str:
        path = self.folder / "out.json"
        others = self.command in {"convert", "nms", "fuse"} or {"--format", "--state"} & {*self.words}
        if others or not path.is_file():
            return ""
        try:
            json.loads(path.read_bytes(), parse_constant=lambda _: 1 / 0)
        except (ValueError, ZeroDivisionError) as error:
            return f"out.json is no JSON: {error!r}"
        return ""

    def _words(self) -> tuple[str, list[str]]:
        """A command and its arguments."""
        rng, others = self.rng, self.corpus.others
        kind = rng.choice(
            ["files"] * 6 + ["convert"] * 2 + ["record"] * 3 + ["state"] * 2 + ["maps", "panoptic", "side", "tracks"]
        )
        if kind in {"files", "convert"}:
            return self._files(convert=kind == "convert")
        if kind == "record":
            record = others[rng.choice(["record", "record-of-maps"])]
            return rng.choice(
                [
                    ("report", [self._put(record), "-o", "page.html"]),
                    ("compare", [self._put(record), self._put(record, 0.5), "--per-class"]),
                    (
                        "eval",
                        [
                            *self._pair(0),
                            "--baseline",
                            self._put(others["record"]),
                            "--max-drop",
                            "1",
                            "-o",
                            "out.json",
                        ],
                    ),
                ]
            )
        if kind == "state":
            path = self._put(others[rng.choice(["state", "state", "arrow"])])
            words = [path, *([self._put(others["state"], 0)] if rng.random() < 0.3 else [])]
            return rng.choice([("info", [path]), ("eval", ["--from-state", *words, "-o", "out.json"])])
        if kind == "maps":
            words = [self._put(others["maps"]), self._put(others["predicted"]), "--kind", "semantic"]
            return "eval", [
                *words,
                "--classes",
                self._put(others[rng.choice(["table", "classes"])], 0.3),
                "--per-class",
            ]
        if kind == "panoptic":
            words = [self._put(others["panoptic"]), self._put(others["panoptic"], 0.5), "--kind", "panoptic"]
            return "eval", [*words, *(f"--{x}-folder={self._put(others['pan'], 0.2)}" for x in ("gt", "dt"))]
        return self._tracks() if kind == "tracks" else self._side()

    def _tracks(self) -> tuple[str, list[str]]:
        """A folder of sequences of one format, or of two, and options that such files take."""
        rng = self.rng
        names = [f"tracks-{rng.choice(TRACK_FORMATS)}"] * 2
        if rng.random() < 0.1:
            names[1] = f"tracks-{rng.choice(TRACK_FORMATS)}"
        words = [*(self._put(self.corpus.others[name], 0.6) for name in names), "--kind", "tracks"]
        if rng.random() < 0.3:
            return "check", words
        known = options_of(GROUP["eval"])
        chosen = rng.sample(["--protocol", "--sequences", "--first-frame", "--fail-under"], rng.choice([0, 0, 1, 2]))
        return "eval", [*words, "-o", "out.json", *(x for name in chosen for x in self._option(name, known[name]))]

    def _side(self) -> tuple[str, list[str]]:
        """A file of an option."""
        name = self.rng.choice(sorted(FILES))
        words = ["--max-drop", "1"] if name == "--baseline" else []
        words += ["--protocol", "open_images"] if name == "--hierarchy" else []
        return "eval", [*self._pair(0), name, self._put(self.corpus.others[FILES[name]]), *words]

    def _files(self, *, convert: bool) -> tuple[str, list[str]]:
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
        if convert:
            goal = rng.choice(["out", "out.json", "-"])
            inputs = [truth, *([found] if rng.random() < 0.5 else [])]
            return "convert", [*inputs, goal, *kind, *given, *self._options("convert")]
        command = rng.choice(["check", "eval", "eval", "compare", "nms", "fuse"])
        if command in {"nms", "fuse"}:
            other = self._put(rng.choice(self.corpus.detections[names[1]]), 0.2)
            files = [found] if command == "nms" else [found, other]
            given = [x for x in given if x.startswith("--dt")]
            known = ["--ground-truth", truth] if rng.random() < 0.3 else []
            return command, [*files, *kind, *given, *known, *self._options(command)]
        files = [truth, found, found] if command == "compare" else [truth, found]
        return command, [*files, *kind, *given, *self._options(command)]

    def _pair(self, chance: float) -> list[str]:
        return [self._put(self.corpus.truth, chance), self._put(self.corpus.found, chance)]

    def _options(self, command: str) -> list[str]:
        rng, known = self.rng, options_of(GROUP[command])
        chosen = rng.sample(sorted(known.keys() - LEFT_OUT), rng.choice([0, 0, 0, 1, 2]))
        if command == "convert" and "--to" not in chosen:
            chosen.append("--to")
        return [word for name in chosen for word in self._option(name, known[name])]

    def _option(self, name: str, option: Any) -> Iterator[str]:
        rng = self.rng
        yield name
        if option.is_flag:
            return
        if name in FILES:
            yield self._put(self.corpus.others[FILES[name]], 0.5)
        elif isinstance(option.type, click.Path):
            yield rng.choice(["out.json", "out", "missing/out.json", "."])
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
