"""Find images where one model has fewer errors than another, and what to draw of both."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from omniou.detection import Result
from omniou.report._record.images import header, judged, reasons_of
from omniou.report._record.record import Record

# Pictures of all pairs of models together, half with fewer and half with more errors; and the fewest of a pair.
_MOST, _LEAST = 12, 3


def differing(
    results: Mapping[str, Result[Any]],
    names: Mapping[int, str],
    sizes: Mapping[int, tuple[float, float]],
    score: float | None = None,
) -> list[dict[str, Any]]:
    """Count images with fewer, more and as many errors, for each model except the first; draw those that differ most.

    Detections count from `score` on; default: for each model, the score with its best mean F1.
    """
    first, *others = results.values()
    one, why = judged(first, score), reasons_of(first)
    most = max(_LEAST, _MOST // len(others) // 2)
    out = []
    for model, result in zip(list(results)[1:], others, strict=True):
        other, other_why = judged(result, score), reasons_of(result)
        gaps = other.errors - one.errors
        images = [
            header(int(one.ids[k]), names, sizes) | {"first": one.drawn(k, why), "second": other.drawn(k, other_why)}
            for k in _chosen(gaps.tolist(), most)
        ]
        counts = {"fewer": int((gaps < 0).sum()), "more": int((gaps > 0).sum()), "alike": int((gaps == 0).sum())}
        known = {"scores": [one.score, other.score], "iou_threshold": one.iou_threshold, "edges": one.tables[0].edges()}
        out.append({"model": model, **counts, "unknown": 0, **known, "images": images})
    return out


def _chosen(gaps: Sequence[int], most: int) -> list[int]:
    """Return places of images: first those with the largest decrease of errors, then with the largest increase.

    Of gaps (-2, 0, 3, -5) and `most` 2, these are 3 and 0, then 2.
    """
    order = np.argsort(gaps, kind="stable").tolist()
    return [k for k in order[:most] if gaps[k] < 0] + [k for k in order[::-1][:most] if gaps[k] > 0]


def differing_of_records(records: Mapping[str, Record]) -> list[dict[str, Any]]:
    """Find the same for records, among the images that both records hold: those with most errors."""
    (_, first), *others = records.items()
    out = []
    for model, other in others:
        values = [x.analyses.get("worst_images") for x in (first, other)]
        if values[0] is None or values[1] is None:
            continue
        out.append({"model": model} | _of_pair(values[0], values[1], first.counts["images"], len(others)))
    return out


def _of_pair(first: dict[str, Any], second: dict[str, Any], images: int, pairs: int) -> dict[str, Any]:
    drawn = [{x["id"]: x for x in value["images"]} for value in (first, second)]
    # Where all images with errors are drawn, the others have none.
    whole = [len(value["images"]) == value["with_errors"] for value in (first, second)]
    known = [
        id
        for id in dict.fromkeys([*drawn[0], *drawn[1]])
        if all(id in one or every for one, every in zip(drawn, whole, strict=True))
    ]
    gaps = [_errors(drawn[1].get(id)) - _errors(drawn[0].get(id)) for id in known]
    unknown = 0 if all(whole) else images - len(known)
    fewer, more = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
    shown = []
    for k in _chosen(gaps, max(_LEAST, _MOST // pairs // 2)):
        both = [one.get(known[k]) for one in drawn]
        head = next(x for x in both if x is not None)
        shown.append(
            {name: head[name] for name in ("id", "name", "size")}
            | {
                side: None if x is None else _without_header(x)
                for side, x in zip(("first", "second"), both, strict=True)
            }
        )
    return {
        "fewer": fewer,
        "more": more,
        "alike": images - unknown - fewer - more,
        "unknown": unknown,
        "scores": [first["score"], second["score"]],
        "iou_threshold": first["iou_threshold"],
        "edges": first.get("edges"),
        "images": shown,
    }


def _errors(image: Mapping[str, Any] | None) -> int:
    return 0 if image is None else int(image["missed"] + image["false_positives"])


def _without_header(image: Mapping[str, Any]) -> dict[str, Any]:
    return {name: x for name, x in image.items() if name not in {"id", "name", "size"}}
