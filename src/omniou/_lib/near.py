"""Names that a user got wrong: the nearest one that exists, for every error about a choice, an option or a module."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

# Names in other tools -> names in omniou, where the letters are too different for a guess.
_ELSEWHERE = {
    "coco": ("xywh", "pycocotools"),
    "pascal_voc": ("xyxy", "voc2010", "voc"),
    "albumentations": ("rel_xyxy",),
    "yolo": ("rel_cxcywh", "ultralytics"),
    "yolov5": ("ultralytics",),
    "yolov8": ("ultralytics",),
    "mmdetection": ("mmdet",),
    "cv2": ("opencv",),
    "tf": ("tensorflow",),
    "smp": ("segmentation_models_pytorch",),
    "wbf": ("ensemble_boxes",),
    "center_xywh": ("cxcywh",),
    "xyxyn": ("rel_xyxy",),
    "xywhn": ("rel_cxcywh",),
    "bounding_box_format": ("format",),
    "box_format": ("format",),
    "fmt": ("format",),
    "mask": ("segm",),
    "masks": ("segm",),
    "segmentation": ("segm", "semantic"),
    "boxes": ("bbox",),
    "box": ("bbox",),
    "obb": ("rotated",),
    "3d": ("boxes3d",),
    "voc": ("voc2010", "voc"),
    "pascal": ("voc2010", "voc"),
}


def nearest(given: Any, known: Iterable[Any], /) -> str | None:
    """Return the known name that is most like the given one, regardless of case, or None."""
    if not isinstance(given, str):
        return None
    by_case = {name.lower(): name for name in known if isinstance(name, str)}
    word = given.lower().replace("-", "_")
    for name in (word, *_ELSEWHERE.get(word, ())):
        if name in by_case:
            return by_case[name]
    import difflib  # 5 ms that only an error needs

    match = difflib.get_close_matches(word, list(by_case), n=1)
    return by_case[match[0]] if match else None


def hint(given: Any, known: Iterable[str], /) -> str:
    """Return the end of an error about an unknown name: "; did you mean 'giou'?", or an empty text."""
    name = nearest(given, known)
    return "" if name is None else f"; did you mean {name!r}?"


def attributes(
    module: str, names: Iterable[str], /, late: Mapping[str, str] | None = None, hints: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module that loads names late, or has hints for names that do not exist.

    Any other module needs only a `__dir__` that returns `__all__`: Python itself then names the nearest attribute.

    `late`: names that are imported when they are first used -> their module, by its full name or below this one; a
    module itself has its own path. `hints`: names that users look for -> the end of the error.
    """
    late, hints = late or {}, hints or {}

    def get(name: str) -> Any:
        if name not in late:
            # Python adds its own guess to an error with `obj`: one of both would be said twice. An import of a private
            # module asks for it here first.
            guess = "" if name.startswith("_") else hints.get(name) or hint(name, names)
            raise AttributeError(f"module {module!r} has no attribute {name!r}{guess}")
        below = late[name] if late[name].startswith("omniou.") else f"{module}.{late[name]}"
        inside = importlib.import_module(below)
        # A module that is asked for by its own name may hold a function of that name.
        is_module = below.rpartition(".")[2] == name and name not in vars(inside)
        value = inside if is_module else getattr(inside, name)
        setattr(sys.modules[module], name, value)
        return value

    return get, lambda: sorted(names)


def late_names(modules: Mapping[str, Iterable[str]], /) -> dict[str, str]:
    """Names by module -> module by name."""
    return {name: module for module, names in modules.items() for name in names}
