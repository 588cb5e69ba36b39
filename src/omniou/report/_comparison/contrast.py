"""The comparison of models: plain values."""

import dataclasses
import json
from typing import Any

from omniou.report._comparison.bounds import LEVEL
from omniou.report._record.record import SCHEMA, Record


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A number of a model and of the reference.

    Attributes
    ----------
    name : str
        Of the number, or of the class.
    model : str
        The model that is compared with the reference.
    first, second, difference : float or None
        The number of the reference and of the model. The difference is the second minus the first.
    low, high : float or None
        Its interval; None where there are no samples.
    p_value : float or None
        Adjusted for the number of models; of classes, also for the number of classes.
    objects : int, optional
        Of a class.
    """

    name: str
    model: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    objects: int | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the difference is more than the choice of the images explains."""
        return self.p_value is not None and self.p_value < LEVEL


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Models on the same images, as `compare` makes it.

    Attributes
    ----------
    records : dict of str to Record
        By name of the model; the first one is the reference.
    numbers : list of Delta
        Of the summary: of each number, a row for each model but the reference.
    per_class : list of Delta
        Of the first number, likewise; in the order of ids.
    best : str
        The model of the highest first number.
    against_best : list of Delta
        Of the first number, a row for each other model.
    verdict : str
        Of two models "first" or "second", the better one by the first number, or "none" where the difference is no more
        than the choice of the images explains. Of more models "best" where one is better than all others, "some" where
        it is better than some of them, and "none". Without a verdict "too few images", "too few samples" or "no
        samples".
    remarks : list of str
        What makes the models hard to compare, such as classes that only some of the records have.
    images : list of dict
        Of each model but the reference, the images where it has fewer or more errors.
    samples, seed, confidence
        Of the permutations; of records, of their bootstrap.
    """

    records: dict[str, Record]
    numbers: list[Delta]
    per_class: list[Delta]
    best: str
    against_best: list[Delta]
    verdict: str
    remarks: list[str]
    images: list[dict[str, Any]]
    samples: int
    seed: int
    confidence: float

    @property
    def names(self) -> list[str]:
        """Of the models."""
        return list(self.records)

    @property
    def reference(self) -> Record:
        """The model that the others are compared with."""
        return next(iter(self.records.values()))

    @property
    def head(self) -> str:
        """The first number, which decides."""
        return self.reference.head

    def to_json(self) -> str:
        """As JSON; the schema is that of the records in it. Of two models these are `first` and `second`."""
        records = [record.to_dict() for record in self.records.values()]
        values = dataclasses.asdict(dataclasses.replace(self, records={}))
        del values["records"]
        head = {"schema": SCHEMA, "comparison": True, "names": self.names}
        if len(records) == 2:
            head |= {"first": records[0], "second": records[1]}
            for row in (*values["numbers"], *values["per_class"]):
                del row["model"]
        else:
            head |= {"records": records}
        return json.dumps(head | values, indent=2, allow_nan=False)

    def __str__(self) -> str:
        """Tables of text."""
        from omniou.report._comparison.tables import text

        return text(self).rstrip("\n")
