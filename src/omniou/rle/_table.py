"""The table of masks."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from omniou._lib import checks
from omniou._lib.types import Array
from omniou.rle import _coco, _columns, _polygons
from omniou.rle._columns import RunTable, as_rows, concat, numpy, take
from omniou.rle._measure import areas, extents


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Masks:
    """N masks, each of an image of its own size, as R runs of pixels that are on, down the columns of the image.

    Equal masks have equal runs: no two of them touch.

    Attributes
    ----------
    sizes : array of int64, shape (N, 2)
        Height and width of the images.
    start, end : arrays of int32 or int64, shape (R,)
        Pixels of the image before each run, and up to its end; all runs of a mask, one mask after the other.
    first : array of int64, shape (N + 1,)
        Where the runs of each mask start, and where those of the last one end.

    Raises
    ------
    MaskError
        If the runs of a mask do not rise, touch, are empty, or leave the image.
    ValueError
        If the arrays do not fit together.

    Examples
    --------
    >>> from omniou import rle
    >>> masks = rle.Masks.from_coco([{"size": [4, 5], "counts": [5, 2, 2, 2, 9]}])
    >>> masks.start.tolist(), masks.end.tolist(), masks.first.tolist()
    ([5, 9], [7, 11], [0, 2])
    >>> masks.area().tolist(), masks.boxes().tolist(), len(masks)
    ([4], [[1.0, 1.0, 3.0, 3.0]], 1)
    """

    sizes: Any
    start: Any
    end: Any
    first: Any

    def __post_init__(self) -> None:
        """Check every column."""
        xp = numpy()
        sizes = _coco.read_sizes(self.sizes)
        start, end, first = (xp.asarray(x) for x in (self.start, self.end, self.first))
        for name, x in (("start", start), ("end", end), ("first", first)):
            if x.ndim != 1 or not xp.isdtype(x.dtype, "integral"):
                raise ValueError(f"`{name}` must be a flat array of integers, got shape {x.shape} and dtype {x.dtype}")
        if start.shape != end.shape:
            raise ValueError(f"`start` and `end` must have one length, got {start.size} and {end.size}")
        ends = first.shape[0] == sizes.shape[0] + 1 and first[0] == 0 and first[-1] == start.shape[0]
        if not ends or (xp.diff(first) < 0).any():
            raise ValueError(
                "`first` must go from 0 to the length of `start`, with one number more than there are `sizes`"
            )
        table = _coco.checked(sizes, *(xp.astype(x, xp.int64) for x in (start, end, first)))
        for field, x in zip(RunTable._fields, table, strict=True):
            object.__setattr__(self, field, x)

    @classmethod
    def from_coco(cls, records: Sequence[Any], /) -> "Masks":
        """Read COCO's records.

        Parameters
        ----------
        records : sequence of dict
            Each with "size", [height, width], and "counts": the text that pycocotools writes, as str or bytes, or
            a list of lengths.

        Returns
        -------
        Masks

        Raises
        ------
        MaskError
            If a field is missing, the text is not COCO's, or the lengths do not add up to the size. The message names
            the record and the field. Nothing of that size is ever allocated.

        Examples
        --------
        >>> from omniou import rle
        >>> rle.Masks.from_coco([{"size": [4, 5], "counts": "52207"}]).area().tolist()
        [4]
        >>> rle.Masks.from_coco([{"size": [4, 5], "counts": [5, 2]}])
        Traceback (most recent call last):
            ...
        omniou.rle.MaskError: segmentations[0].counts: runs add up to 7 pixels, but 4 x 5 are 20
        """
        return _trusted(_coco.read(checks.items("records", records, "a sequence of COCO's records")))

    @classmethod
    def from_polygons(cls, polygons: Sequence[Any], sizes: Any, /, *, clip: bool = False) -> "Masks":
        """Draw polygons, pixel by pixel as pycocotools does.

        Parameters
        ----------
        polygons : sequence of lists
            For each mask the list of its polygons, each x, y, x, y, ... in pixels; their union is the mask. Stray
            points next to a polygon have no pixels.
        sizes : sequence or array, shape (N, 2)
            Height and width of each image.
        clip : bool
            Whether polygons may lie anywhere, as in pycocotools: only pixels of the image count, and a mask of less
            than three points is empty.

        Returns
        -------
        Masks

        Raises
        ------
        MaskError
            If no polygon of a mask has three points, or one has an odd count of numbers, lies outside its image, or
            reaches out of it by more than the size of the image; or if the outlines of a mask pass more than 2**23
            columns of pixels.
        ValueError
            If `polygons` and `sizes` differ in length, or sizes are none.

        References
        ----------
        Lin and Dollár, ``maskApi.c`` of cocodataset/cocoapi, 2014.

        Examples
        --------
        >>> from omniou import rle
        >>> rle.Masks.from_polygons([[[1, 1, 3, 1, 3, 3, 1, 3]]], [[4, 5]]).to_dense().astype(int).tolist()
        [[[0, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]]
        """
        parts = checks.items("polygons", polygons, "a sequence with the polygons of each mask")
        return _trusted(_polygons.rasterise(parts, sizes, clip=checks.flag("clip", clip)))

    @classmethod
    def from_dense(cls, masks: Array, /) -> "Masks":
        """Encode pixels.

        Parameters
        ----------
        masks : array, shape (N, height, width)
            Of any library, on the CPU: booleans, or numbers that are 0 or one other number, which is on.

        Returns
        -------
        Masks

        Raises
        ------
        ValueError
            If `masks` has another shape, or a mask more than one number other than 0, such as a label map.

        Examples
        --------
        >>> import numpy as np
        >>> from omniou import rle
        >>> masks = rle.Masks.from_dense(np.asarray([[[0, 1], [1, 1]]]))
        >>> masks.start.tolist(), masks.end.tolist()
        ([1], [4])
        """
        return _trusted(_columns.encode(masks))

    @classmethod
    def concat(cls, tables: Sequence["Masks"], /) -> "Masks":
        """The masks of all tables, one table after the other."""
        return tables[0] if len(tables) == 1 else _trusted(concat(list(tables)))

    def take(self, rows: Any, /) -> "Masks":
        """The masks of some rows, in their order.

        Parameters
        ----------
        rows : array of integers, shape (K,)
            From 0; or booleans of shape (N,).

        Returns
        -------
        Masks
        """
        return _trusted(take(_table(self), as_rows("rows", rows, len(self))))

    def merge(self, groups: Any = None, /, *, intersect: bool = False) -> "Masks":
        """Union or intersection of the masks of each group.

        Parameters
        ----------
        groups : array of integers, shape (N,), optional
            The group of each mask. Default: all masks are one.
        intersect : bool
            Whether a pixel must be on in all masks of the group, rather than in one.

        Returns
        -------
        Masks
            One for each group, by rising number; none of a table without masks.

        Raises
        ------
        ValueError
            If the masks of a group are of different image sizes, or `groups` are not integers of shape (N,).

        Examples
        --------
        >>> from omniou import rle
        >>> counts = ([0, 2, 2], [1, 2, 1], [3, 1])
        >>> masks = rle.Masks.from_coco([{"size": [2, 2], "counts": x} for x in counts])
        >>> masks.merge().area().tolist(), masks.merge([7, 7, 3]).area().tolist()
        ([4], [1, 3])
        >>> masks.take([0, 1]).merge(intersect=True).area().tolist()
        [1]
        """
        xp = numpy()
        ids = xp.zeros(len(self), dtype=xp.int64) if groups is None else xp.asarray(groups)
        if ids.size == 0:
            ids = xp.astype(ids, xp.int64)
        if ids.shape != (len(self),) or not xp.isdtype(ids.dtype, "integral"):
            raise ValueError(
                f"`groups` must be integers of shape ({len(self)},), got shape {ids.shape} and dtype {ids.dtype}"
            )
        intersect = checks.flag("intersect", intersect)
        return _trusted(_columns.merge(_table(self), ids, intersect=intersect))

    def complement(self) -> "Masks":
        """The pixels that are off.

        Returns
        -------
        Masks

        Examples
        --------
        >>> from omniou import rle
        >>> rle.Masks.from_coco([{"size": [4, 5], "counts": [5, 2, 13]}]).complement().area().tolist()
        [18]
        """
        return _trusted(_columns.complement(_table(self)))

    def to_coco(self, *, compressed: bool = True) -> list[dict[str, Any]]:
        """COCO's records: "size", and "counts".

        Parameters
        ----------
        compressed : bool
            Whether counts are the text that pycocotools writes, in a str that JSON can hold, or lists of lengths.

        Returns
        -------
        list of dict

        Examples
        --------
        >>> from omniou import rle
        >>> masks = rle.Masks.from_coco([{"size": [4, 5], "counts": "52207"}])
        >>> masks.to_coco(), masks.to_coco(compressed=False)
        ([{'size': [4, 5], 'counts': '52207'}], [{'size': [4, 5], 'counts': [5, 2, 2, 2, 9]}])
        """
        return _coco.write(_table(self), compressed=checks.flag("compressed", compressed))

    def to_dense(self) -> Any:
        """Pixels, of masks of one size.

        Returns
        -------
        array of bool, shape (N, height, width)

        Raises
        ------
        ValueError
            If the sizes differ.
        """
        return _columns.decode(_table(self))

    def area(self) -> Any:
        """Number of pixels.

        Returns
        -------
        array of int64, shape (N,)
        """
        return areas(self)

    def boxes(self, format: Literal["xyxy", "xywh"] = "xyxy") -> Any:
        """Tightest boxes, maximum corners at the far edge of the last pixel; zeros for an empty mask.

        Parameters
        ----------
        format : {"xyxy", "xywh"}
            "xywh" is what pycocotools' ``toBbox`` gives.

        Returns
        -------
        array of float64, shape (N, 4)
        """
        format = checks.choice("format", format, ("xyxy", "xywh"))
        xp = numpy()
        out = extents(self)
        if format == "xywh":
            out = xp.concat([out[:, :2], out[:, 2:] - out[:, :2]], axis=1)
        return xp.astype(out, xp.float64)

    def boundary(self, dilation_ratio: float = 0.02) -> "Masks":
        """Pixels of each mask that are near its edge, or near the edge of the image.

        Parameters
        ----------
        dilation_ratio : float
            How near, as a share of the image's diagonal, at least 1 pixel; along rows, columns and diagonals alike.

        Returns
        -------
        Masks
            ``rle.iou`` of two such is the boundary IoU.

        References
        ----------
        Cheng et al., Boundary IoU, CVPR 2021. In their boundary AP, the overlap is the lower one of the two IoUs, of
        masks and of boundaries.

        Examples
        --------
        >>> import numpy as np
        >>> from omniou import rle
        >>> rle.Masks.from_dense(np.ones((1, 4, 4))).boundary().area().tolist()
        [12]
        """
        from omniou.rle import _boundary  # 20 ms that other uses of a table do without

        return _trusted(_boundary.boundary(_table(self), checks.number("dilation_ratio", dilation_ratio, least=0.0)))

    def __len__(self) -> int:
        return int(self.sizes.shape[0])


def _trusted(table: RunTable) -> Masks:
    """Columns that need no check."""
    masks = object.__new__(Masks)
    for field, x in zip(RunTable._fields, table, strict=True):
        object.__setattr__(masks, field, x)
    return masks


def _table(masks: Masks) -> RunTable:
    return RunTable(masks.sizes, masks.start, masks.end, masks.first)
