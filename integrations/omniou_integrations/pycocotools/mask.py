"""Run lengths of masks by the calls of ``pycocotools.mask``, computed by `omniou.rle`.

Records are ``{"size": [height, width], "counts": bytes}``, arrays are in Fortran order, dtypes are pycocotools'.
What pycocotools answers with uninitialised memory or a silent empty mask is an error here: records of different sizes,
runs that do not fill their image, label maps.

>>> import numpy as np
>>> from omniou_integrations.pycocotools import mask
>>> record = mask.encode(np.asfortranarray([[0, 1], [1, 1]], dtype=np.uint8))
>>> record, int(mask.area(record)), mask.toBbox(record).tolist()
({'size': [2, 2], 'counts': b'13'}, 3, [0.0, 0.0, 2.0, 2.0])
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from omniou import boxes, rle
from omniou._inputs import kinds
from omniou._inputs.shapes import Pairs
from omniou._lib import backends

__all__ = ["area", "decode", "encode", "frPyObjects", "iou", "merge", "toBbox"]


def __dir__() -> list[str]:
    return __all__


def encode(bimask: Any) -> Any:
    """Encode pixels as run lengths.

    Parameters
    ----------
    bimask : numpy.ndarray, shape (H, W) or (H, W, N)
        uint8 or bool in Fortran order; 0 is off.

    Returns
    -------
    dict, or list of dict for (H, W, N)

    Raises
    ------
    AttributeError, TypeError
        If `bimask` is not an array of NumPy.
    ValueError
        If shape, dtype or order differ, or a mask has more than one number other than 0.
    """
    if not hasattr(bimask, "shape"):
        raise AttributeError(f"`bimask` must be an array, got {type(bimask).__name__}")
    if not isinstance(bimask, np.ndarray):
        raise TypeError(f"`bimask` must be a NumPy array, got {type(bimask).__name__}")
    if bimask.ndim not in {2, 3}:
        raise ValueError(f"`bimask` must have shape (H, W) or (H, W, N), got {bimask.shape}")
    if bimask.dtype not in {np.dtype(np.uint8), np.dtype(bool)}:
        raise ValueError(f"`bimask` must be of dtype uint8 or bool, got {bimask.dtype}: use bimask.astype(np.uint8)")
    if not bimask.flags.f_contiguous:
        raise ValueError("`bimask` must be in Fortran order, got another: use np.asfortranarray(bimask)")
    masks = bimask if bimask.ndim == 3 else bimask[:, :, None]
    records = _records(rle.Masks.from_dense(masks.transpose(2, 0, 1)))
    return records if bimask.ndim == 3 else records[0]


def decode(rleObjs: Any) -> Any:  # noqa: N803  (pycocotools' name)
    """Decode run lengths to pixels.

    Parameters
    ----------
    rleObjs : dict, or list of dict
        Of one size; counts are text, str or bytes.

    Returns
    -------
    array of uint8 in Fortran order, shape (H, W), or (H, W, N) of a list

    Raises
    ------
    KeyError, TypeError, ValueError, OverflowError
        If a record is not one, or its runs do not fill its image; `iou`, `area`, `toBbox` and `merge` raise these too.
    """
    return _one_or_all(rleObjs, _pixels, -1)


def area(rleObjs: Any) -> Any:  # noqa: N803
    """Count pixels.

    Parameters
    ----------
    rleObjs : dict, or list of dict

    Returns
    -------
    numpy.uint32, or array of uint32, shape (N,), of a list
    """
    return _one_or_all(rleObjs, _areas, 0)


def toBbox(rleObjs: Any) -> Any:  # noqa: N802, N803
    """Return the tightest boxes, as x, y, width and height.

    Parameters
    ----------
    rleObjs : dict, or list of dict

    Returns
    -------
    array of float64, shape (4,), or (N, 4) of a list
    """
    return _one_or_all(rleObjs, lambda masks: masks.boxes("xywh"), 0)


def merge(rleObjs: Any, intersect: Any = 0) -> dict[str, Any]:  # noqa: N803
    """Unite masks, or intersect them.

    Parameters
    ----------
    rleObjs : sequence of dict
        Of one size.
    intersect : int
        Whether to return the pixels that all masks share.

    Returns
    -------
    dict
        Of size [0, 0] where there are no masks.
    """
    masks = _masks("rleObjs", rleObjs)
    shared = _whole("intersect", intersect) != 0
    return _records(masks.merge(intersect=shared))[0] if len(masks) else {"size": [0, 0], "counts": b""}


def iou(dt: Any, gt: Any, pyiscrowd: Any) -> Any:
    """Compute the IoU of all pairs; with a crowd, the share of the detection that is inside.

    Parameters
    ----------
    dt, gt : list of dict, or boxes as list or array, shape (N, 4)
        Run lengths of one size, or x, y, width and height. Arrays of any order of memory.
    pyiscrowd : sequence of int, shape (M,)
        Which `gt` are crowds.

    Returns
    -------
    array of float64 in Fortran order, shape (N, M); an empty list where either side is empty

    Raises
    ------
    AssertionError
        If `pyiscrowd` has another length than `gt`.
    TypeError, ValueError
        If `dt` and `gt` are of different kinds, the sizes of masks differ, or a box is not finite.
    """
    crowd = _flat("pyiscrowd", pyiscrowd, np.uint8)
    one, other = _shapes("dt", dt), _shapes("gt", gt)
    if len(one) == 0 or len(other) == 0:
        _check_length(crowd, len(other))
        return []
    if type(one) is not type(other):
        raise TypeError(f"`dt` and `gt` must both be run lengths or both be boxes, got {_kind(one)} and {_kind(other)}")
    _check_length(crowd, len(other))
    if isinstance(one, rle.Masks):
        return np.asfortranarray(rle.pairwise_iou(one, other, crowd=crowd != 0))
    return np.asfortranarray(_of_all_boxes(one, other, crowd != 0))


def frPyObjects(pyobj: Any, h: int, w: int) -> Any:  # noqa: N802
    """Convert polygons, boxes or lists of run lengths to records.

    Parameters
    ----------
    pyobj : list, dict or array
        A list of polygons, x, y, x, y, ... each, which may leave the image; an array of boxes, float64, shape (N, 4),
        as x, y, width and height; a dict with "size" and "counts" as a list of lengths, or a list of them.
    h, w : int
        Height and width of the image; run lengths have their own.

    Returns
    -------
    list of dict, or dict of one object

    Raises
    ------
    IndexError, TypeError, ValueError, OverflowError
        If `pyobj` is empty or none of these.
    """
    size = [_side("h", h), _side("w", w)]
    if isinstance(pyobj, np.ndarray):
        return _of_boxes(pyobj, size)
    if isinstance(pyobj, Mapping):
        return _uncompressed([pyobj])[0]
    if not isinstance(pyobj, list):
        raise TypeError(f"`pyobj` must be polygons, an array of boxes, or run lengths, got {type(pyobj).__name__}")
    if not pyobj:
        raise IndexError("`pyobj` must have an object, got an empty list")
    if all(isinstance(x, Mapping) for x in pyobj):
        return _uncompressed(pyobj)
    if not hasattr(pyobj[0], "__len__"):
        raise TypeError("`pyobj` must be a list of polygons, got numbers: use [polygon]")
    if isinstance(pyobj[0], str) or len(pyobj[0]) < 4:
        raise ValueError(f"`pyobj[0]` must be x and y of points, got {pyobj[0]!r}")
    if len(pyobj[0]) == 4:
        raise TypeError("`pyobj` must be polygons, got lists of 4 numbers; boxes are an array of float64, shape (N, 4)")
    polygons = [[list(x) if isinstance(x, tuple) else x] for x in pyobj]
    return _records(_named("pyobj", rle.Masks.from_polygons, polygons, [size] * len(polygons), clip=True))


def _of_boxes(corners: Any, size: list[int]) -> list[dict[str, Any]]:
    if corners.ndim != 2 or corners.shape[1] != 4:
        raise ValueError(f"`pyobj` must be boxes of shape (N, 4), got shape {corners.shape}; polygons are lists")
    if corners.dtype != np.float64:
        raise ValueError(f"`pyobj` must be of dtype float64, got {corners.dtype}: use pyobj.astype(float)")
    outlines = boxes.convert(corners, "xywh", "xyxy")[:, [0, 1, 0, 3, 2, 3, 2, 1]].tolist()
    sizes = [size] * len(outlines)
    return _records(_named("pyobj", rle.Masks.from_polygons, [[x] for x in outlines], sizes, clip=True))


def _uncompressed(records: list[Any]) -> list[dict[str, Any]]:
    lists = []
    for row, record in enumerate(records):
        missing = [field for field in ("size", "counts") if field not in record]
        if missing:
            raise ValueError(f"`pyobj[{row}]` must have size and counts, got no {missing[0]}")
        if isinstance(record["counts"], (str, bytes)):
            # pycocotools' type.
            raise ValueError(  # noqa: TRY004
                f"`pyobj[{row}]['counts']` must be a list of lengths, got text: the record is encoded"
            )
        counts = _flat(f"pyobj[{row}]['counts']", record["counts"], np.uint32)
        lists.append({"size": _size(f"pyobj[{row}]", record["size"]), "counts": counts.tolist()})
    return _records(_named("pyobj", rle.Masks.from_coco, lists))


def _of_all_boxes(dt: Any, gt: Any, crowd: Any) -> Any:
    """The overlap of evaluations, (N, M). `boxes.iou` differs in the last bit: it takes areas from corners."""
    read, xp = kinds.settled("bbox", "xywh", 0.0, None).read, backends.numpy_namespace()
    rows, columns = (x.ravel() for x in np.indices((len(dt), len(gt))))
    one, other = read("dt", dt, xp=xp), read("gt", gt, xp=xp)
    return one.overlap(other, Pairs(rows, columns, crowd[columns]), 0.0).reshape(len(dt), len(gt))


def _records(masks: rle.Masks) -> list[dict[str, Any]]:
    return [{"size": x["size"], "counts": x["counts"].encode("ascii")} for x in masks.to_coco()]


def _one_or_all(given: Any, read: Callable[[rle.Masks], Any], axis: int) -> Any:
    """Arrays of a list of records, or the only entry of the array of one record along `axis`."""
    if isinstance(given, list):
        return read(_masks("rleObjs", given))
    return np.moveaxis(read(_masks("rleObjs", [given])), axis, 0)[0]


def _pixels(masks: rle.Masks) -> Any:
    dense = masks.to_dense() if len(masks) else np.zeros((0, 0, 0))
    return dense.transpose(1, 2, 0).astype(np.uint8, order="F")


def _areas(masks: rle.Masks) -> Any:
    counts = masks.area()
    if (counts > np.iinfo(np.uint32).max).any():
        raise OverflowError(f"`rleObjs` must have areas that uint32 holds, got {counts.max()}: use omniou.rle")
    return counts.astype(np.uint32)


def _masks(name: str, given: Any) -> rle.Masks:
    """Encoded records -> their table."""
    if isinstance(given, (Mapping, str, bytes)) or not hasattr(given, "__iter__"):
        raise TypeError(f"`{name}` must be a list of records, got {type(given).__name__}")
    records = []
    for row, record in enumerate(given):
        if not isinstance(record, Mapping):
            raise TypeError(
                f"`{name}[{row}]` must be a record with size and counts, got {type(record).__name__}; more than one "
                "record are a list"
            )
        for field in ("size", "counts"):
            if field not in record:
                raise KeyError(f"`{name}[{row}]` has no {field}")
        if not isinstance(record["counts"], (str, bytes)):
            kind = type(record["counts"]).__name__
            raise TypeError(
                f"`{name}[{row}]['counts']` must be text, got {kind}: encode it by mask.frPyObjects(record, h, w)"
            )
        records.append({"size": _size(f"{name}[{row}]", record["size"]), "counts": record["counts"]})
    return _named(name, rle.Masks.from_coco, records)


def _named(name: str, read: Callable[..., rle.Masks], *given: Any, **options: Any) -> rle.Masks:
    """`read(...)`, whose errors name the argument."""
    try:
        return read(*given, **options)
    except rle.MaskError as error:
        raise rle.MaskError(error.row, error.field, error.fault, name=name) from None


def _shapes(name: str, given: Any) -> Any:
    """Records -> their table; boxes -> float64 (N, 4)."""
    if not isinstance(given, (list, np.ndarray)):
        raise TypeError(f"`{name}` must be a list of run lengths, or boxes as list or array, got {_kind(given)}")
    if isinstance(given, list) and given and all(isinstance(x, Mapping) for x in given):
        return _masks(name, given)
    if len(given) == 0:
        return np.zeros((0, 4))
    try:
        out = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be run lengths only, or boxes (N, 4) only, got a mixture") from None
    if out.ndim != 2 or out.shape[1] != 4:
        raise TypeError(f"`{name}` must be boxes of shape (N, 4), got shape {out.shape}")
    if not (finite := np.isfinite(out).all(axis=1)).all():
        row = int(np.argmin(finite))
        raise ValueError(f"`{name}[{row}]` must be finite, got {out[row].tolist()}")
    return out


def _flat(name: str, given: Any, dtype: Any) -> Any:
    """Integers, or floats cut to them, that `dtype` holds, (N,)."""
    try:
        out = np.asarray(given, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        kind = next(x for x in (TypeError, OverflowError, ValueError) if isinstance(error, x))
        raise kind(f"`{name}` must be integers that {np.dtype(dtype)} holds: {error}") from None
    if out.ndim != 1:
        raise ValueError(f"`{name}` must be flat, got shape {out.shape}")
    return out


def _kind(x: Any) -> str:
    return {"Masks": "run lengths", "ndarray": "boxes"}.get(type(x).__name__, type(x).__name__)


def _check_length(crowd: Any, count: int) -> None:
    if len(crowd) != count:
        raise AssertionError(f"`pyiscrowd` must have the length of `gt`, {count}, got {len(crowd)}")


def _size(name: str, size: Any) -> list[int]:
    """Height and width; further numbers are ignored, as in pycocotools."""
    if isinstance(size, (str, bytes)) or not hasattr(size, "__len__"):
        raise TypeError(f"`{name}['size']` must be height and width, got {size!r}")
    if len(size) < 2:
        raise IndexError(f"`{name}['size']` must be height and width, got {size!r}")
    return [_side(f"{name}['size']", x) for x in (size[0], size[1])]


def _side(name: str, value: Any) -> int:
    side = _whole(name, value)
    if side < 0:
        raise OverflowError(f"`{name}` must be at least 0, got {value}")
    return side


def _whole(name: str, value: Any) -> int:
    """An integer, or a float cut to one, as C does."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__int__"):
        raise TypeError(f"`{name}` must be an integer, got {value!r}")
    return int(value)
