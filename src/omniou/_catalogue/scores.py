"""Every score, declared once: its formula, bounds and documentation.

`omniou.scores` is the table of these declarations by name. From it come the functions of each geometry, the losses, the
JAX losses, the Keras losses and metrics, `score=` of the evaluator and of the adapters, the reference pages and the
contract tests. To add a score, add its formula to `_kernels/scores.py` and a declaration here.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType

from omniou._catalogue.gaussian_scores import GAUSSIANS
from omniou._catalogue.score import Score
from omniou._catalogue.shape_options import AlphaOption, FocusingOptions, LogOptions, ScaleOption, ThetaOption
from omniou._kernels import losses as of_scores
from omniou._kernels import scores as formulas

__all__ = ["Score", "scores"]


def _unit_box(*, log: bool, floor: float) -> of_scores.OneMinus | of_scores.MinusLog:
    """The loss of UnitBox, or the usual one."""
    return of_scores.MinusLog(floor) if log else of_scores.OneMinus()


_DECLARED = (
    Score(
        label="IoU",
        title="Intersection over union (Jaccard index)",
        formula=formulas.iou,
        partials=formulas.iou_partials,
        at_most="iou",
        paper="Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, "
        "ISVC 2016 (1 - IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).",
        example=((0, 0, 10, 10), (5, 5, 15, 15), 0.142857),
        loss=_unit_box,
        loss_options=LogOptions,
        loss_about="Its gradient is 0 for disjoint boxes. The losses of GIoU, DIoU and CIoU move such boxes together.",
    ),
    Score(
        label="IoF",
        title="Intersection over the area of the first shape: COCO's overlap of a detection with a crowd",
        formula=formulas.iof,
        partials=formulas.iof_partials,
        empty="0 where the first shape is empty",
        symmetric=False,
        at_most="iof",
        paper="Lin et al., Microsoft COCO, ECCV 2014.",
        example=((0, 0, 1, 2), (0, 0, 4, 1), 0.5),
    ),
    Score(
        label="IoMin",
        title="Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other",
        formula=formulas.iomin,
        partials=formulas.iomin_partials,
        empty="0 where either shape is empty",
        at_most="iomin",
        paper="Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.",
        example=((0, 0, 2, 2), (1, 0, 3, 1), 0.5),
    ),
    Score(
        label="Dice",
        title="Dice coefficient: twice the intersection over the sum of both areas",
        formula=formulas.dice,
        partials=formulas.dice_partials,
        at_most="dice",
        paper="Dice, Ecology 26, 1945.",
        example=((0, 0, 2, 2), (0, 0, 2, 1), 0.666667),
    ),
    Score(
        label="GIoU",
        title="Generalised intersection over union: IoU minus the empty share of the hull",
        formula=formulas.giou,
        partials=formulas.giou_partials,
        terms=("hull",),
        bounds=(-1.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        at_most="iou",
        paper="Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.",
        example=((0, 0, 1, 1), (1, 1, 2, 2), -0.5),
    ),
    Score(
        label="DIoU",
        title="Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal",
        formula=formulas.diou,
        partials=formulas.diou_partials,
        terms=("centre_distance_squared", "hull_diagonal_squared"),
        bounds=(-1.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        at_most="iou",
        paper="Zheng et al., Distance-IoU Loss, AAAI 2020.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), -0.2),
    ),
    Score(
        label="EIoU",
        title="Efficient IoU: DIoU minus the squared differences of the sides over the squared sides of the hull",
        about="The lower bound is for two dimensions; each further dimension lowers it by 1.",
        formula=formulas.eiou,
        partials=formulas.eiou_partials,
        terms=("centre_distance_squared", "hull_diagonal_squared", "hull_sides", "sides_a", "sides_b"),
        bounds=(-3.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        at_most="iou",
        paper="Zhang et al., Focal and Efficient IOU Loss, Neurocomputing 506, 2022.",
        example=((0, 0, 2, 2), (0, 0, 2, 1), 0.21875),
    ),
    Score(
        label="CIoU",
        title="Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it",
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
        at_most="iou",
        paper="Zheng et al., Distance-IoU Loss, AAAI 2020.",
        example=((0, 0, 4, 2), (1, 0, 3, 3), 0.373177),
        options=AlphaOption,
    ),
    Score(
        label="SIoU",
        title="SCYLLA IoU: IoU minus half the sum of a distance cost and a shape cost",
        about="Along each axis, with the difference d of the centres, the side c of the hull and the angle cost "
        "A = 2 abs(d_x d_y) / (d_x^2 + d_y^2), the distance cost is 1 - exp((A - 2) (d / c)^2), and the shape cost "
        "(1 - exp(-abs(w_a - w_b) / max(w_a, w_b)))^theta.",
        formula=formulas.siou,
        terms=("centre_differences", "hull_sides", "sides_a", "sides_b"),
        dimensions=(2,),
        bounds=(-1.0 + math.exp(-2.0) - (1.0 - math.exp(-1.0)) ** 2, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0 + math.exp(-2.0),
        at_most="iou",
        paper="Gevorgyan, SIoU Loss: More Powerful Learning for Bounding Box Regression, 2022.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), -0.196735),
        options=ThetaOption,
    ),
    Score(
        label="MPDIoU",
        title="IoU minus the squared distances of both pairs of corners over the squared diagonal of the image",
        about="The lower bound is for boxes within the image.",
        formula=formulas.mpdiou,
        terms=("corner_distances_squared",),
        of_image=True,
        scale_free=False,
        bounds=(-2.0, 1.0),
        empty="0 for two points at the same place",
        miss=-2.0,
        at_most="iou",
        paper="Ma and Xu, MPDIoU: A Loss for Efficient and Accurate Bounding Box Regression, 2023.",
        example=((0, 0, 4, 2), (1, 0, 3, 3), 0.37),
    ),
    Score(
        label="ShapeIoU",
        name="shape_iou",
        title="Shape-IoU: IoU minus a distance cost and a shape cost, weighted by the shape of the second box",
        about="The difference of the centres along x is weighted by 2 h^scale / (w^scale + h^scale) of the second box, "
        "the ground truth, that along y by 2 w^scale / (w^scale + h^scale), and so are the differences of the sides. "
        "With `scale` 0 all weights are 1.",
        formula=formulas.shape_iou,
        terms=("centre_differences", "hull_diagonal_squared", "sides_a", "sides_b"),
        dimensions=(2,),
        bounds=(-2.0 - (1.0 - math.exp(-2.0)) ** 4 / 2.0, 1.0),
        empty="0 for two points at the same place",
        miss=-1.0,
        at_most="iou",
        paper="Zhang and Zhang, Shape-IoU: More Accurate Metric considering Bounding Box Shape and Scale, 2023.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), -0.2),
        options=ScaleOption,
    ),
    Score(
        label="TIoU",
        title="Tracking IoU: the smaller area over the hull",
        formula=formulas.tiou,
        terms=("hull",),
        paper="powerboxes' tracking distance is 1 - TIoU.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 0.5),
        loss_about="It compares extents, so its gradient does not vanish for disjoint boxes.",
    ),
    Score(
        label="WIoU",
        title="Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c",
        formula=formulas.wiou,
        terms=("centre_distance_squared", "hull_diagonal_squared"),
        bounds=(-math.expm1(1.0), 1.0),
        empty="0 for two points at the same place",
        miss=-math.expm1(1.0),
        holds="the hull's diagonal",
        at_most="iou",
        paper="Tong et al., Wise-IoU: Bounding Box Regression Loss with Dynamic Focusing Mechanism, 2023.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), -0.221403),
        loss=of_scores.Wise,
        loss_options=FocusingOptions,
    ),
)

scores: Mapping[str, Score] = MappingProxyType({score.name: score for score in (*_DECLARED, *GAUSSIANS)})
