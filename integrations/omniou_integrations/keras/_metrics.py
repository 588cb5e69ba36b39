"""`BoxIoU`, the mean of a score of boxes, as a metric of Keras."""

from typing import Any, Unpack

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.backend import get_keras_mask  # type: ignore[import-untyped]  # no public name

from omniou import boxes, scores
from omniou._catalogue.options import declared, takes
from omniou._catalogue.shape_options import ImageOption, InnerOption, OffsetOption, ShapeOptions
from omniou._inputs.kinds import ShapeRows
from omniou._lib import checks
from omniou._lib.docs import described
from omniou_integrations._shared.scores import KIND, attempt, fitting, format_of, score_by_name, shapes_of
from omniou_integrations.keras._tensors import known, per_box, tensor, wide


class MetricOptions(OffsetOption, ImageOption, ShapeOptions, InnerOption, total=False):
    """Options of the metric; `format` may be given by position."""


_OPTIONS = declared(MetricOptions)


@keras.saving.register_keras_serializable(package="omniou")
@described(boxes.iou, KIND)
class BoxIoU(keras.metrics.Metric):  # type: ignore[misc]
    """Mean IoU, or another score, of predicted boxes and the true boxes in the same places.

    Parameters
    ----------
    format, offset, eps, image_size, power, inner
    score : str
        A name of `omniou.scores`.
    kind : str
    name : str, optional
        By default ``box_`` and the score.
    dtype
        The same as in `keras.metrics.Metric`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the last axes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4) as for `GIoULoss`, ``sample_weight`` has the leading axes (...) or the
    first of them. Where it is 0, or a Keras mask says so, a box is excluded, regardless of its value. The result is the
    sum of the scores over the sum of the weights, all batches alike, and NaN where nothing was seen. Sums are kept in
    float32 or wider, regardless of the dtype.

    Examples
    --------
    >>> from omniou_integrations.keras import BoxIoU
    >>> metric = BoxIoU(score="giou")
    >>> metric.update_state([[1.0, 1.0, 2.0, 2.0]], [[0.0, 0.0, 1.0, 1.0]])
    >>> float(metric.result())
    -0.5
    """

    @takes(_OPTIONS)
    def __init__(
        self,
        format: str = "xyxy",
        *,
        score: str = "iou",
        kind: str = "bbox",
        name: str | None = None,
        dtype: Any = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        geometry = shapes_of(kind)
        function = score_by_name("score", score, geometry)
        format = format_of(geometry, format, "format", tuple(geometry.formats))
        super().__init__(name=name or f"box_{score}", dtype=dtype)
        self._score = function
        # Keras' callbacks with mode "auto" read the direction from here.
        self._direction = "up" if scores[score].higher_is_better else "down"
        self.score, self.kind = checks.plain_option((score, kind))
        size = options["image_size"]
        options["image_size"] = None if size is None else tuple(size)
        self.options = checks.plain_option({"format": format, **fitting(geometry, options)})
        attempt(self._score, self.options, geometry)
        # In half precision a count would stop at 2048, and the corners of true boxes would be rounded.
        self._exact = wide(self.dtype)
        self.total = self.add_variable((), "zeros", dtype=self._exact, name="total")
        self.count = self.add_variable((), "zeros", dtype=self._exact, name="count")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the scores of a batch."""
        mask = get_keras_mask(y_pred)
        rows = ShapeRows(shapes_of(self.kind), self.options["format"], self.options.get("offset", 0.0))
        named = {"y_true": y_true, "y_pred": y_pred}
        y_true, y_pred = (known(tensor(name, y, dtype=self._exact, rows=rows)) for name, y in named.items())
        values = self._score(y_pred, y_true, **self.options)
        weight = ops.ones_like(values)
        for given in (mask, sample_weight):
            if given is not None:
                weight = weight * per_box(given, values, dtype=self._exact)
        self.total.assign_add(ops.sum(ops.where(weight == 0, 0.0, values * weight)))
        self.count.assign_add(ops.sum(weight))

    def result(self) -> Any:
        """Mean of everything since the last reset."""
        return ops.cast(self.total / self.count, self.dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of `from_config`."""
        return {**super().get_config(), "score": self.score, "kind": self.kind, **self.options}
