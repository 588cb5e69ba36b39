"""The evaluator: parameters, matching by `omniou.detection`, and pycocotools' tables and lines."""

import copy
import datetime as dt
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from omniou.detection.reference import _records as records
from omniou.detection.reference import _tables as tables
from omniou.detection.reference._cells import Cells
from omniou.detection.reference._matched import Matched, Rules
from omniou_integrations.pycocotools import mask as maskUtils
from omniou_integrations.pycocotools.coco import COCO, coco_index, draw_all, warn_once

__all__ = ["COCOeval", "Params", "maskUtils"]

_CORRECT = ": COCOeval(..., corrected=True) gives the right number"

_SIGMAS = [0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89]
_AREAS: dict[str, list[Any]] = {"all": [0, 1e10], "small": [0, 32**2], "medium": [32**2, 96**2], "large": [96**2, 1e10]}
# Rows of the printed tables: AP (1) or AR (0), threshold, area range, and which of the limits.
_ROWS: dict[str, list[tuple[int, float | None, str, int | None]]] = {
    "bbox": [
        (1, None, "all", None),
        (1, 0.5, "all", 2),
        (1, 0.75, "all", 2),
        *((1, None, area, 2) for area in ("small", "medium", "large")),
        *((0, None, "all", place) for place in range(3)),
        *((0, None, area, 2) for area in ("small", "medium", "large")),
    ],
    "keypoints": [
        (ap, threshold, area, None)
        for ap in (1, 0)
        for threshold, area in ((None, "all"), (0.5, "all"), (0.75, "all"), (None, "medium"), (None, "large"))
    ],
}
_ROWS["segm"] = _ROWS["bbox"]


class Params:
    """What is evaluated, and how; any attribute may be changed at any time.

    Attributes
    ----------
    imgIds, catIds : list
        Ids of the images and categories.
    iouThrs, recThrs : array
        IoU and recall thresholds, (T,) and (R,).
    maxDets : list of int
        Limits of detections of an image and category.
    areaRng, areaRngLbl : list
        Area ranges [low, high], and their names.
    useCats : int
        Whether categories count.
    iouType : str
        "segm", "bbox" or "keypoints".
    kpt_oks_sigmas : array
        Of keypoints.
    useSegm : int, optional
        Deprecated: 1 stands for "segm", another number for "bbox".
    """

    def __init__(self, iouType: str = "segm") -> None:
        if iouType not in _ROWS:
            raise ValueError(f'iouType not supported: `iouType` must be "segm", "bbox" or "keypoints", got {iouType!r}')
        (self.setKpParams if iouType == "keypoints" else self.setDetParams)()
        self.iouType = iouType
        self.useSegm: Any = None

    def setDetParams(self) -> None:
        """Set what boxes and masks are evaluated by."""
        self._set([1, 10, 100], list(_AREAS))

    def setKpParams(self) -> None:
        """Set what keypoints are evaluated by."""
        self._set([20], ["all", "medium", "large"])
        self.kpt_oks_sigmas: Any = np.asarray(_SIGMAS) / 10.0

    def _set(self, limits: list[int], areas: list[str]) -> None:
        self.imgIds: Any = []
        self.catIds: Any = []
        self.iouThrs: Any = np.linspace(0.5, 0.95, 10)
        self.recThrs: Any = np.linspace(0.0, 1.0, 101)
        self.maxDets: Any = limits
        self.areaRng: Any = [list(_AREAS[name]) for name in areas]
        self.areaRngLbl: Any = areas
        self.useCats: Any = 1


class COCOeval:
    """Evaluate detections as pycocotools does.

    Parameters
    ----------
    cocoGt, cocoDt : COCO, optional
        Ground truth and results.
    iouType : str
        "segm", "bbox" or "keypoints".
    corrected : bool
        Correct pycocotools' plain faults, see the package.

    Attributes
    ----------
    params : Params
    eval : dict
        After `accumulate`: "precision" (T, R, K, A, M), "recall" (T, K, A, M), "scores", "counts", "params", "date".
    stats : array, shape (12,) or (10,)
        After `summarize`.
    """

    # Whether pycocotools' plain faults are corrected.
    corrected = False

    def __init__(
        self,
        cocoGt: Any = None,
        cocoDt: Any = None,
        iouType: str = "segm",
        *,
        corrected: bool | None = None,
    ) -> None:
        if not iouType:
            print("iouType not specified. use default iouType segm")
        if corrected is not None:
            self.corrected = corrected
        self.cocoGt, self.cocoDt = cocoGt, cocoDt
        self.params = Params(iouType=iouType)
        self._paramsEval: Any = {}
        self.stats: Any = []
        self._ious: Any = {}
        self._evaluated: Any = None  # the cells of `evaluate`
        self._gts: Any = defaultdict(list)
        self._dts: Any = defaultdict(list)
        self._evalImgs: Any = defaultdict(list)
        self.eval: dict[str, Any] = {}
        self._cells: Cells | None = None
        if cocoGt is not None:
            self.params.imgIds = sorted(cocoGt.getImgIds())
            self.params.catIds = sorted(cocoGt.getCatIds())

    def __getattr__(self, name: str) -> Any:
        """Return the annotations by image and category, made when they are asked for."""
        if name not in {"_gts", "_dts"} or "_paramsEval" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.settle()
        return vars(self)[name]

    def settle(self) -> None:
        """Read the dictionaries, before others change them, if the evaluation read columns."""
        if "_gts" not in vars(self):
            self._prepare(self._paramsEval)
            self._cells = self._evaluated = Cells(self._evaluated.rules, self._gts, self._dts)
            self._evaluated.match()

    @property
    def evalImgs(self) -> Any:
        """Matches by category, area range and image, in this order, made when they are asked for."""
        if self._evalImgs is None:
            self.settle()
            p, of = self._paramsEval, self._evaluated
            self._evalImgs = [
                self._entry(of.matches(image, category, area, p.maxDets[-1]), image, category, area, p.maxDets[-1])
                for category in _categories(p)
                for area in p.areaRng
                for image in p.imgIds
            ]
        return self._evalImgs

    @evalImgs.setter
    def evalImgs(self, value: Any) -> None:
        self._evalImgs = value

    @property
    def ious(self) -> Any:
        """Overlaps (D, G) by image and category, an empty list without any, made when they are asked for."""
        if self._ious is None:
            self.settle()
            p = self._paramsEval
            every = ((image, category) for image in p.imgIds for category in _categories(p))
            self._ious = {key: self._evaluated.overlaps(*key) for key in every}
        return self._ious

    @ious.setter
    def ious(self, value: Any) -> None:
        self._ious = value

    def _prepare(self, p: Any = None) -> None:
        """Sort what is evaluated by image and category, with masks as run lengths, in place."""
        p = p or self.params
        some = {"imgIds": p.imgIds} | ({"catIds": p.catIds} if p.useCats else {})
        gts, dts = (coco.loadAnns(coco.getAnnIds(**some)) for coco in (self.cocoGt, self.cocoDt))
        if p.iouType == "segm":
            for coco, anns in ((self.cocoGt, gts), (self.cocoDt, dts)):
                draw_all(coco, anns)
        if records.flag_ignored(gts, keypoints=p.iouType == "keypoints", corrected=self.corrected):
            self._warn("`ignore` of objects has no effect: pycocotools overwrites it by `iscrowd`")
        self._gts, self._dts, self._cells = defaultdict(list), defaultdict(list), None
        for table, anns in ((self._gts, gts), (self._dts, dts)):
            for ann in anns:
                table[ann["image_id"], ann["category_id"]].append(ann)

    def evaluate(self) -> None:
        """Match the detections of each image."""
        start = time.time()
        print("Running per image evaluation...")
        p = self.params
        if p.useSegm is not None:
            p.iouType = "segm" if p.useSegm == 1 else "bbox"
            print(f"useSegm (deprecated) is not None. Running {p.iouType} evaluation")
        print(f"Evaluate annotation type *{p.iouType}*")
        if p.iouType not in _ROWS:
            raise ValueError(f'`params.iouType` must be "segm", "bbox" or "keypoints", got {p.iouType!r}')
        p.imgIds = list(np.unique(p.imgIds))
        if p.useCats:
            p.catIds = list(np.unique(p.catIds))
        p.maxDets = sorted(p.maxDets)
        self.eval, self._evalImgs, self._cells = {}, defaultdict(list), None
        steps = ("computeIoU", "computeOks", "evaluateImg")
        usual = all(getattr(getattr(self, x), "__func__", None) is getattr(COCOeval, x) for x in (*steps, "_prepare"))
        columns = self._columns() if usual else None
        if columns is None:
            self._prepare()
        if columns is not None:
            self._evaluated, self._ious, self._evalImgs = columns, None, None
            vars(self).pop("_gts", None), vars(self).pop("_dts", None)
        elif usual:
            self._evaluated, self._ious, self._evalImgs = self._now(), None, None
            self._evaluated.match()
            if self._evaluated.reads_ids:
                self._warn("annotations must have ids above 0: pycocotools takes 0 for unmatched")
        else:
            self._evaluated, compute = None, self.computeOks if p.iouType == "keypoints" else self.computeIoU
            self._ious = {(image, x): compute(image, x) for image in p.imgIds for x in _categories(p)}
            self._evalImgs = [
                self.evaluateImg(image, category, area, p.maxDets[-1])
                for category in _categories(p)
                for area in p.areaRng
                for image in p.imgIds
            ]
        self._paramsEval = copy.deepcopy(p)
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def _columns(self) -> Matched | None:
        """Return the matches of files whose dictionaries nobody has seen; None where only dictionaries tell."""
        p, coco = self.params, (self.cocoGt, self.cocoDt)
        if not p.useCats or not all(isinstance(x, COCO) for x in coco):
            return None
        truth, results = (x.index(self) for x in coco)
        if truth is None or results is None:
            return None
        rules = self._rules()
        images, categories = (np.asarray(x) for x in (p.imgIds, p.catIds))
        columns = coco_index.columns(truth, results, p.iouType, images, categories, len(rules.sigmas))
        try:
            out = None if columns is None else Matched(rules, columns)
            if out is not None:
                out.match()
        except ValueError:
            return None  # whose message names the record
        return out

    def _rules(self) -> Rules:
        """Return the parameters that hold now."""
        p = self.params
        _check(p)
        return Rules(
            kind=p.iouType,
            thresholds=tuple(map(float, p.iouThrs)),
            areas=tuple((float(x[0]), float(x[1])) for x in p.areaRng),
            limits=tuple(p.maxDets),
            images=tuple(p.imgIds),
            categories=tuple(p.catIds),
            with_categories=bool(p.useCats),
            sigmas=tuple(map(float, p.kpt_oks_sigmas)) if p.iouType == "keypoints" else (),
            corrected=self.corrected,
        )

    def _now(self) -> Cells:
        """Return the cells by the parameters that hold now."""
        rules = self._rules()
        if "_gts" not in vars(self):
            self.settle()
        if self._cells is None or self._cells.rules != rules:
            self._cells = Cells(rules, self._gts, self._dts)
        return self._cells

    def computeIoU(self, imgId: Any, catId: Any) -> Any:
        """Return the overlaps (D, G) of the detections by falling score and the objects, or an empty list."""
        return self._now().overlaps(imgId, catId) if self._has(imgId, catId) else []

    def computeOks(self, imgId: Any, catId: Any) -> Any:
        """Return the same as `computeIoU`, of keypoints."""
        return self.computeIoU(imgId, catId)

    def evaluateImg(self, imgId: Any, catId: Any, aRng: Any, maxDet: int) -> Any:
        """Return the matches of an image and category in one area range; None where there is nothing."""
        if not self._has(imgId, catId):
            return None
        given = None if self._ious is None else self._ious[imgId, catId]
        return self._entry(self._now().matches(imgId, catId, aRng, maxDet, given), imgId, catId, aRng, maxDet)

    def _has(self, image: Any, category: Any) -> bool:
        p = self.params
        keys = [(image, category)] if p.useCats else [(image, x) for x in p.catIds]
        return any(self._gts.get(key) or self._dts.get(key) for key in keys)

    def _entry(self, found: Any, *names: Any) -> Any:
        keys = ("image_id", "category_id", "aRng", "maxDet")
        return None if found is None else dict(zip(keys, names, strict=True)) | found

    def accumulate(self, p: Any = None) -> None:
        """Compute precision and recall of the matches that `evaluate` made, at the recall thresholds of `p`.

        Parameters
        ----------
        p : Params, optional
            Default: `params`.
        """
        print("Accumulating evaluation results...")
        start = time.time()
        p, of = p or self.params, self._paramsEval
        if not (len(self._evalImgs) if self._evalImgs is not None else all(_axes(of))):
            print("Please run evaluate() first")
        if not hasattr(of, "catIds"):
            raise AttributeError("`accumulate` must come after `evaluate`, which makes `evalImgs` and `_paramsEval`")
        if p.useCats != 1 and not self.corrected:
            p.catIds = [-1]
        size = (len(p.iouThrs), len(p.recThrs), len(_categories(p)), len(p.areaRng), len(p.maxDets))
        limits = [x for x in p.maxDets if x in set(of.maxDets)]
        if self._evalImgs is None and self._evaluated.is_exact and _axes(p) == _axes(of):
            found = self._evaluated.found(limits)
        else:
            found = self._found(p, limits)
        every = tables.read_off(found, p.recThrs, size, corrected=self.corrected)
        date = f"{dt.datetime.now():%Y-%m-%d %H:%M:%S}"  # noqa: DTZ005  (as pycocotools)
        self.eval = {"params": p, "counts": list(size), "date": date} | every
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def _found(self, p: Any, limits: list[int]) -> tables.Found:
        """Return the tables of `evalImgs`, of those that `p` names."""
        axes, seen = _axes(p), _axes(self._paramsEval)
        # pycocotools takes the place in `p` for the place in `evalImgs`.
        places = [
            [old.index(x) if self.corrected else place for place, x in enumerate(new) if x in set(old)]
            for new, old in zip(axes, seen, strict=True)
        ]
        if any(new[: len(kept)] != old[: len(kept)] for new, old, kept in zip(axes, seen, places, strict=True)):
            self._warn("`p` of `accumulate` must start as `params` of `evaluate` did: places are read, not ids")
        _, areas, images = map(len, seen)
        entries = self.evalImgs
        cells = [[entries[(k * areas + a) * images + i] for i in places[2]] for k in places[0] for a in places[1]]
        return tables.of_entries(cells, len(places[1]), limits)

    def summarize(self) -> None:
        """Print the table of twelve numbers, of keypoints ten, and keep them as `stats`."""
        if not self.eval:
            raise Exception("Please run accumulate() first")  # noqa: TRY002  (what callers catch)
        rows = _ROWS[self.params.iouType]
        self.stats = np.asarray([self._row(*row) for row in rows], dtype=np.float64)

    def _row(self, ap: int, threshold: float | None, area: str, place: int | None) -> float:
        """Print a row of the table, and return its number."""
        p, usual = self.params, 20 if self.params.iouType == "keypoints" else 100
        if self.corrected:
            limit = p.maxDets[-1 if place in {None, 2} else min(place, len(p.maxDets) - 1)]
        elif place is None:
            limit = usual
        elif place < len(p.maxDets):
            limit = p.maxDets[place]
        else:
            raise IndexError(f"`params.maxDets` must have three limits for `summarize`, got {p.maxDets}{_CORRECT}")
        if limit not in p.maxDets:
            self._warn(f"`params.maxDets` must have {usual} for AP, got {p.maxDets}, so AP is -1")
        table = self.eval["precision" if ap else "recall"]
        if threshold is not None:
            known = np.asarray(p.iouThrs, dtype=np.float64)
            places = np.flatnonzero(known == threshold if not self.corrected else np.isclose(known, threshold, 0, 1e-6))
            if not isinstance(p.iouThrs, np.ndarray) and not self.corrected:
                raise ValueError(f"`params.iouThrs` must be an array, got {type(p.iouThrs).__name__}{_CORRECT}")
            if not places.size and np.isclose(known, threshold, 0, 1e-6).any():
                self._warn(f"`params.iouThrs` must have {threshold} to the last bit, got {known.tolist()}: it gives -1")
            table = table[places]
        areas = [k for k, name in enumerate(p.areaRngLbl) if name == area]
        limits = [k for k, x in enumerate(p.maxDets) if x == limit]
        value = tables.mean(table[..., areas, limits])
        title = ("Average Precision", "(AP)") if ap else ("Average Recall", "(AR)")
        levels = f"{p.iouThrs[0]:0.2f}:{p.iouThrs[-1]:0.2f}" if threshold is None else f"{threshold:0.2f}"
        print(f" {title[0]:<18} {title[1]} @[ IoU={levels:<9} | area={area:>6s} | maxDets={limit:>3d} ] = {value:0.3f}")
        return value

    def _warn(self, fault: str) -> None:
        if not self.corrected:
            warn_once(fault + _CORRECT)

    def __str__(self) -> str:
        """Print the table."""
        self.summarize()
        return ""


def _categories(p: Any) -> Sequence[Any]:
    return p.catIds if p.useCats else [-1]


def _check(p: Any) -> None:
    """Raise for parameters that pycocotools fails at, or makes NaN of."""
    if not len(p.maxDets):
        raise IndexError("`params.maxDets` must have a limit, got none")
    if min(p.maxDets) < 1:
        raise ValueError(f"`params.maxDets` must be at least 1, got {list(p.maxDets)}")
    if p.iouType == "keypoints" and not min(p.kpt_oks_sigmas, default=1) > 0:
        raise ValueError(f"`params.kpt_oks_sigmas` must be above 0, got {list(p.kpt_oks_sigmas)}")


def _axes(p: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the axes of `evalImgs`."""
    return list(_categories(p)), [tuple(x) for x in p.areaRng], list(p.imgIds)
