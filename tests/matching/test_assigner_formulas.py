"""The assigners against their published rules, written as plain loops."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import matching
from tests.helpers import numbers
from tests.matching import references

# NumPy and CPU tensors share what visits only the pairs that are near; the others compute all pairs.
LIBRARIES = ["numpy", "torch", "array_api_strict"]


def scene(seed: int) -> dict[str, Any]:
    """One image: a grid of two levels, predictions near the objects, and objects that overlap."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 7))
    low = rng.uniform(0, 20, (count, 2))
    objects = np.concatenate([low, low + rng.uniform(3, 24, (count, 2))], axis=1)
    strides = np.repeat([4.0, 8.0], [64, 16])
    grids = [np.stack(np.meshgrid(*[np.arange(s / 2, 32, s)] * 2), axis=-1).reshape(-1, 2) for s in (4, 8)]
    points = np.concatenate(grids)
    anchors = np.concatenate([points - 1.5 * strides[:, None], points + 1.5 * strides[:, None]], axis=1)
    predictions = objects[rng.integers(0, count, 80)] + rng.normal(0, 2, (80, 4))
    return {
        "objects": objects,
        "labels": rng.integers(0, 3, count),
        "anchors": anchors,
        "points": points,
        "strides": strides,
        "predictions": predictions,
        "scores": rng.uniform(0.05, 0.95, (80, 3)),
    }


def of(library: str, x: Any) -> Any:
    return pytest.importorskip(library, reason=f"{library} is not installed").asarray(x)


def whole(x: Any) -> list[int]:
    return numbers(x).astype(int).tolist()


@pytest.mark.parametrize("library", LIBRARIES)
@given(seed=st.integers(0, 10_000), low_quality=st.sampled_from([None, "best", "later"]), ignores=st.booleans())
@settings(max_examples=25)
def test_max_iou_follows_its_rule(library: str, seed: int, low_quality: Any, ignores: bool) -> None:  # noqa: FBT001
    x = scene(seed)
    options = {"positive": 0.5, "negative": 0.3, "low_quality": low_quality}
    regions = x["objects"][:1] + 4.0
    owners, states = references.max_iou(x["anchors"], x["objects"], ignore=regions if ignores else (), **options)
    extra = {"ignore": of(library, regions)} if ignores else {}
    assigned = matching.max_iou(of(library, x["anchors"]), of(library, x["objects"]), **options, **extra)
    assert whole(assigned.objects) == owners
    assert whole(assigned.states) == states
    assert whole(assigned.counts) == [owners.count(m) for m in range(len(x["objects"]))]


@pytest.mark.parametrize("library", LIBRARIES)
@given(seed=st.integers(0, 10_000), topk=st.integers(1, 20))
@settings(max_examples=25)
def test_atss_follows_its_rule(library: str, seed: int, topk: int) -> None:
    x = scene(seed)
    expected = references.atss(x["anchors"], x["objects"], levels=(64, 16), topk=topk)
    assigned = matching.atss(of(library, x["anchors"]), of(library, x["objects"]), levels=(64, 16), topk=topk)
    assert whole(assigned.objects) == expected


@pytest.mark.parametrize("library", LIBRARIES)
@given(seed=st.integers(0, 10_000), region=st.sampled_from([("centre", 1.5), ("box_or_centre", 2.5)]))
@settings(max_examples=25)
def test_simota_follows_its_rule(library: str, seed: int, region: Any) -> None:
    x = scene(seed)
    names = ("predictions", "scores", "points", "strides", "objects", "labels")
    options = dict(zip(("region", "radius"), region, strict=True))
    expected = references.simota(*(x[name].tolist() for name in names), **options)
    assigned = matching.simota(*(of(library, x[name]) for name in names), **options)
    assert whole(assigned.objects) == expected


@pytest.mark.parametrize("library", LIBRARIES)
@given(
    seed=st.integers(0, 10_000), topk=st.integers(1, 13), every=st.booleans(), score=st.sampled_from(["iou", "ciou"])
)
@settings(max_examples=25)
def test_task_aligned_follows_its_rule(library: str, seed: int, topk: int, every: bool, score: str) -> None:  # noqa: FBT001
    x = scene(seed)
    names = ("predictions", "scores", "points", "objects", "labels")
    owners, targets = references.task_aligned(
        *(x[name].tolist() for name in names), topk=topk, every=every, overlap=getattr(references, score)
    )
    arrays = [of(library, x[name]) for name in names]
    assigned = matching.task_aligned(*arrays, topk=topk, picks="all" if every else "inside", score=score)
    assert whole(assigned.objects) == owners
    np.testing.assert_allclose(numbers(assigned.scores), targets, rtol=1e-9, atol=1e-12)
