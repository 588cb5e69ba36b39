"""What the evaluator compares: the shapes of a table, with their areas, upright bounds and overlaps of listed pairs."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

from omniou._catalogue.geometry import Geometry
from omniou._kernels.arithmetic import quotient
from omniou._kernels.boxes import Bounds
from omniou._lib.host import namespace_of
from omniou._lib.types import Namespace


class Pairs(NamedTuple):
    """P pairs of a detection and a target, as rows of their tables."""

    detections: Any  # (P,)
    targets: Any  # (P,)
    crowd: Any  # (P,) whether the target is a crowd: its overlap is the share of the detection inside it


class Shapes(abc.ABC):
    """N shapes, of the detections or of the targets.

    To add a kind, write such a class and enter it in `_kinds.KINDS`. All shapes of a geometry are served already.
    """

    area: Any  # (N,), what area ranges look at
    xp: Namespace  # the last field, which the area tells
    # Whether shapes whose bounds are disjoint do not overlap.
    prunes: ClassVar[bool] = True
    # Whether nothing is known of the shapes but their similarities.
    similar_only: ClassVar[bool] = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the library, which is a module and cannot be pickled."""
        names = [field.name for field in dataclasses.fields(self) if field.name != "xp"]  # type: ignore[arg-type]
        return _of_fields, (type(self), {name: getattr(self, name) for name in names})

    @abc.abstractmethod
    def take(self, rows: Any, /) -> Self:
        """The shapes of some rows: numbers (P,), or a slice."""

    @abc.abstractmethod
    def concat(self, others: Sequence[Self], /) -> Self:
        """These, and then the shapes of the other tables."""

    @abc.abstractmethod
    def owned(self) -> Self:
        """A copy in memory that no caller can write to."""

    @abc.abstractmethod
    def bounds(self, rows: Any, /) -> Bounds:
        """Upright boxes (P,) around some rows: only pairs whose bounds overlap are compared."""

    def outlines(self, rows: Any, /) -> Any:
        """Vertices (P, V, 2) of what to draw of some rows, in two dimensions: the corners of their bounds."""
        sides = self.bounds(rows)[:2]
        corners = ((0, 0), (1, 0), (1, 1), (0, 1))
        return self.xp.stack([self.xp.stack([sides[i][0, :], sides[j][1, :]], axis=-1) for i, j in corners], axis=1)

    def has_outlines(self, dimensions: int, /) -> bool:
        """Whether `outlines` show shapes that have so many dimensions."""
        return dimensions == 2

    def lines(self, rows: Any, /) -> Any:  # noqa: ARG002
        """Points (P, K, 3) of some rows as x, y and v, and pairs of points that are joined; None for an outline."""
        return None

    def pixels(self, row: int, /) -> Any:  # noqa: ARG002
        """Pixels (height, width) of one mask, cut out, and x and y of where they start; None of other shapes."""
        return None

    def ignored(self) -> Any:
        """(N,) of the targets, which need not be found regardless of the columns; None for no more than these."""
        return None

    @abc.abstractmethod
    def overlap(self, targets: Self, pairs: Pairs, least: float, /) -> Any:
        """Overlap (P,) of these, the detections, with targets. Where it is below `least`, it may be given as 0."""


def _of_fields(kind: type[Any], fields: dict[str, Any]) -> Any:
    return kind(**fields, xp=namespace_of(fields["area"]))


class ShapeReading(NamedTuple):
    """How the rows of a geometry are read and compared."""

    geometry: Geometry
    format: str
    layout: Any
    formula: Any  # of a score: terms (P,) -> (P,); None for IoU
    function: Any  # a score as a function of the caller's; None where there is none


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class GeometricShapes(Shapes):
    """Rows of numbers. The canonical form is computed only for rows that are compared: most never are."""

    rows: Any  # (N, K), as they were given
    area: Any
    reading: ShapeReading
    xp: Namespace

    @classmethod
    def read(cls, rows: Any, reading: ShapeReading, /, *, xp: Namespace) -> Self:
        """Shapes of checked rows (N, K)."""
        geometry, layout, columns = reading.geometry, reading.layout, xp.permute_dims(rows, (1, 0))
        return cls(rows, geometry.stated_area(columns, layout=layout, xp=xp), reading, xp)

    def take(self, rows: Any, /) -> Self:
        if isinstance(rows, slice):
            return dataclasses.replace(self, rows=self.rows[rows, :], area=self.area[rows])
        taken = self.xp.take(self.rows, rows, axis=0), self.xp.take(self.area, rows)
        return dataclasses.replace(self, rows=taken[0], area=taken[1])

    def concat(self, others: Sequence[Self], /) -> Self:
        # An empty table does not tell how many numbers a row has, where the format allows for several.
        tables = [x for x in (self, *others) if x.area.shape[0]] or [self]
        rows, area = (self.xp.concat([getattr(x, name) for x in tables], axis=0) for name in ("rows", "area"))
        return dataclasses.replace(self, rows=rows, area=area)

    def owned(self) -> Self:
        rows, area = (self.xp.asarray(x, copy=True) for x in (self.rows, self.area))
        return dataclasses.replace(self, rows=rows, area=area)

    def bounds(self, rows: Any, /) -> Bounds:
        around: Bounds = self.reading.geometry.bounds(self._canonical(rows), xp=self.xp)
        return around

    def has_outlines(self, dimensions: int, /) -> bool:
        return dimensions == 2 or self.reading.geometry.outline is not None

    def outlines(self, rows: Any, /) -> Any:
        vertices = self.reading.geometry.outline
        if vertices is None:
            return super(GeometricShapes, self).outlines(rows)
        points = vertices(self._canonical(rows), xp=self.xp)
        return self.xp.stack([self.xp.stack(point, axis=-1) for point in points], axis=1)

    def overlap(self, targets: Self, pairs: Pairs, least: float, /) -> Any:  # noqa: ARG002  (IoU costs no less)
        xp, (geometry, _, _, formula, function) = self.xp, self.reading
        a, b = self._canonical(pairs.detections), targets._canonical(pairs.targets)
        area_a, area_b = xp.take(self.area, pairs.detections), xp.take(targets.area, pairs.targets)
        terms = geometry.terms(a, b, xp=xp)
        shared = terms.intersection()
        iou = quotient(shared, xp.where(pairs.crowd, area_a, area_a + area_b - shared), xp=xp)
        if formula is not None:
            score = formula(terms, xp=xp)
        elif function is not None:
            score = function(self._rows(a, pairs.detections), targets._rows(b, pairs.targets))
        else:
            return iou
        # A crowd is not one object: its overlap is the share of the detection inside it, for any score.
        return xp.where(pairs.crowd, iou, xp.astype(score, iou.dtype))

    def _canonical(self, rows: Any, /) -> Any:
        geometry, rows = self.reading.geometry, self.xp.take(self.rows, rows, axis=0)
        columns = geometry.columns(rows, dtype=rows.dtype, xp=self.xp)
        return geometry.canonical(columns, None, layout=self.reading.layout, xp=self.xp)

    def _rows(self, canonical: Any, rows: Any, /) -> Any:
        """What a score of the caller's is given."""
        own = self.reading.geometry.rows
        return self.xp.take(self.rows, rows, axis=0) if own is None else own(canonical, xp=self.xp)
