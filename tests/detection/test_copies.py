"""Pickles, copies and threads: what may be shared."""

import copy
import pickle
import threading

import numpy as np
import pytest

import omniou
from omniou import boxes, boxes3d, data, detection, polygons, rotated
from omniou._catalogue.geometry import Geometry
from omniou.data import Finding, InputError, InputWarning
from omniou.data.shards import SplitImageError
from omniou.detection import Detections, Targets
from omniou.rle import Masks
from tests.detection.tables import tied

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")

WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy, "copy": copy.copy}  # noqa: S301
A = [0, 0, 10, 10]


def given(xp):
    """Tables of a library."""
    targets, found = tied(0)
    return (
        Targets(xp.asarray(targets.boxes), *(xp.asarray(x) for x in (targets.labels, targets.images, targets.crowd))),
        Detections(*(xp.asarray(x) for x in (found.boxes, found.scores, found.labels, found.images))),
    )


def assert_same(result, expected):
    for name in ("AP", "AR100"):
        assert type(result.per_class[name]) is type(expected.per_class[name])
        np.testing.assert_array_equal(np.asarray(result.per_class[name]), np.asarray(expected.per_class[name]))
    assert result.errors().counts == expected.errors().counts
    assert (result.names, result.image_names, result.protocol) == (
        expected.names,
        expected.image_names,
        expected.protocol,
    )


@pytest.mark.parametrize("way", WAYS)
def test_result_survives(xp, way):
    result = detection.evaluate(*given(xp))
    expected = detection.evaluate(*given(xp))
    assert_same(WAYS[way](result), expected)
    _ = result.summary, result.matches  # computed before, and left behind
    assert_same(WAYS[way](result), expected)
    assert detection.bootstrap(WAYS[way](result), samples=5) == detection.bootstrap(expected, samples=5)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["segm", "boundary"])
def test_result_of_masks_survives(way, kind):
    masks = Masks.from_dense(np.ones((1, 4, 4), dtype=np.uint8))
    result = detection.evaluate(
        Targets(None, [1], [0], masks=masks), Detections(None, [0.5], [1], [0], masks=masks), kind=kind
    )
    assert WAYS[way](result).matches.objects[0].tolist() == [0]


@pytest.mark.parametrize("way", WAYS)
def test_result_of_names_and_a_score_survives(way):
    targets, found = [{"boxes": [A], "labels": ["cat"]}], [{"boxes": [A], "labels": ["cat"], "scores": [0.5]}]
    result = detection.evaluate(targets, found, score="giou")
    copied = WAYS[way](result)
    assert copied.to_dict() == result.to_dict()
    copied.names[0] = "dog"
    assert result.names == {0: "cat"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("keep_boxes", [True, False])
def test_evaluator_survives_and_goes_on_by_itself(xp, way, keep_boxes):
    targets, found = given(xp)
    evaluator = detection.Evaluator(keep_boxes=keep_boxes)
    evaluator.update(targets, found, images=[0, 1, 2])
    copied = WAYS[way](evaluator)
    copied.update(targets, found, images=[3, 4])

    assert evaluator.state.counts["images"] == 3
    assert copied.state.counts["images"] == 5
    evaluator.update(targets, found, images=[3, 4])
    for result in (evaluator.compute(), copied.compute()):
        np.testing.assert_array_equal(
            np.asarray(result.per_class["AP"]), np.asarray(evaluator.compute().per_class["AP"])
        )
        assert result.has_boxes is keep_boxes


@pytest.mark.parametrize("way", WAYS)
def test_evaluator_of_nothing_survives(way):
    assert WAYS[way](detection.Evaluator("voc2010")).compute().protocol == detection.VOC2010


def test_result_does_not_follow_its_evaluator():
    evaluator = detection.Evaluator(keep_boxes=True)
    targets, found = tied(0)
    evaluator.update(targets, found, images=[0, 1])
    result, counts = evaluator.compute(), evaluator.compute().errors().counts
    evaluator.update(targets, found, images=[2, 3, 4])

    assert result.errors().counts == counts


def test_evaluator_update_from_eight_threads_keeps_images_apart():
    # In each image one of two objects is found: AP is 51 of 101 points. Mixed up, detections would match nothing.
    evaluator, failed = detection.Evaluator(), []

    def work(number):
        try:
            for k in range(40):
                shift = 100.0 * (number * 40 + k)
                box = [shift, 0, shift + 10, 10]
                evaluator.update(
                    [{"boxes": [box, [shift, 50, shift + 10, 60]], "labels": [1, 1]}],
                    [{"boxes": [box], "labels": [1], "scores": [0.5]}],
                )
                if k % 10 == 0:
                    evaluator.compute()
        except Exception as error:  # noqa: BLE001  (a thread's error is lost otherwise)
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert evaluator.state.counts == {"images": 320, "classes": 1, "objects": 640, "detections": 320}
    assert evaluator.compute().summary["AP"] == pytest.approx(51 / 101)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "geometry",
    [boxes.GEOMETRY, rotated.GEOMETRY, polygons.GEOMETRY, boxes3d.GEOMETRY, boxes3d.BEV],
    ids=lambda x: x.name,
)
def test_geometry_stays_the_same_object(way, geometry):
    assert WAYS[way](geometry) is geometry


# A geometry of a user, as a value of a module; its functions have names, too.
OWN = Geometry(
    name="own boxes",
    formats={"xyxy": (4,)},
    canonical=boxes.GEOMETRY.canonical,
    terms=boxes.GEOMETRY.terms,
    bounds=boxes.GEOMETRY.bounds,
    harmless=boxes.GEOMETRY.harmless,
    layout=boxes.GEOMETRY.layout,
    module=__name__,
)


def test_geometry_of_a_user_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(OWN)) is OWN  # noqa: S301
    result = detection.evaluate(Targets([A], [1], [0]), Detections([A], [0.5], [1], [0]), kind=OWN)
    assert WAYS["pickle"](result).errors().counts == result.errors().counts


@pytest.mark.parametrize("way", WAYS)
def test_ground_truth_keeps_its_geometry(way, tmp_path):
    (tmp_path / "a.txt").write_text("cat 0 0 10 10\n", encoding="utf-8")
    truth = data.read_ground_truth(tmp_path)
    copied = WAYS[way](truth)
    assert copied.geometry is boxes.GEOMETRY
    assert copied.categories == truth.categories


VALUES = [
    omniou.scores["giou"],
    omniou.pixel_scores["iou"],
    detection.COCO,
    Targets([A], [1], [0]),
    Detections([A], [0.5], [1], [0]),
    Masks.from_coco([]),
]
ERRORS = [
    InputError("a.json", "wrong"),
    InputWarning(Finding(code="x", text="y")),
    SplitImageError("3", ("a", "b")),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", VALUES, ids=lambda x: type(x).__name__)
def test_values_survive(way, value):
    assert repr(WAYS[way](value)) == repr(value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", ERRORS, ids=lambda x: type(x).__name__)
def test_errors_survive(way, error):
    copied = WAYS[way](error)
    assert type(copied) is type(error)
    assert str(copied) == str(error)
