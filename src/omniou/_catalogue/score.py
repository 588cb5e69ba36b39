"""Declare a score: `Score` has its fields; the declarations are in `scores.py` and `gaussian_scores.py`."""

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._catalogue.options import declared
from omniou._catalogue.shape_options import EpsOption
from omniou._kernels import losses as of_scores

if TYPE_CHECKING:
    from omniou._catalogue.geometry import Geometry

Box = tuple[float, ...]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)  # hashed by identity: plans are cached by it
class Score:
    """One score.

    Attributes
    ----------
    label : str
        Name in text: "GIoU".
    name : str
        Name of the function; by default the label in lower case, "giou".
    title : str
        Description in one line.
    about : str
        Further description.
    formula : callable
        Terms of pairs (...) -> an overlap and the penalties that are subtracted from it, (...) each: of
        `_kernels.scores`.
    partials : callable, optional
        The same as `formula`, with the derivative by each term: a gradient in closed form, faster than automatic
        differentiation in eager torch. Without it automatic differentiation serves.
    terms : tuple of str
        Terms that a geometry must have in addition to areas and intersection.
    dimensions : tuple of int
        Numbers of dimensions for which it is defined; empty for any.
    of_image : bool
        Whether it needs the size of the image.
    scale_free : bool
        Whether scaling both shapes does not change it.
    bounds : tuple of float
        Lowest and highest value.
    empty : str
        Its value if both shapes are empty.
    miss : float
        Score of a shape without a partner: the worst score of two equal shapes infinitely far apart.
    symmetric : bool
        Whether both shapes count alike. Then the gradient of the loss is 0 at a perfect match.
    higher_is_better : bool
    at_most : str
        The overlap that it never exceeds, because penalties are never negative: "iou", "dice", "iof" or "iomin". For
        disjoint shapes it is then at most 0. Empty for a score that may be higher, and for a distance.
    holds : str
        The term that its gradient holds constant and, after a comma, the exception.
    paper : str
    example : tuple
        Two boxes and their score, rounded to six digits.
    options : type
        Options of this score only.
    loss : callable
        Options of the loss -> the function from score to loss.
    loss_title : str
        Formula of the loss; by default 1 - the score.
    loss_bounds : tuple of float
    loss_example : float
        Loss of the two boxes of the example.
    loss_options : type
        Options of its loss.
    loss_about : str
        Further description of the loss.
    """

    label: str
    title: str
    formula: Callable[..., Any]
    example: tuple[Box, Box, float]
    paper: str
    name: str = ""
    partials: Callable[..., Any] | None = None
    about: str = ""
    terms: tuple[str, ...] = ()
    dimensions: tuple[int, ...] = ()
    of_image: bool = False
    scale_free: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    empty: str = "0 where both shapes are empty"
    miss: float = 0.0
    symmetric: bool = True
    higher_is_better: bool = True
    at_most: str = ""
    holds: str = ""
    options: Any = None
    loss: Callable[..., Any] = of_scores.OneMinus
    loss_options: Any = None
    loss_about: str = ""
    loss_title: str = ""
    loss_bounds: tuple[float, float] | None = None
    loss_example: float | None = None

    def __post_init__(self) -> None:
        value = self.example[2]
        low, high = self.bounds
        derived = {
            "name": self.label.lower(),
            "loss_title": f"1 - {self.label}",
            "loss_bounds": (1.0 - high, 1.0 - low),
            "loss_example": round(1.0 - value, 6),
        }
        for name, otherwise in derived.items():
            if getattr(self, name) in {"", None}:
                object.__setattr__(self, name, otherwise)

    @functools.cached_property
    def defaults(self) -> dict[str, Any]:
        """Options of the formula at their defaults."""
        every = declared(EpsOption, *([self.options] if self.options else []))
        return {name: option.default for name, (_, option) in every.items()}

    def check_dimensions(self, geometry: "Geometry", numbers: int, /) -> None:
        """Raise where the score has no meaning for shapes of so many axes."""
        if not self.dimensions or geometry.dimensions is None:
            return
        if (given := geometry.dimensions(numbers)) not in self.dimensions:
            expected = " or ".join(map(str, self.dimensions))
            raise ValueError(f"score {self.name!r} is of {geometry.name} in {expected} dimensions, got {given}")

    @property
    def loss_only(self) -> tuple[str, ...]:
        """Names of the options that only its loss has."""
        return () if self.loss_options is None else tuple(self.loss_options.__annotations__)

    def __repr__(self) -> str:
        return f"Score({self.name!r})"


class Declaration(NamedTuple):
    """The score and geometry of a public function, its attribute `declaration`, which functions of all pairs read."""

    higher_is_better: bool = True
    score: "Score | None" = None  # of shapes
    geometry: "Geometry | None" = None
    prepared: Callable[..., Any] | None = None  # two sets and options -> what computes, and the arrays
    runs: bool = False  # of tables of run lengths
