"""Data sources of `DetectionCallback`, and errors of invalid ones."""

import gc
import weakref

import keras
import numpy as np
import pytest

from omniou_integrations.keras import DetectionCallback
from tests.hand_worked import PRED, TARGET
from tests.integrations.keras_cases import BACKEND, DETECTIONS, EXPECTED, TRUTH, echoing

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")


def image(batch, i):
    return {key: x[i : i + 1] for key, x in batch.items()}


BATCHES = [(image(DETECTIONS, i), image(TRUTH, i)) for i in range(2)]


class Images(keras.utils.PyDataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return BATCHES[index]


class Endless(keras.utils.PyDataset):
    @property
    def num_batches(self):
        return None

    def __getitem__(self, index):
        return BATCHES[index % 2]


def tf_dataset():
    tf = pytest.importorskip("tensorflow")
    return tf.data.Dataset.from_tensor_slices((DETECTIONS, TRUTH)).batch(1)


def torch_loader():
    data = pytest.importorskip("torch").utils.data
    pairs = [tuple({key: x[0] for key, x in side.items()} for side in batch) for batch in BATCHES]
    return data.DataLoader(pairs, batch_size=1)


def native():
    """Tensors of the backend."""
    return tuple({key: keras.ops.convert_to_tensor(x) for key, x in side.items()} for side in (DETECTIONS, TRUTH))


def forever():
    while True:
        yield from BATCHES


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (lambda: (DETECTIONS, TRUTH), {}),
        (lambda: (DETECTIONS, TRUTH), {"batch_size": 1}),
        (native, {"batch_size": 1}),
        (Images, {}),
        (Endless, {"steps": 2}),
        (tf_dataset, {}),
        (lambda: tf_dataset().repeat(), {"steps": 2}),
        (torch_loader, {}),
        (lambda: BATCHES, {}),
        (lambda: lambda: iter(BATCHES), {}),
        (lambda: (batch for batch in BATCHES * 2), {"steps": 2}),
        (forever, {"steps": 2}),
    ],
    ids=[
        *("arrays", "arrays by one", "tensors", "PyDataset", "endless PyDataset", "tf.data", "endless tf.data"),
        *("DataLoader", "list", "function", "generator", "endless generator"),
    ],
)
def test_results_of_every_data_source(make, options):
    callback = echoing(make(), **options)
    for epoch in range(2):
        logs = {"loss": 1.0}
        callback.on_epoch_end(epoch, logs)
        assert logs == pytest.approx({"loss": 1.0} | EXPECTED)


def test_batches_of_different_image_sizes():
    # Batches differ in image size and number of images; the model reads the boxes from the pixels.
    class Find(keras.layers.Layer):
        def call(self, x):
            return x[:, 0, :4, 0]

    shapes = [(3, 20, 30, 1), (1, 7, 5, 1), (2, 64, 64, 1)]
    data = []
    for shape in shapes:
        x, y = np.zeros(shape, np.float32), np.tile(np.asarray(TARGET[0]), (shape[0], 1))
        x[:, 0, :4, 0] = PRED[0]
        data.append((x, y))
    callback = DetectionCallback(data, scores=["iou"])
    callback.set_model(keras.Sequential([Find()]))
    callback.on_epoch_end(0)

    assert callback.results == pytest.approx({"val_iou": 0.4})


def test_batches_of_different_numbers_of_boxes():
    # The first image without its padding: one detection, two objects. The second has one more padded target.
    detections = {key: x[:, :1] for key, x in BATCHES[0][0].items()}
    truth = {key: np.concatenate([x, x[:, -1:]], 1) for key, x in BATCHES[1][1].items()}
    callback = echoing([(detections, BATCHES[0][1]), (BATCHES[1][0], truth)])
    callback.on_epoch_end(0)

    assert callback.results == pytest.approx(EXPECTED)


def test_targets_as_dict_of_each_image():
    # Data loaders of torch collate targets of different lengths into lists of dicts.
    rows = [{"boxes": TRUTH["boxes"][0], "labels": TRUTH["labels"][0]}, {"boxes": [[0, 0, 2, 1]], "labels": [2]}]

    def decode(detections):
        return [{key: x[i] for key, x in detections.items()} for i in range(len(detections["boxes"]))]

    callback = echoing([(DETECTIONS, rows)], decode=decode)
    callback.on_epoch_end(0)
    assert callback.results == pytest.approx(EXPECTED)

    empty = [rows[0], {"boxes": [], "labels": []}]
    callback = echoing([(DETECTIONS, empty)], results=())
    callback.on_epoch_end(0)
    assert callback.results["val_iou"] == pytest.approx((1 + 0 + 0 + 0) / 4)


def test_targets_as_ragged_tensors():
    # KerasCV's pipelines give ragged tensors. A row padded with zeros would be one more object of class 0.
    tf = pytest.importorskip("tensorflow")
    boxes = tf.RaggedTensor.from_row_lengths(tf.constant([[0.0, 0, 4, 4], [5, 5, 8, 8], [0, 0, 2, 1]]), [2, 1])
    truth = {"boxes": boxes, "classes": tf.ragged.constant([[0.0, 0], [2]])}
    callback = echoing([(DETECTIONS, truth)])
    callback.on_epoch_end(0)

    assert callback.results == pytest.approx(EXPECTED)


@pytest.mark.skipif(BACKEND == "torch", reason="Keras hands out bfloat16 of torch as float32")
def test_predictions_in_bfloat16():
    import ml_dtypes

    detections = DETECTIONS | {key: DETECTIONS[key].astype(ml_dtypes.bfloat16) for key in ("boxes", "scores")}
    callback = echoing([(detections, TRUTH)])
    callback.on_epoch_end(0)

    assert callback.results == pytest.approx(EXPECTED)


def test_callback_releases_each_batch():
    alive = []

    def data():
        for _ in range(5):
            x = np.asarray(PRED)
            alive.append(weakref.ref(x))
            yield x, np.asarray(TARGET)
            del x
            gc.collect()
            # The loop may still refer to the last batch.
            assert sum(reference() is not None for reference in alive) <= 1

    callback = echoing(data)
    callback.on_epoch_end(0)
    assert len(alive) == 5


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (
            iter(BATCHES),
            {},
            ValueError,
            "`steps` must be given for data that can be gone through once only, got list_it",
        ),
        (forever(), {}, ValueError, "got generator; or give a function that makes it anew"),
        (Endless(), {}, ValueError, "`steps` must be given for data without end, got Endless"),
        (5, {}, TypeError, "`validation_data` must be a tuple of arrays, or give batches, got int"),
        (
            (DETECTIONS,),
            {},
            ValueError,
            "`validation_data` must be (inputs, targets), or these and sample weights, got 1",
        ),
        ((np.ones((3, 4)), np.ones((2, 4))), {}, ValueError, "must hold arrays of one length, got 2, 3"),
        (BATCHES, {"every": 0}, ValueError, "`every` must be a positive integer, got 0"),
        (BATCHES, {"steps": 1.5}, ValueError, "`steps` must be a positive integer, got 1.5"),
        (BATCHES, {"batch_size": True}, ValueError, "`batch_size` must be a positive integer, got True"),
        (BATCHES, {"scores": ["map"]}, ValueError, "`scores` must be one of 'iou', 'iof', "),
        (BATCHES, {"scores": "iou"}, TypeError, "`scores` must be a list of names, got 'iou'"),
        (BATCHES, {"results": ["AP"]}, ValueError, "`results` must be one of 'map', 'map_50', "),
        (
            BATCHES,
            {"results": ["map_50"], "protocol": "voc2010"},
            ValueError,
            "one of 'map', 'mar', got 'map_50'",
        ),
        (BATCHES, {"protocol": "voc"}, ValueError, "`protocol` must be one of 'coco', "),
        (BATCHES, {"format": "xyhw"}, ValueError, "`format` must be one of"),
        (BATCHES, {"format": "rel_xyxy"}, ValueError, "`image_size` must be given"),
    ],
)
def test_invalid_options_raise(data, options, error, message):
    with pytest.raises(error) as raised:
        DetectionCallback(data, **options)

    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ([BATCHES[0], (np.ones((1, 4)),)], {}, "must give pairs of inputs and targets, got 1 things in batch 1"),
        ([np.ones((1, 4))], {}, "must give pairs of inputs and targets, got ndarray in batch 0"),
        ([], {}, "`validation_data` must give at least 1 batch after each epoch, gave 0"),
        (BATCHES, {"steps": 3}, "`validation_data` must give `steps` = 3 batches after each epoch, gave 2"),
    ],
)
def test_invalid_data_sources_raise(data, options, message):
    callback = echoing(data, **options)

    with pytest.raises(ValueError, match="`validation_data` must give") as raised:
        callback.on_epoch_end(0, {})

    assert message in str(raised.value)


MISSING = object()


def changed(batch, change):
    """`change` if it is an array, else the batch with other entries, without those that are MISSING."""
    if isinstance(change, np.ndarray) or change is batch:
        return change
    return {key: x for key, x in (batch | change).items() if x is not MISSING}


SIZED = {"format": "rel_xyxy", "image_size": "size"}


@pytest.mark.parametrize(
    ("detections", "truth", "options", "error", "message"),
    [
        (np.ones((2, 4)), np.ones((2, 3, 4)), {}, ValueError, "must have one shape, got (2, 4) and (2, 3, 4)"),
        (np.ones((2, 4)), np.full((2, 4), np.nan), {}, ValueError, "targets must be finite: leave padding out with"),
        (np.ones((2, 4)), np.ones((2, 4), bool), {}, TypeError, "targets must hold numbers, got dtype bool"),
        (np.ones((2, 4)), np.ones((2, 4)), {"results": ["map"]}, TypeError, "must be dicts to have `results`"),
        (np.ones((2, 4)), np.ones((2, 4)), SIZED, TypeError, "must be dicts where `image_size` is a key"),
        (np.ones((2, 5)), np.ones((2, 5)), {}, ValueError, "must have shape (..., 2 or 4 or 6)"),
        (np.ones((2, 4)), TRUTH, {}, TypeError, "must both be arrays, or both dicts with 'boxes' and 'labels', got nd"),
        ({"labels": MISSING}, {}, {}, ValueError, "`predictions` must have the key 'labels' or 'classes', got 'boxes'"),
        ({}, {"boxes": MISSING}, {}, ValueError, "`targets` must have the key 'boxes', got 'labels'"),
        (
            {"scores": MISSING},
            {},
            {},
            ValueError,
            "'confidence', got 'boxes', 'labels': give scores, or ask for no average precision with `results=()`",
        ),
        (
            {"scores": np.ones((2, 1))},
            {},
            {},
            ValueError,
            "`predictions['scores']` must have shape (2, 2) as there are boxes",
        ),
        (
            {},
            {"labels": np.ones((2, 3))},
            {},
            ValueError,
            "`targets['labels']` must have shape (2, 2) as there are boxes",
        ),
        ({"boxes": np.ones((2, 2, 5))}, {}, {}, ValueError, "`predictions['boxes']` must have shape (batch, N, 4)"),
        ({}, {"boxes": np.ones((2, 4))}, {}, ValueError, "`targets['boxes']` must have shape (batch, N, 4), got"),
        ({}, {"boxes": np.full((2, 2, 4), "a")}, {}, TypeError, "`targets['boxes']` must hold numbers, got dtype <U1"),
        (
            {},
            {"labels": np.full((2, 2), 0.5)},
            {},
            TypeError,
            "`targets['labels']` must hold integers, got 0.5 of dtype",
        ),
        ({"labels": np.full((2, 2), 1.5)}, {}, {}, TypeError, "`predictions['labels']` must hold integers, got 1.5 of"),
        ({}, {"labels": np.full((2, 2), np.nan)}, {}, TypeError, "`targets['labels']` must hold integers, got nan of"),
        ({"labels": np.ones((2, 2), bool)}, {}, {}, TypeError, "`predictions['labels']` must hold integers, got True"),
        (
            {},
            {"boxes": np.full((2, 2, 4), np.nan)},
            {},
            ValueError,
            "must be finite, got [nan, nan, nan, nan]: give pad",
        ),
        ({}, {"crowd": np.ones(2)}, {}, ValueError, "`targets['crowd']` must have shape (2, 2) as there are boxes"),
        (
            {"num_detections": np.ones(3)},
            {},
            {},
            ValueError,
            "`predictions['num_detections']` must be a number for each",
        ),
        (
            {},
            {},
            SIZED,
            ValueError,
            "`targets` must have the key 'size' with (height, width), as `image_size` says, got",
        ),
        (
            {},
            {"size": np.ones((1, 2))},
            SIZED,
            ValueError,
            "`targets['size']` must be (height, width) of each image, of",
        ),
    ],
)
def test_invalid_batches_raise(detections, truth, options, error, message):
    callback = echoing([(changed(DETECTIONS, detections), changed(TRUTH, truth))], **options)
    logs = {"loss": 1.0}

    with pytest.raises(error) as raised:
        callback.on_epoch_end(0, logs)

    assert str(raised.value).startswith("batch 0 of `validation_data`: ")
    assert message in str(raised.value)
    assert logs == {"loss": 1.0}


def test_invalid_batch_leaves_logs_and_results():
    data = [*BATCHES]
    callback = echoing(data)
    callback.on_epoch_end(0, {})
    data.append((DETECTIONS, changed(TRUTH, {"labels": MISSING})))
    logs = {"loss": 1.0}

    with pytest.raises(ValueError, match="batch 2 of `validation_data`: `targets` must have the key 'labels'"):
        callback.on_epoch_end(1, logs)

    assert logs == {"loss": 1.0}
    assert callback.results == pytest.approx(EXPECTED), "those of the epoch before"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"boxes": np.ones((1, 4)), "labels": [1]}], "must be of the same images, got 2 and 1"),
        ([{"boxes": np.ones((1, 4))}] * 2, "`targets[0]` must have the key 'labels' or 'classes', got 'boxes'"),
        ([{"boxes": np.ones(4), "labels": [1]}] * 2, "`targets[0]['boxes']` must have shape (N, 4), got (4,)"),
        (
            [{"boxes": np.ones((1, 4)), "labels": [1]}, {"boxes": np.ones((1, 4)), "labels": [1], "crowd": [0]}],
            "`targets[0]` must have the key 'iscrowd', as others have: give it for every image or none",
        ),
    ],
)
def test_invalid_dicts_of_images_raise(rows, message):
    with pytest.raises(ValueError, match="batch 0 of `validation_data`") as raised:
        echoing([(DETECTIONS, rows)]).on_epoch_end(0, {})

    assert message in str(raised.value)


def test_invalid_sample_weights_raise():
    with pytest.raises(ValueError, match="sample weights must be left out where there are dicts"):
        echoing((DETECTIONS, TRUTH, np.ones(2))).on_epoch_end(0, {})
    with pytest.raises(ValueError, match=r"sample weights must have shape \(4,\), or its first axes, got \(3,\)"):
        echoing([(np.asarray(PRED), np.asarray(TARGET), np.ones(3))]).on_epoch_end(0, {})
