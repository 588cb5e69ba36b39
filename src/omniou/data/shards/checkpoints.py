"""A directory of what came of each shard, so a run that was killed goes on from there."""

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from omniou import __version__
from omniou._lib import extras, outputs
from omniou._lib.findings import Finding
from omniou.data._errors import InputError
from omniou.data.shards import Part, Shard, Size, states

__all__ = ["Checkpoint"]

Digests: TypeAlias = tuple[tuple[str, int, str], ...]


class _About(msgspec.Struct, frozen=True):
    """What a state was computed from, and what else came of it."""

    omniou: str
    shard: str
    key: str
    inputs: Digests
    size: Size
    formats: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Checkpoint:
    """Two files for each shard: its state, ``.npz``, and what it was computed from, ``.json``, which is written last.

    Attributes
    ----------
    folder : Path
        All processes must see it.
    key : str
        What the states depend on in addition to their input, such as the protocol: of another key they are computed
        anew.
    """

    folder: Path
    key: str

    def part(self, shard: Shard, make: Callable[[Shard], Part]) -> Part:
        """What `make` returns, or what it returned before, as long as size and hash of the shard's files are the same.

        Raises
        ------
        InputError
            If the files cannot be read.
        OSError
            Of the directory, if what came cannot be written there; `held` makes an InputError of it.
        """
        inputs = shard.digests()
        if (before := self._load(shard, inputs)) is not None:
            return before
        part = make(shard)
        if part.state is not None:
            try:
                self._save(shard, inputs, part)
            except OSError as error:
                # Not an InputError of a worker: it would read as if the shard could not be read.
                raise OSError(error.errno, error.strerror or str(error), str(self.folder)) from None
        return part

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep the directory for one run: the operating system ends that when the process ends, however it does.

        Raises
        ------
        InputError
            If another run has it, or it cannot be written to, such as on a full disk.
        MissingLibraryError
            Without filelock.
        """
        extras.check("filelock", "a checkpoint")
        import filelock

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = filelock.FileLock(self.folder / ".lock", timeout=0)
            lock.acquire()
        except filelock.Timeout:
            raise InputError(self.folder, "another run writes into this directory of checkpoints") from None
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            yield
        except OSError as error:
            # Other errors of the system, such as of a connection, are not about this directory.
            if error.filename != str(self.folder):
                raise
            raise self._unwritable(error) from None
        finally:
            lock.release()

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(self.folder, f"cannot be written to: {error.strerror or error}")

    def _paths(self, shard: Shard) -> tuple[Path, Path]:
        name = hashlib.sha256(f"{shard.targets}\n{shard.name}".encode("utf-8", "surrogateescape")).hexdigest()[:24]
        return self.folder / f"{name}.npz", self.folder / f"{name}.json"

    def _load(self, shard: Shard, inputs: Digests) -> Part | None:
        state, about = self._paths(shard)
        try:
            head = msgspec.convert(json.loads(about.read_bytes()), type=_About)
            if (head.key, head.omniou, head.inputs) != (self.key, __version__, inputs):
                return None
            data = state.read_bytes()
            states.loads(data)
        except (OSError, ValueError, msgspec.MsgspecError, RecursionError):  # missing or damaged: computed anew
            return None
        return Part(
            names=(shard.name,),
            state=data,
            size=head.size,
            findings=head.findings,
            inputs=inputs,
            formats=head.formats,
        )

    def _save(self, shard: Shard, inputs: Digests, part: Part) -> None:
        head = _About(
            omniou=__version__,
            shard=shard.name,
            key=self.key,
            inputs=inputs,
            size=part.size,
            formats=part.formats,
            findings=part.findings,
        )
        state, about = self._paths(shard)
        about.unlink(missing_ok=True)  # never next to the state of other inputs
        for path, data in (
            (state, part.state or b""),
            (about, json.dumps(msgspec.to_builtins(head), indent=1).encode()),
        ):
            outputs.write(path, data)
