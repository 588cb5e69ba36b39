"""The index of a data set in COCO's format."""

import copy
import functools
import json
import os
import time
import warnings
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from omniou.detection.reference import _records as records
from omniou_integrations.pycocotools import mask as maskUtils
from omniou_integrations.pycocotools._drawing import show

coco_index: Any
try:
    from omniou.data._formats import coco_index
except ImportError:  # without msgspec dictionaries are read
    coco_index = None

__all__ = ["COCO", "maskUtils"]

Record = dict[str, Any]
_FIELDS = {"annotations": ["image_id", "id"], "images": ["id"], "categories": ["id"]}
_SHORT = ("anns", "imgs", "cats")
# What the dictionaries of a file are made for, and what an evaluation calls.
_MADE = dict.fromkeys(("dataset", *_SHORT, "imgToAnns", "catToImgs"))
_CALLED = ("createIndex", "getImgIds", "getCatIds", "getAnnIds", "loadAnns", "annToRLE")
_EVALUATORS: weakref.WeakKeyDictionary[Any, weakref.WeakSet[Any]] = weakref.WeakKeyDictionary()
_FAULTS = (IndexError, OverflowError, TypeError, ValueError)
_WARNED: set[str] = set()


def warn_once(message: str) -> None:
    """Warn, each message once in a process."""
    if message not in _WARNED:
        _WARNED.add(message)
        warnings.warn(message, stacklevel=4)


def _is_all(ids: Any) -> bool:
    return isinstance(ids, tuple | list) and not ids


def _several(ids: Any) -> bool:
    return hasattr(ids, "__iter__") and hasattr(ids, "__len__")


def _member(values: Any) -> Callable[[Any], bool]:
    """Return the test of membership of a filter."""
    if isinstance(values, str):
        return values.__contains__  # of a part of the string, as in pycocotools
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    try:
        return set(listed).__contains__
    except TypeError:
        return listed.__contains__


class COCO:
    """A data set, or results, of COCO's format, indexed as pycocotools does.

    Parameters
    ----------
    annotation_file : path or dict, optional
        A JSON file, or what one holds, which is not copied. Default: nothing; set `dataset` and call `createIndex`.

    Attributes
    ----------
    dataset : dict
        What the file holds: lists "images", "annotations" and "categories".
    anns, imgs, cats : dict
        Annotations, images and categories by their ids, which may be of any kind.
    imgToAnns : dict
        Annotations of each image.
    catToImgs : dict
        Ids of the images of each category, one for each annotation.

    Raises
    ------
    OSError
        If there is no such file.
    AssertionError
        If the file holds something else than an object.
    KeyError
        If a record lacks an id. The message names file, record and field.
    json.JSONDecodeError
        If the file is not JSON. It is a ValueError.
    """

    # Whether pycocotools' plain faults are corrected: see the package.
    corrected = False
    _source = "dataset"
    dataset: Any
    anns: dict[Any, Record]
    cats: dict[Any, Record]
    imgs: dict[Any, Record]
    imgToAnns: dict[Any, list[Record]]
    catToImgs: dict[Any, list[Any]]

    def __init__(self, annotation_file: Any = None) -> None:
        # What the file says, and how its dictionaries are made; None once they are, since anybody may change them.
        self._index: Any = None
        self._make: Any = None
        if isinstance(annotation_file, dict):
            self.dataset = annotation_file
            self.createIndex()
        elif annotation_file is None:
            vars(self).update(_nothing())
        else:
            print("loading annotations into memory...")
            text = _bytes(annotation_file)
            index = coco_index.read_truth(text) if coco_index is not None and self._is_usual() else None
            self._hold(os.fspath(annotation_file), index, functools.partial(_object, annotation_file, text), "Done")

    def _hold(self, source: str, index: Any, make: Callable[[], Any], done: str) -> None:
        """Hold what a source says, as columns until its dictionaries are asked for, or as these."""
        start, self._source = time.time(), source
        made = make() if index is None else None
        print(f"{done} (t={time.time() - start:0.2f}s)")
        for name in _MADE:
            vars(self).pop(name, None)
        if index is None:
            self.dataset = made
            self.createIndex()
        else:
            self._index, self._make = index, make
            _say()

    def __getattr__(self, name: str) -> Any:
        """Return what the dictionaries of a file are made for: nobody has seen them before."""
        if name not in _MADE or vars(self).get("_make") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        make, self._make, self._index = self._make, None, None
        made = _nothing() | {"dataset": make()}
        made |= _indexed(self._source, made["dataset"])
        vars(self).update(made | vars(self))
        for evaluator in list(_EVALUATORS.pop(self, ())):
            evaluator.settle()
        return vars(self)[name]

    def _is_usual(self) -> bool:
        return all(getattr(getattr(self, x), "__func__", None) is getattr(COCO, x) for x in _CALLED)

    def index(self, evaluator: Any = None) -> Any:
        """Return the columns of a file whose dictionaries were never made; `evaluator` then settles before they are."""
        if self._make is None or vars(self).keys() & _MADE.keys() or not self._is_usual():
            return None
        if evaluator is not None:
            _EVALUATORS.setdefault(self, weakref.WeakSet()).add(evaluator)
        return self._index

    def createIndex(self) -> None:
        """Index `dataset` anew."""
        dataset = self.dataset
        vars(self).update(_indexed(self._source, dataset))
        self._index = self._make = None
        _say()

    def info(self) -> None:
        """Print what the data set says of itself."""
        for key, value in self.dataset["info"].items():
            print(f"{key}: {value}")

    def getAnnIds(
        self,
        imgIds: Any = (),
        catIds: Any = (),
        areaRng: Any = (),
        iscrowd: Any = None,
    ) -> list[Any]:
        """Return ids of annotations, of some images, categories, areas between two bounds, and crowds or none."""
        images, categories = self._each(imgIds, self.imgs), self._each(catIds, self.cats)
        if len(images):
            anns = [ann for image in images if image in self.imgToAnns for ann in self.imgToAnns[image]]
        else:
            anns = self._listed("annotations")
        if len(categories):
            known = _member(categories)
            anns = [ann for ann in anns if known(ann["category_id"])]
        if len(areaRng):
            anns = [ann for ann in anns if areaRng[0] < ann["area"] < areaRng[1]]
        return [ann["id"] for ann in anns if iscrowd is None or ann["iscrowd"] == iscrowd]

    def getCatIds(self, catNms: Any = (), supNms: Any = (), catIds: Any = ()) -> list[Any]:
        """Return ids of categories, of some names, names of parents, and ids."""
        if all(map(_is_all, (catNms, supNms, catIds))) and (index := self.index()) is not None:
            return index.category_ids.tolist()
        cats = self._listed("categories")
        for field, given in (("name", catNms), ("supercategory", supNms), ("id", catIds)):
            wanted = self._each(given, [x[field] for x in cats] if isinstance(given, str) else ())
            if len(wanted):
                known = _member(wanted)
                cats = [x for x in cats if known(x[field])]
        return [x["id"] for x in cats]

    def getImgIds(self, imgIds: Any = (), catIds: Any = ()) -> list[Any]:
        """Return ids of images, some of them, that have all of some categories."""
        if _is_all(imgIds) and _is_all(catIds):
            return list(self.imgs) if (index := self.index()) is None else index.image_ids.tolist()
        images, categories = self._each(imgIds, self.imgs), self._each(catIds, self.cats)
        if not len(images) and not len(categories):
            return list(self.imgs)
        ids = set(images)
        for number, category in enumerate(categories):
            has = set(self.catToImgs[category])
            ids = has if number == 0 and not ids else ids & has
        return list(ids)

    def _listed(self, name: str) -> list[Record]:
        if name not in self.dataset:
            raise KeyError(f"{self._source}: it must have the list `{name}`")
        return self.dataset[name]

    def _each(self, given: Any, known: Iterable[Any]) -> Any:
        """Return what a filter lists. pycocotools looks for ids and names in a string, which then means several."""
        if not _several(given):
            return [given]
        if isinstance(given, str) and given:
            if self.corrected:
                return [given]
            if {x for x in known if isinstance(x, str) and x in given} - {given} or (
                given in known and known is self.imgs
            ):
                warn_once(f"{given!r} must be in a list: pycocotools takes all names that are a part of it")
        return given

    def loadAnns(self, ids: Any = ()) -> list[Record]:
        """Return the annotations of ids, or of one id."""
        return _by_id("anns", self.anns, ids)

    def loadCats(self, ids: Any = ()) -> list[Record]:
        """Return the categories of ids, or of one id."""
        return _by_id("cats", self.cats, ids)

    def loadImgs(self, ids: Any = ()) -> list[Record]:
        """Return the images of ids, or of one id."""
        return _by_id("imgs", self.imgs, ids)

    def showAnns(self, anns: list[Record], draw_bbox: bool = False) -> int | None:  # noqa: FBT001, FBT002
        """Draw annotations into matplotlib's current axes, or print captions."""
        return show(self, anns, with_boxes=draw_bbox)

    def loadRes(self, resFile: Any) -> "COCO":
        """Return the results of a file, a list of dictionaries, or an array (N, 7), as a data set with these images.

        Dictionaries get "id" from 1, "area", "iscrowd", and a "bbox" or "segmentation" that they lack, in place.

        Raises
        ------
        AssertionError
            If the results are not a list, or are of an image that the data set does not have.
        IndexError, KeyError
            If there are none, or a result lacks a field.
        """
        results = COCO()
        results.corrected = self.corrected
        print("Loading and preparing results...")
        index, name, text = None, "resFile", None
        if isinstance(resFile, str | os.PathLike):
            name, text = os.fspath(resFile), _bytes(resFile)
            index = None if (own := self.index()) is None else coco_index.read_results(text, own)
        results._hold(name, index, functools.partial(self._results, name, resFile, text), "DONE")
        return results

    def _results(self, name: str, given: Any, text: bytes | None) -> dict[str, Any]:
        """Return results as a data set."""
        out: dict[str, Any] = {"info": copy.deepcopy(self.dataset.get("info", {}))}
        out["images"] = list(self._listed("images"))
        anns = given if text is None else _json(name, text)
        if isinstance(anns, np.ndarray):
            anns = self.loadNumpyAnnotations(anns)
        if not isinstance(anns, list):
            raise AssertionError(f"{name}: results must be a list of objects, got {type(anns)}")  # noqa: TRY004
        known = set(self.getImgIds())
        for number, ann in enumerate(records.checked(name, "results", anns, ["image_id"])):
            if ann["image_id"] not in known:
                raise AssertionError(
                    f"Results do not correspond to current coco set: {name}: `results[{number}]` is of the image "
                    f"{ann['image_id']!r}, which {self._source} does not have"
                )
        if not anns:
            raise IndexError(f"{name}: results must not be empty")
        if "caption" in anns[0]:
            ids = {ann["image_id"] for ann in anns}
            out["images"] = [x for x in out["images"] if x["id"] in ids]
        else:
            out["categories"] = copy.deepcopy(self._listed("categories"))

        def areas(shapes: list[Any]) -> Any:
            try:
                return maskUtils.area(shapes)
            except _FAULTS as error:
                raise _placed(error, f"{name}: segmentation of results") from None

        records.fill(name, anns, areas, maskUtils.toBbox)
        out["annotations"] = anns
        return out

    def loadNumpyAnnotations(self, data: Any) -> list[Record]:
        """Return rows of image, x, y, width, height, score and category as results."""
        print("Converting ndarray to lists...")
        if not isinstance(data, np.ndarray) or data.ndim != 2 or data.shape[1] != 7:
            raise AssertionError(
                f"`data` must be a NumPy array of shape (N, 7), got {getattr(data, 'shape', data)!r:.60}"
            )
        print(data.shape)
        for start in range(0, len(data), 1000000):
            print(f"{start}/{len(data)}")
        keys = ("image_id", "bbox", "score", "category_id")
        return [dict(zip(keys, (int(x[0]), list(x[1:5]), x[5], int(x[6])), strict=True)) for x in data]

    def annToRLE(self, ann: Record) -> Any:
        """Return the segmentation of an annotation as run lengths."""
        shape = _field(self, ann, "segmentation")
        if not isinstance(shape, list) and not isinstance(shape["counts"], list):
            return shape
        height, width = self.size_of(ann)
        try:
            rles = maskUtils.frPyObjects(shape, height, width)
        except _FAULTS as error:
            raise _placed(error, f"{self._source}: segmentation of the annotation {ann.get('id')!r}") from None
        return maskUtils.merge(rles) if isinstance(shape, list) else rles

    def size_of(self, ann: Record) -> list[Any]:
        """Return height and width of the image of an annotation."""
        image = self.imgs[ann["image_id"]]
        for field in ("height", "width"):
            if field not in image:
                raise KeyError(f"{self._source}: the image {image['id']!r} must have the field `{field}`")
        return [image["height"], image["width"]]

    def annToMask(self, ann: Record) -> Any:
        """Return the segmentation of an annotation as pixels (height, width) of uint8."""
        return maskUtils.decode(self.annToRLE(ann))

    def download(self, tarDir: Any = None, imgIds: Any = ()) -> Any:  # noqa: ARG002
        """Raise: omniou downloads nothing."""
        if tarDir is None:
            print("Please specify target directory")
            return -1
        raise NotImplementedError(
            "`download` is not there, as omniou opens no connection: fetch `coco_url` of each image of `imgs` into "
            "`tarDir`, for example with urllib.request.urlretrieve"
        )


def _bytes(path: Any) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123  (bytes are a path too)
        return file.read()


def _json(path: Any, text: bytes) -> Any:
    try:
        return json.loads(text.decode())
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(f"`{path}` is no JSON: {error.msg}", error.doc, error.pos) from None


def _object(path: Any, text: bytes) -> dict[str, Any]:
    dataset = _json(path, text)
    if not isinstance(dataset, dict):  # pycocotools asserts it
        raise AssertionError(  # noqa: TRY004
            f"`{path}` must hold an object with `images`, `annotations` and `categories`, got {type(dataset)}: results "
            "go to `loadRes`"
        )
    return dataset


def _nothing() -> dict[str, Any]:
    return {name: defaultdict(list) if "To" in name else {} for name in _MADE}


def _say() -> None:
    print("creating index...\nindex created!")


def _indexed(source: str, dataset: Any) -> dict[str, Any]:
    """Return the indices of a data set by the names of their attributes."""
    lists = {name: records.checked(source, name, dataset.get(name, []), fields) for name, fields in _FIELDS.items()}
    anns, of_images, of_categories = lists["annotations"], defaultdict(list), defaultdict(list)
    for ann in anns:
        of_images[ann["image_id"]].append(ann)
    if "categories" in dataset:
        for ann in records.checked(source, "annotations", anns, ["category_id"]):
            of_categories[ann["category_id"]].append(ann["image_id"])
    by_id = {short: {x["id"]: x for x in lists[name]} for short, name in zip(_SHORT, _FIELDS, strict=True)}
    return by_id | {"imgToAnns": of_images, "catToImgs": of_categories}


def _by_id(name: str, known: dict[Any, Record], ids: Any) -> list[Record]:
    ids = ids if _several(ids) and not (isinstance(ids, str) and ids in known) else [ids]
    try:
        return [known[id] for id in ids]
    except KeyError as error:
        raise KeyError(f"`ids` must be among `{name}`, got {error.args[0]!r}") from None


def _field(coco: Any, ann: Record, name: str) -> Any:
    if name not in ann:
        raise KeyError(f"{coco._source}: the annotation {ann.get('id')!r} must have the field `{name}`")  # noqa: SLF001
    return ann[name]


def _placed(error: Exception, place: str) -> Exception:
    """Return an error of the same kind that says where."""
    return next(kind for kind in _FAULTS if isinstance(error, kind))(f"{place}: {error}")


def draw_all(coco: Any, anns: list[Record]) -> None:
    """Replace the segmentation of each annotation by its run lengths, of polygons all at once."""
    usual = getattr(coco.annToRLE, "__func__", None) is COCO.annToRLE
    outlines = [ann for ann in anns if usual and records.is_outline(_field(coco, ann, "segmentation"))]
    for ann, rle in zip(outlines, records.drawn(outlines, [coco.size_of(ann) for ann in outlines]), strict=True):
        ann["segmentation"] = rle
    for ann in anns:
        ann["segmentation"] = coco.annToRLE(ann)
