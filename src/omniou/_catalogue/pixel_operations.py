"""The operations of public functions of pixels, each made at its first call: what the written functions call."""

from omniou._catalogue.calls import Deferred, Operation
from omniou._catalogue.class_calls import class_operation
from omniou._catalogue.mask_calls import Counting, mask_operation, quotient_of
from omniou._catalogue.options import Declared, declared
from omniou._catalogue.pixel_loss_calls import Variant, ratio_loss
from omniou._catalogue.pixel_options import (
    ClassOptions,
    EachClassOption,
    FocalOptions,
    JoinedOptions,
    LossDivisionOptions,
    LossOptions,
    SmoothOption,
    SquaredOption,
    ZeroDivisionOption,
)
from omniou._catalogue.pixel_score import PixelScore, pixel_scores
from omniou._catalogue.score import Declaration


def mask_score(name: str, counting: Counting, /) -> Deferred:
    """A score of masks, element by element."""

    def make() -> Operation:
        options = mask_options(pixel_scores[name], counting)
        return mask_operation(quotient_of(pixel_scores[name], options), counting.count, options)

    return Deferred(make, declaration=Declaration())


def mask_options(score: PixelScore, counting: Counting, /) -> Declared:
    """Options of a score of masks."""
    return declared(counting.options, ZeroDivisionOption, SmoothOption, *_own(score))


def class_score(name: str, /) -> Deferred:
    """A score of confusion counts."""

    def make() -> Operation:
        return class_operation(pixel_scores[name], class_options(pixel_scores[name]))

    return Deferred(make, ("counts",))


def class_options(score: PixelScore, /) -> Declared:
    """Options of a score of confusion counts."""
    return declared(JoinedOptions if score.joins else ClassOptions, ZeroDivisionOption, *_own(score))


def mask_loss(name: str, variant: Variant | None = None, /) -> Deferred:
    """A score of pixels as a loss of probabilities, 1 - the score or a variant."""

    def make() -> Operation:
        return ratio_loss(pixel_scores[name], loss_options(pixel_scores[name], variant))

    return Deferred(make, ("pred", "target"))


def loss_options(score: PixelScore, variant: Variant | None = None, /) -> Declared:
    """Options of the loss of a score of pixels."""
    each = () if score.joins else (EachClassOption,)
    own = [variant.options] if variant else _own(score)
    return declared(LossOptions, *each, SquaredOption, LossDivisionOptions, *own)


FOCAL_TVERSKY = Variant(
    name="focal_tversky",
    label="Focal Tversky",
    title="the Tversky loss of each class to the power 1 / gamma",
    about="In the paper, alpha weighs false negatives. The gradient is 0 where the loss is 0.",
    options=FocalOptions,
    paper="Abraham and Khan, A novel focal Tversky loss function with improved attention U-Net, ISBI 2019.",
)


def _own(score: PixelScore, /) -> list[type]:
    return [score.options] if score.options else []
