"""Detections of several models, or of one without a ground truth: whether `fuse` and `nms` may compare their boxes."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from omniou._catalogue import shape_calls as calls
from omniou._doctor.columns import distinct, median, np
from omniou._inputs.inputs import Detections, Targets
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.detection.doctor import _boxes, _images, _labels, _mixed, _sample
from omniou.detection.doctor._boxes import Fit
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._examined import Cures, Examined, ExaminedArrays
from omniou.detection.doctor._labels import Matches
from omniou.detection.doctor._readings import reading_of
from omniou.detection.doctor._sample import THRESHOLD, Located, Sample

_CURES = Cures(
    order="write the boxes of the {what} as {given}{relative}",
    both="write the boxes of both as {order}",
    other_order="exchange their corners, or --dt-boxes reads all files in another order",
    sizes="",
    relative=", in pixels",
    classes="renumber the classes of one of the models",
    counted="renumber the classes of one of the models",
)
# Detections of each image and of the first model that the others are compared with, the best ones.
_BEST = 10
# Fractions of an image's sides are not above this; images are larger than so many pixels.
_FRACTION, _TINY = 1.5, 8
# Findings of classes that are numbered otherwise, and how many boxes of all must overlap to speak of classes apart.
_NUMBERED = frozenset({"classes-shifted", "classes-counted", "classes-mixed"})
_FEW, _MOST = 5, 0.5
# Scores above this are not fractions: fused ones may be a little above 1.
_SCORE = 2.0


class Model(NamedTuple):
    """The detections of a file, as they were read."""

    path: str
    detections: Detections[Any]


def examine(truth: Examined, models: Sequence[Model]) -> list[Finding]:
    """What is doubtful about the boxes and scores of models; `truth` tells their format and images."""
    if truth.geometry is not UPRIGHT:
        return []
    files = [_boxes_of(truth, model) for model in models]
    found = [x for file in files for x in (*file.inverted(), *_mixed.units(file))]
    found += _scores(models)
    if units := list(_fractions(files)):
        return found + units
    for model, file in zip(models[1:], files[1:], strict=True):
        found += _between(truth, (models[0], files[0]), (model, file))
    return found


def _boxes_of(truth: Examined, model: Model) -> FileBoxes:
    format = truth.format.removeprefix("rel_")
    numbers = calls.converted(UPRIGHT, np.asarray(model.detections.boxes, dtype=np.float64), truth.format, format)
    return FileBoxes(
        what=f"detections of {Path(model.path).name}",
        path=model.path,
        option="--dt-boxes",
        format=truth.format,
        given=reading_of(format),
        numbers=numbers,
        sides=np.full((len(numbers), 2), np.nan),
        cures=_CURES,
    )


def _scores(models: Sequence[Model]) -> Iterator[Finding]:
    """Scores of different ranges: each of them has a meaning of its own, but not their mean."""
    highest = [float(np.asarray(x.detections.scores).max(initial=0)) for x in models]
    fractions = [model.path for model, score in zip(models, highest, strict=True) if score <= 1]
    for model, score in zip(models, highest, strict=True):
        if score > _SCORE and fractions:
            text = f"scores reach {score:.4g}, and scores of {fractions[0]} are at most 1"
            hint = "divide them by 100, or bring the scores of all models into [0, 1]: fusion averages them"
            yield Finding(code="scores-range", text=text, hint=hint, path=model.path)


def _fractions(files: Sequence[FileBoxes]) -> Iterator[Finding]:
    """Models whose boxes are fractions of the sides of their images next to models in pixels."""
    reach = [np.abs(file.numbers).max(axis=1) for file in files]
    extent = max((median(x) for x in reach if len(x)), default=0.0)
    for file, x in zip(files, reach, strict=True):
        if len(x) and extent > _TINY and x.max() <= _FRACTION and (file.numbers % 1 != 0).any():
            yield _boxes.Unit(file, fractions=True, extent=extent).finding(file.given)


def _between(truth: Examined, first: tuple[Model, FileBoxes], other: tuple[Model, FileBoxes]) -> list[Finding]:
    """What the boxes of one model say of the boxes of another, as if the best of the first one were objects."""
    (model, file), (compared, boxes) = first, other
    detections = model.detections
    images = distinct(np.concatenate([np.asarray(x.detections.images) for x in (model, compared)]))
    places, scores = np.searchsorted(images, np.asarray(detections.images)), np.asarray(detections.scores)
    rows = _sample.best_rows(np.arange(len(scores)), places, scores, np.full(len(images), _BEST))
    boxes_of, labels, at = (np.asarray(getattr(detections, name))[rows] for name in ("boxes", "labels", "images"))
    targets = Targets(boxes_of, labels, at)
    examined = ExaminedArrays(targets, images, truth.categories, truth.format, UPRIGHT)
    located = Located.of(examined, compared.detections)
    if not len(located.chosen):
        return []
    sample = _sample.take(examined, compared.detections, located, (file.numbers[rows], boxes.numbers))
    fit, found = _boxes.compare(sample, file, boxes)
    if fit is None or found:
        return found
    found = [*_images.check(examined, sample, fit, compared.path), *_classes(examined, compared, sample, fit)]
    return [
        dataclasses.replace(
            x, text=_words(x.text), hint=_words(x.hint), evidence=_words(x.evidence), path=compared.path
        )
        for x in found
    ]


def _classes(examined: Examined, compared: Model, sample: Sample, fit: Fit) -> list[Finding]:
    """Other numbers of classes, or none in common, of models whose boxes overlap."""
    labels = np.asarray(compared.detections.labels)
    found = [x for x in _labels.check(examined, labels, sample, fit, _CURES) if x.code in _NUMBERED]
    matches = Matches(sample, fit)
    if found or matches.agreeing(matches.detected) or matches.count < max(_FEW, _MOST * len(fit.detections)):
        return found
    text = "no detection has the class of an object that it overlaps: boxes of two classes are not fused"
    evidence = f"{matches.count} of {len(fit.detections)} detections have IoU >= {THRESHOLD} with an object"
    return [Finding(code="classes-apart", text=text, evidence=evidence, hint=f"{_CURES.classes}, or --class-agnostic")]


def _words(text: str) -> str:
    return text.replace("the ground truth", "the first model").replace("an object", "a box of the first model")
