"""Every score, declared once: what it computes, and what is to be said of it.

`omniou.scores` is the table of these declarations by name. From it come the functions of each geometry, the losses, the
JAX losses, the Keras losses and metrics, `score=` of the evaluator and of the adapters, the reference pages and the
contract tests. To add a score, add its formula to `_kernels/scores.py` and a declaration here.
"""

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from omniou._kernels import losses as of_scores
from omniou._kernels import scores as formulas
from omniou._lib import checks
from omniou._options import AlphaOption, LogOptions, declared

Box = tuple[float, ...]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)  # hashed by identity: plans are cached by it
class Score:
    """One score.

    Attributes
    ----------
    label : str
        As it is written: "GIoU".
    name : str
        As it is called: "giou".
    title : str
        What it is, in one line.
    about : str
        What more is to be said.
    formula : callable
        Terms of pairs (...) -> (...), of `_kernels.scores`.
    partials : callable, optional
        As `formula`, with the derivative by each term: a gradient in closed form, faster than automatic differentiation
        in eager torch. Without it automatic differentiation serves.
    terms : tuple of str
        What a geometry must have beyond areas and intersection.
    bounds : tuple of float
        Lowest and highest value.
    empty : str
        What it is where both shapes are empty.
    miss : float
        What two shapes infinitely far apart score, and so a box without a partner.
    symmetric : bool
        Whether both shapes count alike. Then the gradient of the loss is 0 at a perfect match.
    higher_is_better : bool
    holds : str
        What its gradient holds fixed.
    paper : str
    example : tuple
        Two boxes and their score, rounded to six digits.
    options : type
        Options of its own.
    loss : callable
        Options of the loss alone -> the function from score to loss.
    loss_options : type
        Those options.
    loss_about : str
        What is to be said of the loss.
    """

    label: str
    title: str
    formula: Callable[..., Any]
    example: tuple[Box, Box, float]
    paper: str
    partials: Callable[..., Any] | None = None
    about: str = ""
    terms: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    empty: str = "0 where both shapes are empty"
    miss: float = 0.0
    symmetric: bool = True
    higher_is_better: bool = True
    holds: str = ""
    options: Any = None
    loss: Callable[..., Any] = of_scores.OneMinus
    loss_options: Any = None
    loss_about: str = ""

    @property
    def name(self) -> str:
        return self.label.lower()

    @property
    def defaults(self) -> dict[str, Any]:
        """Its own options, and their defaults."""
        return {
            name: option.default for name, (_, option) in declared(*([self.options] if self.options else [])).items()
        }

    @property
    def loss_only(self) -> tuple[str, ...]:
        """Names of the options of its loss alone."""
        return () if self.loss_options is None else tuple(self.loss_options.__annotations__)

    def __repr__(self) -> str:
        return f"Score({self.name!r})"


def _unit_box(*, log: bool, floor: float) -> of_scores.OneMinus | of_scores.MinusLog:
    """The loss of UnitBox, or the usual one."""
    if not 0.0 < checks.number("floor", floor) < 1.0:
        msg = f"`floor` must lie between 0 and 1, got {floor!r}"
        raise ValueError(msg)
    return of_scores.MinusLog(floor) if log else of_scores.OneMinus()


_DECLARED = (
    Score(
        label="IoU",
        title="Intersection over union (Jaccard index)",
        formula=formulas.iou,
        partials=formulas.iou_partials,
        paper="Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, "
        "ISVC 2016 (1 - IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).",
        example=((0, 0, 10, 10), (5, 5, 15, 15), 0.142857),
        loss=_unit_box,
        loss_options=LogOptions,
        loss_about="Its gradient is 0 for disjoint boxes; the losses of GIoU, DIoU and CIoU draw them together.",
    ),
    Score(
        label="IoF",
        title="Intersection over the area of the first shape: COCO's overlap of a detection with a crowd",
        formula=formulas.iof,
        partials=formulas.iof_partials,
        empty="0 where the first shape is empty",
        symmetric=False,
        paper="Lin et al., Microsoft COCO, ECCV 2014.",
        example=((0, 0, 1, 2), (0, 0, 4, 1), 0.5),
    ),
    Score(
        label="IoMin",
        title="Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other",
        formula=formulas.iomin,
        partials=formulas.iomin_partials,
        empty="0 where either shape is empty",
        paper="Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.",
        example=((0, 0, 2, 2), (1, 0, 3, 1), 0.5),
    ),
    Score(
        label="Dice",
        title="Dice coefficient: twice the intersection over the sum of both areas",
        formula=formulas.dice,
        partials=formulas.dice_partials,
        paper="Dice, Ecology 26, 1945.",
        example=((0, 0, 2, 2), (0, 0, 2, 1), 0.666667),
    ),
    Score(
        label="GIoU",
        title="Generalised intersection over union: IoU less the empty share of the hull",
        formula=formulas.giou,
        partials=formulas.giou_partials,
        terms=("hull",),
        bounds=(-1.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        paper="Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.",
        example=((0, 0, 1, 1), (1, 1, 2, 2), -0.5),
    ),
    Score(
        label="DIoU",
        title="Distance IoU: IoU less the squared distance of the centres over the hull's squared diagonal",
        formula=formulas.diou,
        partials=formulas.diou_partials,
        terms=("centre_distance_squared", "hull_diagonal_squared"),
        bounds=(-1.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        paper="Zheng et al., Distance-IoU Loss, AAAI 2020.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), -0.2),
    ),
    Score(
        label="EIoU",
        title="Efficient IoU: DIoU less the squared differences of the sides over the squared sides of the hull",
        about="The lower bound is that of two dimensions; each further one lowers it by 1.",
        formula=formulas.eiou,
        partials=formulas.eiou_partials,
        terms=("centre_distance_squared", "hull_diagonal_squared", "hull_sides", "sides_a", "sides_b"),
        bounds=(-3.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        paper="Zhang et al., Focal and Efficient IOU Loss, Neurocomputing 506, 2022.",
        example=((0, 0, 2, 2), (0, 0, 2, 1), 0.21875),
    ),
    Score(
        label="CIoU",
        title="Complete IoU: DIoU less alpha * v, where v compares the aspect ratios and alpha weighs it",
        about="v = 4 / pi^2 * (atan(w_a / h_a) - atan(w_b / h_b))^2 and alpha = v / (1 - IoU + v). In one dimension "
        "there is no aspect ratio and CIoU is DIoU; in three, v is the mean over the three pairs of axes. Less than -1 "
        "only for boxes far apart whose aspect ratios differ.",
        formula=formulas.ciou,
        partials=formulas.ciou_partials,
        terms=("centre_distance_squared", "hull_diagonal_squared", "aspect_difference"),
        bounds=(-2.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        holds="alpha, unless `detach_alpha` is false",
        paper="Zheng et al., Distance-IoU Loss, AAAI 2020.",
        example=((0, 0, 4, 2), (1, 0, 3, 3), 0.373177),
        options=AlphaOption,
    ),
)

scores: Mapping[str, Score] = MappingProxyType({score.name: score for score in _DECLARED})
