"""Declare scores of shapes as Gaussians, overlaps and distances, as `scores.py` declares the others."""

import math
from typing import Any

from omniou._catalogue.score import Score
from omniou._catalogue.shape_options import (
    ConstantOption,
    DirectionOption,
    DistanceLossOptions,
    InscribedOption,
    NormalizeOption,
    OverlapLossOptions,
    UniformOption,
)
from omniou._kernels import gaussian as formulas
from omniou._kernels import losses as of_scores

# Losses of KFIoU by `fun`.
_OVERLAP_LOSSES = {"none": of_scores.OneMinus(), "ln": of_scores.MinusLog(1e-6), "exp": of_scores.ExpOneMinus()}

_OF_2D: dict[str, Any] = {"terms": ("gaussians",), "dimensions": (2,)}
_DISTANCE: dict[str, Any] = {
    **_OF_2D,
    "bounds": (0.0, math.inf),
    "empty": "0 for two points at the same place",
    "miss": math.inf,
    "higher_is_better": False,
}

GAUSSIANS = (
    Score(
        label="ProbIoU",
        title="ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians",
        about="`eps` is the constant that the paper adds inside the root; other libraries add it to the denominators "
        "and inside the logarithm, too, and keep the Bhattacharyya distance within [eps, 100], as is done here where "
        "it is not 0.",
        formula=formulas.probiou,
        paper="Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union, 2021.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 0.118598),
        options=UniformOption,
        loss_about="It is the paper's L1; its L2, -log(1 - L1^2), is the loss of `bhattacharyya`, whose gradient does "
        "not vanish for boxes far apart.",
        **_OF_2D,
    ),
    Score(
        label="Bhattacharyya",
        title="Bhattacharyya distance of both shapes as Gaussians",
        formula=formulas.bhattacharyya,
        paper="Bhattacharyya, Bulletin of the Calcutta Mathematical Society 35, 1943; as L2 of Llerena et al., 2021.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 1.5),
        options=UniformOption,
        loss=of_scores.Distance,
        loss_title="the distance",
        loss_bounds=(0.0, math.inf),
        loss_example=1.5,
        **_DISTANCE,
    ),
    Score(
        label="Hellinger",
        title="Hellinger distance of both shapes as Gaussians",
        formula=formulas.hellinger,
        paper="Hellinger, Journal für die reine und angewandte Mathematik 136, 1909; Llerena et al., 2021.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 0.881402),
        options=UniformOption,
        loss=of_scores.Distance,
        loss_title="the distance",
        loss_bounds=(0.0, 1.0),
        loss_example=0.881402,
        **{**_DISTANCE, "bounds": (0.0, 1.0), "miss": 1.0},
    ),
    Score(
        label="NWD",
        title="Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`",
        formula=formulas.nwd,
        scale_free=False,
        empty="1 for two points at the same place",
        paper="Wang et al., A Normalized Gaussian Wasserstein Distance for Tiny Object Detection, 2021.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 0.855345),
        options=ConstantOption,
        **_OF_2D,
    ),
    Score(
        label="GWD",
        title="2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates",
        formula=formulas.gwd,
        scale_free=False,
        paper="Yang et al., Rethinking Rotated Object Detection with Gaussian Wasserstein Distance Loss, ICML 2021.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 2.0),
        options=NormalizeOption,
        loss=of_scores.OfDistance,
        loss_options=DistanceLossOptions,
        loss_title="1 - 1 / (tau + fun(GWD))",
        loss_bounds=(0.0, 1.0),
        loss_example=0.523495,
        **_DISTANCE,
    ),
    Score(
        label="KLD",
        title="Kullback-Leibler divergence of both shapes as Gaussians",
        formula=formulas.kld,
        symmetric=False,
        paper="Yang et al., Learning High-Precision Bounding Box for Rotated Object Detection via Kullback-Leibler "
        "Divergence, NeurIPS 2021.",
        example=((0, 0, 2, 2), (2, 0, 4, 2), 2.0),
        options=DirectionOption,
        loss=of_scores.OfDistance,
        loss_options=DistanceLossOptions,
        loss_title="1 - 1 / (tau + fun(KLD))",
        loss_bounds=(0.0, 1.0),
        loss_example=0.523495,
        loss_about='mmrotate\'s loss of this name is ``direction="reverse"``.',
        **_DISTANCE,
    ),
    Score(
        label="KFIoU",
        title="KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them",
        about="It compares only sides and directions, not the centres. Equal shapes score 1 / 3 at any distance.",
        formula=formulas.kfiou,
        bounds=(0.0, 1.0 / 3.0),
        empty="0 where either shape is empty",
        paper="Yang et al., The KFIoU Loss for Rotated Object Detection, ICLR 2023.",
        example=((0, 0, 2, 2), (0, 0, 2, 1), 0.267136),
        options=InscribedOption,
        loss=lambda *, fun: _OVERLAP_LOSSES[fun],
        loss_options=OverlapLossOptions,
        loss_about="Its gradient with respect to the centres is 0: add a loss for the centres, like the paper.",
        **_OF_2D,
    ),
)
