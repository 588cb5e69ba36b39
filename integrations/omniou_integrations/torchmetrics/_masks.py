"""The masks of each image and class, of images and of volumes."""

from collections.abc import Sequence

from torch import Tensor

from omniou.masks._surface import spacing_of
from omniou_integrations.torchmetrics._label_maps import ClassMaps
from omniou_integrations.torchmetrics._segmentation import OfImages


class OfMasks(OfImages):
    """A metric of the masks of each image and class.

    Attributes
    ----------
    spacing : tuple of float, or None
        Distance of pixels along each spatial axis, where it was given.
    spatial_axes : int or None
        How many axes an image has, where that was given, by the spacing or by itself.
    """

    spacing: tuple[float, ...] | None
    spatial_axes: int | None

    def _set_axes(self, spacing: Sequence[float] | Tensor | None, spatial_axes: int | None) -> None:
        self.spacing = None if spacing is None else tuple(float(x) for x in spacing)
        self.spatial_axes = spatial_axes
        if self.spacing is not None or spatial_axes is not None:
            self.spatial_axes = len(spacing_of(1.0 if self.spacing is None else self.spacing, spatial_axes))

    def _masks(self, maps: ClassMaps, *, shaped: bool = True) -> tuple[Tensor, Tensor]:
        """Booleans (N, C, ...) of both sides, of the classes that count; `shaped`: whether their axes matter."""
        sides = self._sides(maps)
        if not shaped:
            return sides
        size = image_size(sides[0].shape[2:], self.spatial_axes, channels=self.input_format == "index")
        ours, theirs = (x.reshape(*x.shape[:2], *size) for x in sides)
        return ours, theirs


def image_size(size: Sequence[int], axes: int | None, *, channels: bool) -> tuple[int, ...]:
    """Size of one image, from the last axes of the inputs and, if that is known, how many of them are spatial.

    `channels`: whether inputs may have a channel axis of length 1, as MONAI's label maps have.
    """
    size = tuple(size)
    if channels and len(size) == (axes or 2) + 1 and 1 in {size[0], size[-1]}:
        if axes is None:
            raise ValueError(
                f"inputs of size {size} are either volumes or images with a channel axis of length 1: "
                "pass `spatial_axes=3` for volumes, `spatial_axes=2` for images"
            )
        return size[1:] if size[0] == 1 else size[:-1]
    if axes is None and len(size) == 1:
        raise ValueError(
            f"inputs of size {size} are either one image without a batch axis or signals of one axis: "
            "pass `x[None]` for an image, `spatial_axes=1` for signals"
        )
    if len(size) not in ({2, 3} if axes is None else {axes}):
        wanted = "2 or 3 spatial axes" if axes is None else f"{axes} spatial axes, as `spatial_axes` or `spacing` says"
        raise ValueError(f"inputs must have {wanted}, got size {size}")
    return size
