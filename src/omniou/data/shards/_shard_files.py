"""The shards of files: which detections go with which objects."""

import dataclasses
import glob
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from omniou.data import _files, _folders, _formats, _image_set, _recognise
from omniou.data._errors import InputError, OptionError
from omniou.data._options import DEFAULT, Options
from omniou.data._paths import name_in

Paths: TypeAlias = Path | str | Sequence[Path | str]

# Images of a shard, of formats that have a file for each.
IMAGES = 500


class UnpairedError(InputError):
    """Files that do not go together by their names."""

    def __init__(
        self, path: Path, fault: str, *, place: str = "", files: tuple[list[Path], list[Path]] = ([], [])
    ) -> None:
        super().__init__(path, fault, place=place)
        self.files = files


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Files of whole images: objects and detections.

    Attributes
    ----------
    name : str
        For messages.
    targets, detections : Path
    images : tuple of str, optional
        Names of the images, of formats that have a file for each; None for all.
    """

    name: str
    targets: Path
    detections: Path
    images: tuple[str, ...] | None = None

    def files(self) -> list[Path]:
        """What is read of it."""
        chosen = _image_set.read(Options(image_set=self.images))
        roots = map(_folders.annotations, (self.targets, self.detections))
        return [file for root in roots for file in chosen.files(root, _files.in_folder(root))]

    def digests(self) -> tuple[tuple[str, int, str], ...]:
        """Name, size and SHA-256 of each file.

        Raises
        ------
        InputError
            If one cannot be read.
        """
        return tuple(map(_digest, self.files()))


def find(
    targets: Paths | Sequence[tuple[Path | str, Path | str]],
    detections: Paths | None = None,
    *,
    options: Options = DEFAULT,
    names: tuple[str | None, str | None] = (None, None),
    count: int | None = None,
) -> list[Shard]:
    """The shards of files.

    Parameters
    ----------
    targets, detections : path, str, or sequence of these
        A file, a directory of files, a pattern such as ``"truth/*.parquet"``, or a list of files. Files go together
        that have the same name without its ending; lists of one length, by their order. Where both are directories of
        a format that has a file for each image, a shard is some of the images.
        `detections` is None where `targets` is a list of pairs.
    options : Options
        The reader uses only `kind`.
    names : pair of str or None
        Of the formats, as `Rules.formats`.
    count : int, optional
        How many there are of formats that have a file for each image. Default: one for each 500 of these.

    Raises
    ------
    InputError
        If there are no files, or a file has no counterpart.
    """
    if detections is None:
        return [_pair(*pair) for pair in _pairs(targets)]
    if count is not None and count < 1:
        raise ValueError(f"`count` must be positive, got {count}")
    listed = [x if isinstance(x, list | tuple) else None for x in (targets, detections)]
    if listed[0] is not None and listed[1] is not None and len(listed[0]) == len(listed[1]):
        return [_pair(*pair) for pair in zip(*listed, strict=True)]
    both = [_expanded(x) for x in (targets, detections)]
    if all(isinstance(x, Path) for x in both):
        folders: Any = both
        if not any(x.is_dir() for x in folders):
            return [_pair(*folders)]
        if all(_is_per_image(x, k, names[k], options) for k, x in enumerate(folders)):
            return _by_images(folders[0], folders[1], count=count, options=options)
    if options.image_set is not None:
        raise OptionError("`image_set` is for directories with a file for each image, where they are in shards")
    truths, detected = map(_named, both)
    return _by_name(truths, detected)


def option_text(option: Any) -> str:
    """An option as text; of a file, such as one of names of classes, with the hash of its content."""
    is_file = isinstance(option, Path | str) and Path(option).is_file()
    return " ".join(map(str, _digest(Path(option)))) if is_file else str(option)


def _digest(path: Path) -> tuple[str, int, str]:
    try:
        with path.open("rb") as file:
            return str(path), path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None


def _pairs(given: Any) -> list[tuple[Path | str, Path | str]]:
    if isinstance(given, list | tuple) and all(isinstance(x, list | tuple) and len(x) == 2 for x in given):
        return [(x[0], x[1]) for x in given]
    raise TypeError(f"`targets` must be a list of pairs of files where there are no `detections`, got {given!r}")


def _pair(targets: Path | str, detections: Path | str) -> Shard:
    # Workers may have another working directory.
    return Shard(name=str(detections), targets=Path(targets).absolute(), detections=Path(detections).absolute())


def _expanded(given: Any) -> Path | list[Path]:
    """A path as it is; the files of a pattern or a list."""
    if isinstance(given, list | tuple):
        return [Path(x) for x in given]
    if not isinstance(given, Path | str):
        raise TypeError(
            f"`targets` and `detections` must be paths, patterns or lists of files, got {type(given).__name__}"
        )
    if glob.has_magic(str(given)) and not Path(given).exists():
        files = sorted(map(Path, glob.glob(str(given), recursive=True)))  # noqa: PTH207  (a path may be absolute)
        if not files:
            raise InputError(given, "no file fits the pattern")
        return files
    return _files.checked(given)


def _named(given: Path | list[Path]) -> list[tuple[str, Path]]:
    """Files and what they are called: by their path from a folder, or by their name in a list; without endings."""
    if isinstance(given, list):
        return [(_stem(x), x) for x in given]
    files = _files.in_folder(given)
    if not files:
        raise InputError(given, "the directory has no files")
    root = given if given.is_dir() else given.parent
    return [((x.parent.relative_to(root) / _stem(x)).as_posix(), x) for x in files]


def _is_per_image(path: Path, which: int, format: str | None, options: Options) -> bool:
    path = _folders.annotations(path)
    name = format or _recognise.by_start(path)
    if name is None:  # lines of text
        name = _recognise.ground_truth(path, options.read_kind) if which == 0 else "text"
    return path.is_dir() and (_formats.declared(name).truth, _formats.declared(name).detections)[which].per_image


def _by_images(targets: Path, detections: Path, /, *, count: int | None, options: Options) -> list[Shard]:
    root = _folders.annotations(targets)
    files = [x for x in _files.in_folder(root) if _recognise.may_have_objects(x)]
    names = sorted({name_in(root, x) for x in _image_set.read(options).files(root, files)})
    if not names:
        raise InputError(targets, "the directory has no files of images")
    most = IMAGES if count is None else max(1, -(-len(names) // count))
    batches = [tuple(names[k : k + most]) for k in range(0, len(names), most)]
    return [
        dataclasses.replace(_pair(targets, detections), name=f"{detections} ({batch[0]} to {batch[-1]})", images=batch)
        for batch in batches
    ]


def _by_name(truths: list[tuple[str, Path]], detected: list[tuple[str, Path]]) -> list[Shard]:
    places: list[dict[str, Path]] = [{}, {}]
    for named, place in zip((truths, detected), places, strict=True):
        for name, path in named:
            if (other := place.setdefault(name, path)) is not path:
                raise InputError(path, f"has the name of {other}: what goes with it is not clear")
    files = ([path for _, path in truths], [path for _, path in detected])
    for a, b, what in ((0, 1, "detections"), (1, 0, "objects")):
        for name, path in places[a].items():
            if name not in places[b]:
                fault = f"there are no {what} of this name: files go together by their names"
                raise UnpairedError(path, fault, files=files)
    return [_pair(places[0][name], places[1][name]) for name in sorted(places[0])]


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]
