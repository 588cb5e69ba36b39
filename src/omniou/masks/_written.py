# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.masks` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from omniou._catalogue import pixel_operations
from omniou._catalogue.calls import publish
from omniou._catalogue.mask_calls import BOUNDARY, HARD, SOFT, TRIMAP
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "tversky",
    "precision",
    "recall",
    "accuracy",
    "volumetric_similarity",
    "soft_iou",
    "soft_iof",
    "soft_iomin",
    "soft_dice",
    "soft_tversky",
    "soft_precision",
    "soft_recall",
    "soft_accuracy",
    "soft_volumetric_similarity",
    "boundary_iou",
    "trimap_iou",
]

_iou = pixel_operations.mask_score("iou", HARD)


def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016; of
    segmentation Everingham et al., IJCV 2015.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.iou([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.333333
    """
    return _iou(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_iof = pixel_operations.mask_score("iof", HARD)


def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    COCO uses it for the overlap of a detection with a crowd.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.iof([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.333333
    """
    return _iof(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_iomin = pixel_operations.mask_score("iomin", HARD)


def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the smaller one (overlap coefficient), of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.iomin([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    1.0
    """
    return _iomin(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_dice = pixel_operations.mask_score("dice", HARD)


def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Dice, Ecology 26, 1945; as a loss Milletari et al., V-Net, 3DV 2016, with squares, and Drozdzal et al., DLMIA 2016,
    without.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.dice([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _dice(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_tversky = pixel_operations.mask_score("tversky", HARD)


def tversky(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky index: I / (I + alpha FP + beta FN), of two masks.

    I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give Dice, of 1 and
    1 IoU.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.
    alpha : float
        Weight of false positives: pixels of the prediction only.
    beta : float
        Weight of false negatives: pixels of the ground truth only.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Tversky, Psychological Review 84, 1977; as a loss, with 0.3 and 0.7, Salehi et al., MLMI 2017.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.tversky([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _tversky(
        a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth, alpha=alpha, beta=beta
    )


_precision = pixel_operations.mask_score("precision", HARD)


def precision(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Precision: share of the predicted pixels that are in the target, of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.precision([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.333333
    """
    return _precision(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_recall = pixel_operations.mask_score("recall", HARD)


def recall(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.recall([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    1.0
    """
    return _recall(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_accuracy = pixel_operations.mask_score("accuracy", HARD)


def accuracy(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Accuracy: share of all pixels on which both masks agree, on or off, of two masks.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.accuracy([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _accuracy(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_volumetric_similarity = pixel_operations.mask_score("volumetric_similarity", HARD)


def volumetric_similarity(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of two masks.

    It compares only sizes, not positions: an upper bound of Dice.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Taha and Hanbury, Metrics for evaluating 3D medical image segmentation, BMC Medical Imaging 15, 2015.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.volumetric_similarity([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _volumetric_similarity(a, b, memory=memory, threshold=threshold, zero_division=zero_division, smooth=smooth)


_soft_iou = pixel_operations.mask_score("iou", SOFT)


def soft_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016; of
    segmentation Everingham et al., IJCV 2015.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_iou([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.333333
    """
    return _soft_iou(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_iof = pixel_operations.mask_score("iof", SOFT)


def soft_iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    COCO uses it for the overlap of a detection with a crowd.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_iof([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.333333
    """
    return _soft_iof(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_iomin = pixel_operations.mask_score("iomin", SOFT)


def soft_iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the smaller one (overlap coefficient), of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_iomin([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    1.0
    """
    return _soft_iomin(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_dice = pixel_operations.mask_score("dice", SOFT)


def soft_dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Dice, Ecology 26, 1945; as a loss Milletari et al., V-Net, 3DV 2016, with squares, and Drozdzal et al., DLMIA 2016,
    without.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_dice([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _soft_dice(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_tversky = pixel_operations.mask_score("tversky", SOFT)


def soft_tversky(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky index: I / (I + alpha FP + beta FN), of probabilities.

    I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give Dice, of 1 and
    1 IoU.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.
    alpha : float
        Weight of false positives: pixels of the prediction only.
    beta : float
        Weight of false negatives: pixels of the ground truth only.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Tversky, Psychological Review 84, 1977; as a loss, with 0.3 and 0.7, Salehi et al., MLMI 2017.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_tversky([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _soft_tversky(
        a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth, alpha=alpha, beta=beta
    )


_soft_precision = pixel_operations.mask_score("precision", SOFT)


def soft_precision(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Precision: share of the predicted pixels that are in the target, of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_precision([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.333333
    """
    return _soft_precision(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_recall = pixel_operations.mask_score("recall", SOFT)


def soft_recall(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_recall([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    1.0
    """
    return _soft_recall(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_accuracy = pixel_operations.mask_score("accuracy", SOFT)


def soft_accuracy(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Accuracy: share of all pixels on which both masks agree, on or off, of probabilities.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_accuracy([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _soft_accuracy(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_soft_volumetric_similarity = pixel_operations.mask_score("volumetric_similarity", SOFT)


def soft_volumetric_similarity(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of probabilities.

    It compares only sizes, not positions: an upper bound of Dice.

    Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It has a
    gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number.
        Leading axes broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Taha and Hanbury, Metrics for evaluating 3D medical image segmentation, BMC Medical Imaging 15, 2015.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_volumetric_similarity([[1, 1], [1, 0]], [[1, 0], [0, 0]])), 6)
    0.5
    """
    return _soft_volumetric_similarity(a, b, memory=memory, squared=squared, zero_division=zero_division, smooth=smooth)


_boundary_iou = pixel_operations.mask_score("iou", BOUNDARY)


def boundary_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    dilation_ratio: float = 0.02,
    width: int | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of the boundaries of two masks: the pixels of each that are near its edge, or near the edge of the image.

    The IoU of large masks depends little on their outline; this does. In boundary AP the overlap is the lower of both.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    dilation_ratio : float
        Distance to the outline as a share of the image's diagonal, rounded to pixels and at least 1, along
        rows, columns and diagonals.
    width : int | None
        Distance to the outline in pixels, instead of `dilation_ratio`.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Cheng et al., Boundary IoU, CVPR 2021. `omniou.rle` computes the same on runs.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.boundary_iou([[1, 1], [1, 0]], [[1, 0], [0, 0]], width=1)), 6)
    0.333333
    """
    return _boundary_iou(
        a,
        b,
        memory=memory,
        threshold=threshold,
        dilation_ratio=dilation_ratio,
        width=width,
        zero_division=zero_division,
        smooth=smooth,
    )


_trimap_iou = pixel_operations.mask_score("iou", TRIMAP)


def trimap_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    dilation_ratio: float = 0.02,
    width: int | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of two masks within a band around the outline of the second, the ground truth.

    The band has the pixels with both a true and a false one of `b` within the width, along rows, columns and diagonals.
    The edge of the image is not an outline. Unlike boundary IoU it is not symmetric, and it does not see errors of `a`
    that are far from the outline of `b`.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    memory : int
        Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks
        and a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.
    threshold : float | None
        Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It
        does not affect booleans and integers.
    dilation_ratio : float
        Distance to the outline as a share of the image's diagonal, rounded to pixels and at least 1, along
        rows, columns and diagonals.
    width : int | None
        Distance to the outline in pixels, instead of `dilation_ratio`.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    smooth : float
        A number to add to numerator and denominator.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating
        masks, else the widest float of the library. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of
        pixels that are on or off need.
    ValueError
        If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two
        numbers other than 0. On devices other than the CPU and in traced functions, omniou cannot check values.

    References
    ----------
    Kohli et al., Robust higher order potentials, IJCV 2009.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.trimap_iou([[1, 1], [1, 0]], [[1, 0], [0, 0]], width=1)), 6)
    0.333333
    """
    return _trimap_iou(
        a,
        b,
        memory=memory,
        threshold=threshold,
        dilation_ratio=dilation_ratio,
        width=width,
        zero_division=zero_division,
        smooth=smooth,
    )


publish("omniou.masks", globals())
