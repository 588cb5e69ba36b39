"""Read one dictionary for each image, as torchvision and torchmetrics give them, into columns.

The one reader of this form. The evaluator and the adapters declare the keys that they take, as `Key`; what an adapter
needs beyond, such as tensors only, is a step of its own before `joined`.

Boxes whose label is negative are padding, with which batches of one size are filled: -1 in JAX and Keras, -100 in
collators of PyTorch. They are excluded on both sides, with their scores, flags, areas and masks: `is_padding`.
"""

from collections.abc import Mapping, Sequence, Sized
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import array_api_compat as compat

from omniou._inputs.inputs import MISSING_SCORES, Detections, Targets, of_one_length
from omniou._inputs.kinds import ROWS, Kind, ShapeRows
from omniou._lib import backends, carried, host, indexing, near, tracers

if TYPE_CHECKING:
    from omniou.rle import Masks

# Kinds of dtype, as `isdtype` of the array API standard names them.
REAL = ("integral", "real floating")
INTEGERS = ("integral",)
FLAGS = ("bool", "integral")
NUMBERS = ("bool", "integral", "real floating")
_WORDS = {REAL: "integers or real floating numbers", INTEGERS: "integers", FLAGS: "booleans or integers"}

# Kinds of dtypes, remembered: `isdtype` takes longer than all other checks of a value.
_HELD: dict[tuple[type, Any, tuple[str, ...]], bool] = {}

# Values of an image, or of all images, by column.
Values = dict[str, Any]


class Key(NamedTuple):
    """A key of the dictionaries and the column that its values become."""

    column: str
    names: tuple[str, ...]  # the key, and its aliases
    holds: tuple[str, ...] = REAL
    rest: tuple[int | str, ...] = ()  # axes after the boxes': a length, or the name of one that may have any
    optional: bool = False
    hint: str = ""  # what to do where it is missing
    rows: ShapeRows = ROWS  # what shapes that know their format become


# Vertices of polygons, which a row of numbers lists one after the other.
VERTICES = "V, 2"
_BOXES = Key("boxes", ("boxes",))
_MASKS = Key("masks", ("masks",), FLAGS, ("height", "width"))
_KEYPOINTS = Key("keypoints", ("keypoints",), REAL, ("K", "2 or 3"))
_LABELS = Key("labels", ("labels", "classes"), INTEGERS)
_AREA = Key("area", ("area",), REAL, optional=True)
_KEYS = {
    "targets": (
        _LABELS,
        Key("crowd", ("iscrowd", "crowd"), FLAGS, optional=True),
        _AREA,
        Key("ignore", ("ignore",), FLAGS, optional=True),
    ),
    "detections": (Key("scores", ("scores", "confidence")), _LABELS),
}


class Flat(NamedTuple):
    """Columns of whole images, and the ids of those."""

    targets: Targets[Any]
    detections: Detections[Any]
    images: list[int]


def are_dicts(targets: Any, detections: Any) -> bool:
    """Whether both arguments are lists of dictionaries; an error if only one of them is."""
    lists = [not isinstance(x, Targets | Detections) for x in (targets, detections)]
    if lists[0] != lists[1]:
        raise TypeError(
            "`targets` and `detections` must both be tables or both be lists of dictionaries, got "
            f"{type(targets).__name__} and {type(detections).__name__}"
        )
    return lists[0]


def check_unnamed(images: Any) -> None:
    """Raise if `images` are given for lists of dictionaries."""
    if images is not None:
        raise ValueError(
            "`images` is for tables: dictionaries are images in their order. Pass only the dictionaries of the images "
            "that are meant"
        )


def flatten(targets: Any, detections: Any, first: int, kind: Kind, *, missing_scores: bool | None = None) -> Flat:
    """Dictionaries of images, numbered from `first` -> columns."""
    check_lists(targets=targets, detections=detections)
    tables = []
    for name, rows in (("targets", targets), ("detections", detections)):
        columns = table_of(name, rows, kind, missing_scores=missing_scores)
        columns["images"] = [first + i for i in columns["images"]]
        tables.append({"boxes": None} | ({"scores": None} if name == "detections" else {}) | columns)
    return Flat(Targets(**tables[0]), Detections(**tables[1]), list(range(first, first + len(targets))))


def table_of(name: str, rows: Sequence[Any], kind: Kind, *, missing_scores: bool | None = None) -> Values:
    """Dictionaries of images -> the columns of "targets" or "detections"."""
    shapes = () if kind.column == "payload" else (kind.column,)
    declared = keys(name, *shapes, numbers=kind.geometry.numbers, rows=kind.rows)
    if not shapes and name == "detections":
        declared = (*declared, _AREA)
    if missing_scores is not None:
        hint = "" if missing_scores else MISSING_SCORES
        declared = tuple(
            key._replace(optional=missing_scores, hint=hint) if key.column == "scores" else key for key in declared
        )
        # The first key tells how many rows there are.
        declared = tuple(sorted(declared, key=lambda key: missing_scores and key.column == "scores"))
    if "boxes" in kind.uses.get(name, ()):
        declared = (*declared, _BOXES._replace(rest=(4,), optional=True, rows=kind.rows))
    return joined(name, read(name, rows, declared), declared)


def keys(
    table: str,
    *shapes: str,
    numbers: int | str = "2 * D",
    holds: tuple[str, ...] | None = None,
    rows: ShapeRows = ROWS,
) -> tuple[Key, ...]:
    """Keys of a table with these shapes, "boxes" or "masks", the first of which says how many boxes an image has.

    `numbers` is how many a row of "boxes" has, or the name of that length; `holds` replaces the kinds of dtype of all;
    `rows`: the rows of "boxes" that know their format.
    """
    of_shapes = {"boxes": _BOXES._replace(rest=(numbers,), rows=rows), "masks": _MASKS, "keypoints": _KEYPOINTS}
    declared = (*(of_shapes[shape] for shape in shapes), *_KEYS[table])
    return declared if holds is None else tuple(key._replace(holds=holds) for key in declared)


def names(*declared: Key) -> set[str]:
    """All names of some keys."""
    return {name for key in declared for name in key.names}


def check_lists(**lists: Any) -> None:
    """Raise unless these are lists of as many images."""
    for name, rows in lists.items():
        if not isinstance(rows, Sequence) or isinstance(rows, str):
            way = near.reader_hint(rows, name)
            raise TypeError(
                f"`{name}` must be a list of dictionaries, one for each image, got {type(rows).__name__}{way}"
            )
    if len({len(rows) for rows in lists.values()}) > 1:
        names, counts = (" and ".join(x) for x in (map("`{}`".format, lists), (str(len(x)) for x in lists.values())))
        raise ValueError(f"{names} must have one entry for each image, got {counts}")


def is_padding(labels: Any) -> Any:
    """Return where labels mark padding: where they are negative."""
    return labels < 0


def read(name: str, rows: Sequence[Any], declared: Sequence[Key], *, instead: str = "") -> list[Values]:
    """Check the dictionary of each image: values by column, without padding.

    Where padding cannot be excluded, `instead` says what to do.
    """
    given = [checked(f"{name}[{number}]", x, declared) for number, x in enumerate(rows)]
    if not any(negative := _negative([x.get("labels", ()) for x in given])):
        return given
    if instead:
        _raise_padding(f"{name}[{negative.index(True)}]", instead)
    return [_without_padding(x) if padded else x for x, padded in zip(given, negative, strict=True)]


def row(name: str, given: Any, declared: Sequence[Key], *, instead: str = "") -> Values:
    """Check the dictionary of one image: values by column, without padding."""
    values = checked(name, given, declared)
    if not any(_negative([values.get("labels", ())])):
        return values
    if instead:
        _raise_padding(name, instead)
    return _without_padding(values)


def checked(name: str, given: Any, declared: Sequence[Key], axes: tuple[str, ...] = ("N",)) -> Values:
    """Check the dictionary of an image, or of a padded batch with the axes ("batch", "N"): values with padding."""
    if type(given) is not dict and not isinstance(given, Mapping):  # the check of a class with methods is slow
        expected = ", ".join(repr(key.names[0]) for key in declared if not key.optional)
        raise TypeError(f"`{name}` must be a dictionary with {expected}, got {type(given).__name__}")
    columns: Values = {}
    lead: tuple[int, ...] | None = None  # the lengths of the axes that all values share
    for key in declared:
        for label in key.names:
            if (x := given.get(label)) is not None:
                break
        else:
            # For an image without boxes, None and an empty array mean the same.
            if not key.optional and not (lead == (0,) and any(label in given for label in key.names)):
                _raise_missing(name, given, key)
            continue
        if not carried.is_plain(x):
            x = numbers(f"{name}[{label!r}]", x, key)
        if VERTICES in key.rest:
            x = _flat(x, len(axes))
        shape = _shape(x)
        # Lengths that are all known are compared at once: most values of a call are such.
        fits = len(axes) == 1 and shape[1:] == key.rest if lead is None else shape == lead + key.rest
        fits = fits or _fits(shape, x, key, lead or axes)
        if not fits and not (shape == (0,) and lead in {None, (0,)} and len(axes) == 1):
            _raise_shape(f"{name}[{label!r}]", x, key, lead or axes, declared[0])
        if 0 not in shape and not _holds(x, key.holds):
            _raise_dtype(f"{name}[{label!r}]", x, key)
        columns[key.column] = x
        lead = shape[: len(axes)] if lead is None else lead
    return columns


def numbers(name: str, x: Any, key: Key) -> Any:
    """The numbers of a value that may carry more, such as its format."""
    return carried.plain(name, key.rows.numbers(name, x))


def joined(name: str, rows: Sequence[Values], declared: Sequence[Key]) -> Values:
    """Concatenate the values of all images; "images" has the position of its image for each box."""
    lengths = lengths_of(rows, declared)
    return concatenated(name, rows, declared, lengths) | {
        "images": [i for i, n in enumerate(lengths) for _ in range(n)]
    }


def lengths_of(rows: Sequence[Values], declared: Sequence[Key]) -> list[int]:
    """How many boxes each image has."""
    first = declared[0].column
    return [_shape(given[first])[0] for given in rows]


def concatenated(name: str, rows: Sequence[Values], declared: Sequence[Key], lengths: Sequence[int]) -> Values:
    """Concatenate the values of all images of these lengths."""
    columns: Values = {}
    for key in declared:
        parts = {i: given.get(key.column) for i, (given, n) in enumerate(zip(rows, lengths, strict=True)) if n}
        missing = [i for i, x in parts.items() if x is None]
        if missing and len(missing) < len(parts):
            label = key.names[0]
            raise ValueError(
                f"`{name}[{missing[0]}]` must have the key {label!r}, as others have: give it for every image or none"
            )
        if missing or (key.optional and not parts):
            continue
        columns[key.column] = (
            _masks(parts)
            if key.column == "masks"
            else _values(f"{name}[%d]['{key.names[0]}']", parts, vertices=VERTICES in key.rest)
        )
    return columns


def _negative(labels: Sequence[Any]) -> list[bool]:
    """Return whether the labels of each image hold padding; not of traced ones, which the caller refuses."""
    if not all(map(tracers.has_values, {type(x): x for x in labels}.values())):
        return [False] * len(labels)
    if labels and all(map(compat.is_torch_array, labels)):
        labels = host.on_cpu(labels)  # one copy from each device
    return [len(x) > 0 and bool(is_padding(min(x))) for x in map(_listed, labels)]


def _listed(labels: Any) -> list[Any]:
    """Labels as Python's numbers. A list may hold arrays of one number, or names, which are not padding: 0."""
    if hasattr(labels, "dtype"):
        return indexing.to_list(labels)
    numbers = (x.item() if hasattr(x, "item") else x for x in labels)
    return [x if isinstance(x, Real) else 0 for x in numbers]


def _without_padding(values: Values) -> Values:
    kept = [k for k, x in enumerate(_listed(values["labels"])) if not is_padding(x)]
    return {column: taken(x, kept) for column, x in values.items()}


def kept_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[list[int], list[list[int]]]:
    """Checked dictionaries of images -> how many rows each has, and places of those that are not padding."""
    labels = [x["labels"] if x.get("labels") is not None else x.get("classes") for x in rows]
    listed = [[] if x is None else _listed(x) for x in labels]
    return [len(x) for x in listed], [[k for k, label in enumerate(x) if not is_padding(label)] for x in listed]


def taken(x: Any, rows: list[int]) -> Any:
    """Rows of an array, of a list, or of a table of masks."""
    if not hasattr(x, "dtype"):
        return x.take(rows) if hasattr(x, "take") else [x[k] for k in rows]
    xp = backends.array_namespace(x)
    return xp.take(x, xp.asarray(rows, dtype=xp.int32, device=compat.device(x)), axis=0)


def _raise_padding(name: str, instead: str) -> NoReturn:
    raise ValueError(f"`{name}['labels']` must not be negative, which marks padding: {instead}")


def _raise_missing(name: str, given: Mapping[str, Any], key: Key) -> NoReturn:
    expected = " or ".join(map(repr, key.names))
    there = ", ".join(repr(x) for x, value in given.items() if value is not None)
    raise ValueError(f"`{name}` must have the key {expected}, got {there or 'nothing'}{key.hint and f': {key.hint}'}")


def _flat(x: Any, axes: int) -> Any:
    """Vertices (..., V, 2) -> rows (..., 2V); lists and rows as they are."""
    shape = _shape(x)
    if not hasattr(x, "shape") or len(shape) != axes + 2 or shape[-1] != 2:
        return x
    return backends.array_namespace(x).reshape(x, (*shape[:-2], 2 * shape[-2]))


def _shape(x: Any) -> tuple[int, ...]:
    """The shape of an array; the length of a list, or of masks as run lengths; () of anything else."""
    if (shape := getattr(x, "shape", None)) is not None:
        return tuple(shape)
    return (len(x),) if isinstance(x, Sized) else ()


def _fits(shape: tuple[int, ...], x: Any, key: Key, lead: tuple[int | str, ...]) -> bool:
    if not hasattr(x, "shape"):  # of which only the length is known
        return len(lead) == len(shape) == 1 and _agree(shape, lead)
    return _agree(shape[: len(lead)], lead) and _agree(shape[len(lead) :], key.rest)


def _agree(shape: tuple[int, ...], expected: tuple[int | str, ...]) -> bool:
    if shape == expected:
        return True
    return len(shape) == len(expected) and all(
        isinstance(b, str) or a == b for a, b in zip(shape, expected, strict=True)
    )


def _raise_shape(name: str, x: Any, key: Key, lead: tuple[int | str, ...], first: Key) -> NoReturn:
    if not (shape := _shape(x)):
        raise TypeError(f"`{name}` must be an array or a list, got {x!r}")
    text = ", ".join(map(str, (*lead, *key.rest)))
    why = "" if isinstance(lead[0], str) else f" as there are {first.names[0]}"
    raise ValueError(f"`{name}` must have shape ({text}{'' if ',' in text else ','}){why}, got {shape}")


def _holds(x: Any, holds: tuple[str, ...]) -> bool:
    if (dtype := getattr(x, "dtype", None)) is None:
        return True
    # The type first: dtypes of array-api-strict warn if they are compared with NumPy's.
    key = type(dtype), dtype, holds
    if (known := _HELD.get(key)) is not None:
        return known
    try:
        held = bool(backends.array_namespace(x).isdtype(dtype, holds))
    except TypeError:
        return True  # of no known library or dtype, which is said where the columns are checked
    return _HELD.setdefault(key, held)


def _raise_dtype(name: str, x: Any, key: Key) -> NoReturn:
    hint = ", say `x > 0.5`" if key.column == "masks" else ""
    raise TypeError(f"`{name}` must hold {_WORDS.get(key.holds, 'numbers')}{hint}, got dtype {x.dtype}")


def _values(name: str, parts: Mapping[int, Any], *, vertices: bool) -> Any:
    """Arrays or lists by the number of their image, one after the other."""
    arrays = list(parts.values())
    if not (arrays and all(hasattr(x, "dtype") for x in arrays)):
        return [row for part in arrays for row in (part.tolist() if hasattr(part, "tolist") else part)]
    try:
        one_kind = len(set(map(type, arrays))) == 1  # else array-api-compat says what is wrong
        xp = backends.array_namespace(arrays[0]) if one_kind else compat.array_namespace(*arrays)
        return xp.concat(of_one_length(arrays, xp=xp) if vertices else arrays)
    except (TypeError, ValueError, RuntimeError) as error:
        names = [f"`{name % number}`" for number in parts]
        for describe, kind in ((_library, TypeError), (_shape_of_each, ValueError)):
            for one, x in zip(names, arrays, strict=True):
                if describe(x) != describe(arrays[0]):
                    raise kind(f"{one} must be as {names[0]} is, {describe(arrays[0])}, got {describe(x)}") from None
        raise TypeError(f"{names[0]} and other images cannot be joined: {str(error).splitlines()[0]}") from None


def _library(x: Any) -> str:
    device = f" on {compat.device(x)}" if compat.is_array_api_obj(x) else ""
    return f"{type(x).__module__}.{type(x).__qualname__}{device}"


def _shape_of_each(x: Any) -> str:
    return f"of shape ({', '.join(('N', *map(str, x.shape[1:])))})"


def _masks(parts: Mapping[int, Any]) -> "Masks":
    """Dense masks, COCO's records of run lengths, or tables of them, as one table."""
    from omniou.rle import Masks

    tables = []
    for x in parts.values():
        if isinstance(x, Masks):
            tables.append(x)
        else:
            tables.append(Masks.from_dense(x) if hasattr(x, "dtype") else Masks.from_coco(x))
    return Masks.concat(tables) if tables else Masks.from_coco([])
