"""`python -m tests.fuzz --seconds 40`: cases until the time is over; each that fails is printed with its seed.

Each run has other seeds. `--seed 7 --count 1` runs that of seed 7 again. New formats, kinds and options are in it as
soon as they are declared.
"""

import argparse
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.cases import Case
from tests.fuzz.corpus import Corpus


def main() -> int:
    """Print what fails; 1 if anything does."""
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--seed", type=int, help="of the first case, by chance if not given; the next ones count on")
    parser.add_argument("--count", type=int, default=10**9, help="of cases")
    given = parser.parse_args()
    first = secrets.randbelow(10**9) if given.seed is None else given.seed
    end, failures, seed = time.monotonic() + given.seconds, 0, first
    with tempfile.TemporaryDirectory() as folder:
        (home := Path(folder, "corpus")).mkdir()
        corpus = Corpus(home)
        while seed < first + given.count and time.monotonic() < end:
            with tempfile.TemporaryDirectory(dir=folder) as work:
                case = Case(seed, corpus, Path(work))
                if fault := case.fault():
                    failures += 1
                    words = [case.command, *map(ascii, case.words)]
                    print(f"seed {seed}: omniou {' '.join(words)}\n{fault}\n", flush=True)
            seed += 1
    print(f"seeds {first} to {seed - 1}: {failures} of {seed - first} cases fail")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
