"""Shards whose classes and images are numbers or names; a shard without objects does not tell which."""

import itertools
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from omniou import boxes, detection, rotated
from omniou.data import Finding, InputError, InputWarning, Options, _dispatch, shards
from omniou.data._names import Listed, counted
from omniou.data._truth import Naming
from omniou.data.shards import states

BOX = ("x", "y", "width", "height")
ORDERS = list(itertools.permutations(range(3)))
NUMBERS = Listed({3: "3", 1: "1"}, Naming(complete=False))
NOTHING = Listed({}, Naming(complete=False))


def table(images, classes, scores=None):
    """A box (0, 0, 8, 8) in each row; a class of None is an image without objects."""
    sides = {name: [None if c is None else x for c in classes] for name, x in zip(BOX, (0, 0, 8, 8), strict=True)}
    return pa.table({"image_id": images, "category_id": classes} | sides | ({"score": scores} if scores else {}))


NO_DETECTIONS = table([], []).append_column("score", pa.array([], pa.float64()))


@pytest.mark.parametrize("order", ORDERS)
def test_united_of_named_classes_and_none_counts_names(order):
    listings = [counted(["tram", "car"], complete=False), NOTHING, counted(["bus"], complete=False)]

    assert shards.united([listings[k] for k in order]) == counted(["bus", "car", "tram"], complete=False)


def test_united_of_numbers_keeps_numbers():
    assert shards.united([NOTHING, NUMBERS]) == Listed({1: "1", 3: "3"}, Naming(complete=False))


def test_united_of_no_classes_is_empty():
    assert shards.united([NOTHING, NOTHING]) == NOTHING


def test_united_of_complete_lists_is_none():
    assert shards.united([]) is None
    assert shards.united([Listed({1: "car"}, Naming())] * 2) is None


@pytest.mark.parametrize("order", ORDERS)
def test_classes_of_a_shard_without_objects_beside_named_ones(tmp_path, order):
    # Image a has a bus and is detected as one; b has a car that is detected as a tram.
    given = [
        (table(["a"], ["bus"]), table(["a"], ["bus"], [0.9])),
        (table(["c"], [None]), NO_DETECTIONS),
        (table(["b"], ["car"]), table(["b"], ["tram"], [0.8])),
        (table(["d"], ["tram"]), NO_DETECTIONS),
    ]
    for role, tables in zip(("truth", "found"), zip(*given, strict=True), strict=True):
        (tmp_path / role).mkdir()
        for k, x in enumerate(tables):
            pq.write_table(x, tmp_path / role / f"{k}.parquet")
    rules = shards.Rules()
    found = shards.find(tmp_path / "truth", tmp_path / "found")
    found = [*(found[k] for k in order), found[3]]
    classes = shards.united([rules.listing(x) for x in found])
    part = shards.merge([rules.part(x, classes) for x in found])
    result = detection.compute([states.loads(part.state)])

    assert dict(result.state.names.classes) == {0: "bus", 1: "car", 2: "tram"}
    assert result.state.target_labels.tolist() == [0, 1, 2]
    assert result.per_class["AP50"].tolist() == pytest.approx([1, 0, 0])


@pytest.mark.parametrize(
    ("classes", "names"),
    [(["tram", None, "car"], counted(["car", "tram"], complete=False)), ([3, 1, None, 3], NUMBERS), ([None], NOTHING)],
)
def test_listing_of_table(classes, names):
    assert shards.Rules().listing_of_table("objects", table(list(range(len(classes))), classes)) == names


def test_listing_of_table_names_the_row_that_is_wrong():
    rows = table(["a", "b"], ["car", None]).set_column(2, "x", pa.array([0, 0]))

    with pytest.raises(InputError, match=r"^rows of the objects: row 1, category_id: missing$"):
        shards.Rules().listing_of_table("rows", rows)


def test_merge_of_numbered_and_named_classes_raises():
    numbers, names = ((table([k], [c]), table([k], [c], [0.5])) for k, c in enumerate((3, "car")))
    nothing = table([2], [None]), NO_DETECTIONS
    assert shards.united([NUMBERS, counted(["car"], complete=False)]) is None
    rules = shards.Rules()
    parts = [rules.part_of_tables(f"shard {k}", *x) for k, x in enumerate((nothing, numbers, names))]

    for order in ORDERS:
        with pytest.raises(InputError, match=r"^shard [12]: its classes differ from shard [12]: "):
            shards.merge([parts[k] for k in order])


@pytest.mark.parametrize("order", ORDERS)
def test_merge_of_numbered_and_named_images_raises(order):
    rules = shards.Rules()
    images = (0, "street.jpg")
    parts = [
        rules.part_of_tables(f"shard {k}", table([x], ["car"]), table([x], ["car"], [0.5]))
        for k, x in enumerate(images)
    ]
    parts.append(rules.part_of_tables("shard 2", table([], []), NO_DETECTIONS))

    with pytest.raises(InputError, match=r"^shard [01]: its images are n\w+, and the images of shard [01] are n\w+$"):
        shards.merge([parts[k] for k in order])


def test_key_of_rules_is_that_of_any_process():
    rules = shards.Rules(kind=rotated.GEOMETRY, score=boxes.giou, options=Options(kind="rotated"))
    assert "0x" not in rules.key
    assert rules.key == shards.Rules(kind=rotated.GEOMETRY, score=boxes.giou, options=Options(kind="rotated")).key
    others = [shards.Rules(), shards.Rules(protocol="voc2010"), shards.Rules(offset=1.0), shards.Rules(score="giou")]
    others += [shards.Rules(formats=("coco", None)), shards.Rules(options=Options(boxes="xyxy"))]
    assert len({x.key for x in [rules, *others]}) == len(others) + 1


def test_threads_have_the_findings_of_their_own_shards(tmp_path, monkeypatch):
    read = _dispatch.read_detections

    def warned(path, *given):
        time.sleep(0.01)  # until the other threads are here
        warnings.warn(InputWarning(Finding(code="odd", text="odd", path=path.stem)), stacklevel=2)
        return read(path, *given)

    monkeypatch.setattr(_dispatch, "read_detections", warned)
    for name, scores in (("truth", None), *((str(k), [0.5]) for k in range(8))):
        pq.write_table(table(["a"], ["bus"], scores), tmp_path / f"{name}.parquet")
    paths = [tmp_path / f"{k}.parquet" for k in range(8)]
    given = [shards.Shard(name=x.stem, targets=tmp_path / "truth.parquet", detections=x) for x in paths]
    shown = warnings.showwarning
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(shards.Rules().part, given))
    assert warnings.showwarning is shown
    assert [[x.path for x in part.findings] for part in parts] == [[str(k)] for k in range(8)]
