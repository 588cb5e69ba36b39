"""Rows and columns of one file: duplicates, crowds, names of classes."""

from omniou._doctor.columns import Column, np
from omniou._lib.findings import Finding
from omniou.detection.doctor._examined import Examined

# Ranges in brackets as in `_doctor.engine`.

# Rows that are equal to another one (1 to 4), and the share of all that they are (0.01 to 0.04).
_FEW_DUPLICATES, _DUPLICATES = 2, 0.02
# Some of COCO's 80 classes: other data sets do not have all of them, and not about as many.
_COCO = frozenset(
    {"person", "zebra", "frisbee", "surfboard", "broccoli", "toaster", "vase", "hair drier", "toothbrush"}
)
_AS_MANY = range(75, 92)
# Examples that a finding names.
_EXAMPLES = 3
# About this share of COCO's annotations are crowds (0.008 to 0.024): 9 of 839 in the example of the documentation.
# Without any, so many objects are hardly all that there were (3 to 9): of 500 objects 6 are expected, and exp(-6) =
# 0.25 % of such sets have none.
_CROWDS, _LOG_CHANCE = 0.012, 6.0


def duplicates(what: str, path: str, *columns: Column) -> list[Finding]:
    """Rows that are equal in all columns, numbers or rows of numbers."""
    total = len(columns[0])
    count = round(total * (1 - share_of_first(*columns)))
    if count < _FEW_DUPLICATES or count < _DUPLICATES * total:
        return []
    text = f"{count} of {total} {what} are exact duplicates of another one"
    hint = "write each once: perhaps a file was appended to, or several processes wrote the same results"
    return [Finding(code="duplicates", text=text, evidence="", hint=hint, path=path)]


def share_of_first(*columns: Column) -> float:
    """The share of rows that equal none before them."""
    total = len(columns[0])
    if not total:
        return 1.0
    table = np.column_stack([np.asarray(x, dtype=np.float64).reshape(total, -1) for x in columns])
    hashes = np.sort(_hashes(table))
    return (1 + int((hashes[1:] != hashes[:-1]).sum())) / total


def _hashes(table: Column) -> Column:
    """An integer for each row, (N,). Two rows that differ have the same integer by one chance in 2**64."""
    bits = np.ascontiguousarray(table + 0.0).view(np.uint64)  # 0.0 and -0.0 are one number
    mixed = np.zeros(len(table), dtype=np.uint64)
    for column in bits.T:
        # The finaliser of SplitMix64: each bit of the number changes half of the bits of the hash.
        mixed = (mixed ^ column) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed


def classes(truth: Examined) -> list[Finding]:
    """Classes whose names differ only by capitals or blanks."""
    names: dict[str, list[str]] = {}
    for name in truth.categories.values():
        plain = "".join(c for c in name.casefold() if c.isalnum())
        names.setdefault(name if plain.isdecimal() else plain or name, []).append(name)
    same = [" and ".join(map(repr, x)) for x in names.values() if len(x) > 1]
    if not same:
        return []
    text = f"several classes have nearly the same name: {'; '.join(same[:_EXAMPLES])}"
    hint = "if they are one class, give it one name"
    return [Finding(code="classes-alike", text=text, hint=hint, path=str(truth.path))]


def crowds(truth: Examined) -> list[Finding]:
    """COCO's objects without its crowds: they count as objects then, or detections in them as wrong."""
    names = {name.casefold() for name in truth.categories.values()}
    crowd = truth.targets.crowd
    if not names >= _COCO or len(names) not in _AS_MANY or (crowd is not None and np.asarray(crowd).any()):
        return []
    count = np.asarray(truth.targets.labels).size
    if _CROWDS * count < _LOG_CHANCE:
        return []
    text = "the classes are COCO's, and no object is a crowd"
    evidence = f"of {count} objects of COCO, about {_CROWDS * count:.0f} are"
    hint = 'the numbers differ from COCO\'s own: use a file with "iscrowd"'
    return [Finding(code="crowds-absent", text=text, evidence=evidence, hint=hint, path=str(truth.path))]
