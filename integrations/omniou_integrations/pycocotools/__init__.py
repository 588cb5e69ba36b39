"""Stand in for pycocotools 2.0: `COCO`, `COCOeval`, `Params` and `mask`, and `patch`, which puts them under its names.

Numbers, dtypes and printed lines equal pycocotools', which need not be installed. `omniou.detection` matches all
images at once; `ious` and `evalImgs` are made when they are asked for.

>>> from omniou_integrations.pycocotools import COCO, COCOeval, patch
>>> truth = COCO({"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [
...     {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 0}]})
creating index...
index created!

Faults of pycocotools are kept, each with one warning. ``COCOeval(..., corrected=True)``, or ``patch(corrected=True)``,
corrects them:

- an object with the id 0 counts as missed, and a detection with an id of 0 or less leaves its object free;
- `summarize` gives -1 for AP unless 100 is among `maxDets` (of keypoints 20), and raises IndexError for fewer than
  three limits: corrected, AP is of the last limit, and the three rows of AR are of the first, the second and the last;
- `summarize` raises ValueError if `iouThrs` is a list, and AP75 is -1 if 0.75 is there up to rounding;
- recall thresholds after one that is not reached count as not reached, in any order of the thresholds;
- `accumulate(p)` takes the place of an id in `p` for its place in `evalImgs`;
- keypoints without categories (`useCats = 0`) match nothing, and `accumulate` replaces `catIds` by [-1];
- `ignore` of an object is overwritten by `iscrowd`;
- a filter that is a string, such as ``getCatIds("hot dog")``, also finds "dog".

A score, coordinate or area that is not finite is an error, as are limits below 1 and sigmas that are not above 0.
"""

import contextlib
import importlib.machinery
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from omniou_integrations.pycocotools import coco, cocoeval, mask
from omniou_integrations.pycocotools.coco import COCO
from omniou_integrations.pycocotools.cocoeval import COCOeval, Params

__all__ = ["COCO", "COCOeval", "Params", "mask", "patch"]


def __dir__() -> list[str]:
    return __all__


@contextlib.contextmanager
def patch(*, corrected: bool = False) -> Iterator[None]:
    """Put these modules under pycocotools' names, for imports inside the block or the decorated function.

    Imports of before keep what they have, and those of inside keep what they got. The block may be nested.

    Parameters
    ----------
    corrected : bool
        Correct the faults that the module lists.

    Examples
    --------
    >>> from omniou_integrations.pycocotools import patch
    >>> with patch():
    ...     from pycocotools.cocoeval import COCOeval
    >>> COCOeval.__module__
    'omniou_integrations.pycocotools.cocoeval'
    """
    modules = _modules(corrected=corrected)
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def _modules(*, corrected: bool) -> dict[str, ModuleType]:
    classes: dict[str, Any] = {"COCO": COCO, "COCOeval": COCOeval, "Params": Params}
    if corrected:
        classes |= {x.__name__: type(x.__name__, (x,), {"corrected": True}) for x in (COCO, COCOeval)}
    package = ModuleType("pycocotools", __doc__)
    package.__path__ = []
    out = {"pycocotools": package}
    for own in (coco, cocoeval, mask):
        short = own.__name__.rpartition(".")[2]
        module = out[f"pycocotools.{short}"] = ModuleType(f"pycocotools.{short}", own.__doc__)
        names = {name: getattr(own, name) for name in own.__all__}
        vars(module).update(names | {name: x for name, x in classes.items() if name in names})
        setattr(package, short, module)
    for name, module in out.items():
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=module is package)
    return out
